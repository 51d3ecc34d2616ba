"""Scores of problems and their means: of the right thing, with what could not be judged left out."""

import numpy as np
import pandas as pd
import pytest

from trove_lite.analysis.choose import in_order
from trove_lite.analysis.scores import (
    ALL_MACRO,
    COVERED_MACRO,
    COVERED_MICRO,
    by_category,
    distinct_score,
    estimate,
    graded_answer,
    modes_of,
    oracle_score,
    over_categories,
    redrawn,
    score,
    variance_of,
)

from ..simulated import candidates

TWO = ["counting", "geometry"]


def test_rows_over_categories_need_all_of_them():
    scores = pd.DataFrame({"category": TWO, "run": "r", "problem": 0, "score": [1.0, 0.0]})
    categories = [*TWO, "number", "algebra"]
    assert COVERED_MICRO in by_category(scores, categories, TWO)
    assert COVERED_MICRO not in by_category(scores, categories, [*TWO, "number"])
    assert ALL_MACRO in by_category(scores, TWO, TWO)


def test_one_category_has_no_rows_over_several():
    scores = pd.DataFrame({"category": ["tables"], "run": "r", "problem": 0, "score": [1.0]})
    assert list(by_category(scores, ["tables"], ["tables"])) == ["tables"]
    assert over_categories(["tables"], ["tables"]) == []


def test_micro_weighs_problems_and_macro_categories():
    scores = pd.DataFrame(
        {"category": [TWO[0]] * 3 + [TWO[1]], "run": "r", "problem": [0, 1, 2, 0], "score": [1.0, 1.0, 1.0, 0.0]}
    )
    parts = by_category(scores, [*TWO, "number"], TWO)
    assert estimate(parts[COVERED_MICRO]).value == 0.75
    assert estimate(parts[COVERED_MACRO], macro=True).value == 0.5


def test_a_run_without_a_category_has_no_macro_mean():
    scores = pd.DataFrame({"category": [*TWO, TWO[0]], "run": ["a", "a", "b"], "problem": 0, "score": [1.0, 0.0, 1.0]})
    assert np.isnan(estimate(scores, macro=True).run_sd)


def test_unscored_problems_are_left_out_not_counted_as_wrong():
    scores = pd.DataFrame({"category": "counting", "run": "r", "problem": range(4), "score": [1.0, np.nan, 1.0, 0.0]})
    found = estimate(scores)
    assert found.problems == 3
    assert found.value == pytest.approx(2 / 3)


def test_run_spread_is_apart_from_the_interval():
    scores = pd.DataFrame(
        {"category": "counting", "run": ["a", "b"] * 2, "problem": [0, 0, 1, 1], "score": [1.0, 0, 1, 0]}
    )
    assert estimate(scores).run_sd == pytest.approx(np.std([1, 0], ddof=1))


def one_of_five():
    """One problem of three modes with five samples each, the first of each right."""
    frame = candidates(problems=1, runs=1, categories=("counting",))
    frame = frame[frame["method"] == "trove"].assign(correct=False)
    frame.loc[frame["sample"] == 0, "correct"] = True
    return in_order(frame.astype({"correct": "boolean"}))


def test_oracle_is_unbiased_by_mode():
    frame = one_of_five()
    assert oracle_score(frame, 3)["score"].item() == pytest.approx(1 - (4 / 5) ** 3)
    assert oracle_score(frame, 15)["score"].item() == 1


def test_what_does_not_divide_over_the_modes_goes_to_the_later_ones():
    assert oracle_score(one_of_five(), 4)["score"].item() == pytest.approx(1 - (4 / 5) ** 2 * (3 / 5))


@pytest.mark.parametrize("k", [1, 2, 16])
def test_too_few_calls_for_the_modes_and_more_than_there_are_give_no_score(k):
    for rule in ("oracle", "one_stage"):
        assert np.isnan(score(one_of_five(), rule, k)["score"].item())


def test_nothing_has_no_scores():
    assert score(one_of_five().head(0), "oracle", 3).empty


def test_modes_come_in_the_order_in_which_they_were_sampled():
    assert modes_of(one_of_five()) == ["import", "create", "skip"]


def test_distinct_answers_and_predictions_differ_by_what_they_compare():
    frame = candidates(problems=1, runs=1, k=3, categories=("counting",)).query("method == 'primitive'").copy()
    frame["answers"] = [["1.0"], ["1.0", "2.0"], []]
    frame["answer"] = ["1.0", "1.001", None]
    frame["status"] = "ok"

    def predictions(ran):
        return ran["answers"].map(tuple)

    assert distinct_score(frame, 3, graded_answer)["score"].item() == 1
    assert distinct_score(frame, 3, predictions)["score"].item() == 3
    assert distinct_score(frame, 2, predictions)["score"].item() == pytest.approx(2)


def test_what_could_not_be_judged_is_not_wrong(simulated):
    part = simulated.query("category == 'counting' and method == 'primitive'").copy()
    part["correct"] = part["correct"].astype("boolean")
    part.loc[(part["problem"] == 0) & (part["sample"] == 0), ["correct", "status"]] = [None, "error"]
    scores = oracle_score(in_order(part), 15).set_index("problem")["score"]
    assert scores[0].isna().all()
    assert scores[1].notna().all()


def test_problems_are_drawn_anew_within_categories_and_of_both_sides_alike():
    """One side solves a tenth less of each problem of a category, however hard it is, and half less of the other's.

    Problems drawn apart, or across categories, would show other differences, or other numbers of problems.
    """
    rng = np.random.default_rng(0)
    category, hard = np.repeat(TWO, [6, 4]), rng.random(10)
    less = np.where(category == TWO[0], 0.1, 0.5)
    a, b = (
        pd.concat(
            pd.DataFrame({"category": category, "run": f"{side}{run}", "problem": range(10), "score": s})
            for run in "01"
        )
        for side, s in (("a", hard), ("b", hard - less))
    )
    again = redrawn(a, b, rng=rng, times=4)
    whole = variance_of(a, b)
    assert {v.labels for v in again} == {whole.labels}
    for v in again:
        assert v.sizes.tolist() == [6, 4]
        assert [v.of([label]).value for label in v.labels] == pytest.approx([0.1, 0.5])
    assert len({float(v.single[0, 0]) for v in again}) == 4  # each time other problems
