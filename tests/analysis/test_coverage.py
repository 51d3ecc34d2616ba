"""The committed table of results/statistics against the simulation that makes it, and its README
against the table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import coverage

FOLDER = Path(__file__).parents[2] / "results/statistics"
COMMITTED = pd.read_csv(FOLDER / "coverage.csv")


@pytest.mark.parametrize("kind", [coverage.tests, coverage.plans])
def test_the_committed_rates_are_the_simulation_s(kind):
    i, truth = next(
        (i, truth) for i, (each, truth) in enumerate(coverage.scenarios()) if each is kind
    )
    replicates = 300 if kind is coverage.plans else 1000
    again = pd.DataFrame(kind(truth, np.random.default_rng([0, i]), replicates))
    keys = [
        "what",
        "method",
        "problems",
        "categories",
        "runs",
        "run_effect",
        "run_effect_b",
        "problem_sd",
        "unlike",
    ]
    both = again.merge(COMMITTED, on=keys, suffixes=("", "_committed"))
    assert len(both) == len(again)
    assert np.allclose(both["observed"], both["observed_committed"], atol=2e-3)


def test_five_runs_meet_every_target():
    ours = COMMITTED[COMMITTED["method"] == coverage.NEW]
    missed = ours[~ours["meets"]]
    assert set(missed["runs"]) == {2}
    text = (FOLDER / "README.md").read_text()
    assert f"{len(missed)} of the {len(ours)} rows of `variance` miss their targets" in text


def test_no_rule_covers_less_without_a_run_effect_than_is_committed():
    bound = pd.read_csv(FOLDER / "bound.csv").set_index("problems_to_samples")
    found = coverage.least_coverage(1.0)
    assert bound.loc[1.0, ["covers", "wider"]].to_numpy() == pytest.approx(
        [found["covers"], found["wider"]], abs=2e-3
    )
    assert (
        bound["covers"].diff().dropna() < 0
    ).all()  # the more problems rule, the less runs matter
