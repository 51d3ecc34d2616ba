"""How much sooner a TROVE study is done when all its streams run at once, and what a program that never ends costs.

A model that takes 50 ms for any request, 35 streams (7 categories × 5 seeds), 5 samples a mode. The official order asks
for one mode of one problem at a time, runs its programs one after another, and only then goes on; a stream follows
another. Ours is `live_run`, journal and table included. At 50 ms a request 35 streams write 10,000 programs a second,
more than a few cores can run: so generation is timed alone too, and the endless program is tried at 1 to 3 seconds a
request and one sample a mode, where one worker would do; the same once more without it says how much is noise.

    python benchmarks/driver.py [--problems 4]
"""

import argparse
import asyncio
import hashlib
import sys
import tempfile
import time
from pathlib import Path

from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Problem, Question
from trove_lite.datasets.math import CATEGORIES
from trove_lite.models.base import Completion
from trove_lite.parse import parse_completion
from trove_lite.programs import program_of
from trove_lite.prompts import load_pack
from trove_lite.running import live
from trove_lite.sandbox.pool import Sandbox
from trove_lite.sandbox.worker import Execution

LATENCY, REAL, SEEDS, K, LIMIT = (0.05, 0.05), (1.0, 3.0), 5, 15, 5.0
TEXT = "```python\nprint({name}({answer}))\n```\n**Tools**\n```python\ndef {name}(x):\n    return x\n```"
LOOP = "```python\nwhile True:\n    pass\n```"


class Model:
    """A request takes between so many seconds. `loops`: a question of whose programs the first never ends."""

    name = "fixed latency"

    def __init__(self, latency=LATENCY, loops: str = ""):
        self.latency, self.loops, self.looped = latency, loops, False

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        pass

    async def complete(self, prompt, seeds):
        low, high = self.latency
        await asyncio.sleep(low + (high - low) * (hash(seeds[0]) % 1000) / 1000)
        return [Completion(self.text(prompt, seed), 300, 40, "stop", low) for seed in seeds]

    def text(self, prompt, seed):
        if self.loops and not self.looped and f"**Question**\n{self.loops}\n" in prompt:
            self.looped = True
            return LOOP
        draw = hashlib.blake2b(f"{prompt}{seed}".encode(), digest_size=4).digest()
        return TEXT.format(name=f"tool{draw[0] % 9}", answer=draw[1] % 3)


class Free:
    """Programs that cost nothing."""

    level, workers = "none", 1000

    async def run(self, program):
        return Execution("ok", "1\n", False, "", 0.0, 0.0)


def problems(n):
    return lambda dataset, category: [
        Problem(Question(dataset, category, i, f"{category} {i}?"), 1.0) for i in range(n)
    ]


def ours(sandbox, n, model=None, k=K):
    """Seconds until everything is done, and until each stream is."""
    ends = {}

    class Watched(live.Progress):
        def done(self, label):
            ends[label] = time.perf_counter() - start

    settings = live.RunSettings(name="bench", seeds=tuple(range(SEEDS)), k=k)
    plain, live.Progress = live.Progress, Watched
    try:
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            live.live_run(
                settings,
                Path(folder) / "run",
                model=model or Model(),
                sandbox=sandbox,
                problems=problems(n),
                in_flight=2000,
                progress=False,
            )
            return time.perf_counter() - start, ends
    finally:
        live.Progress = plain


class Official:
    """Programs as the official program runs them: `python file`, an interpreter's start each."""

    async def run(self, program):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", program, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL
        )
        await process.wait()


async def official(sandbox, n):
    """Seconds in the official order, on the same model."""
    model, pack = Model(), load_pack("own", load_dataset("math"))
    start = time.perf_counter()
    for _ in range(SEEDS):
        for category in CATEGORIES:
            for problem in problems(n)("math", category):
                for mode in ("import", "create", "skip"):
                    prompt = pack.render(problem.question, mode)
                    for completion in await model.complete(prompt, range(K // 3)):
                        parsed = parse_completion(completion.text)
                        await sandbox.run(program_of(parsed.solution, parsed.tools))
    return time.perf_counter() - start


def spread(seconds):
    return f"{seconds[0]:+.1f} to {seconds[-1]:+.1f} s (median {seconds[len(seconds) // 2]:+.1f})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=4, help="a stream (default: %(default)s)")
    n = parser.parse_args().problems
    streams = SEEDS * len(CATEGORIES)
    print(f"{streams} streams of {n} problems, {K} calls each, {LATENCY[0] * 1000:.0f} ms a request")
    theirs = asyncio.run(official(Free(), n))
    seconds, _ = ours(Free(), n)
    ratio = theirs / seconds
    print(f"generation alone: official order {theirs:.1f} s, ours {seconds:.1f} s: {ratio:.0f} times sooner")
    as_it_is = asyncio.run(official(Official(), n))
    with Sandbox(time_limit=LIMIT) as sandbox:
        theirs = asyncio.run(official(sandbox, n))
        seconds, _ = ours(sandbox, n)
        print(
            f"with programs, {sandbox.workers} workers: official order and runner {as_it_is:.1f} s, official order in "
            f"our sandbox {theirs:.1f} s,\n    ours {seconds:.1f} s: {as_it_is / seconds:.0f} and "
            f"{theirs / seconds:.0f} times sooner"
        )
        calm, again, loop = (ours(sandbox, 4, Model(REAL, loops), k=3)[1] for loops in ("", "", "counting 0?"))
    late, noise = ({label: ends[label] - calm[label] for label in calm} for ends in (loop, again))
    own = max(late, key=late.get)
    others, noise = sorted(late[label] for label in calm if label != own), sorted(noise.values())
    print(
        f"one program loops until its limit of {LIMIT:g} s: its own stream ({own}) ends {late[own]:+.1f} s later, the "
        f"others\n    {spread(others)}; without it {spread(noise)}; of {max(calm.values()):.1f} s"
    )
    return 0 if ratio >= 20 else 1


if __name__ == "__main__":
    sys.exit(main())
