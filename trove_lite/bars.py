"""How far a long piece of work is: tqdm's bar, on a terminal at once, in a log every half
minute."""

import sys
from typing import TextIO

EVERY_SECONDS = 30.0


class Log:
    """A file that is no terminal: each state of a bar is a line of its own, so that nothing sticks
    to it."""

    def __init__(self, file: TextIO):
        self.file = file

    def write(self, text: str) -> None:
        if line := text.strip():
            self.file.write(f"{line}\n")

    def flush(self) -> None:
        self.file.flush()


def bar(total: int, what: str = "", *, unit: str = "it", enabled: bool = True):
    """tqdm's bar over `total` pieces of work, a `unit` each."""
    from tqdm import tqdm  # slow to import

    tqdm.monitor_interval = 0  # no thread beside it: processes are forked meanwhile
    log = (
        {}
        if sys.stderr.isatty()
        else {
            "mininterval": EVERY_SECONDS,
            "delay": EVERY_SECONDS,
            "miniters": 1,
            "file": Log(sys.stderr),
        }
    )
    return tqdm(
        total=total,
        desc=what or None,
        unit=unit,
        unit_scale=unit == "B",
        disable=not enabled,
        **log,
    )
