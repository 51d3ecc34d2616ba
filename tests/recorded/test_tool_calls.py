"""Programs that could call a made tool, run again in three versions: played back from the journals, no model asked."""

import pandas as pd

from trove_lite.analysis import calls as calling
from trove_lite.calling import TABLE, TOOLS
from trove_lite.candidates import load_candidates
from trove_lite.cli import main
from trove_lite.datasets import load_dataset
from trove_lite.recorded.tool_tests import apart
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

from ..papers.latm.labelled import REPLIES, TOOL
from ..papers.latm.labelled import run as run_labelled
from ..scripted import Says, run
from .test_reexecute import CONFINED

ASKED = {"problems": None, "dataset": "practice", "categories": ("number",), "seeds": (0,)}


def tables(folder, out):
    assert main(["calls", str(folder), "--out", str(out)]) == 0
    programs, tools = pd.read_parquet(out / TABLE), pd.read_csv(out / TOOLS)
    assert not (out / "executions.jsonl").exists()
    return programs, tools


@CONFINED
def test_creators_programs_have_the_tool_of_their_own_attempt(tmp_path):
    half = "```python\ndef half(x):\n    return x / 2\n```"
    says = Says(half, half, "```python\nprint(half(138))\n```", "```python\nprint(halve(138))\n```", "print(69)")
    how = ASKED | {"limit": 1, "k": 2, "choices": {"creator": {"attempts": 2, "rectify": 0}}}
    programs, tools = tables(run(tmp_path / "run", methods=("creator",), model=says, **how), tmp_path / "out")
    assert programs[["made", "kept", "shown"]].all(axis=None)
    assert sorted(map(tuple, programs["tools"])) == [(), ("half",)]
    called = programs[programs["tools"].str.len() > 0].iloc[0]
    assert (called["with_status"], called["pasted_status"], called["cut_correct"]) == ("ok", "ok", False)
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
    given = {"categories": ("number",), "seeds": (0,), "limit": 8, "methods": ("trove", "primitive")}
    folder = live_run(RunSettings(**given), tmp_path / "run", progress=False)
    programs, tools = tables(folder, tmp_path / "out")
    assert programs["mode"].value_counts().to_dict() == {"import": 8 * 5}
    assert (tools["listed"] >= 1).any()
    first = programs[programs["kept"]]["problem"].min()
    assert first > tools["made_at"].min()
    found = calling.of_runs(calling.read_tool_calls(tmp_path / "out")[0], calling.read_runs([folder]))
    counts = calling.funnel(found).set_index("link")["programs"]
    assert counts.is_monotonic_decreasing
    assert counts["kept"] == programs["kept"].sum()


CLAIMS = "```python\nassert f('a') == 'a'\nassert f('b') != 'c'\n```"


@CONFINED
def test_a_tasks_tool_is_run_on_its_makers_tests_and_on_its_use_cases(tmp_path, monkeypatch):
    first, *_ = load_dataset("bbh_made").examples("chinese_remainder")
    case = "Question: {}\nSolution:\n```python\nans = f('{}')\n```\n"
    wrapped = TOOL + case.format(first.question.text, first.gold) + case.format(first.question.text, "no number")
    monkeypatch.setitem(REPLIES, "maker", [TOOL, CLAIMS, wrapped])
    folder, out = run_labelled(tmp_path / "run")[0], tmp_path / "out"
    tables(folder, out)
    (found,) = calling.read_tool_tests(out, out).to_dict("records")
    assert [found[name] for name in ("tool", "tests", "tests passed", "cases", "cases right")] == ["f", 2, 2, 2, 1]
    assert (found["uses"], found["uses right"]) == (4, int(load_candidates(folder)["correct"].sum()))


def test_each_assertion_is_a_test_of_its_own():
    program = "def f():\n    assert 0\n_reached = []\nassert 1\nassert 0\nx = 2\nassert _reached"
    head = "def f():\n    assert 0\n_reached = []\n"
    assert list(apart(program)) == [f"{head}assert 1", f"{head}assert 0"]
    assert list(apart("def f():\n    assert 0\nassert _reached")) == ["def f():\n    assert 0\nassert _reached"]
