"""A long run: 20,000 programs in a row with 1 % loops and 1 % memory bombs. Does anything leak or slow down?

    python benchmarks/soak.py [--programs 20000] [--workers 2] [--out FILE.json]

Needs no data. Every thousand programs it notes throughput, memory, descriptors, processes and temporary files, of this
process and of the warm ones; at the end it compares the last thousand with the first. Every thousand has the same
programs in another order, so that throughput can be compared; the limits are short (0.5 s of CPU), or loops would take
most of the time.
"""

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path

from trove_lite.sandbox.pool import Sandbox, isolation_report

PROGRAMS = (
    "import math\nprint(sum(math.comb(10, k) for k in range(11)))",
    "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(15))",
    "from itertools import permutations\nprint(len({p for p in permutations('AABBC')}))",
    "from datetime import date\nprint(date(2007, 1, 1).weekday())",
    "print(1 / 0)",
    "x = [i for i in range(1000) if i % 7 == 3]\nprint(x)",
    "from sympy import symbols, solve\nx = symbols('x')\nprint(solve(x**2 - 5*x + 6, x))",
    "import numpy as np\nprint(np.linalg.det(np.array([[1, 2], [3, 4]])))",
)
LOOP = "while True: pass"
BOMB = "hoard = []\nwhile True: hoard.append(bytearray(10_000_000))"


def thousand(rng: random.Random) -> list[str]:
    """980 ordinary programs, 10 loops and 10 memory bombs, shuffled."""
    programs = [PROGRAMS[i % len(PROGRAMS)] for i in range(980)] + [LOOP] * 10 + [BOMB] * 10
    rng.shuffle(programs)
    return programs


def observe(sandbox: Sandbox) -> dict:
    """What might leak: memory in MB, descriptors, processes, temporary files."""
    pids = [zygote.process.pid for worker in sandbox._all for zygote in worker.zygotes.values()]
    children = [Path(f"/proc/{pid}/task/{pid}/children").read_text().split() for pid in pids]
    return {
        "supervisor_mb": _private(os.getpid()),
        "warm_mb": sum(map(_private, pids)),
        "descriptors": sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in [os.getpid(), *pids]),
        "warm_processes": pids,
        "their_children": sum(map(len, children)),
        "temporary_files": len(os.listdir(tempfile.gettempdir())),
    }


def _private(pid: int) -> float:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) for line in lines if line.startswith("Private")) / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rng, rows = random.Random(0), []
    tempfile.tempdir = tempfile.mkdtemp()  # ours alone, so that what appears in it can be counted
    with Sandbox(options.workers, time_limit=0.5, memory=256 << 20) as sandbox:
        sandbox.run_many(["print(1)", "import numpy"] * options.workers * 4, progress=False)
        for number in range(options.programs // 1000):
            programs = thousand(rng)
            started = time.perf_counter()
            executions = sandbox.run_many(programs, progress=False)
            seconds = time.perf_counter() - started
            statuses = [execution.status for execution in executions]
            expected = ["timeout" if p is LOOP else "memory" if p is BOMB else None for p in programs]
            wrong = sum(want not in (None, status) for want, status in zip(expected, statuses, strict=True))
            wrong += statuses.count("ok") != 980 - 122
            ordinary = [e.cpu for e, want in zip(executions, expected, strict=True) if want is None]
            rows.append({"thousand": number + 1, "per_second": 1000 / seconds, "wrong": wrong} | observe(sandbox))
            rows[-1]["cpu_ms"] = 1000 * statistics.median(ordinary)
            shown = {key: round(value, 2) for key, value in rows[-1].items() if key != "warm_processes"}
            print(shown, flush=True)
    first, last = rows[0], rows[-1]
    print(f"throughput of the last thousand: {100 * last['per_second'] / first['per_second']:.1f} % of the first")
    quarter = max(1, len(rows) // 4)
    early, late = (statistics.mean(row["per_second"] for row in part) for part in (rows[:quarter], rows[-quarter:]))
    # in which a busy machine's noise averages out
    print(f"throughput of the last quarter: {100 * late / early:.1f} % of the first")
    for name in ("supervisor_mb", "warm_mb", "descriptors", "their_children", "temporary_files", "cpu_ms"):
        print(f"{name}: {first[name]:.2f} → {last[name]:.2f}")
    print(f"the same warm processes throughout: {first['warm_processes'] == last['warm_processes']}")
    print(f"wrong verdicts: {sum(row['wrong'] for row in rows)}")
    os.rmdir(tempfile.tempdir)
    if options.out:
        options.out.write_text(json.dumps({"machine": isolation_report(), "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
