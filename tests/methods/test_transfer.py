"""Tool transfer: whose tool is tried on which question, what it costs, and what the released slip does."""

import pytest

from trove_lite.datasets.base import Question
from trove_lite.errors import TroveLiteError
from trove_lite.methods import load_method
from trove_lite.methods.base import Budget, Candidate, Run
from trove_lite.methods.transfer import TransferSettings
from trove_lite.selection import Vote

from .playing import played

QUESTIONS = [Question("transfer", "no_hint", index, f"Scenario {index}?") for index in range(7)]


def play(settings, questions=QUESTIONS):
    """All requests, sample by sample, and the questions that were answered; a tool's text says what it was made for."""
    asked = []

    def sent_back(wanted):
        sent = []
        for request in wanted:
            for sample in request.samples:
                asked.append((request, sample))
                code = f"{request.question.text} {request.question.index} {sample}"
                vote = Vote(request.mode, True, ("1.0",), 1)
                sent.append(
                    Candidate(request.mode, sample, code, (), vote, 9, "ok", stage=request.stage, solution=code)
                )
        return sent

    answers = played(load_method("transfer").steps(questions, settings), sent_back)
    return asked, [answer.question.index for answer in answers]


@pytest.mark.parametrize(("k", "attempts"), [(4, 1), (5, 1), (6, 2), (15, 6)])
def test_a_set_costs_its_attempts_and_a_call_for_each_ordered_pair(k, attempts):
    asked, answered = play(TransferSettings(budget=Budget(k)))
    assert len(asked) == 2 * (2 * 3 * attempts + 3 * 2)
    assert answered == list(range(6))  # the seventh has no set


def test_every_tool_is_tried_on_the_others_of_its_set_and_no_further():
    asked, _ = play(TransferSettings(budget=Budget(6)))
    lent = [(r.question.index, r.mode, r.values["tool"]) for r, _ in asked if r.mode.startswith("from")]
    pairs = {(to, source) for to in range(3) for source in range(3) if to != source}
    assert {(to, mode) for to, mode, _ in lent} == {
        (3 * group + to, f"from_{source + 1}") for group in range(2) for to, source in pairs
    }
    for to, mode, tool in lent:
        source = to - to % 3 + int(mode[-1]) - 1
        assert tool == f"Scenario {source}? {source} 0"  # of its first attempt


def test_a_question_uses_its_own_tool_in_each_attempt():
    asked, _ = play(TransferSettings(budget=Budget(6)))
    own = [(r.question.index, sample, r.values["tool"], r.library) for r, sample in asked if r.mode == "normal"]
    assert len(own) == 12
    for index, sample, tool, library in own:
        assert tool == f"Scenario {index}? {index} {sample}"
        assert library == (tool,)


def test_no_two_requests_are_told_apart_by_nothing():
    asked, _ = play(TransferSettings(budget=Budget(15)))
    keys = [(r.phase, r.question.index, r.stage, sample, r.round) for r, sample in asked]
    assert len(set(keys)) == len(keys)


def test_as_released_all_tools_of_a_set_are_made_for_its_first_question():
    asked, _ = play(TransferSettings(budget=Budget(4), from_first=True))
    made = [(r.question.index, r.question.text) for r, _ in asked if r.stage == "creation"]
    assert made == [(index, f"Scenario {index - index % 3}?") for index in range(6)]
    assert {r.question.text for r, _ in asked if r.mode == "normal"} == {q.text for q in QUESTIONS[:6]}
    assert load_method("transfer").presets["released"].from_first


def test_a_budget_that_does_not_reach_or_is_in_tokens_is_refused():
    with pytest.raises(TroveLiteError, match="4 calls"):
        TransferSettings(budget=Budget(3))
    with pytest.raises(TroveLiteError, match="by calls alone"):
        TransferSettings(budget=Budget(completion_tokens=500))


def test_a_reply_without_code_is_no_tool_and_no_model_is_asked_to_use_it():
    def sent_back(wanted):
        asked.extend(wanted)
        samples = [(request, s) for request in wanted for s in getattr(request, "samples", [0])]
        return [Candidate(request.mode, s, "In words.", (), Vote("", False, (), 0), 9) for request, s in samples]

    asked = []
    played(load_method("transfer").steps(QUESTIONS[:3], TransferSettings(budget=Budget(4))), sent_back)
    uses = [request for request in asked if request.stage == "decide"]
    assert len(uses) == 9
    assert all(isinstance(request, Run) and "raise" in request.program for request in uses)
