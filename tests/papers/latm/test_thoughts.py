"""Chains of thought in a tool's place: what is asked of whom, which thoughts are kept, and how they
are shown."""

from dataclasses import replace

import pytest

from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.methods.base import Budget
from trove_lite.prompts import load_pack
from trove_lite_papers.latm.thoughts import MADE_COT, ends_in

from .playing import WORDS, Played, problems

THOUGHTS = [
    "It is three. So the answer is 3.",
    "I guess. So the answer is 77.",
    "So the answer is (5).",
]
REPLIES = {"think": THOUGHTS, "use": ["Four. So the answer is 4."]}


def played(**settings):
    return Played(
        replace(MADE_COT.presets["paper"], budget=Budget(1), **settings),
        REPLIES,
        4,
        method=MADE_COT,
    )


def test_the_maker_is_asked_three_questions_once_and_the_user_each_of_its_own():
    found = played()
    assert found.calls == {"think": 3, "use": 4}
    assert [answer.candidate.vote.answers for answer in found.answers] == [("4",)] * 4
    assert {(request.role, request.stage) for request in found.requests} == {
        ("maker", "think"),
        ("user", "use"),
    }
    prompt = found.requests[
        -1
    ].prompt  # thoughts stand before the question, in the form that it goes on from
    shown = [
        f"Q: What is {n + 3}?\nA: Let's think step by step. {text}"
        for n, text in enumerate(THOUGHTS)
    ]
    assert prompt == "\n\n".join([*shown, "Q: What is 3?\nA: Let's think step by step."])


@pytest.mark.parametrize(("kept", "shown", "labels"), [("all", 3, 0), ("right", 1, 3)])
def test_thoughts_may_have_to_be_right(kept, shown, labels):
    found = played(kept=kept)
    assert found.requests[-1].prompt.count("A: Let's think") == shown + 1
    (made,) = found.made.listing()
    assert (made["thoughts"], made["right"], made["labels"]) == (3, 1, labels)
    assert "77" not in made["tool"] or kept == "all"


def test_thoughts_of_another_maker_are_another_system_and_ask_no_maker():
    found = played(tools={"task": "Q: What?\nA: That."}, maker="big")
    assert found.calls == {"use": 4}
    assert found.requests[0].prompt.startswith("Q: What?\nA: That.\n\nQ: What is 0?")
    assert (
        replace(MADE_COT.presets["paper"], tools={"a": ""}, maker="big").table_name("made_cot")
        == "made_cot_of_big"
    )


@pytest.mark.parametrize(
    ("text", "gold", "right"),
    [
        ("The answer is A. No: the answer is (B).", "(B)", True),
        ("answer is ] ] >", "]]>", True),
        ("C", "B", False),
    ],
)
def test_a_thought_ends_in_what_it_says_last(text, gold, right):
    assert ends_in(text, gold) == right


def test_a_kind_of_keeping_that_is_none_and_no_labelled_problem_are_refused():
    with pytest.raises(TroveLiteError, match="kept 'best'"):
        played(kept="best")
    with pytest.raises(TroveLiteError, match="at least 1 labelled"):
        list(MADE_COT.begin([problems(1)[0].question], MADE_COT.presets["paper"], [], WORDS))


def test_released_chains_are_of_its_own_tasks_alone():
    with pytest.raises(TroveLiteError, match="no released chains of thought for data set 'math'"):
        load_pack("chain_of_thought", load_dataset("math"))
