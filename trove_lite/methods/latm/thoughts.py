"""A chain of thought as the tool: one model writes the worked examples that another goes on from (LATM, Table 5).

The maker is asked the three questions that a tool would be verified with, each once and without examples; its thoughts
then stand where a person's would, in the form of BIG-Bench Hard's. The paper prints no more of it; whether thoughts
that end in a wrong answer were kept is not said, and here is a setting.
"""

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...datasets.base import Problem, Question
from ...errors import TroveLiteError
from ..base import Attempt, Drawn, Method, Steps, Words, as_asked, draw, one_of
from .chats import NEXT_TURN, answer_all, gold_text, prompt_of_chat
from .settings import OF_MAKER, MakerSettings

MODE = "made_cot"
NEXT_EXAMPLE = "\n\nQ:"
ANSWER_IS = re.compile(r"answer is:?", re.IGNORECASE)


@dataclass(frozen=True)
class ThoughtSettings(MakerSettings):
    """Which thoughts are shown."""

    kept: str = "all"
    """Which thoughts become examples: `all`, or `right`, those that end in the gold answer."""
    stop: tuple[str, ...] = (NEXT_EXAMPLE,)
    """Texts before which the user's reply ends: where it goes on with a next question."""

    def __post_init__(self):
        super().__post_init__()
        one_of("kept", self.kept, ("all", "right"))


class Thoughts(NamedTuple):
    """What came of it: the examples as the user reads them, of how many thoughts, and how many end in the gold answer.

    labels: gold answers that were looked at to choose among them.
    """

    tool: str
    thoughts: int
    right: int
    labels: int

    def listing(self) -> list[dict]:
        """It as plain data."""
        return [self._asdict()]


def made_cot(
    questions: Sequence[Question], settings: ThoughtSettings, examples: Sequence[Problem], words: Words
) -> Steps:
    """Have the examples written, or take those that are given, and answer each question after them, in words."""
    if not questions:
        return Thoughts("", 0, 0, 0)
    given = settings.given(questions[0].category)
    if given is None:
        made = yield from ask_maker(questions[0], settings, examples, words)
    else:
        made = Thoughts(given, 0, 0, 0)
    yield from answer_all(questions, lambda question: ask_user(question, made.tool, settings, words), settings)
    return made


def ask_user(question: Question, thoughts: str, settings: ThoughtSettings, words: Words) -> Drawn:
    """Candidates for one question after the thoughts."""
    asked = words("unthought", question=as_asked(question))
    attempt = Attempt(
        question,
        "use",
        range(0),
        role="user",
        mode=MODE,
        prompt=f"{thoughts}\n\n{asked}" if thoughts else asked,
        runs=False,
        sampling=settings.of_user(stop=settings.stop),
    )
    return (yield from draw({MODE: attempt}, settings.budget))


def ask_maker(question: Question, settings: ThoughtSettings, examples: Sequence[Problem], words: Words) -> Generator:
    """Ask the maker for its thoughts on the second half of the labelled problems, put down at the task's first."""
    shown = examples[len(examples) // 2 :]
    if not shown:
        raise TroveLiteError(f"{question.dataset}, {question.category}: needs at least 1 labelled problem")
    how = OF_MAKER | {"stop": () if settings.chat else (NEXT_TURN,)}
    maker = Attempt(question, "think", range(0), role="maker", mode="", runs=False, sampling=how)
    chats = [[("user", words("think", question=as_asked(problem.question)))] for problem in shown]
    replies = yield [
        replace(maker, prompt=prompt_of_chat(chat, settings.chat), samples=range(n, n + 1))
        for n, chat in enumerate(chats)
    ]
    pairs = list(zip(shown, (reply.text.strip() for reply in replies), strict=True))
    right = [ends_in(text, gold_text(problem.gold)) for problem, text in pairs]
    kept = [pair for pair, is_right in zip(pairs, right, strict=True) if is_right or settings.kept == "all"]
    tool = "\n\n".join(words("thought", question=as_asked(problem.question), thought=text) for problem, text in kept)
    return Thoughts(tool, len(pairs), sum(right), len(pairs) if settings.kept == "right" else 0)


def ends_in(text: str, gold: str) -> bool:
    """Whether a text's line after its last "answer is", or its first, is the gold answer but for blanks and a stop."""
    *_, last = ANSWER_IS.split(text)
    line = next(iter(last.strip().splitlines()), "")
    return "".join(line.split()).removesuffix(".") == "".join(gold.split()).removesuffix(".")


MADE_COT = Method(
    MODE,
    made_cot,
    modes=(MODE,),
    stages=("think", "thought", "unthought"),
    speaks=True,
    presets={"paper": ThoughtSettings(), "ours": ThoughtSettings(kept="right")},
    stream=True,
    examples=True,
    program=None,
)
