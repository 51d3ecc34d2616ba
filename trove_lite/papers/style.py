"""How figures look, whatever paper they are of, and one figure that is of no paper.

Colours are colour-blind safe and always doubled by a marker, a line style or a hatch, so that a grey print reads the
same. A figure takes a table (`papers.named`) and computes nothing. Intervals are 95 %; what they are over stands in the
tables.
"""

from collections.abc import Sequence
from itertools import cycle

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..analysis.scores import ALL_MICRO, COVERED_MICRO

PALETTE = sns.color_palette("colorblind")
BLUE, ORANGE, GREEN, RED, *_ = PALETTE
MARKERS = "osD^vPX"
PAPER = {"marker": "D", "facecolor": "white", "edgecolor": "black", "zorder": 5, "s": 26, "linewidth": 1.0}
PAPER_KEY = Line2D(
    [], [], marker="D", color="black", markerfacecolor="white", linestyle="", markersize=5, label="the paper's value"
)
plt.rcParams["svg.hashsalt"] = "trove_lite"  # the same figure gives the same file


def accuracy_figure(table: pd.DataFrame) -> Figure | None:
    """Accuracy of every side, a panel a rule, from `accuracy`; None where that has nothing to show."""
    known = table[table["value"].notna()]
    if known.empty:
        return None
    rows, systems, rules = (list(known[name].unique()) for name in ("category", "system", "rule"))
    styles = dict(zip(systems, zip(cycle(PALETTE), cycle(MARKERS), strict=False), strict=False))
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
            dot(axes, row, place, *styles[row.system])
        axes.set_title(rule.replace("_", "-"), fontsize=10)
        axes.set_xlabel("accuracy (fraction of problems)")
        axes.set_xlim(left=0)
        category_axis(axes, rows)
    ran = known.groupby("system")["method"].first()  # a side may be filled by another method than its name says
    names = [system if ran[system] == system else f"{system} ({ran[system]})" for system in systems]
    handles = [handle(name, *styles[system]) for name, system in zip(names, systems, strict=True)]
    figure.legend(handles=handles, frameon=False, ncols=min(4, len(handles)), loc="outside lower center", fontsize=9)
    return titled(figure, table, f"Accuracy with {known['k'].iloc[0]} calls a problem")


def failures_figure(table: pd.DataFrame, *, kinds: int = 8) -> Figure | None:
    """How programs of each method and mode end, from `failures`: the most common kinds, the rest as `other`."""
    if table.empty:
        return None
    common = list(table.groupby("kind")["programs"].sum().sort_values(ascending=False).index[:kinds])
    shown = table.assign(kind=table["kind"].where(table["kind"].isin(common), "other"))
    bars = shown.pivot_table(index=["method", "mode"], columns="kind", values="share", aggfunc="sum", fill_value=0)
    names = [method if method == mode else f"{method}, {mode}" for method, mode in bars.index]
    figure, axes = plt.subplots(figsize=(7.2, 1.6 + 0.45 * len(bars)), layout="constrained")
    left, hatches = pd.Series(0.0, index=bars.index), cycle(("", "///", "...", "xx"))
    for kind, colour in zip([k for k in (*common, "other") if k in bars], cycle(PALETTE), strict=False):
        axes.barh(names, bars[kind], left=left, label=kind, color=colour, edgecolor="black", hatch=next(hatches))
        left += bars[kind]
    axes.invert_yaxis()
    axes.set_xlabel("share of programs")
    axes.set_xlim(0, 1)
    figure.legend(frameon=False, ncols=5, loc="outside lower center", fontsize=9)
    return titled(figure, table, "How programs end")


def filled(table: pd.DataFrame) -> list[str]:
    """The categories, in order, of which a table holds a value."""
    return [c for c in table["category"].unique() if table.loc[table["category"] == c, "value"].notna().any()]


def row_over_categories(table: pd.DataFrame) -> tuple[str, str]:
    """The row that a curve shows, and what is in it: all problems, those of what is covered, or the one category."""
    known = table[table["value"].notna()]
    present = known.groupby("category", sort=False)["system"].unique()
    if ALL_MICRO in present:
        return ALL_MICRO, "all categories"
    if COVERED_MICRO in present:
        both = [c for c in present.index if ", " not in c and len(present[c]) == known["system"].nunique()]
        return COVERED_MICRO, " and ".join(both)
    only = known["category"].value_counts(sort=False).idxmax()
    return only, only


def dot(axes: Axes, cell: object, y: float, colour: object, marker: str, *, fill: object = None) -> None:
    """A value with its interval at height y, and the paper's where it is printed."""
    if pd.notna(cell.value):
        axes.plot([cell.low, cell.high], [y, y], color=colour, linewidth=1.4)
        axes.plot(cell.value, y, marker=marker, color=colour, markerfacecolor=fill or colour, markersize=6)
    if pd.notna(getattr(cell, "published", None)):
        axes.scatter(cell.published, y, **PAPER)


def band(axes: Axes, x: pd.Series, cells: pd.DataFrame, colour: object, line: str, marker: str) -> None:
    """A curve with its interval as a band."""
    axes.fill_between(x, cells["low"], cells["high"], color=colour, alpha=0.15, linewidth=0)
    axes.plot(x, cells["value"], color=colour, linestyle=line, marker=marker, markersize=5)


def handle(label: str, colour: object, marker: str, *, line: str = "", fill: object = None) -> Line2D:
    """A legend's entry."""
    return Line2D([], [], color=colour, marker=marker, linestyle=line, label=label, markerfacecolor=fill or colour)


def key(axes: Axes, handles: Sequence[Line2D], *, paper: bool = False, columns: int = 2) -> None:
    """A legend above the axes, with the paper's mark where there is one."""
    axes.legend(
        handles=[*handles, *([PAPER_KEY] if paper else [])],
        frameon=False,
        ncols=columns,
        fontsize=9,
        loc="lower center",
        bbox_to_anchor=(0.45, 1.0),
    )


def category_axis(axes: Axes, rows: Sequence[str]) -> None:
    """Categories from top to bottom."""
    axes.set_yticks(range(len(rows)), [wrapped(row) for row in rows])
    axes.set_ylim(max(1, len(rows)) - 0.5, -0.5)
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)


def wrapped(row: str) -> str:
    """`all, micro` in two lines."""
    return row.replace(", ", "\n(") + ")" if ", " in row else row


def titled(figure: Figure, table: pd.DataFrame, text: str, name: str = "") -> Figure:
    """The figure under a title that says what it shows of what runs, and under its file's name (none: the table's)."""
    figure.suptitle(f"{text}\n{table.attrs.get('runs', '')}".strip(), fontsize=10.5)
    figure.set_label(name or table.attrs.get("name", ""))
    return figure
