"""Problems that one side gets right and the other wrong, drawn and shown in full: counted, not chosen."""

import numpy as np
import pandas as pd

from trove_lite import TroveLiteError, choose, load_problems
from trove_lite.programs import code_of, recorded_sources
from trove_lite_analysis.sides import Comparison

from ..tables import name_table
from .two_sides import PRIMITIVE, SIDES, SKIP_POOL, TROVE

UNIT = ["category", "problem", "seed"]


def differ(comparison: Comparison, *, number: int = 10, seed: int = 0) -> tuple[pd.DataFrame, str]:
    """The problems on which TROVE and PRIMITIVE differ in being right by one-stage agreement, in runs of one seed.

    By category and seed, how many problems; and `number` of those on which they differ, drawn by `seed`, in full.
    """
    chosen = {}
    for side in SIDES:
        own = comparison[side][comparison[side]["method"] != SKIP_POOL]
        own = choose(own, "one_stage") if len(own) else own
        chosen[side] = own.astype({"category": str}).drop_duplicates(UNIT).set_index(UNIT)
    right = pd.DataFrame(
        {side: part["correct"].fillna(False).astype(bool) for side, part in chosen.items()}
    )
    right = right.dropna().astype(bool)
    both = right.all(axis=1)
    neither = ~right.any(axis=1)
    kinds = {
        "both": both,
        f"{TROVE} alone": right[TROVE] & ~both,
        f"{PRIMITIVE} alone": right[PRIMITIVE] & ~both,
    }
    counts = pd.DataFrame({**kinds, "neither": neither}).groupby(["category", "seed"]).sum()
    counts = counts.assign(problems=counts.sum(axis=1)).reset_index()
    apart = right.index[(~both & ~neither).to_numpy()]
    places = np.random.default_rng(seed).choice(
        len(apart), size=min(number, len(apart)), replace=False
    )
    drawn = [apart[place] for place in sorted(places)]
    texts = [
        in_full(comparison.dataset, unit, {side: chosen[side].loc[unit] for side in SIDES})
        for unit in drawn
    ]
    note = (
        "no problem on which the two sides differ"
        if len(right)
        else "no category and seed that both sides have"
    )
    table = name_table(counts, "differ", "Where the two differ", comparison.title, note=note)
    return table, "\n\n".join(texts) or note


def in_full(dataset: str, unit: tuple, chosen: dict[str, pd.Series]) -> str:
    category, problem, seed = unit
    try:
        (asked,) = [one for one in load_problems(dataset, category) if one.index == problem]
        question = asked.question.text
        gold = asked.gold
    except (TroveLiteError, ValueError):
        question = "(the data set is not at hand)"
        gold = "(not at hand)"
    level = next(iter(chosen.values()))["level"]
    parts = [
        f"== {category} {problem}{level and f', level {level}'}, seed {seed}; right answer {gold}\n{question}"
    ]
    for side, row in chosen.items():
        program = "(these runs keep no text)"
        if "solution" in row:
            program = "\n".join([*recorded_sources(row["tools"]), code_of(row["solution"])])
        verdict = "wrong" if pd.isna(row["correct"]) or not row["correct"] else "right"
        answer = "no answer" if pd.isna(row["answer"]) else row["answer"]
        parts.append(f"-- {side} ({row['mode']}), {verdict}: {answer}\n{program}")
    return "\n\n".join(parts)
