"""One problem's votes, round by round: who is counted, for which answers, and who is chosen by which rule.

Also what `trove-lite choose` chooses among, and what it chose."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..errors import TroveLiteError, UsageError
from ..selection import (
    Rival,
    Vote,
    every_answer,
    one_each,
    one_stage,
    one_stage_described,
    ranked_answers,
)
from .choose import in_order, without_agreement


class Round(NamedTuple):
    among: tuple[int, ...]
    counts: Counter[str]
    chosen: int


def rounds(votes: Sequence[Vote], rule: str) -> list[Round]:
    """The rounds by which a rule decides: in two stages one for each mode first; the last one decides."""
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
    """What selection may know of each candidate, in the order of the table. A program that failed has no answers."""
    ok = (candidates["status"] == "ok").tolist()
    operations = candidates["operations"].fillna(0).astype(int).tolist()
    answers = [
        tuple(a) if went and a is not None else ()
        for a, went in zip(candidates["answers"], ok, strict=True)
    ]
    return list(map(Vote, candidates["mode"].astype(str), ok, answers, operations))


def rivals(candidates: pd.DataFrame) -> dict[tuple[str, int], dict[int, list[Rival]]]:
    """The distinct answers to each problem of one method's runs, as agreement ranks them, by category and seed."""
    frame = in_order(candidates)
    if lines := without_agreement(frame):
        raise TroveLiteError(lines[0])
    texts, source = (
        frame.reindex(columns=["tools", "solution"]).fillna(""),
        frame[["method", "run", "mode", "sample"]],
    )
    programs = (texts["tools"] + "\n\n" + texts["solution"]).str.strip()
    rows = list(zip(votes_of(frame), programs, source.to_dict("records"), strict=True))
    found: dict[tuple[str, int], dict[int, list[Rival]]] = {}
    for (run, seed, category, problem), own in frame.groupby(
        ["run", "seed", "category", "problem"], observed=True
    ):
        known, votes = found.setdefault((category, int(seed)), {}), [rows[i][0] for i in own.index]
        if problem in known:
            raise UsageError(
                f"run '{run}': another one has seed {seed} too; choose in one of them at a time"
            )
        known[int(problem)] = [
            Rival(votes[i].answers, n, *rows[own.index[i]][1:]) for i, n in ranked_answers(votes)
        ]
    return found


def chosen(*folders: str | Path) -> pd.DataFrame:
    """What `trove-lite choose` chose in these folders: a row a problem, with the sample and what was spent on it.
    Problems of which a reply was unavailable are not there."""
    if lacks := [folder for folder in folders if not (Path(folder) / "choices.csv").is_file()]:
        raise UsageError(
            f"{lacks[0]}: holds no choices.csv; name a folder that `trove-lite choose` made"
        )
    tables = [pd.read_csv(Path(folder) / "choices.csv") for folder in folders]
    return (
        pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=["by", "method"])
    )
