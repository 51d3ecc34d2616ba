"""PoT, Entangled, CREATOR, STANDARD, CoT and tool use: what they ask for on every path, played without a model."""

import pytest

from trove_lite.datasets.base import Question
from trove_lite.methods import load_method
from trove_lite.methods.base import Budget, Run, as_begun
from trove_lite.methods.creator import CreatorSettings
from trove_lite.methods.repair import CUT, RepairSettings
from trove_lite.methods.tool_use import EVALUATOR, NOTHING, ToolUseSettings

from .playing import came_of, play

QUESTION = Question("math", "counting", 0, "How many?")


def play_attempts(method, settings, statuses):
    """Run one problem; `statuses` says how each program fares, by stage and round: all requests and the answers."""

    def reply(request, sample):
        status = statuses(request.stage, request.round) if request.runs else None
        text = f"```python\n{request.stage} {sample} {request.round}\n```"
        error = "ZeroDivisionError: division by zero (line 1)" if status == "error" else ""
        answers = ("1.0",) if status == "ok" else ()
        return came_of(request, sample, text, status, "", error, answers=answers, solution=text)

    asked, answers = play(load_method(method).steps([QUESTION], settings), reply)
    return [(r.stage, sample, r.round, r.runs, dict(r.values)) for r, sample in asked], answers


def counts(asked):
    return len(asked), sum(ran for *_, ran, _ in asked)


@pytest.mark.parametrize("retries", [0, 3])
@pytest.mark.parametrize("broken", range(5))
@pytest.mark.parametrize("fails", [0, 1, 3, 9])
def test_creator_spends_creations_a_decision_and_repairs(retries, broken, fails):
    """2 to 5 + R calls; with checks at most 3 of 4 creations are executed, for the last is used unchecked."""

    def status(stage, round):
        return "error" if round < (broken if stage == "creation" else fails) else "ok"

    asked, _ = play_attempts("creator", CreatorSettings(budget=Budget(1), retries=retries), status)
    again, repairs = min(retries, broken), min(3, fails)
    assert counts(asked) == (1 + again + 1 + repairs, again + (again < retries) + 1 + repairs)


@pytest.mark.parametrize(("isolated", "left_out"), [(True, 1), (False, 0)])
def test_the_decision_sees_the_tool_and_runs_after_it_and_a_repair_sees_both_with_the_error(isolated, left_out):
    def reply(request, sample):
        text = f"```python\ndef {request.stage}(): pass\n{request.stage}()\n```"
        status = ("error" if request.stage == "decide" else "ok") if request.runs else None
        return came_of(request, sample, text, status, "", "no such name", solution=text)

    steps = load_method("creator").steps([QUESTION], CreatorSettings(budget=Budget(1), isolated=isolated))
    creation, decision, repair = (request for request, _ in play(steps, reply)[0])
    assert (creation.mode, creation.runs) == ("", False)
    assert decision.library == ("def creation(): pass" + "\ncreation()" * (not isolated),)
    assert decision.left_out == left_out
    assert "creation()" in decision.values["tool"]
    assert all(f"{stage}()" in repair.values["program"] for stage in ("creation", "decide"))
    assert (repair.values["error"], repair.library, repair.round) == ("no such name", (), 1)


def test_each_way_to_ask_has_its_name_in_tables():
    names = [RepairSettings(**way).table_name("pot") for way in ({}, {"demonstrations": False}, {"thoughts": True})]
    assert names == ["pot", "pot_bare", "pot_thoughts"]
    assert RepairSettings(demonstrations=False).repair("rectify") == "rectify_bare"


@pytest.mark.parametrize("method", ["pot", "entangled", "creator"])
@pytest.mark.parametrize(
    ("end", "answers", "begun", "repairs"),
    [("", (), {}, 1), ("\n```", (), {}, 0), ("", ("1.0",), {}, 0), ("", (), {"cut_fails": False}, 0)],
)
def test_what_is_cut_off_and_prints_nothing_is_repaired_but_in_a_run_of_before(method, end, answers, begun, repairs):
    def reply(request, sample):
        first = request.stage in (method, "decide")
        text, more = ("```python\n# 1" + end, answers) if first else ("```python\n# 2\n```", ("2.0",))
        return came_of(request, sample, text, "ok" if request.runs else None, answers=more, solution=text)

    known = type(load_method(method).presets["paper"])
    asked, _ = play(load_method(method).steps([QUESTION], known(budget=Budget(1), **begun)), reply)
    found = [request for request, _ in asked if request.stage == "rectify"]
    assert [(r.values["error"], r.values["program"][-4:]) for r in found] == [(CUT, "\n```")] * repairs
    assert {request.wording for request in found} <= {"" if method == "pot" else "rectify_tool"}
    assert as_begun(known, {})["cut_fails"] is False


@pytest.mark.parametrize("method", ["pot", "entangled", "creator"])
def test_words_without_a_program_are_repaired_and_not_called_cut_off(method):
    def reply(request, sample):
        text = "The answer is 2."
        return came_of(request, sample, text, "no_code" if request.runs else None, solution=text)

    known = type(load_method(method).presets["paper"])
    asked, _ = play(load_method(method).steps([QUESTION], known(budget=Budget(1))), reply)
    assert {request.values["error"] for request, _ in asked if request.stage == "rectify"} == {""}


def test_a_sample_that_could_not_be_had_is_not_repaired():
    asked, _ = play_attempts("pot", RepairSettings(budget=Budget(1)), lambda *_: "unavailable")
    assert counts(asked) == (1, 1)


@pytest.mark.parametrize("calls", [1, 4, 15, 40])
@pytest.mark.parametrize("fails", [0, 2])
def test_attempts_are_the_first_whose_calls_reach_the_budget(calls, fails):
    asked, _ = play_attempts("pot", RepairSettings(budget=Budget(calls)), lambda _, n: "error" if n < fails else "ok")
    each = 1 + fails
    assert len(asked) == -(-calls // each) * each
    assert {sample for _, sample, *_ in asked} == set(range(-(-calls // each)))


def play_tool_use(reply, outcome=("ok", "Result: 7"), calls=2):
    """All requests of one problem whose first replies are `reply` and whose queries end in `outcome`."""

    def replied(request, sample):
        ran = outcome if isinstance(request, Run) else (None, "")
        return came_of(request, sample, reply, *ran, ok=True, answers=("7.0",))

    steps = load_method("tool_use").steps([QUESTION], ToolUseSettings(budget=Budget(calls)))
    return [request for request, _ in play(steps, replied)[0]]


@pytest.mark.parametrize("outcome", [("error", "Input: x"), ("timeout", ""), ("ok", " ")])
def test_a_query_that_fails_says_nothing(outcome):
    assert play_tool_use("QUERY: x", outcome)[-1].values["returned"] == NOTHING


def test_the_stand_in_computes_and_solves(box):
    queries = ["3*sqrt(16)/4", "solve 35 + 12*m = 17*m for m", "x^2 - 5x + 6 = 0", "x+y = 3 and x-y=1", "what is love?"]
    runs = box.run_many([EVALUATOR.format(query=query) for query in queries], progress=False)
    assert [run.status for run in runs] == ["ok", "ok", "ok", "ok", "error"]
    results = [run.output.partition("Result: ")[2].strip() for run in runs]
    assert results[:4] == ["3 = 3.00000000000000", "[{m: 7}]", "[{x: 2}, {x: 3}]", "[{x: 2, y: 1}]"]
