"""LATM's maker and dispatcher: what is asked for on every path."""

import re
from dataclasses import replace

import pytest

from trove_lite.datasets.base import Question
from trove_lite.errors import TroveLiteError
from trove_lite.methods.base import Budget
from trove_lite.methods.latm import LATM, LatmSettings
from trove_lite.methods.latm.dispatcher import DISPATCHER, DispatcherSettings
from trove_lite.methods.latm.maker import Trial

from .latm_playing import (
    EMPTY,
    FAILS,
    GOOD,
    IDLE,
    OURS,
    PAPER,
    RELEASED,
    TESTS,
    WORDS,
    WRAPPED,
    WRONG,
    Played,
    once,
)


@pytest.fixture(params=["released", "paper", "ours"])
def preset(request):
    return replace(LATM.presets[request.param], budget=Budget(1))


@pytest.mark.parametrize("failed", [0, 1, 2])
@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_a_tool_takes_its_failures_and_three_calls_and_an_instance_one(preset, failed, wrong):
    replies = {"propose": [FAILS] * failed + [GOOD], "verify": [WRONG] * wrong + [TESTS], "wrap": [WRAPPED]}
    played = Played(preset, replies, questions=5)
    assert played.calls == {"propose": failed + 1, "verify": wrong + 1, "wrap": 1, "use": 5}
    assert played.trials == (Trial(failed + 1, wrong + 1, WRAPPED),)
    assert [answer.candidate.vote.answers for answer in played.answers] == [("7.5",)] * 5


@pytest.mark.parametrize("settings", [PAPER, OURS])
def test_three_failed_proposals_are_a_failed_trial_and_by_no_fallback_nothing_is_answered(settings):
    played = Played(once(settings, fallback="none"), {"propose": [FAILS]})
    assert played.calls == {"propose": 3}
    assert played.trials == (Trial(3, 0, ""),)
    assert [answer.candidate.status for answer in played.answers] == ["error", "error"]


def test_released_verifies_the_last_of_three_failed_proposals_in_six_calls():
    played = Played(once(RELEASED), {"propose": [FAILS], "verify": [TESTS]})
    assert played.calls == {"propose": 3, "verify": 3}
    assert played.made.tool == ""


@pytest.mark.parametrize("settings", [PAPER, OURS])
def test_replies_without_code_or_assertion_fail(settings):
    played = Played(once(settings), {"propose": [EMPTY, GOOD], "verify": [EMPTY, IDLE, TESTS], "wrap": [WRAPPED]})
    assert played.calls == {"propose": 2, "verify": 3, "wrap": 1, "use": 2}


@pytest.mark.parametrize("tests", [EMPTY, IDLE])
def test_released_passes_replies_without_code_or_assertion(tests):
    played = Played(once(RELEASED), {"propose": [GOOD], "verify": [tests], "wrap": [WRAPPED]})
    assert played.calls == {"propose": 1, "verify": 1, "wrap": 1, "use": 2}
    assert Played(once(RELEASED), {"propose": [EMPTY], "verify": [EMPTY], "wrap": [WRAPPED]}).made.tool == WRAPPED


@pytest.mark.parametrize(
    "tests",
    [
        "def double(x):\n    return 2 * x\n\nassert double(21) == 42",  # of something else
        "def f(x):\n    return x\n\nassert True",
        "try:\n    assert f(2) == 3\nexcept Exception as error:\n    print(error)",  # what fails is swallowed
        "f = lambda x: x\nassert f(2) == 2",  # of a function of their own
        "def check():\n    assert f(2) == 2",  # never called
        "print(f(2))\ndef double(x):\n    return 2 * x\n\nassert double(21) == 42",  # called, not tested
        "try:\n    int('two')\n    assert f(2) == 2\nexcept ValueError:\n    pass",  # no assertion is reached
    ],
)
def test_tests_that_pass_whatever_the_function_answers_do_not_verify_it(tests):
    verify = [f"```python\n{tests}\n```", TESTS]
    for preset in (PAPER, OURS):
        played = Played(once(preset), {"propose": [GOOD], "verify": verify, "wrap": [WRAPPED]})
        assert played.trials == (Trial(1, 2, WRAPPED),)
        assert re.search("whatever the function answers|no assertion was reached", played.chat[-3][1])
    released = Played(once(RELEASED), {"propose": [GOOD], "verify": verify, "wrap": [WRAPPED]})
    assert released.trials == (Trial(1, 1, WRAPPED),)


@pytest.mark.parametrize("wrapped", [GOOD, "```python\nret = f(2)\n```\nUse cases:\nQuestion: 2\nSolution:\n"])
def test_ours_wants_a_function_and_a_use_case_of_a_wrapped_tool(wrapped):
    replies = {"propose": [GOOD], "verify": [TESTS], "wrap": [wrapped]}
    assert Played(once(OURS), replies).trials == (Trial(1, 1, ""),)
    assert Played(once(PAPER), replies).trials == (Trial(1, 1, wrapped),)


@pytest.mark.parametrize(("settings", "copies"), [(RELEASED, 2), (PAPER, 1), (OURS, 1)])
def test_released_chats_hold_the_last_proposal_twice(settings, copies):
    chat = Played(once(settings), {"propose": [FAILS, GOOD], "verify": [TESTS], "wrap": [WRAPPED]}).chat
    roles = ["user", "assistant", "user", *["assistant"] * copies, "user", "assistant", "user"]
    assert [role for role, _ in chat] == roles
    assert [text for role, text in chat if role == "assistant"] == [FAILS, *[GOOD] * copies, TESTS]


def test_trials_begin_anew_with_seeds_of_their_own_until_one_passes():
    replies = {"propose": [FAILS] * 3 + [GOOD], "verify": [TESTS], "wrap": [WRAPPED]}
    played = Played(once(OURS, trials=5), replies)
    assert played.calls == {"propose": 4, "verify": 1, "wrap": 1, "use": 2}
    keys = [(r.stage, r.samples.start, r.round) for r in played.requests if getattr(r, "role", "user") != "user"]
    assert len(set(keys)) == len(keys)
    assert [entry["made"] for entry in played.made.listing()] == [False, True]


def test_a_model_without_a_chat_reads_one_text():
    replies = {"propose": [GOOD], "verify": [TESTS], "wrap": [WRAPPED]}
    played = Played(once(PAPER, chat=False), replies)
    assert played.chat.startswith("User:\nQuestion: What is 0?")
    assert played.chat.endswith("Assistant:\n")
    assert played.chat.count("Assistant:\n") == 3
    assert played.requests[-1].prompt.endswith("Question: What is 1?")
    of_maker = [request for request in played.requests if getattr(request, "role", "user") != "user"]
    assert all(request.sampling["stop"] == ("\nUser:",) for request in of_maker)


def test_all_trials_are_made_and_the_first_tool_is_used():
    replies = {"propose": [GOOD], "verify": [WRONG] * 4 + [TESTS], "wrap": [WRAPPED, WRAPPED.replace("A f", "The f")]}
    played = Played(once(OURS, trials=3, all_trials=True, verifications=2), replies)
    assert [bool(trial.tool) for trial in played.made.trials] == [False, True, True]
    assert played.made.tool == WRAPPED
    assert played.calls["propose"] == 3
    assert played.requests[-1].prompt[0][1].startswith("A function")


def test_a_run_is_given_the_tool_of_its_own_seed_where_several_made_one():
    tools = {"task": "all", "task#1": "own", "other#0": "theirs"}
    given = LatmSettings(tools=tools, seed=1)
    assert [given.given(task) for task in ("task", "other", "none")] == ["own", None, None]


@pytest.mark.parametrize("settings", [PAPER, OURS])
def test_without_a_tool_a_question_is_answered_as_primitive_asks_it(settings):
    played = Played(once(settings), {"propose": [FAILS]})
    assert played.calls == {"propose": 3, "primitive": 2}
    assert [(answer.candidate.mode, answer.candidate.vote.answers) for answer in played.answers] == [
        ("fallback", ("8.5",))
    ] * 2
    asked = played.requests[-1]
    assert (asked.prompt, asked.compose, dict(asked.sampling), asked.role) == (None, None, {}, "user")


def test_the_dispatcher_reads_the_first_use_case_of_every_known_tool():
    question = Question("bbh_mixed", "new_0", 0, "Sort these", "one\ntwo")
    other = WRAPPED.replace("Question: 2", "Question: who?\nOptions:\n(A) me\nAnswer: (A)\n")
    settings = DispatcherSettings(budget=Budget(1), tools={"one": WRAPPED, "two": other, "three": WRAPPED})
    (request,) = next(DISPATCHER.begin([question], settings, (), WORDS))
    ((_, prompt),) = request.prompt
    assert "Task: one\n\nQuestion: 2\n===\nTask: two\n\nQuestion: who?\nOptions:\n(A) me\n" in prompt
    assert "Answer: (A)" not in prompt
    assert "three" not in prompt
    assert "Question: Sort these" in prompt
    assert (request.role, request.runs, request.mode) == ("dispatcher", False, "dispatcher")


def test_the_dispatcher_needs_a_tool_for_every_known_task():
    question = Question("bbh_mixed", "new_0", 0, "Sort these", "one\ntwo")
    with pytest.raises(TroveLiteError, match="no tool with a use case for 'two'"):
        next(DISPATCHER.begin([question], DispatcherSettings(tools={"one": WRAPPED}), (), WORDS))
