r"""The judge: whether an answer is the gold one. It says true, false, or None where that is too
much work to find out.

Texts, numbers and lists are compared first. What is left of mathematics (`2*x` for 2x) is worked
out by `expressions`. Work is counted, in comparisons and in digits, never in seconds, so that a
verdict is the same on every machine.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache

from . import expressions
from .answers import LONGEST, LONGEST_WORDS
from .canonical import number_text
from .units import KNOWN, measure, told_in
from .values import (
    BRACKETS,
    BY_COMMA,
    KEPT,
    canonical,
    is_mathematics,
    is_wordy,
    matrices_worked_out,
    parts_of,
    plain_text,
    value_of,
)
from .words import (
    OPTION,
    SPELT,
    WITH_UNIT,
    alternatives,
    excluded,
    name_of,
    quantity,
    said,
    same_date,
    same_time,
    told,
)

AMBIGUOUS = re.compile(r"[%=<>±∪|]|pound|degree")
LISTED_NUMBER = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)
LISTED = LISTED_NUMBER.pattern
LISTED = re.compile(rf"[\[({{]?{LISTED}(?:[,;] ?{LISTED})+[\])}}]?", re.ASCII)
PLAINLY = re.compile(rf"(-?\d{{1,15}}(?:\.\d{{1,15}})?)(?: ((?:{'|'.join(KNOWN)})s?))?", re.ASCII)
THOUSANDS = re.compile(r"\d,\d{3}(?!\d)", re.ASCII)
# relative, and its square where a number is 0: of what is further apart nothing need be compared
FAR = 1e-5
NEAR = Fraction(1, 10**6)  # relative
NOISE = Fraction(1, 10**12)  # what floats make of 0
WHOLE = Fraction(
    1, 10**3
)  # the most by which what is not whole may differ from a whole number, however large that is
STEPS = 5_000  # comparisons of a verdict, of parts with parts
LIKE = {"yes": "true", "no": "false"}
YES_OR_NO = (*LIKE, *LIKE.values())
BEGINS = re.compile(rf"({'|'.join(YES_OR_NO)})[,.;:!] (?!.*\b(?:{'|'.join(YES_OR_NO)})\b).*")
NAME = r"[a-z](?:\([a-z]\))?"
COMPARED = re.compile(
    rf"(?:([^<>=]+)(<=?|>=?))?({NAME})(<=?|>=?)([^<>=]+)|([^<>=]+)(<=?|>=?){NAME}"
)
LETTERS = re.compile(r"\(?[A-J]\)?(?:(?:,? and |,? ?& ?|[,;] ?)\(?[A-J]\)?)+|A?B?C?D?E?F?G?H?I?J?")
RATIO = re.compile(r"\d+(?: ?: ?\d+)+")
RATIO_SIGN = re.compile(r" ?: ?| to ")
BACK = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


EXACT = (int, Fraction)


class Budget:
    """Comparisons that are left for a verdict, which is None without any: so it is the same on
    every machine."""

    left = STEPS


def is_right(answers: Sequence[str], gold: object) -> bool | None:
    """`Dataset.correct`: whether the answer is the gold one, or one of several; None where that is
    too much to compare."""
    golds = gold if isinstance(gold, list) else [gold]
    texts = (
        text
        for one in golds
        for text in (alternatives(one) if isinstance(one, str) else [number_text(one)])
    )
    return len(answers) > 0 and first(True, (are_same(answers[0], text) for text in texts))


@lru_cache(KEPT)
def are_same(answer: str, gold: str) -> bool | None:
    """Whether an answer is this gold one; programs of a problem often print the same."""
    ours = plainly(answer)
    theirs = plainly(gold)
    if ours and theirs:
        return same_quantities(ours, theirs)
    if (letters := letters_in(gold)) and (decided := same_letters(answer, letters)) is not None:
        return decided
    return False if apart(sketch(answer), sketch(gold)) else same(answer, gold, Budget())


@lru_cache(KEPT)
def letters_in(gold: str) -> list[str]:
    """The options that a gold answer lists, in small letters: of `A and C` or AC, a and c; [] for
    any other."""
    found = re.findall("[A-J]", gold) if LETTERS.fullmatch(gold.strip()) else []
    return sorted(map(str.lower, found)) if len(set(found)) == len(found) > 1 else []


def same_letters(answer: str, letters: list[str]) -> bool | None:
    """Whether an answer gives these options: AC, or `A and C`. `A or C` does not say which; None
    for anything else."""
    if re.search(r"\bor\b", answer):
        return False
    text = re.sub(r"^options? |\band\b|[()\[\]{},;&' ]", "", answer)
    return sorted(text) == letters if re.fullmatch("[a-j]{2,}", text) else None


@lru_cache(KEPT)
def plainly(text: str) -> tuple[Fraction, str] | None:
    """The number and the known unit, or "", of a text that is no more than these; None for any
    other."""
    found = PLAINLY.fullmatch(text) or (text[:1] == "$" and PLAINLY.fullmatch(plain_text(text)))
    return (Fraction(found[1]), found[2] or "") if found else None


def same_quantities(ours: tuple[Fraction, str], theirs: tuple[Fraction, str]) -> bool:
    """Whether two numbers are the same, in the same unit where both have one."""
    number, unit = ours
    wanted, gold_unit = theirs
    told = told_in(number, unit, gold_unit) if unit and gold_unit else number
    return told is not None and near(told, wanted)


@lru_cache(KEPT)
def sketch(text: str) -> tuple[object, tuple] | None:
    """What tells most answers apart at once: what kind an answer is, and its numbers: exact ones as
    such, None for one that is not known. None for an answer that has no sketch."""
    if len(text) > LONGEST:
        return None
    if found := plainly(text):
        return sketch_of(*found) if not AMBIGUOUS.search(found[1]) else None
    if LISTED.fullmatch(text):
        kind = "number or list" if THOUSANDS.search(text) or BY_COMMA.search(text) else "list"
        if kind == "list" or text[0] in "[{(":
            return kind, tuple(sorted(map(listed_number, LISTED_NUMBER.findall(text))))
    plain = plain_text(text)
    if len(plain) > LONGEST_WORDS or AMBIGUOUS.search(plain) or BY_COMMA.search(plain):
        return None
    plain = told(plain) if value_of(plain) is None else plain
    if (parts := plain[:1] in BRACKETS and parts_of(plain)) and parts[0] and not is_wordy(plain):
        return "list", (None,) * (len(parts) - 2)
    with suppress(OverflowError, expressions.TooLarge):
        if (value := value_of(plain)) is not None:
            return sketch_of(value, "")
        if found := quantity(plain):
            return sketch_of(*found)
        if is_mathematics(plain):
            value = expressions.roughly(plain)
            if value is None:
                value, *_ = expressions.value_at(plain, 0) or (None,)
            if isinstance(value, Fraction) and not re.search(r"\.|\de-?\d", plain):
                return "expression", (value,)
            return value if value is None else ("expression", (complex(value),))
        if not re.search(r"\d", plain) and not SPELT.search(plain) and not value_of(f"a {plain}"):
            return "words", ()
    return None


def sketch_of(number: Fraction, unit: str) -> tuple[object, tuple]:
    """A number's, or a quantity's in the first unit of its measure and in its own."""
    if not unit:
        return "number", (int(number) if number.denominator == 1 else float(number),)
    found = measure(unit)
    return found.of, (float(number * found.size), float(number))


def listed_number(text: str) -> int | float:
    """A number of a list; one without decimals as an int, which is exact."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def apart(one: tuple | None, other: tuple | None) -> bool:
    """Whether two sketches belong to different answers, by far more than any rule lets pass."""
    if one is None or other is None:
        return False
    (kind, numbers), (wanted, golds) = one, other
    if "words" in (kind, wanted):
        return "number" in (kind, wanted)
    if "number or list" in (kind, wanted):
        if not {kind, wanted} <= {"list", "number or list"}:
            return False
    elif kind != wanted:
        if "list" in (kind, wanted):
            return True
        if "number" not in (kind, wanted):  # 5 km may be a product
            return "expression" not in (kind, wanted)
        numbers = numbers[-1:]
        golds = golds[-1:]
    elif isinstance(kind, frozenset):  # in the same unit
        numbers = numbers[:1]
        golds = golds[:1]
    return len(numbers) != len(golds) or any(map(far, numbers, golds))


def far(a: complex | None, b: complex | None) -> bool:
    if type(a) in EXACT and type(b) in EXACT:
        return a != b
    with suppress(OverflowError, TypeError):  # None is not known
        return abs(a - b) > FAR * max(abs(a), abs(b)) and abs(a - b) > FAR**2
    return False


def first(decides: bool, verdicts: Iterable[bool | None]) -> bool | None:
    """The verdict that decides, where it is there; else None where that is there, or the other. It
    looks no further."""
    doubt = False
    for verdict in verdicts:
        if verdict is decides:
            return decides
        doubt |= verdict is None
    return None if doubt else not decides


def unread(answers: Sequence[str], gold: object) -> bool:
    """Whether an output held nothing that could be the answer: no text, or no number where gold is
    one."""
    golds = [
        one if isinstance(one, str) else number_text(one)
        for one in (gold if isinstance(gold, list) else [gold])
    ]
    if not len(answers):
        return True
    text = plain_text(answers[0][-LONGEST:])
    return all(value_of(one) is not None for one in golds) and not (
        re.search(r"\d", text) or is_mathematics(text)
    )


def same(answer: str, gold: str, budget: Budget) -> bool | None:
    """Whether two answers are the same: as text, as numbers, part by part, or as expressions."""
    if canonical(answer) == canonical(gold):
        return True
    budget.left -= 1
    if budget.left < 0:
        return None
    if max(len(answer), len(gold)) > LONGEST_WORDS:
        return False
    ours = plain_text(answer)
    theirs = plain_text(gold)
    verdict = False
    if (decided := same_number(ours, theirs)) is not None:
        return decided
    pair = value_of(answer), value_of(gold)
    if same_by_comma(ours, pair[1]) or same_by_comma(theirs, pair[0]):
        return True
    ours = matrices_worked_out(ours)
    if same_time(ours, theirs) or same_date(ours, theirs):
        return True
    if RATIO.fullmatch(theirs) and same_ratio(ours, theirs, pair[0]):
        return True
    if ours.count("=") == theirs.count("=") == 1 and "!" not in ours + theirs:
        verdict = ask(ours, theirs)
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
    ours = told(ours)
    theirs = told(theirs)
    if theirs in YES_OR_NO and (found := BEGINS.fullmatch(ours)):
        ours = found[1]
    if canonical(ours) == canonical(theirs) or LIKE.get(ours, ours) == LIKE.get(theirs, theirs):
        return True
    if (decided := same_number(ours, theirs)) is not None:
        return decided
    parts = parts_in(ours), parts_in(theirs)
    if all(parts):
        return same_parts(*parts, budget)
    if not any(parts) and (verdict := ask(ours, theirs)) is not False:
        return verdict
    number = pair[1] is not None and not ("%" in gold and WITH_UNIT.search(plain_text(answer)))
    rest = said(plain_text(answer), number)
    return same(rest, gold, budget) if rest not in (None, answer) else False


def near(found: Fraction, wanted: Fraction, percent: int = 0) -> bool:
    """percent: 1 where gold alone has the sign, -1 where the answer alone has: it may stand for
    hundredths or not."""
    if percent and near(found * Fraction(100) ** percent, wanted):
        return True
    if found.denominator == wanted.denominator == 1:
        return found == wanted
    most = NEAR * abs(wanted) if wanted.denominator > 1 else min(NEAR * abs(wanted), WHOLE)
    return abs(found - wanted) <= (most or NOISE)


def same_by_comma(text: str, wanted: Fraction | None) -> bool:
    """Whether a text is that number, or says it alone, with a decimal comma: 1.000,99 or 29,50
    €."""
    found = BY_COMMA.search(text) if wanted is not None and "," in text else None
    if not found or re.search(r"\d|\bnot\b", text[: found.start()] + text[found.end() :]):
        return False
    return near(Fraction(re.sub("[. ]", "", found[0]).replace(",", ".")), wanted)


def same_ratio(ours: str, theirs: str, value: Fraction | None) -> bool:
    """Whether a text is gold's ratio, or its value a fraction of that size: 3/4 is 3:4. A whole
    number is none: 3:1 may be a score."""
    terms = RATIO_SIGN.split(theirs)
    if value is None or value.denominator == 1 or len(terms) > 2:
        return RATIO_SIGN.split(ours) == terms
    return near(value * int(terms[1]), Fraction(terms[0]))


def same_number(ours: str, theirs: str) -> bool | None:
    """Whether two plain texts are the same number, with the same unit if gold has one; None where
    one is no number."""
    number = value_of(ours)
    gold = value_of(theirs)
    if number is not None and gold is not None:
        return near(number, gold, ("%" in theirs) - ("%" in ours))
    found = quantity(ours)
    wanted = quantity(theirs)
    if found and wanted:
        return same_quantities(found, wanted)
    if wanted and number is not None:
        return "%" not in ours and near(number, wanted[0])
    if found and gold is not None and found[1] != "k":  # 3k may be thousands, or a product
        return "%" not in theirs and near(found[0], gold)
    return None


# ---- parts: lists, sets, intervals, alternatives ----


@lru_cache(KEPT)
def parts_in(text: str) -> list[str]:
    """The brackets of a text and what is in them, alternatives of a `±`, or an inequality's
    interval; [] for none."""
    if text.count("±") == 1 and not parts_of(text):
        return ["", text.replace("±", "+").removeprefix("+"), text.replace("±", "-"), ""]
    if pieces := excluded(text):
        return ["∪", *pieces, "∪"] if len(pieces) > 1 else parts_of(pieces[0])
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
    return ["[[", *(row[1] for row in rows if row), "]]"] if parts and all(rows) else parts


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
    """Whether parts are the same: in any order where gold is a set, a union, or has no
    brackets. An open interval or a pair is no set, and no list of two; other brackets may be left
    out or be others."""
    (a, *ours, b), (c, *theirs, d) = ours, theirs
    kind = a + b
    wanted = c + d
    any_order = wanted in ("{}", "∪∪") or (wanted == "" and kind != "()")
    alike = kind == wanted or ({kind, wanted} == {"()", "[]"} and len(ours) > 2)
    alike |= "∪∪" not in (kind, wanted) and (
        (any_order and (kind, len(ours)) != ("()", 2)) or "" in (kind, wanted)
    )
    alike |= (kind, wanted) == ("{}", "[]")
    alike |= "[[]]" in (kind, wanted) and {kind, wanted} <= {"[[]]", "[]", "()"}
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
    if not any_order:
        return first(
            False, (same(one, other, budget) for one, other in zip(ours, theirs, strict=True))
        )
    texts = Counter(map(canonical, ours)) & Counter(map(canonical, theirs))  # first what is alike
    left, theirs = (besides(side, texts) for side in (ours, theirs))
    doubt = False
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


def besides(parts: list[str], texts: Counter) -> list[str]:
    """The parts without those of so many texts."""
    rest = texts.copy()
    kept = []
    for part in parts:
        text = canonical(part)
        if rest[text] > 0:
            rest[text] -= 1
        else:
            kept.append(part)
    return kept


# ---- expressions ----


def ask(ours: str, theirs: str) -> bool | None:
    """Whether two plain texts are the same expression: False where one is none, None where they are
    too large."""
    return is_mathematics(ours) and is_mathematics(theirs) and expressions.equal(ours, theirs)
