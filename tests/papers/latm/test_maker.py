"""LATM's maker and dispatcher: what is asked for on every path, and what is held to be a tool."""

import re
from dataclasses import replace

import pytest

from trove_lite.datasets.base import Question
from trove_lite.errors import TroveLiteError
from trove_lite.methods.base import Budget
from trove_lite_papers.latm import bbh
from trove_lite_papers.latm.dispatch import DISPATCHER, DispatcherSettings
from trove_lite_papers.latm.latm import LatmSettings
from trove_lite_papers.latm.maker import as_exception
from trove_lite_papers.latm.settings import tool_of
from trove_lite_papers.latm.verifier import reached_its_end, to_its_end

from ...cases import cases
from .playing import (
    EMPTY,
    FAILS,
    GOOD,
    IDLE,
    MAKES,
    OURS,
    PAPER,
    PRESETS,
    TESTS,
    WORDS,
    WRAPPED,
    WRONG,
    Played,
    execute,
)

both = pytest.mark.parametrize("settings", [PAPER, OURS])


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("failed", [0, 1, 2])
@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_a_tool_takes_its_failures_and_three_calls_and_an_instance_one(preset, failed, wrong):
    replies = {
        "propose": [FAILS] * failed + [GOOD],
        "verify": [WRONG] * wrong + [TESTS],
        "wrap": [WRAPPED],
    }
    played = Played(PRESETS[preset], replies, questions=5)
    assert played.calls == {"propose": failed + 1, "verify": wrong + 1, "wrap": 1, "use": 5}
    assert played.trials == [(failed + 1, wrong + 1, WRAPPED)]
    assert [answer.candidate.vote.answers for answer in played.answers] == [("7.5",)] * 5


@both
def test_a_failed_trial_is_answered_as_primitive_asks_it_or_by_no_fallback_not_at_all(settings):
    played = Played(settings, {"propose": [FAILS]})
    assert played.calls == {"propose": 3, "primitive": 2}
    assert played.trials == [(3, 0, "")]
    found = [(answer.candidate.mode, answer.candidate.vote.answers) for answer in played.answers]
    assert found == [("fallback", ("8.5",))] * 2
    asked = played.requests[-1]
    assert (asked.prompt, asked.compose, dict(asked.sampling), asked.role) == (
        None,
        None,
        {},
        "user",
    )
    played = Played(replace(settings, fallback="none"), {"propose": [FAILS]})
    assert played.calls == {"propose": 3}
    assert [answer.candidate.status for answer in played.answers] == ["error", "error"]


@both
def test_the_chat_grows_by_every_turn_and_replies_without_code_or_assertion_fail(settings):
    played = Played(
        settings, {"propose": [EMPTY, GOOD], "verify": [EMPTY, IDLE, TESTS], "wrap": [WRAPPED]}
    )
    assert played.calls == {"propose": 2, "verify": 3, "wrap": 1, "use": 2}
    assert [role for role, _ in played.chat] == ["user", "assistant"] * 5 + ["user"]
    assert [text for role, text in played.chat if role == "assistant"] == [
        EMPTY,
        GOOD,
        EMPTY,
        IDLE,
        TESTS,
    ]
    assert (
        "Question: What is 3?\nSolution:" in played.chat[-1][1]
    )  # the first that was tested, in the form wanted


@both
@pytest.mark.parametrize(
    "tests",
    [
        "def double(x):\n    return 2 * x\n\nassert double(21) == 42",  # of something else
        # what fails is swallowed
        "try:\n    assert f(2) == 3\nexcept Exception as error:\n    print(error)",
        "def check():\n    assert f(2) == 2",  # never called
        # called, not tested
        "print(f(2))\ndef double(x):\n    return 2 * x\n\nassert double(21) == 42",
        # no assertion is reached
        "try:\n    int('two')\n    assert f(2) == 2\nexcept ValueError:\n    pass",
    ],
)
def test_tests_that_pass_whatever_the_function_answers_do_not_verify_it(settings, tests):
    played = Played(settings, MAKES | {"verify": [f"```python\n{tests}\n```", TESTS]})
    assert played.trials == [(1, 2, WRAPPED)]
    assert re.search("whatever the function answers|no assertion was reached", played.chat[-3][1])


@pytest.mark.parametrize(
    "wrapped", [GOOD, "```python\nret = f(2)\n```\nUse cases:\nQuestion: 2\nSolution:\n"]
)
def test_ours_wants_a_function_and_a_use_case_of_a_wrapped_tool_or_wraps_it_where_each_problem_has_a_test(
    wrapped,
):
    ours = replace(OURS, rewrap=True)
    made = MAKES | {"wrap": [wrapped]}
    assert Played(OURS, made).trials == Played(ours, made).trials == [(1, 1, "")]
    assert Played(PAPER, made).trials == [(1, 1, wrapped)]
    tests = "\n".join(f"ret = f({n})\nans = ret\nassert ans == {n}\n" for n in (3, 4, 5))
    tool = Played(ours, made | {"verify": [f"```python\n{tests}```"]}).made.tool
    assert tool.endswith("Question: What is 5?\nSolution:\n```python\nret = f(5)\nans = ret\n```")


def test_trials_begin_anew_with_seeds_of_their_own_until_one_passes_or_all_are_made_and_the_first_is_used():
    played = Played(replace(OURS, trials=5), MAKES | {"propose": [FAILS] * 3 + [GOOD]})
    assert played.calls == {"propose": 4, "verify": 1, "wrap": 1, "use": 2}
    keys = [(r.stage, r.samples.start, r.round) for r in played.of_maker]
    assert len(set(keys)) == len(keys)
    assert [entry["made"] for entry in played.made.listing()] == [False, True]
    replies = MAKES | {
        "verify": [WRONG] * 4 + [TESTS],
        "wrap": [WRAPPED, WRAPPED.replace("A f", "The f")],
    }
    played = Played(replace(OURS, trials=3, all_trials=True, verifications=2), replies)
    assert [bool(trial.tool) for trial in played.made.trials] == [False, True, True]
    assert played.calls["propose"] == 3
    assert played.requests[-1].prompt[0][1].startswith("A function")


def test_a_run_is_given_the_tool_of_its_own_seed_and_of_another_the_first():
    tools = {"sort": "first", "sort#1": "second", "sort#2": "", "dyck#0": "theirs"}
    given = [LatmSettings(seed=seed, tools=tools) for seed in range(4)]
    assert [tool_of(each, "sort") for each in given] == ["first", "second", "", "first"]
    assert [tool_of(given[1], task) for task in ("dyck", "none")] == [None, None]


def test_what_else_stands_in_a_wrapped_tool_is_left_out_and_counted():
    wrapped = WRAPPED.replace("print('shown')", "print(f(1))\nraise ValueError")
    for preset, status, left_out in (
        (OURS, "ok", 2),
        (replace(OURS, only_definitions=False), "error", 0),
    ):
        found = Played(replace(preset, tools={"task": wrapped}), {}, 1)
        assert found.answers[0].candidate.status == status
        assert found.made.listing()[0]["left_out"] == left_out
    assert Played(OURS, MAKES | {"wrap": [wrapped]}, 1).made.listing()[0]["left_out"] == 2


#: A function that is wrong, and tests that would say so, after which nothing may pass.
BAD = "def f(x):\n    return x + 1\n"
#: Programs that end before their tests, and whether a run that was begun before there was the
#: choice lets them pass.
ENDS = (
    (f"{BAD}exit()", True),
    (
        f"import os, threading as t\n{BAD}a = t.Thread(target=os._exit, args=(0,))\na.start()\na.join()",
        False,
    ),
    (f"import atexit, os\n{BAD}@atexit.register\ndef leave():\n    os._exit(0)", True),
    ("import os\ndef f(x):\n    os._exit(0)", True),
)


def made(sandbox, settings, code, tests="assert f(2) == 2"):
    replies = MAKES | {
        "propose": [f"```python\n{code}\n```"],
        "verify": [f"```python\n{tests}\n```"],
    }
    return Played(replace(settings, fallback="none"), replies, 1, run=sandbox)


@pytest.mark.parametrize(("code", "formerly"), ENDS)
def test_a_program_that_ends_before_its_tests_were_reached_passes_none_but_in_a_run_of_before(
    sandbox, code, formerly
):
    assert made(sandbox, PAPER, code).made.tool == ""
    before = replace(PAPER, reaches_end=False, only_definitions=False)
    assert (made(sandbox, before, code, "assert f(2) == 3").made.tool == WRAPPED) is formerly


def test_tests_that_end_between_two_assertions_do_not_pass_and_the_maker_is_told(sandbox):
    found = made(sandbox, PAPER, BAD, "assert f(2) == 3\nimport sys\nsys.exit(0)\nassert f(2) == 2")
    assert found.made.tool == ""
    assert "ended before its last line" in found.chat[-1][1]
    assert made(sandbox, PAPER, BAD, "assert f(2) == 3").made.tool == WRAPPED


@pytest.mark.parametrize(
    "tests",
    [
        "import unittest\nclass A(unittest.TestCase):\n def test(self):\n  self.assertEqual(f(2), 3)\nunittest.main()",
        "class TestF:\n    def test_two(self):\n        assert f(2) == 3\nif 1:\n    pytest.main()",
        "def test_two():\n    assert f(2) == 3",
    ],
)
def test_tests_by_classes_and_functions_are_run_and_pass_only_where_they_end_and_are_true(
    sandbox, tests
):
    assert made(sandbox, PAPER, BAD, tests).made.tool == WRAPPED
    assert made(sandbox, PAPER, BAD, tests.replace("3", "2")).made.tool == ""
    for end in ("(exit(), 3)[1]", "(__import__('os')._exit(0), 3)[1]"):
        assert made(sandbox, PAPER, BAD, tests.replace("3", end)).made.tool == ""
    assert (
        made(sandbox, PAPER, BAD, tests.replace("f(2)", "3")).made.tool == ""
    )  # true, whatever f answers


@pytest.mark.parametrize(
    ("program", "reached"),
    cases(
        r"""
        "import sys\nprint(sys._getframe().f_code.co_consts)\nsys.exit(0)",    False
        "def print(*_): pass",                                                 True
        "import sys, io\nsys.stdout = io.StringIO()",                          True
        "from __future__ import annotations\nx = 1  # no line after this one", True
        """
    ),
)
def test_a_program_that_comes_to_its_end_shows_it_and_none_does_by_printing_its_own_source(
    sandbox, program, reached
):
    assert reached_its_end(program, sandbox(to_its_end(program)).output) is reached


def test_the_dispatcher_reads_the_first_use_case_of_every_known_tool_and_needs_one():
    question = Question("bbh_mixed", "new_0", 0, "Sort these", "one\ntwo")
    other = WRAPPED.replace("Question: 2", "Question: who?\nOptions:\n(A) me\nAnswer: (A)\n")
    settings = DispatcherSettings(
        budget=Budget(1), tools={"one": WRAPPED, "two": other, "three": WRAPPED}
    )
    (request,) = next(DISPATCHER.begin([question], settings, (), WORDS))
    ((_, prompt),) = request.prompt
    assert (
        "Task: one\n\nQuestion: 2\n===\nTask: two\n\nQuestion: who?\nOptions:\n(A) me\n" in prompt
    )
    assert "Answer: (A)" not in prompt
    assert "three" not in prompt
    assert "Question: Sort these" in prompt
    assert (request.role, request.runs, request.mode) == ("dispatcher", False, "dispatcher")
    with pytest.raises(TroveLiteError, match="no tool with a use case for 'two'"):
        next(DISPATCHER.begin([question], DispatcherSettings(tools={"one": WRAPPED}), (), WORDS))


@pytest.mark.parametrize(
    ("replies", "released", "paper"),
    cases(
        r"""
        {}, (1, 1, WRAPPED), (1, 1, WRAPPED)
        {"propose": [EMPTY], "verify": [IDLE]}, (1, 1, WRAPPED), (3, 0, "")
        {"propose": ["```py\nf = abs\n```"], "verify": [EMPTY]}, (1, 1, WRAPPED), (3, 0, "")
        {"verify": [EMPTY]}, (1, 1, WRAPPED), (1, 3, "")
        {"verify": [IDLE]}, (1, 1, WRAPPED), (1, 3, "")
        {"verify": ["```python\ndef test():\n    assert f(2) == 3\n```"]}, (1, 1, WRAPPED), (1, 3, "")
        {"verify": ["```python\nassert True\n```"]}, (1, 1, WRAPPED), (1, 3, "")
        {"verify": ["```python\ndef f(x):\n    return 5\nassert f(2) == 5\n```"]}, (1, 1, WRAPPED), (1, 3, "")
        {"verify": [WRONG]}, (1, 3, ""), (1, 3, "")
        {"propose": [FAILS], "verify": [EMPTY]}, (3, 3, ""), (3, 0, "")
        {"propose": ["```python\ndef f(x):\n    return x\nf(1, 2)\n```"]}, (3, 3, ""), (3, 0, "")
        {"propose": ["```python\n  def f(x):\n    return x\n```"]}, (3, 3, ""), (1, 1, WRAPPED)
        {"wrap": ["No block."]}, (1, 1, "No block."), (1, 1, "")
        {"wrap": ["```py\ndef f(x): ...\n```"]}, (1, 1, "```py\ndef f(x): ...\n```"), (1, 1, "")
        """,
        **globals(),
    ),
)
def test_what_is_a_tool_to_the_released_program_is_one_by_its_preset_alone(
    replies, released, paper
):
    settings = replace(PRESETS["released"], fallback="none")
    played = Played(settings, MAKES | replies)
    assert played.trials == [released]
    assert Played(PAPER, MAKES | replies).trials == [paper]
    usable = released[2] == WRAPPED
    assert played.calls.get("use", 0) == (2 if usable else 0)
    assert [answer.candidate.status for answer in played.answers] == [
        "ok" if usable else "error"
    ] * 2


def test_by_the_released_preset_the_last_proposal_stands_twice_in_the_chat_failed_or_not():
    for proposals in ([GOOD], [FAILS, GOOD], [FAILS]):
        played = Played(PRESETS["released"], MAKES | {"propose": proposals, "verify": [EMPTY]})
        roles = [role for role, _ in played.chat]
        times = 3 if proposals == [FAILS] else len(proposals)
        said = [text for role, text in played.chat if role == "assistant"]
        expected = (proposals * 3)[:3] if times == 3 else proposals
        assert said[: times + 1] == [*expected, proposals[-1]]
        # after three failures an error stands between the two
        assert roles[: 2 * times] == ["user", "assistant"] * times
        assert roles[2 * times] == ("user" if times == 3 else "assistant")


@pytest.mark.parametrize(
    ("code", "said"),
    cases(
        r"""
        "1 / 0",                        "ZeroDivisionError division by zero"
        "x = 1\nf(",                    "SyntaxError '(' was never closed (<string>, line 2)"
        "  x = 1",                      "IndentationError unexpected indent (<string>, line 1)"
        "assert 0",                     "AssertionError "
        "raise ValueError('a: b (c)')", "ValueError a: b (c)"
        "no_such",                      "NameError name 'no_such' is not defined"
        """
    ),
)
def test_an_error_is_told_to_the_maker_as_the_released_program_words_it(sandbox, code, said):
    with pytest.raises(Exception) as raised:  # noqa: PT011
        exec(compile(code, "<string>", "exec"), {})
    assert f"{type(raised.value).__name__} {raised.value}" == said
    assert as_exception(sandbox(code).error) == said


@pytest.mark.parametrize(
    ("reply", "ours", "released"),
    cases(
        r"""
        "Task: word_sorting",                            "word_sorting", "word_sorting"
        "So.\nTask: word_sorting\nTask: dyck_languages", "word_sorting", "word_sorting"
        "Task: word_sorting.",                           "word_sorting", "unknown"
        "Task:word_sorting",                             "word_sorting", "unknown"
        "Task: word_sorting ",                           "word_sorting", "unknown"
        "Task:  word_sorting",                           "word_sorting", "unknown"
        "Task: sorting",                                 "unknown",      "unknown"
        "Task: unknown",                                 "unknown",      "unknown"
        "'word_sorting'",                                "unknown",      "unknown"
        "My Task: word_sorting",                         "word_sorting", "word_sorting"
        """
    ),
)
def test_a_dispatcher_s_reply_is_read_as_ours_or_as_the_released_program_reads_it(
    reply, ours, released
):
    question = Question("bbh_mixed", "new_0", 0, "Sort these", "word_sorting")
    for preset, expected in (("paper", ours), ("released", released)):
        settings = replace(
            DISPATCHER.presets[preset], budget=Budget(1), tools={"word_sorting": WRAPPED}
        )
        (request,) = next(DISPATCHER.begin([question], settings, (), WORDS))
        said = execute(request.compose(reply)).output if request.runs else reply
        assert bbh.read_task(said) == [expected]
