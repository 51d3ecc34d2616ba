"""A number's one text, by which answers that are numbers are compared."""

import math
from functools import lru_cache

MOST_DIGITS = 4000  # what Python writes of an int without being asked to


def number_text(value: float) -> str:
    """A number's canonical text: exact, and without a minus zero. Two numbers are equal where their
    texts are."""
    try:
        return repr(value + 0.0)
    except OverflowError:  # an int that is no float
        return str(value) if abs(value) < 10**MOST_DIGITS else hex(value)


def as_number(answer: str) -> float | None:
    """The number whose canonical text this is; None for any other text, as nan is."""
    try:
        value = float(answer)
    except ValueError:
        return None
    return value if math.isfinite(value) and number_text(value) == answer else None


@lru_cache(maxsize=4096)
def round_answer(answer: str) -> str:
    """What the described rules compare: a number's canonical text rounded to two decimals, any
    other text as it is."""
    value = as_number(answer)
    return answer if value is None else number_text(round(value, 2))
