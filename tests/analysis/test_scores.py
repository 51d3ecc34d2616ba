"""Scores of problems and their means: of the right thing, with what could not be judged left
out."""

import numpy as np
import pytest

from trove_lite.selection.tables import in_order
from trove_lite_analysis.scores import (
    distinct_score,
    graded_answer,
    oracle_score,
    score,
)

from ..simulated import candidates

TWO = ["counting", "geometry"]


def one_of_five():
    """One problem of three modes with five samples each, the first of each right."""
    frame = candidates(problems=1, runs=1, categories=("counting",))
    frame = frame[frame["method"] == "trove"].assign(correct=False)
    frame.loc[frame["sample"] == 0, "correct"] = True
    return in_order(frame.astype({"correct": "boolean"}))


@pytest.mark.parametrize(
    ("k", "chance"), [(3, 1 - (4 / 5) ** 3), (4, 1 - (4 / 5) ** 2 * (3 / 5)), (15, 1)]
)
def test_oracle_is_unbiased_by_mode_and_later_modes_take_what_does_not_divide(k, chance):
    assert oracle_score(one_of_five(), k)["score"].item() == pytest.approx(chance)


@pytest.mark.parametrize("k", [1, 2, 16])
def test_too_few_calls_for_the_modes_and_more_than_there_are_give_no_score(k):
    for rule in ("oracle", "one_stage"):
        assert np.isnan(score(one_of_five(), rule, k)["score"].item())


def test_distinct_answers_and_predictions_differ_by_what_they_compare():
    frame = (
        candidates(problems=1, runs=1, k=3, categories=("counting",))
        .query("method == 'primitive'")
        .copy()
    )
    frame["answers"] = [["1.0"], ["1.0", "2.0"], []]
    frame["answer"] = ["1.0", "1.001", None]
    frame["status"] = "ok"

    def predictions(ran):
        return ran["answers"].map(tuple)

    assert distinct_score(frame, 3, graded_answer)["score"].item() == 1
    assert distinct_score(frame, 3, predictions)["score"].item() == 3
    assert distinct_score(frame, 2, predictions)["score"].item() == pytest.approx(2)
