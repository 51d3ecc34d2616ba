"""The re-evaluation's differences, problem by problem: the claim itself, its parts, costs, IMPORT, and its power.

The paper compares means; the same problems lie behind both, so each comparison here is made problem by problem.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from trove_lite.analysis import compare as analysis
from trove_lite.analysis import costs
from trove_lite.analysis.choose import choose
from trove_lite.analysis.compare import difference_cells
from trove_lite.analysis.costs import requests_of
from trove_lite.analysis.independence import independent_runs
from trove_lite.analysis.scores import RERUN, distinct_score, oracle_score, redrawn, score, variance_of
from trove_lite.analysis.sides import Comparison
from trove_lite.analysis.variance import (
    MARGINS,
    Variance,
    p_below,
    power,
    problems_alone,
    problems_needed,
)
from trove_lite.candidates import selections

from .. import named
from .two_sides import MODES, OTHERS, PRIMITIVE, SIDES, SKIP_POOL, TROVE, budget, of_modes, source

PROBLEMS = 3201  # of MATH, numeric answers
WITHOUT_IMPORT = "trove_no_import"
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
    *(f"p_below_{100 * margin:g}" for margin in MARGINS),
    "run_sd_to_0",
    "runs_a",
    "runs_b",
    "problems",
]
DIFFERENCES = ["category", "rule", *analysis.DIFFERENCE_COLUMNS[1:]]
#: effect → what it compares, side `a` minus side `b`, and the section of the paper that is about it.
EFFECTS = {
    "selection": "one-stage minus two-stage selection of TROVE (§4.1.2)",
    "modes": "problems solved by two modes of TROVE (§4.2.1)",
    "selector": "a perfect selector minus one-stage agreement (§4.3)",
    "distinct": "distinct predictions a problem (§4.2.2)",
}
PAIRED = ["effect", "category", "k", "a", "b"]
ORDER_OF_MODES = (("CREATE", "SKIP"), ("SKIP", "IMPORT"), ("CREATE", "IMPORT"))


def differences(comparison: Comparison, *, k: int | None = None, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """TROVE minus PRIMITIVE at a matched budget of k calls, problem by problem: the claim itself.

    One-stage agreement and the oracle, each as in `analysis.compare.differences`, with one correction over both
    rules and all categories; `b` names what stands in for PRIMITIVE. The SKIP pool holds TROVE's own SKIP samples, so
    the two sides are not independent.
    """
    k, parts = budget(comparison, k), []
    for rule in ("one_stage", "oracle"):
        scores = {side: score(comparison[side], rule, k, seed=seed, resamples=resamples) for side in SIDES}
        part = analysis.differences(comparison, scores)
        parts.append(part.assign(rule=rule, b=[source(comparison, PRIMITIVE, c) for c in part["category"]]))
    found = analysis.corrected(pd.concat(parts, ignore_index=True))[DIFFERENCES]
    lacking = [f"no {side} runs" for side in SIDES if comparison[side].empty]
    note = "; ".join(lacking) or f"no problem has {k} samples on both sides"
    about = {"k": k, "categories": comparison.categories}
    return named(found, "reeval_differences", "The difference", comparison.title, note=note, **about)


def matched_budgets(comparison: Comparison, longer: Comparison | None = None) -> pd.DataFrame:
    """One-stage accuracy of TROVE, as recorded, and of PRIMITIVE at TROVE's cost (`analysis.costs`).

    longer: sides with runs of PRIMITIVE with more calls, of the same seeds; without them, its own. Nothing stands in.
    """
    rivals = (longer or comparison)[PRIMITIVE]
    both = replace(
        comparison,
        sides={TROVE: comparison[TROVE], PRIMITIVE: rivals[rivals["method"] != SKIP_POOL]},
        calls=pd.concat([requests_of(comparison, TROVE), requests_of(longer or comparison, PRIMITIVE)]),
    )
    return named(costs.matched_budgets(both), "reeval_matched_budgets", "The same cost", comparison.title)


def paired_differences(
    comparison: Comparison,
    *,
    k: int | None = None,
    k_mode: int | None = None,
    effects: Sequence[str] = tuple(EFFECTS),
    seed: int = 0,
    resamples: int = 100,
) -> pd.DataFrame:
    """`a` minus `b`, problem by problem, for each of `effects`: the columns of `differences`, and `k` calls.

    k_mode: samples of each mode, where modes are compared (None: the papers' 5, or as many as there are). `p_holm` is
    corrected over the whole table. Shares are fractions, of `distinct` a number of predictions. What the runs cannot
    compare has no row.
    """
    k, k_mode = budget(comparison, k), of_modes(comparison, k_mode)
    trove = comparison.by_mode[TROVE]

    def by(rule: str, side: str) -> pd.DataFrame:
        return score(comparison[side], rule, k, seed=seed, resamples=resamples)

    def compared(effect: str, scores: dict[str, pd.DataFrame], calls: int = k) -> pd.DataFrame:
        pairs = ORDER_OF_MODES if effect == "modes" else combinations(scores, 2)
        pairs = [pair for pair in pairs if all(len(scores[name]) for name in pair)]
        return analysis.differences(comparison, scores, pairs=pairs).assign(effect=effect, k=calls)

    parts = []
    if "selection" in effects:
        parts.append(
            compared("selection", {rule.replace("_", "-"): by(rule, TROVE) for rule in ("one_stage", "two_stage")})
        )
    if "modes" in effects:
        modes = {mode.upper(): oracle_score(trove[trove["mode"] == mode], k_mode) for mode in MODES}
        parts.append(compared("modes", modes, k_mode))
    for side in SIDES if "selector" in effects else ():
        parts.append(compared("selector", {f"{side}, {rule}": by(rule, side) for rule in ("oracle", "one_stage")}))
    if "distinct" in effects:
        parts.append(compared("distinct", {s: distinct_score(comparison[s], k, _predictions) for s in SIDES}))
    found = analysis.corrected(pd.concat([part for part in parts if len(part)] or parts[:1], ignore_index=True))
    for side in "ab":  # what stands in for PRIMITIVE is named
        fills = [source(comparison, PRIMITIVE, category) or PRIMITIVE for category in found["category"]]
        found[side] = [name.replace(PRIMITIVE, fill) for name, fill in zip(found[side], fills, strict=True)]
    found = found[[*PAIRED, *(column for column in found if column not in PAIRED)]]
    return named(found, "reeval_paired", "Paired differences", comparison.title, note=f"no {TROVE} runs", k=k)


def _predictions(ran: pd.DataFrame) -> pd.Series:
    """What a program printed, all of it."""
    return ran["answers"].map(tuple)


def power_table(comparison: Comparison, *, k: int | None = None, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """What the re-evaluation's design can see: the power of a paired test of k calls a problem, one-stage.

    A row for each number of `runs` a side and true difference (`effect`: 1, 2 and 3 points): the power with MATH's
    3,201 problems and the `problems_needed` for 80 %, from the variances that these runs show (their SDs stand beside:
    of the true difference over `problem`s, of a single run's sample and of a run's own effect, for each side). `low`,
    `high`: the power's 95 % interval, problems drawn anew within categories. A side of one run, as a pool is, cannot
    show its noise: it is taken to be as noisy, for its accuracy, as the other (`variance.alike`).
    """
    k = budget(comparison, k)
    scores = [score(comparison[side], "one_stage", k, seed=seed, resamples=resamples) for side in SIDES]
    found = variance_of(*scores)
    plans = [(runs, effect) for runs in (1, RERUN, 20) for effect in MARGINS] if found and found.problems > 1 else []
    again = redrawn(*scores, rng=np.random.default_rng(seed)) if plans else []
    rows = []
    for runs, effect in plans:
        plan = {"problems": PROBLEMS, "runs": runs}
        drawn = [p for v in again if not np.isnan(p := power(v, effect, **plan))] or [np.nan]
        rows.append(
            {
                "runs": runs,
                "effect": effect,
                "power_with_3201": power(found, effect, **plan),
                "low": np.quantile(drawn, 0.025),
                "high": np.quantile(drawn, 0.975),
                "problems_needed": problems_needed(found, effect, runs=runs),
                "problem": found.sds["problem"],
                **{f"sample_{side}": sd for side, sd in zip("ab", found.sds["sample"], strict=True)},
                **{f"run_{side}": sd for side, sd in zip("ab", found.sds["run"], strict=True)},
                "a": TROVE,
                "b": " and ".join(dict.fromkeys(source(comparison, PRIMITIVE, c) for c in found.labels)),
                "measured_on": found.problems,
            }
        )
    return named(pd.DataFrame(rows), "reeval_power", "Power", comparison.title, note="no problem of both sides", k=k)


def without_import(candidates: pd.DataFrame) -> pd.DataFrame:
    """TROVE minus TROVE without IMPORT, each problem's answer by two-stage selection: is it no worse without?

    Two rows a category and one each over all. `all runs`: the mean over all recorded runs, with its interval over
    problems alone, these runs as they are. `independent runs`: without those that repeat another, over problems and
    runs. `p_below_1`, `_2`, `_3`: that IMPORT adds less than so many points, one-sided (no worse, by that margin).
    `run_sd_to_0`: how large the SD of a run's own effect would have to be for the first interval to reach 0, with as
    many independent runs as there are; NaN where it covers 0 as it is.
    """
    methods = ("trove", WITHOUT_IMPORT)
    ours = candidates[candidates["method"].isin(methods)]
    shared = [c for c, part in ours.groupby("category", observed=True) if part["method"].nunique() == len(methods)]
    ours = ours[ours["category"].isin(shared)]
    kept, rows = {"all runs": ours, "independent runs": independent_runs(ours)}, []
    found = {name: _two_stage_difference(frame, methods) for name, frame in kept.items() if shared}
    for category in [*shared, *(["all"] if len(shared) > 1 else [])]:
        parts = {name: v.of(shared if category == "all" else [category]) for name, v in found.items()}
        runs = {name: _runs_a_side(kept[name], category, methods) for name in kept}
        for name, v in parts.items():
            said = problems_alone(v) if name == "all runs" else v
            cells = {key: value for key, value in difference_cells(said).items() if key in WITHOUT_IMPORT_COLUMNS}
            cells |= {f"p_below_{100 * margin:g}": p_below(said, margin) for margin in MARGINS}
            cells |= dict(zip(("runs_a", "runs_b"), runs[name], strict=True))
            cells["covers"] = "problems" if name == "all runs" else v.covers
            cells["run_sd_to_0"] = _run_sd_to_zero(said, parts["independent runs"]) if name == "all runs" else np.nan
            rows.append({"category": category, "counted": name, "a": TROVE, "b": OTHERS[WITHOUT_IMPORT]} | cells)
    found_rows = pd.DataFrame(rows, columns=WITHOUT_IMPORT_COLUMNS)
    titles = ", ".join(sorted(ours["model"].astype(str).unique()))
    note = "no category has runs both with and without IMPORT"
    return named(found_rows, "reeval_without_import", "Without IMPORT", titles, note=note)


def _run_sd_to_zero(v: Variance, independent: Variance) -> float:
    """The SD of a run's own effect at which the 95 % interval of `v`, over problems alone, would reach 0.

    From value = z sqrt(over_problems + sd^2 sum w^2 / independent), with the runs that are `independent`; NaN where it
    covers 0 without any. How far one may trust a difference of few runs, whose own effect they cannot show.
    """
    room = (v.value / stats.norm.ppf(0.975)) ** 2 - v.over_problems
    shares = float(independent.weights**2 @ (1 / independent.independent).sum(axis=1))
    return float(np.sqrt(room / shares)) if room > 0 else float("nan")


def _two_stage_difference(candidates: pd.DataFrame, methods: Sequence[str]) -> Variance:
    ended = selections(candidates)
    chosen = ended if len(ended) else choose(candidates, "two_stage")
    scores = chosen.assign(score=chosen["correct"].fillna(False).astype(float))
    return variance_of(*(scores[scores["method"] == method] for method in methods))


def _runs_a_side(candidates: pd.DataFrame, category: str, methods: Sequence[str]) -> list[float]:
    """Runs of each method: in the category, or on average in each."""
    here = candidates if category == "all" else candidates[candidates["category"] == category]
    runs = here.groupby(["method", "category"], observed=True)["run"].nunique()
    return [float(runs[method].mean()) for method in methods]
