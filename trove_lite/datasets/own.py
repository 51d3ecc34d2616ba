"""Your own problems: a JSON-lines file as a data set, checked line by line.

A line has `question` and `answer` (a number or a text), and may have `category`, `level` and `id`. Where every answer
is a number, outputs are read and judged by the number rule of `answers`, else by its text rule.
"""

import json
import math
import re
from pathlib import Path

from ..errors import DamagedFile
from .answers import NUMBER, normalised, number_is_correct, read_last_line, read_numbers, text_is_correct
from .base import Dataset, Problem, Question

CATEGORY = re.compile(r"[\w.-][\w .-]{,99}")  # part of a file's name in a run folder
WITHOUT = "problems"
LONGEST_LEVEL = 100  # characters


def read_dataset(path: str | Path) -> Dataset:
    """The data set in a file, named as the file is without its folder.

    Raises DamagedFile for a file that cannot be read or holds no problem, and for the first line that is not one.
    """
    path = Path(path)
    entries = _entries(path)
    if not entries:
        raise DamagedFile(f"{path}: no problems; give a line of JSON a problem, with `question` and `answer`")
    problems: dict[str, list[Problem]] = {}
    for entry in entries:
        found = problems.setdefault(entry["category"], [])
        question = Question(path.name, entry["category"], len(found), entry["question"])
        found.append(Problem(question, entry["answer"], entry["level"]))
    numbers = all(isinstance(entry["answer"], float) for entry in entries)
    levels = {entry["level"] for entry in entries} - {""}  # numbers by size, then words by letter
    levels = sorted(levels, key=lambda level: (0, int(level), "") if level.isdecimal() else (1, 0, level))
    return Dataset(
        name=path.name,
        title=path.stem,
        categories=tuple(problems),
        load=lambda category: tuple(problems[category]),
        read=read_numbers if numbers else read_last_line,
        correct=number_is_correct if numbers else text_is_correct,
        levels=tuple(levels),
    )


def _entries(path: Path) -> list[dict]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        raise DamagedFile(f"{path}: cannot be read ({error.strerror}); check the path") from error
    except UnicodeDecodeError as error:
        raise DamagedFile(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    entries, ids = [], {}
    for number, line in enumerate(lines, start=1):
        if line.strip():
            entry = _entry(line, f"{path}, line {number}")
            first = ids.setdefault(json.dumps(entry["id"]), number) if "id" in entry else number
            if first != number:
                raise DamagedFile(f"{path}, line {number}: id '{entry['id']}' is that of line {first}; give it once")
            entries.append(entry)
    return entries


def _entry(line: str, where: str) -> dict:
    """One line's fields, each of the type it should have; `answer` a float or a text."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{where}: not JSON ({error}); give an object with `question` and `answer`") from error
    if not isinstance(entry, dict):
        raise DamagedFile(f"{where}: not an object; give one with `question` and `answer`")
    if not _is_text(entry.get("question")):
        raise DamagedFile(f"{where}: field 'question' is missing or no text; give the question")
    level, category = entry.get("level", ""), entry.get("category", WITHOUT)
    if isinstance(level, bool) or not isinstance(level, int | str) or len(str(level)) > LONGEST_LEVEL:
        raise DamagedFile(f"{where}: field 'level' is {json.dumps(level)[:40]}; give a text or a whole number")
    if not isinstance(category, str) or not CATEGORY.fullmatch(category):
        raise DamagedFile(
            f"{where}: category {json.dumps(category)[:120]}; use letters, digits, spaces, dots, dashes: it names files"
        )
    return entry | {"answer": _gold(entry.get("answer"), where), "level": str(level), "category": category}


def _gold(answer: object, where: str) -> float | str:
    number = isinstance(answer, int | float) and not isinstance(answer, bool)
    if number or (_is_text(answer) and NUMBER.fullmatch(answer.strip())):
        value = float(str(answer))  # of a whole number too long for a float: infinity
        value = value if abs(value) < math.inf else None
    else:
        value = answer if _is_text(answer) and normalised(answer) else None
    if value is None:
        raise DamagedFile(f"{where}: field 'answer' is missing, or no number or text; give one of them")
    return value


def _is_text(value: object) -> bool:
    return isinstance(value, str) and bool(value.strip())
