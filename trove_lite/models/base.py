"""Language models: a prompt and seeds in, completions out.

Each sample has a seed of its own, and is the same whatever else is asked of the engine. A prompt is
one text, to be continued, or messages, to be answered. A back end is a subclass of `LanguageModel`
in a file of its own. Whatever fails
raises: never is a failure of a model or a server turned into text.
"""

import asyncio
import hashlib
import heapq
import itertools
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..errors import TroveLiteError, encodable

NO_MODEL = "no such model: write vllm:NAME, http://HOST:PORT/v1#NAME, canned:FILE or practice"
#: Whether a prompt goes through a model's chat template: `auto` (messages do, a text does not),
#: `on`, `off`.
CHAT = ("auto", "on", "off")


@dataclass(frozen=True)
class SamplingSettings:
    """How completions are drawn; the papers' values by default (TroVE, section 5.1)."""

    temperature: float = 0.6
    """0: always the likeliest token. Higher: programs differ more."""
    top_p: float = 0.95
    """Tokens are drawn from the likeliest ones that together have this probability."""
    max_tokens: int = 512
    """The most tokens of a completion."""
    stop: tuple[str, ...] = ("**Question", "## Example")
    """Texts at which a completion ends, without them."""


class Message(NamedTuple):
    """One turn of a conversation: who speaks (`system`, `user`, `assistant`), and what is said."""

    role: str
    content: str


#: What is asked: a text to be continued, or a conversation whose next turn is wanted.
Prompt = str | Sequence[Message]


class Completion(NamedTuple):
    """One sample. What a server does not tell is None, never 0.

    prompt_tokens, cached_tokens: read, and how many of these from a prefix cache.
        completion_tokens: written.
    finish_reason: `stop` or `length`. seconds: from the request to its answer, less queue_seconds,
    for which it waited inside the engine. thinking: reasoning that a server gave apart from the
    text, of thinking_tokens of those written.
    log_probability: the mean over the tokens written, before temperature and top-p.
    """

    text: str
    prompt_tokens: int | None
    completion_tokens: int | None
    finish_reason: str
    seconds: float
    cached_tokens: int | None = None
    queue_seconds: float | None = None
    thinking: str = ""
    thinking_tokens: int | None = None
    log_probability: float | None = None


class LanguageModel:
    """A model that can be sampled, entered with `async with`; a back end is a subclass with a
    `sample` of its own.

    name: goes into the candidates table. settings: how completions are drawn. chat: one of CHAT.
        context_length:
    tokens that prompt and completion may have together, where it is known. concurrency: requests
    that it takes at a time, known once it is entered: the driver sends no more, and those first
    that streams wait for. retried: requests that were sent again. on_notice: called with a line
    whenever a user who waits should know why.
    """

    name: str = ""
    settings: SamplingSettings = SamplingSettings()
    chat: str = "auto"
    context_length: int | None = None
    concurrency: int = 256
    retried: int = 0
    is_billed: bool = False  # whether somebody else may ask for money
    budget = None  # a `money.Budget`, out of which each request is paid

    on_notice: Callable[[str], object] = staticmethod(lambda line: None)
    """Replaced by whoever shows notices; by default nobody does."""

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_) -> None:
        pass

    async def check(self) -> None:
        """Raise TroveLiteError where it can be known at once, and nothing started, that this model
        is not to be had."""

    async def complete(
        self, prompt: Prompt, seeds: Sequence[int], *, sampling: SamplingSettings | None = None
    ) -> list[Completion]:
        """One completion for each seed, in order, drawn by `sampling`, or as the model was made to.

        Raises PromptRefused or SampleUnavailable where this request cannot be had, another
        ModelError where the model or its server fails, TroveLiteError for a prompt of a kind that
        this model cannot be given.
        """
        spoken = as_spoken(prompt, self.chat)
        return await gather(self.sample(spoken, seed, sampling or self.settings) for seed in seeds)

    async def sample(self, prompt: Prompt, seed: int, settings: SamplingSettings) -> Completion:
        """One completion, of a prompt as `chat` has it asked; see `complete`."""
        raise NotImplementedError

    def identity(self) -> dict:
        """What tells this model, once it is entered, from others: name, engine, version, what is
        known of its files."""
        return {"name": self.name}

    def setup(self) -> dict:
        """How the engine is set up here, where that changes how fast it is and not what it is:
        device, threads."""
        return {}


class ModelError(TroveLiteError):
    """The model or its server failed, and the samples asked for are unknown: ask again, later."""


class PromptRefused(ModelError):
    """This prompt cannot be completed, however often it is asked: it is too long for the model,
    say."""


class SampleUnavailable(ModelError):
    """This one sample could not be had, though it was asked for more than once; others may well
    be."""


LONGEST_LINE = 10_000  # characters of a server's words that are looked at

#: What engines say of a prompt that does not fit.
TOO_LONG = re.compile(
    r"context.?(length|size|window|limit)|maximum (model|input|prompt|sequence) length|max_model_len"
    r"|(prompt|inputs?\b|messages).{0,60}(too (long|large)|exceed|must be <=)|too many (input |prompt )?tokens"
    r"|reduce the length|longer than the maximum",
    re.IGNORECASE,
)


def as_spoken(prompt: Prompt, chat: str) -> Prompt:
    """The prompt as `chat` has it asked: a text to be continued, or messages. Refuses messages
    where it is `off`."""
    if isinstance(prompt, str):
        return [Message("user", prompt)] if chat == "on" else prompt
    if chat == "off":
        raise TroveLiteError(
            "this method asks in messages, and --chat off sends none: leave it at --chat auto"
        )
    return list(prompt)


async def gather(calls: Iterable[Awaitable[Completion]]) -> list[Completion]:
    """Await all at once; the first failure ends the others and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
        return [task.result() for task in tasks]
    except ExceptionGroup as failed:
        failure = failed.exceptions[0]
    # in there, its context would be the group that it is in: a circle, where IPython shows nothing
    raise failure


class Gate:
    """At most `width` at a time, lowest rank first; within a rank, in order of arrival."""

    def __init__(self, width: int):
        self.width = width
        self.busy = 0
        self.waiting: list[tuple[int, int, asyncio.Future]] = []
        self.arrivals = itertools.count()
        self.closed = False  # nobody else goes

    @asynccontextmanager
    async def __call__(self, rank: int = 0):
        turn = asyncio.get_running_loop().create_future()
        heapq.heappush(self.waiting, (rank, next(self.arrivals), turn))
        self._admit()
        try:
            await turn
            yield self
        finally:
            self.busy -= not turn.cancelled()  # who is cancelled while waiting holds no place
            self._admit()

    def _admit(self) -> None:
        while self.busy < self.width and self.waiting and not self.closed:
            turn = heapq.heappop(self.waiting)[-1]
            if not turn.done():
                turn.set_result(None)
                self.busy += 1


def checked(
    found: Completion,
    settings: SamplingSettings,
    where: str,
    context: int | None = None,
    slack: int = 0,
) -> Completion:
    """The completion, if it neither failed nor was cut short by anything but the settings.

    Raises ModelError where a limit of the server's own cut it well before `context` tokens, with
    the prompt, were full; else PromptRefused. slack: tokens by which counts may be off.
    """
    if found.finish_reason not in ("stop", "length"):
        raise SampleUnavailable(f"{where}: a completion ended by '{found.finish_reason}'")
    written = settings.max_tokens if found.completion_tokens is None else found.completion_tokens
    if found.finish_reason == "length" and written < settings.max_tokens - slack:
        after = f"after {written} of {settings.max_tokens} tokens"
        if context and found.prompt_tokens and found.prompt_tokens + written < context - 64:
            raise ModelError(f"{where}: it ends completions {after}; give --max_tokens {written}")
        length = "unknown length" if found.prompt_tokens is None else found.prompt_tokens
        raise PromptRefused(f"{where}: the context was full {after}, beside a prompt of {length}")
    return found._replace(text=encodable(found.text), thinking=encodable(found.thinking))


def sha256_of_weights(place: Path) -> str | None:
    """The sha256 of a model's files of weights, as `cat *.safetensors | sha256sum` has it; None for
    none."""
    files = (
        [place]
        if place.is_file()
        else sorted(place.glob("*.safetensors")) or sorted(place.glob("*.gguf"))
    )
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            hashlib.file_digest(file, lambda: digest)  # goes on with the file before
    return digest.hexdigest() if files else None


def one_line(error: BaseException) -> str:
    return plain(f"{type(error).__name__}: {error}")[:300]


def plain(text: str) -> str:
    """Somebody's text as one line that does nothing to a terminal; of a long one its beginning."""
    signs = (sign if sign.isprintable() else " " for sign in text[:LONGEST_LINE])
    return " ".join("".join(signs).split())
