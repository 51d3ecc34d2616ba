"""CREATOR's tool transfer: 100 sets of three questions in other scenarios that one tool can answer.

Problems come set by set, three a set; `level` is the place in the set. Categories are without a hint, and
with the gold tool's introduction. Answers are numbers, judged by the strict grader.
"""

from pathlib import Path

from .base import Dataset, Problem, Question, ReleasedPrompts
from .files import pinned_file, python_blocks, read_json_lines
from .graders import one_is_correct, read_one

NAME = "tool_transfer"
FILE = "ToolTransfer/dataset/transfer_300.jsonl"
PLACES = ("1", "2", "3")
FIELDS = {"intro": str, "tool": str} | {
    f"{part}{place}": kind for place in PLACES for part, kind in (("scn", str), ("sol", str), ("ans", (int, float)))
}
CATEGORIES = ("no_hint", "utility_hint")
HINT = "A tool that helps with this question:\n\n"


def load(category: str) -> tuple[Problem, ...]:
    """The 300 problems, with or without a hint. Raises TroveLiteError for a missing or altered file."""
    return read_problems(pinned_file(NAME, FILE), category)


def read_problems(path: Path, category: str) -> tuple[Problem, ...]:
    """Parse a JSON-lines file of sets: `intro` and `tool`, then for each place `scn`, `sol` and `ans`."""
    problems = []
    for _, entry in read_json_lines(path, FIELDS, NAME):
        hint = HINT + entry["intro"].strip()
        for place in PLACES:
            context = hint if category == "utility_hint" else ""
            question = Question(NAME, category, len(problems), entry[f"scn{place}"].strip(), context)
            problems.append(Problem(question, float(entry[f"ans{place}"]), place))
    return tuple(problems)


def gold_programs() -> list[tuple[str, float]]:
    """Each set's gold tool with each of its solutions as a program, and the gold answer, in the file's order."""
    entries = [entry for _, entry in read_json_lines(pinned_file(NAME, FILE), FIELDS, NAME)]
    return [
        (python_blocks(entry["tool"], entry[f"sol{place}"]), float(entry[f"ans{place}"]))
        for entry in entries
        for place in PLACES
    ]


def gaps(question: Question) -> dict[str, str]:
    """What CREATOR's prompts are filled with; the words before the hint are its program's."""
    hint = question.context.removeprefix(HINT)
    return {"problem": question.text, "hints": f"create a tool based on the following introduction:\n{hint}"}


VARIANTS = {"no_hint": "", "utility_hint": "_hint"}
RELEASED = ReleasedPrompts("ToolTransfer", "questions with tools", gaps, VARIANTS, unsent=("rectify",))
TRANSFER = Dataset(NAME, "tool transfer", CATEGORIES, load, read_one, one_is_correct, PLACES, released=RELEASED)
