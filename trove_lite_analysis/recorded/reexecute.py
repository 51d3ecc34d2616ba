"""A run's programs again, here: does the record hold, and how much time do programs need?

What a method put around a program no table says: the journals tell it (`live.programs_of`), or
`replay` finds what the toolbox held."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, TypedDict

import pandas as pd

from trove_lite.bars import bar
from trove_lite.candidates import (
    MISSING,
    all_candidates,
    fingerprint,
    load_candidates,
    read_description,
    save_csv,
    save_run,
)
from trove_lite.datasets import grader_of, load_dataset, load_problems
from trove_lite.datasets.base import Dataset, Problem, refuse_eyes
from trove_lite.errors import TroveLiteError, UsageError
from trove_lite.journal import Journal, locked, on_disk
from trove_lite.judge.answers import graded
from trove_lite.methods import METHODS, load_method
from trove_lite.methods.trove import TroveSettings
from trove_lite.programs import Tool, code_of, operations, program_of, recorded_sources
from trove_lite.running.live import programs_of
from trove_lite.running.replay import played_back, stated_settings
from trove_lite.sandbox.pool import Sandbox
from trove_lite.sandbox.worker import Execution
from trove_lite.shapes import refuse_misfits

from .agreement import Agreement, compare
from .official_files import IMPORT

STREAM = ["run", "method", "seed", "dataset", "category"]
#: What an execution changes in a candidate's row.
CHANGED = [
    "status",
    "output",
    "error",
    "answers",
    "answer",
    "correct",
    "operations",
    "execute_seconds",
]
Stated = Mapping[str, TroveSettings]
Told = Sequence[str | None]
NOTHING_RAN = (*MISSING, "no_code")  # a live run's samples without a program


def reexecute(
    candidates: pd.DataFrame,
    programs: Sequence[str],
    sandbox: Sandbox,
    known_timeouts: Sandbox,
    *,
    journal: Path,
    grader: str | None = None,
    runs: Sequence[str | Path] = (),
) -> tuple[pd.DataFrame, Agreement]:
    """Run every candidate's program, one a row, in `sandbox`; returns the new candidates and how
    far both agree.

    Equal programs run once, for seeds are pinned; those that ran out of time in the record run
    last, in `known_timeouts`. Words that answer without a program are judged again. journal: a file
    that keeps each execution as it ends, which then does not run again. grader, runs: of a file's
    problems (`load_dataset`). `execute_seconds` of the new table are CPU seconds. Raises
    TroveLiteError where the problems are not at hand."""
    problems = problems_of(candidates, runs)
    jobs = [
        Job(program, tuple(problem.files.items()))
        for program, problem in zip(programs, problems, strict=True)
    ]
    in_words = (candidates["status"] == "ok") & (pd.Series(programs, candidates.index) == "")
    ran = ~candidates["status"].isin(NOTHING_RAN) & ~in_words
    slow = {
        job for job, status in zip(jobs, candidates["status"], strict=True) if status == "timeout"
    }
    distinct = dict.fromkeys(job for job, one_ran in zip(jobs, ran, strict=True) if one_ran)
    quick, late = (
        [job for job in distinct if (job in slow) == is_late] for is_late in (False, True)
    )
    executions = execute_all([(sandbox, quick), (known_timeouts, late)], journal)
    datasets = {
        name: load_dataset(name, grader, runs=runs) for name in candidates["dataset"].unique()
    }
    rows = []
    for old, job, one_ran, problem, said in zip(
        candidates.itertuples(), jobs, ran, problems, in_words, strict=True
    ):
        ended = executions[job] if one_ran else old
        rows.append(
            graded_row(ended, old.solution, problem, datasets[old.dataset])
            if one_ran or said
            else None
        )
    new = candidates.assign(provenance="re-executed", shortened=False)
    for place, column in enumerate(CHANGED):
        values = [
            old if row is None else row[place]
            for row, old in zip(rows, candidates[column], strict=True)
        ]
        kind = candidates[column].dtype
        kind = (
            object if isinstance(kind, pd.CategoricalDtype) else kind
        )  # a record knows fewer ways to end
        new[column] = pd.Series(values, index=new.index, dtype=object).astype(kind)
    return new, compare(candidates, new, programs)


def recorded_programs(
    candidates: pd.DataFrame, settings: Stated | None = None, told: Told = ()
) -> list[str]:
    """The program behind each candidate: what its data set gives to all, the toolbox as it stood
    then, its own code.

    settings: those of live TROVE runs, by run; other runs are the official program's. told: what
    journals tell of it (`programs_of`). What a shortened record does not let decide runs with the
    toolbox as it was last. Raises TroveLiteError for a program that neither holds."""
    libraries = libraries_of(candidates, settings)
    given = {name: given_to_all(name) for name in candidates["dataset"].unique()}
    compose = {name: composer(name) for name in candidates["method"].astype(str).unique()}
    nothing_ran = (candidates["provenance"] == "live") & candidates["execute_seconds"].isna()
    programs: list = [*told] or [None] * len(candidates)
    for place, (row, none) in enumerate(zip(candidates.itertuples(), nothing_ran, strict=True)):
        if programs[place] is None and (none or compose[row.method]):
            parts = (
                row.solution,
                recorded_sources(row.tools),
                (*given[row.dataset], *libraries.get(row.Index, ())),
            )
            programs[place] = "" if none else compose[row.method](*parts)
        if programs[place] is None:
            lacks = "a table of candidates does not hold what this method runs, and no journal is beside it"
            raise TroveLiteError(f"{row.method}: {lacks}; name runs of other methods")
    return programs


def libraries_of(
    candidates: pd.DataFrame, settings: Stated | None = None
) -> dict[int, tuple[str | Tool, ...]]:
    """Row → what TROVE's toolbox held when the row's IMPORT program ran, in its order; nothing for
    other methods.

    settings: as of `recorded_programs`.
    """
    libraries = {}
    for (run, *_), rows in candidates.groupby(STREAM, sort=False, observed=True):
        if (rows["mode"] == IMPORT).any():
            library = ()
            for attempt, recorded in played_back(
                rows.assign(_row=rows.index), (settings or {}).get(run)
            ):
                if attempt.mode == IMPORT:
                    library = attempt.library
                libraries |= {row["_row"]: attempt.library for row in recorded}
            libraries |= {
                index: library
                for index in rows.index[rows["mode"] == IMPORT]
                if index not in libraries
            }
    return libraries


def composer(method: str) -> Callable[..., str] | None:
    """How programs of a method, as tables call it, are put together from rows (`Method.program`);
    None: they cannot."""
    names = (name for name in METHODS if method == name or method.startswith(f"{name}_"))
    known = max(names, key=len, default="")
    return load_method(known).program if known else program_of


def given_to_all(dataset: str) -> tuple[str, ...]:
    """What every program of a data set begins with; nothing for a file of one's own, which a table
    names bare."""
    return () if dataset.endswith(".jsonl") else load_dataset(dataset).given


class Ended(TypedDict):
    """A line of the journal."""

    program: int
    execution: Execution


class Job(NamedTuple):
    """A program, with what it may read: the names that it opens and the files behind them."""

    program: str
    files: tuple[tuple[str, Path], ...] = ()

    @property
    def key(self) -> int:
        """What a journal knows it by, wherever the data folder is."""
        return fingerprint(
            self.program,
            "\n".join(name for name, _ in self.files),
        )


def execute_all(parts: Sequence[tuple[Sandbox, list[Job]]], path: Path) -> dict[Job, Execution]:
    """Run, sandbox by sandbox, what the journal at `path` does not hold yet, and keep it there."""
    with closing(Journal(path)) as journal:
        about = [
            {k: v for k, v in box.describe().items() if k not in ("workers", "message")}
            for box, _ in parts
        ]
        if not journal.records:
            journal.append({"sandboxes": about})
        elif journal.records[0] != {"sandboxes": about}:
            raise UsageError(
                f"{path}: begun with other limits, isolation or libraries; choose another --out"
            )
        refuse_misfits(journal.records[1:], Ended, path, first=2)
        known = {
            record["program"]: Execution(*record["execution"]) for record in journal.records[1:]
        }
        for box, jobs in parts:
            missing = [job for job in jobs if job.key not in known]

            def keep(number: int, execution: Execution, missing: list[Job] = missing) -> None:
                known[missing[number].key] = execution
                journal.append({"program": missing[number].key, "execution": execution})

            programs = [job.program for job in missing]
            files = [dict(job.files) for job in missing]
            with bar(len(programs), "programs", enabled=len(missing) > 0) as shown_bar:
                box.run_many(programs, shown_bar.update, done=keep, files=files)
    return {job: known[job.key] for _, jobs in parts for job in jobs}


def problems_of(candidates: pd.DataFrame, runs: Sequence[str | Path] = ()) -> list[Problem]:
    """The problem of each candidate of these runs."""
    pairs = candidates[["dataset", "category"]].drop_duplicates().itertuples(index=False)
    known = {
        (p.dataset, p.category, p.index): p
        for pair in pairs
        for p in load_problems(*pair, runs=runs)
    }
    keys = [*candidates[["dataset", "category", "problem"]].itertuples(index=False, name=None)]
    if gone := sorted(set(keys) - set(known)):
        dataset, category, index = gone[0]
        raise TroveLiteError(
            f"{dataset}: has no problem {index} of {category} any more; name the problems of the run"
        )
    return [known[key] for key in keys]


def graded_row(
    execution: Execution | tuple, solution: str, problem: Problem, dataset: Dataset
) -> tuple:
    """What an execution, or else the row itself, makes of a candidate's row: the columns
    `CHANGED`."""
    # as the official program keeps it
    ok = execution.status == "ok"
    output = execution.output.strip()
    answers = []
    right = False
    if ok:
        answers, right = dataset.judge_output(output, problem.question, problem.gold)
    count = operations(code_of(solution)) if answers else None
    verdict = graded(answers), right
    return (
        execution.status,
        output,
        execution.error or None,
        answers,
        *verdict,
        count,
        getattr(execution, "cpu", None),
    )


def reexecute_runs(
    runs: Sequence[str | Path],
    out: Path,
    *,
    known_timeouts: float,
    vision: str | None = None,
    **limits: object,
) -> tuple[pd.DataFrame, Agreement]:
    """`reexecute` from run folders into the run folder `out`, in sandboxes with these limits;
    resumable.
    known_timeouts: CPU seconds of programs that ran out of time in the record. vision: who looks at
        images. Raises
    TroveLiteError where neither table nor journal holds a run's programs, or they cannot be
    confined as asked."""
    candidates = all_candidates(load_candidates(*runs))
    if "solution" not in candidates:
        raise TroveLiteError(f"{runs[0]}: outcomes hold no programs; name a run folder with text")
    limits["vision"] = None
    for name in candidates["dataset"].unique():
        looks = None if name.endswith(".jsonl") else load_dataset(name).looks
        refuse_eyes(name, looks, vision)
        limits["vision"] = limits["vision"] or (looks and looks(vision))
    programs = recorded_programs(
        candidates, stated_settings(runs), programs_of(candidates, runs, vision)
    )
    journal = out / "executions.jsonl"
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    with (
        locked(out),
        Sandbox(**limits) as sandbox,
        Sandbox(**limits | {"time_limit": known_timeouts}) as slow,
    ):
        (grader, *others) = {grader_of(read_description(run).get("settings") or {}) for run in runs}
        if others and candidates["dataset"].str.endswith(".jsonl").any():
            raise TroveLiteError("runs judged by different graders: re-execute one after another")
        new, agreement = reexecute(
            candidates, programs, sandbox, slow, journal=journal, grader=grader, runs=runs
        )
        isolation = sandbox.describe() | {"known_timeouts": known_timeouts}
    save_csv(agreement.shares, out / "agreement.csv", float_format="%.6g")
    save_csv(agreement.disagreements, out / "disagreements.csv")
    about = {"kind": "reexecute", "runs": list(map(str, runs)), "sandbox": isolation}
    save_run(out, new, about | {"agreement": agreement.shares.to_dict("records")})
    journal.unlink()  # only now: until here, the same command goes on where it was
    return new, agreement
