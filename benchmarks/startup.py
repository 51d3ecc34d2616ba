"""What it costs to start: modules loaded and CPU seconds of imports and commands, as a ratio to `python -c pass`.

python benchmarks/startup.py
"""

import resource
import subprocess
import sys

COMMAND = "import sys; sys.argv = ['trove-lite', *{!r}.split()]; from trove_lite.cli import main; sys.exit(main())"
STARTS = {
    "python -c pass": "pass",
    "import trove_lite": "import trove_lite",
    "import trove_lite.selection": "import trove_lite.selection",
    "trove-lite --version": COMMAND.format("--version"),
    "trove-lite --help": COMMAND.format("--help"),
    "trove-lite run --help": COMMAND.format("run --help"),
    "import numpy, pandas": "import numpy, pandas",
}
COUNT = "import atexit, sys; atexit.register(lambda: print(len(sys.modules), file=sys.stderr))\n"


def cpu_seconds(code: str, times: int = 7) -> float:
    """The least of several, since whatever else the machine does only adds."""
    found = []
    for _ in range(times):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(found)


def main() -> None:
    bare = cpu_seconds(STARTS["python -c pass"])
    print("| start | modules | CPU s | × `python -c pass` |\n|---|---|---|---|")
    for name, code in STARTS.items():
        said = subprocess.run([sys.executable, "-c", COUNT + code], capture_output=True, text=True).stderr
        seconds = cpu_seconds(code)
        print(f"| `{name}` | {said.split()[-1]} | {seconds:.3f} | {seconds / bare:.1f} |", flush=True)


if __name__ == "__main__":
    main()
