"""How fast the practice model writes: generated tokens a second against how many samples are asked for at once.

Prompts are those of the development split, fifteen samples each, as PRIMITIVE asks for them. Samples that agree so far
are computed once; "rows" is the mean number of different ones at a time. Seconds are of the wall clock, the best of
`--repeats`; results do not depend on the batch, which is checked.

Then the demo, PRIMITIVE and TROVE on the first problems of each category: in how many seconds of the wall clock the
model was at work, in how many programs ran (both can be so at once), and in how many neither: the rest, our own code.

    python -m benchmarks.generation
"""

import argparse
import asyncio
import tempfile
import time
from pathlib import Path

from practice.problems import CATEGORIES, items
from trove_lite.candidates import load_candidates
from trove_lite.datasets.base import Question
from trove_lite.methods.base import sample_seed
from trove_lite.models.base import SamplingSettings
from trove_lite.models.practice.model import WEIGHTS, PracticeModel
from trove_lite.prompts.practice import practice_prompt
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings
from trove_lite.sandbox.pool import Sandbox

SAMPLES = 15


class Counted(PracticeModel):
    """Counts its steps and their rows, and notes from when to when it is at work."""

    steps = rows_stepped = 0

    def __init__(self, *given, **named):
        super().__init__(*given, **named)
        self.spans = []

    def _step(self):
        self.steps, self.rows_stepped = self.steps + 1, self.rows_stepped + len(self.rows)
        super()._step()

    def _work(self):
        began = time.perf_counter()
        super()._work()
        self.spans.append((began, time.perf_counter()))


class Watched(Sandbox):
    """Notes from when to when each program runs."""

    def __init__(self, **given):
        super().__init__(**given)
        self.spans = []

    async def run(self, program):
        began = time.perf_counter()
        execution = await super().run(program)
        self.spans.append((began, time.perf_counter()))
        return execution


def covered(spans: list[tuple[float, float]]) -> float:
    """Seconds in which at least one of the spans was on."""
    total, reached = 0.0, float("-inf")
    for began, ended in sorted(spans):
        total += max(0.0, ended - max(began, reached))
        reached = max(reached, ended)
    return total


async def generate(model: PracticeModel, problems: int) -> tuple[list[str], int, float]:
    """All texts, the number of their tokens, and the seconds that they took."""
    asked = [item for category in CATEGORIES for item in items("dev", category)[: problems // len(CATEGORIES)]]
    prompts = [practice_prompt("primitive", item.question) for item in asked]
    began = time.perf_counter()
    calls = [
        model.complete(
            prompt,
            [sample_seed(0, Question("practice", "dev", i, ""), "stream", "primitive", j) for j in range(SAMPLES)],
        )
        for i, prompt in enumerate(prompts)
    ]
    found = [completion for part in await asyncio.gather(*calls) for completion in part]
    return [c.text for c in found], sum(c.completion_tokens for c in found), time.perf_counter() - began


def demo(model: Counted, problems: int) -> None:
    """Print where the time of a live run goes."""
    settings = RunSettings(
        model="practice",
        methods=("primitive", "trove"),
        dataset="practice",
        seeds=(0,),
        prompts="practice",
        limit=problems,
    )
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        with Watched(time_limit=settings.time_limit, memory=settings.memory << 20) as sandbox:
            run = live_run(settings, Path(folder) / "run", model=model, sandbox=sandbox, progress=False)
        wall = time.perf_counter() - began
        table = load_candidates(run)
    generating, executing, either = covered(model.spans), covered(sandbox.spans), covered(model.spans + sandbox.spans)
    print(
        f"demo: {len(table):,} programs, {table['completion_tokens'].sum():,} tokens in {wall:.1f} s; generation "
        f"{generating:.1f} s, execution {executing:.1f} s, both at once {generating + executing - either:.1f} s, "
        f"neither {wall - either:.1f} s; {sandbox.workers} workers"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", type=int, default=56)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--demo", type=int, default=10, help="problems a category of the demo; 0: none")
    parser.add_argument("--model", type=Path, default=WEIGHTS)
    options = parser.parse_args()
    first = None
    print("at once   rows   tokens   tokens/s")
    for at_once in (1, 4, 16, 64, 256):
        best = float("inf")
        for _ in range(options.repeats):
            model = Counted(SamplingSettings(), options.model, requests_at_once=at_once)
            texts, tokens, seconds = asyncio.run(generate(model, options.problems))
            best = min(best, seconds)
        first = first or texts
        if texts != first:
            raise SystemExit("the texts depend on the batch")
        print(f"{at_once:7d} {model.rows_stepped / max(1, model.steps):6.1f} {tokens:8d} {tokens / best:10,.0f}")
    if options.demo:
        demo(Counted(SamplingSettings(), options.model), options.demo)


if __name__ == "__main__":
    main()
