"""Alternatives to the official rules, one difference each: how programs vote, and how their output is read and graded.

The official rules are those of `select`, `grade` and `parse`. It runs model-written programs in a sandbox that it is
given, or not at all.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import pandas as pd

from trove_lite.datasets.answers import graded, is_correct, read_numbers
from trove_lite.programs import operations, program_of, recorded_sources
from trove_lite.selection import (
    Rule,
    Vote,
    by_mode_first,
    fewest_operations,
    first_successful,
    number_text,
    one_stage,
    rounded,
)

#: A Python block of a solution, closed or not.
BLOCK = re.compile(r"```python[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)

Golds = Mapping[tuple[str, int], float]

# ---- alternatives to the official agreement, for one problem's votes ----


def agreement(votes: Sequence[Vote], reading: Callable[[Vote], Sequence[str]], *, simplest: bool = False) -> int:
    """The official one-stage agreement, but for what a program votes with, or what breaks a tie between answers.

    With every printed number as votes and `simplest` false it is `select.one_stage`. `simplest`: of all that
    support one of the tied answers, the program with fewest operations.
    """
    cast = [list(reading(vote)) if vote.ok else [] for vote in votes]
    count = Counter(answer for answers in cast for answer in answers)
    if not count:
        return first_successful(votes)
    top = max(count.values())
    leading = [answer for answer, n in count.items() if n == top]
    winners = set(leading if simplest else leading[:1])
    return fewest_operations(votes, [i for i, answers in enumerate(cast) if winners.intersection(answers)])


def ties_to_simplest(votes: Sequence[Vote]) -> int:
    """A tie between answers goes to the program with fewest operations, not to the answer met first."""
    return agreement(votes, lambda vote: vote.answers, simplest=True)


def one_vote_a_program(votes: Sequence[Vote]) -> int:
    """A program votes once, with the number that is graded, not with every number that it prints."""
    return agreement(votes, lambda vote: vote.answers[:1])


def rounded_votes(votes: Sequence[Vote]) -> int:
    """Numbers that are graded alike, rounded to two decimals, vote alike."""
    return agreement(votes, lambda vote: [rounded(answer) for answer in vote.answers])


def silence_is_failure(votes: Sequence[Vote]) -> int:
    """A program that prints no number has failed."""
    return one_stage([b._replace(ok=b.ok and len(b.answers) > 0) for b in votes])


def in_two_stages(rule: Rule) -> Rule:
    """The rule within each mode, then among the modes' winners, as the official program applies its own."""
    return lambda votes: by_mode_first(votes, rule)


# ---- alternatives in reading and grading what a program printed ----

LITERAL = re.compile(
    r"(?:(?<![\w)\]])-)?(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d*)?(?:[eE][-+]?\d+)?(?:\s*/\s*[1-9]\d*(?![\d.,]))?"
)


def read_literals(output: str) -> list[str]:
    """Every number in a program's output, with exponents, fractions and thousands commas read as such.

    A minus right after a letter, digit or bracket is a subtraction. The official reading is `read_numbers`.
    """
    values = []
    for text in LITERAL.findall(output):
        top, _, bottom = text.replace(",", "").partition("/")
        value = float(top)
        values.append(number_text(float(Fraction(value) / int(bottom)) if bottom and math.isfinite(value) else value))
    return values


def regraded(candidates: pd.DataFrame, golds: Golds, pick: Callable[[list[str]], str | None]) -> pd.DataFrame:
    """Candidates graded anew, by the one of their answers that is picked; shortened records stay as they are."""
    keys = zip(candidates["category"].astype(str), candidates["problem"].astype(int), strict=True)
    rows = zip(keys, candidates["answers"], candidates["shortened"].fillna(False), candidates["correct"], strict=True)
    correct = [old if short else is_correct(pick([] if a is None else list(a)), golds[k]) for k, a, short, old in rows]
    return candidates.assign(correct=pd.array(correct, dtype="boolean"))


def reread(candidates: pd.DataFrame, golds: Golds) -> pd.DataFrame:
    """Candidates whose printed output is read by `read_literals`, and graded by its first number."""
    rows = zip(
        candidates["output"],
        candidates["answers"],
        candidates["shortened"].fillna(False),
        candidates["status"] == "ok",
        strict=True,
    )
    answers = [list(a) if short else read_literals(text) if ok else [] for text, a, short, ok in rows]
    return regraded(candidates.assign(answers=pd.Series(answers, index=candidates.index)), golds, graded)


def with_every_block(candidates: pd.DataFrame, golds: Golds, sandbox: object) -> tuple[pd.DataFrame, dict[str, int]]:
    """Candidates whose solution has several code blocks, run whole instead of the first block alone.

    The toolbox that the program saw was not recorded, so a program counts only if its first block, run again
    without one, ends as recorded; the others stay as they are. Returns the candidates and how many there were.
    """
    blocks = candidates["solution"].map(BLOCK.findall)
    several = candidates[blocks.map(len) > 1]
    tools = several["tools"].map(recorded_sources)
    whole = several.index.map(lambda i: "```python\n" + "\n".join(blocks[i]) + "\n```")
    programs = [program_of(s, t) for part in (several["solution"], whole) for s, t in zip(part, tools, strict=True)]
    ends = [
        (e.status, read_numbers(e.output) if e.status == "ok" else [])
        for e in sandbox.run_many(programs, progress=False)
    ]
    table = candidates.astype(dict.fromkeys(("status", "answers", "answer"), object))
    counts = {"several": len(several), "repeatable": 0, "changed": 0}
    pairs = zip(ends[: len(several)], ends[len(several) :], strict=True)
    for row, ((first, read), (status, answers)) in zip(several.itertuples(), pairs, strict=True):
        if ((first == "ok"), read) != (row.status == "ok", [] if row.answers is None else list(row.answers)):
            continue
        counts["repeatable"] += 1
        counts["changed"] += answers != read or (status == "ok") != (first == "ok")
        answer = graded(answers)
        new = {"status": status, "answers": answers, "answer": answer}
        new["correct"] = is_correct(answer, golds[str(row.category), int(row.problem)])
        new["operations"] = operations("\n".join(blocks[row.Index])) if answers else pd.NA
        for name, value in new.items():
            table.at[row.Index, name] = value  # noqa: PD008, a list in a cell
    return table, counts
