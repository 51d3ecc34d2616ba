"""Which processes belong to a test: those that inherited a variable of its environment."""

import os
import time


def left_with(variable: str) -> list[str]:
    """The processes whose environment holds a variable, after half a minute in which they may end."""
    deadline = time.monotonic() + 30
    while (found := processes_with(variable)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return found


def processes_with(variable: str) -> list[str]:
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment:
                if variable.encode() in environment.read().split(b"\0"):
                    found.append(pid)
        except OSError:
            continue
    return found
