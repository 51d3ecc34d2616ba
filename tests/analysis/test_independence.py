"""Copies among runs are found by their programs, and left out."""

import numpy as np
import pytest

from trove_lite import independent_runs, shared_programs


def copied(frame, share):
    """The same candidates with run1 repeating that share of run0's programs."""
    frame = frame.sort_values(["category", "method", "mode", "problem", "sample", "run"], ignore_index=True)
    first = frame["run"] == "run0"
    repeat = np.random.default_rng(0).random(int(first.sum())) < share
    frame.loc[(~first).to_numpy().nonzero()[0][repeat], "program"] = frame.loc[first, "program"].to_numpy()[repeat]
    return frame


@pytest.mark.parametrize(("share", "verdict"), [(1.0, "copy"), (0.6, "overlap"), (0.0, "independent")])
def test_runs_that_share_programs_are_told_from_independent_ones(simulated, share, verdict):
    trove = simulated[simulated["method"] == "trove"]
    pairs = shared_programs(copied(trove, share))
    assert set(pairs["verdict"]) == {verdict}
    assert pairs["identical"].to_numpy() == pytest.approx(share, abs=0.12)
    kept = independent_runs(copied(trove, share))
    assert set(kept["run"]) == ({"run0", "run1"} if verdict == "independent" else {"run0"})


def test_equal_programs_by_chance_do_not_make_a_copy(simulated):
    trove = simulated[simulated["method"] == "trove"]
    few = trove.assign(program=np.random.default_rng(1).integers(2, size=len(trove)))
    pairs = shared_programs(few)
    assert pairs["identical"].mean() > 0.4
    assert set(pairs["verdict"]) == {"independent"}
