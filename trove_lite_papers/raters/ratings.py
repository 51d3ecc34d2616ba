"""What raters say of programs: accuracy and time by method, and their differences. It knows no
paper.

A score s[r, p, m], of rater r on problem p's program by method m, is taken as method + rater +
problem + what raters and methods, and problems and methods, have together + the rest; a rater sees
one program a problem. Raters' own levels and problems' cancel in the difference of two methods.
Ratings are a table with columns `rater`, `dataset`, `category`, `problem`, `method`, `right` (the
program's verdict), `said` (the rater's) and `seconds`.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd

from trove_lite_analysis.differences import add_holm, difference
from trove_lite_analysis.statistics import run_sd
from trove_lite_analysis.variance import Variance, interval, proportion_interval

from .plan import PROBLEM

DIFFERENCES = [
    "measure",
    "a",
    "b",
    "difference",
    "low",
    "high",
    "covers",
    "p",
    "p_holm",
    "problems",
]


def scores_of(ratings: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """By measure a score for each rating: columns `rater`, `method`, `unit` (the problem) and
    `score`."""
    unit = ratings[PROBLEM].astype(str).agg("\n".join, axis=1)
    known = ratings[["rater", "method"]].assign(unit=unit)
    right = (ratings["said"] == ratings["right"]).astype(float)
    return {
        "accuracy": known.assign(score=right),
        "seconds": known.assign(score=ratings["seconds"].astype(float)),
    }


def by_method(ratings: pd.DataFrame) -> pd.DataFrame:
    """Accuracy and seconds of each method: mean with its 95 % interval over problems and raters, SD
    between raters."""
    rows = []
    for measure, scores in scores_of(ratings).items():
        for method, part in scores.groupby("method"):
            v = variance_of(part, method)
            found = (proportion_interval if measure == "accuracy" else interval)(v)
            means = part.groupby("rater")["score"].mean()
            about = {
                "method": method,
                "measure": measure,
                "rater_sd": run_sd(means.to_numpy()),
                "raters": len(means),
            }
            ends = {"value": found.value, "low": found.low, "high": found.high}
            rows.append(about | ends | {"problems": v.problems, "ratings": len(part)})
    return pd.DataFrame(rows)


def method_differences(ratings: pd.DataFrame, pairs: Sequence[tuple[str, str]]) -> pd.DataFrame:
    """Method `a` minus `b` in both measures, with interval and test over what `covers` names;
    Holm's over all rows."""
    rows = []
    for measure, scores in scores_of(ratings).items():
        for a, b in pairs:
            of = partial(_variance_between, scores)
            for cells, v in difference(a, b, of=of, shares=measure == "accuracy"):
                about = {"measure": measure, "a": a, "b": b}
                rows.append(about | cells | {"covers": v.covers.replace("runs", "raters")})
    return add_holm(pd.DataFrame(rows, columns=[*DIFFERENCES[:-2], "problems"])).reindex(
        columns=DIFFERENCES
    )


def _variance_between(scores: pd.DataFrame, a: str, b: str) -> Variance | None:
    found = variance_of(scores, a, b)
    return found if found.problems > 1 else None  # one rater sees no problem twice


def variance_of(scores: pd.DataFrame, a: str, b: str = "") -> Variance:
    """The mean score of method `a`, or of `a` minus `b` (columns `rater`, `unit`, `method`,
    `score`), and its variance.

    `spread` is over problems of their means over raters; `run` what raters and methods have
    together, from raters' own means less what problems make of them (NaN with one rater alone),
    with the degrees of freedom of raters.
    """
    sign = pd.Series({a: 1.0} | ({b: -1.0} if b else {}))
    part = _levelled(scores) if b else scores
    by_rater = (
        part.groupby(["rater", "method"])["score"].agg(["mean", "var", "size"]).unstack("method")
    )
    cells = part.pivot_table(index="unit", columns="method", values="score")
    tables = cells * sign, by_rater["mean"] * sign, by_rater["var"] / by_rater["size"]
    each, means, noise = (
        table.reindex(columns=sign.index).sum(axis=1, skipna=False) for table in tables
    )
    each = each.dropna()
    known = means.notna() & noise.notna()
    raters = int(known.sum())
    n = len(each)
    alike = noise[known].mean()
    run = means[known].var(ddof=1) - alike if raters > 1 else np.nan
    of_problems = {"values": each.mean(), "weights": 1, "sizes": n, "degrees": max(n - 1, 0)}
    of_problems |= {"spread": each.var(ddof=1)}
    of_runs = {"single": alike * n, "sample": np.nan, "run": run, "run_degrees": max(raters - 1, 0)}
    of_runs |= dict.fromkeys(("repeats", "independent"), raters)
    arrays = {name: np.array([value], dtype=float) for name, value in of_problems.items()}
    return Variance(
        (None,),
        **arrays,
        **{name: np.array([[value]], dtype=float) for name, value in of_runs.items()},
    )


def _levelled(scores: pd.DataFrame) -> pd.DataFrame:
    """Scores without each rater's own level, by least squares beside methods and problems, which
    gaps may confound."""
    raters, *others = (
        pd.get_dummies(scores[name], dtype=float) for name in ("rater", "method", "unit")
    )
    effects = np.linalg.lstsq(np.hstack([raters, *others]), scores["score"].to_numpy(), rcond=None)[
        0
    ]
    level = raters.to_numpy() @ effects[: raters.shape[1]]
    return scores.assign(score=scores["score"] - (level - level.mean()))
