"""In what two systems of a comparison differ besides their methods: read off their tables and their
runs' settings."""

from collections.abc import Callable, Iterable, Mapping, Sequence

import pandas as pd

from trove_lite.candidates import all_candidates, name_table

from .check import PROBLEM
from .likeness import in_comments
from .systems import Comparison

COLUMNS = ["fact", "a", "b", "differs"]
#: Settings of which systems that are compared should have the same; `sampling` is compared name by
#: name.
SETTINGS = ("chat", "prompts", "parser", "grader", "time_limit", "memory", "sampling")
THINKS = 80  # characters in lines that are comments, from which on a program thinks in them
MANY = 3  # numbers, above which a program that prints more has more votes than an answer takes
#: Fact → how far apart the systems may be: shares of programs by their difference, requests by their
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
    """A row a fact of two systems' candidates: its value on each and whether these `differ`. Replies
    that hold no program do not count.

    calls: the requests of each system; none where they are not known. about: what the `run.json` of
    each system's runs says; of its settings those that differ have rows. Worked examples are not
    known to any table: of prompts it says whether they are the same pack."""
    systems = [all_candidates(system) for system in (a, b)]
    comments, many, requests = APART
    rows = []
    if all("solution" in system for system in systems):
        texts = [system["solution"].fillna("") for system in systems]
        written = [those[those.str.contains("```python", regex=False)] for those in texts]
        if all(
            len(those) > len(system) / 2 for those, system in zip(written, systems, strict=True)
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
                    system["answers"].dropna(),
                    lambda answers: len(answers) > MANY,
                )
                for system in systems
            ],
        )
    )
    counts = [
        len(system) / system[["run", *PROBLEM]].drop_duplicates().shape[0]
        for system in calls or systems
    ]
    fact = requests if calls else "samples a problem"
    rows.append(
        [
            fact,
            *counts,
            max(counts) > APART[requests] * min(counts),
        ]
    )
    settings = [_settings(system) for system in about]
    if any(settings) and not all(settings):
        rows.append(
            ["settings", *("known" if system else "not known" for system in settings), True]
        )
    for name in (
        dict.fromkeys(name for system in settings for name in system) if all(settings) else ()
    ):
        one, other = (system.get(name, "") for system in settings)
        rows += [[name, one, other, True]] if one != other else []
    return name_table(pd.DataFrame(rows, columns=COLUMNS), "unlike", "In what systems differ")


def _row(fact: str, shares: Sequence[float]) -> list:
    return [
        fact,
        *shares,
        abs(shares[0] - shares[1]) > APART[fact],
    ]


def _share(values: pd.Series, holds: Callable[[object], bool]) -> float:
    return sum(map(holds, values)) / max(1, len(values))


def _settings(system: Iterable[Mapping]) -> dict[str, str]:
    """The settings of a system's runs as text; several values of one are joined."""
    found: dict[str, list[str]] = {}
    for run in system:
        told = {name: value for name, value in run.get("settings", {}).items() if name in SETTINGS}
        for name, value in (told | told.pop("sampling", {})).items():
            found.setdefault(name, []).append(str(value))
    return {name: " and ".join(sorted(set(values))) for name, values in found.items()}


def in_words(table: pd.DataFrame) -> list[str]:
    """Each fact in which the systems differ."""
    text = lambda value: f"{value:.2g}" if isinstance(value, float) else str(value)  # noqa: E731
    return [
        f"{row.fact}: {text(row.a)} and {text(row.b)}"
        for row in table[table["differs"]].itertuples()
    ]


def differing(comparison: Comparison, *names: str) -> str:
    """In what two systems of a comparison differ besides their methods, as one text; "" where nothing
    is seen."""
    told = [comparison.told_of(name) for name in names]
    calls = [comparison.requests(name) for name in names] if comparison.calls is not None else ()
    return "; ".join(
        in_words(
            unlike(
                *map(comparison.systems.get, names),
                calls=calls,
                about=told if all(told) else (),
            )
        )
    )
