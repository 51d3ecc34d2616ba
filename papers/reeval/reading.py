"""Problems that one side gets right and the other wrong, drawn and shown in full: counted, not chosen."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.analysis.choose import choose
from trove_lite.analysis.sides import Comparison
from trove_lite.datasets import load_problems
from trove_lite.errors import TroveLiteError
from trove_lite.programs import code_of, recorded_sources

from .. import named
from .two_sides import PRIMITIVE, SIDES, TROVE, source

UNIT = ["category", "problem", "seed"]


class Differ(NamedTuple):
    """`counts`: by category and seed, on how many problems both, one, or neither is right. `drawn`: the two answers to
    each problem drawn, a row each, with the program behind them where the runs keep text."""

    counts: pd.DataFrame
    drawn: pd.DataFrame


def differ(comparison: Comparison, *, rule: str = "one_stage", number: int = 10, seed: int = 0) -> Differ:
    """The problems on which TROVE and PRIMITIVE differ in being right by `rule`, in runs of the same seed.

    Of these `number` are drawn at random by `seed`, all being equally likely. What stands in for PRIMITIVE has no seed,
    so categories without PRIMITIVE are left out.
    """
    chosen = {side: _chosen(comparison, side, rule) for side in SIDES}
    right = pd.DataFrame({side: part["correct"].fillna(False).astype(bool) for side, part in chosen.items()})
    right = right.dropna().astype(bool)
    both, neither = right.all(axis=1), ~right.any(axis=1)
    kinds = {"both": both, f"{TROVE} alone": right[TROVE] & ~both, f"{PRIMITIVE} alone": right[PRIMITIVE] & ~both}
    counts = pd.DataFrame({**kinds, "neither": neither}).groupby(["category", "seed"]).sum()
    counts = counts.assign(problems=counts.sum(axis=1)).reset_index()
    apart = right.index[(~both & ~neither).to_numpy()]
    places = np.random.default_rng(seed).choice(len(apart), size=min(number, len(apart)), replace=False)
    units = [apart[place] for place in sorted(places)]
    rows = [_row(comparison.dataset, unit, side, chosen[side].loc[unit]) for unit in units for side in SIDES]
    note = "no problem on which the two sides differ" if len(right) else "no category and seed that both sides have"
    return Differ(
        named(counts, "differ", "Where the two differ", comparison.title, note=note),
        named(pd.DataFrame(rows), "differ_drawn", "Problems drawn", comparison.title, note=note),
    )


def _chosen(comparison: Comparison, side: str, rule: str) -> pd.DataFrame:
    """The candidate that a side selects for each problem and seed."""
    frame = comparison[side]
    own = [category for category in frame["category"].unique() if source(comparison, side, category) == side]
    frame = frame[frame["category"].isin(own)]
    found = choose(frame, rule) if len(frame) else frame
    return found.astype({"category": str}).drop_duplicates(UNIT).set_index(UNIT)


def _row(dataset: str, unit: tuple, side: str, chosen: pd.Series) -> dict:
    try:
        (problem,) = [one for one in load_problems(dataset, unit[0]) if one.index == unit[1]]
        asked = {"question": problem.question.text, "gold": str(problem.gold)}
    except (TroveLiteError, ValueError):
        asked = {"question": "(the data set is not at hand)", "gold": "(not at hand)"}
    program = "(these runs keep no text)"
    if "solution" in chosen:
        program = "\n".join([*recorded_sources(chosen["tools"]), code_of(chosen["solution"])])
    answer = "no answer" if pd.isna(chosen["answer"]) else chosen["answer"]
    right = bool(chosen["correct"]) if not pd.isna(chosen["correct"]) else False
    row = dict(zip(UNIT, unit, strict=True)) | {"level": chosen["level"]} | asked
    row |= {"side": side, "mode": chosen["mode"], "right": right}
    return row | {"answer": answer, "program": program}


def in_full(drawn: pd.DataFrame) -> str:
    """The problems of `differ`, each with the answer and program of either side, as a text to read."""
    parts = []
    for (category, problem, seed), pair in [] if drawn.empty else drawn.groupby(UNIT, sort=False):
        first = pair.iloc[0]
        level = f", level {first['level']}" if first["level"] else ""
        parts.append(f"== {category} {problem}{level}, seed {seed}; right answer {first['gold']}\n{first['question']}")
        for row in pair.itertuples():
            parts.append(
                f"-- {row.side} ({row.mode}), {'right' if row.right else 'wrong'}: {row.answer}\n{row.program}"
            )
    return "\n\n".join(parts) or drawn.attrs["note"]
