"""Sampling by top-p for vLLM on a CPU, at the cost of the tokens that are likely. It is vLLM's
plug-in and needs vLLM.

There vLLM sorts all logits of every sequence at every token, and draws a random number for each:
two thirds of the time of a model of 1.5 billion parameters. The nucleus is nearly always among a
few hundred tokens, which are found without a sort of the others. The tokens that can be drawn, and
how likely each is, are the same; what a seed draws is our own. A token's number hangs on seed,
place and token alone, so that what else is in the batch, which moves logits by a rounding error,
hardly ever moves the draw.
"""

import random
from dataclasses import dataclass

import torch
from vllm.v1.sample.logits_processor import LogitsProcessor
from vllm.v1.sample.logits_processor.builtin import process_dict_updates

ASKED = "nucleus"  # the request's extra argument: temperature, top_p and seed
LIKELIEST = 256
#: The constants of splitmix64, which turns numbers in a row into numbers without a pattern (Steele
#: et al., 2014).
STEP = 0x9E3779B97F4A7C15 - (1 << 64)
MIX = ((30, 0xBF58476D1CE4E5B9 - (1 << 64)), (27, 0x94D049BB133111EB - (1 << 64)))


@dataclass
class Draws:
    """How a request's tokens are drawn, and the place of the next."""

    temperature: float
    top_p: float
    seed: int
    place: int

    def key(self) -> int:
        """The number of 63 bits that belongs to this place; the next place is next."""
        self.place += 1
        return random.Random(f"{self.seed}/{self.place}").getrandbits(63)


class Nucleus(LogitsProcessor):
    """Draws the next token of each request that asks for it; vLLM, which must be asked to be
    greedy, then takes it."""

    def __init__(self, vllm_config, device: torch.device, is_pin_memory: bool):
        self.draws: dict[int, Draws] = {}  # by the request's row

    def is_argmax_invariant(self) -> bool:
        """False: the token that is drawn becomes the likeliest."""
        return False

    def update_state(self, batch_update) -> None:
        """Requests have come, gone or moved to other rows. One that comes back goes on at its
        place."""
        process_dict_updates(self.draws, batch_update, draws_of)

    def apply(self, logits: torch.Tensor) -> torch.Tensor:
        """Logits in which the drawn token is the largest of its row; shape (requests, vocabulary),
        changed in place."""
        if not self.draws:
            return logits
        rows = sorted(self.draws)
        draws = [self.draws[row] for row in rows]
        temperature, top_p = torch.tensor(
            [[draw.temperature, draw.top_p] for draw in draws]
        ).T.unsqueeze(2)
        keys = torch.tensor([[draw.key()] for draw in draws])
        own = logits if len(rows) == len(logits) else logits[rows]
        logits[torch.tensor(rows), drawn(own.div_(temperature), top_p, keys)] = torch.inf
        return logits


def draws_of(params, _, output_tokens) -> Draws | None:
    """What a request asks for, `output_tokens` being there already; None where it asks for
    nothing."""
    asked = (params.extra_args or {}).get(ASKED)
    return Draws(**asked, place=len(output_tokens)) if asked else None


def drawn(
    logits: torch.Tensor, top_p: torch.Tensor, keys: torch.Tensor, likeliest: int = LIKELIEST
) -> torch.Tensor:
    """A token of each row's nucleus, the fewest likeliest tokens that together reach `top_p`; shape
    (n,).

    logits: (n, vocabulary); top_p, keys: (n, 1). The nucleus is looked for among the `likeliest`
    tokens, and where these do not reach it among all. The token with the largest sum
    of log-probability and Gumbel noise is drawn.
    """
    total = logits.logsumexp(dim=1, keepdim=True)
    values, tokens = logits.topk(min(likeliest, logits.shape[1]), dim=1)
    values -= total
    reached = values.exp().cumsum(dim=1)
    outside = (
        torch.nn.functional.pad(reached[:, :-1], (1, 0)) >= top_p
    )  # those before it reach top_p already
    noise = -torch.log(-torch.log(uniform(keys, tokens))).to(values.dtype)
    place = (values + noise).masked_fill_(outside, -torch.inf).argmax(dim=1, keepdim=True)
    found = tokens.gather(1, place).squeeze(1)
    short = (reached[:, -1:] < top_p).squeeze(1)
    if likeliest < logits.shape[1] and short.any():
        found[short] = drawn(logits[short], top_p[short], keys[short], logits.shape[1])
    return found


def uniform(keys: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    """A number in (0, 1) for each of a row's tokens (n, m), from the row's key (n, 1) and the token
    alone."""
    mixed = keys + (tokens + 1) * STEP
    for shift, factor in MIX:
        mixed = (mixed ^ _shifted(mixed, shift)) * factor
    mixed ^= _shifted(mixed, 31)
    return (_shifted(mixed, 11).double() + 0.5) * 2.0**-53


def _shifted(bits: torch.Tensor, by: int) -> torch.Tensor:
    """To the right, the sign as any other bit."""
    return (bits >> by) & ((1 << (64 - by)) - 1)
