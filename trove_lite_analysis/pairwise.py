"""Sides against each other, in one table: what `trove-lite compare` shows, and what a report says first."""

from collections.abc import Iterator
from itertools import combinations

import pandas as pd
from scipy import stats

from trove_lite.candidates import MISSING, name_table
from trove_lite.selection.tables import PROBLEM, without_agreement

from . import variance
from .differences import add_holm, estimates, pair_by_pair, tells_nothing
from .scores import ALL_MICRO, COVERED_MICRO, by_run, score
from .sides import Comparison, require_comparison
from .variance import POWER_WANTED, SMALLEST_EFFECT, Variance

#: How sides are judged, in words. The first that all of them allow is what is read.
RULES = {
    "one_stage": "the answer on which {k} samples agree",
    "single": "one sample, the mean of all",
    "oracle": "a right one among {k} samples",
}
ALL = "all"
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
]
COLUMNS += [
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
    """What sides come to, and every two of them: a row a category, rule and side (`b` empty), or pair.

    `value` is a side's accuracy, or that of `a` minus that of `b` problem by problem, with its 95 % interval over what
    `covers` names. `p_equal`: of "they differ by `margin` or more" (two one-sided tests). `detectable`: the difference
    that such problems and runs show with a chance of 80 %; `power`: their chance to show one of `margin`. `a_better`,
    `b_better`: problems where one does better. all_samples: `k` is ALL, as many as each side has; else as many as every
    side has."""
    k = require_comparison(comparison).samples()
    silent = [line for side in comparison.sides.values() for line in without_agreement(side)]
    k = ALL if all_samples and k > 1 else k
    rules = ["single"] if k == 1 else ["single", "oracle"] if silent else [*RULES]
    table = pd.DataFrame(
        row for rule in rules for row in _rows(comparison, rule, k, margin)
    ).reindex(columns=COLUMNS)
    tested = table["b"].notna() & table["category"].isin(_whole(table))
    table.loc[tested, "p_holm"] = add_holm(table[tested])["p_holm"]
    table["verdict"] = [
        verdict(row) if isinstance(row.b, str) else "" for row in table.itertuples()
    ]
    table = table.fillna({"b": ""}).astype(
        dict.fromkeys(("runs", "a_better", "b_better", "problems"), "Int64")
    )
    return name_table(
        table, "pairs", "sides and their differences", comparison.title, note="; ".join(silent)
    )


def _whole(table: pd.DataFrame) -> list[str]:
    """The rows that are read together: those over all categories, or of the only one."""
    found = table["category"].drop_duplicates().tolist()
    return [name for name in ("all", "covered") if name in found] or found


def scores_of(comparison: Comparison, rule: str, k: int | str) -> dict[str, pd.DataFrame]:
    """Each side's scores by a rule of `RULES`; `single` is the share of all samples that are right."""
    found = {}
    for name, side in comparison.sides.items():
        if rule == "single":
            right = side.assign(correct=side["correct"].astype(float)).groupby(
                PROBLEM, observed=True
            )
            of = {
                "level": ("level", "first"),
                "score": ("correct", "mean"),
                "worth": ("correct", "size"),
            }
            found[name] = right.agg(**of).reset_index()
        else:
            found[name] = score(side, rule, comparison.samples(name) if k == ALL else k)
    return {name: found[name] for name, side in comparison.sides.items() if len(side)}


def _rows(comparison: Comparison, rule: str, k: int | str, margin: float) -> Iterator[dict]:
    scores = scores_of(comparison, rule, k)
    about = {"rule": rule, "k": 1 if rule == "single" else k, "margin": margin}
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
    for sides, found in pair_by_pair(comparison, scores, combinations(scores, 2)):
        means = [by_run(side).mean(axis=1) for side in sides]
        apart = (means[0] - means[1]).dropna()
        for row, part in found:
            here = apart[apart.index.get_level_values("category").isin(part.labels)]
            better = {"a_better": int((here > 0).sum()), "b_better": int((here < 0).sum())}
            (equal,) = variance.equivalence(part, [margin])
            seen = {
                "p_equal": equal,
                "detectable": detectable(part),
                "power": chance_to_see(part, margin),
            }
            yield about | row | {"value": row["difference"]} | better | seen


def detectable(v: Variance) -> float:
    """The difference that these problems and runs show, at 5 %, with a chance of 80 %: (t_.975 + t_.8) se."""
    if v.se == 0:  # every problem has the same: what its interval excludes
        return variance.interval(v).high - v.value
    return float((stats.t.ppf(0.975, v.df) + stats.t.ppf(POWER_WANTED, v.df)) * v.se)


def chance_to_see(v: Variance, delta: float) -> float:
    """The chance that these problems and runs show, at 5 %, a true difference of `delta` (normal errors)."""
    if v.se == 0:
        return float("nan")
    reach = stats.t.ppf(0.975, v.df)
    return float(stats.norm.sf(reach - delta / v.se) + stats.norm.cdf(-reach - delta / v.se))


def read_first(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of `pairs` that are read: by its first rule, over all categories, or the only one."""
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
