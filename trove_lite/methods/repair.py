"""Rectification: a program that fails is written anew, with its error in view (CREATOR, section 3.4).

An attempt is one program and up to `rectify` repairs: 1 to 1 + `rectify` calls. Only what does not run is repaired;
a wrong answer never is, for nobody knows that it is wrong.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..errors import TroveLiteError
from ..programs import whole_program
from .base import Attempt, Batch, Candidate, Drawn, Question, Settings, Steps, answer_each, at_least, one_sample, repeat

RECTIFY = "rectify"
REPAIRS = (RECTIFY, f"{RECTIFY}_bare")


@dataclass(frozen=True)
class RepairSettings(Settings):
    """How often a program that fails is written anew."""

    rectify: int = 3
    """Repairs that one attempt may have (R; 3 in the released program, the paper does not say)."""
    attempts: int | None = None
    """Attempts a problem, whatever they cost. None: until the budget is met."""
    demonstrations: bool = True
    """Whether prompts show worked examples (the paper's "w/o Demo." is without)."""
    thoughts: bool = False
    """Whether words come before the code, in the examples too (the paper's "w/ CoT")."""
    released_fences: bool = False
    """Whether fences are read as the program reads them: a reply without any is code, one with an open one has none."""

    def __post_init__(self):
        super().__post_init__()
        at_least(0, rectify=self.rectify)
        at_least(1, attempts=self.attempts)
        if self.thoughts and not self.demonstrations:
            raise TroveLiteError("thoughts without demonstrations: there is no such prompt; choose one of the two")

    def table_name(self, method: str) -> str:
        """Each way to ask is a method of its own in tables: METHOD_bare, METHOD_thoughts."""
        return self.stage(method)

    @property
    def repair(self) -> str:
        """The stage of a repair."""
        return RECTIFY if self.demonstrations else f"{RECTIFY}_bare"

    def fences(self, released: str = "released") -> str:
        """How a reply is read: its blocks, or as the program reads this one."""
        return released if self.released_fences else "blocks"

    def stage(self, name: str) -> str:
        """A stage's prompt as these settings want it."""
        return name + ("_thoughts" if self.thoughts else "" if self.demonstrations else "_bare")


def varied(*stages: str) -> tuple[str, ...]:
    """Stages with all the ways to ask for them."""
    return tuple(f"{stage}{way}" for stage in stages for way in ("", "_bare", "_thoughts"))


def asking(*stages: str) -> Callable[[RepairSettings], tuple[str, ...]]:
    """Of these stages, and repairs, which some settings ask for."""

    def asked(settings: RepairSettings) -> tuple[str, ...]:
        return (*map(settings.stage, stages), *([settings.repair] if settings.rectify else []))

    return asked


def presets(settings: RepairSettings, released: RepairSettings | None = None) -> dict[str, RepairSettings]:
    """How an attempt is made in the paper and in its program; how many there are is the run's budget in both.

    The paper and the program make one: a run with one call a problem, or `attempts` 1. `matched` is the paper's attempt
    under the name of what a larger budget does with it: repeat it and agree.
    """
    return {"paper": settings, "released": replace(released or settings, released_fences=True), "matched": settings}


def answer_by_attempts(
    questions: Sequence[Question],
    attempts: Callable[[Question, range], Batch],
    settings: RepairSettings,
    most_calls: int,
) -> Steps:
    """Whole attempts, of `most_calls` at most, for each question; agreement on what they end in."""

    def ask(question: Question) -> Drawn:
        return repeat(partial(attempts, question), settings.budget, most_calls, attempts=settings.attempts)

    return answer_each(questions, ask, settings)


def repaired(
    question: Question,
    mode: str,
    first: Sequence[Candidate],
    settings: RepairSettings,
    parts: Sequence[Mapping[str, str]] = (),
) -> Batch:
    """Write anew what fails, up to `rectify` times: the last programs, and every reply, these included.

    parts: the replies that a first program was joined from, where it was, by name.
    """

    def repair(place: int, failed: Candidate, round: int) -> Attempt:
        values = {"program": failed.text.strip(), "error": failed.error}
        return Attempt(
            question,
            settings.repair,
            one_sample(failed),
            program=whole_program,
            fences=settings.fences(),
            mode=mode,
            round=round,
            values=values | (parts[place] if parts and round == 1 else {}),
        )

    return rewrite_failing(first, settings.rectify, repair)


def rewrite_failing(first: Sequence[Candidate], times: int, again: Callable[[int, Candidate, int], Attempt]) -> Batch:
    """Ask again for each candidate that fails, so many times at most: the last ones, and every reply, the first too.

    again: the request for the one at a place, which failed, in a round from 1.
    """
    current, replies = list(first), list(first)
    for round in range(1, times + 1):
        failed = [place for place, candidate in enumerate(current) if fails(candidate)]
        if not failed:
            break
        anew = yield [again(place, current[place], round) for place in failed]
        replies += anew
        for place, candidate in zip(failed, anew, strict=True):
            current[place] = candidate
    return current, replies


def fails(candidate: Candidate) -> bool:
    """Whether a repair is called for: its program did not run to its end, or there was none."""
    return candidate.status not in ("ok", "refused", "unavailable")
