"""MEMORY, a control of our own: programs that agreed are shown again whole, as worked examples, and never a function.

It remembers as TROVE and TTE do, from problem to problem and without labels, and looks up by TTE's likeness of words.
Where it answers as much as a maker of tools, it is examples that help and not tools.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..programs import Tool, code_of, fenced, whole_program
from .base import Attempt, Candidate, Method, Question, Steps, as_asked, at_least, settle
from .lookup import Alike, LookupSettings


@dataclass(frozen=True)
class MemorySettings(LookupSettings):
    """How many past programs are kept and shown."""

    remembered: int = 250
    """Programs kept: the latest. TTE keeps as many tools."""
    similar: int = 3
    """Programs that a prompt shows: those with the most similar questions."""
    supporters: int = 2
    """Samples that must give a program's answer before it is kept."""

    def __post_init__(self):
        super().__post_init__()
        at_least(1, remembered=self.remembered, supporters=self.supporters)
        at_least(0, similar=self.similar)


class Past(NamedTuple):
    """A question of before, the program that answered it, and the tools that it imports: here none."""

    question: Question
    program: str
    tools: tuple[Tool, ...] = ()


def memory(questions: Sequence[Question], settings: MemorySettings) -> Steps:
    """All samples of a problem see the same past programs; what agreed among them is remembered."""
    past: list[Past] = []
    for question in questions:
        like = similar_past(question, past, settings.similar, settings.measure)
        attempt = Attempt(question, "memory", range(0), values={"memory": as_shown(like)})
        best, candidates = yield from settle(attempt, settings)
        if count_agreeing(best, candidates) >= settings.supporters:
            past = [*past, Past(question, program_text(best))][-settings.remembered :]


def program_text(candidate: Candidate) -> str:
    """A candidate's program as it is shown again."""
    return whole_program(candidate.solution, candidate.tools) or code_of(candidate.solution)


def as_shown(past: Sequence[Past]) -> str:
    """Past questions with their programs, as a prompt lists them."""
    listed = (f"**Question**\n{as_asked(one.question)}\n\n{fenced(one.program)}" for one in past)
    return "\n\n".join(listed) or "(none yet)"


def count_agreeing(best: Candidate, candidates: Sequence[Candidate]) -> int:
    """How many candidates give the answer of the best, which has to have one."""
    first = best.vote.answers[:1]
    return sum(first == candidate.vote.answers[:1] for candidate in candidates) if best.vote.ok and first else 0


def similar_past(question: Question, past: Sequence[Past], number: int, alike: Alike) -> list[Past]:
    """Those whose questions are most like this one, the likest last, beside what is to be answered."""
    order = sorted(past, key=lambda one: alike(question.text, one.question.text))
    return order[len(order) - number :] if number < len(order) else order


MEMORY = Method("memory", memory, ("memory",), ("memory",), {"paper": MemorySettings()}, stream=True)
