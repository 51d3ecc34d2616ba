"""TTE, test-time tool evolution: a library that grows while questions are answered, without labels (arXiv 2601.07641).

For each question: steps, once and at temperature 0, for each step the tool that answers it, then programs that may
write what is missing, until the budget is met. New functions whose example runs enter the library. Stand-in: tools are
looked up by a likeness of words, where the paper has embeddings and a reranker.
"""

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from itertools import chain

from trove_lite.methods.base import Attempt, Candidate, Method, Question, Run, Steps, settle
from trove_lite.methods.toolbox import Toolbox, cosine, mentions, words
from trove_lite.programs import Tool, program_of

from .lookup import LookupSettings

TRY, TRIED = "try", "the example ran"
#: A numbered line of a plan up to the end of its sentence: what is said after it would go into the next prompt.
STEP = re.compile(
    r"^[ \t]*(?:\d{1,2}[.):]|[-*])[ \t]+(\S.*?)(?:(?<=[.?!])(?:[ \t]|\*\*).*)?$", re.MULTILINE
)
PLANNING = {"runs": False, "role": "planner", "sampling": {"temperature": 0}}
EXAMPLE = re.compile(r"^[ \t]*>>>[ \t]*(\S.*)$", re.MULTILINE)


@dataclass(frozen=True)
class TteSettings(LookupSettings):
    """TTE's settings, as others report them; not checked against the paper."""

    steps: int = 4
    """The most steps that a question is split into."""
    offered: int = 3
    """Tools offered for a step."""
    kept: int = 250
    """The most tools kept. Those used least are removed first."""
    alike: float = 0.6
    """A new function is dropped if its code is this similar to a tool's: the cosine of word counts."""

    LIMITS = ("steps", 1), ("offered", 1), ("kept", 1)


def tte(questions: Sequence[Question], settings: TteSettings) -> Steps:
    """Plan, look up, answer, and keep what was new; returns the library."""
    library = Toolbox()
    for place, question in enumerate(questions):
        (plan,) = yield [Attempt(question, "tte_plan", range(1), **PLANNING)]
        steps = [step.strip() for step in STEP.findall(plan.text)][: settings.steps] or [
            question.text
        ]
        offers = [
            tuple(settings.nearest(step, library.tools(), settings.offered)) for step in steps
        ]
        some = [
            (n, step, offered)
            for n, (step, offered) in enumerate(zip(steps, offers, strict=True))
            if offered
        ]
        about = [
            (range(n, n + 1), {"shown": offered, "values": {"step": step}})
            for n, step, offered in some
        ]
        picks = [Attempt(question, "tte_pick", number, **how, **PLANNING) for number, how in about]
        replies = yield picks
        taken = (
            mentions(reply.text, pick.shown)[:1] for pick, reply in zip(picks, replies, strict=True)
        )
        tools = tuple(dict.fromkeys(chain(*taken)))
        values = {
            "steps": "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
        }
        loaded = settings.as_library(library.tools())
        asked = Attempt(question, "tte", range(0), values=values, shown=tools, library=loaded)
        spent = [reply.completion_tokens for reply in (plan, *replies)]
        best, _ = yield from settle(asked, settings, settings.budget.left(spent))
        if best.vote.ok:
            yield from evolve(library, best, asked, place, settings)
    return library


def evolve(
    library: Toolbox, best: Candidate, asked: Attempt, place: int, settings: TteSettings
) -> Generator:
    """Count the uses of an answer, and add its functions that are new and whose example runs in the sandbox."""
    called = re.findall(r"[^\W\d]\w*", best.solution)
    library.use([tool for tool in asked.shown if tool.name in called], place, add=False)
    known = [words(tool.source) for tool in library.tools()]
    functions = [
        tool
        for tool in dict.fromkeys(best.tools)
        if tool.kind == "function" and tool.name not in library
    ]
    new = [
        tool
        for tool in functions
        if all(cosine(words(tool.source), one) < settings.alike for one in known)
    ]
    ended = yield [
        Run(asked.question, TRY, trial(tool, asked.library), number)
        for number, tool in enumerate(new)
    ]
    library.add(
        [t for t, run in zip(new, ended, strict=True) if run.output.strip().endswith(TRIED)], place
    )
    rare = sorted(library.entries, key=lambda name: library.entries[name].uses)
    for name in rare[: max(0, len(library.entries) - settings.kept)]:
        del library.entries[name]


def trial(tool: Tool, library: Sequence[str | Tool]) -> str:
    """A program that loads a function beside a library, runs the first example of its docstring if any, and says so."""
    example = EXAMPLE.search(tool.source)
    lines = f"from toolbox import {tool.name}", example[1] if example else "", f"print({TRIED!r})"
    return program_of("\n".join(lines), (), (*library, tool))


STAGES = ("tte_plan", "tte_pick", "tte")
TTE = Method(
    "tte",
    tte,
    ("tte",),
    STAGES,
    {"paper": TteSettings()},
    stream=True,
    played_by={"planner": "solver"},
)
