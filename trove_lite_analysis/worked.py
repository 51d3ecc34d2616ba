"""One problem's votes, round by round: who is counted, for which answers, and who is chosen by
which rule."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from trove_lite.selection import Vote, every_answer, one_each, one_stage, one_stage_described


class Round(NamedTuple):
    among: tuple[int, ...]
    counts: Counter[str]
    chosen: int


def rounds(votes: Sequence[Vote], rule: str) -> list[Round]:
    """The rounds by which a rule decides: in two stages one for each mode first; the last one
    decides."""
    count, choose = (
        (one_each, one_stage_described) if rule.endswith("described") else (every_answer, one_stage)
    )

    def agree(among: Sequence[int]) -> Round:
        members = [votes[i] for i in among]
        return Round(tuple(among), count(members), among[choose(members)])

    if rule.startswith("one_stage"):
        return [agree(range(len(votes)))]
    modes = dict.fromkeys(vote.mode for vote in votes)
    first = [agree([i for i, vote in enumerate(votes) if vote.mode == mode]) for mode in modes]
    return [*first, agree([each.chosen for each in first])]


def votes_of(candidates: pd.DataFrame) -> list[Vote]:
    """What selection may know of each candidate, in the order of the table. A program that failed
    has no answers."""
    ok = (candidates["status"] == "ok").tolist()
    operations = candidates["operations"].fillna(0).astype(int).tolist()
    answers = [
        tuple(a) if went and a is not None else ()
        for a, went in zip(candidates["answers"], ok, strict=True)
    ]
    return list(map(Vote, candidates["mode"].astype(str), ok, answers, operations))
