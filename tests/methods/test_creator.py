"""PoT, Entangled, CREATOR, STANDARD and CoT: what they ask for on every path, played without model, driver or files."""

import itertools
from dataclasses import replace

import pytest

from trove_lite.datasets.base import Question
from trove_lite.errors import TroveLiteError
from trove_lite.methods import load_method
from trove_lite.methods.base import Answer, Attempt, Budget, Candidate, Settings
from trove_lite.methods.creator import CreatorSettings
from trove_lite.methods.repair import RepairSettings
from trove_lite.selection import Vote

from .playing import played

QUESTION = Question("math", "counting", 0, "How many?")


def play(method, settings, statuses):
    """Run one problem; `statuses` says how each program fares, by stage and round: all requests and the answers."""
    asked = []

    def sent_back(wanted):
        sent = []
        for request in wanted:
            assert isinstance(request, Attempt)
            for sample in request.samples:
                status = statuses(request.stage, request.round) if request.runs else None
                asked.append((request.stage, sample, request.round, status is not None, dict(request.values)))
                text = f"```python\n{request.stage} {sample} {request.round}\n```"
                vote = Vote(request.mode, status == "ok", ("1.0",) if status == "ok" else (), 1)
                error = "ZeroDivisionError: division by zero (line 1)" if status == "error" else ""
                sent.append(Candidate(request.mode, sample, text, (), vote, 10, status, "", error, request.stage, text))
        return sent

    return asked, played(load_method(method).steps([QUESTION], settings), sent_back)


def counts(asked):
    return len(asked), sum(ran for *_, ran, _ in asked)


def failing(stage, times):
    """Programs of this stage fail so many times, then run; of `whole`, an attempt's first program and its repairs."""

    def status(asked, round):
        chain = {"pot", "entangled", "decide", "rectify"} if stage == "whole" else {stage}
        place = round if asked != "creation" or stage == "creation" else -1
        return "error" if asked in chain and place < times else "ok"

    return status


@pytest.mark.parametrize("method", ["pot", "entangled"])
@pytest.mark.parametrize(("limit", "fails"), [*itertools.product((0, 1, 3), (0, 1, 2, 3, 9))])
def test_pot_spends_a_call_and_an_execution_a_program(method, limit, fails):
    settings = RepairSettings(budget=Budget(1), rectify=limit)
    asked, answers = play(method, settings, failing("whole", fails))
    assert counts(asked) == (1 + min(limit, fails), 1 + min(limit, fails))
    assert len(answers) == 1


@pytest.mark.parametrize(("retries", "broken", "fails"), [*itertools.product((0, 3), range(5), (0, 1, 2, 3, 9))])
def test_creator_spends_creations_a_decision_and_repairs(retries, broken, fails):
    """2 to 5 + R calls; with checks at most 3 of 4 creations are executed, for the last is used unchecked."""

    def status(stage, round):
        if stage == "creation":
            return "error" if round < broken else "ok"
        return "error" if round < fails else "ok"

    asked, _ = play("creator", CreatorSettings(budget=Budget(1), retries=retries), status)
    again = min(retries, broken)
    checks = 0 if not retries else again + (again < retries)
    repairs = min(3, fails)
    assert counts(asked) == (1 + again + 1 + repairs, checks + 1 + repairs)


@pytest.mark.parametrize(("isolated", "left_out"), [(True, 1), (False, 0)])
def test_the_decision_sees_the_tool_and_runs_after_it_and_a_repair_sees_both_with_the_error(isolated, left_out):
    """Isolated, only what the tool defines runs before the decision's program."""
    requests = []

    def status(stage, round):
        return "error" if stage == "decide" else "ok"

    steps = load_method("creator").steps([QUESTION], CreatorSettings(budget=Budget(1), isolated=isolated))
    sent = None
    while True:
        wanted = steps.send(sent)
        if isinstance(wanted, Answer):
            break
        (request,) = wanted
        requests.append(request)
        text = f"```python\ndef {request.stage}(): pass\n{request.stage}()\n```"
        ran = status(request.stage, 0) if request.runs else None
        vote = Vote("creator", ran == "ok", (), 0)
        sent = [Candidate("creator", 0, text, (), vote, 1, ran, "", "no such name", "", text)]
    creation, decision, repair = requests
    assert creation.mode == ""
    assert not creation.runs
    assert decision.library == ("def creation(): pass" + "\ncreation()" * (not isolated),)
    assert decision.left_out == left_out
    assert "creation()" in decision.values["tool"]
    assert "creation()" in repair.values["program"]
    assert "decide()" in repair.values["program"]
    assert repair.values["error"] == "no such name"
    assert repair.library == ()
    assert repair.round == 1


def test_a_sample_that_could_not_be_had_is_not_repaired():
    asked, _ = play("pot", RepairSettings(budget=Budget(1)), lambda *_: "unavailable")
    assert counts(asked) == (1, 1)


@pytest.mark.parametrize("calls", [1, 4, 15, 40])
@pytest.mark.parametrize("fails", [0, 2])
def test_attempts_are_the_first_whose_calls_reach_the_budget(calls, fails):
    asked, _ = play("pot", RepairSettings(budget=Budget(calls)), failing("whole", fails))
    each = 1 + fails
    assert len(asked) == -(-calls // each) * each
    assert {sample for _, sample, *_ in asked} == set(range(-(-calls // each)))


def test_attempts_by_tokens_stop_once_the_tokens_are_spent():
    settings = RepairSettings(budget=Budget(completion_tokens=95, most=20))
    asked, _ = play("pot", settings, failing("whole", 1))
    assert len(asked) == 10  # five attempts of two calls of ten tokens


@pytest.mark.parametrize("method", ["standard", "cot"])
def test_answers_in_words_run_nothing_and_are_candidates(method):
    asked, answers = play(method, Settings(budget=Budget(5)), lambda *_: "ok")
    assert counts(asked) == (5, 0)
    assert answers[0].candidate.mode == method


@pytest.mark.parametrize(("method", "fails"), [("pot", 0), ("pot", 2), ("creator", 3)])
def test_so_many_attempts_are_made_whatever_they_cost(method, fails):
    kind = CreatorSettings if method == "creator" else RepairSettings
    asked, _ = play(method, kind(budget=Budget(1), attempts=3), failing("whole", fails))
    assert len(asked) == 3 * (1 + fails + (method == "creator"))


@pytest.mark.parametrize(
    ("method", "stages"), [("pot", ("pot",)), ("entangled", ("entangled",)), ("creator", ("creation", "decide"))]
)
@pytest.mark.parametrize(
    ("way", "choice"), [("_bare", {"demonstrations": False}), ("_thoughts", {"thoughts": True}), ("", {})]
)
def test_each_way_to_ask_has_its_prompts_and_its_name_in_tables(method, stages, way, choice):
    settings = (CreatorSettings if method == "creator" else RepairSettings)(budget=Budget(1), **choice)
    asked, answers = play(method, settings, lambda stage, _: "ok" if stage.startswith("rectify") else "error")
    stages = {f"{stage}{way}" for stage in stages} | {"rectify_bare" if way == "_bare" else "rectify"}
    assert {stage for stage, *_ in asked} == stages
    assert stages <= set(load_method(method).stages)
    assert settings.table_name(method) == f"{method}{way}"
    assert [answer.candidate.mode for answer in answers] == [method]


@pytest.mark.parametrize("preset", ["paper", "released", "matched"])
@pytest.mark.parametrize("method", ["pot", "entangled", "creator"])
def test_one_call_a_problem_is_one_attempt_in_every_preset(method, preset):
    settings = replace(load_method(method).presets[preset], budget=Budget(1))
    asked, _ = play(method, settings, lambda *_: "ok")
    assert {sample for _, sample, *_ in asked} == {0}
    assert settings.rectify == 3
    assert getattr(settings, "retries", 0) == (3 if (method, preset) == ("creator", "released") else 0)


@pytest.mark.parametrize(
    ("kind", "choice", "why"),
    [
        (RepairSettings, {"rectify": -1}, "at least 0"),
        (CreatorSettings, {"retries": -1}, "at least 0"),
        (RepairSettings, {"attempts": 0}, "at least 1"),
        (RepairSettings, {"thoughts": True, "demonstrations": False}, "choose one"),
    ],
)
def test_settings_that_cannot_be_are_refused(kind, choice, why):
    with pytest.raises(TroveLiteError, match=why):
        kind(**choice)
