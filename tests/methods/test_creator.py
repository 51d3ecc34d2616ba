"""PoT, Entangled, CREATOR, STANDARD and CoT: what they ask for on every path, played without model, driver or files."""

import pytest

from trove_lite.datasets.base import Question
from trove_lite.methods import load_method
from trove_lite.methods.base import Budget
from trove_lite.methods.creator import CreatorSettings
from trove_lite.methods.repair import RepairSettings

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
