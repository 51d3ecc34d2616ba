r"""The judge: whether an answer is the gold one. It says true, false, or None where it could not find out in time.

Texts, numbers and lists are compared first, at once. What is left of mathematics (`2*x` for 2x) is compared by sympy in
the sandbox, with little time and memory, since golds and answers are hostile text.
"""

import atexit
import os
import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from pathlib import Path

from ..errors import TroveLiteError
from . import expressions
from .answers import LONGEST_WORDS
from .canonical import number_text
from .values import (
    BY_COMMA,
    canonical,
    is_mathematics,
    matrices_worked_out,
    parts_of,
    plain_text,
    value_of,
)
from .words import OPTION, measured, name_of, said, same_date, same_time, told

NEAR = Fraction(1, 10**6)  # relative
NOISE = Fraction(1, 10**12)  # what floats make of 0
WHOLE = Fraction(
    1, 10**3
)  # the most by which what is not whole may differ from a whole number, however large that is
SECONDS, MEMORY = 0.3, 512 << 20  # CPU seconds and bytes of one comparison
IN_ALL, FORK = (
    0.5,
    0.005,
)  # CPU seconds after which a verdict begins no other, and those that each adds outside itself
MOST = 24  # parts that are compared in any order
LIKE = {"yes": "true", "no": "false"}
YES_OR_NO = (*LIKE, *LIKE.values())
BEGINS = re.compile(rf"({'|'.join(YES_OR_NO)})[,.;:!] (?!.*\b(?:{'|'.join(YES_OR_NO)})\b).*")
NAME = r"[a-z](?:\([a-z]\))?"
COMPARED = re.compile(
    rf"(?:([^<>=]+)(<=?|>=?))?({NAME})(<=?|>=?)([^<>=]+)|([^<>=]+)(<=?|>=?){NAME}"
)
BACK = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


class Budget:
    """CPU seconds that are left for a verdict: `IN_ALL` and `SECONDS` together are its most, so it ends in a second."""

    left = IN_ALL


def is_right(answers: Sequence[str], gold: object) -> bool | None:
    """`Dataset.correct`: whether the answer is the gold one, or one of several; None where that took too long."""
    golds, budget = gold if isinstance(gold, list) else [gold], Budget()
    texts = (one if isinstance(one, str) else number_text(one) for one in golds)
    return len(answers) > 0 and first(True, (same(answers[0], text, budget) for text in texts))


def first(decides: bool, verdicts: Iterable[bool | None]) -> bool | None:
    """The verdict that decides, where it is there; else None where that is there, or the other. It looks no further."""
    doubt = False
    for verdict in verdicts:
        if verdict is decides:
            return decides
        doubt |= verdict is None
    return None if doubt else not decides


def unread(answers: Sequence[str], gold: object) -> bool:
    """Whether an output held nothing that could be the answer: no text, or no number where gold is one."""
    golds = [
        one if isinstance(one, str) else number_text(one)
        for one in (gold if isinstance(gold, list) else [gold])
    ]
    if not len(answers):
        return True
    text = plain_text(answers[0])
    return all(value_of(one) is not None for one in golds) and not (
        re.search(r"\d", text) or is_mathematics(text)
    )


def same(answer: str, gold: str, budget: Budget) -> bool | None:
    """Whether two answers are the same: as text, as numbers, part by part, or as expressions."""
    if canonical(answer) == canonical(gold):
        return True
    if max(len(answer), len(gold)) > LONGEST_WORDS:
        return False
    if None not in (pair := (value_of(answer), value_of(gold))):
        return near(*pair, ("%" in gold) - ("%" in answer))
    ours, theirs, verdict = plain_text(answer), plain_text(gold), False
    if same_by_comma(ours, pair[1]) or same_by_comma(theirs, pair[0]):
        return True
    ours = matrices_worked_out(ours)
    if same_time(ours, theirs) or same_date(ours, theirs):
        return True
    if ours.count("=") == theirs.count("=") == 1:
        verdict = ask(ours, theirs, budget)
    if verdict is not False:
        return verdict
    if option := OPTION.fullmatch(theirs):
        letter = option[1] or option[2]
        if letter in (canonical(ours), said(ours, False)) or re.match(
            rf"\(?{letter}[).:] ?\S", ours
        ):
            return True
        if letter not in expressions.CONSTANTS:
            return False
    ours, theirs = told(ours), told(theirs)
    if theirs in YES_OR_NO and (found := BEGINS.fullmatch(ours)):
        ours = found[1]
    if canonical(ours) == canonical(theirs) or LIKE.get(ours, ours) == LIKE.get(theirs, theirs):
        return True
    if None not in (pair := (value_of(ours), value_of(theirs))):
        return near(*pair, ("%" in theirs) - ("%" in ours))
    parts = parts_in(ours), parts_in(theirs)
    if all(parts):
        return same_parts(*parts, budget)
    if same_measure(ours, theirs, budget):
        return True
    if not any(parts) and (verdict := ask(ours, theirs, budget)) is not False:
        return verdict
    rest = said(plain_text(answer), pair[1] is not None)
    return same(rest, gold, budget) if rest not in (None, answer) else False


def near(found: Fraction, wanted: Fraction, percent: int = 0) -> bool:
    """percent: 1 where gold alone has the sign, -1 where the answer alone has: it may stand for hundredths or not."""
    if percent and near(found * Fraction(100) ** percent, wanted):
        return True
    if found.denominator == wanted.denominator == 1:
        return found == wanted
    most = NEAR * abs(wanted) if wanted.denominator > 1 else min(NEAR * abs(wanted), WHOLE)
    return abs(found - wanted) <= (most or NOISE)


def same_by_comma(text: str, wanted: Fraction | None) -> bool:
    """Whether a text is that number, or says it alone, with a decimal comma: 1.000,99 or 29,50 €."""
    found = BY_COMMA.search(text) if wanted is not None else None
    if not found or re.search(r"\d|\bnot\b", text[: found.start()] + text[found.end() :]):
        return False
    return near(Fraction(re.sub("[. ]", "", found[0]).replace(",", ".")), wanted)


def same_measure(ours: str, theirs: str, budget: Budget) -> bool | None:
    """Of a gold answer with a unit: whether the number is the same, of the same unit or of none."""
    (number, unit), (wanted, gold_unit) = measured(ours), measured(theirs)
    if not wanted or (unit or gold_unit) != gold_unit:
        return False
    return (number or value_of(ours) is not None) and same(number or ours, wanted, budget)


# ---- parts: lists, sets, intervals, alternatives ----


def parts_in(text: str) -> list[str]:
    """The brackets of a text and what is in them, alternatives of a `±`, or an inequality's interval; [] for none."""
    if text.count("±") == 1 and not parts_of(text):
        return ["", text.replace("±", "+").removeprefix("+"), text.replace("±", "-"), ""]
    if "∪" in text:
        return ["∪", *(part.strip() for part in text.split("∪")), "∪"]
    if re.search(r"[<>]", text):
        pieces = [interval(part) for part in re.split(r" or |\|", text)]
        if all(pieces):
            return parts_of(pieces[0]) if len(pieces) == 1 else ["∪", *pieces, "∪"]
    parts = parts_of(text)
    if parts and not parts[0]:
        parts = [
            "",
            *(
                each
                for part in parts[1:-1]
                for each in (parts_in(part)[1:-1] if "±" in part else [part])
            ),
            "",
        ]
    rows = [re.fullmatch(r"\[([^\[\],]*)\]", part) for part in parts[1:-1]]  # a column of a matrix
    return [parts[0], *(row[1] for row in rows), parts[-1]] if parts and all(rows) else parts


def interval(text: str) -> str:
    """`0 < x <= 2` → (0,2]; "" for what is no inequality of one name."""
    ends = {">": (">", "-infty"), "<": ("<", "infty")}
    for piece in re.split(r"&|\band\b", text):
        found = COMPARED.fullmatch(re.sub(r"^\((.*)\)$", r"\1", piece.strip()).replace(" ", ""))
        if not found:
            return ""
        sides = [(found[4], found[5])] if found[3] else [(BACK[found[7]], found[6])]
        for sign, end in [*sides, (BACK.get(found[2], ""), found[1])][: 1 + bool(found[2])]:
            ends[sign[0]] = sign, end
    (above, low), (below, high) = ends[">"], ends["<"]
    return f"{'[' if '=' in above else '('}{low},{high}{']' if '=' in below else ')'}"


def same_parts(ours: list[str], theirs: list[str], budget: Budget) -> bool | None:
    """Whether parts are the same: in any order where gold is a set, a union, or stands in no brackets. An open interval
    or a pair is no set, and no list of two; other brackets may be left out or be others."""
    (a, *ours, b), (c, *theirs, d) = ours, theirs
    kind, wanted = a + b, c + d
    any_order = wanted in ("{}", "∪∪") or (wanted == "" and kind != "()")
    alike = kind == wanted or ({kind, wanted} == {"()", "[]"} and len(ours) > 2)
    alike |= "∪∪" not in (kind, wanted) and (
        (any_order and (kind, len(ours)) != ("()", 2)) or "" in (kind, wanted)
    )
    alike |= (kind, wanted) == ("{}", "[]")
    if len(ours) != len(theirs) or not alike:
        return False
    names = [[name_of(one) for one in side] for side in (ours, theirs)]
    if len(set(names[1])) == len(theirs) and all(
        names[1]
    ):  # x = 3, y = 4; without names in this order
        if sorted(names[0]) == sorted(names[1]):
            ours = [ours[names[0].index(name)] for name in names[1]]
        any_order = False
    ours, theirs = ([told(one) for one in side] for side in (ours, theirs))
    if not any_order or len(ours) > MOST:
        return first(
            False, (same(one, other, budget) for one, other in zip(ours, theirs, strict=True))
        )
    left, doubt = list(ours), False
    for other in theirs:
        verdicts = []
        for one in left:
            verdicts.append(same(one, other, budget))
            if verdicts[-1]:
                break
        if True in verdicts:
            del left[verdicts.index(True)]
        elif None not in verdicts:
            return False
        else:
            doubt = True
    return None if doubt else True


# ---- expressions, in the sandbox ----


def ask(ours: str, theirs: str, budget: Budget) -> bool | None:
    """Whether two plain texts are the same expression: False where one is none, None where that took too long."""
    if not (is_mathematics(ours) and is_mathematics(theirs)):
        return False
    if budget.left <= 0:
        return None
    verdict, seconds = asked(ours, theirs)
    budget.left -= seconds + FORK
    return verdict


@lru_cache(10_000)
def asked(ours: str, theirs: str) -> tuple[bool | None, float]:
    """What `expressions.equal` says, and the CPU seconds; None where it ends at a limit, or nothing can confine it."""
    program = f"{_program()}\nimport sympy\nprint(equal({ours!r}, {theirs!r}))\n"
    try:
        ended = _sandbox(os.getpid()).run_many([program], progress=False)[0]
    except TroveLiteError:
        return None, 0.0
    return {"True": True, "False": False}.get(ended.output.strip()), ended.cpu


@cache
def _program() -> str:
    return Path(expressions.__file__).read_text(encoding="utf-8")


@cache
def _sandbox(owner: int):
    """This process' own: one worker that lives as long as it does."""
    from ..sandbox.pool import Sandbox, choose_level, isolation_report

    level = isolation_report()["level"] or choose_level("seccomp")
    box = Sandbox(1, time_limit=SECONDS, memory=MEMORY, isolation=level)
    box.__enter__()
    atexit.register(box.__exit__)
    return box
