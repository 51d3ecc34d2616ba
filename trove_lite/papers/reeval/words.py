"""What the tables answer, in words made from their numbers; and small examples of how they are counted."""

import numpy as np
import pandas as pd

from ...analysis import statistics as metrics
from ...analysis.comparison import Comparison
from .. import named, why_empty
from ..style import (
    row_over_categories,
)
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


def lead_in_words(difference: pd.DataFrame, matched: pd.DataFrame) -> str:
    """Does TROVE still win at the same calls, and at the same tokens? From `differences` and `matched_budgets`."""
    if reason := why_empty(difference):
        return f"TROVE and PRIMITIVE cannot be compared on these runs: {reason}."
    rows = difference.drop_duplicates("rule", keep="last").set_index("rule")
    vote, oracle = rows.loc["one_stage"], rows.loc["oracle"]
    finding = "leads" if vote.low > 0 else "trails" if vote.high < 0 else "neither leads nor trails"
    text = (
        f"With {difference.attrs['k']} calls a problem each, TROVE {finding}: its accuracy by one-stage agreement less "
        f"that of {_rival(vote.b)} is {_points(vote)} points over {vote.problems:.0f} problems, by the oracle "
        f"{_points(oracle)}. That the difference is below 2 points is "
        f"{'shown' if vote.p_within_2 <= 0.05 else 'not shown'}."
    )
    if vote.b == SKIP_POOL:
        text += " The SKIP pool is not PRIMITIVE, so this says nothing against or for tools yet."
    costs = matched[matched["budget"] == "total tokens"]
    if costs["difference"].isna().all():
        return f"{text} At the same tokens the two cannot be compared: {why_empty(costs)}."
    row = costs[costs["difference"].notna()].iloc[-1]
    return f"{text} At the same tokens in all ({row.calls_b:.1f} calls of PRIMITIVE) it is {_points(row)} points."


def modes_in_words(figure1: pd.DataFrame, table2: pd.DataFrame) -> str:
    """What does each mode contribute? From the tables of Figure 1 and Table 2."""
    if reason := why_empty(figure1) or why_empty(table2):
        return f"The modes cannot be compared on these runs: {reason}."
    row, name = row_over_categories(figure1)
    solved = figure1[(figure1["category"] == row) & figure1["value"].notna()].sort_values("value", ascending=False)
    alone = table2[table2["category"] == row].set_index("system")
    parts = [
        f"{cell.system} solves {_percent(cell)}, {_percent(alone.loc[cell.system])} alone"
        for cell in solved.itertuples()
    ]
    single = figure1[figure1["value"].notna() & ~figure1["category"].str.contains(",")]
    best = single.loc[single.groupby("category", sort=False)["value"].idxmax()]
    first = ", ".join(f"{part.system} in {cell}" for cell, part in best.set_index("category").iterrows())
    return (
        f"Over {name}, with {figure1.attrs['k']} samples each: {'; '.join(parts)}. Most problems are solved by {first}."
    )


def overlap_in_words(figure3: pd.DataFrame) -> str:
    """Do the modes reach other problems than PRIMITIVE? From the table of Figure 3."""
    known = figure3[figure3["value"].notna()]
    floors = known[known["system"].str.startswith("floor")].set_index(["category", "system"])
    pairs, below = 0, []
    for cell in known[~known["system"].str.startswith("floor")].itertuples():
        mode = cell.system.split()[-1]
        if (cell.category, f"floor {mode}") in floors.index:
            pairs += 1
            if cell.high < floors.loc[(cell.category, f"floor {mode}")].low:
                below.append(f"{mode} in {cell.category}")
    if not pairs:
        return f"What a mode reaches cannot be told from chance here: {why_empty(figure3) or 'that needs two runs'}."
    return (
        f"Of {pairs} overlaps between {_rival(known['source'].iloc[0])} and a mode of TROVE, {len(below)} "
        f"{'lies' if len(below) == 1 else 'lie'} clearly below the overlap of two runs of that mode"
        + (f": {', '.join(below)}." if below else ": nothing tells the problems of a mode from those of another run.")
    )


def budget_in_words(table5: pd.DataFrame, table7: pd.DataFrame) -> str:
    """What does a larger budget buy, and what could a better selector? From Tables 5 and 7."""
    if reason := why_empty(table5) or why_empty(table7):
        return f"Budgets cannot be compared on these runs: {reason}."
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
    return f"Over {name}. " + ". ".join(parts) + "."


def difficulty_in_words(table9: pd.DataFrame) -> str:
    """Does TROVE's lead grow with the level? From Table 9."""
    if reason := why_empty(table9):
        return f"Levels cannot be compared on these runs: {reason}."
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
        return f"Levels cannot be compared on these runs: {reasons}."
    rival = _rival(cells.loc[PRIMITIVE, "source"].iloc[0])
    return (
        f"Over {name}, TROVE's oracle accuracy less that of {rival}, in points by level: {', '.join(parts)}. On "
        f"{apart} of {len(parts)} levels the two intervals lie apart."
    )


def _rival(name: str) -> str:
    return name if name == PRIMITIVE else f"the {name} (which stands in for {PRIMITIVE})"


def _points(row: object) -> str:
    return f"{100 * row.difference:+.1f} [{100 * row.low:+.1f}, {100 * row.high:+.1f}]"


def _percent(cell: object) -> str:
    return f"{100 * cell.value:.1f} % [{100 * cell.low:.1f}, {100 * cell.high:.1f}]"
