"""CREATOR: creation of a tool, decision how to use it, execution, rectification (CREATOR, section
3).

An attempt makes a tool, checks that it runs, has a program written that calls it, and repairs the
whole while it fails: 2 to 2 + `retries` + `rectify` calls. Tools are shared by no two problems.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from trove_lite.methods.base import Attempt, Candidate, Question, Steps, ToolSettings, tool_code
from trove_lite.programs import whole_program

from .fences import of_tool_and_use, released_program
from .repair import (
    AS_RELEASED,
    OF_TOOL,
    Batch,
    RepairSettings,
    answer_by_attempts,
    repair_failing,
    rewrite_failing,
    with_repairs,
)

NAME = "creator"


@dataclass(frozen=True)
class CreatorSettings(RepairSettings, ToolSettings):
    """CREATOR's settings, as in the paper. The preset `released` has those of the released
    program."""

    retries: int = 0
    """How often a tool that does not run is written again. The released program has 3."""

    LIMITS = (("retries", 0),)


def creator(questions: Sequence[Question], settings: CreatorSettings) -> Steps:
    def attempts(question: Question, samples: range) -> Batch:
        tools, replies = yield from create(question, samples, settings)
        first = yield [decision(question, tool, settings) for tool in tools]
        parts = [
            {"made": t.text.strip(), "used": c.text.strip()}
            for t, c in zip(tools, first, strict=True)
        ]
        whole = [
            replace(c, text="\n\n".join(part.values()))
            for c, part in zip(first, parts, strict=True)
        ]
        final, rest = yield from repair_failing(question, NAME, whole, settings, OF_TOOL, parts)
        return final, replies + rest

    most = 2 + settings.retries + settings.rectify
    return answer_by_attempts(questions, attempts, settings, most, settings.attempts)


def create(question: Question, samples: range, settings: CreatorSettings) -> Batch:
    """A tool for each sample, made anew while it does not run; the last one is used unchecked. Also
    every reply."""
    how = {"mode": "", "runs": settings.retries > 0, "program": whole_program}
    how |= settings.compose(released_program)
    asked = Attempt(question, settings.stage("creation"), samples, **how)
    tools = yield [asked]

    def again(place: int, tool: Candidate, round: int) -> Attempt:
        return replace(asked, samples=tool.samples, round=round, runs=round < settings.retries)

    return (yield from rewrite_failing(tools, settings.retries, again))


def decision(question: Question, tool: Candidate, settings: CreatorSettings) -> Attempt:
    text = whole_program(tool.solution)
    code, left_out = tool_code(text, settings.isolated)
    how = {"mode": NAME, "program": whole_program, "library": (code,), "left_out": left_out}
    how |= settings.compose(partial(of_tool_and_use, tool.text))
    values = {"tool": text, "made": tool.text.strip()}
    return Attempt(question, settings.stage("decide"), tool.samples, values=values, **how)


RELEASED = CreatorSettings(retries=3, isolated=False, **AS_RELEASED)
PRESETS = {"paper": CreatorSettings(), "released": RELEASED}
CREATOR = with_repairs(NAME, creator, ["creation", "decide"], PRESETS, of_tool=True, program=None)
