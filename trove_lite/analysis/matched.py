"""TROVE against PRIMITIVE at the same cost: the same calls, the same tokens written, or the same tokens in all.

A call of TROVE costs more tokens than one of PRIMITIVE: its prompts list tools, its programs define and import them.
So PRIMITIVE gets, for each problem and seed, the first of its samples that together cost no more than TROVE's did
there. That takes runs of PRIMITIVE with more calls than TROVE's, and token counts.
"""

import math

import numpy as np
import pandas as pd

from ..datasets.math import CATEGORIES
from ..papers.reeval import paired
from . import statistics as metrics
from .choose import choose
from .study import Study

#: What may be matched, and the column that it is counted in.
BUDGETS = {"calls": "calls", "completion tokens": "completion", "total tokens": "total"}
COSTS = [*BUDGETS.values()]
UNIT = ["category", "problem", "seed"]
COLUMNS = [
    "budget", "category", *(f"{side}_{cost}" for cost in COSTS for side in ("trove", "primitive")),
    "trove", "primitive", "difference", "low", "high", "run_sd", "p", "p_equivalent", "equivalent", "margin",
    "problems", "runs", "note",
]  # fmt: skip


def matched_budgets(
    study: Study, longer: pd.DataFrame | None = None, *, margin: float = 0.01, seed: int = 0
) -> pd.DataFrame:
    """One-stage accuracy of TROVE, as recorded, and of PRIMITIVE at TROVE's cost: one row a budget and category.

    longer: candidates of PRIMITIVE with more calls, of the same seeds; without them, the study's own. Columns: mean
    `calls`, tokens written (`completion`) and tokens in all (`total`, the prompt counted for every sample) a problem of
    each side; the accuracies `trove` and `primitive` (fractions); their paired difference with its 95 % interval over
    problems, each problem's score being its mean over seeds, and apart from it `run_sd`, between seeds; the tests of
    `differences`. Where the runs cannot say, the row gives the reason in `note`.
    """
    rivals = study.primitive if longer is None else Study.of(longer).primitive
    trove, primitive = (_counted(side) for side in (study.trove, rivals[rivals["method"] == "primitive"]))
    rows = [row for budget in BUDGETS for row in _rows(budget, trove, primitive, margin=margin, seed=seed)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(budget: str, trove: pd.DataFrame, primitive: pd.DataFrame, *, margin: float, seed: int) -> list[dict]:
    cost = BUDGETS[budget]
    if reason := _cannot(cost, trove, primitive):
        return [{"budget": budget, "category": "all", "note": reason}]
    given = trove.groupby(UNIT, observed=True)[cost].sum().rename("given")
    shared = primitive.merge(given.reset_index(), on=UNIT)
    spent = shared.groupby(UNIT, observed=True)[cost].cumsum()
    each = _outcomes(trove).add_suffix("_trove").join(_outcomes(shared[spent <= shared["given"]]), how="inner")
    each = each.join(given)
    each["mean_cost"] = shared.groupby(UNIT, observed=True)[cost].mean()
    each["short"] = shared.groupby(UNIT, observed=True)[cost].sum() < each["given"]
    names = [c for c in CATEGORIES if c in each.index.unique("category")]
    together = ["all" if len(names) == len(CATEGORIES) else "covered"] if len(names) > 1 else []
    return [
        {"budget": budget, "category": category}
        | _row(each.loc[[category]] if category in names else each, margin=margin, seed=seed)
        for category in [*names, *together]
    ]


def _row(each: pd.DataFrame, *, margin: float, seed: int) -> dict:
    if each["short"].any():
        short = each[each["short"]]
        needed = math.ceil((short["given"] / short["mean_cost"]).max())
        return {"note": f"TROVE's samples cost as much as up to about {needed} of PRIMITIVE, and the runs hold "
                        f"{int(short['calls'].min())}: run PRIMITIVE with a larger k"}  # fmt: skip
    a, b = (each[right].unstack("seed") for right in ("right_trove", "right"))
    costs = {f"{side}_{cost}": each[f"{cost}{suffix}"].mean()
             for cost in COSTS for side, suffix in (("trove", "_trove"), ("primitive", ""))}  # fmt: skip
    means = metrics.question_means(a), metrics.question_means(b)
    return costs | {
        "trove": np.nanmean(means[0]), "primitive": np.nanmean(means[1]), **paired(*means, margin=margin, seed=seed),
        "run_sd": metrics.run_sd((a - b).mean()), "runs": a.shape[1], "note": "",
    }  # fmt: skip


def _cannot(cost: str, trove: pd.DataFrame, primitive: pd.DataFrame) -> str:
    """Why the two cannot be compared at this cost; empty where they can."""
    sides = {"TROVE": trove, "PRIMITIVE": primitive}
    reasons = [f"no {name} runs" for name, side in sides.items() if side.empty]
    if uncounted := [name for name, side in sides.items() if side[cost].isna().any()]:
        reasons.append(f"no token counts in the {' and '.join(uncounted)} runs: recorded logs have none, live runs do")
    if not reasons and not set(trove["seed"]) & set(primitive["seed"]):
        reasons.append("the TROVE and PRIMITIVE runs have no seed in common")
    return "; ".join(reasons)


def _counted(side: pd.DataFrame) -> pd.DataFrame:
    """Samples with what each of them cost."""
    counts = side[["prompt_tokens", "completion_tokens"]].astype("Float64")
    return side.assign(calls=1, completion=counts["completion_tokens"], total=counts.sum(axis=1, skipna=False))


def _outcomes(side: pd.DataFrame) -> pd.DataFrame:
    """What each problem and seed cost in all, and whether one-stage agreement is right."""
    right = choose(side, "one_stage").set_index(UNIT)["correct"].fillna(False).astype(float).rename("right")
    return side.groupby(UNIT, observed=True)[COSTS].sum().astype(float).join(right)
