"""How much sooner a study is done when all its streams share one engine: a real one, vLLM on the CPU.

TROVE on the practice problems by the practice model, 35 streams (7 categories × 5 seeds), 5 samples a mode, generation
alone: programs cost nothing here. The official order asks for one mode of one problem at a time, its samples in one
batch, and goes on when they are there; ours is `live_run`. Both start the engine anew and are timed from the first
request to the last answer; they take turns, so that a busy machine is busy for both. Needs vLLM (`make test-vllm`).

    .venv-vllm/bin/python benchmarks/engine.py [--problems 1] [--repeats 2] [--model SPEC]
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from driver import SEEDS, Free

from trove_lite.datasets import load_dataset, load_problems
from trove_lite.datasets.practice.problems import CATEGORIES
from trove_lite.models import load_model
from trove_lite.prompts import load_pack
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

K = 15
OPTIONS = f"max_model_len=1024&dtype=float32&enforce_eager=true&kv_cache_memory_bytes={1 << 30}"
PRACTICE = Path(__file__).resolve().parents[1] / "trove_lite" / "models" / "practice" / "weights"


class Watched:
    """An engine, and when it was first asked and last answered, in how many requests of how many tokens."""

    def __init__(self, spec: str):
        self.engine = load_model(spec)
        self.name, self.first, self.last, self.samples, self.tokens = self.engine.name, None, 0.0, 0, 0

    async def __aenter__(self):
        await self.engine.__aenter__()
        return self

    async def __aexit__(self, *error):
        await self.engine.__aexit__(*error)

    async def complete(self, prompt, seeds):
        self.first = self.first or time.perf_counter()
        completions = await self.engine.complete(prompt, seeds)
        self.last = time.perf_counter()
        self.samples += len(completions)
        self.tokens += sum(completion.completion_tokens for completion in completions)
        return completions

    def __str__(self):
        return f"{self.last - self.first:.1f} s for {self.samples} samples, {self.tokens} tokens"


async def official(model: Watched, n: int) -> None:
    """One mode of one problem after the other, stream after stream."""
    pack = load_pack("practice", load_dataset("practice"))
    async with model:
        for seed in range(SEEDS):
            for category in CATEGORIES:
                for problem in load_problems("practice", category)[:n]:
                    for mode in ("import", "create", "skip"):
                        prompt = pack.render(problem.question, mode)
                        first = 1000 * seed + 100 * problem.index
                        await model.complete(prompt, range(first, first + K // 3))


def ours(model: Watched, n: int) -> None:
    settings = RunSettings(
        name="bench", dataset="practice", methods=("trove",), seeds=tuple(range(SEEDS)), k=K, limit=n
    )
    with tempfile.TemporaryDirectory() as folder:
        live_run(settings, Path(folder) / "run", model=model, sandbox=Free(), progress=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=1, help="a stream (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=2, help="of both (default: %(default)s)")
    parser.add_argument("--model", default=f"vllm:{PRACTICE}?{OPTIONS}", help="default: the practice model by vLLM")
    options = parser.parse_args()
    for _ in range(options.repeats):
        theirs, mine = Watched(options.model), Watched(options.model)
        asyncio.run(official(theirs, options.problems))
        ours(mine, options.problems)
        ratio = (theirs.last - theirs.first) / theirs.tokens / ((mine.last - mine.first) / mine.tokens)
        print(f"official order {theirs}; ours {mine}: {ratio:.1f} times sooner, token for token", flush=True)


if __name__ == "__main__":
    main()
