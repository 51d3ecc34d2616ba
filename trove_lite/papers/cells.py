"""The cells that tables are made of: an estimate beside the paper's number, or the reason why there is none.

It knows how a row is built and shown, not which rows a table has.
"""

from collections.abc import Callable

import pandas as pd

from ..analysis import statistics as metrics
from ..analysis.study import ALL_MACRO, ALL_MICRO, COVERED_MACRO, COVERED_MICRO, Study, by_category, estimate
from ..datasets.math import CATEGORIES
from .published_values import published_table, published_value

#: `published` and `published_sd` are the paper's; `ours` with its 95 % interval (`low`, `high`), the standard
#: deviation between `runs` runs and the number of `problems` are computed; `source` says what was measured.
COLUMNS = [
    "category", "system", "published", "published_sd", "ours", "low", "high", "run_sd", "runs", "problems", "source",
    "note",
]  # fmt: skip

Look = Callable[[str], tuple[float, float]]


def measured(study: Study, method: str, system: str, scores: pd.DataFrame, look_up: Look, *, seed: int) -> pd.DataFrame:
    """One row a category, then the rows over all categories, each with its estimate or the reason for none."""
    present = by_category(scores.dropna(subset="score"), study.covered)
    rows = []
    for category in [*CATEGORIES, *over_categories(study)]:
        printed_mean, printed_sd = printed_over(category, study.covered, look_up)
        row = {"category": category, "system": system, "published": printed_mean, "published_sd": printed_sd,
               "source": study.source(method, category)}  # fmt: skip
        if category in present:
            found = estimate(present[category], seed=seed, macro=category in (ALL_MACRO, COVERED_MACRO))
            note = ", ".join(study.covered) if category in (COVERED_MICRO, COVERED_MACRO) else ""
            rows.append(row | found._asdict() | {"note": note})
        else:
            rows.append(row | absent(study, method, category))
    return in_columns(pd.DataFrame(rows))


def over_categories(study: Study) -> list[str]:
    """The names of the rows over categories that a table of this study has."""
    if len(study.covered) == len(CATEGORIES):
        return [ALL_MICRO, ALL_MACRO]
    return [ALL_MICRO] + ([COVERED_MICRO, COVERED_MACRO] if len(study.covered) > 1 else [])


def printed_over(category: str, covered: list[str], look_up: Look, level: str = "all") -> tuple[float, float]:
    """What is printed for a row; over several categories, where nothing is, the mean of their printed cells.

    The mean is of rounded cells; its micro weights are the printed numbers of problems of that level.
    """
    if category == ALL_MICRO:
        return look_up("MATH")
    if category in CATEGORIES:
        return look_up(category)
    values = [look_up(c)[0] for c in covered]
    if category != COVERED_MICRO:
        return metrics.macro_mean(values), float("nan")
    sizes = [published_value("reeval_table8", "count", category=c, level=level) for c in covered]
    return metrics.micro_mean(values, sizes), float("nan")


def printed(table: str, study: Study, *, column: str = "mean", scale: float = 1, **where: object) -> Look:
    """How to look up a printed cell by category; nothing is printed for data sets other than MATH."""
    if study.dataset != "math":
        return nothing
    has_sd = "std" in published_table(table)

    def of(category: str) -> tuple[float, float]:
        sd = published_value(table, "std", category=category, **where) if has_sd else float("nan")
        return published_value(table, column, category=category, **where) / scale, sd

    return of


def nothing(category: str) -> tuple[float, float]:
    """The look-up of a table whose values are not printed."""
    return float("nan"), float("nan")


def only_printed(system: str, look_up: Look) -> pd.DataFrame:
    """The rows of a system that is only known from print."""
    rows = [
        {
            "category": category,
            "system": system,
            "published": printed_over(category, [], look_up)[0],
            "runs": 0,
            "problems": 0,
            "note": "printed in the TroVE paper; not run here",
        }
        for category in (*CATEGORIES, ALL_MICRO)
    ]
    return in_columns(pd.DataFrame(rows))


def absent(study: Study, method: str, category: str) -> dict:
    """Why a cell is empty."""
    side = study.side(method)
    if category not in CATEGORIES:
        missing = [c for c in CATEGORIES if not (side["category"] == c).any()]
        reason = f"no {method} runs of {', '.join(missing)}" if missing else "too few samples in a category"
    elif not (side["category"] == category).any():
        reason = f"no {method} runs of this category"
    else:
        here = side[side["category"] == category]
        size = here.groupby(["run", "problem"], observed=True).size().min()
        reason = f"only {size} {study.source(method, category)} samples a problem"
    return {"runs": 0, "problems": 0, "note": reason}


def no_scores() -> pd.DataFrame:
    """Scores of no problem at all."""
    return pd.DataFrame({"category": [], "run": [], "problem": [], "score": []})


def stack(*parts: pd.DataFrame) -> pd.DataFrame:
    """Parts of a table under one another."""
    return in_columns(pd.concat(parts, ignore_index=True))


def in_columns(frame: pd.DataFrame) -> pd.DataFrame:
    """A table with the columns of `COLUMNS`, and `k` or `level` where it has them."""
    extra = [column for column in ("k", "level") if column in frame]
    columns = [*COLUMNS[:2], *extra, *COLUMNS[2:]]
    return frame.reindex(columns=columns).astype({"runs": "int64", "problems": "int64"})


def check(table: pd.DataFrame) -> pd.DataFrame:
    """The paper's numbers against ours: every cell that has both, by how much they differ, largest first.

    `difference` is ours minus the paper's; `inside` says whether the paper's number, which is rounded to two
    decimals, may lie in our 95 % interval.
    """
    both = table[table["published"].notna() & table["low"].notna()].copy()
    both["difference"] = both["ours"] - both["published"]
    both["inside"] = both["published"].between(both["low"] - 5e-3, both["high"] + 5e-3)
    keys = [c for c in ("category", "system", "k", "level") if c in both]
    order = both["difference"].abs().sort_values(ascending=False).index
    return both.loc[order, [*keys, "source", "published", "ours", "low", "high", "difference", "inside"]]


def side_by_side(table: pd.DataFrame) -> pd.DataFrame:
    """A table to read: a row a category, a column a system, each cell "ours [low, high] (paper's)"; "–" is absent."""
    extra = [c for c in ("k", "level") if c in table]
    text = table.assign(cell=[_as_text(row) for row in table.itertuples()])
    wide = text.pivot_table(index="category", columns=[*extra, "system"], values="cell", aggfunc="first", sort=False)
    return wide.reindex(table["category"].unique()).fillna("–")


def _as_text(row: object) -> str:
    if pd.isna(row.ours):
        return "–" if pd.isna(row.published) else f"– ({row.published:.3g})"
    interval = "" if pd.isna(row.low) else f" [{row.low:.3f}, {row.high:.3f}]"
    value = f"{row.ours:.3f}" if row.ours % 1 else f"{row.ours:.0f}"
    return f"{value}{interval}" + ("" if pd.isna(row.published) else f" ({row.published:.3g})")
