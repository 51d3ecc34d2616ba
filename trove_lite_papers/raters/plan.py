"""Who is asked about what: a balanced, blinded, shuffled plan. It reads no text and makes no
page."""

import numpy as np
import pandas as pd

from trove_lite.errors import TroveLiteError
from trove_lite.selection.subsets import generator

PROBLEM = ["dataset", "category", "problem"]
#: A row for each program that a rater is asked about: `item` is its number on that rater's page,
#: `right` the verdict of the run, which the page does not have.
KEY = ["rater", "item", *PROBLEM, "method", "run", "right"]


def plan(answers: pd.DataFrame, *, raters: int, problems: int, seed: int) -> pd.DataFrame:
    """Which of these answers each rater judges, and in what order: columns `KEY` and `row`, the
    label in `answers`.

    A Latin square: with M methods, rater r judges of the i-th problem the answer of method (i + r)
    mod M, all drawn by `seed`. Of several runs of a method that of the lowest seed is used;
    `problems`: at most so many. Raises TroveLiteError where there are fewer than two methods, or
    raters that no such square has.
    """
    known = answers[answers["correct"].notna()].reset_index(names="row")
    known = known.sort_values(["seed", "run"], kind="stable").drop_duplicates([*PROBLEM, "method"])
    known = known.astype(dict.fromkeys(["dataset", "category", "method", "run"], str))
    methods = sorted(known["method"].unique())
    by_problem = known.pivot_table(
        index=PROBLEM, columns="method", values="row", sort=True
    ).dropna()
    if len(methods) < 2 or by_problem.empty or problems < 1:
        raise TroveLiteError(
            f"give runs of two or more methods on the same problems (here: {', '.join(methods)})"
        )
    if raters < 1 or raters % len(methods):
        raise TroveLiteError(
            f"{raters} raters for {', '.join(methods)}: give a multiple of {len(methods)}"
        )
    rng = generator(seed)
    drawn = by_problem.iloc[rng.permutation(len(by_problem))[:problems]]
    places = drawn[list(rng.permutation(methods))].to_numpy(
        dtype=int
    )  # (problems, methods): rows of `answers`
    each = np.arange(len(places))
    rows = []
    for rater in range(raters):
        asked = places[each, (each + rater) % len(methods)]
        rows += [
            (rater + 1, item, place)
            for item, place in enumerate(rng.permutation(asked).tolist(), start=1)
        ]
    key = pd.DataFrame(rows, columns=["rater", "item", "row"]).merge(known, on="row", how="left")
    return key.assign(right=key["correct"].astype(bool))[[*KEY, "row"]]
