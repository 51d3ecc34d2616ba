"""What each level of isolation does not contain: `python -m tests.hostile` prints a Markdown table.

    python -m tests.hostile [LEVEL ...] [--list]   --list names the programs, not only their number

Every level runs in a cell (`cell.py`), as a user without rights; "full" as root too (an ordinary user's is the root of
a namespace).
"""

import json
import select
import sys

from trove_lite.sandbox.pool import isolation_report

from . import cell
from .catalogue import Hostile, everything

LEVELS = {
    "full": "Landlock and seccomp",
    "seccomp": "no Landlock in the kernel",
    "landlock": "no seccomp",
    "limits": "resource limits only",
    "none": "a process of its own, no more",
}
PATIENCE = 120  # seconds


class Gone(Exception):
    """The runner died or hangs: the program reached what was to judge it."""


def ask(process, name: str | None) -> dict:
    """Send a program's name (None: only wait for the greeting) and read the answer."""
    try:
        if name is not None:
            process.stdin.write(name + "\n")
            process.stdin.flush()
        if not select.select([process.stdout], [], [], PATIENCE)[0]:
            raise Gone("no answer")
        return json.loads(process.stdout.readline())
    except (BrokenPipeError, ValueError) as error:
        raise Gone("the runner died") from error


def measure(level: str, user: str, battery: dict[str, Hostile]) -> dict[str, list[str]]:
    """The programs that were not contained, with what they did."""
    escaped, process = {}, None
    for name in battery:
        if process is None:
            process = cell.start(user, level)
            ask(process, None)
        try:
            answer = ask(process, name)
        except Gone as gone:
            answer = {"problems": [str(gone)], "mended": False}
        if answer["problems"]:
            escaped[name] = answer["problems"]
        if not answer["mended"]:
            process.kill()  # takes the whole cell with it; the next program gets a fresh one
            process.communicate()
            process = None
    if process:
        told = process.communicate()[1].strip()
        if process.returncode:
            escaped["all of them"] = [told]
    return escaped


def main(arguments: list[str]) -> None:
    battery = everything()
    levels = [argument for argument in arguments if not argument.startswith("-")] or list(LEVELS)
    if isolation_report()["level"] != "full":
        print("This machine does not offer the level full.")
    print(f"| level | user | not contained, of {len(battery)} programs |\n|---|---|---|")
    for level in levels:
        for user in ("root", "user") if level == "full" else ("user",):
            escaped = measure(level, user, battery)
            print(f"| `{level}`: {LEVELS[level]} | {user} | {len(escaped)} |", flush=True)
            if "--list" in arguments:
                for name, problems in escaped.items():
                    print(f"  - {name}: {problems[0][:160]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
