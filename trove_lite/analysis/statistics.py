"""Numbers about runs, and how sure we may be of them: pass@k, maj@k, overlap, intervals, paired tests.

Arrays in, arrays out. NaN means "could not be scored": such a question is left out of a mean, such a pair out
of a comparison, and what rests on nothing is NaN itself, never 0 or False. It does not read candidates,
choose answers (see select.py), or know what a category is.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import comb
from typing import NamedTuple

import numpy as np
from scipy import stats

BLOCK = 4_000_000  # cells of a resampling matrix held at once: 32 MB of floats, however many questions

# ---- k samples a problem ----


def pass_at_k(n, c, k):
    """Chance that one or more of k samples, drawn without replacement from n of which c are right, is right.

    1 - C(n-c, k) / C(n, k), unbiased (Chen et al. 2021, arXiv 2107.03374), multiplied out so that no binomial
    overflows. NaN where n < k, or n or c is NaN. Within one run only: runs are averaged, not pooled.
    """
    n, c, k = np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in (n, c, k)))
    if (c > n).any() or (c < 0).any() or not (k >= 0).all():
        raise ValueError("pass@k needs 0 <= c <= n and k >= 0")
    all_wrong = np.where(n >= k, 1.0, np.nan) + 0 * c
    for i in range(int(k.max(initial=0))):
        all_wrong = all_wrong * np.where(i < k, np.maximum(n - c - i, 0) / np.maximum(n - i, 1), 1.0)
    return (1 - all_wrong)[()]


def pass_at_k_by_mode(n, c, k):
    """Chance that one or more is right of k_m samples drawn from each mode m: the compute-matched oracle.

    1 - prod_m C(n_m - c_m, k_m) / C(n_m, k_m), modes on the last axis (Chen et al. 2021, mode by mode); NaN
    where any n_m < k_m.
    """
    return 1 - np.prod(1 - pass_at_k(n, c, k), axis=-1)


def maj_at_k(counts: Sequence[int], correct: Sequence[bool], abstentions: int, k):
    """Chance that the plain majority of k samples drawn without replacement is right, for one problem.

    One vote a program, ties broken uniformly, nobody voting scores 0. Exact over all C(n, k) subsets (notes
    on statistics, 2): 1/C(n,k) sum_{w,t,r} (r/t) [x^k y^t z^r] (1+x)^n0 prod_a (sum_{j<w} C(m_a,j) x^j +
    C(m_a,w) x^w y z^[a right]), with m_a = counts, n0 = abstentions, w = the winners' votes, t = how many
    tie, r = how many of these are right. NaN where n < k, or a verdict is None or NaN. A curve over many k
    costs little more than its largest.
    """
    if any(verdict is None or verdict != verdict for verdict in correct):
        return np.full(np.shape(k), np.nan)[()]
    answers = tuple(sorted((int(m), bool(right)) for m, right in zip(counts, correct, strict=True) if m))
    curve = _maj_up_to_k(answers, int(abstentions), int(np.max(k)))
    return float(curve[k]) if isinstance(k, int) else curve[np.asarray(k)]


@lru_cache(maxsize=1 << 17)
def _maj_up_to_k(answers: tuple[tuple[int, bool], ...], abstentions: int, most: int) -> np.ndarray:
    n = abstentions + sum(m for m, _ in answers)
    k, curve = min(most, n), np.full(most + 1, np.nan)
    top = min(k, max((m for m, _ in answers), default=0))
    # Axes: (subsets, their right winners), w, power of x, power of y; z enters by its derivative at z = 1.
    exact = np.int64 if n <= 60 else object  # 60 C(60, 30) still fits 63 bits; beyond, Python's own integers
    poly = np.zeros((2, top + 1, k + 1, len(answers) + 1), dtype=exact)
    poly[0, 1:, :, 0] = [comb(abstentions, j) for j in range(k + 1)]
    for m, right in answers:
        grown = np.zeros_like(poly)
        for j in range(min(m, k) + 1):
            grown[:, j + 1 :, j:] += comb(m, j) * poly[:, j + 1 :, : k + 1 - j]
            if j:
                wins = comb(m, j) * poly[:, j, : k + 1 - j, :-1]
                grown[:, j, j:, 1:] += wins
                grown[1, j, j:, 1:] += wins[0] * int(right)
        poly = grown
    for i, row in enumerate(poly[1].sum(axis=0).tolist()):
        curve[i] = sum((Fraction(r, t) for t, r in enumerate(row) if r), Fraction(0)) / comb(n, i)
    return curve


def draws(samples: int, k: int, *, seed, resamples=1000) -> np.ndarray:
    """Random subsets of k out of range(samples), each in order: an array (resamples, k).

    The k smallest of `samples` random keys; for rules whose maj@k has no closed form, order mattering to
    them.
    """
    return draws_by_mode(np.zeros(samples, dtype=int), k, seed=seed, resamples=resamples)


def draws_by_mode(modes: Sequence, k_per_mode: int | Mapping, *, seed, resamples=1000) -> np.ndarray:
    """Random subsets with k samples of each mode, in the samples' own order: an array (resamples, sum of k).

    `modes` labels each sample; `k_per_mode` is one k for every mode, or a mapping from label to k.
    """
    rng, modes, chosen = np.random.default_rng(seed), np.asarray(modes), [np.empty((resamples, 0), dtype=int)]
    wanted = k_per_mode if isinstance(k_per_mode, Mapping) else dict.fromkeys([*np.unique(modes)], k_per_mode)
    for mode, k in wanted.items():
        members = np.flatnonzero(modes == mode)
        if not 0 <= k <= len(members):
            raise ValueError(f"cannot draw {k} of {len(members)} samples (mode {mode})")
        chosen.append(members[rng.random((resamples, len(members))).argsort(axis=1)[:, :k]])
    return np.sort(np.concatenate(chosen, axis=1), axis=1)


# ---- means and their intervals ----


class Interval(NamedTuple):
    value: float
    low: float
    high: float
    se: float


class SeveralRuns(NamedTuple):
    value: float
    low: float
    high: float
    se: float  # over questions
    run_sd: float  # between runs, ddof=1: how far a rerun moves, apart from `se`
    sampling_sd: float  # within a question, sqrt(E_q[sigma_q^2]): the sigma that questions_needed asks for


def standard_error(scores, clusters=None) -> float:
    """Standard error of the mean over questions, or over clusters of them (tables, say).

    sqrt(sum (s - mean)^2 / (N (N-1))); clustered sqrt(C/(C-1) sum_g (sum_{q in g} (s_q - mean))^2) / N
    (Miller 2024, arXiv 2411.00640). NaN for fewer than two questions or clusters.
    """
    scores, clusters = _scored(scores, clusters)
    units = _units(scores, clusters)
    if units < 2:
        return float("nan")
    sums = _cluster_sums(scores - scores.mean(), clusters)
    return float(np.sqrt(units / (units - 1) * np.sum(sums**2)) / len(scores))


def mean_interval(scores, level=0.95, *, clusters=None) -> Interval:
    """Mean over questions with Student's t interval.

    mean +- t_{(1+level)/2, N-1} SE, C-1 degrees of freedom when clustered. For small cells, or right-or-wrong
    scores nearly all alike, take `wilson` (Bowyer et al. 2025, arXiv 2503.01747).
    """
    scores, clusters = _scored(scores, clusters)
    value, se = _mean(scores), standard_error(scores, clusters)
    half = float(stats.t.ppf((1 + level) / 2, max(_units(scores, clusters) - 1, 1)) * se)
    return Interval(value, value - half, value + half, se)


def wilson(successes, trials, *, level=0.95) -> Interval:
    """Wilson score interval of a proportion, elementwise: the one for small cells.

    (p + z^2/2n +- z sqrt(p(1-p)/n + z^2/4n^2)) / (1 + z^2/n) (Wilson 1927); se = sqrt(p(1-p)/n). NaN for n =
    0.
    """
    n = np.asarray(trials, dtype=float)
    n = np.where(n > 0, n, np.nan)
    p, z = np.asarray(successes, dtype=float) / n, stats.norm.ppf((1 + level) / 2)
    centre, half = p + z**2 / (2 * n), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    low, high = ((centre + sign * half) / (1 + z**2 / n) for sign in (-1, 1))
    return Interval(p[()], np.clip(low, 0, 1)[()], np.clip(high, 0, 1)[()], np.sqrt(p * (1 - p) / n)[()])


def run_sd(run_means) -> float:
    """Standard deviation between runs, sqrt(sum (m - mean)^2 / (S-1)); NaN for one run."""
    means, _ = _scored(run_means)
    return float(means.std(ddof=1)) if len(means) > 1 else float("nan")


def several_runs(scores, level=0.95, *, clusters=None) -> SeveralRuns:
    """Mean of (questions, runs) with its interval over questions, and the run SD apart from it.

    SE^2 = (Var_q(p_q) + E_q[sigma_q^2]/S) / N, which is Var(s_q)/N for s_q = a question's mean over the runs
    that scored it (Miller 2024; Wang 2025, arXiv 2512.21326). The run SD is over questions that all runs
    scored. The interval holds for these runs' libraries: where a run has an effect of its own see
    `two_way_bootstrap`.
    """
    scores = np.asarray(scores, dtype=float)
    means, scored = question_means(scores), ~np.isnan(scores)
    spread = run_sd(question_means(scores[scored.all(axis=1)].T))
    variances = _ratio(np.nansum((scores - means[:, None]) ** 2, axis=1), np.maximum(scored.sum(axis=1) - 1, 0))
    return SeveralRuns(*mean_interval(means, level, clusters=clusters), spread, _mean(variances) ** 0.5)


def question_means(scores) -> np.ndarray:
    """Each question's mean over the runs that scored it, from (questions, runs); NaN where none did."""
    scores = np.asarray(scores, dtype=float)
    return _ratio(np.nansum(scores, axis=1), (~np.isnan(scores)).sum(axis=1))


def two_way_bootstrap(scores, statistic=None, *, seed, resamples=2000, level=0.95, strata=None) -> Interval:
    """Percentile interval of the mean of (questions, runs), resampling questions and, apart from them, runs.

    Each axis draws one fewer than it has, with replacement, lest a few runs understate their spread (Rao & Wu
    1988). Sampling noise enters by both axes and counts up to three times (Owen 2007, the pigeonhole
    bootstrap): too wide where noise rules; and, having no t quantile, too narrow where few runs truly differ.
    Five runs of 150 questions: a 95 % interval covers 95 % or more without a run effect, 91 % with a strong
    one. One run: questions alone. With `strata` (a label a question), questions are redrawn within each, and
    the mean is the macro one. `statistic(values, weights)` takes two arrays (resamples x questions),
    a question's mean over the runs drawn and how often the question was drawn, to (resamples,).
    """
    scores = np.asarray(scores, dtype=float)
    rng, (questions, runs) = np.random.default_rng(seed), scores.shape
    labels = _codes(np.zeros(questions) if strata is None else strata)
    statistic = statistic or (lambda values, weights: _macro(values, weights, labels))
    filled, scored = np.nan_to_num(scores).T, (~np.isnan(scores)).T.astype(float)
    value, replicates = statistic(question_means(scores)[None], np.ones((1, questions)))[0], []
    for size in _blocks(resamples, questions):
        weights, of_runs = np.empty((size, questions)), _multiplicities(rng, runs, size)
        for label in np.unique(labels):
            weights[:, labels == label] = _multiplicities(rng, (labels == label).sum(), size)
        replicates.append(statistic(_ratio(of_runs @ filled, of_runs @ scored), weights))
    return _percentile(value, np.concatenate(replicates), level)


def micro_mean(values, sizes) -> float:
    """Mean over questions from means over categories, sum(size value) / sum(size).

    NaN if a category with questions is NaN: leaving it out would be another quantity under the same name.
    """
    values, sizes = np.asarray(values, dtype=float), np.asarray(sizes, dtype=float)
    return float(_ratio(values[sizes > 0] @ sizes[sizes > 0], sizes.sum()))


def macro_mean(values) -> float:
    """Mean over categories, each weighing the same; NaN if any is NaN, as in `micro_mean`."""
    return micro_mean(values, np.ones(len(values)))


# ---- paired comparisons ----


class PairedDifference(NamedTuple):
    value: float  # a - b
    low: float
    high: float
    se: float
    p: float  # two-sided t test
    questions: int  # scored in both


class McNemar(NamedTuple):
    p: float
    a_only: int
    b_only: int


class Equivalence(NamedTuple):
    p: float
    equivalent: bool | None  # None where it could not be tested
    interval: Interval  # at level 1 - 2 alpha: equivalent if inside (-margin, margin)


def paired_difference(a, b, *, level=0.95, clusters=None) -> PairedDifference:
    """Mean difference a - b of scores on the same questions, with its t interval and t test.

    SE = sqrt(sum (d - dbar)^2 / (N (N-1))), clustered as in `standard_error` (Miller 2024). Same scores: p =
    1.
    """
    d, clusters = _differences(a, b, clusters)
    interval = mean_interval(d, level, clusters=clusters)
    p = 2 * _upper_tail(abs(interval.value), interval.se, _units(d, clusters))
    return PairedDifference(*interval, p, len(d))


def mcnemar_exact(a, b) -> McNemar:
    """Exact McNemar test of one run each, right or wrong on the same questions, with the discordant counts.

    p = min(1, 2 sum_{i <= min(b,c)} C(b+c, i) 2^-(b+c)), b and c = solved by one alone (McNemar 1947, exact).
    """
    d, _ = _differences(a, b)
    if not np.isin(d, (-1, 0, 1)).all():
        raise ValueError("McNemar's test is for one run each, right or wrong; for means over runs see sign_flip")
    a_only, b_only = int((d > 0).sum()), int((d < 0).sum())
    p = min(1.0, float(2 * stats.binom.cdf(min(a_only, b_only), a_only + b_only, 0.5)))
    return McNemar(p if len(d) else float("nan"), a_only, b_only)


def sign_flip(a, b, *, seed, resamples=10_000, clusters=None) -> float:
    """Two-sided p of the sign-flip permutation test on per-question differences, flipped cluster by cluster.

    p = (1 + #{|T*| >= |T|}) / (B + 1), T = sum d (Phipson & Smyth 2010 on the 1).
    """
    d, clusters = _differences(a, b, clusters)
    if not len(d):
        return float("nan")
    d = _cluster_sums(d, clusters)
    rng, d, extreme = np.random.default_rng(seed), d[d != 0], 0
    reach = abs(d.sum()) - 1e-9 * np.abs(d).sum()  # sums in another order differ in their last digits
    for size in _blocks(resamples, len(d)):
        bits = np.unpackbits(rng.integers(0, 256, (size, len(d) // 8 + 1), dtype=np.uint8), axis=1)[:, : len(d)]
        extreme += int((np.abs(2 * (bits @ d) - d.sum()) >= reach).sum())
    return (1 + extreme) / (resamples + 1)


def tost(a, b, margin: float, *, alpha=0.05, clusters=None) -> Equivalence:
    """Two one-sided t tests of "a and b differ by less than margin": what a claim of no benefit needs.

    p = max of P(t >= (margin - d)/SE) and P(t >= (margin + d)/SE) (Schuirmann 1987).
    """
    if not margin > 0:
        raise ValueError("the margin of equivalence must be positive")
    d, clusters = _differences(a, b, clusters)
    interval = mean_interval(d, 1 - 2 * alpha, clusters=clusters)
    p = max(_upper_tail(margin + sign * interval.value, interval.se, _units(d, clusters)) for sign in (-1, 1))
    return Equivalence(p, p <= alpha if p == p else None, interval)


def holm(p_values) -> np.ndarray:
    """Holm's adjusted p values: rejecting those <= alpha, any false rejection has chance alpha at most.

    max_{j <= i} min(1, (m - j + 1) p_(j)) (Holm 1979). NaN passes through and counts as no test.
    """
    p = np.asarray(p_values, dtype=float)
    adjusted, order = p.copy(), np.argsort(p, axis=None)[: (~np.isnan(p)).sum()]
    adjusted.flat[order] = np.minimum(np.maximum.accumulate(p.flat[order] * np.arange(len(order), 0, -1)), 1)
    return adjusted


def questions_needed(delta, *, omega_sd, sigma_a=0, sigma_b=0, runs_a=1, runs_b=1, alpha=0.05, power=0.8):
    """Questions that a paired comparison needs to see a true difference delta with this power.

    (z_{1-alpha/2} + z_power)^2 (omega^2 + sigma_a^2/K_a + sigma_b^2/K_b) / delta^2, rounded up (Miller 2024):
    omega^2 = Var_q(p_a - p_b), sigma = the sampling SD within a question, K = runs. Infinite for delta = 0.
    """
    variance = np.square(omega_sd) + np.square(sigma_a) / runs_a + np.square(sigma_b) / runs_b
    reach = stats.norm.ppf(1 - alpha / 2) + stats.norm.ppf(power)
    with np.errstate(divide="ignore"):
        return np.ceil(reach**2 * variance / np.square(np.asarray(delta, dtype=float)))[()]


def power_of_difference(n, delta, *, omega_sd, sigma_a=0, sigma_b=0, runs_a=1, runs_b=1, alpha=0.05):
    """Power of a paired comparison on n questions for a true difference delta: questions_needed inverted.

    Phi(|delta| / sqrt(variance / n) - z_{1-alpha/2}) (Miller 2024; the far tail is left out, as there).
    """
    variance = np.square(omega_sd) + np.square(sigma_a) / runs_a + np.square(sigma_b) / runs_b
    return stats.norm.cdf(np.abs(delta) * np.sqrt(np.divide(n, variance)) - stats.norm.ppf(1 - alpha / 2))[()]


# ---- sets of solved questions ----


class Gains(NamedTuple):
    consistent: np.ndarray
    potential: np.ndarray


def jaccard(a, b):
    """Overlap of two sets of solved questions (last axis), |A & B| / |A | B|; NaN where both are empty."""
    a, b = _solved(a), _solved(b)
    return _ratio((a & b).sum(axis=-1), (a | b).sum(axis=-1))[()]


def mean_jaccard(runs_a, runs_b) -> float:
    """Mean Jaccard over all pairs of a run of a and a run of b, (runs, questions) each.

    Pairs with an empty union are left out. Read it against each method's own `noise_floor`.
    """
    return _mean(jaccard(_solved(runs_a)[:, None], _solved(runs_b)))


def noise_floor(runs) -> float:
    """Mean Jaccard over unordered pairs of different runs of the same method; NaN for one run."""
    runs = _solved(runs)
    first, second = np.triu_indices(len(runs), 1)
    return _mean(jaccard(runs[first], runs[second]))


def jaccard_interval(runs_a, runs_b=None, *, seed, resamples=2000, level=0.95) -> Interval:
    """Percentile interval, resampling questions, of `mean_jaccard`, or of `noise_floor` if there is no b."""
    a, b = _solved(runs_a), _solved(runs_a if runs_b is None else runs_b)
    pairs = np.triu(np.ones((len(a), len(a))), 1) if runs_b is None else np.ones((len(a), len(b)))
    first, second = np.nonzero(pairs)
    both, either = (a[first] & b[second]).T.astype(float), (a[first] | b[second]).T.astype(float)
    rng, replicates = np.random.default_rng(seed), []
    for size in _blocks(resamples, len(both)):
        weights = _multiplicities(rng, len(both), size)
        replicates.append(question_means(_ratio(weights @ both, weights @ either)))
    value = noise_floor(a) if runs_b is None else mean_jaccard(a, b)
    return _percentile(value, np.concatenate(replicates), level)


def unique_by_mode(solved) -> np.ndarray:
    """Share of all questions that one mode alone solves, (..., modes, questions) -> (..., modes).

    sum_q [this mode solves q, no other does] / N (re-evaluation of TroVE, Table 2). NaN without questions.
    """
    solved = _solved(solved)
    alone = solved & (solved.sum(axis=-2, keepdims=True) == 1)
    return _ratio(alone.sum(axis=-1), solved.shape[-1])


def gains(a, b) -> Gains:
    """Masks of the questions that a gains over b, from (runs, questions) each (re-evaluation of TroVE).

    consistent = solved by all runs of a and none of b; potential = by some but not all of a, and none of b.
    """
    a, b = _solved(a), _solved(b)
    by_all, by_any, missed = a.all(axis=0), a.any(axis=0), ~b.any(axis=0)
    return Gains(by_all & by_any & missed, by_any & ~by_all & missed)


def distinct_answers(codes, group, n_groups: int) -> np.ndarray:
    """Number of distinct answers in each group, from every sample's answer code (< 0 for none) and group.

    |{code : group = g}| for g in range(n_groups), by one sort of the pairs.
    """
    codes, group = np.asarray(codes), np.asarray(group)
    pairs = np.stack([group[codes >= 0], codes[codes >= 0]])
    pairs = pairs[:, np.lexsort(pairs[::-1])]
    new = np.ones(pairs.shape[1], dtype=bool)
    new[1:] = (pairs[:, 1:] != pairs[:, :-1]).any(axis=0)
    return np.bincount(pairs[0, new], minlength=n_groups)


# ---- helpers ----


def _scored(scores, clusters=None):
    scores = np.asarray(scores, dtype=float)
    keep = ~np.isnan(scores)
    return scores[keep], None if clusters is None else np.asarray(clusters)[keep]


def _differences(a, b, clusters=None):
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape or a.ndim != 1:
        raise ValueError(f"paired scores must be two rows over the same questions, not {a.shape} and {b.shape}")
    return _scored(a - b, clusters)


def _codes(labels):
    return np.unique(np.asarray(labels), return_inverse=True)[1].ravel()


def _cluster_sums(values, clusters):
    return values if clusters is None else np.bincount(_codes(clusters), values)


def _units(scores, clusters):
    return len(scores) if clusters is None else len(np.unique(clusters))


def _upper_tail(distance, se, units):
    if se == 0:  # every difference is the same
        return 0.5 if distance == 0 else float(distance < 0)
    return float(stats.t.sf(distance / se, units - 1)) if se == se else float("nan")


def _solved(values):
    values = np.asarray(values)
    if values.dtype != bool and not ((values == 0) | (values == 1)).all():
        raise ValueError("solved must be 0 or 1: leave out first what could not be scored")
    return values.astype(bool)


def _ratio(top, bottom):
    bottom = np.asarray(bottom, dtype=float)
    return np.divide(top, np.where(bottom == 0, np.nan, bottom))


def _mean(values):
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")


def _macro(values, weights, labels):
    member, weights = np.eye(labels.max(initial=0) + 1)[labels], weights * ~np.isnan(values)
    return _ratio((np.nan_to_num(values) * weights) @ member, weights @ member).mean(axis=1)


def _blocks(resamples, width):
    edges = [*range(0, resamples, max(1, BLOCK // max(width, 1))), resamples]
    return [stop - start for start, stop in pairwise(edges)]


def _multiplicities(rng, units, resamples):
    """How often each of `units` is drawn in units - 1 draws with replacement, (resamples, units)."""
    if not units:
        return np.zeros((resamples, 0))
    drawn = rng.integers(0, units, (resamples, max(units - 1, 1))) + units * np.arange(resamples)[:, None]
    return np.bincount(drawn.ravel(), minlength=units * resamples).reshape(resamples, units).astype(float)


def _percentile(value, replicates, level):
    replicates = replicates[~np.isnan(replicates)]
    if len(replicates) < 2 or value != value:
        return Interval(float(value), np.nan, np.nan, np.nan)
    low, high = np.quantile(replicates, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(value), float(low), float(high), float(replicates.std(ddof=1)))
