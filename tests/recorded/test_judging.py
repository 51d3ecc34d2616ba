"""Runs and imported logs judged again: what changes is said and kept apart, and the old verdicts
stay."""

import json

import pandas as pd
import pytest

from tests.newcomer import inputs
from trove_lite.candidates import load_candidates, read_description
from trove_lite_analysis.recorded.judging import corrected, corrections

from ..cases import named
from ..conftest import ROOT
from ..typed import typed

(TABLE,) = (given["rows"] for given in inputs("import table").values())
OTHERS = [
    ["9.996", "10"],
    ["0.333", "0.33"],
    ["5 or 6", "5"],
    ["1.999", "2"],
]  # right by the papers' rule alone
OTHERS += [
    ["12,345", "12345"],
    ["0.25", "1/4"],
    ["25%", "0.25"],
    [r"\frac{3}{4}", "0.75"],
]  # by the strict rule alone


WORDS = "run --dataset own.jsonl --model canned:said.jsonl --methods primitive --seeds 0 --quiet"


def log_of(folder, pairs):
    """A table of answers with gold ones, and no verdicts."""
    rows = pd.DataFrame(pairs, columns=["answer", "gold"]).assign(method="m", sample=0)
    rows.to_csv(folder / "log.csv", index_label="problem")
    return str(folder / "log.csv")


@pytest.fixture(params=[TABLE, OTHERS], ids=["newcomer", "others"])
def log(tmp_path, request):
    return log_of(tmp_path, request.param)


def verdicts(run):
    return load_candidates(run).sort_values("problem")["correct"].tolist()


def test_a_table_without_verdicts_is_judged_strictly_or_as_asked_and_says_so(log, tmp_path, capsys):
    for grader, words, first in (("strict", [], False), ("papers", ["--grader", "papers"], True)):
        out = str(tmp_path / grader)
        assert typed("import --format table", log, *words, "--out", out) == 0
        assert f"judged by {grader}" in capsys.readouterr().out
        assert verdicts(out) == [first] * 4 + [not first] * 4


def test_an_empty_answer_is_none_and_not_right(tmp_path):
    out = str(tmp_path / "run")
    assert typed("import", log_of(tmp_path, [["", "5"], ["5", "5"]]), "--out", out) == 0
    assert verdicts(out) == [False, True]


def test_an_imported_log_is_judged_again_and_keeps_its_verdicts(log, tmp_path, capsys):
    run = str(tmp_path / "run")
    out = str(tmp_path / "again")
    typed("import --format table", log, "--out", run)
    before = (tmp_path / "run" / "candidates.parquet").read_bytes()
    assert typed("judge", run, "--grader", "papers", "--out", out) == 0
    said = capsys.readouterr().out
    assert "4 right now, wrong before" in said
    assert "4 wrong now, right before" in said
    assert verdicts(out) == [True] * 4 + [False] * 4
    assert (tmp_path / "run" / "candidates.parquet").read_bytes() == before
    both = pd.read_csv(tmp_path / "again" / "verdicts.csv")
    assert (both["right"] != both["right_before"]).all()
    assert read_description(out)["judged"]["grader"] == "papers"
    assert typed("judge", run, "--out", run) == 2
    assert typed("judge", out, "--out", tmp_path / "back") == 0  # a judged run is a run
    assert verdicts(tmp_path / "back") == verdicts(run)


def test_what_takes_too_long_is_not_judged_and_no_sample_is_lost(tmp_path):
    log = log_of(tmp_path, [("9^9^8+x", "9^9^9"), ("4", "9^9^9")])
    typed("import --format table", log, "--out", tmp_path / "run")
    table = load_candidates(tmp_path / "run")
    assert table["correct"].isna().all()
    assert table["status"].tolist() == ["ok", "ok"]


def test_a_live_run_is_judged_strictly_and_says_what_it_could_not_read(
    tmp_path, capsys, monkeypatch
):
    printed = {
        "cost": "'The total cost is $29.00.'",
        "square": "'x**2 + 2*x + 1'",
        "number": "None",
    }
    golds = {"cost": 29, "square": "(x+1)^2", "number": 5}
    replies = [
        {"prompt": name, "text": f"```python\nprint({what})\n```"} for name, what in printed.items()
    ]
    problems = [{"question": f"which {name}?", "answer": gold} for name, gold in golds.items()]
    for name, lines in (("own.jsonl", problems), ("said.jsonl", replies)):
        (tmp_path / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.chdir(tmp_path)
    assert typed(WORDS, "--k", "2", "--out", "run") == 0
    assert "no answer could be read from 2 of 6 outputs, such as 'None'" in capsys.readouterr().out
    assert verdicts("run") == [True] * 4 + [False] * 2
    assert typed("judge run") == 0
    assert "nothing was written" in capsys.readouterr().out


def test_two_runs_with_files_of_one_name_are_judged_from_elsewhere_each_by_its_own(
    tmp_path, capsys, monkeypatch
):
    for name, gold in (("a", 5), ("b", 6)):
        (place := tmp_path / name).mkdir()
        (place / "own.jsonl").write_text(json.dumps({"question": "how many?", "answer": gold}))
        (place / "said.jsonl").write_text(
            json.dumps({"prompt": "", "text": "```python\nprint(5)\n```"})
        )
        monkeypatch.chdir(place)
        assert typed(WORDS, "--k", "1", "--out", name) == 0
    monkeypatch.chdir(tmp_path)
    for name, right in (("a", True), ("b", False)):
        assert verdicts(f"{name}/{name}") == [right]
        assert typed("judge", f"{name}/{name}") == 0
        assert "nothing was written" in capsys.readouterr().out
    assert typed("reexecute a/a b/b --out both") == 2
    assert "own.jsonl" in capsys.readouterr().err


def test_a_log_of_lm_eval_is_judged_by_the_gold_answers_that_it_has(tmp_path, capsys):
    said = {"72": "So she has $72.00 left", "x+1": r"so \boxed{1+x}"}
    same = {
        "filtered_resps": ["[invalid]"],
        "filter": "f",
        "metrics": ["exact_match"],
        "exact_match": 0.0,
    }
    lines = [
        same | {"doc_id": n, "target": gold, "resps": [[text]]}
        for n, (gold, text) in enumerate(said.items())
    ]
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    run = str(tmp_path / "run")
    assert typed("import --format lm-eval", tmp_path / "log.jsonl", "--out", run) == 0
    assert typed("judge", run) == 0
    assert "2 right, 0 before" in capsys.readouterr().out


def test_six_wrong_golds_or_readings_are_corrected_beside_the_released_ones():
    """By published programs: 443 in base 5, 9.899 for 7 times the root of 2, 6.1e-17 for 0, and 1/4
    is not 1."""
    rows = load_candidates(ROOT / "results/bench/runs/own-trove")
    found = rows.assign(right=corrected(rows)["correct"])
    said = named(
        r"""
        ("number", 241, "443\n"),                       False, True
        ("precalculus", 128, "9.899494936611665\n"),    False, True
        ("precalculus", 128, "7*sqrt(2)\n"),            True,  True
        ("precalculus", 128, "7*sqrt(6)\n"),            True,  False
        ("precalculus", 17, "6.123233995736766e-17\n"), False, True
        ("intermediate", 140, "1/4\n"),                 True,  False
        """
    )
    for (category, problem, output), verdicts in said.items():
        own = found[
            (found["category"] == category)
            & (found["problem"] == problem)
            & (found["output"] == output)
        ]
        assert set(zip(own["correct"], own["right"], strict=True)) == {verdicts}, output
    wrong = {key[1:] for key in corrections()}
    others = [key not in wrong for key in zip(found["category"], found["problem"], strict=True)]
    assert found.loc[others, "right"].equals(found.loc[others, "correct"])
