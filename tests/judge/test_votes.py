"""Votes are of values: answers that the judge takes for one are one vote, and numbers are told
apart as before."""

import json

import pytest

from tests.scripted import Says, response, run
from trove_lite.candidates import load_candidates
from trove_lite.datasets import load_dataset
from trove_lite.judge import values
from trove_lite.judge.values import read_answer
from trove_lite.judge.votes import STEPS, named
from trove_lite.selection.tables import choose
from trove_lite_analysis.recorded.harness_logs import import_harness_logs


def groups(*outputs: str) -> list[str]:
    answers = [answer for output in outputs for answer in read_answer(output)]
    names = named(answers)
    return [names[answer] for answer in answers]


#: Forms of one answer, the first twice.
ONE = [
    ["2, 4, 8", "[2,4,8]", "{2,4,8}", "(2, 4, 8)", "2, 4 and 8", "[2.0, 4.0, 8.0]"],
    ["18 dollars", "$18", "18", "1800 cents", "the total is 18", "USD 18.00", "total cost: 18.00"],
    ["36 feet", "36", "36.0 ft", "12 yards", "It is 36 feet.", "36 foot"],
    ["0.5", "1/2", r"\frac{1}{2}", r"\boxed{0.5}", "50%", ".5"],
    ["2x+1", "1+2*x", "x+x+1", "2*x + 1", "y = 2x+1", "1 + 2x"],
    ["5", "٥", "５", "x = ५", "5.0", "The total is 5"],
    ["2/3", "two thirds", "two-thirds", "4/6", r"\frac23", "It is two thirds"],
    ["Paris", "paris.", "It is Paris.", "**Paris**", '"Paris"', "The capital is Paris"],
    ["0.3", "0.30000000000000004", "3/10", "0.3000000001", "30%", "3e-1"],
    ["(0, 2)", "0 < x < 2", "Interval.open(0, 2)", "(0, 4/2)", r"x \in (0, 2)"],
    ["90 minutes", "1.5 hours", "1 hour 30 minutes", "90 min", "5400 seconds"],
    ["12", "12.0", r"\boxed{12}", "12 apples", "x = 12", "twelve"],
]


@pytest.mark.parametrize("forms", ONE, ids=[forms[0] for forms in ONE])
def test_forms_of_one_answer_are_one_vote_by_its_most_frequent_form(forms):
    assert set(groups(forms[0], *forms)) == {*read_answer(forms[0])}


@pytest.mark.parametrize(
    "outputs",
    [
        ["$20", "20 euros", "20%", "£20", "20 kg"],
        ["2, 4, 8", "[2, 4]", "2, 4, 9", "2", "2, 4, 8, 8"],
        ["0.3", "0.31", "0.33", "1/3", "3"],
        ["x+1", "x-1", "2x+1", "x", "y+1"],
        ["Paris", "London", "Rome", "It is Berlin.", "no idea"],
        ["90 minutes", "90 hours", "1.5 minutes", "9 minutes", "90 km"],
        ["1000000", "1000001", "999999", "100000", "1000000.5", "nan"],
        ["A", "B", "C", "D", "E"],
    ],
)
def test_other_answers_are_other_votes(outputs):
    assert len(set(groups(*outputs))) == len(outputs)


def test_a_name_once_given_stays():
    first = named(["18", "18 dollars"])
    later = named(["18 dollars"] * 5 + ["20"], first)
    assert [later[text] for text in ("18", "18 dollars", "20")] == ["18", "18", "20"]


def test_as_many_answers_as_there_may_be_are_named_by_counted_work():
    texts = [f"x^{n}+y" for n in range(300)]
    assert len(set(named(texts).values())) == 300
    assert STEPS < 10_000


PROGRAMS = ["2, 4, 8"] * 4 + ["[2,4,8]"] * 3 + ["{2,4,8}"] * 3 + ["[2,4]"] * 5


@pytest.mark.parametrize("rule", ["one_stage", "two_stage", "one_stage_described"])
def test_ten_right_programs_of_fifteen_win_in_a_live_run(tmp_path, rule):
    """Also where the folder's tables are made again from its journals."""
    line = {"question": "Which are powers of two?", "answer": "2, 4, 8"}
    (tmp_path / "own.jsonl").write_text(json.dumps(line))
    how = {"methods": ("primitive",), "seeds": (0,), "k": len(PROGRAMS), "in_flight": 1}
    how |= {"dataset": str(tmp_path / "own.jsonl"), "categories": ("problems",), "problems": None}
    for folder in ("a", "a"):
        said = Says(*(response(f"print({text!r})") for text in PROGRAMS))
        table = load_candidates(run(tmp_path / folder, model=said, **how))
        (tmp_path / folder / "candidates.parquet").unlink()
        assert table["answer"].value_counts().tolist() == [10, 5]
        assert choose(table, rule)["correct"].tolist() == [True]


#: A table's rows of answer and gold (deepconf, issue 15), and which answer has most votes.
TABLES = {
    "equal numbers": (["0.5", "1/2", r"\frac{1}{2}", "3", "3"], "0.5"),
    "a box": (["12", "12.0", "7", "7", r"\boxed{12}"], "12"),
    "money": (["$5", "5 dollars", "500 cents", "$6", "$6"], "$5"),
    "lists": (["1, 2", "[1,2]", "{1, 2}", "2", "2"], "1, 2"),
    "words": (["Yes", "yes.", "It is yes", "no", "no"], "yes"),
}


@pytest.mark.parametrize("name", TABLES)
def test_equal_answers_of_an_imported_table_are_one_vote(tmp_path, name):
    answers, gold = TABLES[name]
    rows = [
        {"problem": "p", "method": "m", "sample": n, "answer": answer, "gold": gold}
        for n, answer in enumerate(answers)
    ]
    (tmp_path / "votes.jsonl").write_text("\n".join(map(json.dumps, rows)))
    table, _ = import_harness_logs([str(tmp_path / "votes.jsonl")], "table")
    assert choose(table, "one_stage")["correct"].tolist() == [True]
    assert table["answer"].nunique() == 2


def test_the_papers_data_sets_count_texts():
    assert load_dataset("math").named is load_dataset("wtq").named is None


GROUPS = {name: rules for name, rules in vars(values).items() if isinstance(rules, values.Rules)}
TEXTS = [
    *(text for form in ONE for text in form),
    *("3 x 10^4", "x = 5", "5 ft", "1,234", "a_{1}", "(1,2] u [3,4)", "2 million", "oo", "- 5"),
    *(r"\frac12", r"$5", "5 %", "[1 2 3]", "matrix([[1, 2]])", "{}", "3 sq. ft", "60 percent"),
    *("2 sqrt(3)", "45°", "x² + 1", "½", "50 / 7", "infty]", "USD 5", r"\sqrt{2}", "0.1~5"),
]


@pytest.mark.parametrize("name", GROUPS)
def test_rules_that_are_passed_over_would_change_nothing(name):
    passed = [text for text in TEXTS if not GROUPS[name].any_needed(text)]
    assert 0 < len(passed) < len(TEXTS)
    for text in passed:
        for rule in GROUPS[name].each:
            assert rule.sub(rule.plain, text) == text
