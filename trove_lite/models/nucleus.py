"""Top-p sampling for vLLM on a CPU, without sorting the whole vocabulary. It is vLLM's plug-in and needs vLLM.

There vLLM sorts the logits of every sequence at every token, 152 thousand of them for Qwen2.5: half of the time of a
model of 1.5 billion parameters. The nucleus is nearly always among a few hundred tokens, which are found without a sort
of the others; a row whose nucleus is not is sorted in full. The tokens kept, and so the text of a seed, stay the same.
"""

import torch
from vllm.v1.sample.logits_processor import LogitsProcessor
from vllm.v1.sample.logits_processor.builtin import process_dict_updates

TOP_P = "nucleus_top_p"  # the request's extra argument that holds its top-p
LIKELIEST = 256


class Nucleus(LogitsProcessor):
    """Keeps, for each request that names a `nucleus_top_p`, the likeliest tokens that together reach it."""

    def __init__(self, vllm_config, device: torch.device, is_pin_memory: bool):
        self.top_p: dict[int, float] = {}  # by the request's row

    def is_argmax_invariant(self) -> bool:
        """True: the likeliest token always stays, so vLLM asks after the temperature, where its own top-p comes too."""
        return True

    def update_state(self, batch_update) -> None:
        """Requests have come, gone or moved to other rows."""
        process_dict_updates(self.top_p, batch_update, lambda params, *_: (params.extra_args or {}).get(TOP_P))

    def apply(self, logits: torch.Tensor) -> torch.Tensor:
        """Logits with minus infinity for what lies outside the nucleus; shape (requests, vocabulary)."""
        if not self.top_p:
            return logits
        rows = torch.tensor(sorted(self.top_p))
        top_p = torch.tensor([self.top_p[row] for row in rows.tolist()]).unsqueeze(1)
        whole = len(rows) == len(logits)
        kept = nucleus(logits if whole else logits[rows], top_p)
        if whole:
            return kept
        logits[rows] = kept
        return logits


def nucleus(logits: torch.Tensor, top_p: torch.Tensor, likeliest: int = LIKELIEST) -> torch.Tensor:
    """`logits` (n, vocabulary) with minus infinity outside the fewest likeliest tokens that reach `top_p` (n, 1).

    Of the `likeliest` tokens alone where these reach it; where they do not, of all.
    """
    total = logits.logsumexp(dim=1, keepdim=True)
    values, tokens = logits.topk(min(likeliest, logits.shape[1]), dim=1)
    reached = (values - total).exp().cumsum(dim=1)
    values = values.masked_fill(_beyond(reached, top_p), -torch.inf)
    kept = torch.full_like(logits, -torch.inf).scatter_(1, tokens, values)
    short = (reached[:, -1:] < top_p).squeeze(1)
    if likeliest < logits.shape[1] and short.any():
        kept[short] = nucleus(logits[short], top_p[short], logits.shape[1])
    return kept


def _beyond(reached: torch.Tensor, top_p: torch.Tensor) -> torch.Tensor:
    """Which tokens the nucleus does not need: those before them reach `top_p` already. The first always stays."""
    return torch.nn.functional.pad(reached[:, :-1], (1, 0)) >= top_p
