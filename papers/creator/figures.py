"""CREATOR's figures, and those of what attempts cost; each takes its table and computes nothing."""

from itertools import cycle

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..style import (
    INTERVAL,
    SERIES,
    Series,
    axis_of_levels,
    band,
    filled,
    from_zero,
    handle,
    over,
    plt,
    row_over_categories,
    split_by,
    titled,
)

LINES = ("-", "--", ":", "-.")


def _styles(table: pd.DataFrame) -> dict[str, Series]:
    """Colour, mark and line by system, in the table's order."""
    systems = [s for s in table["system"].unique() if table.loc[table["system"] == s, "value"].notna().any()]
    looks = (look._replace(line=line) for look, line in zip(cycle(SERIES.values()), cycle(LINES), strict=False))
    return dict(zip(systems, looks, strict=False))


def _legend(figure: Figure, styles: dict[str, Series]) -> None:
    handles = [handle(name, series, line=series.line) for name, series in styles.items()]
    figure.legend(handles=handles, frameon=False, ncols=min(4, len(handles)), loc="outside lower center", fontsize=9)


def figure4(table: pd.DataFrame) -> Figure | None:
    """Accuracy of single attempts by difficulty (Figure 4)."""
    if not filled(table):
        return None
    styles, levels = _styles(table), list(dict.fromkeys(table["level"].astype(str)))
    figure, axes = plt.subplots(figsize=(6.8, 4.4), layout="constrained")
    width = 0.5 / max(1, len(styles))
    for place, (system, series) in enumerate(styles.items()):
        cells = table[table["system"] == system]
        x = [levels.index(str(level)) + width * (place - (len(styles) - 1) / 2) for level in cells["level"]]
        error = 100 * pd.DataFrame([cells["value"] - cells["low"], cells["high"] - cells["value"]])
        style = {"color": series.colour, "linestyle": series.line, "marker": series.marker, "markersize": 5}
        axes.errorbar(x, 100 * cells["value"], yerr=error, capsize=2, linewidth=1.2, **style)
    axes.set_xticks(range(len(levels)), levels)
    axes.set_xlabel(axis_of_levels(table))
    _accuracy_axis(axes)
    _legend(figure, styles)
    caption = f"Accuracy of single attempts by {table.attrs['by']}, in percent. {over(table)}. Bars: {INTERVAL}."
    return titled(figure, table, f"Accuracy by {split_by(table)}", caption=caption)


def figure5(table: pd.DataFrame) -> Figure | None:
    """Accuracy of single attempts with at most N repairs (Figure 5)."""
    if not filled(table):
        return None
    row, name = row_over_categories(table)
    whole, styles = table[table["category"] == row], _styles(table)
    figure, axes = plt.subplots(figsize=(6.8, 4.2), layout="constrained")
    for system, series in styles.items():
        cells = whole[whole["system"] == system]
        band(axes, cells["k"], cells, series)
    axes.set_xticks(sorted(whole["k"].unique()))
    axes.set_xlabel("repairs that an attempt may have (N)")
    _accuracy_axis(axes)
    _legend(figure, styles)
    caption = f"Accuracy of single attempts with at most N repairs, {name}. {over(table)}. Bands: {INTERVAL}."
    return titled(figure, table, f"What repairs bring, {name}", caption=caption)


def spend_figure(table: pd.DataFrame) -> Figure | None:
    """Accuracy of agreement against what it costs: mean calls, and mean tokens written, a problem."""
    if table.empty or table["value"].isna().all():
        return None
    styles = _styles(table)
    shown = {"calls": "mean calls a problem", "completion": "mean tokens written a problem"}
    shown = {column: label for column, label in shown.items() if table[column].notna().any()}
    figure, all_axes = plt.subplots(
        1, len(shown), figsize=(1.2 + 4.2 * len(shown), 4.4), layout="constrained", sharey=True, squeeze=False
    )
    for axes, (column, label) in zip(all_axes[0], shown.items(), strict=True):
        for system, series in styles.items():
            cells = table[(table["system"] == system) & table[column].notna()]
            band(axes, cells[column], cells, series)
        axes.set_xlabel(label)
        from_zero(axes)
    _accuracy_axis(all_axes[0, 0])
    _legend(figure, styles)
    return titled(figure, table, "Accuracy against spend, agreement over attempts")


def histogram_figure(table: pd.DataFrame) -> Figure | None:
    """How many calls an attempt took, by method."""
    if table.empty:
        return None
    systems = list(table["system"].unique())
    figure, axes = plt.subplots(figsize=(6.8, 3.8), layout="constrained")
    colours = cycle(dict.fromkeys(series.colour for series in SERIES.values()))
    hatches, width = cycle(("", "//", "..", "xx", "\\\\", "oo", "++")), 0.8 / len(systems)
    for place, (system, colour, hatch) in enumerate(zip(systems, colours, hatches, strict=False)):
        cells = table[table["system"] == system]
        x = cells["calls"] + width * (place - (len(systems) - 1) / 2)
        axes.bar(x, cells["share"], width, color=colour, hatch=hatch, edgecolor="black", linewidth=0.5, label=system)
    axes.set_xticks(range(1, int(table["calls"].max()) + 1))
    axes.set_xlabel("calls of an attempt")
    axes.set_ylabel("share of attempts")
    axes.legend(frameon=False, ncols=2, fontsize=9)
    return titled(figure, table, "What an attempt costs")


def _accuracy_axis(axes: Axes) -> None:
    axes.set_ylabel("accuracy (% of problems)")
    axes.set_ylim(bottom=0)
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
