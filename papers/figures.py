"""Figures, over seaborn: dots with intervals (`forest`), curves with bands (`curve`), a heat map (`heat`), shares.

A figure takes a table and computes nothing. A method has one colour and mark in every figure (`LOOKS`, `look`), which
keep apart in grey and for a reader without green (`DRAWN_TOGETHER`, which a test measures); print is black and hollow.
Shares are drawn in percent, their differences in points. The title is one line; over how many problems and runs, which
interval and what was not measured is the caption, which `papers.save` writes into the file.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trove_lite.analysis.scores import ALL_MICRO, COVERED_MICRO
from trove_lite.analysis.variance import THESE_RUNS


class Look(NamedTuple):
    """How a series is drawn."""

    colour: str
    marker: str
    line: str = "-"
    hollow: bool = False

    @property
    def face(self) -> str:
        return "white" if self.hollow else self.colour


#: Of methods first, then of modes, rules and costs.
LOOKS = {
    "TROVE": Look("#A62A1A", "o"),
    "TROVE, two-stage": Look("#C58300", "^", ":"),
    "PRIMITIVE": Look("#14396F", "s", "--"),
    "SKIP pool": Look("#8A68AE", "p", "-."),
    "INSTANCE": Look("#4F7CAC", "D", ":"),
    "TROVE without IMPORT": Look("#DB6B7A", "X", "-."),
    "CREATOR": Look("#007A53", "^", "-"),
    "Entangled": Look("#D97B1F", ">", ":"),
    "PoT": Look("#6B4A1F", "v", "-."),
    "LATM": Look("#0086B3", "*", "-"),
    "CoT": Look("#949494", "h", "--"),
    "IMPORT": Look("#00504A", "<", "--"),
    "CREATE": Look("#B03A70", "P", "-"),
    "SKIP": Look("#5F9E2F", "d", ":"),
    "one-stage": Look("#00707A", "v", "-"),
    "oracle": Look("#2B2B2B", "X", "--"),
    "two-stage": Look("#C58300", "^", ":"),
    "calls": Look("#00707A", "v", "-"),
    "completion tokens": Look("#C58300", ">", ":"),
    "total tokens": Look("#4A2C7A", "h", "--"),
    "pass@1": Look("#00707A", "v", "-"),
    "finished": Look("#8A68AE", "*", "-."),
}
#: What candidates tables call some of them.
ALIASES = {name.lower(): name for name in LOOKS} | {"trove_no_import": "TROVE without IMPORT"}
#: Of what is no method of a paper, such as a model or a method of one's own.
OTHERS = [Look(c, m) for c, m in zip(("#595959", "#9A5B00", "#2E6F40", "#7A1F5C", "#3B5BA5"), "DXhPv", strict=True)]
#: What stands in one figure, and has to be told apart there without colour as well.
DRAWN_TOGETHER = (
    ("TROVE", "TROVE, two-stage", "PRIMITIVE", "SKIP pool"),
    ("TROVE", "PRIMITIVE", "INSTANCE", "TROVE without IMPORT"),
    ("CREATOR", "PoT", "Entangled", "PRIMITIVE"),
    ("TROVE", "CREATOR", "LATM"),
    ("LATM", "CoT", "PRIMITIVE"),
    ("IMPORT", "CREATE", "SKIP"),
    ("one-stage", "oracle"),
    ("calls", "completion tokens", "total tokens"),
    ("oracle", "two-stage", "pass@1", "finished"),
)
INTERVAL = "95 % intervals over problems and runs (of one run of a stream: this run alone)"
PRINT = {"facecolor": "none", "edgecolor": "black", "zorder": 6, "s": 26, "linewidth": 1.1, "clip_on": False}
PRINT_KEY = Line2D([], [], marker="D", color="black", markerfacecolor="none", linestyle="", label="the paper's value")
ROW_NAMES = {ALL_MICRO: "all problems", COVERED_MICRO: "covered problems", "all": "all problems"}
ROW_NAMES |= {"covered": "covered problems"}


# ---- how a series looks ----


def look(name: str) -> Look:
    """The look of a method, mode, rule or cost, by the longest known name that `name` begins with; else by a hash."""
    name = ALIASES.get(name, name)
    known = [known for known in LOOKS if name == known or name.startswith((f"{known},", f"{known} "))]
    return LOOKS[max(known, key=len)] if known else OTHERS[crc32(name.encode()) % len(OTHERS)]


def looks(names: Iterable[str]) -> dict[str, Look]:
    """The look of each; the second with the same one is hollow, and what would still repeat takes another."""
    found: dict[str, Look] = {}
    for name in names:
        first = look(name)
        ways = [first, first._replace(hollow=True), *OTHERS, *(other._replace(hollow=True) for other in OTHERS)]
        found[name] = next((way for way in ways if way not in found.values()), first)
    return found


# ---- the figures ----


def forest(
    table: pd.DataFrame,
    *,
    title: str,
    rows: str = "category",
    series: str = "system",
    panel: str = "",
    value: str = "value",
    label: str | Mapping[str, str] = "accuracy (% of problems)",
    scale: float = 100,
    margin: float = 0,
    caption: str = "",
    name: str = "",
    styles: Mapping[str, Look] | None = None,
    legend: Mapping[str, str] | None = None,
) -> Figure | None:
    """Rows × series: a dot each with its interval, a panel for each value of `panel`; None where nothing was measured.

    Reads `low` and `high`, and where the table has them `prediction_low` and `prediction_high` (thin lines) and
    `published` (hollow diamonds). label: of the axis, or of each panel's. margin: differences that count as none, drawn
    as a grey band. styles: looks by series (None: `looks`); legend: what a series is called there.
    """
    known = table[table[value].notna()]
    if known.empty:
        return None
    places, names, panels = _order(table, rows, known), _order(known, series), _order(known, panel) if panel else [""]
    styles = styles or looks(names)
    words = max(len(line) for place in places for line in str(place).split("\n"))
    wide = 1.2 + 0.08 * words + (4.6 if len(panels) == 1 else 3.2 * len(panels))
    size = wide, 1.5 + (0.3 + 0.14 * min(len(names), 4)) * len(places)
    figure, grid = plt.subplots(1, len(panels), figsize=size, layout="constrained", sharey=True, squeeze=False)
    for axes, part in zip(grid[0], panels, strict=True):
        here = known[known[panel] == part] if panel else known
        here = here[here[value].notna()]
        cells = list(zip(here[rows], here[series], strict=True))
        drawn = {row: [each for each in names if (row, each) in cells] for row in places}
        most = max(map(len, drawn.values()))
        shift = {(row, each): n - (len(some) - 1) / 2 for row, some in drawn.items() for n, each in enumerate(some)}
        y = np.array([places.index(cell[0]) + 0.72 * shift[cell] / most for cell in cells])
        _dots(axes, here, y, scale * here[value], [styles[each] for each in here[series]], scale)
        if "published" in here:
            axes.scatter(scale * here["published"], y + 0.3 / most, marker="D", **PRINT)
        if margin:
            axes.axvspan(-scale * margin, scale * margin, color="0.88", zorder=0)
        if margin or (here[value] < 0).any():
            axes.axvline(0, color="black", linewidth=1)
        else:
            axes.set_xlim(left=min(0, axes.get_xlim()[0]))
        axes.set_xlabel(label if isinstance(label, str) else label[part])
        axes.set_title(str(part).replace("_", "-"), fontsize=10)
        axes.grid(axis="x", color="0.9")
        axes.set_axisbelow(True)
        for place in range(1, len(places)):
            axes.axhline(place - 0.5, color="0.85", linewidth=0.6)
    grid[0, 0].set_yticks(range(len(places)), [ROW_NAMES.get(str(place), str(place)) for place in places])
    grid[0, 0].set_ylim(len(places) - 0.5, -0.5)
    if len(names) > 1 or (legend or {}).get(names[0]) or names[0] in LOOKS:
        _legend(figure, {(legend or {}).get(each, each): styles[each] for each in names}, known, lines=False)
    about = [caption, _measured_over(known, "Bars"), _absent(table, value, rows)]
    if margin:
        about.append(f"Grey: within {scale * margin:g} points, the smallest effect of interest.")
    return titled(figure, table, title, name, caption=" ".join(filter(None, about)))


def _dots(axes: Axes, cells: pd.DataFrame, y: np.ndarray, x: pd.Series, styles: Sequence[Look], scale: float) -> None:
    colours = [style.colour for style in styles]
    kinds = {str(number): style.marker for number, style in enumerate(styles)}  # each dot its own: some are hollow
    for ends, width in ((("prediction_low", "prediction_high"), 0.8), (("low", "high"), 2.2)):
        if set(ends) <= set(cells):
            axes.hlines(y, *(scale * cells[end] for end in ends), color=colours, linewidth=width)
    sns.scatterplot(
        x=x.to_numpy(), y=y, style=list(kinds), markers=kinds, s=44, linewidth=1.2, edgecolor=colours,
        color=[style.face for style in styles], zorder=4, legend=False, clip_on=False, ax=axes,
    )  # fmt: skip


def curve(
    table: pd.DataFrame,
    *,
    title: str,
    x: str = "k",
    series: str = "system",
    panel: str = "",
    value: str = "value",
    labels: tuple[str, str] = ("budget K (calls a problem)", "accuracy (% of problems)"),
    scale: float = 100,
    margin: float = 0,
    same_scale: bool = True,
    caption: str = "",
    name: str = "",
    styles: Mapping[str, Look] | None = None,
    legend: Mapping[str, str] | None = None,
) -> Figure | None:
    """A line a series against `x`, numbers or steps, its interval a band; a panel for each value of `panel`.

    None where nothing was measured. Printed values (`published`) are hollow black marks. labels: of both axes.
    same_scale: all panels share the vertical axis. The rest as in `forest`.
    """
    known = table[table[value].notna()]
    if known.empty:
        return None
    names, panels = _order(known, series), _order(table, panel, known) if panel else [""]
    styles = styles or looks(names)
    steps = [] if pd.api.types.is_numeric_dtype(known[x]) else [str(step) for step in _order(table, x)]
    columns = min(4, len(panels))
    lines = -(-len(panels) // columns)
    size = (1.6 + (5.4 if columns == 1 else 3 * columns), 1.2 + (3 if lines == 1 else 2.5 * lines))
    shared = "all" if same_scale else "none"
    figure, grid = plt.subplots(lines, columns, figsize=size, layout="constrained", sharey=shared, squeeze=False)
    for axes in grid.flat[len(panels) :]:
        axes.set_axis_off()
    for axes, part in zip(grid.flat, panels, strict=False):
        here = known[known[panel] == part] if panel else known
        if margin:
            axes.axhspan(-scale * margin, scale * margin, color="0.88", zorder=0)
        if (here[value] < 0).any() or margin:
            axes.axhline(0, color="black", linewidth=1)
        for number, each in enumerate(names):
            cells = here[here[series] == each]
            at = cells[x].astype(str).map(steps.index).astype(float) if steps else cells[x].astype(float)
            if cells.empty:
                continue
            at = at + 0.1 * number * bool(steps)  # beside one another
            _band(axes, at, cells, styles[each], value, scale, bool(steps))
            if "published" in cells:
                axes.scatter(at, scale * cells["published"], marker=styles[each].marker, **PRINT)
        if steps:
            axes.set_xticks(range(len(steps)), steps)
        elif here[x].nunique() < 9 and (here[x] % 1 == 0).all():
            axes.set_xticks(sorted(here[x].unique()))
        axes.set(xlabel=labels[0], ylabel=labels[1] if not same_scale or axes in grid[:, 0] else "")
        axes.set_title(ROW_NAMES.get(str(part), str(part)), fontsize=10)
        axes.grid(axis="y", color="0.9")
        axes.set_axisbelow(True)
    _legend(figure, {(legend or {}).get(each, each): styles[each] for each in names}, known, lines=True)
    about = [caption, _measured_over(known, "Bands"), _absent(table, value, panel or "category")]
    return titled(figure, table, title, name, caption=" ".join(filter(None, about)))


def _band(axes: Axes, at: pd.Series, cells: pd.DataFrame, style: Look, value: str, scale: float, bars: bool) -> None:
    if {"low", "high"} <= set(cells):
        ends = [scale * cells[end] for end in ("low", "high")]
        if bars or len(cells) == 1:
            axes.vlines(at, *ends, color=style.colour, linewidth=1.4)
        else:
            axes.fill_between(at, *ends, color=style.colour, alpha=0.15, linewidth=0)
    sns.lineplot(
        x=at.to_numpy(), y=(scale * cells[value]).to_numpy(), color=style.colour, linestyle=style.line,
        marker=style.marker, markerfacecolor=style.face, markeredgecolor=style.colour, markersize=6,
        estimator=None, errorbar=None, ax=axes,
    )  # fmt: skip


def heat(
    table: pd.DataFrame,
    *,
    title: str,
    rows: str,
    columns: str,
    panel: str = "",
    value: str = "value",
    label: str = "share of problems (%)",
    scale: float = 100,
    caption: str = "",
    name: str = "",
) -> Figure | None:
    """A heat map, each cell with value and interval, a panel for each value of `panel`; None where all is absent."""
    known = table[table[value].notna()]
    if known.empty:
        return None
    panels = _order(known, panel) if panel else [""]
    down, along = _order(known, rows), _order(known, columns)
    size = (2.2 + 1.5 * len(along) * len(panels), 1.6 + 0.6 * len(down))
    figure, grid = plt.subplots(1, len(panels), figsize=size, layout="constrained", sharey=True, squeeze=False)
    top = scale * known[value].max()
    for axes, part in zip(grid[0], panels, strict=True):
        here = known[known[panel] == part] if panel else known
        ends = zip(*(scale * here[column] for column in (value, "low", "high")), strict=True)
        here = here.assign(_share=scale * here[value], _text=[f"{v:.0f}\n[{a:.0f}, {b:.0f}]" for v, a, b in ends])
        cells = here.pivot(index=rows, columns=columns)
        wide, text = (cells[column].reindex(down, columns=along) for column in ("_share", "_text"))
        sns.heatmap(
            wide, annot=text.fillna(""), fmt="", cmap="cividis", vmin=0, vmax=top, linewidths=1, ax=axes,
            annot_kws={"fontsize": 8}, cbar=axes is grid[0, -1], cbar_kws={"label": label},
        )  # fmt: skip
        axes.set(xlabel="", ylabel="")
        axes.set_title(part, fontsize=10)
        axes.tick_params(axis="y", rotation=0)
    about = [caption, _measured_over(known, "In brackets"), _absent(table, value, panel or rows)]
    return titled(figure, table, title, name, caption=" ".join(filter(None, about)))


def stacked(table: pd.DataFrame, *, title: str, rows: str, kinds: str, label: str) -> Figure | None:
    """What each row is made of: shares of its kinds as one bar, told apart by hatches too; None for an empty table."""
    if table.empty:
        return None
    bars = 100 * table.pivot_table(index=rows, columns=kinds, values="share", aggfunc="sum", fill_value=0, sort=False)
    figure, axes = plt.subplots(figsize=(7.4, 1.6 + 0.42 * len(bars)), layout="constrained")
    left, colours = np.zeros(len(bars)), sns.color_palette("cividis", bars.shape[1])
    for number, (kind, colour) in enumerate(zip(_order(table, kinds), colours, strict=True)):
        hatch = ("", "///", "...", "xx")[number % 4]
        axes.barh(bars.index, bars[kind], left=left, label=kind, color=colour, edgecolor="black", hatch=hatch)
        left += bars[kind].to_numpy()
    axes.invert_yaxis()
    axes.set(xlabel=label, xlim=(0, 100))
    figure.legend(frameon=False, ncols=5, loc="outside lower center", fontsize=9)
    return titled(figure, table, title, caption=f"{title}: {label}.")


# ---- titles, legends, captions ----


def titled(figure: Figure, table: pd.DataFrame, title: str, name: str = "", *, caption: str = "") -> Figure:
    """The figure under one line that says what is shown, with its file's name (none: the table's). Its caption says of
    which runs, and travels with it: `papers.save` writes it into the file."""
    runs = table.attrs.get("runs", "")
    room = 11.5 * figure.get_figwidth() - len(title)
    figure.suptitle(f"{title}: {runs}" if runs and len(runs) + 2 <= room else title, fontsize=10)
    figure.set_label(name or table.attrs.get("name", ""))
    figure.caption = f"{caption} Of {runs}." if caption and runs and runs not in caption else caption
    return figure


def handle(label: str, style: Look, *, line: bool = False) -> Line2D:
    """A legend's entry."""
    shown = {"linestyle": style.line if line else "", "marker": style.marker, "markerfacecolor": style.face}
    return Line2D([], [], color=style.colour, label=label, **shown)


def _legend(figure: Figure, styles: Mapping[str, Look], known: pd.DataFrame, *, lines: bool) -> None:
    handles = [handle(label, style, line=lines) for label, style in styles.items()]
    if "published" in known and known["published"].notna().any():
        handles.append(PRINT_KEY)
    columns = 1 if max(len(label) for label in styles) > 45 else min(4, len(handles))
    figure.legend(handles=handles, frameon=False, ncols=columns, fontsize=9, loc="outside lower center")


def _order(table: pd.DataFrame, column: str, known: pd.DataFrame | None = None) -> list:
    """The values of a column in their order, those that `known` has."""
    return [value for value in dict.fromkeys(table[column]) if known is None or (known[column] == value).any()]


def _measured_over(known: pd.DataFrame, mark: str) -> str:
    """Over which problems and runs, and what interval the marks are, as sentences."""
    covers = known["covers"].dropna().unique() if "covers" in known else ()
    interval = INTERVAL
    if len(covers):
        interval = f"95 % intervals {'of' if THESE_RUNS in covers else 'over'} {' or '.join(covers)}"
    if "prediction_low" in known and known["prediction_low"].notna().any():
        interval += "; thin: where five new runs on these problems would fall (95 %)"
    printed = "published" in known and known["published"].notna().any()
    parts = [over(known), f"{mark}: {interval}", "Hollow and black: the paper's values" if printed else ""]
    if "source" in known and (known["source"] == "SKIP pool").any():
        parts.append("The SKIP pool stands in for PRIMITIVE, which these runs lack: it is not the same prompt")
    return " ".join(f"{part}." for part in parts if part)


def over(table: pd.DataFrame) -> str:
    """Over how many problems and runs a table's values are; "" where it does not say."""
    known = table[table["value"].notna()] if "value" in table else table
    if not {"category", "problems"} <= set(known):
        return ""
    single = known[~known["category"].isin([*ROW_NAMES]) & ~known["category"].str.contains(", ")]
    single = single if len(single) else known
    by = [column for column in ("category", "level") if column in single]
    problems = f"{int(single.groupby(by)['problems'].max().sum()):,} problems"
    several = counted(single["category"].nunique(), "category", "categories")
    if not {"runs", "source"} <= set(single):
        return f"{problems} of {several}"
    ran = [f"{_span(part['runs'])} of {name}" for name, part in single.groupby("source", sort=False)]
    return f"{problems} of {several}; {', '.join(ran)}"


def _absent(table: pd.DataFrame, value: str, column: str) -> str:
    """Which rows have no value at all, and why, as a sentence."""
    if column not in table:
        return ""
    measured = table.groupby(column, sort=False)[value].apply(lambda cells: cells.notna().any())
    lacking = [str(row) for row in measured.index[~measured] if ", " not in str(row)]
    notes = table.loc[table[column].isin(lacking), "note"].dropna().unique() if "note" in table else ()
    why = "; ".join(dict.fromkeys(note.replace(" of this category", "") for note in notes if note))
    return f"Not measured: {', '.join(lacking)}{f' ({why})' if why else ''}." if lacking else ""


def counted(number: float, one: str, several: str) -> str:
    """`1 run`, `2 runs`."""
    return f"{number:g} {one if number == 1 else several}"


def _span(runs: pd.Series) -> str:
    low, high = int(runs.min()), int(runs.max())
    return counted(high, "run", "runs") if low == high else f"{low} to {high} runs"
