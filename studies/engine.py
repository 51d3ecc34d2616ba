"""A server with the OpenAI API for one Qwen2 model on one GPU, in PyTorch and Triton alone: many requests at once.
With --device cpu and TRITON_INTERPRET=1 it needs no GPU and is slow: so tests/vllm hold it against the reference.

python studies/engine.py FOLDER --gguf FILE.gguf    # once, where gguf and transformers are: the folder from a file
python studies/engine.py FOLDER [--slots 448] [--length 8192] [--ports 8001 8002 …] [--device cuda]

FOLDER holds tokenizer.json, config.json, chat.json and the weights (weights.bin and weights.json: the tensors of a
GGUF file as they are there, quantised; they are made bfloat16 on loading).

How it works. Each request has a slot of a key-value cache. What a new prompt has in common with the prompt of any slot
is copied from there; the rest is read in one pass over all new prompts together; then all slots write a token a step,
by a CUDA graph. A sample is drawn from the likeliest tokens that together have top_p, by a uniform number that its seed
decides: logits → softmax at the temperature in float32 → the 1024 likeliest, sorted → nucleus → inverse of its sum.
"""

import argparse
import asyncio
import json
import sys
import threading
import time
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F
import triton
import triton.language as tl

NAME = "qwen2.5-coder-1.5b-instruct"
FILE = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
LIKELIEST = 1024


# ---- weights: the blocks of a GGUF file, made floats on the device -------------------------------------------------


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


KINDS = {"Q4_K": q4_k, "Q6_K": q6_k, "F32": lambda raw: raw.view(torch.float32)}


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
        for tensor in reader.tensors:
            if tensor.name != "output.weight":  # a copy of the embeddings, to which they are tied
                data, shape = np.ascontiguousarray(tensor.data).tobytes(), [int(n) for n in reversed(tensor.shape)]
                entry = {"name": tensor.name, "kind": tensor.tensor_type.name, "offset": at, "bytes": len(data)}
                entries.append(entry | {"shape": shape})
                at += out.write(data)
    names = {"layers": "block_count", "heads": "attention.head_count", "kv_heads": "attention.head_count_kv"}
    names |= {"hidden": "embedding_length", "eps": "attention.layer_norm_rms_epsilon", "theta": "rope.freq_base"}
    config = {name: reader.fields[f"qwen2.{key}"].contents() for name, key in names.items()}
    # <|im_end|> and <|endoftext|>, as the publisher has it
    chat = {"system": "You are Qwen, created by Alibaba Cloud. You are a helpful assistant.", "ends": [151645, 151643]}
    for name, value in {"weights": entries, "config": config, "chat": chat}.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name).save_pretrained(folder)


# ---- the model -----------------------------------------------------------------------------------------------------


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
        self.cos, self.sin = (f(angle).to(device, torch.float32) for f in (torch.cos, torch.sin))
        shape = self.layers, 2, slots + 1, length, self.kv, self.d
        self.cache = torch.zeros(shape, dtype=self.dtype, device=device)
        self.wide = self.cache.flatten(4).view(torch.int64)  # the same, for copies

    def turn(self, x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
        a, b = x.float().chunk(2, -1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)

    def forward(self, tokens, pos, row_slot, qstart, count, slot, first, most: int) -> torch.Tensor:
        """Hidden states of tokens in a row, of several sequences; their keys and values go into the cache.

        tokens, pos, row_slot: of each token. qstart, count, slot, first: of each sequence: where it begins among the
        tokens, how many it has, its slot, the position of its first. most: the largest count.
        """
        x = F.embedding(tokens, self.embed)
        cos, sin = self.cos[pos][:, None], self.sin[pos][:, None]
        m, how = 16 if most == 1 else 64, {"num_warps": 4, "num_stages": 3} if self.device == "cuda" else {}
        grid = len(slot), self.kv, triton.cdiv(most * (self.h // self.kv), m)
        for i, (norm1, wqkv, bqkv, wo, norm2, wup, wdown) in enumerate(self.blocks):
            y = F.linear(F.rms_norm(x, (x.shape[-1],), norm1, self.eps), wqkv, bqkv).view(len(x), -1, self.d)
            q, k, v = y.split([self.h, self.kv, self.kv], 1)
            q, k = self.turn(q, cos, sin).contiguous(), self.turn(k, cos, sin)
            keys, values = self.cache[i, 0], self.cache[i, 1]
            keys[row_slot, pos] = k
            values[row_slot, pos] = v
            out = torch.empty_like(q)
            attend[grid](
                q, keys, values, out, qstart, count, slot, first, self.d**-0.5, keys.stride(0), keys.stride(1),
                H=self.h, KVH=self.kv, D=self.d, M=m, N=64, **how,
            )  # fmt: skip
            x = x + F.linear(out.view(len(x), -1), wo)
            gate, up = F.linear(F.rms_norm(x, (x.shape[-1],), norm2, self.eps), wup).chunk(2, -1)
            x = x + F.linear(F.silu(gate) * up, wdown)
        return F.rms_norm(x, (x.shape[-1],), self.norm, self.eps)


def draw(logits: torch.Tensor, temperature: torch.Tensor, top_p: torch.Tensor, u: torch.Tensor) -> torch.Tensor:
    """A token a row: the likeliest where the temperature is 0, else drawn from the nucleus by u in [0, 1)."""
    scaled = logits.float() / temperature.clamp(min=1e-4)[:, None]
    values, tokens = scaled.topk(min(LIKELIEST, scaled.shape[-1]), -1)
    p = (values - scaled.logsumexp(-1, keepdim=True)).exp()
    below = p.cumsum(-1) - p
    kept = torch.where(below < top_p[:, None], p, 0.0)
    upto = kept.cumsum(-1)
    chosen = (upto <= u[:, None] * upto[:, -1:]).sum(-1)
    chosen = torch.where(temperature < 1e-4, 0, torch.minimum(chosen, (kept > 0).sum(-1) - 1))
    return tokens.gather(1, chosen[:, None])[:, 0]


# ---- what runs on the device, step by step -------------------------------------------------------------------------


class Request:
    """What is asked, and what is written so far."""

    def __init__(self, ids: list[int], settings: dict, seed: int, stops: list[bytes]):
        self.prompt, self.settings, self.stops = np.array(ids, np.int32), settings, stops
        self.u = np.random.Generator(np.random.Philox(seed)).random(settings["max_tokens"], np.float32)
        self.longest = max(map(len, stops), default=0)
        self.text, self.written, self.end, self.last, self.place = bytearray(), 0, "", ids[-1], 0
        self.arrived, self.begun, self.reused = time.time(), 0.0, 0
        self.loop = asyncio.get_running_loop()
        self.future = self.loop.create_future()

    def take(self, token: int, words: list[bytes], ends: set[int]) -> bool:
        """Add a token; whether the text has ended."""
        self.written += 1
        if token in ends:
            self.end = "stop"
            return True
        since = max(0, len(self.text) - self.longest)
        self.text += words[token]
        for stop in self.stops:
            if (found := self.text.find(stop, since)) >= 0:
                del self.text[found:]
                self.end = "stop"
                return True
        self.end = "length" if self.written == len(self.u) else ""
        return bool(self.end)


class Engine(threading.Thread):
    """Takes requests from `waiting`, and gives each its completion."""

    BURST = 12  # steps between two looks at what was written
    longest = 2048  # tokens of a completion
    READ = 8192  # tokens of prompts read in one pass, at most

    def __init__(self, model: Model, words: list[bytes], ends: set[int], sizes):
        super().__init__(daemon=True)
        self.model, self.words, self.ends = model, words, ends
        self.waiting: list[Request] = []
        self.lock = threading.Lock()
        self.slots: list[Request | None] = [None] * model.slots
        self.used = [0.0] * model.slots  # when each slot was last in use
        self.known = np.full((model.slots, model.length), -1, np.int32)  # whose keys and values each slot holds
        self.sizes = [size for size in sizes if size < model.slots] + [model.slots]
        dev = model.device
        n = model.slots
        self.tok, self.pos, self.slot = (torch.zeros(n, dtype=torch.int64, device=dev) for _ in range(3))
        self.slot[:] = n
        self.temp, self.top_p = torch.ones(n, device=dev), torch.ones(n, device=dev)
        self.u = torch.zeros(n + 1, self.longest, device=dev)  # uniform numbers by slot and token
        self.nth = torch.zeros(n, dtype=torch.int64, device=dev)
        self.out = torch.zeros(self.BURST, n, dtype=torch.int64, device=dev)
        self.one = torch.ones(n, dtype=torch.int32, device=dev)
        self.rows = torch.arange(n, dtype=torch.int32, device=dev)
        self.graphs = {}
        self.whole: dict[bytes, int] = {}  # the last slot that read a prompt; what it holds now is looked up

    def step(self, n: int) -> None:
        """One token for the first n rows."""
        tok, pos, slot = self.tok[:n], self.pos[:n], self.slot[:n]
        x = self.model.forward(tok, pos, slot, self.rows[:n], self.one[:n], slot, pos, 1)
        logits = F.linear(x, self.model.embed)
        u = self.u[slot, self.nth[:n].clamp(max=self.longest - 1)]
        tok.copy_(draw(logits, self.temp[:n], self.top_p[:n], u))
        pos.add_(1).clamp_(max=self.model.length - 1)
        self.nth[:n].add_(1)

    def prepare(self) -> None:
        """Compile, and record a CUDA graph for each number of rows."""
        self.read([(np.arange(70), 0, self.model.slots)])
        if self.model.device != "cuda":
            return
        pool = None
        for n in reversed(self.sizes):
            for _ in range(2):
                self.step(n)
            torch.cuda.synchronize()
            self.graphs[n] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graphs[n], pool=pool):
                self.step(n)
            pool = pool or self.graphs[n].pool()
        self.slot[:] = self.model.slots
        self.pos[:] = 0

    def read(self, parts) -> None:
        """Keys and values of parts of prompts: (ids, position of the first, slot) each."""

        def on(array, kind=torch.int64):
            return torch.from_numpy(np.ascontiguousarray(array)).to(self.model.device, kind, non_blocking=True)

        counts = np.array([len(ids) for ids, _, _ in parts])
        starts = np.concatenate([[0], counts.cumsum()[:-1]])
        tokens = on(np.concatenate([ids for ids, _, _ in parts]))
        pos = on(np.concatenate([first + np.arange(len(ids)) for ids, first, _ in parts]))
        slot, first = np.array([slot for *_, slot in parts]), [first for _, first, _ in parts]
        args = on(starts, torch.int32), on(counts, torch.int32), on(slot), on(first, torch.int32)
        self.model.forward(tokens, pos, on(np.repeat(slot, counts)), *args, int(counts.max()))

    def admit(self) -> bool:
        """Give waiting requests free slots, and read their prompts; whether another round would be of use."""
        with self.lock:
            waiting = sorted(self.waiting, key=lambda one: one.place)
        free = sorted((i for i, one in enumerate(self.slots) if one is None), key=self.used.__getitem__)
        parts, taken, keys, budget, put_off = [], [], set(), self.READ, 0
        for request in waiting:
            if not free or budget <= 0 or len(taken) >= 128 or put_off >= 256:
                put_off = 0 if not free else put_off
                break
            ids = request.prompt[:-1]
            size, key = len(ids), request.prompt[:-1].tobytes()
            source = self.whole.get(key, -1)
            if source >= 0 and (self.known[source, :size] == ids).all():
                best = size
            elif key in keys:
                put_off += 1  # another of this round reads it
                continue
            else:
                same = self.known[:, :size] == ids
                common = np.where(same.all(1), size, same.argmin(1)) if size else np.zeros(len(same), int)
                source = int(common.argmax())
                best = int(common[source])
                being_read = (one.prompt for one, *_, theirs in taken if theirs < len(one.prompt) - 1)
                if any(self.common(ids, prompt) > best + 32 for prompt in being_read):
                    put_off += 1  # another of this round reads much of it
                    continue
            if size - best > budget and taken:
                break
            keys.add(key)
            # The slot that it would copy from is the best that is free where nobody else writes there.
            slot = source if best == size and self.slots[source] is None else free[0]
            free.remove(slot)
            taken.append((request, slot, source, best))
            self.slots[slot] = request
            self.known[slot, size if slot == source else 0 :] = -1  # nobody may copy what is written over
            budget -= size - best
        for request, slot, source, best in taken:
            if best and source != slot:
                self.model.wide[:, :, slot, :best].copy_(self.model.wide[:, :, source, :best])
            ids = request.prompt[:-1]
            parts += [(ids[at : at + self.READ], at, slot) for at in range(best, len(ids), self.READ)]
            request.reused, request.begun = best, time.time()
            self.known[slot, : len(ids)] = ids
            self.whole[ids.tobytes()] = slot
        if taken:
            numbers = np.zeros((len(taken), self.longest), np.float32)
            for row, (request, *_) in enumerate(taken):
                numbers[row, : len(request.u)] = request.u
            slots = torch.tensor([slot for _, slot, *_ in taken], device=self.model.device)
            self.u[slots] = torch.from_numpy(numbers).to(self.model.device)
        while parts:  # parts of one prompt follow each other: a later one sees the earlier one's keys
            now, seen, total = [], set(), 0
            for part in list(parts):
                if part[2] in seen or (now and total + len(part[0]) > self.READ):
                    continue
                now.append(part), seen.add(part[2])
                total += len(part[0])
            self.read(now)
            parts = [part for part in parts if not any(part is one for one in now)]
        with self.lock:
            gone = {id(one) for one, *_ in taken}
            self.waiting = [one for one in self.waiting if id(one) not in gone]
        return bool(taken) and put_off > 0

    @staticmethod
    def common(a, b) -> int:
        n = min(len(a), len(b))
        same = a[:n] == b[:n]
        return n if same.all() else int(same.argmin())

    def run(self) -> None:
        try:
            with torch.inference_mode():
                self.serve()
        except BaseException:  # a dead engine must not look like a slow one
            import os
            import traceback

            traceback.print_exc()
            os._exit(1)

    def serve(self) -> None:
        device = self.model.device
        while True:
            while self.waiting and self.admit():
                pass
            live = [(i, one) for i, one in enumerate(self.slots) if one is not None]
            if not live:
                time.sleep(0.002)
                continue
            n = next(size for size in self.sizes if size >= len(live))
            state = np.zeros((4, n), np.int64)
            state[2] = self.model.slots
            heat = np.ones((2, n), np.float32)
            for row, (i, one) in enumerate(live):
                state[:, row] = one.last, len(one.prompt) - 1 + one.written, i, one.written
                heat[:, row] = one.settings["temperature"], one.settings["top_p"]
            state, heat = (torch.from_numpy(one).to(device) for one in (state, heat))
            self.tok[:n], self.pos[:n], self.slot[:n], self.nth[:n] = state
            self.temp[:n], self.top_p[:n] = heat
            for i in range(self.BURST):
                self.graphs[n].replay() if device == "cuda" else self.step(n)
                self.out[i, :n] = self.tok[:n]
            written = self.out[:, :n].cpu().numpy()
            now = time.time()
            for row, (i, one) in enumerate(live):
                ended = False
                for token in written[:, row].tolist():
                    one.last = token
                    if ended := one.take(token, self.words, self.ends):
                        break
                self.used[i] = now
                if ended:
                    self.slots[i] = None
                    one.loop.call_soon_threadsafe(finish, one)


def finish(request: Request) -> None:
    if not request.future.done():
        request.future.set_result(request)


# ---- the API -------------------------------------------------------------------------------------------------------


class Server:
    def __init__(self, engine: Engine, tokenizer, chat: dict):
        self.engine, self.tokenizer, self.chat = engine, tokenizer, chat

    @lru_cache(4096)  # noqa: B019
    def ids_of(self, asked: str, chat: bool) -> list[int]:
        if chat:
            turns = [(m["role"], m["content"]) for m in json.loads(asked)]
            if turns[0][0] != "system":
                turns.insert(0, ("system", self.chat["system"]))
            asked = "".join(f"<|im_start|>{role}\n{content}<|im_end|>\n" for role, content in turns)
            asked += "<|im_start|>assistant\n"
        return self.tokenizer.encode(asked, add_special_tokens=False).ids

    def request(self, body: dict) -> Request:
        """What a body asks for. Raises ValueError with a line that says why it cannot be had."""
        if not isinstance(body, dict) or not {"messages", "prompt"} & set(body):
            raise ValueError("a request is an object with `messages` or `prompt`")
        if body.get("n", 1) != 1 or body.get("stream"):
            raise ValueError("n must be 1, and nothing is streamed")
        chat, stop = "messages" in body, body.get("stop") or ()
        try:
            ids = self.ids_of(json.dumps(body["messages"]) if chat else body["prompt"], chat)
            ids = ids or self.tokenizer.encode("\n").ids
            limit = min(self.engine.model.length - self.engine.BURST - 2, 8192)
            most = min(int(body.get("max_tokens") or 512), limit - len(ids), self.engine.longest)
            settings = {name: float(body.get(name, 1)) for name in ("temperature", "top_p")} | {"max_tokens": most}
            stops = [one.encode() for one in ([stop] if isinstance(stop, str) else stop)]
            seed = int(body.get("seed") or 0) & ((1 << 63) - 1)
        except (TypeError, ValueError, KeyError, IndexError, AttributeError) as error:
            raise ValueError(f"not as the API has it: {type(error).__name__}: {error}") from error
        if len(ids) + 1 > limit:
            raise ValueError(f"This model's maximum context length is {limit} tokens; the prompt has {len(ids)}")
        if most < 1 or settings["temperature"] < 0 or not 0 < settings["top_p"] <= 1:
            raise ValueError("max_tokens is 1 or more, temperature 0 or more, top_p more than 0 and at most 1")
        return Request(ids, settings, seed, stops)

    def answer(self, place: int):
        from aiohttp import web

        async def handle(http):
            engine = self.engine
            try:
                body = json.loads(await http.read())
                request = self.request(body)
            except ValueError as error:
                return web.json_response({"error": {"message": str(error), "code": 400}}, status=400)
            with engine.lock:
                request.place = place
                engine.waiting.append(request)
            await request.future
            text = request.text.decode("utf-8", "replace")
            choice = {"index": 0, "finish_reason": request.end}
            choice |= {"message": {"role": "assistant", "content": text}} if "messages" in body else {"text": text}
            usage = {"prompt_tokens": len(request.prompt), "completion_tokens": request.written}
            usage["prompt_tokens_details"] = {"cached_tokens": request.reused}
            queued = {"queue_time_ms": 1000 * (request.begun - request.arrived)}
            return web.json_response({"model": NAME, "choices": [choice], "usage": usage, "metrics": queued})

        async def models(_):
            entry = {"id": NAME, "object": "model", "owned_by": "studies/engine.py", "max_model_len": 8192}
            entry |= {"root": FILE, "meta": {"ftype": "Q4_K_M, dequantised to bfloat16"}}
            return web.json_response({"object": "list", "data": [entry]})

        app = web.Application(client_max_size=1 << 24)
        for path in ("/v1/completions", "/v1/chat/completions"):
            app.router.add_post(path, handle)
        app.router.add_get("/v1/models", models)
        return app


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--slots", type=int, default=448)
    parser.add_argument("--length", type=int, default=8192)
    parser.add_argument("--ports", type=int, nargs="+", default=(8001, 8002), help="the first is served first")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    parser.add_argument("--gguf", type=Path, help="make FOLDER from this file, and end")
    args = parser.parse_args()
    if args.gguf:
        return unpack(args.gguf, args.folder)
    from aiohttp import web
    from tokenizers import Tokenizer

    began = time.time()
    tokenizer = Tokenizer.from_file(str(args.folder / "tokenizer.json"))
    chat = json.loads((args.folder / "chat.json").read_text())
    with torch.inference_mode():
        model = Model(args.folder, args.slots, args.length, args.device)
        print(f"weights after {time.time() - began:.1f} s", flush=True)
        words = words_of(tokenizer, model.embed.shape[0])
        engine = Engine(model, words, set(chat["ends"]), [8, 32, 64, 128, 192, 256, 320, 384])
        engine.prepare()
    print(f"ready after {time.time() - began:.1f} s", flush=True)
    engine.start()
    server = Server(engine, tokenizer, chat)

    async def serve():
        for place, port in enumerate(args.ports):
            runner = web.AppRunner(server.answer(place), access_log=None)
            await runner.setup()
            await web.TCPSite(runner, "127.0.0.1", port, backlog=4096).start()
        print(f"serving on {args.ports}", flush=True)
        await asyncio.Event().wait()

    asyncio.run(serve())


def words_of(tokenizer, size: int) -> list[bytes]:
    """Each token's bytes, by the byte-level alphabet of its tokenizer; special tokens have none."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    letters = {chr(byte): byte for byte in shown} | {chr(256 + i): byte for i, byte in enumerate(hidden)}
    special = {i for i, token in tokenizer.get_added_tokens_decoder().items() if token.special}
    found = []
    for i in range(size):
        token = None if i in special else tokenizer.id_to_token(i)
        if token is None:
            found.append(b"")
        elif all(sign in letters for sign in token):
            found.append(bytes(letters[sign] for sign in token))
        else:
            found.append(token.encode())
    return found


if __name__ == "__main__":
    sys.exit(main())
