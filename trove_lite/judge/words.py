"""What a line in words says that the answer is: `x = 5` → 5, `The total cost is $29.00.` → 29, `5 km` → 5 and km."""

import re

from . import expressions
from .values import is_mathematics, numbers_bare, parts_of, value_of

POWER = r"(?:(?:\^|\*\*)\(?-?\d\)?)?"
UNIT = rf"(?:square |cubic )?[a-z]+{POWER}(?:/[a-z]+{POWER})?"
GLUED = rf"(?:{'|'.join(expressions.UNITS)}|[mgshlkwv]){POWER}(?:/[a-z]+{POWER})?"  # 5km
GLUED_ALONE = re.compile(GLUED, re.ASCII)
NUMBER = re.compile(
    r"(?<![\w.])(?<!\d:)(?<![a-z]-)-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+|\*10\^\(?-?\d+\)?)?"
    r"(?:(?: \d+)?/\d+)?%?(?![\w:])",
    re.ASCII,
)
AFTER_NUMBER = re.compile(
    rf"(?<=[\d%])(?: (?!\w+\(|(?:and|or|is|are)\b){UNIT}|{GLUED})(?![\w(*/^+])", re.ASCII
)
SHORT = re.compile(rf"\(?-?[\d.][-\d./ e*^()%]*\)?(?: ?{GLUED}|(?: {UNIT}){{0,2}})", re.ASCII)
MEASURED = re.compile(rf"(.*?[\d)]) ?({UNIT}(?: {UNIT}){{0,2}})", re.ASCII)
OPTION = re.compile(r"\(?([a-z])\)?|\(([a-z])\) .+")
#: After these words stands the answer, whatever numbers stand before them.
WORD = r"\b(?:is|are|was|equals|that|gives)\b"
SAYS = re.compile(
    rf"(?:{WORD}|[a-z)\d]:) (?:(?:about|approximately|equal to|exactly) )?(.*?)(?={WORD}|[a-z)\d]: |$)"
)
#: In a line with one of these, no number is the answer.
SIGNS = re.compile(
    r"[a-z_)] ?[*/^+|<>]|[*/^+|<>] ?[a-z_(]|[a-z)] - |\d - [a-z(]|[a-z]\(|[±{]|\bnot \d|\band an? "
)
#: What may stand before "=" and say no more than what the value is of: x, x_1, f(x), |AB|, (p, q), area.
NAMED = re.compile(
    r"(?:\|?[a-z]{1,2}(?:_\w+)?\|?|[a-z](?:_\w+)?\([a-z]\)|\([a-z](?:, ?[a-z])*\)|[a-z]{3,}) ?[=∈] ?([^=<>]+)"
)
#: Of a measure: what may follow its unit, and says no more of how much it is.
BESIDES = re.compile(
    r" (?:left|remaining|long|away|old|tall|high|wide|deep|altogether|in (?:all|total)|of [a-z ]+)$"
)
ASIDE = re.compile(
    r"^(?:after|in|for|at|with|of) [^,]*, (?=[a-z])|,? \b(?:after|because|since)\b.*"
)
COMPARISON = re.compile(r"\b[a-z] ?[<>]=? ?-?[\d./]*\d\b")
TIME = re.compile(
    r"(?<![\d:.])(\d{1,2})(?::(\d\d(?::\d\d)?))?(?: ?([ap])\.?m\b\.?)?(?![\d:])", re.ASCII
)
MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
DAY = r"(\d\d?)(?:st|nd|rd|th)?"
DATE = re.compile(
    r"(?<!\d)(\d{4})-(\d\d?)-(\d\d?)(?: 00:00:00)?(?!\d)"
    rf"|(?:\b{DAY} (?:of )?)?\b({'|'.join(MONTHS)})[a-z]*\.?(?: {DAY}(?!\d))?(?:,? (\d{{4}}))?(?!\d)",
    re.ASCII,
)
SPELT = "centimeter cm kilometer km millimeter mm meter m metre m kilogram kg gram g hour h hr h minute min second s "
SPELT += "sec s inche inch foot ft feet ft dollar usd mile mi"
ALIKE = dict(zip(SPELT.split()[::2], SPELT.split()[1::2], strict=True)) | {"degree": ""}


def told(text: str) -> str:
    """A plain text without what only says of what it is the value: `x = 5`, `[5]`, `{x: 5}`, `5 = x` → 5, `a cat`."""
    text = re.sub(r"^\[(\[[^\[\]]*\]|\{[^{}]*\})\]$", r"\1", text)  # of one row, or one solution
    if re.fullmatch(r"\{[a-z]\w*:.*\}", text):
        text = re.sub(r"(?:^\{|(?<=,)) ?([a-z]\w*): ?", r"\1=", text)[:-1]
    text = found[1] if (found := re.fullmatch(r"[\[{(]([^\[\](){},]*),?[\]})]", text)) else text
    text = re.sub(
        r"^(-?[\d./]+) ?= ?([a-z])$", r"\2=\1", re.sub(r"^(?:an?|the) (?=[a-z]{3})", "", text)
    )
    return found[1] if (found := NAMED.fullmatch(text)) else text


def name_of(text: str) -> str:
    """Of what a text tells the value; "" where it does not say."""
    return re.split(r"[=∈]", text)[0].strip() if NAMED.fullmatch(text) else ""


def said(text: str, number: bool) -> str | None:
    """What a line in words says the answer is: what follows its "is", or else its only number; None in mathematics.
    number: whether a number is looked for. Of several numbers none is the answer, but that after the only "is", with no
    more than a unit behind it, or after the only "="."""
    bare = numbers_bare(text)
    if re.fullmatch(r"\d+!", bare):
        return bare[:-1]
    if (
        not number
        and len(re.findall("[<>]", bare)) == 1
        and (found := COMPARISON.search(bare))
        and not re.search(r"\bnot\b", bare)
    ):
        return found[0] if found[0] != bare else None
    if (
        number
        and (value := measured(bare)[0])
        and re.fullmatch(rf"{re.escape(value)} (?!k$){GLUED}", bare)
    ):
        return value  # 400 g, where 400g may be a product
    if is_mathematics(bare):
        return bare.rpartition("=")[2] if number and bare.count("=") == 1 else None
    ends = [bare.rpartition(": ")[2]] if number and bare.count(": ") == 1 else SAYS.findall(bare)
    if len(ends) == 1 and not re.search(r"\bor\b", bare.removesuffix(ends[0])):
        rest = ends[0].strip(" .!?:")
        if not number or SHORT.fullmatch(rest):
            return rest
    rest = AFTER_NUMBER.sub(" u", ASIDE.sub("", bare))
    if SIGNS.search(rest):
        return None
    if not number:  # a measure may be
        return (
            bare[bare.index(found[0]) :].strip(" .!")
            if len(found := NUMBER.findall(bare)) == 1
            else None
        )
    if parts_of(text):
        return None
    numbers = list(dict.fromkeys(NUMBER.findall(rest)))
    if len(numbers) > 1 and rest.count("=") == 1 and not re.search(r",|\b(?:or|and)\b", rest):
        numbers = NUMBER.findall(rest.rpartition("=")[2])
    return numbers[0] if len(numbers) == 1 else None


def measured(text: str) -> tuple[str, str]:
    """A number and its unit, in one spelling; ("", "") for anything else."""
    found = MEASURED.fullmatch(BESIDES.sub("", text))
    if (
        not found
        or value_of(found[1]) is None
        or (is_mathematics(text) and not GLUED_ALONE.fullmatch(found[2]))
    ):
        return "", ""
    words = [
        word if len(word) < 3 else word.removesuffix("s")
        for word in found[2].replace("**", "^").split()
    ]
    unit = re.sub(r"cubic (\S+)", r"\1^3", " ".join(ALIKE.get(word, word) for word in words))
    return found[1], re.sub(r"[()]", "", re.sub(r"square (\S+)", r"\1^2", unit)).strip()


def same_time(ours: str, theirs: str) -> bool:
    """Whether gold is a time of day, and the other text says that alone: 3:00 pm is 15:00, and 3:00 may be."""
    times = [TIME.fullmatch(theirs), *(time for time in TIME.finditer(ours) if time[2] or time[3])]
    if (
        len(times) != 2
        or not times[0]
        or not (times[0][2] or times[0][3])
        or re.search(r"\bnot\b", ours)
    ):
        return False
    gold, said = ((int(time[1]), time[2] or "00", time[3]) for time in times)
    exact = {
        (hour % 12 + 12 * (half == "p") if half else hour, rest)
        for hour, rest, half in (gold, said)
    }
    return len(exact) == 1 or (gold[:2] == said[:2] and None in (gold[2], said[2]))


def dates_in(text: str) -> set[tuple[str | int | None, ...]]:
    """The dates that a text names, as (year or None, month, day)."""
    found = set()
    for date in DATE.finditer(text):
        if date[1]:
            found.add((date[1], int(date[2]), int(date[3])))
        elif bool(date[4]) != bool(date[6]):
            found.add((date[7], 1 + MONTHS.index(date[5]), int(date[4] or date[6])))
    return found


def same_date(ours: str, theirs: str) -> bool:
    """Whether gold is a date, and the other text names that alone: 2023-05-04, May 4th, 2023 or 4 May 2023."""
    said, gold = dates_in(ours), dates_in(theirs) if DATE.fullmatch(theirs) else ()
    if len(said) != 1 or len(gold) != 1 or re.search(r"\bnot\b", ours):
        return False
    (one,), (other,) = said, gold
    return one[1:] == other[1:] and other[0] in (None, one[0])
