"""From what a program printed to its answers, as canonical text, and whether they are right.

Numbers follow the official rule (TroVE, appendix B; `utils/eval.py`): every match of a plain number
pattern is an answer, only the first is graded, rounded to two decimals. 1e-05 reads 1, then -5, and
3/4 reads 3: that is reproduced. Texts follow a rule of our own: the last line printed is the
answer, whole, compared `normalised`. Of WTQ and HiTab all that was printed is one answer: votes
compare its key, TroVE's rule its letters, which never have more votes than that.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress

from .canonical import number_text

QUOTES = "\"'`“”‘’ "
NUMBER = re.compile(r"-?\d++(?:\.\d*+)?+")  # with digits of every script, as the official rule
DECIMAL = re.compile(r"[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)
LONGEST = 10_000  # characters: nothing longer is a number, or one answer
MARKS = 30  # combining marks after one letter, as many as Unicode's stream-safe text may have
LONGEST_WORDS = 500  # characters of an answer in words that is rid of markup
#: What LaTeX is wrapped in, up to its brace; what encloses mathematics; emphasis, where it is
#: no multiplication.
WRAPPER = re.compile(r"\\(?:boxed|fbox|mbox|text[a-z]{0,8}|math[a-z]{2,4})\s?\{")
MATH = re.compile(r"\\[()\[\]]|\\[,;! ]|(?<!\\)\$(?=\S)([^$]*)(?<=\S)\$(?!\d)")
EMPHASIS = re.compile(r"(?<![\w*)])(\*{1,3})(?=[^\s*])([^*]*)(?<=\S)\1(?![\w*(])")


def read_numbers(output: str) -> list[str]:
    """Every number in a program's output, in order: the canonical texts of exact floats."""
    found = NUMBER.findall(output)
    known = {text: number_text(float(text)) for text in set(found)}
    return [known[text] for text in found]


def first_number(output: str) -> str | None:
    """The first that `read_numbers` finds."""
    found = NUMBER.search(output)
    return found and number_text(float(found[0]))


def graded(answers: Sequence[str]) -> str | None:
    """The answer that is graded: the first, or None."""
    return answers[0] if len(answers) else None


def is_correct(answer: str | None, gold: float) -> bool:
    """Whether a number's text agrees with gold after rounding to two decimals (TroVE, appendix B:
    within 1e-6)."""
    return answer is not None and abs(round(float(answer), 2) - round(gold, 2)) < 1e-6


def number_is_correct(answers: Sequence[str], gold: float) -> bool:
    """`Dataset.correct` for numbers: whether the graded one agrees with gold."""
    return is_correct(graded(answers), gold)


def normalised(text: str) -> str:
    """A text without what does not matter: case, spacing, forms of one character, quotes around it,
    a full stop."""
    plain = " ".join(composed("NFKC", text).casefold().split())
    return plain.strip(QUOTES).removesuffix(".").strip(QUOTES)


def composed(form: str, text: str) -> str:
    """`unicodedata.normalize` in time linear in the text: one with very many marks on a letter
    stays as it is, and so does what is too long to be an answer."""
    marks = 0
    if len(text) > LONGEST:
        return text
    for sign in "" if text.isascii() else text:
        marks = marks + 1 if unicodedata.combining(sign) else 0
        if marks > MARKS:
            return text
    return unicodedata.normalize(form, text)


def plain_words(text: str) -> str:
    r"""An answer in words without the markup that chat models write: `**7**`, `\boxed{7}`, `\(7\)`,
    `18\text{ cm}`."""
    text = text.strip()
    if len(text) > LONGEST_WORDS:
        return text
    while "\\" in text and (found := WRAPPER.search(text)):
        end = closing_brace(text, found.end())
        text = text[: found.start()] + text[found.end() : end] + text[end + 1 :]
    if "\\" in text or "$" in text:
        text = MATH.sub(r"\1", text)
    if "*" in text:
        text = EMPHASIS.sub(r"\2", text)
    return text.strip("*` \t\n")


def closing_brace(text: str, start: int) -> int:
    """Where the brace ends that is open before `start`; the text's end for none within 500
    characters."""
    depth = 1
    for at in range(start, min(len(text), start + LONGEST_WORDS)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if not depth:
            return at
    return len(text)


def read_last_line(output: str) -> list[str]:
    """The last line that says something: a number's canonical text where it is a plain number, else
    normalised."""
    last = next(filter(None, map(normalised, reversed(output.rstrip().splitlines()))), "")
    is_number = len(last) <= LONGEST and NUMBER.fullmatch(last)
    return [number_text(float(last)) if is_number else last] if last else []


def text_is_correct(answers: Sequence[str], gold: float | str) -> bool:
    """`Dataset.correct` where some answers are texts: the same normalised, or a gold number and the
    first number."""
    if isinstance(gold, str):
        return graded(answers) == normalised(gold)
    if not len(answers):
        return False
    with suppress(ValueError):
        if answers[0].isascii():
            return is_correct(answers[0], gold)
    return is_correct(first_number(answers[0]), gold)


def read_text(output: str) -> list[str]:
    """What a program printed as one answer: its key, and the text as printed where that is another.
    Of nothing the empty text, which has a vote by the official rules."""
    text = output.strip()
    return list(dict.fromkeys([answer_key(text), text]))


def printed(answers: Sequence[str]) -> str:
    """From what `read_text` gave, the text as it was printed."""
    return answers[-1] if len(answers) else ""


def answer_key(text: str) -> str:
    """What makes two answers the same: the value, of a plain number; else the text less case and
    kind of dash."""
    if len(text) <= LONGEST and DECIMAL.fullmatch(text) and math.isfinite(value := float(text)):
        return number_text(value)
    return as_compared(text)


def as_compared(text: str) -> str:
    """TroVE's text for comparison (`utils/eval.py`): stripped, lower case, a hyphen for an en
    dash."""
    return text.strip().lower().replace("–", "-")


def read_compared(output: str) -> list[str]:
    """All that was printed as one answer, as TroVE's program counts votes for it: 5 and 5.0 are two
    answers, and nothing printed is one."""
    return [as_compared(output)]


def is_one_of(answers: Sequence[str], values: Sequence[str]) -> bool:
    """TroVE's rule for text: all that was printed is one of the gold values, whose own dashes stay
    as they are."""
    return len(answers) > 0 and as_compared(printed(answers)) in {
        value.strip().lower() for value in values
    }
