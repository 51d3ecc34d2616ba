"""From what a program printed to its answers and its verdict.

The official rule (TroVE, appendix B; `utils/eval.py`): every match of a plain number pattern is an answer, only
the first is graded, rounded to two decimals. It knows neither exponents (1e-05 reads 1, then -5), fractions
(3/4 reads 3) nor thousands separators: those readings are kept, they are part of what is reproduced.
"""

import re

NUMBER = re.compile(r"-?\d+\.?\d*")


def printed_numbers(output: str) -> list[float]:
    """Every number in a program's output, in order, as exact floats."""
    return [float(text) for text in NUMBER.findall(output)]


def first_number(answers: list[float]) -> float | None:
    """The answer that is graded: the first number printed, or None."""
    return answers[0] if answers else None


def is_correct(answer: float | None, gold: float) -> bool:
    """Whether both agree after rounding to two decimals (TroVE, appendix B: difference below 1e-6)."""
    return answer is not None and abs(round(answer, 2) - round(gold, 2)) < 1e-6
