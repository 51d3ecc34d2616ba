"""Which test problems the worked examples of prompts give away, and Table 2's accuracy without them."""

import json
from dataclasses import replace

import pandas as pd
import pytest

from papers import trove
from papers.trove import leaks
from trove_lite.datasets import files, load_dataset
from trove_lite.datasets.base import Problem, Question
from trove_lite.prompts.base import PromptPack

from ..simulated import candidates

TABLES = {"File: a.tsv": "| x | y |\n| 1 | 2 |", "File: b.tsv": "| x | y |\n| 3 | 4 |"}
A, B = (f"{name}\nPreview: {rows}" for name, rows in TABLES.items())
ASKED = ("How many rows by 1990?", A)
OFFICIAL = "Do it.\n\n**Question**\n{0}\n**Table**\n{1}\n\n**Solution**\n```python\nprint(1)\n```\n\n"
OURS = "Do it.\n\n**Question**\n{1}\n\n{0}\n\n**Solution**\n```python\nprint(1)\n```\n\n"


def problem(index, text, context=A):
    return Problem(Question("made", "counting", index, text, context), 1.0)


PROBLEMS = [
    problem(0, "How  many rows by 1990?"),  # the example
    problem(1, "How many rows by 1,850?", B),  # other numbers
    problem(2, "Who is first?"),  # the same table
    problem(3, "Who is first?", B),
    problem(4, "How many rows?", ""),
]


def pack(form, modes=("skip",)):
    """Prompts with one worked example; other modes than these show none."""

    def template(category, stage):
        shown = form.format(*ASKED) if stage in modes else ""
        return lambda question, tools: f"{shown}**Question**\n{question.text}\n\n**Solution**\n"

    return PromptPack("made", ("counting",), ("primitive", "import", "create", "skip"), template)


@pytest.mark.parametrize("form", [OFFICIAL, OURS])
def test_an_example_is_known_again_by_its_words_and_its_table(form):
    (demo,) = trove.demonstrations(pack(form))
    found = {index: kind for _, index, kind in leaks.alike([demo], PROBLEMS)}
    assert found == {0: leaks.ITEM, 1: leaks.NEAR, 2: leaks.NEAR}


@pytest.mark.parametrize(
    ("written", "same"),
    [("File: 'csv/204-csv/1.tsv'", True), ("File: '1.tsv'", True), ("File: csv/203-csv/1.tsv", False), ("", False)],
)
def test_a_table_is_the_same_however_much_of_its_path_is_written(written, same):
    ours = leaks.table_in("File: data/wtq/csv/204-csv/1.tsv\nPreview: | a |")
    assert leaks.same_table(leaks.table_in(f"{written}\nPreview:"), ours) is same


@pytest.fixture
def prompts(monkeypatch):
    """The names of the packs that were asked for: each shows an example, `official` to SKIP and others to PRIMITIVE."""
    asked = []

    def load(name, dataset):
        asked.append(name)
        return pack(OFFICIAL, ("skip",) if name == "official" else ("primitive",))

    monkeypatch.setattr(leaks, "load_pack", load)
    monkeypatch.setattr(
        leaks, "load_dataset", lambda name: replace(load_dataset("math"), load=lambda category: PROBLEMS)
    )
    return asked


def test_the_prompts_are_those_that_the_runs_were_asked_with(tmp_path, prompts):
    rows = candidates(categories=("counting",))
    assert set(trove.shown_problems(rows, [tmp_path / "recorded.parquet"])["mode"]) == {"skip"}
    (tmp_path / "run.json").write_text(json.dumps({"prompts": {"name": "own", "hash": "0a"}}))
    assert set(trove.shown_problems(rows, [tmp_path, tmp_path])["mode"]) == {"primitive"}
    assert prompts == ["official", "own"]


def test_accuracy_is_also_given_without_what_the_prompts_of_a_system_show(tmp_path, prompts):
    rows = candidates(categories=("counting",), problems=5)
    given_away = rows["problem"] < 3
    rows = rows.assign(correct=given_away, answer="1").assign(answers=[["1"]] * len(rows), status="ok")
    table = trove.table2_leaks(rows, trove.shown_problems(rows, [tmp_path / "recorded.parquet"]))
    by_row = table.set_index(["system", "left_out"])
    assert set(by_row["with_all"]) == {0.6}
    assert by_row["items"].to_dict() == {
        ("TROVE", "worked examples"): 1,
        ("TROVE", "worked examples and near copies"): 3,
        ("PRIMITIVE", "worked examples"): 0,
        ("PRIMITIVE", "worked examples and near copies"): 0,
    }
    assert by_row["value"].round(6).to_list() == [0.5, 0.0, 0.6, 0.6]
    assert by_row.loc[("TROVE", "worked examples and near copies"), "which"] == "0 1 2"


def test_prompts_that_are_not_here_are_said_so(tmp_path):
    rows = candidates(categories=("counting",))
    (tmp_path / "run.json").write_text(json.dumps({"prompts": {"name": "mine", "hash": "0a"}}))
    table = trove.table2_leaks(rows, trove.shown_problems(rows, [tmp_path]))
    assert "no prompt pack named 'mine'" in table.attrs["note"]


@pytest.mark.skipif(not (files.data_folder() / "zorazrw/trove").is_dir(), reason="TroVE's files are not here")
def test_tabmwp_s_released_examples_are_test_problems_and_ours_are_none(tmp_path):
    rows = pd.DataFrame({"dataset": ["tabmwp"], "category": ["tabmwp"]})
    shown = trove.shown_problems(rows, [tmp_path / "recorded.parquet"])
    assert {kind: sorted(set(part["problem"])) for kind, part in shown.groupby("kind")} == {
        leaks.ITEM: [1, 14, 15, 25],
        leaks.NEAR: [2525],
    }
    (tmp_path / "run.json").write_text(json.dumps({"prompts": {"name": "own", "hash": "0a"}}))
    assert trove.shown_problems(rows, [tmp_path]).empty
