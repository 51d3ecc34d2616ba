"""How a method, mode or rule looks in every figure: one colour, mark and line each; print is black and hollow."""

from collections.abc import Iterable
from typing import NamedTuple
from zlib import crc32


class Look(NamedTuple):
    colour: str
    marker: str
    line: str = "-"
    hollow: bool = False

    @property
    def face(self) -> str:
        return "white" if self.hollow else self.colour


#: Of methods first, then of modes and rules.
LOOKS = {
    "TROVE": Look("#A62A1A", "o"),
    "TROVE, two-stage": Look("#C58300", "^", ":"),
    "PRIMITIVE": Look("#14396F", "s", "--"),
    "SKIP pool": Look("#8A68AE", "p", "-."),
    "INSTANCE": Look("#4F7CAC", "D", ":"),
    "TROVE without IMPORT": Look("#DB6B7A", "X", "-."),
    "CREATOR": Look("#007A53", "^", "-"),
    "Entangled": Look("#D97B1F", ">", ":"),
    "PoT": Look("#61431C", "v", "-."),
    "LATM": Look("#0086B3", "*", "-"),
    "CoT": Look("#949494", "h", "--"),
    "MEMORY": Look("#4B0082", "H", "--"),
    "CRAFT": Look("#6E6E00", "d", "-"),
    "TTE": Look("#444444", "P", ":"),
    "IMPORT": Look("#00504A", "<", "--"),
    "CREATE": Look("#B03A70", "P", "-"),
    "SKIP": Look("#5F9E2F", "d", ":"),
    "one-stage": Look("#00707A", "v", "-"),
    "oracle": Look("#2B2B2B", "X", "--"),
    "two-stage": Look("#C58300", "^", ":"),
    "pass@1": Look("#00707A", "v", "-"),
    "finished": Look("#8A68AE", "*", "-."),
}
#: What candidates tables call some of them.
ALIASES = {name.lower(): name for name in LOOKS} | {"trove_no_import": "TROVE without IMPORT"}
#: Of what is no method of a paper, such as a model, a difference or a method of one's own.
OTHERS = [Look(c, m) for c, m in zip(("#595959", "#9A5B00", "#2E6F40", "#7A1F5C", "#3B5BA5"), "DXhPv", strict=True)]
PRINT = Look("black", "D", "", True)


def look(name: str) -> Look:
    """The look of a method, mode or rule, by the longest known name that `name` begins with; else by a hash."""
    name = ALIASES.get(name, name)
    known = [known for known in LOOKS if name == known or name.startswith((f"{known},", f"{known} "))]
    difference = " minus " in name
    return LOOKS[max(known, key=len)] if known and not difference else OTHERS[crc32(name.encode()) % len(OTHERS)]


def looks(names: Iterable[str]) -> dict[str, Look]:
    """The look of each; the second with the same one is hollow, and what would still repeat takes another."""
    found: dict[str, Look] = {}
    for name in names:
        first = look(name)
        ways = [first, first._replace(hollow=True), *OTHERS, *(other._replace(hollow=True) for other in OTHERS)]
        found[name] = next((way for way in ways if way not in found.values()), first)
    return found
