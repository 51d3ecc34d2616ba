r"""Answers as people, Python, sympy and LaTeX write them → plain text, numbers and parts. `judge`
compares them.

Numbers: 1,234; 1/2; 7 3/4; 4e3; 6.02 × 10^23; 50%; 2\sqrt{3}; -5 with any minus. Nothing longer
than 500 characters is worked out, and that by `arithmetic`, or exactly where there are no roots.
"""

import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .answers import LONGEST_WORDS, closing_brace, composed, normalised, plain_words
from .arithmetic import worked_out
from .canonical import number_text
from .expressions import is_expression
from .units import AS_WORDS


class Rule(NamedTuple):
    """What takes the place of a pattern, and the text without which there is none."""

    sub: Callable
    plain: str | Callable
    needs: str


class Rules(NamedTuple):
    """Rules in their order, and what finds whether a text holds anything that one of them needs:
    seldom does it."""

    each: tuple[Rule, ...]
    any_needed: Callable


def rules(needed: str, *given: tuple) -> Rules:
    """Rules from patterns, what takes their place, and perhaps what a text must hold. needed: a
    pattern without which none of them is found."""
    each = tuple(
        Rule(
            re.compile(pattern, re.ASCII).sub,
            plain,
            *(needs or ("",)),
        )
        for pattern, plain, *needs in given
    )
    return Rules(each, re.compile(needed, re.ASCII).search)


NESTED = 40  # brackets that are taken apart
LINES = 20  # of one answer
KEPT = 1 << 15  # texts whose reading is kept: a table is judged, and named after that
LONGEST_OUTPUT = 20_000  # characters, from its end, in which the answer is looked for
BOXED = "\\boxed{"
MARKER = re.compile(r"\banswer(?:\*{0,3}:\*{0,3}|\*{0,3} is:?\*{0,3})", re.IGNORECASE)
BETWEEN_BOXES = re.compile(r"(?:[\s,$\\()\[\].;]|\\q?quad|\\text\{\s?(?:and|or)\s?\}|and|or)*")
PRINTED_SERIES = re.compile(r"(?:Name: .*, )?dtype: \w+")  # what pandas writes under one
DECIMAL = re.compile(r"[-+]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:e[-+]?\d{1,3})?", re.ASCII)
PLAIN = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?", re.ASCII)  # what most programs print
RATIO = re.compile(
    r"([-+]?)(?:(\d+)[ +])?(\d+)/(\d*[1-9]\d*)", re.ASCII
)  # with a whole number before it or not
POWER = re.compile(
    r"([-+]?)(?:(\d{1,40}(?:\.\d{0,40})?)\*)?(\d{1,3})(?:\^|\*\*)\(?([-+]?\d{1,3})\)?", re.ASCII
)
NUMBERS = re.compile(
    r"-?[\d.]+(?:e[-+]?\d+)?(?: +-?[\d.]+(?:e[-+]?\d+)?)+", re.ASCII
)  # as numpy prints them
#: A number with a decimal comma, where that is no list: 1000,99; 1.000,99; 0,5; 29,50 €.
BY_COMMA = re.compile(
    r"(?<![\d.,])-?(?:\d{1,3}(?:[. ]\d{3}){1,5}|\d{4,40}|0(?=,\d\d)|\d{1,3}(?=,\d\d ?(?:[$€£]|usd|eur|gbp)))"
    r",\d{1,40}(?![\d.,])",
    re.ASCII,
)
SPACED = re.compile(r"-?\d{1,3}(?: \d{3})+", re.ASCII)
#: What `arithmetic` would read, but people mean otherwise: 4!, 2020-01-05, 1.2.3, 2 3, 12(3),
#: 1/2/2020.
NO_NUMBER = re.compile(r"!|\.\d*\.|\w [\w.(]|\d\(|/.*/")
NO_SUM = re.compile(r"(?<!e)(?<=[\d)a-z]) ?[-+]")  # but in an exponent
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
ONES += "fifteen sixteen seventeen eighteen nineteen"
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
SMALL = {word: n for n, word in enumerate(ONES.split())}
SMALL |= {word: n for n, word in zip(range(20, 100, 10), TENS.split(), strict=True)}
NAMED_PARTS = {"half": 2, "third": 3, "quarter": 4}
NAMED_PARTS |= {"fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7}
NAMED_PARTS |= {"eighth": 8, "ninth": 9, "tenth": 10}
PARTS = re.compile(rf"([a-z -]+)[ -]((?:{'|'.join(NAMED_PARTS)})s?)")
SETS = {"a dozen": 12, "a hundred": 100, "a thousand": 1000, "a million": 10**6}
LARGE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
SCALES = {"thousand": "*10^3", "million": "*10^6", "billion": "*10^9", "trillion": "*10^12"}
BRACKETS = {"[": "])", "(": "])", "{": "}"}
DEEPER = dict.fromkeys("([{", 1) | dict.fromkeys(")]}", -1)
SPLITS = re.compile(r"([][(){},;])")
RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
ARABIC = str.maketrans("٫٬", ".,")  # the decimal and the thousands separator
SIGNS = str.maketrans("−–‒×·⋅÷⁄", "---***//", "") | str.maketrans(
    {"√": "sqrt", "π": "pi", "∞": "infty", "≤": "<=", "≥": ">=", "≠": "!=", "⋃": "∪"}
)
#: With brackets right around it, or without.
MATRIX = re.compile(
    r"(?P<open>(?:\\left ?)?[\[(] ?)?\\begin\{(?P<kind>[a-z]?matrix|array)\}(?:\{[a-z|]*\})?"
    r"(?P<rows>.*?)\\end\{(?P=kind)\}(?(open) ?(?:\\right ?)?[\])])",
    re.DOTALL,
)
#: A set of what is so: {x | x < 1 or x > 4}. Its parts are no elements.
SUCH_THAT = re.compile(r"\{ ?[a-z](?: ?∈ ?\w+)? ?[|:].*[<>≠]")

#: LaTeX's commands → what is left of them, before anything else is read.
NAMED = {
    "le": "<=",
    "leq": "<=",
    "ge": ">=",
    "geq": ">=",
    "lt": "<",
    "gt": ">",
    "ne": "!=",
    "neq": "!=",
    "approx": "=",
}
NAMED |= {
    "div": "/",
    "pm": "±",
    "cup": "∪",
    "in": "∈",
    "circ": "°",
    "vert": "|",
    "mid": "|",
    "land": " and ",
    "lor": " or ",
    "lvert": "|",
    "rvert": "|",
}
COMMANDS = rules(
    r"[\\$~]",
    (r"(?<=R) ?\\ ?(?=\{)", "∖", "\\"),
    (r"^\s*\${1,2}([^$]+)\${1,2}\s*$", r"\1", "$"),
    (r"\\(?:left|right|big|bigl|bigr|displaystyle|limits)(?![a-zA-Z])|\\[!,]", "", "\\"),
    (r"(?<!\S)\$\s+([^$]{1,400}?)\s+\$", r"\1", "$"),
    (r"\\[;:]|\\q?quad(?![a-zA-Z])|~", " "),
    (r"\\(?:operatorname|textnormal)\*?\{([^{}]*)\}", r"\1", "\\"),
    (r"(?<=[\d})]) ?\\approx.*", "", "\\"),
    (rf"\\({'|'.join(NAMED)})(?![a-zA-Z])", lambda found: NAMED[found[1]], "\\"),
    (r"\\cfrac|\\[td]frac", r"\\frac", "\\"),
    (r"\\[td]binom", r"\\binom", "\\"),
)
#: LaTeX and words in numbers → what replaces them, in this order.
REWRITTEN = rules(
    r"[^\x20-\x7e]|[$\\_]|\{,|sq|cu\.|usd|eur|gbp|jpy|inr|percent|pct|oo|inf|[\])] ?u| x |\d ?'|\d ?[a-z]+\.(?=$| ?\d)",
    (r"(?:\^ ?\{?°\}?|°) ?c(?![a-z])", " celsius", "°"),
    (r"(?:\^ ?\{?°\}?|°) ?f(?![a-z])", " fahrenheit", "°"),
    (
        r"\b(\d{1,9})\.(\d{0,9})\\overline\{(\d{1,9})\}",
        lambda found: str(_recurring(*found.groups())),
        "\\",
    ),
    (r"\\(?=[%${}])", "", "\\"),
    (r"\{,\}", ",", "{"),
    (r"(?<![\w.])(\d{1,3}(?:_\d{3})+)(?!\w)", lambda found: found[1].replace("_", ""), "_"),
    *AS_WORDS,
    (r"(?<=[\])]) ?(?:u|union) ?(?=[\[(])", "∪"),
    (r" ?(?:\\setminus|\\backslash)\b ?", "∖", "\\"),
    (r"\^ ?\{?°\}?|°", "", "°"),
    (r"(?<=[\d)}]) ?(?:percent(?:age)?|pct)\b", "%"),
    (r"\\cdot|\\times|(?<=\d) x (?=10 ?(?:\^|\*\*))", "*"),
    (r"\boo\b|\binf(?:inity)?\b|\\infty\b", "infty"),
    (r"\\frac ?(\d) ?(\d)", r" \1/\2", "\\"),
    (r"\\frac\{(\d+)\}\{(\d+)\}", r" \1/\2", "\\"),
    (r"\\frac ?(\d) ?\{", r"\\frac{\1}{", "\\"),
    (r"(\\frac\{[^{}]*\}) ?([\da-z])", r"\1{\2}", "\\"),
    (r"\\sqrt(?=\w)| *\bsqrt *", "sqrt"),
    (r"\\sqrt\[(\d+)\]\{([^{}]*)\}", r"root(\2,\1)", "\\"),
    (r"([a-z])_\{(\w+)\}", r"\1_\2", "_"),
)
NESTING = rules(
    r"[\\^]",
    (r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)", "\\"),
    (r"\^\{([^{}]*)\}", r"^(\1)", "^"),
    (r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", "\\"),
    (r"\\binom\{([^{}]*)\}\{([^{}]*)\}", r"binomial(\1,\2)", "\\"),
)
THOUSANDS = rules(
    ",",
    (
        r"(?<![\d.,(\[{])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])",
        lambda found: found[0].replace(",", ""),
        ",",
    ),
)
SCALED = r"(?<=\d) ?(thousand|million|billion|trillion)\b", lambda found: SCALES[found[1]]
LARGE_NUMBERS = rules("thousand|illion", SCALED)
#: Digits in groups of three, with a thin blank or LaTeX's between them.
GROUPED = rules(
    r"[\u2009\u202f\u00a0\\]",
    (r"(?<=\d)(?:[\u2009\u202f\u00a0]|(?:,?\\[,!] ?)+)(?=\d{3}(?!\d))", ","),
)
IN_NUMBERS = rules(
    r"[$€£¥₹,=*/^%]|fraction|thousand|illion| sqrt| pi|^[-+] ",
    (r"[$€£¥₹]", ""),
    (r"fraction\((-?\d+), ?(\d+)\)", r"\1/\2", "fraction("),
    (
        r"(?<![\d.,(\[{])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])",
        lambda found: found[0].replace(",", ""),
        ",",
    ),
    SCALED,
    (r" (?=[*/^%])|(?<=[*/^%]) |(?<=\d) +(?=sqrt|pi)", ""),
    (r"^([-+]) ", r"\1"),
    (r"^(?:[a-z_][\w ]{0,39}|[\d ()*/+^.-]{1,40})= ?([^=]+)$", r"\1", "="),
)
#: Signs that Python and sympy put around sets, matrices and intervals.
PRINTED = rules(
    r"[(∅\]]|infty|\{\}|varnothing",
    (r"\b(?:immutabledense|mutabledense|immutable)?matrix\((\[.*\])\)", r"\1", "matrix("),
    (r"(?<=\]) (?=\[)", ",", "] ["),
    (r"\b(?:np\.)?array\((\[.*?\])(?:, dtype=\w+)?\)", r"\1", "array("),
    (r"\b(?:np\.)?(?:float|int)\d+\(([^()]*)\)", r"\1", "("),
    (r"\b(?:finiteset|set|frozenset)\(([^()]*)\)", r"{\1}", "set("),
    (r"\binterval\(([^(),]*), ?([^(),]*)\)", r"[\1,\2]", "interval("),
    (r"\binterval\.open\(([^(),]*), ?([^(),]*)\)", r"(\1,\2)", "interval."),
    (r"\binterval\.lopen\(([^(),]*), ?([^(),]*)\)", r"(\1,\2]", "interval."),
    (r"\binterval\.ropen\(([^(),]*), ?([^(),]*)\)", r"[\1,\2)", "interval."),
    (
        r"\bunion\(([\[(].*[\])])\)",
        lambda found: re.sub(r"(?<=[\])]), ?(?=[\[(])", "∪", found[1]),
        "union(",
    ),
    (r"^eq\((.*), ?([^,]*)\)$", r"\1=\2", "eq("),
    (r"\b(?:decimal|mpf)\('([^']*)'\)", r"\1", "('"),
    (r"^(?:set\(\)|\{\}|varnothing|∅)$", "emptyset"),
    (r"^poly\(([^,]*),.*\)$", r"\1", "poly("),
    (r"\[ ?-infty", "(-infty", "infty"),
    (r"infty ?\]", "infty)", "infty"),
)


def read_answer(output: str) -> list[str]:
    """The one answer of an output in its canonical text, which votes compare; nothing: []. It is
    what the last \\boxed holds, or what follows the last "answer:" or "answer is" on its line, or
    else the last line, with those before it that its brackets begin in. A `None` after other lines
    is what a function without a result returned, and says nothing."""
    lines = [line for line in output[-LONGEST_OUTPUT:].splitlines() if line.strip()]
    while len(lines) > 1 and lines[-1].strip() == "None":
        lines.pop()
    if len(lines) > 1 and PRINTED_SERIES.fullmatch(lines[-1].strip()):
        value = _in_series(lines[-2])
        above = _in_series(lines[-3] if len(lines) > 2 else "")
        if value:
            lines = lines[-1:] if above else [value]
    for at in reversed(range(len(lines))):
        marked = MARKER.split(lines[at])
        start = lines[at].rfind(BOXED)
        if start >= 0:
            return _one(_boxed("\n".join([lines[at], *lines[at + 1 : at + LINES]])))
        if len(marked) > 1 and marked[-1].strip("*: \t"):
            return _one(marked[-1])
    lines = [line for line in lines if re.search(r"[^\W_]|[∞∅½¼¾]", line)] or lines
    text = "\n".join(lines[-1:])
    for line in reversed(lines[-LINES:-1]):
        if sum(map(text.count, "([{")) >= sum(map(text.count, ")]}")) and text.count(
            r"\end"
        ) <= text.count(r"\begin"):
            break
        text = f"{line}\n{text}"
    return _one(text)


def _in_series(line: str) -> str:
    """The value on a line of a printed series, two blanks or more after its name; "" where there is
    none."""
    *name, value = line.split() or [""]
    before = line.rstrip().removesuffix(value)
    return value if name and not before[-2:].strip() else ""


def _one(text: str) -> list[str]:
    return [found] if (found := canonical(text.lstrip("#: \t"))) else []


def _boxed(text: str) -> str:
    """What the last box of a text holds; of boxes in a row, with no more than "and" between them,
    all of them."""
    found = []
    at = text.find(BOXED)
    end = -1
    line = text.find("\n") if "\n" in text else len(text)
    while 0 <= at < line:
        if found and not BETWEEN_BOXES.fullmatch(text[end + 1 : at]):
            found = []
        end = closing_brace(text, at + len(BOXED))
        found.append(text[at + len(BOXED) : end])
        at = text.find(BOXED, end)
    return ", ".join(dict.fromkeys(found))


@lru_cache(KEPT)
def canonical(text: str) -> str:
    """A number's text (`50.0%`), brackets around such, or else the text without markup and blanks
    at signs."""
    if len(text) > LONGEST_WORDS:
        return normalised(text)
    value = value_of(text)
    if value is not None:
        exact = abs(value) > 2**53 or 0 < abs(value) < Fraction(1, 10**300)  # beyond floats
        return (str(value) if exact else number_text(float(value))) + "%" * _plain(text).endswith(
            "%"
        )
    if (parts := parts_of(text)) and parts[0]:
        inner = [canonical(part) for part in parts[1:-1]]
        return parts[0] + ",".join(sorted(inner) if parts[0] == "{" else inner) + parts[-1]
    words = numbers_bare(plain_text(text)).rstrip(",;:")
    if option := re.fullmatch(
        r"(?:the )?(?:correct |right |best )?(?:(?:option|choice)(?: is)?:? )?\(?([a-z])\)?", words
    ):
        return option[1]
    if parts or not is_wordy(words):
        words = re.sub(r"\s+(?=[^\w\s,])|(?<=[^\w\s,])\s+", "", words)
    if parts or is_wordy(words):
        return re.sub(
            rf"({BY_COMMA.pattern})|\s*([,;])\s*", lambda found: found[1] or f"{found[2]} ", words
        )
    return re.sub(r"\s*,\s*", ",", words)


def numbers_bare(text: str) -> str:
    """A plain text, its numbers without currency before them and commas in them."""
    return substituted(re.sub(r"[$€£¥₹] ?(?=[-.\d])", "", text), THOUSANDS)


@lru_cache(KEPT)
def is_mathematics(text: str) -> bool:
    """Whether a plain text is an expression that sympy may be asked about. 2-3 is a score, and
    12(3) is none."""
    if not re.search(r"[a-z]", text) and (
        NO_NUMBER.search(text) or ("(" not in text and NO_SUM.search(text))
    ):
        return bool(re.fullmatch(r"\d+!", text))
    return is_expression(text)


@lru_cache(KEPT)
def is_wordy(text: str) -> bool:
    """Whether there are words in a text, which blanks part; in mathematics they do not count."""
    return not is_expression(text) and bool(re.search(r"[^\W\d_]{2,} +\S|\S +[^\W\d_]{2,}", text))


@lru_cache(KEPT)
def value_of(text: str) -> Fraction | None:
    """The value of a number in plain, Python's or LaTeX's notation (of 50%, 50); None where there
    is none."""
    if len(text) > LONGEST_WORDS:
        return None
    if PLAIN.fullmatch(text):
        return Fraction(text)
    text = _plain(text).removesuffix("%")
    if text[:1].isalpha() and (number := spelt(text)) is not None:
        return Fraction(number)
    if SPACED.fullmatch(text):
        text = text.replace(" ", "")
    if DECIMAL.fullmatch(text):
        return Fraction(text)
    if ratio := RATIO.fullmatch(text):
        value = int(ratio[2] or 0) + Fraction(int(ratio[3]), int(ratio[4]))
        return -value if ratio[1] == "-" else value
    if (power := POWER.fullmatch(text)) and (int(power[3]) or not power[4].startswith("-")):
        value = Fraction(power[2] or 1) * Fraction(int(power[3])) ** int(power[4])
        return -value if power[1] == "-" else value
    surds = "sqrt" in text or "pi" in text
    if not surds and (NO_NUMBER.search(text) or NO_SUM.search(text)):
        return None
    value = worked_out(text)
    return None if value is None else Fraction(value)


def spelt(text: str) -> Fraction | int | None:
    """The number that is written in words: twenty-one, one hundred and five, two thirds, a dozen."""
    if found := PARTS.fullmatch(text.replace("halves", "halfs")):
        many = spelt(found[1]) if found[1] != "a" else 1
        one = found[2] in NAMED_PARTS
        below = NAMED_PARTS.get(found[2]) or NAMED_PARTS[found[2].removesuffix("s")]
        return Fraction(many, below) if many and (many == 1) == one else None
    if text in SETS:
        return SETS[text]
    words = re.split(r"[ -]", re.sub(r"(?<=d|n) and ", " ", text))
    minus = words[0] in ("minus", "negative")
    total = group = 0
    for word in words[minus:] or [""]:
        if word == "hundred" and (0 < group < 10 or (9 < group < 100 and group % 10)):
            group *= 100
        elif word in LARGE and group:
            total = total + group * LARGE[word]
            group = 0
        elif word in SMALL and (group % 100 == 0 or (group % 10 == 0 < SMALL[word] < 10)):
            if group % 100 and group % 100 < 20:
                return None
            group += SMALL[word]
        else:
            return None
    return (-1 if minus else 1) * (total + group)


@lru_cache(KEPT)
def _plain(text: str) -> str:
    """A text as numbers are read in it: without markup, currency and thousands separators, in ASCII
    where it can be."""
    return substituted(plain_text(substituted(text, GROUPED)), IN_NUMBERS).strip()


@lru_cache(KEPT)
def plain_text(text: str) -> str:
    """A text normalised, its LaTeX, raised digits, fractions in one sign and kinds of minus as
    plain text has them; a longer one than LONGEST_WORDS normalised alone, for the patterns look
    ahead from each of its signs."""
    if len(text) > LONGEST_WORDS:
        return normalised(text)
    if "\\begin" in text:
        text = MATRIX.sub(_rows, text)
    text = plain_words(substituted(text, COMMANDS))
    if not text.isascii():
        text = "".join(str(unicodedata.decimal(sign, sign)) for sign in text.translate(ARABIC))
        text = RAISED.sub(lambda found: f"^({composed('NFKC', found[0])})", text)
        text = re.sub(r"(?<=\d)(?=[¼-¾⅐-⅞])", " ", text)
    text = substituted(normalised(text).translate(SIGNS), REWRITTEN)
    before = None
    while text != before and len(text) <= LONGEST_WORDS:
        before = text
        text = substituted(text, NESTING)
    if len(text) <= LONGEST_WORDS:
        if "\\" in text:
            text = re.sub(r"\\([a-z]+(?:_\w+)?)", r" \1 ", text)
        text = substituted(text, PRINTED)
    return " ".join(text.split())


def _recurring(whole: str, first: str, again: str) -> Fraction:
    """0.1\\overline{6} → 1/6."""
    return Fraction(f"{whole}.{first or 0}") + Fraction(
        int(again), 10 ** len(first) * (10 ** len(again) - 1)
    )


@lru_cache(KEPT)
def matrices_worked_out(text: str) -> str:
    """Of matrices of numbers with signs between them one matrix, without words before it; any other
    text as it is."""
    found = re.split(r"(\[\[[^\[\]]*\](?:, ?\[[^\[\]]*\])*\])", text)
    if (
        not 1 < len(found) < NESTED
        or found[-1]
        or not re.fullmatch(r"(?:(?!.*\bnot\b)[a-z ]+(?: is|:) ?)?-?", found[0])
    ):
        return text
    terms = []
    for sign, matrix in zip(found[::2], found[1::2], strict=False):
        rows = [
            [value_of(cell) for cell in row.split(",")]
            for row in re.findall(r"\[([^\[\]]+)\]", matrix)
        ]
        if len(set(map(len, rows))) != 1 or any(None in row for row in rows):
            return text
        rows = np.array(rows)
        if terms and sign.strip() in ("", "*") and terms[-1].shape[1] == len(rows):
            terms[-1] = terms[-1] @ rows
        elif not terms or sign.strip() in ("+", "-"):
            terms.append(-rows if sign.endswith("-") or sign.strip() == "-" else rows)
        else:
            return text
    if len({term.shape for term in terms}) > 1:
        return text
    with suppress(ValueError):  # of more digits than Python prints
        return "[" + ",".join(f"[{','.join(map(str, row))}]" for row in sum(terms)) + "]"
    return text


def _rows(found: re.Match) -> str:
    """A matrix of LaTeX's as Python's: [[1,2],[3,4]]."""
    rows = [row.split("&") for row in found["rows"].split("\\\\") if row.strip()]
    return "[" + ",".join(f"[{','.join(map(str.strip, row))}]" for row in rows) + "]"


def substituted(text: str, given: Rules) -> str:
    """A text with what each of the rules makes of it in turn."""
    if given.any_needed(text):
        for sub, plain, needs in given.each:
            if needs in text:
                text = sub(plain, text)
    return text


@lru_cache(KEPT)
def parts_of(text: str) -> list[str]:
    """The opening bracket, the parts between commas, and the closing one; [] where there are no
    such parts. Brackets may be left out ("" then), "and" and "or" part as commas do, and blanks do
    in what numpy prints: [1 2 3]."""
    text = plain_text(text) if len(text) <= LONGEST_WORDS else ""
    if not text or sum(map(text.count, BRACKETS)) > NESTED or SUCH_THAT.match(text):
        return []
    opened = closed = ""
    if text[0] in BRACKETS and text[-1] in BRACKETS[text[0]] and (inner := _split(text[1:-1])):
        opened = text[0]
        closed = text[-1]
        parts = inner
        if len(parts) == 1 and opened == "[" and NUMBERS.fullmatch(parts[0]):
            parts = parts[0].split()
    else:
        parts = text.split() if NUMBERS.fullmatch(text) else _split(text)
        if any(is_wordy(part) or not part for part in parts):
            return []
    return [opened, *parts, closed] if len(parts) > 1 else []


def _split(text: str) -> list[str]:
    """A text at its commas, semicolons, "and" and "or" outside of brackets; [] where brackets
    do not fit."""
    text = re.sub(
        r"(?<=\b[a-z\d]) ?& ?(?=[a-z\d]\b)", " and ", re.sub(r"^both (?=.* (?:and|&) )", "", text)
    )
    text = re.sub(r"[,;]?\s*\b(?:and|or)\b\s*", ",", text)
    parts = [""]
    depth = 0
    for piece in SPLITS.split(text):
        depth += DEEPER.get(piece, 0)
        if depth < 0:
            return []
        if piece in (",", ";") and not depth:
            parts.append("")
        else:
            parts[-1] += piece
    parts = [part.strip() for part in parts]
    return (
        []
        if depth
        else [part for part in parts if part]
        if len(parts) > 1 and parts[-2:].count("")
        else parts
    )
