"""Printed numbers: columns of tables, what texts state, and the arithmetic of rounded ones."""

import math
from collections import namedtuple
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.datasets.math import CATEGORIES
from trove_lite_papers.tables import rows_of

SLACK = 1e-9  # of comparisons between rounded decimals, which binary floats hold only nearly


def by_category(table: str, column: str = "mean", **where: object) -> pd.Series:
    """A column of a table over MATH's seven categories, in their order; NaN where nothing is printed."""
    return rows_of(table, **where).set_index("category")[column].reindex(CATEGORIES).astype(float)


def methods_of(table: str, **where: object) -> pd.DataFrame:
    """The values of a table, a row a category and a column a method."""
    return rows_of(table, **where).pivot(index="category", columns="method", values="value").astype(float)


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
    low, high = before_rounding(a, decimals), before_rounding(b, decimals)
    return Range(low.low - high.high, low.high - high.low)


def counts_allowed(value: float, decimals: int, trials: int) -> range:
    """The counts whose share of `trials` rounds to `value`: empty where none does (GRIM, Brown & Heathers 2017).

    The mean of five runs over n problems, each right or wrong, is an integer over 5n: `trials` = 5n.
    """
    low, high = before_rounding(value, decimals)
    return range(max(0, math.ceil(low * trials - 1e-6)), min(trials, math.floor(high * trials + 1e-6)) + 1)


#: The two means of a column's rounded cells, and which of them the printed mean can be: micro, macro, either, neither.
MeanFit = namedtuple("MeanFit", "printed micro macro fits")


def mean_fit(cells: Sequence[float], printed: float, sizes: Sequence[int], decimals: int) -> MeanFit:
    """Is a printed mean the mean over problems (micro) or over categories (macro) of the printed cells?

    Cells are known to half a unit of their last digit, and so is their mean, with whatever weights.
    """
    micro, macro = float(np.average(cells, weights=sizes)), float(np.mean(cells))
    target = before_rounding(printed, decimals)
    may = tuple(before_rounding(mean, decimals).meets(target) for mean in (micro, macro))
    fits = {(True, True): "either", (True, False): "micro", (False, True): "macro"}.get(may, "neither")
    return MeanFit(printed, micro, macro, fits)


def points(share: float, digits: int = 1) -> str:
    return f"{100 * share:+.{digits}f}"
