"""The programs of each problem and run, for an essay's own definitions: what they make of all, or
of k of them.

Nothing is defined here that a paper defines. A function of one problem's programs becomes scores,
which `table`, `differences` and the figures read.
"""

from collections.abc import Callable, Sequence
from itertools import compress
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.judge.canonical import round_answer
from trove_lite.selection.tables import DRAWS, PROBLEM, even_subsets, in_order, without_answers
from trove_lite_analysis.scores import no_scores
from trove_lite_analysis.worked import votes_of


class Program(NamedTuple):
    """What a definition may know of a program: what a vote knows, and whether it is right.

    answers: all that it printed, none where it failed. answer: the graded one, a number rounded;
        None without any.
    length: characters; None where no text was kept. surprise: minus the mean log-probability of a
        token, NaN: unknown.
    """

    mode: str = "primitive"
    ok: bool = True
    answers: Sequence[str] = ()
    operations: int = 0
    answer: str | None = None
    right: bool = False
    sample: int = 0
    length: int | None = None
    surprise: float = float("nan")


class Samples(NamedTuple):
    """A system problem by problem: `problems` has a row (`PROBLEM`, `level`) for each item of
    `programs`.

    programs: of one problem in one run, in the order of sampling. known: does the log say what they
        answered?
    """

    problems: pd.DataFrame
    programs: Sequence[Sequence[Program]]
    known: Sequence[bool]


def samples(system: pd.DataFrame | Samples) -> Samples:
    if isinstance(system, Samples):
        return system
    if system.empty:
        return Samples(no_scores(), [], [])
    frame = in_order(system)
    answers = frame["answer"].map(round_answer, na_action="ignore").astype(object)
    facts = [
        answers.where(answers.notna(), None),
        frame["correct"].fillna(False).astype(bool),
        frame["sample"],
        frame["solution"].str.len() if "solution" in frame else [None] * len(frame),
        -frame["log_probability"].astype(float),
    ]
    programs = [
        Program(*vote, *rest)
        for vote, *rest in zip(votes_of(frame), *map(list, facts), strict=True)
    ]
    starts = np.flatnonzero(~frame.duplicated(PROBLEM))
    ends = [*starts[1:], len(frame)]
    return Samples(
        frame[[*PROBLEM, "level"]].iloc[starts].reset_index(drop=True),
        [programs[start:end] for start, end in zip(starts, ends, strict=True)],
        ~without_answers(frame).iloc[starts].to_numpy(),
    )


def by_problem(
    system: pd.DataFrame | Samples, value: Callable[[Sequence[Program]], float], *, k: int = 0
) -> pd.DataFrame:
    """`value` of each problem's programs, run by run, as scores; NaN: it cannot be told. k: how
    many of them it covers, so that a run with n samples is worth n / k."""
    asked = samples(system)
    return _scores(asked, [float(value(own)) for own in asked.programs], k)


def resampled(
    system: pd.DataFrame | Samples,
    choose: Callable[[Sequence[Program]], Program],
    k: int,
    *,
    seed: int = 0,
    resamples: int = 100,
) -> pd.DataFrame:
    """How often `choose` takes a right one among k of a problem's programs, as scores.

    Where there are more than k, the mean over subsets with the same number from each mode: all of
    them where they are few, else so many drawn by `seed`, at most `DRAWS` in all and at least ten a
    problem. What is chosen is one of the programs, so where all or none of these are right nobody
    is asked.
    """
    asked = samples(system)
    most = max(
        10,
        min(
            resamples,
            DRAWS // max(1, len(asked.programs)),
        ),
    )
    layouts = [tuple(program.mode for program in own) for own in asked.programs]
    subsets = {
        layout: even_subsets(layout, k, seed=seed, resamples=most)
        for layout in dict.fromkeys(layouts)
    }
    found = []
    for own, layout, known in zip(asked.programs, layouts, asked.known, strict=True):
        masks = subsets[layout]
        right = masks @ np.array([program.right for program in own], dtype=int)
        size = masks.sum(axis=1)
        sure = int((right == size).sum())
        chosen = [
            choose([*compress(own, mask)]).right for mask in masks[(right > 0) & (right < size)]
        ]
        can = len(masks) and (known or k == 1)
        found.append((sure + sum(chosen)) / len(masks) if can else np.nan)
    return _scores(asked, found, k)


def _scores(asked: Samples, scores: Sequence[float], k: int) -> pd.DataFrame:
    found = asked.problems.assign(score=scores)
    return found.assign(worth=[len(own) / k for own in asked.programs]) if k else found


def shares(programs: Sequence[Program], k: int) -> list[tuple[list[Program], int]]:
    """The programs of each mode, in the order of sampling, and how many of k are its own: as many
    as of every other, the remainder to the later ones; all of them where k is all there is."""
    modes = list(dict.fromkeys(program.mode for program in programs))
    own = [[program for program in programs if program.mode == mode] for mode in modes]
    if k == len(programs):
        return [(part, len(part)) for part in own]
    even, more = divmod(k, len(modes))
    return [(part, even + (i >= len(modes) - more)) for i, part in enumerate(own)]
