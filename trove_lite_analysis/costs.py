"""What systems cost: accuracy at the same calls, the same tokens written, the same tokens in all."""

from collections.abc import Iterable, Mapping
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.candidates import MISSING, REFUSED, STREAM
from trove_lite.selection.tables import choose, without_agreement

from . import statistics as metrics
from .differences import TESTED, add_holm, difference
from .scores import run_effect
from .systems import Comparison, require_comparison

#: What may be matched, and the column that it is counted in.
BUDGETS = {"calls": "calls", "completion tokens": "completion", "total tokens": "total"}
COSTS = [*BUDGETS.values()]
UNIT = ["category", "problem", "seed"]
REQUEST = ["run", "method", *UNIT, "mode", "sample"]
MATCHED_COLUMNS = [
    "budget",
    "category",
    "a",
    "b",
    *(f"{cost}_{system}" for cost in COSTS for system in "ab"),
    "value_a",
    "value_b",
    "difference",
    "low",
    "high",
    "run_sd",
    *TESTED,
    "problems",
    *MISSING,
    "runs",
    "note",
]


def matched_budgets(
    comparison: Comparison,
    *,
    pairs: Iterable[tuple[str, str]] | None = None,
    rule: str = "one_stage",
) -> pd.DataFrame:
    """Accuracy of system `a`, as recorded, and of system `b` at the cost of `a`: one row a budget, pair
    and category.

    For each problem and seed, `b` gets the first of its samples, in turns over its modes, that
    together cost no more than all of `a` cost there, and the next one with the chance that makes
    the *expected* cost the same. What is spent is every request that led to the answers compared:
    none of phase `retry`. Columns: mean `calls`, tokens written (`completion`) and tokens in all
    (`total`) a problem of each system; accuracies `value_a`, `value_b`; their difference, seed by
    seed, as in `differences`; `run_sd`, between seeds; or a `note`."""
    pairs = list(
        combinations(require_comparison(comparison).systems, 2) if pairs is None else pairs
    )
    spent = {name: _expenses(comparison, name) for name in dict.fromkeys(chain(*pairs))}
    rows = []
    for budget, cost in BUDGETS.items():
        for a, b in pairs:
            found = _matched_rows(comparison, cost, {a: spent[a], b: spent[b]}, rule)
            rows += [{"budget": budget, "a": a, "b": b} | row for row in found]
    return add_holm(pd.DataFrame(rows, columns=MATCHED_COLUMNS))


class Spent(NamedTuple):
    """A system's samples with what each cost (columns `COSTS`), and what its other requests cost, by
    `UNIT`."""

    samples: pd.DataFrame
    besides: pd.DataFrame

    def outcomes(self, rule: str) -> pd.DataFrame:
        """What each problem and seed cost in all, and whether the answer that `rule` chooses is
        `right`."""
        own = self.samples.groupby(UNIT, observed=True)[COSTS].sum(min_count=1)
        chosen = choose(self.samples, rule).set_index(UNIT)["correct"].fillna(False).astype(float)
        return own.add(self.besides.reindex(own.index).fillna(0)).join(chosen.rename("right"))


def _expenses(comparison: Comparison, name: str) -> Spent:
    system = comparison[name].astype(dict.fromkeys([*STREAM, "mode"], str))
    calls = comparison.requests(name)
    calls = calls[calls["phase"] != "retry"]
    tokens = calls[["prompt_tokens", "completion_tokens"]].astype("Float64")
    asked = calls["model"].notna()  # a program may run that nobody was asked for
    tokens[~asked | calls["finish_reason"].astype(object).isin(MISSING)] = (
        0.0  # nothing was read, nothing written
    )
    calls = calls.assign(
        calls=asked,
        completion=tokens["completion_tokens"],
        total=tokens.sum(axis=1, skipna=False),
    ).astype(dict.fromkeys(COSTS, float))
    of_samples = calls["mode"].notna()
    each = calls[of_samples].astype({"mode": str}).groupby(REQUEST)[COSTS].sum(min_count=1)
    besides = calls[~of_samples].groupby(UNIT)[COSTS].sum(min_count=1)
    system = system.sort_values(
        [*UNIT, "sample", "place", "mode"], kind="stable"
    )  # in turns over its modes
    return Spent(system.merge(each.reset_index(), on=REQUEST, how="left"), besides)


def _matched_rows(
    comparison: Comparison, cost: str, pair: Mapping[str, Spent], rule: str
) -> list[dict]:
    (a, mine), (b, rival) = pair.items()
    if reason := _obstacle(cost, pair):
        return [{"category": "all", "note": reason}]
    recorded = mine.outcomes(rule)
    shared = rival.samples.merge(
        recorded[cost].rename("given").reset_index(),
        on=UNIT,
    )
    units = shared.set_index(UNIT).index.unique()
    each = recorded.add_suffix("_a").reindex(units)
    each = each.join(_affordable(rival, shared, cost, rule).add_suffix("_b"))
    counted = [name for name in COSTS if rival.samples[name].notna().any()]
    each = each.fillna({f"{name}_b": 0.0 for name in (*counted, "right")})
    each = each.assign(
        given=each[f"{cost}_a"],
        mean_cost=shared.groupby(UNIT)[cost].mean(),
    )
    refused = (
        (rival.samples.set_index(UNIT)["status"].astype(object) == REFUSED)
        .groupby(level=UNIT)
        .any()
    )
    whole = rival.outcomes(rule)[cost].reindex(units)
    each["short"] = (whole < each["given"]) & ~refused.reindex(units)  # more would be, too
    of_each = each.index.get_level_values("category")
    shared = run_effect(mine.samples, rival.samples) is None
    seeds = each.reset_index().assign(method="", shares_state=shared)
    seeds = seeds.assign(run=seeds["seed"])
    systems = [seeds.assign(score=seeds[f"right_{system}"]) for system in "ab"]
    return [
        {"category": cells["category"]}
        | comparison.lacking(v.labels, a, b)
        | _row(each[of_each.isin(v.labels)], cells, a, b)
        for cells, v in difference(*systems, categories=comparison.categories)
    ]


def _affordable(rival: Spent, shared: pd.DataFrame, cost: str, rule: str) -> pd.DataFrame:
    """What each problem and seed of a rival costs and whether it is right, the last sample being
    taken by chance."""
    first = rival.besides[cost].reindex(pd.MultiIndex.from_frame(shared[UNIT])).fillna(0).to_numpy()
    after = first + shared.groupby(UNIT)[cost].cumsum()
    left = shared["given"] - (
        after - shared[cost]
    )  # before a sample is drawn; below 0 after one that overshoots
    taken = after <= shared["given"]
    next_one = ~taken & (left > 0)
    chance = (left / shared[cost])[next_one].set_axis(
        pd.MultiIndex.from_frame(shared.loc[next_one, UNIT])
    )
    surely, perhaps = (
        rival._replace(samples=shared[kept]).outcomes(rule) for kept in (taken, taken | next_one)
    )
    chance = chance.reindex(perhaps.index).fillna(0.0)
    return surely.reindex(perhaps.index).fillna(0.0).mul(
        1 - chance,
        axis=0,
    ) + perhaps.mul(chance, axis=0)


def _row(each: pd.DataFrame, told: dict, a: str, b: str) -> dict:
    short = each[each["short"]]
    if len(short):
        needed = np.ceil((short["given"] / short["mean_cost"]).max())
        held = int(short["calls_b"].min())
        reason = f"{a}'s samples cost as much as up to about {needed:.0f} of {b}, and the runs hold {held}"
        return {"note": f"{reason}: run {b} with a larger k"}
    right = [each[f"right_{system}"].unstack("seed") for system in "ab"]
    cells = {
        f"{cost}_{system}": each[f"{cost}_{system}"].mean() for cost in COSTS for system in "ab"
    }
    cells |= {
        f"value_{system}": part.mean(axis=1).mean()
        for system, part in zip("ab", right, strict=True)
    }
    about = {
        "run_sd": metrics.run_sd((right[0] - right[1]).mean()),
        "runs": right[0].shape[1],
        "note": "",
    }
    return cells | told | about


def _obstacle(cost: str, pair: Mapping[str, Spent]) -> str:
    """Why the two cannot be compared at this cost; empty where they can."""
    reasons = [f"no {name} runs" for name, spent in pair.items() if spent.samples.empty]
    reasons += [line for _, spent in pair.items() for line in without_agreement(spent.samples)]
    for name, spent in pair.items():
        runs = spent.samples[["run", "seed", "category"]].drop_duplicates()
        if len(again := runs[runs.duplicated(["seed", "category"], keep=False)]):
            names = " and ".join(sorted(set(again["run"])))
            reasons.append(
                f"{name} has several runs of one seed ({names}): give each as a system of its own"
            )
    if uncounted := [
        name for name, spent in pair.items() if any(table[cost].isna().any() for table in spent)
    ]:
        reasons.append(
            f"no token counts in the {' and '.join(uncounted)} runs: recorded logs have none, live runs do"
        )
    if not reasons and not set.intersection(
        *(set(spent.samples["seed"]) for spent in pair.values())
    ):
        reasons.append(f"the {' and '.join(pair)} runs have no seed in common")
    return "; ".join(reasons)
