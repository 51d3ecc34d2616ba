"""Choosers: a model is asked which of a finished run's answers is right. They make no program, and cost further calls.

Each is lent, for a question, its distinct answers as agreement ranks them (`selection.Rival`), of which the first is
what agreement chooses: draws, and all that replies leave open, go to whoever is ranked higher.
"""

import ast
import re
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import product

from ..programs import NOT_PARSED, code_of, statements
from ..selection import Rival, Vote, as_number
from .base import Answer, Attempt, Candidate, Method, Question, Run, Settings, Steps

MOST_TESTS = 5  # that a reply may have
#: How a reply names the better of two: in a line at its end, or in all that it says.
BETTER = re.compile(r"(?:\bBetter:|\A)\W*([AB])\W*$", re.MULTILINE)
Rivals = Mapping[int, Sequence[Rival]]  # by the problem's index


def chooser(choose: Callable[[Question, Sequence[Rival]], Generator]) -> Callable[..., Steps]:
    """The steps of a method that chooses so, by the place of a rival; None where a reply could not be had."""

    def steps(
        questions: Sequence[Question], settings: Settings, lent: Rivals | None = None
    ) -> Steps:
        for question in questions:
            if rivals := (lent or {}).get(question.index):
                place = (yield from choose(question, rivals)) if len(rivals) > 1 else 0
                if place is not None:
                    yield Answer(
                        question,
                        Candidate(
                            "", place, "", (), Vote("", True, rivals[place].answers, 0), None
                        ),
                    )

    return steps


def pairwise(question: Question, rivals: Sequence[Rival]) -> Generator:
    """A knockout: each match is asked in both orders, and who is named more often goes on. Of n answers 2(n - 1) calls.
    Ours: the idea, a model that compares two answers, in both orders since it may prefer a place, is that of
    LLM-as-a-judge (arXiv 2306.05685). The first meets the last; of an odd number the first waits."""
    texts = [f"{rival.program}\n\nIt prints: {rival.answers[0]}".strip() for rival in rivals]
    left, round = list(range(len(rivals))), 0
    while len(left) > 1:
        waits, meet = left[: len(left) % 2], left[len(left) % 2 :]
        pairs = [*zip(meet, reversed(meet), strict=True)][: len(meet) // 2]
        orders = [order for a, b in pairs for order in ((a, b), (b, a))]
        shown = [
            dict(zip(("first", "second"), (texts[place] for place in order), strict=True))
            for order in orders
        ]
        how = [{"values": values, "runs": False, "round": round} for values in shown]
        replies = yield [
            Attempt(question, "pairwise", range(n, n + 1), **each) for n, each in enumerate(how)
        ]
        if any(reply.status == "unavailable" for reply in replies):
            return None
        named = [BETTER.findall(reply.text)[-1:] for reply in replies]
        wins = Counter(
            order["AB".index(one)]
            for order, found in zip(orders, named, strict=True)
            for one in found
        )
        left = sorted(
            [*waits, *(max(pair, key=lambda place: (wins[place], -place)) for pair in pairs)]
        )
        round += 1
    return left[0]


def by_tests(question: Question, rivals: Sequence[Rival]) -> Generator:
    """Tests that the model writes in one call, and the answer with most programs that pass the same, times how many.
    The dual agreement of CodeT (arXiv 2207.10397). Ours: CodeT's tests call a function, and there are many; the
    programs here take no arguments, so ours look at what a program printed."""
    (reply,) = yield [Attempt(question, "tests", range(1), runs=False)]
    if reply.status == "unavailable" or not (tests := tests_of(reply.text)):
        return None if reply.status == "unavailable" else 0
    texts = [rival.answers[0] for rival in rivals]
    values = [ascii(text) if as_number(text) is None else f"float({text!a})" for text in texts]
    programs = [f"answer = {value}\n{test}" for value, test in product(values, tests)]
    ran = yield [Run(question, "test", program, n) for n, program in enumerate(programs)]
    went = [one.status == "ok" for one in ran]
    passed = [tuple(went[i : i + len(tests)]) for i in range(0, len(went), len(tests))]
    programs_of: Counter[tuple] = Counter()
    for rival, own in zip(rivals, passed, strict=True):
        programs_of[own] += rival.votes
    return max(
        range(len(rivals)), key=lambda place: sum(passed[place]) * programs_of[passed[place]]
    )


def tests_of(text: str) -> list[str]:
    """The first assertions at the top of a reply's code, each after whatever else stands there."""
    try:
        found = statements(code_of(text))
        besides = [ast.unparse(one) for one in found if not isinstance(one, ast.Assert)]
        return [
            "\n".join([*besides, ast.unparse(one)]) for one in found if isinstance(one, ast.Assert)
        ][:MOST_TESTS]
    except NOT_PARSED:
        return []


PAIRWISE = Method("pairwise", chooser(pairwise), ("pairwise",))
TESTS = Method("tests", chooser(by_tests), ("tests",))
