"""Ratings that nobody made, to try the kit of the raters' study with."""

import math
from collections.abc import Mapping

import pandas as pd

from papers.raters.plan import PROBLEM
from trove_lite.analysis.statistics import generator


def simulated(
    key: pd.DataFrame,
    *,
    accuracy: Mapping[str, float],
    seconds: Mapping[str, float],
    spread: float = 0.0,
    seed: int = 0,
) -> pd.DataFrame:
    """Raters drawn from a random number generator.

    accuracy: by method, the share of programs judged rightly; seconds: by method, the mean time, of which problems,
    raters and chance make a lognormal. spread: standard deviation between raters of each method's accuracy, and, times
    the mean time, of its time. Programs of one problem and method are as hard for all raters alike.
    """
    rng = generator(seed)
    who, what = ["rater", "method"], [*PROBLEM, "method"]
    levels = {one: rng.normal(0, spread, 2) for one in key[who].drop_duplicates().itertuples(index=False, name=None)}
    hard = {one: rng.normal(0, 1) for one in key[what].drop_duplicates().itertuples(index=False, name=None)}
    rows = []
    for row in key.to_dict("records"):
        shift, longer = levels[row["rater"], row["method"]]
        difficulty = hard[tuple(row[name] for name in what)]
        chance = min(max(accuracy[row["method"]] + shift - 0.1 * difficulty, 0.0), 1.0)
        right = rng.random() < chance
        time = seconds[row["method"]] * (1 + longer) * math.exp(0.3 * difficulty + 0.4 * rng.normal() - 0.125)
        rows.append(row | {"said": row["right"] == right, "seconds": max(time, 0.5), "pauses": 0, "changes": 0})
    table = pd.DataFrame(rows)
    table.attrs = {"runs": "simulated raters: drawn from a random number generator, nobody was asked"}
    return table
