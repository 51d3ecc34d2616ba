"""The practice model as a LanguageModel: any number of requests at once, no torch, no GPU, no
download.

A thread of its own steps through all requests together. Samples of one prompt that have drawn the
same tokens so far are one row, computed once, and part where they differ. Each sample draws from a
generator with its own seed, so it does not depend on what else is asked for. The forward pass is
`network`. It continues texts, and cannot chat.
"""

import asyncio
import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import numpy as np
from threadpoolctl import ThreadpoolController

from ...errors import TroveLiteError
from ..base import (
    Completion,
    LanguageModel,
    ModelError,
    Prompt,
    PromptRefused,
    SamplingSettings,
    one_line,
    sha256_of_weights,
)
from .network import Network, Tokenizer

WEIGHTS = Path(__file__).parent / "weights"
REQUESTS_AT_ONCE = 256
PROMPTS_KEPT = 64
SPEAKS_TEXT = "the practice model continues texts and cannot chat: name a model that can, or leave --chat at auto"


def from_spec(spec: str, settings: SamplingSettings, chat: str) -> "PracticeModel":
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
    began: float
    future: Future = field(default_factory=Future)


@dataclass(eq=False)
class Row:
    """Samples that are the same so far: `tokens` since the prompt, their text, the sum of their
    log-probabilities."""

    requests: list[Request]
    prompt_tokens: int
    tokens: list[int] = field(default_factory=list)
    text: bytes = b""
    score: float = 0.0

    @property
    def length(self) -> int:
        """Positions of the cache that it fills: all its tokens but the last."""
        return self.prompt_tokens + len(self.tokens) - 1


class PracticeModel(LanguageModel):
    """The model that comes with the kit, or one in the same format from `folder`; it is ready when
    it is made."""

    name = "practice"

    def __init__(
        self,
        settings: SamplingSettings,
        folder: Path = WEIGHTS,
        *,
        requests_at_once: int = REQUESTS_AT_ONCE,
    ):
        self.settings = settings
        self.folder = folder
        self.network = Network(folder)
        self.tokenizer = Tokenizer(folder / "tokenizer.json")
        self.context_length = self.network.context
        self.requests_at_once = requests_at_once
        self.waiting: list[Request] = []
        self.unanswered: set[Request] = set()  # waiting, or under way
        self.rows: list[Row] = []  # each at the same place in the cache
        self.cache = self.network.cache(
            requests_at_once, 192
        )  # a row has a request: never more rows than these
        self.read = lru_cache(PROMPTS_KEPT)(
            lambda prompt: self.network.read(self.tokenizer.encode(prompt))
        )
        self.lock = threading.Lock()
        self.turn = threading.Lock()
        self.running = False
        self.libraries = ThreadpoolController()

    def identity(self) -> dict:
        return {
            "name": self.name,
            "sha256": sha256_of_weights(self.folder),
            "dtype": "float64",
            "engine": "numpy",
            "version": np.__version__,
        }

    async def sample(self, prompt: Prompt, seed: int, settings: SamplingSettings) -> Completion:
        if not isinstance(prompt, str):
            raise TroveLiteError(SPEAKS_TEXT)
        read = len(self.tokenizer.encode(prompt))
        most = self.context_length - 1
        if read > most:
            raise PromptRefused(f"the practice model reads at most {most} tokens, not {read}")
        draws = np.random.default_rng(seed).random(
            min(settings.max_tokens, self.context_length - read)
        )
        request = Request(prompt, settings, draws, time.perf_counter())
        with self.lock:
            self.waiting.append(request)
            self.unanswered.add(request)
            if not self.running:
                self.running = True
                threading.Thread(target=self._work, name="practice model", daemon=True).start()
        try:
            return await asyncio.wrap_future(request.future)
        finally:
            self.unanswered.discard(request)

    def _work(self) -> None:
        try:
            # Matrices so small are far slower on two threads. (One worker's limit is lifted before
            # the next one's.)
            with self.turn, self.libraries.limit(limits=1, user_api="blas"):
                while self._admit():
                    self._step()
        except BaseException as error:  # whoever waits must hear of it
            with self.lock:
                lost = list(self.unanswered)
                self.waiting = []
                self.rows = []
                self.running = False
            for request in lost:
                with suppress(InvalidStateError):  # cancelled
                    request.future.set_exception(
                        ModelError(f"the practice model failed ({one_line(error)})")
                    )

    def _admit(self) -> bool:
        """Take in what is waiting, as far as there is room; False where nothing is left to do."""
        prompts: dict[tuple[str, SamplingSettings], list[Request]] = defaultdict(list)
        with self.lock:
            free = self.requests_at_once - sum(len(row.requests) for row in self.rows)
            for request in self.waiting[:free]:
                if not request.future.cancelled():
                    prompts[request.prompt, request.settings].append(request)
            self.waiting = self.waiting[free:]
            self.running = bool(prompts or self.rows or self.waiting)
        for (prompt, _), requests in prompts.items():
            self._begin(prompt, requests)
        return self.running

    def _begin(self, prompt: str, requests: list[Request]) -> None:
        logits, cache = self.read(prompt)
        length = cache.shape[-2]
        place = len(self.rows)
        self._room(length)
        self.cache[:, :, place, :, :length] = cache
        self.rows.append(Row(requests, length))
        self._continue(place, logits)

    def _step(self) -> None:
        if not self.rows:  # all that was admitted has ended with its first token
            return
        positions = np.array([[row.length] for row in self.rows])
        self._room(positions.max() + 1)
        self._continue(
            0,
            self.network.step(
                np.array([row.tokens[-1:] for row in self.rows]), positions, self.cache
            ),
        )

    def _continue(self, first: int, logits: np.ndarray) -> None:
        """Draw each request's next token. Rows part where requests differ; those in use stay
        first."""
        parts = list(enumerate(self.rows[:first]))
        settings = [row.requests[0].settings for row in self.rows[first:]]
        shifted = logits - logits.max(-1, keepdims=True)
        scores = shifted - np.log(np.exp(shifted).sum(-1, keepdims=True))
        for place, choices in enumerate(drawable(logits, settings), start=first):
            row = self.rows[place]
            for token, requests in drawn(row, *choices).items():
                score = row.score + float(scores[place - first, token])
                part = Row(requests, row.prompt_tokens, [*row.tokens, token], row.text, score)
                if not self._finished(part, token):
                    parts.append((place, part))
        stay = {
            place: row for place, row in reversed(parts) if place < len(parts)
        }  # of each row the first part
        free = (place for place in range(len(parts)) if place not in stay)
        moved = {next(free): part for part in parts if stay.get(part[0]) is not part[1]}
        for place, (source, row) in moved.items():
            self.cache[:, :, place, :, : row.length] = self.cache[:, :, source, :, : row.length]
            stay[place] = row
        self.rows = [stay[place] for place in range(len(parts))]

    def _room(self, length: int) -> None:
        """Let each row of the cache hold so many positions."""
        old = self.cache
        if length > old.shape[-2]:
            self.cache = self.network.cache(self.requests_at_once, length + 64)
            self.cache[:, :, : len(self.rows), :, : old.shape[-2]] = old[:, :, : len(self.rows)]

    def _finished(self, row: Row, token: int) -> bool:
        """Whether a row ends here, by its last token, a stop string or its length; then its
        requests are answered."""
        ended = token == self.network.end
        if not ended:
            piece = self.tokenizer.bytes[token]
            row.text += piece
            stops = [stop.encode() for stop in row.requests[0].settings.stop]
            if found := [
                end for stop in stops if (end := row.text.find(stop, -len(stop) - len(piece))) >= 0
            ]:
                row.text = row.text[: min(found)]
                ended = True
        if not ended and len(row.tokens) < len(row.requests[0].draws):
            return False
        text = row.text.decode("utf-8", "replace")
        now = time.perf_counter()
        found = Completion(
            text,
            row.prompt_tokens,
            len(row.tokens),
            "stop" if ended else "length",
            0.0,
            log_probability=round(row.score / len(row.tokens), 6),
        )
        for request in row.requests:
            with suppress(InvalidStateError):  # cancelled
                request.future.set_result(found._replace(seconds=now - request.began))
        return True


def drawable(
    logits: np.ndarray, settings: Sequence[SamplingSettings]
) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each row, by its settings, the tokens that can be drawn, and their cumulated chances:
    temperature, top-p."""
    chances = np.exp(
        (logits - logits.max(-1, keepdims=True))
        / np.array([[one.temperature or 1.0] for one in settings])
    )
    chances /= chances.sum(-1, keepdims=True)
    found = []
    for row, one in zip(chances, settings, strict=True):
        # What is less likely than this is together less than 1 - top_p, so it cannot be in the
        # nucleus.
        tokens = np.flatnonzero(row >= (1 - one.top_p) / len(row))
        tokens = tokens[np.argsort(-row[tokens], kind="stable")]
        sums = np.cumsum(row[tokens])
        kept = 1 + int(np.searchsorted(sums, one.top_p)) if one.temperature else 1
        found.append((tokens[:kept], sums[:kept] / sums[:kept][-1]))
    return found


def drawn(row: Row, tokens: np.ndarray, sums: np.ndarray) -> dict[int, list[Request]]:
    """The tokens that a row's requests draw, each with those that drew it."""
    found: dict[int, list[Request]] = defaultdict(list)
    for request in row.requests:
        place = np.searchsorted(sums, request.draws[len(row.tokens)], side="right")
        found[int(tokens[place])].append(request)
    return found
