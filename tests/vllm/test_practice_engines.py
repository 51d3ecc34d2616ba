"""The practice model by two engines: our NumPy backend and vLLM on the CPU, same weights, same prompts."""

import asyncio
from pathlib import Path

import pytest

from practice.problems import items
from trove_lite import load_candidates
from trove_lite.analysis.variance import decompose, interval
from trove_lite.datasets.math import CATEGORIES
from trove_lite.models import load_model
from trove_lite.models.base import SamplingSettings
from trove_lite.prompts.practice import practice_prompt
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

FOLDER = Path(__file__).parents[2] / "trove_lite" / "models" / "practice" / "weights"
ENGINES = {
    "practice": "practice",
    "vllm": f"vllm:{FOLDER}?max_model_len=1024&dtype=float32&enforce_eager=true&kv_cache_memory_bytes={1 << 30}",
}


PROMPTS = [
    practice_prompt(mode, item.question)
    for category in CATEGORIES
    for item in items("dev", category)[:6]
    for mode in ("skip", "create")
]
SEEDS = list(range(12))


async def greedy(model) -> dict:
    model.settings = SamplingSettings(temperature=0.0, max_tokens=160)
    return {"greedy": [c[0].text for c in await asyncio.gather(*(model.complete(p, [0]) for p in PROMPTS))]}


async def asked(model) -> dict:
    """The greedy texts, and samples of one prompt by our sampling, together and one at a time."""
    found = await greedy(model)
    model.settings = SamplingSettings(temperature=2.0, top_p=0.95, max_tokens=24)
    together = await model.complete(PROMPTS[0], SEEDS)
    alone = [(await model.complete(PROMPTS[0], [seed]))[0] for seed in SEEDS]
    return found | {"together": [c.text for c in together], "alone": [c.text for c in alone]}


@pytest.fixture(scope="module")
def engines(run_and_ask, tmp_path_factory):
    """TROVE and PRIMITIVE at K = 15 on some practice problems by each engine, one seed; and their greedy texts."""
    folder = tmp_path_factory.mktemp("engines")
    settings = {
        name: RunSettings(
            name=name, model=spec, prompts="practice", methods=("primitive", "trove"), seeds=(0,), limit=8
        )
        for name, spec in ENGINES.items()
    }

    async def ours():
        async with load_model("practice") as model:
            return await greedy(model)

    table = load_candidates(live_run(settings["practice"], folder / "practice", progress=False))
    found = {"practice": asyncio.run(ours()) | {"run": table}}
    table, answers = run_and_ask(settings["vllm"], folder / "vllm", asked)
    return found | {"vllm": answers | {"run": table}}


def test_greedy_texts_are_the_same(engines):
    ours, theirs = (engines[name]["greedy"] for name in ENGINES)
    same = sum(a == b for a, b in zip(ours, theirs, strict=True))
    print(f"greedy texts: {same} of {len(PROMPTS)} equal")
    assert same >= 0.95 * len(PROMPTS)


def test_a_seed_gives_its_text_again_whatever_else_is_asked(engines):
    together, alone = engines["vllm"]["together"], engines["vllm"]["alone"]
    assert together == alone
    assert len(set(together)) > 6


@pytest.mark.parametrize("method", ["primitive", "trove"])
def test_accuracies_agree_within_noise(engines, method):
    scores = {}
    for name, found in engines.items():
        table = found["run"]
        part = table[(table["method"] == method) & (table["phase"] == "stream")]
        correct = part.assign(correct=part["correct"].astype(float))
        scores[name] = correct.groupby(["category", "problem"], observed=True)["correct"].mean()
    gap = (scores["practice"] - scores["vllm"]).dropna().to_numpy()[:, None]
    difference = interval(decompose(gap), level=0.999)
    ours, theirs = scores["practice"].mean(), scores["vllm"].mean()
    said = f"{difference.value:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"
    print(f"{method}: pass@1 {ours:.3f} ours, {theirs:.3f} vLLM's, {said} on {len(scores['vllm'])} problems")
    assert difference.low <= 0 <= difference.high
