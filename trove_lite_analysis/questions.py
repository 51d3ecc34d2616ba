"""The words of a run's problems, where their data set is at hand and is the one that the run
had."""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from trove_lite.candidates import read_description
from trove_lite.datasets import DATASETS, grader_of, load_problems
from trove_lite.datasets.base import Problem, Question
from trove_lite.errors import TroveLiteError
from trove_lite.judge.words import alternatives
from trove_lite.running.folder import hash_of


def problems_of(
    candidates: pd.DataFrame, folders: Iterable[Path]
) -> tuple[dict[tuple, Problem], list[str]]:
    """Problems by data set, category and number, and why those of a category are not at hand;
    `folders`: the runs'."""
    described = [(folder, read_description(folder)) for folder in folders]
    found = {}
    notes = []
    for dataset, category in (
        candidates[["dataset", "category"]].drop_duplicates().itertuples(index=False, name=None)
    ):
        if kept := _kept(dataset, category, described):
            found |= kept
            continue
        try:
            problems = _the_same(dataset, category, described)
        except TroveLiteError as error:
            notes.append(f"The questions of {dataset}, {category} are not shown: {error}")
            continue
        found |= {(dataset, category, problem.index): problem for problem in problems}
    return found, notes


def _kept(
    dataset: str, category: str, described: Sequence[tuple[Path, Mapping]]
) -> dict[tuple, Problem]:
    """The problems of which a log told the question, as its import keeps them."""
    found = {}
    for _, about in described:
        golds = (about.get("golds") or {}).get(category, {})
        for number, text in (about.get("questions") or {}).get(category, {}).items():
            question = Question(dataset, category, int(number), text)
            found[dataset, category, int(number)] = Problem(question, golds.get(number, ""))
    return found


def _the_same(
    dataset: str, category: str, described: Sequence[tuple[Path, Mapping]]
) -> Sequence[Problem]:
    """A category's problems. Raises TroveLiteError where they are not at hand or are no longer
    those of a run."""
    runs = [
        (d["settings"], d.get("data", {}).get(category)) for _, d in described if "settings" in d
    ]
    named = ((own, own.get("dataset", ""), data) for own, data in runs)
    mine = [
        (own, name, data)
        for own, name, data in named
        if name == dataset or (data and dataset not in DATASETS)
    ]
    where, grader = (mine[0][1], grader_of(mine[0][0])) if mine else (dataset, None)
    problems = load_problems(where, category, grader, runs=[folder for folder, _ in described])
    for own, _, data in mine:
        if data not in (None, hash_of(problems[: own.get("limit")])):
            raise TroveLiteError("they have changed since the run was made")
    return problems


def gold_text(gold: object) -> str:
    """A right answer as a text that the judge reads alike: 4 for 4.0, `either 4 or 5` where both
    are right. What the judge would not read so is JSON."""
    if isinstance(gold, str):
        return gold
    if isinstance(gold, list):
        each = list(map(gold_text, gold))
        text = f"either {' or '.join(each)}"
        if alternatives(text)[1:] == each:
            return text
    return json.dumps(gold, default=str).removesuffix(".0")
