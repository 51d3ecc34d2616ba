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
from trove_lite.judge.strict import first, is_right
from trove_lite.judge.values import read_answer

from ..questions import gold_text, problems_of

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
    data = {}
    for dataset, category, number, name in keys.itertuples(index=False, name=None):
        known = problems.get((dataset, category, number))
        gold = golds.get(category, {}).get(str(number))
        words[category, name] = (known.question.text, known.gold) if known else (None, gold)
        data[category] = dataset, settings.get("limit"), digests.get(category)
    return Source(
        label,
        "run",
        frame,
        words,
        data,
    )


def refuse_others(sources: Sequence[Source], *, same_task: bool) -> tuple[list[str], set[Key]]:
    """Raises UsageError where two sources ask other things, and, unless `same_task`, where nothing
    tells. Returns a line for what is to be known of each two, and the problems, fewer than the
    others, that are not the same."""
    notes: list[str] = []
    left: set[Key] = set()
    for one, other in combinations(sources, 2):
        both = f"{one.label}, {other.label}"
        pairs = _in_common(one, other)
        same_data = _same_data(one, other)
        if not pairs or same_data:
            continue
        kind = one.kind == other.kind
        facts = [
            _same(one.words.get(key), other.words.get(other_key), alike=kind)
            for key, other_key in pairs
        ]
        differ = [pair for pair, fact in zip(pairs, facts, strict=True) if fact is False]
        alike = facts.count(True)
        if len(differ) > alike:
            raise UsageError(f"{both}: {_refusal(one, other, differ, len(differ) + alike)}")
        left |= {key for pair in differ for key in pair}
        if differ:
            what = f"left out: {len(differ)} problems that ask something else in {other.label}"
            notes.append(f"{what}, such as {' '.join(differ[0][1])}")
        if alike or _named_alike(one, other):
            continue
        if same_data is False:
            what = "their data sets have other digests, and are not both at hand"
            raise UsageError(f"{both}: {what}; compare runs of the same problems")
        if not same_task:
            what = "no question or right answer that both tell says whether they ask the same"
            raise UsageError(f"{both}: {what}; if they do, give --same_task")
        notes.append(f"taken for the same task, by --same_task: {both}")
    return notes, left


def _in_common(one: Source, other: Source) -> list[tuple[Key, Key]]:
    """The problems of both by their names; a lone category may have another name in the other."""
    mine = _keys(one)
    theirs = _keys(other)
    tasks = {task for task, _ in theirs}
    own_tasks = {task for task, _ in mine}
    if {len(tasks), len(own_tasks)} != {1}:
        return [(key, key) for key in sorted(mine & theirs)]
    (task,) = tasks
    renamed = [(key, (task, key[1])) for key in sorted(mine)]
    return [(key, found) for key, found in renamed if found in theirs]


def _keys(source: Source) -> set[Key]:
    """The problems of a source, by category and name."""
    keys = source.frame[["category", "name"]].drop_duplicates()
    return {*keys.itertuples(index=False, name=None)}


def _same_data(one: Source, other: Source) -> bool | None:
    """Whether both have one data set that did not change; None where that is not told. A digest
    covers as many problems as the limit of its run allows."""
    same: list[bool | None] = []
    for category in set(one.data) & set(other.data):
        name, *mine = one.data[category]
        other_name, *theirs = other.data[category]
        told = bool(mine[1] and theirs[1]) and mine[0] == theirs[0]
        same.append(mine == theirs if told else True if name == other_name else None)
    return first(False, same) if same else None


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
    told = [one for one in (mine, theirs) if one]
    words = [re.sub(r"\s+", " ", text).strip() for text, _ in told if text]
    asked = sorted(filter(None, words), key=len)
    golds = [_texts(gold) for _, gold in told if gold not in (None, "", [])]
    right = None
    if len(golds) == 2:
        here, there = golds  # a text without an answer, as * is, is still itself
        right = first(True, (one in there or is_right(read_answer(one), there) for one in here))
    both_ask = len(asked) == 2
    if right is False or not both_ask or asked[0] in asked[1]:
        if right is None and both_ask:
            return True
        return right
    if right and not alike:
        return None
    return False


def _texts(gold: object) -> list[str]:
    """A right answer; of several all together, as an export has them, and each of them."""
    each = gold if isinstance(gold, list | tuple) else []
    return [gold_text(one).rpartition(SOLUTION)[2].strip() for one in (gold, *each)]


def _begins(words: tuple) -> str:
    """How a question begins, or, without one, its right answer."""
    question, gold = words
    return repr(" ".join(str(question or gold).split())[:50])


def _refusal(one: Source, other: Source, differ: Sequence[tuple[Key, Key]], known: int) -> str:
    key, other_key = differ[0]
    said = [_begins(one.words[key]), _begins(other.words[other_key])]
    if said[0] == said[1]:
        said[1] += ", with another right answer"
    what = f"{len(differ)} of {known} problems with the same name are not the same"
    example = f"problem {key[1]} is {' and '.join(said)}"
    return f"{what} ({example}); compare runs of the same problems"
