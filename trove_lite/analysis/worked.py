"""One problem's votes, round by round: who is counted, for which answers, and who is chosen by which rule."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pandas as pd

from ..selection import Rule, Vote, every_answer, one_each, one_stage, one_stage_described

#: How a rule counts votes, what it chooses by in one round of them, and whether each mode has a round of its own first.
COUNTED: dict[str, tuple[Callable[[Sequence[Vote]], Counter[str]], Rule, bool]] = {
    "one_stage": (every_answer, one_stage, False),
    "two_stage": (every_answer, one_stage, True),
    "one_stage_described": (one_each, one_stage_described, False),
    "two_stage_described": (one_each, one_stage_described, True),
}


class Round(NamedTuple):
    """One round of agreement: the places of the candidates in it, their votes for each answer, who is chosen."""

    among: tuple[int, ...]
    counts: Counter[str]
    chosen: int


def rounds(votes: Sequence[Vote], rule: str) -> list[Round]:
    """The rounds by which a rule decides: of a rule in two stages one for each mode, then one among their winners.

    The last one's choice is the rule's.
    """
    count, choose_one, in_stages = COUNTED[rule]

    def held(among: Sequence[int]) -> Round:
        members = [votes[i] for i in among]
        return Round(tuple(among), count(members), among[choose_one(members)])

    if not in_stages:
        return [held(range(len(votes)))]
    modes = dict.fromkeys(vote.mode for vote in votes)
    first = [held([i for i, vote in enumerate(votes) if vote.mode == mode]) for mode in modes]
    return [*first, held([each.chosen for each in first])]


def votes_of(candidates: pd.DataFrame) -> list[Vote]:
    """What selection may know of each candidate, in the order of the table. A program that failed has no answers."""
    ok = (candidates["status"] == "ok").tolist()
    operations = candidates["operations"].fillna(0).astype(int).tolist()
    modes = candidates["mode"].astype(str).tolist()
    answers = [tuple(a) if went and a is not None else () for a, went in zip(candidates["answers"], ok, strict=True)]
    return list(map(Vote, modes, ok, answers, operations))
