"""Problems: every data set holds what it held, to the byte; which of them are labelled, drawn, or
kept from testing."""

import hashlib
import json
from pathlib import Path

import pytest

from trove_lite import TroveLiteError
from trove_lite.datasets import DATASETS, load_dataset
from trove_lite_papers.creator.tabmwp import table_text

from .. import conftest

#: How many problems are tested, and a digest of these and the labelled ones: questions, golds,
#: levels, names of files.
HELD = json.loads(Path(__file__).with_name("held.json").read_text(encoding="utf-8"))


def problems_of(name):
    """The problems by category; skips where their files are not here."""
    try:
        return conftest.problems_of(name)
    except TroveLiteError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("name", DATASETS)
def test_a_data_set_holds_what_it_held(name):
    dataset = load_dataset(name)
    found = problems_of(name)
    rows = []
    for category, problems in found.items():
        labelled = dataset.examples(category) if dataset.examples else ()
        rows += [[*p.question, repr(p.gold), p.level, *p.files] for p in (*problems, *labelled)]
    digest = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]
    assert [sum(map(len, found.values())), digest] == HELD[name]


@pytest.mark.parametrize("name", ["tabmwp", "practice"])
def test_gold_numbers_are_right_when_printed_and_others_are_not(name):
    dataset = load_dataset(name)
    for problem in (problem for problems in problems_of(name).values() for problem in problems):
        for text in (
            str(problem.gold),
            f"{problem.gold:.2f}",
            f"The answer is {problem.gold:.15g}.",
        ):
            assert dataset.correct(dataset.read(text), problem.gold)
        assert not dataset.correct(dataset.read(str(problem.gold + 0.01)), problem.gold)
        assert not dataset.correct(dataset.read("nothing"), problem.gold)


def test_a_table_of_tabmwp_is_shown_as_released():
    """It keeps blanks at the ends of rows and has two in its rule."""
    table = "Name: None\nUnit: None\na | b\n1 | 2 "
    assert table_text(table) == "Name: None\nUnit: None\n| a | b |\n|  --- | --- |\n| 1 | 2  |"


def test_where_problems_are_labelled_the_first_ten_are_not_tested_and_all_keep_their_numbers():
    whole = load_dataset("practice")
    found = load_dataset("practice_labelled")
    assert (found.name, whole.examples) == ("practice", None)
    for category in whole.categories:
        problems = list(whole.load(category))
        assert list(found.load(category)) == problems[10:]
        assert [problem.index for problem in found.examples(category)] == [0, 1, 2, 5, 6, 7]


def test_no_problem_of_the_train_split_is_tested_and_the_bench_is_a_draw_of_what_is():
    tested = problems_of("math")
    texts = {problem.question.text for problems in tested.values() for problem in problems}
    assert not texts & {
        p.question.text for problems in problems_of("math_train").values() for p in problems
    }
    for category, drawn in problems_of("math_bench").items():
        numbers = [problem.index for problem in drawn]
        assert numbers == sorted(set(numbers))
        assert drawn == [tested[category][number] for number in numbers]
        labelled = load_dataset("math_bench").examples(category)
        assert len(labelled) == 6
        assert not texts & {problem.question.text for problem in labelled}
