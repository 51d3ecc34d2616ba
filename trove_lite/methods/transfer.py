"""Tool transfer: a tool made for one question of a set answers the others (CREATOR, section 5.1).

Questions come in sets of three. Each gets attempts of its own, a tool and a program that uses it (mode `normal`); the
tool of each first attempt is then tried on the set's two other questions (mode `from_1` for the tool of the set's first
question). No tool is checked and nothing is repaired, as released. A method sees no gold answer, so every tool is
tried; which to trust is for whoever reads the tables.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import TroveLiteError
from ..programs import code_of, whole_program
from .base import Answer, Attempt, Candidate, Method, Question, Run, Steps, ToolSettings, chosen, tool_code

SIZE = 3
NORMAL = "normal"
MODES = (NORMAL, *(f"from_{place}" for place in range(1, SIZE + 1)))
TRANSFERRED = "decide_transfer"  # as `decide`, of a tool that was made for another question
OTHERS = SIZE - 1  # tools that are tried on a question, a call each


@dataclass(frozen=True)
class TransferSettings(ToolSettings):
    """A problem's budget pays for the tools of the set's other questions, and the rest for attempts of its own."""

    from_first: bool = False
    """Whether all three tools of a set are made for its first question, as a slip in the released program has it."""
    released_fences: bool = False
    """Whether a reply's code is its first block alone, as in the program, and not all of them."""

    def __post_init__(self):
        super().__post_init__()
        if self.budget.completion_tokens is not None:
            raise TroveLiteError("tool transfer has a budget by calls alone: leave out --completion_tokens")
        if self.attempts < 1:
            raise TroveLiteError(
                f"k {self.budget.calls}: an attempt and two transfers take {2 + OTHERS} calls; give more"
            )

    @property
    def fences(self) -> str:
        """How a reply is read."""
        return "released_first" if self.released_fences else "blocks"

    @property
    def attempts(self) -> int:
        """Attempts of its own that a question has."""
        return (self.budget.calls - OTHERS) // 2


def transfer(questions: Sequence[Question], settings: TransferSettings) -> Steps:
    """Make tools for all questions, use them, and try them on the rest of their sets; a set cut short is left out."""
    questions = questions[: len(questions) // SIZE * SIZE]
    own, places = range(settings.attempts), range(len(questions))
    tools: list[Candidate] = yield [
        Attempt(tool_question(questions, place, settings), "creation", own, mode="", runs=False, fences=settings.fences)
        for place in places
    ]
    made = [tools[place * len(own) : (place + 1) * len(own)] for place in places]
    normal = yield [
        use(questions[place], tool, sample, NORMAL, settings)
        for place in places
        for sample, tool in zip(own, made[place], strict=True)
    ]
    in_set = [range(place - place % SIZE, place - place % SIZE + SIZE) for place in places]
    tried = yield [
        use(questions[place], made[source][0], len(own) + source % SIZE, f"from_{1 + source % SIZE}", settings)
        for place in places
        for source in in_set[place]
        if source != place
    ]
    for place, question in enumerate(questions):
        mine = normal[place * len(own) : (place + 1) * len(own)]
        theirs = tried[place * OTHERS : (place + 1) * OTHERS]
        yield Answer(question, chosen(question, [*mine, *theirs], settings))


def tool_question(questions: Sequence[Question], place: int, settings: TransferSettings) -> Question:
    """The question for which a tool is made: its own, or under its number the text of its set's first."""
    first = questions[place - place % SIZE]
    own = questions[place]
    return own._replace(text=first.text, context=first.context) if settings.from_first else own


def use(question: Question, tool: Candidate, sample: int, mode: str, settings: TransferSettings) -> Attempt | Run:
    """The request for a program that answers a question with a tool; without one, a program that fails."""
    text = code_of(tool.solution)
    if not text:
        return Run(question, "decide", 'raise LookupError("the reply has no tool")', sample, mode=mode)
    code, left_out = tool_code(text, settings.isolated)
    how = {"program": whole_program, "fences": settings.fences, "library": (code,), "left_out": left_out}
    how |= {"values": {"tool": text}, "wording": "" if mode == NORMAL else TRANSFERRED, "mode": mode}
    return Attempt(question, "decide", range(sample, sample + 1), **how)


TRANSFER = Method(
    "transfer",
    transfer,
    modes=MODES,
    stages=("creation", "decide", TRANSFERRED),
    asks=lambda settings: ("creation", "decide"),
    presets={
        "paper": TransferSettings(),
        "released": TransferSettings(from_first=True, isolated=False, released_fences=True),
    },
    stream=True,
    program=None,
)
