"""The re-evaluation's differences, problem by problem: the claim itself, its parts, costs,
IMPORT."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

from trove_lite import choose
from trove_lite.candidates import selections
from trove_lite_analysis import costs, independent_runs
from trove_lite_analysis import differences as analysis
from trove_lite_analysis.scores import variance_of
from trove_lite_analysis.systems import Comparison
from trove_lite_analysis.variance import (
    MARGINS,
    Variance,
    p_below,
    problems_alone,
)

from ..tables import name_table
from ..two_systems import OTHERS, PRIMITIVE, SKIP_POOL, SYSTEMS, TROVE, budget, source

#: Scores by rule, then system.
Scores = Mapping[str, Mapping[str, pd.DataFrame]]
ORDER_OF_MODES = (("CREATE", "SKIP"), ("SKIP", "IMPORT"), ("CREATE", "IMPORT"))
WITHOUT_IMPORT = ("trove", "trove_no_import")
WITHOUT_IMPORT_COLUMNS = [
    "category",
    "counted",
    "a",
    "b",
    "difference",
    "low",
    "high",
    "covers",
    "p",
]
WITHOUT_IMPORT_COLUMNS += [
    *(f"p_below_{100 * m:g}" for m in MARGINS),
    "run_sd_to_0",
    "runs_a",
    "runs_b",
    "problems",
]


def differences(comparison: Comparison, scores: Scores, *, k: int | None = None) -> pd.DataFrame:
    """TROVE minus PRIMITIVE at a matched budget of k calls, problem by problem: the claim itself.

    By each rule of `scores`, with one correction over all rules and categories; `b` names what
    stands in for
    PRIMITIVE: a SKIP pool holds TROVE's own samples.
    """
    k = budget(comparison, k)
    parts = [
        analysis.differences(comparison, of_rule).assign(rule=rule)
        for rule, of_rule in scores.items()
    ]
    found = analysis.add_holm(pd.concat(parts, ignore_index=True))
    found["b"] = [source(comparison, PRIMITIVE, category) for category in found["category"]]
    lacking = [f"no {system} runs" for system in SYSTEMS if comparison[system].empty]
    about = {"note": "; ".join(lacking) or f"no problem has {k} samples in both systems", "k": k}
    found = found[["category", "rule", *analysis.DIFFERENCE_COLUMNS[1:]]]
    return name_table(found, "reeval_differences", "The difference", comparison.title, **about)


def matched_budgets(comparison: Comparison, longer: Comparison | None = None) -> pd.DataFrame:
    """One-stage accuracy of TROVE, as recorded, and of PRIMITIVE at its cost; `longer`: runs of
    more calls for that."""
    longer = longer or comparison
    rivals = longer[PRIMITIVE][longer[PRIMITIVE]["method"] != SKIP_POOL]
    calls = [comparison.requests(TROVE), longer.requests(PRIMITIVE)]
    both = replace(
        comparison, systems={TROVE: comparison[TROVE], PRIMITIVE: rivals}, calls=pd.concat(calls)
    )
    return name_table(
        costs.matched_budgets(both), "reeval_matched_budgets", "The same cost", comparison.title
    )


class Effect(NamedTuple):
    """What is compared, at k calls: the scores of each part by its name, and which pairs of them
    (none: all)."""

    effect: str
    k: int
    scores: Mapping[str, pd.DataFrame]
    pairs: Sequence[tuple[str, str]] = ()


def paired_differences(
    comparison: Comparison, effects: Sequence[Effect], *, k: int | None = None
) -> pd.DataFrame:
    """`a` minus `b`, problem by problem, for each of `effects`: the columns of `differences`, and
    `k` calls.

    `p_holm` is over the whole table. Shares are fractions, of `distinct` a number of predictions.
    What the runs cannot compare has no row.
    """
    parts = []
    for effect, calls, scores, pairs in effects:
        filled = [
            pair
            for pair in pairs or combinations(scores, 2)
            if all(len(scores[name]) for name in pair)
        ]
        found = analysis.differences(comparison, scores, pairs=filled)
        parts.append(found.assign(effect=effect, k=calls))
    found = analysis.add_holm(
        pd.concat(
            [part for part in parts if len(part)] or parts[:1],
            ignore_index=True,
        )
    )
    fills = [source(comparison, PRIMITIVE, category) or PRIMITIVE for category in found["category"]]
    for system in "ab":  # what stands in for PRIMITIVE is named
        found[system] = [
            name.replace(PRIMITIVE, fill) for name, fill in zip(found[system], fills, strict=True)
        ]
    first = ["effect", "category", "k", "a", "b"]
    found = found[[*first, *found.columns.difference(first, sort=False)]]
    about = {"note": f"no {TROVE} runs", "k": budget(comparison, k)}
    return name_table(found, "reeval_paired", "Paired differences", comparison.title, **about)


def without_import(candidates: pd.DataFrame) -> pd.DataFrame:
    """TROVE minus TROVE without IMPORT, each problem's answer by two-stage selection: is it no
    worse without?

    A row each for `all runs`, over problems alone, and for `independent runs`, over problems and
    runs. `p_below_1`,
    `_2`, `_3`: that IMPORT adds less than so many points, one-sided. `run_sd_to_0`: of
        `_run_sd_to_zero`.
    """
    ours = candidates[candidates["method"].isin(WITHOUT_IMPORT)]
    shared = [
        c
        for c, part in ours.groupby("category", observed=True)
        if set(part["method"]) == set(WITHOUT_IMPORT)
    ]
    ours = ours[ours["category"].isin(shared)]
    rows = []
    kept = {"all runs": ours, "independent runs": independent_runs(ours)}
    ways = {"all runs": _over_problems, "independent runs": variance_of}
    found = {
        name: analysis.difference(*_two_stage(frame), of=ways[name], categories=shared)
        for name, frame in kept.items()
        if shared
    }
    runs = {
        name: frame.groupby(["method", "category"], observed=True)["run"].nunique()
        for name, frame in kept.items()
    }
    for of_category in zip(*found.values(), strict=True):
        independent = of_category[-1][1]
        for name, (cells, v) in zip(found, of_category, strict=True):
            row = {"counted": name, "a": TROVE, "b": OTHERS[WITHOUT_IMPORT[1]]} | cells
            row |= {f"p_below_{100 * m:g}": p_below(v, m) for m in MARGINS}
            row |= {
                f"runs_{system}": runs[name][m][list(v.labels)].mean()
                for system, m in zip("ab", WITHOUT_IMPORT, strict=True)
            }
            if name == "all runs":
                row |= {"covers": "problems", "run_sd_to_0": _run_sd_to_zero(v, independent)}
            rows.append(row)
    title = ", ".join(sorted(ours["model"].astype(str).unique()))
    note = "no category has runs with and without IMPORT"
    table = pd.DataFrame(rows, columns=WITHOUT_IMPORT_COLUMNS)
    return name_table(table, "reeval_without_import", "Without IMPORT", title, note=note)


def _run_sd_to_zero(v: Variance, independent: Variance) -> float:
    """The SD of a run's own effect at which the 95 % interval of `v`, over problems alone, would
    reach 0; NaN: it does.

    From value = z sqrt(over_problems + sd^2 sum w^2 / independent), with the runs that are
    `independent`.
    """
    room = (v.value / stats.norm.ppf(0.975)) ** 2 - v.over_problems
    shares = float(independent.weights**2 @ (1 / independent.independent).sum(axis=1))
    return float(np.sqrt(room / shares)) if room > 0 else float("nan")


def _two_stage(candidates: pd.DataFrame) -> list[pd.DataFrame]:
    chosen = ended if len(ended := selections(candidates)) else choose(candidates, "two_stage")
    scores = chosen.assign(score=chosen["correct"].fillna(False).astype(float))
    return [scores[scores["method"] == method] for method in WITHOUT_IMPORT]


def _over_problems(*scores: pd.DataFrame) -> Variance:
    return problems_alone(variance_of(*scores))
