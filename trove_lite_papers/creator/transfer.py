"""Tool transfer: a tool made for one question of a set answers the others (CREATOR, section 5.1).

Questions come in sets of three. Each gets attempts of its own, a tool and a program that uses it
(mode `normal`); the tool of each first attempt is then tried on the set's two other questions (mode
`from_1` for the tool of the set's first question). No tool is checked and nothing is repaired, as
released. Which to trust is for whoever reads the tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

from trove_lite.errors import TroveLiteError
from trove_lite.methods import base
from trove_lite.methods.base import (
    Answer,
    Attempt,
    Candidate,
    Method,
    Question,
    Run,
    Steps,
    ToolSettings,
    chosen,
)
from trove_lite.programs import code_of, whole_program

from .fences import first_block, of_tool_and_call

SIZE = 3
NORMAL = "normal"
TRANSFERRED = "decide_transfer"  # as `decide`, of a tool that was made for another question
OTHERS = SIZE - 1  # tools that are tried on a question, a call each


@dataclass(frozen=True)
class TransferSettings(ToolSettings):
    """The budget of a problem pays for tools of the set's other questions, then for its own
    attempts."""

    fences: str = "any"
    """Which code a reply has. `any`: its blocks of Python. `released`: as the released script finds
    it: the first block labelled `python`, up to the next backticks."""

    LIMITS = (("fences", ("any", "released")),)
    FORMERLY = (("fences", "any"),)

    def __post_init__(self):
        super().__post_init__()
        if self.budget.completion_tokens is not None:
            raise TroveLiteError(
                "tool transfer has a budget by calls alone: leave out --completion_tokens"
            )
        if self.attempts < 1:
            k = self.budget.calls
            raise TroveLiteError(
                f"k {k}: an attempt and two transfers take {2 + OTHERS} calls; give more"
            )

    @property
    def attempts(self) -> int:
        return (self.budget.calls - OTHERS) // 2


def transfer(questions: Sequence[Question], settings: TransferSettings) -> Steps:
    """Make tools for all questions, use them, and try them on the rest of their sets; a set cut
    short is left out. Raises TroveLiteError where there is no whole set."""
    if len(questions) < SIZE:
        raise TroveLiteError(
            f"{len(questions)} problems: tool transfer takes sets of {SIZE}; give more of a category"
        )
    questions = questions[: len(questions) // SIZE * SIZE]
    n = settings.attempts
    places = range(len(questions))
    creation = {"mode": "", "runs": False, "program": whole_program}
    tools = yield [Attempt(question, "creation", range(n), **creation) for question in questions]
    normal = yield [
        use(questions[i // n], tool, i % n, NORMAL, settings) for i, tool in enumerate(tools)
    ]
    given = [
        (a, b) for a, b in product(places, places) if a // SIZE == b // SIZE and a != b
    ]  # to whom, and of whom
    tried = yield [
        use(questions[a], tools[b * n], n + b % SIZE, f"from_{1 + b % SIZE}", settings)
        for a, b in given
    ]
    for i, question in enumerate(questions):
        candidates = [*normal[i * n : (i + 1) * n], *tried[i * OTHERS : (i + 1) * OTHERS]]
        yield Answer(question, chosen(question, candidates, settings))


def use(
    question: Question, tool: Candidate, sample: int, mode: str, settings: TransferSettings
) -> Attempt | Run:
    """The request for a program that answers a question with a tool; without one, a program that
    fails."""
    released = settings.fences == "released"
    text = first_block(tool.text) if released else code_of(tool.solution)
    if not text:
        return Run(
            question, "decide", 'raise LookupError("the reply has no tool")', sample, mode=mode
        )
    code, left_out = base.tool_code(text, settings.isolated)
    how = {
        "program": whole_program,
        "library": (code,),
        "left_out": left_out,
        "values": {"tool": text},
        "mode": mode,
    }
    if released:
        how["compose"] = partial(of_tool_and_call, text)
    wording = "" if mode == NORMAL else TRANSFERRED
    return Attempt(question, "decide", range(sample, sample + 1), wording=wording, **how)


MODES = (NORMAL, *(f"from_{place}" for place in range(1, SIZE + 1)))
STAGES = ("creation", "decide")
HOW = {
    "presets": {
        "paper": TransferSettings(),
        "released": TransferSettings(isolated=False, fences="released"),
    },
    "asks": lambda settings: STAGES,
    "stream": True,
    "program": None,
}
TRANSFER = Method("transfer", transfer, MODES, (*STAGES, TRANSFERRED), **HOW)
