"""Language models: a prompt and seeds in, completions out.

Each sample is a request of its own (n = 1) with a seed of its own, so that a sample is the same whatever else is
asked of the engine. It knows neither prompts, nor parsing, nor what a completion is for.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol


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
