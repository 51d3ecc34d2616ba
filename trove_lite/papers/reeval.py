"""The re-evaluation's tables, computed from candidates, each beside the numbers in print.

A function a table, named after it. Every table is long: one row a cell, with the columns of `cells.COLUMNS`. What the
data at hand cannot fill keeps its row, with the reason in `note`. Shares are fractions of 1.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from ..analysis import statistics as metrics
from ..analysis.study import Study, by_category, correct_counts, distinct_score, kept, matrix, oracle_score
from ..datasets.math import CATEGORIES
from . import cells
from .published_values import published_value

BUDGETS = (1, 3, 6, 9, 12, 15)
DIFFERENCE_COLUMNS = [
    "category", "system", "against", "difference", "low", "high", "p", "p_equivalent", "equivalent", "margin",
    "problems", "problems_needed",
]  # fmt: skip
TROVE_MODES = ("import", "create", "skip")


@kept
def table1(study: Study, *, k: int = 15, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """Accuracy at a matched budget of k calls (re-evaluation, Table 1)."""

    def score(method: str, rule: str) -> pd.DataFrame:
        return study.agreement(method, rule, k, seed=seed, resamples=resamples)

    def look_up(method: str, variant: str) -> cells.Look:
        return cells.printed("reeval_table1", study, method=method, variant=variant)

    return cells.stack(
        cells.only_printed("PRIMITIVE, original", look_up("PRIMITIVE", "original")),
        cells.measured(study, "PRIMITIVE", f"PRIMITIVE, K={k}", score("PRIMITIVE", "one_stage"),
               look_up("PRIMITIVE", "compute_matched"), seed=seed),
        cells.only_printed("TROVE, original", look_up("TROVE", "original")),
        cells.measured(study, "TROVE", "TROVE, two-stage", score("TROVE", "two_stage"),
               look_up("TROVE", "reproduced_two_stage"), seed=seed),
        cells.measured(study, "TROVE", "TROVE, one-stage", score("TROVE", "one_stage"),
               look_up("TROVE", "improved_one_stage"), seed=seed),
    )  # fmt: skip


@kept
def table2(study: Study, *, seed: int = 0) -> pd.DataFrame:
    """Share of problems that one mode alone solves (re-evaluation, Table 2)."""
    solved = _solved_by_mode(study)
    parts = []
    for mode in TROVE_MODES:
        others = [other for other in TROVE_MODES if other != mode]
        alone = solved.get(mode, False) & ~solved.reindex(columns=others, fill_value=False).any(axis=1)
        scores = alone.astype(float).rename("score").reset_index()
        look_up = cells.printed("reeval_table2", study, mode=mode.upper())
        parts.append(cells.measured(study, "TROVE", mode.upper(), scores, look_up, seed=seed))
    return cells.stack(*parts)


@kept
def table3(study: Study, *, k: int = 15, seed: int = 0) -> pd.DataFrame:
    """Distinct answers a problem among k samples (re-evaluation, Table 3).

    The paper does not say what makes two predictions the same, so both readings are given: `answers` compares the
    graded answer, `predictions` the whole list of printed numbers.
    """
    parts = []
    for of in ("answers", "predictions"):
        for method in ("PRIMITIVE", "TROVE"):
            scores = distinct_score(study.side(method), k, of)
            look_up = cells.printed("reeval_table3", study, method=method)
            parts.append(cells.measured(study, method, f"{method}, {of}", scores, look_up, seed=seed))
    return cells.stack(*parts)


@kept
def table5(
    study: Study,
    *,
    budgets: tuple[int, ...] = BUDGETS,
    seed: int = 0,
    resamples: int = 100,
) -> pd.DataFrame:
    """Accuracy of one-stage agreement at growing budgets, column `k` (re-evaluation, Table 5 and Figure 2)."""

    def score(method: str, k: int) -> pd.DataFrame:
        return study.agreement(method, "one_stage", k, seed=seed, resamples=resamples)

    return _curve(study, "reeval_table5", budgets, score, seed=seed)


@kept
def table6(study: Study, *, k: int = 15, seed: int = 0) -> pd.DataFrame:
    """Problems that one method solves and the other never does (re-evaluation, Table 6), as shares.

    Consistent: by every run of the method; potential: by some but not all of its runs. Both shrink and grow with
    the number of runs, which `note` states: compare with the paper's five runs a side accordingly.
    """
    sets = {method: _solved_sets(study, method, k) for method in ("TROVE", "PRIMITIVE")}
    parts = []
    for method, other in (("TROVE", "PRIMITIVE"), ("PRIMITIVE", "TROVE")):
        for kind in ("consistent", "potential"):
            masks, notes = [cells.no_scores()], {}
            for category in CATEGORIES:
                a, b = sets[method].get(category), sets[other].get(category)
                if a is None or b is None:
                    continue
                notes[category] = f"{len(a)} run(s) against {len(b)} of {study.source(other, category)}"
                if kind == "potential" and len(a) < 2:
                    notes[category] = f"some but not all of one run is nothing: {notes[category]}"
                    continue
                both = a.columns.intersection(b.columns)
                mask = getattr(metrics.gains(a[both].to_numpy(), b[both].to_numpy()), kind)
                masks.append(pd.DataFrame({"category": category, "run": "all", "problem": both, "score": mask * 1.0}))
            look_up = cells.printed("reeval_table6", study, column="percent", scale=100, method=method, gain=kind)
            scores = pd.concat([m for m in masks if len(m)]) if len(masks) > 1 else masks[0]
            part = cells.measured(study, method, f"{method}, {kind}", scores, look_up, seed=seed)
            parts.append(part.assign(note=part["category"].map(notes).fillna(part["note"])))
    return cells.stack(*parts)


@kept
def table7(study: Study, *, budgets: tuple[int, ...] = BUDGETS, seed: int = 0) -> pd.DataFrame:
    """Oracle accuracy pass@k at growing budgets, column `k` (re-evaluation, Table 7 and Figure 2)."""
    return _curve(study, "reeval_table7", budgets, lambda method, k: study.oracle(method, k), seed=seed)


@kept
def table8(study: Study) -> pd.DataFrame:
    """Number of problems by category and level, column `level` (re-evaluation, Table 8)."""
    problems = study.candidates.drop_duplicates(["category", "problem"])
    rows = []
    for category in CATEGORIES:
        part = problems[problems["category"] == category]
        for level in (*range(1, 6), "all"):
            here = len(part) if level == "all" else int((part["level"] == str(level)).sum())
            value = published_value("reeval_table8", "count", category=category, level=str(level))
            rows.append({
                "category": category, "system": "problems", "level": level,
                "published": value if study.dataset == "math" else np.nan,
                "ours": here if len(part) else np.nan, "runs": 0, "problems": len(part), "source": study.dataset,
                "note": "" if len(part) else "no runs of this category",
            })  # fmt: skip
    return cells.in_columns(pd.DataFrame(rows))


@kept
def table9(study: Study, *, k: int = 15, level: float = 0.95) -> pd.DataFrame:
    """Oracle accuracy pass@k by difficulty, column `level` (re-evaluation, Table 9).

    Cells are small, so intervals are Wilson's, on the mean over runs and the number of problems.
    """
    rows = []
    for method in ("PRIMITIVE", "TROVE"):
        present = by_category(study.oracle(method, k).dropna(subset="score"), study.covered)
        for category in [*CATEGORIES, *cells.over_categories(study)[:2]]:
            for difficulty in range(1, 6):
                look_up = cells.printed(
                    "reeval_table9", study, column="percent", scale=100, method=method, level=difficulty
                )
                cell = {
                    "category": category, "system": method, "level": difficulty,
                    "published": cells.printed_over(category, study.covered, look_up, str(difficulty))[0],
                    "source": study.source(method, category),
                }  # fmt: skip
                part = present.get(category)
                if part is None or not (part["level"] == str(difficulty)).any():
                    rows.append(cell | cells.absent(study, method, category))
                    continue
                values, _ = matrix(part[part["level"] == str(difficulty)])
                each = metrics.question_means(values)
                wilson = metrics.wilson(each.sum(), len(each), level=level)
                rows.append(cell | {
                    "ours": float(each.mean()), "low": float(wilson.low), "high": float(wilson.high),
                    "run_sd": metrics.run_sd(np.nanmean(values, axis=0)), "runs": values.shape[1],
                    "problems": len(each), "note": "",
                })  # fmt: skip
    return cells.in_columns(pd.DataFrame(rows))


@kept
def pass_by_mode(study: Study, *, k: int = 5, seed: int = 0) -> pd.DataFrame:
    """pass@k of each mode of TROVE (re-evaluation, Figure 1, whose values are not printed)."""
    parts = []
    for mode in TROVE_MODES:
        scores = oracle_score(study.trove[study.trove["mode"] == mode], k)
        parts.append(cells.measured(study, "TROVE", mode.upper(), scores, cells.nothing, seed=seed))
    return cells.stack(*parts)


@kept
def overlap(study: Study, *, k: int = 5, seed: int = 0, resamples: int = 1000) -> pd.DataFrame:
    """Mean Jaccard overlap between PRIMITIVE and each mode of TROVE (re-evaluation, Figure 3 and appendix B.3).

    Solved sets are those of k samples a mode. Where PRIMITIVE was not run, the SKIP samples of *another*
    independent run stand in: a run's own would overlap with themselves. `floor SKIP` and the like are the noise
    floor: the overlap of two runs of the same mode. Intervals resample problems.
    """
    rows = []
    for category in CATEGORIES:
        here = study.candidates[study.candidates["category"] == category]
        own = study.source("PRIMITIVE", category) == "PRIMITIVE"
        reference = _first_solved(here, "primitive" if own else "skip", k)
        for mode in TROVE_MODES:
            sets = _first_solved(here[here["method"] == "trove"], mode, k)
            pairs = [(p, t) for p in reference for t in sets if p[0] != t[0]]
            floor = [(a, b) for i, a in enumerate(sets) for b in sets[i + 1 :]]
            for system, compared in (
                (f"PRIMITIVE ~ {mode.upper()}", pairs),
                (f"floor {mode.upper()}", floor),
            ):
                cell = {"category": category, "system": system, "runs": len(compared), "problems": 0,
                        "source": "PRIMITIVE" if own else "SKIP of another run", "note": ""}  # fmt: skip
                if not compared:
                    reason = "needs two runs" if sets else "no TROVE runs of this category"
                    rows.append(cell | {"note": reason})
                    continue
                interval = _pairwise_jaccard(compared, seed=seed, resamples=resamples)
                rows.append(cell | {"ours": interval[0], "low": interval[1], "high": interval[2],
                                    "problems": len(compared[0][0][1])})  # fmt: skip
    return cells.in_columns(pd.DataFrame(rows))


@kept
def pooled_curve(study: Study, *, points: int = 6, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """Accuracy with the samples of all runs pooled, column `k`, by selection (re-evaluation, Figure 4, B.4).

    IMPORT samples of different runs saw different toolboxes; the paper pools them all the same, and so does this.
    """
    parts = []
    for method in ("PRIMITIVE", "TROVE"):
        side = study.side(method, together=True)
        side = side[side["category"].isin(study.covered)]
        if side.empty:
            continue
        step = 3 if method == "TROVE" else 1
        most = int(side.groupby(["category", "problem"], observed=True).size().min())
        rules = ("one_stage", "two_stage") if method == "TROVE" else ("one_stage",)
        for k in sorted({max(step, round(most * i / points / step) * step) for i in range(1, points + 1)}):
            scores = {"oracle": study.oracle(method, k, together=True)} | {
                rule.replace("_", "-"): study.agreement(method, rule, k, seed=seed, resamples=resamples, together=True)
                for rule in rules
            }
            for rule, score in scores.items():
                part = cells.measured(study, method, f"{method}, {rule}", score, cells.nothing, seed=seed)
                part.insert(2, "k", k)
                parts.append(part[part["ours"].notna()])
    return cells.in_columns(pd.concat(parts, ignore_index=True)) if parts else pd.DataFrame(columns=cells.COLUMNS)


@kept
def differences(
    study: Study,
    *,
    k: int = 15,
    margin: float = 0.01,
    seed: int = 0,
    resamples: int = 100,
) -> pd.DataFrame:
    """TROVE minus PRIMITIVE at a matched budget of k calls, problem by problem: the claim itself.

    One-stage agreement and the oracle, each with a paired 95 % interval, a sign-flip permutation test (`p`, and
    `p_holm` over the categories of a rule), the equivalence test against +-`margin` (`p_equivalent`; `equivalent`
    says whether the 90 % interval lies inside), and the number of problems it would take to see a difference of
    `margin` with 80 % power. The SKIP pool holds TROVE's own SKIP samples, so the two sides are not independent.
    """
    rows = []
    for rule in ("one_stage", "oracle"):
        each = {}
        for method in ("TROVE", "PRIMITIVE"):
            scores = (study.oracle(method, k) if rule == "oracle"
                      else study.agreement(method, rule, k, seed=seed, resamples=resamples))  # fmt: skip
            each[method] = scores.groupby(["category", "problem"], observed=True)["score"].mean()
        both = pd.DataFrame(each).dropna().reset_index()
        names = [c for c in CATEGORIES if (both["category"] == c).any()]
        for category in [
            *names,
            *(["all" if len(names) == len(CATEGORIES) else "covered"] if len(names) > 1 else []),
        ]:
            part = both[both["category"] == category] if category in names else both
            a, b = part["TROVE"].to_numpy(), part["PRIMITIVE"].to_numpy()
            rows.append({
                "category": category, "system": rule, "against": study.source("PRIMITIVE", category),
                **paired(a, b, margin=margin, seed=seed),
                "problems_needed": metrics.questions_needed(margin, omega_sd=float(np.std(a - b, ddof=1))),
            })  # fmt: skip
    frame = pd.DataFrame(rows, columns=DIFFERENCE_COLUMNS)
    single = frame["category"].isin(CATEGORIES)
    return frame.assign(p_holm=frame[single].groupby("system")["p"].transform(metrics.holm))


def paired(a: np.ndarray, b: np.ndarray, *, margin: float, seed: int) -> dict:
    """How scores on the same problems differ, as cells of a row: interval, permutation test, equivalence test."""
    difference, equivalence = metrics.paired_difference(a, b), metrics.tost(a, b, margin)
    return {
        "difference": difference.value, "low": difference.low, "high": difference.high,
        "p": metrics.sign_flip(a, b, seed=seed), "p_equivalent": equivalence.p,
        "equivalent": equivalence.equivalent, "margin": margin, "problems": difference.questions,
    }  # fmt: skip


def _first_solved(candidates: pd.DataFrame, mode: str, k: int) -> list[tuple[str, np.ndarray]]:
    """(run, solved by its first k samples of the mode) for each run that has so many."""
    part = candidates[(candidates["mode"] == mode)]
    part = part[part.groupby(["run", "method", "problem"], observed=True).cumcount() < k]
    solved = _any_correct(part, ["run", "method"])
    return [(run[0], row.to_numpy(dtype=bool)) for run, row in solved.iterrows()]


def _any_correct(candidates: pd.DataFrame, index: list[str] | str) -> pd.DataFrame:
    """Whether any candidate is correct, as (index × problems)."""
    verdict = candidates.assign(correct=candidates["correct"].fillna(False).astype(bool))
    return verdict.pivot_table(index=index, columns="problem", values="correct", aggfunc="any", observed=True)


def _pairwise_jaccard(pairs: list, *, seed: int, resamples: int) -> tuple[float, float, float]:
    a = np.array([one[1] for one, _ in pairs], dtype=float)
    b = np.array([other[1] for _, other in pairs], dtype=float)
    n = a.shape[1]
    weights = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples)
    both, either = a * b, np.maximum(a, b)

    def mean(weight: np.ndarray) -> np.ndarray:
        union = weight @ either.T
        share = np.divide(weight @ both.T, union, out=np.full(union.shape, np.nan), where=union > 0)
        return np.array([np.nan if np.isnan(row).all() else np.nanmean(row) for row in np.atleast_2d(share)])

    low, high = np.nanpercentile(mean(weights), [2.5, 97.5])
    return float(mean(np.ones((1, n)))[0]), float(low), float(high)


def _solved_by_mode(study: Study) -> pd.DataFrame:
    counts = correct_counts(study.trove) if len(study.trove) else pd.DataFrame(columns=["category", "run", "problem"])
    counts = counts.set_index(["category", "run", "problem"])
    found = [mode for mode in TROVE_MODES if f"c_{mode}" in counts]
    return pd.DataFrame({mode: counts[f"c_{mode}"] > 0 for mode in found}, index=counts.index)


def _solved_sets(study: Study, method: str, k: int) -> dict[str, pd.DataFrame]:
    """Solved by one of k samples, as (runs × problems) for each category; a pool of n samples makes n // k runs."""
    side = study.side(method)
    group = side.groupby(["method", "run", "category", "problem"], observed=True)
    place, size = group.cumcount(), group["sample"].transform("size")
    part = side.assign(_run=side["run"].astype(str) + "/" + (place // k).astype(str))[place < size // k * k]
    return {
        category: _any_correct(rows, "_run").astype(bool) for category, rows in part.groupby("category", observed=True)
    }


def _curve(study: Study, table: str, budgets: tuple[int, ...], score: Callable, *, seed: int) -> pd.DataFrame:
    parts = []
    for k in budgets:
        for method in ("PRIMITIVE", "TROVE"):
            if method == "TROVE" and k < len(TROVE_MODES):
                continue
            look_up = cells.printed(table, study, method=method, k=k)
            part = cells.measured(study, method, method, score(method, k), look_up, seed=seed)
            part.insert(2, "k", k)
            parts.append(part)
    return cells.in_columns(pd.concat(parts, ignore_index=True))
