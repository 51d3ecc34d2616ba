"""A number with its unit: `$75`, `75 cents`, `1 hour 30 minutes`, `36 sq ft`, `60 miles per hour`,
`50%`.

A unit is a part of the value. Those of a table are told into one another where they measure the
same; any other word (3 apples) is a measure of its own. A library for units (pint) knows no money,
no `sq ft` and no `3 dollars and 50 cents`, and takes 12 times as long to load as all of this.
"""

import re
from collections import Counter
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from . import money

#: A measure, its power, and its units with how many of the first of them each is.
TABLE = """
time 1: s 1 second 1 sec 1 ms 1/1000 millisecond 1/1000 min 60 minute 60 h 3600 hr 3600 hour 3600 day 86400 week 604800
calendar 1: month 1 year 12 yr 12 decade 120 century 1200 centurie 1200
length 1: m 1 meter 1 metre 1 nm 1/1000000000 mm 1/1000 millimeter 1/1000 millimetre 1/1000 cm 1/100 centimeter 1/100
length 1: centimetre 1/100 km 1000 kilometer 1000 kilometre 1000
length 1: in 0.0254 inch 0.0254 inche 0.0254 ft 0.3048 foot 0.3048
length 1: feet 0.3048 yd 0.9144 yard 0.9144 mi 1609.344 mile 1609.344
length 2: acre 4046.8564224 hectare 10000 ha 10000
length 3: l 1/1000 liter 1/1000 litre 1/1000 ml 1/1000000 milliliter 1/1000000 millilitre 1/1000000 dl 1/10000
length 3: gallon 0.003785411784 gal 0.003785411784
mass 1: g 1 gram 1 mg 1/1000 milligram 1/1000 kg 1000 kilogram 1000 kilo 1000 tonne 1000000 oz 28.349523125
mass 1: ounce 28.349523125 lb 453.59237 lbs 453.59237 pound 453.59237
angle 1: degree 1 deg 1 radian 57.29577951308232 rad 57.29577951308232
"""
KNOWN = {
    name: (measure.split()[0], int(measure.split()[1]), Fraction(factor))
    for measure, _, units in (
        line.partition(": ") for line in (money.TABLE + TABLE).strip().split("\n") if line
    )
    for name, factor in zip(units.split()[::2], units.split()[1::2], strict=True)
}
SHORT = {"mph": "mile/hour", "kph": "km/hour", "kmh": "km/hour"}
POWERS = {"square": 2, "sq": 2, "cubic": 3, "cu": 3}
POWER = r"(?:(?:\^|\*\*)\(?-?\d\)?)?"
ONE = rf"[a-z]+{POWER}"
UNIT = rf"(?:(?:square|cubic|sq|cu) )?{ONE}(?:/{ONE})?"
WORD = re.compile(r"([a-z]+)(?:(?:\^|\*\*)\(?(-?\d)\)?)?", re.ASCII)
#: Symbols of money and degrees → words behind the number.
AS_WORDS = (
    (r"\b(sq|cu)\. ?", r"\1 "),
    (r"(?<=\d) ?(ft|hrs?|mins?|lbs?|oz|secs?|yd|mi)\.(?= ?\d|$)", r" \1"),
    (r"^(\d+) ?['′] ?(\d{1,2}) ?(?:\"|''|′′)?$", r"\1 feet \2 inches"),
    *money.AS_WORDS,
    (r"(?<=\d) ?(?:\^ ?\{?°\}?|°)(?=$|[.,;\])}]| (?:and|or)\b)", " degrees"),
)
#: A pound is a mass, or money; degrees may be of temperature.
READINGS = (
    ("^$", ""),
    (r"\bpounds?\b", "gbp"),
    (r"^degrees?$", "celsius"),
    (r"^degrees?$", "fahrenheit"),
)
BETWEEN = re.compile(r"(?<=[a-z]),?(?: and)? (?=\d)")  # 1 hour and 30 minutes


class Measure(NamedTuple):
    """What is measured, in which power, and how large its unit is."""

    of: frozenset[tuple[str, int]]
    size: Fraction


@lru_cache(4096)
def measure(unit: str) -> Measure:
    """A unit's: square feet, usd/hour, apples."""
    found = Counter()
    size = Fraction(1)
    over = 1
    raised = 1
    for sign, word, power in re.findall(
        r"(/?) ?([a-z%]+)(?:\^\(?(-?\d)\)?)?", full(unit), re.ASCII
    ):
        over = -1 if sign else over
        if word in POWERS:
            raised = POWERS[word]
            continue
        name, times, factor = KNOWN.get(word, (word, 1, Fraction(1)))
        power = over * raised * int(power or 1)
        raised = 1
        found[name] += times * power
        size *= factor**power
    return Measure(frozenset((name, n) for name, n in found.items() if n), size)


def full(unit: str) -> str:
    """A unit with its words in the singular, and without abbreviations of two units."""
    unit = re.sub(r"\bdegrees? (?=celsius|fahrenheit)", "", unit.replace("**", "^"))
    words = re.split(r"(\W+)", unit)
    words = [SHORT.get(word, word) for word in words]
    return "".join(
        word if len(word) < 3 or word in KNOWN else word.removesuffix("s") for word in words
    )


def told_in(number: Fraction, unit: str, wanted: str) -> Fraction | None:
    """A quantity in another unit; None where that measures something else."""
    size = size_in(unit, wanted)
    return None if size is None else number * size


@lru_cache(4096)
def size_in(unit: str, wanted: str) -> Fraction | None:
    for word, other in READINGS:
        for ours, theirs in (
            (re.sub(word, other, unit), wanted),
            (unit, re.sub(word, other, wanted)),
        ):
            a = measure(ours)
            b = measure(theirs)
            if a.of == b.of:
                return a.size / b.size
    return None


def together(parts: list[tuple[Fraction, str]]) -> tuple[Fraction, str] | None:
    """Of 1 hour and 30 minutes the number of hours; None where units are not of one measure, or not
    ever smaller."""
    (whole, unit), *rest = parts
    for number, smaller in rest:
        one = told_in(Fraction(1), smaller, unit)
        if one is None or number < 0 or not 0 < one < 1 or number * one >= 1:
            return None
        whole += number * one
    sizes = [measure(unit).size for _, unit in parts]
    return (whole, unit) if sorted(sizes, reverse=True) == sizes else None
