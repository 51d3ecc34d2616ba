"""LATM: what it asks for on every path, how answers are found, and the released transcripts, played again."""

import contextlib
import io
import json
import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.datasets import bbh
from trove_lite.datasets.base import Problem, Question
from trove_lite.datasets.files import public_paths
from trove_lite.errors import TroveLiteError
from trove_lite.methods.base import Answer, Attempt, Budget, Candidate
from trove_lite.methods.latm import LATM, LatmSettings, answering, defined
from trove_lite.methods.latm.chats import AT_ONCE
from trove_lite.methods.latm.dispatcher import DISPATCHER, DispatcherSettings
from trove_lite.methods.latm.maker import Trial, composed
from trove_lite.methods.latm.proof import only_tests
from trove_lite.prompts import load_pack
from trove_lite.sandbox import Execution, Sandbox
from trove_lite.selection import Vote

WORDS = load_pack("own", bbh.BBH).say
OPTIONS = "Which is it?\nOptions:\n(A) The owl is the leftmost\n(B) The quail is the leftmost"
GOOD, FAILS = "```python\ndef f(x):\n    return x\nprint('shown')\n```", "```python\nf(\n```"
TESTS, WRONG = "```python\nret = f(2)\nans = ret\nassert ans == 2\n```", "```python\nassert f(2) == 3\n```"
EMPTY, IDLE = "I cannot do that.", "```python\nret = 2\nprint(ret)\n```"
WRAPPED = f"A function:\n{GOOD}\n\nUse cases:\nQuestion: 2\nSolution:\n```python\nret = f(2)\nans = ret\n```"
PLAIN = "```python\nprint(8.5)\n```"
USES = "Solution:\n```python\nans = f(7.5)\n```\n\nQuestion: another"


def execute(program):
    """Run a program of these tests in this process."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            exec(program, {})
    except Exception as error:
        return Execution("error", "", False, f"{type(error).__name__}: {error}", 0.0, 0.0)
    return Execution("ok", printed.getvalue(), False, "", 0.0, 0.0)


def problems(n, category="task"):
    return [Problem(Question("bbh", category, i, f"What is {i}?"), str(i)) for i in range(n)]


class Played:
    """A run of the method on scripted replies (by stage, the last of a stage for good), programs run for real."""

    def __init__(self, settings, replies, questions=2, run=execute, examples=None, method=LATM, words=WORDS):
        replies = {stage: list(texts) for stage, texts in ({"use": [USES], "primitive": [PLAIN]} | replies).items()}
        self.requests, self.answers, self.widths, self.replies = [], [], [], []
        asked = [p.question for p in problems(questions)] if isinstance(questions, int) else questions
        steps = method.begin(asked, settings, examples or problems(6), words)
        sent = None
        while True:
            try:
                wanted = steps.send(sent)
            except StopIteration as end:
                self.made = end.value
                return
            sent = None
            if isinstance(wanted, Answer):
                self.answers.append(wanted)
                continue
            self.widths.append(len(wanted))
            self.requests += wanted
            sent = [self.answer(request, replies, run) for request in wanted for _ in getattr(request, "samples", "1")]

    def answer(self, request, replies, run):
        if isinstance(request, Attempt):
            texts = replies[request.stage]
            text = texts.pop(0) if len(texts) > 1 else texts[0]
            compose = request.compose or request.program
            program = compose(text) if request.runs else None
        else:
            text, program = "", request.program
        self.replies.append(text)
        status, output, error = None, "", ""
        if request.mode and not getattr(request, "runs", True):
            status, output = "ok", text
        elif program is not None and not program.strip():
            status = "no_code"
        elif program is not None:
            ended = run(program)
            status, output, error = ended.status, ended.output, ended.error
        answers = tuple(bbh.read(output)) if status == "ok" else ()
        vote = Vote(request.mode or request.stage, status == "ok", answers, 1)
        return Candidate(vote.mode, 0, text, (), vote, 10, status, output, error, request.stage)

    @property
    def trials(self):
        """The trials, but for what was left out of their tools."""
        return tuple(trial._replace(left_out=0) for trial in self.made.trials)

    @property
    def calls(self):
        """Calls by stage."""
        return dict(Counter(request.stage for request in self.requests if isinstance(request, Attempt)))

    @property
    def chat(self):
        """The chat that was sent last to the maker."""
        return [request.prompt for request in self.requests if getattr(request, "role", "user") != "user"][-1]


RELEASED, PAPER, OURS = (LATM.presets[name] for name in ("released", "paper", "ours"))


@pytest.fixture(params=["released", "paper", "ours"])
def preset(request):
    return replace(LATM.presets[request.param], budget=Budget(1))


def once(settings, **changes):
    return replace(settings, budget=Budget(1), **changes)


# ---- the maker ----


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


def test_the_function_stays_though_tests_write_it_again():
    again = "```python\ndef f(x):\n    return 2\n\nassert f(5) == 2\n```"
    replies = {"propose": [GOOD], "verify": [again, TESTS], "wrap": [WRAPPED]}
    assert Played(once(OURS), replies).trials == (Trial(1, 2, WRAPPED),)
    assert Played(once(RELEASED), replies).trials == (Trial(1, 1, WRAPPED),)
    repeated = "```python\ndef f(x):\n    return x\n\nassert f(5) == 5\n```"
    assert Played(once(OURS), replies | {"verify": [repeated]}).trials == (Trial(1, 1, WRAPPED),)


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


def test_labels_are_counted():
    played = Played(once(PAPER), {"propose": [FAILS]})
    assert played.made.labels == 6
    with pytest.raises(TroveLiteError, match="at least 2 labelled problems"):
        Played(once(PAPER), {"propose": [FAILS]}, examples=problems(1))


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


def test_a_tool_of_another_maker_is_another_system():
    assert LatmSettings(tools={"task": WRAPPED}, maker="GPT-4").table_name("latm") == "latm_of_GPT-4"
    assert LatmSettings().table_name("latm") == "latm"


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


def test_instances_are_asked_for_together():
    replies = {"propose": [GOOD], "verify": [TESTS], "wrap": [WRAPPED]}
    played = Played(once(PAPER), replies, questions=AT_ONCE + 3)
    assert played.widths == [1, 1, 1, 1, AT_ONCE, 3]
    assert [answer.question.index for answer in played.answers] == list(range(AT_ONCE + 3))


# ---- the user ----


def answer(reading, block, question="What?"):
    """What is read of a user's block, or how its program failed."""
    program = answering(GOOD, question, reading, f"```python\n{block}\n```")
    ended = execute(program)
    return bbh.read(ended.output)[0] if ended.status == "ok" else ended.status


def test_a_reply_cut_off_before_its_block_is_closed_is_no_program(preset):
    for reply in ("```python\nans = f(1", "```python\nans = f(1)```", EMPTY):
        assert answering(WRAPPED, "What?", preset.reading, reply) == ""
    played = Played(once(preset, tools={"task": WRAPPED}), {"use": ["```python\nans = f(1"]})
    assert [found.candidate.status for found in played.answers] == ["no_code", "no_code"]


@pytest.mark.parametrize("reading", ["released", "ours"])
@settings(max_examples=200, deadline=None)
@given(text=st.text(alphabet="ans =1()[]:\n'\"`python{}\ud800", max_size=80))
def test_no_reply_is_too_strange(reading, text):
    for reply in (text, f"```python\n{text}\n```"):
        assert isinstance(answering(WRAPPED, OPTIONS, reading, reply), str)
        assert isinstance(composed("", False, reply), str)
        assert isinstance(only_tests(GOOD, reply), str)
        assert isinstance(defined(reply), set)


@pytest.mark.parametrize("block", [f"ans = {'-' * 5000}1", f"ans = {'+'.join(['1'] * 900)}", f"ans = {'(' * 500}"])
def test_no_depth_of_a_reply_ends_a_run(block):
    assert answering(WRAPPED, "What?", "ours", f"```python\n{block}\n```")


@pytest.mark.parametrize("reading", ["released", "ours"])
@pytest.mark.parametrize(
    ("block", "question", "expected"),
    [
        ("ans = 'B'", OPTIONS, "(B)"),
        ("ans = '(B)'", OPTIONS, "(B)"),
        ("ans = 2", OPTIONS, "(B)"),
        ("ans = 'The quail is the leftmost'", OPTIONS, "(B)"),
        ("ans = 'quail'", OPTIONS, "(B)"),
        ("ans = 'zebra'", OPTIONS, "zebra"),
        ("ans = ']]>'", "", "]]>"),
        ("ans = 'bee cat'", "", "bee cat"),
        ("ans = 14687", "", "14687"),
        ("ans = None", "", "No time slot works."),
        ("ans = ('10:30', '12:00')", "", "10:30 - 12:00"),
        ("ans = ['10:30', '12:00', '13:00']", "", "10:30 - 12:00"),
        ("ans = '10:30 - 12:00'", "", "10:30 - 12:00"),
        ("transactions = 3\nans = 14", "", "14"),
        ("ret = f(14)\nanswer = ret", "", "14"),
        ("ans1 = 12\nans2 = 13", "", "13"),
        ("print('loud')\nans = 14", "", "14"),
        ("ans = f(", "", "error"),
    ],
)
def test_both_readings_agree_on(reading, block, question, expected):
    assert answer(reading, block, question) == expected


@pytest.mark.parametrize(
    ("block", "question", "released", "ours"),
    [
        ("ans=14", "", "error", "14"),
        ("# the answer is\nans = 14", "", "error", "14"),
        ("ans = 14\ntransactions = 3", "", "error", "14"),
        ("ans = 14\nans2 = 15", "", "15", "14"),
        ("def g():\n    ans3 = 33\n    return ans3\nans2 = 14\nif True:\n    ans1 = g()", "", "33", "33"),
        ("def g():\n    ans = 3\n    return ans\nans2=14", "", "error", "14"),
        ("print(14)", "", "error", "14"),
        ("ans = 7", "", "(G)", "7"),
        ("ans = True", "", "(A)", "True"),
        ("ans = 1.0", "", "(A)", "1"),
        ("ans = 14687.0", "", "14687.0", "14687"),
        ("ans = '] ]'", "", "] ]", "]]"),
        ("ans = 'No time slot works'", "", "No time slot works", "No time slot works."),
        ("ans = '9:30 - 10:00'", "", "9:30 - 10:00", "09:30 - 10:00"),
        ("ans = ''", OPTIONS, "(A)", None),
        ("ans = 'leftmost'", OPTIONS, "(A)", "leftmost"),
        ("ans = 'QUAIL'", OPTIONS, "QUAIL", "(B)"),
        ("ans = 2.5", OPTIONS, "error", "2.5"),
    ],
)
def test_the_readings_differ_on(block, question, released, ours):
    assert answer("released", block, question) == released
    if ours is not None:
        assert answer("ours", block, question) == ours


# ---- what was released ----


@pytest.fixture(scope="session")
def transcripts():
    """The released chats by task; skips where the data folder does not hold them."""
    paths = {path.stem: path for path in public_paths("latm", ".json")}
    if not all(path.is_file() for path in (*paths.values(), *public_paths("bbh"))):
        pytest.skip("the data folder holds no LATM tools: run `trove-lite fetch latm` or set TROVE_LITE_DATA")
    return {category: json.loads(paths[stem].read_text(encoding="utf-8")) for category, stem in bbh.FILES.items()}


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(1, time_limit=60) as sandbox:
        yield lambda program: sandbox.run_many([program], progress=False)[0]


def turns(chat):
    """A maker's replies: the doubled turn once."""
    texts = [turn["content"] for turn in chat if turn["role"] == "assistant"]
    return [text for place, text in enumerate(texts) if place == 0 or text != texts[place - 1]]


@pytest.mark.parametrize("category", bbh.FILES)
def test_released_transcripts_played_again_take_the_calls_that_they_took(transcripts, sandbox, preset, category):
    *proposals, tests, wrapped = turns(transcripts[category])
    replies = {"propose": proposals, "verify": [tests], "wrap": [wrapped]}
    played = Played(preset, replies, questions=1, run=sandbox, examples=bbh.BBH.examples(category))
    expected = 5 if category == "dyck_languages" else 3
    assert sum(played.calls.values()) - played.calls["use"] == expected
    assert played.made.tool == wrapped
    if preset.doubled:
        assert [role for role, _ in played.chat] == [turn["role"] for turn in transcripts[category][:-1]]


@pytest.mark.parametrize("category", bbh.FILES)
@pytest.mark.parametrize("reading", ["released", "ours"])
def test_released_use_cases_give_the_gold_answers(transcripts, sandbox, category, reading):
    wrapped = turns(transcripts[category])[-1]
    cases = wrapped.split("Question: ")[1:]
    for problem, case in zip(bbh.BBH.examples(category)[3:], cases, strict=True):
        ended = sandbox(answering(wrapped, problem.question.text, reading, case))
        assert bbh.read(ended.output) == [problem.gold]


# ---- the dispatcher ----


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


def test_a_maker_and_a_user_read_what_is_asked_about_before_the_question_and_whole_numbers_as_such():
    asked = Question("tabmwp", "task", 10, "How many?", "| a |\n| --- |\n| 3 |")
    examples = [Problem(asked._replace(index=n), 3.0) for n in range(6)]
    played = Played(once(OURS), {"propose": [GOOD], "verify": [TESTS], "wrap": [WRAPPED]}, [asked], examples=examples)
    assert "Question: | a |\n| --- |\n| 3 |\n\nHow many?\nAnswer: 3\n" in played.requests[0].prompt[0][1]
    assert played.requests[-1].prompt[0][1].endswith("Question: | a |\n| --- |\n| 3 |\n\nHow many?")
    assert played.answers[0].candidate.vote.answers == ("7.5",)
