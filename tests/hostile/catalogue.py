"""The battery: every hostile program, with the status that it must end with at the level "full".

In a source, @name@ stands for a decoy (`world.py`). A program that gets what it wanted and cannot be found out by its
traces prints `escaped`. Every attempt is bounded: where nothing stops it, it stops itself.
"""

import re
from importlib import import_module
from typing import NamedTuple

TABLE = "data/wtq/csv/204-csv/590.tsv"
CALL = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"


class Hostile(NamedTuple):
    """A program, and what it needs before it."""

    name: str
    status: str  # the right ones, in words
    source: str
    first: str | None = None  # another program, run just before
    table: str = ""  # where it finds a table of its own (the other one at TABLE); "": it gets none

    @property
    def reaches_everybody(self) -> bool:
        """Whether, were it not contained, it would harm more than the decoys: it runs in a cell or not at all."""
        return "os.kill(-1" in self.source


def listed(text: str) -> list[Hostile]:
    """Programs written one below the other, each after a line `# NAME: STATUS`."""
    found = re.findall(r"^# (\w+): ([\w ]+)\n(.*?)(?=^# \w+: |\Z)", text, re.DOTALL | re.MULTILINE)
    return [Hostile(name, status, source.rstrip("\n")) for name, status, source in found]


def calls(text: str) -> list[Hostile]:
    """The same, of programs that make system calls by `libc`."""
    return [program._replace(source=CALL + program.source) for program in listed(text)]


def everything() -> dict[str, Hostile]:
    """All programs by name."""
    names = ("resources", "processes", "files", "tables", "network", "kernel", "worker")
    modules = [import_module(f"{__package__}.programs_{name}") for name in names]
    battery = [program for module in modules for program in module.PROGRAMS]
    assert len({program.name for program in battery}) == len(battery)
    return {program.name: program for program in battery}
