"""Whether two texts are the same expression: read by a grammar of our own, compared by sympy, in the sandbox alone.

`is_expression` only looks at tokens, and is safe anywhere. `equal` may take all time and memory there is (`9^9^9`): the
judge sends this file to the sandbox as a program. No text is ever evaluated as Python, so none can do anything else.

Two expressions are the same where their values are at points drawn with a fixed seed (Schwartz and Zippel's test): to
100 digits, or to a relative 1e-6 where one of them has a decimal point. An equation is the same as a multiple of it.
"""

import random
import re

FUNCTIONS = {
    "ln": "log",
    "log": "log",
    "exp": "exp",
    "sqrt": "sqrt",
    "cbrt": "cbrt",
    "root": "root",
    "abs": "Abs",
}
FUNCTIONS |= {
    name: name
    for name in ("factorial", "binomial", "floor", "ceiling", "gamma", "max", "min", "re", "im")
}
FUNCTIONS |= {
    name: name for name in ("sin", "cos", "tan", "sec", "csc", "cot", "sinh", "cosh", "tanh")
}
FUNCTIONS |= {
    f"{a}{name}": f"a{name}"
    for a in ("a", "arc")
    for name in ("sin", "cos", "tan", "sec", "csc", "cot")
}
FUNCTIONS |= {"max": "Max", "min": "Min", "rational": "Rational", "integer": "Integer"}
CONSTANTS = {"pi": "pi", "e": "E", "i": "I", "j": "I", "infty": "oo"}
WORDS = re.compile(r"\w+")
GREEK = WORDS.findall(
    "alpha beta delta epsilon theta lambda mu nu xi rho sigma tau phi varphi chi psi omega"
)
UNITS = WORDS.findall(
    "km cm mm nm kg mg lb lbs oz ml dl ft in yd mi hr hrs min sec ms am pm hz pa kw mw mph kph pts"
)
KNOWN = {*FUNCTIONS, *CONSTANTS, *GREEK}
NUMBER = r"(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,4}(?![\d.]))?"
NAME = "|".join(sorted((name for name in KNOWN if len(name) > 1), key=len, reverse=True))
TOKEN = re.compile(
    rf"({NUMBER})|((?:{NAME})(?![a-z])(?:_\d+)?|[a-z]+(?:_[a-z\d]+|\d)*)|(\*\*|[-+*/^()!|,=])",
    re.ASCII,
)
LONGEST = 500  # characters
DEEPEST = 60  # brackets within brackets
DIGITS = 30  # and up to ten times as many, until two values part
NEAR, NOISE, ZERO = "1e-6", "1e-12", "1e-100"


def tokens_of(text: str) -> list[str]:
    """Numbers, names and signs; `xy` is two names, as in 2xy. [] for what is no expression."""
    tokens, at, before, gap, text = [], 0, "", False, text.strip()
    while found := TOKEN.match(text, at):
        token, at = found[0], found.end()
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
        before, gap = token, text[at : at + 1] == " "
        while text[at : at + 1] == " ":
            at += 1
    return tokens if at == len(text) and len(text) <= LONGEST else []


def is_expression(text: str) -> bool:
    """Whether a text, in lower case, is mathematics and not words: no lone name, and no word beside another."""
    tokens = tokens_of(text)
    return bool(tokens) and (len(tokens) > 1 or not tokens[0].isalpha() or tokens[0] in CONSTANTS)


class Reader:
    """One expression's tokens → sympy's object; ValueError for what is none."""

    def __init__(self, tokens: list[str]):
        import sympy

        self.sympy, self.tokens, self.at, self.depth = sympy, tokens, 0, 0

    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def takes(self, *signs: str) -> str:
        found = self.next()
        self.at += found in signs
        return found if found in signs else ""

    def whole(self):
        value = self.sum()
        if self.next() or not isinstance(value, self.sympy.Expr):
            raise ValueError
        return value

    def sum(self):
        self.depth += 1
        if self.depth > DEEPEST:
            raise ValueError
        value = self.product()
        while sign := self.takes("+", "-"):
            value = value + self.product() if sign == "+" else value - self.product()
        self.depth -= 1
        return value

    def product(self):
        value = self.power()
        while self.next() not in ("", "+", "-", ")", "|", ",", "="):
            over = self.takes("*", "/") == "/"
            value = value / self.power() if over else value * self.power()
        return value

    def power(self):
        if sign := self.takes("-", "+"):
            return -self.power() if sign == "-" else self.power()
        value = self.atom()
        while self.takes("!"):
            value = self.sympy.factorial(value)
        return value ** self.power() if self.takes("^", "**") else value

    def atom(self):
        token, self.at = self.next(), self.at + 1
        if token in ("(", "|"):
            value = self.sum()
            if not self.takes(")" if token == "(" else "|"):
                raise ValueError
            return value if token == "(" else self.sympy.Abs(value)
        if re.fullmatch(NUMBER, token):
            return self.sympy.Rational(token)
        name, _, index = token.partition("_")
        if name in FUNCTIONS:
            return self.call(name, index)
        if not token[:1].isalpha():
            raise ValueError
        return (
            getattr(self.sympy, CONSTANTS[token])
            if token in CONSTANTS
            else self.sympy.Symbol(token)
        )

    def call(self, name: str, index: str):
        """sin(x), sin x, sin^2(x), log_2(8), root(8, 3)."""
        raised = self.power_of_name()
        if self.takes("("):
            values = [self.sum()]
            while self.takes(","):
                values.append(self.sum())
            if not self.takes(")"):
                raise ValueError
        else:
            values = [self.power()]
            while self.next() not in FUNCTIONS and re.match(r"[a-z\d]", self.next()):
                values = [values[0] * self.power()]
        if index:
            values.append(self.sympy.Integer(index))
        return getattr(self.sympy, FUNCTIONS[name])(*values) ** raised

    def power_of_name(self):
        if (
            self.next() == "^"
            and self.at + 1 < len(self.tokens)
            and self.tokens[self.at + 1].isdigit()
        ):
            self.at += 2
            return int(self.tokens[self.at - 1])
        return 1


def equal(one: str, other: str) -> bool:
    """Whether two texts are the same expression, or equation; False where one of them is neither."""
    from sympy import Float, Rational

    texts = [text.split("=") for text in (one, other)]
    if len(texts[0]) != len(texts[1]) or len(texts[0]) > 2:
        return False
    try:
        sides = [[Reader(tokens_of(side)).whole() for side in text] for text in texts]
    except (ValueError, TypeError, IndexError, AttributeError, ZeroDivisionError):
        return False
    equation = len(texts[0]) == 2
    a, b = (side[0] - side[1] if equation else side[0] for side in sides)
    if a == b:
        return True
    if not (a.is_finite is not False and b.is_finite is not False):
        return False
    near = Rational(NEAR) if re.search(r"\.|\de-?\d", one + other) else 0
    names, draw, ratios = sorted(a.free_symbols | b.free_symbols, key=str), random.Random(0), []
    for sign in (1, 1, 1, -1) if names else (1,):
        at = {name: sign * Rational(draw.randint(101, 299), 100) for name in names}
        u, v = a.subs(at), b.subs(at)
        if equation:
            if u.equals(0) or v.equals(0):
                return False
            ratios.append(u / v)
            u, v = ratios[-1], ratios[0]
        x, y, off = (value.evalf(DIGITS, maxn=DIGITS * 10) for value in (u, v, u - v))
        if not all(value.is_number and value.is_finite for value in (x, y, off)):
            return False
        if sign < 0 and not (
            x.is_real and y.is_real
        ):  # roots and logarithms are meant of what is positive
            continue
        if (u - v).is_Rational and not near:
            if u != v:
                return False
            continue
        size = max(abs(x), abs(y))
        noise = Float(NOISE if near else ZERO, DIGITS)
        if abs(off) > (near * size if near and x and y else noise * (1 if near else size)):
            return False
    return not equation or len(ratios) > 1
