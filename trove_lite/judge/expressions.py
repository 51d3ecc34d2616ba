"""Whether two texts are the same expression: read by a grammar of our own, and worked out by
mpmath, within limits.

Nothing a text says is evaluated as Python, and every step has a bounded size: a power, a factorial
or an exponential that would be larger than `BITS` ends the reading with TooLarge, on any machine.
So no process need be ended, and the verdict does not hang on how fast a machine is.

Two expressions are the same where their values are at points drawn by their names (Schwartz and
Zippel's test): to 100 digits, or to a relative 1e-6 where one of them has a decimal point. An
equation is the same as a multiple of it.
"""

import math
import operator
import random
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fractions import Fraction
from functools import cache, lru_cache

#: What a text may call, and mpmath's name of it.
FUNCTIONS = {"abs": "fabs", "ceiling": "ceil", "ln": "log"}
FUNCTIONS |= {
    name: name
    for name in (
        *("log", "exp", "sqrt", "factorial", "binomial", "floor", "gamma", "re", "im"),
        *("sin", "cos", "tan", "sec", "csc", "cot", "sinh", "cosh", "tanh"),
    )
}
FUNCTIONS |= {
    f"{a}{name}": f"a{name}"
    for a in ("a", "arc")
    for name in ("sin", "cos", "tan", "sec", "csc", "cot")
}
#: What is worked out here.
OWN = {
    "cbrt": lambda reader, x: reader.raised(x, Fraction(1, 3)),
    "root": lambda reader, x, n: reader.raised(x, reader.both(operator.truediv, Fraction(1), n)),
    "max": lambda reader, *values: max(values, key=reader.as_float),
    "min": lambda reader, *values: min(values, key=reader.as_float),
    "rational": lambda reader, a, b=Fraction(1): reader.both(operator.truediv, a, b),
    "integer": lambda reader, a: a,
}
#: Of whole numbers, exactly.
EXACT = {
    "factorial": math.factorial,
    "gamma": lambda n: math.factorial(n - 1),
    "binomial": math.comb,
    "fabs": abs,
    "floor": int,
    "ceil": int,
    "re": int,
    "im": lambda n: 0,
}
CONSTANTS = {"pi": "pi", "e": "e", "i": "j", "j": "j", "infty": "inf"}
WORDS = re.compile(r"\w+")
GREEK = WORDS.findall(
    "alpha beta delta epsilon theta lambda mu nu xi rho sigma tau phi varphi chi psi omega"
)
UNITS = WORDS.findall(
    "km cm mm nm kg mg lb lbs oz ml dl ft in yd mi hr hrs min sec ms am pm hz pa kw mw mph kph pts"
)
KNOWN = {*FUNCTIONS, *OWN, *CONSTANTS, *GREEK}
NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,4}(?![\d.]))?"
NAME = "|".join(sorted((name for name in KNOWN if len(name) > 1), key=len, reverse=True))
TOKEN = re.compile(
    rf"({NUMBER})|((?:{NAME})(?![a-z])(?:_\d+)?|[a-z]+(?:_[a-z\d]+|\d)*)|(\*\*|[-+*/^()!|,=])",
    re.ASCII,
)
LONGEST = 500  # characters
DEEPEST = 60  # brackets within brackets
DIGITS = 120, 260  # at which all is worked out: what differs between them is noise
BITS = 20_000  # of an exact number, and of an exponent of two
WHOLE = 2_000  # the largest number of which there is an exact factorial
ARGUMENT = 100_000  # the largest of exponentials, factorials and gamma
NEAR, NOISE, ZERO = 1e-6, 1e-12, 100  # relative; absolute; digits
POINTS = 4  # the last of them negative


class TooLarge(Exception):
    """A number of more digits than are worked out."""


@lru_cache(20_000)
def tokens_of(text: str) -> list[str]:
    """Numbers, names and signs; `xy` is two names, as in 2xy. [] for what is no expression."""
    tokens = []
    at = 0
    before = ""
    gap = False
    text = text.strip()
    while found := TOKEN.match(text, at):
        token = found[0]
        at = found.end()
        word = bool(found[2]) and token.partition("_")[0] not in KNOWN
        if word and (token in UNITS or (len(token) > 2 - gap and before[-1:].isalnum())):
            return []  # words, one after the other, or a number of something
        if (
            len(before) > 2 - gap
            and before.isalpha()
            and before not in KNOWN
            and (found[1] or found[2])
        ):
            return []
        split = word and len(token) == 2 and token.isalpha()
        tokens += token if split else [token]
        before = token
        gap = text[at : at + 1] == " "
        while text[at : at + 1] == " ":
            at += 1
    return tokens if at == len(text) and len(text) <= LONGEST else []


@lru_cache(20_000)
def is_expression(text: str) -> bool:
    """Whether a text, in lower case, is mathematics and not words: no lone name, and no word beside
    another."""
    tokens = tokens_of(text)
    return bool(tokens) and (len(tokens) > 1 or not tokens[0].isalpha() or tokens[0] in CONSTANTS)


class Reader:
    """One expression's value, a Fraction where it is exact, at a point; ValueError for what is
    none."""

    def __init__(self, tokens: list[str], mp, point: int):
        self.tokens = tokens
        self.mp = mp
        self.point = point
        self.at = self.depth = 0
        self.names: set[str] = set()

    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def takes(self, *signs: str) -> str:
        found = self.next()
        self.at += found in signs
        return found if found in signs else ""

    def whole(self):
        value = self.sum()
        if self.next():
            raise ValueError
        return value

    def deeper(self, read: Callable):
        self.depth += 1
        if self.depth > DEEPEST:
            raise ValueError
        value = read()
        self.depth -= 1
        return value

    def sum(self):
        value = self.product()
        while sign := self.takes("+", "-"):
            value = self.both(SIGNS[sign], value, self.product())
        return value

    def product(self):
        value = self.power()
        while self.next() not in ("", "+", "-", ")", "|", ",", "="):
            value = self.both(SIGNS[self.takes("*", "/") or "*"], value, self.power())
        return value

    def power(self):
        minus = False
        while sign := self.takes("-", "+"):
            minus ^= sign == "-"
        value = self.atom()
        while self.takes("!"):
            value = self.of("factorial", value)
        if self.takes("^", "**"):
            value = self.raised(value, self.deeper(self.power))
        return -value if minus else value

    def atom(self):
        token = self.next()
        self.at = self.at + 1
        if token in ("(", "|"):
            value = self.deeper(self.sum)
            if not self.takes(")" if token == "(" else "|"):
                raise ValueError
            return value if token == "(" else self.of("fabs", value)
        if token[:1].isdigit() or token[:1] == ".":
            return self.number(token)
        name, _, index = token.partition("_")
        if name in FUNCTIONS or name in OWN:
            return self.call(name, index)
        if not token[:1].isalpha():
            raise ValueError
        if token in CONSTANTS:
            return getattr(self.mp, CONSTANTS[token]) * 1
        self.names.add(token)
        return drawn(token, self.point)

    def call(self, name: str, index: str):
        """sin(x), sin x, sin^2(x), log_2(8), root(8, 3)."""
        raised = self.power_of_name()
        if self.takes("("):
            values = [self.deeper(self.sum)]
            while self.takes(","):
                values.append(self.deeper(self.sum))
            if not self.takes(")"):
                raise ValueError
        else:
            values = [self.deeper(self.power)]
            while self.next() not in KNOWN_CALLS and re.match(r"[a-z\d]", self.next()):
                values = [self.both(operator.mul, values[0], self.power())]
        if index:
            values.append(Fraction(index))
        value = OWN[name](self, *values) if name in OWN else self.of(FUNCTIONS[name], *values)
        return self.raised(value, Fraction(raised))

    def power_of_name(self):
        if (
            self.next() == "^"
            and self.at + 1 < len(self.tokens)
            and self.tokens[self.at + 1].isdigit()
        ):
            self.at += 2
            return int(self.tokens[self.at - 1])
        return 1

    # ---- arithmetic: exact while numbers are fractions of few digits, else in mpmath's ----

    def number(self, token: str) -> Fraction:
        if token.isdigit():
            return Fraction(int(token))
        digits, _, power = token.partition("e")
        if abs(int(power or 0)) > BITS // 4:
            raise TooLarge
        return Fraction(digits) * Fraction(10) ** int(power or 0)

    def as_float(self, value):
        if not isinstance(value, Fraction):
            return value
        return self.mp.mpf(value.numerator) / value.denominator

    def both(self, sign: Callable, a, b):
        if not (isinstance(a, Fraction) and isinstance(b, Fraction)):
            a = self.as_float(a)
            b = self.as_float(b)
        return self.bounded(sign(a, b))

    def bounded(self, value):
        if isinstance(value, Fraction):
            long = max(value.numerator.bit_length(), value.denominator.bit_length()) > BITS
            return self.as_float(value) if long else value
        return value

    def raised(self, base, power):
        if power == 1:
            return base
        if isinstance(base, Fraction) and isinstance(power, Fraction) and power.denominator == 1:
            bits = max(base.numerator.bit_length(), base.denominator.bit_length())
            if bits * abs(power) <= BITS:
                return base ** int(power)
        return self.raised_inexact(self.as_float(base), self.as_float(power))

    def raised_inexact(self, base, power):
        if not base:
            if self.mp.re(power) > 0:
                return Fraction(0)
            raise ZeroDivisionError
        if not self.mp.isfinite(base) or not self.mp.isfinite(power):
            raise ZeroDivisionError
        if (abs(self.mp.mag(base)) + 1) * abs(power) > BITS * 20:
            raise TooLarge
        return base**power

    def of(self, name: str, *values):
        """A function's value, by mpmath's name of it."""
        whole = all(isinstance(one, Fraction) and one.denominator == 1 for one in values)
        if whole and name in EXACT and (name == "fabs" or all(0 <= one <= WHOLE for one in values)):
            with suppress(ValueError):
                return Fraction(EXACT[name](*map(int, values)))
        return self.inexact(name, *map(self.as_float, values))

    def inexact(self, name: str, *values):
        most = ARGUMENT if name in GROWING else 10.0**ZERO
        if not all(self.mp.isfinite(one) for one in values):
            raise ZeroDivisionError
        if any(abs(one) > most for one in values):
            raise TooLarge
        if name in ("floor", "ceil"):
            nearest = self.mp.nint(values[0])
            if abs(values[0] - nearest) < self.mp.mpf(10) ** -ZERO:
                return nearest
        return getattr(self.mp, name)(*values)


class Rough(Reader):
    """The same in floats, many times as fast; ArithmeticError where rounding could show in six
    digits."""

    grown = 1.0  # by how much, at most, a rounding error may have grown

    def sure(self, value, grows=1.0):
        """A value, after a step by which errors grow so much."""
        self.grown *= max(grows, 1.0)
        if not (1e-99 < abs(value) < 1e99 and self.grown < 1e7):
            raise ArithmeticError
        return value

    def both(self, sign: Callable, a, b):
        value = super().both(sign, a, b)
        if isinstance(value, Fraction):
            return value
        adds = sign in (operator.add, operator.sub)
        return self.sure(value, max(abs(a), abs(b)) / abs(value) if adds else 1.0)

    def raised_inexact(self, base, power):
        self.off_cuts(base if power % 1 else 1.0)
        return self.sure(base**power, abs(power) * (1 + abs(math.log(abs(base)))))

    def inexact(self, name: str, x, *more):
        function = getattr(self.mp, name)
        if more or name in ("floor", "ceil"):
            raise ArithmeticError
        value = function(self.off_cuts(x))
        if type(value) is not type(x) and name not in OTHER_KIND:
            raise ArithmeticError
        return self.sure(value, abs(function(x * (1 + 1e-8)) / value - 1) * 1e8)

    def off_cuts(self, value):
        """A value, where no function jumps near it."""
        if value.imag and min(abs(value.real), abs(value.imag)) < 1e-3 * abs(value):
            raise ArithmeticError
        return value


SIGNS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
OTHER_KIND = {
    "sqrt",
    "log",
    "fabs",
    "re",
    "im",
}  # real of what is complex, or complex of what is real
GROWING = {"exp", "factorial", "gamma", "binomial", "sinh", "cosh", "tanh"}
KNOWN_CALLS = {*FUNCTIONS, *OWN}
UNDEFINED = (ArithmeticError, ValueError, TypeError, IndexError, AttributeError)
ONE_AT_A_TIME = threading.Lock()  # mpmath's contexts change their precision while they work


@cache
def contexts() -> tuple:
    """mpmath at both precisions."""
    from mpmath import MPContext

    found = tuple(MPContext() for _ in DIGITS)
    for mp, digits in zip(found, DIGITS, strict=True):
        mp.dps = digits
    return found


@lru_cache(1000)
def drawn(name: str, point: int) -> Fraction:
    """The value of a name at a point, the same in every expression."""
    hundredths = random.Random(f"{name} {point}").randint(101, 299)
    return Fraction(-hundredths if point == POINTS - 1 else hundredths, 100)


@lru_cache(20_000)
def value_at(text: str, point: int) -> tuple:
    """An expression's value at one of the points, None where it has none there, and whether names
    are in it; () for what is no expression. Raises TooLarge."""
    tokens = tokens_of(text)
    rough, fine = contexts()
    reader = Reader(tokens, rough, point)
    try:
        with ONE_AT_A_TIME:
            value = reader.whole()
            if not isinstance(value, Fraction):
                value = settled(value, Reader(tokens, fine, point).whole())
    except ZeroDivisionError:
        value = None
    except OverflowError as error:
        raise TooLarge from error
    except UNDEFINED:
        return ()
    return value, bool(reader.names)


def roughly(text: str) -> Fraction | complex | None:
    """`value_at` the first point, in floats, where they tell it to six digits; None elsewhere."""
    from mpmath import fp

    reader = Rough(tokens_of(text), fp, 0)
    try:
        value = reader.whole()
        return value if isinstance(value, Fraction) else complex(reader.sure(value))
    except UNDEFINED:
        return None


def values_of(text: str) -> Iterator:
    """An expression's values, point by point: most pairs part at the first. Raises TooLarge, and
    ValueError for what is no expression."""
    named = False
    for point in range(POINTS):
        # unpacking (), which is no expression, is a ValueError
        value, named = value_at(text, point * named)
        yield value


def settled(rough, value):
    """A value by what it is at both precisions: 0 where it is but noise, None where it has no
    bound."""
    mp = contexts()[1]
    value = number(mp, value)
    rough = mp.mpmathify(rough)
    if not mp.isfinite(value):
        return None if mp.isnan(value) else value
    if abs(value - rough) <= abs(value) * mp.mpf(10) ** -ZERO:
        return value
    small = mp.mpf(10) ** -(ZERO // 2)
    if abs(value) <= small * abs(rough):
        return Fraction(0)
    return value if abs(rough) > small * abs(value) else None


def equal(one: str, other: str) -> bool | None:
    """Whether two texts are the same expression, or equation; False where one of them is neither,
    None where they are too large to tell."""
    texts = [text.split("=") for text in (one, other)]
    if len(texts[0]) != len(texts[1]) or len(texts[0]) > 2:
        return False
    equation = len(texts[0]) == 2
    if equation:
        texts = [[f"({left})-({right})"] for left, right in texts]
    near = bool(re.search(r"\.|\de-?\d", one + other))
    compare = same_multiples if equation else same_values
    try:
        return compare(*(values_of(text) for (text,) in texts), near=near)
    except TooLarge:
        return None
    except ValueError:
        return False


def same_multiples(ours: Iterable, theirs: Iterable, near: bool) -> bool | None:
    """Whether the values of two equations, left less right, are in one ratio at all points."""
    ours = [*ours]
    theirs = [*theirs]
    if ours[0] == ours[1] or not all([*ours[:-1], *theirs[:-1]]):
        return False
    mp = contexts()[1]
    with ONE_AT_A_TIME:
        ratios = [
            number(mp, u) / number(mp, v) for u, v in zip(ours, theirs, strict=True) if u and v
        ]
    return same_values(ratios, ratios[:1] * len(ratios), near)


def same_values(ours: Iterable, theirs: Iterable, near: bool) -> bool | None:
    """Whether values are the same, point by point; None where they are larger than the digits that
    are compared."""
    mp = contexts()[1]
    doubt = False
    for point, (x, y) in enumerate(zip(ours, theirs, strict=True)):
        if x is None or y is None:
            return False
        exact = isinstance(x, Fraction) and isinstance(y, Fraction)
        if exact and not near:
            if x != y:
                return False
            continue
        with ONE_AT_A_TIME:
            x = number(mp, x)
            y = number(mp, y)
            if point == POINTS - 1 and (x.imag or y.imag):
                continue  # roots and logarithms are meant of what is positive
            if not (mp.isfinite(x) and mp.isfinite(y)):
                if x != y:
                    return False
                continue
            size = max(abs(x), abs(y))
            off = abs(x - y)
            noise = size * mp.mpf(10) ** -ZERO
            if off > (NEAR * size if near and x and y else NOISE if near else noise):
                return False
            doubt |= not near and size > mp.mpf(10) ** ZERO
    return None if doubt else True


def number(mp, value):
    return mp.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else value
