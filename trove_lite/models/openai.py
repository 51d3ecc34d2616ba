"""Servers with the OpenAI completions API: `vllm serve`, llama.cpp and others.

It speaks HTTP, and knows when to try again, what a key is and what must never be quoted.
"""

import asyncio
import itertools
import os
import random
import re
import time
from collections.abc import Sequence
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from ..errors import TroveLiteError
from .base import TOO_LONG, Completion, ModelError, PromptRefused, SamplingSettings, checked, gather, one_line

#: What a server fills in where a request is silent (vLLM from the model's generation_config.json, llama.cpp from
#: defaults of its own), switched off, by the name under which it lists its models: these are no settings of ours.
NEUTRAL = {
    "vllm": {"top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0},
    "llamacpp": {"top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0},
}


class OpenAIServer:
    """A server with the OpenAI completions API (`vllm serve`, llama.cpp, …). Enter it with `async with`.

    `model` may be empty where the server has only one; `name` is its name then, once entered.
    The key, where one is needed, comes from $TROVE_LITE_API_KEY (for OpenAI's servers $OPENAI_API_KEY will do) and is
    kept nowhere else.
    At most `concurrency` requests are under way at once. One that meets an overloaded, failing or unreachable server,
    or lasts longer than `timeout` seconds, is sent again up to `retries` times, after twice the pause each time.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        settings: SamplingSettings | None = None,
        *,
        concurrency: int = 64,
        timeout: float = 600.0,
        retries: int = 8,
        first_pause: float = 0.5,
    ):
        # Neither quotes the address: it may hold a key, if only where a port should be.
        if "@" in base_url or "?" in base_url:
            raise TroveLiteError(f"a server's address holds no key: put it into ${KEYS[0]}")
        if not re.fullmatch(r"https?://([\w.-]+|\[[\da-fA-F:.]+\])(:\d{1,5})?(/[^\s#]*)?", base_url):
            raise TroveLiteError("no server has such an address: write http://HOST:PORT/v1#NAME")
        if concurrency < 1 or timeout <= 0 or retries < 0:
            raise TroveLiteError(f"concurrency {concurrency}, timeout {timeout}, retries {retries}: give more")
        self.name = model
        self.url = base_url.rstrip("/")
        self.settings = settings or SamplingSettings()
        self.concurrency, self.timeout, self.retries, self.first_pause = concurrency, timeout, retries, first_pause
        self._client = None

    async def __aenter__(self) -> "OpenAIServer":
        import httpx

        self._client = httpx.AsyncClient(
            headers=_authorization(self.url),
            timeout=httpx.Timeout(None, connect=10),  # `_request` bounds the whole of it
            limits=httpx.Limits(max_connections=self.concurrency, max_keepalive_connections=self.concurrency),
        )
        self._free = asyncio.Semaphore(self.concurrency)
        try:
            self._neutral = await self._find_model()
        except BaseException:
            await self._client.aclose()
            raise
        return self

    async def __aexit__(self, *_) -> None:
        client, self._client = self._client, None
        await client.aclose()

    async def complete(self, prompt: str, seeds: Sequence[int]) -> list[Completion]:
        """One completion for each seed, in order, each a request of its own."""
        if self._client is None:
            raise RuntimeError("an OpenAIServer completes inside its `async with` block")
        return await gather(self._sample(prompt, seed) for seed in seeds)

    async def _sample(self, prompt: str, seed: int) -> Completion:
        body = {
            "model": self.name,
            "prompt": prompt,
            "temperature": self.settings.temperature,
            "top_p": self.settings.top_p,
            "max_tokens": self.settings.max_tokens,
            "stop": list(self.settings.stop),
            "seed": seed,
            "n": 1,
        }
        async with self._free:
            answer, seconds = await self._request("POST", "/completions", body | self._neutral)
        try:
            (choice,), usage = answer["choices"], answer["usage"]
            text, read, written = choice["text"], usage["prompt_tokens"], usage["completion_tokens"]
            found = Completion(text, int(read), int(written), choice["finish_reason"], seconds)
            return checked(found, self.settings, self.url)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(
                f"{self.url}/completions: the answer lacks a part of the completions API ({one_line(error)}); a text, "
                "a finish reason and the tokens used are needed"
            ) from None

    async def _find_model(self) -> dict:
        """What must be switched off at this server; refuses a model that it does not list."""
        try:
            answer, _ = await self._request("GET", "/models")
            owners = {entry["id"]: entry.get("owned_by") for entry in answer["data"]}
        except (PromptRefused, KeyError, TypeError):  # a server without a list
            return {}
        if not self.name and len(owners) == 1:
            (self.name,) = owners
        if owners and self.name not in owners:
            raise ModelError(
                f"{self.url}: no model '{self.name}' there; name one of {', '.join(sorted(owners))} after a #"
            )
        return NEUTRAL.get(owners.get(self.name), {})

    async def _request(self, method: str, path: str, body: dict | None = None) -> tuple[dict, float]:
        """Send until answered: JSON and the seconds it took, or a ModelError that says what came instead."""
        import httpx

        url, pause = self.url + path, self.first_pause
        for attempt in itertools.count():
            asked = 0.0
            try:
                async with asyncio.timeout(self.timeout):
                    response = await self._client.request(method, url, json=body)
            except TimeoutError:
                problem = f"no answer within {self.timeout:g} s"
            except httpx.RequestError as error:
                problem = f"no connection ({one_line(error)})"
            else:
                if response.is_success:
                    return self._json(response), response.elapsed.total_seconds()
                problem = f"HTTP {response.status_code} {self._message(response)}".strip()
                if response.status_code in (401, 403):  # a server may quote the key
                    raise ModelError(
                        f"{url}: HTTP {response.status_code}, the key is missing or refused; set ${KEYS[0]}"
                    )
                if response.status_code not in RETRIED and response.status_code < 500:
                    refused = method == "GET" or TOO_LONG.search(problem)
                    raise (PromptRefused if refused else ModelError)(f"{url}: {problem}")
                asked = _seconds(response.headers.get("Retry-After", ""))
            if attempt == self.retries:
                raise ModelError(f"{url}: {problem}, {attempt + 1} times; run again to go on from here")
            await asyncio.sleep(min(max(pause * random.uniform(0.5, 1.5), asked), self.timeout))
            pause = min(2 * pause, 60)

    def _json(self, response):
        try:
            return response.json()
        except ValueError:
            raise ModelError(f"{response.url}: the answer is not JSON; is this the address of the API?") from None

    def _message(self, response) -> str:
        """What a server says about its error: one short line, without our key."""
        try:
            said = response.json()
            said = said.get("error", said)
            said = said.get("message", said) if isinstance(said, dict) else said
        except (ValueError, AttributeError):
            said = response.text
        key = self._client.headers.get("Authorization", "").removeprefix("Bearer ")
        said = str(said).replace(key, "…") if key else str(said)
        return " ".join(said.split())[:300]


KEYS = ("TROVE_LITE_API_KEY", "OPENAI_API_KEY")
#: Besides every 5xx: the request took too long to arrive, came too early, or was one too many.
RETRIED = (408, 425, 429)


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
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return 0.0
