"""TroVE's ablations, growth and placebo as pictures, each drawn from its table; nothing is computed here."""

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from trove_lite.analysis.variance import SMALLEST_EFFECT

from ..style import INTERVAL, PRINT, SERIES, Series, band, category_axis, counted, handle, key, margin_band, plt, titled
from .ablations import AS_RUN, SAME, SCORED
from .growth import IMPORTS, OWN_ORDER, SHUFFLED, SIZE, WORTH
from .placebo import ANSWERS, OF_IMPORT

BUDGETS = {
    SAME: Series("#14396F", "s"),
    AS_RUN: Series("#C58300", "^"),
    SCORED: Series("#5F9E2F", "d"),
}
MARGIN = f"Grey: within {100 * SMALLEST_EFFECT:g} points, the smallest effect of interest"
MODES = {f"accuracy of {mode}": SERIES[mode] for mode in ("IMPORT", "CREATE", "SKIP")}
GAIN_SERIES = {"IMPORT minus CREATE": SERIES["CREATE"], "IMPORT minus SKIP": SERIES["SKIP"], WORTH: SERIES["PRIMITIVE"]}


def effects_figure(table: pd.DataFrame) -> Figure | None:
    """Every choice's effect in order, with interval and margin, and the paper's where it prints one.

    What a run chooses, and how its candidates are selected from, have an axis each: the latter are larger by far.
    """
    parts = [part for part in (table[table["budget"] != SCORED], table[table["budget"] == SCORED]) if len(part)]
    if not parts:
        return None
    size = (8.4, 2.2 + 0.3 * len(table) + 0.5 * len(parts))
    ratios = [len(part) + 1 for part in parts]
    figure, grid = plt.subplots(len(parts), figsize=size, layout="constrained", height_ratios=ratios, squeeze=False)
    for axes, part in zip(grid[:, 0], parts, strict=True):
        margin_band(axes, SMALLEST_EFFECT)
        for place, row in enumerate(part.itertuples()):
            _difference(axes, row, place, BUDGETS[row.budget])
            if pd.notna(row.published):
                axes.scatter(100 * row.published, place, marker="D", **PRINT | {"s": 26})
        category_axis(axes, [f"{row.variant}{' *' if row.p_holm < 0.05 else ''}" for row in part.itertuples()])
    grid[-1, 0].set_xlabel("accuracy, minus the default's (points: % of problems)")
    handles = [handle(budget, series) for budget, series in BUDGETS.items() if budget in set(table["budget"])]
    in_print = bool(table["published"].notna().any())
    key(grid[-1, 0], handles, paper=in_print, columns=4)
    runs = " to ".join(f"{number:g}" for number in sorted({table["runs"].min(), table["runs"].max()}))
    over = f"{int(table['problems'].max()):,} problems, {runs} {'run' if runs == '1' else 'runs'} each"
    caption = (
        f"TROVE's choices, each minus the default: {over}. Bars: 95 % intervals, problem by problem and seed by seed. "
        f"*: shown after Holm's correction over all rows. {'Diamonds: the paper’s. ' if in_print else ''}{MARGIN}."
    )
    return titled(figure, table, "Which of TROVE's choices matter", detail=f"{over}. {MARGIN}", caption=caption)


def growth_figure(table: pd.DataFrame) -> Figure | None:
    """The toolbox, its use and accuracy along the stream, a column a kind of stream."""
    streams = [stream for stream in (OWN_ORDER, SHUFFLED) if (table["stream"] == stream).any()]
    if not streams:
        return None
    figure, grid = plt.subplots(
        4, len(streams), figsize=(1.2 + 4.1 * len(streams), 9.6), layout="constrained", sharex=True, sharey="row",
        squeeze=False,
    )  # fmt: skip
    for column, stream in enumerate(streams):
        part = table[table["stream"] == stream]
        sizes = part[part["measure"] == SIZE]
        axes = grid[:, column]
        axes[0].set_title(f"{stream} ({counted(part['runs'].max(), 'run', 'runs')})", fontsize=10)
        axes[0].fill_between(_middle(sizes), sizes["low"], sizes["high"], color="0.8", linewidth=0)
        axes[0].plot(_middle(sizes), sizes["value"], color="black", marker="o", markersize=5)
        axes[0].set_ylim(bottom=0)
        _curves(axes[1], part, {IMPORTS: SERIES["IMPORT"]})
        axes[1].set_ylim(0, 100)
        _curves(axes[2], part, MODES)
        axes[3].axhspan(-100 * SMALLEST_EFFECT, 100 * SMALLEST_EFFECT, color="0.88", zorder=0)
        axes[3].axhline(0, color="black", linewidth=1)
        for shift, (name, series) in zip((-0.15, 0, 0.15), GAIN_SERIES.items(), strict=True):
            _bars(axes[3], part[part["measure"] == name], series, shift)
        axes[3].set_xlabel("place in the stream (problems)")
    names = ("tools in\nthe toolbox", "IMPORT programs\nthat import (%)", "single programs\nthat are right (%)")
    for axes, name in zip(grid[:, 0], (*names, "difference (points)"), strict=True):
        axes.set_ylabel(name)
    handles = [handle(name, series, line=series.line) for name, series in MODES.items()]
    handles += [handle(n, s, fill="white") for n, s in GAIN_SERIES.items() if n in set(table["measure"])]
    key(grid[0, 0], handles)
    blocks = f"blocks of {int((table['last'] - table['first'] + 1).max())} problems of each category's stream"
    caption = f"TROVE along the stream, in {blocks}. Bands and bars: {INTERVAL}; of toolboxes, over runs. {MARGIN}."
    return titled(figure, table, "Along the stream", detail=f"{blocks}. {MARGIN}", caption=caption)


def placebo_figure(table: pd.DataFrame) -> Figure | None:
    """What its own toolbox is worth against another's and none, to the answer and to single IMPORT programs."""
    drawn = table[table["measure"].isin([ANSWERS, OF_IMPORT])]
    if drawn.empty:
        return None
    pairs = list(dict.fromkeys(zip(drawn["a"], drawn["b"], strict=True)))
    measures = {ANSWERS: SERIES["PRIMITIVE"], OF_IMPORT: SERIES["IMPORT"]}
    figure, axes = plt.subplots(figsize=(7.2, 1.9 + 0.62 * len(pairs)), layout="constrained")
    margin_band(axes, SMALLEST_EFFECT)
    for shift, (measure, series) in zip((-0.13, 0.13), measures.items(), strict=True):
        for row in drawn[drawn["measure"] == measure].itertuples():
            _difference(axes, row, pairs.index((row.a, row.b)) + shift, series)
    category_axis(axes, [f"{a}\nminus {b}" for a, b in pairs])
    axes.set_xlabel("difference (points: % of problems, or of programs)")
    key(axes, [handle(measure, series) for measure, series in measures.items()])
    over = f"{int(drawn['problems'].max()):,} problems"
    caption = f"IMPORT with its own toolbox, another's and none: {over}, the same calls. Bars: {INTERVAL}. {MARGIN}."
    return titled(figure, table, "Is it the tools?", detail=f"{over}. {MARGIN}", caption=caption)


def sizes_figure(table: pd.DataFrame) -> Figure | None:
    """Figure 8: what toolboxes end with, by how they are trimmed."""
    systems, categories = list(table["system"].unique()), list(table["category"].unique())
    if len(systems) < 2:
        return None
    kinds = [SERIES[name] for name in ("TROVE", "PRIMITIVE", "SKIP", "SKIP pool", "two-stage", "IMPORT")]
    figure, axes = plt.subplots(figsize=(7.4, 1.8 + 0.2 * len(systems) * len(categories)), layout="constrained")
    step = 0.7 / len(systems)
    styles = {system: kinds[i % len(kinds)] for i, system in enumerate(systems)}
    for row in table.itertuples():
        place = categories.index(row.category) + step * (systems.index(row.system) - (len(systems) - 1) / 2)
        series = styles[row.system]
        axes.plot([row.low, row.high], [place, place], color=series.colour, linewidth=2)
        axes.plot(row.value, place, color=series.colour, marker=series.marker, markersize=6)
    category_axis(axes, categories)
    axes.set_xlabel("tools when the run ends")
    axes.set_xlim(left=0)
    key(axes, [handle(system, styles[system]) for system in systems])
    over = counted(table["runs"].max(), "run", "runs")
    caption = f"Toolboxes with and without trimming, {over}. Bars: t's 95 % intervals over runs."
    return titled(figure, table, "Toolboxes with and without trimming", detail=over, caption=caption)


def _difference(axes: Axes, row: object, place: float, series: Series) -> None:
    """A difference with its interval at a height, in points."""
    axes.plot([100 * row.low, 100 * row.high], [place, place], color=series.colour, linewidth=2)
    axes.plot(100 * row.difference, place, color=series.colour, marker=series.marker, markersize=6, zorder=4)


def _middle(cells: pd.DataFrame) -> pd.Series:
    return (cells["first"] + cells["last"]) / 2


def _curves(axes: Axes, part: pd.DataFrame, measures: dict[str, Series]) -> None:
    for name, series in measures.items():
        cells = part[part["measure"] == name]
        band(axes, _middle(cells), cells, series)


def _bars(axes: Axes, cells: pd.DataFrame, series: Series, shift: float) -> None:
    """Differences with their intervals, a little beside the middle of their block."""
    x = _middle(cells) + shift * (cells["last"] - cells["first"] + 1)
    axes.vlines(x, 100 * cells["low"], 100 * cells["high"], color=series.colour, linewidth=2)
    style = {"color": series.colour, "marker": series.marker, "markerfacecolor": "white", "linestyle": ""}
    axes.plot(x, 100 * cells["value"], **style)
