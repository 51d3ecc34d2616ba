"""Program of thoughts, and CREATOR's Entangled: one program, written anew while it fails (CREATOR, 3.4, 4.1)."""

from collections.abc import Sequence
from functools import partial

from ..programs import whole_program
from .base import Attempt, Batch, Method, Question, Steps
from .repair import REPAIRS, RepairSettings, answer_by_attempts, asking, presets, repaired, varied


def program(questions: Sequence[Question], settings: RepairSettings, *, mode: str) -> Steps:
    """Attempts until the budget is met, and agreement among their last programs."""

    def attempts(question: Question, samples: range) -> Batch:
        how = {"program": whole_program, "fences": settings.fences(), "mode": mode}
        first = yield [Attempt(question, settings.stage(mode), samples, **how)]
        return (yield from repaired(question, mode, first, settings))

    return answer_by_attempts(questions, attempts, settings, 1 + settings.rectify)


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
