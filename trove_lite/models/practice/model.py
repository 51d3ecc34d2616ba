"""The practice model as a LanguageModel: any number of requests at once, no torch, no GPU, no download.

A thread of its own steps through all requests together. Samples of one prompt that have drawn the same tokens so far
are one row, computed once, and part where they differ. Each sample draws from a generator with its own seed, so it
does not depend on what else is asked for. The forward pass is `network`. It continues texts, and cannot chat.
"""

import asyncio
import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from threadpoolctl import ThreadpoolController

from ...errors import TroveLiteError
from ..base import Completion, LanguageModel, ModelError, Prompt, PromptRefused, SamplingSettings, sha256_of_weights
from .network import Network, Tokenizer

WEIGHTS = Path(__file__).parent / "weights"
REQUESTS_AT_ONCE = 256
PROMPTS_KEPT = 64
SPEAKS_TEXT = "the practice model continues texts and cannot chat: name a model that can, or leave --chat at auto"


def from_spec(spec: str, settings: SamplingSettings, chat: str) -> "PracticeModel":
    """The model that `practice` names."""
    if spec != "practice":  # not quoted: it may hold a key
        raise TroveLiteError("the practice model has no options: write practice")
    if chat == "on":
        raise TroveLiteError(SPEAKS_TEXT)
    return PracticeModel(settings)


@dataclass(eq=False)
class Request:
    """One sample on its way: its draws, and where to deliver it."""

    prompt: str
    settings: SamplingSettings
    draws: np.ndarray
    future: asyncio.Future
    loop: asyncio.AbstractEventLoop
    began: float


@dataclass(eq=False)
class Row:
    """Samples that are the same so far: `tokens` since the prompt, at `position` in their row of the cache."""

    requests: list[Request]
    prompt_tokens: int
    position: int
    tokens: list[int] = field(default_factory=list)
    text: bytes = b""


class PracticeModel(LanguageModel):
    """The model that comes with the kit, or one in the same format from `folder`; it is ready when it is made."""

    name = "practice"

    def __init__(self, settings: SamplingSettings, folder: Path = WEIGHTS, *, requests_at_once: int = REQUESTS_AT_ONCE):
        self.settings, self.folder = settings, folder
        self.network, self.tokenizer = Network(folder), Tokenizer(folder / "tokenizer.json")
        self.context_length = self.network.context
        self.requests_at_once = requests_at_once
        self.waiting: list[Request] = []
        self.rows: list[Row] = []
        self.cache = self.network.cache(requests_at_once, 192)  # a row has a request: never more rows than these
        self.prompts: OrderedDict[str, tuple[np.ndarray, np.ndarray]] = OrderedDict()
        self.lock, self.turn = threading.Lock(), threading.Lock()
        self.running = False
        self.admitted: list[Request] = []
        self.libraries = ThreadpoolController()

    def identity(self) -> dict:
        """Its weights' sha256, and what computes with them."""
        return {
            "name": self.name,
            "sha256": sha256_of_weights(self.folder),
            "dtype": self.network.dtype.__name__,
            "engine": "numpy",
            "version": np.__version__,
        }

    async def complete(
        self, prompt: Prompt, seeds: Sequence[int], *, sampling: SamplingSettings | None = None
    ) -> list[Completion]:
        """One completion for each seed, in order."""
        if not isinstance(prompt, str):
            raise TroveLiteError(SPEAKS_TEXT)
        length = len(self.tokenizer.encode(prompt))
        if length >= self.network.context:
            raise PromptRefused(f"the practice model reads at most {self.network.context - 1} tokens, not {length}")
        loop = asyncio.get_running_loop()
        settings, now = sampling or self.settings, time.perf_counter()
        most = min(settings.max_tokens, self.network.context - length)
        requests = [
            Request(prompt, settings, np.random.default_rng(seed).random(most), loop.create_future(), loop, now)
            for seed in seeds
        ]
        with self.lock:
            self.waiting += requests
            if not self.running:
                self.running = True
                threading.Thread(target=self._work, name="practice model", daemon=True).start()
        return list(await asyncio.gather(*(request.future for request in requests)))

    def _work(self) -> None:
        """The thread: until nothing is left to do."""
        try:
            # Matrices so small are far slower on two threads. (One worker's limit is lifted before the next one's.)
            with self.turn, self.libraries.limit(limits=1, user_api="blas"):
                while self._admit():
                    self._step()
        except BaseException as error:  # whoever waits must hear of it
            with self.lock:
                lost = [*self.waiting, *self.admitted, *(request for row in self.rows for request in row.requests)]
                self.waiting, self.admitted, self.rows, self.running = [], [], [], False
            for request in lost:
                _deliver(request, ModelError(f"the practice model failed ({type(error).__name__}: {error})"))

    def _admit(self) -> bool:
        """Take in what is waiting, as far as there is room; False where nothing is left to do."""
        with self.lock:
            free = self.requests_at_once - sum(len(row.requests) for row in self.rows)
            self.admitted = [request for request in self.waiting[:free] if not request.future.cancelled()]
            self.waiting = self.waiting[free:]
            self.running = bool(self.admitted or self.rows or self.waiting)
        prompts: dict[tuple[str, SamplingSettings], list[Request]] = {}
        for request in self.admitted:
            prompts.setdefault((request.prompt, request.settings), []).append(request)
        for (prompt, _), requests in prompts.items():
            self._begin(prompt, requests)
        self.admitted = []
        return self.running

    def _begin(self, prompt: str, requests: list[Request]) -> None:
        """Read a prompt, or remember it, and draw the first tokens."""
        if prompt not in self.prompts:
            self.prompts[prompt] = self.network.read(self.tokenizer.encode(prompt))
            if len(self.prompts) > PROMPTS_KEPT:
                self.prompts.popitem(last=False)
        self.prompts.move_to_end(prompt)
        logits, cache = self.prompts[prompt]
        length = cache.shape[-2]
        self._room(length)
        self.cache[:, :, len(self.rows), :, :length] = cache
        self.rows.append(Row(requests, length, length))
        self._continue(len(self.rows) - 1, logits[None])

    def _step(self) -> None:
        """One more token for every row."""
        if not self.rows:  # all that was admitted has ended with its first token
            return
        positions = np.array([row.position for row in self.rows])
        self._room(positions.max() + 1)
        logits = self.network.step(np.array([row.tokens[-1] for row in self.rows]), positions, self.cache)
        for row in self.rows:
            row.position += 1
        self._continue(0, logits)

    def _continue(self, first: int, logits: np.ndarray) -> None:
        """Draw the next token of each request in the rows from `first` on.

        Rows part where their requests differ, and leave once they are done; the rows in use stay the first ones.
        """
        gaps, parted = [], []
        for place, choices in enumerate(self._choices(first, logits), start=first):
            row = self.rows[place]
            parts = [
                (Row(r, row.prompt_tokens, row.position, [*row.tokens, t], row.text), t)
                for t, r in _drawn(row, *choices)
            ]
            going_on = [part for part, token in parts if not self._finished(part, token)]
            if going_on:
                self.rows[place] = going_on[0]
                parted += [(place, part) for part in going_on[1:]]
            else:
                gaps.append(place)
        for source, row in parted:
            if gaps:
                place = gaps.pop()
                self.rows[place] = row
            else:
                place = len(self.rows)
                self.rows.append(row)
            self._copy(source, place)
        for place in reversed(gaps):
            last = self.rows.pop()
            if place < len(self.rows):
                self.rows[place] = last
                self._copy(len(self.rows), place)

    def _copy(self, source: int, place: int) -> None:
        end = self.rows[place].position
        self.cache[:, :, place, :, :end] = self.cache[:, :, source, :, :end]

    def _room(self, length: int) -> None:
        """Let each row of the cache hold so many positions."""
        old = self.cache
        if length > old.shape[-2]:
            self.cache = self.network.cache(self.requests_at_once, length + 64)
            self.cache[:, :, : len(self.rows), :, : old.shape[-2]] = old[:, :, : len(self.rows)]

    def _choices(self, first: int, logits: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
        """For each row from `first` on the tokens that can be drawn and their cumulated chances."""
        asked = [row.requests[0].settings for row in self.rows[first : first + len(logits)]]
        found = {}
        for settings in dict.fromkeys(asked):
            places = [place for place, other in enumerate(asked) if other == settings]
            found |= dict(zip(places, self._drawable(logits[places], settings), strict=True))
        return [found[place] for place in range(len(asked))]

    def _drawable(self, logits: np.ndarray, settings: SamplingSettings) -> list[tuple[np.ndarray, np.ndarray]]:
        """Temperature, then top-p."""
        if settings.temperature <= 0:
            return [(np.array([token]), np.ones(1)) for token in logits.argmax(-1)]
        chances = np.exp((logits - logits.max(-1, keepdims=True)) / settings.temperature)
        chances /= chances.sum(-1, keepdims=True)
        # What is less likely than this is together less than 1 - top_p, so it cannot be in the nucleus.
        likely = chances >= (1 - settings.top_p) / logits.shape[-1]
        result = []
        for row, mask in zip(chances, likely, strict=True):
            tokens = np.flatnonzero(mask)
            tokens = tokens[np.argsort(-row[tokens], kind="stable")]
            sums = np.cumsum(row[tokens])
            kept = 1 + int(np.searchsorted(sums, settings.top_p))
            result.append((tokens[:kept], sums[:kept] / sums[:kept][-1]))
        return result

    def _finished(self, row: Row, token: int) -> bool:
        """Whether a row ends here, by its last token, a stop string or its length; then its requests are answered."""
        ended = token == self.network.end
        if not ended:
            piece = self.tokenizer.bytes[token]
            row.text += piece
            stops = [stop.encode() for stop in row.requests[0].settings.stop]
            tail = row.text[-(max(map(len, stops), default=0) + len(piece)) :]
            found = [stop for stop in stops if stop in tail]
            if found:
                row.text = row.text[: min(row.text.index(stop) for stop in found)]
                ended = True
        if not ended and len(row.tokens) < len(row.requests[0].draws):
            return False
        text, now = row.text.decode("utf-8", "replace"), time.perf_counter()
        for request in row.requests:
            reason = "stop" if ended else "length"
            _deliver(request, Completion(text, row.prompt_tokens, len(row.tokens), reason, now - request.began))
        return True


def _drawn(row: Row, tokens: np.ndarray, sums: np.ndarray) -> Iterable[tuple[int, list[Request]]]:
    """The tokens that a row's requests draw, each with those that drew it."""
    if len(tokens) == 1:
        return [(int(tokens[0]), row.requests)]
    drawn: dict[int, list[Request]] = {}
    for request in row.requests:
        token = int(tokens[np.searchsorted(sums, request.draws[len(row.tokens)], side="right")])
        drawn.setdefault(token, []).append(request)
    return drawn.items()


def _deliver(request: Request, result: Completion | Exception) -> None:
    """Answer a request on its own event loop; one that was cancelled, or whose loop is gone, wants no answer."""

    def answer():
        if not request.future.done():
            (request.future.set_exception if isinstance(result, Exception) else request.future.set_result)(result)

    with contextlib.suppress(RuntimeError):
        request.loop.call_soon_threadsafe(answer)
