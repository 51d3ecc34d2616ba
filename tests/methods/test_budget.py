"""What a problem may spend, and the seeds of its samples."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trove_lite.datasets.base import Question
from trove_lite.methods import load_method
from trove_lite.methods.base import Budget, Settings, sample_seed
from trove_lite.methods.trove import PRESETS, TroveSettings

from .trove_playing import calls_by_problem, candidate, few, play, questions, winner


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("method", ["primitive", "instance", "trove", "standard", "cot"])
def test_every_method_spends_exactly_its_calls_on_every_problem(method, preset):
    chosen = replace(PRESETS[preset], interval=3) if method == "trove" else Settings()
    asked, answers = play(load_method(method).steps(questions(9), chosen), winner({}))
    assert calls_by_problem(asked) == dict.fromkeys(range(9), 15)
    assert [a.question.index for a in answers[:9]] == list(range(9))


@few
@given(
    st.integers(1, 400),
    st.lists(st.integers(0, 50), min_size=1, max_size=9),
    st.sampled_from(["trove", "primitive"]),
)
def test_a_token_budget_takes_the_first_samples_that_reach_it_and_no_more(tokens, lengths, method):
    """The batches that the method asks for are those of asking one by one."""
    kind = TroveSettings if method == "trove" else Settings
    chosen = kind(budget=Budget(completion_tokens=tokens, most=50))
    modes = TroveSettings().modes if method == "trove" else ("primitive",)

    def length(mode, sample):
        return lengths[(modes.index(mode) + sample * len(modes)) % len(lengths)]

    def reply(attempt, sample):
        return candidate(attempt.mode, sample, tokens=length(attempt.mode, sample))

    asked, _ = play(load_method(method).steps(questions(1), chosen), reply)
    expected = []
    total = 0
    while total < tokens:
        turn = len(expected)
        expected.append((modes[turn % len(modes)], turn // len(modes)))
        total += length(*expected[-1]) or 50  # no token at all counts as the longest
    assert sorted((attempt.mode, n) for attempt in asked for n in attempt.samples) == sorted(
        expected
    )


def test_sample_seeds_of_ten_run_seeds_are_pairwise_disjoint():
    places = product(
        range(10), ("counting", "algebra"), range(120), ("stream", "retry"), TroveSettings().modes
    )
    seeds = [
        sample_seed(run, Question("math", category, problem, ""), phase, stage, sample, round)
        for (run, category, problem, phase, stage), sample, round in product(
            places, range(5), (0, 1)
        )
    ]
    assert len(set(seeds)) == len(seeds)
    assert all(0 <= seed < 2**53 for seed in seeds)


def test_a_seed_stays_what_it_is_so_that_recorded_runs_are_found_again():
    assert (
        sample_seed(0, Question("math", "counting", 3, "of any text"), "stream", "skip", 4)
        == 2415790241312979
    )
