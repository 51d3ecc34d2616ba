"""One decomposition of the variance of scores, and every interval, test and plan that rests on it.

A score of question q in run r is taken as mean + problem_q + run_r + sample_qr: how hard the
question is, what the whole run shares, what is drawn anew. `decompose` estimates the three
variances by moments (two crossed random factors; Searle, Casella & McCulloch 1992, ch. 4 and 5), as
Miller 2024 (arXiv 2411.00640) and Wang 2025 (arXiv 2512.21326) do for problem and sample. How well
intervals and tests hold: benchmarks/coverage.py, results/statistics."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy  # its parts are imported where they are used: `stats` takes half a second

from .statistics import Array, Interval, question_means, standard_error, wilson

#: Two points are what doubling its calls gives a method without tools (re-evaluation, Table 5,
#: MATH: 0.21 at 6 calls, 0.23 at 12): a toolbox worth less can be had without one. A point is the
#: last digit that the papers print.
MARGINS = (0.01, 0.02, 0.03)
SMALLEST_EFFECT = 0.02
POWER_WANTED = 0.8
# what an interval covers where a run's own effect cannot be seen: no other runs, no method
THESE_RUNS = "these runs"


class Runs(NamedTuple):
    """Scores of one method, and what is assumed of them rather than estimated."""

    scores: npt.ArrayLike  # (questions, runs); NaN where unscored
    run_sd: float | None = (
        None  # SD of a run's own effect on the mean; 0: runs share nothing; None: estimate it
    )
    #: How many runs' worth of samples a score is made of (one number, or one a question): the
    #: expected score of k of n samples is worth n / k runs of k (Hoeffding 1948: at least so many),
    #: which share the effect of one run.
    worth: npt.ArrayLike = 1.0


@dataclass(frozen=True, eq=False)
class Variance:
    """A mean, or a difference of two, and the variances of single scores behind it: (strata,) or
    (strata, methods)."""

    labels: tuple[Hashable, ...]  # (strata,)
    values: Array  # (strata,): the mean, or the difference, in each
    weights: Array  # (strata,): `value` is their weighted mean
    sizes: Array  # (strata,): questions
    degrees: Array  # (strata,): of freedom of `spread`: questions less one
    # (strata,): variance over questions of their means over runs: problem, and what is left of
    # sample
    spread: Array
    # (strata, methods): variance over questions of a single run's scores: problem and sample
    single: Array
    sample: Array  # (strata, methods): within a question and run; NaN: unknown
    # (strata, methods): of a run's own effect, unbiased and so at times below 0; NaN: unknown
    run: Array
    run_degrees: Array  # (strata, methods): of freedom of `run`; infinite where it is assumed
    repeats: Array  # (strata, methods): runs over which a question's samples are averaged
    independent: (
        Array  # (strata, methods): independent runs over which a run's own effect is averaged
    )
    shared: bool = False  # whether `run` is one estimate, of all strata together (`pool_strata`)

    @property
    def value(self) -> float:
        return float(self.weights @ self.values)

    @property
    def problems(self) -> int:
        return int(self.sizes.sum())

    @property
    def problem(self) -> Array:
        """(strata,): variance over questions of the true score, or of the true difference of two
        methods."""
        return self.spread - (self.sample / self.repeats).sum(axis=1)

    @property
    def sds(self) -> dict[str, Array | float]:
        """Standard deviations for a table: `problem`, and one a method `sample` and `run`; strata
        by their weights."""
        parts = {"problem": self.problem, "sample": self.sample, "run": self.run}
        return {name: np.sqrt(np.maximum(self.weights @ part, 0)) for name, part in parts.items()}

    @property
    def covers(self) -> str:
        """What the intervals speak of: other problems and runs, or, a run's own effect being
        unknown, these runs."""
        return THESE_RUNS if np.isnan(self.run).any() else "problems and runs"

    @property
    def over_problems(self) -> float:
        """Variance of `value` over problems and samples, runs as they are (Miller 2024)."""
        return float(self.weights**2 @ (self.spread / self.sizes))

    @property
    def over_runs(self) -> float:
        """What runs add to it: sum w_c^2 run / independent, not below 0, and 0 where it is
        unknown."""
        added = float(self.weights**2 @ (self.run / self.independent).sum(axis=1))
        return 0.0 if np.isnan(added) else max(added, 0.0)

    @property
    def se(self) -> float:
        """Standard error of `value` over all that `covers` names."""
        return float(np.sqrt(self.over_problems + self.over_runs))

    @property
    def df(self) -> float:
        """Degrees of freedom of `se`; what runs add enters with all its uncertainty even if its
        estimate is 0."""
        sample = np.where(
            np.isnan(self.sample), self.single, self.sample
        )  # unknown: no more than all of it
        run_means = self.run / self.independent + sample / (self.repeats * self.sizes[:, None])
        of_runs = self.of_runs(self.weights[:, None] ** 2 * run_means)
        return _satterthwaite(
            self.se**2, (self.weights**2 * self.spread / self.sizes, self.degrees), of_runs
        )

    def of_runs(self, variances: Array) -> tuple[Array, Array]:
        """Variances of means over runs with their degrees of freedom; one estimate for all strata
        is one variance."""
        return (
            (variances.sum(axis=0), self.run_degrees[0])
            if self.shared
            else (variances, self.run_degrees)
        )

    def of(self, labels: Sequence[Hashable], *, macro: bool = False) -> "Variance":
        """These strata alone, weighted by their questions (micro), or all the same (macro)."""
        kept = [self.labels.index(label) for label in labels]
        per_stratum = {k: x[kept] for k, x in vars(self).items() if isinstance(x, np.ndarray)}
        sizes = self.sizes[kept]
        weights = np.full(len(kept), 1 / len(kept)) if macro else sizes / sizes.sum()
        return replace(self, **per_stratum | {"labels": tuple(labels), "weights": weights})


def decompose(
    scores: npt.ArrayLike | Runs,
    minus: npt.ArrayLike | Runs | None = None,
    *,
    strata: npt.ArrayLike | None = None,
) -> Variance:
    """Problem, sample and run variance of the mean of (questions, runs), or of a difference of two
    such means.

    For each two runs of a method and d = their scores' differences over the n questions that both
    scored, sample = mean(Var(d)) / 2 and run = mean(mean(d)^2 - Var(d) / n) / 2, weighted by n.

    minus: a second method on the same questions, with runs of its own (of the same runs give a - b
    as one). strata: a label a question, whose shares are fixed and whose runs are independent of
    each other's. What one run cannot show is NaN unless assumed in `Runs`, or taken from other
    strata (`pool_strata`)."""
    methods = [x if isinstance(x, Runs) else Runs(x) for x in (scores, minus) if x is not None]
    tables = [np.asarray(m.scores, dtype=float) for m in methods]
    if any(t.ndim != 2 or len(t) != len(tables[0]) for t in tables):
        raise ValueError(
            f"scores must be (questions, runs), the same questions: not {[t.shape for t in tables]}"
        )
    means = [question_means(t) for t in tables]
    each = means[0] - means[1] if minus is not None else means[0]
    scored = ~np.isnan(each)
    names = np.zeros(len(each)) if strata is None else np.asarray(strata)
    labels = np.unique(names[scored]).tolist()
    parts = []
    for label in labels:
        here = scored & (names == label)
        size = here.sum()
        components = [_components(m, t[here], here) for m, t in zip(methods, tables, strict=True)]
        parts.append(
            (each[here].mean(), size, size - 1, size * standard_error(each[here]) ** 2, components)
        )
    if not parts:
        labels = [None]
        parts = [(np.nan, 0, 0, np.nan, [np.full(6, np.nan)] * len(methods))]
    values, sizes, degrees, spread, kinds = (
        np.array(column, dtype=float) for column in zip(*parts, strict=True)
    )
    if (known := ~np.isnan(spread)).any():
        spread = np.where(
            known | (sizes == 0), spread, np.average(spread[known], weights=sizes[known])
        )
    shares = sizes / max(sizes.sum(), 1)
    return Variance(
        tuple(labels), values, shares, sizes, degrees, spread, *np.moveaxis(kinds, 2, 0)
    )


def pool_strata(v: Variance) -> Variance:
    """The same with run and sample variances that all strata share, so that those with a single run
    have them too.

    A run's effect of one size on the logit of being right is, on the mean, a SD in proportion to
    the sample variance E[p (1 - p)]: each stratum's run variance becomes size sample^2, size = sum
    degrees run / sum degrees sample^2. A sample variance that a stratum cannot show is the same
    share of a single score's as in the others, or in the other method's."""
    sample = v.sample.copy()
    run = v.run.copy()
    degrees = v.run_degrees.copy()
    for method in range(run.shape[1]):
        for other in (method, *range(run.shape[1])):
            known = np.isfinite(v.sample[:, other]) & (v.single[:, other] > 0)
            if known.any():
                share = min(
                    v.sizes[known]
                    @ v.sample[known, other]
                    / (v.sizes[known] @ v.single[known, other]),
                    1.0,
                )
                lacking = np.isnan(sample[:, method])
                worth = (v.repeats / v.independent)[lacking, method]
                sample[lacking, method] = (
                    share * v.single[lacking, method] / (1 - share * (1 - 1 / worth))
                )
                break
        known = np.isfinite(run[:, method]) & (degrees[:, method] > 0)
        if known.any() and not np.isinf(degrees[:, method]).any():  # nothing is assumed
            of_each = degrees[known, method]
            scale = sample[known, method] ** 2
            seen = float(of_each @ scale)
            run[:, method] = (of_each @ run[known, method] / seen if seen else 0.0) * sample[
                :, method
            ] ** 2
            degrees[:, method] = seen**2 / (of_each @ scale**2) if seen else of_each.sum()
    return replace(v, sample=sample, run=run, run_degrees=degrees, shared=True)


def _components(method: Runs, scores: Array, here: npt.NDArray) -> Array:
    """(single, sample, run, degrees of freedom of run, repeats, independent runs) of one method in
    one stratum."""
    scored = ~np.isnan(scores)
    scores = scores[:, scored.any(axis=0)]
    scored = scored[:, scored.any(axis=0)]
    runs = scores.shape[1]
    if not runs:
        return np.full(6, np.nan)
    share = scored / scored.sum(axis=1, keepdims=True)  # of a question's mean that a run makes
    repeats = 1 / (share**2).sum(axis=1).mean()
    independent = 1 / (share.mean(axis=0) ** 2).sum()
    several = scored.sum(axis=0) > 1
    counts = scored[:, several].sum(axis=0)
    single = (
        counts @ np.nanvar(scores[:, several], axis=0, ddof=1) / counts.sum()
        if several.any()
        else np.nan
    )
    first, second = np.triu_indices(runs, 1)
    d = scores[:, first] - scores[:, second]
    n = (~np.isnan(d)).sum(axis=0)
    d = d[:, n > 1]
    n = n[n > 1]
    sample = run = np.nan
    worth = float(
        np.broadcast_to(
            np.asarray(method.worth, dtype=float),
            len(here),
        )[here].mean()
    )
    if len(n):
        variances = np.nanvar(d, axis=0, ddof=1)
        run = n @ (np.nanmean(d, axis=0) ** 2 - variances / n) / 2 / n.sum()
        sample = n @ variances / 2 / n.sum() * worth
        single += sample * (1 - 1 / worth)  # of one run's worth of samples
    degrees = runs - 1 if len(n) else 0
    if method.run_sd is not None:
        run = method.run_sd**2
        degrees = np.inf
    return np.array([single, sample, run, degrees, repeats * worth, independent])


def interval(v: Variance, level: float = 0.95) -> Interval:
    """Student's t interval of a mean or a difference: value +- t_{(1+level)/2, df} se. Where every
    question has the same value, value +- 3 / N (the rule of three)."""
    half = float(
        -np.log(1 - level) / v.problems
        if v.se == 0
        else scipy.stats.t.ppf((1 + level) / 2, v.df) * v.se
    )
    return Interval(v.value, v.value - half, v.value + half, v.se)


def proportion_interval(v: Variance) -> Interval:
    """95 % Wilson interval of a mean of scores between 0 and 1, at the effective number of
    questions and with t for z. n = value (1 - value) / se^2 (Dean & Pagano 2015); near 0 and 1 t
    intervals fail (Bowyer et al. 2025, arXiv 2503.01747)."""
    p = v.value
    varied = 0 < v.value < 1 and v.se > 0
    z = scipy.stats.t.ppf(0.975, v.df if varied else np.inf)
    n = p * (1 - p) / v.se**2 if varied else max(v.problems, 1)
    return Interval(p, *wilson(p, n, z), v.se)


def problems_alone(v: Variance) -> Variance:
    """The same with runs as they are: what is said then is said of these runs, on other
    problems."""
    return replace(
        v,
        run=np.zeros_like(v.run),
        run_degrees=np.full_like(v.run_degrees, np.inf),
    )


def p_value(v: Variance) -> float:
    """Two-sided p of "the true mean, or difference, is 0": 2 P(t_df >= |value| / se)."""
    return 2 * _upper_tail(abs(v.value), v.se, v.df)


def p_below(v: Variance, margin: float) -> float:
    """One-sided p of "the true difference is `margin` or more": below 5 %, it is shown to be less
    (non-inferiority)."""
    return _upper_tail(margin - v.value, v.se, v.df)


def equivalence(v: Variance, margins: Sequence[float] = MARGINS) -> list[float]:
    """p of two one-sided tests of "the two differ by less than the margin", one a margin
    (Schuirmann 1987). Where every question has the same value, (1 - margin + |value|)^N: the chance
    of that if others made up the margin."""
    if v.se == 0:
        return [float(min(1 - margin + abs(v.value), 1.0) ** v.problems) for margin in margins]
    return [max(p_below(v, m), _upper_tail(m + v.value, v.se, v.df)) for m in margins]


def prediction_interval(v: Variance, runs: int, *, rounding: float = 0.0) -> Interval:
    """Where, at 95 %, the mean of `runs` new runs (of each method) on the same problems falls (Hahn
    & Meeker 1991). value +- (t sqrt(V) + rounding), V = sum w_c^2 (run (1/independent + 1/runs) +
    sample/N_c (1/repeats + 1/runs)), run not below 0. `rounding`: half a unit of the last digit
    printed. NaN where run or sample is unknown."""
    se, df = _rerun_error(v, runs)
    half = float(scipy.stats.t.ppf(0.975, df) * se) + rounding
    return Interval(v.value, v.value - half, v.value + half, se)


def rerun_p(v: Variance, printed: float, runs: int, *, rounding: float = 0.0) -> float:
    """Two-sided p of "`runs` new runs on the same problems printed this": below 5 % outside the 95
    % prediction."""
    return 2 * _upper_tail(
        max(abs(printed - v.value) - rounding, 0.0),
        *_rerun_error(v, runs),
    )


def _rerun_error(v: Variance, runs: int) -> tuple[float, float]:
    """Standard error, with its degrees of freedom, of `prediction_interval`."""
    weights = v.weights[:, None] ** 2
    sampling = v.sample / v.sizes[:, None] * (1 / v.repeats + 1 / runs)
    run_means = weights * (v.run * (1 / v.independent + 1 / runs) + sampling)
    variance = max(run_means.sum(), (weights * sampling).sum())
    return float(np.sqrt(variance)), _satterthwaite(variance, v.of_runs(run_means))


def power(v: Variance, delta: float, *, problems: float, runs: int) -> float:
    """Power of the two-sided 5 % test to see a true difference `delta` with so many problems, and
    runs of each method. By noncentral t (Miller 2024, section 5, with runs), strata keeping their
    shares. NaN where run or sample is unknown."""
    scale = problems / v.sizes.sum()
    weights = v.weights[:, None] ** 2
    sample = weights * v.sample / (v.sizes[:, None] * scale * runs)
    problem = max(
        float(v.weights**2 @ (v.problem / v.sizes)) / scale,
        0.0,
    )
    run = np.maximum((weights * v.run).sum(axis=0), 0) / runs
    se = np.sqrt(problem + sample.sum() + run.sum())
    known = np.isinf(v.run_degrees) | (
        runs == 1
    )  # whoever plans a single run has to assume what it hides
    degrees = np.where(known, np.inf, max(runs - 1, 1))
    share = weights / weights.sum() * run + sample
    df = _satterthwaite(
        se**2,
        (problem + sample.sum(), scale * v.degrees.sum()),
        (share, degrees),
    )
    if np.isnan(se) or se == 0:
        return float("nan") if np.isnan(se) or delta == 0 else 1.0
    reach = scipy.stats.t.ppf(0.975, df) * _errors(float(df))
    return float(
        np.mean(scipy.special.ndtr(delta / se - reach) + scipy.special.ndtr(-reach - delta / se))
    )


@lru_cache
def _errors(df: float) -> Array:
    """By what factor a standard error of so many degrees of freedom is off, at 500 quantiles, over
    which `power` is
    averaged: that is noncentral t's distribution, where scipy's own is at times NaN."""
    return np.sqrt(scipy.stats.chi2.ppf((np.arange(500) + 0.5) / 500, df) / df)


def problems_needed(v: Variance, delta: float, *, runs: int) -> float:
    """Problems at which `power` reaches `POWER_WANTED`, rounded up; infinite where runs are too few
    for any number."""

    def lacking(log_problems: float) -> float:
        return POWER_WANTED - power(v, delta, problems=np.exp(log_problems), runs=runs)

    low = np.log(2.0 * len(v.sizes))
    high = np.log(1e8)
    if not lacking(high) <= 0:
        return float("inf") if lacking(high) > 0 else float("nan")
    return (
        float(np.ceil(np.exp(scipy.optimize.brentq(lacking, low, high))))
        if lacking(low) > 0
        else np.exp(low)
    )


def _satterthwaite(total: float, *parts: tuple[npt.ArrayLike, npt.ArrayLike]) -> float:
    """Degrees of freedom of a sum of variances: total^2 / sum part^2 / df (Satterthwaite 1946), no
    fewer than any has. A part of unknown or assumed value, or of no degrees, has no uncertainty to
    count."""
    part, degrees = (np.concatenate([np.ravel(one[i]) for one in parts]) for i in (0, 1))
    counted = np.isfinite(part) & np.isfinite(degrees) & (degrees >= 1)
    below = float(np.sum(part[counted] ** 2 / degrees[counted]))
    return float(np.clip(total**2 / below, degrees[counted].min(), 1e6)) if below > 0 else 1e6


def _upper_tail(distance: float, se: float, df: float) -> float:
    if se == 0:  # every score is the same
        return 0.5 if distance == 0 else float(distance < 0)
    return float(scipy.stats.t.sf(distance / se, df))
