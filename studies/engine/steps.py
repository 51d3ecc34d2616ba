"""What runs on the device, step by step: requests take slots, prompts are read, all slots write a token a step."""

import asyncio
import threading
import time

import numpy as np
import torch
import torch.nn.functional as F

from .model import Model, draw


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
