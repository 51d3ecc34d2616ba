"""Our sampling draws from the nucleus that vLLM's own keeps, each token as often, and by seed and
place alone."""

from types import SimpleNamespace

import pytest
import torch

from trove_lite.models.nucleus import ASKED, Nucleus, drawn

VOCABULARY = 2000
DRAWS = 10_000


def made_logits(spread: float) -> torch.Tensor:
    return spread * torch.randn(1, VOCABULARY, generator=torch.Generator().manual_seed(1))


def shares(logits: torch.Tensor, top_p: float, likeliest: int) -> torch.Tensor:
    """How often each token is drawn."""
    rows = logits.expand(1000, -1)
    wanted = torch.full((1000, 1), top_p)
    keys = (torch.arange(DRAWS).unsqueeze(1) * 7).split(1000)
    tokens = torch.cat([drawn(rows, wanted, some, likeliest) for some in keys])
    return torch.bincount(tokens, minlength=logits.shape[1]) / DRAWS


@pytest.mark.parametrize("spread", [1.0, 3.0, 9.0])
@pytest.mark.parametrize("top_p", [0.1, 0.5, 0.95])
def test_each_token_is_drawn_as_often_as_by_vllm(spread, top_p):
    from vllm.v1.sample.ops.topk_topp_sampler import apply_top_k_top_p_pytorch

    logits = made_logits(spread)
    kept = apply_top_k_top_p_pytorch(logits.clone(), None, torch.tensor([top_p]))
    ours = shares(logits, top_p, likeliest=64)
    theirs = kept.softmax(1)[0]
    kept = theirs > 0
    assert not ours[~kept].any()
    expected = theirs[kept] * DRAWS
    # Pearson's
    square = ((ours[kept] * DRAWS - expected) ** 2 / expected).sum().item()
    tokens = int(kept.sum())
    deviation = (2 * tokens + (1 / expected).sum().item()) ** 0.5
    assert abs(square - (tokens - 1)) < 5 * deviation + 1


def update(**changes) -> SimpleNamespace:
    return SimpleNamespace(**({"added": [], "removed": [], "moved": [], "batch_size": 2} | changes))


def asked(seed: int) -> SimpleNamespace:
    return SimpleNamespace(extra_args={ASKED: {"temperature": 1.0, "top_p": 0.9, "seed": seed}})


def tokens_of(processor: Nucleus, rows: int) -> list[int]:
    return processor.apply(made_logits(1.0).repeat(rows, 1)).argmax(1).tolist()


def test_requests_that_do_not_ask_stay_as_they_are():
    processor = Nucleus(None, torch.device("cpu"), False)
    processor.update_state(
        update(added=[(0, SimpleNamespace(extra_args=None), [], []), (1, asked(3), [], [])])
    )
    logits = made_logits(3.0).repeat(2, 1)
    changed = processor.apply(logits.clone())
    assert torch.equal(changed[0], logits[0])
    assert torch.isinf(changed[1]).sum() == 1


def test_what_is_drawn_hangs_on_seed_and_place_alone():
    alone, beside = (Nucleus(None, torch.device("cpu"), False) for _ in range(2))
    alone.update_state(update(added=[(0, asked(7), [], [])]))
    expected = [tokens_of(alone, 1)[0] for _ in range(4)]
    beside.update_state(update(added=[(0, asked(1), [], []), (1, asked(7), [], [])]))
    found = [tokens_of(beside, 2)[1] for _ in range(2)]
    beside.update_state(update(removed=[0, 1]))
    beside.update_state(update(added=[(0, asked(7), [], found)]))  # it was put off, and comes back
    assert len(set(expected)) > 1
    assert found + [tokens_of(beside, 1)[0] for _ in range(2)] == expected
