"""CREATOR: creation of a tool, decision how to use it, execution, rectification (CREATOR, section 3).

An attempt makes a tool, checks that it runs, has a program written that calls it, and repairs the whole while it fails:
2 to 2 + `retries` + `rectify` calls. Tools are shared by no two problems.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

from ..errors import TroveLiteError
from ..programs import whole_program
from .base import Answer, Attempt, Batch, Method, Question, Steps, ToolSettings, chosen, repeat, tool_code
from .repair import REPAIRS, RepairSettings, asking, fails, presets, repaired, varied


@dataclass(frozen=True)
class CreatorSettings(RepairSettings, ToolSettings):
    """CREATOR's choices, as the paper describes them; the preset `released` has the program's beside them."""

    retries: int = 0
    """How often a tool that does not run is made anew (the paper mentions none, the released program makes 3)."""

    def __post_init__(self):
        super().__post_init__()
        if self.retries < 0:
            raise TroveLiteError(f"retries {self.retries}: must be at least 0")


def creator(questions: Sequence[Question], settings: CreatorSettings) -> Steps:
    """Attempts until the budget is met, and agreement among their last programs."""
    for question in questions:

        def batch(samples: range, question: Question = question) -> Batch:
            tools, replies = yield from created(question, samples, settings)
            texts = [whole_program(tool.solution) for tool in tools]
            codes = [tool_code(text, settings.isolated) for text in texts]
            first = yield [
                Attempt(
                    question,
                    settings.stage("decide"),
                    range(tool.sample, tool.sample + 1),
                    program=whole_program,
                    fences=settings.fences("released_part"),
                    mode="creator",
                    library=(code,),
                    left_out=left_out,
                    values={"tool": text, "made": tool.text.strip()},
                )
                for tool, text, (code, left_out) in zip(tools, texts, codes, strict=True)
            ]
            parts = [
                {"made": tool.text.strip(), "used": candidate.text.strip()}
                for tool, candidate in zip(tools, first, strict=True)
            ]
            whole = [
                replace(candidate, text="\n\n".join(replies.values()))
                for candidate, replies in zip(first, parts, strict=True)
            ]
            final, rest = yield from repaired(question, "creator", whole, settings, parts)
            return final, replies + rest

        most = 2 + settings.retries + settings.rectify
        candidates = yield from repeat(batch, settings.budget, most, attempts=settings.attempts)
        yield Answer(question, chosen(question, candidates, settings))


def created(question: Question, samples: range, settings: CreatorSettings) -> Generator:
    """A tool for each sample, made anew while it does not run; the last one is used unchecked. Also every reply."""
    checked = settings.retries > 0
    how = {"program": whole_program, "fences": settings.fences("released_part"), "mode": "", "runs": checked}
    how |= {"trial": "released_check"} if settings.released_fences else {}
    asked = Attempt(question, settings.stage("creation"), samples, **how)
    tools = yield [asked]
    replies = list(tools)
    for round in range(1, settings.retries + 1):
        broken = [place for place, tool in enumerate(tools) if fails(tool)]
        if not broken:
            break
        last = round == settings.retries
        anew = yield [
            replace(asked, samples=range(tools[place].sample, tools[place].sample + 1), round=round, runs=not last)
            for place in broken
        ]
        replies += anew
        for place, tool in zip(broken, anew, strict=True):
            tools[place] = tool
    return tools, replies


CREATOR = Method(
    "creator",
    creator,
    modes=("creator",),
    stages=(*varied("creation", "decide"), *REPAIRS),
    presets=presets(CreatorSettings(), CreatorSettings(retries=3, isolated=False)),
    program=None,
    asks=asking("creation", "decide"),
)
