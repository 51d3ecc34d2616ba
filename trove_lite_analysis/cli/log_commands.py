"""The commands on logs that others made: compare, import, export, reexecute. A signature is a
command's options."""

import shlex
from pathlib import Path
from typing import Literal

from trove_lite.cli.commands import new_folder, outside_runs, refuse_less_than_one, say
from trove_lite.errors import UsageError
from trove_lite.journal import on_disk

from ..recorded import CALLS, HARNESSES, LOGS


def compare(
    sources: tuple[str, ...],
    *,
    out: Path = Path("compare.html"),
    verdict: str = "",
    margin: float = 2.0,
    all_samples: bool = False,
    same_task: bool = False,
    all: bool = False,
) -> None:
    """Compare runs or logs, of ours or other harnesses: one page, one table.

    sources: two or more of: a run folder, an outcomes file, inspect's .eval, lm-eval's
      samples_*.jsonl, evalplus' *_eval_results.json, a folder of them, a CSV of verdicts. NAME=FILE
      names a system
    out: page to make, with a .csv of the same name beside it
    verdict: the verdict to read if a log has several, as in `trove-lite import`
    margin: two systems are equal if they differ by less than so many points
    same_task: problems of one name are the same, where no question or right answer tells
    all_samples: each system chooses among all its samples of a problem. Default: among as many as
        every system has
    all: show every problem. Default: of more than 2,000 those on which systems part, and some others

    examples:
      trove-lite compare a.eval b.eval
      trove-lite compare runs/mine runs/theirs --out mine-theirs.html
      trove-lite compare out/model-a out/model-b --verdict exact_match,strict-match
    """
    from ..view.beside import compare_sources

    outside_runs(out)
    _, lines = compare_sources(
        sources,
        out,
        verdict=verdict,
        margin=margin / 100,
        all_samples=all_samples,
        same_task=same_task,
        every_problem=all,
    )
    say(*lines, f"{out}: open it in a browser; the table is {out.with_suffix('.csv')}")


def import_(
    logs: tuple[str, ...],
    *,
    out: Path,
    format: str = "auto",
    verdict: str = "",
    partial: bool = False,
    grader: Literal["strict", "papers"] | None = None,
    independent: bool = False,
    force: bool = False,
) -> None:
    """Make a run folder from logs: of TroVE's program, of another harness, or a table.

    logs: logs (.md) or result files (.json) of TroVE's program; for other formats FILE or
        METHOD=FILE
    out: run folder to make
    format: auto tells it by what the logs hold; official, inspect, lm-eval, evalplus, eee (Every
      Eval Ever's instances), table (CSV or JSON lines with problem, method, sample and correct,
      score, or answer and gold), or of a plug-in: see `trove-lite list logs`
    verdict: the verdict to read if a log has several: a scorer, METRIC, METRIC,FILTER, base or
      plus; of tasks with other verdicts each one's: 'METRIC;METRIC,FILTER'
    partial: for other formats: keep only the problems that all logs have
    grader: by which rule a table's `answer` is judged, where it has no `correct`. Default: strict
    independent: the problems of each run share nothing, no memory and no tool. Default: as a column
      `shares_state` of a table says; where nobody says, an interval covers these runs alone

    examples:
      trove-lite import LOG.md … RESULT.json … --out runs/theirs
      trove-lite import --format inspect plain=A.eval tools=B.eval --out runs/theirs
    """
    from trove_lite.candidates import save_run
    from trove_lite.selection.tables import without_agreement

    format = format_of(logs) if format == "auto" else format
    if format not in HARNESSES and format not in LOGS:
        raise UsageError(f"--format {format}: choose from {', '.join((*LOGS, *HARNESSES))}")
    if grader and format != "table":
        raise UsageError(
            f"--grader {grader}: verdicts of --format {format} are the log's own; see trove-lite judge"
        )
    folder = new_folder(out, force)
    given = {"format": format, "verdict": verdict, "grader": grader}
    options = [
        word
        for name, value in given.items()
        if value and value != "official"
        for word in (f"--{name}", value)
    ]
    options += ["--partial"] * partial + ["--independent"] * independent
    command = shlex.join(["trove-lite", "import", *options, *logs, "--out", str(out)])
    with on_disk(folder):
        if format not in HARNESSES:
            table, about, said = LOGS.load(format)(list(map(Path, logs)), folder)
        else:
            from ..recorded.harness_logs import import_harness_logs

            table, about = import_harness_logs(
                logs,
                format,
                verdict=verdict,
                partial=partial,
                grader=grader or "strict",
                independent=independent,
            )
            runs = table.groupby(["method", "category"], observed=True)["run"].nunique()
            what = "logs count as its runs; METHOD=FILE names a log that is of another"
            said = [f"{method}: {count} {what}" for (method, _), count in runs.items() if count > 1]
            said += without_agreement(table)
            said += [f"not read: {', '.join(about['unused'])}"] if "unused" in about else []
            said += [f"`answer` was judged by {about['grader']}"] if "grader" in about else []
        save_run(
            folder, table, {"kind": "import", "provenance": "recorded", "command": command} | about
        )
    problems = len(table[["category", "problem"]].drop_duplicates())
    say(*said, f"{len(table)} candidates for {problems} problems in {folder}")


def judge(
    run: Path,
    *,
    grader: Literal["strict", "papers", "corrected"] = "strict",
    out: Path | None = None,
    force: bool = False,
) -> None:
    """Judge a finished run's outputs again, or those of an imported log, and say what changes.

    run: run folder with text. It stays as it is
    grader: strict, by value; papers, the rule of the data set itself; corrected, the papers' rule
      but for problems whose released gold or reading is wrong (docs/datasets.md)
    out: run folder to make, with these verdicts, and with verdicts.csv, which has both. Default:
        nothing is written

    examples:
      trove-lite judge runs/mine
      trove-lite judge runs/math --grader strict --out runs/math-strict
    """
    from trove_lite.candidates import load_calls, read_description, save_csv, save_run

    from ..recorded.judging import changes_in_words, judge_run

    folder = new_folder(outside_runs(out, run), force) if out else None
    table, both = judge_run(run, grader)
    say(*changes_in_words(both, grader))
    if folder:
        about = {
            k: v
            for k, v in read_description(run).items()
            if k not in ("accuracy", "tables", "versions")
        } | {
            "kind": "judge",
            "judged": {"run": str(run), "grader": grader, "outputs": len(both)},
        }
        with on_disk(folder):
            folder.mkdir(parents=True, exist_ok=True)
            save_csv(both, folder / "verdicts.csv")
            save_run(folder, table, about, calls=load_calls(run))
        say(f"{folder}: these verdicts; verdicts.csv has both")
    else:
        say("nothing was written; --out FOLDER keeps them")


def format_of(logs: tuple[str, ...]) -> str:
    """The one format of these logs, by what they hold; what is no harness's, nor JSON lines, is
    TroVE's."""
    from ..view.sources import kind_of

    names = [Path(log if Path(log).exists() else log.rpartition("=")[2]) for log in logs]
    kind, *others = sorted(
        {kind_of(name) or ("official" if name.suffix != ".jsonl" else "") for name in names}
    )
    if others:
        raise UsageError(
            f"logs of {', '.join(filter(None, (kind, *others)))} together; import each format apart"
        )
    if kind in ("", "run"):
        what = "is a run already" if kind else "its format cannot be told"
        what = "is a folder" if names[0].is_dir() and not (names[0] / "run.json").exists() else what
        known = ", ".join((*LOGS, *HARNESSES))
        raise UsageError(f"{names[0]}: {what}; give a log, and if need be its --format: {known}")
    return kind


def export(
    runs: tuple[Path, ...], *, out: Path, format: Literal["csv", "inspect", "eee"] = "csv"
) -> None:
    """Write runs as one table, as logs of inspect_ai, or as Every Eval Ever's instances.

    out: file to make; for inspect, a folder
    format: csv (`import --format table` reads it), inspect, or eee (Every Eval Ever's
        instance-level JSON lines)

    examples:
      trove-lite export runs/first --out first.csv
      trove-lite export runs/first --format inspect --out logs
    """
    from ..recorded.export import export_runs

    print(*export_runs(runs, format, outside_runs(out, *runs)), sep="\n")


def reexecute(
    runs: tuple[Path, ...],
    *,
    out: Path,
    time_limit: float = 30.0,
    known_timeouts: float | None = None,
    memory: int = 1024,
    isolation: Literal["auto", "full", "seccomp", "none"] = "auto",
    workers: int | None = None,
    vision: str | None = None,
    force: bool = False,
) -> None:
    """Run the programs of recorded runs again, in the sandbox. A stopped run goes on.

    runs: run folders with text
    out: run folder to make
    known_timeouts: CPU seconds for programs that timed out in the record. Default: time_limit

    examples:
      trove-lite reexecute runs/theirs --out runs/again
    """
    from ..recorded.reexecute import reexecute_runs

    refuse_less_than_one(workers=workers)
    folder = new_folder(outside_runs(out, *runs), force)
    new, agreement = reexecute_runs(
        runs,
        folder,
        time_limit=time_limit,
        known_timeouts=known_timeouts or time_limit,
        memory=memory << 20,
        isolation=isolation,
        workers=workers,
        vision=vision,
    )
    say(f"{agreement}\n{folder}: {len(new)} candidates, with agreement.csv, disagreements.csv")


def calls(
    runs: tuple[Path, ...],
    *,
    out: Path,
    time_limit: float = 10.0,
    memory: int = 1024,
    isolation: Literal["auto", "full", "seccomp", "none"] = "auto",
    workers: int | None = None,
    vision: str | None = None,
) -> None:
    """Run the programs that call a made tool again: as they were, with the tool's body in them,
    without the call.

    runs: run folders with text
    out: folder for tool_calls.parquet, call_tools.csv and, where a tool has tests on record,
        tool_tests.csv, which the notebook 04_calls reads

    examples:
      trove-lite calls runs/mine --out runs/mine-calls
    """
    from trove_lite.programs.calling import TABLE

    from ..recorded.tool_calls import tool_calls

    refuse_less_than_one(workers=workers)
    outside_runs(out, *runs)
    how = {
        "time_limit": time_limit,
        "memory": memory << 20,
        "isolation": isolation,
        "workers": workers,
    }
    programs, tools = tool_calls(runs, out, vision=vision, **how)
    for write_more in CALLS.working().values():
        write_more(runs, programs, out, vision=vision, **how)
    calling = int((programs["tools"].str.len() > 0).sum())
    say(
        f"{out / TABLE}: {calling} of {len(programs)} programs call a made tool; {len(tools)} tools"
    )
