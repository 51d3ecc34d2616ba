"""What a line in words says that the answer is: `x = 5` → 5, `The total cost is $29.00.` → 29, `5
km` → 5 and km."""

import re
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from . import expressions
from .answers import LONGEST
from .units import BETWEEN, KNOWN, POWER, UNIT, together
from .values import (
    BY_COMMA,
    KEPT,
    LARGE,
    LARGE_NUMBERS,
    NAMED_PARTS,
    SMALL,
    is_mathematics,
    numbers_bare,
    parts_of,
    spelt,
    substituted,
    value_of,
)

GLUED = rf"(?:{'|'.join(expressions.UNITS)}|[mgshlkwv]){POWER}(?:/[a-z]+{POWER})?"  # 5km
GLUED_ALONE = re.compile(GLUED, re.ASCII)
BEHIND = re.compile(rf" (?!k$){GLUED}")
NUMBER = re.compile(
    r"(?<![\w.])(?<!\d:)(?<![a-z]-)-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[-+]?\d+|\*10\^\(?-?\d+\)?)?"
    r"(?:(?: \d+)?/\d+)?%?(?![\w:])",
    re.ASCII,
)
AFTER_NUMBER = re.compile(
    rf"(?<=[\d%])(?: (?!\w+\(|(?:and|or|is|are)\b){UNIT}|{GLUED})(?![\w(*/^+])", re.ASCII
)
SHORT = re.compile(rf"\(?-?[\d.][-\d./ e*^()%]*\)?(?: ?{GLUED}|(?: {UNIT}){{0,2}})", re.ASCII)
#: A number and its unit; but not what compares it, or denies it.
MEASURED = re.compile(
    rf"(.*?[\d)]) ?((?!(?:is|are|was|and|or|to|not|out|of|more|less|fewer|times|plus|minus|as|by|than|base|mod)\b)"
    rf"{UNIT}(?: {UNIT}){{0,2}})",
    re.ASCII,
)
WITH_UNIT = re.compile(rf"\d ?(?:{'|'.join(KNOWN)})s?\b", re.ASCII)
OPTION = re.compile(r"\(?([a-z])\)?|\(([a-z])\) .+")
#: The answer follows these words, whatever numbers are before them.
WORD = r"\b(?:is|are|was|equals|that|gives)\b"
SAYS = re.compile(
    rf"(?:{WORD}|[a-z)\d]:) (?:(?:about|approximately|equal to|exactly) )?(.*?)(?={WORD}|[a-z)\d]: |$)"
)
#: In a line with one of these, no number is the answer.
SIGNS = re.compile(
    r"[a-z_)] ?[*/^+|<>]|[*/^+|<>] ?[a-z_(]|[a-z)] - |\d - [a-z(]|[a-z]\(|[±{]|\bnot \d|\band an? "
    r"|^[<>]|\b(?:than|over|under|above|below|all but|except|twice|double|triple|half(?: of)?) \d"
)
#: What may be before "=", and only names the value: x, x_1, f(x), |AB|, (p, q), area.
NAMED = re.compile(
    r"(?:\|?[a-z]{1,2}(?:_\w+)?\|?|[a-z](?:_\w+)?\([a-z]\)|\([a-z](?:, ?[a-z])*\)|[a-z]{3,}) ?[=∈] ?([^=<>]+)"
)
#: Of a measure: what may follow its unit, and says no more of how much it is.
BESIDES = re.compile(
    r" (?:left|remaining|back|each|apart|long|away|old|tall|high|wide|deep|altogether|in (?:all|total)|of [a-z ]+)$"
)
ASIDE = re.compile(
    r"^(?:after|in|for|at|with|of) "
    r"(?:[^,]*, (?=[a-z])|\d+ [a-z]+ (?=(?:he|she|they|it|there|we) ))"
    r"|,? \b(?:after|because|since)\b.*|, (?:and )?not\b.*"
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


#: What is before a number that closes a line, or behind it.
TOTAL = re.compile(
    r"\btotal(?: \w+)?(?: of| is| was| comes to| will be| would be|:)?(?: only)? $"
    r"|\b(?:leaving|leaves)(?: \w+)?(?: with)? $|\b(?:which|that|this|it) (?:is|makes|gives|leaves|equals) $"
    r"|\b(?:making|giving|in total|altogether|in all)(?:,| is| are| that is)? $"
)
ENDS = re.compile(r"\b(?:in total|altogether|in all|left|left over|remaining|total)$")
CONCLUDES = re.compile(r"(?:so|thus|therefore|hence|in total|altogether|that|this|which)\b")
DOUBTS = re.compile(r"\b(?:not|or|if|instead|wrong|than|except|before|but|no|never|would)\b|\?")
THERE = re.compile(
    r"(?:so |thus |therefore )?there (?:are|is|were|was) (\S+) [a-z ]+ (?:in|at|on|among) the \d+ [a-z]+"
)
SPELT = rf"(?:{'|'.join((*SMALL, 'hundred', *LARGE))})"
#: Numbers in words where an answer is expected: not a module that is named three.
SPELT = re.compile(
    r"(^|\b(?:is|are|was|were|has|have|had|gets?|needs?|equals|makes?|leaves?|total of|about) )"
    rf"({SPELT}(?:(?:[ -]| and ){SPELT})*(?:[ -](?:{'|'.join(NAMED_PARTS)}|halve)s?)?)(?![\w'])"
)
#: What says that each of the answers before it is right; and that another is, too.
ACCEPTED = re.compile(
    r"(.*?)[ ,;]*[(\[]?(?:both|either|all|any)(?: (?:ones?|answers?|of (?:these|them)))? "
    r"(?:(?:are|is|was|were|will be) )?(?:accepted|acceptable|allowed|correct|fine|valid|right)[)\]]?\.?"
    r"|either (.* or .*)",
    re.IGNORECASE,
)
ANOTHER = re.compile(
    r"(.*?)[ ,;]*\((?:also accept(?:ed)?:?|accept(?:ed)?:?|also|or) ([^()]*)\)"
    r"|(.*?)[ ,;]*\(([^()]*?),? (?:is |was )?also (?:accepted|acceptable|allowed|correct|right)\)",
    re.IGNORECASE,
)
BUILDER = re.compile(r"\{ ?[a-z](?: ?∈ ?(?:r|reals?|real numbers))? ?[|:] ?(.*)\}")
OF_REALS = re.compile(
    r"^[a-z] ?∈ ?(?:r|reals?)\b[,;:]? (?:and )?|,? (?:and )?[a-z] ?∈ ?(?:r|reals?)$"
)
REALS = r"(?:[a-z] ?∈ ?)?(?:the |all )?(?:r|reals?(?: numbers?)?)(?: [a-z])?"
EXCEPT = re.compile(
    rf"{REALS} ?[∖-] ?\{{(.*)\}}|([a-z] ?!= ?.*)"
    rf"|{REALS},? (?:except|but|besides|excluding|other than|where|such that|with)(?: for)? (.*)"
)


@lru_cache(KEPT)
def told(text: str) -> str:
    """A plain text without what only says of what it is the value: `x = 5`, `[5]`, `{x: 5}`, `5 =
    x` → 5, `a cat`."""
    if found := BUILDER.fullmatch(text):
        text = found[1]
    text = OF_REALS.sub("", text)
    text = re.sub(r"^\[(\[[^\[\]]*\]|\{[^{}]*\})\]$", r"\1", text)  # of one row, or one solution
    if re.fullmatch(r"\{[a-z]\w*:.*\}", text):
        text = re.sub(r"(?:^\{|(?<=,)) ?([a-z]\w*): ?", r"\1=", text)[:-1]
    text = found[1] if (found := re.fullmatch(r"[\[{(]([^\[\](){},]*),?[\]})]", text)) else text
    text = re.sub(
        r"^(-?[\d./]+) ?= ?([a-z])$",
        r"\2=\1",
        re.sub(r"^(?:an?|the) (?=[a-z]{3})(?!(?:and|one)\b)", "", text),
    )
    return found[1] if (found := NAMED.fullmatch(text)) else text


@lru_cache(KEPT)
def alternatives(gold: str) -> list[str]:
    """The answers of a gold text that says of several that each is right: `40 or 41 (both were
    accepted)`."""
    if len(gold) > LONGEST:
        return [gold]
    if found := ACCEPTED.fullmatch(gold):
        text = (found[1] or found[2]).strip()
        each = re.split(r"\s*(?:,|;|\bor\b|\band\b)\s*", text)
        each = each if len(each) > 1 else text.split("/")  # of 2/3 or 4/5 it is no comma
        return [gold, *each]
    if found := ANOTHER.fullmatch(gold):
        return [gold, *filter(None, found.groups())]
    return [re.sub(r",? \(?or (?:an )?equivalent\)?$", "", gold)]


def excluded(text: str) -> list[str]:
    """The intervals that all numbers but some points are: of x != 2, those below and above it; []
    for anything else."""
    if re.fullmatch(r"(?:all )?real numbers|all reals?", text):
        return ["(-infty,infty)"]
    if not (found := EXCEPT.fullmatch(text)):
        return []
    named = re.split(r",| and |&", next(filter(None, found.groups())))
    points = [re.sub(r"^(?:[a-z] ?!?= ?)", "", point.strip()) for point in named]
    values = {value_of(point): point for point in points}
    if None in values and len(points) > 1:
        return []
    points = [point for _, point in sorted(values.items())]
    ends = ["-infty", *points, "infty"]
    return [f"({low},{high})" for low, high in pairwise(ends)]


def closing(bare: str) -> str | None:
    """What closes a line of several numbers and is told to be their total: its number and what
    follows."""
    *_, sentence = re.split(r"(?<=[a-z\d%])[.!?;] (?=[a-z])", bare.strip(" .!"))
    numbers = list(NUMBER.finditer(sentence))
    if not numbers or DOUBTS.search(sentence):
        return None
    if found := THERE.fullmatch(sentence):
        return found[1]
    before = sentence[: numbers[-1].start()]
    last = sentence[numbers[-1].start() :]
    concludes = len(numbers) == 1 and sentence != bare.strip(" .!") and CONCLUDES.match(sentence)
    if concludes or TOTAL.search(before) or ENDS.search(last):
        last = BESIDES.sub("", last)
        return last if value_of(last) is not None or quantity(last) else None
    return None


def name_of(text: str) -> str:
    """Of what a text tells the value; "" where it does not say."""
    return re.split(r"[=∈]", text)[0].strip() if NAMED.fullmatch(text) else ""


@lru_cache(KEPT)
def said(text: str, number: bool) -> str | None:
    """What a line in words says the answer is: what follows its "is", or else its only number; None
    in mathematics.
    number: whether a number is looked for. Of several numbers none is the answer, but that after
    the only "is", with no more than a unit behind it, or after the only "="."""
    bare = numbers_bare(text)
    if number and not re.search(r"\d", bare):
        bare = SPELT.sub(as_digits, bare)
    if re.fullmatch(r"\d+!", bare):
        return bare[:-1]
    if (
        not number
        and len(re.findall("[<>]", bare)) == 1
        and (found := COMPARISON.search(bare))
        and not re.search(r"\bnot\b", bare)
    ):
        return found[0] if found[0] != bare else None
    if number and (found := MEASURED.fullmatch(bare)) and BEHIND.fullmatch(bare, found.end(1)):
        return found[1]  # 400 g, where 400g may be a product
    if is_mathematics(bare):
        return bare.rpartition("=")[2] if number and bare.count("=") == 1 else None
    ends = [bare.rpartition(": ")[2]] if number and bare.count(": ") == 1 else SAYS.findall(bare)
    if len(ends) == 1 and not re.search(r"\bor\b", bare.removesuffix(ends[0])):
        rest = ends[0].strip(" .!?:")
        if not number or SHORT.fullmatch(rest) or quantity(rest):
            return rest
    if (last := closing(bare)) is not None:
        return last
    rest = AFTER_NUMBER.sub(" u", ASIDE.sub("", bare))
    if SIGNS.search(rest):
        return None
    if not number:  # a measure may be
        numbers = NUMBER.findall(bare)
        return bare[bare.index(numbers[0]) :].strip(" .!") if len(numbers) == 1 else None
    if parts_of(text):
        return None
    numbers = list(dict.fromkeys(NUMBER.findall(rest)))
    if len(numbers) > 1 and rest.count("=") == 1 and not re.search(r",|\b(?:or|and)\b", rest):
        numbers = NUMBER.findall(rest.rpartition("=")[2])
    return numbers[0] if len(numbers) == 1 else None


def as_digits(found: re.Match) -> str:
    """A number in words in digits; but `one` and `zero`, which say other things too."""
    value = spelt(found[2])
    return found[0] if value in (None, 0, 1) else f"{found[1]}{value}"


@lru_cache(KEPT)
def quantity(text: str) -> tuple[Fraction, str] | None:
    """The number of a plain text and its unit; of 1 hour and 30 minutes, 3/2 and hour. None for
    anything else."""
    if not re.search(r"\d", text):
        text = SPELT.sub(as_digits, text)
    text = substituted(numbers_bare(text), LARGE_NUMBERS)
    text = BESIDES.sub("", text.replace(" per ", "/"))
    parts = [_quantity(part) for part in BETWEEN.split(text)]
    return _quantity(text) if None in parts else together(parts)


def _quantity(text: str) -> tuple[Fraction, str] | None:
    found = MEASURED.fullmatch(text)
    if not found:
        return None
    known = GLUED_ALONE.fullmatch(found[2])
    if not known and (text[found.end(1)] != " " or len(found[2]) == 1 or is_mathematics(text)):
        return None
    number = value_of(found[1])
    comma = BY_COMMA.match(text)
    if number is None and comma and comma.end() == found.end(1):
        number = value_of(re.sub("[. ]", "", found[1]).replace(",", "."))
    return None if number is None else (number, found[2])


def same_time(ours: str, theirs: str) -> bool:
    """Whether gold is a time of day, and the other text says that alone: 3:00 pm is 15:00, and 3:00
    may be."""
    wanted = TIME.fullmatch(theirs)
    if not wanted or not (wanted[2] or wanted[3]) or re.search(r"\bnot\b", ours):
        return False
    times = [wanted, *(time for time in TIME.finditer(ours) if time[2] or time[3])]
    if len(times) != 2:
        return False
    gold, said = ((int(time[1]), time[2] or "00", time[3]) for time in times)
    exact = {
        (hour % 12 + 12 * (half == "p") if half else hour, rest)
        for hour, rest, half in (gold, said)
    }
    return len(exact) == 1 or (gold[:2] == said[:2] and None in (gold[2], said[2]))


@lru_cache(KEPT)
def dates_in(text: str) -> set[tuple]:
    """The dates that a text names, as (year or None, month, day)."""
    found = set()
    for date in DATE.finditer(text):
        if date[1]:
            found.add((date[1], int(date[2]), int(date[3])))
        elif bool(date[4]) != bool(date[6]):
            found.add((date[7], 1 + MONTHS.index(date[5]), int(date[4] or date[6])))
    return found


def same_date(ours: str, theirs: str) -> bool:
    """Whether gold is a date, and the other text names that alone: 2023-05-04, May 4th, 2023 or 4
    May 2023."""
    gold = dates_in(theirs) if DATE.fullmatch(theirs) else ()
    said = gold and dates_in(ours)
    if len(said) != 1 or len(gold) != 1 or re.search(r"\bnot\b", ours):
        return False
    (one,), (other,) = said, gold
    return one[1:] == other[1:] and other[0] in (None, one[0])
