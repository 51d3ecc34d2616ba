"""Programs that could call a made tool, run again in three versions: played back from the journals,
no model asked."""

import pandas as pd

from trove_lite.cli import main
from trove_lite.programs.calling import TABLE, TOOLS
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings
from trove_lite_analysis import calls as calling

from ..papers.latm.labelled import run as run_labelled
from ..scripted import Says, run
from .test_reexecute import CONFINED

ASKED = {"problems": None, "dataset": "practice", "categories": ("number",), "seeds": (0,)}


def tables(folder, out):
    assert main(["calls", str(folder), "--out", str(out)]) == 0
    programs = pd.read_parquet(out / TABLE)
    tools = pd.read_csv(out / TOOLS)
    assert not (out / "executions.jsonl").exists()
    return programs, tools


@CONFINED
def test_creators_programs_have_the_tool_of_their_own_attempt(tmp_path):
    half = "```python\ndef half(x):\n    return x / 2\n```"
    says = Says(
        half,
        half,
        "```python\nprint(half(138))\n```",
        "```python\nprint(halve(138))\n```",
        "print(69)",
    )
    how = ASKED | {"limit": 1, "k": 2, "choices": {"creator": {"attempts": 2, "rectify": 0}}}
    programs, tools = tables(
        run(tmp_path / "run", methods=("creator",), model=says, **how), tmp_path / "out"
    )
    assert programs[["made", "kept", "shown"]].all(axis=None)
    assert sorted(map(tuple, programs["tools"])) == [(), ("half",)]
    called = programs[programs["tools"].str.len() > 0].iloc[0]
    assert (called["with_status"], called["pasted_status"], called["cut_correct"]) == (
        "ok",
        "ok",
        False,
    )
    assert called["with_correct"] == called["pasted_correct"] == called["correct"]
    assert tools.empty  # shared by no two problems


@CONFINED
def test_latms_tool_is_one_for_its_task(tmp_path):
    programs, tools = tables(run_labelled(tmp_path / "run")[0], tmp_path / "out")
    assert tools[["listed", "body", "maker_calls"]].to_numpy().tolist() == [[4, True, True]]
    assert tools["until"].isna().all()
    assert programs["shown"].all()


@CONFINED
def test_troves_tools_are_at_hand_from_the_problem_after_they_were_made(tmp_path):
    given = {
        "categories": ("number",),
        "seeds": (0,),
        "limit": 8,
        "methods": ("trove", "primitive"),
    }
    folder = live_run(RunSettings(**given), tmp_path / "run", progress=False)
    programs, tools = tables(folder, tmp_path / "out")
    assert programs["mode"].value_counts().to_dict() == {"import": 8 * 5}
    assert (tools["listed"] >= 1).any()
    first = programs[programs["kept"]]["problem"].min()
    assert first > tools["made_at"].min()
    found = calling.of_runs(
        calling.read_tool_calls(tmp_path / "out")[0], calling.read_runs([folder])
    )
    counts = calling.funnel(found).set_index("link")["programs"]
    assert counts.is_monotonic_decreasing
    assert counts["kept"] == programs["kept"].sum()
