"""Claims of papers, and what the tables of some runs say of each: holds, does not, or open, with the reason.

A claim is a record: its words, where they stand, and a rule that reads table rows. Sentences are made from the numbers,
so other runs give other sentences; a claim whose rows are absent is open, and says why. Only runs of the paper's own
model, data set and budget judge the paper; any other runs show what they show. It knows no paper: those keep their own
lists of claims.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.analysis.variance import THESE_RUNS
from trove_lite.errors import TroveLiteError

from . import named

HOLDS, DOES_NOT, OPEN = "holds", "does not", "open"
#: What runs that do not judge a paper show: never its verdict.
SHOWN = {HOLDS: "so here", DOES_NOT: "not so here", OPEN: "open"}
COLUMNS = ["claim", "paper", "place", "printed", "ours", "interval", "prediction", "verdict", "why", "hangs_on"]


class Undecided(Exception):
    """The rows that a claim needs are not there; says why."""


class Found(NamedTuple):
    """What the rows say: a verdict, why in a sentence, the numbers as text, and what they hang on.

    also_printed: what is printed for the part of the problems that the rows are about, where that is not all.
    """

    verdict: str
    why: str
    ours: str = ""
    interval: str = ""
    prediction: str = ""
    hangs_on: str = ""
    also_printed: str = ""


@dataclass(frozen=True)
class Claim:
    """A paper's words (a short quotation) and where they stand, its number as printed, and the rule that decides.

    number: it is about a number of the paper's own runs, which no other model's runs could have.
    """

    words: str
    paper: str
    place: str
    printed: str
    decide: Callable[["Tables"], Found]
    number: bool = False


class Tables(Mapping[str, pd.DataFrame]):
    """The tables in a folder by name, each read once. Raises `Undecided` for one that is not there.

    whole: how many problems the paper has, where these runs are held against it.
    """

    def __init__(self, folder: str | Path, *, whole: int = 0) -> None:
        self.folder, self.whole = Path(folder), whole
        self._read: dict[str, pd.DataFrame] = {}

    def __getitem__(self, name: str) -> pd.DataFrame:
        path = self.folder / f"{name}.csv"
        if name not in self._read:
            if not path.is_file():
                raise Undecided(f"these runs have no {path.name}")
            self._read[name] = pd.read_csv(path, keep_default_na=True)
        return self._read[name]

    def __iter__(self):
        return (path.stem for path in sorted(self.folder.glob("*.csv")))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def judged(
    claims: Sequence[Claim], folder: str | Path, *, judges: bool, whole: int = 0, runs: str = ""
) -> pd.DataFrame:
    """Every claim with what the tables in `folder` say of it, in the columns of `COLUMNS`.

    judges: whether these runs are of the model, data set and budget that the paper is about, with its `whole` number of
    problems. Where they are not, claims on a number of the paper's own are left out, and verdicts say what they show.
    """
    if not Path(folder).is_dir():
        raise TroveLiteError(f"{folder}: no such folder; `trove-lite report RUN --out NAME` makes one")
    tables, rows = Tables(folder, whole=whole if judges else 0), []
    for claim in claims:
        if claim.number and not judges:
            continue
        try:
            found = claim.decide(tables)
        except Undecided as reason:
            found = Found(OPEN, f"Cannot be decided: {reason}.")
        except KeyError as column:  # a table that another version of this program wrote
            found = Found(OPEN, f"Cannot be decided: a table lacks {column}; make the report again.")
        told = found._asdict() | {"verdict": found.verdict if judges else SHOWN[found.verdict]}
        printed = f"{claim.printed} ({also})" if (also := told.pop("also_printed")) else claim.printed
        rows.append({"claim": claim.words, "paper": claim.paper, "place": claim.place, "printed": printed} | told)
    return named(pd.DataFrame(rows, columns=COLUMNS), "claims", "Claims", runs, judges=judges)


# ---- rows ----


def only(table: pd.DataFrame, what: str, **where: object) -> pd.Series:
    """The last row with these values: rows over categories come last. Raises `Undecided` where none holds a number."""
    rows = table
    for column, value in where.items():
        rows = rows[rows[column].isin(value) if isinstance(value, tuple | list) else rows[column] == value]
    value = next((column for column in ("difference", "value") if column in rows), None)
    known = rows[rows[value].notna()] if value else rows
    if known.empty:
        notes = rows["note"].dropna().unique() if "note" in rows else []
        reason = "; ".join(dict.fromkeys(part for note in notes for part in str(note).split("; ")))
        raise Undecided(f"{what}: {reason}" if reason else f"no {what}")
    return known.iloc[-1]


# ---- rules ----


def leads(row: pd.Series, what: str, *, scale: float = 100) -> Found:
    """That a difference is above 0. It does not hold where the interval ends below 0, or where less is shown."""
    numbers = _numbers(row, scale)
    if row["low"] > 0:
        return Found(HOLDS, f"{what} {numbers.ours}: the whole interval lies above 0.", **numbers.cells)
    if row["high"] < 0:
        return Found(DOES_NOT, f"{what} {numbers.ours}: the whole interval lies below 0.", **numbers.cells)
    if margin := _equivalent(row):
        return Found(
            DOES_NOT, f"{what} {numbers.ours}: less than {margin} points either way is shown.", **numbers.cells
        )
    return Found(OPEN, f"{what} {numbers.ours}: the interval reaches from below 0 to above it.", **numbers.cells)


def no_difference(row: pd.Series, what: str) -> Found:
    """That there is no difference: shown by a test of equivalence within 2 points, refuted by an interval beside 0."""
    numbers = _numbers(row)
    if margin := _equivalent(row):
        return Found(HOLDS, f"{what} {numbers.ours}: less than {margin} points either way is shown.", **numbers.cells)
    if row["low"] > 0 or row["high"] < 0:
        return Found(DOES_NOT, f"{what} {numbers.ours}: the interval leaves 0 out.", **numbers.cells)
    why = f"{what} {numbers.ours}: the interval covers 0, and is too wide to show that nothing is there."
    return Found(OPEN, why, **numbers.cells)


def near(row: pd.Series, printed: float, what: str, *, within: float = 2) -> Found:
    """That a number, in points, is the printed one, within so many points: the whole interval, or none of it."""
    numbers = _numbers(row)
    low, high = 100 * row["low"], 100 * row["high"]
    if printed - within <= low and high <= printed + within:
        return Found(HOLDS, f"{what} {numbers.ours}: within {within:g} points of {printed:g}.", **numbers.cells)
    if high < printed - within or low > printed + within:
        why = f"{what} {numbers.ours}: more than {within:g} points from {printed:g}."
        return Found(DOES_NOT, why, **numbers.cells)
    return Found(
        OPEN, f"{what} {numbers.ours}: too wide to tell within {within:g} points of {printed:g}.", **numbers.cells
    )


def agrees(rows: pd.DataFrame, what: str) -> Found:
    """That printed numbers are what a rerun would give, by the verdicts of a check (`papers.check`)."""
    if rows.empty:
        raise Undecided(f"{what}: no printed value has one of ours beside it")
    verdicts = set(rows["verdict"])
    verdict = DOES_NOT if "differs" in verdicts else HOLDS if verdicts == {"agrees"} else OPEN
    names = [row.system if len(rows) > 1 else "" for row in rows.itertuples()]
    cells = {
        "ours": _joined(names, [f"{100 * row.value:.1f} %" for row in rows.itertuples()]),
        "interval": _joined(names, [_span(row.low, row.high) for row in rows.itertuples()]),
        "prediction": _joined(names, [_span(row.prediction_low, row.prediction_high) for row in rows.itertuples()]),
    }
    reasons = "; ".join(dict.fromkeys(str(why) for why in rows["why"].dropna() if str(why)))
    told = {
        HOLDS: "the printed value lies where a rerun would fall, and that is narrow enough to tell",
        DOES_NOT: "a printed value lies where no rerun would fall",
        OPEN: reasons or "the runs cannot tell",
    }
    return Found(verdict, f"{what} {cells['ours']}: {told[verdict]}.", **cells)


def ordered(pairs: Sequence[pd.Series], what: str, *, fails: str) -> Found:
    """That every difference is above 0, after Holm's correction: does not hold where one lies below it.

    fails: what it is said of one that lies below, with `{a}`, `{b}` and `{category}`.
    """
    clear = [row for row in pairs if row["p_holm"] <= 0.05]
    against, for_it = ([row for row in clear if sign * row["difference"] > 0] for sign in (-1, 1))
    count = f"{len(for_it)} of {len(pairs)} differences lie clearly above 0, {len(against)} below"
    if against:
        told = "; ".join(f"{fails.format(**row)} {_numbers(row).ours}" for row in against)
        return Found(DOES_NOT, f"{what} {count}: {told}.")
    if len(for_it) == len(pairs):
        return Found(HOLDS, f"{what} {count}.")
    return Found(OPEN, f"{what} {count}; the rest are within noise.")


def hanging_on(found: Found, *conditions: str, undecided: str = "") -> Found:
    """A finding with what it hangs on; `undecided`: a reason that leaves it open whatever the numbers are."""
    told = "; ".join(condition for condition in (*conditions, found.hangs_on) if condition)
    if not undecided:
        return found._replace(hangs_on=told)
    return found._replace(verdict=OPEN, why=f"{found.why} It stays open: {undecided}.", hangs_on=told)


# ---- numbers as text ----


class _Numbers(NamedTuple):
    ours: str
    cells: dict[str, str]


def _numbers(row: pd.Series, scale: float = 100) -> _Numbers:
    value = row["difference"] if "difference" in row and pd.notna(row["difference"]) else row["value"]
    unit = " points" if scale == 100 else ""
    signed = "difference" in row
    number = f"{scale * value:+.1f}" if signed else f"{scale * value:.1f}"
    ends = [scale * row[end] for end in ("low", "high")]
    interval = "[{:+.1f}, {:+.1f}]".format(*ends) if signed else "[{:.1f}, {:.1f}]".format(*ends)
    cells = {"ours": f"{number}{unit if signed else ' %'}", "interval": interval}
    if pd.notna(row.get("prediction_low", np.nan)):
        cells["prediction"] = _span(row["prediction_low"], row["prediction_high"])
    here = f" in {THESE_RUNS}" * (row.get("covers") == THESE_RUNS)
    return _Numbers(f"is {number} {interval}{unit if signed else ' %'}{here}", cells)


def _equivalent(row: pd.Series) -> int:
    """The smaller of 1 and 2 points within which a difference is shown to lie; 0 where neither is."""
    return next((margin for margin in (1, 2) if row.get(f"p_within_{margin}", 1.0) <= 0.05), 0)


def _span(low: float, high: float) -> str:
    return "–" if pd.isna(low) else f"[{100 * low:.1f}, {100 * high:.1f}]"


def _joined(names: Sequence[str], values: Sequence[str]) -> str:
    return ", ".join(f"{name} {value}".strip() for name, value in zip(names, values, strict=True))
