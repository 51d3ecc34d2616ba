"""Language models: a prompt and seeds in, completions out.

Each sample is a request of its own (n = 1) with a seed of its own, so that a sample is the same whatever else is
asked of the engine. It knows neither prompts, nor parsing, nor what a completion is for.

`load_model` picks a backend by a string: `vllm:NAME` runs vLLM in this process, `http://HOST:PORT/v1#NAME` asks any
server with the OpenAI completions API. Both are async context managers. Whatever fails raises: never is a failure of
a model or a server turned into text.
"""

import asyncio
import hashlib
import itertools
import json
import os
import re
import time
from collections.abc import Awaitable, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import NamedTuple, Protocol
from urllib.parse import parse_qsl

from ..errors import TroveLiteError


@dataclass(frozen=True)
class SamplingSettings:
    """How completions are drawn; the papers' values by default (TroVE, section 5.1)."""

    temperature: float = 0.6
    top_p: float = 0.95
    max_tokens: int = 512
    stop: tuple[str, ...] = ("**Question", "## Example")


class Completion(NamedTuple):
    """One sample: its text, tokens read and written, why it ended (`stop`, `length`), and seconds from the request."""

    text: str
    prompt_tokens: int
    completion_tokens: int
    finish_reason: str
    seconds: float


class LanguageModel(Protocol):
    """A model that can be sampled. `name` goes into the candidates table."""

    name: str

    async def complete(self, prompt: str, seeds: Sequence[int]) -> list[Completion]:
        """One completion for each seed, in order. Raises TroveLiteError where the model or its server fails."""
        ...


class ModelError(TroveLiteError):
    """The model or its server failed, and the samples asked for are unknown: ask again, later."""


class PromptRefused(ModelError):
    """This prompt cannot be completed, however often it is asked: it is too long for the model, say."""


def sample_seed(run_seed: int, dataset: str, category: str, problem: int, phase: str, mode: str, sample: int) -> int:
    """The seed of one sample: a hash of all that tells it from every other sample.

    53 bits, so that a server that reads JSON numbers as floating point still gets it whole.
    """
    key = json.dumps([run_seed, dataset, category, problem, phase, mode, sample])
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest()) >> 11


def load_model(spec: str, settings: SamplingSettings | None = None) -> LanguageModel:
    """The model that `spec` names, to be entered with `async with`.

    `practice`: the tiny model that comes with the kit. `vllm:NAME` (a Hugging Face name or a folder) with engine
    arguments after `?`, as in `vllm:codellama/CodeLlama-7b-Instruct-hf?max_model_len=4096&dtype=float16`.
    `http://localhost:8000/v1#NAME`: a server, with `concurrency`, `timeout` and `retries` after `?`, before the `#`.
    """
    settings = settings or SamplingSettings()
    if spec == "practice":
        from .practice.model import load_practice_model

        return load_practice_model(settings)
    if spec.startswith(("http://", "https://")):
        address, _, model = spec.partition("#")
        address, _, options = address.partition("?")
        from .openai import OpenAIServer

        if "?" in model:  # not quoted: it may be a key
            raise TroveLiteError("a server's options come before the #, and a key belongs into $TROVE_LITE_API_KEY")
        return OpenAIServer(address, model, settings, **_server_options(options))
    name, _, options = spec.removeprefix("vllm:").partition("?")
    if not spec.startswith("vllm:") or not name:
        raise TroveLiteError("no such model: write vllm:NAME, http://HOST:PORT/v1#NAME or practice")
    engine_args = _engine_options(options)
    if "hf_token" in engine_args:  # the model's name, options and all, is written into run.json
        raise TroveLiteError("a model's options hold no key: put hf_token into $HF_TOKEN")
    return VLLM(name, settings, **engine_args)


def _engine_options(query: str) -> dict:
    """`a=1&b=x` as keyword arguments, each value read as JSON where it is."""
    options = dict(parse_qsl(query, keep_blank_values=True))
    for name, text in options.items():
        with suppress(json.JSONDecodeError):
            options[name] = json.loads(text)
    return options


def _server_options(query: str) -> dict:
    kinds = {"concurrency": int, "timeout": float, "retries": int}
    try:
        return {name: kinds[name](text) for name, text in parse_qsl(query, keep_blank_values=True)}
    except (KeyError, ValueError):  # not quoted: it may be a key
        raise TroveLiteError(
            f"a server's address has something after ? that is not {', '.join(kinds)}; a key belongs into "
            "$TROVE_LITE_API_KEY"
        ) from None


class VLLM:
    """A vLLM engine in this process, batching continuously whatever is asked of it at once. Enter it with `async with`.

    `engine_args` are vLLM's own (`max_model_len`, `tensor_parallel_size`, `dtype`, …). Wants the extra `[vllm]`.
    """

    def __init__(self, model: str, settings: SamplingSettings | None = None, **engine_args):
        self.name = model
        self.settings = settings or SamplingSettings()
        self._engine_args = engine_args
        self._engine = None
        self._requests = itertools.count()

    async def __aenter__(self) -> "VLLM":
        # Read by vLLM when it is imported: no usage statistics sent anywhere, no log lines through progress bars.
        os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
        os.environ.setdefault("VLLM_LOGGING_LEVEL", "WARNING")
        try:
            from vllm.engine.arg_utils import AsyncEngineArgs
            from vllm.platforms import current_platform
            from vllm.v1.engine.async_llm import AsyncLLM
        except ImportError as error:
            raise TroveLiteError(
                f"vLLM cannot be imported ({error}): pip install 'trove-lite[vllm]', or name a running server instead, "
                "as in http://localhost:8000/v1#NAME"
            ) from error
        defaults = CPU_DEFAULTS if current_platform.is_cpu() else {}
        try:
            self._params(0)  # settings that vLLM refuses are no prompt's fault
            args = AsyncEngineArgs(**{"model": self.name, "disable_log_stats": True} | defaults | self._engine_args)
            self._engine = AsyncLLM.from_engine_args(args)
        except Exception as error:
            raise ModelError(f"vLLM cannot start '{self.name}' ({one_line(error)}); see its messages above") from error
        return self

    async def __aexit__(self, *_) -> None:
        engine, self._engine = self._engine, None
        engine.shutdown(timeout=10)

    async def complete(self, prompt: str, seeds: Sequence[int]) -> list[Completion]:
        """One completion for each seed, in order."""
        if self._engine is None:
            raise RuntimeError("a VLLM model completes inside its `async with` block")
        with _vllm_errors():
            (tokens,) = await self._engine.renderer.render_cmpl_async([{"prompt": prompt}])
        return await gather(self._sample(tokens, seed) for seed in seeds)

    def _params(self, seed: int):
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        return SamplingParams(
            temperature=self.settings.temperature,
            top_p=self.settings.top_p,
            max_tokens=self.settings.max_tokens,
            stop=list(self.settings.stop),
            seed=seed,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )

    async def _sample(self, prompt, seed: int) -> Completion:
        params = self._params(seed)
        start = time.perf_counter()
        with _vllm_errors():
            *_, result = [part async for part in self._engine.generate(prompt, params, str(next(self._requests)))]
        seconds = time.perf_counter() - start
        (output,) = result.outputs
        read, written = len(result.prompt_token_ids), len(output.token_ids)
        return checked(Completion(output.text, read, written, output.finish_reason, seconds), self.settings, "vLLM")


#: On a CPU, chunked prefill and a seed for each request kill the engine ("CPU Generator does not use offset"), and
#: the cache of keys and values would take nine tenths of the machine's memory.
CPU_DEFAULTS = {"enable_chunked_prefill": False, "kv_cache_memory_bytes": 2 << 30}


@contextmanager
def _vllm_errors():
    try:
        yield
    except Exception as error:
        if TOO_LONG.search(said := one_line(error)):
            raise PromptRefused(f"vLLM refuses a prompt ({said})") from error
        raise ModelError(f"vLLM failed ({said}); run again to go on from here") from error


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
