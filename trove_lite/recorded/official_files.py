"""What runs of the official program are called in its folders, and what an import says of each of its files."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ..candidates import fingerprint
from ..datasets.answers import graded
from ..datasets.base import Problem
from ..errors import DamagedFile, TroveLiteError
from ..programs import code_of, operations

RUN_FOLDER = re.compile(r"(run|seed)[-_]?\d+$")
#: What an execution that ran out of time left as its output.
TIMEOUT = "Timeout detected in running subprocess"
NOTHING_WRITTEN = "; nothing was written"
RULE = "two_stage"  # by which the program selects


@dataclass
class ImportReport:
    """What was read from one file, and where its record and our grading differ.

    `selected`: whether the file holds the selected answers alone. Then `recorded_correct` counts the problems whose
    selected answer is right as the record says, `correct` by our grading, and `tools` and `functions` what the run's
    toolbox held at its end, where that lies beside the file; they are null for a log, which does not say.
    """

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
        right = f", {self.recorded_correct} recorded as correct, {self.correct} by our grading" if self.selected else ""
        return (
            f"{self.run} {self.category}: {self.problems} problems, {self.candidates} "
            f"{'selected answers' if self.selected else 'candidates'}{right} ({self.retried} of problems solved again, "
            f"{self.shortened} with a shortened output), {len(self.disagreements)} disagreements with our grading"
        )


def as_table(reports: Sequence[ImportReport]) -> pd.DataFrame:
    """Reports as a table: a row a file, `kind` saying what it holds, with the number of `disagreements`."""
    table = pd.DataFrame([vars(report) for report in reports]).drop(columns="log")
    kinds = table.pop("selected").map({True: "selected answers", False: "candidates"})
    table.insert(3, "kind", kinds)
    return table.assign(disagreements=table["disagreements"].map(len)).convert_dtypes()


def run_of(file: Path) -> str:
    """A short name for a file's run: the folder that names it in the official layout, else the file."""
    folder = next((part for part in reversed(file.parent.parts) if RUN_FOLDER.search(part)), "")
    return folder if folder.endswith(file.stem) else "_".join(filter(None, [folder, file.stem]))


def tell_apart(reports: Sequence[ImportReport]) -> list[str]:
    """Run names that differ within a category: where two files of a kind share one, the folder in which they differ
    comes first.

    Raises TroveLiteError where the same file is given twice.
    """
    names = []
    for report in reports:
        kind = (report.run, report.category, report.selected)
        twins = [r for r in reports if (r.run, r.category, r.selected) == kind and r is not report]
        others = [set(Path(twin.log).absolute().parts) for twin in twins]
        own = [p for p in Path(report.log).absolute().parts[:-1] if not any(p in parts for parts in others)]
        if twins and not own:
            raise TroveLiteError(f"{report.log}: given twice; name each log once")
        names.append(f"{own[-1]}_{report.run}" if twins else report.run)
    return names


def run_facts(file: Path, run: str, method: str, provenance: str) -> dict:
    """The columns that all rows of a file have alike. The official layout keeps the model's name as a folder."""
    return {
        "model": next((part for part in file.parts if "Llama" in part and not part.startswith("output_")), "unknown"),
        "provenance": provenance,
        "run": run,
        "method": method,
        "seed": seed_of(file),
        "shares_state": True,
        "selection": RULE,
        "round": 0,
    }


def program_facts(
    problem: Problem,
    *,
    solution: str,
    tools: str,
    ok: bool,
    output: str | None,
    answers: list[str],
    correct: bool,
    shortened: bool,
) -> dict:
    """The columns of a row that say what one program is, and how it ended: `output` is its error where it failed."""
    return {
        "dataset": problem.dataset,
        "category": problem.category,
        "problem": problem.index,
        "level": problem.level,
        "program": fingerprint(solution, tools),
        "solution": solution,
        "tools": tools,
        "status": "ok" if ok else "timeout" if TIMEOUT in (output or "") else "error",
        "output": (output or "") if ok else "",
        "error": None if ok else output,
        "shortened": shortened,
        "answers": answers,
        "answer": graded(answers),
        "correct": correct,
        "operations": operations(code_of(solution)) if ok and answers else None,
    }


def seed_of(file: Path) -> int:
    """The number that ends the file's name; 0 where there is none."""
    seed = re.search(r"(?<!\d)(\d{1,9})$", file.stem)
    return int(seed[1]) if seed else 0


def text_of(file: Path) -> str:
    """A file's text. Raises DamagedFile where it cannot be read or is none."""
    try:
        return file.read_bytes().decode("utf-8").replace("\r\n", "\n")
    except OSError as error:
        raise DamagedFile(f"{file}: cannot be read ({error.strerror}); check the path") from error
    except UnicodeDecodeError as error:
        raise DamagedFile(f"{file}: not UTF-8 text (byte {error.start}), so not a log") from error
