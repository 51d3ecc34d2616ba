"""The estimators against brute force and definitions, and the intervals and tests against simulated
truth.

Simulations have fixed seeds; a rate may miss its nominal value by four binomial standard errors."""

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

from trove_lite.selection.subsets import subsets_by_mode
from trove_lite_analysis import statistics as m

from ..cases import cases

small = settings(deadline=None, max_examples=60)
scores_in_twentieths = st.integers(0, 20).map(lambda i: i / 20)


mode_counts = st.integers(0, 5).flatmap(
    lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(0, min(n, 3)))
)


@small
@given(st.lists(mode_counts, min_size=1, max_size=3))
def test_pass_at_k_is_the_share_of_subsets_with_a_right_sample_of_one_mode_or_more(modes):
    drawn = [list(combinations([True] * c + [False] * (n - c), k)) for n, c, k in modes]
    joint = [any(map(any, choice)) for choice in product(*drawn)]
    n, c, k = np.array(modes).T
    assert_allclose(m.pass_at_k_by_mode(n, c, k), np.mean(joint), atol=1e-14)


def test_few_subsets_are_all_taken_once():
    modes = np.array(["skip", "import", "create", "skip", "import", "skip"])
    masks = subsets_by_mode(modes, {"skip": 2, "import": 1}, seed=0, resamples=1)
    taken = sorted(tuple(np.flatnonzero(mask)) for mask in masks)
    assert taken == cases(
        """
        0, 1, 3
        0, 1, 5
        0, 3, 4
        0, 4, 5
        1, 3, 5
        3, 4, 5
        """
    )
    assert_array_equal(
        subsets_by_mode(modes, {"skip": 3, "import": 2, "create": 1}, seed=0), [[True] * 6]
    )


def test_drawn_subsets_are_uniform():
    _, counts = np.unique(
        subsets_by_mode([0] * 10, {0: 4}, seed=1, resamples=200), axis=0, return_counts=True
    )
    assert counts.max() > 1, "with repetition: 200 of 210 are not all"
    drawn = np.concatenate(
        [subsets_by_mode([0] * 10, {0: 4}, seed=seed, resamples=200) for seed in range(100)]
    )
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == comb(10, 4)
    assert stats.chisquare(counts).pvalue > 1e-4


@small
@given(st.lists(st.tuples(scores_in_twentieths, st.integers(0, 3)), min_size=2, max_size=12))
def test_standard_error_is_its_formula_by_loops(rows):
    scores, clusters = zip(*rows, strict=True)
    n = len(scores)
    mean = sum(scores) / len(scores)
    plain = sum((s - mean) ** 2 for s in scores) / (n * (n - 1))
    assert m.standard_error(scores) == pytest.approx(plain**0.5, abs=1e-12)
    groups = set(clusters)
    got = m.standard_error(scores, clusters)
    if len(groups) < 2:
        assert np.isnan(got)
        return
    sums = [sum(s - mean for s, c in rows if c == group) for group in groups]
    clustered = len(groups) / (len(groups) - 1) * sum(x**2 for x in sums)
    assert got == pytest.approx(clustered**0.5 / n, abs=1e-12)


@pytest.mark.parametrize("tables", [4, 40])
def test_mean_interval_covers_the_mean_of_clustered_questions_only_if_clustered(tables):
    rng = np.random.default_rng(2)
    clusters = np.repeat(np.arange(tables), 5)
    samples = [
        rng.normal(0, 1, tables)[clusters] + rng.normal(0, 1, len(clusters)) for _ in range(1500)
    ]
    found = [[m.mean_interval(s, clusters=given) for s in samples] for given in (clusters, None)]
    clustered, plain = (
        np.mean([each.low <= 0 <= each.high for each in intervals]) for intervals in found
    )
    assert clustered == pytest.approx(0.95, abs=4 * np.sqrt(0.95 * 0.05 / len(samples)))
    assert plain < 0.85


@small
@given(st.lists(st.integers(0, 200), min_size=1, max_size=7), st.integers(0, 400))
def test_holm_rejects_what_its_step_down_definition_rejects(thousandths, level):
    alpha = Fraction(
        2 * level + 1, 2000
    )  # between thousandths: no p times a whole number equals it
    rejected = set()
    remaining = len(thousandths)
    for i in sorted(range(len(thousandths)), key=thousandths.__getitem__):
        if Fraction(thousandths[i], 1000) > alpha / remaining:
            break
        rejected.add(i)
        remaining -= 1
    adjusted = m.holm(np.array(thousandths) / 1000)
    assert set(np.flatnonzero(adjusted <= float(alpha))) == rejected
    assert adjusted.max() <= 1


def overlap(a, b):
    a = set(np.flatnonzero(a))
    b = set(np.flatnonzero(b))
    return len(a & b) / len(a | b) if a | b else None


pairs_of_runs = st.integers(1, 7).flatmap(
    lambda q: st.integers(1, 4).flatmap(
        lambda n: st.tuples(*(hnp.arrays(bool, (n, q)) for _ in range(2)))
    )
)


@small
@given(pairs_of_runs)
def test_the_overlap_is_the_mean_jaccard_over_pairs_with_something_solved(pairs):
    known = [x for x in (overlap(a, b) for a, b in zip(*pairs, strict=True)) if x is not None]
    expected = sum(known) / len(known) if known else np.nan
    jaccard = lambda a, b: (a & b).sum() / (a | b).sum()  # noqa: E731
    assert m.overlap_interval(*pairs, jaccard, seed=0, resamples=5).value == pytest.approx(
        expected, nan_ok=True
    )
