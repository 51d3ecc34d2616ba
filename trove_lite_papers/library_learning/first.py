"""What the essay of strong models says first, and all of its tables by the kit's own definitions."""

from collections.abc import Sequence

import pandas as pd

from trove_lite.candidates import name_table
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


def all_tables(
    talks: pd.DataFrame, proofs: pd.DataFrame, making: pd.DataFrame
) -> dict[str, pd.DataFrame]:
    """Every table by its file's name."""
    told = tables.differences(talks, making)
    by_attempts = proved.proof_differences(proofs)
    same_cost = tables.matched(talks, {"vote": tables.vote, "any": tables.any_right})
    found = {
        "marks": proved.marks(told, by_attempts, same_cost),
        "differences": told,
        "proof_differences": by_attempts,
        "matched": same_cost,
        "break_even": tables.breaks_even(talks, making, tables.pays),
        "called": tables.called(talks),
        "passed": tables.passed(talks),
        "overlap": tables.overlap(talks),
        "levels": tables.levels(talks),
        "verdicts": tables.verdicts(talks),
        "curves": proved.curves(proofs),
        "asked_twice": tables.asked_twice(talks),
    }
    return {name: name_table(table, name, name) for name, table in found.items()}


def beside(rows: Sequence[tuple[str, float, float]]) -> pd.DataFrame:
    """What others computed from the same logs, beside what is here, rounded as theirs is."""
    table = pd.DataFrame(rows, columns=["what", "elsewhere", "here"])
    digits = [1 if value % 1 else 0 for value in table["elsewhere"]]
    here = [round(value, n) for value, n in zip(table["here"], digits, strict=True)]
    return table.assign(here=here, same=table["elsewhere"] == here)
