"""Scores: a number for each problem and run, and the mean of many, or of a difference, with where
its variance lies.

A score is 0 or 1 where all that was recorded decides it, else an expectation over smaller budgets,
or null."""

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.judge.canonical import round_answer
from trove_lite.selection.tables import PROBLEM, expected_score, modes_of

from . import statistics as metrics
from .variance import (
    Runs,
    Variance,
    decompose,
    interval,
    pool_strata,
    prediction_interval,
    proportion_interval,
)

#: Rows over categories. Micro: the mean over problems; macro: the mean of the categories' means.
#: `all`: every category of the data set; `covered`: those that all systems of a comparison have.
ALL_MICRO = "all, micro"
ALL_MACRO = "all, macro"
COVERED_MICRO = "covered, micro"
COVERED_MACRO = "covered, macro"
#: Share of a category's problems that have to be scored for its mean to stand for the category.
NEARLY_ALL = 0.95
MACRO = (ALL_MACRO, COVERED_MACRO)
#: Runs of a paper, where a rerun of it is predicted or a study planned: both papers make five.
RERUN = 5


class Estimate(NamedTuple):
    """A mean over problems with its 95 % interval over problems and runs, where the mean of five
    new runs on the same problems falls (95 %), and the spread between runs."""

    value: float
    low: float
    high: float
    prediction_low: float
    prediction_high: float
    run_sd: float
    runs: int
    problems: int


def score(
    candidates: pd.DataFrame, rule: str, k: int, *, seed: int = 0, resamples: int = 100
) -> pd.DataFrame:
    """How often `rule`, a selection rule or `oracle`, is right with k of n samples (`score`;
    `worth`: n / k)."""
    if candidates.empty:
        return no_scores()
    scores = (
        oracle_score(candidates, k)
        if rule == "oracle"
        else expected_score(candidates, rule, k, seed=seed, resamples=resamples)
    )
    n = candidates.groupby(PROBLEM, observed=True).size().rename("worth") / k
    return scores.merge(n.reset_index(), on=PROBLEM, how="left")


def no_scores() -> pd.DataFrame:
    return pd.DataFrame({name: [] for name in [*PROBLEM, "level", "score", "worth"]})


def drop_unscored(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores without the problems that could not be scored, and the categories of which more than 5
    % could not."""
    known = scores.dropna(subset="score")
    whole, left = (
        part.groupby("category", observed=True)["problem"].nunique() for part in (scores, known)
    )
    share = left.reindex(whole.index).fillna(0) / whole
    return known[known["category"].isin(share.index[share >= NEARLY_ALL])]


def without(scores: pd.DataFrame, problems: Collection[tuple[str, int]]) -> pd.DataFrame:
    """Scores without these problems (category, number), in all runs: what one system lacks leaves
    both."""
    keys = zip(scores["category"].astype(str), scores["problem"], strict=True)
    return scores[np.array([key not in problems for key in keys], dtype=bool)]


def in_part(table: pd.DataFrame) -> str:
    """How many runs have only some of their category's problems, as a note; "" for none. `table`:
    scores by run."""
    categories = table.groupby(level="category", observed=True)
    of_run = categories.count()
    problems = categories.size()
    partial = int((of_run.gt(0) & of_run.lt(problems, axis=0)).sum().sum())
    runs = int(of_run.gt(0).sum().sum())
    return (
        f"{partial} of {runs} runs count in part: what repeats another is left out"
        if partial
        else ""
    )


def correct_counts(candidates: pd.DataFrame) -> pd.DataFrame:
    correct = candidates["correct"].fillna(False).astype("int64")
    grouped = candidates.assign(correct=correct).groupby([*PROBLEM, "mode"], observed=True)[
        "correct"
    ]
    table = grouped.agg(["size", "sum"]).unstack("mode", fill_value=0)
    table.columns = [f"{'n' if stat == 'size' else 'c'}_{mode}" for stat, mode in table.columns]
    table.insert(0, "level", candidates.groupby(PROBLEM, observed=True)["level"].first())
    return table.reset_index()


def oracle_score(candidates: pd.DataFrame, k: int) -> pd.DataFrame:
    """pass@k of each problem and run, null with too few samples; modes share k as in
    `expected_score`."""
    if candidates.empty:
        return no_scores()
    table = correct_counts(candidates)
    modes = modes_of(candidates)
    n, c = (table[[f"{what}_{mode}" for mode in modes]].to_numpy() for what in "nc")
    used = (n > 0).sum(axis=1, keepdims=True)
    share = np.where(
        n > 0,
        k // used + (np.cumsum(n > 0, axis=1) > used - k % used),
        0,
    )
    share = np.where(n.sum(axis=1, keepdims=True) == k, n, share)
    of_every_mode = ((share > 0) | (n == 0)).all(axis=1)
    right = np.where(of_every_mode, metrics.pass_at_k_by_mode(n, c, share), np.nan)
    return table[[*PROBLEM, "level"]].assign(score=right)


def distinct_score(
    candidates: pd.DataFrame, k: int, value: Callable[[pd.DataFrame], pd.Series]
) -> pd.DataFrame:
    """Expected number of distinct values among k samples (`value`: of those that ran): 1 - C(n-m,
    k)/C(n, k) each."""
    if candidates.empty:
        return no_scores()
    ran = candidates[(candidates["status"] == "ok").to_numpy()]
    ran = ran.assign(value=value(ran)).dropna(subset="value")
    size = (
        candidates.groupby(PROBLEM, observed=True)
        .agg(level=("level", "first"), n=("level", "size"))
        .reset_index()
    )
    count = (
        ran.groupby([*PROBLEM, "value"], observed=True)
        .size()
        .reset_index(name="m")
        .merge(size, on=PROBLEM)
    )
    count["score"] = metrics.pass_at_k(count["n"].to_numpy(), count["m"].to_numpy(), k)
    result = size.merge(
        count.groupby(PROBLEM, observed=True)["score"].sum().reset_index(), on=PROBLEM, how="left"
    )
    return result.assign(score=result["score"].fillna(0).where(result["n"] >= k))


def graded_answer(candidates: pd.DataFrame) -> pd.Series:
    """The answer of each candidate that is graded: a number rounded to two decimals, any other text
    as it is."""
    return candidates["answer"].map(round_answer, na_action="ignore")


def groups_of(categories: Sequence[str], covered: Sequence[str]) -> dict[str, Sequence[str]]:
    """The rows over several categories that a table has, by name, and what each is over; none for a
    single one."""
    if len(categories) < 2:
        return {}
    if len(covered) == len(categories):
        return dict.fromkeys((ALL_MICRO, ALL_MACRO), categories)
    return {ALL_MICRO: categories} | dict.fromkeys(
        (COVERED_MICRO, COVERED_MACRO) if len(covered) > 1 else (), covered
    )


def by_run(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores as a row a problem (index `category`, `problem`) and a column a run: of a category in
    name order."""
    category = scores["category"].astype(str)
    streams = (
        scores["run"].astype(str) + "\n" + scores["method"].astype(str)
        if "method" in scores
        else scores["run"]
    )
    number = streams.groupby([category, streams], observed=True).ngroup()
    run = (number - number.groupby(category).transform("min")).rename("run")
    keys = [scores["category"], scores["problem"], run]
    return scores["score"].groupby(keys, observed=True).mean().unstack("run").dropna(how="all")


def variance_of(scores: pd.DataFrame, minus: pd.DataFrame | None = None) -> Variance | None:
    """The decomposition of a mean over problems, or of the difference from `minus` on the problems
    that both have. Strata are categories, alike in what runs add (`pool_strata`). Runs whose
    problems share nothing (`shares_state`) add nothing; scores of the same runs are subtracted run
    by run. None where there is no scored problem."""
    index, runs = _side_by_side(scores, minus)
    if not len(index):
        return None
    strata = index.get_level_values("category").astype(str)
    return pool_strata(decompose(*runs, strata=strata))


def over_problems(scores: pd.DataFrame, minus: pd.DataFrame) -> Variance:
    """The same where problems alone vary, those of all categories alike: of each the mean over its
    runs."""
    means = [np.nanmean(own.scores, axis=1) for own in _side_by_side(scores, minus)[1]]
    return decompose(np.subtract(*means)[:, None] if len(means) > 1 else means[0][:, None])


def _side_by_side(scores: pd.DataFrame, minus: pd.DataFrame | None) -> tuple[pd.Index, list[Runs]]:
    """The problems that all have scores of, and the scores, problem by run; of the same runs, their
    differences."""
    parts = [part.dropna(subset="score") for part in (scores, minus) if part is not None]
    if len(parts) > 1 and all({"method", "run"} <= set(part) for part in parts):
        both = parts[0].merge(
            parts[1], on=["method", "run", "category", "problem"], suffixes=("", "_minus")
        )
        parts = [both.assign(score=both["score"] - both["score_minus"])] if len(both) else parts
    systems = [by_run(part) for part in parts]
    index = systems[0].index.intersection(systems[-1].index)
    runs = []
    for system, part in zip(systems, parts, strict=True):
        part = part.assign(worth=part.get("worth", 1.0))
        worth = part.groupby(["category", "problem"], observed=True)["worth"].mean()
        values, worth = (table.loc[index].to_numpy(dtype=float) for table in (system, worth))
        runs.append(Runs(values, run_effect(part), worth))
    return index, runs


def run_effect(*rows: pd.DataFrame) -> float | None:
    """SD of a run's own effect: 0 where no run of these rows shares anything among its problems,
    else None."""
    return (
        None
        if any("shares_state" not in part or part["shares_state"].any() for part in rows)
        else 0.0
    )


def estimate(scores: pd.DataFrame) -> Estimate:
    """Mean over problems with its intervals (`estimate_of`)."""
    return estimate_of(by_run(scores), variance_of(scores))


def estimate_of(table: pd.DataFrame, v: Variance | None, *, macro: bool = False) -> Estimate:
    """The mean of scores by run (`by_run`) with variance `v`; shares have Wilson's interval, other
    scores Student's."""
    if v is None or table.empty:
        return Estimate(*[float("nan")] * 6, runs=0, problems=0)
    values = table.to_numpy(dtype=float)
    category = table.index.get_level_values("category").to_numpy()
    values = values[:, ~np.isnan(values).all(axis=0)]  # the runs of these categories
    share = bool(((values >= 0) & (values <= 1) | np.isnan(values)).all())
    found = proportion_interval(v) if share else interval(v)
    low, high = prediction_interval(v, RERUN)[1:3]
    ends = (max(low, 0.0), min(high, 1.0)) if share and low == low else (low, high)
    groups = [category == c for c in np.unique(category)] if macro else [slice(None)]
    whole = values[:, ~np.isnan(values).any(axis=0)]
    sd = metrics.run_sd(
        np.mean(
            [whole[rows].mean(axis=0) for rows in groups],
            axis=0,
        )
    )
    return Estimate(v.value, found.low, found.high, *ends, sd, values.shape[1], len(values))
