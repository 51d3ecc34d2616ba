"""The decomposition against the textbook and known truth, and what is said from it against its
definitions.

Its intervals, tests and predictions against simulated truth: benchmarks/coverage.py and
test_coverage."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from scipy import stats

from trove_lite_analysis import variance as v
from trove_lite_analysis.statistics import standard_error

small = settings(deadline=None, max_examples=60)
tables = hnp.arrays(
    float,
    st.tuples(st.integers(2, 8), st.integers(2, 5)),
    elements=st.integers(0, 20).map(lambda i: i / 20),
)


def normal(rng, questions, runs, problem=1.0, run=0.0, sample=1.0):
    """Scores with these standard deviations."""
    return (
        rng.normal(0, problem, (questions, 1))
        + rng.normal(0, run, runs)
        + rng.normal(0, sample, (questions, runs))
    )


@small
@given(tables)
def test_it_is_the_analysis_of_variance_of_two_crossed_factors(scores):
    questions, runs = scores.shape
    by_question = scores.mean(axis=1)
    by_run = scores.mean(axis=0)
    mean = scores.mean()
    rest = ((scores - by_question[:, None] - by_run + mean) ** 2).sum() / (
        (questions - 1) * (runs - 1)
    )
    of_run = by_run.var(ddof=1) - rest / questions
    of_question = by_question.var(ddof=1) - rest / runs
    got = v.decompose(scores)
    assert got.value == pytest.approx(mean)
    assert_allclose(
        (got.sample[0, 0], got.run[0, 0], got.problem[0]), (rest, of_run, of_question), atol=1e-12
    )


def test_a_difference_has_the_problem_variance_of_the_difference_and_both_methods_samples_and_runs():
    rng = np.random.default_rng(1)
    shared = rng.normal(0, 1, (2000, 1))
    a = shared + normal(rng, 2000, 20, problem=0.2, run=0.1, sample=0.5)
    b = shared + normal(rng, 2000, 30, problem=0, run=0, sample=0.3)
    got = v.decompose(a, b)
    assert got.value == pytest.approx(a.mean() - b.mean())
    assert_allclose(got.sds["sample"], [0.5, 0.3], rtol=0.02)
    assert_allclose(got.sds["run"], [0.1, 0], rtol=0.3, atol=0.003)
    assert got.sds["problem"] == pytest.approx(0.2, rel=0.1)


def test_runs_never_make_the_error_smaller():
    """Of two runs whose means are the same, as by chance they hardly are."""
    scores = np.random.default_rng(0).permuted(np.tile([0.0, 1.0], (50, 1)), axis=1)
    got = v.decompose(np.vstack([scores, scores[:, ::-1]]))
    assert got.run[0, 0] < 0
    assert got.se**2 == got.over_problems


def test_one_run_cannot_show_what_a_run_adds():
    scores = np.random.default_rng(0).random((40, 1))
    got = v.decompose(scores)
    assert got.covers == "these runs"
    assert np.isnan([*got.sds["run"], *got.sds["sample"]]).all()
    assert v.interval(got).se == pytest.approx(standard_error(scores[:, 0]))


def test_an_assumed_run_sd_is_added_as_it_is():
    scores = np.random.default_rng(0).random((40, 2))
    one = v.decompose(v.Runs(scores[:, :1], run_sd=0.1))
    assert one.covers == "problems and runs"
    assert one.se**2 == pytest.approx(one.over_problems + 0.01)
    none = v.decompose(v.Runs(scores, run_sd=0))
    assert none.se**2 == none.over_problems


def test_unscored_questions_and_runs_are_left_out():
    rng = np.random.default_rng(0)
    scores = rng.random((30, 3))
    wider = np.full((35, 4), np.nan)
    wider[:30, :3] = scores
    for got in (v.decompose(wider), v.decompose(wider, np.zeros((35, 1)))):
        assert got.problems == 30
        assert got.value == pytest.approx(scores.mean())
    assert v.decompose(wider).se == pytest.approx(v.decompose(scores).se)


def test_runs_of_unequal_length_are_estimated_without_bias():
    rng = np.random.default_rng(2)
    found = []
    for _ in range(1500):
        scores = normal(rng, 40, 3, problem=1, run=0.3, sample=0.5)
        scores[:25, 1], scores[30:, 2] = (
            np.nan,
            np.nan,
        )  # runs that share their beginnings: the copies are left out
        got = v.decompose(scores)
        run = got.run[0, 0]
        found.append(
            (got.value, got.over_problems + run / got.independent[0, 0], run, got.sample[0, 0])
        )
    values, error, run, sample = np.array(found).T
    assert run.mean() == pytest.approx(0.09, rel=0.15)
    assert sample.mean() == pytest.approx(0.25, rel=0.05)
    assert error.mean() == pytest.approx(values.var(), rel=0.12)


def test_strata_have_runs_of_their_own_and_fixed_shares():
    rng = np.random.default_rng(0)
    big = rng.random((30, 3))
    few = rng.random((10, 3)) + 1
    labels = np.repeat([0, 1], [30, 10])
    both = np.vstack([big, few])
    parts = [v.decompose(big), v.decompose(few)]
    for macro, weights in ((False, [0.75, 0.25]), (True, [0.5, 0.5])):
        got = v.decompose(both, strata=labels).of([0, 1], macro=macro)
        assert got.value == pytest.approx(np.dot(weights, [p.value for p in parts]))
        assert got.over_problems == pytest.approx(
            np.dot(np.square(weights), [p.over_problems for p in parts])
        )
        assert_allclose(got.run[:, 0], [p.run[0, 0] for p in parts])


def test_alike_strata_share_the_run_variance_of_all_by_degrees_of_freedom():
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 50)
    scores = normal(rng, 150, 4, run=1.0)
    scores[:50, 2:], scores[100:, 1:] = np.nan, np.nan
    own = v.decompose(scores, strata=labels)
    got = v.pool_strata(v.decompose(scores, strata=labels))
    size = (own.run[0, 0] + 3 * own.run[1, 0]) / (own.sample[0, 0] ** 2 + 3 * own.sample[1, 0] ** 2)
    assert_allclose(got.run[:, 0], size * got.sample[:, 0] ** 2)
    assert_allclose(got.run_degrees, 4, rtol=0.1)
    assert got.covers == "problems and runs"
    assert own.covers == "these runs"


def test_the_mean_of_samples_is_worth_so_many_runs_of_one():
    """15 samples a question and run, scored one by one: a score of one sample has 15 times the
    noise of their mean."""
    rng = np.random.default_rng(3)
    chance = rng.uniform(0.2, 0.8, (4000, 1, 1))
    effect = rng.normal(0, 0.05, (1, 3, 1))
    means = (rng.random((4000, 3, 15)) < chance + effect).mean(axis=2)
    got = v.decompose(v.Runs(means, worth=15))
    assert got.sample[0, 0] == pytest.approx(np.mean(chance * (1 - chance)), rel=0.02)
    assert got.repeats[0, 0] == pytest.approx(45)
    assert got.independent[0, 0] == pytest.approx(3)
    assert got.single[0, 0] == pytest.approx(
        0.25, rel=0.02
    )  # right or wrong, half of the time each
    assert got.problem[0] == pytest.approx(np.var(chance), rel=0.1)


def test_nothing_scored_is_nothing_known():
    for scores in (np.full((3, 2), np.nan), np.empty((0, 2)), np.empty((3, 0))):
        got = v.decompose(scores)
        assert np.isnan([*v.interval(got), *v.proportion_interval(got), v.p_value(got)]).all()
        assert got.problems == 0


@small
@given(tables, tables, st.sampled_from([0.8, 0.95]))
def test_an_interval_leaves_out_what_the_test_rejects(a, b, level):
    n = min(len(a), len(b))
    got = v.decompose(a[:n], b[:n])
    low, high = v.interval(got, level)[1:3]
    assert (v.p_value(got) <= 1 - level + 1e-9) == (low >= -1e-9 or high <= 1e-9) or got.se < 1e-9


def test_nothing_seen_in_n_questions_is_fewer_than_three_in_n():
    """The exact bound, (1 - share)^N = 5 %; and where it excludes a margin, equivalence is
    shown."""
    got = v.decompose(np.zeros((1025, 2)))
    _, low, high, _ = v.interval(got)
    assert high == -low == pytest.approx(3 / 1025, rel=0.01)
    assert (1 - high) ** 1025 == pytest.approx(0.05, rel=0.01)
    assert v.equivalence(got, [high])[0] == pytest.approx(0.05, rel=0.01)
    assert v.equivalence(v.decompose(np.zeros((20, 2))), [0.01])[0] > 0.5


@small
@given(tables, st.floats(0.01, 0.5))
def test_equivalence_is_a_90_percent_interval_within_the_margin(scores, margin):
    got = v.decompose(scores - 0.5)
    low, high = v.interval(got, 0.9)[1:3]
    assert (v.equivalence(got, [margin])[0] <= 0.05) == (
        -margin <= low and high <= margin
    ) or got.se < 1e-9


@pytest.mark.parametrize("right", [0, 3, 40])
def test_a_proportion_of_one_run_has_nearly_wilsons_interval(right):
    scores = (np.arange(40) < right).astype(float)[:, None]
    wilson = stats.binomtest(right, 40).proportion_ci(method="wilson")
    assert_allclose(
        v.proportion_interval(v.decompose(scores))[:3], (right / 40, *wilson), atol=0.01
    )


def test_a_prediction_leaves_out_the_problems_and_takes_in_the_new_runs():
    scores = normal(np.random.default_rng(0), 40, 4, problem=50, run=2)
    got = v.decompose(scores)
    low, high = v.prediction_interval(got, 6)[1:3]
    se = scores.mean(axis=0).std(ddof=1) * np.sqrt(1 / 4 + 1 / 6)
    assert (high - low) / 2 == pytest.approx(stats.t.ppf(0.975, 3) * se)
    assert v.prediction_interval(got, 6, rounding=0.5).high == pytest.approx(high + 0.5)


@small
@given(tables, st.floats(-0.5, 1.5), st.integers(1, 5), st.sampled_from([0, 0.005]))
def test_a_printed_number_is_within_the_prediction_unless_its_p_is_small(
    scores, printed, runs, rounding
):
    got = v.decompose(scores)
    low, high = v.prediction_interval(got, runs, rounding=rounding)[1:3]
    p = v.rerun_p(got, printed, runs, rounding=rounding)
    assert (
        (low <= printed <= high) == (p >= 0.05) or got.sample[0, 0] < 1e-9 or abs(p - 0.05) < 1e-9
    )


def known(problem, sample, run, *, problems=500, runs=4):
    """A difference of two methods whose variances are assumed, not estimated."""
    each = v.Runs(np.zeros((problems, runs)), run_sd=run)
    spread = np.array([problem**2 + 2 * sample**2 / runs])
    return replace(v.decompose(each, each), spread=spread, sample=np.full((1, 2), sample**2))


def test_power_without_a_run_effect_is_millers():
    got = v.power(known(0.3, 0.4, 0), 0.02, problems=3201, runs=5)
    se = np.sqrt((0.3**2 + 2 * 0.4**2 / 5) / 3201)
    assert got == pytest.approx(stats.norm.cdf(0.02 / se - stats.norm.ppf(0.975)), abs=1e-3)


@pytest.mark.parametrize("run", [0, 0.005])
def test_problems_needed_give_the_power_wanted_and_none_make_up_for_too_few_runs(run):
    plan = known(0.3, 0.4, run)
    n = v.problems_needed(plan, 0.02, runs=5)
    assert (
        v.power(plan, 0.02, problems=n, runs=5)
        >= 0.8 - 1e-6
        > v.power(plan, 0.02, problems=n - 2, runs=5)
    )
    assert v.problems_needed(known(0.3, 0.4, 0.05), 0.02, runs=2) == np.inf
