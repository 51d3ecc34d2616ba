"""Rectification: a program that fails is written anew, with its error in view (CREATOR, section 3.4).

An attempt is one program and up to `rectify` repairs: 1 to 1 + `rectify` calls. Only what does not run is repaired;
a wrong answer never is, for nobody knows that it is wrong.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace

from ..errors import TroveLiteError
from ..programs import whole_program
from .base import Attempt, Candidate, Question, Settings

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
        if self.rectify < 0:
            raise TroveLiteError(f"rectify {self.rectify}: must be at least 0")
        if self.attempts is not None and self.attempts < 1:
            raise TroveLiteError(f"attempts {self.attempts}: must be at least 1")
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


def repaired(
    question: Question,
    mode: str,
    first: Sequence[Candidate],
    settings: RepairSettings,
    parts: Sequence[Mapping[str, str]] = (),
) -> Generator:
    """Write anew what fails, up to `rectify` times: the last programs, and every reply, these included.

    parts: the replies that a first program was joined from, where it was, by name.
    """
    current, replies = list(first), list(first)
    for round in range(1, settings.rectify + 1):
        failed = [place for place, candidate in enumerate(current) if fails(candidate)]
        if not failed:
            break
        anew = yield [
            Attempt(
                question,
                settings.repair,
                range(current[place].sample, current[place].sample + 1),
                program=whole_program,
                fences=settings.fences(),
                mode=mode,
                round=round,
                values={"program": current[place].text.strip(), "error": current[place].error}
                | (parts[place] if parts and round == 1 else {}),
            )
            for place in failed
        ]
        replies += anew
        for place, candidate in zip(failed, anew, strict=True):
            current[place] = candidate
    return current, replies


def fails(candidate: Candidate) -> bool:
    """Whether a repair is called for: its program did not run to its end, or there was none."""
    return candidate.status not in ("ok", "refused", "unavailable")
