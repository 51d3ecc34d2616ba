"""The kit's second package, which reads what a run has made: its commands, and what it says of a
run at its end.

Without it `trove-lite` has the commands that make runs, and no others.
"""

from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

NAME = "trove_lite_analysis"


def extension() -> ModuleType | None:
    """Its command line: `COMMANDS` by name, those `RESUMABLE`, `last_lines(out)`, and `formats()`
    of logs."""
    return import_module(f"{NAME}.cli") if find_spec(NAME) else None
