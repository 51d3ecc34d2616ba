"""PRIMITIVE and INSTANCE: K programs a problem from one prompt, each problem by itself (TroVE, 2.2)."""

from collections.abc import Sequence

from .base import Answer, Attempt, Question, Settings, Steps, chosen, draw


def primitive(questions: Sequence[Question], settings: Settings, mode: str = "primitive") -> Steps:
    """K programs a problem from one prompt, each problem by itself."""
    for question in questions:
        candidates = yield from draw({mode: Attempt(question, mode, range(0))}, settings.budget)
        yield Answer(question, chosen(question, candidates, settings))


def instance(questions: Sequence[Question], settings: Settings) -> Steps:
    """The same with the prompt that asks for functions made for this problem alone (TroVE, 2.2)."""
    return primitive(questions, settings, "instance")
