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
    """The style of each; the second with the same one is hollow, and what would still repeat takes
    another."""
    found: dict[str, Style] = {}
    for name in names:
        first = style_of(name)
        ways = [
            first,
            first._replace(hollow=True),
            *OTHERS,
            *(other._replace(hollow=True) for other in OTHERS),
        ]
        found[name] = next((way for way in ways if way not in found.values()), first)
    return found
