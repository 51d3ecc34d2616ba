"""The user: it is shown a wrapped tool and a question, and writes the call; how its answer is
found."""

import ast
import re
from contextlib import suppress
from functools import cache, partial
from importlib import resources

from trove_lite.methods.base import Attempt, Drawn, Question, Run, Words, as_asked, draw
from trove_lite.programs import NOT_PARSED, statements
from trove_lite.programs.definitions import DEFINITIONS

from .bbh import TASKS
from .maker import function_in
from .settings import PRIMITIVE, PROGRAM, RELEASED, LatmSettings

#: The modes of an answer by the tool, and of one by PRIMITIVE's prompt where there is none.
LATM_MODE = "latm"
FALLBACK = "fallback"
#: The tasks of the paper whose answers are no time slots.
OTHERS = {task for task in TASKS if task != "schedule_meeting"}
#: A user's block, which does not count before it is closed on a line of its own.
CLOSED_BLOCK = re.compile(r"\A(?>.*?```python\n)(.*?)\n```", re.DOTALL)
#: What a tool or a block prints on the way is no answer.
QUIET = "import io as _io, json as _json, sys as _sys; _printed, _sys.stdout = _sys.stdout, _io.StringIO()"
LOUD = "_sys.stdout = _printed"


def ask_user(question: Question, tool: str, settings: LatmSettings, words: Words) -> Drawn:
    """Candidates for one question with the wrapped tool; without one by `fallback`, or a program
    that fails.

    The fallback is asked and sampled as PRIMITIVE is in such a run, from the same seeds.
    """
    if tool and settings.reading == PROGRAM:
        code, left_out = function_in(tool, settings.only_definitions)
        how = {"values": {"tool": code}, "library": (code,), "left_out": left_out}
        attempt = Attempt(question, LATM_MODE, range(0), role="user", **how)
    elif tool and (settings.accepts != RELEASED or CLOSED_BLOCK.search(tool)):
        prompt = (("user", words("use", tool=tool, question=as_asked(question))),)
        read = partial(
            answering,
            tool,
            question.text,
            settings.reading,
            only_definitions=settings.only_definitions,
            slots=question.category not in OTHERS,
        )
        how = {
            "compose": read,
            "sampling": settings.of_user(max_tokens=settings.user_tokens, stop=()),
        }
        attempt = Attempt(
            question, "use", range(0), role="user", mode=LATM_MODE, prompt=prompt, **how
        )
    elif settings.fallback == PRIMITIVE:
        attempt = Attempt(question, PRIMITIVE, range(0), role="user", mode=FALLBACK)
    else:
        return (
            yield [
                Run(
                    question,
                    "use",
                    'raise LookupError("no tool was made for this task")',
                    mode=LATM_MODE,
                )
            ]
        )
    return (yield from draw({attempt.mode: attempt}, settings.budget))


def answering(
    tool: str,
    question: str,
    reading: str,
    reply: str,
    *,
    only_definitions: bool = False,
    slots: bool = True,
) -> str:
    """The program of a user's reply: the tool, the first closed block, and nothing printed but the
    answer. slots: whether two parts of an answer are a time slot, and None is that there is none.

    "" where no block is closed, as in a reply that was cut off.
    """
    block = CLOSED_BLOCK.search(reply)
    if not block:
        return ""
    if reading == RELEASED and not CLOSED_BLOCK.search(tool):  # there nothing runs
        return 'raise LookupError("the wrapped tool has no block of Python")'
    head = f"{QUIET}\n{function_in(tool, only_definitions)[0]}\n\n"
    if reading == RELEASED:
        listed = question.partition("Options:")[
            2
        ].strip()  # as released: all lines after the first such word
        options = listed.split("\n") if "Options:" in question else []
        found = f"_options, _variable, _slots = {options!r}, {last_match(block[1])!r}, {slots}"
        return f"{head}{block[1]}\n\n{found}\n{conversion()}"
    if (variable := last_assignment(block[1])) is None:
        return f"{head}{LOUD}\n{block[1]}"
    return f"{head}{block[1]}\n\n{LOUD}\nprint(globals()[{variable!r}])"


@cache
def conversion() -> str:
    """The code that prints the answer variable's value as the released program does:
    `convert_released.py`."""
    file = resources.files(__package__) / "convert_released.py"
    return file.read_text(encoding="utf-8").partition("\n\n")[2].strip()


def last_match(block: str) -> str:
    """The variable that the released program takes, from "ans" to " =" be it lines on; what is no
    variable fails."""
    found = ""
    end = 0
    while (start := block.find("ans", end)) >= 0 and (stop := block.find(" =", start + 3)) >= 0:
        found = block[start:stop]
        end = stop + 2
    return found


def last_assignment(block: str) -> str | None:
    """`ans` where it is assigned, else the last assigned global name that begins so; None where
    there is none."""
    names = []
    stack = []
    with suppress(*NOT_PARSED):
        stack = statements(block)[::-1]
    while stack:  # not by recursion: models write sums that are deeper than Python goes
        node = stack.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        if not isinstance(node, DEFINITIONS | ast.Lambda):
            stack += reversed(list(ast.iter_child_nodes(node)))
    return (
        "ans"
        if "ans" in names
        else next((name for name in reversed(names) if name.startswith("ans")), None)
    )
