"""Practice problems and questions about practice tables: data sets of our own that need no
download.

420 problems in seven categories, levels 1 to 5, numeric answers; 60 questions about twelve made
tables, which ask for a number or a text. The practice model was trained on other such problems
(docs/shelf.md).
"""

from functools import partial
from pathlib import Path

from ..judge.answers import number_is_correct, read_last_line, read_numbers, text_is_correct
from .base import Dataset, Problems, after_labelled, numbered
from .files import packaged

FOLDER = Path(__file__).parent
CATEGORIES = (
    "algebra",
    "counting",
    "geometry",
    "intermediate",
    "number",
    "prealgebra",
    "precalculus",
)


def load(dataset: str, category: str) -> Problems:
    rows = (
        (
            e["question"],
            e["answer"],
            e["level"],
            e.get("context", ""),
            {f"data/{file}": FOLDER / file for file in e.get("files", ())},
        )
        for e in packaged(dataset)
        if e["category"] == category
    )
    return numbered(dataset, category, rows)


LEVELS = ("1", "2", "3", "4", "5")
PRACTICE = Dataset(
    "practice",
    "the practice problems",
    CATEGORIES,
    partial(load, "practice"),
    read_numbers,
    number_is_correct,
    LEVELS,
    model="practice",
)
#: For methods that see labelled problems, and for those that are set beside them.
LABELLED = after_labelled(PRACTICE)
PRACTICE_TABLES = Dataset(
    "practice_tables",
    "practice tables",
    ("practice_tables",),
    partial(load, "practice_tables"),
    read_last_line,
    text_is_correct,
    ("number", "text"),
    given=("import pandas as pd",),
    by="type of answer",
    model="practice",
)
