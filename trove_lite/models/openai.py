"""Servers with the OpenAI API, completions or chat: `vllm serve`, llama.cpp, Ollama, hosted ones.

It speaks HTTP, and knows when to ask again, what a server's odd answers mean, what a key is and what must never be
quoted. Nothing that a server sends can do more than become a completion or an error.
"""

import asyncio
import json
import math
import os
import random
import re
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx

from ..errors import TroveLiteError
from .base import (
    TOO_LONG,
    Completion,
    LanguageModel,
    ModelError,
    Prompt,
    PromptRefused,
    SampleUnavailable,
    SamplingSettings,
    checked,
    one_line,
    plain,
)
from .openai_answers import Odd, at, json_of, message_of, objects, read_completion, whole

#: What a server fills in where a request is silent (vLLM from the model's generation_config.json, llama.cpp from
#: defaults of its own), switched off, by the name under which it lists its models: these are no settings of ours.
NEUTRAL = {
    "vllm": {"top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0},
    "llamacpp": {"top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0},
}
#: Besides every 5xx: the request took too long to arrive, came too early, or was one too many.
RETRIED = (408, 425, 429)
#: What a server answers to a request of a kind that it does not know.
UNKNOWN = (404, 405, 501)
#: What servers say where a model only chats, or cannot.
CHAT_ALONE = re.compile(r"chat (model|template|completion)|/chat/completions", re.IGNORECASE)
#: By whether it was asked in messages.
ADVICE = {True: "cannot chat: --chat off, and prompts that are texts", False: "only chats: --chat on"}
ADDRESS = re.compile(r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?(/[^\s#]*)?")
KEYS = ("TROVE_LITE_API_KEY", "OPENAI_API_KEY")
TRIES = 3  # for an answer that is none, and for a port where nobody has ever answered
NOTICE_SECONDS = 30  # between two notices of the same trouble


class OpenAIServer(LanguageModel):
    """A server with the OpenAI API (`vllm serve`, llama.cpp, …). Enter it with `async with`.

    `model` may be empty where the server has only one; `name` is its name then, once entered.
    The key, where one is needed, comes from $TROVE_LITE_API_KEY (for OpenAI's servers $OPENAI_API_KEY will do) and is
    kept nowhere else.

    concurrency: requests under way at once. timeout: seconds for which a request waits while the server answers none
    at all, so that a long queue at a slow server is no failure. retries: how often a request is sent again to a server
    that is overloaded, failing or unreachable, after about twice the pause each time, or what the server asks for.
    seed: False where the server refuses seeds; its samples cannot be drawn again then.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        settings: SamplingSettings | None = None,
        *,
        chat: str = "auto",
        concurrency: int = 64,
        timeout: float = 600.0,
        retries: int = 8,
        seed: bool = True,
        first_pause: float = 0.5,
    ):
        # None of these quotes the address: it may hold a key, if only where a port should be.
        if "@" in base_url or "?" in base_url:
            raise TroveLiteError(f"a server's address holds no key: put it into ${KEYS[0]}")
        if not ADDRESS.fullmatch(base_url) or not _is_url(base_url):
            raise TroveLiteError("no server has such an address: write http://HOST:PORT/v1#NAME")
        self.url = base_url.rstrip("/")
        if end := re.search(r"(/chat)?/completions$|/chat$", self.url):
            raise TroveLiteError(
                f"a server's address ends before {end[0]}, which is added to it (--chat says which): write "
                "http://HOST:PORT/v1#NAME"
            )
        if concurrency < 1 or not timeout > 0 or retries < 0:
            raise TroveLiteError(f"concurrency {concurrency}, timeout {timeout}, retries {retries}: give more")
        self.settings, self.chat, self.seed = settings or SamplingSettings(), chat, seed
        self.concurrency, self.timeout, self.retries, self.first_pause = concurrency, timeout, retries, first_pause
        self._name(model)
        self._client = None
        self._identity: dict = {}

    def _name(self, model: str) -> None:
        """Take the name under which the server knows the model; a path on its disk is no name for others."""
        self.model = model
        self.name = model.rstrip("/").rpartition("/")[2] if model.startswith(("/", ".", "~")) else model

    async def __aenter__(self) -> "OpenAIServer":
        self._client = httpx.AsyncClient(
            headers=_authorization(self.url),
            timeout=httpx.Timeout(None, connect=10),  # `_exchange` bounds the whole of it
            limits=httpx.Limits(max_connections=self.concurrency, max_keepalive_connections=self.concurrency),
        )
        self._free = asyncio.Semaphore(self.concurrency)
        self._limits: set[asyncio.Timeout] = set()
        self._noticed: dict[str, float] = {}
        self._reached = False  # whether anything ever answered
        self._answered = 0  # completions so far
        self._length = "max_tokens"
        try:
            self._neutral = await self._find_model()
        except BaseException:
            await self._client.aclose()
            raise
        return self

    async def __aexit__(self, *_) -> None:
        client, self._client = self._client, None
        await client.aclose()

    async def check(self) -> None:
        """Raise where nobody answers, or the server does not have the model."""
        async with self:
            pass

    def identity(self) -> dict:
        """The name, and what the server says of itself: engine, version, file; what it keeps to itself is not there."""
        return {"name": self.name} | self._identity

    async def sample(self, prompt: Prompt, seed: int, settings: SamplingSettings) -> Completion:
        """One completion, a request of its own."""
        if self._client is None:
            raise RuntimeError("an OpenAIServer completes inside its `async with` block")
        chat = not isinstance(prompt, str)
        body = {
            "model": self.model,
            **({"messages": [message._asdict() for message in prompt]} if chat else {"prompt": prompt}),
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            self._length: settings.max_tokens,
            "stop": list(settings.stop),
            "n": 1,
            **({"seed": seed} if self.seed else {}),
            **self._neutral,
        }
        async with self._free:
            path = "/chat/completions" if chat else "/completions"
            return checked(await self._request(path, body, partial(read_completion, chat=chat)), settings, self.url)

    async def _find_model(self) -> dict:
        """What must be switched off at this server; refuses a model that it does not list."""
        try:
            answer = await self._request("/models", None, lambda answer, _: answer)
        except PromptRefused:  # a server without a list
            return {}
        except Odd as odd:
            raise ModelError(f"{self.url}/models: {odd}; is this the address of the API?") from None
        entries = {entry["id"]: entry for entry in objects(at(answer, "data")) if isinstance(entry.get("id"), str)}
        if not self.model and len(entries) == 1:
            self._name(*entries)
        if entries and self.model not in entries:
            listed = plain(", ".join(sorted(entries)))[:1000]
            raise ModelError(f"{self.url}: no model '{self.model}' there; name one of {listed} after a #")
        entry = entries.get(self.model, {})
        owner, root = (str(entry.get(name) or "") for name in ("owned_by", "root"))
        about = {"engine": owner, "file": os.path.basename(root), "quantization": at(entry, "meta", "ftype")}
        self._identity = {name: plain(str(value))[:200] for name, value in about.items() if value}
        self.context_length = whole(entry.get("max_model_len"))
        return NEUTRAL.get(owner, {})

    async def _request(self, path: str, body: dict | None, read: Callable) -> Any:
        """Send until answered (a GET without a body): what `read` makes of the answer's JSON and of its seconds.

        A server that is busy, fails or cannot be reached is asked again `retries` times, then ModelError; one whose
        answer to a POST is odd TRIES times, then SampleUnavailable. A GET raises Odd, or PromptRefused without a page.
        """
        url, answered, odd, failed = self.url + path, self._answered, 0, 0
        while True:
            tries, wanted = self.retries + 1, 0.0
            try:
                response, seconds = await self._exchange(url, body)
                if response.is_success:
                    return read(json_of(response.content), seconds)
                problem = f"HTTP {response.status_code} {self._message(response.content)}".strip()
                self._refuse(url, response.status_code, problem, body)
                kind, wanted = f"HTTP {response.status_code}", _seconds(response.headers.get("Retry-After", ""))
            except Odd as error:
                odd += 1
                if body is None:
                    raise
                if odd == TRIES:
                    raise SampleUnavailable(f"{url}: {error}, {TRIES} times") from None
                await self._pause(self.first_pause, f"{url}: {error}", "odd")
                continue
            except TimeoutError:
                kind = problem = f"no answer within {self.timeout:g} s"
            except httpx.RequestError as error:
                kind, problem = type(error).__name__, f"no connection ({one_line(error)})"
                if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout) and not self._reached:
                    tries = min(tries, TRIES)  # nobody has ever answered there: a wrong address, most likely
            failed += 1
            others, answered = self._answered > answered, self._answered
            if failed == tries:
                if others:
                    raise SampleUnavailable(f"{url}: {problem}, {failed} times, while others were answered")
                raise ModelError(f"{url}: {problem}, {failed} times; run again to go on from here")
            pause = min(self.first_pause * 2 ** (failed - 1), 60) * random.uniform(0.5, 1.5)
            await self._pause(min(max(pause, wanted), self.timeout), f"{url}: {problem}", kind)

    async def _exchange(self, url: str, body: dict | None) -> tuple[httpx.Response, float]:
        """Send once: the response, read whole, and seconds. Whoever waits may then wait for the whole timeout again."""
        began = time.perf_counter()
        async with asyncio.timeout(self.timeout) as limit:
            self._limits.add(limit)
            try:
                response = await self._client.request("GET" if body is None else "POST", url, json=body)
            finally:
                self._limits.discard(limit)
        self._reached = True
        if response.is_success and body is not None:
            self._answered += 1
            for other in self._limits:
                if not other.expired():
                    other.reschedule(asyncio.get_running_loop().time() + self.timeout)
        return response, time.perf_counter() - began

    async def _pause(self, seconds: float, problem: str, kind: str) -> None:
        """Count a request that will be sent again, say so at once, if not too often, and wait."""
        self.retried += 1
        now = time.monotonic()
        if now - self._noticed.get(kind, -math.inf) >= NOTICE_SECONDS:
            self._noticed[kind] = now
            self.on_notice(f"{problem}; asking again in {seconds:.2g} s ({self.retried} sent again so far)")
        await asyncio.sleep(seconds)

    def _refuse(self, url: str, status: int, problem: str, body: dict | None) -> None:
        """Raise for an error that is no passing one."""
        if status == 401 or (status == 403 and not self._answered):  # a server may quote the key
            raise ModelError(f"{url}: HTTP {status}, the key is missing or refused; set ${KEYS[0]}")
        if status == 403:
            raise Odd("HTTP 403, refused")
        too_long = TOO_LONG.search(problem)
        if status in RETRIED or (status >= 500 and status != 501 and not too_long):
            return
        if body is None or too_long:
            raise PromptRefused(f"{url}: {problem}")
        if status in UNKNOWN or (not self._answered and CHAT_ALONE.search(problem)):
            advice = ADVICE["messages" in body]
            raise ModelError(f"{url}: {problem}; no such endpoint or model there (for a server that {advice})")
        if status < 400:
            raise ModelError(f"{url}: {problem}; write the address where the API is")
        if "max_completion_tokens" in problem and "max_tokens" in body:  # the newer name, which some insist on
            self._length = "max_completion_tokens"
            body[self._length] = body.pop("max_tokens")
        raise Odd(problem)

    def _message(self, content: bytes) -> str:
        """What a server says about its error: one short line, without our key."""
        text: object = content.decode("utf-8", "replace")
        with suppress(ValueError, RecursionError):
            text = json.loads(text)
        words = message_of(at(text, "error") or text)
        key = self._client.headers.get("Authorization", "").removeprefix("Bearer ")
        return plain(words.replace(key, "…") if key else words)[:300]


def _is_url(address: str) -> bool:
    with suppress(httpx.InvalidURL, ValueError):
        return bool(httpx.URL(address).host) and (httpx.URL(address).port or 0) < 1 << 16
    return False


def from_spec(spec: str, settings: SamplingSettings, chat: str) -> OpenAIServer:
    """The server that `http://HOST:PORT/v1?OPTION=…#NAME` names."""
    address, _, model = spec.partition("#")
    address, _, options = address.partition("?")
    if "?" in model:  # not quoted: it may be a key
        raise TroveLiteError("a server's options come before the #, and a key belongs into $TROVE_LITE_API_KEY")
    kinds = {"concurrency": int, "timeout": float, "retries": int, "seed": {"on": True, "off": False}.__getitem__}
    try:
        given = {name: kinds[name](text) for name, text in parse_qsl(options, keep_blank_values=True)}
    except (KeyError, ValueError):  # not quoted: it may be a key
        raise TroveLiteError(
            f"a server's address has something after ? that is not {', '.join(kinds)} with a number (seed: on or off); "
            "a key belongs into $TROVE_LITE_API_KEY"
        ) from None
    return OpenAIServer(address, model, settings, chat=chat, **given)


def _authorization(url: str) -> dict[str, str]:
    """The key's header; OpenAI's own key goes to OpenAI alone, whatever server is named."""
    host = urlsplit(url).hostname or ""
    names = KEYS if host == "openai.com" or host.endswith(".openai.com") else KEYS[:1]
    key = next(filter(None, (os.environ.get(name, "").strip() for name in names)), "")
    if not re.fullmatch(r"[!-~]*", key):  # as a header it would fail with an error that quotes it
        raise TroveLiteError(f"${' or $'.join(KEYS)} holds something that is no key")
    return {"Authorization": f"Bearer {key}"} if key else {}


def _seconds(header: str) -> float:
    """The seconds of a Retry-After header; 0 where it is something else."""
    with suppress(ValueError):
        return max(0.0, float(header))
    return 0.0
