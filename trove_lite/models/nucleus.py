"""Sampling by top-p for vLLM on a CPU, at the cost of the tokens that are likely. It is vLLM's plug-in and needs vLLM.

There vLLM sorts the logits of every sequence at every token, 152 thousand of them for Qwen2.5, and then draws a random
number for each: two thirds of the time of a model of 1.5 billion parameters. The nucleus is nearly always among a few
hundred tokens, which are found without a sort of the others, and one number is enough to draw from it. The tokens that
can be drawn, and how likely each is, are the same; what a seed draws is our own. It hangs on seed and place alone, not
on what else is in the batch.
"""

import random
from dataclasses import dataclass

import torch
from vllm.v1.sample.logits_processor import LogitsProcessor
from vllm.v1.sample.logits_processor.builtin import process_dict_updates

ASKED = "nucleus"  # the request's extra argument: temperature, top_p and seed
LIKELIEST = 256


@dataclass
class Draws:
    """How a request's tokens are drawn, and the place of the next."""

    temperature: float
    top_p: float
    seed: int
    place: int

    def uniform(self) -> float:
        """The number in [0, 1) that belongs to this place; the next place is next."""
        self.place += 1
        return random.Random(f"{self.seed}/{self.place}").random()


class Nucleus(LogitsProcessor):
    """Draws the next token of each request that asks for it; vLLM, which must be asked to be greedy, then takes it."""

    def __init__(self, vllm_config, device: torch.device, is_pin_memory: bool):
        self.draws: dict[int, Draws] = {}  # by the request's row

    def is_argmax_invariant(self) -> bool:
        """False: the token that is drawn becomes the likeliest."""
        return False

    def update_state(self, batch_update) -> None:
        """Requests have come, gone or moved to other rows. One that comes back goes on at its place."""
        process_dict_updates(self.draws, batch_update, draws_of)

    def apply(self, logits: torch.Tensor) -> torch.Tensor:
        """Logits in which the drawn token is the largest of its row; shape (requests, vocabulary), changed in place."""
        if not self.draws:
            return logits
        rows = sorted(self.draws)
        draws = [self.draws[row] for row in rows]
        asked = torch.tensor([[draw.temperature, draw.top_p, draw.uniform()] for draw in draws])
        temperature, top_p, uniform = asked.T.unsqueeze(2)
        own = logits if len(rows) == len(logits) else logits[rows]
        logits[torch.tensor(rows), drawn(own.div_(temperature), top_p, uniform)] = torch.inf
        return logits


def draws_of(params, _, output_tokens) -> Draws | None:
    """What a request asks for, `output_tokens` being there already; None where it asks for nothing."""
    asked = (params.extra_args or {}).get(ASKED)
    return Draws(**asked, place=len(output_tokens)) if asked else None


def drawn(logits: torch.Tensor, top_p: torch.Tensor, uniform: torch.Tensor, likeliest: int = LIKELIEST) -> torch.Tensor:
    """A token of each row's nucleus, the fewest likeliest tokens that together reach `top_p`; shape (n,).

    logits: (n, vocabulary); top_p, uniform: (n, 1). It is looked for among the `likeliest` tokens, and where these do
    not reach it among all. `uniform` in [0, 1) chooses by the inverse of the cumulated probabilities.
    """
    total = logits.logsumexp(dim=1, keepdim=True)
    values, tokens = logits.topk(min(likeliest, logits.shape[1]), dim=1)
    reached = (values - total).exp().cumsum(dim=1)
    last = (reached < top_p).sum(dim=1, keepdim=True).clamp(max=reached.shape[1] - 1)  # of the nucleus
    place = (reached <= uniform * reached.gather(1, last)).sum(dim=1, keepdim=True)
    found = tokens.gather(1, torch.minimum(place, last)).squeeze(1)
    short = (reached[:, -1:] < top_p).squeeze(1)
    if likeliest < logits.shape[1] and short.any():
        found[short] = drawn(logits[short], top_p[short], uniform[short], logits.shape[1])
    return found
