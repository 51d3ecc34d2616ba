"""What the commands on finished runs do: report, batch, summary, view, outcomes. A signature is a
command's options."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from trove_lite.cli.commands import outside_runs, refuse_less_than_one, say
from trove_lite.errors import DamagedFile, TroveLiteError, UsageError

if TYPE_CHECKING:
    import pandas as pd


def checks_against(*runs: Path, candidates: "pd.DataFrame | None" = None) -> list[str]:
    """A line for each check that runs measure something else than their methods. candidates: theirs,
    where they are read already."""
    from trove_lite.candidates import load_calls, load_candidates

    from ..health import failed_checks, golds_of, in_words

    candidates = load_candidates(*runs) if candidates is None else candidates
    return in_words(
        failed_checks(candidates, load_calls(*runs), runs, golds=golds_of(candidates, runs))
    )


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
    cells = grid_jobs(notebook, p or {}, parse_grid(grid or {}), outside_runs(out))
    failed = run_all(cells, out, at_once=jobs, force=force)
    print(
        f"{len(cells) - len(failed)} of {len(cells)} complete; manifest in {out / 'manifest.csv'}"
    )
    return int(bool(failed))


def summary(runs: tuple[Path, ...], *, json: bool = False, count: tuple[str, ...] = ()) -> int:
    """Count what runs contain: oracle, modes, toolboxes, copies.

    json: print JSON
    count: instead, count the programs for which a query holds, and the right ones among them. It is
      one of pandas over the columns of candidates and `calls` (a made tool), `defines`, `idle`,
      `votes`, `comments` (characters)

    examples:
      trove-lite summary runs/mine --count "mode == 'import' and calls"
      trove-lite summary results/codellama-7b-instruct/outcomes.parquet --json
    """
    from json import dumps

    from trove_lite.candidates import load_candidates, read_description

    from ..kept_tools import final_toolboxes
    from ..summary import as_text, by_agreement, summarise

    if count:
        for run in runs:
            say(*(f"{run}: {line}" for line in _counted(run, count)))
        return 0
    rows = load_candidates(*runs)
    found = summarise(rows) | {"toolboxes": final_toolboxes(runs).to_dict("records")}
    if not found["runs"] + found["unanswered"]:
        raise DamagedFile(f"{runs[0]}: holds no candidate of a method; make the run again")
    found["checks"] = checks_against(*runs, candidates=rows)
    found["cost"] = {
        str(path): about["cost"] for path in runs if "cost" in (about := read_description(path))
    }
    say(*[dumps(found, indent=2)] if json else [*by_agreement(rows), as_text(found)])
    return int(bool(found["unanswered"]))


def _counted(run: Path, queries: tuple[str, ...]) -> list[str]:
    from trove_lite.candidates import load_candidates

    from ..calls import labels, share
    from ..differences import percent
    from ..health import to_count

    count = to_count(load_candidates(run), [run])
    lines = []
    for query in queries:
        try:
            found = count(query)
        except Exception as error:  # whatever pandas, numpy or Python makes of it
            names = ", ".join(count("index < 0").columns)
            raise UsageError(
                f"--count {query}: not a query of programs ({error}); its columns are {names}"
            ) from None
        right = found["correct"].astype(bool)
        problems = labels(found)
        words = f"{len(found):,} programs of {problems.nunique()} problems, {right.sum():,} right"
        words += f" ({percent(share(right, problems))})" if len(found) else ""
        lines.append(f"{words}: {query}")
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
    from trove_lite.candidates import load_candidates, outcomes, save_table
    from trove_lite.journal import on_disk, write_atomically

    from ..kept_tools import TOOLBOXES, toolboxes

    if out.is_dir():
        raise TroveLiteError(f"{out}: is a folder; name a file, such as {out / 'outcomes.parquet'}")
    table = outcomes(load_candidates(*runs))
    outside_runs(out, *runs)
    with on_disk(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        save_table(table, out)
        if len(tools := toolboxes(runs)):
            write_atomically(out.with_name(TOOLBOXES), lambda part: tools.to_csv(part, index=False))
    print(f"{len(table)} outcomes in {out}{f', with {TOOLBOXES} beside it' * (len(tools) > 0)}")
