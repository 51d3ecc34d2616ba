"""What each command does: a few lines around the functions that do the work.

A function's parameters are the command's options, and its docstring is its help. Imports come when they are needed.
"""

import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Literal

from ..errors import TroveLiteError, UsageError, shown


def say(*texts: str, file=None) -> None:
    """Print what models, programs or servers may have had a part in: a terminal obeys none of it."""
    print(*(shown(text, lines=True) for text in texts), sep="\n", file=file)


def new_folder(folder: Path, force: bool) -> Path:
    """The run folder to make. Refuses one that holds a run, unless forced, and a place where none can be."""
    if (folder / "run.json").exists() and not force:
        raise TroveLiteError(
            f"{folder}: a run is there already; choose another --out, or replace it with --force"
        )
    if folder.exists() and not folder.is_dir():
        raise TroveLiteError(f"{folder}: is a file, and a run is a folder; choose another --out")
    return folder


def refuse_less_than_one(**given: int | None) -> None:
    for name, value in given.items():
        if value is not None and value < 1:
            raise UsageError(f"--{name} {value}: give 1 or more")


def signs_against(*runs: Path) -> list[str]:
    """A line for each sign that runs measure something else than their methods."""
    from ..analysis.health import golds_of, in_words, signs
    from ..candidates import load_calls, load_candidates

    candidates = load_candidates(*runs)
    return in_words(signs(candidates, load_calls(*runs), runs, golds=golds_of(candidates, runs)))


def run(
    *,
    out: Path | None = None,
    in_flight: int | None = None,
    guess: int = 0,
    workers: int | None = None,
    quiet: bool = False,
    dry_run: bool = False,
    fail_on_missing: float = 0.05,
    reuse: str = "",
    tape: str = "",
    generate_only: bool = False,
    max_cost: float | None = None,
    prices: Path | None = None,
    tool: tuple[str, ...] = (),
    **given: object,
) -> None:
    """Ask a model, run its programs, write a run folder. A stopped run goes on.

    out: run folder to make, or to go on with
    fail_on_missing: a run fails if a larger share of requests has no answer. The same command asks for them again
    reuse: a finished or published run of the same model. Requests with the same prompt and seed are taken from it
    tape: a folder. Replies that are on it come from there, and new ones go there. Any run, anywhere, may use it
    generate_only: put on the tape what needs no program's result, and run nothing
    tool: tools for LATM, instead of making them: `released` (GPT-4's), a run folder, or files named after tasks

    examples:
      trove-lite run --model http://localhost:8000/v1#NAME --methods trove primitive --seeds 0 1 2 --out runs/mine
      trove-lite run --dataset math --model vllm:NAME --preset official --trove.interval 200 --out runs/math
      trove-lite run --config study.yaml --dry_run
    """
    from ..analysis.summary import answered, by_agreement
    from ..candidates import load_candidates, read_description
    from ..datasets import load_dataset
    from ..recorded.judging import unread_in_words
    from ..recorded.lent import lend
    from ..running import account, live
    from ..running.folder import with_grader

    if generate_only and (not tape or out or reuse or max_cost):
        raise UsageError(
            "--generate_only: give --tape FOLDER, and none of --out, --reuse and --max_cost"
        )
    if not out and not dry_run and not generate_only:
        raise UsageError("no --out: name the run folder to make, such as runs/first")
    refuse_less_than_one(in_flight=in_flight, workers=workers, guess=guess or None)
    if not 0 <= fail_on_missing <= 1:
        raise UsageError(f"--fail_on_missing {fail_on_missing}: give a share, from 0 to 1")
    settings = settings_of(given, out, tool)
    if dry_run:
        print(account.planned_text([settings], lend(settings), live.price_table(max_cost, prices)))
        return
    if generate_only:
        from ..running.tape import draw_ahead

        drawn, there, lacked = draw_ahead(settings, tape, lent=lend(settings))
        say(f"{tape}: {drawn:,} replies drawn, {there:,} were there, {lacked:,} could not be had")
        return
    table = new_folder(out, force=True) / "candidates.parquet"  # a run that is there goes on
    settings = with_grader(settings, out)
    before = table.stat().st_mtime_ns if table.exists() else 0
    how = {"in_flight": in_flight, "guess": guess, "workers": workers, "progress": not quiet}
    how |= {"reuse": reuse, "tape": tape}
    how |= {"max_cost": max_cost, "prices": prices, "fail_on_missing": fail_on_missing}
    live.live_run(settings, out, lent=lend(settings), **how)
    judged = load_dataset(settings.dataset, settings.grader).judged
    say(f"answers are judged {judged}", f"prompts: {settings.prompts} (--prompts)")
    described, rows = read_description(out), load_candidates(out)
    print(*[f"{out}: was complete already"] * (table.stat().st_mtime_ns == before))
    say(
        account.came_of(out, described),
        *by_agreement(rows),
        *answered(rows)[1],
        *unread_in_words(rows, out),
        *signs_against(out),
    )
    print(f"look closer: trove-lite view {out}, trove-lite summary {out}")
    print(f"all tables and figures: trove-lite report {out} --out NAME")


ASKED = (
    "model",
    "chat",
    "limit",
    "vision",
    "isolation",
    "time_limit",
    "memory",
)  # of a run's, what choosing has too


def choose(
    run: Path,
    *,
    by: Literal["pairwise", "tests"],
    out: Path,
    among: str = "",
    quiet: bool = False,
    dry_run: bool = False,
    max_cost: float | None = None,
    prices: Path | None = None,
    **given: object,
) -> None:
    """Ask a model which of a finished run's answers are right. A stopped choice goes on.

    run: run folder
    by: pairwise, a knockout among the distinct answers, or tests that the model writes and answers have to pass
    out: folder to make, with choices.csv
    among: the method whose programs to choose among, if the run has several

    examples:
      trove-lite choose runs/mine --by tests --model http://localhost:8000/v1#NAME --time_limit 5 --out runs/mine-tests
      trove-lite report runs/mine -p choices runs/mine-tests --only 18_reeval_selectors --out mine
    """
    from ..analysis.worked import rivals
    from ..candidates import load_candidates, read_description
    from ..running import account, live

    table, stated = load_candidates(run), read_description(run).get("settings", {})
    methods = sorted(table["method"].astype(str).unique())
    if (among or len(methods) > 1) and among not in methods:
        raise UsageError(f"--among {among or 'nothing'}: choose from {', '.join(methods)}")
    found = rivals(table[table["method"] == (among or methods[0])])
    spec = f"trove_lite.methods.choosers:{by.upper()}"
    same = {"dataset": table["dataset"].iloc[0]} | {
        k: stated[k] for k in ("dataset", "limit", "grader") if k in stated
    }
    categories, seeds = (tuple(dict.fromkeys(sorted(parts))) for parts in zip(*found, strict=True))
    fixed = {"methods": (spec,), "categories": categories, "seeds": seeds, "prompts": "own"}
    settings = settings_of(same | given | fixed, out)
    lent = {(spec, *stream): own for stream, own in found.items()}
    if dry_run:
        print(account.planned_text([settings], lent, live.price_table(max_cost, prices)))
        return
    live.live_run(settings, out, progress=not quiet, lent=lent, max_cost=max_cost, prices=prices)
    say(account.came_of(out, read_description(out)))


def settings_of(given: Mapping, out: Path | None = None, tool: tuple[str, ...] = ()):
    """Options by name → the settings of a run. Raises TroveLiteError for what does not fit together."""
    from ..candidates import read_description
    from ..methods import METHODS
    from ..models.base import SamplingSettings
    from ..running.settings import RunSettings

    if {"k", "completion_tokens"} <= given.keys():
        raise UsageError("--k and --completion_tokens are both a budget: give one of them")
    begun = read_description(out).get("settings", {}) if out else {}
    known = {"name": begun.get("name", out.resolve().name)} if out else {}  # it may have been moved
    given = known | {"prompts": begun.get("prompts")} | dict(given)
    sampling = {f.name: given.pop(f.name) for f in fields(SamplingSettings) if f.name in given}
    choices = {name: given.pop(f"{name}.") for name in METHODS if f"{name}." in given}
    settings = RunSettings(**given, sampling=SamplingSettings(**sampling), choices=choices)
    return replace(settings, choices=_with_tools(settings, tool)) if tool else settings


def _with_tools(settings, sources: tuple[str, ...]) -> dict:
    """A run's choices, with tools made elsewhere for methods that use them. Refuses tools that a category lacks."""
    from ..methods import load_method

    choices = dict(settings.choices)
    for name in settings.methods:
        method = load_method(name)
        if method.elsewhere:
            known = {field.name for field in fields(method.presets["paper"])}
            found = {
                key: value for key, value in method.elsewhere(sources, name).items() if key in known
            }
            lacking = [
                category for category in settings.categories if category not in found["tools"]
            ]
            if lacking and method.examples:
                tasks = dict.fromkeys(task.partition("#")[0] for task in found["tools"])
                raise UsageError(
                    f"--tool: there is none for {lacking[0]}, but for {', '.join(tasks)}"
                )
            choices[name] = choices.get(name, {}) | found
    if choices == settings.choices:
        raise UsageError("--tool: none of the run's methods takes tools made elsewhere")
    return choices


def report(
    runs: tuple[Path, ...],
    *,
    out: str,
    p: dict[str, str] | None = None,
    title: str = "",
    only: tuple[str, ...] = (),
    notebooks: Path | None = None,
    jobs: int = min(4, os.cpu_count() or 1),
) -> int:
    """Run the notebooks over runs: tables, figures and an HTML index.

    out: a NAME. The command writes results/NAME and figures/NAME
    p: a parameter, for the notebooks that have it
    title: title of the index. Default: NAME
    only: run these notebooks only, such as 40_latm
    notebooks: their folder. Default: `notebooks` here, or those of the package

    examples:
      trove-lite report runs/mine runs/theirs --out both -p k 6 -p seed 1
    """
    from .report import report

    refuse_less_than_one(jobs=jobs)
    failed = report(
        runs, out, notebooks=notebooks, parameters=p or {}, jobs=jobs, title=title, only=only
    )
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
    """Run a notebook for each point of a grid of parameters. A stopped grid goes on.

    notebook: a notebook with a cell tagged `parameters`
    out: folder for manifest.csv and a folder for each point
    p: a parameter for all points
    grid: an axis of the grid, such as seed=0..4 or category=counting,algebra
    force: run complete points again

    examples:
      trove-lite batch notebooks/00_run.ipynb -p category counting --grid seed=0..4 --out runs/grid
    """
    from .notebooks import grid_jobs, parse_grid, run_all

    refuse_less_than_one(jobs=jobs)
    cells = grid_jobs(notebook, p or {}, parse_grid(grid or {}), out)
    failed = run_all(cells, out, at_once=jobs, force=force)
    print(
        f"{len(cells) - len(failed)} of {len(cells)} complete; manifest in {out / 'manifest.csv'}"
    )
    return int(bool(failed))


def summary(runs: tuple[Path, ...], *, json: bool = False, count: tuple[str, ...] = ()) -> int:
    """Count what runs contain: oracle, modes, toolboxes, copies.

    json: print JSON
    count: instead, count the programs for which a query holds, and the right ones among them. It is one of pandas over
      the columns of candidates and `calls` (a made tool), `defines`, `idle`, `votes`, `comments` (characters)

    examples:
      trove-lite summary runs/mine --count "mode == 'import' and calls"
      trove-lite summary results/codellama-7b-instruct/outcomes.parquet --json
    """
    from json import dumps

    from ..analysis.summary import as_text, by_agreement, summarise
    from ..analysis.toolboxes import final_toolboxes
    from ..candidates import load_candidates, read_description

    if count:
        for run in runs:
            say(*(f"{run}: {line}" for line in _counted(run, count)))
        return 0
    rows = load_candidates(*runs)
    found = summarise(rows) | {"toolboxes": final_toolboxes(runs).to_dict("records")}
    found["signs"] = signs_against(*runs) if found["runs"] else []
    described = {path: read_description(path) for path in runs if (path / "run.json").exists()}
    found["cost"] = {
        str(path): about["cost"] for path, about in described.items() if "cost" in about
    }
    say(*[dumps(found, indent=2)] if json else [*by_agreement(rows), as_text(found)])
    return int(not found["runs"])


def _counted(run: Path, queries: tuple[str, ...]) -> list[str]:
    from ..analysis.calls import labels, share
    from ..analysis.health import to_count
    from ..candidates import load_candidates

    count, lines = to_count(load_candidates(run), [run]), []
    for query in queries:
        try:
            found = count(query)
        except Exception as error:  # whatever pandas, numpy or Python makes of it
            names = ", ".join(count("index < 0").columns)
            raise UsageError(
                f"--count {query}: not a query of programs ({error}); its columns are {names}"
            ) from None
        right, problems = found["correct"].astype(bool), labels(found)
        value, low, high = (100 * one for one in share(right, problems))
        words = f"{len(found):,} programs of {problems.nunique()} problems, {right.sum():,} right"
        lines.append(
            words + f" ({value:.1f} % [{low:.1f}, {high:.1f}])" * len(found[:1]) + f": {query}"
        )
    return lines


def view(runs: tuple[Path, ...], *, out: Path | None = None, quiet: bool = False) -> None:
    """Write runs as one HTML page: each problem, its candidates, votes and verdicts.

    runs: run folders, outcomes files, or folders that hold one
    out: page to make. Default: view.html beside the first run

    examples:
      trove-lite view runs/mine runs/theirs --out both.html
    """
    from ..view import write_page

    print(f"{write_page(runs, out, progress=not quiet)}: open it in a browser")


def outcomes(runs: tuple[Path, ...], *, out: Path) -> None:
    """Write the numbers of runs, without texts, as one parquet file.

    out: file to make

    examples:
      trove-lite outcomes runs/first --out first.parquet
    """
    from ..analysis.toolboxes import TOOLBOXES, toolboxes
    from ..candidates import load_candidates, outcomes, save_table
    from ..journal import on_disk, write_atomically

    if out.is_dir():
        raise TroveLiteError(f"{out}: is a folder; name a file, such as {out / 'outcomes.parquet'}")
    table = outcomes(load_candidates(*runs))
    with on_disk(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        save_table(table, out)
        if len(tools := toolboxes(runs)):
            write_atomically(out.with_name(TOOLBOXES), lambda part: tools.to_csv(part, index=False))
    print(f"{len(table)} outcomes in {out}{f', with {TOOLBOXES} beside it' * (len(tools) > 0)}")
