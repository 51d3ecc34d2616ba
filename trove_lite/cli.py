"""The command line: `trove-lite COMMAND`. Each command is a few lines around the functions that do the work."""

import argparse
import json
import os
import shlex
import sys
from pathlib import Path

from .batch import add_batch_arguments, batch_command
from .errors import TroveLiteError
from .run_cli import add_run_arguments, run_command


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status. An expected error is one line on stderr and status 1."""
    args = _parser().parse_args(arguments)
    try:
        return args.command(args) or 0
    except TroveLiteError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="trove-lite", description=__doc__.split(":")[0], allow_abbrev=False)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    fetch = commands.add_parser("fetch", help="download public files, checked by sha256")
    fetch.add_argument(
        "groups", nargs="+", metavar="GROUP", help="math (problems), prompts (the official ones), logs (44 MB of runs)"
    )
    fetch.set_defaults(command=_fetch)

    read = commands.add_parser("import", help="turn logs in the official format into a run folder")
    read.add_argument("logs", nargs="+", type=Path, metavar="LOG")
    read.add_argument("--out", required=True, type=Path, metavar="RUN", help="run folder to make")
    read.add_argument("--force", action="store_true", help="replace a run folder that is there")
    read.set_defaults(command=_import)

    pack = commands.add_parser("outcomes", help="the numbers of runs without their text, as one parquet file")
    pack.add_argument("runs", nargs="+", type=Path, metavar="RUN")
    pack.add_argument("--out", required=True, type=Path, metavar="FILE.parquet")
    pack.set_defaults(command=_outcomes)

    summary = commands.add_parser("summary", help="counts, oracle, modes, toolboxes and independence of runs")
    summary.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folder or outcomes file")
    summary.add_argument("--json", action="store_true", help="as JSON")
    summary.set_defaults(command=_summary)

    report = commands.add_parser("report", help="run all notebooks: tables, figures and an HTML index")
    report.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folder or outcomes file")
    report.add_argument("--out", required=True, metavar="NAME", help="writes results/NAME and figures/NAME")
    report.add_argument("-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), dest="parameters",
                        help="a notebook parameter, e.g. -p seed 1")  # fmt: skip
    report.add_argument("--notebooks", type=Path, default=Path("notebooks"), help="folder (default: %(default)s)")
    report.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1), help="at once (default: %(default)s)")
    report.set_defaults(command=_report)

    again = commands.add_parser(
        "reexecute", help="run a recorded run's programs again, here, in the sandbox; resumable"
    )
    again.add_argument("runs", nargs="+", type=Path, metavar="RUN", help="run folder with text")
    again.add_argument("--out", required=True, type=Path, metavar="RUN2", help="run folder to make")
    again.add_argument("--time-limit", type=float, default=30.0, metavar="S", help="CPU seconds (default: %(default)g)")
    again.add_argument("--known-timeouts", type=float, metavar="S",
                       help="CPU seconds where the record timed out (default: the time limit)")  # fmt: skip
    again.add_argument("--memory", type=int, default=1024, metavar="MIB", help="a program (default: %(default)s)")
    again.add_argument("--isolation", default="auto", help="auto, full, seccomp, none (default: %(default)s)")
    again.add_argument("--workers", type=int, metavar="N", help="programs at a time (default: one a core)")
    again.add_argument("--force", action="store_true", help="replace a run folder that is there")
    again.set_defaults(command=_reexecute)

    doctor = commands.add_parser("doctor", help="what is usable here: isolation, data, engine, GPU, server")
    doctor.add_argument("--model", default="", metavar="URL", help="a server to ask: http://HOST:PORT/v1#NAME")
    doctor.set_defaults(command=_doctor)

    add_run_arguments(run := commands.add_parser("run", help="generate and execute: a complete run folder, resumable"))
    run.set_defaults(command=run_command)

    add_batch_arguments(batch := commands.add_parser("batch", help="a notebook over a grid of parameters"))
    batch.set_defaults(command=batch_command)
    return parser


def _fetch(args: argparse.Namespace) -> None:
    from .datasets.files import data_folder, fetch

    for group in args.groups:
        paths = fetch(group)
        print(f"{group}: {len(paths)} files in {data_folder()}, checksums right")


def _import(args: argparse.Namespace) -> None:
    from .candidates import save_run
    from .datasets import load_problems
    from .datasets.files import sha256_of
    from .datasets.math import CATEGORIES
    from .recorded.official_logs import import_logs

    _refuse_to_replace(args)
    problems = [problem for category in CATEGORIES for problem in load_problems("math", category)]
    table, reports = import_logs(args.logs, problems)
    save_run(
        args.out,
        table,
        {
            "kind": "import",
            "provenance": "recorded",
            "model": sorted(table["model"].unique()),
            "command": shlex.join(["trove-lite", "import", *map(str, args.logs), "--out", str(args.out)]),
            "logs": [vars(report) | {"sha256": sha256_of(Path(report.log))} for report in reports],
        },
    )
    for report in reports:
        print(report)
        for disagreement in report.disagreements:
            print(f"  {disagreement}")
    print(f"{len(table)} candidates in {args.out}")


def _refuse_to_replace(args: argparse.Namespace) -> None:
    if (args.out / "run.json").exists() and not args.force:
        raise TroveLiteError(f"{args.out}: a run is there already; choose another --out, or replace it with --force")


def _reexecute(args: argparse.Namespace) -> None:
    from .analysis.independence import independent_runs
    from .candidates import load_candidates, save_run
    from .journal import locked
    from .papers import save
    from .papers.reexecution import LIMITS, time_limits, time_limits_figure
    from .recorded.reexecute import reexecute
    from .running.live import trove_settings
    from .sandbox.pool import Sandbox
    from .sandbox.worker import IsolationError

    _refuse_to_replace(args)
    candidates = load_candidates(*args.runs)
    if "solution" not in candidates:
        raise TroveLiteError(f"{args.runs[0]}: outcomes hold no programs; name a run folder with text")
    args.out.mkdir(parents=True, exist_ok=True)
    journal, known = args.out / "executions.jsonl", args.known_timeouts or args.time_limit
    same = {"memory": args.memory << 20, "isolation": args.isolation}
    try:
        with (
            locked(args.out),
            Sandbox(args.workers, time_limit=args.time_limit, **same) as sandbox,
            Sandbox(args.workers, time_limit=known, **same) as slow,
        ):
            new, agreement = reexecute(
                candidates, sandbox, settings=trove_settings(args.runs), known_timeouts=slow, journal=journal
            )
            isolation = sandbox.describe() | {"known_timeouts": known}
    except (IsolationError, ValueError) as error:
        raise TroveLiteError(str(error)) from error
    about = {"kind": "reexecute", "runs": list(map(str, args.runs)), "sandbox": isolation}
    save_run(args.out, new, about | {"agreement": agreement.shares.to_dict("records")})
    limits = [limit for limit in LIMITS if limit <= args.time_limit] or [args.time_limit]
    by_limit = time_limits(independent_runs(new), limits)  # a copy is no second run
    save(agreement.shares, args.out, "agreement")
    save(agreement.disagreements, args.out, "disagreements")
    save(by_limit, args.out)
    save(time_limits_figure(by_limit), args.out)
    journal.unlink()  # only now: until here, the same command goes on where it was
    print(f"{agreement}\n{args.out}: {len(new)} candidates, with agreement.csv, disagreements.csv, time_limits.csv")


def _outcomes(args: argparse.Namespace) -> None:
    from .candidates import load_candidates, outcomes, save_table

    table = outcomes(load_candidates(*args.runs))
    args.out.parent.mkdir(parents=True, exist_ok=True)
    save_table(table, args.out)
    print(f"{len(table)} outcomes in {args.out}")


def _summary(args: argparse.Namespace) -> None:
    from .analysis.summary import as_text, summarise
    from .candidates import load_candidates
    from .papers.trove import final_toolboxes

    toolboxes = final_toolboxes(args.runs)
    summary = summarise(load_candidates(*args.runs)) | {"toolboxes": toolboxes.to_dict("records")}
    print(json.dumps(summary, indent=2) if args.json else as_text(summary))


def _doctor(args: argparse.Namespace) -> None:
    from .doctor import as_text, examine

    print(as_text(examine(args.model)))


def _report(args: argparse.Namespace) -> int:
    from .notebooks import report

    if Path(args.out).name != args.out:
        raise TroveLiteError(
            f"--out {args.out}: give a plain name, without folders; it goes under results/ and figures/"
        )
    if args.jobs < 1:
        raise TroveLiteError(f"--jobs {args.jobs}: give 1 or more")
    failed = report(
        args.runs, args.out, notebooks=args.notebooks, parameters=dict(args.parameters), jobs=args.jobs, root=Path.cwd()
    )
    print(f"read results/{args.out}/index.html; tables in results/{args.out}, figures in figures/{args.out}")
    return min(failed, 1)
