"""WikiTableQuestions' test set (Pasupat and Liang 2015), from the official release.

Not from TroVE's copy, some of whose tables programs overwrote. A question shows a preview of its
table, as TroVE's program chooses it; programs open the table itself. Golds carry the numbers and
dates that the release gives besides.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from trove_lite.datasets.base import Dataset, Problem, numbered
from trove_lite.datasets.files import pinned_file
from trove_lite.judge.answers import is_one_of, read_compared, read_text

NAME = "wtq"
QUESTIONS = "data/pristine-unseen-tables.tsv"
#: The same questions with what CoreNLP made of them: the kind of each answer, and its numbers and
#: dates.
TAGGED = "tagged/data/pristine-unseen-tables.tagged"
KINDS = ("number", "string", "date", "mixed")
#: Where a program finds a table: the folder of TroVE's copy before the path within the release.
OPENED_BELOW = "data/wtq/"
SHOWN = 3  # columns and rows that are most like the question; the first column and row come along


def load(category: str) -> tuple[Problem, ...]:
    """The 4,344 problems. Raises TroveLiteError for a missing or altered file."""
    tags = {entry["id"]: entry for entry in read_fields(pinned_file(NAME, TAGGED))}
    tables = {}
    rows = []
    for entry in read_fields(pinned_file(NAME, QUESTIONS)):
        path = entry["context"].removesuffix(".csv") + ".tsv"
        tag = tags[entry["id"]]
        if path not in tables:
            file = pinned_file(NAME, path)
            tables[path] = file, [[cell.strip() for cell in row] for row in rows_of(file)]
        file, table = tables[path]
        shown = f"File: {OPENED_BELOW}{path}\nPreview: {preview(entry['utterance'], table)}"
        gold = {
            "values": unescaped(entry["targetValue"]),
            "canonical": unescaped(tag["targetCanon"]),
        }
        rows.append(
            (entry["utterance"], gold, tag["targetCanonType"], shown, {OPENED_BELOW + path: file})
        )
    return numbered(NAME, category, rows)


def read_fields(path: Path) -> Iterator[dict[str, str]]:
    """Each row's fields by name, as the header says them."""
    names, *rows = rows_of(path)
    return (dict(zip(names, cells, strict=True)) for cells in rows)


def rows_of(path: Path) -> list[list[str]]:
    """The rows of a file of tab-separated values: its lines, cells with their escapes."""
    return [
        line.split("\t") for line in path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    ]


def unescaped(target: str) -> list[str]:
    r"""The values of a field that holds several, "|" between them; within one, `\n`, `\p` and `\\`
    are escapes."""
    escapes = {r"\n": "\n", r"\p": "|", r"\\": "\\"}
    return [
        re.sub(r"\\[np\\]", lambda found: escapes[found[0]], value) for value in target.split("|")
    ]


def preview(question: str, table: Sequence[Sequence[str]]) -> str:
    """The columns and rows most like the question, in markdown, as TroVE's program picks them. Its
    "unigram F1" counts letters, where the paper says words; a row scores as its best cell. Three
    columns and three rows, and the first of each in any case. Among equals the later one wins,
    where TroVE's sort was unstable. The rule below the header has two blanks, as the released
    program writes it."""
    header, *rows = table
    columns = most_alike([likeness(question, cell) for cell in header])
    chosen = most_alike([max(likeness(question, cell) for cell in row) for row in rows])
    head, *lines = (
        f"| {' | '.join(row[i] for i in columns)} |" for row in (header, *(rows[i] for i in chosen))
    )
    return "\n".join([head, "| " + " --- |" * len(columns), *lines])


def most_alike(scores: Sequence[float]) -> list[int]:
    """Of the highest scores the places, in order, and 0 before them."""
    return sorted({0, *np.argsort(scores, kind="stable")[-SHOWN:].tolist()})


def likeness(question: str, text: str) -> float:
    """The F1 of the letters that a question shares with a text."""
    asked = letter_counts(question)
    letters = letter_counts(text)
    same = sum(min(count, asked[letter]) for letter, count in letters.items() if letter in asked)
    precision = same / max(1, asked.total())
    recall = same / max(1, letters.total())
    return same and 2 * precision * recall / (precision + recall)


@lru_cache(maxsize=1 << 17)
def letter_counts(text: str) -> Counter:
    return Counter(" ".join(re.sub(r"\b(a|an|the)\b", " ", text.lower()).split()))


def released_is_correct(answers: Sequence[str], gold: dict) -> bool:
    """TroVE's rule: what was printed is one of the gold values; so one of several is enough, and
    all are too many."""
    return is_one_of(answers, gold["values"])


def counted(votes: str) -> Dataset:
    """`wtq?votes=released`: votes are for what was printed, letter by letter, as TroVE's program
    counts them. Here numbers of one value are else one answer."""
    if votes != "released":
        raise ValueError(votes)
    return replace(WTQ, name=f"{NAME}?votes=released", like=NAME, read=read_compared)


GIVEN = ("import pandas as pd",)
WTQ = Dataset(
    NAME,
    "WTQ",
    (NAME,),
    load,
    read_text,
    released_is_correct,
    KINDS,
    given=GIVEN,
    by="type of answer",
    options=counted,
    logged=f"\nFile: {OPENED_BELOW}",
)
