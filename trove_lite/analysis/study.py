"""From candidates to scores: what every table and figure starts with.

Leaves out runs that copy others, finds what stands for PRIMITIVE, scores each problem at a budget, and summarises
scores over problems and runs. It draws nothing and knows no published number.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from inspect import signature
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..datasets.math import CATEGORIES
from ..errors import TroveLiteError
from ..selection import rounded
from . import statistics as metrics
from .choose import PROBLEM, expected_score, in_order, modes_of
from .independence import independent_runs

SKIP_POOL = "SKIP pool"
MODEL_NAMES = {"practice": "the practice model (a million parameters)"}
DATASET_NAMES = {"math": "MATH", "practice": "the practice problems"}
#: Rows over categories. Micro: the mean over problems; macro: the mean of the categories' means.
ALL_MICRO, ALL_MACRO = "all, micro", "all, macro"
COVERED_MICRO, COVERED_MACRO = "covered, micro", "covered, macro"


class Estimate(NamedTuple):
    """A mean over problems with its interval over problems and runs, and the spread between runs apart from it."""

    ours: float
    low: float
    high: float
    run_sd: float
    runs: int
    problems: int


@dataclass(frozen=True, eq=False)
class Study:
    """Candidates ready to be compared.

    `trove` holds the independent runs of TROVE; `primitive` those of PRIMITIVE, or, in categories without any, the
    SKIP samples of all independent runs pooled into one, under the method `SKIP pool`: SKIP's prompt asks the same
    of the model, but is not the same text. `candidates` are all independent runs, ablations included.
    """

    candidates: pd.DataFrame
    trove: pd.DataFrame
    primitive: pd.DataFrame
    title: str
    dataset: str
    _kept: dict = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, candidates: "pd.DataFrame | Study") -> "Study":
        """Prepare a candidates table (a Study passes through). Raises where models or data sets are mixed."""
        if isinstance(candidates, Study):
            return candidates
        names = {}
        for column in ("model", "provenance", "dataset"):
            names[column] = sorted(candidates[column].astype("object").unique())
            if len(names[column]) != 1:
                raise TroveLiteError(
                    f"the runs have {len(names[column]) or 'no'} different values of '{column}' "
                    f"({', '.join(map(str, names[column]))}): report each on its own"
                )
        frame = in_order(independent_runs(candidates))
        own = frame[frame["method"] == "primitive"]
        pool = skip_pool(frame[~frame["category"].isin(own["category"].unique())])
        (model,), (provenance,), (dataset,) = names.values()
        return cls(
            frame,
            frame[frame["method"] == "trove"],
            in_order(pd.concat([own, pool], ignore_index=True)),
            f"{MODEL_NAMES.get(model, model)}, {provenance} runs on {DATASET_NAMES.get(dataset, dataset)}",
            dataset,
        )

    @property
    def covered(self) -> list[str]:
        """The categories that both sides have, in order; those of one side where the other has none."""
        sides = [set(part["category"].unique()) for part in (self.trove, self.primitive) if len(part)]
        return [c for c in CATEGORIES if sides and all(c in side for side in sides)]

    def side(self, method: str, *, together: bool = False) -> pd.DataFrame:
        """The candidates of `TROVE` or `PRIMITIVE`; `together`: those of all runs as one run's."""
        side = {"TROVE": self.trove, "PRIMITIVE": self.primitive}[method]
        return pooled(side) if together else side

    def agreement(
        self, method: str, rule: str, k: int, *, seed: int, resamples: int, together: bool = False
    ) -> pd.DataFrame:
        """`expected_score` of one side, kept: several tables and figures ask for the same."""
        key = ("agreement", method, rule, k, seed, resamples, together)
        if key not in self._kept:
            side = self.side(method, together=together)
            self._kept[key] = (
                expected_score(side, rule, k, seed=seed, resamples=resamples) if len(side) else _no_scores()
            )
        return self._kept[key]

    def oracle(self, method: str, k: int, *, together: bool = False) -> pd.DataFrame:
        """`oracle_score` of one side."""
        return oracle_score(self.side(method, together=together), k)

    def source(self, method: str, category: str) -> str:
        """What fills a side in a category: `TROVE`, `PRIMITIVE` or `SKIP pool`; empty where nothing does."""
        part = self.side(method)
        part = part if category not in CATEGORIES else part[part["category"] == category]
        return SKIP_POOL if (part["method"] == SKIP_POOL).any() else method if len(part) else ""


def kept(function: Callable[..., pd.DataFrame]) -> Callable[..., pd.DataFrame]:
    """A function of a study whose result the study keeps: a figure and its table are computed once."""

    arguments = signature(function)

    @wraps(function)
    def remembering(candidates: pd.DataFrame | Study, **settings: object) -> pd.DataFrame:
        bound = arguments.bind(Study.of(candidates), **settings)
        bound.apply_defaults()
        study, *_ = bound.args
        key = (function.__name__, *bound.kwargs.items())
        if key not in study._kept:
            study._kept[key] = function(*bound.args, **bound.kwargs)
        return study._kept[key].copy()

    return remembering


def skip_pool(candidates: pd.DataFrame) -> pd.DataFrame:
    """All SKIP samples of a problem as one run of the method `SKIP pool`, samples numbered anew."""
    pool = candidates[candidates["mode"] == "skip"].copy()
    pool["sample"] = pool.groupby(["category", "problem"], observed=True).cumcount().astype("Int32")
    return pool.assign(method=SKIP_POOL, run="pool", place=0)


def pooled(candidates: pd.DataFrame) -> pd.DataFrame:
    """The samples of all runs as one run, mode by mode (re-evaluation, appendix B.4)."""
    pool = candidates.copy()
    pool["sample"] = pool.groupby(["category", "problem", "mode"], observed=True).cumcount().astype("Int32")
    return pool.assign(run="pool")


def correct_counts(candidates: pd.DataFrame) -> pd.DataFrame:
    """Samples (`n_MODE`) and correct ones (`c_MODE`) of each problem and run, by mode."""
    grouped = candidates.assign(correct=candidates["correct"].fillna(False).astype("int64")).groupby(
        [*PROBLEM, "level", "mode"], observed=True
    )["correct"]
    table = grouped.agg(["size", "sum"]).unstack("mode", fill_value=0)
    table.columns = [f"{'n' if stat == 'size' else 'c'}_{mode}" for stat, mode in table.columns]
    return table.reset_index()


def _no_scores() -> pd.DataFrame:
    return pd.DataFrame({name: [] for name in [*PROBLEM, "level", "score"]})


def oracle_score(candidates: pd.DataFrame, k: int) -> pd.DataFrame:
    """pass@k of each problem and run: column `score`; with several modes, k/modes from each, null if not whole."""
    return _by_mode(candidates, k, lambda n, c, share: metrics.pass_at_k_by_mode(n, c, share))


def _by_mode(candidates: pd.DataFrame, k: int, score: Callable) -> pd.DataFrame:
    if candidates.empty:
        return _no_scores()
    table = correct_counts(candidates)
    modes = modes_of(candidates)
    n = table[[f"n_{mode}" for mode in modes]].to_numpy()
    c = table[[f"c_{mode}" for mode in modes]].to_numpy()
    used = (n > 0).sum(axis=1, keepdims=True)
    share = np.where(n.sum(axis=1, keepdims=True) == k, n, np.where(n > 0, k // used, 0))
    whole = share.sum(axis=1) == k
    return table[[*PROBLEM, "level"]].assign(score=np.where(whole, score(n, c, share), np.nan))


def distinct_score(candidates: pd.DataFrame, k: int, of: str) -> pd.DataFrame:
    """Expected number of distinct answers among k samples of a problem, for each run: column `score`.

    `of`: `answers` counts distinct graded answers, `predictions` distinct lists of printed numbers, the empty list
    included, both among programs that ran. A value with m of n samples is among k of them with probability
    1 - C(n-m, k)/C(n, k); nothing is drawn where k = n.
    """
    if candidates.empty:
        return _no_scores()
    graded = of == "answers"
    value = candidates["answer"].map(rounded, na_action="ignore") if graded else candidates["answers"].map(tuple)
    ran = candidates.assign(value=value)[(candidates["status"] == "ok").to_numpy()].dropna(subset="value")
    count = ran.groupby([*PROBLEM, "value"], observed=True).size().rename("m").reset_index()
    size = candidates.groupby([*PROBLEM, "level"], observed=True).size().rename("n").reset_index()
    count = count.merge(size, on=PROBLEM)
    count["expected"] = metrics.pass_at_k(count["n"].to_numpy(), count["m"].to_numpy(), k)
    score = count.groupby(PROBLEM, observed=True)["expected"].sum(min_count=1).rename("score").reset_index()
    result = size.merge(score, on=PROBLEM, how="left")
    return result.assign(score=np.where(result["n"] < k, np.nan, result["score"].fillna(0)))


def by_category(scores: pd.DataFrame, covered: list[str]) -> dict[str, pd.DataFrame]:
    """Scores of each category and, where all `covered` ones are scored, of those together, as two more entries.

    They are called `all, …` where the seven are covered and `covered, …` otherwise.
    """
    parts = {c: part for c in CATEGORIES if len(part := scores[scores["category"] == c])}
    if len(covered) > 1 and set(covered) <= set(parts):
        together = scores[scores["category"].isin(covered)]
        whole = len(covered) == len(CATEGORIES)
        parts |= {
            ALL_MICRO if whole else COVERED_MICRO: together,
            ALL_MACRO if whole else COVERED_MACRO: together,
        }
    return parts


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
    return metrics.macro_mean([np.nanmean(values[category == c]) for c in np.unique(category)])
