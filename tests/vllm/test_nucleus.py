"""Our top-p keeps the tokens that vLLM's own keeps: row by row, and in the texts of an engine."""

import asyncio
from types import SimpleNamespace

import pytest
import torch

from trove_lite.models.base import SamplingSettings
from trove_lite.models.nucleus import TOP_P, Nucleus, nucleus
from trove_lite.models.vllm import VLLM

VOCABULARY = 5000


def made_logits(spread: float) -> torch.Tensor:
    return spread * torch.randn(8, VOCABULARY, generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("spread", [0.1, 1.0, 3.0, 9.0])
@pytest.mark.parametrize("top_p", [0.1, 0.5, 0.95])
def test_the_tokens_kept_are_those_of_vllm(spread, top_p):
    from vllm.v1.sample.ops.topk_topp_sampler import apply_top_k_top_p_pytorch

    logits, wanted = made_logits(spread), torch.full((8,), top_p)
    theirs = apply_top_k_top_p_pytorch(logits.clone(), None, wanted)
    ours = nucleus(logits.clone(), wanted.unsqueeze(1), likeliest=64)
    assert torch.equal(ours, theirs)


def test_a_row_whose_likeliest_tokens_do_not_reach_is_sorted_whole():
    kept = nucleus(torch.zeros(1, 1000), torch.tensor([[0.5]]), likeliest=64)
    assert torch.isfinite(kept).sum() in (500, 501)  # equal tokens: rounding may want one more


def test_requests_that_name_no_nucleus_stay_as_they_are():
    processor = Nucleus(None, torch.device("cpu"), False)
    asked = SimpleNamespace(extra_args={TOP_P: 0.5})
    added = [(0, SimpleNamespace(extra_args=None), [], []), (1, asked, [], [])]
    processor.update_state(SimpleNamespace(added=added, removed=[], moved=[], batch_size=2))
    logits = made_logits(3.0)[:2]
    kept = processor.apply(logits.clone())
    assert torch.equal(kept[0], logits[0])
    assert torch.isinf(kept[1]).any()


def test_seeds_give_the_texts_that_they_give_with_top_p_of_vllm(tiny_model):
    settings = SamplingSettings(temperature=0.2, top_p=0.7, max_tokens=24)
    engine = {"max_model_len": 512, "dtype": "float32", "enforce_eager": True, "kv_cache_memory_bytes": 1 << 28}

    async def texts(**more):
        async with VLLM(str(tiny_model), settings, **engine, **more) as model:
            return [c.text for c in await model.complete("**Question** 1 + 2", list(range(12)))]

    ours, theirs = (asyncio.run(texts(**more)) for more in ({}, {"logits_processors": []}))
    assert ours == theirs
    assert len(set(ours)) > 6
