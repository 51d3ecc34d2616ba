"""LATM's user: how its answers are found, and the released transcripts, played again."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.datasets.base import Question
from trove_lite.programs import program_of
from trove_lite.programs.parse import parse_completion
from trove_lite.running.settings import RunSettings
from trove_lite_papers.latm import bbh
from trove_lite_papers.latm.maker import compose_trial
from trove_lite_papers.latm.user import answering, ask_user
from trove_lite_papers.latm.verifier import names_defined, only_tests

from ...cases import cases
from ...conftest import skip_without
from .playing import (
    EMPTY,
    GOOD,
    OPTIONS,
    OURS,
    PAPER,
    WORDS,
    WRAPPED,
    Played,
    answer,
    execute,
    problems,
)


@pytest.mark.parametrize("reading", ["released", "ours"])
def test_a_reply_cut_off_before_its_block_is_closed_is_no_program(reading):
    for reply in ("```python\nans = f(1", "```python\nans = f(1)```", EMPTY):
        assert answering(WRAPPED, "What?", reading, reply) == ""


def test_by_the_pack_one_factor_the_tool_is_at_hand_and_its_use_cases_are_not_shown():
    own = RunSettings(methods=("latm",), dataset="bbh", prompts="one-factor").of("latm", 0)
    (asked,) = next(ask_user(problems(1)[0].question, WRAPPED, own, None))
    assert (asked.stage, asked.prompt, asked.sampling) == ("latm", None, {})
    assert asked.library == (asked.values["tool"],) == ("def f(x):\n    return x",)


@pytest.mark.parametrize("reading", ["released", "ours"])
@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet="ans =1()[]:\n'\"`python{}\ud800", max_size=80))
def test_no_reply_is_too_strange(reading, text):
    for reply in (text, f"```python\n{text}\n```"):
        assert isinstance(answering(WRAPPED, OPTIONS, reading, reply), str)
        assert isinstance(compose_trial("", reply), str)
        assert isinstance(only_tests(GOOD, reply), str)
        assert isinstance(names_defined(reply), set)


@pytest.mark.parametrize(
    "block", [f"ans = {'-' * 5000}1", f"ans = {'+'.join(['1'] * 900)}", f"ans = {'(' * 500}"]
)
def test_no_depth_of_a_reply_ends_a_run(block):
    assert answering(WRAPPED, "What?", "ours", f"```python\n{block}\n```")


@pytest.mark.parametrize(
    ("block", "question", "released", "ours"),
    cases(
        r"""
        "ans = 'B'",                          OPTIONS, "(B)", "(B)"
        "ans = 2",                            OPTIONS, "(B)", "(B)"
        "ans = 'The quail is the leftmost'",  OPTIONS, "(B)", "(B)"
        "ans = 'quail'",                      OPTIONS, "(B)", "(B)"
        "ans = 'zebra'",                      OPTIONS, "zebra", "zebra"
        "ans = None",                         "", "No time slot works.", "No time slot works."
        "ans = ('10:30', '12:00')",           "", "10:30 - 12:00", "10:30 - 12:00"
        "ans1 = 12\nans2 = 13",               "", "13", "13"
        "transactions = 3\nans = 14",         "", "14", "14"
        "answer = 14",                        "", "14", "14"
        "print('loud')\nans = 14",            "", "14", "14"
        "ans = f(",                           "", "error", "error"
        "ans=14",                             "", "error", "14"
        "# the answer is\nans = 14",          "", "error", "14"
        "ans = 14\ntransactions = 3",         "", "error", "14"
        "def g():\n    ans3 = 33\n    return ans3\nans2 = 14\nif True:\n    ans1 = g()", "", "33", "33"
        "ans = 7",                            "", "(G)", "7"
        "ans = True",                         "", "(A)", "True"
        "ans = 1.0",                          "", "(A)", "1"
        "ans = '9:30 - 10:00'",               "", "9:30 - 10:00", "09:30 - 10:00"
        "ans = 'leftmost'",                   OPTIONS, "(A)", "leftmost"
        "ans = 'QUAIL'",                      OPTIONS, "QUAIL", "(B)"
        "ans = 2.5",                          OPTIONS, "error", "2.5"
        "ans = 'No'", "Which?\nOptions:\n- Yes\n- No", "-", "No"  # any line after "Options:"
        "ans = 'owl'", "Which?\nOptions:\n(K) a hen\n(L) an owl", "(L)", "owl"
        "ans = 'owl'", "Which?\nOptions:\nA hen\nB owl", "(B)", "owl"
        """,
        OPTIONS=OPTIONS,
    ),
)
def test_the_readings_agree_and_differ(block, question, released, ours):
    assert (answer("released", block, question), answer("ours", block, question)) == (
        released,
        ours,
    )


@pytest.mark.parametrize(
    ("block", "question", "elsewhere"),
    cases(
        """
        "ans = None",       "",      "None"
        "ans = ('a', 'b')", "",      "('a', 'b')"
        "ans = ['a', 'b']", "",      "error"
        "ans = ['a', 'b']", OPTIONS, "error"
        "ans = ()",         "",      "()"
        "ans = 'quail'",    OPTIONS, "(B)"
        """,
        OPTIONS=OPTIONS,
    ),
)
def test_only_schedule_has_time_slots_as_in_the_released_program(block, question, elsewhere):
    program = answering(GOOD, question, "released", f"```python\n{block}\n```", slots=False)
    ended = execute(program)
    assert (bbh.read(ended.output)[0] if ended.status == "ok" else ended.status) == elsewhere


@pytest.mark.parametrize(
    ("category", "slots"), [("schedule_meeting", True), ("word_sorting", False), ("mine", True)]
)
def test_the_user_of_another_task_of_the_paper_has_no_slots(category, slots):
    question = Question("bbh", category, 0, "What?")
    (request,) = next(ask_user(question, WRAPPED, PAPER, WORDS))
    assert f", {slots}\n" in request.compose("```python\nans = None\n```")


@pytest.fixture(scope="session")
def transcripts():
    """The released chats by task; skips where the data folder does not hold them."""
    skip_without("bbh")
    paths = {path.stem: path for path in skip_without("latm", ".json")}
    return {
        category: json.loads(paths[stem].read_text(encoding="utf-8"))
        for category, stem in bbh.FILES.items()
    }


def turns(chat):
    """A maker's replies: the doubled turn once."""
    texts = [turn["content"] for turn in chat if turn["role"] == "assistant"]
    return [text for place, text in enumerate(texts) if place == 0 or text != texts[place - 1]]


@pytest.mark.parametrize("preset", [PAPER, OURS])
@pytest.mark.parametrize("category", bbh.FILES)
def test_released_transcripts_played_again_take_the_calls_that_they_took(
    transcripts, sandbox, preset, category
):
    *proposals, tests, wrapped = turns(transcripts[category])
    replies = {"propose": proposals, "verify": [tests], "wrap": [wrapped]}
    played = Played(preset, replies, questions=1, run=sandbox, examples=bbh.BBH.examples(category))
    expected = 5 if category == "dyck_languages" else 3
    assert sum(played.calls.values()) - played.calls["use"] == expected
    assert played.made.tool == wrapped


@pytest.mark.parametrize("category", bbh.FILES)
@pytest.mark.parametrize("reading", ["released", "ours"])
def test_released_use_cases_give_the_gold_answers(transcripts, sandbox, category, reading):
    wrapped = turns(transcripts[category])[-1]
    cases = wrapped.split("Question: ")[1:]
    for problem, case in zip(bbh.BBH.examples(category)[3:], cases, strict=True):
        ended = sandbox(answering(wrapped, problem.question.text, reading, case))
        assert bbh.BBH.answers(ended.output, problem.question) == [problem.gold]


def test_imports_before_a_solution_are_tools_where_their_heading_is_left_out():
    reply = "Let us begin.\n```python\nimport sympy\n```\n\n**Solution**\n```python\nprint(sympy.pi)\n```"
    parsed = parse_completion(reply, "strict", isolated=True)
    assert program_of(parsed.solution, parsed.code) == "import sympy\n\nprint(sympy.pi)"
