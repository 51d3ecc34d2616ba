"""The decomposition against the textbook and known truth, and what is said from it against its definitions.

The full simulation is benchmarks/coverage.py; here a quick one, seeded, of what must not break.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose
from scipy import stats

from trove_lite.analysis import variance as v
from trove_lite.analysis.statistics import standard_error

small = settings(deadline=None, max_examples=60)
tables = hnp.arrays(
    float, st.tuples(st.integers(2, 8), st.integers(2, 5)), elements=st.integers(0, 20).map(lambda i: i / 20)
)


def normal(rng, questions, runs, problem=1.0, run=0.0, sample=1.0):
    """Scores with these standard deviations."""
    return rng.normal(0, problem, (questions, 1)) + rng.normal(0, run, runs) + rng.normal(0, sample, (questions, runs))


# ---- decompose ----


@small
@given(tables)
def test_it_is_the_analysis_of_variance_of_two_crossed_factors(scores):
    questions, runs = scores.shape
    by_question, by_run, mean = scores.mean(axis=1), scores.mean(axis=0), scores.mean()
    rest = sum(
        (scores[q, r] - by_question[q] - by_run[r] + mean) ** 2 for q in range(questions) for r in range(runs)
    ) / ((questions - 1) * (runs - 1))
    of_runs = questions * sum((m - mean) ** 2 for m in by_run) / (runs - 1)
    of_questions = runs * sum((m - mean) ** 2 for m in by_question) / (questions - 1)
    got = v.decompose(scores)
    assert got.value == pytest.approx(mean)
    assert_allclose(
        (got.sample[0, 0], got.run[0, 0], got.problem[0]),
        (rest, (of_runs - rest) / questions, (of_questions - rest) / runs),
        atol=1e-12,
    )


def test_it_finds_the_variances_that_are_there():
    got = v.decompose(normal(np.random.default_rng(0), 500, 60, problem=0.3, run=0.1, sample=0.5))
    found = [got.sds["problem"], got.sds["sample"][0], got.sds["run"][0]]
    assert_allclose(found, [0.3, 0.5, 0.1], rtol=0.2)


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


def test_runs_that_belong_together_are_one_method():
    a, b = np.random.default_rng(0).normal(0, 1, (2, 30, 4))
    assert v.decompose(a - b).value == pytest.approx(v.decompose(a, b).value)
    assert v.decompose(a - b).run.shape == (1, 1)


def test_over_problems_it_is_the_standard_error_of_the_questions_means():
    scores = np.random.default_rng(0).random((40, 3))
    assert v.decompose(scores).over_problems == pytest.approx(standard_error(scores.mean(axis=1)) ** 2)
    tables = np.repeat(np.arange(8), 5)
    clustered = v.decompose(scores, clusters=tables)
    assert clustered.over_problems == pytest.approx(standard_error(scores.mean(axis=1), tables) ** 2)
    assert clustered.degrees.tolist() == [7]


def test_its_parts_add_up_to_the_standard_error():
    got = v.decompose(normal(np.random.default_rng(0), 50, 4, run=1.0))
    assert got.se**2 == pytest.approx(got.problem[0] / 50 + got.sample[0, 0] / 200 + got.run[0, 0] / 4)


def of_equal_runs():
    """Two runs whose means are the same, as by chance they hardly are."""
    scores = np.random.default_rng(0).permuted(np.tile([0.0, 1.0], (50, 1)), axis=1)
    return np.vstack([scores, scores[:, ::-1]])


def test_runs_never_make_the_error_smaller():
    got = v.decompose(of_equal_runs())
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


def test_an_estimated_run_sd_comes_with_its_degrees_of_freedom():
    scores = np.random.default_rng(0).random((40, 1))
    known, guessed = (v.decompose(v.Runs(scores, 0.1, degrees)) for degrees in (np.inf, 3))
    assert known.se == guessed.se
    assert known.df > guessed.df


def test_degrees_of_freedom_are_never_fewer_than_any_part_has():
    """Problems that vary less than their samples would make them, and a run variance estimated below 0."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        assert v.decompose(rng.integers(0, 2, (4, 2)) + rng.normal(0, 1e-3, (4, 2))).df >= 1


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
    rng, found = np.random.default_rng(2), []
    for _ in range(1500):
        scores = normal(rng, 40, 3, problem=1, run=0.3, sample=0.5)
        scores[:25, 1], scores[30:, 2] = np.nan, np.nan  # runs that share their beginnings: the copies are left out
        got = v.decompose(scores)
        found.append(
            (got.value, got.over_problems + got.run[0, 0] / got.independent[0, 0], got.run[0, 0], got.sample[0, 0])
        )
    values, error, run, sample = np.array(found).T
    assert run.mean() == pytest.approx(0.09, rel=0.15)
    assert sample.mean() == pytest.approx(0.25, rel=0.05)
    assert error.mean() == pytest.approx(values.var(), rel=0.12)


def test_a_run_that_makes_less_of_the_mean_counts_as_less_of_a_run():
    scores = np.random.default_rng(0).random((40, 2))
    scores[20:, 1] = np.nan
    got = v.decompose(scores)
    assert got.independent[0, 0] == pytest.approx(1 / (0.75**2 + 0.25**2))
    assert got.repeats[0, 0] == pytest.approx(1 / (0.5 * 0.5 + 0.5 * 1))


def test_strata_have_runs_of_their_own_and_fixed_shares():
    rng = np.random.default_rng(0)
    big, few = rng.random((30, 3)), rng.random((10, 3)) + 1
    labels = np.repeat([0, 1], [30, 10])
    both, parts = np.vstack([big, few]), [v.decompose(big), v.decompose(few)]
    for macro, weights in ((False, [0.75, 0.25]), (True, [0.5, 0.5])):
        got = v.decompose(both, strata=labels, macro=macro)
        assert got.value == pytest.approx(np.dot(weights, [p.value for p in parts]))
        assert got.over_problems == pytest.approx(np.dot(np.square(weights), [p.over_problems for p in parts]))
        assert_allclose(got.run[:, 0], [p.run[0, 0] for p in parts])


def test_a_macro_mean_needs_all_its_strata_and_a_micro_mean_those_with_scores():
    scores = np.array([[1.0], [0.0], [np.nan]])
    assert np.isnan(v.decompose(scores, strata=[0, 0, 1], macro=True).value)
    assert v.decompose(scores, strata=[0, 0, 1]).value == 0.5


def test_alike_strata_share_the_run_variance_of_all_by_degrees_of_freedom():
    rng, labels = np.random.default_rng(0), np.repeat([0, 1, 2], 50)
    scores = normal(rng, 150, 4, run=1.0)
    scores[:50, 2:], scores[100:, 1:] = np.nan, np.nan
    own, got = v.decompose(scores, strata=labels), v.alike(v.decompose(scores, strata=labels))
    size = (own.run[0, 0] + 3 * own.run[1, 0]) / (own.sample[0, 0] ** 2 + 3 * own.sample[1, 0] ** 2)
    assert_allclose(got.run[:, 0], size * got.sample[:, 0] ** 2)
    assert_allclose(got.run_degrees, 4, rtol=0.1)
    assert got.covers == "problems and runs"
    assert own.covers == "these runs"


def test_a_single_run_is_taken_to_be_as_noisy_as_the_others_for_its_accuracy():
    rng, labels = np.random.default_rng(0), np.repeat([0, 1], 50)
    scores = np.vstack([normal(rng, 50, 4, sample=0.5), 3 * normal(rng, 50, 4, sample=0.5)])
    scores[50:, 1:] = np.nan
    own, got = v.decompose(scores, strata=labels), v.alike(v.decompose(scores, strata=labels))
    assert np.isnan(own.sample[1, 0])
    assert got.sample[1, 0] == pytest.approx(own.sample[0, 0] / own.single[0, 0] * own.single[1, 0])
    assert np.isfinite(v.prediction_interval(got.of([1]), 5).low)


def test_what_is_assumed_of_runs_is_not_replaced():
    scores = np.random.default_rng(0).random((40, 2))
    assert (v.alike(v.decompose(v.Runs(scores, run_sd=0), strata=np.arange(40) % 2)).run == 0).all()


def test_one_estimate_of_all_strata_has_its_own_degrees_of_freedom_and_not_each_stratum_s():
    scores = normal(np.random.default_rng(1), 700, 2, problem=0.01, run=1.0, sample=0.01)
    got = v.alike(v.decompose(scores, strata=np.arange(700) % 7))
    assert got.df == pytest.approx(7, abs=0.5)
    assert got.of([0]).df == pytest.approx(7, abs=0.5)


def test_a_run_effect_of_one_size_on_the_logit_moves_the_mean_by_the_sample_variance():
    """Half of the questions are hard: 5 of 100 right. A run moves their mean by a fifth of what it does the others'."""
    rng, chance = np.random.default_rng(0), np.repeat([0.05, 0.5], 4000)
    effect = rng.normal(0, 0.3, (2, 40)).repeat(4000, axis=0)
    right = rng.random((8000, 40)) < 1 / (1 + np.exp(-np.log(chance / (1 - chance))[:, None] - effect))
    got = v.alike(v.decompose(right.astype(float), strata=chance))
    assert_allclose(np.sqrt(got.run[:, 0]), [0.3 * 0.05 * 0.95, 0.3 * 0.25], rtol=0.2)


def test_some_strata_are_those_alone():
    rng, labels = np.random.default_rng(0), np.repeat([0, 1, 2], [30, 10, 20])
    scores = rng.random((60, 3))
    for macro in (False, True):
        got = v.decompose(scores, strata=labels).of([0, 2], macro=macro)
        expected = v.decompose(scores[labels != 1], strata=labels[labels != 1], macro=macro)
        assert_allclose(v.interval(got), v.interval(expected))


def test_a_stratum_of_one_question_is_as_varied_as_the_others():
    scores = np.random.default_rng(0).random((31, 2))
    got = v.decompose(scores, strata=np.repeat([0, 1], [30, 1]))
    assert got.spread[1] == got.spread[0]
    assert np.isfinite(v.interval(got).low)


def test_the_mean_of_samples_is_worth_so_many_runs_of_one():
    """15 samples a question and run, scored one by one: a score of one sample has 15 times the noise of their mean."""
    rng = np.random.default_rng(3)
    chance, effect = rng.uniform(0.2, 0.8, (4000, 1, 1)), rng.normal(0, 0.05, (1, 3, 1))
    means = (rng.random((4000, 3, 15)) < chance + effect).mean(axis=2)
    got = v.decompose(v.Runs(means, worth=15))
    assert got.sample[0, 0] == pytest.approx(np.mean(chance * (1 - chance)), rel=0.02)
    assert got.repeats[0, 0] == pytest.approx(45)
    assert got.independent[0, 0] == pytest.approx(3)
    assert got.single[0, 0] == pytest.approx(0.25, rel=0.02)  # right or wrong, half of the time each
    assert got.problem[0] == pytest.approx(np.var(chance), rel=0.1)


def test_different_questions_are_refused():
    for a, b in ((np.ones((5, 2)), np.ones((4, 2))), (np.ones(5), None)):
        with pytest.raises(ValueError, match="same questions"):
            v.decompose(a, b)


def test_nothing_scored_is_nothing_known():
    for scores in (np.full((3, 2), np.nan), np.empty((0, 2)), np.empty((3, 0))):
        got = v.decompose(scores)
        assert np.isnan([*v.interval(got), *v.proportion_interval(got), v.p_value(got)]).all()
        assert got.problems == 0


# ---- intervals and tests ----


@small
@given(tables, tables, st.sampled_from([0.8, 0.95]))
def test_an_interval_leaves_out_what_the_test_rejects(a, b, level):
    n = min(len(a), len(b))
    got = v.decompose(a[:n], b[:n])
    low, high = v.interval(got, level)[1:3]
    assert (v.p_value(got) <= 1 - level + 1e-9) == (low >= -1e-9 or high <= 1e-9) or got.se < 1e-9


def test_the_same_scores_are_no_evidence():
    scores = np.tile([[0.0], [1.0], [1.0]], (1, 2))
    got = v.decompose(scores, scores)
    assert v.p_value(got) == 1
    assert v.interval(got)[:3] == (0, pytest.approx(-1, abs=0.01), pytest.approx(1, abs=0.01))


def test_nothing_seen_in_n_questions_is_fewer_than_three_in_n():
    """The exact bound, (1 - share)^N = 5 %; and where it excludes a margin, equivalence is shown."""
    got = v.decompose(np.zeros((1025, 2)))
    _, low, high, _ = v.interval(got)
    assert high == -low == pytest.approx(3 / 1025, rel=0.01)
    assert (1 - high) ** 1025 == pytest.approx(0.05, rel=0.01)
    assert v.equivalence(got, [high])[0] == pytest.approx(0.05, rel=0.01)
    assert v.equivalence(v.decompose(np.zeros((20, 2))), [0.01])[0] > 0.5


def test_a_difference_is_below_a_margin_where_the_one_sided_interval_is():
    got = v.decompose(np.random.default_rng(0).normal(-0.1, 1, (400, 3)))
    high = v.interval(got, 0.9).high
    assert v.p_below(got, high) == pytest.approx(0.05)
    assert v.p_below(got, high + 0.1) < 0.05 < v.p_below(got, high - 0.01)


def test_a_large_enough_run_effect_takes_a_difference_to_nothing():
    rng = np.random.default_rng(0)
    shared = rng.random((500, 1))
    got = v.decompose(*(v.Runs(shared + rng.normal(mean, 0.1, (500, 4)), run_sd=0) for mean in (0.1, 0)))
    sd = v.run_sd_to_zero(got, got)
    assert got.value / np.sqrt(got.over_problems + sd**2 * (1 / 4 + 1 / 4)) == pytest.approx(stats.norm.ppf(0.975))
    assert np.isnan(v.run_sd_to_zero(v.decompose(shared - shared.mean()), got))


def test_problems_alone_leave_runs_as_they_are():
    got = v.decompose(normal(np.random.default_rng(0), 50, 4, run=1.0))
    assert v.problems_alone(got).se == pytest.approx(np.sqrt(got.over_problems))
    assert v.problems_alone(got).se < got.se
    assert v.problems_alone(got).df == pytest.approx(49)


@small
@given(tables, st.floats(0.01, 0.5))
def test_equivalence_is_a_90_percent_interval_within_the_margin(scores, margin):
    got = v.decompose(scores - 0.5)
    low, high = v.interval(got, 0.9)[1:3]
    assert (v.equivalence(got, [margin])[0] <= 0.05) == (-margin <= low and high <= margin) or got.se < 1e-9


def test_equivalence_is_easier_at_a_wider_margin_and_needs_one():
    got = v.decompose(*np.random.default_rng(0).random((2, 400, 3)))
    one, two, three = v.equivalence(got)
    assert one > two > three
    with pytest.raises(ValueError, match="positive"):
        v.equivalence(got, [0])


@pytest.mark.parametrize("right", [0, 3, 40])
def test_a_proportion_of_one_run_has_nearly_wilsons_interval(right):
    scores = (np.arange(40) < right).astype(float)[:, None]
    wilson = stats.binomtest(right, 40).proportion_ci(method="wilson")
    assert_allclose(v.proportion_interval(v.decompose(scores))[:3], (right / 40, *wilson), atol=0.01)


@small
@given(tables)
def test_a_proportion_lies_within_its_interval(scores):
    found = v.proportion_interval(v.decompose(scores))
    assert found.low <= found.value <= found.high


@pytest.mark.parametrize("questions", [1, 3, 7, 10, 49, 291])
@pytest.mark.parametrize("right", [0.0, 1.0])
def test_where_all_are_right_or_none_is_the_value_ends_its_interval(questions, right):
    found = v.proportion_interval(v.decompose(np.full((questions, 3), right)))
    assert (found.high if right else found.low) == found.value


def test_a_proportion_s_interval_shrinks_with_runs_and_stays_within_0_and_1():
    rng = np.random.default_rng(0)
    scores = (rng.random((60, 8)) < 0.03).astype(float)
    few, many = (v.proportion_interval(v.decompose(v.Runs(scores[:, :r], run_sd=0))) for r in (1, 8))
    assert 0 <= many.low < many.value < many.high < 1
    assert many.high - many.low < few.high - few.low


# ---- reruns ----


def test_a_prediction_leaves_out_the_problems_and_takes_in_the_new_runs():
    scores = normal(np.random.default_rng(0), 40, 4, problem=50, run=2)
    got = v.decompose(scores)
    low, high = v.prediction_interval(got, 6)[1:3]
    assert (high - low) / 2 == pytest.approx(
        stats.t.ppf(0.975, 3) * scores.mean(axis=0).std(ddof=1) * np.sqrt(1 / 4 + 1 / 6)
    )
    assert v.prediction_interval(got, 6, rounding=0.5).high == pytest.approx(high + 0.5)


@small
@given(tables, st.floats(-0.5, 1.5), st.integers(1, 5), st.sampled_from([0, 0.005]))
def test_a_printed_number_is_within_the_prediction_unless_its_p_is_small(scores, printed, runs, rounding):
    got = v.decompose(scores)
    low, high = v.prediction_interval(got, runs, rounding=rounding)[1:3]
    p = v.rerun_p(got, printed, runs, rounding=rounding)
    assert (low <= printed <= high) == (p >= 0.05) or got.sample[0, 0] < 1e-9 or abs(p - 0.05) < 1e-9


def test_runs_that_happen_to_agree_do_not_predict_themselves():
    got = v.decompose(of_equal_runs())
    assert v.prediction_interval(got, 5).se == pytest.approx(np.sqrt(got.sample[0, 0] / 100 * (1 / 2 + 1 / 5)))


def test_a_printed_number_that_rounds_to_ours_is_ours():
    got = v.decompose(np.random.default_rng(0).random((40, 3)))
    assert v.rerun_p(got, got.value + 0.004, 5, rounding=0.005) == 1
    assert v.rerun_p(got, got.value + 0.004, 5) < 1


def test_one_run_predicts_only_under_assumptions():
    scores = np.random.default_rng(0).random((40, 1))
    assert np.isnan(v.prediction_interval(v.decompose(scores), 5).low)
    assert np.isnan(v.rerun_p(v.decompose(scores), 0.5, 5))
    got = v.prediction_interval(v.decompose(v.Runs(scores, run_sd=0, sample_sd=0.3)), 5)
    assert got.se == pytest.approx(0.3 * np.sqrt(1.2 / 40))


# ---- plans ----


def known(problem, sample, run, *, problems=500, runs=4):
    """A difference of two methods whose variances are assumed, not estimated."""
    scores = np.zeros((problems, runs))
    each = v.Runs(scores, run_sd=run, sample_sd=sample)
    got = v.decompose(each, each)
    return v.Variance(**(vars(got) | {"spread": np.array([problem**2 + 2 * sample**2 / runs])}))


def test_power_without_a_run_effect_is_millers():
    got = v.power(known(0.3, 0.4, 0), 0.02, problems=3201, runs=5)
    se = np.sqrt((0.3**2 + 2 * 0.4**2 / 5) / 3201)
    assert got == pytest.approx(stats.norm.cdf(0.02 / se - stats.norm.ppf(0.975)), abs=1e-3)


def test_power_falls_with_a_run_effect_that_problems_cannot_average_out():
    effects = [v.power(known(0.3, 0.4, run), 0.02, problems=3201, runs=5) for run in (0, 0.01, 0.03)]
    assert effects == sorted(effects, reverse=True)
    many = [v.power(known(0.3, 0.4, 0.03), 0.02, problems=n, runs=5) for n in (3201, 10**6, 10**7)]
    assert many[2] == pytest.approx(many[1], abs=0.01)
    assert many[2] < 0.5


def test_power_pays_for_a_run_effect_that_has_to_be_estimated():
    assumed = known(0.1, 0.4, 0.01)
    estimated = v.Variance(**(vars(assumed) | {"run_degrees": np.full((1, 2), 3.0)}))
    plan = {"problems": 3201, "runs": 2}
    assert v.power(estimated, 0.03, **plan) < v.power(assumed, 0.03, **plan) - 0.1


def test_power_counts_the_runs_of_each_method():
    few, more, other = (v.power(known(0.1, 0.4, 0.01), 0.02, problems=800, runs=r) for r in (2, (2, 9), (9, 2)))
    assert few < more == pytest.approx(other)


@pytest.mark.parametrize("run", [0, 0.005])
def test_problems_needed_give_the_power_wanted(run):
    plan = known(0.3, 0.4, run)
    n = v.problems_needed(plan, 0.02, runs=5)
    assert v.power(plan, 0.02, problems=n, runs=5) >= 0.8 - 1e-6 > v.power(plan, 0.02, problems=n - 2, runs=5)


def test_no_number_of_problems_makes_up_for_too_few_runs():
    assert v.problems_needed(known(0.3, 0.4, 0.05), 0.02, runs=2) == np.inf


def test_nothing_is_planned_from_what_is_unknown():
    got = v.decompose(np.random.default_rng(0).random((40, 1)))
    assert np.isnan(v.power(got, 0.02, problems=3201, runs=5))
    assert np.isnan(v.problems_needed(got, 0.02, runs=5))


def test_strata_plan_as_their_sum_does():
    rng = np.random.default_rng(0)
    scores, labels = rng.random((400, 5)), np.repeat([0, 1], 200)
    plain, split = (v.decompose(v.Runs(scores, run_sd=0), strata=s) for s in (None, labels))
    assert v.power(split, 0.02, problems=900, runs=5) == pytest.approx(
        v.power(plain, 0.02, problems=900, runs=5), abs=0.02
    )


# ---- a quick look at the truth: benchmarks/coverage.py in small ----


@pytest.mark.parametrize(("runs", "run"), [(2, 0), (5, 0), (5, 0.05)])
def test_95_percent_intervals_hold_the_mean(runs, run):
    rng = np.random.default_rng(runs)
    hits = []
    for _ in range(600):
        _, low, high, _ = v.interval(v.decompose(normal(rng, 100, runs, 0.36, run, 0.2)))
        hits.append(low <= 0 <= high)
    assert 0.93 - 0.02 <= np.mean(hits) <= 0.97 + 0.02


@pytest.mark.parametrize("runs", [2, 5])
def test_paired_tests_keep_their_level_under_a_run_effect(runs):
    rng, new, old = np.random.default_rng(10 + runs), [], []
    for _ in range(600):
        shared = rng.normal(0, 0.36, (100, 1))
        a, b = (shared + normal(rng, 100, runs, 0.1, 0.04, 0.2) for _ in range(2))
        new.append(v.p_value(v.decompose(a, b)) <= 0.05)
        old.append(v.p_value(v.decompose(v.Runs(a, run_sd=0), v.Runs(b, run_sd=0))) <= 0.05)
    assert np.mean(new) <= 0.05 + 0.02
    assert np.mean(old) > 0.15


@pytest.mark.parametrize("runs", [3, 6])
def test_predictions_hold_what_a_rerun_gives(runs):
    rng, hits = np.random.default_rng(runs), []
    for _ in range(600):
        scores = normal(rng, 60, runs + 4, 1, 0.1, 0.5)
        _, low, high, _ = v.prediction_interval(v.decompose(scores[:, :runs]), 4)
        hits.append(low <= scores[:, runs:].mean() <= high)
    assert np.mean(hits) >= 0.93 - 0.02
