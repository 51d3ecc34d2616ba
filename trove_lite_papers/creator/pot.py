"""Program of thoughts, and CREATOR's Entangled: one program, written anew while it fails (CREATOR,
3.4, 4.1)."""

from collections.abc import Sequence
from functools import partial

from trove_lite.methods.base import Attempt, Question, Steps
from trove_lite.programs import whole_program

from .fences import of_repair
from .repair import (
    AS_RELEASED,
    OF_TOOL,
    Batch,
    RepairSettings,
    answer_by_attempts,
    repair_failing,
    with_repairs,
)


def program(
    questions: Sequence[Question], settings: RepairSettings, *, mode: str, wording: str
) -> Steps:
    def attempts(question: Question, samples: range) -> Batch:
        how = {"mode": mode, "program": whole_program, **settings.compose(of_repair)}
        first = yield [Attempt(question, settings.stage(mode), samples, **how)]
        return (yield from repair_failing(question, mode, first, settings, wording))

    return answer_by_attempts(
        questions, attempts, settings, 1 + settings.rectify, settings.attempts
    )


PRESETS = {"paper": RepairSettings(), "released": RepairSettings(**AS_RELEASED)}
STEPS = {
    name: partial(program, mode=name, wording=wording)
    for name, wording in (("pot", ""), ("entangled", OF_TOOL))
}
POT = with_repairs("pot", STEPS["pot"], ["pot"], PRESETS, of_tool=False, program=whole_program)
ENTANGLED = with_repairs(
    "entangled", STEPS["entangled"], ["entangled"], PRESETS, of_tool=True, program=whole_program
)
