"""How far a re-execution agrees with the record, and the likeliest cause of each difference. It runs nothing."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

KEY = ["run", "category", "problem", "phase", "mode", "sample"]
DIFFERENCES = ["status_recorded", "status", "same_answer", "same_verdict", "cause", "recorded", "here"]

_CLOCK = re.compile(r"\b(?:now|today|utcnow|localtime|gmtime|time|perf_counter|monotonic|ctime)\(\s*\)")
_CHANCE = re.compile(r"\brandom\b|\bshuffle\b|\brandint\b|\bsecrets\b|\buuid")
_VERSION = re.compile(
    r"No module named|has no attribute|cannot import name|unexpected keyword argument|NotImplementedError"
)
_LIBRARY = re.compile(r"sympy|numpy|scipy|pandas|matplotlib|mpmath")


class Agreement(NamedTuple):
    """How far a re-execution agrees with the record.

    `shares`: a row for each category and `all`, with the number of candidates that agree in `status` (`ok`, `timeout`,
    or failed in any other way) of all `candidates`, and in `answer` (the one that is graded) and `verdict` of the
    `compared`: those whose record is whole and whose program does not look at the clock.
    `disagreements`: a row for each candidate that differs in any of the three, with its cause.
    """

    shares: pd.DataFrame
    disagreements: pd.DataFrame

    def __str__(self) -> str:
        total = self.shares.set_index("category").loc["all"]
        causes = ", ".join(f"{count} {cause}" for cause, count in self.disagreements["cause"].value_counts().items())
        return (
            f"agreement: status {100 * total['status'] / max(total['candidates'], 1):.2f} % of {total['candidates']}, "
            f"answer {100 * total['answer'] / max(total['compared'], 1):.2f} % and verdict "
            f"{100 * total['verdict'] / max(total['compared'], 1):.2f} % of {total['compared']}; "
            f"{len(self.disagreements)} candidates differ ({causes or 'none'})"
        )


def compare(recorded: pd.DataFrame, new: pd.DataFrame, programs: Sequence[str]) -> Agreement:
    """Hold two tables of the same candidates against each other; `programs` are what ran, row by row."""
    differing, same = [], []
    for old, now, program in zip(recorded.itertuples(), new.itertuples(), programs, strict=True):
        status = _kind(old.status) == _kind(now.status)
        answer = old.answer == now.answer or (pd.isna(old.answer) and pd.isna(now.answer))
        verdict = pd.isna(old.correct) or bool(old.correct) == bool(now.correct)
        whole = not old.shortened and not _CLOCK.search(program)
        same.append((old.category, 1, status, whole, whole and answer, whole and verdict))
        if not (status and answer and verdict):
            key = [getattr(old, name) for name in KEY]
            cause = _cause(old, now, program)
            differing.append((*key, old.status, now.status, answer, verdict, cause, _excerpt(old), _excerpt(now)))
    names = ["category", "candidates", "status", "compared", "answer", "verdict"]
    shares = pd.DataFrame(same, columns=names).groupby("category", observed=True).sum()
    shares.loc["all"] = shares.sum()
    return Agreement(shares.astype(int).reset_index(), pd.DataFrame(differing, columns=[*KEY, *DIFFERENCES]))


def _excerpt(row) -> str:
    """The start of what a program printed, or else the last line of its error; either may be null."""
    if isinstance(row.output, str) and row.output:
        return row.output[:100].replace("\n", "\\n")
    return row.error.strip().rpartition("\n")[2][:100] if isinstance(row.error, str) else ""


def _kind(status: str) -> str:
    """The record knows three ways to end."""
    return status if status in ("ok", "timeout") else "failed"


def _cause(old, now, program: str) -> str:
    """The likeliest reason for a disagreement.

    `library version` includes Python's (the record's has no `math.cbrt` and no `tkinter`) and what SymPy can solve;
    `toolbox`: one of the two lacked a name.
    """
    printed = f"{_excerpt(old)} {_excerpt(now)}"
    if old.shortened:
        return "truncated record"
    if _VERSION.search(printed):
        return "library version"
    if "timeout" in (old.status, now.status):
        return "timeout"
    if _CLOCK.search(program):
        return "time or date"
    if now.status in ("memory", "output", "killed"):
        return "memory or output limit"
    if old.mode == "import" and "NameError" in printed:
        return "toolbox"
    if _CHANCE.search(program):
        return "random"
    if now.status == old.status and sorted(now.output) == sorted(old.output):
        return "set order"
    return "library version" if _LIBRARY.search(program) else "other"
