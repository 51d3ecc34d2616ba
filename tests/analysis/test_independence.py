"""Runs that repeat one another are found stretch by stretch, and what repeats is left out."""

import numpy as np
import pandas as pd
import pytest

from trove_lite.candidates import SELECTED, SELECTION, selections
from trove_lite_analysis import independent_runs, repetitions, shared_programs
from trove_lite_analysis.scores import by_run, estimate, in_part, score

from ..simulated import candidates

PROBLEMS = 40


@pytest.fixture(scope="module")
def two_runs():
    """Two runs of TROVE that have nothing in common, on 40 problems."""
    frame = candidates(problems=PROBLEMS, runs=2, categories=("counting",))
    return frame[frame["method"] == "trove"].reset_index(drop=True)


def repeating(frame, where):
    """The same, run1 repeating run0's rows on the (problem, mode)s that `where` says."""
    same = np.array(
        [
            where(problem, mode)
            for problem, mode in zip(frame["problem"], frame["mode"], strict=True)
        ]
    )
    first = frame["run"] == "run0"
    again = frame[first & same].assign(run="run1", seed=1)
    return pd.concat([frame[first], frame[~first & ~same], again], ignore_index=True)


@pytest.mark.parametrize(
    ("until", "verdict"), [(PROBLEMS, "copy"), (25, "overlap"), (0, "independent")]
)
def test_where_two_runs_part_is_found(two_runs, until, verdict):
    pairs = shared_programs(repeating(two_runs, lambda problem, mode: problem < until))
    assert set(pairs["mode"]) == {"import", "create", "skip"}
    assert set(pairs["verdict"]) == {verdict}
    assert set(pairs["shared"]) == {until}
    assert pairs["parted"].dropna().unique().tolist() == ([until] if until < PROBLEMS else [])
    assert pairs["identical"].to_numpy() == pytest.approx(until / PROBLEMS)


def test_runs_that_meet_again_share_two_stretches(two_runs):
    pairs = shared_programs(
        repeating(two_runs, lambda problem, mode: problem < 10 or 20 <= problem < 35)
    )
    assert set(pairs["stretches"]) == {"0-9, 20-34"}
    assert set(pairs["parted"]) == {10}
    assert (pairs["apart"] < 0.05).all()


def test_equal_programs_by_chance_are_no_repetition(two_runs):
    few = two_runs.assign(program=np.random.default_rng(1).integers(2, size=len(two_runs)))
    pairs = shared_programs(few)
    assert pairs["identical"].mean() > 0.4
    assert set(pairs["verdict"]) == {"independent"}
    assert len(independent_runs(few)) == len(few)


def test_runs_of_two_methods_are_listed_only_where_they_share(two_runs):
    other = two_runs["run"] == "run1"
    apart = two_runs.assign(method=np.where(other, "other", "trove"))
    assert shared_programs(apart).empty
    same = repeating(two_runs, lambda problem, mode: True)
    same["method"] = np.where(same["run"] == "run1", "other", "trove")
    assert set(shared_programs(same)["verdict"]) == {"copy"}
    assert len(independent_runs(same)) == len(same)  # to be compared, and no second run of either
    assert len(independent_runs(same, across=True)) == len(same) / 2  # to be pooled


def test_selected_answers_alone_are_compared_too(two_runs):
    repeated = repeating(two_runs, lambda problem, mode: problem < 25)
    ended = repeated[(repeated["mode"] == "skip") & (repeated["sample"] == 0)]
    ended = ended.assign(phase=SELECTED, provenance=SELECTION)
    (pair,) = shared_programs(ended).to_dict("records")
    assert (pair["mode"], pair["stretches"], pair["verdict"]) == ("selected", "0-24", "overlap")
    kept = selections(independent_runs(ended)).query("run == 'run1'")
    assert kept["problem"].min() == 25


def test_a_problem_counts_with_its_mean_over_the_runs_that_have_it(two_runs):
    kept = independent_runs(repeating(two_runs, lambda problem, mode: problem < 25))
    scores = score(kept, "oracle", 15)
    by_hand = scores.groupby("problem")["score"].mean().mean()
    found = estimate(scores)
    assert found.value == pytest.approx(by_hand)
    assert found.problems == PROBLEMS
    assert np.isnan(found.run_sd)  # one run alone has all problems
    assert in_part(by_run(scores)) == "1 of 2 runs count in part: what repeats another is left out"


def test_what_a_run_repeats_is_said_in_a_row(two_runs):
    frame = repeating(two_runs, lambda problem, mode: mode == "skip" or problem < 25)
    third = frame[frame["run"] == "run1"].assign(run="run2")
    rows = repetitions(shared_programs(pd.concat([frame, third])))[
        ["run", "repeats", "stretches", "verdict"]
    ]
    assert rows.to_numpy().tolist() == [
        ["run1", "run0", "create 0-24; import 0-24; skip 0-39", "overlap"],
        ["run2", "run1", "create 0-39; import 0-39; skip 0-39", "copy"],
    ]
