"""TTE, test-time tool evolution: a library that grows while questions are answered, without labels (arXiv 2601.07641).

For each question: steps, for each step the tool that answers it, then programs that may write what is missing. New
functions whose example runs enter the library. Stand-in: tools are looked up by a likeness of words, where the paper
has embeddings and a reranker. Steps are asked for once a question, at temperature 0, then programs until the budget is
met.
"""

import re
from collections import Counter
from collections.abc import Generator, Sequence
from dataclasses import dataclass

from ..programs import Tool, program_of
from .base import Answer, Attempt, Method, Question, Run, Steps, ToolSettings, at_least, chosen, draw
from .toolbox import Toolbox, cosine, nearest, words

TRY, TRIED = "try", "the example ran"
STEP = re.compile(r"^[ \t]*(?:\d{1,2}[.):]|[-*])[ \t]+(\S.*)$", re.MULTILINE)
PLANNING = {"runs": False, "role": "planner", "sampling": {"temperature": 0}}
EXAMPLE = re.compile(r"^[ \t]*>>>[ \t]*(\S.*)$", re.MULTILINE)


@dataclass(frozen=True)
class TteSettings(ToolSettings):
    """The paper's numbers."""

    steps: int = 4
    """Steps that a question is broken into, at most."""
    offered: int = 3
    """Tools offered for a step."""
    kept: int = 250
    """Tools kept: of more, those used least leave."""
    alike: float = 0.6
    """A new function is dropped where its code is so much like a tool's: the cosine of their counts of words."""

    def __post_init__(self):
        super().__post_init__()
        at_least(1, steps=self.steps, offered=self.offered, kept=self.kept)


def tte(questions: Sequence[Question], settings: TteSettings) -> Steps:
    """Plan, look up, answer, and keep what was new; returns the library."""
    library = Toolbox()
    for place, question in enumerate(questions):
        (plan,) = yield [Attempt(question, "tte_plan", range(1), **PLANNING)]
        steps = [step.strip() for step in STEP.findall(plan.text)][: settings.steps] or [question.text]
        offers = [tuple(nearest(step, library.tools(), settings.offered)) for step in steps]
        picks = [
            Attempt(question, "tte_pick", range(n, n + 1), shown=offered, values={"step": step}, **PLANNING)
            for n, (step, offered) in enumerate(zip(steps, offers, strict=True))
            if offered
        ]
        replies = (yield picks) if picks else []
        tools = tuple(dict.fromkeys(t for a, r in zip(picks, replies, strict=True) for t in named(r.text, a.shown)))
        listed = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
        attempt = Attempt(
            question, "tte", range(0), shown=tools, library=settings.as_library(tools), values={"steps": listed}
        )
        spent = [reply.completion_tokens for reply in (plan, *replies)]
        candidates = yield from draw({"tte": attempt}, settings.budget.left(spent))
        best = chosen(question, candidates, settings)
        yield Answer(question, best)
        if best.vote.ok:
            yield from evolve(library, best.tools, tools, best.solution, place, question, settings)
    return library


def evolve(
    library: Toolbox,
    made: Sequence[Tool],
    shown: Sequence[Tool],
    solution: str,
    place: int,
    question: Question,
    settings: TteSettings,
) -> Generator:
    """Count the uses of an answer, and add its functions that are new and whose example runs in the sandbox."""
    called = set(words_of_code(solution))
    library.use([tool for tool in shown if tool.name in called], place, add=False)
    known = [words(tool.source) for tool in library.tools()]
    new = [
        tool
        for tool in dict.fromkeys(made)
        if tool.kind == "function"
        and tool.name not in library
        and all(cosine(words(tool.source), one) < settings.alike for one in known)
    ]
    runs = [Run(question, TRY, trial(tool), number) for number, tool in enumerate(new)]
    ended = (yield runs) if runs else []
    library.add([t for t, run in zip(new, ended, strict=True) if run.output.strip().endswith(TRIED)], place)
    rare = sorted(library.entries, key=lambda name: library.entries[name].uses)
    for name in rare[: max(0, len(library.entries) - settings.kept)]:
        del library.entries[name]


def trial(tool: Tool) -> str:
    """A program that loads a function, runs the first example of its docstring where there is one, and says so."""
    example = EXAMPLE.search(tool.source)
    return program_of(f"from toolbox import {tool.name}\n{example[1] if example else ''}\nprint({TRIED!r})", (), [tool])


def named(text: str, tools: Sequence[Tool]) -> list[Tool]:
    """The tool that a reply names first, or nothing."""
    found = {tool: re.search(rf"(?<!\w){re.escape(tool.name)}(?!\w)", text) for tool in tools}
    return sorted((tool for tool in tools if found[tool]), key=lambda tool: found[tool].start())[:1]


def words_of_code(solution: str) -> Counter[str]:
    """Identifiers of a program, whole."""
    return Counter(re.findall(r"[^\W\d]\w*", solution))


STAGES = ("tte_plan", "tte_pick", "tte")
TTE = Method("tte", tte, ("tte",), STAGES, {"paper": TteSettings()}, stream=True, played_by={"planner": "solver"})
