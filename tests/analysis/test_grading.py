"""The same outputs under other rules of voting and judging."""

import pandas as pd
import pytest

from trove_lite.analysis.grading import OURS, RELEASED, accuracy_by_rule
from trove_lite.candidates import outcomes
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Problem, Question
from trove_lite.errors import TroveLiteError


@pytest.fixture
def accuracy(monkeypatch):
    """From what programs printed on one problem to the accuracy of the selected answer, by (votes, rule)."""

    def accuracy(name, gold, outputs):
        problems = (Problem(Question(name, name, 0, "?"), gold),)
        monkeypatch.setattr("trove_lite.analysis.grading.load_problems", lambda *_: problems)
        table = accuracy_by_rule(candidates(name, gold, outputs))
        return table.set_index(["votes", "rule"])["value"].to_dict()

    return accuracy


def candidates(name, gold, outputs):
    dataset = load_dataset(name)
    rows = [
        {
            **{"model": "m", "provenance": "live", "run": "r", "method": "primitive", "seed": 0, "dataset": name},
            **{"category": name, "problem": 0, "phase": "stream", "mode": "primitive", "place": 0, "sample": sample},
            **{"round": 0, "level": "", "program": sample, "status": "ok", "output": output, "shortened": False},
            **{"answers": dataset.read(output), "answer": output, "operations": 1},
            "correct": dataset.correct(dataset.read(output), gold),
        }
        for sample, output in enumerate(outputs)
    ]
    return pd.DataFrame(rows)


def test_released_votes_let_the_gold_answer_decide_what_agrees(accuracy):
    outputs = [
        "12 apples",
        "12",
        "12 in all",
        "7",
        "7",
    ]  # three programs agree, to one who knows that a number is asked
    found = accuracy("hitab", [12.0], outputs)
    assert (found[OURS, "released"], found[RELEASED, "released"]) == (0, 1)
    found = accuracy("hitab", ["12"], outputs)  # and none to one who knows that it is a text
    assert (found[OURS, "released"], found[RELEASED, "released"]) == (0, 0)


def test_one_of_several_gold_values_is_enough_for_one_rule_alone(accuracy):
    gold = {"values": ["Rome", "Oslo"], "canonical": ["Rome", "Oslo"]}
    found = accuracy("wtq", gold, ["Rome"])
    assert (found[OURS, "released"], found[OURS, "denotation accuracy"]) == (1, 0)


def test_without_outputs_no_other_rule_can_judge(accuracy):
    with pytest.raises(TroveLiteError, match="no outputs"):
        accuracy_by_rule(outcomes(candidates("tabmwp", 4.0, ["4"])))
