"""A run's programs again, here: does the record hold, and how much time do programs need?

An IMPORT sample ran with every tool that the toolbox held at that problem, which no table says: `replay` finds it. The
result is a candidates table like the one that came in, and an account of where both differ and why. It generates and
selects nothing new.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from ..candidates import MISSING, all_candidates, fingerprint, load_candidates, save_run
from ..datasets import load_dataset, load_problems
from ..datasets.answers import graded
from ..datasets.base import Dataset, Problem
from ..errors import TroveLiteError, encodable
from ..journal import Journal, locked, on_disk
from ..methods import METHODS, load_method
from ..methods.trove import TroveSettings
from ..programs import code_of, operations, program_of, recorded_sources
from ..sandbox.pool import Sandbox
from ..sandbox.worker import Execution
from .replay import played_back, stated_settings, with_isolated_tools

STREAM = ["run", "method", "seed", "dataset", "category"]
NOTHING_RAN = (*MISSING, "no_code")  # a live run's samples without a program

_CLOCK = re.compile(r"\b(?:now|today|utcnow|localtime|gmtime|time|perf_counter|monotonic|ctime)\(\s*\)")
_CHANCE = re.compile(r"\brandom\b|\bshuffle\b|\brandint\b|\bsecrets\b|\buuid")
_VERSION = re.compile(
    r"No module named|has no attribute|cannot import name|unexpected keyword argument|NotImplementedError"
)
_LIBRARY = re.compile(r"sympy|numpy|scipy|pandas|matplotlib|mpmath")


class Agreement(NamedTuple):
    """How far a re-execution agrees with the record.

    `shares`: a row for each category and `all`, with the number of candidates that agree in `status` (`ok`, `timeout`,
    or failed in any other way) of all `candidates`, and in `answer` (the one that is graded) and `verdict` of the
    `compared`: those whose record is whole and whose program does not look at the clock.
    `disagreements`: a row for each candidate that differs in any of the three, with its cause.
    """

    shares: pd.DataFrame
    disagreements: pd.DataFrame

    def __str__(self) -> str:
        total = self.shares.set_index("category").loc["all"]
        causes = ", ".join(f"{count} {cause}" for cause, count in self.disagreements["cause"].value_counts().items())
        return (
            f"agreement: status {100 * total['status'] / max(total['candidates'], 1):.2f} % of {total['candidates']}, "
            f"answer {100 * total['answer'] / max(total['compared'], 1):.2f} % and verdict "
            f"{100 * total['verdict'] / max(total['compared'], 1):.2f} % of {total['compared']}; "
            f"{len(self.disagreements)} candidates differ ({causes or 'none'})"
        )


def reexecute(
    candidates: pd.DataFrame,
    sandbox: Sandbox,
    *,
    settings: Mapping[str, TroveSettings] | None = None,
    known_timeouts: Sandbox | None = None,
    journal: Path | None = None,
    progress: bool = True,
) -> tuple[pd.DataFrame, Agreement]:
    """Run every candidate's program in `sandbox`; returns the new candidates and how far they agree with these.

    Rows must be in the order of problems, all of a run's together. Equal programs run once: seeds are pinned.
    `known_timeouts`: where programs run, last, that ran out of time in the record (None: in `sandbox` too); one in a
    hundred does, and with a limit of 30 s they take nine tenths of the time.
    `journal`: a file that keeps each execution as it ends; those that it holds already do not run again.
    `execute_seconds` of the new table are CPU seconds. Raises TroveLiteError where the problems are not at hand.
    """
    programs = recorded_programs(candidates, settings)
    problems = _problems(candidates)
    jobs = [Job(program, tuple(problem.files.items())) for program, problem in zip(programs, problems, strict=True)]
    ends = list(zip(jobs, candidates["status"], strict=True))
    slow = {job for job, status in ends if status == "timeout"}
    distinct = dict.fromkeys(job for job, status in ends if status not in NOTHING_RAN)
    parts = [
        (sandbox, [job for job in distinct if job not in slow]),
        (known_timeouts or sandbox, [job for job in distinct if job in slow]),
    ]
    executions = _execute(parts, journal, progress)
    new = candidates.copy()
    new["provenance"], new["shortened"] = "re-executed", False
    datasets = {name: load_dataset(name) for name in candidates["dataset"].unique()}
    rows = [
        Outcome(*(getattr(old, name) for name in Outcome._fields))
        if old.status in NOTHING_RAN
        else _graded(executions[job], old.solution, problem.gold, datasets[old.dataset])
        for old, job, problem in zip(candidates.itertuples(), jobs, problems, strict=True)
    ]
    for column, values in zip(rows[0]._fields if rows else (), zip(*rows, strict=True), strict=True):
        kind = candidates[column].dtype
        kind = object if isinstance(kind, pd.CategoricalDtype) else kind  # a record knows fewer ways to end
        new[column] = pd.Series(list(values), index=new.index).astype(kind)
    return new, compare(candidates, new, programs)


def recorded_programs(candidates: pd.DataFrame, settings: Mapping[str, TroveSettings] | None = None) -> list[str]:
    """The program behind each candidate: what its data set gives to all, the toolbox as it stood then, its own code.

    `settings`: those of live TROVE runs, by run; the other runs are the official program's. What a record does not let
    decide, for it is shortened, runs with the toolbox as it was last.
    """
    libraries: dict[int, tuple[str, ...]] = {}
    for (run, *_), rows in candidates.groupby(STREAM, sort=False, observed=True):
        if (rows["mode"] == "import").any():
            library = ()
            for attempt, recorded in played_back(rows.assign(_row=rows.index), (settings or {}).get(run)):
                if attempt.mode == "import":
                    library = attempt.library
                libraries |= {row["_row"]: attempt.library for row in recorded}
            libraries |= {index: library for index in rows.index[rows["mode"] == "import"] if index not in libraries}
    given = {name: given_to_all(name) for name in candidates["dataset"].unique()}
    compose = {name: composer(name) for name in candidates["method"].astype(str).unique()}
    return [
        compose[row.method](
            row.solution, recorded_sources(row.tools), (*given[row.dataset], *libraries.get(row.Index, ()))
        )
        for row in candidates[["method", "dataset", "solution", "tools"]].itertuples()
    ]


def composer(method: str) -> Callable[..., str] | None:
    """How a method's programs are put together from its table's rows (`Method.program`), None where they cannot be.

    It is called as tables call it: `latm_of_GPT-4` is `latm`.
    """
    names = (name for name in METHODS if method == name or method.startswith(f"{name}_"))
    known = max(names, key=len, default="")
    return load_method(known).program if known else program_of


def given_to_all(dataset: str) -> tuple[str, ...]:
    """What every program of a data set begins with; nothing for a file of one's own, which a table names bare."""
    return () if dataset.endswith(".jsonl") else load_dataset(dataset).given


class Job(NamedTuple):
    """A program, with what it may read: the names that it opens and the files behind them."""

    program: str
    files: tuple[tuple[str, Path], ...] = ()

    @property
    def key(self) -> int:
        """What a journal knows it by, wherever the data folder is."""
        return fingerprint(self.program, "\n".join(name for name, _ in self.files))


def _execute(parts: list[tuple[Sandbox, list[Job]]], path: Path | None, progress: bool) -> dict[Job, Execution]:
    """Run, part by part, what the journal at `path` does not hold yet, and keep it there."""
    known = {}
    with closing(Journal(path)) if path else nullcontext() as journal:
        if journal:
            about = [{k: v for k, v in box.describe().items() if k not in ("workers", "message")} for box, _ in parts]
            if not journal.records:
                journal.append({"sandboxes": about})
            elif journal.records[0] != {"sandboxes": about}:
                raise TroveLiteError(f"{path}: begun with other limits, isolation or libraries; choose another --out")
            known = {record["program"]: _kept(record["execution"]) for record in journal.records[1:]}
        for box, jobs in parts:
            missing = [job for job in jobs if job.key not in known]

            def keep(number: int, execution: Execution, missing: list[Job] = missing) -> None:
                known[missing[number].key] = execution
                if journal:
                    journal.append({"program": missing[number].key, "execution": execution})

            programs, files = [job.program for job in missing], [dict(job.files) for job in missing]
            box.run_many(programs, progress=progress and len(missing) > 0, done=keep, files=files)
    return {job: known[job.key] for _, jobs in parts for job in jobs}


def _kept(values: Sequence) -> Execution:
    """An execution as a journal has it: an older one may hold texts that no table can."""
    return Execution(*(encodable(value) if isinstance(value, str) else value for value in values))


class Outcome(NamedTuple):
    """What an execution changes in a candidate's row."""

    status: str
    output: str
    error: str | None
    answers: list[str]
    answer: str | None
    correct: bool
    operations: int | None
    execute_seconds: float


def compare(recorded: pd.DataFrame, new: pd.DataFrame, programs: Sequence[str]) -> Agreement:
    """Hold two tables of the same candidates against each other; `programs` are what ran, row by row."""
    differing, same = [], []
    for old, now, program in zip(recorded.itertuples(), new.itertuples(), programs, strict=True):
        status = _kind(old.status) == _kind(now.status)
        answer = old.answer == now.answer or (pd.isna(old.answer) and pd.isna(now.answer))
        verdict = pd.isna(old.correct) or bool(old.correct) == bool(now.correct)
        whole = not old.shortened and not _CLOCK.search(program)
        same.append((old.category, 1, status, whole, whole and answer, whole and verdict))
        if not (status and answer and verdict):
            key = {name: getattr(old, name) for name in ("run", "category", "problem", "phase", "mode", "sample")}
            differing.append(
                key
                | {"status_recorded": old.status, "status": now.status, "same_answer": answer, "same_verdict": verdict}
                | {"cause": _cause(old, now, program), "recorded": _said(old), "here": _said(now)}
            )
    columns = ["run", "category", "problem", "phase", "mode", "sample", "status_recorded", "status", "same_answer"]
    names = ["category", "candidates", "status", "compared", "answer", "verdict"]
    shares = pd.DataFrame(same, columns=names).groupby("category", observed=True).sum()
    shares.loc["all"] = shares.sum()
    return Agreement(
        shares.astype(int).reset_index(),
        pd.DataFrame(differing, columns=[*columns, "same_verdict", "cause", "recorded", "here"]),
    )


def _problems(candidates: pd.DataFrame) -> list[Problem]:
    """The problem of each candidate."""
    pairs = candidates[["dataset", "category"]].drop_duplicates().itertuples(index=False)
    known = {(p.dataset, p.category, p.index): p for pair in pairs for p in load_problems(*pair)}
    keys = list(zip(candidates["dataset"], candidates["category"], candidates["problem"], strict=True))
    if gone := sorted(set(keys) - set(known)):
        dataset, category, index = gone[0]
        raise TroveLiteError(f"{dataset}: has no problem {index} of {category} any more; name the problems of the run")
    return [known[key] for key in keys]


def _graded(execution: Execution, solution: str, gold: object, dataset: Dataset) -> Outcome:
    ok = execution.status == "ok"
    output = execution.output.strip()  # as the official program keeps it
    answers = dataset.read(output) if ok else []
    return Outcome(
        execution.status,
        output,
        execution.error or None,
        answers,
        graded(answers),
        dataset.correct(answers, gold),
        operations(code_of(solution)) if answers else None,
        execution.cpu,
    )


def _said(row) -> str:
    """The start of what a program printed, or else the last line of its error; either may be null."""
    if isinstance(row.output, str) and row.output:
        return row.output[:100].replace("\n", "\\n")
    return row.error.strip().rpartition("\n")[2][:100] if isinstance(row.error, str) else ""


def _kind(status: str) -> str:
    """The record knows three ways to end."""
    return status if status in ("ok", "timeout") else "failed"


def _cause(old, now, program: str) -> str:
    """The likeliest reason for a disagreement.

    `library version` includes Python's (the record's has no `math.cbrt` and no `tkinter`) and what SymPy can solve;
    `toolbox`: one of the two lacked a name.
    """
    said = f"{_said(old)} {_said(now)}"
    if old.shortened:
        return "truncated record"
    if _VERSION.search(said):
        return "library version"
    if "timeout" in (old.status, now.status):
        return "timeout"
    if _CLOCK.search(program):
        return "time or date"
    if now.status in ("memory", "output", "killed"):
        return "memory or output limit"
    if old.mode == "import" and "NameError" in said:
        return "toolbox"
    if _CHANCE.search(program):
        return "random"
    if now.status == old.status and sorted(now.output) == sorted(old.output):
        return "set order"
    return "library version" if _LIBRARY.search(program) else "other"


def reexecute_runs(
    runs: Sequence[str | Path], out: Path, *, known_timeouts: float, isolated: bool = False, **limits: object
) -> tuple[pd.DataFrame, Agreement]:
    """`reexecute` from run folders into the run folder `out`, in sandboxes with these limits; resumable.

    known_timeouts: the CPU seconds of programs that ran out of time in the record. isolated: read tools as definitions,
    each in a module of its own, however the runs did. That is a replay: what was asked and learned stays. Raises
    TroveLiteError where a run has no text, its method's programs are not held by its table, or programs cannot be
    confined as asked.
    """
    candidates = all_candidates(load_candidates(*runs))
    if "solution" not in candidates:
        raise TroveLiteError(f"{runs[0]}: outcomes hold no programs; name a run folder with text")
    if beyond := sorted(name for name in candidates["method"].astype(str).unique() if composer(name) is None):
        raise TroveLiteError(
            f"{', '.join(beyond)}: a table of candidates does not hold what these methods run, or they run nothing; "
            "name runs of other methods"
        )
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    journal = out / "executions.jsonl"
    with locked(out), Sandbox(**limits) as sandbox, Sandbox(**limits | {"time_limit": known_timeouts}) as slow:
        settings = stated_settings(runs)
        if isolated:
            candidates = with_isolated_tools(candidates, runs)
            settings = {run: replace(stated, isolated=True) for run, stated in settings.items()}
        new, agreement = reexecute(candidates, sandbox, settings=settings, known_timeouts=slow, journal=journal)
        isolation = sandbox.describe() | {"known_timeouts": known_timeouts}
    about = {"kind": "reexecute", "runs": list(map(str, runs)), "isolated": isolated, "sandbox": isolation}
    save_run(out, new, about | {"agreement": agreement.shares.to_dict("records")})
    journal.unlink()  # only now: until here, the same command goes on where it was
    return new, agreement
