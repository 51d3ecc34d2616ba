"""What requests cost, and the bill that is never passed: each is reserved at its worst before it is sent.

Prices are the user's, a million tokens; none come with the kit. The bill is a journal: what was reserved and never
settled, because the run was killed, counts in full.
"""

import asyncio
import fnmatch
import json
import math
import tomllib
from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from ..errors import TroveLiteError
from ..journal import Journal
from .base import Completion, ModelError, Prompt, SamplingSettings

BILL = "bill.jsonl"
AROUND = 16  # tokens that a chat template, or a text's beginning, adds to each message, and more


class Price(NamedTuple):
    """What a million tokens cost, read and written, in whatever currency the user counts."""

    input: float
    output: float

    def of(self, read: int, written: int) -> float:
        """What so many tokens cost."""
        return (read * self.input + written * self.output) / 1e6

    def at_most(self, prompt: Prompt, settings: SamplingSettings, n: int = 1) -> float:
        """What a request costs if each byte of its prompt is a token and its n completions are as long as can be."""
        texts = [prompt] if isinstance(prompt, str) else [f"{one.role}{one.content}" for one in prompt]
        read = sum(len(text.encode("utf-8", "replace")) + AROUND for text in texts)
        return self.of(read, n * settings.max_tokens)


def read_prices(path: Path) -> dict[str, Price]:
    """A TOML or JSON file's prices by model: a name, or a pattern with *, then `input` and `output` a million tokens.

    Raises TroveLiteError, which says how to write it, for any other file.
    """
    try:
        text = path.read_text(encoding="utf-8")
        told = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        prices = {name: Price(float(one["input"]), float(one["output"])) for name, one in told.items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise TroveLiteError(
            f"{path}: no prices ({type(error).__name__}: {' '.join(str(error).split())}); write a table for each model "
            'in TOML or JSON, such as ["gpt-*"] with input = 0.15 and output = 0.6 a million tokens'
        ) from None
    if not prices:
        raise TroveLiteError(f"{path}: holds no prices")
    for name, price in prices.items():
        if not all(0 <= part < math.inf for part in price):
            raise TroveLiteError(f"{path}: {name} costs {price.input} and {price.output}: give 0 or more")
    return prices


def price_of(name: str, prices: Mapping[str, Price]) -> Price:
    """The price of a model: of its name, else of the first pattern that fits. Raises TroveLiteError without one."""
    if found := [name] * (name in prices) or [pattern for pattern in prices if fnmatch.fnmatchcase(name, pattern)]:
        return prices[found[0]]
    raise TroveLiteError(f"no price for the model '{name}': add it to the file of --prices")


class Purse:
    """What a run has paid, and may; its bill is in the run's folder.

    most: what it may cost in all, over every session; None: it is counted alone.
    """

    def __init__(self, folder: Path, prices: Mapping[str, Price], most: float | None = None):
        self.prices, self.most = prices, most
        self.bill = Journal(folder / BILL)
        reserved = {record["n"]: 0.0 for record in self.bill.records}
        for record in self.bill.records:
            reserved[record["n"]] = record.get("paid", record.get("at_most"))
        self.spent, self.number = math.fsum(reserved.values()), max(reserved, default=0)
        self.reserved: dict[int, float] = {}
        self.settled = asyncio.Condition()

    async def reserve(self, at_most: float) -> int:
        """Put a request's worst case aside, once there is room: its number. Raises ModelError where none will be."""
        async with self.settled:
            while self.most is not None and self.spent + math.fsum(self.reserved.values()) + at_most > self.most:
                if not self.reserved:
                    raise ModelError(
                        f"{self.spent:.6g} of --max_cost {self.most:g} is spent, and the next request may cost "
                        f"{at_most:.2g}: give the same command with a larger --max_cost to go on"
                    )
                await self.settled.wait()
            self.number += 1
            self.reserved[number := self.number] = at_most
            self.bill.append({"n": number, "at_most": at_most})
            return number

    @asynccontextmanager
    async def request(self, at_most: float, free: tuple[type[Exception], ...]):
        """Around one request: set the list's only member to what it cost. None: nobody knows, so all put aside counts.

        free: errors by which nothing was sent.
        """
        number, paid = await self.reserve(at_most), [None]
        try:
            yield paid
        except free:
            paid[0] = 0.0
            raise
        finally:
            async with self.settled:
                cost = self.reserved.pop(number) if paid[0] is None else paid[0]
                self.reserved.pop(number, None)
                self.bill.append({"n": number, "paid": cost})
                self.spent += cost
                self.settled.notify_all()


def paid_for(price: Price, found: Sequence[Completion]) -> float | None:
    """What a request's completions have cost; None where the server tells no tokens."""
    if any(one.prompt_tokens is None or one.completion_tokens is None for one in found):
        return None
    return price.of(sum(one.prompt_tokens for one in found), sum(one.completion_tokens for one in found))
