"""What a request to a server costs the client, by requests in flight: the bare client, the kit's
model, a whole run.

A server that answers at once (canned_server.py), in a process of its own; each way in another, in
turn. `run` is
`live_run`: prompts, store, programs, verdicts and tables. "before" is httpx's own transport, which
the kit had up to 0.5.0, in place of aiohttp: to be measured where httpx is installed. The
processor's time is the client's own process; that of the programs, which run in others, is left
out. The rate beside it is this machine's, while it does the rest.

    python benchmarks/servers.py [--flight 8 64 256] [--requests 3000] [--repeats 3]
"""

import argparse
import asyncio
import json
import resource
import subprocess
import sys
import tempfile
import time
from contextlib import asynccontextmanager, contextmanager
from itertools import product
from pathlib import Path
from statistics import median

import aiohttp

from trove_lite.models import openai
from trove_lite.models.base import SamplingSettings
from trove_lite.models.openai import OpenAIServer
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings

CANNED = Path(__file__).with_name("canned_server.py")
PROMPT = "**Question**\nWhat is the sum of 1 and 1?\n" * 70  # as long as one with worked examples
RUNS = ("run", "run before")
WAYS = ("bare", "bare before", "model", "model before", *RUNS)
# that a run is to keep at the most in flight
RATE = 500
MILLISECONDS = 1.5


class Httpx:
    """As much of aiohttp's client as the kit's model asks for, by httpx's own transport."""

    def __init__(self, _, headers):
        import httpx

        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        how = {"timeout": None, "limits": limits, "trust_env": False, "verify": False}
        self.client = httpx.AsyncClient(headers=headers, **how)

    @asynccontextmanager
    async def request(self, method, url, *, data=None, allow_redirects=False):
        async with self.client.stream(method, url, content=data) as response:
            yield HttpxResponse(response)

    async def close(self):
        await self.client.aclose()


class HttpxResponse:
    def __init__(self, response):
        self.status = response.status_code
        self.headers = self
        self.content = self
        self.getall = lambda name, default: response.headers.get_list(name)
        self.get = response.headers.get
        self.iter_any = response.aiter_bytes


def aiohttp_client(_, headers):
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0), headers=headers)


@contextmanager
def canned():
    """The address of a server that answers at once."""
    words = [sys.executable, str(CANNED)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        yield f"http://127.0.0.1:{int(server.stdout.readline())}/v1"
        server.stdin.close()


async def each(ask, width: int, n: int) -> None:
    """Ask n times, `width` at a time."""
    numbers = iter(range(n))

    async def work():
        for number in numbers:
            await ask(number)

    await asyncio.gather(*(work() for _ in range(width)))


async def bare(url: str, width: int, n: int, client) -> None:
    """A loop over the client alone, with the body that the kit sends."""
    body = {"model": "canned", "prompt": PROMPT, "max_tokens": 512, "stop": ["**Question"], "n": 1}
    session = client(url, {"Content-Type": "application/json"})

    async def ask(seed):
        data = json.dumps(body | {"seed": seed}).encode()
        async with session.request("POST", url + "/completions", data=data) as response:
            parts = [part async for part in response.content.iter_any()]
        assert json.loads(b"".join(parts))["choices"]

    await each(ask, width, n)
    await session.close()


async def model(url: str, width: int, n: int) -> None:
    settings = SamplingSettings()
    async with OpenAIServer(url, "canned", settings, concurrency=width) as server:
        await each(lambda seed: server.sample(PROMPT, seed, settings), width, n)


def whole(url: str, width: int, n: int) -> None:
    """A run of PRIMITIVE on practice problems, n requests or a few more."""
    seeds = 2
    settings = RunSettings(
        name="bench",
        methods=("primitive",),
        dataset="practice",
        model=f"{url}?concurrency={width}#canned",
        seeds=tuple(range(seeds)),
        k=10,
        limit=-(-n // (7 * 10 * seeds)),
    )
    with tempfile.TemporaryDirectory() as folder:
        live_run(settings, Path(folder, "run"), progress=False)


def once(way: str, width: int, n: int) -> dict:
    """One way in this process: requests a second, and milliseconds of its own processor a
    request."""
    before = way.endswith("before")
    if before:
        openai.client = Httpx
    if way in RUNS:
        per_problem = 7 * 10 * 2
        n = -(-n // per_problem) * per_problem
    with canned() as url:
        spent = resource.getrusage(resource.RUSAGE_SELF)
        start = time.perf_counter()
        if way in RUNS:
            whole(url, width, n)
        elif way.startswith("model"):
            asyncio.run(model(url, width, n))
        else:
            asyncio.run(bare(url, width, n, Httpx if before else aiohttp_client))
        seconds = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_SELF)
    processor = after.ru_utime + after.ru_stime - spent.ru_utime - spent.ru_stime
    return {"rate": n / seconds, "ms": 1000 * processor / n}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--flight", type=int, nargs="+", default=[8, 64, 256])
    parser.add_argument("--requests", type=int, default=3000, help="(default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=3, help="turns (default: %(default)s)")
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.once:
        print(json.dumps(once(given.ways[0], given.flight[0], given.requests)))
        return 0
    found = {}
    for _, width, way in product(range(given.repeats), given.flight, given.ways):
        words = ["--once", "--ways", way, "--flight", width, "--requests", given.requests]
        done = subprocess.run(
            [sys.executable, __file__, *map(str, words)], stdout=subprocess.PIPE, check=True
        )
        found.setdefault((width, way), []).append(json.loads(done.stdout))
    print("| in flight | way | requests a second | ms of processor a request | before / after |")
    print("|---|---|---|---|---|")
    for (width, way), each_time in found.items():
        rate, ms = (median(one[name] for one in each_time) for name in ("rate", "ms"))
        after = found.get((width, way.removesuffix(" before")))
        ratio = (
            f"{ms / median(one['ms'] for one in after):.1f}" if "before" in way and after else ""
        )
        print(f"| {width} | {way} | {rate:.0f} | {ms:.2f} | {ratio} |")
    kept = [
        median(one["rate"] for one in each_time) >= RATE
        and median(one["ms"] for one in each_time) <= MILLISECONDS
        for (width, way), each_time in found.items()
        if way == "run" and width == max(given.flight)
    ]
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
