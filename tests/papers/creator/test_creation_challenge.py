"""CREATOR's two data sets: what the files hold, what a hint tells, and that gold programs are what
they were."""

import pytest

from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Question
from trove_lite.datasets.files import python_blocks
from trove_lite.prompts import load_pack
from trove_lite.prompts.own import examples
from trove_lite_papers.creator import creation_challenge as creation
from trove_lite_papers.creator.graders import one_is_correct, read_one
from trove_lite_papers.creator.official import released_table
from trove_lite_papers.creator.tabmwp import table_text

ENTRY = {"utility": "It measures.", "args": "- a: one", "return": "- b: two", "constant": "- None."}
ENTRY |= {"tool": "```python\ndef f():\n    return 5\n```"}
ENTRY |= {"solution": "```python\nprint(f())\n``` \nOutput:\n```\n7\n```"}


def test_hints_tell_of_the_gold_tool_and_never_its_code():
    shown = {hint: creation.context_of(ENTRY, hint) for hint in creation.HINTS}
    assert shown["no_hint"] == ""
    assert shown["utility_hint"].endswith("Utility:\nIt measures.")
    assert "Args:\n- a: one" in shown["all_hint"]
    assert "Return:\n- b: two" in shown["all_hint"]
    assert not any("def f" in context or "print" in context for context in shown.values())


@pytest.mark.parametrize(
    ("constant", "shows"),
    [("None", False), ("s\n- none", False), ("- pi (float): 3.14", True), ("pi\n- none", True)],
)
def test_constants_are_shown_where_there_are_some(constant, shows):
    assert bool(creation.context_of(ENTRY | {"constant": constant}, "no_hint")) is shows


def test_a_gold_program_is_the_python_blocks_alone():
    assert (
        python_blocks(ENTRY["tool"], ENTRY["solution"])
        == "def f():\n    return 5\n\n\nprint(f())\n"
    )


def test_a_table_as_trove_shows_it_is_shown_as_released_again():
    table = "Name: None\nUnit: None\na | b\n1 | 2 "
    assert released_table(table_text(table)) == table


def test_answers_are_read_and_judged_strictly():
    for name in ("creation_challenge", "tool_transfer"):
        assert (load_dataset(name).read, load_dataset(name).correct) == (read_one, one_is_correct)


@pytest.mark.parametrize("hint", creation.HINTS)
def test_the_worked_example_is_shown_with_its_hint_and_runs(hint, capsys):
    (example,) = examples("creation_challenge", hint)
    assert example.get("context", "").count("Utility:") == (hint != "no_hint")
    assert example.get("context", "").count("Args:") == (hint == "all_hint")
    for program in (example["imports"] + example["plain"], example["tool"] + example["solution"]):
        exec(program, {})
        assert float(capsys.readouterr().out) == example["answer"]
    prompt = load_pack("own", load_dataset("creation_challenge")).render(
        Question("creation_challenge", hint, 0, "How long?", "Constants:\n- g = 9.81"),
        "decide",
        tool="def f(): pass",
    )
    assert prompt.count("Utility:") == (hint != "no_hint")
    assert "- g = 9.81\n\nHow long?\n\n**Tool**\n```python\ndef f(): pass" in prompt
