"""The practice model by two engines: our NumPy backend and vLLM on the CPU, same weights, same
prompts."""

import asyncio
import gc
import random

import tokenizers

from trove_lite.datasets import load_problems
from trove_lite.datasets.math import CATEGORIES
from trove_lite.models import load_model
from trove_lite.models.base import SamplingSettings
from trove_lite.models.practice.model import WEIGHTS
from trove_lite.models.practice.network import Tokenizer
from trove_lite.prompts.practice import practice_prompt

VLLM = f"vllm:{WEIGHTS}?max_model_len=1024&dtype=float32&enforce_eager=true&kv_cache_memory_bytes={1 << 30}"
PROMPTS = [
    practice_prompt(mode, problem.question.text)
    for category in CATEGORIES
    for problem in load_problems("practice", category)[:6]
    for mode in ("skip", "create")
]
SEEDS = list(range(12))


def test_tokens_are_those_of_the_tokenizers_library():
    ours = Tokenizer(WEIGHTS / "tokenizer.json")
    theirs = tokenizers.Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))
    dice = random.Random(0)
    texts = [
        "".join(map(chr, dice.choices([*range(9, 500), 0x2028, 0x1F600], k=50))) for _ in range(300)
    ]
    assert [ours.encode(text) for text in PROMPTS + texts] == [
        theirs.encode(text).ids for text in PROMPTS + texts
    ]


async def greedy(model) -> list[str]:
    settings = SamplingSettings(temperature=0.0, max_tokens=160)
    answers = await asyncio.gather(
        *(model.complete(prompt, [0], sampling=settings) for prompt in PROMPTS)
    )
    return [answer[0].text for answer in answers]


def test_greedy_texts_are_the_same_and_a_seed_gives_its_text_again_whatever_else_is_asked():
    async def ask_both():
        async with load_model("practice") as model:
            ours = await greedy(model)
        async with load_model(
            VLLM, SamplingSettings(temperature=2.0, top_p=0.95, max_tokens=24)
        ) as model:
            together = await model.complete(PROMPTS[0], SEEDS)
            alone = [(await model.complete(PROMPTS[0], [seed]))[0] for seed in SEEDS]
            return ours, await greedy(model), [c.text for c in together], [c.text for c in alone]

    ours, theirs, together, alone = asyncio.run(ask_both())
    gc.collect()  # here, where what a dead engine left open is no error
    assert sum(a == b for a, b in zip(ours, theirs, strict=True)) >= 0.95 * len(PROMPTS)
    assert together == alone
    assert len(set(together)) > 6
