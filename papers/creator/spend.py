"""What attempts cost, and what they buy: CREATOR beside simpler methods at the same mean calls, and the same tokens.

The paper makes one attempt with each method, whatever it costs. Here methods repeat attempts and agree on an answer
(never by gold), and questions have no hints. What m attempts reach is estimated by drawing m of those recorded; a mean
budget between m and m + 1 attempts is what tossing a coin between the two would cost on average, and reach.
"""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from trove_lite.analysis import comparison as analysis
from trove_lite.analysis.choose import PROBLEM
from trove_lite.analysis.comparison import Comparison
from trove_lite.analysis.scores import estimate, score

from .. import named
from .sides import COST, CREATOR, ENTANGLED, NO_REPAIR, POT, PRIMITIVE, Study, mean_costs, without_hints
from .tables import title_of

#: CREATOR against each of these; Entangled is CREATOR without the disentangling.
PAIRS = ((CREATOR, ENTANGLED), (CREATOR, POT), (CREATOR, PRIMITIVE), (ENTANGLED, POT))
RULE = "one_stage"
#: Mean calls a problem at which methods are compared; before them come one attempt of CREATOR, and of the dearest.
CALLS = (5.0, 10.0, 15.0)
SPEND_COLUMNS = ["system", "attempts", *COST.values(), "value", "low", "high", "runs", "problems"]
MATCHED_COLUMNS = [
    "budget",
    "spent",
    "category",
    "a",
    "b",
    "attempts_a",
    "attempts_b",
    "value_a",
    "value_b",
    *analysis.DIFFERENCE_COLUMNS[3:],
    "note",
]
HISTOGRAM_COLUMNS = ["system", "calls", "attempts", "share"]


def histogram(study: Study) -> pd.DataFrame:
    """How many calls an attempt took: a row for each method and number of calls, with the share of its attempts."""
    rows, study = [], without_hints(study)
    for name, side in _attempting(study).items():
        costs = study.costs[study.costs["method"] == str(side["method"].iloc[0])]
        for calls, attempts in costs["calls"].value_counts().sort_index().items():
            rows.append({"system": name, "calls": int(calls), "attempts": attempts, "share": attempts / len(costs)})
    table = pd.DataFrame(rows, columns=HISTOGRAM_COLUMNS)
    note = "none of CREATOR's methods was run"
    return named(table, "creator_histogram", "What an attempt costs", title_of(study), note=note)


def curves(study: Study, *, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """Accuracy of agreement among m attempts, and their mean cost: a row for each method and m."""
    study = without_hints(study)
    rows, costs = [], mean_costs(study)
    for name, side in _attempting(study).items():
        for m in range(1, most_attempts(side) + 1):
            scores = score(side, RULE, m, seed=seed, resamples=resamples).dropna(subset="score")
            spent = {column: m * costs[name][budget] for budget, column in COST.items()}
            rows.append({"system": name, "attempts": m} | spent | estimate(scores)._asdict())
    table = pd.DataFrame(rows).reindex(columns=SPEND_COLUMNS)
    note = "none of CREATOR's methods was run"
    return named(table, "creator_spend", "Accuracy against spend", title_of(study), note=note)


def matched(study: Study, *, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """Accuracy of each of PAIRS at the same mean calls and at the same mean completion tokens, with the difference.

    budget: what is matched; spent: how much of it, on average over problems: one attempt of CREATOR, one of the dearest
    method, and what costs as much as CALLS calls of CREATOR. attempts: how many that buys. Where a side's runs do not
    reach that far, or nothing counts its tokens, the row says so in `note`.
    """
    study = without_hints(study)
    sides, costs = _attempting(study), mean_costs(study)
    known = {name: _Scores(study.sides, name, seed, resamples) for name in sides}
    rows = []
    for budget, (a, b) in product(COST, PAIRS):
        for spent in budgets(costs, budget):
            about = {"budget": budget, "spent": spent, "a": a, "b": b}
            reason = _cannot(sides, costs, budget, spent, (a, b), known)
            if reason:
                rows.append(about | {"category": "all", "note": reason})
                continue
            attempts = {name: spent / costs[name][budget] for name in (a, b)}
            scores = {name: known[name].at(attempts[name]) for name in (a, b)}
            found = analysis.differences(study.sides, scores, pairs=[(a, b)])
            for row in found.to_dict("records"):
                rows.append(
                    about
                    | {"attempts_a": attempts[a], "attempts_b": attempts[b]}
                    | {f"value_{x}": _mean(scores[name], row["category"]) for x, name in (("a", a), ("b", b))}
                    | row
                    | {"note": ""}
                )
    table = pd.DataFrame(rows).reindex(columns=MATCHED_COLUMNS).astype({"problems": "Int64"})
    known = table["p"].notna()
    table.loc[known, "p_holm"] = analysis.corrected(table[known])["p_holm"] if known.any() else None
    return named(table, "creator_matched", "Matched budgets", title_of(study))


def budgets(costs: Mapping[str, dict[str, float]], budget: str) -> list[float]:
    """The mean budgets to compare at: an attempt of CREATOR, one of the dearest method, what CALLS calls come to."""
    if CREATOR not in costs or not np.isfinite(costs[CREATOR][budget]):
        return [float("nan")]
    one = costs[CREATOR]
    each = [costs[name][budget] for pair in PAIRS for name in pair if name in costs]
    dearest = max(cost for cost in each if np.isfinite(cost))
    found = [one[budget], *(calls / one["calls"] * one[budget] for calls in CALLS if calls > one["calls"])]
    return sorted({*found, dearest})


class _Scores:
    """A side's scores with any mean number of attempts, each whole number computed once."""

    def __init__(self, sides: Comparison, name: str, seed: int, resamples: int):
        self.side, self.seed, self.resamples = sides[name], seed, resamples
        self.most = most_attempts(self.side)
        self.known: dict[int, pd.DataFrame] = {}

    def whole(self, m: int) -> pd.DataFrame:
        if m not in self.known:
            self.known[m] = score(self.side, RULE, m, seed=self.seed, resamples=self.resamples).dropna(subset="score")
        return self.known[m]

    def at(self, attempts: float) -> pd.DataFrame:
        """Expected scores with m or m + 1 attempts, whose mean is `attempts`."""
        m = int(attempts)
        share = attempts - m
        if share < 1e-9:
            return self.whole(m)
        both = self.whole(m).merge(self.whole(m + 1)[[*PROBLEM, "score"]], on=PROBLEM, suffixes=("", "_more"))
        return both.assign(score=(1 - share) * both["score"] + share * both["score_more"]).drop(columns="score_more")


def most_attempts(side: pd.DataFrame) -> int:
    """As many attempts as every problem has: budgets by calls give hard problems fewer, which may not be left out."""
    return int(side.groupby(PROBLEM, observed=True).size().min()) if len(side) else 0


def _attempting(study: Study) -> dict[str, pd.DataFrame]:
    """The sides that make attempts, as they were run."""
    return {
        name: side
        for name, side in study.sides.sides.items()
        if len(side) and len(side["mode"].unique()) == 1 and not name.endswith(NO_REPAIR)
    }


def _cannot(
    sides: Mapping[str, pd.DataFrame],
    costs: Mapping[str, dict[str, float]],
    budget: str,
    spent: float,
    pair: Sequence[str],
    known: Mapping[str, _Scores],
) -> str:
    """Why a pair cannot be compared at a budget; empty where it can."""
    reasons = [f"no {name} runs" for name in pair if name not in sides]
    if not reasons and CREATOR not in sides:
        reasons.append("no CREATOR runs, whose cost is the measure")
    if reasons:
        return "; ".join(reasons)
    if not np.isfinite(spent):
        return f"no {budget} counted in the {CREATOR} runs, whose cost is the measure"
    for name in pair:
        if not np.isfinite(costs[name][budget]):
            reasons.append(f"no {budget} counted in the {name} runs")
        elif spent / costs[name][budget] > known[name].most + 1e-9:
            needed = int(np.ceil(spent / costs[name][budget]))
            reasons.append(
                f"{needed} attempts of {name} cost so much, and of some problem the runs hold {known[name].most}: "
                "run it with more `attempts`, or a larger k"
            )
        elif spent / costs[name][budget] < 1:
            reasons.append(f"one attempt of {name} costs more")
    return "; ".join(reasons)


def _mean(scores: pd.DataFrame, category: str) -> float:
    part = scores if category in ("all", "covered") else scores[scores["category"] == category]
    return float(part.groupby(["category", "problem"], observed=True)["score"].mean().mean())
