"""MEMORY, a control of our own: programs that agreed are shown again whole, as worked examples, and
never a function.

It remembers as TROVE does, from problem to problem and without labels, and looks up by a likeness
of words. Where it answers as much as a maker of tools, it is examples that help and not tools.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from trove_lite.methods.base import Attempt, Method, Question, Steps, settle

from .lookup import LookupSettings, Past, as_shown, program_text, similar_past


@dataclass(frozen=True)
class MemorySettings(LookupSettings):
    """How many past programs are kept and shown."""

    remembered: int = 250
    """Programs kept: the latest."""
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
        agreeing = [best.vote.answers[:1] == other.vote.answers[:1] for other in candidates]
        if best.vote.ok and best.vote.answers and sum(agreeing) >= settings.supporters:
            past = [*past, Past(question, program_text(best))][-settings.remembered :]


MEMORY = Method(
    "memory", memory, ("memory",), ("memory",), {"paper": MemorySettings()}, stream=True
)
