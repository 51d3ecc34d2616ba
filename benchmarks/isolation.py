"""What each level of isolation does not contain: `python -m benchmarks.isolation` prints a Markdown
table.

    python -m benchmarks.isolation [LEVEL ...] [--list]   --list names the programs, not only their number

Every level runs in a cell (`tests/hostile/cell.py`), as a user without rights; "full" as root too
(an ordinary user's is the root of a namespace).
"""

import sys

from tests.hostile.catalogue import Hostile, everything
from tests.hostile.cell import Gone, Station
from trove_lite.sandbox.pool import isolation_report

LEVELS = {
    "full": "Landlock and seccomp",
    "seccomp": "no Landlock in the kernel",
    "landlock": "no seccomp",
    "limits": "resource limits only",
    "none": "a process of its own, no more",
}


def measure(level: str, user: str, battery: dict[str, Hostile]) -> dict[str, list[str]]:
    """The programs that were not contained, with what they did."""
    escaped = {}
    station = Station(user, level)
    for name, hostile in battery.items():
        try:
            answer = station.attack(hostile)
        except Gone as gone:
            answer = {"problems": [str(gone)], "mended": True}
        if answer["problems"]:
            escaped[name] = answer["problems"]
        if not answer["mended"]:
            station.kill()
    try:
        station.close()
    except Gone as gone:
        escaped["all of them"] = [str(gone)]
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
            print(
                f"| `{level}`: {LEVELS[level]} | {user} | {len(escaped)} |",
                flush=True,
            )
            if "--list" in arguments:
                for name, problems in escaped.items():
                    print(f"  - {name}: {problems[0][:160]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
