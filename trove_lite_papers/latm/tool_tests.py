"""A tool for a whole task, on its author's own test cases and on questions whose labels its maker
never saw.

Both are on record; no model is asked. A maker sees labelled problems, a verifier writes tests, and
the text of the tool holds use cases, which its user reads. `trove-lite calls` asks for it (entry
point `trove_lite.calls`).
"""

import ast
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite.candidates import read_description
from trove_lite.datasets.base import Dataset, Problem
from trove_lite.journal import on_disk, write_atomically
from trove_lite.methods.base import Attempt
from trove_lite.programs import code_of, fenced
from trove_lite.programs.calling import TESTS, parsed
from trove_lite.programs.definitions import definitions
from trove_lite.running.given import load_given
from trove_lite.running.live import recorded_streams
from trove_lite.sandbox.pool import Sandbox
from trove_lite_analysis.recorded.reexecute import CHANGED, graded_row

CORRECT = CHANGED.index("correct")
COLUMNS = ["part", "method", "category", "seed", "tool"]
COLUMNS += ["tests", "tests passed", "cases", "cases right", "uses", "uses right"]
VERIFIER = "verifier"
USER = "user"
#: A use case: what is asked, and the block that calls the tool.
CASE = re.compile(r"Question:((?:(?!```|Question:).)*)```python\n(.*?)```", re.DOTALL)
#: In what a maker's copy of a question may differ from it.
BLANK = re.compile(r"[\s.]+")


class Trial(NamedTuple):
    """A program to run; `problem`: whose gold judges it, None of a test, which need only end."""

    program: str
    problem: Problem | None = None


def tool_tests(
    runs: Sequence[str | Path],
    programs: pd.DataFrame,
    out: Path,
    *,
    vision: str | None = None,
    **limits: object,
) -> None:
    """Write TESTS into the folder `out`: a row a task's tool in these live runs, the one that its
    programs could call.

    `tests`: assertions of the last tests that its verifier wrote, each run alone after the
    function; null where these are not on record. `cases`: use cases in the tool's text that hold a
    labelled question whole; `cases right`, by the data set's own judge. `uses`: programs that call
    the tool on a tested question. programs: of `tool_calls`. limits: of the sandbox. Without a row
    there is no file.
    """
    rows = []
    trials = []
    for run in map(Path, runs):
        kept = [
            one
            for one in read_description(run).get("toolboxes") or ()
            if one.get("tool") is not None
        ]
        for stream, dataset, settings in (
            recorded_streams([run], vision, load_given) if kept else ()
        ):
            named = {"method": stream.table_name, "category": stream.category, "seed": stream.seed}
            texts = [one["tool"] for one in kept if named.items() <= one.items()]
            number = next((place for place, text in enumerate(texts) if text), -1)
            block = definitions(code_of(texts[number])) if number >= 0 else None
            if not block:
                continue
            tests, found = _on_record(stream, dataset, settings.parser, number, texts[number])
            trials += [(len(rows), dataset, trial) for trial in found]
            counted = {} if tests is None else {"tests": 0, "tests passed": 0}
            about = {"part": run.name, **named, "tool": ", ".join(one.name for one in block.tools)}
            rows.append(about | counted | {"cases": 0, "cases right": 0} | _uses(about, programs))
    if trials:
        with Sandbox(**limits) as sandbox:
            ended = sandbox.run_many([trial.program for *_, trial in trials], progress=False)
    for (row, dataset, trial), execution in zip(trials, ended if trials else (), strict=True):
        kind, good = ("cases", "cases right") if trial.problem else ("tests", "tests passed")
        rows[row][kind] += 1
        passes = execution.status == "ok"  # a test need only end
        if trial.problem:
            passes = bool(graded_row(execution, "", trial.problem, dataset)[CORRECT])
        rows[row][good] += int(passes)
    with on_disk(out):
        if rows:
            table = (
                pd.DataFrame(rows)
                .reindex(columns=COLUMNS)
                .astype(dict.fromkeys(COLUMNS[5:], "Int64"))
            )
            write_atomically(out / TESTS, partial(table.to_csv, index=False, lineterminator="\n"))
        else:
            (out / TESTS).unlink(missing_ok=True)


def _on_record(
    stream, dataset: Dataset, parser: str, number: int, text: str
) -> tuple[str | None, list[Trial]]:
    """The tests of the tool that this trial made, and what of them and of the tool's use cases is
    to be run."""
    user = None
    tests = None
    for asked, record in stream.played(dataset, parser):
        if isinstance(asked, Attempt) and asked.role == VERIFIER and asked.samples.start == number:
            tests = record.program(asked, dataset, parser, stream.isolated) or ""
        elif isinstance(asked, Attempt) and asked.role == USER and asked.compose:
            user = asked
    labelled = dataset.examples(stream.category) if dataset.examples else stream.examples
    found = [Trial(program) for program in apart(tests or "")]
    found += [
        Trial(user.compose(fenced(code)), problem)
        for problem, code in cases(text, labelled)
        if user
    ]
    return tests, found


def apart(program: str) -> Iterator[str]:
    """A program of tests once for each assertion of its own that is outside functions, without
    the others.

    Its last one, that some assertion was reached, is none of these; where there is no other the
    program is one test.
    """
    body = parsed(program)
    places = [place for place, node in enumerate(body) if isinstance(node, ast.Assert)]
    for place in places[:-1] or places:
        kept = [
            node
            for at, node in enumerate(body[: place + 1])
            if at == place or not isinstance(node, ast.Assert)
        ]
        yield ast.unparse(ast.Module(kept, []))


def cases(text: str, labelled: Sequence[Problem]) -> Iterator[tuple[Problem, str]]:
    """The use cases in a tool's text whose question is one of these labelled problems, with their
    code."""
    for asked, code in CASE.findall(text):
        told = BLANK.sub("", asked)
        found = next((one for one in labelled if BLANK.sub("", one.question.text) in told), None)
        if found:
            yield found, code


def _uses(about: dict, programs: pd.DataFrame) -> dict:
    keys = ["part", "method", "category", "seed"]
    same = (programs[keys] == [about[key] for key in keys]).all(axis=1)
    calling = programs[same & (programs["tools"].str.len() > 0)]
    return {
        "uses": len(calling),
        "uses right": int(calling["correct"].fillna(False).astype(bool).sum()),
    }
