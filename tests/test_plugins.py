"""A data set and a method of somebody else's, each defined here alone, through everything that the package does.

The data set has text answers and a file for each question; the method has two stages, two roles and a repair after an
error. Nothing in the package knows either.
"""

import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
import pytest

import trove_lite as tl
from papers.figures import forest
from trove_lite.datasets.base import Dataset, Problem, Question
from trove_lite.methods.base import Answer, Attempt, Method, Run, Settings, chosen
from trove_lite.models.base import Completion
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

from .conftest import ROOT
from .scripted import Pack, ScriptedModel, response

COLOURS = ("red", "green", "blue")
FOLDER = Path(__file__).parent / "hues"

# ---- the data set: one file of its own ----


def load(category: str) -> list[Problem]:
    """Six questions about a colour that is written in a file."""
    return [
        Problem(
            Question("hues", category, i, f"Which colour is number {i}?", context=f"| {i} |"),
            gold=COLOURS[i % 3],
            level="dark" if i % 2 else "light",
            files={"hue.txt": FOLDER / f"{COLOURS[i % 3]}.txt"},
        )
        for i in range(6)
    ]


HUES = Dataset(
    name="hues",
    title="hues",
    categories=("warm", "cold"),
    levels=("light", "dark"),
    load=load,
    read=lambda output: [output.strip()] if output.strip() else [],
    correct=lambda answers, gold: bool(answers) and answers[0] == gold,
)

# ---- the method: one file of its own ----


@dataclass(frozen=True)
class PlanSettings(Settings):
    """A plan, a program, and so many repairs."""

    repairs: int = 1
    """How often a program that fails is written anew."""


def plan(questions, settings):
    """A planner says what to do, a solver writes programs, and those that fail are written anew."""
    for question in questions:
        (idea,) = yield [Attempt(question, "plan", range(1), runs=False, role="planner")]
        asked = Attempt(question, "write", range(settings.budget.calls), mode="plan", values={"plan": idea.text})
        candidates = yield [asked]
        for round in range(1, settings.repairs + 1):
            failed = [c for c in candidates if c.status == "error"]
            anew = yield [
                replace(
                    asked,
                    stage="repair",
                    samples=range(c.sample, c.sample + 1),
                    round=round,
                    values={"plan": idea.text, "program": c.solution, "error": c.error},
                )
                for c in failed
            ]
            repaired = {c.sample: c for c in anew}
            candidates = [repaired.get(c.sample, c) for c in candidates]
        (check,) = yield [Run(question, "check", "print('checked')")]
        assert check.output == "checked\n"
        yield Answer(question, chosen(question, candidates, settings))


PLAN = Method("plan", plan, modes=("plan",), presets={"paper": PlanSettings()})


class Planner(ScriptedModel):
    """Always has the same idea."""

    name = "planner"

    def text(self, draw: int) -> str:
        return "read the file"


class Solver(ScriptedModel):
    """Fails one time in three, but not when it sees the error."""

    name = "solver"

    async def complete(self, prompt, seeds):
        assert prompt.startswith("primitive") or "read the file" in prompt
        self.calls += len(seeds)
        return [Completion(self.program(prompt, seed), 10, 5, "stop", 0.0, cached_tokens=4) for seed in seeds]

    def program(self, prompt: str, seed: int) -> str:
        if "repair" in prompt:
            assert "ZeroDivisionError" in prompt
            return response("print(open('hue.txt').read())")
        return response("print(1 / 0)" if seed % 3 == 0 else "print(open('hue.txt').read())")


class Words(Pack):
    """Prompts that show all that they are given."""

    def render(self, question, stage, toolbox=(), **values):
        return f"{stage}: {question.text} {question.context} {values}"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return run(tmp_path_factory.mktemp("plugins") / "run")


def run(out: Path, **given) -> Path:
    settings = RunSettings(
        **{"name": "hues", "dataset": f"{__name__}:HUES", "methods": (f"{__name__}:PLAN", "primitive"), "k": 4}
        | {"categories": ("warm", "cold"), "seeds": (0, 1)}
    )
    return live_run(settings, out, model=Solver(), roles={"planner": Planner()}, pack=Words(), progress=False, **given)


def test_text_answers_are_read_from_a_problems_own_file_and_graded(folder):
    candidates = tl.load_candidates(folder)
    mine = candidates[(candidates["method"] == "plan") & (candidates["phase"] == "stream")]
    assert len(mine) == 2 * 2 * 6 * 4
    assert mine["correct"].all()
    assert set(mine["answer"]) == set(COLOURS)
    assert set(mine["level"]) == {"light", "dark"}
    drafts, repaired = candidates[candidates["phase"] == "draft"], mine[mine["round"] == 1]
    assert len(drafts) == len(repaired) > 0
    assert set(drafts["status"]) == {"error"}


def test_every_request_is_a_call_with_its_stage_and_role(folder):
    calls, candidates = tl.load_calls(folder), tl.load_candidates(folder)
    stages = dict(iter(calls[calls["method"] == "plan"].groupby("stage", observed=True)))
    assert len(stages["plan"]) == 2 * 2 * 6
    assert (stages["plan"][["role", "model"]] == "planner").all(axis=None)
    assert len(stages["repair"]) == (candidates["phase"] == "draft").sum()
    assert stages["check"]["model"].isna().all()
    assert stages["check"]["executions"].eq(1).all()
    assert stages["write"]["cached_tokens"].eq(4).all()


def test_a_killed_run_goes_on_to_the_same_tables(folder, tmp_path):
    half = tmp_path / "half"
    shutil.copytree(folder, half)
    for name in ("candidates.parquet", "calls.parquet"):
        (half / name).unlink()
    for journal in (half / "journal").iterdir():
        lines = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(lines[: len(lines) // 2]) + b'{"torn')
    run(half)
    times = ["generate_seconds", "execute_seconds"]
    for load in (tl.load_candidates, tl.load_calls):
        one, other = (load(path).drop(columns=times, errors="ignore") for path in (folder, half))
        pd.testing.assert_frame_equal(one, other, check_dtype=False)


def test_a_comparison_table_and_figure_know_nothing_of_either(folder):
    candidates, calls = tl.load_candidates(folder), tl.load_calls(folder)
    comparison = tl.compare(candidates, calls=calls)
    table = tl.accuracy(comparison)
    assert set(table["category"]) >= {"warm", "cold"}
    assert table["value"].notna().all()
    assert forest(table, title="Accuracy", panel="rule") is not None


def test_the_documented_method_runs_as_documented(tmp_path):
    """Found in the folder that one works in by the installed command, which Python does not have look there."""
    text = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")
    method, comparison = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (command,) = re.findall(r"^trove-lite (run .*) --seeds 0 1 2 --out runs/both$", text, re.MULTILINE)
    (tmp_path / "mine.py").write_text(method, encoding="utf-8")
    words = [Path(sys.executable).with_name("trove-lite"), *command.split(), "--out", "runs/both", "--seeds", "0", "1"]
    words += ["--categories", "counting", "--limit", "5", "--k", "4", "--quiet"]
    subprocess.run(words, cwd=tmp_path, check=True)
    candidates = tl.load_candidates(tmp_path / "runs" / "both")
    assert candidates.groupby(["method", "mode"], observed=True).size().to_dict() == {
        ("both", "instance"): 20,
        ("both", "primitive"): 20,
        ("primitive", "primitive"): 40,
    }
    code = comparison.replace("tl.matched_budgets", "_ = tl.matched_budgets") + "\nprint(sum(_['note'] == ''))"
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True, capture_output=True, text=True)
    assert int(ended.stdout) == 3  # budgets at which the two are compared, in one category
