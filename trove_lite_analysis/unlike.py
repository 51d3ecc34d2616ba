"""In what two sides of a comparison differ besides their methods: read off their tables and their
runs' settings."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import pandas as pd

from trove_lite.candidates import all_candidates, name_table

from .likeness import in_comments
from .sides import Comparison
from .sign import PROBLEM

COLUMNS = ["fact", "a", "b", "differs"]
#: Settings of which sides that are compared should have the same; `sampling` is compared name by
#: name.
SETTINGS = ("chat", "prompts", "parser", "grader", "time_limit", "memory", "sampling")
THINKS = 80  # characters in lines that are comments, from which on a program thinks in them
MANY = 3  # numbers, above which a program that prints more has more votes than an answer takes
#: Fact → how far apart the sides may be: shares of programs by their difference, requests by their
#: ratio. Where requests are not known there are samples, and a sample may be several requests.
APART = {
    "programs that think in comments": 0.2,
    "programs that print more than three": 0.04,
    "requests a problem": 1.25,
}


def unlike(
    a: pd.DataFrame,
    b: pd.DataFrame,
    calls: Sequence[pd.DataFrame] = (),
    about: Sequence[Iterable[Mapping]] = (),
) -> pd.DataFrame:
    """A row a fact of two sides' candidates: its value on each and whether these `differ`. Replies
    that hold no program do not count.

    calls: the requests of each side; none where they are not known. about: what the `run.json` of
    each side's runs says; of its settings those that differ have rows. Worked examples are not
    known to any table: of prompts it says whether they are the same pack."""
    sides = [all_candidates(side) for side in (a, b)]
    comments, many, requests = APART
    rows = []
    if all("solution" in side for side in sides):
        texts = [side["solution"].fillna("") for side in sides]
        written = [those[those.str.contains("```python", regex=False)] for those in texts]
        if all(
            len(those) > len(side) / 2 for those, side in zip(written, sides, strict=True)
        ):  # else it writes prose
            rows.append(
                _row(
                    comments,
                    [_share(those, lambda text: in_comments(text) > THINKS) for those in written],
                )
            )
    rows.append(
        _row(
            many,
            [
                _share(
                    side["answers"].dropna(),
                    lambda answers: len(answers) > MANY,
                )
                for side in sides
            ],
        )
    )
    counts = [
        len(side) / side[["run", *PROBLEM]].drop_duplicates().shape[0] for side in calls or sides
    ]
    fact = requests if calls else "samples a problem"
    rows.append(
        [
            fact,
            *counts,
            max(counts) > APART[requests] * min(counts),
        ]
    )
    settings = [_settings(side) for side in about]
    if any(settings) and not all(settings):
        rows.append(["settings", *("known" if side else "not known" for side in settings), True])
    for name in dict.fromkeys(name for side in settings for name in side) if all(settings) else ():
        one, other = (side.get(name, "") for side in settings)
        rows += [[name, one, other, True]] if one != other else []
    return name_table(pd.DataFrame(rows, columns=COLUMNS), "unlike", "In what sides differ")


def _row(fact: str, shares: Sequence[float]) -> list:
    return [
        fact,
        *shares,
        abs(shares[0] - shares[1]) > APART[fact],
    ]


def _share(values: pd.Series, holds: Callable[[object], bool]) -> float:
    return sum(map(holds, values)) / max(1, len(values))


def _settings(side: Iterable[Mapping]) -> dict[str, str]:
    """The settings of a side's runs as text; several values of one stand beside each other."""
    found: dict[str, list[str]] = {}
    for run in side:
        told = {name: value for name, value in run.get("settings", {}).items() if name in SETTINGS}
        for name, value in (told | told.pop("sampling", {})).items():
            found.setdefault(name, []).append(str(value))
    return {name: " and ".join(sorted(set(values))) for name, values in found.items()}


def in_words(table: pd.DataFrame) -> list[str]:
    """Each fact in which the sides differ."""
    text = lambda value: f"{value:.2g}" if isinstance(value, float) else str(value)  # noqa: E731
    return [
        f"{row.fact}: {text(row.a)} and {text(row.b)}"
        for row in table[table["differs"]].itertuples()
    ]


def differing(comparison: Comparison, *names: str) -> str:
    """In what two sides of a comparison differ besides their methods, as one text; "" where nothing
    is seen."""
    told = [comparison.told_of(name) for name in names]
    calls = [comparison.requests(name) for name in names] if comparison.calls is not None else ()
    return "; ".join(
        in_words(
            unlike(
                *map(comparison.sides.get, names),
                calls,
                told if all(told) else (),
            )
        )
    )
