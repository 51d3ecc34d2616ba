"""Systems against each other, in one table: what `trove-lite compare` shows, and what a report says
first."""

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np
import pandas as pd
import scipy  # its parts are imported where they are used: `stats` takes half a second

from trove_lite.candidates import MISSING, name_table
from trove_lite.selection.tables import PROBLEM, without_agreement

from . import variance
from .differences import add_holm, estimates, pair_by_pair, tells_nothing
from .scores import ALL_MICRO, COVERED_MICRO, by_run, score
from .systems import Comparison, require_comparison
from .variance import POWER_WANTED, SMALLEST_EFFECT, Variance

#: How systems are judged, in words. The first that all of them allow is what is read.
RULES = {
    "score": "the score of one sample, the mean of all",
    "one_stage": "the answer on which {k} samples agree",
    "single": "one sample, the mean of all",
    "oracle": "a right one among {k} samples (pass@{k})",
    "every": "all of {k} samples right (pass^{k})",
    "equal_tokens": "the answer on which as many samples agree as {k} tokens a problem pay for",
}
ALL = "all"
#: Samples a problem: a number, ALL that a system has, or a number of each system.
Samples = int | str | Mapping[str, int]
#: A column of a system: tokens a sample that its run spent besides (`view.sources.beside`).
BESIDE = "beside_tokens"
CANNOT_TELL = "these runs cannot tell which is ahead"
COLUMNS = [
    "category",
    "rule",
    "k",
    "a",
    "b",
    "value",
    "low",
    "high",
    "covers",
    "p",
    "p_holm",
    "p_equal",
    "margin",
    "verdict",
    "detectable",
    "power",
    "a_better",
    "b_better",
    "problems",
    "runs",
    *MISSING,
    "note",
]


def pairs(
    comparison: Comparison, *, margin: float = SMALLEST_EFFECT, all_samples: bool = False
) -> pd.DataFrame:
    """Accuracies, and differences of every two systems: a row a category, rule and system (`b`
    empty), or pair.

    `value` is a system's accuracy, or that of `a` minus that of `b` problem by problem, with its 95 %
    interval over what `covers` names. `p_equal`: of "they differ by `margin` or more" (two
    one-sided tests). `detectable`: the difference that such problems and runs show with a chance of
    80 %; `power`: their chance to show one of `margin`.
    `p_holm`: corrected over the pairs of a rule. `a_better`, `b_better`: problems where one does
        better.
    all_samples: `k` is ALL, as many as each system has; else as many as every system has."""
    k = require_comparison(comparison).samples()
    silent = [line for system in comparison.systems.values() for line in without_agreement(system)]
    k = ALL if all_samples and k > 1 else k
    systems = [system for system in comparison.systems.values() if len(system)]
    rules = ["single"]
    if k != 1:
        rules = (
            ["single", "oracle", "every"] if silent else ["one_stage", *rules, "oracle", "every"]
        )
    if any("score" in system and system["score"].notna().any() for system in systems):
        rules = ["score", *rules]
    paid = None if silent else affordable(comparison)
    rows = [row for rule in rules for row in _rows(comparison, rule, k, margin)]
    if paid:
        rules.append("equal_tokens")
        rows += _rows(comparison, "equal_tokens", paid, margin)
    table = pd.DataFrame(rows).reindex(columns=COLUMNS)
    tested = table["b"].notna() & table["category"].isin(_whole(table))
    for rule in rules:  # the pairs that one rule judges are read together
        these = tested & (table["rule"] == rule)
        table.loc[these, "p_holm"] = add_holm(table[these])["p_holm"]
    table["verdict"] = [
        verdict(row) if isinstance(row.b, str) else "" for row in table.itertuples()
    ]
    table = table.fillna({"b": ""}).astype(
        dict.fromkeys(("runs", "a_better", "b_better", "problems"), "Int64")
    )
    return name_table(
        table, "pairs", "systems and their differences", comparison.title, note="; ".join(silent)
    )


def _whole(table: pd.DataFrame) -> list[str]:
    """The rows that are read together: those over all categories, or of the only one."""
    found = table["category"].drop_duplicates().tolist()
    return [name for name in ("all", "covered") if name in found] or found


def tokens_of(system: pd.DataFrame) -> float:
    """The mean of tokens, read and written, of a system's sample, with its share of what the run
    spent besides, where that is told; NaN where a sample's are not."""
    spent = system[["prompt_tokens", "completion_tokens"]].astype(float)
    return float(spent.sum(axis=1, skipna=False).mean(skipna=False)) + (beside_of(system) or 0.0)


def beside_of(system: pd.DataFrame) -> float | None:
    """Tokens a sample of requests that are no samples (tools, checks, second goes); None where they
    are not told."""
    if BESIDE not in system or system[BESIDE].isna().any():
        return None
    return float(system[BESIDE].mean())


def affordable(comparison: Comparison) -> dict[str, int] | None:
    """How many samples of each system the tokens pay for that the system which spends least spends a
    problem; None where tokens are not told, where a system cannot have a sample for that, and where
    all have as many as they spend."""
    costs = {name: tokens_of(system) for name, system in comparison.systems.items() if len(system)}
    held = {name: comparison.samples(name) for name in costs}
    if len(costs) < 2 or any(not cost > 0 for cost in costs.values()):
        return None
    least = min(cost * held[name] for name, cost in costs.items())
    found = {name: min(held[name], int(least // cost)) for name, cost in costs.items()}
    return found if min(found.values()) > 0 and len(set(found.values())) > 1 else None


def _single(system: pd.DataFrame, value: pd.Series) -> pd.DataFrame:
    """The mean of a value of each sample, by problem and run."""
    of_each = system.assign(value=value).groupby(PROBLEM, observed=True)
    found = of_each.agg(level=("level", "first"), score=("value", "mean"), worth=("value", "size"))
    return found.reset_index()


def _every(system: pd.DataFrame, k: int) -> pd.DataFrame:
    """pass^k of each problem and run: the chance that k of its n samples, c of them right, are all
    right, C(c, k) / C(n, k) (tau-bench, Yao et al. 2024, section 4); null with fewer samples."""
    grouped = system.assign(right=system["correct"].astype(float)).groupby(
        PROBLEM,
        observed=True,
    )
    found = grouped.agg(level=("level", "first"), n=("right", "size"), c=("right", "sum"))
    known = found["n"].to_numpy() >= k
    ways = np.where(known, scipy.special.comb(found["n"], k), 1)
    every = np.where(known, scipy.special.comb(found["c"], k) / ways, np.nan)
    return found.assign(score=every, worth=found["n"] / k).reset_index()


def flips(comparison: Comparison) -> pd.DataFrame:
    """The problems that flip: a row a system, category and problem of whose samples, of all its runs,
    some are right and some are not, `right` of `samples`."""
    rows = []
    for name, system in comparison.systems.items():
        grouped = system.assign(correct=system["correct"].astype(float))
        grouped = grouped.groupby(["category", "problem"], observed=True)["correct"]
        found = grouped.agg(right="sum", samples="size").astype(int).reset_index()
        part = found[(found["right"] > 0) & (found["right"] < found["samples"])]
        rows.append(part.assign(system=name))
    table = pd.concat(rows, ignore_index=True)
    return table.reindex(columns=["system", "category", "problem", "right", "samples"])


def scores_of(comparison: Comparison, rule: str, k: Samples) -> dict[str, pd.DataFrame]:
    """Each system's scores by a rule of `RULES`; `single` is the share of all samples that are
    right."""
    found = {}
    for name, system in comparison.systems.items():
        if system.empty:
            continue
        right = system["correct"].astype(float)
        many = k[name] if isinstance(k, Mapping) else comparison.samples(name) if k == ALL else k
        if rule == "single":
            found[name] = _single(system, right)
        elif rule == "score":
            told = system["score"] if "score" in system else pd.Series(float("nan"), system.index)
            found[name] = _single(system, told.astype(float).fillna(right))
        elif rule == "every":
            found[name] = _every(system, many)
        else:
            found[name] = score(system, "one_stage" if rule == "equal_tokens" else rule, many)
    return found


def _rows(comparison: Comparison, rule: str, k: Samples, margin: float) -> Iterator[dict]:
    scores = scores_of(comparison, rule, k)
    given = 1 if rule in ("single", "score") else k
    if isinstance(k, Mapping):  # what is the same is what they spend
        given = max(round(k[name] * tokens_of(comparison[name])) for name in k)
    about = {"rule": rule, "k": given, "margin": margin}
    covered = comparison.covered()
    whole = (
        {ALL_MICRO: "all"}
        if len(covered) == len(comparison.categories)
        else {COVERED_MICRO: "covered"}
    )
    names = {category: category for category in covered} | whole
    for name, own in scores.items():
        for cell in estimates(comparison, name, own):
            if cell["category"] in names:
                known = {
                    key: cell.get(key)
                    for key in ("value", "low", "high", "problems", "runs", *MISSING, "note")
                }
                yield about | known | {"category": names[cell["category"]], "a": name}
    for systems, found in pair_by_pair(comparison, scores, combinations(scores, 2)):
        means = [by_run(system).mean(axis=1) for system in systems]
        apart = (means[0] - means[1]).dropna()
        for row, part in found:
            here = apart[apart.index.get_level_values("category").isin(part.labels)]
            better = {
                "a_better": int((here > 0).sum()),
                "b_better": int((here < 0).sum()),
            }
            (equal,) = variance.equivalence(part, [margin])
            seen = {
                "p_equal": equal,
                "detectable": detectable(part),
                "power": chance_to_see(part, margin),
            }
            yield about | row | {"value": row["difference"]} | better | seen


def detectable(v: Variance) -> float:
    """The difference that these problems and runs show, at 5 %, with a chance of 80 %: (t_.975 +
    t_.8) se."""
    if v.se == 0:  # every problem has the same: what its interval excludes
        return variance.interval(v).high - v.value
    return float((scipy.stats.t.ppf(0.975, v.df) + scipy.stats.t.ppf(POWER_WANTED, v.df)) * v.se)


def chance_to_see(v: Variance, delta: float) -> float:
    """The chance that these problems and runs show, at 5 %, a true difference of `delta` (normal
    errors)."""
    if v.se == 0:
        return float("nan")
    reach = scipy.stats.t.ppf(0.975, v.df)
    return float(
        scipy.stats.norm.sf(reach - delta / v.se) + scipy.stats.norm.cdf(-reach - delta / v.se)
    )


def read_first(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of `pairs` that are read: by its first rule, over all categories, or the only
    one."""
    return table[(table["rule"] == table["rule"].iloc[0]) & table["category"].isin(_whole(table))]


def verdict(row: object) -> str:
    """What a pair's row says, in a few words."""
    points = 100 * row.margin
    if row.low > 0 or row.high < 0:
        ahead = f"{row.a if row.low > 0 else row.b} is ahead" + (
            ", but not after correction" if row.p_holm > 0.05 else ""
        )
        return ahead + (f", by less than {points:g} points" if row.p_equal <= 0.05 else "")
    if row.p_equal <= 0.05:
        return f"they are equal within {points:g} points"
    if tells_nothing(row):
        return CANNOT_TELL
    return f"which is ahead is open: a difference of {100 * row.detectable:.1f} points could have been seen"
