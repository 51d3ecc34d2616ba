"""Language models: a prompt and seeds in, completions out.

Each sample is a request of its own (n = 1) with a seed of its own, so that a sample is the same whatever else is
asked of the engine. It knows neither prompts, nor parsing, nor what a completion is for.

`load_model` picks a backend by a string: `vllm:NAME` runs vLLM in this process, `http://HOST:PORT/v1#NAME` asks any
server with the OpenAI completions API. Both are async context managers. Whatever fails raises: never is a failure of
a model or a server turned into text.
"""

import asyncio
import re
from collections.abc import Awaitable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from ..errors import TroveLiteError


@dataclass(frozen=True)
class SamplingSettings:
    """How completions are drawn; the papers' values by default (TroVE, section 5.1)."""

    temperature: float = 0.6
    """0: always the likeliest token; higher: more different programs."""
    top_p: float = 0.95
    """Tokens are drawn from the likeliest that together have this share of the probability."""
    max_tokens: int = 512
    """A completion's longest."""
    stop: tuple[str, ...] = ("**Question", "## Example")
    """Texts before which a completion ends."""


class Completion(NamedTuple):
    """One sample: its text, tokens read and written, why it ended (`stop`, `length`), and seconds from the request."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    finish_reason: str
    seconds: float
    cached_tokens: int | None = None
    queue_seconds: float | None = None


class Message(NamedTuple):
    role: str
    content: str


class LanguageModel(Protocol):
    """A model that can be sampled. `name` goes into the candidates table."""

    name: str

    async def complete(self, prompt: str, seeds: Sequence[int]) -> list[Completion]:
        """One completion for each seed, in order. Raises TroveLiteError where the model or its server fails."""
        ...


class ModelError(TroveLiteError):
    """The model or its server failed, and the samples asked for are unknown: ask again, later."""


class SampleUnavailable(ModelError):
    """This one request cannot be had."""


class PromptRefused(ModelError):
    """This prompt cannot be completed, however often it is asked: it is too long for the model, say."""


#: What engines say of a prompt that does not fit.
TOO_LONG = re.compile(r"context (length|size|window)|(prompt|input) .*too long|maximum model length", re.IGNORECASE)


async def gather(calls: Iterable[Awaitable[Completion]]) -> list[Completion]:
    """Await all at once; the first failure ends the others and is raised as it is."""
    failure = None
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(call) for call in calls]
    except ExceptionGroup as failed:
        failure = failed.exceptions[0]
    if failure:  # raised in there, its context would be the group that it is in: a circle, where IPython shows nothing
        raise failure
    return [task.result() for task in tasks]


def checked(found: Completion, settings: SamplingSettings, where: str) -> Completion:
    """The completion, if it neither failed nor was cut short by anything but the settings."""
    if found.finish_reason not in ("stop", "length"):
        raise ModelError(f"{where}: a completion ended by '{found.finish_reason}'; run again to go on from here")
    if found.finish_reason == "length" and found.completion_tokens < settings.max_tokens:
        raise PromptRefused(
            f"{where}: the context was full after {found.completion_tokens} of {settings.max_tokens} tokens, beside a "
            f"prompt of {found.prompt_tokens}"
        )
    whole = found.text.encode("utf-8", "replace").decode("utf-8")  # half a surrogate pair cannot be written anywhere
    return found._replace(text=whole)


def one_line(error: BaseException) -> str:
    """An exception as one short line."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
