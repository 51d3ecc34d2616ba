"""A Qwen2 model from the blocks of a GGUF file: its weights, its attention in Triton, its cache, its draws."""

import json
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
import triton
import triton.language as tl

LIKELIEST = 1024


def q4_k(raw: torch.Tensor) -> torch.Tensor:
    """Blocks of 144 bytes: two float16 scales, 12 bytes of 6-bit scales and minima, 256 values of 4 bits."""
    block = raw.view(-1, 144)
    d, dmin = (block[:, i : i + 2].contiguous().view(torch.float16).float() for i in (0, 2))
    s = block[:, 4:16].to(torch.int32)
    low, mid, high = s[:, 0:4], s[:, 4:8], s[:, 8:12]
    scale = torch.cat([low & 63, (high & 15) | ((low >> 6) << 4)], 1).float()
    least = torch.cat([mid & 63, (high >> 4) | ((mid >> 6) << 4)], 1).float()
    q = block[:, 16:].view(-1, 4, 1, 32)
    q = torch.cat([q & 15, q >> 4], 2).reshape(-1, 8, 32).float()
    return ((d * scale)[:, :, None] * q - (dmin * least)[:, :, None]).reshape(-1)


def q6_k(raw: torch.Tensor) -> torch.Tensor:
    """Blocks of 210 bytes: 128 of low halves, 64 of high quarters, 16 scales, one float16."""
    block = raw.view(-1, 210)
    low, high = block[:, :128].view(-1, 2, 1, 64), block[:, 128:192].view(-1, 2, 1, 32)
    low = torch.cat([low & 15, low >> 4], 2).reshape(-1, 8, 32)
    high = torch.cat([(high >> shift) & 3 for shift in (0, 2, 4, 6)], 2).reshape(-1, 8, 32)
    q = (low.to(torch.int16) | (high.to(torch.int16) << 4)).float() - 32
    scale = block[:, 192:208].contiguous().view(torch.int8).float()
    d = block[:, 208:210].contiguous().view(torch.float16).float()
    return ((d * scale)[:, :, None] * q.reshape(-1, 16, 16)).reshape(-1)


def q8_0(raw: torch.Tensor) -> torch.Tensor:
    """Blocks of 34 bytes: one float16, 32 values of 8 bits."""
    block = raw.view(-1, 34)
    d = block[:, :2].contiguous().view(torch.float16).float()
    return (d * block[:, 2:].contiguous().view(torch.int8).float()).reshape(-1)


def q5_0(raw: torch.Tensor) -> torch.Tensor:
    """Blocks of 22 bytes: one float16, 32 highest bits, 32 values' low 4 bits."""
    block = raw.view(-1, 22)
    d = block[:, :2].contiguous().view(torch.float16).float()
    high = (block[:, 2:6, None] >> torch.arange(8, device=raw.device, dtype=torch.uint8)) & 1
    low = block[:, 6:]
    q = torch.cat([low & 15, low >> 4], 1).to(torch.int16) | (high.reshape(-1, 32).to(torch.int16) << 4)
    return (d * (q.float() - 16)).reshape(-1)


KINDS = {"Q4_K": q4_k, "Q5_0": q5_0, "Q8_0": q8_0, "Q6_K": q6_k, "F32": lambda raw: raw.view(torch.float32)}


def read_weights(folder: Path, device: str, dtype: torch.dtype) -> dict[str, torch.Tensor]:
    data = np.memmap(folder / "weights.bin", np.uint8, "r")
    found = {}
    for entry in json.loads((folder / "weights.json").read_text()):
        raw = torch.from_numpy(np.array(data[entry["offset"] : entry["offset"] + entry["bytes"]])).to(device)
        found[entry["name"]] = KINDS[entry["kind"]](raw).reshape(entry["shape"]).to(dtype)
    return found


def unpack(gguf: Path, folder: Path) -> None:
    """A GGUF file of a Qwen2 model with tied embeddings as the folder that is served."""
    from gguf import GGUFReader
    from transformers import AutoTokenizer

    reader, entries, at = GGUFReader(gguf), [], 0
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "weights.bin").open("wb") as out:
        twice = any(tensor.name == "output.weight" for tensor in reader.tensors)
        for tensor in reader.tensors:
            if twice and tensor.name == "token_embd.weight":  # tied embeddings, quantised twice: the finer serves both
                continue
            name = "token_embd.weight" if tensor.name == "output.weight" else tensor.name
            data, shape = np.ascontiguousarray(tensor.data).tobytes(), [int(n) for n in reversed(tensor.shape)]
            entry = {"name": name, "kind": tensor.tensor_type.name, "offset": at, "bytes": len(data)}
            entries.append(entry | {"shape": shape})
            at += out.write(data)
    names = {"layers": "block_count", "heads": "attention.head_count", "kv_heads": "attention.head_count_kv"}
    names |= {"hidden": "embedding_length", "eps": "attention.layer_norm_rms_epsilon", "theta": "rope.freq_base"}
    config = {name: reader.fields[f"qwen2.{key}"].contents() for name, key in names.items()}
    # <|im_end|> and <|endoftext|>, as the publisher has it
    chat = {"system": "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.", "ends": [151645, 151643]}
    chat |= {"name": gguf.stem.rpartition("-")[0], "file": gguf.name}
    for name, value in {"weights": entries, "config": config, "chat": chat}.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(folder)


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


class Model:
    """Qwen2 with a cache of `slots` sequences of `length` tokens; one more slot takes what rows of no request write."""

    def __init__(self, folder: Path, slots: int, length: int, device: str):
        c = json.loads((folder / "config.json").read_text())
        self.device, self.slots, self.length, self.eps = device, slots, length, c["eps"]
        self.dtype = torch.bfloat16 if device == "cuda" else torch.float32
        self.layers, self.h, self.kv, self.d = c["layers"], c["heads"], c["kv_heads"], c["hidden"] // c["heads"]
        w = read_weights(folder, device, self.dtype)
        self.embed, self.norm = w["token_embd.weight"], w["output_norm.weight"]
        self.blocks = []
        for i in range(self.layers):
            b = {name.split(".", 2)[2]: w.pop(name) for name in list(w) if name.startswith(f"blk.{i}.")}
            qkv = (torch.cat([b[f"attn_{x}.{part}"] for x in "qkv"]) for part in ("weight", "bias"))
            up = torch.cat([b["ffn_gate.weight"], b["ffn_up.weight"]])
            rest = b["attn_output.weight"], b["ffn_norm.weight"], up, b["ffn_down.weight"]
            self.blocks.append((b["attn_norm.weight"], *qkv, *rest))
        turns = c["theta"] ** (torch.arange(0, self.d, 2, dtype=torch.float64) / self.d)
        angle = torch.arange(length + 1, dtype=torch.float64)[:, None] / turns
        self.cos, self.sin = (f(angle).to(device, torch.float32).contiguous() for f in (torch.cos, torch.sin))
        shape = self.layers, 2, slots + 1, length, self.kv, self.d
        self.cache = torch.zeros(shape, dtype=self.dtype, device=device)
        self.wide = self.cache.flatten(4).view(torch.int64)  # the same, for copies

    def normed(self, x: torch.Tensor, weight: torch.Tensor, added: torch.Tensor | None = None) -> torch.Tensor:
        """The norm of x, to which something is added first, in place."""
        out, size = torch.empty_like(x), x.shape[1]
        block, other = triton.next_power_of_2(size), x if added is None else added
        add_norm[(len(x),)](x, other, weight, out, self.eps, SIZE=size, BLOCK=block, ADD=added is not None)
        return out

    def forward(self, tokens, pos, row_slot, qstart, count, slot, first, most: int) -> torch.Tensor:
        """Hidden states of tokens in a row, of several sequences; their keys and values go into the cache.

        tokens, pos, row_slot: of each token. qstart, count, slot, first: of each sequence: where it begins among the
        tokens, how many it has, its slot, the position of its first. most: the largest count.
        """
        x, y = F.embedding(tokens, self.embed), None
        m, how = 16 if most == 1 else 64, {"num_warps": 4, "num_stages": 3} if self.device == "cuda" else {}
        grid = len(slot), self.kv, triton.cdiv(most * (self.h // self.kv), m)
        q = torch.empty(len(x), self.h, self.d, dtype=x.dtype, device=x.device)
        out = torch.empty_like(q)
        for i, (norm1, wqkv, bqkv, wo, norm2, wup, wdown) in enumerate(self.blocks):
            qkv = F.linear(self.normed(x, norm1, y), wqkv, bqkv)
            keys, values = self.cache[i, 0], self.cache[i, 1]
            strides, heads = (keys.stride(0), keys.stride(1)), {"H": self.h, "KVH": self.kv, "D": self.d}
            turn[(len(x), self.h + 2 * self.kv)](
                qkv, pos, row_slot, self.cos, self.sin, q, keys, values, *strides, **heads, num_warps=1
            )
            attend[grid](
                q, keys, values, out, qstart, count, slot, first, self.d**-0.5, *strides, **heads, M=m, N=64, **how
            )
            up = F.linear(self.normed(x, norm2, F.linear(out.view(len(x), -1), wo)), wup)
            y = torch.empty_like(up[:, : (size := up.shape[1] // 2)], memory_format=torch.contiguous_format)
            gate[(len(x), triton.cdiv(size, 1024))](up, y, SIZE=size, BLOCK=1024)
            y = F.linear(y, wdown)
        return self.normed(x, self.norm, y)


def draw(logits: torch.Tensor, temperature: torch.Tensor, top_p: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """A token a row: the likeliest where the temperature is 0, else drawn from the nucleus by u in [0, 1)."""
    values, tokens = logits.topk(min(LIKELIEST, logits.shape[-1]), -1)  # of bfloat16: a quarter of float32's time
    heat = temperature.clamp(min=1e-4)[:, None]
    p = (values.float() / heat - (logits.float() / heat).logsumexp(-1, keepdim=True)).exp()
    below = p.cumsum(-1) - p
    kept = torch.where(below < top_p[:, None], p, 0.0)
    upto = kept.cumsum(-1)
    chosen = (upto <= u[:, None] * upto[:, -1:]).sum(-1)
    chosen = torch.where(temperature < 1e-4, 0, torch.minimum(chosen, (kept > 0).sum(-1) - 1))
    return tokens.gather(1, chosen[:, None])[:, 0]
