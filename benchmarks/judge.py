"""How often the judge errs on pairs of a gold answer and an output: `python -m benchmarks.judge`.

`pairs.csv` has the pairs, with a person's verdict and where each is from. Half of them, by a hash,
is `worked`: the judge was made on it. The other half is `kept`: it was judged once, when the judge
was done. Pairs of `KINDS` stand
apart: own sentences, written after the rules for them. `python -m benchmarks.judge hostile` prints
how long the hostile golds and answers of `tests/judge/test_judge.py` take on the clock.
"""

import csv
import hashlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

HALVES = ("worked", "kept")
KINDS = ("money", "units", "percent", "closing sentences")  # own pairs, half of them wrong
KINDS += ("number words", "ratios", "lists and sets", "intervals", "mixed units", "latex")
KINDS += ("matrices", "letters")
KINDS += ("found since",)  # on which the judge erred when they were written


class Pair(NamedTuple):
    gold: str
    output: str
    right: bool
    source: str

    @property
    def half(self) -> str:
        """Of pairs of no kind."""
        digest = hashlib.sha256(f"{self.gold}\0{self.output}".encode()).digest()
        return "" if self.kind else HALVES[digest[0] % 2]

    @property
    def kind(self) -> str:
        return self.source.removeprefix("own, ") if self.source.startswith("own, ") else ""


def pairs() -> Iterator[Pair]:
    with open(Path(__file__).with_name("pairs.csv"), encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            yield Pair(row["gold"], row["output"], row["right"] == "1", row["source"])


def print_rates(
    name: str, judge: Callable[[str, str], bool | None], parts=(*HALVES, *KINDS), show: bool = False
) -> None:
    """Of each half or kind: how many wrong outputs are judged right, how many right ones wrong, how
    many neither."""
    for part in parts:
        own = [pair for pair in pairs() if part in (pair.half, pair.kind)]
        found = [judge(pair.gold, pair.output) for pair in own]
        counts = {right: sum(pair.right is right for pair in own) for right in (True, False)}
        errors = [
            (p, v) for p, v in zip(own, found, strict=True) if v is not None and v is not p.right
        ]
        false = {right: sum(pair.right is right for pair, _ in errors) for right in (True, False)}
        rates = [
            f"{false[r]} of {counts[r]} ({100 * false[r] / counts[r]:.1f} %)" for r in (False, True)
        ]
        print(
            f"{name}, {part}: false right {rates[0]}, false wrong {rates[1]}, not judged {found.count(None)}"
        )
        for pair, verdict in errors if show else ():
            print(
                f"  judged {'right' if verdict else 'wrong'}: {pair.gold!r} <- {pair.output!r} ({pair.source})"
            )


def print_times(is_right: Callable, read_answer: Callable) -> None:
    """The seconds on the clock that verdicts on hostile texts take, the slowest first; on a quiet
    machine under one."""
    from tests.datasets.test_judge import HOSTILE

    is_right(["2*x"], "2x")  # mpmath is loaded
    found = []
    for gold, output in (
        pair
        for n, text in enumerate(HOSTILE)
        for pair in ((HOSTILE[n - 1], text), (text, HOSTILE[n - 1]))
    ):
        start = time.perf_counter()
        verdict = is_right(read_answer(output), gold)
        found.append((time.perf_counter() - start, str(verdict), gold[:30], output[:30]))
    found.sort(reverse=True)
    print(
        f"{len(found)} verdicts: {sum(seconds > 1 for seconds, *_ in found)} took over a second; the slowest:"
    )
    for seconds, *rest in found[:5]:
        print(f"  {seconds:.2f} s", *map(ascii, rest))


if __name__ == "__main__":
    from trove_lite.judge.strict import is_right
    from trove_lite.judge.values import read_answer

    wanted = sys.argv[1:] or (*HALVES, *KINDS)
    if wanted == ["hostile"]:
        sys.exit(print_times(is_right, read_answer))
    print_rates(
        "trove-lite", lambda gold, output: is_right(read_answer(output), gold), wanted, show=True
    )
