"""What judging and naming 100,000 candidates costs, beside numbers alone: `python -m
benchmarks.votes`.

5,000 own problems with 20 programs each, made with a fixed seed: each program prints one of a few
values, as a plain number, or in any of many forms (money, units, fractions, sentences, lists,
expressions). All are read, judged and named in one process, one after the other: the ratio is what
counts, not the seconds.
"""

import random
import sys
import time
from collections.abc import Callable, Iterator
from itertools import pairwise

from trove_lite.judge.strict import is_right
from trove_lite.judge.values import read_answer
from trove_lite.judge.votes import renamed

PROBLEMS = 5_000
PROGRAMS = 20
FORMS: dict[str, tuple[Callable[[int], str], ...]] = {
    "number": (str, float, lambda n: f"{n:,}"),
    "money": (lambda n: f"${n}", lambda n: f"{n} dollars", lambda n: f"{100 * n} cents", str),
    "length": (lambda n: f"{n} km", lambda n: f"{1000 * n} m", lambda n: f"{n} kilometers", str),
    "fraction": (lambda n: f"{n}/7", lambda n: f"\\frac{{{n}}}{{7}}", lambda n: f"{n / 7:.12f}"),
    "sentence": (
        str,
        "The total is {}.".format,
        "She has {} apples left".format,
        "answer: {}".format,
    ),
    "list": (lambda n: f"[{n}, {n + 1}]", lambda n: f"{n}, {n + 1}", lambda n: f"({n}, {n + 1})"),
    "expression": ("x^2 + {}".format, "{} + x*x".format, "x**2+{}".format),
}


def outputs(kinds: list[str], seed: int = 0) -> Iterator[tuple[int, str, str]]:
    """Problem, gold answer and what a program prints."""
    rng = random.Random(seed)
    for problem in range(PROBLEMS):
        # so that caches know few
        forms = FORMS[kinds[problem % len(kinds)]]
        right = rng.randint(2, 10**6)
        for _ in range(PROGRAMS):
            value = right if rng.random() < 0.5 else right + rng.randint(1, 5)
            yield problem, str(forms[0](right)), str(rng.choice(forms)(value))


def seconds(kinds: list[str]) -> tuple[float, float, float]:
    """The processor's time to read, to judge and to name all."""
    rows = list(outputs(kinds))
    marks = [time.process_time()]
    answers = [read_answer(output) for _, _, output in rows]
    marks.append(time.process_time())
    for answer, (_, gold, _) in zip(answers, rows, strict=True):
        is_right(answer, gold)
    marks.append(time.process_time())
    renamed([problem for problem, _, _ in rows], answers)
    marks.append(time.process_time())
    return tuple(later - before for before, later in pairwise(marks))


if __name__ == "__main__":
    seconds(["expression"]) if "warm" in sys.argv else is_right(["2*x"], "2x")
    found = {"numbers alone": seconds(["number"]), "all forms": seconds(list(FORMS))}
    for name, parts in found.items():
        each = ", ".join(
            f"{what} {took:.2f}"
            for what, took in zip(("read", "judged", "named"), parts, strict=True)
        )
        print(f"{name}: {sum(parts):.2f} s for {PROBLEMS * PROGRAMS:,} candidates ({each})")
    print(f"ratio: {sum(found['all forms']) / sum(found['numbers alone']):.2f}")
    for kind in FORMS if "kinds" in sys.argv else ():
        print(f"  {kind}: {sum(seconds([kind])):.2f} s")
