"""CREATOR's tool transfer: 100 sets of three questions in other scenarios that one tool can answer.

Problems come set by set, three a set; `level` is the place in the set. Categories are without a
hint, and with the gold tool's introduction. Answers are numbers, judged by the one-answer grader.
"""

from itertools import product

from trove_lite.datasets.base import Dataset, Problem, Question, numbered
from trove_lite.datasets.files import pinned_records, python_blocks

from .graders import one_is_correct, read_one

NAME = "tool_transfer"
FILE = "ToolTransfer/dataset/transfer_300.jsonl"
PLACES = ("1", "2", "3")
CATEGORIES = ("no_hint", "utility_hint")
HINT = "A tool that helps with this question:\n\n"


def load(category: str) -> tuple[Problem, ...]:
    """The 300 problems, with or without a hint. Raises TroveLiteError for a missing or altered
    file."""
    rows = []
    for e in pinned_records(NAME, FILE):
        context = HINT + e["intro"].strip() if category == "utility_hint" else ""
        rows += [
            (e[f"scn{place}"].strip(), float(e[f"ans{place}"]), place, context) for place in PLACES
        ]
    return numbered(NAME, category, rows)


def gold_programs() -> list[tuple[str, float]]:
    """Each set's gold tool with each of its solutions as a program, and the gold answer, in the
    file's order."""
    pairs = product(pinned_records(NAME, FILE), PLACES)
    return [
        (python_blocks(e["tool"], e[f"sol{place}"]), float(e[f"ans{place}"])) for e, place in pairs
    ]


def gaps(question: Question) -> dict[str, str]:
    """What CREATOR's prompts are filled with; the words before the hint are its program's."""
    hint = question.context.removeprefix(HINT)
    return {
        "problem": question.text,
        "hints": f"create a tool based on the following introduction:\n{hint}",
    }


VARIANTS = {"no_hint": "", "utility_hint": "_hint"}
TRANSFER = Dataset(NAME, "tool transfer", CATEGORIES, load, read_one, one_is_correct, PLACES)
