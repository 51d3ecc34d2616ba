"""Any two logs beside each other: one page and one table, from files of every kind, with what is
left out."""

import json
import re
from shutil import copytree
from urllib.parse import unquote

import pandas as pd
import pytest

from trove_lite.candidates import load_candidates
from trove_lite.cli import main
from trove_lite.errors import UsageError
from trove_lite_analysis.view import beside
from trove_lite_analysis.view.sources import kind_of, load_systems

from ..cases import named
from ..conftest import ROOT
from ..recorded.test_harness_logs import (
    BESIDE,
    LM_EVAL,
    evalplus,
    inspect_log,
    inspect_sample,
    lm_eval,
    rows,
    table,
)
from .conftest import HOSTILE, run_folder
from .test_view import opened

__all__ = ["inspect_log"]  # a fixture


def two_models(folder, *, problems=9, **more):
    """lm-eval's samples of two models on one task, each in a folder with its results."""
    for model in ("small", "big"):
        (home := folder / model).mkdir()
        entries = [lm_eval(n, float(n % 3 == 0 or model == "big"), **more) for n in range(problems)]
        table(home / LM_EVAL, entries)
        (home / BESIDE).write_text(json.dumps({"model_name": f"lab/{model}"}))
    return folder / "small", folder / "big"


def compared(tmp_path, *sources, words=()):
    """The table that `compare` writes, and its page's text."""
    out = tmp_path / "page.html"
    assert main(["compare", *map(str, sources), "--out", str(out), *words]) == 0
    return pd.read_csv(out.with_suffix(".csv"), keep_default_na=False), out.read_text()


def test_two_models_by_lm_eval_are_two_systems(tmp_path, capsys):
    found, page = compared(tmp_path, *two_models(tmp_path))
    pair = found[found["b"] != ""].iloc[0]
    assert (pair["a"], pair["b"], float(pair["value"]), pair["problems"]) == (
        "small",
        "big",
        pytest.approx(-2 / 3),
        9,
    )
    said = capsys.readouterr().out
    assert "small minus big: -66.7 points" in said
    assert "big is ahead" in said
    assert said.splitlines()[0] in page.replace("&gt;", ">")
    assert 'href="#/lm-eval' in page


@pytest.mark.parametrize(("words", "count"), [((), 7), (("--all",), 9)])
def test_of_many_problems_the_page_has_those_that_part_and_some_others(
    words, count, tmp_path, monkeypatch, capsys
):
    monkeypatch.setattr(beside, "MOST_WHOLE", 4)
    monkeypatch.setattr(beside, "DRAWN", 1)
    found, page = compared(tmp_path, *two_models(tmp_path), words=words)
    index, _ = opened(tmp_path / "page.html")
    shown = {f"#/{dataset}/{task}/{n}" for dataset, task, n, *_ in index["problems"]}
    linked = {unquote(link) for link in re.findall(r'href="(#/[^"?]+)', page)}
    assert len(shown) == count
    assert len(linked) == 6
    assert linked <= shown
    assert ("the page has 7 of 9 problems" in page) == (count < 9)
    assert set(found["problems"]) == {9}, "the table is over all of them"


def test_evalplus_inspect_and_a_table_are_compared_among_themselves(tmp_path, inspect_log):
    for name, status in (("a", "fail"), ("b", "pass")):
        results = evalplus((status, status), ("pass", "pass"))
        results["eval"] |= {f"HumanEval/{n}": results["eval"]["HumanEval/0"] for n in range(9)}
        (tmp_path / f"{name}_eval_results.json").write_text(json.dumps(results))
        samples = [
            inspect_sample(f"q{n}", 1, "C" if status == "pass" else "I", str(n)) for n in range(9)
        ]
        inspect_log(f"{name}.eval", samples)
    found, _ = compared(
        tmp_path, tmp_path / "a_eval_results.json", tmp_path / "b_eval_results.json"
    )
    assert found[(found["b"] == "b") & (found["rule"] == "single")]["value"].tolist() == [-0.5]
    found, _ = compared(
        tmp_path, tmp_path / "a.eval", tmp_path / "b.eval"
    )  # one model, one solver: the logs
    assert found[found["b"] == "b"]["value"].tolist() == [-1.0]
    found, _ = compared(tmp_path, f"x={tmp_path / 'a.eval'}", tmp_path / "b.eval")
    assert found["a"].iloc[0] == "x"


def test_logs_of_different_harnesses_meet_by_the_names_of_problems(tmp_path, inspect_log):
    path = table(tmp_path / "t.csv", rows("theirs", "01234", "0"))
    log = inspect_log("a.eval", [inspect_sample(str(n), 1) for n in range(4)])
    with pytest.raises(UsageError, match="if they do, give --same_task"):
        load_systems(log, path)
    systems = load_systems(log, path, same_task=True)
    assert [len(frame) for frame in systems.frames.values()] == [4, 4]
    assert systems.notes == [
        "taken for the same task, by --same_task: a, t",
        "taken for the same task: problems, sums",
        "left out: 1 problems that not all systems have, such as sums 4 (1 of theirs)",
    ]


def test_a_run_copied_to_another_place_is_left_out_and_told(tmp_path):
    runs = ROOT / "results/bench/runs"
    again = copytree(runs / "own-pot", tmp_path / "again")
    sources = [runs / "own-pot", again, runs / "own-creator"]
    _, lines = beside.compare_sources(sources, tmp_path / "a.html")
    assert any(line.startswith("check: copied runs: pot: ") for line in lines)


def test_problems_that_ask_something_else_are_left_out(tmp_path):
    one, other = two_models(tmp_path)
    path = other / LM_EVAL
    path.write_text(path.read_text().replace('"doc_hash": "h4"', '"doc_hash": "z"'))
    systems = load_systems(one, other)
    assert [len(frame) for frame in systems.frames.values()] == [8, 8]
    assert "1 problems that ask something else" in systems.notes[0]
    path.write_text(path.read_text().replace('"doc_hash": "', '"doc_hash": "other'))
    with pytest.raises(UsageError, match="each of its problems asks something else"):
        load_systems(one, other)


@pytest.mark.parametrize("blank", ["  ", "\n"])
def test_a_question_is_the_same_whatever_its_blanks(tmp_path, blank):
    sources = [
        table(tmp_path / f"{name}.csv", rows(name, question=f"What{between}is it?"))
        for name, between in (("a", " "), ("b", blank))
    ]
    assert [len(frame) for frame in load_systems(*sources).frames.values()] == [4, 4]


def test_our_runs_are_systems_by_method_or_by_what_they_were_asked(tmp_path):
    run = run_folder(tmp_path, text="")
    systems = load_systems(run)
    methods = sorted(load_candidates(run)["method"].unique())
    assert sorted(systems.frames) == methods
    found, page = compared(tmp_path, run)
    assert set(found["rule"]) == {"one_stage", "single", "oracle", "every"}
    assert "by the answer on which" in page or "judged by" in page


def test_runs_of_which_only_selected_answers_are_known_are_left_out_and_that_is_said():
    systems = load_systems(ROOT / "results" / "codellama-7b-instruct" / "outcomes.parquet")
    assert set(systems.frames) == {"trove", "trove_no_import"}
    assert any(
        note.startswith("left out: of 17 runs of a category only the selected")
        for note in systems.notes
    )


def test_no_text_of_a_log_is_markup(tmp_path):
    entries = [
        row | {"text": HOSTILE, "answer": HOSTILE, "question": HOSTILE}
        for row in rows(f"a{HOSTILE}", "abc")
    ]
    _, page = compared(
        tmp_path, table(tmp_path / "t.jsonl", entries + [row | {"method": "b"} for row in entries])
    )
    assert "<img" not in page
    assert "alert(1)</script>" not in page


KINDS = named(
    r"""
    "lm-eval",  [(LM_EVAL, '{"doc_id": 0}'), ("x.jsonl", '\n{"doc_id": 0}')]
    "table",    [("x.jsonl", '{"problem": 0, "method": "m"}')]
    "evalplus", [("x.jsonl", '{"task_id": "a/0", "solution": ""}'), ("x.json", '{"eval": {"a/0": []}}')]
    "inspect",  [("x.json", '{"eval": {"task": "sums"}}')]
    "official", [("x.md", "")]
    "",         [("x.json", "[1]"), ("x.jsonl", "{"), ("x.jsonl", "")]
    """,
    LM_EVAL=LM_EVAL,
)


@pytest.mark.parametrize(
    ("name", "text", "kind"), [(*file, kind) for kind, files in KINDS.items() for file in files]
)
def test_a_log_is_known_by_what_it_holds(tmp_path, name, text, kind):
    (tmp_path / name).write_text(text)
    assert kind_of(tmp_path / name) == kind
