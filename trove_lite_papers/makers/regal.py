"""REGAL: the model's own right programs are rewritten so that they share helper functions (arXiv 2401.16467).

Right programs for labelled problems are rewritten in batches of alike ones, with the helpers of before in view. Those
that still print their answer stay, and so do the helpers that they name. A question is asked with the likest programs
as worked examples, some with helpers and some without, and with the likest helpers. Stand-ins: a likeness of words for
embeddings; the model rewrites its own programs, where the paper has a stronger one do so (`--role maker=SPEC`).
"""

import ast
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from trove_lite.datasets.base import Problem
from trove_lite.methods.base import (
    Attempt,
    Candidate,
    Drawn,
    Method,
    Question,
    Run,
    Steps,
    answer_all,
    as_asked,
    draw,
)
from trove_lite.methods.toolbox import mentions
from trove_lite.programs import Tool, fenced, program_of, statements
from trove_lite.programs.definitions import definitions
from trove_lite.programs.parse import blocks_in, isolated_tools

from .labelled import Toolset, answers_with, labelled, request
from .lookup import Alike, LookupSettings, Past, as_shown, program_text, similar_past


@dataclass(frozen=True)
class RegalSettings(LookupSettings):
    """Its numbers as the released program has them (`scripts/date/train_regal.sh`, and its options' defaults)."""

    drawn: int = 1
    """Programs drawn for a labelled problem, of which the shortest right one is rewritten."""
    batch: int = 3
    """Programs rewritten together, at most."""
    shown: int = 20
    """Helpers shown, those most like the question."""
    with_helpers: int = 3
    """Worked examples that call helpers (60 % of five)."""
    without: int = 2
    """Worked examples that call none."""
    pruned: int = 5
    """Batches after which helpers are pruned, each time."""
    often: int = 4
    """Called by so many programs, a helper has to be right in more than half of them."""
    young: int = 40
    """Batches after which a helper that is called less often leaves."""

    LIMITS = ("drawn", 1), ("batch", 1), ("pruned", 1)


@dataclass
class Helper:
    """A helper, the batch that made it, and of each program that names it whether it was right."""

    tool: Tool
    batch: int
    right: list[bool] = field(default_factory=list)

    def stays(self, batch: int, settings: RegalSettings) -> bool:
        if len(self.right) >= settings.often:
            return 2 * sum(self.right) > len(self.right)
        return any(self.right) and batch - self.batch <= settings.young


def regal(
    questions: Sequence[Question], settings: RegalSettings, examples: Sequence[Problem]
) -> Steps:
    """Refactor, then answer each question with what is likest; returns the helpers."""
    plain, rewritten, tools = (
        (yield from refactor(questions[0], settings, examples)) if questions else ([], [], ())
    )

    def ask(question: Question) -> Drawn:
        like = similar_past(question, rewritten, settings.with_helpers, settings.measure)
        others = similar_past(question, plain, settings.without, settings.measure)
        values = {"memory": as_shown([*others, *like])}
        near = settings.nearest(question.text, tools, settings.shown)
        shown = tuple(dict.fromkeys([*near, *(tool for one in like for tool in one.tools)]))
        attempt = Attempt(
            question,
            "regal",
            range(0),
            shown=shown,
            library=settings.as_library(shown),
            values=values,
        )
        return (yield from draw({"regal": attempt}, settings.budget))

    yield from answer_all(questions, ask, settings)
    return Toolset(tools, len(examples))


def refactor(first: Question, settings: RegalSettings, examples: Sequence[Problem]) -> Generator:
    """Right programs that call no helper, those rewritten that do, and helpers that stay; at the first question."""
    asked, golds = labelled(first, examples)
    samples = [range(n * settings.drawn, (n + 1) * settings.drawn) for n in range(len(asked))]
    replies = yield [
        Attempt(q, "primitive", s, "make", mode="") for q, s in zip(asked, samples, strict=True)
    ]
    right = {
        n: [r for r in replies[s.start : s.stop] if answers_with(r, golds[n])]
        for n, s in enumerate(samples)
    }
    plain = {
        n: Past(asked[n], min(map(program_text, found), key=len))
        for n, found in right.items()
        if found
    }
    bank: dict[str, Helper] = {}
    rewritten: dict[int, Past] = {}
    for number, batch in enumerate(batches(plain, settings.batch, settings.measure), start=1):
        whole = first._replace(text="\n\n".join(as_asked(asked[n]) for n in batch), context="")
        shown = tuple(
            settings.nearest(whole.text, [helper.tool for helper in bank.values()], settings.shown)
        )
        values = {"programs": "\n\n".join(fenced(plain[n].program) for n in batch)}
        (reply,) = yield [
            request(whole, "regal_refactor", number, runs=False, shown=shown, values=values)
        ]
        tried = dict(zip(batch, rewritings(reply.text, bank), strict=False))
        for round in (0, 1):
            programs = {n: program_of(code, (), tools) for n, (code, tools) in tried.items()}
            ends = yield [
                Run(asked[n], "regal_check", one, n, "make", round) for n, one in programs.items()
            ]
            ended = dict(zip(tried, ends, strict=True))
            failed = [n for n in tried if not answers_with(ended[n], golds[n])]
            for n, (code, tools) in tried.items():
                if n not in failed:
                    rewritten[n] = Past(asked[n], code, tools)
                    bank |= {
                        tool.name: Helper(tool, number) for tool in tools if tool.name not in bank
                    }
                for tool in tools:
                    if tool.name in bank:
                        bank[tool.name].right.append(n not in failed)
            if round == 0:
                replies = yield [
                    retry(asked[n], n, plain[n], tried[n][0], ended[n]) for n in failed
                ]
                found = [rewritings(reply.text, bank)[:1] for reply in replies]
                tried = {n: one for n, again in zip(failed, found, strict=True) for one in again}
        if number % settings.pruned == 0:
            bank = {name: helper for name, helper in bank.items() if helper.stays(number, settings)}
    tools = tuple(helper.tool for helper in bank.values())
    used = {n: one for n, one in rewritten.items() if one.tools and set(one.tools) <= set(tools)}
    return [one for n, one in plain.items() if n not in used], list(used.values()), tools


def retry(
    question: Question, number: int, plain: Past, rewritten: str, ended: Candidate
) -> Attempt:
    error = ended.error or f"It prints another answer: {ended.output.strip()}"
    values = {"programs": fenced(plain.program), "rewritten": fenced(rewritten), "error": error}
    return request(question, "regal_retry", number, runs=False, values=values)


def batches(plain: Mapping[int, Past], size: int, alike: Alike) -> Iterator[list[int]]:
    """Numbers of programs: the one of the shortest question that is left, with those of the questions most like it."""
    left = sorted(plain, key=lambda n: len(plain[n].question.text))
    while left:
        text = plain[left[0]].question.text
        others = sorted(left[1:], key=lambda n: -alike(text, plain[n].question.text))
        batch = [left[0], *others[: size - 1]]
        yield batch
        left = [n for n in left if n not in batch]


def rewritings(text: str, bank: Mapping[str, Helper]) -> list[tuple[str, tuple[Tool, ...]]]:
    """The programs of a reply, in order, each with its imports of the helpers that it names, and these.

    A block is a program where it does something beside defining, or does not parse. Of one name the older helper stays.
    """
    blocks = blocks_in(text)
    helpers = {tool.name: tool for tool in isolated_tools(blocks).tools if tool.kind == "function"}
    helpers |= {name: helper.tool for name, helper in bank.items()}
    found = []
    for block, known in zip(blocks, map(definitions, blocks), strict=True):
        if known is None or known.left_out:
            code = block
            if known:  # without what is defined and imported anew
                kept = [one for one in statements(block) if not isinstance(one, ast.FunctionDef)]
                code = "\n".join(
                    ast.unparse(one) for one in kept if getattr(one, "module", "") != "toolbox"
                )
            named = tuple(mentions(code, helpers.values()))
            found.append(
                ("".join(f"from toolbox import {tool.name}\n" for tool in named) + code, named)
            )
    return found


STAGES = ("primitive", "regal_refactor", "regal_retry", "regal")
HOW = {"stream": True, "examples": True, "played_by": {"maker": "solver"}}
REGAL = Method("regal", regal, ("regal",), STAGES, {"paper": RegalSettings()}, **HOW)
