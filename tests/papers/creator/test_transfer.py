"""Tool transfer: whose tool is tried on which question, and what it costs."""

from dataclasses import replace
from itertools import permutations

import pytest

from trove_lite.datasets.base import Question
from trove_lite.errors import TroveLiteError
from trove_lite.methods import load_method
from trove_lite.methods.base import Budget, Run
from trove_lite_papers.creator.transfer import TRANSFERRED, TransferSettings

from ...methods.playing import came_of, play

QUESTIONS = [Question("transfer", "no_hint", index, f"Scenario {index}?") for index in range(7)]


def replied(request, sample):
    """A tool, or a program, whose text says what it was made for."""
    code = f"{request.question.text} {request.question.index} {sample}"
    return came_of(request, sample, code, "ok", answers=("1.0",), solution=code)


def play_transfer(settings, questions=QUESTIONS, reply=replied):
    """All requests, sample by sample, and the questions that were answered."""
    asked, answers = play(load_method("transfer").steps(questions, settings), reply)
    return asked, [answer.question.index for answer in answers]


@pytest.mark.parametrize(("k", "attempts"), [(4, 1), (5, 1), (6, 2), (15, 6)])
def test_a_set_costs_its_attempts_and_a_call_for_each_ordered_pair(k, attempts):
    asked, answered = play_transfer(TransferSettings(budget=Budget(k)))
    assert len(asked) == 2 * (2 * 3 * attempts + 3 * 2)
    assert answered == list(range(6))  # the seventh has no set


def test_every_tool_is_tried_on_the_others_of_its_set_and_no_further():
    asked, _ = play_transfer(TransferSettings(budget=Budget(6)))
    given = [
        (r.question.index, r.mode, r.values["tool"]) for r, _ in asked if r.mode.startswith("from")
    ]
    assert {(to, mode) for to, mode, _ in given} == {
        (3 * group + to, f"from_{source + 1}")
        for group in range(2)
        for to, source in permutations(range(3), 2)
    }
    assert all(
        (r.wording == TRANSFERRED) == (r.mode != "normal") for r, _ in asked if r.stage == "decide"
    )
    for to, mode, tool in given:
        source = to - to % 3 + int(mode[-1]) - 1
        assert tool == f"Scenario {source}? {source} 0"  # of its first attempt


def test_a_budget_that_does_not_reach_or_is_in_tokens_is_refused():
    with pytest.raises(TroveLiteError, match="4 calls"):
        TransferSettings(budget=Budget(3))
    with pytest.raises(TroveLiteError, match="by calls alone"):
        TransferSettings(budget=Budget(completion_tokens=500))


def test_less_than_a_set_is_refused():
    with pytest.raises(TroveLiteError, match="sets of 3"):
        play_transfer(TransferSettings(budget=Budget(6)), QUESTIONS[:2])


def test_a_reply_without_code_is_no_tool_and_no_model_is_asked_to_use_it():
    settings = TransferSettings(budget=Budget(4))
    asked, _ = play_transfer(settings, QUESTIONS[:3], lambda *asked: came_of(*asked, "In words."))
    uses = [request for request, _ in asked if request.stage == "decide"]
    assert len(uses) == 9
    assert all(isinstance(request, Run) and "raise" in request.program for request in uses)


TOOL = "```python\ndef f(): pass\n```"


@pytest.mark.parametrize(
    ("tool", "call", "programs"),
    [
        (TOOL, "So: ```python\nf()\n```", ["def f(): pass\n\nf()"] * 3),
        (TOOL, "```python\nf()\n```\n```python\nf(2)\n```", ["def f(): pass\n\nf()"] * 3),
        (TOOL, "```python\nf()", ["def f(): pass\n\nf()"] * 3),
        (TOOL, "```py\nf()\n```", [""] * 3),
        (TOOL, "f()", [""] * 3),
        (f"{TOOL}\n```python\ng = f\n```", "```python\nf()\n```", ["def f(): pass\n\nf()"] * 3),
        ("```py\ndef f(): pass\n```", "```python\nf()\n```", []),
        ("def f(): pass", "```python\nf()\n```", []),
    ],
)
def test_by_the_released_preset_the_first_block_labelled_python_is_tool_and_call(
    tool, call, programs
):
    composed = []

    def reply(request, sample):
        text = tool if request.stage == "creation" else call
        if request.stage == "decide" and not isinstance(request, Run):
            composed.append(request.compose(text))
        return came_of(request, sample, text, "ok", answers=("1.0",), solution=text)

    settings = replace(load_method("transfer").presets["released"], budget=Budget(4))
    play_transfer(settings, QUESTIONS[:3], reply)
    assert composed[:3] == programs
