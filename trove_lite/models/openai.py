"""Servers with the OpenAI API, completions or chat: `vllm serve`, llama.cpp, Ollama, hosted ones.

It speaks HTTP, and knows when to ask again, what a server's odd answers mean, what a key is and
what must never be quoted. Nothing that a server sends can do more than become a completion or an
error.
"""

import asyncio
import json
import math
import os
import random
import re
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp

from ..errors import TroveLiteError
from ..shapes import once
from . import openai_answers as answers
from .base import (
    TOO_LONG,
    Completion,
    Gate,
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
from .openai_address import KEYS, address_of, client, key_for, waiting
from .openai_answers import Odd, at, without_secret

#: What a server fills in where a request is silent (vLLM from the model's generation_config.json,
#: llama.cpp from defaults of its own), switched off, by the name under which it lists its models:
#: these are no settings of ours.
NEUTRAL = {
    "vllm": {"top_k": 0, "min_p": 0.0, "repetition_penalty": 1.0},
    "llamacpp": {"top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0},
}
#: Requests at a time where nobody says how many: as many as vLLM takes by itself, llama.cpp as it
#: is often started.
USUAL = 64
AT_A_TIME = {"vllm": 256, "llamacpp": 8}
FREE = partial(nullcontext, [None])
#: What fails before a request is on its way, so that nobody can bill it.
UNSENT = (
    aiohttp.ClientConnectorError,
    aiohttp.ConnectionTimeoutError,
    aiohttp.ClientHttpProxyError,
)
#: Where no waiting brings what is missing: money.
UNPAID = re.compile(
    r"insufficient_quota|current quota|billing|credit balance|payment|insufficient (balance|credit)",
    re.I,
)
#: A completion longer than the server ever writes.
CAPPED = re.compile(
    r"max_(new_|completion_|output_)?tokens|completion tokens|output tokens", re.IGNORECASE
)
#: What servers say where a model only chats, or cannot.
CHAT_ALONE = re.compile(r"chat (model|template|completion)|/chat/completions", re.IGNORECASE)
OPTIONAL = ("seed", "temperature", "top_p", "stop")  # what `?NAME=off` leaves to the server
LARGEST_REPLY = 64 << 20  # bytes, unpacked; a completion has a few thousand
TRIES = 3  # for an answer that is none, and for a port where nobody has ever answered
NOTICE_SECONDS = 30  # between two notices of the same trouble


class OpenAIServer(LanguageModel):
    """A server with the OpenAI API (`vllm serve`, llama.cpp, …). Enter it with `async with`.

    `model` may be empty where the server has only one; `name` is its name then, once entered. The
    key comes from the environment (KEYS) and is kept nowhere else. Options are those of
    docs/models.md, but for `left_out` (which of OPTIONAL are not sent), `listed` (`?list`), and
    `first_pause`, the seconds before a request is first sent again.
    """

    is_billed = True

    def __init__(
        self,
        base_url: str,
        model: str,
        settings: SamplingSettings | None = None,
        *,
        chat: str = "auto",
        concurrency: int | None = None,
        timeout: float = 600.0,
        retries: int = 8,
        left_out: Collection[str] = (),
        listed: bool = True,
        logprobs: bool = False,
        first_pause: float = 0.5,
        n: int = 1,
    ):
        self.url = address_of(base_url, model)
        self.as_told = concurrency is not None
        self.requests = USUAL if concurrency is None else concurrency
        if min(self.requests, n) < 1 or not timeout > 0 or retries < 0:
            raise TroveLiteError(
                f"concurrency {self.requests}, timeout {timeout}, retries {retries}, n {n}: give more"
            )
        if n > 1 and "seed" not in left_out:
            raise TroveLiteError(
                "samples with seeds are asked for one by one: write ?seed=off&n=… before the #"
            )
        self.settings = settings or SamplingSettings()
        self.chat = chat
        self.left_out = tuple(sorted(left_out))
        self.listed = listed
        self.logprobs = logprobs
        self.timeout = timeout
        self.retries = retries
        self.first_pause = first_pause
        self.n = n
        self.concurrency = self.requests * n
        self._name(model)
        self._client = None
        self._identity = {}

    def _name(self, model: str) -> None:
        """Take the name under which the server knows the model; a path on its disk is no name for
        others."""
        self.model = model
        self.name = (
            model.rstrip("/").rpartition("/")[2] if model.startswith(("/", ".", "~")) else model
        )

    async def __aenter__(self) -> "OpenAIServer":
        key = key_for(self.url)
        self._clean = lambda text: without_secret(
            key, text
        )  # a partial would show the key wherever it is printed
        self._client = client(
            self.url,
            {"Accept-Encoding": "identity", "Content-Type": "application/json"}
            | ({"Authorization": f"Bearer {key}"} if key else {}),
        )
        self._together: dict[
            tuple, list[asyncio.Future]
        ] = {}  # samples of one prompt that wait to be asked for
        self._tasks: set[asyncio.Task] = set()
        self._patience = Patience(self.timeout)
        self._noticed: dict[str, float] = {}
        self._reached = False  # whether anything ever answered
        self._answered = 0  # completions so far
        self._length = "max_tokens"
        try:
            self._neutral = await self._find_model()
        except BaseException:
            await self._client.close()
            raise
        self.concurrency = self.requests * self.n
        self._free = Slots(self.requests)
        return self

    async def __aexit__(self, *_) -> None:
        for task in self._tasks:
            task.cancel()
        self._patience.end()
        await self._client.close()
        self._client = None

    async def check(self) -> None:
        async with self:
            pass

    def identity(self) -> dict:
        found = {"name": self.name} | self._identity
        return found | ({"left_to_the_server": list(self.left_out)} if self.left_out else {})

    async def sample(self, prompt: Prompt, seed: int, settings: SamplingSettings) -> Completion:
        """One completion: a request of its own, or with others of its prompt that wait now, up to
        `n` of them."""
        if self._client is None:
            raise RuntimeError("an OpenAIServer completes inside its `async with` block")
        if self.n == 1:
            async with self._free():
                return (await self._ask(prompt, seed, settings, 1))[0]
        found = asyncio.get_running_loop().create_future()
        key = prompt if isinstance(prompt, str) else tuple(prompt), settings
        self._together.setdefault(key, []).append(found)
        self._tasks.add(task := asyncio.create_task(self._ask_together(key)))
        task.add_done_callback(self._tasks.discard)
        return await found

    async def _ask_together(self, key: tuple) -> None:
        """Ask for samples of one prompt that wait; what the server leaves out of its answer is
        asked for again."""
        async with self._free():
            waiting = [one for one in self._together.pop(key, ()) if not one.done()]
            now = waiting[: self.n]
            later = waiting[self.n :]
            self._together |= {key: later} if later else {}
            while now:
                try:
                    found = await self._ask(key[0], 0, key[1], min(len(now), self.n))
                except TroveLiteError as error:
                    for one in now:
                        if not one.done():
                            one.set_exception(error)
                    return
                for one, completion in zip(now, found, strict=False):
                    if not one.done():
                        one.set_result(completion)
                if len(found) < len(now) and self.n > 1:
                    self.n = len(found)
                    self.on_notice(
                        f"{self.url}: gives {len(found)} of the {len(now)} samples asked for at once"
                    )
                now = now[len(found) :]

    async def _ask(
        self, prompt: Prompt, seed: int, settings: SamplingSettings, n: int
    ) -> list[Completion]:
        """One request for up to n completions; fewer where the server gives fewer."""
        chat = not isinstance(prompt, str)
        body = {
            "model": self.model,
            **(
                {"messages": [message._asdict() for message in prompt]}
                if chat
                else {"prompt": prompt}
            ),
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            self._length: settings.max_tokens,
            "stop": list(settings.stop),
            "n": n,
            "seed": seed,
            **self._neutral,
            **(
                {"logprobs": chat or 1} if self.logprobs else {}
            ),  # true, or of how many tokens besides the drawn one
        }
        body = {name: value for name, value in body.items() if name not in self.left_out}
        path = "/chat/completions" if chat else "/completions"
        bill = (
            partial(self.budget.request, self.name, prompt, settings, n, UNSENT)
            if self.budget
            else FREE
        )
        found = await self._request(
            path, body, partial(answers.read_completions, chat=chat, n=n), bill
        )
        return [self._ended(one, settings, len(found)) for one in found]

    def _ended(self, found: Completion, settings: SamplingSettings, together: int) -> Completion:
        """The completion cut at `stop` where the server does not, if nothing else cut it short."""
        if (oddity := answers.oddity_of(found)) and oddity not in self._noticed:
            self._noticed[oddity] = 1
            self.on_notice(f"{self.url}: {oddity}")
        found = answers.taken_for_whole(found, settings.max_tokens if together == 1 else None)
        if "stop" in self.left_out and (
            ends := [end for stop in settings.stop if (end := found.text.find(stop)) >= 0]
        ):
            found = found._replace(text=found.text[: min(ends)], finish_reason="stop")
        if together == 1:  # some servers count the sign that ends a text, some do not
            return checked(found, settings, self.url, self.context_length, slack=1)
        # Its tokens are a share of what several took, and say nothing of its length.
        whole = checked(found._replace(completion_tokens=None), settings, self.url)
        return whole._replace(completion_tokens=found.completion_tokens)

    async def _find_model(self) -> dict:
        """What must be switched off at this server; refuses a model that it does not list, by name
        or by pattern."""
        if not self.listed:
            return {}
        try:
            answer = await self._request("/models", None, lambda answer, _: answer)
            if isinstance(answer, str):
                raise Odd("an answer that is not JSON")
        except PromptRefused:  # a server without a list
            return {}
        except Odd as odd:
            raise ModelError(f"{self.url}/models: {odd}; is this the address of the API?") from None
        entries = {
            entry["id"]: entry
            for entry in answers.objects(at(answer, "data"))
            if isinstance(entry.get("id"), str)
        }
        if not self.model and len(entries) == 1:
            self._name(*entries)
        if entries and not answers.is_listed(self.model, entries):
            known = plain(", ".join(sorted(entries)))[:1000]
            raise ModelError(
                f"{self.url}: no model '{self.model}' there; name one of {known} after a #"
            )
        entry = entries.get(self.model, {})
        owner, root = (str(entry.get(name) or "") for name in ("owned_by", "root"))
        about = {
            "engine": owner,
            "file": os.path.basename(root),
            "quantization": at(entry, "meta.ftype"),
        }
        self._identity = {name: plain(str(value))[:200] for name, value in about.items() if value}
        self.context_length = answers.count(entry, "max_model_len")
        if not self.as_told:
            self.requests = AT_A_TIME.get(owner, USUAL)
        return NEUTRAL.get(owner, {})

    async def _request(
        self, path: str, body: dict | None, read: Callable, bill: Callable = FREE
    ) -> Any:
        """Send until answered (a GET without a body): what `read` makes of the answer's JSON and of
        its seconds.

        bill: makes a context for each time that it is sent, as `money.Budget.request`. Raises
        ModelError after `retries` failures, SampleUnavailable after TRIES odd answers to a POST. A
        GET raises Odd, or PromptRefused for no page.
        """
        url = self.url + path
        answered = self._answered
        odd = 0
        failed = 0
        while True:
            tries = self.retries + 1
            wanted = 0.0
            try:
                async with bill() as paid:
                    status, reply, seconds, wanted = await self._exchange(url, body)
                    if 200 <= (status := answers.error_of(reply) or status) < 300:
                        paid[0] = found = read(reply, seconds)
                        return found
                    paid[0] = []
                kind = f"HTTP {status}"
                problem = f"{kind} {answers.shown_error(reply)}".strip()
                self._refuse(url, status, problem, body)
                if status == 429 and body is not None and self._free.fewer():
                    self.on_notice(
                        f"{self.url}: too many at a time; {self._free.width} from now on"
                    )
            except Odd as error:
                odd += 1
                if body is None:
                    raise
                if odd == TRIES:
                    raise SampleUnavailable(f"{url}: {error}, {TRIES} times") from None
                await self._pause(self.first_pause, f"{url}: {error}", "odd")
                continue
            except aiohttp.ClientError as error:  # before TimeoutError, which some of these are too
                kind = type(error).__name__
                problem = f"no connection ({self._clean(_said(error))})"
                if isinstance(error, UNSENT) and not self._reached:
                    # Nobody has ever answered there: a wrong address, most likely.
                    tries = min(tries, TRIES)
            except TimeoutError:
                kind = problem = f"no answer within {self.timeout:g} s"
            failed += 1
            others = self._answered > answered
            answered = self._answered
            if failed == tries:
                if others:
                    raise SampleUnavailable(
                        f"{url}: {problem}, {failed} times, while others were answered"
                    )
                raise ModelError(f"{url}: {problem}, {failed} times; run again to go on from here")
            pause = min(self.first_pause * 2 ** (failed - 1), 60) * random.uniform(0.5, 1.5)
            await self._pause(min(max(pause, wanted), self.timeout), f"{url}: {problem}", kind)

    async def _exchange(self, url: str, body: dict | None) -> tuple[int, object, float, float]:
        """Send once: status, reply (JSON, or a text that is none), seconds, and seconds that it
        asks us to wait.

        The key is gone from the reply before anything looks at it. Who waits may then wait for the
        whole timeout again.
        """
        began = time.perf_counter()
        method = "GET" if body is None else "POST"
        data = None if body is None else json.dumps(body).encode()
        async with (
            self._patience(),
            self._client.request(method, url, data=data, allow_redirects=False) as response,
        ):
            content = await _read(response)
        self._reached = True
        if 200 <= response.status < 300 and body is not None:
            self._answered += 1
            self._patience.begin_again()
        return (
            response.status,
            answers.reply_of(content, self._clean),
            time.perf_counter() - began,
            waiting(response.headers.get("Retry-After", "")),
        )

    async def _pause(self, seconds: float, problem: str, kind: str) -> None:
        """Count a request that will be sent again, say so at once, if not too often, and wait."""
        self.retried += 1
        now = time.monotonic()
        if now - self._noticed.get(kind, -math.inf) >= NOTICE_SECONDS:
            self._noticed[kind] = now
            self.on_notice(
                f"{problem}; asking again in {seconds:.2g} s ({self.retried} sent again so far)"
            )
        await asyncio.sleep(seconds)

    def _refuse(self, url: str, status: int, problem: str, body: dict | None) -> None:
        """Raise for an error that is no passing one."""
        new = not self._answered
        if status == 401 or (status == 403 and new):
            raise ModelError(f"{url}: HTTP {status}, the key is missing or refused; set ${KEYS[0]}")
        if status == 402 or (status in (403, 429) and UNPAID.search(problem)):
            raise ModelError(
                f"{url}: {problem}; nothing is left to pay with: run again to go on from here"
            )
        if status == 403:
            raise Odd("HTTP 403, refused")
        too_long = status == 413 or TOO_LONG.search(problem)
        # It took too long to arrive, came too early, or was one too many.
        if status in (408, 425, 429) or (status >= 500 and status != 501 and not too_long):
            return
        if body is None or too_long:
            raise PromptRefused(f"{url}: {problem}")
        if body.get("n", 1) > 1 and re.search(
            r"\bn\b.{0,41}(must|at most|support|only|less)", problem
        ):
            body["n"] = self.n = 1
            raise Odd(problem)
        if (
            "max_completion_tokens" in problem and "max_tokens" in body
        ):  # the newer name, which some insist on
            self._length = "max_completion_tokens"
            body[self._length] = body.pop("max_tokens")
            raise Odd(problem)
        unknown = status in (404, 405, 501)  # a request of a kind that it does not know
        kind = (
            "cannot chat: --chat off, and prompts that are texts"
            if "messages" in body
            else "only chats: --chat on"
        )
        named = [name for name in (*OPTIONAL, "logprobs") if re.search(rf"\b{name}\b", problem)]
        if unknown and not urlsplit(self.url).path:
            advice = f"the API may be one level deeper: write {self.url}/v1"
        elif unknown or (new and CHAT_ALONE.search(problem)):
            advice = f"no such endpoint or model there (for a server that {kind})"
        elif status < 400:
            advice = "write the address where the API is"
        elif new and CAPPED.search(problem):
            advice = "give --max_tokens what it allows"
        elif new and named:
            advice = f"?{named[-1]}=off before the # leaves a setting to the server"
        else:
            raise Odd(problem)
        raise ModelError(f"{url}: {problem}; {advice}")


def _said(error: aiohttp.ClientError) -> str:
    """An error in a line, without the address, which may be a proxy's with its password."""
    if isinstance(error, aiohttp.ClientResponseError):
        return plain(f"{type(error).__name__}: {error.status} {error.message}")[:300]
    return one_line(error)


class Slots(Gate):
    """How many requests are on their way at a time. Where that is too many for the server there are
    half as many, and one more again after as many answers as there were slots at first."""

    def __init__(self, width: int):
        super().__init__(width)
        self.most = width
        self.answered = self.free_again = 0

    @asynccontextmanager
    async def __call__(self, rank: int = 0):
        async with super().__call__(rank):
            yield self
            self.answered += 1
            if self.answered % self.most == 0:
                self.width = min(self.width + 1, self.most)

    def fewer(self) -> bool:
        """Halve them, unless they were halved for requests that were on their way together with
        this one."""
        if self.busy == 1 or self.answered < self.free_again:
            return False
        self.width = max(1, min(self.width, self.busy) // 2)
        self.free_again = self.answered + self.width
        return True


class Patience:
    """A limit on how long each request waits, which begins again for all whenever one is answered.

    One timer serves them all: to set each one's anew with each answer would cost as much as all
    else together.
    """

    def __init__(self, seconds: float):
        self.seconds = seconds
        self.answered = -math.inf
        self.begun: dict[asyncio.Timeout, float] = {}  # in the order in which they began
        self.timer: asyncio.TimerHandle | None = None

    @asynccontextmanager
    async def __call__(self) -> AsyncIterator[None]:
        """Within it one request waits. Raises TimeoutError when its time is over."""
        async with asyncio.timeout(None) as limit:
            self.begun[limit] = asyncio.get_running_loop().time()
            if self.timer is None:
                self._look()
            try:
                yield
            finally:
                del self.begun[limit]

    def begin_again(self) -> None:
        self.answered = asyncio.get_running_loop().time()

    def _look(self) -> None:
        """End what has waited for too long, and look again when the next one will have."""
        loop = asyncio.get_running_loop()
        self.timer = None
        for limit, began in self.begun.items():
            due = max(began, self.answered) + self.seconds
            if due > loop.time():
                self.timer = loop.call_at(due, self._look)
                return
            if not limit.expired():
                limit.reschedule(due)

    def end(self) -> None:
        if self.timer:
            self.timer.cancel()


async def _read(response: aiohttp.ClientResponse) -> bytes:
    """A reply's bytes, unpacked. Raises Odd for one packed more than once, which may be of any
    size, or too long."""
    if "," in ",".join(response.headers.getall("Content-Encoding", ())):
        raise Odd("an answer that is compressed more than once")
    content = bytearray()
    async for part in response.content.iter_any():
        content += part
        if len(content) > LARGEST_REPLY:
            raise Odd(f"an answer of more than {LARGEST_REPLY >> 20} MiB")
    return bytes(content)


def from_spec(spec: str, settings: SamplingSettings, chat: str) -> OpenAIServer:
    """The server that `http://HOST:PORT/v1?OPTION=…#NAME` names."""
    address, _, model = spec.partition("#")
    address, _, options = address.partition("?")
    if "?" in model:  # not quoted: it may be a key
        raise TroveLiteError(
            "a server's options come before the #, and a key belongs into $TROVE_LITE_API_KEY"
        )
    switch = {"on": True, "off": False}.__getitem__
    numbers = {"concurrency": int, "timeout": float, "retries": int, "n": int}
    kinds = numbers | dict.fromkeys(switches := ("list", "logprobs", *OPTIONAL), switch)
    try:
        told = once(parse_qsl(options, keep_blank_values=True))
        given = {name: kinds[name](text) for name, text in told.items()}
    except (KeyError, ValueError):  # not quoted: it may be a key
        raise TroveLiteError(
            f"a server's address has something after ? that is not {', '.join(numbers)} with a number, "
            f"or {', '.join(switches)} with on or off, each once; a key belongs into $TROVE_LITE_API_KEY"
        ) from None
    left_out = [name for name in OPTIONAL if not given.pop(name, True)]
    return OpenAIServer(
        address,
        model,
        settings,
        chat=chat,
        left_out=left_out,
        listed=given.pop("list", True),
        **given,
    )
