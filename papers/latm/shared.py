"""What LATM's released loop would make of a run by executing all replies in one process.

There a reply that never assigns its answer variable, because that stands in a function, a branch not taken or a text,
finds the value that an earlier instance of the task left under this name. Here every program has a process of its own,
so it fails; this counts what it would have found.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache

import pandas as pd

from trove_lite.candidates import all_candidates
from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.methods.latm import CLOSED_BLOCK, FALLBACK, VARIABLES

from .. import named
from .systems import TOOL_MAKER, family

COLUMNS = ["run", "method", "category", "candidates", "unassigned", "taken", "right", "note"]


def shared_globals(candidates: pd.DataFrame) -> pd.DataFrame:
    """How many answers shared globals would have made up: a row a run, method and category of LATM.

    unassigned: candidates that fail because their answer variable does not exist. taken: of these, those before which
    a problem's reply had assigned and answered by a variable of the same name; the last such answer is what they would
    have taken. right: how often the data set counts it as correct (null where its problems are not here).

    Problems stand in their order, in which the released loop starts them, eight at a time: two may pass each other. A
    value is known here as the answer that was made of it for its own question, whose options may be others. What a
    reply left before it failed, and other names that a later one reads, are not counted.
    """
    title = "LATM's shared globals"
    asked = all_candidates(candidates)
    asked = asked[(asked["method"].astype(str).map(family) == TOOL_MAKER) & (asked["mode"] != FALLBACK)]
    if asked.empty or not {"solution", "error"} <= set(asked):
        note = "no runs of LATM" if asked.empty else "no texts: outcomes do not say how programs failed"
        return named(pd.DataFrame(columns=COLUMNS), "", title, note=note)
    key = ["run", "method", "category"]
    frame = asked.astype(dict.fromkeys(key, str)).sort_values([*key, "problem", "sample"], kind="stable")
    rows = [
        dict(zip(key, where, strict=True)) | _counted(part, _judge(str(part["dataset"].iloc[0]), where[-1]))
        for where, part in frame.groupby(key, sort=False)
    ]
    runs = ", ".join(dict.fromkeys(frame["run"]))
    return named(pd.DataFrame(rows, columns=COLUMNS).astype({"right": "Int64"}), "latm_shared_globals", title, runs)


def _counted(part: pd.DataFrame, judge: Callable[[int, Sequence[str]], bool]) -> dict:
    """The counts of one task's candidates, in their order."""
    left: dict[str, Sequence[str]] = {}  # by name, the last answer
    unassigned, taken, right, note = 0, 0, 0, ""
    for row in part.itertuples():
        names = variables(row.solution)
        missing = [name for name in names if row.status == "error" and is_missing(row.error, name)]
        unassigned += len(missing) > 0
        found = next((left[name] for name in missing if name in left), None)
        if found is not None:
            taken += 1
            try:
                right += judge(int(row.problem), found)
            except TroveLiteError as error:
                note = str(error)
        if row.status == "ok" and row.answers is not None and len(row.answers):
            left |= {name: list(row.answers) for name in names}
    counts = {"candidates": len(part), "unassigned": unassigned, "taken": taken}
    return counts | {"right": None if note else right, "note": note}


def variables(reply: object) -> list[str]:
    """The variables that a reply's answer is looked for in, by either reading; none where it has no closed block."""
    block = CLOSED_BLOCK.search(reply) if isinstance(reply, str) else None
    found = [read(block[1]) for read in VARIABLES.values()] if block else []
    return list(dict.fromkeys(name for name in found if name is not None))


def is_missing(error: object, name: str) -> bool:
    """Whether an error says that there is no global variable of this name, which may be as long as a text."""
    return isinstance(error, str) and f"{error} (".startswith(f"KeyError: {name!r} (")


def _judge(dataset: str, category: str) -> Callable[[int, Sequence[str]], bool]:
    """Whether answers to a problem are right; the problems are only read when they are asked for."""

    @cache
    def golds() -> Mapping[int, object]:
        return {problem.index: problem.gold for problem in load_dataset(dataset).load(category)}

    def right(problem: int, answers: Sequence[str]) -> bool:
        return bool(load_dataset(dataset).correct(answers, golds()[problem]))

    return right
