"""Runs that differ in their seed alone: what the pages of results say of them is in their files."""

import json
import re
from datetime import datetime

import pandas as pd
import pytest

import trove_lite as tl
import trove_lite_analysis as ta
from trove_lite.cli import main

from .conftest import ROOT

PLACE = ROOT / "results" / "vllm-seeds"
PAGE = (PLACE / "README.md").read_text(encoding="utf-8")
RUNS = sorted((PLACE / "runs").iterdir())


def row_of(run) -> list:
    told = json.loads((run / "run.json").read_text(encoding="utf-8"))
    spent = pd.DataFrame(told["budget"])
    programs = tl.load_candidates(run)
    (session,) = told["sessions"]
    began, ended = (datetime.fromisoformat(session[end]) for end in ("began", "ended"))
    return [
        *run.name.split("-"),
        tl.choose(programs, "one_stage")["correct"].sum(),
        programs.groupby("problem")["correct"].any().sum(),
        (programs["status"] != "ok").sum(),
        spent["cut"].sum(),
        spent["prompt_tokens"].sum(),
        spent["completion_tokens"].sum(),
        round((ended - began).total_seconds() / 60, 1),
    ]


@pytest.mark.parametrize("run", RUNS, ids=lambda run: run.name)
def test_the_page_of_a_run_by_vllm_has_what_its_files_say(run):
    cells = [f"{cell:,}" if not isinstance(cell, str) else cell for cell in row_of(run)]
    assert f"| {' | '.join(cells)} |" in PAGE


def test_the_runs_by_vllm_are_those_that_were_planned_with_no_other_engine():
    assert [run.name for run in RUNS] == [
        f"{m}-{s}" for m in ("primitive", "trove") for s in range(3)
    ]
    told = [json.loads((run / "run.json").read_text(encoding="utf-8")) for run in RUNS]
    assert {each["identity"]["solver"]["engine"] for each in told} == {"vllm"}
    assert {(t["settings"]["limit"], t["settings"]["k"]) for t in told} == {(20, 15)}


def test_the_difference_and_the_tools_on_that_page_are_those_of_the_runs():
    programs = tl.load_candidates(*RUNS)
    found = ta.accuracy_differences(ta.compare(programs), rules=("one_stage",)).iloc[0]
    row = [f"{100 * found[name]:+.1f}" for name in ("difference", "low", "high")]
    assert f"TROVE minus PRIMITIVE: {row[0]} points [{row[1]}, {row[2]}]" in PAGE
    made = programs[programs["mode"] == "create"]["tools"].str.contains(r"^def ", flags=re.M)
    assert f"In CREATE {made.sum()} of {len(made)} replies define a function" in PAGE
    assert ta.toolboxes(RUNS).empty


def test_the_essay_of_run_seeds_says_what_the_kept_runs_have():
    kept = pd.read_csv(ROOT / "results" / "practice-seeds" / "spread.csv")
    programs = tl.load_candidates(ROOT / "results" / "practice-seeds" / "outcomes.parquet")
    right = tl.choose(programs, "one_stage").groupby(["method", "run"], observed=True)["correct"]
    shares = right.mean().astype(float)
    own = kept[(kept["model"] == "practice model") & (kept["run"] != "all runs")]
    assert own["value"].tolist() == pytest.approx(shares.tolist())
    assert own["runs"].tolist() == [1] * 10


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", sorted((ROOT / "results").glob("*/outcomes.parquet")), ids=lambda p: p.parent.name
)
def test_every_published_table_of_outcomes_is_summarised(path, capsys):
    assert main(["summary", str(path)]) == 0
    assert capsys.readouterr().out
