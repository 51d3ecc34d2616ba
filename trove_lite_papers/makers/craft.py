"""CRAFT: a toolset made once, from labelled problems, and looked up for each question (arXiv 2309.17428).

A labelled problem gives a tool where a program with it prints the gold answer, and does so again once the tool is made
general. Of tools with one name the first stays. For a question the model names what it would like, and the prompt lists
the tools with the most votes of three lookups. Stand-ins: lookups are by a likeness of words, where the paper has
embeddings; an answer is a program with its tools at hand, as TROVE's is, where the paper has CREATOR's two replies.
"""

import re
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from trove_lite.datasets.base import Problem
from trove_lite.methods.base import Attempt, Drawn, Method, Question, Steps, answer_all, draw
from trove_lite.programs import Tool, whole_program
from trove_lite.programs.parse import isolated_tools

from .labelled import Toolset, answers_with, labelled, request
from .lookup import LookupSettings

#: A name such as a function has: words with underscores between them.
NAMES = re.compile(r"(?<!\w)[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?!\w)")


@dataclass(frozen=True)
class CraftSettings(LookupSettings):
    """CRAFT's settings, as others report them; not checked against the paper."""

    by_question: int = 10
    """Tools looked up by the question."""
    by_name: int = 5
    """Tools looked up by each name that the model proposes."""
    by_docstring: int = 10
    """Tools looked up by the description that the model proposes."""
    shown: int = 3
    """Tools shown: those that most of the three lookups found."""
    votes: int = 2
    """Lookups that must find a tool before it is shown."""

    LIMITS = ("by_question", 1), ("by_name", 1), ("by_docstring", 1), ("votes", 1)


def craft(
    questions: Sequence[Question], settings: CraftSettings, examples: Sequence[Problem]
) -> Steps:
    """Make the toolset, then answer each question with what is looked up; returns the toolset."""
    tools = (yield from make(questions[0], examples)) if questions else ()

    def ask(question: Question) -> Drawn:
        (wish,) = yield [Attempt(question, "craft_wish", range(1), runs=False, role="planner")]
        shown = look_up(question, wish.text, tools, settings)
        attempt = Attempt(
            question, "craft", range(0), shown=shown, library=settings.as_library(shown)
        )
        return (yield from draw({"craft": attempt}, settings.budget.left([wish.completion_tokens])))

    yield from answer_all(questions, ask, settings)
    return Toolset(tools, len(examples))


def make(first: Question, examples: Sequence[Problem]) -> Generator:
    """The tools that labelled problems give. Their calls are put down at the first question, a sample each."""
    asked, golds = labelled(first, examples)
    made = yield [request(q, "creation", n, runs=False) for n, q in enumerate(asked)]
    codes = [whole_program(reply.solution) for reply in made]
    used = yield [
        request(q, "decide", n, values={"tool": codes[n]}, library=(codes[n],))
        for n, q in enumerate(asked)
    ]
    right = [
        n
        for n, (reply, gold) in enumerate(zip(used, golds, strict=True))
        if answers_with(reply, gold)
    ]
    programs = {n: "\n\n".join([codes[n], whole_program(used[n].solution)]) for n in right}
    general = yield [
        request(asked[n], "craft_general", n, values={"program": programs[n]}) for n in right
    ]
    found: dict[str, Tool] = {}
    for n, reply in zip(right, general, strict=True):
        if answers_with(reply, golds[n]):
            for tool in isolated_tools([whole_program(reply.solution, reply.tools)]).tools:
                if tool.kind == "function":
                    found.setdefault(tool.name, tool)
    return tuple(found.values())


def look_up(
    question: Question, wish: str, tools: Sequence[Tool], settings: CraftSettings
) -> tuple[Tool, ...]:
    """The tools with the most votes: of the question, of each name and of the description that the model would like."""
    votes: Counter[Tool] = Counter(settings.nearest(question.text, tools, settings.by_question))
    votes.update(settings.nearest(NAMES.sub(" ", wish), tools, settings.by_docstring))
    for name in dict.fromkeys(NAMES.findall(wish)[:2]):
        votes.update(settings.nearest(name, tools, settings.by_name))
    return tuple(
        tool for tool, number in votes.most_common(settings.shown) if number >= settings.votes
    )


STAGES = ("creation", "decide", "craft_general", "craft_wish", "craft")
HOW = {"stream": True, "examples": True, "played_by": {"planner": "solver", "maker": "solver"}}
CRAFT = Method("craft", craft, ("craft",), STAGES, {"paper": CraftSettings()}, **HOW)
