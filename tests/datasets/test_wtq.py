"""WikiTableQuestions: the official release and no other, its previews, and two rules of grading."""

import pytest

from trove_lite.datasets import wtq
from trove_lite.datasets.text_answers import read_text
from trove_lite.datasets.wtq import Table, denotation_is_correct, released_is_correct


@pytest.fixture
def problems(table_problems):
    return table_problems("wtq")


def test_a_preview_shows_the_first_column_and_row_and_the_later_of_equals():
    rows = tuple((f"{i}", "zz", "zz", "zz", "zz") for i in range(6))
    table = Table(("qq", "ww", "ww", "ww", "ww"), rows)
    assert wtq.preview("bear", table).split("\n") == [
        "| qq | ww | ww | ww |",
        "|  --- | --- | --- | --- |",
        *(f"| {i} | zz | zz | zz |" for i in (0, 3, 4, 5)),
    ]


def test_a_preview_compares_letters_not_words():
    table = Table(("zz", "act", "ppp", "mmm", "bcd"), (("1",) * 5,))
    assert wtq.preview("the cat", table).split("\n")[0] == "| zz | act | mmm | bcd |"


def test_every_gold_answer_is_right_when_printed_but_lists_by_the_released_rule(problems):
    """It takes one of several values for an answer, the official rule all of them."""
    lists = {problem.index for problem in problems if len(problem.gold["values"]) > 1}
    assert len(lists) == 115
    for problem in problems:
        one, all_ = read_text(problem.gold["values"][0]), read_text("\n".join(problem.gold["values"]))
        assert released_is_correct(one, problem.gold)
        assert released_is_correct(all_, problem.gold) == (problem.index not in lists)
        assert denotation_is_correct(all_, problem.gold)
        assert denotation_is_correct(read_text(str(problem.gold["values"])), problem.gold)
        assert denotation_is_correct(one, problem.gold) == (problem.index not in lists)


def test_numbers_and_dates_may_be_written_otherwise_by_the_official_rule_alone(problems):
    otherwise = [p for p in problems if p.gold["canonical"] != p.gold["values"] and len(p.gold["values"]) == 1]
    assert len(otherwise) > 2000
    for problem in otherwise:
        answers = read_text(problem.gold["canonical"][0])
        assert denotation_is_correct(answers, problem.gold)
        assert not released_is_correct(answers, problem.gold)


def gold(*values, canonical=None):
    return {"values": list(values), "canonical": list(canonical or values)}


@pytest.mark.parametrize(
    ("output", "wanted", "verdict"),
    [
        ("15.0", gold("15", canonical=["15.0"]), True),
        ("15.0000001", gold("15", canonical=["15.0"]), True),
        ("14.9999999", gold("15", canonical=["15.0"]), False),  # the official program cuts, it does not round
        ("15.1", gold("15", canonical=["15.0"]), False),
        ("17", gold("17 years", canonical=["17.0"]), True),
        ("17 days", gold("17 years", canonical=["17.0"]), False),
        ("100000", gold("100,000", canonical=["100000.0"]), True),
        ("1_000", gold("1,000", canonical=["1000.0"]), False),
        ("1995-01-26", gold("January 26, 1995", canonical=["1995-01-26"]), True),
        ("xx-01-26", gold("January 26, 1995", canonical=["1995-01-26"]), False),
        ("xx-01-26", gold("January 26", canonical=["xxxx-01-26"]), True),
        ("1995-xx-xx", gold("1995", canonical=["1995.0"]), True),
        ("1995-13-01", gold("1995", canonical=["1995.0"]), False),
        ("“São Paulo.” [2] (state)", gold("Sao Paulo"), True),
        ("Sao Paulo (state).", gold("Sao Paulo"), False),
        ("a\nb", gold("b", "a"), True),
        ("a\na", gold("a", "a"), True),
        ("a\nb", gold("a"), False),
        ("a", gold("a", "b"), False),
        ("", gold("a"), False),
        ("nan", gold("nan"), True),
        ("inf", gold("1e400"), False),
    ],
)
def test_denotation_accuracy_on_made_cases(output, wanted, verdict):
    """Verdicts of the official program on the items that we read from the output."""
    assert denotation_is_correct(read_text(output), wanted) is verdict


@pytest.mark.parametrize("output", ["17 years", "17 YEARS\n", " 17 years "])
def test_the_released_rule_takes_all_that_was_printed_less_case(output):
    assert released_is_correct(read_text(output), gold("17 years", canonical=["17.0"]))
    assert wtq.released_votes(output, {}) == ["17 years"]


def test_values_of_a_field_are_split_before_escapes_are_read():
    assert wtq.unescaped(r"a\pb|c\nd|\\n") == ["a|b", "c\nd", "\\n"]
