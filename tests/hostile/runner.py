"""Runs hostile programs one at a time and says what became of it. A process of its own, usually
inside a cell.

    python -m tests.hostile.runner LEVEL   reads a program's name a line, answers with a line of JSON

The answer: `status` and `error` as the sandbox gave them, and `problems`, empty when the program
was contained: nothing happened to the decoys, no process and no descriptor is left, the worker
still lives, the next program of each warm process that it met runs as if nothing had been. Those of
all warm processes run now and then, and at the end: a runner that finds one of them ill then says
so and exits with 1.
"""

import json
import os
import sys
from collections.abc import Iterable

from trove_lite.sandbox.pool import Sandbox
from trove_lite.sandbox.worker import tier_of

from .catalogue import TABLE, Hostile, everything
from .world import World

LIMITS = {"time_limit": 0.5, "wall_limit": 1.0, "memory": 64 << 20, "output_limit": 1 << 20}
CPU_SECONDS = 6.0  # the kernel's own limit is 3, and it looks when it comes by

HEALTHY = """
import builtins, math, os, random, sys
print(math.pi, sum([1, 2]), random.random(), os.getcwd(), len(os.environ), os.umask(0), sys.getrecursionlimit())
print(hash(tuple(dir(builtins))), len(sys.path), len(sys.meta_path), len(sys.modules))
print(hasattr(builtins, 'leftover'), sys.stdout.encoding, os.fstat(1).st_size, os.listdir('@library@'))
"""
SYMBOLIC = """
import sympy
print(sympy.Integer(2) + 3, sympy.solve(sympy.Symbol('x') ** 2 - 4))
"""
NUMERIC = """
import numpy
print(numpy.random.rand())
print(numpy.array([1 / 3]), numpy.pi)
"""
TIERS = {"lean": HEALTHY, "symbolic": HEALTHY + SYMBOLIC, "numeric": HEALTHY + SYMBOLIC + NUMERIC}
TIERS["scientific"] = TIERS["numeric"] + "import pandas"
TIERS["table"] = (
    f"import os\nprint(os.listdir(), open('{TABLE}').read(), os.access('{TABLE}', os.W_OK))"
)


class Runner:
    """A sandbox with one worker, the decoys, and what a healthy program prints."""

    def __init__(self, level: str):
        self.world = World()
        self.sandbox = Sandbox(
            1, isolation=level, readable=[self.world.library], **LIMITS
        ).__enter__()
        self.healthy = {tier: self._healthy(tier) for tier in TIERS}
        assert {status for status, *_ in self.healthy.values()} == {"ok"}, self.healthy
        self._run("import pandas", TABLE)
        self.descriptors = _descriptors()
        self.attacks = 0

    def attack(self, hostile: Hostile) -> dict:
        """Run one program and look for damage."""
        workers = self._workers()
        if hostile.first:
            self._run(hostile.first, hostile.table and TABLE)
        execution = self._run(hostile.source, hostile.table)
        problems = self.world.damage()
        if self.world.token in execution.output + execution.error:
            problems.append("it saw a secret")
        if "escaped" in execution.output:
            problems.append("it says that it got what it wanted")
        if not _can_be_kept(execution):
            problems.append("its words cannot be kept")
        if execution.cpu > CPU_SECONDS:  # seconds on the clock say only how busy the machine is
            problems.append(f"it took {execution.cpu:.1f} s of CPU time")
        mended = len(problems)  # decoys are as new; what is found from here on is not put right
        if strays := self._strays():
            problems.append(f"processes are left: {strays}")
        if self._workers() != workers:
            problems.append("the worker died")
        self.attacks += 1
        met = {
            "lean",
            tier_of(hostile.source),
            tier_of(hostile.first or ""),
            *(["table"] if bool(hostile.table) else []),
        }
        problems += self.ill(TIERS if self.attacks % 50 == 0 else met)
        if (now := _descriptors()) != self.descriptors:
            problems.append(f"descriptors: {self.descriptors} became {now}")
            self.descriptors = now
        answer = {
            "problems": problems,
            "mended": len(problems) == mended,
            "output": execution.output[:200],
        }
        return execution._asdict() | answer

    def _run(self, source: str, table: str = ""):
        files = [{table: self.world.table} if table else None]
        return self.sandbox.run_many([self.world.fill(source)], progress=False, files=files)[0]

    def _healthy(self, tier: str) -> tuple:
        """What a healthy program's end says, but for its times."""
        return self._run(TIERS[tier], TABLE if tier == "table" else "")[:4]

    def ill(self, tiers: Iterable[str] = TIERS) -> list[str]:
        """How healthy programs of these kinds fare now, where they do not as they did."""
        ill = []
        for tier in tiers:
            if (now := self._healthy(tier)) != self.healthy[tier]:
                ill.append(f"the next program: {now} instead of {self.healthy[tier]}")
                self.healthy[tier] = now
        return ill

    def _workers(self) -> dict[tuple, int]:
        return {tier: zygote.process.pid for tier, zygote in self.sandbox._all[0].zygotes.items()}

    def _strays(self) -> list[str]:
        """Children that the warm processes still have; in a cell, every process that is none of
        ours."""
        strays = []
        for pid in self._workers().values():
            with open(f"/proc/{pid}/task/{pid}/children") as children:
                strays += children.read().split()
        if os.environ.get("TROVE_LITE_CELL"):
            ours = {1, os.getpid(), self.world.process.pid, *self._workers().values()}
            strays += [
                name for name in os.listdir("/proc") if name.isdigit() and int(name) not in ours
            ]
        return strays


def _descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def _can_be_kept(execution) -> bool:
    """Whether what the sandbox says of a program fits a file: a table that cannot be saved ends a
    run for good."""
    try:
        return len(execution.error.encode()) < 1 << 14 and len(execution.output.encode()) < 1 << 22
    except UnicodeEncodeError:
        return False


def main() -> None:
    battery = everything()
    runner = Runner(sys.argv[1])
    print(json.dumps({"level": runner.sandbox.level}), flush=True)
    for line in sys.stdin:
        print(json.dumps(runner.attack(battery[line.strip()])), flush=True)
    ill = runner.ill()
    runner.sandbox.__exit__()
    runner.world.close()
    sys.exit("; ".join(ill) or None)


if __name__ == "__main__":
    main()
