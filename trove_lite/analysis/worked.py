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
    rules: Sequence[str] = (),
    category: str = "",
    problem: int | None = None,
) -> WorkedProblem:
    """The first problem of these candidates on which two rules, or one and the `oracle`, differ in being right.

    Where they never do, the first of all; `category` and `problem` ask for another. `rules`: those that are shown
    (none: those two). Raises where there is no such problem.
    """
    if len(differ) != 2:
        raise TroveLiteError(f"differ {differ!r}: name two rules")
    frame = in_order(candidates)
    frame = frame[frame["category"] == category] if category else frame
    frame = frame[frame["problem"] == problem] if problem is not None else frame
    if frame.empty:
        raise TroveLiteError(f"no candidates of {category or 'any category'}, problem {problem}: name another")
    right = [_is_right(frame, rule) for rule in differ]
    apart = right[0].index[(right[0] != right[1]).to_numpy()]
    first = frame.iloc[0]
    key = apart[0] if len(apart) else tuple(first[name] for name in PROBLEM)
    here = frame[[row == key for row in frame[PROBLEM].itertuples(index=False, name=None)]].reset_index(drop=True)
    return _worked(here, tuple(rules or differ))


def _is_right(frame: pd.DataFrame, rule: str) -> pd.Series:
    """Whether a rule's choice is right, by problem and run; the oracle's is where any candidate is."""
    if rule == ORACLE:
        return frame.groupby(PROBLEM, observed=True)["correct"].any().astype(bool)
    return choose(frame, rule).set_index(PROBLEM)["correct"].fillna(False).astype(bool).sort_index()


def _worked(here: pd.DataFrame, rules: Sequence[str]) -> WorkedProblem:
    cast, right = votes_of(here), here["correct"].fillna(False).astype(bool)
    answers = [vote.answers for vote in cast]
    chosen = {rule: oracle(right.tolist()) if rule == ORACLE else RULES[rule](cast) for rule in rules}
    table = pd.DataFrame(
        {
            "mode": here["mode"].astype(str),
            "sample": here["sample"],
            "status": here["status"].astype(str),
            "votes for": [", ".join(map(_shown, votes)) for votes in answers],
            "operations": [vote.operations for vote in cast],
            "right": right.map({True: "✓", False: ""}),
        }
    )
    for rule, place in chosen.items():
        table[rule] = ["chosen" if i == place else "" for i in range(len(table))]
    winners = pd.DataFrame(
        {
            "rule": list(chosen),
            "chooses": [f"{cast[i].mode} {here['sample'][i]}" for i in chosen.values()],
            "which answers": [_shown(answers[i][0]) if answers[i] else "nothing" for i in chosen.values()],
            "supporters": [_supporters(answers, i) for i in chosen.values()],
            "right": [table["right"][i] or "✗" for i in chosen.values()],
        }
    )
    where = f"{here['category'][0]}, problem {here['problem'][0]}, {here['run'][0]}"
    return WorkedProblem(table.rename_axis(where), winners.set_index("rule").rename_axis(where))


def _supporters(answers: Sequence[tuple], place: int) -> int:
    """Programs that print the chosen one's answer, wherever in their output."""
    return sum(answers[place][0] in votes for votes in answers) if answers[place] else 0


def _shown(answer: object) -> str:
    """An answer as one reads it: 4 for 4.0."""
    try:
        return f"{float(answer):g}"
    except ValueError:
        return str(answer)
