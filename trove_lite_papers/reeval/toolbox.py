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
    over problems. What repeats either run is left out."""
    stream = all_candidates(candidates).query("phase == 'stream'")
    rows = []
    for category, found in groupby(pairs_of_runs(stream), key=lambda pair: pair.category):
        for pair in (pairs := list(found)):
            (run_a, method), (run_b, other) = pair.runs
            elsewhere = [p.repeated for p in pairs if p.runs == pair.runs and p.mode != pair.mode]
            again = [p.repeated for p in pairs if p.mode == pair.mode and p.runs[1] in pair.runs]
            apart = set(pair.problems[~pair.shared].tolist())
            apart = sorted(apart.intersection(*elsewhere).difference(*again))
            if method != other or not elsewhere or not apart:
                continue
            here = stream[(stream["category"] == category) & (stream["mode"] == pair.mode)]
            here = here[here["problem"].isin(apart) & (here["method"] == method)].dropna(
                subset="correct"
            )
            here = here.assign(
                right=here["correct"].astype(float),
                run=here["run"].astype(str),
            )
            right = here.pivot_table(index=["problem", "sample"], columns="run", values="right")
            right = right[[run_a, run_b]].dropna()
            gap = mean_interval((right[run_b] - right[run_a]).groupby("problem").mean())
            values = [apart[0], apart[-1], len(apart), len(right), *right.mean(), *gap[:3]]
            rows.append((category, pair.mode, run_a, run_b, *values))
    return pd.DataFrame(rows, columns=COLUMNS)
