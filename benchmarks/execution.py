"""How fast programs run: the sandbox beside the official way, on recorded programs of the public
logs.

    python benchmarks/execution.py [--programs 1500] [--workers 2] [--own-work 0.1] [--seed 0]

Needs the public logs (`trove-lite fetch logs`). Prints a Markdown table of ratios to the official
way, which starts `python file.py` for each program. Programs are dealt into chunks, and every way
runs a chunk before any runs the next, in an order that changes, so that a machine that others use
treats all alike. Ratios are medians over chunks.

What no way of starting programs makes shorter is their own work: all of a chunk, one after another,
in one program that has the libraries already. A way's overhead is the processor's time that it
takes beyond that, a program; the last lines say it, and how many times ours goes into the official
one.

The official way runs them in a scratch folder with the rights of whoever runs this: nobody has read
these programs.
"""

import argparse
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from trove_lite.datasets import load_problems
from trove_lite.datasets.files import data_folder
from trove_lite.programs import program_of, recorded_sources
from trove_lite.running.live import REUSE
from trove_lite.sandbox.pool import Sandbox
from trove_lite_analysis.recorded.official_logs import import_logs

TIME_LIMIT = 10.0
#: One program that does the work of many, and prints what each of them took of the processor.
ALL_IN_ONE = """
import contextlib, gc, io, json, sys, time
import math, sympy, sympy.geometry, numpy, scipy, pandas

spent, shown = [], sys.stdout
for source in json.loads({sources!r}):
    sys.stdout = io.StringIO()
    began = time.process_time()
    try:
        exec(compile(source, "program.py", "exec"), {{"__name__": "__main__"}})
    except BaseException:
        pass
    spent.append(time.process_time() - began)
sys.stdout = shown
print(json.dumps(spent))
"""


def recorded_programs(count: int, seed: int, own_work: float) -> tuple[list[str], int]:
    """Programs of CREATE and SKIP samples, drawn at random as they occur, and how many were drawn
    and left out.

    Left out are those that compute for longer than `own_work` CPU seconds: no way of starting
    programs makes them faster, and one of them weighs as much as hundreds of others.
    """
    categories = ("counting", "geometry", "number")
    logs = sorted(
        log for name in categories for log in data_folder().glob(f"ikb-a/**/math/{name}/**/run*.md")
    )
    problems = [problem for category in categories for problem in load_problems("math", category)]
    candidates, _ = import_logs(logs, problems, progress=False)
    chosen = candidates[
        candidates["mode"].isin(["create", "skip"])
        & candidates["solution"].str.contains("```python")
    ]
    drawn = chosen.sample(count + count // 5, random_state=seed)
    programs = [
        program_of(solution, recorded_sources(tools))
        for solution, tools in zip(drawn["solution"], drawn["tools"], strict=True)
    ]
    with Sandbox(time_limit=own_work) as sandbox:
        executions = sandbox.run_many(programs)
    short = [
        program
        for program, done in zip(programs, executions, strict=True)
        if done.status != "timeout"
    ]
    return short[:count], len(programs) - len(short)


class Official:
    """`subprocess.run(["python", file])`, as the official program does it."""

    name = "official: `python file.py` for each"
    isolation = "none"

    def __init__(self, workers: int):
        self.threads = ThreadPoolExecutor(workers)
        self.folder = tempfile.TemporaryDirectory()

    def run(self, programs: list[str]) -> list[str]:
        return list(self.threads.map(self._one, programs))

    def _one(self, program: str) -> str:
        with tempfile.NamedTemporaryFile("w", suffix=".py", dir=self.folder.name) as file:
            file.write(program)
            file.flush()
            how = {"stdin": subprocess.DEVNULL, "cwd": self.folder.name, "timeout": 2 * TIME_LIMIT}
            try:
                done = subprocess.run(
                    [sys.executable, file.name], capture_output=True, text=True, **how
                )
            except subprocess.TimeoutExpired:
                return "timeout"
        return "error" if done.returncode else "ok"

    def cpu(self) -> float:
        return _own_cpu()

    def close(self) -> None:
        self.threads.shutdown()
        self.folder.cleanup()


class Ours:
    """The sandbox, at the strongest level that this machine offers; with `reuse`, equal programs
    run once."""

    def __init__(self, workers: int, name: str, reuse: int = 0):
        self.name = name
        self.sandbox = Sandbox(workers, time_limit=TIME_LIMIT, reuse=reuse).__enter__()
        self.isolation = self.sandbox.level

    def run(self, programs: list[str]) -> list[str]:
        return [execution.status for execution in self.sandbox.run_many(programs)]

    def cpu(self) -> float:
        zygotes = [zygote for worker in self.sandbox._all for zygote in worker.zygotes.values()]
        return _own_cpu() + sum(_cpu_of(zygote.process.pid) for zygote in zygotes)

    def close(self) -> None:
        self.sandbox.__exit__()


def own_work(sandbox: Sandbox, programs: list[str]) -> float:
    """CPU seconds that the programs take by themselves, one after another where all is imported.
    Confined."""
    (done,) = sandbox.run_many([ALL_IN_ONE.format(sources=json.dumps(programs))])
    if done.status != "ok":
        sys.exit(f"the programs' own work could not be measured: {done.status} {done.error}")
    return sum(json.loads(done.output))


def _own_cpu() -> float:
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _cpu_of(pid: int) -> float:
    """CPU seconds of a running child and of its own children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def measure(programs: list[str], workers: int, chunks: int, seed: int) -> list[dict]:
    """Wall and CPU seconds of each way on each chunk, as ratios to the official way on that
    chunk."""
    ways = [
        Official(workers),
        Ours(workers, "**trove_lite**"),
        Ours(workers, "trove_lite, equal programs once, as live runs do", reuse=REUSE),
    ]
    libraries = ["math", "sympy", "numpy", "scipy"]
    warm = [
        f"import {name}  # {i}" for i in range(8 * workers) for name in libraries
    ]  # each worker gets one of each
    for way in ways[1:]:
        way.run(warm)
    alone = Sandbox(1, time_limit=60 * TIME_LIMIT).__enter__()
    shuffled = random.Random(seed)
    rows = []
    for number in range(chunks):
        chunk = programs[number::chunks]
        official = None
        own = own_work(alone, chunk)
        for way in [
            ways[0],
            *shuffled.sample(ways[1:], len(ways) - 1),
        ]:
            cpu = way.cpu()
            wall = time.perf_counter()
            statuses = way.run(chunk)
            wall = time.perf_counter() - wall
            cpu = way.cpu() - cpu
            official = official or (wall, cpu, statuses)
            ratios = {"wall_ratio": official[0] / wall, "cpu_ratio": official[1] / cpu}
            differ = sum(
                (a == "ok") != (b == "ok") for a, b in zip(statuses, official[2], strict=True)
            )
            rows.append(
                {
                    "way": way.name,
                    "isolation": way.isolation,
                    "programs": len(chunk),
                    "wall": wall,
                    "own": own,
                    "overhead": 1000 * (cpu - own) / len(chunk),
                    "differ": differ,
                }
            )
            rows[-1] |= ratios
        print(f"chunk {number + 1} of {chunks}", file=sys.stderr, flush=True)
    for way in ways:
        way.close()
    alone.__exit__()
    return rows


def table(rows: list[dict]) -> str:
    """One line a way: medians over chunks and their range, and how many programs ended
    otherwise."""
    lines = [
        "| way | isolation | wall × | CPU × | ms a program, wall | other verdicts |",
        "|---|---|---|---|---|---|",
    ]
    for name in dict.fromkeys(row["way"] for row in rows):
        mine = [row for row in rows if row["way"] == name]
        count = sum(row["programs"] for row in mine)
        cells = [
            f"{statistics.median(values):.1f} ({min(values):.1f}–{max(values):.1f})"
            for values in ([row[key] for row in mine] for key in ("wall_ratio", "cpu_ratio"))
        ]
        milliseconds = f"{1000 * sum(row['wall'] for row in mine) / count:.1f}"
        differ = f"{sum(row['differ'] for row in mine)} of {count}"
        lines.append(
            f"| {name} | {mine[0]['isolation']} | {cells[0]} | {cells[1]} | {milliseconds} | {differ} |"
        )
    return "\n".join(lines)


def overheads(rows: list[dict]) -> str:
    """The processor's time of each way beyond the programs' own work, and how many times it goes
    into the official."""
    own = 1000 * sum(row["own"] for row in rows) / sum(row["programs"] for row in rows)
    lines = [f"The programs' own work: {own:.2f} ms of the processor a program. Beyond it:"]
    names = list(dict.fromkeys(row["way"] for row in rows))
    each = {name: [row["overhead"] for row in rows if row["way"] == name] for name in names}
    for name, found in each.items():
        ratios = [theirs / ours for theirs, ours in zip(each[names[0]], found, strict=True)]
        shown = f"{statistics.median(ratios):.1f} ({min(ratios):.1f}–{max(ratios):.1f})"
        lines.append(f"- {name}: {statistics.median(found):.2f} ms, {shown} times in the official")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=1500)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--chunks", type=int, default=10)
    parser.add_argument(
        "--own-work", type=float, default=0.1, help="leave out programs that compute longer (CPU s)"
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    programs, left_out = recorded_programs(options.programs, options.seed, options.own_work)
    rows = measure(programs, options.workers, options.chunks, options.seed)
    different = f"{len(programs)} programs, {len(set(programs))} of them different, {options.workers} workers"
    left = f"{left_out} of {left_out + len(programs)} drawn compute for more than "
    left += f"{options.own_work:g} s and are left out"
    print(table(rows), overheads(rows), sep="\n\n", end="\n\n")
    print(f"{different}, medians over {options.chunks} chunks (and their range); {left}.")


if __name__ == "__main__":
    main()
