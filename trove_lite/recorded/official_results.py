"""Result files of the official program → the answer that a run ended with for each problem.

Such a file holds one selected candidate a problem, in the problems' order: those of problems solved again after
trimming stand in place of the first. It has no questions, so its category is the one whose gold answers it repeats."""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, TypedDict

import pyarrow as pa

from ..candidates import SELECTED, SELECTION, as_arrow
from ..datasets.answers import graded, is_correct, read_numbers
from ..datasets.base import Problem
from ..errors import DamagedFile
from ..journal import text_of
from ..shapes import Number, misfit
from .official_files import NOTHING_WRITTEN, ImportReport, library_of, program_facts, read_library, run_facts, run_of

#: Runs without IMPORT, by their folder: the file does not say. The program numbers a run's modes and then names them
#: as if there were three, so of two each bears the name before its own; problems solved again bear the right one.
WITHOUT_IMPORT = re.compile(r"^(?!base_).*_ablat1_run\d+$")
MODES = {"import": "import", "create": "create", "skip": "skip"}
MODES_WITHOUT = {"import": "create", "create": "skip", "skip": "skip"}
#: Share of gold answers that have to be a category's: a program that grades problems solved again by another's gold
#: answer (`baseline_run0`) writes that one down.
SAME_GOLD = 0.9


class Function(TypedDict):
    function: str


class Response(TypedDict):
    """A selected answer with its tools; `answer` is the gold one that it was graded against."""

    answer: Number
    exec_output: str | None
    function: list[Function]
    is_correct: bool
    is_success: bool
    solution: str


class Entry(TypedDict):
    mode: Literal["import", "create", "skip"]
    response: Response


def read_results(file: Path, problems: Iterable[Problem]) -> tuple[pa.Table, ImportReport]:
    """A result file's rows, a problem each, and a report with both counts of right answers. Verdicts are computed from
    the recorded output, as for logs; where that is not kept, the recorded one stands."""
    entries, run = _entries(file), run_of(file)
    mine = _category_of(entries, problems, file)
    method, names = ("trove_no_import", MODES_WITHOUT) if WITHOUT_IMPORT.search(run) else ("trove", MODES)
    report = ImportReport(str(file), run, mine[0].category, method, len(mine), len(mine), selected=True)
    places = list(dict.fromkeys(names.values()))
    same = run_facts(file, report, SELECTION) | {"phase": SELECTED, "sample": 0}
    rows = []
    for entry, problem in zip(entries, mine, strict=True):
        mode = names[entry["mode"]]
        rows.append(same | {"mode": mode, "place": places.index(mode)} | _row(entry["response"], problem, report))
    report.recorded_correct = sum(entry["response"]["is_correct"] for entry in entries)
    report.correct = sum(row["correct"] for row in rows)
    if library := library_of(file):
        kinds = [tool.kind for tool in read_library(library)]
        report.tools, report.functions = len(kinds), kinds.count("function")
    return as_arrow(rows), report


def _entries(file: Path) -> list[dict]:
    try:
        entries = json.loads(text_of(file))
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{file}: not JSON ({error}){NOTHING_WRITTEN}") from error
    if not isinstance(entries, list) or not entries:
        raise DamagedFile(f"{file}: no list of selected answers: not a result file{NOTHING_WRITTEN}")
    for number, entry in enumerate(entries):
        if fault := misfit(entry, Entry):
            raise DamagedFile(f"{file}, problem {number}: {fault}: not a result file{NOTHING_WRITTEN}")
    return entries


def _category_of(entries: Sequence[dict], problems: Iterable[Problem], file: Path) -> list[Problem]:
    golds, known = [entry["response"]["answer"] for entry in entries], {}
    for problem in sorted(problems, key=lambda problem: (problem.category, problem.index)):
        known.setdefault(problem.category, []).append(problem)
    for mine in known.values():
        same = sum(gold == problem.gold for gold, problem in zip(golds, mine, strict=False))
        if len(mine) == len(golds) and same >= SAME_GOLD * len(golds):
            return mine
    what = f"its {len(golds)} gold answers are not those of a category of the data set"
    raise DamagedFile(f"{file}: {what}{NOTHING_WRITTEN}")


def _row(found: dict, problem: Problem, report: ImportReport) -> dict:
    ok, output = found["is_success"], found["exec_output"]
    answers = read_numbers(output) if ok and output is not None else []
    correct, recorded = is_correct(graded(answers), problem.gold), found["is_correct"]
    report.shortened += output is None
    anothers = found["answer"] != problem.gold
    if output is None and not anothers:
        correct = recorded
    if correct != recorded or (output is None and anothers):
        by = f", graded against {found['answer']}, the gold answer of another problem; ours is {problem.gold}"
        why = ", for its output is not kept" if output is None else ""
        doubt = f"recorded as {recorded}{by if anothers else ''}, we find {correct}{why}"
        report.disagreements.append(f"{report.log}, problem {problem.index}: {doubt}")
    tools = "".join(f"```python\n{tool['function']}\n```\n" for tool in found["function"])
    facts = program_facts(problem, found["solution"], tools, ok, output, answers)
    return facts | {"correct": correct, "shortened": output is None}
