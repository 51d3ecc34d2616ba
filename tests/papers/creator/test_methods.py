"""PoT, Entangled, CREATOR, STANDARD, CoT and tool use: what they ask for on every path, played
without a model."""

from dataclasses import replace

import pytest

from trove_lite.datasets.base import Question
from trove_lite.methods import load_method
from trove_lite.methods.base import Budget, Run, as_begun
from trove_lite_papers.creator.creator import CreatorSettings
from trove_lite_papers.creator.fences import of_repair, of_tool_and_use, released_program
from trove_lite_papers.creator.repair import CUT, RepairSettings
from trove_lite_papers.creator.tool_use import EVALUATOR, NOTHING, ToolUseSettings

from ...cases import cases
from ...methods.playing import came_of, play

QUESTION = Question("math", "counting", 0, "How many?")


def play_attempts(method, settings, statuses):
    """All samples that are asked for of one problem; `statuses` says how each program fares, by
    stage and round."""

    def reply(request, sample):
        status = statuses(request.stage, request.round) if request.runs else None
        text = f"```python\n{request.stage} {sample} {request.round}\n```"
        return came_of(
            request,
            sample,
            text,
            status,
            answers=(("1.0",) if status == "ok" else ()),
            solution=text,
        )

    return play(load_method(method).steps([QUESTION], settings), reply)[0]


@pytest.mark.parametrize("retries", [0, 3])
@pytest.mark.parametrize("broken", range(5))
@pytest.mark.parametrize("fails", [0, 1, 3, 9])
def test_creator_spends_creations_a_decision_and_repairs(retries, broken, fails):
    """2 to 5 + R calls; with checks at most 3 of 4 creations are executed, for the last is used
    unchecked."""

    def status(stage, round):
        return "error" if round < (broken if stage == "creation" else fails) else "ok"

    asked = play_attempts("creator", CreatorSettings(budget=Budget(1), retries=retries), status)
    again = min(retries, broken)
    repairs = min(3, fails)
    assert len(asked) == 1 + again + 1 + repairs
    assert sum(request.runs for request, _ in asked) == again + (again < retries) + 1 + repairs


@pytest.mark.parametrize(("isolated", "left_out"), [(True, 1), (False, 0)])
def test_the_decision_sees_the_tool_and_runs_after_it_and_a_repair_sees_both_with_the_error(
    isolated, left_out
):
    def reply(request, sample):
        text = f"```python\ndef {request.stage}(): pass\n{request.stage}()\n```"
        status = ("error" if request.stage == "decide" else "ok") if request.runs else None
        return came_of(request, sample, text, status, "", "no such name", solution=text)

    steps = load_method("creator").steps(
        [QUESTION], CreatorSettings(budget=Budget(1), isolated=isolated)
    )
    creation, decision, repair = (request for request, _ in play(steps, reply)[0])
    assert (creation.mode, creation.runs) == ("", False)
    assert decision.library == ("def creation(): pass" + ("\ncreation()" if not isolated else ""),)
    assert decision.left_out == left_out
    assert "creation()" in decision.values["tool"]
    assert all(f"{stage}()" in repair.values["program"] for stage in ("creation", "decide"))
    assert (repair.values["error"], repair.library, repair.round) == ("no such name", (), 1)


def test_each_way_to_ask_has_its_name_in_tables():
    names = [
        RepairSettings(**way).table_name("pot")
        for way in ({}, {"demonstrations": False}, {"thoughts": True})
    ]
    assert names == ["pot", "pot_bare", "pot_thoughts"]
    assert RepairSettings(demonstrations=False).repair("rectify") == "rectify_bare"


CUT_OFF = "```python\n# 1"
ENDED = "```python\n# 1\n```"


@pytest.mark.parametrize("method", ["pot", "entangled", "creator"])
@pytest.mark.parametrize(
    ("text", "status", "answers", "begun", "errors"),
    cases(
        """
        CUT_OFF,            "ok",          (),       {},                   [CUT]
        CUT_OFF,            "ok",          (),       {"cut_fails": False}, []  # as in a run of before
        CUT_OFF,            "ok",          ("1.0",), {},                   []
        ENDED,              "ok",          (),       {},                   []
        "The answer is 2.", "no_code",     (),       {},                   [""]
        CUT_OFF,            "unavailable", (),       {},                   []
        """,
        CUT=CUT,
        CUT_OFF=CUT_OFF,
        ENDED=ENDED,
    ),
)
def test_what_is_cut_off_and_prints_nothing_is_repaired_and_so_are_words(
    method, text, status, answers, begun, errors
):
    def reply(request, sample):
        if request.stage in (method, "decide"):
            return came_of(request, sample, text, status, answers=answers, solution=text)
        return came_of(
            request, sample, ENDED, "ok" if request.runs else None, answers=("2.0",), solution=ENDED
        )

    known = type(load_method(method).presets["paper"])
    asked, _ = play(load_method(method).steps([QUESTION], known(budget=Budget(1), **begun)), reply)
    found = [request for request, _ in asked if request.stage == "rectify"]
    assert [request.values["error"] for request in found] == errors
    assert all(
        request.values["program"].endswith("\n```") == (text == CUT_OFF) for request in found
    )
    assert {request.wording for request in found} <= {"" if method == "pot" else "rectify_tool"}
    assert as_begun(known, {})["cut_fails"] is False


@pytest.mark.parametrize("calls", [1, 4, 15, 40])
@pytest.mark.parametrize("fails", [0, 2])
def test_attempts_are_the_first_whose_calls_reach_the_budget(calls, fails):
    asked = play_attempts(
        "pot", RepairSettings(budget=Budget(calls)), lambda _, n: "error" if n < fails else "ok"
    )
    each = 1 + fails
    assert len(asked) == -(-calls // each) * each
    assert {sample for _, sample in asked} == set(range(-(-calls // each)))


@pytest.mark.parametrize("outcome", [("error", "Input: x"), ("timeout", ""), ("ok", " ")])
def test_a_query_that_fails_says_nothing(outcome):
    def reply(request, sample):
        ran = outcome if isinstance(request, Run) else (None, "")
        return came_of(request, sample, "QUERY: x", *ran, ok=True, answers=("7.0",))

    asked, _ = play(
        load_method("tool_use").steps([QUESTION], ToolUseSettings(budget=Budget(2))), reply
    )
    assert asked[-1][0].values["returned"] == NOTHING


def test_the_stand_in_computes_and_solves(box):
    queries = [
        "3*sqrt(16)/4",
        "solve 35 + 12*m = 17*m for m",
        "x^2 - 5x + 6 = 0",
        "x+y = 3 and x-y=1",
        "what is love?",
    ]
    runs = box.run_many([EVALUATOR.format(query=query) for query in queries], progress=False)
    assert [run.status for run in runs] == ["ok", "ok", "ok", "ok", "error"]
    results = [run.output.partition("Result: ")[2].strip() for run in runs]
    assert results[:4] == ["3 = 3.00000000000000", "[{m: 7}]", "[{x: 2}, {x: 3}]", "[{x: 2, y: 1}]"]


@pytest.mark.parametrize(
    ("reply", "code"),
    cases(
        r"""
        "```python\nprint(1)\n```",                                  "print(1)"
        "```py\nprint(1)\n```",                                      ""
        "```Python\nprint(1)\n```",                                  ""
        "~~~python\nprint(1)\n~~~",                                  ""
        "```\nprint(1)\n```",                                        ""
        "print(1)",                                                  ""
        "```python\nprint(1)",                                       ""  # an open block
        "```python\nprint(1)\n```\n```python\nprint(2)",             ""
        "```python\nprint('```')\n```",                              "print('"  # a fence inside a string
        "So: ```python\nprint(1)\n``` and ```python\nprint(2)\n```", "print(1)\n\nprint(2)"
        "```py\nprint(1)\n```\n```python\nprint(2)\n```",            "print(2)"
        "```python3\nprint(1)\n```",                                 "print(1)"
        "```python\n```",                                            "pass"
        """
    ),
)
def test_the_released_reader_runs_blocks_labelled_python_alone(reply, code):
    assert released_program(reply) == code


def test_the_released_reader_fences_a_tool_its_use_and_words():
    assert of_tool_and_use("def f(): pass", "f()") == "def f(): pass\n\nf()"
    assert of_tool_and_use("```python\na = 1", "```python\na\n```") == "a = 1\n\na"
    assert of_repair("print(1)") == "print(1)"


@pytest.mark.parametrize(
    ("text", "of_creator", "of_pot"),
    cases(
        r"""
        "```python\nprint(1)\n```",     2, 1
        "print(1)",                     5, 1
        # 4 creations; then both are fenced once more, so that nothing runs, and nothing fails
        "```py\nprint(1)\n```",         5, 4
        "```Python\nprint(1)\n```",     5, 4
        "```\nprint(1)\n```",           5, 4
        "```python\nprint(1)",          5, 4  # closed for the decision
        "~~~python\nprint(1)\n~~~",     8, 4  # and 3 repairs
        "```python\nprint('```')\n```", 8, 4  # a fence inside a string
        """
    ),
)
@pytest.mark.parametrize("method", ["creator", "pot", "entangled"])
def test_a_fence_costs_calls_where_the_released_program_does_not_know_it(
    method, text, of_creator, of_pot
):
    def reply(request, sample):
        read = request.compose or (lambda _: "print(1)")
        code = read(text)
        status = ("ok" if _runs(code) else "error" if code else "no_code") if request.runs else None
        return came_of(request, sample, text, status, answers=("1.0",), solution=text)

    def calls(preset: str) -> int:
        settings = replace(load_method(method).presets[preset], budget=Budget(1))
        return len(play(load_method(method).steps([QUESTION], settings), reply)[0])

    assert calls("paper") == 1 + (method == "creator")
    assert calls("released") == (of_creator if method == "creator" else of_pot)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```py\nprint(1)\n```", "No code found"),
        ("```python\nprint(1)", "Unknown error in running subprocess"),
    ],
)
def test_a_repair_is_told_what_the_released_program_says_where_nothing_ran(text, said):
    def reply(request, sample):
        return came_of(request, sample, text, "no_code", answers=(), solution=text)

    for preset, error in (("paper", ""), ("released", said)):
        settings = replace(load_method("pot").presets[preset], budget=Budget(1), cut_fails=False)
        asked, _ = play(load_method("pot").steps([QUESTION], settings), reply)
        assert asked[-1][0].values["error"] == error


def _runs(program: str) -> bool:
    try:
        compile(program, "", "exec")
    except SyntaxError:
        return False
    return bool(program)
