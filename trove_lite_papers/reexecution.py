"""Recorded programs executed again (`recorded.reexecute`): do they do as recorded, and what does a
time limit buy?"""

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd
from matplotlib.figure import Figure

from trove_lite import TroveLiteError, choose, load_candidates
from trove_lite_analysis import independent_runs
from trove_lite_analysis.differences import difference
from trove_lite_analysis.scores import variance_of
from trove_lite_analysis.variance import proportion_interval

from .figures import curve
from .pages import save
from .tables import name_table

PROBLEM = ["run", "method", "seed", "dataset", "category", "problem"]
LIMITS = (1, 2, 5, 10, 30)  # CPU seconds
MEASURES = ["finished", "pass@1", "two-stage", "oracle"]
COLUMNS = [
    "limit",
    "measure",
    "value",
    "low",
    "high",
    "gain",
    "gain_low",
    "gain_high",
    "problems",
    "cpu_hours",
]
RUNS = "recorded programs executed again"


class Reexecution(NamedTuple):
    """The tables that `trove-lite reexecute` writes: what agrees with the record, what does not,
    what a limit buys."""

    agreement: pd.DataFrame
    disagreements: pd.DataFrame
    time_limits: pd.DataFrame


def load(folder: str | Path) -> Reexecution:
    """The tables in a folder of `trove-lite reexecute`, or in `results/reexecution`. Raises where
    one is missing."""
    paths = {name: Path(folder) / f"{name}.csv" for name in Reexecution._fields}
    if lacking := [path for path in paths.values() if not path.is_file()]:
        raise TroveLiteError(
            f"{lacking[0]}: missing; `trove-lite reexecute RUN --out {folder}` makes it"
        )
    return Reexecution(
        *(name_table(pd.read_csv(path), n, n.replace("_", " "), RUNS) for n, path in paths.items())
    )


def time_limits(candidates: pd.DataFrame, limits: Sequence[float] = LIMITS) -> pd.DataFrame:
    """What a time limit buys, from re-executed CPU seconds (of a run with the largest limit or a
    longer one).

    A row a limit and measure: `finished` and `pass@1`, shares of candidates; `two-stage` and
    `oracle`, of problems.
    `gain`: less the shortest limit's. What ran out of time when it was executed again is taken as
        never finishing.
    """
    stream = candidates[candidates["phase"] == "stream"]
    names = (
        stream["dataset"].astype(str) + "/" + stream["category"].astype(str)
    )  # each category a stratum of its own
    seconds = stream["execute_seconds"].where(stream["status"] != "timeout", math.inf)
    stream = stream.assign(category=names, execute_seconds=seconds)
    scores = {limit: _scores_at(stream, limit) for limit in limits}
    problems = stream.groupby(["category", "problem"], observed=True).ngroups
    rows = []
    for limit, here in scores.items():
        for measure in MEASURES:
            each, first = (part.assign(score=part[measure]) for part in (here, scores[limits[0]]))
            mean = proportion_interval(variance_of(each))[:3]
            gain = [0.0, 0.0, 0.0]
            if limit != limits[0]:
                ((cells, _),) = difference(each, first)
                gain = [cells[name] for name in ("difference", "low", "high")]
            hours = stream["execute_seconds"].clip(upper=limit).sum() / 3600
            rows.append((limit, measure, *mean, *gain, problems, hours))
    models = sorted(candidates["model"].astype(str).unique()) if "model" in candidates else []
    return name_table(
        pd.DataFrame(rows, columns=COLUMNS),
        "time_limits",
        "time limits",
        ", ".join([*models, RUNS]),
    )


def _scores_at(stream: pd.DataFrame, limit: float) -> pd.DataFrame:
    finished = stream["execute_seconds"] <= limit
    ok = (stream["status"] == "ok") & finished
    right = ok & stream["correct"].fillna(False).astype(bool)
    cut = stream.assign(
        finished=finished, right=right, status=stream["status"].astype(object).where(ok, "timeout")
    )
    scores = (
        cut.groupby(PROBLEM, observed=True)[["finished", "right"]]
        .mean()
        .rename(columns={"right": "pass@1"})
    )
    chosen = (
        choose(cut, "two_stage").set_index(PROBLEM)["right"].reindex(scores.index, fill_value=False)
    )
    return (
        scores.assign(oracle=scores["pass@1"] > 0, **{"two-stage": chosen})
        .astype(float)
        .reset_index()
    )


def time_limits_figure(table: pd.DataFrame) -> Figure | None:
    """What a time limit buys over the shortest one, problem by problem."""
    shortest = table["limit"].min()
    spent = table.drop_duplicates("limit")
    hours = ", ".join(f"{row.cpu_hours:.1f} h at {row.limit:g} s" for row in spent.itertuples())
    longer = table[table["limit"] > shortest].drop(columns=["value", "low", "high"])
    longer = longer.rename(columns={"gain": "value", "gain_low": "low", "gain_high": "high"})
    labels = ("time limit of a program (CPU seconds)", f"gain over {shortest:g} s (points)")
    about = {
        "title": f"What more than {shortest:g} s of CPU time buys",
        "x": "limit",
        "series": "measure",
    }
    about["caption"] = f"Paired by problem. CPU time of all programs: {hours}."
    return curve(longer, labels=labels, log="x", **about)


if __name__ == "__main__":  # FOLDER: what time limits buy, beside what `reexecute` wrote
    folder = Path(sys.argv[1])
    longest = json.loads((folder / "run.json").read_text(encoding="utf-8"))["sandbox"]["limits"][
        "time_limit"
    ]
    runs = independent_runs(load_candidates(folder), across=True)  # a copy is no second run
    table = time_limits(runs, [limit for limit in LIMITS if limit <= longest] or [longest])
    save(table, folder)
    save(time_limits_figure(table), folder)
