"""The re-evaluation's figures, each drawn from its tables; nothing is computed here.

What was not measured is drawn as absent, with the reason. Where two curves lie on one another their difference is
drawn, and where "no difference" is at stake, the margin within which a difference counts as none.
"""

from textwrap import fill

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trove_lite.analysis.scores import COVERED_MICRO
from trove_lite.analysis.variance import SMALLEST_EFFECT, THESE_RUNS

from ..style import (
    INTERVAL,
    PRINT,
    SERIES,
    Series,
    absent,
    axis_of_levels,
    band,
    category_axis,
    counted,
    dot,
    drawn_rows,
    filled,
    from_zero,
    handle,
    key,
    margin_band,
    over,
    plt,
    prediction,
    reasons,
    row_over_categories,
    split_by,
    titled,
    wrapped,
)
from .two_sides import MODES, OTHER_SKIP, PRIMITIVE, SIDES, SKIP_POOL, TROVE, sources_of

#: The figures in the order of the argument.
ORDER = (
    "reeval_table1",
    "reeval_differences",
    "reeval_matched_budgets",
    "reeval_figure2",
    "reeval_figure1",
    "reeval_figure3",
    "reeval_figure4",
    "reeval_table9",
)
MODE_NAMES = tuple(mode.upper() for mode in MODES)
COSTS = {"calls": "one-stage", "completion tokens": "completion tokens", "total tokens": "total tokens"}
RULES = {"one_stage": "one-stage", "oracle": "oracle"}
MARGIN = f"differences within {100 * SMALLEST_EFFECT:g} points, the smallest effect of interest"
POINTS = "TROVE minus its rival (points: % of problems)"


def table1_figure(table: pd.DataFrame) -> Figure | None:
    """Table 1 as a picture, by category."""
    if not filled(table):
        return None
    rows = drawn_rows(table)
    systems = [system for system in table["system"].unique() if "original" not in system]
    figure, axes = plt.subplots(figsize=(7.4, 1.6 + 0.72 * len(rows)), layout="constrained")
    drawn = {}
    for j, system in enumerate(systems):
        for row in table[(table["system"] == system) & table["category"].isin(rows)].itertuples():
            series, place = _of_side(row.source, system), rows.index(row.category) + 0.27 * (j - 1)
            dot(axes, row, place, series)
            if pd.notna(row.value):
                drawn[system.replace(PRIMITIVE, row.source), system] = series
    _reasons_by_lane(axes, table[table["system"].isin(systems)], rows, systems)
    category_axis(axes, rows, _names_of_rows(table))
    axes.set_xlabel("accuracy (% of problems)")
    from_zero(axes, 1.5 if table.loc[table["category"].isin(rows), "value"].isna().any() else 1)
    in_print = bool(table.loc[table["category"].isin(rows), "published"].notna().any())
    key(axes, [handle(name, series) for (name, _), series in drawn.items()], paper=in_print)
    caption = (
        f"Accuracy with {table.attrs['k']} calls a problem, in percent of problems. {over(table)}. Thick bars: "
        f"{INTERVAL}{prediction(table)}.{_diamonds(in_print)}{_stand_in(table)}"
    )
    text = f"Accuracy at a matched budget of {table.attrs['k']} calls"
    return titled(figure, table, text, caption=caption, detail=f"{over(table)}; {INTERVAL}")


def differences_figure(table: pd.DataFrame) -> Figure | None:
    """TROVE minus PRIMITIVE at the same calls, problem by problem; None where the table has nothing to show."""
    known = table[table["difference"].notna()].rename(columns={"difference": "value"})
    if known.empty:
        return None
    here = list(known["category"].unique())
    rows = [*table.attrs.get("categories", ()), *(c for c in here if c in ("all", "covered"))]
    rows = rows if set(here) <= set(rows) and len(here) > 1 else here
    figure, axes = plt.subplots(figsize=(7.4, 1.8 + 0.5 * len(rows)), layout="constrained")
    margin_band(axes, SMALLEST_EFFECT)
    for j, (rule, shown) in enumerate(RULES.items()):
        for row in known[known["rule"] == rule].itertuples():
            dot(axes, row, rows.index(row.category) + 0.3 * (j - 0.5), SERIES[f"difference, {shown}"])
    for place, row in enumerate(rows):
        if row not in here:
            absent(axes, place, "no runs of both sides")
    category_axis(axes, rows)
    axes.set_xlabel(POINTS)
    labels = {"one_stage": "by one-stage agreement", "oracle": "by the oracle"}
    key(axes, [handle(labels[rule], SERIES[f"difference, {RULES[rule]}"]) for rule in RULES])
    rivals = " or ".join(f"the {name}" if name != PRIMITIVE else name for name in known["b"].unique())
    caption = (
        f"{TROVE} minus {rivals} with {table.attrs['k']} calls a problem each, in points, problem by problem. "
        f"{_paired_over(known)}. Grey: {MARGIN}."
    )
    text = f"{TROVE} minus {rivals} at {table.attrs['k']} calls"
    return titled(figure, table, text, caption=caption, detail=_paired_over(known))


def matched_budgets_figure(table: pd.DataFrame) -> Figure | None:
    """TROVE minus PRIMITIVE at the same calls and tokens; None where the table has nothing to show."""
    known = table[table["difference"].notna()].rename(columns={"difference": "value"})
    rows = list(known["category"].unique())
    if not rows:
        return None
    figure, axes = plt.subplots(figsize=(7.4, 1.9 + 0.65 * len(rows)), layout="constrained")
    margin_band(axes, SMALLEST_EFFECT)
    handles = []
    for j, (budget, shown) in enumerate(COSTS.items()):
        here, series = known[known["budget"] == budget], SERIES[f"difference, {shown}"]
        for row in here.itertuples():
            dot(axes, row, rows.index(row.category) + 0.25 * (j - 1), series)
        if len(here):
            last = here.iloc[-1]  # all categories together, where there are several
            calls = f"{last['calls_a']:.0f} calls of {last['a']}, on average {last['calls_b']:.1f} of {last['b']}"
            handles.append(handle(f"same {budget}: {calls}", series))
        else:
            why = reasons(_as_value(table[table["budget"] == budget])).split("; ")[0]
            handles.append(handle(fill(f"same {budget}: absent; {why}", 90), series, fill="white"))
    category_axis(axes, rows)
    axes.set_xlabel("accuracy of TROVE minus accuracy of PRIMITIVE (points)")
    key(axes, handles, columns=1)
    caption = (
        "TROVE minus PRIMITIVE by one-stage agreement, in points, where PRIMITIVE gets as many calls, as many tokens "
        f"written, or as many tokens in all as TROVE spent on the same problem. {_paired_over(known)}. Grey: "
        f"{MARGIN}."
    )
    text = "TROVE against PRIMITIVE at the same cost, one-stage agreement"
    return titled(figure, table, text, caption=caption, detail=_paired_over(known))


def figure1(table: pd.DataFrame, paired: pd.DataFrame) -> Figure | None:
    """Problems solved by each mode of TROVE, pass@k, and by how much two modes differ on the same problems (Figure 1).

    paired: the rows `modes` of `paired_differences`.
    """
    if not filled(table):
        return None
    rows = drawn_rows(table)
    apart = paired[paired["effect"] == "modes"].replace({"category": {"all": rows[-1], "covered": rows[-1]}})
    pairs = list(dict.fromkeys(zip(apart["a"], apart["b"], strict=True)))
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(8.6, 1.7 + 0.62 * len(rows)), layout="constrained", sharey=True, width_ratios=(2, 3)
    )
    modes = [mode for mode in MODE_NAMES if table.loc[table["system"] == mode, "value"].notna().any()]
    for j, mode in enumerate(modes):
        cells = table[(table["system"] == mode) & table["category"].isin(rows) & table["value"].notna()]
        y = [rows.index(category) + 0.26 * (j - 1) for category in cells["category"]]
        left.plot(100 * cells["value"], y, SERIES[mode].marker, color=SERIES[mode].colour, clip_on=False)
    for place, row in enumerate(rows):
        cells = table[table["category"] == row]
        if cells["value"].isna().all():
            absent(left, place, reasons(cells))
    from_zero(left)
    left.set_xlabel(f"pass@{table.attrs['k']} (% of problems)")
    right.axvline(0, color="black", linewidth=1)
    for j, pair in enumerate(pairs):
        here = apart[(apart["a"] == pair[0]) & (apart["b"] == pair[1])].rename(columns={"difference": "value"})
        for row in here.itertuples():
            if row.category in rows:
                dot(right, row, rows.index(row.category) + 0.26 * (j - 1), SERIES[pair[0]], fill=_half(pair))
    right.set_xlabel("difference on the same problems (points)")
    category_axis(left, rows, _names_of_rows(table))
    category_axis(right, rows, _names_of_rows(table))
    handles = [handle(mode, SERIES[mode]) for mode in modes]
    handles += [handle(f"{a} minus {b}", SERIES[a], line="-", fill=_half((a, b))) for a, b in pairs]
    key(left, handles, columns=3)
    samples = counted(table.attrs["k"], "sample", "samples")
    caption = (
        f"Left: problems that each mode of TROVE solves in {samples}, in percent. Right: two modes on the same "
        f"problems, in points. {over(table)}. {_paired_over(apart) if len(apart) else 'No two modes to compare'}."
    )
    text = f"Problems solved by each mode in {samples}"
    detail = f"{over(table)}; paired 95 % intervals on the right"
    return titled(figure, table, text, caption=caption, detail=detail)


def figure3(table: pd.DataFrame) -> Figure | None:
    """Overlap of solved problems between PRIMITIVE and each mode (Figure 3)."""
    rows = drawn_rows(table)
    if not filled(table):
        return None
    figure, axes = plt.subplots(figsize=(7.4, 1.7 + 0.85 * len(rows)), layout="constrained")
    known = table[table["value"].notna() & table["low"].notna()]
    for row in table[table["value"].notna()].itertuples():
        mode, twice = row.system.split()[-1], row.system.startswith("two runs")
        place = rows.index(row.category) + 0.29 * (MODE_NAMES.index(mode) - 1) + (0.06 if twice else -0.06)
        dot(axes, row, place, SERIES[mode], fill="white" if twice else "")
    for place, row in enumerate(rows):
        cells = table[table["category"] == row]
        if cells["value"].isna().all():
            absent(axes, place, reasons(cells))
        elif (short := cells[cells["value"].isna()])["system"].str.startswith("two runs").any():
            absent(axes, place + 0.42, f"two runs of a mode: {reasons(short)}")
    category_axis(axes, rows)
    axes.margins(x=0.12)
    axes.set_xlabel(f"mean Jaccard overlap of the problems solved in {table.attrs['k']} samples (%)")
    other = PRIMITIVE if set(table.loc[table["value"].notna(), "source"]) == {PRIMITIVE} else OTHER_SKIP
    drawn = set(table.loc[table["value"].notna(), "system"])
    handles = [handle(f"{mode} with {other}", SERIES[mode]) for mode in MODE_NAMES if f"PRIMITIVE ~ {mode}" in drawn]
    hollow = [mode for mode in MODE_NAMES if f"two runs of {mode}" in drawn]
    handles += [handle(f"hollow: {mode} with {mode} of another run", SERIES[mode], fill="white") for mode in hollow]
    key(axes, handles)
    caption = (
        f"Of the problems that two sets of runs solve in {counted(table.attrs['k'], 'sample', 'samples')}, the share "
        f"that both solve, in percent. Filled: a mode of TROVE with {other}; hollow: the same mode in two runs, "
        f"the most that chance allows. {_pairs_of_runs(known)}. Bars: 95 % intervals over problems."
    )
    detail = f"{_pairs_of_runs(known)}; 95 % intervals over problems"
    return titled(figure, table, "Overlap of solved problems", caption=caption, detail=detail)


def figure2(table5: pd.DataFrame, table7: pd.DataFrame) -> Figure | None:
    """Oracle and agreement accuracy against the budget (Figure 2, from Tables 5 and 7)."""
    if not filled(table5) or not filled(table7):
        return None
    row, name = row_over_categories(table5)
    figure, all_axes = plt.subplots(1, 2, figsize=(8.6, 4), layout="constrained", sharey=True)
    panels = {"oracle (pass@K)": table7, "one-stage agreement": table5}
    illegible = False
    for axes, (title, table) in zip(all_axes, panels.items(), strict=True):
        for j, side in enumerate(SIDES):
            cells = table[(table["category"] == row) & (table["system"] == side)]
            band(axes, cells["k"], cells, _of_side(_one(cells), side))
            x = cells["k"] + 0.5 * (j - 0.5)  # print beside print, so that neither hides
            axes.scatter(x, 100 * cells["published"], marker=SERIES[side].marker, **PRINT)
            if cells["published"].notna().any():
                for k in cells.loc[cells["published"].isna(), "k"]:
                    axes.annotate("?", (k + 0.5 * (j - 0.5), 0.02), xycoords=("data", "axes fraction"), ha="center")
                    illegible = True
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("budget K (calls a problem)")
        axes.set_xticks(sorted(table["k"].unique()))
        axes.grid(axis="y", color="0.9")
    all_axes[0].set_ylabel("accuracy (% of problems)")
    _side_key(figure, table5[table5["category"] == row])
    hollow = "the paper's values, of the same categories and from its rounded cells, drawn a little to the side"
    printed = f" Hollow black marks: {hollow}{'; a question mark: illegible in print' if illegible else ''}."
    caption = (
        f"Accuracy against the number of calls a problem, {name}: {_curve_over(table5, row)}. Bands: {INTERVAL}."
        f"{printed if table5['published'].notna().any() else ''}{_missing(table5)}{_stand_in(table5)}"
    )
    detail, text = f"{_curve_over(table5, row)}; {INTERVAL}", f"Accuracy against budget, {name}"
    return titled(figure, table5, text, "reeval_figure2", caption=caption, detail=detail)


def figure4(table: pd.DataFrame) -> Figure | None:
    """Accuracy with the samples of all runs pooled, by selection, and TROVE's lead there (Figure 4)."""
    if not filled(table):
        return None
    measured = table[~table["system"].str.contains("minus")]
    row, name = row_over_categories(measured)
    figure, (oracle, vote, lead) = plt.subplots(1, 3, figsize=(10.6, 3.9), layout="constrained")
    handles, names = {}, sources_of(table[table["category"] == row])
    for axes, rules in ((oracle, ("oracle",)), (vote, ("one-stage", "two-stage"))):
        for side in SIDES:
            for rule in rules:
                cells = table[(table["category"] == row) & (table["system"] == f"{side}, {rule}")]
                if cells["value"].notna().any():
                    series = SERIES[f"{side}, two-stage"] if rule == "two-stage" else _of_side(_one(cells), side)
                    band(axes, cells["k"], cells, series)
                    label = names[f"{side}, {rule}"] + (", two-stage" if rule == "two-stage" else "")
                    handles.setdefault(label, handle(label, series, line=series.line))
        axes.set_ylabel("accuracy (% of problems)")
        axes.set_title("oracle" if rules == ("oracle",) else "agreement", fontsize=10)
    lead.axhline(0, color="black", linewidth=1)
    for rule in ("oracle", "one-stage"):
        cells = table[(table["category"] == row) & (table["system"] == f"{TROVE} minus {PRIMITIVE}, {rule}")]
        series = SERIES[f"difference, {rule}"]
        if cells["value"].notna().any():
            band(lead, cells["k"], cells, series)
            handles[rule] = handle(
                f"difference by {rule.replace('one-stage', 'one-stage agreement')}", series, line=series.line
            )
        lead.scatter(cells["k"], 100 * cells["published"], marker=series.marker, **PRINT)
    lead.set_ylabel("difference (points)")
    lead.set_title("TROVE minus its rival", fontsize=10)
    if not lead.lines[1:]:
        lead.annotate("one side alone: nothing to compare", (0.5, 0.5), xycoords="axes fraction", ha="center")
    for axes in (oracle, vote, lead):
        axes.set_xlabel("samples a problem, all runs pooled")
        axes.set_xticks(sorted(table["k"].unique()))
        axes.grid(axis="y", color="0.9")
        axes.set_axisbelow(True)
    figure.legend(handles=list(handles.values()), frameon=False, ncols=3, loc="outside lower center", fontsize=9)
    caption = (
        f"Left and middle: accuracy with the samples of all runs pooled, {name}, at the same number of samples of both "
        "sides; right: the difference, problem by problem. "
        f"{_curve_over(table, row)}. Bands: 95 % intervals over problems.{_stand_in(measured)}"
    )
    detail = f"{_curve_over(table, row)}; 95 % intervals over problems"
    return titled(figure, table, f"Pooled samples, {name}", caption=caption, detail=detail)


def table9_figure(table: pd.DataFrame) -> Figure | None:
    """Oracle accuracy by difficulty level, a panel a category (Table 9)."""
    if not filled(table):
        return None
    rows, levels = drawn_rows(table), list(table["level"].unique())
    columns = min(4, len(rows))
    lines = -(-len(rows) // columns)
    figure, all_axes = plt.subplots(
        lines,
        columns,
        figsize=(1.4 + 2.5 * columns, 1.2 + 2.5 * lines),
        layout="constrained",
        sharey=True,
        squeeze=False,
    )
    for axes in all_axes.flat[len(rows) :]:
        axes.set_axis_off()
    for axes, category in zip(all_axes.flat, rows, strict=False):
        for j, side in enumerate(SIDES):
            cells = table[(table["category"] == category) & (table["system"] == side)]
            x = pd.Series([levels.index(level) + 0.36 * (j - 0.5) for level in cells["level"]], index=cells.index)
            series = _of_side(_one(cells), side)
            error = 100 * pd.DataFrame([cells["value"] - cells["low"], cells["high"] - cells["value"]])
            axes.errorbar(
                x, 100 * cells["value"], yerr=error, fmt=series.marker, color=series.colour, markersize=5,
                capsize=2, linewidth=1.4, clip_on=False,
            )  # fmt: skip
            axes.scatter(x + 0.13, 100 * cells["published"], marker=SERIES[side].marker, **PRINT | {"s": 20})
            if cells["value"].isna().all():
                note = reasons(cells).replace(" of this category", "")
                axes.annotate(note, (0.97, 0.97 - 0.08 * j), xycoords="axes fraction", ha="right", va="top", fontsize=7)
        axes.set_title(_names_of_rows(table).get(category, category), fontsize=10)
        axes.set_xticks(range(len(levels)), levels)
        axes.set_xlim(-0.5, len(levels) - 0.5)
        axes.grid(axis="y", color="0.9")
        axes.set_xlabel(axis_of_levels(table))
    for axes in all_axes[:, 0]:
        axes.set_ylabel(f"pass@{table.attrs['k']} (%)")
    all_axes[0, 0].set_ylim(-3, 103)
    _side_key(figure, table)
    in_print = table["published"].notna().any()
    caption = (
        f"Problems solved by any of {table.attrs['k']} samples, by {table.attrs['by']}, in percent. "
        f"{over(table)}. Bars: {INTERVAL}."
        f"{' Hollow black marks: the paper’s values.' if in_print else ''}{_stand_in(table)}"
    )
    detail = f"{over(table)}; {INTERVAL}"
    return titled(figure, table, f"Problems solved by {split_by(table)}", caption=caption, detail=detail)


# ---- what several figures say and mark ----


def _of_side(source: str, system: str) -> Series:
    """How a side is drawn: as what fills it, so that the pool never looks like PRIMITIVE."""
    if system.startswith(TROVE):
        return SERIES["TROVE, two-stage" if "two-stage" in system else TROVE]
    return SERIES[SKIP_POOL if source == SKIP_POOL else PRIMITIVE]


def _one(cells: pd.DataFrame) -> str:
    """What filled the cells that hold a value."""
    known = cells.loc[cells["value"].notna(), "source"]
    return known.iloc[0] if len(known) else ""


def _half(pair: tuple[str, str]) -> str:
    """A difference of two modes has the first's mark; filled with white where the first has another pair as well."""
    return "white" if pair == ("CREATE", "IMPORT") else ""


def _reasons_by_lane(axes: Axes, table: pd.DataFrame, rows: list[str], systems: list[str]) -> None:
    """Why a lane of a row is empty; one reason for the row where all of it is."""
    for place, row in enumerate(rows):
        cells = table[table["category"] == row]
        if cells["value"].isna().all():
            absent(axes, place, reasons(cells))
            continue
        for j, system in enumerate(systems):
            lane = cells[(cells["system"] == system) & cells["value"].isna()]
            if len(lane):
                absent(axes, place + 0.27 * (j - 1), lane["note"].iloc[0])


def _names_of_rows(table: pd.DataFrame) -> dict[str, str]:
    """What rows over several categories are called on an axis: which categories they hold, where they are few."""
    names = {}
    for row in drawn_rows(table):
        within = table.loc[(table["category"] == row) & table["value"].notna(), "note"].dropna()
        few = row == COVERED_MICRO and len(within) and within.iloc[-1].count(", ") < 3
        names[row] = within.iloc[-1].replace(", ", ",\n") if few else wrapped(row)
    return names


def _as_value(table: pd.DataFrame) -> pd.DataFrame:
    return table.rename(columns={"difference": "value"})


def _diamonds(in_print: bool) -> str:
    return " Hollow diamonds, a little below: the paper's values." if in_print else ""


def _stand_in(table: pd.DataFrame) -> str:
    if (table["value"].notna() & (table["source"] == SKIP_POOL)).any():
        return f" The {SKIP_POOL} stands in for {PRIMITIVE}, which these runs lack: it is not the same prompt."
    return ""


def _missing(table: pd.DataFrame) -> str:
    """Which categories lack a side."""
    single = table[~table["category"].str.contains(", ")]
    lacking = single.groupby("category", sort=False)["value"].apply(lambda v: v.isna().all())
    names = [category for category in lacking.index if lacking[category]]
    return f" Not measured: {', '.join(names)}." if names else ""


def _paired_over(known: pd.DataFrame) -> str:
    """Over what paired differences and their intervals are."""
    last = known.iloc[-1]
    covers = known["covers"].iloc[-1] if "covers" in known else "problems"
    of = "of" if covers == THESE_RUNS else "over"
    return f"{last['problems']:,.0f} problems; paired 95 % intervals {of} {covers}"


def _curve_over(table: pd.DataFrame, row: str) -> str:
    known = table[(table["category"] == row) & table["value"].notna() & ~table["system"].str.contains("minus")]
    parts = known.drop_duplicates("source")
    runs = ", ".join(f"{counted(int(p.runs), 'run', 'runs')} of {p.source}" for p in parts.itertuples())
    return f"{int(known['problems'].max()):,} problems, {runs}"


def _pairs_of_runs(known: pd.DataFrame) -> str:
    if known.empty:
        return "One pair of runs is none"
    low, high = int(known["runs"].min()), int(known["runs"].max())
    number = counted(high, "pair", "pairs") if low == high else f"{low} to {high} pairs"
    problems = int(known.groupby("category")["problems"].max().sum())
    categories = counted(known["category"].nunique(), "category", "categories")
    return f"{problems:,} problems of {categories}, {number} of runs each"


def _side_key(figure: Figure, table: pd.DataFrame) -> None:
    """A legend of the two sides, those of them that are drawn, and of what the paper prints."""
    known = table[table["value"].notna()].drop_duplicates(["system", "source"])
    handles: list[Line2D] = []
    for row in known.itertuples():
        series = _of_side(row.source, row.system)
        handles.append(handle(row.source, series, line=series.line))
    printed = set(table.loc[table["published"].notna(), "system"])
    handles += [
        Line2D(
            [],
            [],
            color="black",
            marker=SERIES[side].marker,
            linestyle="",
            markerfacecolor="none",
            label=f"the paper's {side}",
        )
        for side in SIDES
        if side in printed
    ]
    figure.legend(handles=handles, frameon=False, ncols=4, loc="outside lower center", fontsize=9)
