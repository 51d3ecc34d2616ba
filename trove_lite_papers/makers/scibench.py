"""SciBench's 692 problems of ten college textbooks (Wang et al. 2024), from the file that TTE's authors released.

An answer is right within 5 % of the gold one, in the unit that the question ends with: SciBench's own rule (`equiv` in
its `eval/eval_tool.py`), which also takes a power of ten out of a unit and into the answer. It reads no gold answer
with a comma or a typographic minus, of which there are four: they are read here.
"""

import json
import math
import re
from collections.abc import Sequence

from trove_lite.datasets.base import Dataset, Problem, numbered
from trove_lite.datasets.files import pinned_file
from trove_lite.selection import number_text

NAME = "scibench"
FILE = "dataset/scibench/scibench_all_datas.json"
TEXTBOOKS = (
    "atkins",
    "chemmc",
    "matter",
    "quan",
    "class",
    "fund",
    "thermo",
    "calculus",
    "diff",
    "stat",
)
SUBJECTS = ("chemistry", "physics", "math")
TOLERANCE = 0.05
POWER = re.compile(r"(?:\\mathrm\{)?10 ?\^ ?\{?(-?\d+)\}*[ ~]*")
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE | re.ASCII)


def load(category: str) -> tuple[Problem, ...]:
    """The problems of one textbook; their level is its subject. Raises TroveLiteError for a missing or altered file."""
    entries = json.loads(pinned_file(NAME, FILE).read_text(encoding="utf-8"))
    rows = (
        (*question_and_gold(e), e["category"].split()[0])
        for e in entries
        if e["source"] == category
    )
    return numbered(NAME, category, rows)


def question_and_gold(entry: dict) -> tuple[str, float]:
    """A question that ends with its answer's unit, without a power of ten, and the answer, with it."""
    unit, power = " ".join(entry["unit"].split()), POWER.search(entry["unit"])
    unit = re.sub(r"\$ *\$", "", POWER.sub("", unit, count=1)).strip()
    asked = f"{entry['question']} The unit of the answer is {unit}." if unit else entry["question"]
    answer = entry["answer"].replace(",", "").replace("\u2212", "-")
    return asked, float(f"{float(answer)}e{power[1]}" if power else answer)


def read(output: str) -> list[str]:
    """Every number in an output, powers of ten and all, to four digits: so that programs agree that nearly do."""
    found = NUMBER.findall(re.sub(r"(\d),(\d{3})(?!\d)", r"\1\2", output))
    known = {text: float(text) for text in set(found)}
    known = {
        text: number_text(float(f"{number:.4g}"))
        for text, number in known.items()
        if math.isfinite(number)
    }
    return [known[text] for text in found if text in known]


def is_right(answers: Sequence[str], gold: float) -> bool:
    """`Dataset.correct`: whether the first number is the gold one, to 5 % of the larger of the two."""
    return len(answers) > 0 and math.isclose(float(answers[0]), gold, rel_tol=TOLERANCE)


HOW = {"by": "subject", "judged": "within 5 % of gold"}
SCIBENCH = Dataset(NAME, "SciBench", TEXTBOOKS, load, read, is_right, SUBJECTS, **HOW)
