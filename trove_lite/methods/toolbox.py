"""The toolbox: what TROVE remembers from one problem to the next.

It learns tools, ranks and shows them, and forgets those that are used too little. It knows neither
prompts, models nor answers, and it decides nothing: which response may teach it is the method's
choice.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..programs import LONGEST_REPLY, Tool, Tools, plain_name


@dataclass
class Entry:
    """A tool, how often it was used (its creation is one use), and the problems that created or
    used it. One that was given, and not made, begins unused."""

    tool: Tool
    uses: int = 1
    problems: list[int] = field(default_factory=list)
    given: bool = False


class Toolbox:
    """Tools by name, oldest first. refused: names of tools that did not load."""

    def __init__(self) -> None:
        self.entries: dict[str, Entry] = {}
        self.refused: list[str] = []

    def __contains__(self, name: str) -> bool:
        return plain_name(name) in self.entries

    def give(self, tools: Iterable[Tool]) -> None:
        self.entries |= {plain_name(tool.name): Entry(tool, 0, given=True) for tool in tools}

    def add(self, tools: Iterable[Tool], problem: int) -> None:
        """Add tools whose name is new. One whose name is taken is dropped: the older body stays, as
        officially."""
        for tool in tools:
            self.entries.setdefault(plain_name(tool.name), Entry(tool, 1, [problem]))

    def use(self, tools: Iterable[Tool], problem: int, *, add: bool) -> None:
        """Count one use for each known tool; `add` says what becomes of unknown ones."""
        for tool in tools:
            if entry := self.entries.get(plain_name(tool.name)):
                entry.uses += 1
                entry.problems.append(problem)
            elif add:
                self.add([tool], problem)

    def ranked(self, ranking: str = "uses", question: str = "") -> Tools:
        """Every tool, best first, by one of RANKINGS; ties go to the older tool."""
        entries = sorted(
            self.entries.values(), key=lambda entry: -RANKINGS[ranking](entry, question)
        )
        return tuple(entry.tool for entry in entries)

    def tools(self) -> Tools:
        return tuple(entry.tool for entry in self.entries.values())

    def listing(self) -> list[dict]:
        """Every tool as plain data, most used first: `imports` counts the answers that used it
        after its creation."""
        rows = []
        for name, entry in sorted(self.entries.items(), key=lambda item: -item[1].uses):
            rows.append(
                {
                    "rank": len(rows) + 1,
                    "name": name,
                    "signature": entry.tool.signature,
                    "imports": entry.uses - (not entry.given),
                    "problem": None if entry.given else entry.problems[0],
                }
            )
        return rows

    def trim(self, threshold: float) -> set[int]:
        """Forget tools used less than `threshold` times; returns the problems that had created or
        used them."""
        rare = [name for name, entry in self.entries.items() if entry.uses < threshold]
        return {problem for name in rare for problem in self.entries.pop(name).problems}


def mentions(text: str, tools: Iterable[Tool]) -> list[Tool]:
    """The tools that a model's text names, in the order in which it first does."""
    found = {
        tool: re.search(rf"(?<!\w){re.escape(plain_name(tool.name))}(?!\w)", text) for tool in tools
    }
    return sorted(filter(found.get, found), key=lambda tool: found[tool].start())


def description(tool: Tool) -> str:
    return f"{plain_name(tool.name)} {tool.signature} {tool.docstring}"


def likeness(first: str, second: str) -> float:
    """Unigram F1 between the words of two texts, 0 to 1 (TroVE, D.1; the official program counts
    characters)."""
    one = words(first)
    other = words(second)
    same = (one & other).total()
    return 2 * same / (one.total() + other.total()) if same else 0.0


def words(text: str) -> Counter[str]:
    """Lower-case words and numbers; an identifier is split into its words. Of a text
    as long as no reply is, its beginning."""
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", text[:LONGEST_REPLY])
    return Counter(re.findall(r"[^\W_]+", spaced.lower()))


#: How tools are ranked (TroVE, Table 10). `model`, the third way, asks the model: see
#: `trove.list_tools`.
RANKINGS: dict[str, Callable[[Entry, str], float]] = {
    "uses": lambda entry, _: entry.uses,
    "lexical": lambda entry, question: likeness(question, description(entry.tool)),
}
#: Used less often than this after n problems, a tool is forgotten. The paper: ½·log10 n (3.3), or 2
#: (Table 13); the official program: log20 n, which is half as strict again (0.77·log10 n).
THRESHOLDS: dict[str, Callable[[int], float]] = {
    "half_log10": lambda n: 0.5 * math.log10(n),
    "log20": lambda n: math.log(n, 20),
    "fixed_2": lambda n: 2.0,
    "never": lambda n: 0.0,
}
