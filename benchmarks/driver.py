"""How much sooner a TROVE study is done when all its streams run at once.

A model that takes 50 ms for any request, 35 streams (7 categories × 5 seeds), 5 samples a mode. The
official order asks for one mode of one problem at a time, runs its programs one after another, and
only then goes on; a stream follows another. Ours is `live_run`, journal and table included. At 50
ms a request 35 streams write 10,000 programs a second, more than a few cores can run: so generation
is timed alone too.

    python benchmarks/driver.py [--problems 4]
"""

import argparse
import asyncio
import hashlib
import sys
import tempfile
import time
from pathlib import Path

from trove_lite.datasets import load_dataset, load_problems
from trove_lite.datasets.math import CATEGORIES
from trove_lite.models.base import Completion, LanguageModel
from trove_lite.programs import program_of
from trove_lite.programs.parse import parse_completion
from trove_lite.prompts import load_pack
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings
from trove_lite.sandbox.pool import Sandbox
from trove_lite.sandbox.worker import Execution

LATENCY = 0.05
SEEDS = 5
K = 15
LIMIT = 5.0
TEXT = "```python\nprint({name}({answer}))\n```\n**Tools**\n```python\ndef {name}(x):\n    return x\n```"


class Model(LanguageModel):
    """Every request takes as long."""

    name = "fixed latency"

    async def complete(self, prompt, seeds, **_):
        await asyncio.sleep(LATENCY)
        return [Completion(self.text(prompt, seed), 300, 40, "stop", LATENCY) for seed in seeds]

    def text(self, prompt, seed):
        draw = hashlib.blake2b(f"{prompt}{seed}".encode(), digest_size=4).digest()
        return TEXT.format(name=f"tool{draw[0] % 9}", answer=draw[1] % 3)


class Free:
    """Programs that cost nothing."""

    level = "none"
    workers = 1000

    async def run(self, program):
        return Execution("ok", "1\n", False, "", 0.0, 0.0)


def ours(sandbox, n):
    """Seconds until everything is done."""
    settings = RunSettings(
        name="bench", dataset="practice", seeds=tuple(range(SEEDS)), k=K, limit=n
    )
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        live_run(
            settings,
            Path(folder) / "run",
            model=Model(),
            sandbox=sandbox,
            in_flight=2000,
            progress=False,
        )
        return time.perf_counter() - start


class Official:
    """Programs as the official program runs them: `python file`, an interpreter's start each."""

    async def run(self, program):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            program,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        await process.wait()


async def official(sandbox, n):
    """Seconds in the official order, on the same model."""
    model = Model()
    pack = load_pack("own", load_dataset("practice"))
    start = time.perf_counter()
    for _ in range(SEEDS):
        for category in CATEGORIES:
            for problem in load_problems("practice", category)[:n]:
                for mode in ("import", "create", "skip"):
                    prompt = pack.render(problem.question, mode)
                    for completion in await model.complete(prompt, range(K // 3)):
                        parsed = parse_completion(completion.text)
                        await sandbox.run(program_of(parsed.solution, parsed.tools))
    return time.perf_counter() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=4, help="a stream (default: %(default)s)")
    n = parser.parse_args().problems
    streams = SEEDS * len(CATEGORIES)
    print(f"{streams} streams of {n} problems, {K} calls each, {LATENCY * 1000:.0f} ms a request")
    theirs = asyncio.run(official(Free(), n))
    seconds = ours(Free(), n)
    ratio = theirs / seconds
    print(
        f"generation alone: official order {theirs:.1f} s, ours {seconds:.1f} s: {ratio:.0f} times sooner"
    )
    as_it_is = asyncio.run(official(Official(), n))
    with Sandbox(time_limit=LIMIT) as sandbox:
        theirs = asyncio.run(official(sandbox, n))
        seconds = ours(sandbox, n)
        ways = f"official order and runner {as_it_is:.1f} s, official order in our sandbox {theirs:.1f} s"
        times = f"{as_it_is / seconds:.0f} and {theirs / seconds:.0f} times sooner"
        print(f"with programs, {sandbox.workers} workers: {ways}, ours {seconds:.1f} s: {times}")
    return 0 if ratio >= 20 else 1


if __name__ == "__main__":
    sys.exit(main())
