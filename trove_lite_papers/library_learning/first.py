"""What the essay of strong models says first, by the kit's own definitions."""

import pandas as pd

from trove_lite_analysis import Sentence
from trove_lite_analysis.differences import points

from . import proved, tables

#: In the sentence: a model, its name, what it did beside what, and on what.
SAID = (
    (tables.AGENTS, "gpt-4o-mini-2024-07-18", "GPT-4o-mini with functions that it made"),
    (tables.AGENTS, "gpt-4o-2024-08-06", "GPT-4o"),
    (tables.MEMORY, "claude-3-5-sonnet", "Claude 3.5 with a memory"),
)


def answer(
    talks: pd.DataFrame, proofs: pd.DataFrame, making: pd.DataFrame
) -> tuple[Sentence, pd.DataFrame]:
    """What is said first, and the figure's table (`proved.marks`)."""
    marks = proved.marks(
        tables.differences(talks, making, verdicts=["ours"]),
        proved.proof_differences(proofs),
        tables.matched(talks, {"vote": tables.vote}, ks=[2], verdicts=["ours"]),
    )
    ran = marks[~marks["matched"] & ~marks["placebo"]]
    parts = []
    for study, model, words in SAID:
        rows = ran[(ran["study"] == study) & (ran["model"] == model)]
        row = next(rows.sort_values("problems", ascending=False).itertuples())
        parts.append(f"{words} {points(row)} at {row.times:.1f} times, n = {row.problems}")
    said = f"Right problems with tools, less those without, by tokens spent: {'; '.join(parts)}."
    return Sentence(said), marks
