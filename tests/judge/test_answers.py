"""Answers that are text: their key and their letters."""

import random

import pytest

from trove_lite.judge.answers import is_one_of, number_is_correct, printed, read_numbers, read_text
from trove_lite.selection import (
    Vote,
    one_stage,
    one_stage_described,
    two_stage,
    two_stage_described,
)

READ = {
    "Italy\n": ["italy", "Italy"],
    "italy": ["italy"],
    "12": ["12.0", "12"],
    "12.0\n": ["12.0"],
    " \n": [""],
}
READ |= {
    "-0": ["0.0", "-0"],
    "+.5e1": ["5.0", "+.5e1"],
    "2010–11": ["2010-11", "2010–11"],
    "Infinity": ["infinity", "Infinity"],
}
READ |= {text: [text] for text in ("1,000", "1_000", "nan", "1e999", "3.5 and 4")}


@pytest.mark.parametrize(("output", "answers"), READ.items())
def test_an_answer_is_its_key_and_its_letters(output, answers):
    assert read_text(output) == answers
    assert printed(read_text(output)) == output.strip()


@pytest.mark.parametrize("rule", [one_stage, two_stage])
def test_a_vote_for_key_and_letters_elects_whom_a_vote_for_the_key_elects(rule):
    rng = random.Random(0)
    outputs = ["12", "12.0", "12.00", "a", "A", "b", "B ", "", "7"]
    for _ in range(1500):
        drawn = [
            (rng.choice("xyz"), rng.choice(outputs), rng.randint(1, 3))
            for _ in range(rng.randint(1, 9))
        ]
        drawn.sort()
        both = [
            Vote(mode, True, read_text(output), operations) for mode, output, operations in drawn
        ]
        keys = [vote._replace(answers=vote.answers[:1]) for vote in both]
        assert rule(both) == rule(keys), drawn


def test_text_is_right_where_it_is_one_of_the_values():
    assert is_one_of(read_text(" Red\n"), ["blue", "RED "])
    assert not is_one_of(read_text("red, blue"), ["blue", "red"])
    assert is_one_of(read_text("2010–11"), ["2010-11"])
    assert not is_one_of(
        read_text("2010–11"), ["2010–11"]
    )  # gold's own dashes stay: the released rule
    assert not is_one_of([], [""])


@pytest.mark.parametrize(
    ("output", "numbers"),
    [
        ("\uff15", ["5.0"]),
        ("\u0665 apples", ["5.0"]),
        ("\uff15.\uff15", ["5.5"]),
        ("x = -\u096b", ["-5.0"]),
        ("\u06f5, 6", ["5.0", "6.0"]),
        ("\u00b2\u2461\u2164", []),  # a power, a circled number and a Roman one are no digits
    ],
)
def test_digits_of_every_script_are_numbers(output, numbers):
    assert read_numbers(output) == numbers
    assert number_is_correct(read_numbers(output), float(numbers[0] if numbers else 0)) is bool(
        numbers
    )


@pytest.mark.parametrize(
    ("outputs", "official", "described"),
    [
        (["", "", "Italy"], 0, 2),
        (["Italy", "\n", " "], 1, 0),
        (["", "Italy", "Spain"], 0, 1),  # of equally many the first that is met
        (["Italy", "", "Spain", "spain"], 2, 2),
        (["", " ", "\t", "7", "7.0"], 0, 3),
        (["", ""], 0, 0),
    ],
)
def test_nothing_printed_is_a_vote_by_the_official_rules_alone(outputs, official, described):
    votes = [Vote("import", True, read_text(output), 1) for output in outputs]
    assert [rule(votes) for rule in (one_stage, two_stage)] == [official] * 2
    assert [rule(votes) for rule in (one_stage_described, two_stage_described)] == [described] * 2
