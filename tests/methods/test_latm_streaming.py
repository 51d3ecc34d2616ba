"""LATM on unannounced tasks: when a tool is made, from what, and who answers before and after."""

from dataclasses import replace

import pytest

from trove_lite.datasets.base import Question
from trove_lite.errors import TroveLiteError
from trove_lite.methods.base import Budget
from trove_lite.methods.latm.streaming import STREAMING, StreamingSettings

from .test_latm import FAILS, GOOD, TESTS, WRAPPED, Played

MAKER = {"propose": [GOOD], "verify": [TESTS], "wrap": [WRAPPED], "solve": ["So the answer is 8."]}


def played(names, replies=MAKER, **settings):
    """A stream of which the dispatcher says these names, the first being asked nothing where nothing is known."""
    known = settings.get("tools")
    questions = [Question("bbh_stream", "all_0", n, f"What is {n}?") for n in range(len(names) + (not known))]
    chosen = replace(STREAMING.presets["paper"], budget=Budget(1), **settings)
    says = {"dispatch": [f"Task: {name}" for name in names]}
    return Played(chosen, replies | says, questions, method=STREAMING)


def test_after_six_questions_of_a_task_a_tool_is_made_and_used():
    found = played(["task 1"] * 8)
    assert found.calls == {"solve": 6, "dispatch": 8, "propose": 1, "verify": 1, "wrap": 1, "use": 3}
    (task,) = found.made.listing()
    assert (task["by_maker"], task["by_tool"], task["trials"]) == ([0, 1, 2, 3, 4, 5], [6, 7, 8], 1)
    assert task["tool"] == WRAPPED
    answers = [answer.candidate.vote.answers for answer in found.answers]
    assert answers == [("8",)] * 6 + [("7.5",)] * 3
    assert [answer.question.index for answer in found.answers] == list(range(9))


def test_the_maker_makes_it_from_what_it_answered_itself():
    (propose,) = (request for request in played(["task 1"] * 5).requests if request.stage == "propose")
    assert "Question: What is 0?\nAnswer: 8\n\nQuestion: What is 1?\nAnswer: 8" in propose.prompt[0][1]
    assert propose.question.index == 5


def test_a_task_that_is_new_is_kept_apart_from_then_on():
    found = played(["task 1", "unknown", "task 2", "task 1", "cooking"])
    assert [task["by_maker"] for task in found.made.listing()] == [[0, 1, 4], [2, 3], [5]]
    prompt = [request.prompt[0][1] for request in found.requests if request.stage == "dispatch"][-1]
    assert "Task: task 1\n\nQuestion: What is 0?\n===\nTask: task 2\n\nQuestion: What is 2?" in prompt


def test_a_tool_that_could_not_be_made_is_tried_again_after_as_many():
    found = played(["task 1"] * 5, MAKER | {"propose": [FAILS] * 3 + [GOOD]}, enough=2)
    assert found.calls == {"solve": 4, "dispatch": 5, "propose": 4, "verify": 1, "wrap": 1, "use": 2}
    assert found.made.listing()[0]["trials"] == 2


def test_tools_may_be_known_from_the_beginning():
    found = played(["known", "unknown"], tools={"known": WRAPPED, "failed": ""})
    assert [(task["name"], task["by_tool"], task["by_maker"]) for task in found.made.listing()] == [
        ("known", [0], []),
        ("task 2", [], [1]),
    ]
    with pytest.raises(TroveLiteError, match="no use case"):
        played(["known"], tools={"known": "no tool"})


def test_tools_of_several_seeds_are_one_task_s_with_the_run_s_own():
    own = WRAPPED.replace("A function", "My function")
    found = played(["sort"], tools={"sort": WRAPPED, "sort#0": own, "sort#1": WRAPPED, "dyck#1": ""})
    assert [(task["name"], task["tool"]) for task in found.made.listing()] == [("sort", own)]


def test_an_answer_that_cannot_be_read_is_no_example():
    found = played(["task 1"] * 3, MAKER | {"solve": ["", "So the answer is 8."]}, enough=2)
    assert found.made.listing()[0]["by_maker"] == [0, 1, 2]
    assert found.calls["use"] == 1


def test_one_question_makes_no_tool():
    with pytest.raises(TroveLiteError, match="enough 1"):
        StreamingSettings(enough=1)
