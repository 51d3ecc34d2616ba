"""What another toolbox changes, by runs that differ in nothing else."""

import pytest

from trove_lite_papers.reeval.toolbox import toolbox_experiment

from ...analysis.test_independence import repeating, two_runs

__all__ = ["two_runs"]  # a fixture


def test_another_toolbox_is_compared_where_nothing_else_differs(two_runs):
    frame = repeating(two_runs, lambda problem, mode: mode != "import" or problem < 10)
    better = (frame["run"] == "run1") & (frame["mode"] == "import") & (frame["sample"] == 0)
    (row,) = toolbox_experiment(frame.assign(correct=better.astype("boolean"))).to_dict("records")
    assert (row["mode"], row["run_a"], row["run_b"]) == ("import", "run0", "run1")
    assert (row["first"], row["last"], row["problems"], row["samples"]) == (10, 39, 30, 150)
    assert row["difference"] == pytest.approx(0.2)
    assert (row["value_a"], row["value_b"]) == (0, pytest.approx(0.2))
