"""Answers that are text: how they are read from what a program printed, and how texts are compared.

A program's answer is all that it printed. Votes compare its key, rules of grading its letters: `read_text` gives the
key first and, where they differ, the printed text last. Letters never have more votes than their key.
"""

import math
import re
from collections.abc import Sequence

from ..selection import number_text
from .answers import LONGEST

DECIMAL = re.compile(r"[-+]?(\d+(?:\.\d*)?|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)


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


def is_one_of(answers: Sequence[str], values: Sequence[str]) -> bool:
    """TroVE's rule for text: all that was printed is one of the gold values, whose own dashes stay as they are."""
    return len(answers) > 0 and plain_text(printed(answers)) in {value.strip().lower() for value in values}
