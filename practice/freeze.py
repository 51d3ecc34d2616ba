"""Write the data sets `practice`, `practice_tables`, `bbh_made` and `scenes` again: JSON lines, a problem each, and
the tables.

    python -m practice.freeze

Runs are comparable only while these files stay as they are; `tests/practice/test_practice.py` makes them again and
compares.
"""

import argparse
import json
from collections.abc import Iterable
from pathlib import Path

from . import scenes
from .latm_tasks import MAKERS
from .problems import CATEGORIES, items
from .table_questions import NAME, TABLES, about, made_table, questions_about

MADE = 246  # of each of LATM's tasks that are made anew: six are labelled, 240 tested
PACKAGED = Path(__file__).parent.parent / "trove_lite" / "datasets"


def freeze(folder: Path) -> None:
    """Write a file a data set and the folder of tables into `folder`."""
    _write(folder / "practice.jsonl", _problems())
    (folder / NAME).mkdir(exist_ok=True)
    for number in range(TABLES):
        (folder / NAME / f"{number}.tsv").write_text(made_table(number).text(), encoding="utf-8")
    _write(folder / f"{NAME}.jsonl", _table_problems())
    _write(folder / "bbh_made.jsonl", _latm_problems())
    for name, text in scenes.files().items():
        (folder / name).write_text(text, encoding="utf-8")


def _problems() -> Iterable[dict]:
    for category in CATEGORIES:
        for item in items("test", category):
            answer = float(item.answer)
            yield {"category": category, "question": item.question, "answer": answer, "level": str(item.level)}


def _table_problems() -> Iterable[dict]:
    for number in range(TABLES):
        file = f"{NAME}/{number}.tsv"
        for asked in questions_about(number):
            level = "text" if isinstance(asked.gold, str) else "number"
            shown = {"question": asked.text, "context": about(made_table(number), f"data/{file}")}
            yield {"category": NAME, **shown, "answer": asked.gold, "level": level, "files": [file]}


def _latm_problems() -> Iterable[dict]:
    for category, make in MAKERS.items():
        for seed in range(MADE):
            yield {"category": category} | dict(zip(("question", "answer"), make(seed), strict=True))


def _write(path: Path, problems: Iterable[dict]) -> None:
    path.write_text("".join(json.dumps(problem) + "\n" for problem in problems), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=PACKAGED, help="folder (default: that of the data sets)")
    freeze(parser.parse_args().out)
