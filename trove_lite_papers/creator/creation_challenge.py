"""CREATOR's Creation Challenge: 2,047 made questions, each with a gold tool that a hint may tell
of.

Its categories are the three levels of hint on the same questions: none, the gold tool's purpose,
and all of its docstring. Hints and constants are in the question's context. Answers are numbers,
judged by the one-answer grader.
"""

import re
from functools import cache

from trove_lite.datasets.base import Dataset, Problem, Question, numbered
from trove_lite.datasets.files import pinned_records, python_blocks

from .graders import one_is_correct, read_one

NAME = "creation_challenge"
FILE = "Creation/dataset/CC.jsonl"
#: Hint → what it tells, the record's field by its heading.
HINTS = {"no_hint": {}, "utility_hint": {"Utility": "utility"}}
HINTS["all_hint"] = HINTS["utility_hint"] | {"Args": "args", "Return": "return"}


def load(category: str) -> tuple[Problem, ...]:
    """The 2,047 problems with one level of hint. Raises TroveLiteError for a missing or altered
    file."""
    rows = (
        (text, float(e["answer"]), "", context_of(e, category)) for text, e in entries().items()
    )
    return numbered(NAME, category, rows)


def context_of(entry: dict, category: str) -> str:
    """What a question is shown with: its constants, where it has some, and the hint."""
    constants = re.sub(r"^s\n", "", entry["constant"].strip())  # what is left of a heading
    parts = (
        [] if re.sub(r"[^a-z]", "", constants.lower()) == "none" else [f"Constants:\n{constants}"]
    )
    hints = _hints(entry, category)
    return "\n\n".join(
        [*parts, *(["A tool that helps with this question:", *hints] if hints else [])]
    )


def _hints(entry: dict, category: str) -> list[str]:
    return [f"{heading}:\n{entry[field].strip()}" for heading, field in HINTS[category].items()]


def gold_programs() -> list[tuple[str, float]]:
    """Each question's gold tool and solution as one program, and its gold answer, in the file's
    order."""
    return [
        (python_blocks(e["tool"], e["solution"]), float(e["answer"])) for e in entries().values()
    ]


@cache
def entries() -> dict[str, dict]:
    """What the file says of a question, by its text; no two are alike."""
    return {entry["question"].strip(): entry for entry in pinned_records(NAME, FILE)}


def gaps(question: Question) -> dict[str, str]:
    """What CREATOR's prompts are filled with: constants as the file has them, none in many ways,
    and the hint."""
    entry = entries().get(question.text) or dict.fromkeys(
        ("constant", *HINTS["all_hint"].values()), "None"
    )
    hints = "\n".join(_hints(entry, question.category))
    return {"qst": question.text, "constants": entry["constant"].strip(), "hints": hints}


VARIANTS = {"no_hint": "", "utility_hint": "_utilityhint", "all_hint": "_allhint"}
CREATION = Dataset(NAME, "Creation Challenge", tuple(HINTS), load, read_one, one_is_correct)
