"""PoT, Entangled and CREATOR in whole runs: what their tables count as spent, and what of a reply runs."""

import itertools

import pytest

from trove_lite import load_calls, load_candidates
from trove_lite.models.base import Completion
from trove_lite.recorded.reexecute import recorded_programs

from ..scripted import InlineSandbox, ScriptedModel, run

GOOD, FAILS = "```python\nprint(7)\n```", "```python\n1 / 0\n```"


class Says(ScriptedModel):
    """Gives these replies, one after another, the last for ever."""

    def __init__(self, *replies):
        super().__init__()
        self.replies = list(replies)

    async def complete(self, prompt, seeds):
        return [
            Completion(self.replies.pop(0) if len(self.replies) > 1 else self.replies[0], 9, 5, "stop", 0.0)
            for _ in seeds
        ]


def spent(out, method, *replies, **choices):
    """One attempt at one problem: its folder, requests and executions."""
    box = InlineSandbox()
    choices = {method: {"attempts": 1} | choices}
    run(out, methods=(method,), seeds=(0,), limit=1, model=Says(*replies), sandbox=box, choices=choices)
    calls = load_calls(out)
    assert calls["executions"].sum() == len(box.programs)
    return len(calls), len(box.programs)


@pytest.mark.parametrize(("limit", "fails"), [*itertools.product((0, 1, 2, 3), (0, 1, 2, 3, 9))])
@pytest.mark.parametrize("method", ["pot", "entangled"])
def test_pot_and_entangled_spend_one_call_and_execution_a_program(tmp_path, method, limit, fails):
    whole = 1 + min(limit, fails)
    assert spent(tmp_path / "a", method, *[FAILS] * fails, GOOD, rectify=limit) == (whole, whole)


@pytest.mark.parametrize(("broken", "fails"), [*itertools.product(range(5), (0, 1, 2, 3, 9))])
def test_creator_with_checks_spends_2_to_8_calls_and_2_to_7_executions(tmp_path, broken, fails):
    tools = [FAILS] * broken + [GOOD]
    found = spent(tmp_path / "a", "creator", *tools[:4], *[FAILS] * fails, GOOD, retries=3, isolated=False)
    again = min(3, broken)
    repairs = min(3, max(fails, broken == 4))  # the fourth tool is used unchecked, and the program fails by it
    assert found == (1 + again + 1 + repairs, again + (again < 3) + 1 + repairs)


@pytest.mark.parametrize("fails", [0, 1, 2, 3, 9])
def test_creator_without_checks_spends_2_to_5_calls(tmp_path, fails):
    repairs = min(3, fails)
    assert spent(tmp_path / "a", "creator", GOOD, *[FAILS] * fails, GOOD) == (2 + repairs, 1 + repairs)


@pytest.mark.parametrize("empty", ["", "42", "In words, without any code."])
def test_a_reply_without_a_block_is_not_run_and_calls_for_a_repair(tmp_path, empty):
    assert spent(tmp_path / "a", "pot", empty) == (4, 0)
    assert list(load_candidates(tmp_path / "a")["status"]) == ["no_code"] * 4
    assert spent(tmp_path / "b", "creator", empty, retries=3) == (8, 0)


def test_all_blocks_of_a_reply_run_one_after_another(tmp_path):
    reply = "First a tool.\n```python\ndef f():\n    return 7\n```\nNow its use.\n```python\nprint(f())\n```"
    for method, replies in {"pot": [reply], "entangled": [reply], "creator": [GOOD, reply]}.items():
        spent(tmp_path / method, method, *replies)
        rows = load_candidates(tmp_path / method)
        assert list(rows["answer"]) == ["7.0"], method
        if method != "creator":
            assert "def f()" in recorded_programs(rows)[0]


def test_the_tool_of_several_blocks_is_whole(tmp_path):
    tool = "```python\nfrom math import comb\n```\nand\n```python\ndef f():\n    return comb(4, 2)\n```"
    spent(tmp_path / "a", "creator", tool, "```python\nprint(f())\n```")
    assert list(load_candidates(tmp_path / "a")["answer"]) == ["6.0"]
