"""What judging and naming 100,000 candidates costs, beside numbers alone: `python -m
benchmarks.votes [kinds] [warm]`.

First what programs of a model printed, from published runs; a number stands for each text in
"numbers alone", and the most frequent text for gold. Then 5,000 made problems with 20 programs each,
with a fixed seed: each program prints one of a few values, as a plain number, or in any of many
forms (money, units, fractions, sentences, lists, expressions), far more than a model does. All are
read, judged and named in one process, one after the other: the ratio is what counts, not the
seconds.
"""

import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

import pandas as pd

from trove_lite.judge.strict import is_right
from trove_lite.judge.values import read_answer
from trove_lite.judge.votes import renamed

RUNS = "models/*/runs/*/candidates.parquet"
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


def printed() -> list[tuple[object, str, str]]:
    """The same of 100,000 programs of published runs."""
    found = defaultdict(Counter)
    for run in sorted(Path("results").glob(RUNS)):
        table = pd.read_parquet(run, columns=["category", "problem", "status", "output"])
        for row in table[table["status"] == "ok"].itertuples():
            found[run, row.category, row.problem][row.output.strip()] += 1
    rows = (
        (problem, counts.most_common(1)[0][0], output)
        for problem, counts in found.items()
        for output in counts.elements()
    )
    return list(islice(rows, PROBLEMS * PROGRAMS))


def numbered(rows: list[tuple[object, str, str]]) -> list[tuple[object, str, str]]:
    """Rows with a number for each text of a problem."""
    rng = random.Random(0)
    number = cache(lambda problem, text: str(rng.choice([int, float])(rng.randint(2, 10**6))))
    return [
        (problem, number(problem, gold), number(problem, output)) for problem, gold, output in rows
    ]


def seconds(rows: list[tuple[object, str, str]]) -> tuple[float, float, float]:
    """The processor's time to read, to judge and to name all."""
    marks = [time.process_time()]
    answers = [read_answer(output) for _, _, output in rows]
    marks.append(time.process_time())
    for answer, (_, gold, _) in zip(answers, rows, strict=True):
        is_right(answer, gold)
    marks.append(time.process_time())
    renamed([problem for problem, _, _ in rows], answers)
    marks.append(time.process_time())
    return tuple(later - before for before, later in pairwise(marks))


def beside(what: str, numbers: tuple[float, ...], texts: tuple[float, ...], n: int) -> None:
    for name, parts in (("numbers alone", numbers), (what, texts)):
        each = ", ".join(
            f"{step} {took:.2f}"
            for step, took in zip(("read", "judged", "named"), parts, strict=True)
        )
        print(f"{name}: {sum(parts):.2f} s for {n:,} candidates ({each})")
    print(f"ratio: {sum(texts) / sum(numbers):.2f}")


if __name__ == "__main__":
    rows = printed()
    seconds(list(outputs(["expression"]))) if "warm" in sys.argv else is_right(["2*x"], "2x")
    beside("as programs printed", seconds(numbered(rows)), seconds(rows), len(rows))
    numbers = seconds(list(outputs(["number"])))
    beside("all forms, made", numbers, seconds(list(outputs(list(FORMS)))), PROBLEMS * PROGRAMS)
    for kind in FORMS if "kinds" in sys.argv else ():
        print(f"  {kind}: {sum(seconds(list(outputs([kind])))):.2f} s")
