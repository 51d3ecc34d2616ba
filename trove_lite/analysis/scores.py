"""Scores: a number for each problem and run, and the mean of many with its interval.

A score is 0 or 1 where all that was recorded decides it, else an expectation over smaller budgets; null where a problem
has too few samples. It compares nothing: that is `comparison`.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from . import statistics as metrics
from .choose import PROBLEM, expected_score, modes_of

#: Rows over categories. Micro: the mean over problems; macro: the mean of the categories' means. `all`: every category
#: of the data set; `covered`: those that all sides of a comparison have.
ALL_MICRO, ALL_MACRO = "all, micro", "all, macro"
COVERED_MICRO, COVERED_MACRO = "covered, micro", "covered, macro"
MACRO = (ALL_MACRO, COVERED_MACRO)


class Estimate(NamedTuple):
    """A mean over problems with its interval over problems and runs, and the spread between runs apart from it."""

    value: float
    low: float
    high: float
    run_sd: float
    runs: int
    problems: int


def score(candidates: pd.DataFrame, rule: str, k: int, *, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """How often `rule`, a selection rule or `oracle`, is right with k samples a problem: column `score`."""
    if candidates.empty:
        return no_scores()
    if rule == "oracle":
        return oracle_score(candidates, k)
    return expected_score(candidates, rule, k, seed=seed, resamples=resamples)


def selected_score(selected: pd.DataFrame) -> pd.DataFrame:
    """Whether the answer that a recorded run ended with is right (`candidates.selections`): column `score`."""
    columns = [*PROBLEM, "level"]
    return selected[columns].assign(score=selected["correct"].astype(float).to_numpy()).reset_index(drop=True)


def no_scores() -> pd.DataFrame:
    """Scores of no problem at all."""
    return pd.DataFrame({name: [] for name in [*PROBLEM, "level", "score"]})


def pooled(candidates: pd.DataFrame) -> pd.DataFrame:
    """The samples of all runs as one run, mode by mode."""
    pool = candidates.copy()
    pool["sample"] = pool.groupby(["category", "problem", "mode"], observed=True).cumcount().astype("Int32")
    return pool.assign(run="pool")


def correct_counts(candidates: pd.DataFrame) -> pd.DataFrame:
    """Samples (`n_MODE`) and correct ones (`c_MODE`) of each problem and run, by mode."""
    correct = candidates["correct"].fillna(False).astype("int64")
    grouped = candidates.assign(correct=correct).groupby([*PROBLEM, "mode"], observed=True)["correct"]
    table = grouped.agg(["size", "sum"]).unstack("mode", fill_value=0)
    table.columns = [f"{'n' if stat == 'size' else 'c'}_{mode}" for stat, mode in table.columns]
    table.insert(0, "level", _levels(candidates))
    return table.reset_index()


def oracle_score(candidates: pd.DataFrame, k: int) -> pd.DataFrame:
    """pass@k of each problem and run: column `score`, null where a problem has too few samples.

    Of several modes, k is split evenly over them, the remainder to the later ones, as in `expected_score`.
    """
    if candidates.empty:
        return no_scores()
    table, modes = correct_counts(candidates), modes_of(candidates)
    n = table[[f"n_{mode}" for mode in modes]].to_numpy()
    c = table[[f"c_{mode}" for mode in modes]].to_numpy()
    used = (n > 0).sum(axis=1, keepdims=True)
    later = np.cumsum(n > 0, axis=1) > used - k % used
    share = np.where(n > 0, k // used + later, 0)
    share = np.where(n.sum(axis=1, keepdims=True) == k, n, share)
    whole = (share <= n).all(axis=1) & (share.sum(axis=1) == k) & ((share > 0) | (n == 0)).all(axis=1)
    scores = np.where(whole, metrics.pass_at_k_by_mode(n, c, np.minimum(share, n)), np.nan)
    return table[[*PROBLEM, "level"]].assign(score=scores)


def distinct_score(candidates: pd.DataFrame, k: int, value: Callable[[pd.DataFrame], pd.Series]) -> pd.DataFrame:
    """Expected number of distinct values among k samples of a problem, for each run: column `score`.

    `value`: of each candidate that ran, null where it has none. A value with m of n samples is among k of them with
    probability 1 - C(n-m, k)/C(n, k); nothing is drawn where k = n.
    """
    if candidates.empty:
        return no_scores()
    ran = candidates[(candidates["status"] == "ok").to_numpy()]
    ran = ran.assign(value=value(ran)).dropna(subset="value")
    count = ran.groupby([*PROBLEM, "value"], observed=True).size().rename("m").reset_index()
    size = candidates.groupby(PROBLEM, observed=True).size().rename("n").to_frame()
    size.insert(0, "level", _levels(candidates))
    size = size.reset_index()
    count = count.merge(size, on=PROBLEM)
    count["expected"] = metrics.pass_at_k(count["n"].to_numpy(), count["m"].to_numpy(), k)
    expected = count.groupby(PROBLEM, observed=True)["expected"].sum(min_count=1).rename("score").reset_index()
    result = size.merge(expected, on=PROBLEM, how="left")
    return result.assign(score=np.where(result["n"] < k, np.nan, result["score"].fillna(0)))


def graded_answer(candidates: pd.DataFrame) -> pd.Series:
    """The answer of each candidate that is graded: a number rounded to two decimals, any other text as it is."""
    return candidates["answer"].map(_rounded, na_action="ignore")


def _rounded(answer: str) -> float | str:
    try:
        return float(np.round(float(answer), 2))
    except ValueError:
        return answer


def _levels(candidates: pd.DataFrame) -> pd.Series:
    return candidates.groupby(PROBLEM, observed=True)["level"].first()


def by_category(scores: pd.DataFrame, categories: Sequence[str], covered: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Scores of each of `categories` and, where all `covered` ones are scored, of those together.

    The rows over several are those of `over_categories`; there are none where only one category is covered, but the
    one over all that this side alone may have.
    """
    parts = {c: part for c in categories if len(part := scores[scores["category"] == c])}
    if len(covered) > 1 and set(covered) <= set(parts):
        together = scores[scores["category"].isin(covered)]
        whole = len(covered) == len(categories)
        parts |= dict.fromkeys((ALL_MICRO, ALL_MACRO) if whole else (COVERED_MICRO, COVERED_MACRO), together)
    if len(categories) > 1 and set(parts) >= set(categories):
        parts[ALL_MICRO] = scores
    return parts


def over_categories(categories: Sequence[str], covered: Sequence[str]) -> list[str]:
    """The names of the rows over several categories that a table has; none for a data set with one category."""
    if len(categories) < 2:
        return []
    if len(covered) == len(categories):
        return [ALL_MICRO, ALL_MACRO]
    return [ALL_MICRO] + ([COVERED_MICRO, COVERED_MACRO] if len(covered) > 1 else [])


def matrix(scores: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Scores as (problems, runs), runs of a category in name order, and each problem's category."""
    run = scores.groupby("category", observed=True)["run"].transform(lambda r: pd.factorize(r, sort=True)[0])
    wide = scores.assign(_run=run).pivot_table(
        index=["category", "problem"], columns="_run", values="score", observed=True, dropna=False
    )
    wide = wide.dropna(how="all")
    return wide.to_numpy(dtype=float), wide.index.get_level_values("category").to_numpy()


def estimate(scores: pd.DataFrame, *, seed: int, macro: bool = False, resamples: int = 1000) -> Estimate:
    """Mean over problems (micro), or of the categories' means (macro), with a 95 % interval.

    One run: Wilson's interval where every score is right or wrong, Student's t over problems otherwise. Several:
    the two-way bootstrap over problems and runs. Problems that could not be scored are left out, not counted as
    wrong.
    """
    values, category = matrix(scores.dropna(subset="score"))
    if not len(values):
        nan = float("nan")
        return Estimate(nan, nan, nan, nan, 0, 0)
    strata = category if macro else None
    runs = values.shape[1]
    if not macro and runs == 1 and np.isin(values, (0, 1)).all():
        interval = metrics.Interval(*map(float, metrics.wilson(values.sum(), len(values))))
    elif macro or runs > 1:
        interval = metrics.two_way_bootstrap(values, seed=seed, resamples=resamples, strata=strata)
    else:
        interval = metrics.mean_interval(values[:, 0])
    means = [_mean(values[:, r], category, macro) for r in range(runs) if not np.isnan(values[:, r]).all()]
    return Estimate(interval.value, interval.low, interval.high, metrics.run_sd(means), runs, len(values))


def _mean(values: np.ndarray, category: np.ndarray, macro: bool) -> float:
    if not macro:
        return float(np.nanmean(values))
    return metrics.macro_mean([metrics.question_means(values[category == c][None])[0] for c in np.unique(category)])
