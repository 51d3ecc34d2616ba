"""The committed table of results/statistics against the simulation that makes it, and its README against the table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import coverage

FOLDER = Path(__file__).parents[2] / "results/statistics"
COMMITTED = pd.read_csv(FOLDER / "coverage.csv")


@pytest.mark.parametrize("kind", [coverage.tests, coverage.plans])
def test_the_committed_rates_are_the_simulation_s(kind):
    i, truth = next((i, truth) for i, (each, truth) in enumerate(coverage.scenarios()) if each is kind)
    replicates = 300 if kind is coverage.plans else 2000
    again = pd.DataFrame(kind(truth, np.random.default_rng([0, i]), replicates))
    keys = ["what", "method", "problems", "runs", "run_effect", "problem_sd"]
    both = again.merge(COMMITTED, on=keys, suffixes=("", "_committed"))
    assert len(both) == len(again)
    assert np.allclose(both["observed"], both["observed_committed"], atol=2e-3)


def test_the_true_mean_is_the_mean_of_many_scores():
    truth = coverage.Truth(200_000, 3, problem_sd=0.7)
    a, b = coverage.two_methods(truth, np.random.default_rng(0))
    assert a.mean() == pytest.approx(truth.mean(), abs=0.004)
    assert b.mean() == pytest.approx(truth.mean(), abs=0.004)


def test_a_shift_makes_the_difference_that_is_asked_for():
    truth = coverage.Truth(200_000, 3, difference=0.05)
    a, b = coverage.two_methods(truth, np.random.default_rng(0), truth.shifted() - truth.ease)
    assert a.mean() - b.mean() == pytest.approx(0.05, abs=0.004)


def test_five_runs_meet_every_target():
    ours = COMMITTED[COMMITTED["method"] == coverage.NEW]
    missed = ours[~ours["meets"]]
    assert set(missed["runs"]) == {2}
    words = {8: "Eight"}
    assert f"{words[len(missed)]} of the rows of `variance` miss their targets" in (FOLDER / "README.md").read_text()


def test_the_figure_has_a_panel_for_everything_simulated():
    titles = {ax.get_title(loc="left") for ax in coverage.figure(COMMITTED).axes}
    assert titles == set(COMMITTED["what"])
