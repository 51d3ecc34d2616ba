"""The command `trove-lite bench`. Its signature is the command's options; what it does is in
`grid`."""

import os
from pathlib import Path
from typing import Literal

from trove_lite.cli.commands import outside_runs, refuse_less_than_one, say
from trove_lite.errors import UsageError

from .commands import checks_against


def bench(
    *,
    model: str = "",
    tier: Literal["small", "counting", "math"] = "small",
    out: Path | None = None,
    chat: Literal["auto", "on", "off"] = "auto",
    isolation: Literal["auto", "full", "seccomp", "none"] = "auto",
    in_flight: int | None = None,
    guess: int = 0,
    workers: int | None = None,
    jobs: int = 2,
    quiet: bool = False,
    dry_run: bool = False,
    max_cost: float | None = None,
    prices: Path | None = None,
    power: Path | None = None,
) -> int:
    """Does making tools help this model? The planned grid, its price first, all pages, a row. A
    stopped bench goes on.

    model: a model to ask, named as for `trove-lite run`
    tier: small is 35 practice problems by two seeds; counting, 291, and math, 3,201, are MATH by
        three
    out: folder to make, or to go on with: all replies, runs, tables, pages, row.csv
    chat: whether to use the model's chat template, as in `trove-lite run`
    power: standard errors of a study (studies/power.csv). What such a grid can show is then printed

    examples:
      trove-lite bench --model practice --out runs/practice-small
      trove-lite bench --model http://localhost:8000/v1#NAME --tier counting --out runs/NAME
    """
    from trove_lite.candidates import read_description, save_csv
    from trove_lite.journal import on_disk, pack
    from trove_lite.models.money import price_of
    from trove_lite.running import account, live

    from . import grid
    from .log_commands import calls
    from .report import essays_folder, report

    refuse_less_than_one(in_flight=in_flight, workers=workers, jobs=jobs, guess=guess or None)
    if not model or not (out or dry_run):
        raise UsageError("give --model SPEC and --out FOLDER")
    if out:
        outside_runs(out)
    runs = grid.grid(tier, model, chat=chat, isolation=isolation)
    first = runs[grid.TROVE]
    table = live.price_table(max_cost, prices)
    if dry_run:
        say(account.planned_text([*runs.values()], prices=table))
        return 0
    how = {
        "in_flight": in_flight,
        "guess": guess,
        "workers": workers,
        "progress": not quiet,
        "prices": prices,
        "max_cost": max_cost,
    }
    problems = sum(grid.problems_of(first).values())
    seeds = len(first.seeds)
    shown = grid.can_show(power, problems, seeds) if power else []
    say(f"{tier}: {problems:,} problems by {seeds} seeds; its first problems tell what it costs")
    cost = grid.pilot(runs, out, tier, **how)
    known = read_description(out / "pilot" / f"{tier}-{grid.TROVE}")["model"]
    price = price_of(known, table) if table else None
    say(f"in all about {cost.text(price)}", *shown)
    folders = {system: out / "runs" / f"{tier}-{system}" for system in runs}
    for system, settings in runs.items():
        say(f"{folders[system]}:")
        grid.made(settings, folders[system], out, **how)
    made = tuple(folders.values())
    say(f"asked in all: {grid.spent(out).text(price)}", *checks_against(*made))
    calls(
        (folders[grid.TROVE],),
        out=out,
        time_limit=first.time_limit,
        isolation=isolation,
        workers=workers,
    )
    say(*grid.funnel_lines(made, out))
    row = grid.row_of(tier, made, out)
    with on_disk(out):
        save_csv(row, out / "row.csv", float_format="%.6g")
        for journal in out.glob("runs/*/journal/*.jsonl"):  # as results/ keeps them
            pack(journal, journal.parent)
            journal.unlink()
    parameters = {"calls": os.path.relpath(out, essays_folder())}
    failed = report(
        made, out.resolve().name, notebooks=None, parameters=parameters, jobs=jobs, into=out
    )
    say(
        row.T.to_string(header=False),
        f"{out / 'row.csv'}: this row; {out / 'index.html'}: all pages",
    )
    return min(failed, 1)
