"""Program of thoughts, and CREATOR's Entangled: one program, written anew while it fails (CREATOR, 3.4, 4.1)."""

from collections.abc import Sequence
from functools import partial

from ..programs import whole_program
from .base import Answer, Attempt, Batch, Method, Question, Steps, chosen, repeat
from .repair import REPAIRS, RepairSettings, asking, presets, repaired, varied


def program(questions: Sequence[Question], settings: RepairSettings, *, mode: str) -> Steps:
    """Attempts until the budget is met, and agreement among their last programs."""
    for question in questions:

        def batch(samples: range, question: Question = question) -> Batch:
            how = {"program": whole_program, "fences": settings.fences(), "mode": mode}
            first = yield [Attempt(question, settings.stage(mode), samples, **how)]
            return (yield from repaired(question, mode, first, settings))

        candidates = yield from repeat(batch, settings.budget, 1 + settings.rectify, attempts=settings.attempts)
        yield Answer(question, chosen(question, candidates, settings))


PRESETS = presets(RepairSettings())
POT, ENTANGLED = (
    Method(
        name,
        partial(program, mode=name),
        (name,),
        (*varied(name), *REPAIRS),
        PRESETS,
        program=whole_program,
        asks=asking(name),
    )
    for name in ("pot", "entangled")
)
