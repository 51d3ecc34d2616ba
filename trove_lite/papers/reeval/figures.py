"""The re-evaluation's figures, each drawn from its table; nothing is computed here."""

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..style import (
    BLUE,
    GREEN,
    ORANGE,
    PAPER,
    RED,
    band,
    category_axis,
    dot,
    filled,
    handle,
    key,
    plt,
    row_over_categories,
    titled,
    wrapped,
)
from .two_sides import MODES, OTHER_SKIP, PRIMITIVE, TROVE, sources_of

SIDE_STYLE = {PRIMITIVE: (BLUE, "--", "s"), TROVE: (RED, "-", "o")}
MODE_STYLE = dict(
    zip([mode.upper() for mode in MODES], [(BLUE, "", "o"), (ORANGE, "///", "s"), (GREEN, "...", "^")], strict=True)
)
COST_STYLE = {"calls": (BLUE, "s"), "completion tokens": (ORANGE, "^"), "total tokens": (RED, "o")}


def table1_figure(table: pd.DataFrame) -> Figure | None:
    """Table 1 as a picture, by category."""
    rows = filled(table)
    if not rows:
        return None
    systems = [system for system in table["system"].unique() if "original" not in system]
    styles = dict(zip(systems, [(BLUE, "s"), (ORANGE, "^"), (RED, "o")], strict=True))
    figure, axes = plt.subplots(figsize=(7.2, 1.4 + 0.75 * len(rows)), layout="constrained")
    for row in table[table["system"].isin(systems) & table["category"].isin(rows)].itertuples():
        dot(axes, row, rows.index(row.category) + 0.25 * (systems.index(row.system) - 1), *styles[row.system])
    category_axis(axes, rows)
    axes.set_xlabel("accuracy (fraction of problems)")
    axes.set_xlim(left=0)
    names = sources_of(table)
    key(
        axes,
        [
            handle(system.replace(PRIMITIVE, names.get(system, PRIMITIVE)), *styles[system])
            for system in systems
            if system in names
        ],
        paper=table["published"].notna().any(),
    )
    return titled(figure, table, f"Accuracy at a matched budget of {table.attrs['k']} calls")


def matched_budgets_figure(table: pd.DataFrame) -> Figure | None:
    """TROVE minus PRIMITIVE at the same calls and tokens; None where the table has nothing to show."""
    known = table[table["difference"].notna()]
    rows = list(known["category"].unique())
    if not rows:
        return None
    figure, axes = plt.subplots(figsize=(7.2, 1.8 + 0.65 * len(rows)), layout="constrained")
    axes.axvline(0, color="black", linewidth=1)
    handles = []
    for j, (budget, style) in enumerate(COST_STYLE.items()):
        here = known[known["budget"] == budget]
        for row in here.rename(columns={"difference": "value"}).itertuples():
            dot(axes, row, rows.index(row.category) + 0.25 * (j - 1), *style)
        if len(here):
            last = here.iloc[-1]  # all categories together, where there are several
            calls = f"{last['calls_a']:.0f} calls of {last['a']}, on average {last['calls_b']:.1f} of {last['b']}"
            handles.append(handle(f"same {budget}: {calls}", *style))
    category_axis(axes, rows)
    axes.set_xlabel("accuracy of TROVE minus accuracy of PRIMITIVE (fraction of problems)")
    key(axes, handles, columns=1)
    return titled(figure, table, "TROVE against PRIMITIVE at the same cost, one-stage agreement")


def figure1(table: pd.DataFrame) -> Figure | None:
    """Problems solved by each mode of TROVE, pass@k (Figure 1)."""
    rows = filled(table)
    if not rows:
        return None
    figure, axes = plt.subplots(figsize=(max(5.0, 1.5 + 1.2 * len(rows)), 3.6), layout="constrained")
    for j, (system, (colour, hatch, _)) in enumerate(MODE_STYLE.items()):
        cells = table[table["system"] == system].set_index("category").reindex(rows)
        if cells["value"].isna().all():
            continue
        error = [cells["value"] - cells["low"], cells["high"] - cells["value"]]
        place = [i + 0.27 * (j - 1) for i in range(len(rows))]
        axes.bar(place, cells["value"], width=0.25, color=colour, edgecolor="black", hatch=hatch, label=system)
        axes.errorbar(place, cells["value"], yerr=error, fmt="none", ecolor="black", capsize=2, linewidth=1)
    axes.set_xticks(range(len(rows)), [wrapped(row) for row in rows])
    axes.set_ylabel(f"pass@{table.attrs['k']} (fraction of problems)")
    axes.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return titled(figure, table, f"Problems solved by each mode in {table.attrs['k']} samples")


def figure3(table: pd.DataFrame) -> Figure | None:
    """Overlap of solved problems between PRIMITIVE and each mode (Figure 3)."""
    rows = filled(table)
    if not rows:
        return None
    figure, axes = plt.subplots(figsize=(7.2, 1.6 + 0.75 * len(rows)), layout="constrained")
    known = table[table["value"].notna()]
    for row in known.itertuples():
        mode, hollow = row.system.split()[-1], row.system.startswith("floor")
        colour, _, marker = MODE_STYLE[mode]
        place = rows.index(row.category) + 0.25 * (list(MODE_STYLE).index(mode) - 1) + (0.09 if hollow else 0)
        dot(axes, row, place, colour, marker, fill="white" if hollow else colour)
    category_axis(axes, rows)
    axes.set_xlabel(f"mean Jaccard overlap of the problems solved in {table.attrs['k']} samples")
    axes.set_xlim(0, 1)
    other = PRIMITIVE if set(known["source"]) == {PRIMITIVE} else OTHER_SKIP
    drawn = set(known["system"])
    handles = [
        handle(f"{mode} with {other}", colour, marker)
        for mode, (colour, _, marker) in MODE_STYLE.items()
        if f"PRIMITIVE ~ {mode}" in drawn
    ]
    if any(system.startswith("floor") for system in drawn):
        handles.append(handle("hollow: two runs of that mode (noise floor)", "black", "o", fill="white"))
    key(axes, handles)
    return titled(figure, table, "Overlap of solved problems")


def figure2(table5: pd.DataFrame, table7: pd.DataFrame) -> Figure | None:
    """Oracle and agreement accuracy against the budget (Figure 2, from Tables 5 and 7)."""
    if not filled(table5) or not filled(table7):
        return None
    row, name = row_over_categories(table5)
    figure, all_axes = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained", sharey=True)
    panels = {"oracle (pass@K)": table7, "one-stage agreement": table5}
    for axes, (title, table) in zip(all_axes, panels.items(), strict=True):
        for side, (colour, line, marker) in SIDE_STYLE.items():
            cells = table[(table["category"] == row) & (table["system"] == side)]
            band(axes, cells["k"], cells, colour, line, marker)
            axes.scatter(cells["k"], cells["published"], **PAPER | {"marker": marker, "edgecolor": colour})
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("budget K (calls a problem)")
        axes.set_xticks(sorted(table["k"].unique()))
    all_axes[0].set_ylabel("accuracy (fraction of problems)")
    all_axes[0].set_ylim(bottom=0)
    _side_key(figure, table5[table5["category"] == row])
    return titled(figure, table5, f"Accuracy against budget, {name}", "reeval_figure2")


def figure4(table: pd.DataFrame) -> Figure | None:
    """Accuracy with the samples of all runs pooled, by selection (Figure 4)."""
    if not filled(table):
        return None
    row, name = row_over_categories(table)
    figure, axes = plt.subplots(figsize=(6.8, 4.2), layout="constrained")
    handles, names = [], sources_of(table[table["category"] == row])
    styles = {"oracle": ("-", "o"), "one-stage": ("--", "s"), "two-stage": (":", "^")}
    for side, (colour, _, _) in SIDE_STYLE.items():
        for rule, (line, marker) in styles.items():
            cells = table[(table["category"] == row) & (table["system"] == f"{side}, {rule}")]
            if cells["value"].notna().any():
                band(axes, cells["k"], cells, colour, line, marker)
                handles.append(handle(f"{names[f'{side}, {rule}']}, {rule}", colour, marker, line=line))
    axes.set_xlabel("samples a problem, all runs pooled")
    axes.set_ylabel("accuracy (fraction of problems)")
    axes.set_ylim(bottom=0)
    axes.legend(handles=handles, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return titled(figure, table, f"Pooled samples, {name}")


def table9_figure(table: pd.DataFrame) -> Figure | None:
    """Oracle accuracy by difficulty level, a panel a category (Table 9)."""
    rows = filled(table)
    if not rows:
        return None
    columns, lines = min(4, len(rows)), -(-len(rows) // min(4, len(rows)))
    figure, all_axes = plt.subplots(
        lines,
        columns,
        figsize=(1.2 + 2.6 * columns, 0.8 + 2.6 * lines),
        layout="constrained",
        sharey=True,
        squeeze=False,
    )
    for axes in all_axes.flat[len(rows) :]:
        axes.set_axis_off()
    levels = list(table["level"].unique())
    for axes, category in zip(all_axes.flat, rows, strict=False):
        for offset, (side, (colour, line, marker)) in zip((-0.1, 0.1), SIDE_STYLE.items(), strict=True):
            cells = table[(table["category"] == category) & (table["system"] == side)]
            x = [levels.index(level) + offset for level in cells["level"]]
            error = [cells["value"] - cells["low"], cells["high"] - cells["value"]]
            style = {"color": colour, "linestyle": line, "marker": marker, "markersize": 5, "linewidth": 1.2}
            axes.errorbar(x, cells["value"], yerr=error, capsize=2, **style)
            axes.scatter(x, cells["published"], **PAPER | {"marker": marker, "edgecolor": colour})
        axes.set_title(wrapped(category).replace("\n", " "), fontsize=10)
        axes.set_xticks(range(len(levels)), levels)
        axes.set_xlabel("level (1 easiest)")
    for axes in all_axes[:, 0]:
        axes.set_ylabel(f"pass@{table.attrs['k']}")
    all_axes[0, 0].set_ylim(0, 1)
    _side_key(figure, table)
    return titled(figure, table, "Problems solved by difficulty")


def _side_key(figure: Figure, table: pd.DataFrame) -> None:
    """A legend of the two sides, those of them that are drawn, and of what the paper prints."""
    sources, drawn = sources_of(table), set(table.loc[table["published"].notna(), "system"])
    handles: list[Line2D] = [
        handle(sources[side], colour, marker, line=line)
        for side, (colour, line, marker) in SIDE_STYLE.items()
        if side in sources
    ]
    handles += [
        handle(f"the paper's {side}", colour, marker, fill="white")
        for side, (colour, _, marker) in SIDE_STYLE.items()
        if side in drawn
    ]
    figure.legend(handles=handles, frameon=False, ncols=4, loc="outside lower center", fontsize=9)
