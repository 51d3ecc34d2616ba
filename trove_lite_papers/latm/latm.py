"""LATM: one model makes a tool for a task, once, and another uses it for every instance (LATM,
section 3).

The `maker` proposes a function from labelled problems, verifies it with tests on others, and wraps
it up with its use cases; the `user` is shown that text and a question, and writes the call. A tool
made elsewhere can be carried in.
"""

from collections.abc import Sequence

from trove_lite.datasets.base import Problem
from trove_lite.methods.base import Method, Question, Steps, Words, answer_all

from .made_tools import for_run
from .maker import MAKING, WRAPPED, Made, Trial, function_in, make_tool
from .settings import NONE, PRIMITIVE, PROGRAM, RELEASED, LatmSettings, tool_of
from .user import FALLBACK, LATM_MODE, ask_user


def latm(
    questions: Sequence[Question], settings: LatmSettings, examples: Sequence[Problem], words: Words
) -> Steps:
    """Make a tool for the questions' task, or take the one given, then use it on each; returns what
    was made."""
    if not questions:
        return Made((), 0)
    given = tool_of(settings, questions[0].category)
    if given is None:
        made = Made((yield from make_tool(questions[0], settings, examples, words)), len(examples))
    else:
        made = Made([Trial(0, 0, given, function_in(given, settings.only_definitions)[1])], 0)
    yield from answer_all(
        questions, lambda question: ask_user(question, made.tool, settings, words), settings
    )
    return made


AS_RELEASED = {
    "reaches_end": False,
    "only_definitions": False,
    "user_tokens": 256,
    "fallback": NONE,
    "accepts": RELEASED,
    "stops": False,
    "repeats": True,
}
OURS = {"reading": "ours", "use_cases": True}
PRESETS = {
    "paper": LatmSettings(),
    "released": LatmSettings(**AS_RELEASED),
    "ours": LatmSettings(**OURS),
}
HOW = {
    "speaks": True,
    "stream": True,
    "examples": True,
    "program": None,
    "elsewhere": for_run,
}
HOW |= {"played_by": {"verifier": "maker", "wrapper": "maker"}}


def asks(of: LatmSettings) -> tuple[str, ...]:
    user = LATM_MODE if of.reading == PROGRAM else "use"
    return (*MAKING, user, *WRAPPED * of.rewrap, *([PRIMITIVE] if of.fallback == PRIMITIVE else []))


STAGES = (*MAKING, "use", LATM_MODE, *WRAPPED, PRIMITIVE)
LATM = Method("latm", latm, (LATM_MODE, FALLBACK), STAGES, PRESETS, asks=asks, **HOW)
