"""A layer's steps by PyTorch's own operations, for a CPU: as `kernels` has them."""

import torch
import torch.nn.functional as F


def normed(x, weight, eps: float, added=None) -> torch.Tensor:
    if added is not None:
        x.add_(added)
    return F.rms_norm(x.float(), x.shape[1:], weight.float(), eps).to(x.dtype)


def turned(qkv, pos, row_slot, cos, sin, keys, values) -> torch.Tensor:
    kv = keys.shape[2]
    a, b = qkv[:, :-kv].float().chunk(2, -1)
    c, s = cos[pos, None], sin[pos, None]
    both = torch.cat([a * c - b * s, b * c + a * s], -1).to(qkv.dtype)
    keys[row_slot, pos], values[row_slot, pos] = both[:, -kv:], qkv[:, -kv:]
    return both[:, :-kv]


def attended(q, keys, values, qstart, count, slot, first, most: int) -> torch.Tensor:
    (_, h, d), kv = q.shape, keys.shape[2]
    if most == 1:  # a token a sequence, all sequences at once
        end = int(first.max()) + 1
        k, v = (kept[slot, :end].transpose(1, 2) for kept in (keys, values))
        seen = (torch.arange(end) <= first[:, None])[:, None, None]
        return F.scaled_dot_product_attention(q.view(-1, kv, h // kv, d), k, v, seen).view(q.shape)
    out = torch.empty_like(q)
    for begin, n, at, begun in torch.stack([qstart, count, slot, first], 1).tolist():
        k, v = (kept[at, : begun + n].transpose(0, 1).repeat_interleave(h // kv, 0) for kept in (keys, values))
        seen = torch.arange(begun + n) <= begun + torch.arange(n)[:, None]
        part = F.scaled_dot_product_attention(q[begin : begin + n].transpose(0, 1), k, v, seen)
        out[begin : begin + n] = part.transpose(0, 1)
    return out


def gated(up: torch.Tensor) -> torch.Tensor:
    a, b = up.chunk(2, -1)
    return (F.silu(a.float()) * b.float()).to(up.dtype)
