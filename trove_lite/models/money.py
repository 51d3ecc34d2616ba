"""What requests cost, and the bill that is never passed: each is reserved at its worst before it is
sent.

Prices are the user's, a million tokens; none come with the kit. The bill is a journal: what was
reserved and never settled, because the run was killed, is billed in full.
"""

import asyncio
import fnmatch
import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, NotRequired, TypedDict

from msgspec import Meta, Struct, convert

from ..errors import TroveLiteError
from ..journal import Journal
from ..shapes import Number, misfit, once, refuse_misfits
from .base import Completion, ModelError, Prompt, SamplingSettings, one_line

BILL = "bill.jsonl"
AROUND = 16  # tokens that a chat template, or a text's beginning, adds to each message, and more


Cost = Annotated[float, Meta(ge=0, lt=1e18)]


class Price(Struct, frozen=True):
    """What tokens cost, read and written, in the user's currency; a run's prices are for a million
    tokens.

    cached: what those cost that the engine's cache held, so that they are not read anew; None: as
        all that is read.
    """

    input: Cost
    output: Cost
    cached: Cost | None = None

    def of(self, read: int, written: int, cached: int = 0) -> float:
        """The cost of tokens read, of which the cache held some, and written."""
        held = self.input if self.cached is None else self.cached
        return ((read - cached) * self.input + cached * held + written * self.output) / 1e6

    def at_most(self, prompt: Prompt, settings: SamplingSettings, n: int = 1) -> float:
        """What a request costs if each byte of its prompt is a token and its n completions are as
        long as can be."""
        texts = (
            [prompt] if isinstance(prompt, str) else [f"{one.role}{one.content}" for one in prompt]
        )
        read = sum(len(text.encode("utf-8", "replace")) + AROUND for text in texts)
        written = n * settings.max_tokens
        return max(self.of(read, written), self.of(read, written, cached=read))

    def of_all(self, found: Sequence[Completion] | None) -> float | None:
        """What these completions have cost; None where the server tells no tokens, or nothing is
        known of them."""
        if found is None or any(
            None in (one.prompt_tokens, one.completion_tokens) for one in found
        ):
            return None
        read = sum(one.prompt_tokens for one in found)
        written = sum(one.completion_tokens for one in found)
        return self.of(read, written, min(read, sum(one.cached_tokens or 0 for one in found)))


def read_prices(path: Path) -> dict[str, Price]:
    """A TOML or JSON file's prices by model, a name or a pattern with *: `input` and `output` a
    million tokens."""
    try:
        text = path.read_text(encoding="utf-8")
        is_json = path.suffix == ".json"
        found = json.loads(text, object_pairs_hook=once) if is_json else tomllib.loads(text)
        if fault := misfit(found, dict[str, Price]) if found else "no table":
            raise ValueError(fault)
        return convert(found, dict[str, Price])
    except (OSError, ValueError, RecursionError) as error:
        raise TroveLiteError(
            f"{path}: no prices ({one_line(error)}); write a table for each model in TOML or JSON, "
            'such as ["gpt-*"] with input = 0.15 and output = 0.6 a million tokens'
        ) from None


def price_of(name: str, prices: Mapping[str, Price]) -> Price:
    """The price of a model: of its name, else of the first pattern that fits. Raises TroveLiteError
    without one."""
    if found := ([name] if name in prices else []) or [
        pattern for pattern in prices if fnmatch.fnmatchcase(name, pattern)
    ]:
        return prices[found[0]]
    raise TroveLiteError(f"no price for the model '{name}': add it to the file of --prices")


class Charge(TypedDict):
    """A line of the bill: what request `n` may cost at most, or what it did."""

    n: int
    at_most: NotRequired[Number]
    paid: NotRequired[Number]


class Budget:
    """What a run has paid, and may (`most`, over all its sessions); its bill is in the run's
    folder."""

    def __init__(self, folder: Path, prices: Mapping[str, Price], most: float | None = None):
        self.prices = prices
        self.most = most
        self.bill = Journal(folder / BILL)
        refuse_misfits(self.bill.records, Charge, self.bill.path)
        costs = {
            record["n"]: record.get("paid", record.get("at_most", 0.0))
            for record in self.bill.records
        }
        self.spent = math.fsum(costs.values())
        self.number = max(costs, default=0)
        self.reserved: dict[int, float] = {}
        self.settled = asyncio.Condition()

    @asynccontextmanager
    async def request(
        self,
        name: str,
        prompt: Prompt,
        settings: SamplingSettings,
        n: int,
        free: tuple[type[Exception], ...],
    ):
        """Around one request to a model: set the list's only member to its completions. None: all
        that was reserved is paid.

        free: errors by which nothing was sent. Raises ModelError where there is no room for it, and
            none to come.
        """
        price = price_of(name, self.prices)
        at_most = price.at_most(prompt, settings, n)
        answers: list = [None]
        async with self.settled:
            while (
                self.most is not None
                and self.spent + math.fsum(self.reserved.values()) + at_most > self.most
            ):
                if not self.reserved:
                    raise ModelError(
                        f"{self.spent:.6g} of --max_cost {self.most:g} is spent, and the next request may "
                        f"cost {at_most:.2g}: give the same command with a larger --max_cost to go on"
                    )
                await self.settled.wait()
            self.number += 1
            self.reserved[number := self.number] = at_most
            self.bill.append({"n": number, "at_most": at_most})
        try:
            yield answers
        except free:
            answers[0] = []
            raise
        finally:
            async with self.settled:
                known = price.of_all(answers[0])
                cost = at_most if known is None else known
                del self.reserved[number]
                self.bill.append({"n": number, "paid": cost})
                self.spent += cost
                self.settled.notify_all()
