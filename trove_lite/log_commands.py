"""The commands on logs that others made: compare, import, export, reexecute. A signature is a command's options."""

import shlex
from pathlib import Path
from typing import Literal

from .commands import new_folder, refuse_less_than_one, say
from .errors import UsageError


def compare(
    sources: tuple[str, ...], *, out: Path = Path("compare.html"), verdict: str = "", margin: float = 2.0
) -> None:
    """Compare runs or logs, of ours or other harnesses: one page, one table.

    sources: two or more of: a run folder, an outcomes file, inspect's .eval, lm-eval's samples_*.jsonl, evalplus'
      *_eval_results.json, a folder of them, a CSV of verdicts. NAME=FILE names a side
    out: page to make, with a .csv of the same name beside it
    verdict: the verdict to read if a log has several, as in `trove-lite import`
    margin: two sides are equal if they differ by less than so many points

    examples:
      trove-lite compare a.eval b.eval
      trove-lite compare runs/mine runs/theirs --out mine-theirs.html
      trove-lite compare out/model-a out/model-b --verdict exact_match,strict-match
    """
    from .view.beside import compare_sources

    _, lines = compare_sources(sources, out, verdict=verdict, margin=margin / 100)
    say(*lines, f"{out}: open it in a browser; the table is {out.with_suffix('.csv')}")


def import_(
    logs: tuple[str, ...],
    *,
    out: Path,
    format: Literal["auto", "official", "creator", "inspect", "lm-eval", "evalplus", "table"] = "auto",
    verdict: str = "",
    partial: bool = False,
    force: bool = False,
) -> None:
    """Make a run folder from logs: of TroVE's program, of another harness, or a table.

    logs: logs (.md) or result files (.json) of TroVE's program; for other formats FILE or METHOD=FILE
    out: run folder to make
    format: format of the logs; auto tells it by what they hold, but for creator: JSON lines of CREATOR's programs,
      which are run. table: CSV or JSON lines with problem, method, sample and correct (or answer and gold)
    verdict: the verdict to read if a log has several: a scorer, METRIC, METRIC,FILTER, base or plus
    partial: for other formats: keep only the problems that all logs have
    force: replace an existing run folder

    examples:
      trove-lite import LOG.md … RESULT.json … --out runs/theirs
      trove-lite import --format inspect plain=A.eval tools=B.eval --out runs/theirs
    """
    from .analysis.choose import without_agreement
    from .candidates import save_run
    from .journal import on_disk

    folder, format = new_folder(out, force), format_of(logs) if format == "auto" else format
    options = [] if format == "official" else ["--format", format]
    options += [*["--verdict", verdict] * bool(verdict), *["--partial"] * partial]
    command = shlex.join(["trove-lite", "import", *options, *logs, "--out", str(out)])
    with on_disk(folder):
        if format in READ:
            table, about, said = READ[format](list(map(Path, logs)), folder)
        else:
            from .recorded.harness_logs import import_harness_logs

            table, about = import_harness_logs(logs, format, verdict=verdict, partial=partial)
            said = without_agreement(table)
        save_run(folder, table, {"kind": "import", "provenance": "recorded", "command": command} | about)
    problems = len(table[["category", "problem"]].drop_duplicates())
    say(*said, f"{len(table)} candidates for {problems} problems in {folder}")


def format_of(logs: tuple[str, ...]) -> str:
    """The one format of these logs, by what they hold; what is no harness's, nor JSON lines, is TroVE's."""
    from .view.sources import kind_of

    names = [Path(log if Path(log).exists() else log.rpartition("=")[2]) for log in logs]
    kinds = {kind_of(name) or ("official" if name.suffix != ".jsonl" else "") for name in names}
    if len(kinds) > 1:
        raise UsageError(f"logs of {', '.join(sorted(filter(None, kinds)))} together; import each format apart")
    (kind,) = kinds
    if kind in ("", "run"):
        what = "is a run already" if kind else "its format cannot be told"
        raise UsageError(f"{names[0]}: {what}; give a log, and if need be its --format: {', '.join(FORMATS)}")
    return kind


def read_official(paths: list[Path], folder: Path) -> tuple:
    """Logs and result files of the official program → candidates, facts for `run.json`, lines; and `recorded.csv`."""
    from .datasets.files import sha256_of
    from .recorded.official_files import as_table, kept_tools
    from .recorded.official_logs import import_logs, known_problems, refuse_no_log

    for path in paths:  # that a path is wrong is worth more than that data is missing
        refuse_no_log(path)
    table, reports = import_logs(paths, known_problems())
    folder.mkdir(parents=True, exist_ok=True)
    as_table(reports).to_csv(folder / "recorded.csv", index=False, lineterminator="\n")
    about = {
        "model": sorted(table["model"].unique()),
        "logs": [vars(report) | {"sha256": sha256_of(path)} for report, path in zip(reports, paths, strict=True)],
        "toolboxes": kept_tools(reports),
    }
    return table, about, [f"{report}" + "".join(f"\n  {d}" for d in report.disagreements) for report in reports]


def run_creator_programs(paths: list[Path], folder: Path) -> tuple:
    from .datasets.files import sha256_of
    from .recorded.creator_programs import MODEL, TIME_LIMIT, import_creator_programs
    from .sandbox.pool import Sandbox

    with Sandbox(time_limit=TIME_LIMIT) as sandbox:
        table, box = import_creator_programs(paths, sandbox), sandbox.describe()
    logs = [{"log": str(path), "sha256": sha256_of(path)} for path in paths]
    return table, {"model": [MODEL], "sandbox": box, "logs": logs}, []


FORMATS = ("official", "creator", "inspect", "lm-eval", "evalplus", "table")
READ = {"official": read_official, "creator": run_creator_programs}


def export(runs: tuple[Path, ...], *, out: Path, format: Literal["csv", "inspect"] = "csv") -> None:
    """Write runs as one table, or as logs of inspect_ai.

    runs: run folders or outcomes files
    out: file to make; for inspect, a folder
    format: csv (`import --format table` reads it) or inspect

    examples:
      trove-lite export runs/first --out first.csv
      trove-lite export runs/first --format inspect --out logs
    """
    from .recorded.export import export_runs

    print(*export_runs(runs, format, out), sep="\n")


def reexecute(
    runs: tuple[Path, ...],
    *,
    out: Path,
    time_limit: float = 30.0,
    known_timeouts: float | None = None,
    memory: int = 1024,
    isolation: Literal["auto", "full", "seccomp", "none"] = "auto",
    workers: int | None = None,
    isolated: bool = False,
    vision: str | None = None,
    force: bool = False,
) -> None:
    """Run the programs of recorded runs again, in the sandbox. A stopped run goes on.

    runs: run folders with text
    out: run folder to make
    time_limit: CPU seconds for each program
    known_timeouts: CPU seconds for programs that timed out in the record. Default: time_limit
    memory: memory of a program in MiB
    isolation: how programs are confined, as in `trove-lite run`
    workers: programs at a time. Default: one for each core
    isolated: run each tool as a definition in its own module, as live runs do
    vision: what looks at images, if there are some, as in `trove-lite run`
    force: replace an existing run folder

    examples:
      trove-lite reexecute runs/theirs --out runs/again
    """
    from .journal import on_disk
    from .recorded.reexecute import reexecute_runs

    refuse_less_than_one(workers=workers)
    folder = new_folder(out, force)
    limits = {"time_limit": time_limit, "known_timeouts": known_timeouts or time_limit, "memory": memory << 20}
    limits |= {"isolation": isolation, "workers": workers}
    new, agreement = reexecute_runs(runs, folder, isolated=isolated, vision=vision, **limits)
    with on_disk(folder):
        agreement.shares.to_csv(folder / "agreement.csv", index=False, lineterminator="\n", float_format="%.6g")
        agreement.disagreements.to_csv(folder / "disagreements.csv", index=False, lineterminator="\n")
    say(f"{agreement}\n{folder}: {len(new)} candidates, with agreement.csv, disagreements.csv")
