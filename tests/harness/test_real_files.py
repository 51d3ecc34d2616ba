"""Files that inspect_ai, lm-eval and evalplus made themselves become runs, with the programs' own
verdicts."""

import subprocess
import sys
from pathlib import Path

import pytest

import trove_lite as tl
import trove_lite_analysis as ta
from tests.recorded.test_harness_logs import told
from trove_lite.cli import main

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """By program, the folder in which it made its logs, in a process of its own."""
    known = {}

    def folder(program):
        if program not in known:
            known[program] = tmp_path_factory.mktemp(program)
            command = [sys.executable, HERE / "makers.py", program, known[program]]
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
            assert done.returncode == 0, done.stderr[-3000:]
        return known[program]

    return folder


def imported(out, kind, *words):
    assert main(["import", "--format", kind, *map(str, words), "--out", str(out)]) == 0
    for command in (["summary"], ["view", "--quiet"]):
        assert main([*command, str(out)]) == 0
    return tl.load_candidates(out)


def compared(candidates, **how):
    """Differences of the methods by rule, of whatever models they are."""
    systems = {str(method): part for method, part in candidates.groupby("method", observed=True)}
    found = ta.accuracy_differences(ta.compare(systems), **how)
    return {
        row.rule: row.difference if row.a == "better" else -row.difference
        for row in found.itertuples()
    }


def test_inspect(made, tmp_path):
    logs = [f"{method}={made('inspect') / f'{method}.eval'}" for method in ("plain", "better")]
    found = imported(tmp_path / "run", "inspect", *logs)
    right = found.groupby(["method", "sample"], observed=True)["correct"].sum().to_dict()
    assert right == {("plain", 0): 1, ("plain", 1): 1, ("better", 0): 2, ("better", 1): 2}
    assert [
        list(answers) for answers in found.query("method == 'plain' and problem == 2")["answers"]
    ] == [[], ["7.0"]]
    assert found[["model", "category", "completion_tokens"]].iloc[0].tolist() == [
        "mockllm/model",
        "sums",
        3,
    ]
    assert compared(found)["oracle"] == pytest.approx(1 / 3)
    assert compared(found, k=1)["one_stage"] == pytest.approx(1 / 3)


def test_inspect_out_and_in_again(made, tmp_path):
    logs = [f"{method}={made('inspect') / f'{method}.eval'}" for method in ("plain", "better")]
    before = imported(tmp_path / "run", "inspect", *logs)
    words = ["--format", "inspect", "--out", str(tmp_path / "logs")]
    assert main(["export", str(tmp_path / "run"), *words]) == 0
    after = imported(tmp_path / "again", "inspect", *sorted((tmp_path / "logs").iterdir()))
    assert told(after).equals(told(before))


@pytest.mark.parametrize(("task", "verdict"), [("sums", "exact_match,strict"), ("choices", "acc")])
def test_lm_eval(made, tmp_path, task, verdict):
    logs = sorted((made("lm-eval") / "out").glob(f"*/samples_{task}_*.jsonl"))
    found = imported(tmp_path / "run", "lm-eval", *logs, "--verdict", verdict)
    assert found.groupby("method", observed=True)["correct"].sum().to_dict() == {
        "plain": 1,
        "better": 2,
    }
    assert set(found["category"]) == {task}
    assert found["answers"].isna().all() == (task == "choices")
    assert compared(found) == pytest.approx(
        dict.fromkeys(("one_stage", "one_stage_described", "oracle"), 1 / 3)
    )


def test_evalplus(made, tmp_path, capsys):
    logs = [made("evalplus") / f"{method}.jsonl" for method in ("plain", "better")]
    found = imported(tmp_path / "run", "evalplus", *logs)
    assert "verdicts and no answers" in capsys.readouterr().out
    assert found.groupby("method", observed=True)["correct"].sum().to_dict() == {
        "plain": 1,
        "better": 3,
    }
    assert compared(found) == {"oracle": 0.5}
    base = imported(tmp_path / "base", "evalplus", *logs, "--verdict", "base")
    assert base.groupby("method", observed=True)["correct"].sum().to_dict() == {
        "plain": 3,
        "better": 4,
    }
