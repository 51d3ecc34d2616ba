"""What is usable on this machine, in a line each: isolation, data, engine, GPU, a model. It changes
nothing."""

import asyncio
import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ..datasets.files import data_folder, not_here, public_files
from ..errors import TroveLiteError
from ..models import load_model
from ..models.base import LanguageModel, Message, SamplingSettings

TEXT = "Once upon a time"


class Line(NamedTuple):
    """One thing: whether it is usable, and what is there or what to do."""

    usable: bool
    name: str
    text: str


def examine(model: str = "") -> list[Line]:
    """Look at everything; a model, named as for `trove-lite run --model`, is asked for a few
    tokens."""
    lines = [*_isolation(), *_data()]
    has_vllm = importlib.util.find_spec("vllm") is not None
    lines.append(
        Line(
            has_vllm,
            "vLLM",
            importlib.metadata.version("vllm") if has_vllm else "not installed: a server?",
        )
    )
    query = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    found = ""
    if shutil.which(query[0]):
        asked = subprocess.run(query, capture_output=True, text=True, timeout=30)
        found = " | ".join(asked.stdout.splitlines())
    lines.append(Line(bool(found), "GPU", found or "nvidia-smi finds none"))
    return [*lines, _model(model)] if model else lines


def _isolation() -> Iterator[Line]:
    """What confines programs, what each level lets through, and whether a program can read what
    holds answers."""
    from ..sandbox.isolation import LETS_THROUGH
    from ..sandbox.pool import Sandbox, choose_level, interpreter_of_programs, isolation_report

    report = isolation_report()
    features = ", ".join(f"{name}: {value}" for name, value in report["features"].items())
    text = (
        f"level {report['level'] or 'none'} on {report['system']} ({features}). {report['message']}"
    )
    yield Line(report["level"] is not None, "isolation", text.rstrip(". "))
    versions = ", ".join(map(" ".join, interpreter_of_programs().items()))
    yield Line(True, "programs", f"run with {versions}, and import what is installed beside them")
    for level, what in LETS_THROUGH.items():
        try:
            yield Line(choose_level(level) == level, level, what)
        except TroveLiteError:
            yield Line(False, level, f"not to be had here; {what}")
    if report["level"]:
        there = (path for file in public_files() if (path := data_folder() / file.name).is_file())
        paths = [__file__, *map(str, there)][:2]
        with Sandbox(1) as sandbox:
            tried = sandbox.run_many([f"open({path!r}).read(1)" for path in paths], progress=False)
        read = [
            path
            for path, one in zip(paths, tried, strict=True)
            if not one.error.startswith("PermissionError")
        ]
        told = (
            f"can read {', '.join(read)}"
            if read
            else f"cannot read {Path(__file__).parents[1]} or {data_folder()}"
        )
        yield Line(not read, "answers", f"programs {told}")


def _data() -> Iterator[Line]:
    files = public_files()
    for group in dict.fromkeys(file.group for file in files):
        count = sum(file.group == group for file in files)
        missing = not_here(group)
        # what is only listed by its source may not come
        whole = all(file.listed for file in missing)
        text = f"{count - len(missing)} of {count} files in {data_folder()}"
        yield Line(whole, group, text if whole else f"{text}; run `trove-lite fetch {group}`")


def _model(spec: str) -> Line:
    """The model, asked for a few tokens by the very path that a run uses."""

    async def ask() -> Line:
        async with model:
            return await _answers(model)

    try:
        model = load_model(
            spec, SamplingSettings(temperature=1.0, top_p=1.0, max_tokens=16, stop=())
        )
        model.on_notice = partial(print, file=sys.stderr)
        return asyncio.run(ask())
    except TroveLiteError as error:
        return Line(False, "model", str(error))


async def _answers(model: LanguageModel) -> Line:
    named = model.identity()
    name = f"{named['name']} ({' '.join(filter(None, (named.get('engine'), named.get('version'))))})".replace(
        " ()", ""
    )
    found = {}
    problems = {}
    for kind, prompt in (("continues texts", TEXT), ("chats", [Message("user", TEXT)])):
        try:
            (found[kind],) = await model.complete(prompt, [1])
        except TroveLiteError as error:
            problems[kind] = error
    if "continues texts" not in found:
        why = problems["continues texts"]
        if found:
            why = "only chats: use --chat on, or a method that asks in messages"
        return Line(False, "model", f"{name}: {why}")
    first = found["continues texts"]
    (again,), (other,) = await model.complete(TEXT, [1]), await model.complete(TEXT, [2])
    seeds = "seeds count" if first.text != other.text else "two seeds gave the same text"
    told = [
        " and ".join(found),
        seeds if first.text == again.text else "seeds do not count: the same one gave two texts",
        "tokens not reported: no budgets in tokens"
        if first.completion_tokens is None
        else "tokens reported",
        f"context {model.context_length}" if model.context_length else "context length unknown",
    ]
    if again.completion_tokens:
        told.append(
            f"{again.completion_tokens / max(again.seconds, 1e-9):,.0f} tokens a second, one request at a time"
        )
    return Line(True, "model", f"{name}: {'; '.join(told)}")
