"""Servers with the OpenAI API, completions or chat: `vllm serve`, llama.cpp, Ollama, hosted ones.

It speaks HTTP, and knows when to ask again, what a server's odd answers mean, what a key is and what must never be
quoted. Nothing that a server sends can do more than become a completion or an error.
"""

import asyncio
import itertools
import json
import math
import os
import random
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

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
    as_spoken,
    checked,
    gather,
    one_line,
    plain,
)

#: What a server fills in where a request is silent (vLLM from the model's generation_config.json, llama.cpp from
#: defaults of its own), switched off, by the name under which it lists its models: these are no settings of ours.
NEUTRAL = {
    "vllm": {"top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0},
    "llamacpp": {"top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0},
}
#: Where these servers say more of themselves, beside /v1.
ABOUT = {"vllm": "/version", "llamacpp": "/props"}
#: Besides every 5xx: the request took too long to arrive, came too early, or was one too many.
RETRIED = (408, 425, 429)
#: What a server answers to a request of a kind that it does not know.
UNKNOWN = (404, 405, 501)
#: What servers say where a model only chats, or cannot.
CHAT_ALONE = re.compile(r"chat (model|template|completion)|/chat/completions", re.IGNORECASE)
#: What of a request is the same in all: who refuses it refuses all.
SETTING = re.compile(r"\b(temperature|top_p|seed|max_tokens|top_k|min_p|repe(at|tition)_penalty)\b|['\"`]stop['\"`]")
NO_ADDRESS = "no server has such an address: write http://HOST:PORT/v1#NAME"
KEYS = ("TROVE_LITE_API_KEY", "OPENAI_API_KEY")
TRIES = 3  # for an answer that is none, and for a port where nobody has ever answered
NOTICE_SECONDS = 30  # between two notices of the same trouble
ANSWER_BYTES = 1 << 25  # a longer answer is no completion


class Odd(Exception):
    """A server answered, but not with a completion: worth asking again, if not for ever."""


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
        # Neither quotes the address: it may hold a key, if only where a port should be.
        if "@" in base_url or "?" in base_url:
            raise TroveLiteError(f"a server's address holds no key: put it into ${KEYS[0]}")
        if not re.fullmatch(r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?(/[^\s#]*)?", base_url):
            raise TroveLiteError(NO_ADDRESS)
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
        import httpx

        try:
            url = httpx.URL(self.url)
            known = url.host and (url.port or 0) <= 65535
        except (httpx.InvalidURL, ValueError):
            known = False
        if not known:
            raise TroveLiteError(NO_ADDRESS)
        self._client = httpx.AsyncClient(
            headers=_authorization(self.url),
            timeout=httpx.Timeout(None, connect=10),  # `_exchange` bounds the whole of it
            limits=httpx.Limits(max_connections=self.concurrency, max_keepalive_connections=self.concurrency),
        )
        self._free = asyncio.Semaphore(self.concurrency)
        self._limits: set[asyncio.Timeout] = set()
        self._told: dict[str, float] = {}
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

    async def complete(
        self,
        prompt: Prompt,
        seeds: Sequence[int],
        *,
        priority: int = 0,
        sampling: SamplingSettings | None = None,
    ) -> list[Completion]:
        """One completion for each seed, in order, each a request of its own; no server is told a priority."""
        if self._client is None:
            raise RuntimeError("an OpenAIServer completes inside its `async with` block")
        spoken = as_spoken(prompt, self.chat)
        return await gather(self._sample(spoken, seed, sampling or self.settings) for seed in seeds)

    def identity(self) -> dict:
        """The name, and what the server says of itself: engine, version, file; what it keeps to itself is not there."""
        return {"name": self.name} | self._identity

    async def _sample(self, prompt: Prompt, seed: int, settings: SamplingSettings) -> Completion:
        chat = not isinstance(prompt, str)
        path = "/chat/completions" if chat else "/completions"
        asked = {"messages": [message._asdict() for message in prompt]} if chat else {"prompt": prompt}
        async with self._free:
            try:
                for attempt in range(1, TRIES + 1):
                    try:
                        answer, seconds = await self._request("POST", path, self._body(asked, seed, settings))
                        found = checked(read_completion(answer, chat, seconds), settings, self.url)
                        if found.thinking and not found.text and "thinking" not in self._told:
                            self._told["thinking"] = time.monotonic()
                            self.on_notice(
                                f"{self.url}{path}: a reply was all thinking, so no answer; see --max_tokens"
                            )
                        return found
                    except Odd as odd:
                        if attempt == TRIES:
                            raise SampleUnavailable(f"{self.url}{path}: {odd}, {TRIES} times") from None
                        await self._pause(self.first_pause, f"{self.url}{path}: {odd}", "odd")
            except (PromptRefused, SampleUnavailable):
                self.refused += 1
                raise

    def _body(self, asked: dict, seed: int, settings: SamplingSettings) -> dict:
        body = {
            "model": self.model,
            **asked,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            self._length: settings.max_tokens,
            "stop": list(settings.stop),
            "n": 1,
        }
        return body | ({"seed": seed} if self.seed else {}) | self._neutral

    async def _find_model(self) -> dict:
        """What must be switched off at this server; refuses a model that it does not list."""
        try:
            answer, _ = await self._request("GET", "/models")
        except PromptRefused:  # a server without a list
            return {}
        except Odd as odd:
            raise ModelError(f"{self.url}/models: {odd}; is this the address of the API?") from None
        entries = {entry["id"]: entry for entry in objects(member(answer, "data")) if isinstance(entry.get("id"), str)}
        if not self.model and len(entries) == 1:
            self._name(*entries)
        if entries and self.model not in entries:
            listed = plain(", ".join(sorted(entries)))[:1000]
            raise ModelError(f"{self.url}: no model '{self.model}' there; name one of {listed} after a #")
        entry = entries.get(self.model, {})
        owner = entry.get("owned_by") if isinstance(entry.get("owned_by"), str) else ""
        await self._learn(entry, owner)
        return NEUTRAL.get(owner, {})

    async def _learn(self, entry: dict, owner: str) -> None:
        """Note what the server says of itself; one that says nothing is as good."""
        about: object = {}
        if owner in ABOUT:
            with suppress(Exception):  # for the record alone: no run depends on it
                reply = await self._client.get(self.url.removesuffix("/v1") + ABOUT[owner], timeout=10)
                about = reply.json() if reply.is_success else {}
        build = member(about, "version") or member(about, "build_info")
        told = {
            "engine": owner,
            "version": build,
            "file": os.path.basename(str(member(entry, "root") or member(about, "model_path") or "")),
            "quantization": member(member(entry, "meta"), "ftype"),
            "parameters": whole(member(member(entry, "meta"), "n_params")),
        }
        self._identity = {name: plain(str(value))[:200] for name, value in told.items() if value}
        context = member(member(about, "default_generation_settings"), "n_ctx")
        self.context_length = whole(context) or whole(member(entry, "max_model_len"))

    async def _request(self, method: str, path: str, body: dict | None = None) -> tuple[object, float]:
        """Send until answered: what JSON says and the seconds it took, or an error that says what came instead.

        Raises Odd for what is worth another try by whoever asked, PromptRefused where a GET finds nothing.
        """
        import httpx

        url, pause, answered = self.url + path, self.first_pause, self._answered
        for attempt in itertools.count(1):
            asked, tries = 0.0, self.retries + 1
            try:
                status, headers, content, seconds = await self._exchange(method, url, body)
            except TimeoutError:
                kind = problem = f"no answer within {self.timeout:g} s"
            except httpx.RequestError as error:
                kind, problem = type(error).__name__, f"no connection ({one_line(error)})"
                if isinstance(error, httpx.ConnectError | httpx.ConnectTimeout) and not self._reached:
                    tries = min(tries, TRIES)  # nobody has ever answered there: a wrong address, most likely
            else:
                self._reached = True
                if 200 <= status < 300:
                    if method == "POST":
                        self._progress()
                    return _json(content), seconds
                problem = f"HTTP {status} {self._message(content)}".strip()
                self._refuse(method, url, status, problem, body)
                kind, asked = f"HTTP {status}", _seconds(headers.get("Retry-After", ""))
            others, answered = self._answered > answered, self._answered
            if attempt == tries:
                problem = f"{url}: {problem}, {attempt} times"
                if others:
                    raise SampleUnavailable(f"{problem}, while others were answered")
                raise ModelError(f"{problem}; run again to go on from here")
            seconds = min(max(pause * random.uniform(0.5, 1.5), asked), self.timeout)
            await self._pause(seconds, f"{url}: {problem}", kind)
            pause = min(2 * pause, 60)

    async def _exchange(self, method: str, url: str, body: dict | None) -> tuple[int, object, bytes, float]:
        """Send once: status, headers, content and seconds."""
        began = time.perf_counter()
        async with asyncio.timeout(self.timeout) as limit:
            self._limits.add(limit)
            try:
                async with self._client.stream(method, url, json=body) as response:
                    content = bytearray()
                    async for block in response.aiter_bytes():
                        content += block
                        if len(content) > ANSWER_BYTES:
                            raise Odd(f"an answer of more than {ANSWER_BYTES >> 20} MiB")
            finally:
                self._limits.discard(limit)
        return response.status_code, response.headers, bytes(content), time.perf_counter() - began

    def _progress(self) -> None:
        """The server has answered: whoever waits for it may wait for the whole timeout again."""
        self._answered += 1
        until = asyncio.get_running_loop().time() + self.timeout
        for limit in self._limits:
            if not limit.expired():
                limit.reschedule(until)

    async def _pause(self, seconds: float, problem: str, kind: str) -> None:
        """Count a request that will be sent again, say so at once, if not too often, and wait."""
        self.retried += 1
        now = time.monotonic()
        if now - self._told.get(kind, -math.inf) >= NOTICE_SECONDS:
            self._told[kind] = now
            self.on_notice(f"{problem}; asking again in {seconds:.2g} s ({self.retried} sent again so far)")
        await asyncio.sleep(seconds)

    def _refuse(self, method: str, url: str, status: int, problem: str, body: dict | None) -> None:
        """Raise for an error that is no passing one."""
        if status == 401 or (status == 403 and not self._answered):  # a server may quote the key
            raise ModelError(f"{url}: HTTP {status}, the key is missing or refused; set ${KEYS[0]}")
        if status == 403:
            raise Odd("HTTP 403, refused")
        if status in RETRIED or (status >= 500 and status != 501 and not TOO_LONG.search(problem)):
            return
        if method == "GET" or TOO_LONG.search(problem):
            raise PromptRefused(f"{url}: {problem}")
        if status in UNKNOWN or (not self._answered and CHAT_ALONE.search(problem)):
            if "messages" in body:
                advice = "for a server that cannot chat: --chat off, and prompts that are texts"
            else:
                advice = "for a server that only chats: --chat on"
            raise ModelError(f"{url}: {problem}; no such endpoint or model there ({advice})")
        if status < 400:
            raise ModelError(f"{url}: {problem}; write the address where the API is")
        if "max_completion_tokens" in problem and "max_tokens" in body:  # the newer name, which some insist on
            self._length = "max_completion_tokens"
        elif not self._answered and (named := SETTING.search(problem)):
            hint = "; ?seed=off before the # leaves it out" if named[0] == "seed" else ""
            raise ModelError(f"{url}: {problem}{hint}")
        raise Odd(problem)

    def _message(self, content: bytes) -> str:
        """What a server says about its error: one short line, without our key."""
        text = content.decode("utf-8", "replace")
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):
            said = text
        error = member(said, "error") or said
        said = str(member(error, "message") or error)
        key = self._client.headers.get("Authorization", "").removeprefix("Bearer ")
        return plain(said.replace(key, "…") if key else said)[:300]


class Usage(NamedTuple):
    """What a server says a completion took; None where it says nothing, or nonsense."""

    read: int | None
    written: int | None
    cached: int | None
    waited: float | None
    thought: int | None = None


def read_completion(answer: object, chat: bool, seconds: float) -> Completion:
    """A server's answer as a completion. Raises Odd, which says what is wrong, for anything else."""
    if error := member(answer, "error"):
        raise Odd(f"an error in place of a completion ({plain(str(member(error, 'message') or error))[:300]})")
    choices = list(objects(member(answer, "choices")))
    if len(choices) != 1:
        raise Odd("an answer without a choice" if not choices else f"{len(choices)} choices for one sample")
    (choice,) = choices
    said = member(choice, "message") if chat else choice
    text, thinking = parts_of(member(said, "content" if chat else "text"))
    apart = (member(said, name) for name in ("reasoning_content", "reasoning", "thinking"))
    thinking += next((part for part in apart if isinstance(part, str) and part), "")
    reason = member(choice, "finish_reason")
    if reason == "content_filter" or member(said, "refusal"):
        raise Odd("withheld by the server (content_filter or a refusal)")
    if text is None and (thinking or reason == "length"):  # all of it was reasoning, be it kept back by the server
        text = ""
    if not isinstance(text, str):
        raise Odd("a choice without a text")
    if reason not in ("stop", "length"):
        raise Odd(f"a completion ended by {plain(repr(reason))[:40]}, which is neither stop nor length")
    usage = read_usage(answer, seconds)
    alone = seconds - (usage.waited or 0.0)
    written = usage.written or (None if text else usage.written)  # 0 for a text that is not empty says nothing
    told = (usage.cached, usage.waited, thinking, usage.thought)
    return Completion(text, usage.read or None, written, reason, alone, *told)


def parts_of(content: object) -> tuple[object, str]:
    """The text and the thinking of a message's content, which may come in parts; None where there is no text."""
    if not isinstance(content, list):
        return content, ""
    said, thought = [], []
    for part in content:
        kind = str(member(part, "type") or "")
        if re.search("think|reason", kind):
            thought += strings(part)
        elif isinstance(text := part if isinstance(part, str) else member(part, "text"), str):
            said.append(text)
    return "".join(said) if said else None, "".join(thought)


def strings(value: object) -> list[str]:
    """All texts in a JSON value, however deep, but what only names it."""
    stack, found = [value], []
    while stack:
        inner = stack.pop()
        if isinstance(inner, str):
            found.append(inner)
        elif isinstance(inner, list):
            stack += reversed(inner)
        elif isinstance(inner, dict):
            stack += reversed([part for name, part in inner.items() if name not in ("type", "signature", "id")])
    return found


def read_usage(answer: object, seconds: float) -> Usage:
    """Tokens, and the time in the server's queue: vLLM's metrics say it, llama.cpp's timings what was none."""
    usage, timings = member(answer, "usage"), member(answer, "timings")
    cached = whole(member(member(usage, "prompt_tokens_details"), "cached_tokens"))
    waited = milliseconds(member(member(answer, "metrics"), "queue_time_ms"))
    reading, writing = milliseconds(member(timings, "prompt_ms")), milliseconds(member(timings, "predicted_ms"))
    if waited is None and reading is not None and writing is not None:
        waited = max(0.0, seconds - reading - writing)
    return Usage(
        whole(member(usage, "prompt_tokens")),
        whole(member(usage, "completion_tokens")),
        whole(member(timings, "cache_n")) if cached is None else cached,
        None if waited is None else min(waited, seconds),
        whole(member(member(usage, "completion_tokens_details"), "reasoning_tokens")),
    )


def member(value: object, name: str) -> object:
    """`value[name]` where value is a JSON object that has it, else None."""
    return value.get(name) if isinstance(value, dict) else None


def objects(value: object) -> list[dict]:
    """The JSON objects of a JSON array."""
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def whole(value: object) -> int | None:
    """A count as JSON may give it, if it is one."""
    return int(value) if type(value) in (int, float) and 0 <= value < 1 << 40 and value == int(value) else None


def milliseconds(value: object) -> float | None:
    """Milliseconds as seconds, if they are any."""
    return value / 1000 if type(value) in (int, float) and 0 <= value < math.inf else None


def _json(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):  # a UnicodeDecodeError too
        raise Odd("an answer that is not JSON") from None


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
    """A Retry-After header, seconds or a date, as seconds from now; 0 where it is neither."""
    with suppress(ValueError):
        return max(0.0, float(header))
    with suppress(ValueError, TypeError, OverflowError):
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    return 0.0
