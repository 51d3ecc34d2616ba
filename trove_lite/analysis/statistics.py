"""Numbers about runs: pass@k, means and their standard errors, McNemar's test, Holm's correction, overlap.

Arrays in, arrays out. NaN means "could not be scored": such a question is left out of a mean, such a pair out
of a comparison, and what rests on nothing is NaN itself, never 0 or False. It does not read candidates,
choose answers (see selection.py), know what a category is, or see that runs differ (see variance.py).
"""

from collections.abc import Mapping, Sequence
from itertools import combinations, product
from math import comb, prod
from numbers import Integral
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from ..errors import TroveLiteError

Array = npt.NDArray[np.float64]
Scores = npt.ArrayLike  # floats, one a question: 1 right, 0 wrong, between them a mean over runs, NaN unscored
Solved = npt.NDArray[np.bool_]

FEW = 100  # so many subsets are all taken, even where fewer draws are asked for

# ---- k samples a problem ----


def pass_at_k(n: npt.ArrayLike, c: npt.ArrayLike, k: npt.ArrayLike) -> Array:
    """Chance that one or more of k samples, drawn without replacement from n of which c are right, is right.

    1 - C(n-c, k) / C(n, k), unbiased (Chen et al. 2021, arXiv 2107.03374), multiplied out so that no binomial
    overflows. Elementwise; NaN where n < k, or n or c is NaN. Within one run only: runs are averaged, not pooled.
    """
    n, c, k = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (n, c, k)))
    if (c > n).any() or (c < 0).any() or not (k >= 0).all():
        raise ValueError("pass@k needs 0 <= c <= n and k >= 0")
    all_wrong = np.where(n >= k, 1.0, np.nan) + 0 * c
    for i in range(int(k.max(initial=0))):
        all_wrong = all_wrong * np.where(i < k, np.maximum(n - c - i, 0) / np.maximum(n - i, 1), 1.0)
    return (1 - all_wrong)[()]


def pass_at_k_by_mode(n: npt.ArrayLike, c: npt.ArrayLike, k: npt.ArrayLike) -> Array:
    """Chance that one or more is right of k_m samples drawn from each mode m: the compute-matched oracle.

    1 - prod_m C(n_m - c_m, k_m) / C(n_m, k_m), (..., modes) -> (...) (Chen et al. 2021, mode by mode); NaN where
    any n_m < k_m.
    """
    return 1 - np.prod(1 - pass_at_k(n, c, k), axis=-1)


def generator(seed: int) -> np.random.Generator:
    """Chance with a seed. Raises TroveLiteError for one that is none."""
    if not isinstance(seed, Integral) or seed < 0:
        raise TroveLiteError(f"seed {seed}: give a whole number from 0 on")
    return np.random.default_rng(seed)


def subsets_by_mode(modes: Sequence, k_per_mode: Mapping, *, seed: int, resamples: int = 1000) -> npt.NDArray:
    """Subsets with k samples of each mode, in the samples' own order: an array (subsets, sum of k).

    All of them where they are no more than `resamples` or `FEW`, else `resamples` drawn at random, with repetition.
    `modes` labels each sample; `k_per_mode` maps a label to k. For rules whose maj@k has no closed form, order
    mattering to them.
    """
    rng, modes, parts = generator(seed), np.asarray(modes), []
    for mode, k in k_per_mode.items():
        members = np.flatnonzero(modes == mode)
        if not 0 <= k <= len(members):
            raise ValueError(f"cannot draw {k} of {len(members)} samples (mode {mode})")
        parts.append((members, k))
    if prod(comb(len(members), k) for members, k in parts) <= max(resamples, FEW):
        chosen = [sum(each, ()) for each in product(*(combinations(members, k) for members, k in parts))]
        return np.sort(np.array(chosen, dtype=int), axis=1)
    drawn = [members[rng.random((resamples, len(members))).argsort(axis=1)[:, :k]] for members, k in parts]
    return np.sort(np.concatenate(drawn, axis=1), axis=1)


# ---- means and their intervals ----


class Interval(NamedTuple):
    value: float
    low: float
    high: float
    se: float


def standard_error(scores: Scores, clusters: npt.ArrayLike | None = None) -> float:
    """Standard error of the mean over questions, or over clusters of them (a table's questions, say; a label each).

    sqrt(sum (s - mean)^2 / (N (N-1))); clustered sqrt(C/(C-1) sum_g (sum_{q in g} (s_q - mean))^2) / N
    (Miller 2024, arXiv 2411.00640). NaN for fewer than two questions or clusters.
    """
    scores, cluster = _scored(scores, clusters)
    units = cluster.max(initial=-1) + 1
    if units < 2:
        return float("nan")
    sums = np.bincount(cluster, scores - scores.mean())
    return float(np.sqrt(units / (units - 1) * np.sum(sums**2)) / len(scores))


def mean_interval(scores: Scores, *, clusters: npt.ArrayLike | None = None) -> Interval:
    """Mean over questions with Student's 95 % t interval.

    mean +- t_{0.975, N-1} SE, C-1 degrees of freedom when clustered. For small cells, or right-or-wrong scores nearly
    all alike, take `variance.proportion_interval` (Bowyer et al. 2025, arXiv 2503.01747).
    """
    se, (scores, cluster) = standard_error(scores, clusters), _scored(scores, clusters)
    value = float(scores.mean()) if len(scores) else float("nan")
    half = float(stats.t.ppf(0.975, max(cluster.max(initial=-1), 1)) * se)
    return Interval(value, value - half, value + half, se)


def run_sd(run_means: Scores) -> float:
    """Standard deviation between runs, sqrt(sum (m - mean)^2 / (S-1)); NaN for one run."""
    means, _ = _scored(run_means)
    return float(means.std(ddof=1)) if len(means) > 1 else float("nan")


def question_means(scores: Scores) -> Array:
    """Each question's mean over the runs that scored it, from (questions, runs); NaN where none did."""
    scores = np.asarray(scores, dtype=float)
    return _ratio(np.nansum(scores, axis=1), (~np.isnan(scores)).sum(axis=1))


def micro_mean(values: npt.ArrayLike, sizes: npt.ArrayLike) -> float:
    """Mean over questions from means over categories, sum(size value) / sum(size).

    NaN if a category with questions is NaN: leaving it out would be another quantity under the same name.
    """
    values, sizes = np.asarray(values, dtype=float), np.asarray(sizes, dtype=float)
    return float(_ratio(values[sizes > 0] @ sizes[sizes > 0], sizes.sum()))


def macro_mean(values: npt.ArrayLike) -> float:
    """Mean over categories, each weighing the same; NaN if any is NaN, as in `micro_mean`."""
    return micro_mean(values, np.ones(len(values)))


# ---- paired comparisons ----


class McNemar(NamedTuple):
    p: float
    a_only: int
    b_only: int


def mcnemar_exact(a: Scores, b: Scores) -> McNemar:
    """Exact McNemar test of one run each, right or wrong on the same questions, with the discordant counts.

    The two-sided binomial test of the questions that one side alone solves (McNemar 1947); p = 1 if there are none.
    """
    d = _scored(np.asarray(a, dtype=float) - np.asarray(b, dtype=float))[0]
    if not np.isin(d, (-1, 0, 1)).all():
        raise ValueError("McNemar's test is for one run each, right or wrong; for means over runs see variance.p_value")
    a_only, b_only = int((d > 0).sum()), int((d < 0).sum())
    p = float(stats.binomtest(a_only, a_only + b_only).pvalue) if a_only + b_only else 1.0
    return McNemar(p if len(d) else float("nan"), a_only, b_only)


def holm(p_values: npt.ArrayLike) -> Array:
    """Holm's adjusted p values: rejecting those <= alpha, any false rejection has chance alpha at most.

    max_{j <= i} min(1, (m - j + 1) p_(j)) (Holm 1979). NaN passes through and counts as no test. Give it all p values
    that are read together, every row of a table and every rule, not one row's.
    """
    p = np.asarray(p_values, dtype=float)
    adjusted, order = p.copy(), np.argsort(p, axis=None)[: (~np.isnan(p)).sum()]
    adjusted.flat[order] = np.minimum(np.maximum.accumulate(p.flat[order] * np.arange(len(order), 0, -1)), 1)
    return adjusted


# ---- the overlap of what runs solve ----


def jaccard_interval(first: Solved, second: Solved, *, seed: int, resamples: int = 1000) -> Interval:
    """Mean overlap |A & B| / |A | B| of pairs of runs, with its 95 % percentile interval over resampled questions.

    `first` and `second` are (pairs, questions): the pairs of runs to be compared, row by row. Two runs of one method
    give the noise floor, against which the overlap of two methods is to be read. Pairs with an empty union are left
    out of the mean; without any other it is NaN.
    """
    both, either = (first & second).T.astype(float), (first | second).T.astype(float)
    questions = len(both)
    counts = generator(seed).multinomial(questions, np.full(questions, 1 / max(questions, 1)), resamples)
    value = float(question_means(_ratio(both.sum(axis=0), either.sum(axis=0))[None])[0])
    again = question_means(_ratio(counts @ both, counts @ either))
    again = again[~np.isnan(again)]
    if len(again) < 2 or value != value:
        return Interval(value, np.nan, np.nan, np.nan)
    return Interval(value, *np.quantile(again, [0.025, 0.975]).tolist(), float(again.std(ddof=1)))


# ---- helpers ----


def _scored(scores: Scores, clusters: npt.ArrayLike | None = None) -> tuple[Array, npt.NDArray]:
    """The scores without NaN, and the number of each one's cluster; of its own where there are none."""
    scores = np.asarray(scores, dtype=float)
    keep = ~np.isnan(scores)
    labels = np.arange(len(scores)) if clusters is None else np.asarray(clusters)
    return scores[keep], np.unique(labels[keep], return_inverse=True)[1].ravel()


def _ratio(top: npt.ArrayLike, bottom: npt.ArrayLike) -> Array:
    bottom = np.asarray(bottom, dtype=float)
    return np.divide(top, np.where(bottom == 0, np.nan, bottom))
