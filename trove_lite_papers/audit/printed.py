"""Printed numbers: columns of tables, what texts state, the arithmetic of rounded ones, and those printed twice."""

import math
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.datasets.math import CATEGORIES
from trove_lite_papers.tables import published_table, published_value, rows_of

SLACK = 1e-9  # of comparisons between rounded decimals, which binary floats hold only nearly


def by_category(table: str, column: str = "mean", **where: object) -> pd.Series:
    """A column of a table over MATH's seven categories, in their order; NaN where nothing is printed."""
    return rows_of(table, **where).set_index("category")[column].reindex(CATEGORIES).astype(float)


def methods_of(table: str, **where: object) -> pd.DataFrame:
    """The values of a table, a row a category and a column a method."""
    return (
        rows_of(table, **where)
        .pivot(index="category", columns="method", values="value")
        .astype(float)
    )


def claim(paper: str, quantity: str, **where: object) -> str:
    """What a paper states outside its tables, as text."""
    return str(rows_of("figures", paper=paper, quantity=quantity, **where)["value"].iloc[0])


def claimed(paper: str, quantity: str, **where: object) -> float:
    return float(claim(paper, quantity, **where))


class Range(NamedTuple):
    """What a number may be before it was rounded."""

    low: float
    high: float

    def meets(self, other: "Range") -> bool:
        return self.low <= other.high + SLACK and other.low <= self.high + SLACK


def before_rounding(value: float, decimals: int) -> Range:
    """The numbers that round to `value`; both ends count, as rounding of a tie is not known."""
    half = 0.5 * 10.0**-decimals
    return Range(value - half, value + half)


def difference_of(a: float, b: float, decimals: int) -> Range:
    """What a - b may be, each rounded."""
    low = before_rounding(a, decimals)
    high = before_rounding(b, decimals)
    return Range(low.low - high.high, low.high - high.low)


def counts_allowed(value: float, decimals: int, trials: int) -> range:
    """The counts whose share of `trials` rounds to `value`: empty where none does (GRIM, Brown & Heathers 2017).

    The mean of five runs over n problems, each right or wrong, is an integer over 5n: `trials` = 5n.
    """
    low, high = before_rounding(value, decimals)
    return range(
        max(0, math.ceil(low * trials - 1e-6)), min(trials, math.floor(high * trials + 1e-6)) + 1
    )


#: The two means of a column's rounded cells, and which of them the printed mean can be: micro, macro, either, neither.
MeanFit = namedtuple("MeanFit", "printed micro macro fits")


def mean_fit(
    cells: Sequence[float], printed: float, sizes: Sequence[int], decimals: int
) -> MeanFit:
    """Is a printed mean the mean over problems (micro) or over categories (macro) of the printed cells?

    Cells are known to half a unit of their last digit, and so is their mean, with whatever weights.
    """
    micro = float(np.average(cells, weights=sizes))
    macro = float(np.mean(cells))
    target = before_rounding(printed, decimals)
    may = tuple(before_rounding(mean, decimals).meets(target) for mean in (micro, macro))
    fits = {(True, True): "either", (True, False): "micro", (False, True): "macro"}.get(
        may, "neither"
    )
    return MeanFit(printed, micro, macro, fits)


def points(share: float, digits: int = 1) -> str:
    return f"{100 * share:+.{digits}f}"


def setting(name: str) -> float:
    return published_value("reeval_table4", "value", hyperparameter=name, method="TROVE")


def one_number(read: Callable[[], Sequence[float]]) -> tuple[bool, dict[str, float]]:
    """Whether numbers that should be one are the same; the fields are a, b, c."""
    return len(set(numbers := read())) == 1, dict(zip("abc", numbers, strict=False))


HINTED = {"method": "CREATOR (w/o CoT)", "setting": "all hint", "metric": "accuracy_pct"}
ONE_NUMBER: dict[str, Callable[[], Sequence[float]]] = {
    "time_limit": lambda: (claimed("reeval", "exec_timeout changed from 100 to"), setting("exec_timeout")),
    "trimming_interval": lambda: (setting("trim_steps"), claimed("trove", "trim interval")),
    "data_sets_of_gpt4": lambda: (
        *(claimed("trove", f"data sets {words}") for words in ("tried with GPT-4", "called representative")),
        rows_of("trove_table3", model="GPT-4", metric="acc")["category"].nunique(),
    ),
    "longest_completion": lambda: (claimed("creator", "max generation length"), 1024),  # read in CREATOR's utils.py
    "creation_challenge_twice": lambda: (
        claimed("creator", "CREATOR on Creation Challenge"), published_value("creator_table4", "value", **HINTED)
    ),
}  # fmt: skip


def cells_of_table4():
    cells = 0
    off = []
    for row in published_table("trove_table4").dropna(subset=["value"]).itertuples():
        table, where = (
            ("trove_table2", {})
            if row.model == "CodeLlama"
            else ("trove_table3", {"model": row.model})
        )
        other = published_value(
            table, "value", category="GQA", metric=row.metric, method=row.method, **where
        )
        cells += other == other
        if other == other and other != row.value:
            off.append(
                f"{row.model} {row.method} {row.metric} {row.value:g}, {table[-6:]} {other:g}"
            )
    return not off, locals()


def originals_of_table2():
    keys = ["category", "metric"]
    rows = published_table("trove_table7").merge(
        rows_of("trove_table2", method="TROVE")[[*keys, "value"]], on=keys
    )
    differ = rows[rows["value"] != rows["original"]].itertuples()
    off = [f"{r.category} {r.metric} {r.original:g}, Table 2 {r.value:g}" for r in differ]
    return not off, locals()
