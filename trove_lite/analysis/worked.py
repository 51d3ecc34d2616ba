"""One problem, worked: its candidates, their votes, and who wins by which rule."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pandas as pd

from ..errors import TroveLiteError
from ..selection import RULES, Rule, Vote, every_answer, one_each, one_stage, one_stage_described, oracle
from .choose import PROBLEM, choose, in_order

ORACLE = "oracle"
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


class WorkedProblem(NamedTuple):
    """`candidates`: a row each, in the order in which they were sampled, with the answers that they vote for and, a
    column a rule, which one it chooses. `winners`: a row a rule, with its choice and whether that is right."""

    candidates: pd.DataFrame
    winners: pd.DataFrame


def worked_problem(
    candidates: pd.DataFrame,
    *,
    differ: Sequence[str] = ("two_stage", "one_stage"),
    category: str | None = None,
    problem: int | None = None,
) -> WorkedProblem:
    """The first problem on which two rules, of which one may be the `oracle`, differ in being right.

    Where they never do, the first of all; `category` and `problem` ask for another. Raises where there is no such
    problem.
    """
    if len(differ) != 2:
        raise TroveLiteError(f"differ {differ!r}: name two rules")
    frame = in_order(candidates)
    frame = frame[frame["category"] == category] if category else frame
    frame = frame[frame["problem"] == problem] if problem is not None else frame
    if frame.empty:
        raise TroveLiteError(f"no candidates of {category or 'any category'}, problem {problem}: name another")
    one, other = (_is_right(frame, rule) for rule in differ)
    apart = one.index[(one != other).to_numpy()]
    key = apart[0] if len(apart) else tuple(frame[PROBLEM].iloc[0])
    here = frame[[row == key for row in frame[PROBLEM].itertuples(index=False, name=None)]].reset_index(drop=True)
    cast, right = votes_of(here), here["correct"].fillna(False).astype(bool)
    chosen = {rule: oracle(right.tolist()) if rule == ORACLE else RULES[rule](cast) for rule in differ}
    table = pd.DataFrame(
        {
            "mode": here["mode"].astype(str),
            "sample": here["sample"],
            "status": here["status"].astype(str),
            "votes for": [", ".join(map(_shown, vote.answers)) for vote in cast],
            "operations": [vote.operations for vote in cast],
            "right": right.map({True: "✓", False: ""}),
        }
    )
    rows = []
    for rule, place in chosen.items():
        table[rule] = ["chosen" if i == place else "" for i in range(len(table))]
        mine = cast[place].answers[:1]
        supporters = sum(mine[0] in vote.answers for vote in cast) if mine else 0
        answer = _shown(mine[0]) if mine else "nothing"
        name = f"{cast[place].mode} {here['sample'][place]}"
        rows.append((rule, name, answer, supporters, table["right"][place] or "✗"))
    winners = pd.DataFrame(rows, columns=["rule", "chooses", "which answers", "supporters", "right"])
    where = f"{here['category'][0]}, problem {here['problem'][0]}, {here['run'][0]}"
    return WorkedProblem(table.rename_axis(where), winners.set_index("rule").rename_axis(where))


def _is_right(frame: pd.DataFrame, rule: str) -> pd.Series:
    """Whether a rule's choice is right, by problem and run; the oracle's is where any candidate is."""
    if rule == ORACLE:
        return frame.groupby(PROBLEM, observed=True)["correct"].any().astype(bool)
    return choose(frame, rule).set_index(PROBLEM)["correct"].fillna(False).astype(bool).sort_index()


def _shown(answer: object) -> str:
    """An answer as one reads it: 4 for 4.0."""
    try:
        return f"{float(answer):g}"
    except ValueError:
        return str(answer)
