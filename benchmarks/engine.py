"""The kit against the engine that it drives: written tokens a second, and how long a mixed run takes.

    kit        the requests of PRIMITIVE, and of seven TROVE streams, through `live_run` with every program run, and
               then all of them given to vLLM's own `LLM.generate` in one batch: same seeds and settings, in turn.
               Targets: 0.95 of the offline rate for PRIMITIVE, 0.85 for TROVE, whose problems wait for one another.
    mixed      PRIMITIVE beside one TROVE stream, which waits for its samples: at most 1.15 times the larger of the
               stream's time alone and of all these requests in one offline batch.
    steps      servers side by side (`--beside`), in turns: how many steps a second each makes, a token a request each,
               with 7, 35 and 300 requests at once whose prompts it has read just before.
    stream     what a problem of one TROVE stream takes by a served model (`--model URL`), the same requests and seeds,
               in `--ways`: all fifteen when its turn comes; CREATE and SKIP of eight problems ahead; IMPORT of four or
               eight problems guessed (`--guess`); CREATE and SKIP from a tape (`--generate_only`, timed too).
    card       the same without an engine: a recorded stream's replies (`--recorded RUN`), each after its tokens' time
               (`--pace`), as where slots are free. It also says whether all ways make the same candidates.

Of the first two each way starts its engine anew in a process of its own and is timed from the first request after a
warm-up to the last answer; they need vLLM (`make test-vllm` makes an environment). All ways take turns, so that a busy
machine is busy for all.

    .venv-vllm/bin/python benchmarks/engine.py kit mixed --model FOLDER --problems 6 --repeats 2
    python benchmarks/engine.py steps --beside http://127.0.0.1:8001/v1 http://127.0.0.1:8002/v1 --max_tokens 32
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import replace
from itertools import product
from pathlib import Path
from statistics import median

import pandas as pd

from trove_lite.candidates import load_calls, load_candidates, read_description
from trove_lite.datasets import load_dataset
from trove_lite.methods.base import sample_seed
from trove_lite.models import load_model
from trove_lite.models.base import Completion, LanguageModel, SamplingSettings, gather
from trove_lite.models.tape import Taped
from trove_lite.models.vllm import CPU_ENVIRONMENT
from trove_lite.prompts import load_pack
from trove_lite.running import driver
from trove_lite.running.driver import prompt_of
from trove_lite.running.live import REUSE, live_run, recorded_streams, streams_of
from trove_lite.running.record import content_hash
from trove_lite.running.settings import RunSettings
from trove_lite.running.tape import draw_ahead, surely
from trove_lite.sandbox.pool import Sandbox

PRACTICE = Path(__file__).resolve().parents[1] / "trove_lite" / "models" / "practice" / "weights"
PRACTICE_ENGINE = f"max_model_len=1024&dtype=float32&enforce_eager=true&kv_cache_memory_bytes={1 << 30}"
ENGINE = "max_model_len=4096&dtype=bfloat16&enable_prefix_caching=true&max_num_seqs=64&block_size=32"
K, WARM_UP = 15, "1 + 1 ="
WAITING = "OMP_WAIT_POLICY"
TARGETS = {"primitive": 0.95, "trove": 0.85}
MIXED_TARGET = 1.15
RESULT = "RESULT "
#: For how many problems ahead CREATE and SKIP are asked, whether these are on a tape, for how many IMPORT is guessed.
WAYS_OF_A_STREAM = {"in turn": (1, 0, 0), "ahead": (8, 0, 0), "4 guessed": (8, 0, 4), "8 guessed": (8, 0, 8)}
WAYS_OF_A_STREAM |= {"from a tape": (8, 1, 0), "from a tape, 4 guessed": (8, 1, 4)}
SLOWEST = {"generate_seconds": "written", "execute_seconds": "run"}


class Watched(LanguageModel):
    """A model, and when it was first asked and last answered, for what."""

    def __init__(self, model: LanguageModel):
        self.model, self.name, self.asked = model, model.name, []
        self.first, self.last = None, 0.0

    async def __aenter__(self):
        await self.model.__aenter__()
        await self.model.complete(WARM_UP, [1])
        self.name = self.model.name
        return self

    async def __aexit__(self, *error):
        await self.model.__aexit__(*error)

    async def complete(self, prompt, seeds, **how):
        self.first = self.first or time.perf_counter()
        completions = await self.model.complete(prompt, seeds, **how)
        self.last = time.perf_counter()
        self.asked += [
            {"prompt": as_json(prompt), "seed": seed, **completion._asdict()}
            for seed, completion in zip(seeds, completions, strict=True)
        ]
        return completions

    def result(self) -> dict:
        return {"seconds": self.last - self.first, "tokens": written(self.asked), "asked": self.asked}


def as_json(prompt):
    return prompt if isinstance(prompt, str) else [message._asdict() for message in prompt]


def written(asked) -> int:
    return sum(each["completion_tokens"] for each in asked)


def settings_of(task: dict) -> RunSettings:
    toy = task["model"] == str(PRACTICE)
    dataset = "practice" if toy else task["dataset"]
    return RunSettings(
        name="bench",
        dataset=dataset,
        methods=tuple(task["methods"]),
        categories=tuple(task["categories"] or load_dataset(dataset).categories),
        seeds=(0,),
        model=spec_of(task),
        prompts="practice" if toy else "own",
        k=K,
        limit=task["problems"],
        sampling=SamplingSettings(max_tokens=task["max_tokens"]),
    )


def spec_of(task: dict) -> str:
    model = task["model"]
    if not Path(model).is_dir():
        return model
    return f"vllm:{model}?{PRACTICE_ENGINE if model == str(PRACTICE) else ENGINE}{task['engine']}"


def through_the_kit(task: dict) -> dict:
    """`live_run` with journal, sandbox and tables; and the share of prompt tokens that the prefix cache had."""
    settings = settings_of(task)
    watched = Watched(load_model(settings.model, settings=settings.sampling))
    with tempfile.TemporaryDirectory() as folder, Sandbox(reuse=REUSE) as sandbox:
        out = live_run(settings, Path(folder) / "run", model=watched, sandbox=sandbox, progress=False)
        calls = load_calls(out)
    cached, prompts = calls["cached_tokens"].sum(min_count=1), calls["prompt_tokens"].sum()
    share = None if pd.isna(cached) else float(cached / prompts)
    return watched.result() | {"cached": share}


def offline(task: dict) -> dict:
    """vLLM's own `LLM.generate`, all requests in one batch, its threads waiting for one another as the kit has them."""
    os.environ.setdefault(WAITING, CPU_ENVIRONMENT[WAITING])  # read when the library that obeys it is loaded
    from vllm import LLM

    settings = settings_of(task)
    kits = load_model(settings.model, settings=settings.sampling)
    engine = LLM(**kits.engine_args())
    engine.generate([WARM_UP], [kits._params(1, kits.settings)], use_tqdm=False)
    asked = task["asked"]
    prompts = [each["prompt"] for each in asked]
    params = [kits._params(each["seed"], kits.settings) for each in asked]
    start = time.perf_counter()
    outputs = engine.generate(prompts, params, use_tqdm=False)
    seconds = time.perf_counter() - start
    texts = [output.outputs[0].text for output in outputs]
    same = sum(text == each["text"] for text, each in zip(texts, asked, strict=True)) / len(asked)
    return {"seconds": seconds, "tokens": sum(len(o.outputs[0].token_ids) for o in outputs), "same": same}


WAYS = {"kit": through_the_kit, "offline": offline}


def apart(way: str, task: dict) -> dict:
    """One way in a process of its own; what it gives."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(task, file)
        file.flush()
        words = [sys.executable, __file__, "--way", way, "--task", file.name]
        done = subprocess.run(words, stdout=subprocess.PIPE, text=True)
    lines = [line for line in done.stdout.splitlines() if line.startswith(RESULT)]
    if done.returncode or not lines:
        sys.exit(f"the way '{way}' ended with {done.returncode}, without a result; see its messages above")
    return json.loads(lines[-1].removeprefix(RESULT))


def rate(result: dict) -> float:
    return result["tokens"] / result["seconds"]


def shown(name: str, result: dict) -> str:
    cached = result.get("cached")
    text = f"{name} {rate(result):.1f} tokens/s ({result['tokens']} tokens, {result['seconds']:.1f} s)"
    return text + (f", {100 * cached:.0f} % of prompt tokens from the prefix cache" if cached is not None else "")


def verdict(ratio: float, target: float, *, least: bool) -> str:
    met = ratio >= target if least else ratio <= target
    return f"{ratio:.2f} (target {'at least' if least else 'at most'} {target}: {'met' if met else 'not met'})"


def kit(task: dict, repeats: int) -> None:
    ratios = {method: [] for method in task["methods"]}
    for _ in range(repeats):
        for method in ratios:
            ours = apart("kit", task | {"methods": [method]})
            theirs = apart("offline", task | {"methods": [method], "asked": ours["asked"]})
            ratios[method].append(rate(ours) / rate(theirs))
            both, same = (
                f"{shown('kit', ours)}; {shown('offline', theirs)}",
                f"{100 * theirs['same']:.0f} % of texts the same",
            )
            print(f"{method}: {both}; ratio {ratios[method][-1]:.2f}; {same}", flush=True)
    for method, found in ratios.items():
        print(f"{method}: kit to offline, median of {repeats}: {verdict(median(found), TARGETS[method], least=True)}")


def mixed(task: dict, repeats: int) -> None:
    category = task["categories"] or [load_dataset(settings_of(task | {"methods": ["trove"]}).dataset).categories[0]]
    task, ratios = task | {"categories": category[:1]}, []
    for _ in range(repeats):
        alone = apart("kit", task | {"methods": ["trove"]})
        both = apart("kit", task | {"methods": ["primitive", "trove"]})
        batch = apart("offline", task | {"methods": ["trove"], "asked": both["asked"]})
        ratios.append(both["seconds"] / max(alone["seconds"], both["tokens"] / rate(batch)))
        each = f"{shown('stream alone', alone)}; {shown('all in one batch', batch)}; {shown('mixed', both)}"
        print(f"mixed: {each}; {ratios[-1]:.2f} of the larger bound", flush=True)
    print(f"mixed, median of {repeats}: {verdict(median(ratios), MIXED_TARGET, least=False)}")


async def steps(task: dict, repeats: int) -> None:
    """Each server's steps a second: the longest completion over the time that all took. Prompts are PRIMITIVE's."""
    settings = replace(settings_of(task | {"methods": ["primitive"], "problems": None}), prompts=task["prompts"])
    dataset = load_dataset(settings.dataset)
    pack = load_pack(settings.prompts, dataset)
    prompts = [prompt_of(one, pack) for stream in streams_of(settings, dataset) for one in surely(stream, pack)]
    rates: dict[tuple[int, str], list[float]] = {}
    async with AsyncExitStack() as stack:
        models = {spec: await stack.enter_async_context(load_model(spec)) for spec in task["beside"]}
        for turn, size, spec in product(range(repeats), task["sizes"], models):
            asked = [(prompts[i // K], size * turn + i) for i in range(size)]
            for length in (1, task["max_tokens"]):
                sampling, start = replace(settings.sampling, max_tokens=length, stop=()), time.perf_counter()
                found = await gather(models[spec].complete(one, [seed], sampling=sampling) for one, seed in asked)
            seconds, lengths = time.perf_counter() - start, [one.completion_tokens for (one,) in found]
            rates.setdefault((size, spec), []).append(max(lengths) / seconds)
            print(f"{size} requests, {spec}: {sum(lengths)} tokens in {seconds:.1f} s", flush=True)
    for size in task["sizes"]:
        found = {spec: median(rates[size, spec]) for spec in models}
        first = next(iter(found.values()))
        print(f"{size}: " + "; ".join(f"{s} {r:.2f} steps/s, {r / first:.2f} of the first" for s, r in found.items()))


class Paced(LanguageModel):
    """A finished run's replies, each after its own tokens' time, as by a card with free slots. What that run did not
    ask for, a guess in vain, takes as long as its replies do on average."""

    def __init__(self, run: str, pace: float):
        self.name, self.pace, self.known, self.concurrency = Path(run).name, pace, {}, 1000
        for one, _, _ in recorded_streams([run]):
            for key, record in one.recorded.items():
                question = one.problems[key.problem].question
                seed = sample_seed(one.seed, question, key.phase, key.stage, key.sample, key.round)
                self.known[record.prompt, seed] = record
        self.usual = sum(one.completion_tokens for one in self.known.values()) / len(self.known)

    async def sample(self, prompt, seed, settings):
        found = self.known.get((content_hash(prompt), seed))
        tokens = found.completion_tokens if found else self.usual
        await asyncio.sleep(self.pace * tokens)
        return Completion(found.text if found else "", None, round(tokens), "stop", self.pace * tokens)


def ways_of(task: dict) -> dict[str, tuple[int, int, int]]:
    return {way: WAYS_OF_A_STREAM[way] for way in task["ways"]}


def card(task: dict) -> None:
    stated = read_description(task["recorded"])["settings"]
    stated |= {"categories": stated["categories"][:1], "limit": task["problems"], "model": "practice"}
    settings = RunSettings(**stated | {"sampling": SamplingSettings(**stated["sampling"])})
    taken, same = {}, set()
    with tempfile.TemporaryDirectory() as folder, Sandbox(reuse=REUSE, time_limit=settings.time_limit) as sandbox:
        for way, (ahead, taped, guess) in ({"(programs run for the first time)": (8, 0, 0)} | ways_of(task)).items():
            driver.LOOKAHEAD, model = ahead, Paced(task["recorded"], task["pace"])
            if taped:
                model = Taped(model, tape := Path(folder, f"tape of {way}"))
                draw_ahead(settings, tape, model=model.model)
            start = time.perf_counter()
            out = live_run(settings, Path(folder, way), model=model, sandbox=sandbox, progress=False, guess=guess)
            taken[way] = (time.perf_counter() - start) / task["problems"]
            same.add(load_candidates(out).drop(columns=["generate_seconds", "execute_seconds"]).to_csv())
    first = taken["in turn"]
    print("; ".join(f"{way} {s:.2f} s a problem, {s / first:.2f} of in turn" for way, s in taken.items()))
    print(f"{len(same)} different table{'s' * (len(same) > 1)} of candidates")


def stream(task: dict, repeats: int) -> None:
    settings = replace(settings_of(task | {"methods": ["trove"]}), prompts=task["prompts"])
    settings = replace(settings, categories=settings.categories[:1])
    taken: dict[str, list[float]] = {}
    for seed in range(repeats):
        with tempfile.TemporaryDirectory() as folder, Sandbox(reuse=REUSE) as sandbox:
            drawn = replace(settings, seeds=(seed,))
            start = time.perf_counter()
            draw_ahead(drawn, Path(folder, "tape"))  # which also reads the prompts that all ways share
            drawing = (time.perf_counter() - start) / task["problems"]
            for way, (ahead, taped, guess) in ways_of(task).items():
                driver.LOOKAHEAD, start = ahead, time.perf_counter()
                tape = shutil.copytree(Path(folder, "tape"), Path(folder, f"tape of {way}")) if taped else ""
                how = {"sandbox": sandbox, "progress": False, "tape": tape, "guess": guess}
                out = live_run(drawn, Path(folder, way), **how)
                seconds = (time.perf_counter() - start) / task["problems"]
                taken.setdefault(way, []).append(seconds)
                slowest = load_calls(out).query("stage == 'import'").groupby("problem").max(numeric_only=True)
                parts = ", ".join(f"{slowest[name].mean():.1f} s {what}" for name, what in SLOWEST.items())
                print(f"seed {seed}, {way}: {seconds:.1f} s a problem; the slowest of IMPORT: {parts}", flush=True)
            print(f"seed {seed}, drawing that tape: {drawing:.1f} s a problem", flush=True)
    first = median(taken["in turn"])
    print("; ".join(f"{way} {median(s):.1f} s, {median(s) / first:.2f} of the first" for way, s in taken.items()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", help="kit, mixed, steps, stream, card (default: the first two)")
    parser.add_argument("--model", default=str(PRACTICE), help="a folder with weights, or a spec (default: practice)")
    parser.add_argument("--dataset", default="math", help="whose problems a real model gets (default: %(default)s)")
    parser.add_argument("--problems", type=int, default=3, help="a category (default: %(default)s)")
    parser.add_argument("--categories", nargs="+", default=[], help="(default: all seven; mixed: the first)")
    parser.add_argument("--methods", nargs="+", choices=TARGETS, default=list(TARGETS), help="of kit (default: both)")
    parser.add_argument("--mixed_problems", type=int, default=10, help="of mixed's category (default: %(default)s)")
    parser.add_argument("--max_tokens", type=int, default=512, help="(default: %(default)s, the papers')")
    parser.add_argument("--repeats", type=int, default=2, help="turns (default: %(default)s)")
    parser.add_argument(
        "--engine", default="", help="engine arguments over ours, as in '&dtype=float32' where a CPU has no bfloat16"
    )
    parser.add_argument(
        "--beside", nargs="+", default=[], help="steps: servers, as `trove-lite run --model` takes them"
    )
    parser.add_argument("--sizes", nargs="+", type=int, default=[7, 35, 300], help="steps: requests at once")
    parser.add_argument("--prompts", default="own", help="steps, stream: whose words (default: %(default)s)")
    parser.add_argument(
        "--ways", nargs="+", choices=WAYS_OF_A_STREAM, default=list(WAYS_OF_A_STREAM), help="stream, card"
    )
    parser.add_argument("--recorded", help="card: a run folder with a journal of TROVE's")
    parser.add_argument("--pace", type=float, default=0.004, help="card: seconds a token (default: %(default)s)")
    parser.add_argument("--way", help=argparse.SUPPRESS)
    parser.add_argument("--task", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        result = WAYS[given.way](json.loads(Path(given.task).read_text()))
        print(RESULT + json.dumps(result), flush=True)
        return
    task = vars(given)
    for what in given.what or ["kit", "mixed"]:
        if what == "steps":
            asyncio.run(steps(task, given.repeats))
        elif what == "card":
            card(task)
        elif what == "stream":
            stream(task, given.repeats)
        elif what == "mixed":
            mixed(task | {"problems": given.mixed_problems}, given.repeats)
        else:
            kit(task, given.repeats)


if __name__ == "__main__":
    main()
