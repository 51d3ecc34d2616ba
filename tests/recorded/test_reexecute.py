"""Running a recorded run again: programs as they were composed, agreement, and what a time limit
buys."""

import pandas as pd
import pytest

from trove_lite.candidates import load_candidates, save_run
from trove_lite.cli import main
from trove_lite.datasets.base import Problem, Question
from trove_lite.errors import TroveLiteError
from trove_lite.running.live import live_run
from trove_lite.running.replay import stated_settings
from trove_lite.running.settings import RunSettings
from trove_lite.sandbox.pool import Sandbox, isolation_report
from trove_lite_analysis.recorded.agreement import compare
from trove_lite_analysis.recorded.reexecute import recorded_programs, reexecute

from ..cases import cases
from ..papers.latm.labelled import run as run_labelled
from ..scripted import Says, run
from ..typed import typed

CONFINED = pytest.mark.skipif(
    isolation_report()["level"] is None, reason="programs cannot be confined here"
)
FUNCTION = "```python\n\ndef double(x):\n    return 2 * x\n```"


def row(
    problem: int,
    mode: str,
    solution: str,
    *,
    tools="",
    status="ok",
    output="4",
    phase="stream",
    correct=True,
):
    answers = ["4.0"] if status == "ok" and output else []
    same = {
        "run": "r",
        "method": "trove",
        "seed": 0,
        "dataset": "math",
        "category": "counting",
        "sample": 0,
    }
    same |= {
        "round": 0,
        "shortened": False,
        "completion_tokens": None,
        "execute_seconds": 0.1,
        "tools": tools,
    }
    same |= {
        "problem": problem,
        "phase": phase,
        "mode": mode,
        "place": ("import", "create", "skip").index(mode),
    }
    same |= {
        "solution": f"```python\n{solution}\n```",
        "status": status,
        "answers": answers,
        "correct": correct,
    }
    same |= {
        "output": output if status == "ok" else "",
        "error": None if status == "ok" else output,
    }
    about = (
        {"answer": answers[0], "operations": 1} if answers else {"answer": None, "operations": None}
    )
    return same | about | {"provenance": "recorded"}


def turn(problem: int, imported: str, created: str, **created_with) -> list[dict]:
    skipped = row(problem, "skip", "1/0", status="error", output="ZeroDivisionError", correct=False)
    failed = row(problem, "import", imported, status="error", output="NameError", correct=False)
    return [failed, row(problem, "create", created, **created_with), skipped]


def test_import_programs_run_after_the_toolbox_as_it_stood():
    rows = turn(0, "print(double(2))", "print(double(2))", tools=FUNCTION)
    rows += turn(1, "from toolbox import double\nprint(double(2))", "print(4)")
    first, *_, second, created, _ = recorded_programs(pd.DataFrame(rows))
    assert first == "print(double(2))"
    assert second == "\ndef double(x):\n    return 2 * x\n\nprint(double(2))"
    assert created == "print(4)"


def test_a_tie_between_modes_goes_to_the_one_sampled_first_however_the_table_is_sorted():
    rows = [row(0, "create", "print(double(2))", tools=FUNCTION), row(0, "import", "print(4)")]
    rows += [row(0, "skip", "print(4)"), *turn(1, "print(double(2))", "print(4)")]
    assert (
        recorded_programs(pd.DataFrame(rows))[3] == "print(double(2))"
    )  # IMPORT won, and CREATE taught nothing


@pytest.fixture(scope="module")
def live(tmp_path_factory):
    """A run of the practice model whose toolbox follows neither preset."""
    choices = {"adds_failing": ("create",), "interval": 2, "threshold": "fixed_2"}
    given = {"categories": ("number",), "seeds": (0, 1), "limit": 4, "completion_tokens": 300}
    settings = RunSettings(**given, choices={"trove": choices})
    return settings, live_run(settings, tmp_path_factory.mktemp("live") / "run", progress=False)


@CONFINED
def test_a_live_run_is_composed_by_the_settings_that_it_was_made_with(live):
    settings, folder = live
    candidates = load_candidates(folder)
    made_with = stated_settings([folder, "no folder"])
    assert made_with == {f"run_seed{seed}": settings.of("trove", seed) for seed in (0, 1)}
    assert recorded_programs(candidates) != recorded_programs(candidates, made_with)


@CONFINED
def test_the_command_executes_a_live_run_again_and_agrees(live, tmp_path, capsys):
    out = tmp_path / "again"
    command = ["reexecute", str(live[1]), "--out", str(out)]
    assert main([*command, "--memory", "-1"]) == 1
    assert main(command) == 0
    assert len((out / "disagreements.csv").read_text().splitlines()) == 1  # its header alone
    assert "status 100.00 %" in capsys.readouterr().out
    assert {path.name for path in out.iterdir()} >= {
        "agreement.csv",
        "disagreements.csv",
        "run.json",
    }
    assert not (out / "executions.jsonl").exists()
    again = load_candidates(out)
    assert set(again["provenance"]) == {"re-executed"}
    assert main(command) == 1
    assert "a run is there already" in capsys.readouterr().err


HALF = "```python\ndef half(x):\n    return x / 2\n```"
FAILS = "```python\nprint(halve(138))\n```"
CREATED = Says(HALF, HALF, "```python\nprint(half(138))\n```", FAILS, "```python\nprint(69)\n```")


@CONFINED
@pytest.mark.parametrize(
    ("method", "model", "answers"),
    [
        ("creator", CREATED, ["69.0", None, "69.0"]),
        ("cot", Says("Final Answer: 69"), ["69.0"] * 2),
        ("latm", None, ["14"] * 4),
    ],
)
def test_what_a_method_puts_around_a_program_runs_again_with_it(tmp_path, method, model, answers):
    how = {
        "problems": None,
        "dataset": "practice",
        "categories": ("number",),
        "seeds": (0,),
        "limit": 1,
        "k": 2,
    }
    how |= {"choices": {method: {"attempts": 2}}} if method == "creator" else {}
    one = (
        run(tmp_path / "run", methods=(method,), model=model, **how)
        if model
        else run_labelled(tmp_path / "run")[0]
    )
    assert typed("reexecute", one, "--out", tmp_path / "again") == 0
    before, after = (
        load_candidates(folder).sort_values(["sample", "round"])
        for folder in (one, tmp_path / "again")
    )
    found = [None if pd.isna(answer) else answer for answer in after["answer"]]
    assert (found, list(after["correct"])) == (answers, list(before["correct"]))
    assert len((tmp_path / "again" / "disagreements.csv").read_text().splitlines()) == 1


@pytest.mark.parametrize("method", ["latm_of_GPT-4", "made_cot", "creator_no_repair"])
def test_a_method_whose_programs_the_table_does_not_hold_is_refused(live, tmp_path, method, capsys):
    rows = load_candidates(live[1]).assign(method=method)
    save_run(tmp_path / "run", rows, {"kind": "live"})
    assert typed("reexecute", tmp_path / "run", "--out", tmp_path / "again") == 1
    assert (
        f"error: {method}: a table of candidates does not hold what this method runs"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "again").exists()


@pytest.fixture
def one_problem(monkeypatch):
    problems = (Problem(Question("math", "counting", 0, "?"), 4.0),)
    monkeypatch.setattr(
        "trove_lite_analysis.recorded.reexecute.load_problems", lambda *_, **__: problems
    )


def again(recorded, sandbox, folder):
    return reexecute(
        recorded, recorded_programs(recorded), sandbox, sandbox, journal=folder / "journal"
    )


@CONFINED
@pytest.mark.usefixtures("one_problem")
def test_reexecution_agrees_and_says_where_not(tmp_path):
    recorded = pd.DataFrame(
        [
            row(0, "create", "print(2 + 2)"),
            row(0, "create", "print(5)"),
            row(0, "skip", "import random\nprint(random.random())"),
            row(0, "skip", "while True: pass", status="timeout", output="Timeout", correct=False),
            row(0, "skip", "1/0", status="error", output="ZeroDivisionError", correct=False),
            row(0, "skip", "print(4)", status="unavailable", output="refused", correct=None),
        ]
    )
    with Sandbox(1, time_limit=0.5) as sandbox:
        new, agreement = again(recorded, sandbox, tmp_path)
    assert new["status"].tolist() == ["ok", "ok", "ok", "timeout", "error", "unavailable"]
    assert new["answer"].tolist()[:2] == ["4.0", "5.0"]
    total = agreement.shares.set_index("category").loc["all"]
    assert total.to_dict() == {
        "candidates": 6,
        "status": 6,
        "compared": 6,
        "answer": 4,
        "verdict": 4,
    }
    assert agreement.disagreements["cause"].tolist() == ["other", "random"]
    assert "status 100.00 % of 6" in str(agreement)


@pytest.mark.parametrize(
    ("program", "recorded", "here", "changes", "cause"),
    cases(
        r"""
        "print({'a', 'b'})", "['a', 'b'] 1", "['b', 'a'] 1", {}, "set order"
        "import sympy", "1.0", "1.00", {}, "library version"
        "x", "module 'math' has no attribute 'cbrt'", "", {"status": "timeout"}, "library version"
        "x", "1", "NameError: name 'f' is not defined", {"mode": "import", "status": "error"}, "toolbox"
        "import datetime\nprint(datetime.now())", "1", "2", {}, "time or date"
        "x", "1", "2", {"status": "timeout"}, "timeout"
        "x", "1", "2", {"shortened": True}, "truncated record"
        "x", "1", "2", {"status": "memory"}, "memory or output limit"
        "x", "1", "1", {}, "answers read otherwise"
        """
    ),
)
def test_causes(program, recorded, here, changes, cause):
    old, new = (
        pd.DataFrame([row(0, "skip", program, output=text, correct=False)])
        for text in (recorded, here)
    )
    new["answer"] = 7.0
    for name, value in changes.items():
        for table in {"shortened": [old], "mode": [old, new]}.get(name, [new]):
            table[name] = value
    assert compare(old, new, [program]).disagreements["cause"].item() == cause


@pytest.mark.usefixtures("one_problem")
def test_an_execution_that_is_in_the_journal_does_not_run_again(tmp_path):
    recorded = pd.DataFrame([row(0, "create", "print(2 + 2)"), row(0, "skip", "print(5)")])
    with Sandbox(1, time_limit=0.5) as sandbox:
        again(recorded.head(1), sandbox, tmp_path)
        ran = []
        sandbox._run, run = (
            lambda program, files: ran.append(program) or run(program, files),
            sandbox._run,
        )
        new, _ = again(recorded, sandbox, tmp_path)
    assert ran == ["print(5)"]
    assert new["answer"].tolist() == ["4.0", "5.0"]
    with Sandbox(1, time_limit=1) as other, pytest.raises(TroveLiteError, match="other limits"):
        again(recorded, other, tmp_path)
