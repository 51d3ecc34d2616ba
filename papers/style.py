"""How figures look, whatever paper they are of, and one figure that is of no paper.

A series has one colour and mark in every figure (`SERIES`), print is always black and hollow. What is drawn together
keeps apart in grey and for a reader without green (`DRAWN_TOGETHER`, which a test measures). A figure takes a table
(`papers.named`) and computes nothing; shares are drawn in percent, their differences in points. Every figure carries a
caption that says what it shows, over how many problems and runs, and which interval.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import cycle
from textwrap import fill as wrapped_at
from typing import NamedTuple

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trove_lite.analysis.scores import ALL_MICRO, COVERED_MICRO
from trove_lite.datasets.base import DIFFICULTY


class Series(NamedTuple):
    """How a series is drawn, wherever it is."""

    colour: str
    marker: str
    line: str = "-"


SERIES = {
    "TROVE": Series("#A62A1A", "o", "-"),
    "TROVE, two-stage": Series("#C58300", "^", ":"),
    "PRIMITIVE": Series("#14396F", "s", "--"),
    "SKIP pool": Series("#8A68AE", "p", "-."),
    "IMPORT": Series("#00504A", "<"),
    "CREATE": Series("#B03A70", "P"),
    "SKIP": Series("#5F9E2F", "d"),
    "difference, one-stage": Series("#00707A", "v", "-"),
    "difference, oracle": Series("#2B2B2B", "X", "--"),
    "difference, completion tokens": Series("#C58300", ">"),
    "difference, total tokens": Series("#4A2C7A", "h"),
    "oracle": Series("#2B2B2B", "X", "--"),
    "two-stage": Series("#C58300", "^", ":"),
    "pass@1": Series("#00707A", "v", "-"),
    "finished": Series("#8A68AE", "*", "-."),
}
#: Series that stand in one figure, and have to be told apart there without colour as well.
DRAWN_TOGETHER = (
    ("TROVE", "TROVE, two-stage", "PRIMITIVE", "SKIP pool"),
    ("IMPORT", "CREATE", "SKIP"),
    ("difference, one-stage", "difference, oracle"),
    ("difference, one-stage", "difference, completion tokens", "difference, total tokens"),
    ("oracle", "two-stage", "pass@1", "finished"),
)
PRINT = {"facecolor": "none", "edgecolor": "black", "zorder": 6, "s": 34, "linewidth": 1.1, "clip_on": False}
PRINT_KEY = Line2D(
    [], [], marker="D", color="black", markerfacecolor="none", linestyle="", markersize=5, label="the paper's value"
)
INTERVAL = "95 % intervals over problems and runs (of one run of a stream: this run alone)"
ABSENT = "0.35"  # the grey in which a reason stands where nothing could be measured
plt.rcParams["svg.hashsalt"] = "trove_lite"  # the same figure gives the same file


def accuracy_figure(table: pd.DataFrame) -> Figure | None:
    """Accuracy of every side, a panel a rule, from `accuracy`; None where that has nothing to show."""
    known = table[table["value"].notna()]
    if known.empty:
        return None
    systems, rules = (list(known[name].unique()) for name in ("system", "rule"))
    rows = list(table.loc[table["category"].isin(known["category"]), "category"].unique())
    styles = dict(zip(systems, cycle(SERIES.values()), strict=False))
    step = 0.7 / len(systems)
    figure, all_axes = plt.subplots(
        1,
        len(rules),
        figsize=(2.6 + 3.2 * len(rules), 1.6 + (0.35 + step) * len(rows)),
        layout="constrained",
        sharey=True,
        squeeze=False,
    )
    for axes, rule in zip(all_axes[0], rules, strict=True):
        for row in known[known["rule"] == rule].itertuples():
            place = rows.index(row.category) + step * (systems.index(row.system) - (len(systems) - 1) / 2)
            dot(axes, row, place, styles[row.system])
        axes.set_title(rule.replace("_", "-"), fontsize=10)
        axes.set_xlabel("accuracy (% of problems)")
        axes.set_xlim(left=0)
        category_axis(axes, rows)
    ran = known.groupby("system")["method"].first()  # a side may be filled by another method than its name says
    names = [system if ran[system] == system else f"{system} ({ran[system]})" for system in systems]
    handles = [handle(name, styles[system]) for name, system in zip(names, systems, strict=True)]
    figure.legend(handles=handles, frameon=False, ncols=min(4, len(handles)), loc="outside lower center", fontsize=9)
    text = f"Accuracy with {known['k'].iloc[0]} programs a problem"
    return titled(figure, table, text, caption=f"{text}. {over(known)}. Bars: {INTERVAL}{prediction(known)}.")


def prediction(table: pd.DataFrame) -> str:
    """What a caption adds of the thin lines that `dot` draws where a table has prediction intervals; else nothing."""
    if "prediction_low" not in table or table["prediction_low"].isna().all():
        return ""
    return "; thin: where five new runs on these problems would fall (95 %)"


# ---- what of a table is drawn ----


def failures_figure(table: pd.DataFrame, *, kinds: int = 8) -> Figure | None:
    """How programs of each method and mode end, from `failures`: the most common kinds, the rest as `other`."""
    if table.empty:
        return None
    common = list(table.groupby("kind")["programs"].sum().sort_values(ascending=False).index[:kinds])
    shown = table.assign(kind=table["kind"].where(table["kind"].isin(common), "other"))
    bars = (
        shown.pivot_table(index=["method", "mode"], columns="kind", values="share", aggfunc="sum", fill_value=0) * 100
    )
    names = [method if method == mode else f"{method}, {mode}" for method, mode in bars.index]
    figure, axes = plt.subplots(figsize=(7.2, 1.6 + 0.45 * len(bars)), layout="constrained")
    left, hatches = pd.Series(0.0, index=bars.index), cycle(("", "///", "...", "xx"))
    colours = cycle(dict.fromkeys(series.colour for series in SERIES.values()))
    drawn = [kind for kind in dict.fromkeys(("right", *common, "other")) if kind in bars]
    for kind, colour in zip(drawn, colours, strict=False):
        axes.barh(names, bars[kind], left=left, label=kind, color=colour, edgecolor="black", hatch=next(hatches))
        left += bars[kind]
    axes.invert_yaxis()
    axes.set_xlabel("share of programs (%)")
    axes.set_xlim(0, 100)
    figure.legend(frameon=False, ncols=5, loc="outside lower center", fontsize=9)
    text = f"How programs end, of {table['programs'].sum():,}"
    detail = f"{table['programs'].sum():,} programs; shares of each mode's"
    return titled(figure, table, "How programs end", detail=detail, caption=f"{text}. Shares of each mode's programs.")


def filled(table: pd.DataFrame) -> list[str]:
    """The categories, in order, of which a table holds a value."""
    return [c for c in table["category"].unique() if table.loc[table["category"] == c, "value"].notna().any()]


def drawn_rows(table: pd.DataFrame) -> list[str]:
    """Every single category, in order, absent ones too, and the rows over several, by problems, that have a value.

    Runs of one category alone are not about the others: it is the only row.
    """
    single = [c for c in table["category"].unique() if ", " not in c]
    have = filled(table)
    if len(here := [c for c in single if c in have]) == 1:
        return here
    return single + [row for row in (COVERED_MICRO, ALL_MICRO) if row in have and len(single) > 1]


def row_over_categories(table: pd.DataFrame) -> tuple[str, str]:
    """The row that a curve shows, and what is in it: all problems, those of what is covered, or the one category."""
    known = table[table["value"].notna()]
    present = known.groupby("category", sort=False)["system"].unique()
    sides = known["system"].nunique()
    if ALL_MICRO in present and len(present[ALL_MICRO]) == sides:
        return ALL_MICRO, "all categories"
    if COVERED_MICRO in present:
        return COVERED_MICRO, known.loc[known["category"] == COVERED_MICRO, "note"].iloc[-1].replace(", ", " and ")
    only = known["category"].value_counts(sort=False).idxmax()
    return only, only


def reasons(table: pd.DataFrame) -> str:
    """Why rows hold no value, once each."""
    notes = table.loc[table["value"].isna(), "note"].dropna() if "note" in table else []
    return "; ".join(dict.fromkeys(note for note in notes if note))


def over(table: pd.DataFrame) -> str:
    """Over how many problems and runs a table's values are, as a sentence without its stop; levels of it together."""
    known = table[table["value"].notna()]
    single = known[~known["category"].str.contains(", ")]
    if single.empty:
        return "Nothing was measured"
    problems = int(single.groupby([name for name in ("category", "level") if name in single])["problems"].max().sum())
    ran = single["source"] if "source" in single else single["system"]
    parts = [f"{_span(part['runs'])} of {name}" for name, part in single.groupby(ran, sort=False)]
    categories = counted(single["category"].nunique(), "category", "categories")
    categories = "all categories" if set(single["category"]) == {"all"} else categories
    return f"{problems:,} problems of {categories}; {', '.join(parts)}".rstrip("; ")


def counted(number: float, one: str, several: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{number:g} {one if number == 1 else several}"


def _span(runs: pd.Series) -> str:
    low, high = int(runs.min()), int(runs.max())
    return counted(high, "run", "runs") if low == high else f"{low} to {high} runs"


# ---- marks ----


def dot(axes: Axes, cell: object, y: float, series: Series, *, fill: str = "", below: float = 0.1) -> None:
    """A share with its interval at height y, in percent; the paper's beside it, a little lower, so that neither hides.

    A thin line is the prediction interval, where the table has one.
    """
    low, high = (getattr(cell, f"prediction_{end}", float("nan")) for end in ("low", "high"))
    if pd.notna(low):
        axes.plot([100 * low, 100 * high], [y, y], color=series.colour, linewidth=0.7, marker="|", markersize=5)
    if pd.notna(cell.value):
        if pd.notna(cell.low):
            axes.plot([100 * cell.low, 100 * cell.high], [y, y], color=series.colour, linewidth=2)
        style = {"color": series.colour, "markerfacecolor": fill or series.colour, "markersize": 6, "clip_on": False}
        axes.plot(100 * cell.value, y, marker=series.marker, zorder=4, **style)
    if pd.notna(getattr(cell, "published", None)):
        axes.scatter(100 * cell.published, y + below, marker="D", **PRINT | {"s": 22})


def absent(axes: Axes, y: float, reason: str) -> None:
    """The reason why nothing is drawn at height y, at the right end."""
    short = re.sub(r" of (\w+, )+\w+$", " of some categories", reason.replace(" of this category", ""))
    axes.annotate(
        short, (1, y), (-3, 0), xycoords=("axes fraction", "data"), textcoords="offset points", ha="right",
        va="center", fontsize=7, color=ABSENT, style="italic",
    )  # fmt: skip


def band(axes: Axes, x: pd.Series, cells: pd.DataFrame, series: Series) -> None:
    """A curve of shares, in percent, with its interval as a band; of a single mark, as a bar."""
    if len(cells) == 1:
        axes.vlines(x, 100 * cells["low"], 100 * cells["high"], color=series.colour, linewidth=1.2)
    axes.fill_between(x, 100 * cells["low"], 100 * cells["high"], color=series.colour, alpha=0.15, linewidth=0)
    axes.plot(x, 100 * cells["value"], color=series.colour, linestyle=series.line, marker=series.marker, markersize=5)


def from_zero(axes: Axes, room: float = 1) -> None:
    """A horizontal axis that shows 0 and everything drawn, and has `room` times as much to the right."""
    low, high = axes.dataLim.x0, axes.dataLim.x1
    axes.set_xlim(min(0, 1.05 * low), max(1, 1.03 * room * high))


def margin_band(axes: Axes, margin: float) -> None:
    """Differences that count as none: the stretch of +- margin around 0, across a horizontal axis of points."""
    axes.axvspan(-100 * margin, 100 * margin, color="0.88", zorder=0)
    axes.axvline(0, color="black", linewidth=1)


def handle(label: str, series: Series, *, line: str = "", fill: str = "") -> Line2D:
    """A legend's entry."""
    return Line2D(
        [],
        [],
        color=series.colour,
        marker=series.marker,
        linestyle=line,
        label=label,
        markerfacecolor=fill or series.colour,
    )


def key(axes: Axes, handles: Sequence[Line2D], *, paper: bool = False, columns: int = 2) -> None:
    """A legend below the figure, with the paper's mark where there is one."""
    axes.figure.legend(
        handles=[*handles, *([PRINT_KEY] if paper else [])],
        frameon=False,
        ncols=columns,
        fontsize=9,
        loc="outside lower center",
    )


def category_axis(axes: Axes, rows: Sequence[str], names: Mapping[str, str] | None = None) -> None:
    """Categories from top to bottom, a line between neighbours."""
    axes.set_yticks(range(len(rows)), [(names or {}).get(row, wrapped(row)) for row in rows])
    axes.set_ylim(max(1, len(rows)) - 0.5, -0.5)
    for place in range(1, len(rows)):
        axes.axhline(place - 0.5, color="0.85", linewidth=0.6)
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)


def wrapped(row: str) -> str:
    """`all, micro` in words."""
    return {ALL_MICRO: "all problems", COVERED_MICRO: "covered problems", "all": "all problems"}.get(
        row, "covered problems" if row == "covered" else row
    )


def split_by(table: pd.DataFrame) -> str:
    """What a table is split by, for a title."""
    return table.attrs["by"].removeprefix("level of ")


def axis_of_levels(table: pd.DataFrame) -> str:
    return "level (1 easiest)" if table.attrs["by"] == DIFFICULTY else table.attrs["by"]


def titled(
    figure: Figure, table: pd.DataFrame, text: str, name: str = "", *, detail: str = "", caption: str = ""
) -> Figure:
    """The figure under a title that says what it shows of what runs, under its file's name (none: the table's).

    detail: over what, and which interval. The caption travels with the figure: it is saved within the file, and read
    from there.
    """
    lines = [text, table.attrs.get("runs", ""), detail]
    wide = int(11.5 * figure.get_figwidth())  # characters to a line
    figure.suptitle("\n".join(wrapped_at(line, wide) for line in lines if line), fontsize=10)
    figure.set_label(name or table.attrs.get("name", ""))
    figure.caption = caption
    return figure
