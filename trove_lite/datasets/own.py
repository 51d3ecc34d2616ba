"""Your own problems: a JSON-lines file as a data set, checked line by line.

A line has `question` and `answer` (a number, a text, or a list of such, each of them right), and
may have `category`, `level` and `id`. The strict grader (`judge`) judges each problem by itself;
the papers' grader judges by the number rule of `answers` where every answer of the file is a
number, else by its text rule.
"""

import json
import math
import re
from collections.abc import Callable
from pathlib import Path

from ..errors import DamagedFile
from ..journal import text_of
from ..judge.answers import (
    NUMBER,
    normalised,
    number_is_correct,
    read_last_line,
    read_numbers,
    text_is_correct,
)
from ..judge.strict import is_right
from ..judge.values import read_answer, value_of
from ..judge.votes import named
from ..shapes import once
from .base import Dataset, Problem, Question

#: Part of a file's name in a run folder, and none that tables have for several categories.
CATEGORY = re.compile(r"(?!(?:all|covered)$)[\w.-][\w .-]{,99}")
WITHOUT = "problems"
LONGEST_LEVEL = 100  # characters
JUDGED = {
    "strict": "strictly, by value, as votes are counted (docs/datasets.md; --grader papers: the first number printed)",
    "numbers": "by the papers' rule: the first number printed, rounded to two decimals",
    "texts": "by the last line printed, numbers rounded to two decimals, for some answers are texts",
}
SOLUTION = "####"  # before the answer, where it is a worked one, as GSM8K's are
LARGEST = 2**53  # whole numbers above are texts to the strict grader, which floats would round


def read_dataset(path: str | Path, grader: str = "strict") -> Dataset:
    """The data set in a file, named as the file is without its folder, judged by the grader strict
    or papers."""
    path = Path(path)
    entries = _entries(path, grader)
    if not entries:
        raise DamagedFile(
            f"{path}: no problems; give a line of JSON a problem, with `question` and `answer`"
        )
    problems: dict[str, list[Problem]] = {}
    for entry in entries:
        found = problems.setdefault(entry["category"], [])
        question = Question(path.name, entry["category"], len(found), entry["question"])
        found.append(Problem(question, entry["answer"], entry["level"]))
    golds = [entry["answers"] for entry in entries]
    if grader == "strict":
        rule = "strict"
        read = read_answer
        correct = is_right
    elif all(isinstance(one, float) for several in golds for one in several):
        rule = "numbers"
        read = read_numbers
        correct = any_of(number_is_correct)
    else:
        rule = "texts"
        read = read_last_line
        correct = any_of(text_is_correct)
    texts = sum(
        any(isinstance(one, str) and value_of(one) is None for one in several) for several in golds
    )
    levels = {entry["level"] for entry in entries} - {""}  # numbers by size, then words by letter
    levels = sorted(
        levels, key=lambda level: (0, int(level), "") if level.isdecimal() else (1, 0, level)
    )
    return Dataset(
        name=path.name,
        title=path.stem,
        categories=tuple(problems),
        load=lambda category: tuple(problems[category]),
        read=read,
        correct=correct,
        levels=tuple(levels),
        named=named if rule == "strict" else None,
        judged=JUDGED[rule] + (f"; {texts} of {len(golds)} answers are texts" if texts > 0 else ""),
    )


def any_of(correct: Callable) -> Callable:
    """A rule for one gold answer → the same for several, of which any is right."""
    return lambda answers, gold: any(
        correct(answers, one) for one in (gold if isinstance(gold, list) else [gold])
    )


def _entries(path: Path, grader: str) -> list[dict]:
    entries = []
    ids = {}
    golds = {}
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        if line.strip():
            try:
                entry = _entry(line, grader)
                first = ids.setdefault(str(entry["id"]), number) if "id" in entry else number
                if first != number:
                    raise ValueError(f"id '{entry['id']}' is that of line {first}; give it once")
                asked = entry["category"], entry["question"]
                first, gold = golds.setdefault(asked, (number, entry["answer"]))
                if gold != entry["answer"]:
                    raise ValueError(
                        f"asks what line {first} asks, with another answer; keep the right one"
                    )
                entries.append(entry)
            except (ValueError, RecursionError) as error:
                raise DamagedFile(f"{path}, line {number}: {error}") from error
    return entries


def _entry(line: str, grader: str) -> dict:
    """One line's fields, `answer` a float, a text, or a list of them, as `answers` always is.
    Raises ValueError for one of another type."""
    asked = "give an object with `question` and `answer`"
    try:
        entry = json.loads(line, object_pairs_hook=once)
    except (json.JSONDecodeError, RecursionError) as error:
        raise ValueError(f"not JSON ({error}); {asked}") from error
    if not isinstance(entry, dict):
        raise ValueError(f"not an object; {asked}")
    level = entry.get("level", "")
    category = entry.get("category", WITHOUT)
    given = entry.get("answer")
    golds = [_gold(one, grader) for one in (given if isinstance(given, list) else [given])]
    if not _is_text(entry.get("question")):
        raise ValueError(
            f"field 'question' is missing or no text (its fields: {', '.join(entry)[:80] or 'none'}); "
            "give the question"
        )
    if (
        isinstance(level, bool)
        or not isinstance(level, int | str)
        or len(str(level)) > LONGEST_LEVEL
    ):
        raise ValueError(
            f"field 'level' is {json.dumps(level)[:40]}; give a text or a whole number"
        )
    if not isinstance(category, str) or not CATEGORY.fullmatch(category):
        raise ValueError(
            f"category {json.dumps(category)[:120]}; use letters, digits, spaces, dots, dashes; "
            "'all' and 'covered' name several categories"
        )
    if not golds or None in golds:
        raise ValueError(
            "field 'answer' is missing, or no number or text; give one of them, or a list"
        )
    return entry | {
        "answer": golds if isinstance(given, list) else golds[0],
        "answers": golds,
        "level": str(level),
        "category": category,
    }


def _gold(answer: object, grader: str) -> float | str | None:
    """One answer: a finite float where it is a number, else a text; None for what is neither."""
    if grader == "strict" and isinstance(answer, str):
        answer = answer.rpartition(SOLUTION)[2].strip()
    if isinstance(answer, bool):
        return str(answer).lower() if grader == "strict" else None
    if isinstance(answer, int | float) or (_is_text(answer) and NUMBER.fullmatch(answer.strip())):
        value = float(str(answer))  # of a whole number too long for a float: infinity
        if not abs(value) < math.inf:
            return None
        return str(answer).strip() if grader == "strict" and abs(value) >= LARGEST else value
    return str(answer) if _is_text(answer) and normalised(answer) else None


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
