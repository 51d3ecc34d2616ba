"""TabMWP's free-text problems with numeric answers, as CREATOR and TroVE released them (Lu et al.
2023).

The table is in the question's context; programs read no file. Tables may be split by school
grade.
"""

from trove_lite.datasets.base import Dataset, Problem, after_labelled, numbered
from trove_lite.datasets.files import pinned_records
from trove_lite.judge.answers import number_is_correct, read_numbers

NAME = "tabmwp"
FILE = "data/tableqa/tabmwp.jsonl"
GRADES = ("1", "2", "3", "4", "5", "6", "7", "8")


def load(category: str) -> tuple[Problem, ...]:
    """The 5,376 problems. Raises TroveLiteError for a missing or altered file."""
    entries = pinned_records(NAME, FILE)
    rows = (
        (e["question"], float(e["answer"]), str(e["level"]), table_text(e["table"]))
        for e in entries
    )
    return numbered(NAME, category, rows)


def table_text(table: str) -> str:
    """A table as TroVE shows it: its rows in markdown, after the lines (name, unit) before
    the first row. The released program writes two blanks in the rule below the header, and
    keeps blanks at the ends of rows."""
    lines = table.split("\n")
    first = next(i for i, line in enumerate(lines) if "|" in line)
    header, *rows = (f"| {line} |" for line in lines[first:])
    rule = "| " + " --- |" * (lines[first].count("|") + 1)
    return "\n".join([*lines[:first], header, rule, *rows])


TABMWP = Dataset(
    NAME,
    "TabMWP",
    (NAME,),
    load,
    read_numbers,
    number_is_correct,
    GRADES,
    given=("import pandas as pd",),
    by="school grade",
    logged="\n**Table**\nName: ",
)

#: For methods that see labelled problems, and for those that are set beside them.
LABELLED = after_labelled(TABMWP)
