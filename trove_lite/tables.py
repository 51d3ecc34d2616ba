"""The re-evaluation's tables, computed from candidates, each beside the numbers in print.

A function a table, named after it. Every table is long: one row a cell, with the columns of `COLUMNS`. What the
data at hand cannot fill keeps its row, with the reason in `note`. Shares are fractions of 1.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from . import metrics
from .problems import CATEGORIES
from .published import published, published_value
from .resample import MODES, expected_score
from .study import (
    ALL_MACRO,
    ALL_MICRO,
    COVERED_MACRO,
    COVERED_MICRO,
    Study,
    by_category,
    correct_counts,
    distinct_score,
    estimate,
    matrix,
    oracle_score,
    pooled,
)

#: `published` and `published_sd` are the paper's; `ours` with its 95 % interval (`low`, `high`), the standard
#: deviation between `runs` runs and the number of `problems` are computed; `source` says what was measured.
COLUMNS = [
    "category", "system", "published", "published_sd", "ours", "low", "high", "run_sd", "runs", "problems", "source",
    "note",
]  # fmt: skip
BUDGETS = (1, 3, 6, 9, 12, 15)
TROVE_MODES = ("import", "create", "skip")

Scores = pd.DataFrame
Print = Callable[[str], tuple[float, float]]


def table1(candidates: pd.DataFrame | Study, *, k: int = 15, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """Accuracy at a matched budget of k calls (re-evaluation, Table 1)."""
    study = Study.of(candidates)

    def score(method: str, rule: str) -> Scores:
        return study.agreement(method, rule, k, seed=seed, resamples=resamples)

    def printed(method: str, variant: str) -> Print:
        return _printed("reeval_table1", study, method=method, variant=variant)

    return _stack(
        _only_printed(study, "PRIMITIVE, original", printed("PRIMITIVE", "original")),
        _cells(study, "PRIMITIVE", f"PRIMITIVE, K={k}", score("PRIMITIVE", "one_stage"),
               printed("PRIMITIVE", "compute_matched"), seed=seed),
        _only_printed(study, "TROVE, original", printed("TROVE", "original")),
        _cells(study, "TROVE", "TROVE, two-stage", score("TROVE", "two_stage"),
               printed("TROVE", "reproduced_two_stage"), seed=seed),
        _cells(study, "TROVE", "TROVE, one-stage", score("TROVE", "one_stage"),
               printed("TROVE", "improved_one_stage"), seed=seed),
    )  # fmt: skip


def table2(candidates: pd.DataFrame | Study, *, seed: int = 0) -> pd.DataFrame:
    """Share of problems that one mode alone solves (re-evaluation, Table 2)."""
    study = Study.of(candidates)
    solved = _solved_by_mode(study)
    parts = []
    for mode in TROVE_MODES:
        others = [other for other in TROVE_MODES if other != mode]
        alone = solved.get(mode, False) & ~solved.reindex(columns=others, fill_value=False).any(axis=1)
        scores = alone.astype(float).rename("score").reset_index()
        printed = _printed("reeval_table2", study, mode=mode.upper())
        parts.append(_cells(study, "TROVE", mode.upper(), scores, printed, seed=seed))
    return _stack(*parts)


def table3(candidates: pd.DataFrame | Study, *, k: int = 15, seed: int = 0) -> pd.DataFrame:
    """Distinct answers a problem among k samples (re-evaluation, Table 3).

    The paper does not say what makes two predictions the same, so both readings are given: `answers` compares the
    graded answer, `predictions` the whole list of printed numbers.
    """
    study = Study.of(candidates)
    parts = []
    for of in ("answers", "predictions"):
        for method in ("PRIMITIVE", "TROVE"):
            scores = distinct_score(study.side(method), k, of)
            printed = _printed("reeval_table3", study, method=method)
            parts.append(_cells(study, method, f"{method}, {of}", scores, printed, seed=seed))
    return _stack(*parts)


def table5(
    candidates: pd.DataFrame | Study,
    *,
    budgets: tuple[int, ...] = BUDGETS,
    seed: int = 0,
    resamples: int = 100,
) -> pd.DataFrame:
    """Accuracy of one-stage agreement at growing budgets, column `k` (re-evaluation, Table 5 and Figure 2)."""
    study = Study.of(candidates)

    def score(method: str, k: int) -> Scores:
        return study.agreement(method, "one_stage", k, seed=seed, resamples=resamples)

    return _curve(study, "reeval_table5", budgets, score, seed=seed)


def table6(candidates: pd.DataFrame | Study, *, k: int = 15, seed: int = 0) -> pd.DataFrame:
    """Problems that one method solves and the other never does (re-evaluation, Table 6), as shares.

    Consistent: by every run of the method; potential: by some but not all of its runs. Both shrink and grow with
    the number of runs, which `note` states: compare with the paper's five runs a side accordingly.
    """
    study = Study.of(candidates)
    sets = {method: _solved_sets(study, method, k) for method in ("TROVE", "PRIMITIVE")}
    parts = []
    for method, other in (("TROVE", "PRIMITIVE"), ("PRIMITIVE", "TROVE")):
        for kind in ("consistent", "potential"):
            masks, notes = [_no_scores()], {}
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
            printed = _printed("reeval_table6", study, column="percent", scale=100, method=method, gain=kind)
            scores = pd.concat([m for m in masks if len(m)]) if len(masks) > 1 else masks[0]
            cells = _cells(study, method, f"{method}, {kind}", scores, printed, seed=seed)
            parts.append(cells.assign(note=cells["category"].map(notes).fillna(cells["note"])))
    return _stack(*parts)


def table7(candidates: pd.DataFrame | Study, *, budgets: tuple[int, ...] = BUDGETS, seed: int = 0) -> pd.DataFrame:
    """Oracle accuracy pass@k at growing budgets, column `k` (re-evaluation, Table 7 and Figure 2)."""
    study = Study.of(candidates)
    return _curve(study, "reeval_table7", budgets, lambda method, k: study.oracle(method, k), seed=seed)


def table8(candidates: pd.DataFrame | Study) -> pd.DataFrame:
    """Number of problems by category and level, column `level` (re-evaluation, Table 8)."""
    study = Study.of(candidates)
    problems = study.candidates.drop_duplicates(["category", "problem"])
    rows = []
    for category in CATEGORIES:
        part = problems[problems["category"] == category]
        for level in (*range(1, 6), "all"):
            here = len(part) if level == "all" else int((part["level"] == level).sum())
            value = published_value("reeval_table8", "count", category=category, level=str(level))
            rows.append({
                "category": category, "system": "problems", "level": level,
                "published": value if study.dataset == "math" else np.nan,
                "ours": here if len(part) else np.nan, "runs": 0, "problems": len(part), "source": study.dataset,
                "note": "" if len(part) else "no runs of this category",
            })  # fmt: skip
    return _in_columns(pd.DataFrame(rows))


def table9(candidates: pd.DataFrame | Study, *, k: int = 15, level: float = 0.95) -> pd.DataFrame:
    """Oracle accuracy pass@k by difficulty, column `level` (re-evaluation, Table 9).

    Cells are small, so intervals are Wilson's, on the mean over runs and the number of problems.
    """
    study = Study.of(candidates)
    rows = []
    for method in ("PRIMITIVE", "TROVE"):
        present = by_category(study.oracle(method, k).dropna(subset="score"), study.covered)
        for category in [*CATEGORIES, *_over_categories(study)[:2]]:
            for difficulty in range(1, 6):
                printed = _printed("reeval_table9", study, column="percent", scale=100, method=method, level=difficulty)
                cell = {
                    "category": category, "system": method, "level": difficulty,
                    "published": _printed_over(category, study.covered, printed, str(difficulty))[0],
                    "source": study.source(method, category),
                }  # fmt: skip
                part = present.get(category)
                if part is None or not (part["level"] == difficulty).any():
                    rows.append(cell | _absent(study, method, category))
                    continue
                values, _ = matrix(part[part["level"] == difficulty])
                each = metrics.question_means(values)
                wilson = metrics.wilson(each.sum(), len(each), level=level)
                rows.append(cell | {
                    "ours": float(each.mean()), "low": float(wilson.low), "high": float(wilson.high),
                    "run_sd": metrics.run_sd(np.nanmean(values, axis=0)), "runs": values.shape[1],
                    "problems": len(each), "note": "",
                })  # fmt: skip
    return _in_columns(pd.DataFrame(rows))


def pass_by_mode(candidates: pd.DataFrame | Study, *, k: int = 5, seed: int = 0) -> pd.DataFrame:
    """pass@k of each mode of TROVE (re-evaluation, Figure 1, whose values are not printed)."""
    study = Study.of(candidates)
    parts = []
    for mode in TROVE_MODES:
        scores = oracle_score(study.trove[study.trove["mode"] == mode], k)
        parts.append(_cells(study, "TROVE", mode.upper(), scores, _nothing, seed=seed))
    return _stack(*parts)


def overlap(candidates: pd.DataFrame | Study, *, k: int = 5, seed: int = 0, resamples: int = 1000) -> pd.DataFrame:
    """Mean Jaccard overlap between PRIMITIVE and each mode of TROVE (re-evaluation, Figure 3 and appendix B.3).

    Solved sets are those of k samples a mode. Where PRIMITIVE was not run, the SKIP samples of *another*
    independent run stand in: a run's own would overlap with themselves. `floor SKIP` and the like are the noise
    floor: the overlap of two runs of the same mode. Intervals resample problems.
    """
    study = Study.of(candidates)
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
    return _in_columns(pd.DataFrame(rows))


def pooled_curve(
    candidates: pd.DataFrame | Study, *, points: int = 8, seed: int = 0, resamples: int = 100
) -> pd.DataFrame:
    """Accuracy with the samples of all runs pooled, column `k`, by selection (re-evaluation, Figure 4, B.4).

    IMPORT samples of different runs saw different toolboxes; the paper pools them all the same, and so does this.
    """
    study = Study.of(candidates)
    parts = []
    for method in ("PRIMITIVE", "TROVE"):
        side = pooled(study.side(method))
        side = side[side["category"].isin(study.covered)]
        if side.empty:
            continue
        step = 3 if method == "TROVE" else 1
        most = int(side.groupby(["category", "problem"], observed=True).size().min())
        for k in sorted({int(max(step, round(most * i / points / step) * step)) for i in range(1, points + 1)}):
            scores = {"oracle": oracle_score(side, k)}
            for rule in ("one_stage", "two_stage") if method == "TROVE" else ("one_stage",):
                scores[rule.replace("_", "-")] = expected_score(side, rule, k, seed=seed, resamples=resamples)
            for rule, score in scores.items():
                cells = _cells(study, method, f"{method}, {rule}", score, _nothing, seed=seed)
                cells.insert(2, "k", k)
                parts.append(cells[cells["ours"].notna()])
    return _in_columns(pd.concat(parts, ignore_index=True)) if parts else pd.DataFrame(columns=COLUMNS)


def differences(
    candidates: pd.DataFrame | Study,
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
    study = Study.of(candidates)
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
            difference, equivalence = metrics.paired_difference(a, b), metrics.tost(a, b, margin)
            rows.append({
                "category": category, "system": rule, "against": study.source("PRIMITIVE", category),
                "difference": difference.value, "low": difference.low, "high": difference.high,
                "p": metrics.sign_flip(a, b, seed=seed), "p_equivalent": equivalence.p,
                "equivalent": equivalence.equivalent, "margin": margin, "problems": len(part),
                "problems_needed": metrics.questions_needed(margin, omega_sd=float(np.std(a - b, ddof=1))),
            })  # fmt: skip
    frame = pd.DataFrame(rows)
    if len(frame):
        single = frame["category"].isin(CATEGORIES)
        frame["p_holm"] = frame[single].groupby("system")["p"].transform(metrics.holm)
    return frame


def _first_solved(candidates: pd.DataFrame, mode: str, k: int) -> list[tuple[str, np.ndarray]]:
    """(run, solved by its first k samples of the mode) for each run that has so many."""
    part = candidates[(candidates["mode"] == mode)]
    part = part[part.groupby(["run", "method", "problem"], observed=True).cumcount() < k]
    correct = part.assign(correct=part["correct"].fillna(False).astype(bool))
    wide = correct.pivot_table(
        index=["run", "method"], columns="problem", values="correct", aggfunc="any", observed=True
    )
    return [(run[0], row.to_numpy(dtype=bool)) for run, row in wide.iterrows()]


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
    return pd.DataFrame({mode: counts[f"c_{mode}"] > 0 for mode in MODES if f"c_{mode}" in counts}, index=counts.index)


def _solved_sets(study: Study, method: str, k: int) -> dict[str, pd.DataFrame]:
    """Solved by one of the first k samples, as (runs × problems) for each category.

    A pool of n samples counts as n // k disjoint runs.
    """
    side = study.side(method)
    part = side.assign(correct=side["correct"].fillna(False).astype(bool),
                       _order=side.groupby(["method", "run", "category", "problem"], observed=True).cumcount())  # fmt: skip
    size = part.groupby(["method", "run", "category", "problem"], observed=True)["_order"].transform("size")
    part = part.assign(_run=part["run"].astype(str) + "/" + (part["_order"] // k).astype(str))
    part = part[part["_order"] < size // k * k]
    return {
        category: rows.pivot_table(index="_run", columns="problem", values="correct", aggfunc="any", observed=True).astype(bool)
        for category, rows in part.groupby("category", observed=True)
        if len(rows)
    }  # fmt: skip


def _curve(study: Study, table: str, budgets: tuple[int, ...], score: Callable, *, seed: int) -> pd.DataFrame:
    parts = []
    for k in budgets:
        for method in ("PRIMITIVE", "TROVE"):
            if method == "TROVE" and k < len(TROVE_MODES):
                continue
            printed = _printed(table, study, method=method, k=k)
            cells = _cells(study, method, method, score(method, k), printed, seed=seed)
            cells.insert(2, "k", k)
            parts.append(cells)
    return _in_columns(pd.concat(parts, ignore_index=True))


def _cells(study: Study, method: str, system: str, scores: Scores, printed: Print, *, seed: int) -> pd.DataFrame:
    """One row a category, then the rows over all categories, each with its estimate or the reason for none."""
    present = by_category(scores.dropna(subset="score"), study.covered)
    rows = []
    for category in [*CATEGORIES, *_over_categories(study)]:
        printed_mean, printed_sd = _printed_over(category, study.covered, printed)
        row = {"category": category, "system": system, "published": printed_mean, "published_sd": printed_sd,
               "source": study.source(method, category)}  # fmt: skip
        if category in present:
            found = estimate(present[category], seed=seed, macro=category in (ALL_MACRO, COVERED_MACRO))
            note = ", ".join(study.covered) if category in (COVERED_MICRO, COVERED_MACRO) else ""
            rows.append(row | found._asdict() | {"note": note})
        else:
            rows.append(row | _absent(study, method, category))
    return _in_columns(pd.DataFrame(rows))


def _over_categories(study: Study) -> list[str]:
    """The names of the rows over categories that a table of this study has."""
    if len(study.covered) == len(CATEGORIES):
        return [ALL_MICRO, ALL_MACRO]
    return [ALL_MICRO] + ([COVERED_MICRO, COVERED_MACRO] if len(study.covered) > 1 else [])


def _printed_over(category: str, covered: list[str], printed: Print, level: str = "all") -> tuple[float, float]:
    """What is printed for a row; over several categories, where nothing is, the mean of their printed cells.

    The mean is of rounded cells; its micro weights are the printed numbers of problems of that level.
    """
    if category == ALL_MICRO:
        return printed("MATH")
    if category in CATEGORIES:
        return printed(category)
    values = [printed(c)[0] for c in covered]
    if category != COVERED_MICRO:
        return metrics.macro_mean(values), float("nan")
    sizes = [published_value("reeval_table8", "count", category=c, level=level) for c in covered]
    return metrics.micro_mean(values, sizes), float("nan")


def _printed(table: str, study: Study, *, column: str = "mean", scale: float = 1, **where: object) -> Print:
    """How to look up a printed cell by category; nothing is printed for data sets other than MATH."""
    if study.dataset != "math":
        return _nothing
    has_sd = "std" in published(table)

    def look_up(category: str) -> tuple[float, float]:
        sd = published_value(table, "std", category=category, **where) if has_sd else float("nan")
        return published_value(table, column, category=category, **where) / scale, sd

    return look_up


def _nothing(category: str) -> tuple[float, float]:
    return float("nan"), float("nan")


def _only_printed(study: Study, system: str, printed: Print) -> pd.DataFrame:
    rows = [{"category": c, "system": system, "published": _printed_over(c, [], printed)[0], "runs": 0, "problems": 0, "source": "",
             "note": "printed in the TroVE paper; not run here"} for c in (*CATEGORIES, ALL_MICRO)]  # fmt: skip
    return _in_columns(pd.DataFrame(rows))


def _absent(study: Study, method: str, category: str) -> dict:
    """Why a cell is empty."""
    side = study.side(method)
    if category not in CATEGORIES:
        missing = [c for c in CATEGORIES if not (side["category"] == c).any()]
        reason = f"no {method} runs of {', '.join(missing)}" if missing else "too few samples in a category"
    elif not (side["category"] == category).any():
        reason = f"no {method} runs of this category"
    else:
        here = side[side["category"] == category]
        size = here.groupby(["run", "problem"], observed=True).size().min()
        reason = f"only {size} {study.source(method, category)} samples a problem"
    return {"runs": 0, "problems": 0, "note": reason}


def _no_scores() -> Scores:
    return pd.DataFrame({"category": [], "run": [], "problem": [], "score": []})


def _stack(*parts: pd.DataFrame) -> pd.DataFrame:
    return _in_columns(pd.concat(parts, ignore_index=True))


def _in_columns(frame: pd.DataFrame) -> pd.DataFrame:
    extra = [column for column in ("k", "level") if column in frame]
    columns = [*COLUMNS[:2], *extra, *COLUMNS[2:]]
    return frame.reindex(columns=columns).astype({"runs": "int64", "problems": "int64"})
