"""What attempts cost, and what they buy: CREATOR beside simpler methods at the same mean calls, and
the same tokens.

What a request costs the essay defines (`systems.attempt_costs`): in calls, and in tokens written.
Methods repeat attempts and agree on an answer; questions have no hints. A mean budget between m and
m + 1 attempts is what tossing a coin between the two would cost on average, and reach.
"""

from collections.abc import Callable, Mapping
from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trove_lite.selection.tables import PROBLEM
from trove_lite_analysis import differences as analysis
from trove_lite_analysis.scores import estimate, score
from trove_lite_analysis.sentence import Sentence, headline
from trove_lite_analysis.variance import SMALLEST_EFFECT

from ..figures import forest
from ..tables import name_table
from .systems import TITLES, Study, attempting, without_hints

CREATOR = "CREATOR"
POT = "PoT"
ENTANGLED = "Entangled"
PRIMITIVE = "PRIMITIVE"
#: CREATOR against each of these; Entangled is CREATOR without the disentangling.
PAIRS = ((CREATOR, ENTANGLED), (CREATOR, POT), (CREATOR, PRIMITIVE), (ENTANGLED, POT))
#: What is matched, by its name among an attempt's costs, and its column of a table of spend.
COST = {"calls": "calls", "completion tokens": "completion"}
#: Mean calls a problem at which methods are compared; before them come one attempt of CREATOR, and
#: of the dearest.
CALLS = (5.0, 10.0, 15.0)
SPEND_COLUMNS = ["system", "attempts", *COST.values(), "value", "low", "high", "runs", "problems"]
BESIDE = ["attempts_a", "attempts_b", "value_a", "value_b"]
MATCHED_COLUMNS = ["budget", "spent", "category", "a", "b", *BESIDE]
MATCHED_COLUMNS += [*analysis.DIFFERENCE_COLUMNS[3:], "note"]
SHOWN = ["budget", "spent", "a", "b", *BESIDE[:2], "difference", "low", "high", "p_holm"]
SHOWN += ["problems", "note"]

Scores = Callable[[int], pd.DataFrame]


def mean_costs(study: Study, costs: pd.DataFrame) -> pd.DataFrame:
    """What one attempt of a method costs on average over problems: a row a method, a column for
    each of COST."""
    plain = costs[costs["category"].isin(study.systems.categories)]
    each = plain.groupby(["method", "category", "problem"])[list(COST)].mean()
    means = each.groupby("method").agg(lambda costs: costs.mean(skipna=False))
    systems = {name: str(system["method"].iloc[0]) for name, system in attempting(study).items()}
    return means.reindex(systems.values()).set_axis(systems, axis="index")


def curves(
    study: Study, costs: pd.DataFrame, *, seed: int = 0, resamples: int = 100
) -> pd.DataFrame:
    """Accuracy of agreement among m attempts, and their mean cost: a row for each method and m."""
    study = without_hints(study)
    rows = []
    mean = mean_costs(study, costs)
    for name, system in attempting(study).items():
        scores = _scores(system, seed, resamples)
        for m in range(1, most_attempts(system) + 1):
            spent = {column: m * mean.loc[name, budget] for budget, column in COST.items()}
            rows.append({"system": name, "attempts": m} | spent | estimate(scores(m))._asdict())
    table = pd.DataFrame(rows).reindex(columns=SPEND_COLUMNS)
    note = "none of CREATOR's methods was run"
    return name_table(table, "creator_spend", "Accuracy against spend", study.title, note=note)


def histogram(study: Study, costs: pd.DataFrame) -> pd.DataFrame:
    """How often an attempt took each number of calls, and which `share` of its method's attempts
    did."""
    order = list(mean_costs(study, costs).index)
    named = costs.assign(system=pd.Categorical(costs["method"].map(TITLES), order))
    sizes = named.astype({"calls": int}).groupby(["system", "calls"], observed=True).size()
    taken = sizes.rename("attempts").reset_index()
    whole = taken.groupby("system", observed=True)["attempts"].transform("sum")
    return name_table(
        taken.assign(share=taken["attempts"] / whole), "creator_histogram", "Calls", study.title
    )


def spend_figure(table: pd.DataFrame) -> Figure | None:
    """CREATOR minus each rival, of `matched`: a panel where both spent the same calls, another where
    they wrote the same tokens."""
    known = table[(table["a"] == CREATOR) & table["difference"].notna()]
    known = known.drop_duplicates(["budget", "spent", "b"], keep="last")
    known = known.sort_values("attempts_a", kind="stable")
    if known.empty:
        return None
    cost = {(row.b, row.budget): row.spent / row.attempts_b for row in known.itertuples()}
    cost |= {(CREATOR, row.budget): row.spent / row.attempts_a for row in known.itertuples()}

    def spent(name: str, attempts: float, between: str = ", ") -> str:
        units = {"calls": "{:,.1f} calls", "completion tokens": "{:,.0f} tokens"}
        return between.join(
            units[of].format(attempts * cost[name, of]) for of in COST if (name, of) in cost
        )

    right = zip(known["attempts_a"], known["value_a"], strict=True)
    rows = [spent(CREATOR, n, "\nor ") + f"\n({100 * value:.0f} % right)" for n, value in right]
    rivals = [f"{name} ({spent(name, 1)} an attempt)" for name in known["b"]]
    each = "both at the same " + known["budget"].replace("completion tokens", "tokens written")
    drawn = known.assign(row=rows, rival=rivals, each=each)
    drawn.attrs |= {"lacking": "too few attempts"}
    caption = f"Rows: what CREATOR spends on a problem, and what is right; one attempt is {spent(CREATOR, 1)}."
    return forest(
        drawn, title="CREATOR minus each rival", rows="row", series="rival", panel="each",
        value="difference", label=f"points (n = {known['problems'].max():.0f})",
        margin=SMALLEST_EFFECT, name="creator_spend", caption=caption,
    )  # fmt: skip


def matched(
    study: Study, costs: pd.DataFrame, *, seed: int = 0, resamples: int = 100
) -> pd.DataFrame:
    """Accuracy of each of PAIRS at the same mean calls and at the same mean completion tokens, with
    the difference.

    spent: a problem's mean of what is matched (`budget`, of `budgets`). attempts: how many that
        buys.
    """
    study = without_hints(study)
    systems = attempting(study)
    rows = []
    mean = mean_costs(study, costs)
    known = {name: _scores(system, seed, resamples) for name, system in systems.items()}
    most = {name: most_attempts(system) for name, system in systems.items()}
    for budget, pair in product(COST, PAIRS):
        for spent in budgets(mean, budget):
            about = {"budget": budget, "spent": spent, "a": pair[0], "b": pair[1], "note": ""}
            attempts = {name: spent / mean[budget].get(name, np.nan) for name in pair}
            if reason := _obstacle(most, attempts, budget, spent):
                rows.append(about | {"category": "all", "note": reason})
                continue
            scores = {name: between(known[name], n) for name, n in attempts.items()}
            about |= {
                f"attempts_{system}": attempts[name]
                for system, name in zip("ab", pair, strict=True)
            }
            for row in analysis.differences(study.systems, scores).to_dict("records"):
                for system, name in zip("ab", pair, strict=True):
                    each = (
                        scores[name].groupby(["category", "problem"], observed=True)["score"].mean()
                    )
                    whole = row["category"] in ("all", "covered")
                    row[f"value_{system}"] = each.mean() if whole else each[row["category"]].mean()
                rows.append(about | row)
    table = pd.DataFrame(rows).reindex(columns=MATCHED_COLUMNS).astype({"problems": "Int64"})
    if len(tested := table[table["p"].notna()]):
        table["p_holm"] = analysis.add_holm(tested)["p_holm"]
    return name_table(table, "creator_matched", "Matched budgets", study.title)


def _whole(matched: pd.DataFrame) -> pd.DataFrame:
    """The rows of `matched` that can tell: of each pair, budget and spend the last, which is over
    all categories."""
    known = matched[matched["difference"].notna()]
    return known.groupby(["a", "b", "budget", "spent"], sort=False).tail(1)


def overall(matched: pd.DataFrame) -> pd.DataFrame:
    """The rows of `matched` over all problems, to read."""
    rows = matched.loc[matched["category"] == "all", SHOWN]
    return rows.round({"spent": 1, "attempts_a": 1, "attempts_b": 1})


def spend_sentence(study: Study, matched: pd.DataFrame) -> Sentence:
    """The clearest of the differences at the same spend, and the spend."""
    by_p = _whole(matched).sort_values("p", ascending=False, kind="stable")
    clearest = by_p.drop_duplicates(["a", "b"], keep="last")
    if clearest.empty:
        return Sentence("These runs cannot tell: nothing of CREATOR can be compared.")
    row = clearest.iloc[-1]
    both = f"Both spend {row['spent']:,.1f} {row['budget']} a problem; {study.title}."
    return Sentence(f"{headline(clearest)} {both}")


def spend_summary(matched: pd.DataFrame) -> str:
    """Each pair's differences over all its budgets, a line each."""
    whole = _whole(matched)
    if whole.empty:
        return "Nothing can be compared: see the notes above."
    lines = ["At equal spend, over all problems:"]
    for (a, b), part in whole.groupby(["a", "b"], sort=False):
        ahead = sum(part["low"] > 0)
        behind = sum(part["high"] < 0)
        shown = sum(part["p_holm"] < 0.05)
        least = 100 * part["difference"].min()
        most = 100 * part["difference"].max()
        lines.append(
            f"{a} less {b}, at {len(part)} budgets: {least:+.1f} to {most:+.1f} points; the interval is above 0 at "
            f"{ahead} of them and below at {behind}, after correction over the table at {shown}."
        )
    return "\n".join(lines)


def budgets(costs: pd.DataFrame, budget: str) -> list[float]:
    """The mean budgets to compare at: an attempt of CREATOR, one of the dearest method, what CALLS
    calls cost."""
    if CREATOR not in costs.index or not np.isfinite(costs.loc[CREATOR, budget]):
        return [float("nan")]
    one = costs.loc[CREATOR]
    dearest = costs.loc[costs.index.isin(np.ravel(PAIRS)), budget].max()
    return sorted(
        {one[budget], dearest, *(n / one["calls"] * one[budget] for n in CALLS if n > one["calls"])}
    )


def between(scores: Scores, attempts: float) -> pd.DataFrame:
    """Expected scores with m or m + 1 attempts, whose mean is `attempts`."""
    m = int(attempts)
    share = attempts % 1
    if share < 1e-9:
        return scores(m)
    both = scores(m).merge(scores(m + 1)[[*PROBLEM, "score"]], on=PROBLEM, suffixes=("", "_more"))
    return both.assign(score=(1 - share) * both["score"] + share * both["score_more"]).drop(
        columns="score_more"
    )


def most_attempts(system: pd.DataFrame) -> int:
    """As many attempts as every problem has: budgets by calls give hard problems fewer, which may
    not be left out."""
    return int(system.groupby(PROBLEM, observed=True).size().min()) if len(system) else 0


def _scores(system: pd.DataFrame, seed: int, resamples: int) -> Scores:
    return cache(
        lambda m: score(system, "one_stage", m, seed=seed, resamples=resamples).dropna(
            subset="score"
        )
    )


def _obstacle(
    most: Mapping[str, int], attempts: Mapping[str, float], budget: str, spent: float
) -> str:
    """Why a pair cannot be compared; "" where it can. attempts: that a budget buys; most: that all
    problems have."""
    if lacking := [f"no {name} runs" for name in attempts if name not in most]:
        return "; ".join(lacking)
    if not np.isfinite(spent):
        lacks = f"no {budget} counted in the CREATOR runs" if CREATOR in most else "no CREATOR runs"
        return f"{lacks}, whose cost is the measure"
    reasons = []
    for name, n in attempts.items():
        if not np.isfinite(n):
            reasons.append(f"no {budget} counted in the {name} runs")
        elif n > most[name] + 1e-9:
            held = f"and of some problem the runs hold {most[name]}: run it with more `attempts`, or a larger k"
            reasons.append(f"{int(np.ceil(n))} attempts of {name} cost so much, {held}")
        elif n < 1:
            reasons.append(f"one attempt of {name} costs more")
    return "; ".join(reasons)
