"""Two graders of numeric answers: CREATOR's `released`, which differs by method, and `one_answer`,
the same for all.

`released` accepts any number that a program prints, unless it prints the marker; of words it reads
the first number after the marker. `one_answer` reads one answer from every text. Both compare as
the released program at its last commit does (`agrees`), for gold answers that are numbers, without
symbolic algebra.
"""

import re
from collections.abc import Sequence
from contextlib import suppress

from trove_lite.judge.answers import LONGEST as FAR_TOO_LONG
from trove_lite.judge.answers import NUMBER, plain_words
from trove_lite.judge.arithmetic import worked_out
from trove_lite.judge.canonical import number_text

MARKER = "Final Answer:"
#: Where the one-answer grader finds it, in chat's bold type too.
MARKED = re.compile(r"Final Answer(?:\*{1,3}:|:(?:\*{1,3})?)")
#: How a text is read by `released`: what a program printed, what a model said, what it said after a
#: tool's answer, what a program printed in tool transfer, whose script has a rule of its own.
KINDS = ("program", "words", "continued", "transfer")
#: Two answers are the same where they differ by less (CREATOR's own change to the grader that it
#: cites).
TOLERANCE = 0.01

UNITS = re.compile(
    r"(?:degree|centimeter|cm|meter|mile|second|minute|hour|day|week|month|year|foot|feet|inch|yard)"
    r"(?:es)?s? *(?:\^\d+)?"
)
POWERS = {"million": "*10^6", "billion": "*10^9"}
LATEX = {
    r"\cdot": "*",
    r"\times": "*",
    r"\pi": "pi",
    r"\sqrt": "sqrt",
    r"\left": "",
    r"\right": "",
    r"\!": "",
}
THOUSANDS = re.compile(r"(\d),(\d{3})(?!\d)")
FRACTION = re.compile(r"\\[td]?frac\{([^{}]*)\}\{([^{}]*)\}")
LONGEST = 500  # characters of what is worked out


def released(text: str, gold: float, kind: str = "program") -> bool:
    """CREATOR's verdict at its last commit: whether one of the answers is right that it reads in
    this kind of text. Tool transfer (`test_transfer.py`) accepts any number printed that is gold
    rounded to two decimals, whatever is around it."""
    if kind == "transfer":
        printed = dict.fromkeys(NUMBER.findall(text))
        return any(round(float(number), 2) == round(gold, 2) for number in printed)
    if kind == "program":
        answers = [text.split(MARKER)[1].strip()] if MARKER in text else NUMBER.findall(text)
    elif kind == "words":
        answers = NUMBER.findall(text.split(MARKER)[-1])[:1]
    else:
        answers = NUMBER.findall(text.partition(MARKER)[2])
    return any(agrees(answer, gold) for answer in dict.fromkeys(answers))


def one_answer(text: str, gold: float) -> bool:
    answer = the_answer(text)
    return answer is not None and agrees(answer, gold)


def the_answer(text: str) -> str | None:
    """What follows the last marker on its line, without markup; where nothing does, the last
    number; or None."""
    *_, rest = MARKED.split(text)
    line = plain_words(rest.split("\n")[0]) if len(rest) < len(text) else ""
    return line or next(reversed(NUMBER.findall(text)), None)


def answer_number(text: str) -> float | None:
    """The one answer as a number: its value, or else the last number in it (of "18 cookies",
    18)."""
    answer = the_answer(text) or ""
    value = value_of(answer)
    if value is None and (found := NUMBER.findall(THOUSANDS.sub(r"\1\2", answer))):
        value = float(found[-1])
    return value


def read_one(output: str) -> list[str]:
    """`Dataset.read` by the one-answer grader: a number's canonical text where it is one."""
    answer = the_answer(output)
    if answer is None:
        return []
    value = value_of(answer)
    return [answer if value is None else number_text(value)]


def one_is_correct(answers: Sequence[str], gold: float) -> bool:
    return len(answers) > 0 and agrees(answers[0], gold)


def agrees(answer: str, gold: float) -> bool:
    """Whether a text is the gold number: the same value to within 0.01, or the same characters."""
    if re.sub(r"\s", "", answer).rpartition("=")[2] == repr(gold) and answer.find("=") <= 2:
        return True
    value = value_of(answer)
    return value is not None and (value == gold or abs(gold - value) < TOLERANCE)


def value_of(text: str) -> float | None:
    """The value of an answer as text; None where it has none.

    As the released program reads them: `$`, `%` and units do not count, "7 3/4" is a mixed number
    (so "18 8" is 26), two lines have no value, nor has 2^10, for its exponent has two digits.
    """
    text = _plain(text) if len(text) <= FAR_TOO_LONG else ""
    with suppress(ValueError):
        value = float(text)
        # in digits of other scripts the released program reads whole numbers only
        return value if text.isascii() or value.is_integer() else None
    if not text.isascii():
        return None
    if len(text) > LONGEST or re.search(r"\^\d\d|\^\(|\^\d+\^|\s[\w.(]", text):
        return None
    return worked_out(text)


def _plain(text: str) -> str:
    text = text.strip()
    if wrapped := re.fullmatch(r"\\text\{(.+?)\}", text):
        text = wrapped[1]
    text = re.sub(r" (?:or|and) ", ",", re.sub(r"\\?[$%]", "", text))
    for word, power in POWERS.items():
        text = text.replace(word, power)
    text = re.sub(r"\^ *\\circ|\^\{\\circ\}", "", UNITS.sub("", text))
    text = FRACTION.sub(r" \1/\2", text)
    for command, plain in LATEX.items():
        text = text.replace(command, plain)
    text = re.sub(r"(\d) +(\d)", r"\1+\2", re.sub(r"- *", "-", text))
    text = re.sub(r"[{} ]", "", text).lower()
    text = re.sub(r"[+-]0\.?0*j(?=\)|$)", "", text)  # a complex number without an imaginary part
    while (fewer := THOUSANDS.sub(r"\1\2", text)) != text:
        text = fewer
    return text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text
