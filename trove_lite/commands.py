"""What each command does, but for `run`: a few lines around the functions that do the work.

A function's parameters are the command's options, and its docstring is its help. Imports come
when they are needed.
"""

import os
import shlex
from collections.abc import Sequence
from inspect import cleandoc, getdoc
from pathlib import Path
from typing import Literal

from .errors import TroveLiteError, UsageError, shown


def say(*texts: str, file=None) -> None:
    """Print what models, programs or servers may have had a part in: a terminal obeys none of it."""
    print(*(shown(text, lines=True) for text in texts), sep="\n", file=file)


def new_folder(folder: Path, force: bool) -> Path:
    """The run folder to make. Refuses one that holds a run, unless forced, and a place where none can be."""
    if (folder / "run.json").exists() and not force:
        raise TroveLiteError(f"{folder}: a run is there already; choose another --out, or replace it with --force")
    if folder.exists() and not folder.is_dir():
        raise TroveLiteError(f"{folder}: is a file, and a run is a folder; choose another --out")
    return folder


def at_least(least: int, name: str, value: int | None) -> None:
    """Refuse a number that is too small."""
    if value is not None and value < least:
        raise UsageError(f"--{name} {value}: give {least} or more")


def signs_against(runs: Sequence[Path]) -> list[str]:
    from .analysis.health import in_words, signs
    from .candidates import load_calls, load_candidates

    return in_words(signs(load_candidates(*runs), load_calls(*runs), runs))


# ---- notebooks ----


def report(
    runs: tuple[Path, ...] = (),
    *,
    out: str,
    p: dict[str, str] | None = None,
    title: str = "",
    only: tuple[str, ...] = (),
    notebooks: Path = Path("notebooks"),
    jobs: int = min(4, os.cpu_count() or 1),
    force: bool = False,
) -> int:
    """Run all notebooks: tables, figures and an HTML index.

    runs: run folders or outcomes files; none: those of `-p runs`
    out: a NAME: writes results/NAME and figures/NAME
    p: a parameter of those notebooks that have it
    title: of the index; else its NAME
    only: these notebooks alone (40_latm)
    notebooks: their folder
    jobs: notebooks at once
    force: also what is complete and would come out the same

    examples:
      trove-lite report runs/first --out first
      trove-lite report runs/mine runs/theirs --out both -p k 6 -p seed 1
    """
    from .report import report

    at_least(1, "jobs", jobs)
    failed = report(runs, out, notebooks=notebooks, parameters=p or {}, jobs=jobs, title=title, only=only, force=force)
    print(f"read results/{out}/index.html; tables in results/{out}, figures in figures/{out}")
    return min(failed, 1)


def batch(
    notebook: Path,
    *,
    out: Path,
    p: dict[str, str] | None = None,
    grid: dict[str, str] | None = None,
    jobs: int = 2,
    force: bool = False,
) -> int:
    """Run a notebook over a grid of parameters, resumable.

    notebook: one with a cell tagged `parameters`
    out: gets a folder a cell, and manifest.csv
    p: a parameter of every cell of the grid
    grid: an axis of the grid: seed=0..4, or category=counting,algebra
    jobs: notebooks at once
    force: also cells that are complete and would come out the same

    examples:
      trove-lite batch notebooks/00_run.ipynb -p category counting --grid seed=0..4 --out runs/grid
    """
    from .notebooks import grid_jobs, parse_grid, run_all

    at_least(1, "jobs", jobs)
    cells = grid_jobs(notebook, p or {}, parse_grid(grid or {}), out)
    failed = run_all(cells, out, at_once=jobs, force=force)
    print(f"{len(cells) - len(failed)} of {len(cells)} complete; manifest in {out / 'manifest.csv'}")
    return int(bool(failed))


# ---- runs that are there ----


def summary(runs: tuple[Path, ...], *, json: bool = False) -> int:
    """Count what runs hold: oracle, modes, toolboxes, independence.

    runs: run folders or outcomes files
    json: as JSON

    examples:
      trove-lite summary runs/first
      trove-lite summary results/codellama-7b-instruct/outcomes.parquet --json
    """
    from json import dumps

    from .analysis.summary import as_text, summarise
    from .analysis.toolboxes import final_toolboxes
    from .candidates import load_candidates

    toolboxes = final_toolboxes(runs)
    found = summarise(load_candidates(*runs)) | {"toolboxes": toolboxes.to_dict("records")}
    found["signs"] = signs_against(runs) if found["runs"] else []
    say(dumps(found, indent=2) if json else as_text(found))
    return int(not found["runs"])


def view(runs: tuple[Path, ...], *, out: Path | None = None, quiet: bool = False) -> None:
    """Write one page to read runs on: each problem, its candidates, votes and verdicts.

    runs: run folders, outcomes files, or folders that hold one
    out: page to make; else view.html beside the first run
    quiet: no progress

    examples:
      trove-lite view runs/first
      trove-lite view runs/mine runs/theirs --out both.html
      trove-lite view results/codellama-7b-instruct
    """
    from .view import write_page

    page = write_page(runs, out, progress=not quiet)
    print(
        f"{page.path}: {page.problems:,} problems, {page.candidates:,} candidates, {page.bytes / 1e6:.1f} MB; open it "
        "in a browser"
    )


def outcomes(runs: tuple[Path, ...], *, out: Path) -> None:
    """Keep the numbers of runs without their text, as one parquet file.

    runs: run folders or outcomes files
    out: file to make

    examples:
      trove-lite outcomes runs/first --out first.parquet
    """
    from .analysis.toolboxes import TOOLBOXES, toolboxes
    from .candidates import load_candidates, outcomes, save_table
    from .journal import on_disk, write_atomically

    if out.is_dir():
        raise TroveLiteError(f"{out}: is a folder; name a file, such as {out / 'outcomes.parquet'}")
    table = outcomes(load_candidates(*runs))
    with on_disk(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        save_table(table, out)
        if len(tools := toolboxes(runs)):
            write_atomically(out.with_name(TOOLBOXES), lambda part: tools.to_csv(part, index=False))
    print(f"{len(table)} outcomes in {out}{f', with {TOOLBOXES} beside it' * (len(tools) > 0)}")


def import_(
    logs: tuple[str, ...],
    *,
    out: Path,
    format: Literal["official", "inspect", "lm-eval", "evalplus", "table"] = "official",
    verdict: str = "",
    partial: bool = False,
    force: bool = False,
) -> None:
    """Turn the official program's logs, or another harness's, into a run folder.

    logs: logs (.md) or result files (.json) of the official program; of other formats FILE or METHOD=FILE
    out: run folder to make
    format: of the logs; a table is CSV or JSON lines with problem, method, sample, correct (or answer and gold)
    verdict: which of several a log has: a scorer, a metric (with its filter: METRIC,FILTER), base or plus
    partial: also logs that break off; of other formats, the problems that all logs have
    force: replace a run folder that is there

    examples:
      trove-lite import LOG.md … RESULT.json … --out runs/theirs
      trove-lite import --format inspect plain=A.eval tools=B.eval --out runs/theirs
    """
    if format != "official":
        return import_others(logs, new_folder(out, force), format, verdict, partial)
    from .candidates import save_run
    from .datasets.files import sha256_of
    from .recorded.official_files import as_table
    from .recorded.official_logs import import_logs, known_problems
    from .recorded.official_toolboxes import kept_tools

    folder, paths = new_folder(out, force), list(map(Path, logs))
    table, reports = import_logs(paths, known_problems(), partial=partial)
    about = {
        "kind": "import",
        "provenance": "recorded",
        "model": sorted(table["model"].unique()),
        "command": shlex.join(["trove-lite", "import", *logs, "--out", str(out), *["--partial"] * partial]),
        "logs": [vars(report) | {"sha256": sha256_of(path)} for report, path in zip(reports, paths, strict=True)],
    }
    streams = table[["run", "category", "method"]].drop_duplicates().itertuples(index=False)
    method = {(stream.run, stream.category): stream.method for stream in streams}
    save_run(folder, table, about | {"toolboxes": kept_tools(reports, method)})
    as_table(reports).to_csv(folder / "recorded.csv", index=False, lineterminator="\n")
    for report in reports:
        say(str(report), *(f"  {disagreement}" for disagreement in report.disagreements))
    print(f"{len(table)} candidates in {folder}")


def import_others(logs: tuple[str, ...], folder: Path, format: str, verdict: str, partial: bool) -> None:
    from .analysis.choose import without_agreement
    from .candidates import save_run
    from .journal import on_disk
    from .recorded.harness_logs import import_harness_logs

    table, about = import_harness_logs(logs, format, verdict=verdict, partial=partial)
    words = ["trove-lite", "import", "--format", format, *logs, "--out", str(folder), *["--partial"] * partial]
    command = shlex.join([*words, *(["--verdict", verdict] if verdict else [])])
    with on_disk(folder):
        save_run(folder, table, {"kind": "import", "provenance": "recorded", "command": command} | about)
    problems = len(table[["category", "problem"]].drop_duplicates())
    say(*without_agreement(table), f"{len(table)} candidates for {problems} problems in {folder}")


def export(runs: tuple[Path, ...], *, out: Path, format: Literal["csv", "inspect"] = "csv") -> None:
    """Write runs as one table, or as logs of inspect_ai.

    runs: run folders or outcomes files
    out: file to make; for inspect a folder
    format: csv (what import reads as a table) or inspect

    examples:
      trove-lite export runs/first --out first.csv
      trove-lite export runs/first --format inspect --out logs
    """
    from .recorded.harness_logs import export_runs

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
    force: bool = False,
) -> None:
    """Run a recorded run's programs again, here, in the sandbox; resumable.

    runs: run folders with text
    out: run folder to make
    time_limit: CPU seconds a program
    known_timeouts: CPU seconds where the record timed out; else the time limit
    memory: MiB that a program may take
    isolation: how programs are confined, as in `trove-lite run`
    workers: programs at a time; else one a core
    isolated: a replay: tools are definitions, each in a module of its own
    force: replace a run folder that is there

    examples:
      trove-lite reexecute runs/theirs --out runs/again
    """
    from .journal import on_disk
    from .recorded.reexecute import reexecute_runs

    at_least(1, "workers", workers)
    folder = new_folder(out, force)
    limits = {"time_limit": time_limit, "memory": memory << 20, "isolation": isolation, "workers": workers}
    limits |= {"known_timeouts": known_timeouts or time_limit, "isolated": isolated}
    new, agreement = reexecute_runs(runs, folder, **limits)
    with on_disk(folder):
        agreement.shares.to_csv(folder / "agreement.csv", index=False, lineterminator="\n", float_format="%.6g")
        agreement.disagreements.to_csv(folder / "disagreements.csv", index=False, lineterminator="\n")
    say(f"{agreement}\n{folder}: {len(new)} candidates, with agreement.csv, disagreements.csv")


# ---- what is at hand ----


def list_(what: Literal["methods", "datasets", "models", "prompts"]) -> None:
    """List the names that an option may have, a line each.

    what: of which kind

    examples:
      trove-lite list methods
      trove-lite list datasets
    """
    print(*names_of(what), sep="\n")


def names_of(what: str) -> list[str]:
    """A line for each method, data set, model or pack of prompts: its name, and what it is."""
    from importlib import import_module

    from .datasets import DATASETS, load_dataset
    from .methods import METHODS
    from .models import load_model
    from .prompts import PACKS

    if what == "models":
        return cleandoc(load_model.__doc__).split("\n\n")[1].split("\n")
    if what == "datasets":
        known = {name: load_dataset(name) for name in DATASETS}
        return [f"{name:<20} {data.title}, {len(data.categories)} categories" for name, data in known.items()]
    homes = {name: f"trove_lite.prompts.{name}" for name in PACKS}
    if what == "methods":
        homes = {name: where.partition(":")[0] for name, where in METHODS.items()}
    return [f"{name:<20} {getdoc(import_module(home)).splitlines()[0]}" for name, home in homes.items()]


def fetch(groups: tuple[str, ...]) -> None:
    """Download public files, checked by their content.

    groups: math, tabmwp, wtq, hitab, bbh, creation_challenge, tool_transfer (problems), prompts (official ones), latm
        (released tools), logs (runs)

    examples:
      trove-lite fetch math prompts
    """
    from .datasets.files import data_folder, fetch, not_here

    for group in groups:
        paths = fetch(group)
        print(f"{group}: {len(paths)} files in {data_folder()}, checksums right")
        if missing := not_here(group):
            print(f"{group}: {len(missing)} more are listed by their repository, and could not be had:")
            print(*(f"  {file.url}" for file in missing), sep="\n")


def doctor(*, model: str = "") -> int:
    """Say what is usable here: isolation, data, engine, GPU, server.

    model: a model to ask, named as for `trove-lite run`

    examples:
      trove-lite doctor
      trove-lite doctor --model http://localhost:8000/v1#NAME
    """
    from .doctor import as_text, examine

    lines = examine(model)
    say(as_text(lines))
    return int(bool(model) and not lines[-1].usable)
