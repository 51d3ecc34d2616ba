"""What files of the official program have in common: names, columns, what an import says of each, and toolboxes."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd

from ..candidates import fingerprint
from ..datasets.answers import graded
from ..datasets.base import Problem
from ..errors import DamagedFile, TroveLiteError
from ..journal import text_of
from ..programs import Tool, code_of, operations, plain_name
from ..programs.parse import parse_tools

RUN_FOLDER = re.compile(r"(run|seed)[-_]?\d+$")
#: What an execution that ran out of time left as its output.
TIMEOUT = "Timeout detected in running subprocess"
NOTHING_WRITTEN = "; nothing was written"
RULE = "two_stage"  # by which the program selects
DELIMITER = "# %%"  # begins each tool of a library file


@dataclass
class ImportReport:
    """What was read from one file, and where its record and our grading differ. Of a file of `selected` answers alone,
    `recorded_correct` counts those that are right as the record says, `correct` by our grading, and `tools` and
    `functions` what the library beside it holds; all are null for a log."""

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
    """Reports as a table: a row a file, `kind` saying what it holds, with the number of `disagreements`."""
    table = pd.DataFrame([vars(report) for report in reports]).drop(columns="log")
    table.insert(3, "kind", table.pop("selected").map({True: "selected answers", False: "candidates"}))
    return table.assign(disagreements=table["disagreements"].map(len)).convert_dtypes()


def run_of(file: Path) -> str:
    """A short name for a file's run: the folder that names it in the official layout, else the file."""
    folder = next((part for part in reversed(file.parent.parts) if RUN_FOLDER.search(part)), "")
    return folder if folder.endswith(file.stem) else "_".join(filter(None, [folder, file.stem]))


def tell_apart(reports: Sequence[ImportReport]) -> list[str]:
    """Run names that differ within a category: where files share one, the folder in which they differ comes first."""
    names = []
    for report in reports:
        kind = (report.run, report.category, report.selected)
        twins = [r for r in reports if (r.run, r.category, r.selected) == kind and r is not report]
        others = {part for twin in twins for part in Path(twin.log).absolute().parts}
        own = [part for part in Path(report.log).absolute().parts[:-1] if part not in others]
        if twins and not own:
            raise TroveLiteError(f"{report.log}: given twice; name each log once")
        names.append(f"{own[-1]}_{report.run}" if twins else report.run)
    return names


def run_facts(file: Path, report: ImportReport, provenance: str) -> dict:
    """The columns that all rows of a file have alike. The official layout keeps the model's name as a folder."""
    model = next((part for part in file.parts if "Llama" in part and not part.startswith("output_")), "unknown")
    whose = {"model": model, "provenance": provenance, "run": report.run, "method": report.method}
    return whose | {"seed": seed_of(file), "shares_state": True, "selection": RULE, "round": 0}


def program_facts(problem: Problem, solution: str, tools: str, ok: bool, output: str | None, answers: list) -> dict:
    """The columns of a row that say what one program is, and how it ended: `output` is its error where it failed."""
    asked = {"dataset": problem.dataset, "category": problem.category, "problem": problem.index, "level": problem.level}
    ran = {"program": fingerprint(solution, tools), "solution": solution, "tools": tools}
    ran |= {"status": "ok" if ok else "timeout" if TIMEOUT in (output or "") else "error"}
    ran |= {"output": (output or "") if ok else "", "error": None if ok else output}
    size = operations(code_of(solution)) if ok and answers else None
    return asked | ran | {"answers": answers, "answer": graded(answers), "operations": size}


def seed_of(file: Path) -> int:
    """The number that ends the file's name; 0 where there is none."""
    seed = re.search(r"(?<!\d)(\d{1,9})$", file.stem)
    return int(seed[1]) if seed else 0


def kept_tools(reports: Iterable[ImportReport]) -> list[dict]:
    """The tools that runs ended with, in the order of their library files, of the runs that have one, each once."""
    kept = {}
    for report in reports:
        file = Path(report.log)
        about = {"seed": seed_of(file), "run": report.run, "method": report.method, "category": report.category}
        for rank, tool in enumerate(read_library(library) if (library := library_of(file)) else (), start=1):
            told = about | {"rank": rank, "name": plain_name(tool.name), "signature": tool.signature}
            kept.setdefault((report.run, report.category, rank), told)
    return list(kept.values())


def library_of(file: Path) -> Path | None:
    """The library file of the run whose log or results this is, in the official layout; None where there is none."""
    layout = re.fullmatch(r"(.*/|)(?:log|results)(/.*)", file.as_posix(), re.DOTALL)
    library = Path(f"{layout[1]}library{layout[2]}").with_suffix(".json") if layout else None
    return library if library and library.is_file() else None


def read_library(file: Path) -> tuple[Tool, ...]:
    """The tools of a library file, which is Python with a line `# %% DOCSTRING (KIND)` before each."""
    head, *parts = f"\n{text_of(file)}".split(f"\n{DELIMITER}")
    if head.strip():
        raise DamagedFile(f"{file}: does not begin with '{DELIMITER}', so it is no library of TroVE's program")
    tools = [parse_tools(f"```python\n{code}\n```") for code in (part.partition("\n")[2] for part in parts)]
    return tuple(found[0] for found in tools if found)
