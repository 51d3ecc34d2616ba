"""PRIMITIVE and INSTANCE: K programs a problem from one prompt, each problem by itself (TroVE, 2.2)."""

from collections.abc import Sequence
from functools import partial

from .base import Answer, Attempt, Method, Question, Settings, Steps, chosen, draw


def one_prompt(questions: Sequence[Question], settings: Settings, *, mode: str) -> Steps:
    """Sample the prompt of `mode` until the budget is met, and agree on an answer."""
    for question in questions:
        candidates = yield from draw({mode: Attempt(question, mode, range(0))}, settings.budget)
        yield Answer(question, chosen(question, candidates, settings))


#: Plain programs, with no tool but the libraries.
PRIMITIVE = Method("primitive", partial(one_prompt, mode="primitive"), modes=("primitive",), stages=("primitive",))
#: The same where prompts show worked examples of other tasks: here those of the task itself, which hold its tool.
SAME_TASK = "primitive_same_task"
PRIMITIVE_SAME_TASK = Method(SAME_TASK, partial(one_prompt, mode=SAME_TASK), modes=(SAME_TASK,), stages=(SAME_TASK,))
#: The prompt asks for functions made for this problem alone.
INSTANCE = Method("instance", partial(one_prompt, mode="instance"), modes=("instance",), stages=("instance",))
