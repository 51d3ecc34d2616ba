"""Differences on the same problems that the tables only imply: rules, modes, a perfect selector, distinct answers.

The paper compares means; the same problems lie behind both, so each comparison is made problem by problem here.
"""

from itertools import combinations

import pandas as pd

from trove_lite.analysis import comparison as analysis
from trove_lite.analysis.comparison import Comparison
from trove_lite.analysis.scores import distinct_score, oracle_score, score

from .. import named
from .two_sides import MODES, PRIMITIVE, SIDES, TROVE, budget, of_modes, source

#: effect → what it compares, side `a` minus side `b`, and the section of the paper that is about it.
EFFECTS = {
    "selection": "one-stage minus two-stage selection of TROVE (§4.1.2)",
    "modes": "problems solved by two modes of TROVE (§4.2.1)",
    "selector": "a perfect selector minus one-stage agreement (§4.3)",
    "distinct": "distinct predictions a problem (§4.2.2)",
}
PAIRED = ["effect", "category", "k", "a", "b"]


def paired_differences(
    comparison: Comparison, *, k: int | None = None, k_mode: int | None = None, seed: int = 0, resamples: int = 100
) -> pd.DataFrame:
    """`a` minus `b`, problem by problem, for every effect of `EFFECTS`: the columns of `differences`, and `k` calls.

    k_mode: samples of each mode, where modes are compared (None: the papers' 5, or as many as there are).

    `p_holm` is corrected over the whole table. Shares are fractions, of `distinct` a number of predictions. What the
    runs cannot compare has no row.
    """
    k, k_mode = budget(comparison, k), of_modes(comparison, k_mode)
    trove = comparison.by_mode.get(TROVE, comparison[TROVE])

    def of(rule: str, side: str) -> pd.DataFrame:
        return score(comparison[side], rule, k, seed=seed, resamples=resamples)

    modes = {mode.upper(): oracle_score(trove[trove["mode"] == mode], k_mode) for mode in MODES}
    printed = {side: distinct_score(comparison[side], k, lambda ran: ran["answers"].map(tuple)) for side in SIDES}
    ordered = [("CREATE", "SKIP"), ("SKIP", "IMPORT"), ("CREATE", "IMPORT")]
    parts = [
        _effect(comparison, "selection", {"one-stage": of("one_stage", TROVE), "two-stage": of("two_stage", TROVE)}, k),
        _effect(comparison, "modes", modes, k_mode, pairs=ordered),
        *(
            _effect(comparison, "selector", {f"{side}, {rule}": of(rule, side) for rule in ("oracle", "one_stage")}, k)
            for side in SIDES
        ),
        _effect(comparison, "distinct", printed, k),
    ]
    table = analysis.corrected(pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True))
    for side in "ab":  # what stands in for PRIMITIVE is named
        cells = zip(table[side], table["category"], strict=True)
        table[side] = [_named(comparison, name, category) for name, category in cells]
    table = table[[*PAIRED, *(column for column in table if column not in PAIRED)]]
    return named(table, "reeval_paired", "Paired differences", comparison.title, note=f"no {TROVE} runs", k=k)


def _effect(comparison: Comparison, effect: str, scores: dict, k: int, pairs: list | None = None) -> pd.DataFrame:
    known = [name for name, part in scores.items() if len(part)]
    pairs = [pair for pair in pairs or combinations(scores, 2) if set(pair) <= set(known)]
    return analysis.differences(comparison, scores, pairs=pairs).assign(effect=effect, k=k)


def _named(comparison: Comparison, name: str, category: str) -> str:
    if not name.startswith(PRIMITIVE):
        return name
    return name.replace(PRIMITIVE, source(comparison, PRIMITIVE, category) or PRIMITIVE)
