"""A finding of the audit, and the arithmetic of rounded numbers that findings rest on.

A finding puts what a paper states beside what was computed, with a verdict. It holds no finding of its own: every
number in a row is read from a published table or computed, and only the wording around the numbers is written here.
What a released program does and no number shows is read in it (`creator_program`, a row of `latm`), and names the file.
"""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import pandas as pd

from papers import published_table
from trove_lite.analysis.statistics import macro_mean, micro_mean
from trove_lite.datasets.math import CATEGORIES

CONSISTENT, INCONSISTENT, UNDECIDED = "consistent", "inconsistent", "cannot be decided"
VERDICTS = (INCONSISTENT, UNDECIDED, CONSISTENT)
#: `weight` is how much rests on the statement (3: a conclusion of the paper, 2: numbers that others use, 1: a detail;
#: 5: the question of the whole kit), times this.
WEIGHT_OF = {INCONSISTENT: 1.0, UNDECIDED: 0.5, CONSISTENT: 0.1}
COLUMNS = ["section", "paper", "place", "check", "stated", "computed", "verdict", "weight", "note"]

SLACK = 1e-9  # of comparisons between rounded decimals, which binary floats hold only nearly

#: From a table's name to its rows: the published ones, or a copy that a test has changed.
Look = Callable[[str], pd.DataFrame]


class Finding(NamedTuple):
    section: int
    paper: str
    place: str
    check: str
    stated: str
    computed: str
    verdict: str
    weight: float
    note: str


def finding(
    section: int,
    paper: str,
    place: str,
    check: str,
    *,
    stated: str,
    computed: str,
    holds: bool | None,
    importance: float,
    note: str = "",
) -> Finding:
    """A finding whose verdict follows from `holds`; None where the statement can be neither kept nor refuted."""
    verdict = UNDECIDED if holds is None else CONSISTENT if holds else INCONSISTENT
    weight = round(importance * WEIGHT_OF[verdict], 2)
    return Finding(section, paper, place, check, stated, computed, verdict, weight, note)


def as_table(findings: Sequence[Finding]) -> pd.DataFrame:
    """Findings as rows, the weightiest first."""
    frame = pd.DataFrame(findings, columns=COLUMNS)
    rank = frame["verdict"].map({verdict: i for i, verdict in enumerate(VERDICTS)}).astype(int)
    keys = ["weight", "_rank", "section", "paper", "place", "check"]
    frame = frame.assign(_rank=rank).sort_values(keys, ascending=[False] + [True] * 5, kind="stable")
    return frame.drop(columns="_rank").reset_index(drop=True)


def as_printed(**changed: pd.DataFrame) -> Look:
    """Look-up of published tables, with those in `changed` instead where given."""
    return lambda table: changed[table] if table in changed else published_table(table)


def rows_of(look: Look, table: str, **where: object) -> pd.DataFrame:
    """The rows of a table with these values."""
    rows = look(table)
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return rows


def cell(look: Look, table: str, column: str = "mean", **where: object) -> float:
    """One printed number; NaN where nothing, or more than one, is printed."""
    rows = rows_of(look, table, **where)
    return float(rows[column].iloc[0]) if len(rows) == 1 else float("nan")


def by_category(look: Look, table: str, column: str = "mean", **where: object) -> pd.Series:
    """A column of a table over MATH's seven categories, in their order; NaN where nothing is printed."""
    rows = rows_of(look, table, **where).set_index("category")[column]
    return rows.reindex(CATEGORIES).astype(float)


def claim(look: Look, paper: str, quantity: str) -> str:
    """A number that a paper states outside its tables, as text."""
    rows = rows_of(look, "figures", paper=paper, quantity=quantity)
    return str(rows["value"].iloc[0])


# ---- rounded numbers ----


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


def ratio_of(a: float, b: float, decimals: int) -> Range:
    """What a / b may be, each positive and rounded."""
    top, bottom = before_rounding(a, decimals), before_rounding(b, decimals)
    return Range(top.low / bottom.high, top.high / bottom.low)


def counts_allowed(value: float, decimals: int, trials: int) -> range:
    """The counts whose share of `trials` rounds to `value`: empty where none does (GRIM, Brown & Heathers 2017).

    The mean of five runs over n problems, each right or wrong, is an integer over 5n: `trials` = 5n.
    """
    low, high = before_rounding(value, decimals)
    return range(max(0, math.ceil(low * trials - 1e-6)), min(trials, math.floor(high * trials + 1e-6)) + 1)


class MeanFit(NamedTuple):
    """The two means of a column's rounded cells, and which of them the printed mean can be."""

    micro: float
    macro: float
    fits: str  # micro, macro, either or neither


def mean_fit(cells: Sequence[float], printed: float, sizes: Sequence[int], decimals: int) -> MeanFit:
    """Is a printed mean the mean over problems (micro) or over categories (macro) of the printed cells?

    Cells are known to half a unit of their last digit, and so is their mean, with whatever weights.
    """
    micro, macro = micro_mean(cells, sizes), macro_mean(cells)
    target = before_rounding(printed, decimals)
    may = [before_rounding(mean, decimals).meets(target) for mean in (micro, macro)]
    fits = {(True, True): "either", (True, False): "micro", (False, True): "macro"}.get(tuple(may), "neither")
    return MeanFit(micro, macro, fits)


def points(share: float, digits: int = 1) -> str:
    """A share as percentage points, signed."""
    return f"{100 * share:+.{digits}f}"
