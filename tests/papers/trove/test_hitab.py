"""HiTab: what the file holds, what is left out and why, its tables as programs see them, and the
released rule."""

import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Question
from trove_lite.errors import TroveLiteError
from trove_lite.judge.answers import read_numbers, read_text
from trove_lite_papers.trove.hitab.problems import UTILS, released_is_correct
from trove_lite_papers.trove.hitab.utils import nan, parse_table

from ...cases import cases


@pytest.fixture
def problems(table_problems):
    return table_problems("hitab")


def header(value, *children, line=None):
    return {"value": value, "line_idx": line, "children_dict": list(children)}


#: Two columns of which one has none above it; rows that are labels themselves and have others
#: below.
TABLE = {
    "title": "guests",
    "top_root": header(
        "<TOP>",
        header("2019", header("men", line=0), header("women", line=1)),
        header("all", line=2),
    ),
    "left_root": header(
        "<LEFT>", header("north", header("hill", line=1), line=0), header("south", line=2)
    ),
    "data": [[{"value": value} for value in row] for row in ([1, 2, 3], [4, None, 6], [7, 8, 9.5])],
}


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "data" / "1.json"
    path.parent.mkdir()
    path.write_text(json.dumps(TABLE))
    return path


def test_every_gold_answer_is_right_when_printed_but_lists_of_text_by_the_released_rule(problems):
    """It reads a number from whatever was printed, and takes text for an answer only if there is
    nothing else."""
    lists = {problem.index for problem in problems if len(problem.gold) > 1}
    wrong = set()
    for problem in problems:
        one = read_text(str(problem.gold[0]))
        all_ = read_text("\n".join(map(str, problem.gold)))
        assert released_is_correct(one, problem.gold)
        if not released_is_correct(all_, problem.gold):
            wrong.add(problem.index)
    assert len(lists) == 81
    assert wrong == {i for i in lists if not isinstance(problems[i].gold[0], float)}
    assert len(wrong) == 40


RIGHT = cases(
    """
    "52.1",                [52.1]
    "about 52.10 percent", [52.1]
    "52.1%",               [52.1]
    "(52.1)",              [52.1]
    "12",                  [12]
    """
)
RIGHT += cases(
    r"""
    "Women\n", ["women"]
    "women",   ["women", "men"]
    "2\n1",    [1.0, 2.0]
    "–5",      [5.0]
    """
)
WRONG = cases(
    r"""
    "1,234",      [1234.0]
    "12.0",       [12]
    "women [2]",  ["women"]
    "women\nmen", ["women", "men"]
    """
)
WRONG += cases(
    """
    "",                 ["women"]
    "['men', 'women']", ["women", "men"]
    "np.float64(3.5)",  [3.5]
    """
)


@pytest.mark.parametrize(
    ("output", "gold", "released"),
    [*((*pair, True) for pair in RIGHT), *((*pair, False) for pair in WRONG)],
)
def test_the_released_rule_on_made_cases(output, gold, released):
    assert released_is_correct(read_text(output), gold) is released


def test_a_frame_is_labelled_with_paths_of_headers(table):
    frame = parse_table(table)
    assert frame.columns.to_list()[:2] == [("2019", "men"), ("2019", "women")]
    assert frame.loc[("north", "hill"), ("2019", "men")] == 4
    assert frame.loc[("north", "hill"), ("2019", "women")] == ""
    assert [label[0] for label in frame.index] == ["north", "north", "south"]
    assert np.isnan(frame.index[0][1])
    assert np.isnan(nan)
    assert frame.iloc[2].to_list() == [7, 8, 9.5]
    assert np.get_printoptions()["legacy"] is False  # that of programs alone is changed


def test_where_headers_and_data_do_not_fit_the_reason_is_printed(table, capsys):
    table.write_text(json.dumps(TABLE | {"data": TABLE["data"][:2]}))
    assert parse_table(table) is None
    assert capsys.readouterr().out.startswith("Error: ")


@pytest.mark.skipif(np.__version__ < "2", reason="numpy 1 prints its numbers like Python's")
def test_numbers_of_numpy_print_as_programs_of_the_papers_printed_them(table, tmp_path, box):
    """Not as `np.float64(3.5)`, which the released reader takes for 64; here as everywhere else."""
    assert read_numbers(repr(np.float64(3.5))) == ["64.0", "3.5"]
    prints = "print([np.float64(3.5), np.int64(2), np.bool_(True), np.str_('a')])"
    programs = (
        f"import numpy as np\n{prints}",
        "import pandas as pd\nprint([pd.Series([3.5]).max()])",
    )
    assert [one.output for one in box.run_many(programs, False)] == [
        "[3.5, 2, True, 'a']\n",
        "[3.5]\n",
    ]
    shutil.copy(UTILS, tmp_path)
    read = 'print(parse_table("data/1.json").loc[("north", "hill"), ("all", nan)])'
    program = "\n".join(["from utils import nan, np, parse_table", read, prints])
    alone = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env={}, capture_output=True, text=True
    )
    assert (alone.stdout, alone.stderr) == ("6.0\n[3.5, 2, True, 'a']\n", "")


READ_AS_RELEASED = cases(
    r"""
    # gold, what was printed, its answers by the released rule, right
    [5.0],         "about 5 of 7", ["5.0", "7.0"], True
    [5.0],         "",             [],             False
    ["Five"],      "five\n",       ["five"],       True
    ["five"],      "",             [""],           False
    ["5"],         "5.0",          ["5.0"],        False
    [5],           "5",            ["5"],          True
    ["five", 5.0], "FIVE",         ["five"],       True
    ["five", 5.0], "six",          [],             False
    [5.0, "five"], "six 6",        ["six 6"],      False
    """
)


@pytest.mark.parametrize(("gold", "output", "answers", "right"), READ_AS_RELEASED, ids=range(9))
def test_released_votes_are_read_by_the_type_of_the_gold_answer(
    monkeypatch, gold, output, answers, right
):
    monkeypatch.setattr("trove_lite_papers.trove.hitab.problems.golds", lambda: {"Q?": gold})
    released = load_dataset("hitab?votes=released")
    found = released.judge_output(output, Question("hitab", "hitab", 0, "Q?"), gold)
    assert found == (answers, right)


@pytest.mark.parametrize("name", ["wtq", "gqa"])
def test_released_votes_are_for_all_that_was_printed_and_others_for_its_value(name):
    question = Question(name, name, 0, "Q?")
    released = load_dataset(f"{name}?votes=released")
    assert [released.answers(text, question) for text in ("5.0\n", "1–2", "")] == [
        ["5.0"],
        ["1-2"],
        [""],
    ]
    usual = load_dataset(name)
    assert usual.answers("5.0", question)[0] == usual.answers("5", question)[0]
    with pytest.raises(TroveLiteError, match="no such options"):
        load_dataset(f"{name}?votes=theirs")
