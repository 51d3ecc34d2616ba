"""A chain of thought as the tool: one model writes the worked examples that another goes on from
(LATM, Table 5).

The maker is asked the three questions that a tool would be verified with, each once and without
examples; its thoughts then take the place of a person's, in the form of BIG-Bench Hard's. The paper
prints no more of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trove_lite.datasets.base import Problem, Question
from trove_lite.errors import TroveLiteError
from trove_lite.methods.base import Attempt, Drawn, Method, Steps, Words, answer_all, as_asked, draw

from .bbh import ANSWER_IS
from .made_tools import for_run
from .settings import OF_MAKER, MakerSettings, gold_text, tool_of

MODE = "made_cot"


@dataclass(frozen=True)
class ThoughtSettings(MakerSettings):
    """Settings of chains of thought that a maker writes."""

    kept: str = "all"
    """Which thoughts become examples: `all`, or `right`, those that end in the gold answer."""
    stop: tuple[str, ...] = ("\n\nQ:",)
    """Texts before which the user's reply ends: where it goes on with a next question."""

    LIMITS = (("kept", ("all", "right")),)


class Thoughts(NamedTuple):
    """What came of it: the examples as the user reads them, of how many thoughts, and how many end
    in the gold answer.

    labels: gold answers that were looked at to choose among them.
    """

    tool: str
    thoughts: int = 0
    right: int = 0
    labels: int = 0

    def listing(self) -> list[dict]:
        return [self._asdict()]


def made_cot(
    questions: Sequence[Question],
    settings: ThoughtSettings,
    examples: Sequence[Problem],
    words: Words,
) -> Steps:
    """Have the examples written, or take those that are given, and answer each question after them,
    in words."""
    if not questions:
        return Thoughts("")
    given = tool_of(settings, questions[0].category)
    made = (
        (yield from ask_maker(questions[0], settings, examples, words))
        if given is None
        else Thoughts(given)
    )
    how = {
        "role": "user",
        "mode": MODE,
        "runs": False,
        "sampling": settings.of_user(stop=settings.stop),
    }

    def ask_user(question: Question) -> Drawn:
        asked = words("unthought", question=as_asked(question))
        prompt = f"{made.tool}\n\n{asked}" if made.tool else asked
        return draw(
            {MODE: Attempt(question, "use", range(0), prompt=prompt, **how)}, settings.budget
        )

    yield from answer_all(questions, ask_user, settings)
    return made


def ask_maker(
    question: Question, settings: ThoughtSettings, examples: Sequence[Problem], words: Words
) -> Steps:
    """Ask the maker for its thoughts on the second half of the labelled problems, put down at the
    task's first."""
    shown = examples[len(examples) // 2 :]
    if not shown:
        raise TroveLiteError(
            f"{question.dataset}, {question.category}: needs at least 1 labelled problem"
        )
    how = {"role": "maker", "mode": "", "runs": False, "sampling": OF_MAKER}
    asked = [as_asked(problem.question) for problem in shown]
    prompts = [(("user", words("think", question=text)),) for text in asked]
    replies = yield [
        Attempt(question, "think", range(n, n + 1), prompt=p, **how) for n, p in enumerate(prompts)
    ]
    right = [
        ends_in(reply.text, gold_text(problem.gold))
        for reply, problem in zip(replies, shown, strict=True)
    ]
    lines = [
        words("thought", question=q, thought=r.text.strip())
        for q, r in zip(asked, replies, strict=True)
    ]
    kept = [
        text
        for text, is_right in zip(lines, right, strict=True)
        if is_right or settings.kept == "all"
    ]
    return Thoughts(
        "\n\n".join(kept), len(shown), sum(right), len(shown) if settings.kept == "right" else 0
    )


def ends_in(text: str, gold: str) -> bool:
    """Whether a text's line after its last "answer is", or its first, is the gold answer but for
    blanks and a stop."""
    *_, last = ANSWER_IS.split(text)
    line = next(iter(last.strip().splitlines()), "")
    return "".join(line.split()).removesuffix(".") == "".join(gold.split()).removesuffix(".")


STAGES = ("think", "thought", "unthought")
PRESETS = {"paper": ThoughtSettings(), "ours": ThoughtSettings(kept="right")}
HOW = {
    "stream": True,
    "examples": True,
    "program": None,
    "speaks": True,
    "elsewhere": for_run,
}
MADE_COT = Method(MODE, made_cot, (MODE,), STAGES, PRESETS, **HOW)
