r"""The strict grader of own problems: an answer is right where it is the gold one's value, or the same text.

Numbers are read as people, Python and LaTeX write them: 1,234; 1/2; 7 3/4; 4e3; 50%; 2\sqrt{3}; -5 with any minus.
They agree to a relative 1e-6, whole numbers exactly. Nothing longer than 500 characters is worked out, and that by
`graders`' own arithmetic.
"""

import re
import unicodedata
from collections.abc import Sequence
from fractions import Fraction

from ..selection import number_text
from .answers import LONGEST_WORDS, closing_brace, composed, normalised, plain_words
from .graders import worked_out

NEAR = Fraction(1, 10**6)  # relative
NOISE = Fraction(1, 10**12)  # what floats make of 0
NESTED = 20  # brackets that are taken apart
BOXED = "\\boxed{"
MARKER = re.compile(r"\banswer(?:\*{0,3}:\*{0,3}|\*{0,3} is:?\*{0,3})", re.IGNORECASE)
DECIMAL = re.compile(r"[-+]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:e[-+]?\d{1,3})?", re.ASCII)
RATIO = re.compile(r"([-+]?)(?:(\d+)[ +])?(\d+)/(\d*[1-9]\d*)", re.ASCII)  # with a whole number before it or not
#: What graders' arithmetic would read, but people mean otherwise: 4!, 2020-01-05, 1.2.3, 2 3, 12(3), 1/2/2020.
NO_NUMBER = re.compile(r"!|\.\d*\.|\w [\w.(]|\d\(|/.*/")
NO_SUM = re.compile(r"(?<!e)(?<=[\d)a-z]) ?[-+]")  # but in an exponent
IN_WORDS = re.compile(
    r"(?<![\w.])(?<![a-z]-)-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+|\*10\^\(?-?\d+\)?)?(?:(?: \d+)?/\d+)?%?", re.ASCII
)
SCALES = {"thousand": "*10^3", "million": "*10^6", "billion": "*10^9", "trillion": "*10^12"}
BRACKETS = {"[": "])", "(": "])", "{": "}"}
RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")
SIGNS = str.maketrans("−–‒×·⋅÷⁄", "---***//", "") | str.maketrans({"√": "sqrt", "π": "pi", "∞": "infty"})


#: LaTeX and words in numbers → what stands for them, in this order.
REWRITTEN = (
    (r"\\left|\\right|\^ ?\{?\\circ\}?|°|\\(?=[%${}])", ""),
    (r"\{,\}", ","),
    (r"\\cdot|\\times", "*"),
    (r"\\(pi|infty)\b", r"\1"),
    (r"\\[td]?frac ?(\d) ?(\d)", r" \1/\2"),
    (r"\\[td]?frac\{(\d+)\}\{(\d+)\}", r" \1/\2"),
    (r"\\sqrt(?=\w)| *\bsqrt *", "sqrt"),
)
NESTING = (
    (r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)"),
    (r"\^\{([^{}]*)\}", r"^(\1)"),
    (r"\\[td]?frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))"),
)
IN_NUMBERS = (
    (r"[$€£¥₹]", ""),
    (r"fraction\((-?\d+), ?(\d+)\)", r"\1/\2"),
    (r"(?<![\d.,(\[{])\d{1,3}(?:,\d{3})+(?![\d,])", lambda found: found[0].replace(",", "")),
    (r"(?<=\d) ?(thousand|million|billion|trillion)\b", lambda found: SCALES[found[1]]),
    (r" ?([*/^%]) ?|(?<=\d) +(?=sqrt|pi)", r"\1"),
    (r"^([-+]) ", r"\1"),
    (r"^[\w ()*/+^-]{1,40}= ?([^=]+)$", r"\1"),
)


def read_answer(output: str) -> list[str]:
    """The one answer of an output in its canonical text, which votes compare; nothing: [].

    It is what the last \\boxed holds, or what follows the last "answer:" or "answer is" on its line, or the last line.
    """
    lines = [line for line in output.splitlines() if line.strip()]
    text = lines[-1] if lines else ""
    for line in reversed(lines):
        marked, start = MARKER.split(line), line.rfind(BOXED)
        if start >= 0:
            text = line[start : closing_brace(line, start + len(BOXED)) + 1]
            break
        if len(marked) > 1 and marked[-1].strip("*: \t"):
            text = marked[-1]
            break
    return [found] if (found := canonical(text.lstrip("#: \t"))) else []


def is_right(answers: Sequence[str], gold: object) -> bool:
    """`Dataset.correct`: whether the answer is the gold one, or one of several."""
    if isinstance(gold, list):
        return any(is_right(answers, one) for one in gold)
    return len(answers) > 0 and same(answers[0], gold if isinstance(gold, str) else number_text(gold))


def same(answer: str, gold: str) -> bool:
    """Whether two answers are the same number, the same brackets of such, or the same text.

    Where gold is a number, of a line with words its only number counts. With a percent sign on one side alone, it may
    stand for hundredths or not: 50% is 50, and is 0.5.
    """
    if canonical(answer) == canonical(gold):
        return True
    wanted = value_of(gold)
    if wanted is None:
        ours, theirs = parts_of(answer), parts_of(gold)
        if not ours or (ours[0], ours[-1], len(ours)) != (*theirs[:1], *theirs[-1:], len(theirs)):
            return False
        return all(same(one, other) for one, other in zip(ours[1:-1], theirs[1:-1], strict=True))
    if value_of(answer) is None:
        numbers = IN_WORDS.findall(_plain(answer)) if len(answer) <= LONGEST_WORDS else []
        answer = numbers[0] if len(numbers) == 1 else ""
    found = value_of(answer)
    scale = Fraction(100) ** (("%" in gold) - ("%" in answer))
    return found is not None and (_near(found, wanted) or _near(found * scale, wanted))


def _near(found: Fraction, wanted: Fraction) -> bool:
    if found.denominator == wanted.denominator == 1:
        return found == wanted
    return abs(found - wanted) <= (NEAR * abs(wanted) or NOISE)


def canonical(text: str) -> str:
    """A number's text (`50.0%`), brackets around such, or else the text without markup and blanks at signs."""
    if len(text) > LONGEST_WORDS:
        return normalised(text)
    value = value_of(text)
    if value is not None:
        exact = abs(value) > 2**53 or 0 < abs(value) < Fraction(1, 10**300)  # beyond floats
        return (str(value) if exact else number_text(float(value))) + "%" * _plain(text).endswith("%")
    if parts := parts_of(text):
        inner = [canonical(part) for part in parts[1:-1]]
        return parts[0] + ",".join(sorted(inner) if parts[0] == "{" else inner) + parts[-1]
    words = _rewritten(text)
    if single := re.fullmatch(r"\(?([a-z])\)?", words):  # an option
        return single[1]
    return re.sub(r"\s*([^\w\s])\s*", r"\1", words)


def value_of(text: str) -> Fraction | None:
    """The value of a number in plain, Python's or LaTeX's notation (of 50%, 50); None where there is none."""
    if len(text) > LONGEST_WORDS:
        return None
    text = _plain(text).removesuffix("%")
    if DECIMAL.fullmatch(text):
        return Fraction(text)
    if ratio := RATIO.fullmatch(text):
        value = int(ratio[2] or 0) + Fraction(int(ratio[3]), int(ratio[4]))
        return -value if ratio[1] == "-" else value
    surds = "sqrt" in text or "pi" in text
    if not surds and (NO_NUMBER.search(text) or NO_SUM.search(text)):
        return None
    value = worked_out(text)
    return None if value is None else Fraction(value)


def _plain(text: str) -> str:
    """A text as numbers are read in it: without markup, currency and thousands separators, in ASCII where it can be."""
    text = re.sub(r"(?<=\d)[\u2009\u202f\u00a0](?=\d{3}(?!\d))", ",", text)
    return substituted(_rewritten(text), IN_NUMBERS).strip()


def _rewritten(text: str) -> str:
    """A text normalised, its LaTeX, raised digits, fractions in one sign and kinds of minus as plain text has them."""
    text = RAISED.sub(lambda found: f"^({composed('NFKC', found[0])})", plain_words(text))
    text = "".join(f" {c}" if unicodedata.decomposition(c).startswith("<fraction>") else c for c in text)
    text, before = substituted(normalised(text).translate(SIGNS), REWRITTEN), None
    while text != before and len(text) <= LONGEST_WORDS:
        before, text = text, substituted(text, NESTING)
    return text.strip()


def substituted(text: str, rules: Sequence[tuple]) -> str:
    """A text with what each of the rules, pairs of a pattern and what takes its place, makes of it in turn."""
    for pattern, plain in rules:
        text = re.sub(pattern, plain, text, flags=re.ASCII)
    return text


def parts_of(text: str) -> list[str]:
    """The opening bracket, what stands between commas, and the closing one; [] where there are no such parts."""
    text = _rewritten(text) if len(text) <= LONGEST_WORDS else ""
    if text[:1] not in BRACKETS or text[-1] not in BRACKETS[text[0]] or sum(map(text.count, BRACKETS)) > NESTED:
        return []
    parts, depth = [""], 0
    for sign in text[1:-1]:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return []
        if sign == "," and not depth:
            parts.append("")
        else:
            parts[-1] += sign
    return [text[0], *parts, text[-1]] if len(parts) > 1 and not depth else []
