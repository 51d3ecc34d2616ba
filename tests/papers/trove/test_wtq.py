"""WikiTableQuestions: the official release and no other, its previews, and the released rule of
grading."""

import pytest

from trove_lite.judge.answers import read_text
from trove_lite_papers.trove import wtq
from trove_lite_papers.trove.wtq import released_is_correct


@pytest.fixture
def problems(table_problems):
    return table_problems("wtq")


def test_a_preview_shows_the_first_column_and_row_and_the_later_of_equals():
    rows = ((f"{i}", "zz", "zz", "zz", "zz") for i in range(6))
    table = [("qq", "ww", "ww", "ww", "ww"), *rows]
    assert wtq.preview("bear", table).split("\n") == [
        "| qq | ww | ww | ww |",
        "|  --- | --- | --- | --- |",
        *(f"| {i} | zz | zz | zz |" for i in (0, 3, 4, 5)),
    ]


def test_a_preview_compares_letters_not_words():
    table = [("zz", "act", "ppp", "mmm", "bcd"), ("1",) * 5]
    assert wtq.preview("the cat", table).split("\n")[0] == "| zz | act | mmm | bcd |"


def test_every_gold_answer_is_right_when_printed_but_lists_by_the_released_rule(problems):
    """It takes one of several values for an answer."""
    lists = {problem.index for problem in problems if len(problem.gold["values"]) > 1}
    assert len(lists) == 115
    for problem in problems:
        one = read_text(problem.gold["values"][0])
        all_ = read_text("\n".join(problem.gold["values"]))
        assert released_is_correct(one, problem.gold)
        assert released_is_correct(all_, problem.gold) == (problem.index not in lists)


def test_values_of_a_field_are_split_before_escapes_are_read():
    assert wtq.unescaped(r"a\pb|c\nd|\\n") == ["a|b", "c\nd", "\\n"]
