"""A layer's steps in Triton: what PyTorch has no single operation for. `plain` has the same for a CPU."""

import torch
import triton
import triton.language as tl


@triton.jit
def attend(
    Q, K, V, OUT, QSTART, COUNT, SLOT, FIRST,
    scale, stride_slot, stride_pos,
    H: tl.constexpr, KVH: tl.constexpr, D: tl.constexpr, M: tl.constexpr, N: tl.constexpr,
):  # fmt: skip
    """Rows of one sequence and one key-value head: row m is its token m // G with query head m % G of that head's G."""
    G: tl.constexpr = H // KVH
    seq, head, block = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    count = tl.load(COUNT + seq)
    if block * M >= count * G:
        return
    qstart, first = tl.load(QSTART + seq), tl.load(FIRST + seq)
    slot = tl.load(SLOT + seq).to(tl.int64)
    m, d, n = block * M + tl.arange(0, M), tl.arange(0, D), tl.arange(0, N)
    token = m // G
    live = token < count
    at = ((qstart + token) * H + head * G + m % G)[:, None] * D + d[None, :]
    q = tl.load(Q + at, mask=live[:, None], other=0.0)
    last = first + tl.minimum((block * M + M - 1) // G, count - 1)  # the furthest position that any row sees
    place = slot * stride_slot + head * D
    best = tl.full([M], -1e30, tl.float32)
    total = tl.zeros([M], tl.float32)
    acc = tl.zeros([M, D], tl.float32)
    for begin in range(0, last + 1, N):
        pos = begin + n
        at_k = place + pos[None, :].to(tl.int64) * stride_pos + d[:, None]
        k = tl.load(K + at_k, mask=pos[None, :] <= last, other=0.0)
        s = tl.dot(q, k) * scale
        s = tl.where(pos[None, :] <= (first + token)[:, None], s, -1e30)
        top = tl.maximum(best, tl.max(s, 1))
        p = tl.exp(s - top[:, None])
        shrink = tl.exp(best - top)
        total = total * shrink + tl.sum(p, 1)
        at_v = place + pos[:, None].to(tl.int64) * stride_pos + d[None, :]
        v = tl.load(V + at_v, mask=pos[:, None] <= last, other=0.0)
        acc = acc * shrink[:, None] + tl.dot(p.to(v.dtype), v)
        best = top
    tl.store(OUT + at, (acc / total[:, None]).to(OUT.dtype.element_ty), mask=live[:, None])


@triton.jit
def turn(
    QKV, POS, SLOT, COS, SIN, Q, K, V, stride_slot, stride_pos,
    H: tl.constexpr, KVH: tl.constexpr, D: tl.constexpr,
):  # fmt: skip
    """One head of one token: a query is turned to its position, a key is turned and kept, a value is kept."""
    token, head = tl.program_id(0), tl.program_id(1)
    i = tl.arange(0, D // 2)
    pos, slot = tl.load(POS + token).to(tl.int64), tl.load(SLOT + token).to(tl.int64)
    row = QKV + (token * (H + 2 * KVH) + head) * D
    a, b = tl.load(row + i), tl.load(row + D // 2 + i)
    kept = slot * stride_slot + pos * stride_pos
    if head < H + KVH:
        cos, sin = tl.load(COS + pos * (D // 2) + i), tl.load(SIN + pos * (D // 2) + i)
        wide_a, wide_b = a.to(tl.float32), b.to(tl.float32)
        new_a = (wide_a * cos - wide_b * sin).to(a.dtype)
        new_b = (wide_b * cos + wide_a * sin).to(a.dtype)
        if head < H:
            out = Q + (token * H + head) * D
            tl.store(out + i, new_a)
            tl.store(out + D // 2 + i, new_b)
        else:
            out = K + kept + (head - H) * D
            tl.store(out + i, new_a)
            tl.store(out + D // 2 + i, new_b)
    else:
        out = V + kept + (head - H - KVH) * D
        tl.store(out + i, a)
        tl.store(out + D // 2 + i, b)


@triton.jit
def add_norm(X, Y, W, OUT, eps, SIZE: tl.constexpr, BLOCK: tl.constexpr, ADD: tl.constexpr):
    """One token: x += y where it is to be added, and its root mean square norm."""
    i = tl.arange(0, BLOCK)
    live, at = i < SIZE, tl.program_id(0) * SIZE + i
    x = tl.load(X + at, mask=live, other=0.0)
    if ADD:
        x = (x.to(tl.float32) + tl.load(Y + at, mask=live, other=0.0).to(tl.float32)).to(x.dtype)
        tl.store(X + at, x, mask=live)
    wide = x.to(tl.float32)
    scale = 1.0 / tl.sqrt(tl.sum(wide * wide, 0) / SIZE + eps)
    w = tl.load(W + i, mask=live, other=0.0).to(tl.float32)
    tl.store(OUT + at, (wide * scale * w).to(x.dtype), mask=live)


@triton.jit
def gate(UP, OUT, SIZE: tl.constexpr, BLOCK: tl.constexpr):
    """A block of one token's silu(first half) * second half."""
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    row, live = tl.program_id(0), i < SIZE
    g = tl.load(UP + row * 2 * SIZE + i, mask=live, other=0.0)
    u = tl.load(UP + row * 2 * SIZE + SIZE + i, mask=live, other=0.0)
    wide = g.to(tl.float32)
    tl.store(OUT + row * SIZE + i, (wide / (1.0 + tl.exp(-wide)) * u.to(tl.float32)).to(g.dtype), mask=live)


def normed(x: torch.Tensor, weight: torch.Tensor, eps: float, added: torch.Tensor | None = None) -> torch.Tensor:
    """The root mean square norm of x, to which something is added first, in place."""
    out, size, other = torch.empty_like(x), x.shape[1], x if added is None else added
    block = triton.next_power_of_2(size)
    add_norm[(len(x),)](x, other, weight, out, eps, SIZE=size, BLOCK=block, ADD=added is not None)
    return out


def turned(qkv, pos, row_slot, cos, sin, keys, values) -> torch.Tensor:
    """The queries of (tokens, heads, d) turned to their positions; keys, turned too, and values go into the cache."""
    kv, d = keys.shape[2:]
    h = qkv.shape[1] - 2 * kv
    q = torch.empty(len(qkv), h, d, dtype=qkv.dtype, device=qkv.device)
    strides = keys.stride(0), keys.stride(1)
    turn[(len(qkv), h + 2 * kv)](
        qkv, pos, row_slot, cos, sin, q, keys, values, *strides, H=h, KVH=kv, D=d, num_warps=1
    )
    return q


def attended(q, keys, values, qstart, count, slot, first, most: int) -> torch.Tensor:
    """What each query sees of its sequence, up to itself."""
    (_, h, d), kv, out = q.shape, keys.shape[2], torch.empty_like(q)
    m, how = 16 if most == 1 else 64, {"num_warps": 4, "num_stages": 3} if q.is_cuda else {}
    grid, strides = (len(slot), kv, triton.cdiv(most * (h // kv), m)), (keys.stride(0), keys.stride(1))
    heads = {"H": h, "KVH": kv, "D": d, "M": m, "N": 64}
    attend[grid](q, keys, values, out, qstart, count, slot, first, d**-0.5, *strides, **heads, **how)
    return out


def gated(up: torch.Tensor) -> torch.Tensor:
    """silu(first half) * second half."""
    size = up.shape[1] // 2
    out = torch.empty(len(up), size, dtype=up.dtype, device=up.device)
    gate[(len(up), triton.cdiv(size, 1024))](up, out, SIZE=size, BLOCK=1024)
    return out
