"""Recorded programs executed again: do they do what the record says, and what does a time limit buy?

It reads re-executed candidates (`recorded.reexecute`), whose `execute_seconds` are CPU seconds, or what
`trove-lite reexecute` made of them, and runs nothing.
"""

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from trove_lite.analysis.choose import choose
from trove_lite.analysis.comparison import percent
from trove_lite.analysis.independence import independent_runs
from trove_lite.analysis.scores import variance_of
from trove_lite.analysis.variance import interval, proportion_interval
from trove_lite.candidates import load_candidates
from trove_lite.errors import TroveLiteError

from . import Words, save
from .style import SERIES, handle, plt, titled

STREAM = ["run", "method", "seed", "dataset", "category"]
LIMITS = (1, 2, 5, 10, 30)  # CPU seconds
MEASURES = ["finished", "pass@1", "two-stage", "oracle"]


RUNS = "recorded programs executed again"


class Reexecution(NamedTuple):
    """The tables that `trove-lite reexecute` writes: counts that agree with the record, each candidate that does not,
    and what a time limit buys."""

    agreement: pd.DataFrame
    disagreements: pd.DataFrame
    time_limits: pd.DataFrame


def load(folder: str | Path) -> Reexecution:
    """The tables in a folder of `trove-lite reexecute`, or in `results/reexecution`. Raises where one is missing."""
    tables = []
    for name in Reexecution._fields:
        path = Path(folder) / f"{name}.csv"
        if not path.is_file():
            raise TroveLiteError(f"{path}: missing; `trove-lite reexecute RUN --out {folder}` makes it")
        table = pd.read_csv(path)
        table.attrs = {"name": name, "title": name.replace("_", " "), "runs": RUNS}
        tables.append(table)
    return Reexecution(*tables)


def shares(agreement: pd.DataFrame) -> pd.DataFrame:
    """How much of the record holds, in percent, by category: status of all, answer and verdict of the compared."""
    table = agreement.set_index("category")
    status = 100 * table["status"] / table["candidates"]
    rest = table[["answer", "verdict"]].div(table["compared"], axis="index") * 100
    return pd.concat([table["candidates"], status, table["compared"], rest], axis="columns").round(2)


def causes(disagreements: pd.DataFrame) -> pd.DataFrame:
    """The likeliest causes of what differs: how many candidates, and how many of them in status and in verdict."""
    kinds = disagreements.assign(
        status=disagreements["status_recorded"] != disagreements["status"], verdict=~disagreements["same_verdict"]
    )
    table = kinds.groupby("cause")[["status", "verdict"]].sum()
    table.insert(0, "candidates", kinds["cause"].value_counts())
    return table.sort_values("candidates", ascending=False)


def time_limits(candidates: pd.DataFrame, limits: Sequence[float] = LIMITS) -> pd.DataFrame:
    """What a time limit buys, from re-executed CPU seconds (of a run with the largest limit or a longer one).

    A row for each limit and measure, with `value`: `finished` and `pass@1`, shares of candidates; `two-stage`, the
    share of problems whose official two-stage choice is right; `oracle`, with any correct candidate. Means over
    problems (micro), of the mean over runs; `low`, `high`: 95 % over problems and runs. `gain` is this limit's less the
    shortest one's in the same runs, with its interval `gain_low`, `gain_high`: where no problem of N changes, that is
    3 / N to both sides (the rule of three), not nothing. `problems`: how many; `cpu_hours`: of all candidates. One that
    ran out of time when it was executed again counts as never finishing.
    """
    stream = candidates[candidates["phase"] == "stream"]
    names = stream["dataset"].astype(str) + "/" + stream["category"].astype(str)  # each category a stratum of its own
    seconds = stream["execute_seconds"].where(stream["status"] != "timeout", math.inf)
    stream = stream.assign(category=names, execute_seconds=seconds)
    scores = {limit: _scores_at(stream, limit) for limit in limits}
    problems, rows = stream.groupby(["category", "problem"], observed=True).ngroups, []
    for limit, here in scores.items():
        for measure in MEASURES:
            each, first = (part.reset_index().assign(score=part[measure].array) for part in (here, scores[limits[0]]))
            mean = proportion_interval(variance_of(each))
            row = {"limit": limit, "measure": measure, "value": mean.value, "low": mean.low, "high": mean.high}
            gain = interval(variance_of(each, first))[:3] if limit != limits[0] else (0.0, 0.0, 0.0)
            row |= dict(zip(("gain", "gain_low", "gain_high"), gain, strict=True))
            spent = stream["execute_seconds"].clip(upper=limit).sum() / 3600
            rows.append(row | {"problems": problems, "cpu_hours": spent})
    table = pd.DataFrame(rows)
    models = ", ".join(sorted(candidates["model"].astype(str).unique())) if "model" in candidates else ""
    runs = ", ".join(part for part in (models, RUNS) if part)
    table.attrs = {"name": "time_limits", "title": "time limits", "runs": runs}
    return table


def _scores_at(stream: pd.DataFrame, limit: float) -> pd.DataFrame:
    """Each problem's scores in each run, were programs cut off after `limit` CPU seconds."""
    finished = stream["execute_seconds"] <= limit
    ok = (stream["status"] == "ok") & finished
    right = ok & stream["correct"].fillna(False).astype(bool)
    cut = stream.assign(finished=finished, right=right, status=stream["status"].astype(object).where(ok, "timeout"))
    problem = [*STREAM, "problem"]
    scores = cut.groupby(problem, observed=True)[["finished", "right"]].mean()
    scores = scores.assign(oracle=scores["right"] > 0).rename(columns={"right": "pass@1"})
    chosen = choose(cut, "two_stage")
    scores["two-stage"] = chosen.set_index(problem)["right"].reindex(scores.index, fill_value=False)
    return scores[MEASURES].astype(float)


def time_limits_figure(table: pd.DataFrame) -> Figure:
    """What a time limit buys over the shortest one, problem by problem, and what it costs."""
    shortest = table["limit"].min()
    longer = table[table["limit"] > shortest]
    limits = sorted(longer["limit"].unique())
    measures = [measure for measure in MEASURES if (table["measure"] == measure).any()]
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.9), layout="constrained", width_ratios=(3, 2))
    left.axhline(0, color="black", linewidth=1)
    for j, measure in enumerate(measures):
        cells, series = longer[longer["measure"] == measure], SERIES[measure]
        x = [limits.index(limit) + 0.17 * (j - (len(measures) - 1) / 2) for limit in cells["limit"]]
        error = 100 * pd.DataFrame([cells["gain"] - cells["gain_low"], cells["gain_high"] - cells["gain"]])
        left.errorbar(
            x, 100 * cells["gain"], yerr=error, fmt=series.marker, color=series.colour, capsize=2, clip_on=False
        )
    left.set_xticks(range(len(limits)), [f"{limit:g}" for limit in limits])
    left.set_xlabel("time limit of a program (CPU seconds)")
    left.set_ylabel(f"gain over a limit of {shortest:g} s (points)")
    left.grid(axis="y", color="0.9")
    handles = [handle(measure, SERIES[measure]) for measure in measures]
    figure.legend(handles=handles, frameon=False, ncols=4, loc="outside lower center", fontsize=9)
    cost = table.drop_duplicates("limit")
    right.plot(cost["limit"], cost["cpu_hours"], color="black", marker="o", markersize=5)
    right.set_ylabel("CPU hours for all programs")
    right.set_ylim(bottom=0)
    right.set_xscale("log")
    right.set_xticks(cost["limit"], [f"{limit:g}" for limit in cost["limit"]], minor=False)
    right.minorticks_off()
    right.grid(axis="y", color="0.9")
    right.set_xlabel("time limit of a program (CPU seconds)")
    best = table[(table["measure"] == "two-stage") & (table["limit"] == table["limit"].max())].iloc[0]
    whole = f" ({table['problems'].max():,} problems)" if "problems" in table else ""
    caption = (
        "Left: share of candidates that finish and that are right (pass@1), and of problems whose choice is right "
        f"(two-stage) and that any candidate solves (oracle), less the same at {shortest:g} s, in points, paired by "
        f"problem{whole}; bars: 95 % intervals, and where no problem changes, as far as a change may have been missed. "
        f"At {shortest:g} s the official choice is right on {100 * (best['value'] - best['gain']):.1f} %. Right: what "
        "all programs cost."
    )
    return titled(figure, table, "What a longer time limit buys", caption=caption)


def agreement_in_words(agreement: pd.DataFrame) -> Words:
    """How much of the record holds, in a sentence."""
    total = agreement.set_index("category").loc["all"]
    return Words(
        f"Of {total['candidates']:,} programs {100 * total['status'] / total['candidates']:.2f} % end as recorded, and "
        f"of {total['compared']:,} whose record is whole {100 * total['verdict'] / total['compared']:.2f} % have the "
        "recorded verdict."
    )


def limits_in_words(table: pd.DataFrame) -> Words:
    """What the longest limit buys over the shortest, in a sentence."""
    cells = table.set_index(["measure", "limit"])
    short, long = table["limit"].min(), table["limit"].max()
    vote, single = cells.loc[("two-stage", long)], cells.loc[("pass@1", long)]
    first = cells.loc[("two-stage", short)]
    return Words(
        f"With {short:g} CPU second{'s' if short != 1 else ''} a program, two-stage selection answers "
        f"{percent(first)} of the problems right; {long:g} seconds add "
        f"{100 * vote.gain:+.2f} points [{100 * vote.gain_low:+.2f}, {100 * vote.gain_high:+.2f}], and "
        f"{100 * single.gain:+.3f} [{100 * single.gain_low:+.3f}, {100 * single.gain_high:+.3f}] to a single program's "
        f"accuracy, at {vote.cpu_hours:.1f} CPU hours for all programs instead of {first.cpu_hours:.1f}."
    )


if __name__ == "__main__":  # python -m papers.reexecution FOLDER: what time limits buy, beside what `reexecute` wrote
    folder = Path(sys.argv[1])
    longest = json.loads((folder / "run.json").read_text(encoding="utf-8"))["sandbox"]["limits"]["time_limit"]
    runs = independent_runs(load_candidates(folder), across=True)  # a copy is no second run
    table = time_limits(runs, [limit for limit in LIMITS if limit <= longest] or [longest])
    save(table, folder)
    save(time_limits_figure(table), folder)
