"""What the essay of strong models says first."""

import pandas as pd

from trove_lite_analysis import Sentence
from trove_lite_analysis.differences import points

from . import tables

#: In the sentence: a method, a model, and what it did beside what.
SAID = (
    (tables.TOOLS, "gpt-4o-mini-2024-07-18", "GPT-4o-mini with functions that it made"),
    (tables.TOOLS, "gpt-4o-2024-08-06", "GPT-4o"),
    ("cumulative", "claude-3-5-sonnet", "Claude 3.5 with a memory"),
    ("retrieval_synthesis", "claude-3-5-sonnet", "on equations of one kind"),
)


def said(marks: pd.DataFrame) -> Sentence:
    """The sentence, of the figure's table (`proved.marks`)."""
    ran = marks[~marks["matched"] & ~marks["placebo"]]
    parts = []
    for method, model, who in SAID:
        rows = ran[(ran["a"] == method) & (ran["model"] == model)]
        row = next(rows.sort_values("problems", ascending=False).itertuples())
        parts.append(f"{who} {points(row)} at {row.times:.1f} times, n = {row.problems}")
    words = f"Right problems with tools, less those without, by tokens spent: {'; '.join(parts)}."
    return Sentence(words)
