"""Stand-ins for tests of live runs: a model that is a function of prompt and seed, a sandbox that
runs in process."""

import asyncio
import contextlib
import hashlib
import io
import json
import resource
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from trove_lite import TroveLiteError, load_candidates
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Dataset, Problem, Question
from trove_lite.journal import read_journal
from trove_lite.methods.trove import IMPORT_APART
from trove_lite.models.base import Completion, LanguageModel
from trove_lite.prompts import own
from trove_lite.running.given import load_given
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings
from trove_lite.sandbox.worker import Execution

TIMES = ["generate_seconds", "execute_seconds"]


def number(*parts) -> int:
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=6).digest())


def response(solution: str, tools: str = "") -> str:
    return f"```python\n{solution}\n```\n**Tools**\n```python\n{tools}\n```"


def function(name: str) -> str:
    return f'def {name}(x):\n    """Give back x for {name}."""\n    return x'


class ScriptedModel(LanguageModel):
    """Programs that define, import and use tools, print agreeing numbers or fail, all by a hash of
    prompt and seed."""

    name = "scripted"

    def __init__(self, delay: float = 0.0):
        self.delay = delay
        self.calls = 0
        self.seeds = []

    async def complete(self, prompt, seeds, *, sampling=None):
        out = []
        for seed in seeds:
            self.calls += 1
            self.seeds.append(seed)
            draw = number(prompt, seed)
            await asyncio.sleep(self.delay * (draw % 7) / 3)
            out.append(
                Completion(
                    self.text(prompt, draw),
                    len(str(prompt).split()),
                    5 + draw % 40,
                    "stop",
                    self.delay,
                )
            )
        return out

    def text(self, prompt, draw: int) -> str:
        name = f"tool{draw % 5}"
        return (
            response(f"print({name}({draw % 3}))", function(name)),
            response(f"print({name}({draw % 3}))", f"from toolbox import {name}"),
            response(
                f"print(abs(abs({draw % 3})))"
            ),  # more operations than a tool's use, so tools win ties
            response("print(1 / 0)", function(name)),
            response("", "import math"),
            "no code at all, only \ud800 text",
        )[draw // 16 % 6]


class Says(ScriptedModel):
    """Gives these replies, one after another, the last for ever; and keeps what it was asked, and
    how."""

    def __init__(self, *replies):
        super().__init__()
        self.replies = list(replies)
        self.asked = []
        self.drawn = []

    async def complete(self, prompt, seeds, *, sampling=None):
        self.asked.append(prompt)
        self.drawn.append(sampling)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return [Completion(reply, 9, 5, "stop", 0.0) for _ in seeds]


class InlineSandbox:
    """Runs programs in this process: only for programs that the tests wrote."""

    level = "inline"
    workers = 4

    def __init__(self):
        self.programs = []

    async def run(self, program: str) -> Execution:
        self.programs.append(program)
        out = io.StringIO()
        try:
            with contextlib.redirect_stdout(out):
                exec(program, {})
        except Exception as error:
            return Execution("error", "", False, f"{type(error).__name__}: {error}", 0.0, 0.0)
        finally:
            for name in [name for name in sys.modules if name.partition(".")[0] == "toolbox"]:
                del sys.modules[name]
        return Execution("ok", out.getvalue(), False, "", 0.0, 0.0)


class Pack:
    """Short prompts that show what they were given."""

    name = "test"
    stops: ClassVar[dict] = {}

    def has(self, category, stage):
        return stage != IMPORT_APART  # the official pack's alone

    def say(self, name, /, **values):
        return own.texts("messages")[name].format(**values)

    def hash_of(self, stages):
        return "0"

    def render(self, question, stage, toolbox=(), **values):
        shown = " ".join(tool.name for tool in toolbox)
        return f"{question.category} {stage}: {question.text} [{shown}]{''.join(values.values())}"


def problems(dataset: str, category: str, n: int = 12) -> list[Problem]:
    asked = [Question(dataset, category, i, f"What is {i} of {category}?") for i in range(n)]
    return [Problem(question, float(i % 3), str(1 + i % 5)) for i, question in enumerate(asked)]


def of_problems(problems=problems, name: str = "math") -> Dataset:
    """A data set like the one of that name, with these problems."""
    return replace(load_dataset(name), load=lambda category: problems(name, category))


def run(out: Path, *, delay: float = 0.0, problems=problems, trove=None, **given) -> Path:
    """A small run of all methods with everything scripted; `trove` are its choices."""
    fakes = {"model": ScriptedModel(delay), "sandbox": InlineSandbox(), "pack": Pack()}
    ways = (*fakes, "roles", "in_flight", "guess", "reuse", "fail_on_missing", "max_cost", "prices")
    fakes |= {name: given.pop(name) for name in ways if name in given}
    settings = {
        "name": "test",
        "methods": ("trove", "primitive"),
        "categories": ("counting",),
        "seeds": (0, 1),
    }
    settings |= {"k": 6, "dataset": "math"} | given
    settings.setdefault(
        "choices", {"trove": trove or {"interval": 4}} if "trove" in settings["methods"] else {}
    )
    dataset = (
        of_problems(problems, settings["dataset"])
        if problems
        else load_dataset(settings["dataset"])
    )
    settings = RunSettings(**settings)
    return live_run(
        settings, out, progress=False, dataset=dataset, given=load_given(settings), **fakes
    )


def table(folder: Path):
    """The candidates of a run, without times."""
    return load_candidates(folder).drop(columns=TIMES)


def without_checksums(
    path: Path, change: Callable[[list[dict]], object] = lambda records: None
) -> None:
    """Write a journal as an earlier release did, its records changed, so that no checksum tells of
    it."""
    records = read_journal(path)[0]
    change(records)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def run_in_child(out: Path, told: Path, file_limit: int | None = None, **given) -> None:
    """A run to be killed, slow enough to be caught; on a `full disk` where files may have only so
    many bytes."""
    if file_limit:
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))
    try:
        run(out, delay=0.01, **given)
    except TroveLiteError as error:
        told.write_text(str(error))
        sys.exit(1)
