"""What a method is made of: what it may ask for, what it is given, what it is set to, and what a problem may spend.

A method yields lists of Attempts and is sent the Candidates that came of them, in the same order; it yields an Answer
once it has settled on one. It does no I/O, draws no randomness but from its seed, and never sees a gold answer: a
Question has none. So the same method runs on any model, resumes by being fed its own record, and cannot peek.
"""

import hashlib
import json
import math
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ..datasets.base import Question
from ..errors import TroveLiteError
from ..programs import Tool
from ..selection import RULES, Ballot, random_choice
from .toolbox import Toolbox


def sample_seed(run_seed: int, dataset: str, category: str, problem: int, phase: str, mode: str, sample: int) -> int:
    """The seed of one sample: a hash of all that tells it from every other sample.

    53 bits, so that a server that reads JSON numbers as floating point still gets it whole.
    """
    key = json.dumps([run_seed, dataset, category, problem, phase, mode, sample])
    return int.from_bytes(hashlib.blake2b(key.encode(), digest_size=8).digest()) >> 11


def one_of(name: str, value: object, allowed: Sequence) -> None:
    """Refuse a value that is not among those allowed."""
    if value not in allowed:
        raise TroveLiteError(f"{name} '{value}': choose from {', '.join(map(str, allowed))}")


@dataclass(frozen=True)
class Budget:
    """What a problem may spend on candidates: `calls`, or instead `completion_tokens`, of at most `most` a call."""

    calls: int = 15
    completion_tokens: int | None = None
    most: int = 512

    def due(self, tokens: Sequence[int | None]) -> int:
        """How many more samples to ask for at once after some of so many `tokens` each; 0 when the budget is met.

        By tokens, these are as many as are needed even if each is as long as it can be. So the samples of a problem
        are the first ones whose tokens reach the budget, as if asked for one by one, and none is wasted.
        """
        if self.completion_tokens is None:
            return self.calls - len(tokens)
        spent = sum(self.most if n is None else max(1, n) for n in tokens)  # never 0, or it never ends
        return max(0, math.ceil((self.completion_tokens - spent) / self.most))


@dataclass(frozen=True)
class Settings:
    """What every method has: the budget of a problem, the rule that selects its answer, and the run's seed."""

    budget: Budget = field(default_factory=Budget)
    selection: str = "one_stage"
    seed: int = 0

    def __post_init__(self):
        one_of("selection", self.selection, (*RULES, "random"))
        spend = self.budget.calls if self.budget.completion_tokens is None else self.budget.completion_tokens
        if spend < 1:
            raise TroveLiteError(f"budget {spend}: a problem needs at least one call or token")


@dataclass(frozen=True)
class Attempt:
    """A wish: these samples of one prompt, each parsed and run.

    phase: `stream`; `retry` for problems solved again after trimming; `draft` for what is rectified before it counts.
    shown: tools as the prompt lists them; library: code that the programs run after.
    prompt: the text itself, where it is not one of the prompt pack's; runs: False where only the text is wanted.
    """

    question: Question
    mode: str
    samples: range
    phase: str = "stream"
    shown: tuple[Tool, ...] = ()
    library: tuple[str, ...] = ()
    prompt: str | None = None
    runs: bool = True


@dataclass(frozen=True)
class Candidate:
    """One answer to an Attempt: what the model wrote, and how it fared (`ballot`).

    completion_tokens: None where the model refused the prompt, and no sample is to be had.
    """

    mode: str
    sample: int
    text: str
    tools: tuple[Tool, ...]
    ballot: Ballot
    completion_tokens: int | None


class Answer(NamedTuple):
    """The candidate that a method answers a question with, for the time being: a later Answer replaces it."""

    question: Question
    candidate: Candidate


#: What it returns is what it has learned in the end: TROVE its toolbox, the others nothing.
Steps = Generator[list[Attempt] | Answer, list[Candidate], Toolbox | None]

Drawn = Generator[list[Attempt], list[Candidate], list[Candidate]]


def chosen(question: Question, candidates: Sequence[Candidate], settings: Settings) -> Candidate:
    """The candidate that answers; `random` is no agreement at all (TroVE, Table 11)."""
    ballots = [candidate.ballot for candidate in candidates]
    if settings.selection == "random":
        seed = sample_seed(settings.seed, *question[:3], "stream", "select", 0)
        return candidates[random_choice(ballots, seed)]
    return candidates[RULES[settings.selection](ballots)]


def draw(views: dict[str, Attempt], budget: Budget) -> Drawn:
    """Sample the modes in turn until the budget is met; candidates come back mode by mode."""
    candidates: list[Candidate] = []
    while due := budget.due([candidate.completion_tokens for candidate in candidates]):
        candidates += yield turns(views, len(candidates), due)
    place = {mode: i for i, mode in enumerate(views)}
    return sorted(candidates, key=lambda candidate: (place[candidate.mode], candidate.sample))


def turns(views: dict[str, Attempt], drawn: int, due: int) -> list[Attempt]:
    """The next `due` samples after the first `drawn`, where the modes take turns."""
    n = len(views)
    attempts = []
    for place, view in enumerate(views.values()):
        start, stop = (-((place - total) // n) for total in (drawn, drawn + due))
        if start < stop:
            attempts.append(replace(view, samples=range(start, stop)))
    return attempts


class Method(NamedTuple):
    """A method by name: its generator, its settings, and, where problems form a stream, what it can ask ahead."""

    steps: Callable[[Sequence[Question], Settings], Steps]
    settings: type[Settings]
    ahead: Callable[[Sequence[Question], Settings], Iterator[list[Attempt]]] | None
