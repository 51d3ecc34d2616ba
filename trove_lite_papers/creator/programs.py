"""Programs that GPT wrote by CREATOR's prompts, as CRAFT's repository holds them → candidates with
verdicts of our own.

A record has no verdict and no output: each program runs here, in the sandbox. CRAFT's script names
gpt-3.5-turbo-0613 at temperature 0 and repairs nothing; the records do not say what wrote them, so
that `MODEL` is believed and not known.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypedDict

import pandas as pd

from trove_lite.bars import bar
from trove_lite.candidates import as_arrow, as_frame
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Problem
from trove_lite.datasets.files import json_lines
from trove_lite.errors import DamagedFile
from trove_lite.journal import sha256_of, text_of
from trove_lite.programs import fenced, format_tools, program_of, recorded_sources
from trove_lite.sandbox.pool import Sandbox
from trove_lite.sandbox.worker import Execution
from trove_lite.shapes import misfit
from trove_lite_analysis.recorded.official_files import NOTHING_WRITTEN, program_facts

from .tabmwp import table_text

MODEL = "gpt-3.5-turbo-0613 (believed)"
#: CPU seconds a program. Two of algebra need 6 and 18, and are right: with more time its 0.656 is
#: 0.659.
TIME_LIMIT = 5.0
ASKED = (("math", "algebra"), ("tabmwp", "tabmwp"))
RUN = {"provenance": "recorded", "method": "creator", "seed": 0, "shares_state": False}
RUN |= {"phase": "stream", "mode": "", "place": 0, "sample": 0, "round": 0}


class CreatorRecord(TypedDict):
    question: str
    prediction_code: str
    prediction_call: str


def read_programs(paths: Sequence[Path], folder: Path) -> tuple:
    """A reader of logs, `--format creator`: records → candidates, facts for `run.json`, and no
    lines to print."""
    with Sandbox(time_limit=TIME_LIMIT) as sandbox:
        table = import_creator_programs(paths, sandbox)
        box = sandbox.describe()
    logs = [{"log": str(path), "sha256": sha256_of(path)} for path in paths]
    return table, {"model": [MODEL], "sandbox": box, "logs": logs}, []


def import_creator_programs(files: Sequence[Path], sandbox: Sandbox) -> pd.DataFrame:
    found = creator_records(files)
    given = {dataset: load_dataset(dataset).given for dataset, _ in ASKED}
    programs = [
        program_of(use, recorded_sources(tools), given[p.dataset])
        for p, (tools, use, _) in found.items()
    ]
    with bar(len(programs), "programs") as shown_bar:
        done = zip(found, sandbox.run_many(programs, shown_bar.update), strict=True)
    return as_frame(as_arrow([_row(problem, *found[problem], one) for problem, one in done]))


def creator_records(files: Sequence[Path]) -> dict[Problem, tuple[str, str, str]]:
    """By problem, in order: the tool and the program that calls it, each in a fence, and the file's
    name."""
    known = {
        p.question[3:]: p
        for dataset, category in ASKED
        for p in load_dataset(dataset).load(category)
    }
    found: dict[Problem, tuple[str, str, str]] = {}
    for file in files:
        try:
            records = json_lines(text_of(file))
        except (ValueError, RecursionError) as error:
            raise DamagedFile(f"{file}: not JSON lines ({error}){NOTHING_WRITTEN}") from error
        for number, record in enumerate(records, start=1):
            problem, parts = _read(record, known, f"{file}, line {number}")
            if problem in found:
                raise DamagedFile(
                    f"{file}, line {number}: its question is answered before{NOTHING_WRITTEN}"
                )
            found[problem] = (*parts, file.stem)
    return dict(
        sorted(found.items(), key=lambda item: (item[0].dataset, item[0].category, item[0].index))
    )


def _read(record: Any, known: dict, where: str) -> tuple[Problem, tuple[str, str]]:
    if fault := misfit(record, CreatorRecord):
        raise DamagedFile(f"{where}: {fault}: no record of CREATOR's programs{NOTHING_WRITTEN}")
    problem = known.get(
        (record["question"], table_text(record["table"]) if "table" in record else "")
    )
    if problem is None:
        asked = " or ".join(map(" ".join, ASKED))
        raise DamagedFile(f"{where}: no question of {asked}{NOTHING_WRITTEN}")
    return problem, (format_tools([record["prediction_code"]]), fenced(record["prediction_call"]))


def _row(problem: Problem, tools: str, solution: str, run: str, done: Execution) -> dict:
    dataset = load_dataset(problem.dataset)
    ok = done.status == "ok"
    answers = dataset.read(done.output) if ok else []
    facts = program_facts(
        problem, solution, tools, ok, done.output.strip() if ok else done.error, answers
    )
    verdict = {
        "correct": dataset.correct(answers, problem.gold),
        "shortened": False,
        "status": done.status,
    }
    return RUN | {"model": MODEL, "run": run} | facts | verdict
