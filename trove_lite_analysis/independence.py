"""Are runs that are called several really several, and where do they part?

Runs with the same random numbers repeat each other, program by program, until something differs;
from the same state they can meet again. What repeats an earlier run is left out before anything is
averaged over runs."""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.candidates import SELECTED, as_text, rows_where, selected_alone

#: Share of equal programs in problems that two runs share: not 1, for runs that are known by their
#: selected answers alone can select another of the same candidates.
AGREE = 0.9
#: Share of equal programs by chance where there is one sample a problem and so none to measure it
#: with.
CHANCE_OF_ONE = 0.1
SHARED_COLUMNS = [
    "category",
    "mode",
    "run_a",
    "method_a",
    "run_b",
    "method_b",
    "compared",
    "identical",
    "by_chance",
    "apart",
    "problems",
    "shared",
    "parted",
    "stretches",
    "verdict",
]
REPEATED_COLUMNS = ["category", "method", "run", "repeats", "stretches", "problems", "verdict"]


class Pair(NamedTuple):
    """Two runs, of (run, method), in one mode of a category, by problem of both: samples, and
    whether it is shared."""

    category: str
    mode: str
    runs: tuple[tuple[str, str], tuple[str, str]]
    problems: np.ndarray
    equal: np.ndarray
    compared: np.ndarray
    chance: np.ndarray
    shared: np.ndarray

    @property
    def repeated(self) -> list[int]:
        """The problems that both share: the second run repeats them."""
        return self.problems[self.shared].tolist()


def shared_programs(candidates: pd.DataFrame) -> pd.DataFrame:
    """Where two runs of a category repeat each other: a row for each pair of a method's runs, and
    mode.

    Of `compared` samples at the same place a share is `identical`, and `by_chance` of those at
    different places. Of the `problems` of both, `shared` lie in `stretches`: the likeliest division
    of the stream into parts that agree (in `AGREE`) and parts that agree by chance. `parted`: the
    first problem not shared; `apart`: the share of identical programs outside the stretches.
    `verdict`: `copy` (all shared, 95 % identical), `overlap`, or `independent`. Pairs of different
    methods are listed where they share something; mode `selected`: runs known by selected answers
    alone.
    """
    rows = []
    for pair in pairs_of_runs(candidates):
        (_, method_a), (_, method_b) = pair.runs
        if method_a != method_b and not pair.shared.any():
            continue
        problems = pair.problems
        inside = pair.shared
        identical = float(pair.equal.sum() / pair.compared.sum())
        by_chance = float(np.average(pair.chance, weights=pair.compared))
        apart = ~inside
        parted = int(problems[apart][0]) if apart.any() else None
        outside = (
            float(pair.equal[apart].sum() / pair.compared[apart].sum())
            if apart.any()
            else float("nan")
        )
        edges = np.flatnonzero(np.diff(np.r_[False, inside, False].astype(int)))
        stretches = ", ".join(
            f"{problems[a]}-{problems[b - 1]}" for a, b in zip(edges[::2], edges[1::2], strict=True)
        )
        verdict = (
            "copy"
            if parted is None and identical >= 0.95
            else "overlap"
            if inside.any()
            else "independent"
        )
        rows.append(
            (
                pair.category,
                pair.mode,
                *pair.runs[0],
                *pair.runs[1],
                int(pair.compared.sum()),
                identical,
                by_chance,
                outside,
                len(problems),
                int(inside.sum()),
                parted,
                stretches,
                verdict,
            )
        )
    return pd.DataFrame(rows, columns=SHARED_COLUMNS).astype({"parted": "Int64"})


def repetitions(pairs: pd.DataFrame) -> pd.DataFrame:
    """From `shared_programs`, a row for each run of a category that shares something with an
    earlier one: with which it shares most, which problems in which mode, and whether that is all
    (`copy`)."""
    rows = []
    sharing = pairs[pairs["shared"] > 0]
    for key, part in sharing.groupby(["category", "method_b", "run_b"], observed=True):
        most = part[part["run_a"] == part.groupby("run_a", sort=True)["shared"].sum().idxmax()]
        stretches = "; ".join(f"{row.mode} {row.stretches}" for row in most.itertuples())
        verdict = "copy" if (most["verdict"] == "copy").all() else "overlap"
        rows.append((*key, most["run_a"].iloc[0], stretches, int(most["problems"].max()), verdict))
    return pd.DataFrame(rows, columns=REPEATED_COLUMNS)


def independent_runs(
    candidates: pd.DataFrame, *, by_mode: bool = False, across: bool = False
) -> pd.DataFrame:
    """The candidates without what repeats an earlier run of its method and category (in name
    order).

    A problem of a run stays where none of its modes lies in a stretch that the run shares with an
    earlier one. The mean over problems of each one's mean over its runs is then unbiased; that over
    a single run, which may lack some, is not. by_mode: each mode stays for itself. across: also
    without what repeats another method's run, for what pools methods and compares none."""
    pairs = pairs_of_runs(candidates, across=across)
    repeats = [
        (pair.category, *pair.runs[1], pair.mode, problem)
        for pair in pairs
        for problem in pair.repeated
    ]
    found = pd.DataFrame(repeats, columns=["category", "run", "method", "mode", "problem"])
    columns = [name for name in found.columns if by_mode or name != "mode"]
    rows = as_text(candidates[columns], [name for name in columns if name != "problem"])
    if by_mode:  # of a run's selected answers, those of whole problems
        rows["mode"] = rows["mode"].where(candidates["phase"] != SELECTED, SELECTED)
    keys, repeated = (pd.MultiIndex.from_frame(table[columns]) for table in (rows, found))
    return rows_where(candidates, ~keys.isin(repeated))


def whole_streams(candidates: pd.DataFrame) -> pd.DataFrame:
    """The candidates of runs that have every problem of their category here, for what is about a
    run as a whole."""
    count = candidates.groupby(["category", "method", "run"], observed=True)["problem"].transform(
        "nunique"
    )
    return candidates[
        (count == candidates.groupby("category", observed=True)["problem"].transform("nunique"))
    ]


def pairs_of_runs(candidates: pd.DataFrame, *, across: bool = True) -> Iterator[Pair]:
    """Pairs of runs with samples in common, by category and mode; `selected`: of those known by
    answers alone."""
    alone = set(selected_alone(candidates))
    for category, part in candidates.groupby("category", observed=True):
        for mode, rows in part[part["phase"] == "stream"].groupby("mode", observed=True):
            yield from _pairs_of(category, str(mode), rows, across)
        if any(where == category for _, where in alone):
            pairs = _pairs_of(
                category, SELECTED, part[part["phase"] == SELECTED].assign(sample=0), across
            )
            yield from (
                pair for pair in pairs if any((run, category) in alone for run, _ in pair.runs)
            )


def _pairs_of(category: str, mode: str, rows: pd.DataFrame, across: bool) -> Iterator[Pair]:
    names = as_text(rows[["run", "method"]], ["run", "method"])
    run, runs = pd.MultiIndex.from_frame(names).factorize(sort=True)
    problems, problem = np.unique(rows["problem"].to_numpy(dtype=int), return_inverse=True)
    sample = rows["sample"].to_numpy(dtype=int)
    shape = len(runs), len(problems), int(sample.max()) + 1
    programs = np.zeros(shape, dtype=np.int64)
    there = np.zeros(shape, dtype=bool)
    programs[run, problem, sample], there[run, problem, sample] = (
        rows["program"].to_numpy(dtype=np.int64),
        True,
    )
    for one, other in combinations(range(len(runs)), 2):
        a = programs[one]
        b = programs[other]
        both = there[one] & there[other]
        if not both.any() or not (across or runs[one][1] == runs[other][1]):
            continue
        crossed = (
            there[one][:, :, None] & there[other][:, None, :] & ~np.eye(a.shape[1], dtype=bool)
        )
        same = ((a[:, :, None] == b[:, None, :]) & crossed).sum(axis=(1, 2))
        total = crossed.sum(axis=(1, 2))
        overall = same.sum() / total.sum() if total.any() else CHANCE_OF_ONE
        chance = (same + overall) / (total + 1)  # of few samples, nearer to that of all problems
        equal = ((a == b) & both).sum(axis=1)
        compared = both.sum(axis=1)
        arrays = (problems, equal, compared, chance, _shared_stretches(equal, compared, chance))
        yield Pair(
            category, mode, (runs[one], runs[other]), *(array[compared > 0] for array in arrays)
        )


def _shared_stretches(equal: np.ndarray, compared: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """For each problem whether it lies in a shared stretch: the likeliest path through both states
    (Viterbi 1967)."""
    chance = np.clip(
        chance, 1 - AGREE, AGREE
    )  # where equal programs are the rule, they tell nothing
    rates = np.stack([chance, np.full_like(chance, AGREE)])
    likelihood = equal * np.log(rates) + (compared - equal) * np.log(1 - rates)
    change = np.log(max(len(equal), 2))
    score = likelihood[:, 0]
    came_from = np.zeros(likelihood.shape, dtype=int)
    for i in range(1, len(equal)):
        moved = score[::-1] - change
        came_from[:, i] = np.where(moved > score, [1, 0], [0, 1])
        score = np.maximum(score, moved) + likelihood[:, i]
    states = [int(score[1] > score[0])]  # apart, where nothing tells
    for i in range(len(equal) - 1, 0, -1):
        states.append(came_from[states[-1], i])
    return np.array(states[::-1], dtype=bool)
