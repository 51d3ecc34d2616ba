"""Selection: the official rules and the described ones, each on the smallest case that tells them
apart."""

import pytest

from trove_lite.judge.answers import is_correct, read_numbers
from trove_lite.judge.canonical import number_text, round_answer
from trove_lite.selection import (
    RULES,
    Vote,
    one_stage,
    one_stage_described,
    random_choice,
    two_stage,
    two_stage_described,
)

from ..cases import cases


def vote(*answers, mode="skip", ok=True, operations=5):
    return Vote(mode, ok, tuple(map(number_text, answers)), operations)


@pytest.mark.parametrize(
    ("official", "described", "votes"),
    [
        # each number printed is a vote; as described a program has one
        (1, 0, [vote(7.0, operations=1), vote(2.0, 1.0, 1.0)]),
        # votes are exact floats; as described rounded to two decimals
        (
            2,
            1,
            [
                vote(3.0),
                vote(3.001, operations=1),
                vote(4.0, operations=9),
                vote(4.0, operations=9),
            ],
        ),
        # a tie goes to the answer met first; as described to fewest operations
        (0, 1, [vote(1.0, operations=9), vote(2.0, operations=1)]),
        # among supporters fewest operations, then the first
        (1, 1, [vote(1.0, operations=4), vote(1.0, operations=3), vote(1.0, operations=3)]),
    ],
)
def test_the_official_rule_and_the_described_one(official, described, votes):
    assert (one_stage(votes), one_stage_described(votes)) == (official, described)


def test_a_number_has_one_text_and_it_is_exact():
    assert number_text(-0.0) == number_text(0) == "0.0"
    assert number_text(1e22) == "1e+22"
    assert float(number_text(0.1 + 0.2)) == 0.1 + 0.2


@pytest.mark.parametrize(
    ("answer", "key"), [("2.675", "2.67"), ("-0.001", "0.0"), ("1e+22", "1e+22"), ("inf", "inf")]
)
def test_numbers_are_rounded_and_other_texts_are_not(answer, key):
    assert round_answer(answer) == key
    for text in ("paris", "3", "2.675 m", "nan", "1_0", ""):
        assert round_answer(text) == text


@pytest.mark.parametrize("rule", RULES.values())
def test_failed_programs_do_not_vote_and_texts_do_as_they_are(rule):
    assert rule([vote(1.0, ok=False), vote(1.0, ok=False), vote(2.0)]) == 2
    assert rule([vote(ok=False), vote(), vote()]) == 1  # without a vote the first that ran
    assert rule([vote(ok=False), vote(ok=False)]) == 0
    assert (
        rule(
            [
                Vote("skip", True, (text,), 5)
                for text in ("rome", "paris", "paris", "2.001 m", "2.002 m")
            ]
        )
        == 1
    )


def test_two_stages_let_a_mode_outvote_the_majority():
    votes = [vote(1.0, mode="import")] * 3 + [vote(2.0, mode="create"), vote(3.0, mode="create")]
    votes += [vote(2.0, mode="skip"), vote(4.0, mode="skip")]
    assert one_stage(votes) == 0
    assert two_stage(votes) == 3
    assert two_stage_described(votes) == 3


def test_random_choice_is_seeded_and_among_the_successful():
    votes = [vote(ok=False), vote(), vote()]
    chosen = {random_choice(votes, seed) for seed in range(50)}
    assert chosen == {1, 2}
    assert random_choice(votes, 3) == random_choice(votes, 3)


@pytest.mark.parametrize(
    ("output", "numbers"),
    cases(
        """
        "1e-05", [1.0, -5.0]
        "3/4",   [3.0, 4.0]
        "1,024", [1.0, 24.0]
        "n-3",   [-3.0]
        "2.50.", [2.5]
        "",      []
        """
    ),
)
def test_numbers_are_read_as_the_official_pattern_does(output, numbers):
    assert read_numbers(output) == [number_text(number) for number in numbers]


def test_answers_agree_to_two_decimals():
    assert is_correct("0.333", 1 / 3)
    assert not is_correct("0.34", 1 / 3)
    assert not is_correct(None, 0.0)
    assert not is_correct("inf", 1.0)
