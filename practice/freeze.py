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
ROOT = Path(__file__).parent.parent
DATASETS, LATM, IMAGES = "trove_lite/datasets", "trove_lite_papers/latm", "trove_lite_papers/images"


def freeze(folder: Path) -> None:
    """Write a file a data set and the folder of tables, in the packages' folders in `folder`."""
    for place in (f"{DATASETS}/{NAME}", LATM, IMAGES):
        (folder / place).mkdir(parents=True, exist_ok=True)
    _write(folder / DATASETS / "practice.jsonl", _problems())
    for number in range(TABLES):
        (folder / DATASETS / NAME / f"{number}.tsv").write_text(
            made_table(number).text(), encoding="utf-8"
        )
    _write(folder / DATASETS / f"{NAME}.jsonl", _table_problems())
    _write(folder / LATM / "bbh_made.jsonl", _latm_problems())
    for name, text in scenes.files().items():
        (folder / IMAGES / name).write_text(text, encoding="utf-8")


def _problems() -> Iterable[dict]:
    for category in CATEGORIES:
        for item in items("test", category):
            answer = float(item.answer)
            yield {
                "category": category,
                "question": item.question,
                "answer": answer,
                "level": str(item.level),
            }


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
            yield {"category": category} | dict(
                zip(("question", "answer"), make(seed), strict=True)
            )


def _write(path: Path, problems: Iterable[dict]) -> None:
    path.write_text("".join(json.dumps(problem) + "\n" for problem in problems), encoding="utf-8")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=ROOT, help="folder (default: this checkout)")
    freeze(parser.parse_args().out)
