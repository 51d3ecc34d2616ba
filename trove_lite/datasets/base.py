"""What a problem is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Problem:
    """A question with its numeric answer.

    `index` counts from 0 in the data set's own order within `category`; `level` is MATH's difficulty, 1 to 5.
    """

    dataset: str
    category: str
    index: int
    question: str
    answer: float
    level: int
