"""What the tables answer, in words made from their numbers; and small examples of how they are counted."""

import numpy as np
import pandas as pd

from trove_lite.analysis import statistics as metrics
from trove_lite.analysis.comparison import Comparison, percent, points

from .. import Words, named, why_empty
from ..style import counted, row_over_categories
from .tables import first_solved, solved_by_mode
from .two_sides import MODES, PRIMITIVE, SIDES, SKIP_POOL, TROVE, covered, of_modes, sources_of


def worked_modes(comparison: Comparison, *, k: int | None = None) -> pd.DataFrame:
    """One problem that one mode of TROVE alone solves (where there is none, the first): its samples, mode by mode."""
    side, k = comparison[TROVE], of_modes(comparison, k)
    if side.empty:
        return named(pd.DataFrame(columns=["mode"]), "", "One problem", comparison.title, note=f"no {TROVE} runs")
    solved = solved_by_mode(side)
    alone = solved.index[(solved.sum(axis=1) == 1).to_numpy()]
    category, run, problem = alone[0] if len(alone) else solved.index[0]
    here = side[(side["category"] == category) & (side["run"] == run) & (side["problem"] == problem)]
    correct = here["correct"].fillna(False).astype(int).groupby(here["mode"], observed=True)
    table = correct.agg(samples="size", right="sum").reindex([mode for mode in MODES if mode in solved])
    table[f"pass@{k}"] = metrics.pass_at_k(table["samples"], table["right"], k)
    return named(table.rename_axis(f"{category}, problem {problem}, {run}"), "", "One problem", comparison.title)


def worked_overlap(comparison: Comparison, *, k: int | None = None) -> pd.DataFrame:
    """The problems that two runs of one mode of TROVE solve, counted: the overlap is `both` over `either`."""
    k, rows = of_modes(comparison, k), []
    for category in covered(comparison):
        here = comparison[TROVE][comparison[TROVE]["category"] == category]
        for mode in MODES:
            sets = first_solved(here, mode, k)[:2]
            if len(sets) == 2 and not rows:
                (one, a), (other, b) = sets
                both, either = int((a & b).sum()), int((a | b).sum())
                rows.append(
                    {
                        "category": category,
                        "mode": mode,
                        one: int(a.sum()),
                        other: int(b.sum()),
                        "both": both,
                        "either": either,
                        "overlap": both / either if either else np.nan,
                    }
                )
    return named(pd.DataFrame(rows), "", "One overlap", comparison.title, note=f"needs two runs of {TROVE}")


def lead_in_words(difference: pd.DataFrame, matched: pd.DataFrame) -> Words:
    """Does TROVE still win at the same calls, and at the same tokens? From `differences` and `matched_budgets`."""
    if reason := why_empty(difference):
        return Words(f"TROVE and PRIMITIVE cannot be compared on these runs: {reason}.")
    rows = difference.drop_duplicates("rule", keep="last").set_index("rule")
    vote, oracle = rows.loc["one_stage"], rows.loc["oracle"]
    finding = "leads" if vote.low > 0 else "trails" if vote.high < 0 else "neither leads nor trails"
    text = (
        f"With {difference.attrs['k']} calls a problem each, TROVE {finding}: its accuracy by one-stage agreement less "
        f"that of {_rival(vote.b)} is {points(vote)} over {vote.problems:.0f} problems, by the oracle "
        f"{points(oracle)}. That the difference is below 2 points is "
        f"{'shown' if vote.p_within_2 <= 0.05 else 'not shown'}."
    )
    if vote.b == SKIP_POOL:
        text += " The SKIP pool is not PRIMITIVE, so this says nothing against or for tools yet."
    costs = matched[matched["budget"] == "total tokens"]
    if costs["difference"].isna().all():
        return Words(f"{text} At the same tokens the two cannot be compared: {why_empty(costs)}.")
    row = costs[costs["difference"].notna()].iloc[-1]
    return Words(f"{text} At the same tokens in all ({row.calls_b:.1f} calls of PRIMITIVE) it is {points(row)}.")


def modes_in_words(figure1: pd.DataFrame, paired: pd.DataFrame, table2: pd.DataFrame, without: pd.DataFrame) -> Words:
    """What does each mode contribute? From Figure 1's table, `paired_differences`, Table 2 and `without_import`."""
    if reason := why_empty(figure1) or why_empty(table2):
        return Words(f"The modes cannot be compared on these runs: {reason}.")
    row, name = row_over_categories(figure1)
    solved = figure1[(figure1["category"] == row) & figure1["value"].notna()].sort_values("value", ascending=False)
    alone = table2[table2["category"] == row].set_index("system")
    parts = [f"{c.system} solves {percent(c)}, {percent(alone.loc[c.system])} alone" for c in solved.itertuples()]
    samples = counted(figure1.attrs["k"], "sample", "samples")
    text = f"Over {name}, with {samples} each: {'; '.join(parts)}."
    modes = paired[paired["effect"] == "modes"]
    last = modes.drop_duplicates(["a", "b"], keep="last")
    if len(last):
        told = ", ".join(f"{pair.a} minus {pair.b} {points(pair)}" for pair in last.itertuples())
        text += f" On the same problems: {told}."
    single = figure1[figure1["value"].notna() & ~figure1["category"].str.contains(", ")]
    wide = single.pivot(index="category", columns="system", values="value")
    if {"CREATE", "SKIP", "IMPORT"} <= set(wide):
        order = int(((wide["CREATE"] > wide["SKIP"]) & (wide["SKIP"] > wide["IMPORT"])).sum())
        text += f" The paper's order, CREATE, SKIP, IMPORT, is seen in {order} of {len(wide)} categories."
    return Words(f"{text} {_without_import_in_words(without)}")


def _without_import_in_words(without: pd.DataFrame) -> str:
    """Is TROVE worse without IMPORT? From `without_import`."""
    rows = without[without["difference"].notna()].drop_duplicates("counted", keep="last").set_index("counted")
    if rows.empty:
        return f"What IMPORT adds cannot be told: {why_empty(without)}."
    all_runs, independent = rows.loc["all runs"], rows.loc["independent runs"]
    shown = "is refuted" if all_runs.p_below_1 <= 0.05 else "is not refuted"
    return (
        f"With IMPORT less without it, two-stage, is {points(all_runs)} over {all_runs.problems:,.0f} problems "
        f"and all runs as they are: that IMPORT adds a point or more {shown}. Over independent runs, and what they "
        f"would do again, it is {points(independent)}.{_would_take(all_runs)}"
    )


def _would_take(row: pd.Series) -> str:
    """How large a run's own effect would have to be, where the interval leaves 0 out."""
    if pd.isna(row.run_sd_to_0):
        return ""
    return f" Runs would have to differ by an SD of {100 * row.run_sd_to_0:.1f} points for the first to reach 0."


def overlap_in_words(figure3: pd.DataFrame) -> Words:
    """Do the modes reach other problems than PRIMITIVE? From the table of Figure 3."""
    known = figure3[figure3["value"].notna()]
    floors = known[known["system"].str.startswith("two runs")].set_index(["category", "system"])
    pairs, below = 0, []
    for cell in known[~known["system"].str.startswith("two runs")].itertuples():
        mode = cell.system.split()[-1]
        if (cell.category, f"two runs of {mode}") in floors.index:
            pairs += 1
            if cell.high < floors.loc[(cell.category, f"two runs of {mode}")].low:
                below.append(f"{mode} in {cell.category}")
    if not pairs:
        return Words(
            f"What a mode reaches cannot be told from chance here: {why_empty(figure3) or 'that needs two runs'}."
        )
    return Words(
        f"Of {pairs} overlaps between {_rival(known['source'].iloc[0])} and a mode of TROVE, {len(below)} "
        f"{'lies' if len(below) == 1 else 'lie'} clearly below the overlap of two runs of that mode"
        + (f": {', '.join(below)}." if below else ": nothing tells the problems of a mode from those of another run.")
    )


def budget_in_words(table5: pd.DataFrame, table7: pd.DataFrame) -> Words:
    """What does a larger budget buy, and what could a better selector? From Tables 5 and 7."""
    if reason := why_empty(table5) or why_empty(table7):
        return Words(f"Budgets cannot be compared on these runs: {reason}.")
    row, name = row_over_categories(table5)
    parts = []
    for side, source_ in sources_of(table5[table5["category"] == row]).items():
        vote, best = (t[(t["category"] == row) & (t["system"] == side) & t["value"].notna()] for t in (table5, table7))
        low, high = vote.iloc[0], vote.iloc[-1]
        parts.append(
            f"{source_}: from {low.k} to {high.k} calls agreement rises from {100 * low.value:.1f} to "
            f"{100 * high.value:.1f} %, the oracle from {100 * best.iloc[0].value:.1f} to "
            f"{100 * best.iloc[-1].value:.1f} %; a perfect selector would still add "
            f"{100 * (best.iloc[-1].value - high.value):.1f} points"
        )
    return Words(f"Over {name}. " + ". ".join(parts) + ".")


def difficulty_in_words(table9: pd.DataFrame) -> Words:
    """Does TROVE's lead grow with the level? From Table 9."""
    if reason := why_empty(table9):
        return Words(f"Levels cannot be compared on these runs: {reason}.")
    row, name = row_over_categories(table9)
    cells = table9[table9["category"] == row].set_index(["system", "level"])
    parts, apart = [], 0
    for level in cells.index.unique("level"):
        a, b = (cells.loc[(side, level)] for side in SIDES)
        if pd.notna(a.value) and pd.notna(b.value):
            parts.append(f"{level}: {100 * (a.value - b.value):+.1f}")
            apart += a.low > b.high or b.low > a.high
    if not parts:
        reasons = "; ".join(dict.fromkeys(note for note in cells["note"] if note))
        return Words(f"Levels cannot be compared on these runs: {reasons}.")
    rival = _rival(cells.loc[PRIMITIVE, "source"].iloc[0])
    return Words(
        f"Over {name}, TROVE's oracle accuracy less that of {rival}, in points by level: {', '.join(parts)}. On "
        f"{apart} of {len(parts)} levels the two intervals lie apart."
    )


def _rival(name: str) -> str:
    return name if name == PRIMITIVE else f"the {name} (which stands in for {PRIMITIVE})"
