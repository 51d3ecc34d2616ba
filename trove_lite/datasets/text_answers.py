"""Answers that are text: how they are read from what a program printed, and the two ways of comparing text.

A program's answer is all that it printed. Votes compare its key, rules of grading its letters: `read_text` gives the
key first and, where they differ, the printed text last. Letters never have more votes than their key.
"""

import ast
import math
import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress

from ..selection import number_text
from .answers import LONGEST, composed

DECIMAL = re.compile(r"[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)
#: What ends a text and does not count, read backwards: marks and brackets (at the very start only around a number), and
#: details in parentheses.
CITATIONS = re.compile(r"(?:[•♦†‡*#+]|\][^\]]*\[(?!\Z)|\][0-9]+\[\Z)*")
DETAILS = re.compile(r"(?:\)[^)]*\( (?!\Z))*")
PLAIN = str.maketrans({**dict.fromkeys("‘’´`", "'"), **dict.fromkeys("“”", '"'), **dict.fromkeys("‐‑‒–—−", "-")})


def read_text(output: str) -> list[str]:
    """What a program printed as one answer: its key, and the text as printed where that is another. Nothing: []."""
    text = output.strip()
    return list(dict.fromkeys([answer_key(text), text])) if text else []


def printed(answers: Sequence[str]) -> str:
    """From what `read_text` gave, the text as it was printed."""
    return answers[-1] if len(answers) else ""


def answer_key(text: str) -> str:
    """What makes two answers the same: the value, of a plain number; else the text less case and kind of dash."""
    if len(text) <= LONGEST and DECIMAL.fullmatch(text) and math.isfinite(value := float(text)):
        return number_text(value)
    return plain_text(text)


def plain_text(text: str) -> str:
    """TroVE's text for comparison (`utils/eval.py`): stripped, lower case, a hyphen for an en dash."""
    return text.strip().lower().replace("–", "-")


def is_one_of(text: str, values: Sequence[str]) -> bool:
    """TroVE's rule for text: all that was printed is one of the gold values, whose own dashes stay as they are."""
    return plain_text(text) in {value.strip().lower() for value in values}


def printed_items(text: str) -> list[str]:
    """The items of an answer, for evaluators that compare lists.

    The papers do not say how a program prints several: a list, tuple or set in Python's notation is its elements; of
    anything else each line that is not blank is an item.
    """
    if text[:1] + text[-1:] in ("[]", "()", "{}") and len(text) <= LONGEST:
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            if isinstance(value := ast.literal_eval(text), list | tuple | set):
                return [str(item) for item in value]
    return [line.strip() for line in text.splitlines() if line.strip()]


def normal_text(text: str) -> str:
    """Text as the evaluators of WikiTableQuestions and HiTab compare it.

    Without diacritics, with plain quotes and dashes; without trailing citations ("[2]", "†") and details in
    parentheses, outermost quotation marks and one final period; in lower case, with single blanks.
    """
    decomposed = composed("NFKD", text)
    text = "".join(c for c in decomposed if unicodedata.category(c) != "Mn").translate(PLAIN)
    before = None
    while text != before and len(text) <= LONGEST:
        before = text
        text = _without_quotes(without_end(without_end(text.strip(), CITATIONS).strip(), DETAILS).strip())
    return re.sub(r"\s+", " ", text.removesuffix(".")).lower().strip()


def without_end(text: str, end: re.Pattern) -> str:
    """A text less what the pattern finds at its end. It reads backwards, for that takes time linear in the text."""
    return text[: len(text) - end.match(text[::-1]).end()]


def _without_quotes(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1] else text
