"""MATH's problems with numeric answers, as TroVE released them (TroVE, Table 1)."""

import json
from pathlib import Path

from ..errors import TroveLiteError
from .base import Problem

MATH_FILES = {
    "algebra": "algebra",
    "counting": "counting_and_probability",
    "geometry": "geometry",
    "intermediate": "intermediate_algebra",
    "number": "number_theory",
    "prealgebra": "prealgebra",
    "precalculus": "precalculus",
}

CATEGORIES = tuple(MATH_FILES)

FIELDS = {"question": str, "answer": (int, float), "level": str}


def read_problems(path: Path, dataset: str, category: str) -> tuple[Problem, ...]:
    """Parse one JSON-lines file of `question`, `answer` and `level` ("Level 1" to "Level 5")."""
    problems = []
    lines = path.read_text(encoding="utf-8").removesuffix("\n").split("\n")
    for number, line in enumerate(lines, start=1):
        where = f"{path}, line {number}"
        remedy = "delete the file and run `trove-lite fetch math`"
        try:
            entry = json.loads(line)
        except json.JSONDecodeError as error:
            raise TroveLiteError(f"{where}: not JSON ({error.msg}); {remedy}") from error
        for field, kind in FIELDS.items():
            if not isinstance(entry, dict) or not isinstance(entry.get(field), kind):
                raise TroveLiteError(f"{where}: field '{field}' is missing or of the wrong type; {remedy}")
        level = entry["level"].removeprefix("Level ")
        if level not in {"1", "2", "3", "4", "5"}:
            raise TroveLiteError(f"{where}: level '{entry['level']}' is not Level 1 to Level 5; {remedy}")
        problems.append(
            Problem(dataset, category, len(problems), entry["question"], float(entry["answer"]), int(level))
        )
    return tuple(problems)
