"""How alike two questions are when their numbers are left out: a worked example must be no
near-duplicate of a problem.

Pairs of neighbouring words, with every number the same sign, see a question that is asked in the
same sentence; the stems of words with a meaning see one that is asked about the same things in
another. Both are twice what is shared by what both have (Dice's coefficient), from 0 to 1; the
larger is taken.
"""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

#: From here on two questions are near-duplicates. "How many positive divisors of 720 are perfect
#: squares?" and "How many positive factors of 4000 are multiples of 100?", which a model may answer
#: by the same program, have 0.57.
LIMIT = 0.45
FEWEST = 3  # stems that a question must have to be measured by them: "Compute 1 + 1" has one
LITTLE = """a all an and any are as at be been by did do does each every find for from had has have how if in is it its
let many much no not of on one or than that the their then there these this those to was were what when where which who
with frac sqrt text begin end left right pmatrix circ cdot"""
SAYS_LITTLE = frozenset(LITTLE.split())
SAME = {"divisor": "factor", "integer": "number"}  # by their stems
DRAWING = re.compile(r"\[asy\].*?\[/asy\]", re.DOTALL)

Text = tuple[Counter, Counter]  # a question's pairs of words, and its stems


def text_of(question: str) -> Text:
    found = re.findall(r"[a-z]+|\d+(?:[.,]\d+)*", DRAWING.sub(" ", question.lower()))
    words = ["#" if word[0].isdigit() else word for word in found]
    stems = (
        re.sub(r"(?<=...)(?:ing|ed|es|s)$", "", w)
        for w in words
        if len(w) > 1 and w not in SAYS_LITTLE
    )
    return Counter(pairwise(words)), Counter(SAME.get(stem, stem) for stem in stems)


def likeness(one: Text, other: Text) -> float:
    def dice(a: Counter, b: Counter) -> float:
        return 2 * (a & b).total() / max(1, a.total() + b.total())

    enough = min(one[1].total(), other[1].total()) >= FEWEST
    return max(dice(one[0], other[0]), dice(one[1], other[1]) if enough else 0.0)


def nearest(question: str, others: Iterable[tuple[str, Text]]) -> tuple[float, str]:
    """The likeness of the question that is most like one, and that question."""
    ours = text_of(question)
    return max(((likeness(ours, text), other) for other, text in others), default=(0.0, ""))
