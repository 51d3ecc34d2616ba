"""Answers without a program: STANDARD says the answer, CoT thinks before it (CREATOR, 4.1: Vanilla)."""

from collections.abc import Sequence
from functools import partial

from .base import Answer, Attempt, Method, Question, Settings, Steps, chosen, draw


def in_words(questions: Sequence[Question], settings: Settings, *, mode: str) -> Steps:
    """Sample the prompt of `mode` until the budget is met, and agree on what the texts say at their end."""
    for question in questions:
        candidates = yield from draw({mode: Attempt(question, mode, range(0), runs=False, mode=mode)}, settings.budget)
        yield Answer(question, chosen(question, candidates, settings))


STANDARD = Method(
    "standard", partial(in_words, mode="standard"), modes=("standard",), stages=("standard",), program=None
)
COT = Method("cot", partial(in_words, mode="cot"), modes=("cot",), stages=("cot",), program=None)
