"""One problem, worked: its candidates, their votes, and who wins by which rule."""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from ..errors import TroveLiteError
from ..selection import RULES, Vote, oracle
from .choose import PROBLEM, choose, in_order

ORACLE = "oracle"


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
    answers = [tuple(a) if ok else () for a, ok in zip(here["answers"], here["status"] == "ok", strict=True)]
    right, operations = here["correct"].fillna(False).astype(bool), here["operations"].fillna(0).astype(int)
    cast = [
        Vote(str(mode), status == "ok", votes, cost)
        for mode, status, votes, cost in zip(here["mode"], here["status"], answers, operations, strict=True)
    ]
    chosen = {rule: oracle(right.tolist()) if rule == ORACLE else RULES[rule](cast) for rule in rules}
    table = pd.DataFrame(
        {
            "mode": here["mode"].astype(str),
            "sample": here["sample"],
            "status": here["status"].astype(str),
            "votes for": [", ".join(map(_shown, votes)) for votes in answers],
            "operations": operations,
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
