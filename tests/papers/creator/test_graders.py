"""CREATOR's released grader and the one-answer grader: what each reads in a text, and when two
answers are the same."""

import math

import pytest

from trove_lite_papers.creator.graders import (
    agrees,
    answer_number,
    one_answer,
    one_is_correct,
    read_one,
    released,
)

from ...cases import cases
from ...judge.test_judge import AGREE, DIFFER


@pytest.mark.parametrize(
    ("kind", "text", "right"),
    cases(
        r"""
        "program",   "7 apples of 12",                       [7, 12]  # any number that it prints
        "program",   "7\nFinal Answer: 12\nFinal Answer: 3", [12]  # but of marked ones the first
        "words",     "It is 7. Final Answer: 12 or 3",       [12]  # the first number after the last marker
        "words",     "It is 7, not 12",                      [7]  # or of all
        "words",     "Final Answer: none of 7 ",             [7]
        "continued", "7. Final Answer: 12 or 3",             [3, 12]  # any number behind the marker
        "continued", "It is 7",                              []
        """
    ),
)
def test_what_counts_as_released(kind, text, right):
    assert [gold for gold in (3, 7, 12) if released(text, float(gold), kind)] == right


@pytest.mark.parametrize(
    ("text", "right"),
    cases(
        r"""
        "7 apples of 12",                       [12]
        "7\nFinal Answer: 12\nFinal Answer: 3", [3]
        "3\nFinal Answer:\n",                   [3]
        "",                                     []
        """
    ),
)
def test_the_one_answer_is_the_last(text, right):
    assert [gold for gold in (3, 7, 12) if one_answer(text, float(gold))] == right


@pytest.mark.parametrize(
    ("gold", "answer"), [(float(row[0]), answer) for row in AGREE for answer in row[1:]]
)
def test_the_same_value_agrees(answer, gold):
    assert agrees(answer, gold)


@pytest.mark.parametrize(
    ("gold", "answer"), [(float(row[0]), one) for row in DIFFER for one in (*row[1:], "")]
)
def test_what_the_released_grader_refuses_does_not_agree(answer, gold):
    assert not agrees(answer, gold)


def test_the_one_answer_as_a_number_looks_past_words_and_none_is_too_deep():
    assert answer_number("Final Answer: 1,018 cookies") == 1018
    assert answer_number("Final Answer: 1/4") == 0.25
    assert answer_number("Final Answer: none") is None
    assert not agrees("(" * 100_000, 0.0)


def test_votes_are_canonical_numbers_or_the_text_itself():
    assert read_one("Final Answer: 1/4") == read_one("so 0.250") == ["0.25"]
    assert read_one("Final Answer: no idea") == ["no idea"]
    assert read_one("no idea") == []
    assert one_is_correct(["0.25"], 0.25)
    assert not one_is_correct([], 0.25)


@pytest.mark.parametrize("answer", ["7*x/x", "7 + 0*x", "7*I/I", r"\boxed{7}", "7//1"])
def test_what_the_released_grader_simplifies_and_ours_does_not(answer):
    """The differences that docs/creator.md lists, with those below: all of some 2,600 cases made to
    differ."""
    assert not released(f"Final Answer: {answer}", 7.0, "program")


def test_ours_takes_no_equation_for_a_truth_value_and_knows_infinity():
    assert not released("Final Answer: y==7", 0.0, "program")
    assert released("Final Answer: 1e400", math.inf, "program")


SEVEN = (
    "**7**",
    r"\boxed{7}",
    r"$\boxed{\text{7}}$",
    r"\(\boxed{\frac{14}{2}}\)",
    r"7 \text{ cm}",
    "`7`",
)
MARKED_UP = ["**Final Answer:** 7", "**Final Answer**: 7", "**Final Answer:**\n\n7"]


@pytest.mark.parametrize("text", [*MARKED_UP, *map("Final Answer: {}".format, SEVEN)])
def test_an_answer_in_words_loses_its_markup(text):
    assert one_is_correct(read_one(text), 7.0)
    assert one_answer(text, 7.0)


@pytest.mark.parametrize("answer", ["2**3", "2*4", "(2)*(4)", "2 * 4", "**2*4**"])
def test_a_product_is_no_emphasis(answer):
    assert one_answer(f"Final Answer: {answer}", 8.0)


@pytest.mark.parametrize("digits", ["\uff10.\uff15", "\u0660.\u0665", "0.\u0665"])
def test_decimals_in_digits_of_other_scripts_are_no_number(digits):
    assert not released(digits, 0.5)
    assert not one_answer(f"Final Answer: {digits}", 0.5)
    assert not agrees(digits, 0.5)
    assert not released(
        f"{digits} then 7", 7.0, "words"
    )  # the first number, which is right for nothing


@pytest.mark.parametrize("seven", ["\uff17", "\u0667", "\u096d", "-\u09ed", "\u0e57.0", "1\u0667"])
@pytest.mark.parametrize("text", ["{}", "Final Answer: {}"])
def test_whole_numbers_in_digits_of_other_scripts_are_their_value(seven, text):
    gold = float(seven)
    assert abs(gold) in {7, 17}
    assert released(text.format(seven), gold)
    assert not released(text.format(seven), gold + 1)


@pytest.mark.parametrize(
    ("text", "gold", "transfer", "program"),
    cases(
        r"""
        "Final Answer: 0 cookies",     0,    True,  False
        "Final Answer: 21 or 18",      18,   True,  False
        r"Final Answer: \boxed{0.33}", 0.33, True,  False
        "7\nFinal Answer: 12",         7,    True,  False  # a number before the marker
        "Final Answer: $1,234",        1234, False, True
        "Final Answer: 7.006",         7,    False, True  # two decimals, where others are within 0.01
        "Final Answer: 7.004",         7,    True,  True
        "",                            0,    False, False
        """
    ),
)
def test_tool_transfer_is_graded_by_its_own_script(text, gold, transfer, program):
    assert released(text, gold, "transfer") is transfer
    assert released(text, gold, "program") is program
