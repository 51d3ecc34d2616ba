"""How far a re-execution agrees with the record, and the likeliest cause of each difference. It
runs nothing."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from .official_files import IMPORT

KEY = ["run", "category", "problem", "phase", "mode", "sample"]
DIFFERENCES = [
    "status_recorded",
    "status",
    "same_answer",
    "same_verdict",
    "cause",
    "recorded",
    "here",
]

_CLOCK = re.compile(
    r"\b(?:now|today|utcnow|localtime|gmtime|time|perf_counter|monotonic|ctime)\(\s*\)"
)
_CHANCE = re.compile(r"\brandom\b|\bshuffle\b|\brandint\b|\bsecrets\b|\buuid")
_VERSION = re.compile(
    r"No module named|has no attribute|cannot import name|unexpected keyword arg|NotImplementedError"
)
_LIBRARY = re.compile(r"sympy|numpy|scipy|pandas|matplotlib|mpmath")


class Agreement(NamedTuple):
    """`shares`: a row for each category and `all`, with the number of candidates that agree in
    `status` (`ok`, `timeout`, or failed) of all `candidates`, and in `answer` (the one that is
    graded) and `verdict` of the `compared`: those whose record is whole and whose program does not
    look at the clock. `disagreements`: a row for each candidate that differs in any of the three,
    with its cause."""

    shares: pd.DataFrame
    disagreements: pd.DataFrame

    def __str__(self) -> str:
        _, candidates, status, compared, *agreeing = self.shares.iloc[-1]
        causes = ", ".join(
            f"{count} {cause}"
            for cause, count in self.disagreements["cause"].value_counts().items()
        )
        answer, verdict = (100 * count / max(compared, 1) for count in agreeing)
        return (
            f"agreement: status {100 * status / max(candidates, 1):.2f} % of {candidates}, answer {answer:.2f} % and "
            f"verdict {verdict:.2f} % of {compared}; {len(self.disagreements)} candidates differ ({causes or 'none'})"
        )


def compare(recorded: pd.DataFrame, new: pd.DataFrame, programs: Sequence[str]) -> Agreement:
    """Hold two tables of the same candidates against each other; `programs` are what ran, row by
    row."""
    differing = []
    same = []
    for old, now, program in zip(recorded.itertuples(), new.itertuples(), programs, strict=True):
        status, before = (
            one if one in ("ok", "timeout") else "failed" for one in (now.status, old.status)
        )
        status = status == before  # the record knows three ways to end
        answer = old.answer == now.answer or (pd.isna(old.answer) and pd.isna(now.answer))
        verdict = pd.isna(old.correct) or bool(old.correct) == bool(now.correct)
        whole = not old.shortened and not _CLOCK.search(program)
        same.append((old.category, 1, status, whole, whole and answer, whole and verdict))
        if not (status and answer and verdict):
            key = [getattr(old, name) for name in KEY]
            printed = (_excerpt(old), _excerpt(now))
            cause = _cause(old, now, program, " ".join(printed))
            differing.append((*key, old.status, now.status, answer, verdict, cause, *printed))
    names = ["category", "candidates", "status", "compared", "answer", "verdict"]
    shares = pd.DataFrame(same, columns=names).groupby("category", observed=True).sum()
    shares.loc["all"] = shares.sum()
    return Agreement(
        shares.astype(int).reset_index(), pd.DataFrame(differing, columns=[*KEY, *DIFFERENCES])
    )


def _excerpt(row) -> str:
    """The start of what a program printed, or else the last line of its error; either may be
    null."""
    if isinstance(row.output, str) and row.output:
        return row.output[:100].replace("\n", "\\n")
    return row.error.strip().rpartition("\n")[2][:100] if isinstance(row.error, str) else ""


def _cause(old, now, program: str, printed: str) -> str:
    """The likeliest reason for a disagreement, the first that holds. `library version` includes
    Python's (the record's has no `math.cbrt` and no `tkinter`) and what SymPy can solve; `toolbox`:
    one of the two lacked a name."""
    causes = {
        "truncated record": old.shortened,
        "library version": _VERSION.search(printed),
        "timeout": "timeout" in (old.status, now.status),
        "time or date": _CLOCK.search(program),
        "memory or output limit": now.status in ("memory", "output", "killed"),
        "toolbox": old.mode == IMPORT and "NameError" in printed,
        "random": _CHANCE.search(program),
        "answers read otherwise": now.status == old.status and now.output == old.output,
        "set order": now.status == old.status and sorted(now.output) == sorted(old.output),
    }
    otherwise = "library version" if _LIBRARY.search(program) else "other"
    return next(
        (cause for cause, holds in causes.items() if holds),
        otherwise,
    )
