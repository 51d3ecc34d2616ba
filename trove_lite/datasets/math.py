"""MATH's problems with numeric answers, as TroVE released them (TroVE, Table 1)."""

from pathlib import Path

from ..errors import TroveLiteError
from .answers import number_is_correct, read_numbers
from .base import Dataset, Problem, Question, ReleasedPrompts, after_labelled
from .files import data_folder, public_files, read_json_lines, remedy, sha256_of

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
LEVELS = ("1", "2", "3", "4", "5")
FIELDS = {"question": str, "answer": (int, float), "level": str}


def load(category: str) -> tuple[Problem, ...]:
    """The problems of one category, from the data folder.

    Raises TroveLiteError for a missing or altered file, or a malformed line.
    """
    name = f"data/math/{MATH_FILES[category]}.jsonl"
    (file,) = (f for f in public_files() if f.group == "math" and f.path == name)
    path = data_folder() / file.name
    if not path.is_file():
        raise TroveLiteError(f"{path}: missing; run `trove-lite fetch math`, or set TROVE_LITE_DATA")
    problems = read_problems(path, category)
    if sha256_of(path) != file.sha256:
        raise TroveLiteError(
            f"{path}: sha256 differs from the pinned {file.sha256[:12]}…; delete it and run `trove-lite fetch math`"
        )
    return problems


def read_problems(path: Path, category: str) -> tuple[Problem, ...]:
    """Parse one JSON-lines file of `question`, `answer` and `level` ("Level 1" to "Level 5")."""
    problems = []
    for where, entry in read_json_lines(path, FIELDS, "math"):
        level = entry["level"].removeprefix("Level ")
        if level not in LEVELS:
            raise TroveLiteError(f"{where}: level '{entry['level']}' is not Level 1 to Level 5; {remedy('math')}")
        question = Question("math", category, len(problems), entry["question"])
        problems.append(Problem(question, float(entry["answer"]), level))
    return tuple(problems)


RELEASED = ReleasedPrompts("MATH", "math competition problems", lambda question: {"qst": question.text})
MATH = Dataset("math", "MATH", CATEGORIES, load, read_numbers, number_is_correct, LEVELS, released=RELEASED)

#: For methods that see labelled problems, and for those that are set beside them.
LABELLED = after_labelled(MATH)
