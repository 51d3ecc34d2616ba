"""What the practice problems ask: families of questions, each with its wordings and its reference answer.

They stand in `families.toml`. A family draws its arguments by level (1 to 5: larger numbers), words them in one of
`seen` phrasings (training and test), `dev` (tuning) or `unseen` (test alone), and computes the answer. A held-out
family never occurs in training. `draw` is written with the functions of `dice`, `answer` in Python over the arguments.
`{x:+}` words 5 as "+ 5" and -5 as "- 5"; `{v:,}` lists a vector, `{v:&}` ends the list in "and"; {name}, {other} and
{things} are filled by chance. How a program solves a family is in `programs.py`, written apart from the answers.
"""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from . import dice
from .dice import Draw


def is_prime(n):
    return n > 1 and all(n % d for d in range(2, math.isqrt(n) + 1))


def largest_prime_factor(n):
    return max(p for p in range(2, n + 1) if n % p == 0 and is_prime(p))


def in_base(n, b):
    return n if n < b else 10 * in_base(n // b, b) + n % b


def recurrence(a, p, q, n):
    return a if n == 1 else p * recurrence(a, p, q, n - 1) + q


#: What formulas of answers may name, besides Python's own functions.
KNOWN = {"math": math} | {
    f.__name__: f for f in (is_prime, largest_prime_factor, in_base, recurrence)
}


@dataclass(frozen=True)
class Family:
    """One kind of question; also a second step on a whole-number result, called x in its formula.

    draw: dice and level → the arguments, or the one argument of a step. answer: a formula over the arguments. levels:
    the first and the last at which it occurs. weight: how often, beside the others of its category.
    """

    name: str
    draw: Draw
    answer: str
    seen: tuple[str, ...]
    dev: str = ""
    unseen: str = ""
    levels: tuple[int, int] = (1, 5)
    weight: float = 1.0
    held_out: bool = False

    def answer_to(self, arguments: Mapping[str, object]) -> float:
        """The reference answer."""
        return eval(self.answer, KNOWN | arguments)


def _family(entry: dict) -> Family:
    draw, levels = eval(entry["draw"], vars(dice).copy()), tuple(entry.get("levels", (1, 5)))
    return Family(**entry | {"draw": draw, "seen": tuple(entry["seen"]), "levels": levels})


_FILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
#: Category → its families.
FAMILIES = {
    category: tuple(map(_family, entries)) for category, entries in _FILE["families"].items()
}
STEPS = tuple(map(_family, _FILE["steps"]))
