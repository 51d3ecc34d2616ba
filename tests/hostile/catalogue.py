"""The battery: every hostile program, with the status that it must end with at the level "full".

The programs stand in `programs/*.txt`, each after a line `# NAME: STATUS`; a line `# and then`
parts it from another that runs just before. @NAME@ stands for a decoy (`world.py`), or for lines
that many begin with (BEGINNINGS). A program that gets what it wanted and cannot be found out by its
traces prints `escaped`. Every attempt is bounded: where nothing stops it, it stops itself.
"""

import re
from pathlib import Path
from typing import NamedTuple

TABLE = "data/wtq/csv/204-csv/590.tsv"
BEGINNINGS = {
    "@frame@": "@path@\nimport pandas as pd\ndf = pd.read_table(path)",
    "@path@": f"path = '{TABLE}'",
    "@libc@": "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)",
}

PROGRAM = re.compile(r"^# (\w+): ([\w ]+)\n(.*?)\n(?=\n# \w+: |\Z)", re.DOTALL | re.MULTILINE)


class Hostile(NamedTuple):
    """A program, and what it needs before it."""

    name: str
    status: str  # the right ones, in words
    source: str
    first: str | None = None  # another program, run just before
    table: str = ""  # where it finds a table of its own (the other one at TABLE); "": it gets none

    @property
    def reaches_everybody(self) -> bool:
        """Whether, were it not contained, it would harm more than the decoys: it runs in a cell or
        not at all."""
        return "os.kill(-1" in self.source


#: Those that no text file holds, or that begin with another's table.
OTHERS = [
    Hostile("not_a_program", "error", "\0\0\0"),
    Hostile("text_that_cannot_be_encoded", "error", "x = '\ud800'"),
    Hostile(
        "table_of_the_program_before",
        "error",
        f"print(open('{TABLE}').read())\nprint('escaped')",
        "1",
        "x",
    ),
]


def listed(text: str) -> list[Hostile]:
    """The programs of a file; one that begins with @frame@ or @path@ gets a table."""
    found = []
    for name, status, source in PROGRAM.findall(text):
        for short, long in BEGINNINGS.items():
            source = source.replace(short, long)
        *first, source = source.split("\n# and then\n")
        table = TABLE if source.startswith(BEGINNINGS["@path@"]) else ""
        found.append(Hostile(name, status, source, *(first or [None]), table))
    return found


def everything() -> dict[str, Hostile]:
    """All programs by name."""
    files = sorted(Path(__file__).with_name("programs").glob("*.txt"))
    battery = [
        program for file in files for program in listed(file.read_text(encoding="utf-8"))
    ] + OTHERS
    assert len({program.name for program in battery}) == len(battery)
    return {program.name: program for program in battery}
