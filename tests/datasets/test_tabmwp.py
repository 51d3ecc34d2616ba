"""TabMWP: what the file holds, how a table is shown, and that gold answers are right when printed."""

import hashlib
import json
from collections import Counter

import pytest

from trove_lite import TroveLiteError
from trove_lite.datasets import load_dataset
from trove_lite.datasets.tabmwp import GRADES, read_problems, table_text

LINE = {"question": "How many?", "answer": 4.0, "level": 2, "table": "Name: None\nUnit: None\nContent:\na | b\n1 | 2 "}


@pytest.fixture
def problems(table_problems):
    return table_problems("tabmwp")


def digest(texts):
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]


def test_there_are_as_many_problems_as_the_papers_say_in_the_released_order(problems):
    assert len(problems) == 5376
    assert [problem.index for problem in problems] == list(range(5376))
    first, last = problems[0], problems[-1]
    assert first.question.text.startswith("Hannah baked cookies each day for a bake sale.")
    assert (first.gold, first.level, first.category, first.files) == (18.0, "3", "tabmwp", {})
    assert (last.question.text, last.gold) == ("How much more does a photo album cost than a math book?", 2.0)
    assert digest(problem.question.text for problem in problems) == "3074051113afc377"


def test_levels_are_school_grades(problems):
    counts = Counter(problem.level for problem in problems)
    assert [counts[grade] for grade in GRADES] == [168, 190, 335, 520, 987, 656, 1290, 1230]


def test_tables_are_shown_letter_by_letter_as_the_released_program_shows_them(problems):
    """The digest is of what its own function made of all of them."""
    assert digest(problem.question.context for problem in problems) == "f80f17721e0215d8"


def test_a_table_keeps_blanks_at_the_ends_of_rows_and_has_two_in_its_rule():
    assert table_text(LINE["table"]) == "Name: None\nUnit: None\nContent:\n| a | b |\n|  --- | --- |\n| 1 | 2  |"


def test_every_gold_answer_is_right_when_printed(problems):
    dataset = load_dataset("tabmwp")
    for problem in problems:
        for text in (str(problem.gold), f"{problem.gold:.2f}", f"The answer is {problem.gold:g}."):
            assert dataset.correct(dataset.read(text), problem.gold)
        assert not dataset.correct(dataset.read(str(problem.gold + 0.01)), problem.gold)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("{not json", "not JSON"),
        ("[]", "field 'question' is missing"),
        (json.dumps(LINE | {"answer": "4"}), "field 'answer' is missing or of the wrong type"),
        (json.dumps(LINE | {"level": 9}), "level 9 is no grade"),
        (json.dumps(LINE | {"table": "nothing"}), "the table has no row"),
    ],
)
def test_a_bad_line_names_file_line_and_remedy(tmp_path, line, reason):
    path = tmp_path / "p.jsonl"
    path.write_text(json.dumps(LINE) + "\n" + line + "\n")
    with pytest.raises(TroveLiteError, match=rf"p\.jsonl, line 2: {reason}.*fetch tabmwp"):
        read_problems(path)


def test_a_missing_file_names_the_command(tmp_path, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    with pytest.raises(TroveLiteError, match=r"tabmwp\.jsonl: missing; run `trove-lite fetch tabmwp`"):
        load_dataset("tabmwp").load("tabmwp")


def test_an_altered_file_is_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    path = tmp_path / "zorazrw/trove/data/tableqa/tabmwp.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(LINE) + "\n")
    with pytest.raises(TroveLiteError, match="sha256 differs from the pinned 59ae82320b9a"):
        load_dataset("tabmwp").load("tabmwp")
