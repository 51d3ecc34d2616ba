"""Rectification: a program that fails is written anew, with its error in view (CREATOR, section
3.4).

An attempt is one program and up to `rectify` repairs: 1 to 1 + `rectify` calls. Only what does not
run is repaired; a wrong answer never is, for nobody knows that it is wrong.
"""

import math
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass

from trove_lite.errors import TroveLiteError
from trove_lite.methods.base import (
    Answer,
    Attempt,
    Candidate,
    Method,
    Question,
    Request,
    Settings,
    Steps,
    chosen,
)
from trove_lite.programs import whole_program

from .fences import of_repair, why_nothing_ran

#: Attempts of one problem, each of as many calls as it takes: their final candidates, and all
#: replies on the way.
Batch = Generator[list[Request], list[Candidate], tuple[list[Candidate], list[Candidate]]]


@dataclass(frozen=True)
class RepairSettings(Settings):
    """Settings of methods that repair programs."""

    rectify: int = 3
    """The most repairs of one attempt. The paper gives no number, the released program has 3."""
    attempts: int | None = None
    """Attempts for each problem, at any cost. Default: until the budget is spent."""
    demonstrations: bool = True
    """Show worked examples in prompts. False: the paper's "w/o Demo."."""
    cut_fails: bool = True
    """Repair also what ended well, printed nothing and is cut off within its block of Python."""
    thoughts: bool = False
    """Let the model think in words before the code: the paper's "w/ CoT"."""

    fences: str = "any"
    """Which code a reply has. `any`: its blocks of Python, as chat models write them. `released`:
    as the released program finds them: those labelled `python`, up to the next backticks."""

    LIMITS = ("rectify", 0), ("attempts", 1), ("fences", ("any", "released"))
    FORMERLY = ("cut_fails", False), ("fences", "any")

    def __post_init__(self):
        super().__post_init__()
        if self.thoughts and not self.demonstrations:
            raise TroveLiteError(
                "thoughts without demonstrations: there is no such prompt; choose one of the two"
            )

    def table_name(self, method: str) -> str:
        """Each way to ask is a method of its own in tables: METHOD_bare, METHOD_thoughts."""
        return self.stage(method)

    def compose(self, read: Callable[[str], str]) -> dict:
        """How a reply becomes a program: as the released program reads it, where so set."""
        return {"compose": read} if self.fences == "released" else {}

    def repair(self, name: str) -> str:
        return name if self.demonstrations or not name else f"{name}_bare"

    def stage(self, name: str) -> str:
        return name + ("_thoughts" if self.thoughts else "" if self.demonstrations else "_bare")


#: What the presets `released` have in common.
AS_RELEASED = {"cut_fails": False, "fences": "released"}
#: The stage of repairs, and by whose prompt, in packs that have it, they are asked for where a tool
#: and its use were written.
REPAIR = "rectify"
OF_TOOL = "rectify_tool"
#: The error of a program that is cut off: its last fence opens a block, for it has a label.
CUT = "The program was cut off before its end, and printed nothing."
FENCE = re.compile(r"^[ \t]*```(\w*)", re.MULTILINE)


def is_cut(text: str) -> bool:
    return any(FENCE.findall(text)[-1:])


def with_repairs(
    name: str, steps: Callable, stages: Sequence[str], presets: Mapping, of_tool: bool, **how
) -> Method:
    """The method that asks for these stages, in any of the ways to ask, and for repairs; of_tool:
    also by OF_TOOL."""
    ways = [f"{stage}{way}" for stage in stages for way in ("", "_bare", "_thoughts")]
    ways += [f"{stage}{way}" for stage in (REPAIR, OF_TOOL)[: 1 + of_tool] for way in ("", "_bare")]

    def asks(settings: RepairSettings) -> list[str]:
        return [
            *map(settings.stage, stages),
            *([settings.repair(REPAIR)] if settings.rectify else []),
        ]

    return Method(name, steps, (name,), tuple(ways), presets, asks=asks, **how)


def repair_failing(
    question: Question, mode: str, first: Sequence[Candidate], settings: RepairSettings,
    wording: str = "", parts: Sequence[Mapping[str, str]] = (),
) -> Batch:  # fmt: skip
    """Write anew what fails, up to `rectify` times: the last programs, and every reply, these
    included.

    parts: the replies that a first program was joined from, where it was, by name.
    """

    def repair(place: int, failed: Candidate, round: int) -> Attempt:
        end = "\n```" if settings.cut_fails and is_cut(failed.text) else ""
        error = failed.error or (CUT if end else "")
        if failed.status == "no_code" and settings.fences == "released":
            error = why_nothing_ran(failed.text)
        values = {"program": failed.text.strip() + end, "error": error}
        values |= parts[place] if parts and round == 1 else {}
        how = {
            "program": whole_program,
            "mode": mode,
            "round": round,
            "wording": settings.repair(wording),
            **settings.compose(of_repair),
        }
        return Attempt(question, settings.repair(REPAIR), failed.samples, values=values, **how)

    return rewrite_failing(first, settings.rectify, repair, settings.cut_fails)


def rewrite_failing(
    first: Sequence[Candidate],
    times: int,
    again: Callable[[int, Candidate, int], Attempt],
    cut_fails: bool = False,
) -> Batch:
    """Ask again for each candidate whose program did not run to its end, so many times at most.

    Returns the last ones, and every reply. again: the request for the one at a place, which failed,
    in a round from 1.
    cut_fails: one that printed nothing fails too where its text is cut off.
    """

    def fails(found: Candidate) -> bool:
        silent = cut_fails and found.status == "ok" and not found.vote.answers
        return bool(silent and is_cut(found.text)) or found.status not in (
            "ok",
            "refused",
            "unavailable",
        )

    current = list(first)
    replies = list(first)
    for round in range(1, times + 1):
        failed = [i for i, found in enumerate(current) if fails(found)]
        if not failed:
            break
        anew = yield [again(place, current[place], round) for place in failed]
        replies += anew
        for place, candidate in zip(failed, anew, strict=True):
            current[place] = candidate
    return current, replies


def answer_by_attempts(
    questions: Sequence[Question], attempts: Callable[[Question, range], Batch], settings: Settings, most_calls: int,
    times: int | None = None,
) -> Steps:  # fmt: skip
    """Whole attempts at each question until its budget is met, or so many times; agreement on what
    they end in.

    As many are begun at once as are needed even if each takes `most_calls`: they are the first
    whose cost reaches the budget, as if begun one by one, and the last may overshoot it.
    """
    for question in questions:
        final, replies = (yield from attempts(question, range(times))) if times else ([], [])
        while not times and (
            due := settings.budget.due([reply.completion_tokens for reply in replies])
        ):
            begun = range(len(final), len(final) + math.ceil(due / most_calls))
            new, on_the_way = yield from attempts(question, begun)
            final = final + new
            replies = replies + on_the_way
        yield Answer(question, chosen(question, final, settings))
