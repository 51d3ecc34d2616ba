"""MEMORY, a control of our own: programs that agreed are shown again whole, as worked examples, and never a function.

It remembers as TROVE and TTE do, from problem to problem and without labels, and looks up by TTE's likeness of words.
Where it answers as much as a maker of tools, it is examples that help and not tools.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .base import Attempt, Candidate, Method, Question, Steps, settle
from .lookup import LookupSettings, Past, as_shown, program_text, similar_past


@dataclass(frozen=True)
class MemorySettings(LookupSettings):
    """How many past programs are kept and shown."""

    remembered: int = 250
    """Programs kept: the latest. TTE keeps as many tools."""
    similar: int = 3
    """Programs that a prompt shows: those with the most similar questions."""
    supporters: int = 2
    """Samples that must give a program's answer before it is kept."""

    LIMITS = ("remembered", 1), ("supporters", 1), ("similar", 0)


def memory(questions: Sequence[Question], settings: MemorySettings) -> Steps:
    """All samples of a problem see the same past programs; what agreed among them is remembered."""
    past: list[Past] = []
    for question in questions:
        like = similar_past(question, past, settings.similar, settings.measure)
        attempt = Attempt(question, "memory", range(0), values={"memory": as_shown(like)})
        best, candidates = yield from settle(attempt, settings)
        if count_agreeing(best, candidates) >= settings.supporters:
            past = [*past, Past(question, program_text(best))][-settings.remembered :]


def count_agreeing(best: Candidate, candidates: Sequence[Candidate]) -> int:
    """How many candidates give the answer of the best, which has to have one."""
    first = best.vote.answers[:1]
    return sum(first == candidate.vote.answers[:1] for candidate in candidates) if best.vote.ok and first else 0


MEMORY = Method("memory", memory, ("memory",), ("memory",), {"paper": MemorySettings()}, stream=True)
