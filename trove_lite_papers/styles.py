"""How a method, mode or rule styles in every figure: one colour, mark and line each; print is black
and hollow."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from zlib import crc32


class Style(NamedTuple):
    colour: str
    marker: str
    line: str = "-"
    hollow: bool = False

    @property
    def face(self) -> str:
        return "white" if self.hollow else self.colour


with Path(__file__).with_suffix(".csv").open(encoding="utf-8") as file:
    #: Of methods first, then of modes and rules.
    STYLES = {row.pop("name"): Style(**row) for row in csv.DictReader(file)}
#: What candidates tables call some of them.
ALIASES = {name.lower(): name for name in STYLES} | {"trove_no_import": "TROVE without IMPORT"}
#: Of what is no method of a paper, such as a model, a difference or a method of one's own.
OTHERS = [
    Style(c, m)
    for c, m in zip(("#595959", "#9A5B00", "#2E6F40", "#7A1F5C", "#3B5BA5"), "DXhPv", strict=True)
]
MARKS = "oXsD^P*vHd<>ph"
PRINT = Style("black", "D", "", True)


def style_of(name: str) -> Style:
    """The style of a method, mode or rule, by the longest known name that `name` begins with; else
    by a hash."""
    name = ALIASES.get(name, name)
    known = [
        known for known in STYLES if name == known or name.startswith((f"{known},", f"{known} "))
    ]
    if known and " minus " not in name:
        return STYLES[max(known, key=len)]
    return OTHERS[crc32(name.encode()) % len(OTHERS)]


def styles_of(names: Iterable[str]) -> dict[str, Style]:
    """The style of each. The second with the same one takes another mark, of no method as such
    another colour; never a hollow one, for that says that a difference is open."""
    firsts = {name: style_of(name) for name in names}
    found: dict[str, Style] = {}
    for name, first in firsts.items():
        there = [*firsts.values(), *found.values()]
        marks = {way.marker for way in there}
        ways = [way for way in OTHERS if first in OTHERS and way not in there]
        ways += [first._replace(marker=mark) for mark in MARKS if mark not in marks]
        again = first in found.values()
        found[name] = ways[0] if again and ways else first
    return found
