"""Do two runs or logs ask the same problems? By questions and right answers where both tell them,
else by name."""

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite.candidates import read_description
from trove_lite.errors import UsageError
from trove_lite.judge.strict import is_right
from trove_lite.judge.values import read_answer

from ..questions import problems_of

SOLUTION = "####"  # before the answer, where a right answer is a worked one
Key = tuple[str, str]  # category and name


class Source(NamedTuple):
    """What a source tells of its problems. `words`: by category and name the question and the right
    answer, each None where it does not say. `data`: by category the data set's name, the limit of
    the run, and its digest."""

    label: str
    kind: str
    frame: pd.DataFrame
    words: Mapping[Key, tuple[str | None, object]]
    data: Mapping[str, tuple[str, object, str | None]]


def of_run(label: str, path: Path, frame: pd.DataFrame) -> Source:
    """A run's words are those of its data set, where that is at hand, or what its import kept."""
    folder = path if path.is_dir() else path.parent
    about = read_description(folder)
    settings = about.get("settings") or {}
    digests = about.get("data") or {}
    keys = frame[["dataset", "category", "problem", "name"]].drop_duplicates()
    keys = keys.astype({"dataset": str, "category": str})
    problems, _ = problems_of(frame, [folder])
    golds = about.get("golds") or {}
    words = {}
    for dataset, category, number, name in keys.itertuples(index=False, name=None):
        known = problems.get((dataset, category, number))
        gold = golds.get(category, {}).get(str(number))
        words[category, name] = (known.question.text, known.gold) if known else (None, gold)
    data = {
        category: (dataset, settings.get("limit"), digests.get(category))
        for dataset, category in keys[["dataset", "category"]].itertuples(index=False, name=None)
    }
    return Source(label, "run", frame, words, data)


def refuse_others(sources: Sequence[Source], *, same_task: bool) -> tuple[list[str], set[Key]]:
    """Raises UsageError where two sources ask other things, and, unless `same_task`, where nothing
    tells. Returns a line for what is to be known of each two, and the problems, fewer than the
    others, that are not the same."""
    notes: list[str] = []
    left: set[Key] = set()
    for one, other in combinations(sources, 2):
        pairs = _in_common(one, other)
        same_data = _same_data(one, other)
        if not pairs or same_data:
            continue
        kind = one.kind == other.kind
        facts = [
            (
                pair,
                _same(
                    one.words.get(pair[0]),
                    other.words.get(pair[1]),
                    alike=kind,
                ),
            )
            for pair in pairs
        ]
        differ = [pair for pair, fact in facts if fact is False]
        alike = sum(fact is True for _, fact in facts)
        if len(differ) > alike:
            raise UsageError(_refusal(one, other, differ, len(differ) + alike))
        left |= {key for pair in differ for key in pair}
        if differ:
            what = f"left out: {len(differ)} problems that ask something else in {other.label}"
            notes.append(f"{what}, such as {' '.join(differ[0][1])}")
        if alike or _named_alike(one, other):
            continue
        if same_data is False:
            what = "their data sets have other digests, and are not both at hand"
            raise UsageError(
                f"{one.label}, {other.label}: {what}; compare runs of the same problems"
            )
        if not same_task:
            what = "no question or right answer that both tell says whether they ask the same"
            raise UsageError(f"{one.label}, {other.label}: {what}; if they do, give --same_task")
        notes.append(f"taken for the same task, by --same_task: {one.label}, {other.label}")
    return notes, left


def _in_common(one: Source, other: Source) -> list[tuple[Key, Key]]:
    """The problems of both by their names; a lone category may have another name in the other."""
    mine, theirs = (
        {*s.frame[["category", "name"]].drop_duplicates().itertuples(index=False, name=None)}
        for s in (one, other)
    )
    tasks = [{task for task, _ in keys} for keys in (mine, theirs)]
    if all(len(own) == 1 for own in tasks):
        (task,) = tasks[1]
        found = [(key, (task, key[1])) for key in sorted(mine) if (task, key[1]) in theirs]
    else:
        found = [(key, key) for key in sorted(mine & theirs)]
    return found


def _same_data(one: Source, other: Source) -> bool | None:
    """Whether both have one data set that did not change; None where that is not told. A digest
    covers as many problems as the limit of its run allows."""
    same: list[bool | None] = []
    for category in set(one.data) & set(other.data):
        name, *mine = one.data[category]
        other_name, *theirs = other.data[category]
        told = bool(mine[1] and theirs[1]) and mine[0] == theirs[0]
        same.append(mine == theirs if told else True if name == other_name else None)
    return min(
        same, key=lambda fact: 0 if fact is False else 1 if fact is None else 2, default=None
    )


def _named_alike(one: Source, other: Source) -> bool:
    """Whether logs of one harness name the same task; a table's rows that are mere numbers name
    nothing."""
    tasks = set(one.frame["category"].astype(str)) & set(other.frame["category"].astype(str))
    if not tasks or one.kind != other.kind or one.kind == "run":
        return False
    return one.kind != "table" or not one.frame["name"].astype(str).str.isdecimal().all()


def _same(mine: tuple | None, theirs: tuple | None, *, alike: bool) -> bool | None:
    """Whether two problems are one; None where that cannot be told. A question may be within a
    longer prompt; in logs that are not `alike` it may have other words around it, which a right
    answer that is the same leaves open."""
    (text, gold), (text_b, gold_b) = mine or (None, None), theirs or (None, None)
    words = [re.sub(r"\s+", " ", one).strip() for one in (text, text_b) if one]
    asked = sorted(filter(None, words), key=len)
    golds = [_last(one) for one in (gold, gold_b) if one not in (None, "", [])]
    right = (
        is_right(
            read_answer(golds[0]),
            golds[1],
        )
        if len(golds) == 2
        else None
    )
    if right is False or len(asked) < 2 or asked[0] in asked[1]:
        return True if right is None and len(asked) == 2 else right
    return None if right and not alike else False


def _last(gold: object) -> str:
    first = gold[0] if isinstance(gold, list | tuple) else gold
    return str(first).rpartition(SOLUTION)[2].strip()


def _refusal(one: Source, other: Source, differ: Sequence[tuple[Key, Key]], known: int) -> str:
    (category, name), key = differ[0]
    said = [s.words[k][0] or s.words[k][1] for s, k in ((one, (category, name)), (other, key))]
    shown = " and ".join(repr(" ".join(str(text).split())[:50]) for text in said)
    what = f"{len(differ)} of {known} problems with the same name are not the same"
    example = f"problem {name} is {shown}"
    return f"{one.label}, {other.label}: {what} ({example}); compare runs of the same problems"
