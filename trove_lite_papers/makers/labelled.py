"""What methods share that make tools of labelled problems: what is asked, what is right, and what came of it."""

from collections.abc import Sequence
from typing import NamedTuple

from trove_lite.datasets.base import Problem
from trove_lite.errors import TroveLiteError
from trove_lite.methods.base import Attempt, Candidate, Question
from trove_lite.programs import Tool, whole_program
from trove_lite.selection import number_text


class Toolset(NamedTuple):
    """What was made of how many labelled problems."""

    tools: tuple[Tool, ...]
    labels: int

    def listing(self) -> list[dict]:
        return [
            {"name": t.name, "signature": t.signature, "labels": self.labels} for t in self.tools
        ]


def labelled(first: Question, examples: Sequence[Problem]) -> tuple[list[Question], list[str]]:
    """Labelled questions at the place of the first that is tested, and what a program that is right prints first."""
    if not examples:
        raise TroveLiteError(
            f"{first.dataset}, {first.category}: there are no labelled problems to make tools from"
        )
    golds = [
        number_text(one.gold) if isinstance(one.gold, float) else str(one.gold) for one in examples
    ]
    return [
        first._replace(text=one.question.text, context=one.question.context) for one in examples
    ], golds


def request(question: Question, stage: str, sample: int, **how: object) -> Attempt:
    """A request of the maker's, which is no candidate: all blocks of its reply are its program."""
    how |= {"role": "maker", "mode": "", "program": whole_program}
    return Attempt(question, stage, range(sample, sample + 1), "make", **how)


def answers_with(reply: Candidate, gold: str) -> bool:
    return reply.vote.ok and reply.vote.answers[:1] == (gold,)
