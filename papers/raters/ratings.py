"""What raters say of programs: accuracy and time by method, their differences, agreement, and what a study can see.

A score s[r, p, m], of rater r on problem p's program by method m, is taken as method + rater + problem + what raters
and methods, and problems and methods, have together + the rest; a rater sees one program a problem. Raters' own levels
and problems' cancel in the difference of two methods. What is left of problems comes from differences within problems,
what is left of raters from differences within raters, and both go into one `variance.Variance`, of which every
interval, test and power is. Ratings are a table with columns `rater`, `dataset`, `category`, `problem`, `method`,
`right` (the program's verdict), `said` (the rater's) and `seconds`. It knows no paper.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from trove_lite.analysis import statistics as metrics
from trove_lite.analysis.variance import (
    Variance,
    decompose,
    interval,
    p_value,
    power,
    problems_needed,
    proportion_interval,
)

PROBLEM = ["dataset", "category", "problem"]
#: What is measured of a rating. `log seconds`: its differences are ratios of times, which are skewed.
MEASURES = {
    "accuracy": lambda ratings: (ratings["said"] == ratings["right"]).astype(float),
    "seconds": lambda ratings: ratings["seconds"].astype(float),
    "log seconds": lambda ratings: np.log(ratings["seconds"].astype(float).clip(lower=0.1)),
}
DIFFERENCES = ["measure", "a", "b", "difference", "low", "high", "covers", "p", "problems", "raters"]
POWER = ["measure", "a", "b", "delta", "raters", "problems", "power", "problems_needed"]
OTHERS = "other raters"


def by_method(ratings: pd.DataFrame, measures: Sequence[str] = ("accuracy", "seconds")) -> pd.DataFrame:
    """Each measure of each method: mean with its 95 % interval over problems and raters, and the SD between raters."""
    rows = []
    for measure in measures:
        scores = _scores(ratings, measure)
        for method, part in scores.groupby("method"):
            v = variance_of(part, method)
            found = (proportion_interval if measure == "accuracy" else interval)(v)
            means = part.groupby("rater")["score"].mean()
            rows.append(
                {
                    "method": method,
                    "measure": measure,
                    "value": found.value,
                    "low": found.low,
                    "high": found.high,
                    "rater_sd": metrics.run_sd(means.to_numpy()),
                    "raters": len(means),
                    "problems": v.problems,
                    "ratings": len(part),
                }
            )
    return pd.DataFrame(rows)


def method_differences(ratings: pd.DataFrame, pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """Method `a` minus `b` in every measure, with interval and test over what `covers` names; Holm's over all rows.

    `log seconds` is given as the share of time that `a` takes more (0.1: a tenth more), not as a logarithm.
    """
    rows = []
    for measure in MEASURES:
        scores = _scores(ratings, measure)
        for a, b in pairs:
            v = variance_of(scores, a, b)
            if v.problems < 2:
                continue  # nobody but one rater, say, who sees no problem twice
            found = np.array(interval(v)[:3])
            found = np.expm1(found) if measure == "log seconds" else found
            rows.append(
                {
                    "measure": "time ratio - 1" if measure == "log seconds" else measure,
                    "a": a,
                    "b": b,
                    **dict(zip(("difference", "low", "high"), found, strict=True)),
                    "covers": v.covers.replace("runs", "raters"),
                    "p": p_value(v),
                    "problems": v.problems,
                    "raters": int(scores["rater"].nunique()),
                }
            )
    table = pd.DataFrame(rows, columns=DIFFERENCES)
    return table.assign(p_holm=metrics.holm(table["p"].astype(float)))


def variance_of(scores: pd.DataFrame, a: str, b: str = "") -> Variance:
    """The mean score of method `a`, or of `a` minus `b` (columns `rater`, `unit`, `method`, `score`), and its variance.

    `spread` is over problems of their means over raters; `run` what raters and methods have together (of one method:
    all of raters), from raters' own means less what problems make of them, NaN with one rater alone. A rater's mean is
    as sure as raters are many, so that the degrees of freedom are theirs where raters differ.
    """
    methods = [a, b] if b else [a]
    sign = {a: 1.0, b: -1.0}
    part = _levelled(scores) if b else scores
    part = part[part["method"].isin(methods)]
    cells = part.pivot_table(index="unit", columns="method", values="score").reindex(columns=methods)
    each = sum(sign[m] * cells[m] for m in methods).dropna()
    own = part.groupby(["rater", "method"])["score"].agg(["mean", "var", "size"]).unstack("method")
    means = sum(sign[m] * own["mean"].reindex(columns=methods)[m] for m in methods)
    noise = sum((own["var"] / own["size"]).reindex(columns=methods)[m] for m in methods)
    known = means.notna() & noise.notna()
    raters, n = int(known.sum()), len(each)
    run = means[known].var(ddof=1) - noise[known].mean() if raters > 1 else np.nan

    def one(value: float) -> np.ndarray:
        return np.array([[value]], dtype=float)

    return Variance(
        labels=(None,),
        values=np.array([each.mean() if n else np.nan]),
        weights=np.array([1.0]),
        sizes=np.array([float(n)]),
        degrees=np.array([float(max(n - 1, 0))]),
        spread=np.array([each.var(ddof=1)]),
        single=one(noise[known].mean() * n),
        sample=one(np.nan),
        run=one(run),
        run_degrees=one(max(raters - 1, 0)),
        repeats=one(raters),
        independent=one(raters),
    )


def rest_of(scores: pd.DataFrame, a: str, b: str, raters: int) -> float:
    """What raters of one program differ by, as the `sample` variance of `a` minus `b` for one rater of all `raters`.

    NaN where no program of one of the two has two raters.
    """
    part = _levelled(scores)
    total = 0.0
    for method in (a, b):
        cells = part[part["method"] == method].groupby("unit")["score"].agg(["var", "size"])
        several = cells[cells["size"] > 1]
        if several.empty:
            return float("nan")
        total += np.average(several["var"], weights=several["size"] - 1) * raters * (1 / cells["size"]).mean()
    return float(total)


def _scores(ratings: pd.DataFrame, measure: str) -> pd.DataFrame:
    unit = ratings[PROBLEM].astype(str).agg("\0".join, axis=1)
    return ratings[["rater", "method"]].assign(unit=unit, score=MEASURES[measure](ratings))


def _levelled(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores without each rater's own level, by least squares beside methods and problems, which gaps may confound."""
    raters, *others = (pd.get_dummies(scores[name], dtype=float) for name in ("rater", "method", "unit"))
    effects = np.linalg.lstsq(np.hstack([raters, *others]), scores["score"].to_numpy(), rcond=None)[0]
    level = raters.to_numpy() @ effects[: raters.shape[1]]
    return scores.assign(score=scores["score"] - (level - level.mean()))


# ---- agreement ----


def kappa(counts: np.ndarray) -> np.ndarray:
    """Cohen's kappa of tables of two raters' answers, (..., 2, 2) -> (...): (p_o - p_e) / (1 - p_e) (Cohen 1960).

    NaN where both always give the same one answer, or there are none.
    """
    shares = metrics._ratio(counts, counts.sum(axis=(-1, -2), keepdims=True))
    observed = shares[..., 0, 0] + shares[..., 1, 1]
    expected = (shares.sum(axis=-1) * shares.sum(axis=-2)).sum(axis=-1)
    return metrics._ratio(observed - expected, 1 - expected)


def agreement(ratings: pd.DataFrame) -> pd.DataFrame:
    """Cohen's kappa and the share of equal answers: raters with each other, and each with the programs' verdicts.

    A row `other raters` over all pairs that judged the same programs, their kappas weighted by how many; one over all
    raters and one a rater with the `verdict`. 95 % intervals over problems, by jackknife: each problem's pseudo-value
    (Tukey 1958) is a score like any other.
    """
    unit = ratings[PROBLEM].astype(str).agg("\0".join, axis=1)
    table = ratings[["rater", "method", "said", "right"]].assign(unit=unit)
    both = table.merge(table, on=["unit", "method"], suffixes=("", "_other"))
    both = both[both["rater"] < both["rater_other"]]
    pairs = both["rater"].astype(str) + "\0" + both["rater_other"].astype(str)
    rows = [{"who": "raters", "with": OTHERS} | _agreed(both["unit"], pairs, both["said"], both["said_other"])]
    parts = [("raters", table), *((f"rater {name}", part) for name, part in table.groupby("rater"))]
    for name, part in parts:
        found = _agreed(part["unit"], part["rater"].astype(str), part["said"], part["right"])
        rows.append({"who": name, "with": "the verdict"} | found)
    return pd.DataFrame(rows)


def _agreed(units: pd.Series, pairs: pd.Series, one: pd.Series, other: pd.Series) -> dict:
    if not len(units):
        return {"problems": 0, "answers": 0, "note": "no program was judged by two raters"}
    unit, names = pd.factorize(units)
    pair, kinds = pd.factorize(pairs)
    counts = np.zeros((len(names), len(kinds), 2, 2))
    np.add.at(counts, (unit, pair, one.to_numpy(dtype=int), other.to_numpy(dtype=int)), 1)
    whole = counts.sum(axis=0)
    value, n = _weighted(whole), len(names)
    found = {"kappa": value, "equal": float((one == other).mean()), "problems": n, "answers": len(units), "note": ""}
    pseudo = n * value - (n - 1) * np.array([_weighted(whole - own) for own in counts])
    if n > 1 and not np.isnan(pseudo).any():
        low, high = np.clip(interval(decompose(pseudo[:, None]))[1:3], -1, 1)
        found |= {"low": low, "high": high}
    return found


def _weighted(counts: np.ndarray) -> float:
    each, sizes = kappa(counts), counts.sum(axis=(-1, -2))
    known = ~np.isnan(each)
    return float(np.average(each[known], weights=sizes[known])) if known.any() else float("nan")


# ---- what a study can see ----


def study_power(
    ratings: pd.DataFrame,
    a: str,
    b: str,
    deltas: dict[str, float],
    *,
    raters: Sequence[int],
    problems: Sequence[int],
) -> pd.DataFrame:
    """Power to see a true difference of `a` and `b`, by measure, with so many raters who judge so many problems each.

    From what these ratings show of problems, raters and the rest; a variance that comes out below 0 is taken for 0. The
    rest being unknown where no program has two raters, all of it is then laid to problems: more raters seem to add less
    than they do. `problems_needed`: for 80 %, infinite where raters are too few for any number.
    """
    rows = []
    for measure, delta in deltas.items():
        scores = _scores(ratings, measure)
        v = variance_of(scores, a, b)
        if v.problems < 2:
            continue
        rest = rest_of(scores, a, b, int(v.repeats[0, 0]))
        v = replace(v, sample=np.array([[np.nan_to_num(rest)]]))
        for count in raters:
            planned = {"measure": measure, "a": a, "b": b, "delta": delta, "raters": count}
            needed = problems_needed(v, delta, runs=count)
            rows += [
                planned | {"problems": n, "power": power(v, delta, problems=n, runs=count), "problems_needed": needed}
                for n in problems
            ]
    return pd.DataFrame(rows, columns=POWER)
