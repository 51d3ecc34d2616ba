"""Numbers about runs from arrays: pass@k, subsets, means and their standard errors, Holm's
correction, overlap.

NaN means "could not be scored": it is left out, and what rests on nothing is NaN itself, never 0 or
False."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy  # its parts are imported where they are used

from trove_lite.selection.subsets import generator

Array = npt.NDArray[np.float64]
Scores = (
    npt.ArrayLike
)  # floats, one a question: 1 right, 0 wrong, between them a mean over runs, NaN unscored
Solved = npt.NDArray[np.bool_]


def pass_at_k(n: npt.ArrayLike, c: npt.ArrayLike, k: npt.ArrayLike) -> Array:
    """Chance that one or more of k samples, drawn without replacement from n of which c are right,
    is right. 1 - C(n-c, k) / C(n, k), elementwise (Chen et al. 2021, arXiv 2107.03374), multiplied
    out so that no binomial overflows; NaN where n < k, or n or c is NaN."""
    n, c, k = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (n, c, k)))
    if (c > n).any() or (c < 0).any() or not (k >= 0).all():
        raise ValueError("pass@k needs 0 <= c <= n and k >= 0")
    all_wrong = np.where(n >= k, 1.0, np.nan) + 0 * c
    for i in range(int(k.max(initial=0))):
        all_wrong *= np.where(i < k, np.maximum(n - c - i, 0) / np.maximum(n - i, 1), 1.0)
    return (1 - all_wrong)[()]


def pass_at_k_by_mode(n: npt.ArrayLike, c: npt.ArrayLike, k: npt.ArrayLike) -> Array:
    """Chance that one or more is right of k_m samples of each mode m, (..., modes) → (...); NaN
    where any n_m < k_m."""
    return 1 - np.prod(
        1 - pass_at_k(n, c, k),
        axis=-1,
    )


class Interval(NamedTuple):
    value: float
    low: float
    high: float
    se: float


def standard_error(scores: Scores, clusters: npt.ArrayLike | None = None) -> float:
    """Standard error of the mean over questions, or over clusters of them (a label each); NaN for
    fewer than two.
    Clustered: sqrt(C/(C-1) sum_g (sum_{q in g} (s_q - mean))^2) / N (Miller 2024, arXiv
        2411.00640)."""
    scores, cluster = _scored(scores, clusters)
    units = cluster.max(initial=-1) + 1
    if units < 2:
        return float("nan")
    sums = np.bincount(cluster, scores - scores.mean())
    return float(np.sqrt(units / (units - 1) * np.sum(sums**2)) / len(scores))


def mean_interval(scores: Scores, *, clusters: npt.ArrayLike | None = None) -> Interval:
    """Mean over questions with Student's 95 % t interval, of N - 1, or clusters less one, degrees
    of freedom."""
    se, (scores, cluster) = standard_error(scores, clusters), _scored(scores, clusters)
    value = float(scores.mean()) if len(scores) else float("nan")
    half = float(scipy.special.stdtrit(max(cluster.max(initial=-1), 1), 0.975) * se)
    return Interval(value, value - half, value + half, se)


def wilson(p: float, n: float, z: float) -> tuple[float, float]:
    """The ends of Wilson's interval of a share `p` of `n`; rounding may put one on the other side
    of p."""
    centre = p + z**2 / (2 * n)
    half = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = np.clip(np.array([centre - half, centre + half]) / (1 + z**2 / n), 0, 1)
    return min(float(low), p), max(float(high), p)


def run_sd(run_means: Scores) -> float:
    means, _ = _scored(run_means)
    return float(means.std(ddof=1)) if len(means) > 1 else float("nan")


def question_means(scores: Scores) -> Array:
    """Each question's mean over the runs that scored it, from (questions, runs); NaN where none
    did."""
    scores = np.asarray(scores, dtype=float)
    counts = (~np.isnan(scores)).sum(axis=1)
    return np.nansum(scores, axis=1) / np.where(counts == 0, np.nan, counts)


def holm(p_values: npt.ArrayLike) -> Array:
    """Holm's adjusted p values (Holm 1979), of all tests that are read together; NaN stays and
    is no test."""
    p = np.asarray(p_values, dtype=float)
    adjusted = p.copy()
    order = np.argsort(p, axis=None)[: (~np.isnan(p)).sum()]
    adjusted.flat[order] = np.minimum(
        np.maximum.accumulate(p.flat[order] * np.arange(len(order), 0, -1)), 1
    )
    return adjusted


def overlap_interval(
    first: Solved, second: Solved, overlap: Callable, *, seed: int, resamples: int = 1000
) -> Interval:
    """Mean `overlap` of pairs of runs, with its 95 % bootstrap interval over questions; empty
    unions are left out."""

    def mean(times: npt.NDArray) -> float:
        drawn = zip(
            np.repeat(first, times, axis=1),
            np.repeat(second, times, axis=1),
            strict=True,
        )
        return float(question_means([[overlap(a, b) for a, b in drawn if (a | b).any()]])[0])

    questions = first.shape[1]
    counts = generator(seed).multinomial(
        questions, np.full(questions, 1 / max(questions, 1)), resamples
    )
    value = mean(np.ones(questions, dtype=int))
    again = np.array([mean(times) for times in counts])
    again = again[~np.isnan(again)]
    if len(again) < 2 or value != value:
        return Interval(value, np.nan, np.nan, np.nan)
    low, high = np.quantile(again, [0.025, 0.975]).tolist()
    return Interval(value, low, high, float(again.std(ddof=1)))


def _scored(scores: Scores, clusters: npt.ArrayLike | None = None) -> tuple[Array, npt.NDArray]:
    """The scores without NaN, and the number of each one's cluster; of its own where there are
    none."""
    scores = np.asarray(scores, dtype=float)
    keep = ~np.isnan(scores)
    labels = np.arange(len(scores)) if clusters is None else np.asarray(clusters)
    return scores[keep], np.unique(labels[keep], return_inverse=True)[1].ravel()
