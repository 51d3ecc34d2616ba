"""The value of a text that is plain arithmetic: numbers, pi, roots, logarithms, powers, factorials,
in linear time."""

import math
import re
from collections import deque

TOKEN = re.compile(
    r"\s*(?:(\d+(?:\.\d*)?(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?)|(pi|sqrt|ln)|(\*\*|[-+*/^()!]))",
    re.ASCII,
)
LARGEST_POWER = 1000.0


def worked_out(text: str) -> float | None:
    """The value of numbers, pi, roots and logarithms with signs between them; None for any other
    text, or too much."""
    tokens = deque()
    at = 0
    text = text.strip()
    while found := TOKEN.match(text, at):
        tokens.append(found[found.lastindex or 0])
        at = found.end()
    try:
        value = _sum(tokens) if at == len(text) else math.nan
        return value if not tokens and math.isfinite(value) else None
    except (ArithmeticError, ValueError, IndexError, TypeError, RecursionError):
        return None


def _sum(tokens: deque[str]) -> float:
    """The value of the sum at the front; as below, its tokens are taken away."""
    value = _product(tokens)
    while tokens and tokens[0] in "+-":
        value += _product(tokens)  # with its sign
    return value


def _product(tokens: deque[str]) -> float:
    """Factors with signs between them, or without: 2pi, 3(4)."""
    value = _signed(tokens)
    while tokens and tokens[0] not in ("+", "-", ")"):
        sign = tokens.popleft() if tokens[0] in ("*", "/") else ""
        value = value / _signed(tokens) if sign == "/" else value * _signed(tokens)
    return value


def _signed(tokens: deque[str]) -> float:
    if tokens[0] in ("+", "-"):
        return -_signed(tokens) if tokens.popleft() == "-" else _signed(tokens)
    value = _atom(tokens)
    while tokens and tokens[0] == "!":
        tokens.popleft()
        value = float(math.factorial(int(value))) if value == int(value) <= 170 else math.nan
    if tokens and tokens[0] in ("^", "**"):
        tokens.popleft()
        power = _signed(tokens)
        if abs(power) > LARGEST_POWER:
            raise OverflowError
        value = value**power
    return value


def _atom(tokens: deque[str]) -> float:
    match tokens.popleft():
        case "(":
            value = _sum(tokens)
            if tokens.popleft() != ")":
                raise ValueError
            return value
        case "pi":
            return math.pi
        case "sqrt":
            return math.sqrt(_atom(tokens))
        case "ln":
            return math.log(_atom(tokens))
        case number:
            return float(number)
