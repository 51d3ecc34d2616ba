"""The dispatcher: it says which task a question belongs to, shown a use case of each tool (LATM,
section 3.2)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from trove_lite.errors import TroveLiteError
from trove_lite.methods.base import Attempt, Method, Question, Settings, Steps, Words, settle

from . import bbh
from .made_tools import for_run
from .maker import USE_CASE
from .settings import RELEASED, tool_of

NAME = "dispatcher"
OURS = "ours"


@dataclass(frozen=True)
class DispatcherSettings(Settings):
    """The tools that the dispatcher knows."""

    tools: dict[str, str] = field(default_factory=dict)
    """Wrapped tools by the name of their task, or TASK#SEED."""
    reading: str = OURS
    """How a reply names a task. `ours`: by its first line that says one. `released`: as the released
    program reads it, to whom `Task: x.`, `Task:x` and a blank at the end are no task."""

    LIMITS = (("reading", (OURS, RELEASED)),)
    FORMERLY = (("reading", OURS),)


def dispatcher(questions: Sequence[Question], settings: DispatcherSettings, words: Words) -> Steps:
    """Ask which task a question belongs to, shown the first use case of each tool that its
    `context` lists.

    Raises TroveLiteError for a task without its tool.
    """
    how = {"temperature": 0.0, "max_tokens": 256} if settings.budget.calls == 1 else {}
    for question in questions:
        known = []
        for task in question.context.splitlines():
            case = USE_CASE.search(tool_of(settings, task) or "")
            if not case:
                raise TroveLiteError(
                    f"{NAME}: no tool with a use case for '{task}'; give one by the setting `tools`"
                )
            known.append(words("known", task=task, question=case[1].strip()))
        text = words("dispatch", known=words("between_known").join(known), question=question.text)
        asked = {
            "role": NAME,
            "mode": NAME,
            "prompt": (("user", text),),
            "runs": False,
            "sampling": how,
        }
        if settings.reading == RELEASED:
            asked |= {"runs": True, "compose": naming}
        yield from settle(Attempt(question, "dispatch", range(0), **asked), settings)


def named_as_released(reply: str) -> str:
    """The task that the released program takes a reply to name."""
    named = re.search("Task: (.*)", reply)
    return named[1] if named and named[1] in bbh.TASKS else bbh.UNKNOWN


def naming(reply: str) -> str:
    return f"print({f'Task: {named_as_released(reply)}'!r})"


STAGES = ("known", "between_known", "dispatch")
PRESETS = {
    "paper": DispatcherSettings(),
    "released": DispatcherSettings(reading=RELEASED),
}
DISPATCHER = Method(
    NAME, dispatcher, (NAME,), STAGES, PRESETS, speaks=True, program=None, elsewhere=for_run
)
