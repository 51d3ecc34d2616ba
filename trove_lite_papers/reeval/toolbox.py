"""What another toolbox changes in TroVE's released runs, some of which share their random
numbers."""

from itertools import groupby

import pandas as pd

from trove_lite.candidates import all_candidates
from trove_lite_analysis.independence import pairs_of_runs
from trove_lite_analysis.statistics import mean_interval

COLUMNS = ["category", "mode", "run_a", "run_b", "first", "last", "problems", "samples"]
COLUMNS += ["value_a", "value_b", "difference", "low", "high"]


def toolbox_experiment(candidates: pd.DataFrame) -> pd.DataFrame:
    """What another toolbox changes, by runs that share their random numbers: a row for each such
    pair of runs.

    Two runs of a method part in one `mode` while they repeat each other in all others, which ask
    without the toolbox. Over the `problems` where that is so: the share of right samples in that
    mode (`value_a`, `value_b`), and `run_b` minus `run_a`, sample by sample, with its 95 % interval
    over problems. What repeats either run is left out.
    """
    stream = all_candidates(candidates).query("phase == 'stream'")
    rows = []
    for category, found in groupby(pairs_of_runs(stream), key=lambda pair: pair.category):
        pairs = list(found)
        for pair in pairs:
            (run_a, method), (run_b, other) = pair.runs
            elsewhere = [
                one.repeated for one in pairs if one.runs == pair.runs and one.mode != pair.mode
            ]
            again = [
                one.repeated for one in pairs if one.mode == pair.mode and one.runs[1] in pair.runs
            ]
            parted = set(pair.problems[~pair.shared].tolist())
            apart = sorted(parted.intersection(*elsewhere).difference(*again))
            if method != other or not elsewhere or not apart:
                continue
            here = stream[
                (stream["category"] == category)
                & (stream["mode"] == pair.mode)
                & (stream["method"] == method)
                & stream["problem"].isin(apart)
            ]
            here = here.dropna(subset="correct")
            here = here.assign(
                right=here["correct"].astype(float),
                run=here["run"].astype(str),
            )
            right = here.pivot_table(
                index=["problem", "sample"],
                columns="run",
                values="right",
            )
            right = right[[run_a, run_b]].dropna()
            by_sample = right[run_b] - right[run_a]
            gap = mean_interval(by_sample.groupby("problem").mean())
            sizes = [apart[0], apart[-1], len(apart), len(right)]
            values = [*sizes, *right.mean(), *gap[:3]]
            rows.append((category, pair.mode, run_a, run_b, *values))
    return pd.DataFrame(rows, columns=COLUMNS)
