"""CREATOR's two data sets: what the files hold, what a hint tells, and that gold programs are what they were."""

import json

import pytest

from trove_lite import TroveLiteError
from trove_lite.datasets import creation_challenge as creation
from trove_lite.datasets import load_dataset
from trove_lite.datasets import tool_transfer as transfer
from trove_lite.datasets.base import Question
from trove_lite.datasets.files import public_paths
from trove_lite.prompts import load_pack
from trove_lite.prompts.own import examples

ENTRY = {
    "question": " How long? ",
    "answer": 5,
    "utility": "It measures.",
    "args": "- a: one",
    "return": "- b: two",
    "constant": "- None.",
    "tool": "```python\ndef f():\n    return 5\n```",
    "solution": "```python\nprint(f())\n``` \nOutput:\n```\n7\n```",
}


def here(group):
    if not all(path.is_file() for path in public_paths(group)):
        pytest.skip(f"the data folder holds no {group}: run `trove-lite fetch {group}` or set TROVE_LITE_DATA")


@pytest.mark.parametrize("hint", creation.HINTS)
def test_the_challenge_has_2047_questions_at_each_level_of_hint(hint):
    here("creation_challenge")
    problems = load_dataset("creation_challenge").load(hint)
    assert [problem.index for problem in problems] == list(range(2047))
    assert sum(not problem.question.context for problem in problems) == (1612 if hint == "no_hint" else 0)
    assert (problems[0].gold, problems[1].gold) == (5000.0, 913.87)
    assert problems[1918].gold == float("inf")


def test_transfer_has_a_hundred_sets_of_three():
    here("tool_transfer")
    problems = load_dataset("tool_transfer").load("no_hint")
    assert len(problems) == 300
    assert [problem.level for problem in problems[:4]] == ["1", "2", "3", "1"]
    assert problems[0].question.text.startswith("Production Planning\n")
    assert not problems[0].question.context
    assert (
        load_dataset("tool_transfer").load("utility_hint")[1].question.context.endswith("optimal quantity to produce.")
    )


def test_hints_tell_of_the_gold_tool_and_never_its_code(tmp_path):
    path = tmp_path / "CC.jsonl"
    path.write_text(json.dumps(ENTRY) + "\n")
    shown = {hint: creation.read_problems(path, hint)[0].question for hint in creation.HINTS}
    assert shown["no_hint"].context == ""
    assert shown["utility_hint"].context.endswith("Utility:\nIt measures.")
    assert "Args:\n- a: one" in shown["all_hint"].context
    assert "Return:\n- b: two" in shown["all_hint"].context
    assert not any("def f" in question.context or "print" in question.context for question in shown.values())
    assert shown["no_hint"].text == "How long?"


@pytest.mark.parametrize(
    ("constant", "shows"), [("None", False), ("s\n- none", False), ("- pi (float): 3.14", True), ("pi\n- none", True)]
)
def test_constants_are_shown_where_there_are_some(constant, shows):
    assert bool(creation.context_of(ENTRY | {"constant": constant}, "no_hint")) is shows


def test_a_malformed_line_is_named(tmp_path):
    path = tmp_path / "CC.jsonl"
    path.write_text(json.dumps({key: value for key, value in ENTRY.items() if key != "tool"}) + "\n")
    with pytest.raises(TroveLiteError, match="line 1: field 'tool'"):
        creation.read_problems(path, "no_hint")


def test_a_gold_program_is_the_python_blocks_alone():
    for module in (creation, transfer):
        assert module.program_of(ENTRY["tool"], ENTRY["solution"]) == "def f():\n    return 5\n\n\nprint(f())\n"


def test_answers_are_read_and_judged_strictly():
    for name in ("creation_challenge", "tool_transfer"):
        data = load_dataset(name)
        assert data.read("4 of 5\nFinal Answer: 1/4") == ["0.25"]
        assert data.read("4 of 5") == ["5.0"]
        assert data.correct(["5.0"], 5.004)
        assert not data.correct([], 5.0)


@pytest.mark.parametrize("hint", creation.HINTS)
def test_the_worked_example_is_shown_with_its_hint_and_runs(hint, capsys):
    (example,) = examples("creation_challenge", hint)
    assert example.get("context", "").count("Utility:") == (hint != "no_hint")
    assert example.get("context", "").count("Args:") == (hint == "all_hint")
    for program in (example["imports"] + example["plain"], example["tool"] + example["solution"]):
        exec(program, {})
        assert float(capsys.readouterr().out) == example["answer"]
    prompt = load_pack("own", load_dataset("creation_challenge")).render(
        Question("creation_challenge", hint, 0, "How long?", "Constants:\n- g = 9.81"), "decide", tool="def f(): pass"
    )
    assert prompt.count("Utility:") == (hint != "no_hint")
    assert "- g = 9.81\n\nHow long?\n\n**Tool**\n```python\ndef f(): pass" in prompt
