"""Files of the official program: what they have in common, the toolboxes, and result files → a
run's selected answers.

A result file holds one selected candidate a problem, in the problems' order: those of problems
solved again after trimming replace the first. It has no questions, so its category is the
one whose gold answers it repeats."""

import json
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, TypedDict

import pandas as pd
import pyarrow as pa

from trove_lite.candidates import SELECTED, SELECTION, as_arrow, fingerprint
from trove_lite.datasets import DATASETS, load_dataset
from trove_lite.datasets.base import Dataset, Problem
from trove_lite.errors import DamagedFile, TroveLiteError
from trove_lite.journal import text_of
from trove_lite.judge.answers import graded
from trove_lite.programs import Tool, code_of, operations, plain_name
from trove_lite.programs.parse import parse_tools
from trove_lite.shapes import Number, misfit, once

RUN_FOLDER = re.compile(r"(run|seed)[-_]?\d+$")
#: What an execution that ran out of time left as its output.
TIMEOUT = "Timeout detected in running subprocess"
NOTHING_WRITTEN = "; nothing was written"
RULE = "two_stage"  # by which the program selects
DELIMITER = "# %%"  # begins each tool of a library file
#: Runs without IMPORT, by their folder: the file does not say. The program numbers a run's modes
#: and then names them as if there were three, so of two each bears the name before its own;
#: problems solved again bear the right one.
WITHOUT_IMPORT = re.compile(r"^(?!base_).*_ablat1_run\d+$")
IMPORT, CREATE, SKIP = "import", "create", "skip"
MODES = {name: name for name in (IMPORT, CREATE, SKIP)}
MODES_WITHOUT = {IMPORT: CREATE, CREATE: SKIP, SKIP: SKIP}
#: Share of gold answers that have to be a category's, or its last: by that one the program grades
#: problems solved again, and writes it down.
SAME_GOLD = 0.9
OWN_GOLD = 0.5  # share of those that have to be the problem's own


@dataclass
class ImportReport:
    """What was read from one file, and where its record and our grading differ. Of a file of
    `selected` answers alone, `recorded_correct` counts those that are right as the record says,
    `correct` by our grading, and `tools` and `functions` what the library beside it holds; all are
    null for a log."""

    log: str
    run: str
    category: str
    method: str
    problems: int = 0
    candidates: int = 0
    retried: int = 0
    shortened: int = 0
    disagreements: list[str] = field(default_factory=list)
    selected: bool = False
    recorded_correct: int | None = None
    correct: int | None = None
    tools: int | None = None
    functions: int | None = None

    def __str__(self) -> str:
        right = f"{self.recorded_correct} recorded as correct, {self.correct} by our grading"
        what = f"selected answers, {right}" if self.selected else "candidates"
        more = f"{self.retried} of problems solved again, {self.shortened} with a shortened output"
        found = f"{self.problems} problems, {self.candidates} {what} ({more})"
        return f"{self.run} {self.category}: {found}, {len(self.disagreements)} disagreements with our grading"


def as_table(reports: Sequence[ImportReport]) -> pd.DataFrame:
    """Reports as a table: a row a file, `kind` saying what it holds, with the number of
    `disagreements`."""
    table = pd.DataFrame([vars(report) for report in reports]).drop(columns="log")
    table.insert(
        3, "kind", table.pop("selected").map({True: "selected answers", False: "candidates"})
    )
    return table.assign(disagreements=table["disagreements"].map(len)).convert_dtypes()


def task_of(file: Path, text: str) -> str:
    """The data set of a log, by what it shows behind questions; of a result file by its folder in
    the official layout."""
    logged = {name: one.logged for name, one in DATASETS.working().items() if one.logged}
    if file.suffix == ".json":
        known = [name for name in logged if name in file.parts]
    else:
        known = [name for name, shown in logged.items() if shown in text]
    return min(known, key=len, default="math")


def dataset_of(problem: Problem) -> Dataset:
    """The data set by whose rules the program reads and judges answers to a problem."""
    return as_released(problem.dataset)


@cache
def as_released(name: str) -> Dataset:
    """A data set with votes as the program counts them, where there is a choice
    (docs/datasets.md)."""
    with suppress(TroveLiteError):
        return load_dataset(f"{name}?votes=released")
    return load_dataset(name)


def judged(problem: Problem, output: str | None) -> tuple[list[str], bool]:
    """The answers that a program printed, and whether they are right; output: None where it
    failed."""
    dataset = dataset_of(problem)
    answers = [] if output is None else dataset.answers(output, problem.question)
    return answers, dataset.correct(answers, problem.gold)


def stated(problem: Problem) -> object:
    """The gold answer as the program has it."""
    return problem.gold["values"] if isinstance(problem.gold, dict) else problem.gold


def run_of(file: Path) -> str:
    """A short name for a file's run: the folder that names it in the official layout, else the
    file."""
    folder = next(
        (part for part in reversed(file.parent.parts) if RUN_FOLDER.search(part)),
        "",
    )
    return folder if folder.endswith(file.stem) else "_".join(filter(None, [folder, file.stem]))


def tell_apart(reports: Sequence[ImportReport]) -> list[str]:
    """Run names that differ within a category: where files share one, the folder in which they
    differ comes first."""
    names = []
    kinds = [(report.run, report.category, report.selected) for report in reports]
    for report, kind in zip(reports, kinds, strict=True):
        twins = [
            other
            for other, its in zip(reports, kinds, strict=True)
            if its == kind and other is not report
        ]
        others = {part for twin in twins for part in Path(twin.log).absolute().parts}
        own = [part for part in Path(report.log).absolute().parts[:-1] if part not in others]
        if twins and not own:
            raise TroveLiteError(f"{report.log}: given twice; name each log once")
        names.append(f"{own[-1]}_{report.run}" if twins else report.run)
    return names


def run_facts(file: Path, report: ImportReport, provenance: str) -> dict:
    """The columns that all rows of a file have alike. The official layout keeps the model's name as
    a folder."""
    model = next(
        (part for part in file.parts if "Llama" in part and not part.startswith("output_")),
        "unknown",
    )
    return {
        "model": model,
        "provenance": provenance,
        "run": report.run,
        "method": report.method,
        "seed": seed_of(file),
        "shares_state": True,
        "selection": RULE,
        "round": 0,
    }


def program_facts(
    problem: Problem, solution: str, tools: str, ok: bool, output: str | None, answers: list
) -> dict:
    """The columns of a row that say what one program is, and how it ended: `output` is its error
    where it failed."""
    said = output or ""
    return {
        "dataset": problem.dataset,
        "category": problem.category,
        "problem": problem.index,
        "level": problem.level,
        "program": fingerprint(solution, tools),
        "solution": solution,
        "tools": tools,
        "status": "ok" if ok else "timeout" if TIMEOUT in said else "error",
        "output": said if ok else "",
        "error": None if ok else output,
        "answers": answers,
        "answer": graded(answers) or None,  # nothing printed may be a vote, and is no answer
        "operations": operations(code_of(solution)) if ok and answers else None,
    }


def seed_of(file: Path) -> int:
    """The number that ends the file's name; 0 where there is none."""
    seed = re.search(r"(?<!\d)(\d{1,9})$", file.stem)
    return int(seed[1]) if seed else 0


def kept_tools(reports: Iterable[ImportReport]) -> list[dict]:
    """The tools that runs ended with, in the order of their library files, of the runs that have
    one, each once."""
    kept = {}
    for report in reports:
        file = Path(report.log)
        library = library_of(file)
        for rank, tool in enumerate(read_library(library) if library else (), start=1):
            told = {
                "seed": seed_of(file),
                "run": report.run,
                "method": report.method,
                "category": report.category,
                "rank": rank,
                "name": plain_name(tool.name),
                "signature": tool.signature,
            }
            kept.setdefault((report.run, report.category, rank), told)
    return list(kept.values())


def library_of(file: Path) -> Path | None:
    """The library file of the run whose log or results this is, in the official layout; None where
    there is none."""
    layout = re.fullmatch(r"(.*/|)(?:log|results)(/.*)", file.as_posix(), re.DOTALL)
    library = Path(f"{layout[1]}library{layout[2]}").with_suffix(".json") if layout else None
    return library if library and library.is_file() else None


def read_library(file: Path) -> tuple[Tool, ...]:
    """The tools of a library file, which is Python with a line `# %% DOCSTRING (KIND)` before
    each."""
    head, *parts = f"\n{text_of(file)}".split(f"\n{DELIMITER}")
    if head.strip():
        raise DamagedFile(
            f"{file}: does not begin with '{DELIMITER}', so it is no library of TroVE's program"
        )
    tools = [
        parse_tools(f"```python\n{code}\n```")
        for code in (part.partition("\n")[2] for part in parts)
    ]
    return tuple(found[0] for found in tools if found)


class Function(TypedDict):
    function: str


class Response(TypedDict):
    """A selected answer with its tools; `answer` is the gold one that it was graded against."""

    answer: Number | str | list[Number | str]
    exec_output: str | None
    function: list[Function]
    is_correct: bool
    is_success: bool
    solution: str


class Entry(TypedDict):
    mode: Literal["import", "create", "skip"]
    response: Response


def read_results(file: Path, problems: Iterable[Problem]) -> tuple[pa.Table, ImportReport]:
    """A result file's rows, a problem each, and a report with both counts of right answers.
    Verdicts are computed from the recorded output, as for logs; where that is not kept, the
    recorded one is taken."""
    entries = _entries(file)
    run = run_of(file)
    mine = _category_of(entries, problems, file)
    method, names = (
        ("trove_no_import", MODES_WITHOUT) if WITHOUT_IMPORT.search(run) else ("trove", MODES)
    )
    report = ImportReport(
        str(file), run, mine[0].category, method, len(mine), len(mine), selected=True
    )
    places = list(dict.fromkeys(names.values()))
    same = run_facts(file, report, SELECTION) | {"phase": SELECTED, "sample": 0}
    rows = []
    for entry, problem in zip(entries, mine, strict=True):
        mode = names[entry["mode"]]
        rows.append(
            same
            | {"mode": mode, "place": places.index(mode)}
            | _row(entry["response"], problem, report)
        )
    report.recorded_correct = sum(entry["response"]["is_correct"] for entry in entries)
    report.correct = sum(row["correct"] for row in rows)
    if library := library_of(file):
        kinds = [tool.kind for tool in read_library(library)]
        report.tools = len(kinds)
        report.functions = kinds.count("function")
    return as_arrow(rows), report


def _entries(file: Path) -> list[dict]:
    try:
        entries = json.loads(text_of(file), object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{file}: not JSON ({error}){NOTHING_WRITTEN}") from error
    if not isinstance(entries, list) or not entries:
        raise DamagedFile(
            f"{file}: no list of selected answers: not a result file{NOTHING_WRITTEN}"
        )
    for number, entry in enumerate(entries):
        if fault := misfit(entry, Entry):
            raise DamagedFile(
                f"{file}, problem {number}: {fault}: not a result file{NOTHING_WRITTEN}"
            )
    return entries


def _category_of(entries: Sequence[dict], problems: Iterable[Problem], file: Path) -> list[Problem]:
    golds = [entry["response"]["answer"] for entry in entries]
    known = {}
    for problem in sorted(problems, key=lambda problem: (problem.category, problem.index)):
        known.setdefault(problem.category, []).append(problem)
    for mine in known.values():
        if len(mine) != len(golds):
            continue
        own = [gold == stated(one) for gold, one in zip(golds, mine, strict=True)]
        last = [gold == stated(mine[-1]) for gold in golds]
        either = sum(map(max, own, last))
        if either >= SAME_GOLD * len(golds) and sum(own) >= OWN_GOLD * len(golds):
            return mine
    what = f"its {len(golds)} gold answers are not those of a category of the data set"
    raise DamagedFile(f"{file}: {what}{NOTHING_WRITTEN}")


def _row(found: dict, problem: Problem, report: ImportReport) -> dict:
    ok = found["is_success"]
    output = found["exec_output"]
    answers, correct = judged(problem, output if ok else None)
    recorded = found["is_correct"]
    anothers = found["answer"] != stated(problem)
    cut = output is None
    report.shortened += cut
    correct = recorded if cut and not anothers else correct
    if correct != recorded or (cut and anothers):
        by = (
            f", graded against {found['answer']}, the gold answer of another problem; ours is {stated(problem)}"
            * anothers
        )
        why = ", for its output is not kept" * cut
        report.disagreements.append(
            f"{report.log}, problem {problem.index}: recorded as {recorded}{by}, we find {correct}{why}"
        )
    tools = "".join(f"```python\n{tool['function']}\n```\n" for tool in found["function"])
    facts = program_facts(problem, found["solution"], tools, ok, output, answers)
    return facts | {"correct": correct, "shortened": cut}
