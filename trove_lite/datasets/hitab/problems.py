"""HiTab's test set (Cheng et al. 2022), as TroVE released it: questions about tables with hierarchical headers.

Programs read a table with `parse_table` from `utils.py`, which is laid beside them; a question shows the first rows.
"""

import json
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from ..answers import is_correct, read_numbers
from ..base import Dataset, Problem, numbered
from ..files import pinned_file, pinned_records
from ..text_answers import is_one_of, normal_text, plain_text, printed, printed_items, read_text

NAME = "hitab"
FILE = "data/tableqa/hitab.jsonl"
TABLES = "data/hitab/tables/hmt/"
SOURCES = ("statcan", "totto", "nsf")
#: Lines of the file, from 0, that TroVE leaves out: the ten whose table has more or fewer headers than data, so that
#: `parse_table` gives none. Each has a table to itself.
LEFT_OUT = frozenset({211, 489, 545, 885, 889, 954, 961, 962, 1463, 1509})
#: What programs import `parse_table` from.
UTILS = Path(__file__).with_name("utils.py")
GIVEN = ("import pandas as pd", "from numpy import nan", "from utils import parse_table")


def load(category: str) -> tuple[Problem, ...]:
    """The 1,574 problems. Raises TroveLiteError for a missing or altered file.

    `sub_sentence`, which tells the answer, is not read. Tables come from the data folder.
    """
    rows = []
    for line, entry in enumerate(pinned_records(NAME, FILE)):
        if line not in LEFT_OUT:
            file = pinned_file(NAME, name := f"{TABLES}{entry['table_id']}.json")
            files = {name: file, UTILS.name: UTILS}
            rows.append((entry["question"], entry["answer"], entry["table_source"], shown(file, name), files))
    return numbered(NAME, category, rows)


@lru_cache(maxsize=1024)
def shown(file: Path, name: str) -> str:
    """A table as TroVE shows it: its file, its title, and its first five rows in markdown."""
    from .utils import parse_table  # brings pandas

    title = json.loads(file.read_text(encoding="utf-8"))["title"]
    return f"File: {name}\nPreview: {title}\n{parse_table(str(file)).head().to_markdown()}"


def released_is_correct(answers: Sequence[str], gold: Sequence[object]) -> bool:
    """TroVE's rule: some gold value fits. A float fits the first number printed, anything else all that was printed.

    A gold integer is text there: 12.0 is wrong where it is 12. Of several gold values one is enough.
    """
    if not answers:
        return False
    text = printed(answers)
    first = next(iter(read_numbers(text)), None)
    return any(
        is_correct(first, value) if isinstance(value, float) else is_one_of(text, [str(value)]) for value in gold
    )


def score_is_correct(answers: Sequence[str], gold: Sequence[object]) -> bool:
    """HiTab's own rule (`hmt_score`), on the items that were printed: numbers to 1e-5, texts normalised, in order."""
    found = [scored(item) for item in printed_items(printed(answers))]
    wanted = [scored(value) for value in gold]
    return len(found) == len(wanted) and all(map(_same, found, wanted))


def scored(value: object) -> float | str:
    """A value as HiTab compares it: a number where text is one, even in parentheses, with commas or a percent sign."""
    if not isinstance(value, str):
        return float(value)
    text = value.strip().lower()
    try:
        return float(text.removeprefix("(")[: -1 if text[-1:] in ("%", ")") else None].replace(",", ""))
    except ValueError:
        return normal_text(text)


def _same(found: float | str, wanted: float | str) -> bool:
    if isinstance(found, float) and isinstance(wanted, float):
        return abs(found - wanted) < 1e-5
    return found == wanted


def released_votes(output: str, gold: Sequence[object]) -> list[str]:
    """What a successful program votes with in TroVE's program, which lets the gold answer decide.

    All numbers printed, where the last gold value that it looked at is a float; else the text.
    """
    looked_at = gold[-1]
    for value in gold:
        if released_is_correct([output.strip()], [value]):
            looked_at = value
            break
    return read_numbers(output) if isinstance(looked_at, float) else [plain_text(output)]


HITAB = Dataset(
    NAME,
    "HiTab",
    (NAME,),
    load,
    read_text,
    released_is_correct,
    SOURCES,
    given=GIVEN,
    other_rules={"HiTab's own": score_is_correct},
    released_votes=released_votes,
    by="source of the table",
)
