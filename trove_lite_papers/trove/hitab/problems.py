"""HiTab's test set (Cheng et al. 2022), as TroVE released it: questions about tables with
hierarchical headers.

Programs read a table with `parse_table` from `utils.py`, which is laid beside them; a question
shows the first rows.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path

from trove_lite.datasets.base import Dataset, Problem, numbered
from trove_lite.datasets.files import pinned_file, pinned_records
from trove_lite.judge.answers import (
    first_number,
    graded,
    is_correct,
    is_one_of,
    printed,
    read_compared,
    read_numbers,
    read_text,
)
from trove_lite.judge.canonical import as_number

NAME = "hitab"
FILE = "data/tableqa/hitab.jsonl"
TABLES = "data/hitab/tables/hmt/"
SOURCES = ("statcan", "totto", "nsf")
#: Lines of the file, from 0, that TroVE leaves out: the ten whose table has more or fewer headers
#: than data, so that `parse_table` gives none. Each has a table to itself.
LEFT_OUT = frozenset({211, 489, 545, 885, 889, 954, 961, 962, 1463, 1509})
#: What programs import `parse_table` from.
UTILS = Path(__file__).with_name("utils.py")
GIVEN = ("import pandas as pd", "from numpy import nan", "from utils import parse_table")


def load(category: str) -> tuple[Problem, ...]:
    """The 1,574 problems. `sub_sentence`, which tells the answer, is not read."""
    rows = []
    for line, entry in enumerate(pinned_records(NAME, FILE)):
        if line not in LEFT_OUT:
            file = pinned_file(NAME, name := f"{TABLES}{entry['table_id']}.json")
            files = {name: file, UTILS.name: UTILS}
            rows.append(
                (
                    entry["question"],
                    entry["answer"],
                    entry["table_source"],
                    shown(file, name),
                    files,
                )
            )
    return numbered(NAME, category, rows)


@lru_cache(maxsize=1024)
def shown(file: Path, name: str) -> str:
    """A table as TroVE shows it: its file, its title, and its first five rows in markdown."""
    from .utils import parse_table  # brings pandas

    title = json.loads(file.read_text(encoding="utf-8"))["title"]
    return f"File: {name}\nPreview: {title}\n{parse_table(str(file)).head().to_markdown()}"


def released_is_correct(answers: Sequence[str], gold: Sequence[object]) -> bool:
    """TroVE's rule: some gold value fits, a float the first number printed, anything else all that
    was printed."""
    first = first_number(printed(answers))
    if any(is_correct(first, value) for value in gold if isinstance(value, float)):
        return True
    return is_one_of(answers, [str(value) for value in gold if not isinstance(value, float)])


def counted(votes: str) -> Dataset:
    """`hitab?votes=released`: votes as TroVE's program counts them. It reads what was printed by
    the gold answer's type: of a float the numbers, else the whole text. So a vote knows a little of
    gold."""
    if votes != "released":
        raise ValueError(votes)
    how = {"read": read_compared, "read_for": read_by_gold, "correct": is_right_as_read}
    return replace(HITAB, name=f"{NAME}?votes=released", like=NAME, **how)


@cache
def golds() -> dict[str, list]:
    """The gold values by question. Where two have one question, their types are the same."""
    return {problem.question.text: problem.gold for problem in load(NAME)}


def read_by_gold(output: str, question: str) -> list[str]:
    """The answers of `is_exec_correct` in `utils/eval.py`: as the first gold value wants them that
    they are right for, else as the last wants them."""
    answers = []
    for value in golds().get(question, [""]):
        answers = read_numbers(output) if isinstance(value, float) else read_compared(output)
        if is_right_as_read(answers, [value]):
            break
    return answers


def is_right_as_read(answers: Sequence[str], gold: Sequence[object]) -> bool:
    """Whether answers that were so read are right."""
    first = graded(answers)
    number = first if first and as_number(first) is not None else None
    floats = [value for value in gold if isinstance(value, float)]
    if any(is_correct(number, value) for value in floats):
        return True
    return is_one_of(answers, [str(value) for value in gold if not isinstance(value, float)])


HITAB = Dataset(
    NAME,
    "HiTab",
    (NAME,),
    load,
    read_text,
    released_is_correct,
    SOURCES,
    given=GIVEN,
    by="source of the table",
    options=counted,
    logged=f"\nFile: {TABLES}",
)
