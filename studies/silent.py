"""A run's programs again with tools that are not heard: same replies, same toolbox; only what
loading prints is lost.

TroVE's released program puts the text of all kept functions before each program that may import.
Where a function's text ends with its own call, that call prints before the program does. `python -m
studies silent STUDY.toml` runs the programs again that ran with a kept function, with the toolbox
loaded unheard, and keeps what they answer then in `silent.parquet`. No model is asked.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from trove_lite.candidates import load_candidates
from trove_lite.datasets import load_dataset
from trove_lite.programs import Tool, program_of, recorded_sources
from trove_lite.running.replay import stated_settings
from trove_lite.sandbox.pool import Sandbox
from trove_lite_analysis.recorded.reexecute import (
    CHANGED,
    Job,
    execute_all,
    given_to_all,
    graded_row,
    libraries_of,
    problems_of,
)

from .bench import Part
from .plan import Study

TABLE = "silent.parquet"
KEY = ["seed", "category", "problem", "mode", "sample"]
#: What is kept of an execution.
ANSWERED = ["status", "answers", "answer", "correct", "operations"]
QUIET = """\
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()):
    exec(compile({library!r}, "toolbox", "exec"), globals())
"""


def quiet(solution: str, tools: Sequence[str], library: Sequence[str | Tool]) -> str:
    """The released program's program, but that nobody hears what its library prints while it
    loads."""
    loaded = QUIET.format(library=program_of("", (), library))
    return loaded + program_of(solution, tools)


def silent(study: Study, place: Path) -> pd.DataFrame:
    """The programs of a folder of results that ran with a kept function, as they answer where no
    tool is heard."""
    names = [part.name for part in study.parts if "one answer" in part.counted]  # a tool prints
    runs = [place / "runs" / name for name in names]
    return pd.concat(
        [again(run).assign(part=run.name) for run in runs if run.is_dir()],
        ignore_index=True,
    )


def again(run: Path, time_limit: float = 10.0) -> pd.DataFrame:
    """A run's programs with a kept function, executed once more; a killed call goes on where it
    was."""
    rows = load_candidates(run)
    rows = rows[rows["phase"] == "stream"].reset_index(drop=True)
    libraries = libraries_of(rows, stated_settings([run]))
    with_code = {index for index, tools in libraries.items() if any(map(defines, tools))}
    heard = rows[rows.index.isin(with_code)]
    dataset = load_dataset(heard["dataset"].iloc[0])
    given = given_to_all(dataset.name)
    jobs = [
        Job(quiet(row.solution, recorded_sources(row.tools), (*given, *libraries[row.Index])))
        for row in heard.itertuples()
    ]
    journal = run.with_name(f"{run.name}-silent.jsonl")
    with Sandbox(time_limit=time_limit) as sandbox:
        ended = execute_all([(sandbox, list(dict.fromkeys(jobs)))], journal)
    journal.unlink()
    found = [
        dict(zip(CHANGED, graded_row(ended[job], row.solution, problem, dataset), strict=True))
        for row, job, problem in zip(heard.itertuples(), jobs, problems_of(heard), strict=True)
    ]
    table = pd.DataFrame(found, index=heard.index)[ANSWERED]
    return heard[KEY].astype({"category": str, "mode": str}).join(table)


def defines(tool: str | Tool) -> bool:
    """Whether it is more than an import."""
    return "def " in (tool if isinstance(tool, str) else tool.source)


def unheard(part: Part, table: pd.DataFrame) -> Part:
    """A part with these programs' answers in place of those that begin with what a tool printed."""
    own = table[table["part"] == part.name].set_index(KEY)[ANSWERED]
    rows = part.candidates.astype({"category": str, "mode": str, "status": str})
    rows = rows.reset_index(drop=True)
    places = pd.Series(rows.index, pd.MultiIndex.from_frame(rows[KEY]))
    for column in ANSWERED:
        values = rows[column].astype(object).copy()
        values[places[own.index].to_numpy()] = own[column].to_list()
        rows[column] = values.astype(rows[column].dtype)
    return part._replace(candidates=rows)
