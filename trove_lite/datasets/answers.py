"""From what a program printed to its answers, as canonical text, and whether they are right.

Numbers follow the official rule (TroVE, appendix B; `utils/eval.py`): every match of a plain number pattern is an
answer, only the first is graded, rounded to two decimals. It knows neither exponents (1e-05 reads 1, then -5),
fractions (3/4 reads 3) nor thousands separators: those readings are kept, they are part of what is reproduced.
"""

import re
from collections.abc import Sequence

from ..selection import number_text

NUMBER = re.compile(r"-?\d+\.?\d*")


def read_numbers(output: str) -> list[str]:
    """Every number in a program's output, in order: the canonical texts of exact floats."""
    return [number_text(float(text)) for text in NUMBER.findall(output)]


def graded(answers: Sequence[str]) -> str | None:
    """The answer that is graded: the first, or None."""
    return answers[0] if len(answers) else None


def is_correct(answer: str | None, gold: float) -> bool:
    """Whether a number's text agrees with gold after rounding to two decimals (TroVE, appendix B: within 1e-6)."""
    return answer is not None and abs(round(float(answer), 2) - round(gold, 2)) < 1e-6


def number_is_correct(answers: Sequence[str], gold: float) -> bool:
    """`Dataset.correct` for numbers: whether the graded one agrees with gold."""
    return is_correct(graded(answers), gold)
