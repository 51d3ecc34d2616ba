"""What is usable on this machine, in a line each: isolation, data, engine, GPU, a model. It changes nothing."""

import asyncio
import importlib.metadata
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from .datasets.files import data_folder, public_files
from .errors import TroveLiteError
from .models import load_model
from .models.base import LanguageModel, Message, SamplingSettings

TEXT = "Once upon a time"
TOKENS = 16  # enough to tell seeds apart and to measure by


class Line(NamedTuple):
    """One thing: whether it is usable, and what is there or what to do."""

    usable: bool
    name: str
    text: str


def examine(model: str = "", chat: str = "auto") -> list[Line]:
    """Look at everything; a model, named as for `trove-lite run --model` and `--chat`, is asked for a few tokens."""
    return [*_isolation(), *_data(), _engine(), _gpu(), *([_model(model, chat)] if model else [])]


def as_text(lines: list[Line]) -> str:
    """The same to read."""
    return "\n".join(f"{'ok ' if line.usable else '-- '} {line.name:10} {line.text}" for line in lines)


def _isolation() -> Iterator[Line]:
    """What confines programs, what each level lets through, and whether one can read what holds answers."""
    from .sandbox.isolation import LETS_THROUGH
    from .sandbox.pool import choose_level, isolation_report

    report = isolation_report()
    features = ", ".join(f"{name}: {value}" for name, value in report["features"].items())
    text = f"level {report['level'] or 'none'} on {report['system']} ({features})"
    yield Line(report["level"] is not None, "isolation", f"{text}. {report['message']}".rstrip(". "))
    for level, what in LETS_THROUGH.items():
        try:
            yield Line(choose_level(level) == level, level, what)
        except TroveLiteError:
            yield Line(False, level, f"not to be had here; {what}")
    if report["level"]:
        yield _answers_hidden()


def _answers_hidden() -> Line:
    """Whether a program can read this package or the data folder: one tries."""
    from .sandbox.pool import Sandbox

    there = (path for file in public_files() if (path := data_folder() / file.name).is_file())
    paths = [__file__, *map(str, islice(there, 1))]
    try:
        with Sandbox(1) as sandbox:
            tried = sandbox.run_many([f"open({path!r}).read(1)" for path in paths], progress=False)
    except TroveLiteError as error:
        return Line(False, "answers", str(error))
    read = [path for path, one in zip(paths, tried, strict=True) if not one.error.startswith("PermissionError")]
    told = f"can read {', '.join(read)}" if read else f"cannot read {Path(__file__).parent} or {data_folder()}"
    return Line(not read, "answers", f"programs {told}")


def _data() -> Iterator[Line]:
    files = public_files()
    for group in dict.fromkeys(file.group for file in files):
        mine = [file for file in files if file.group == group]
        there = [file for file in mine if (data_folder() / file.name).is_file()]
        listed = sum(file.listed and file not in there for file in mine)
        whole = len(there) + listed == len(mine)
        remedy = f"; {listed} more are only listed by their source" if listed else ""
        remedy += "" if whole else f"; run `trove-lite fetch {group}`"
        yield Line(whole, group, f"{len(there)} of {len(mine)} files in {data_folder()}{remedy}")


def _engine() -> Line:
    if importlib.util.find_spec("vllm") is None:
        return Line(
            False, "vLLM", "not installed: pip install -e '.[vllm]' here, or use a server or the practice model"
        )
    return Line(True, "vLLM", importlib.metadata.version("vllm"))


def _gpu() -> Line:
    query = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    if shutil.which(query[0]) is None:
        return Line(False, "GPU", "no nvidia-smi: none that vLLM's default build could use")
    done = subprocess.run(query, capture_output=True, text=True, timeout=30)
    return Line(done.returncode == 0, "GPU", " | ".join(done.stdout.strip().splitlines()) or "nvidia-smi finds none")


def _model(spec: str, chat: str) -> Line:
    """The model, asked for a few tokens by the very path that a run uses."""

    async def ask() -> Line:
        async with model:
            return await _answers(model)

    try:
        model = load_model(spec, SamplingSettings(temperature=1.0, top_p=1.0, max_tokens=TOKENS, stop=()), chat=chat)
        model.on_notice = partial(print, file=sys.stderr)
        return asyncio.run(ask())
    except TroveLiteError as error:
        return Line(False, "model", str(error))


async def _answers(model: LanguageModel) -> Line:
    """What an entered model does when it is asked, and how it is to be asked."""
    named = model.identity()
    name = f"{named['name']} ({' '.join(filter(None, (named.get('engine'), named.get('version'))))})".replace(" ()", "")
    found, problems = {}, {}
    for kind, prompt in (("continues texts", TEXT), ("chats", [Message("user", TEXT)])):
        if kind == "continues texts" or model.chat == "auto":  # with `on` a text is chat already, with `off` nothing is
            try:
                (found[kind],) = await model.complete(prompt, [1])
            except TroveLiteError as error:
                problems[kind] = error
    if not found:
        return Line(False, "model", f"{name}: {problems['continues texts']}")
    if "continues texts" not in found:
        return Line(False, "model", f"{name}: only chats: use --chat on, or a method that asks in messages")
    first = found["continues texts"]
    (again,), (other,) = await model.complete(TEXT, [1]), await model.complete(TEXT, [2])
    told = [" and ".join(found) if model.chat == "auto" else f"answers with --chat {model.chat}"]
    if first.text != again.text:
        told.append("seeds do not count: the same one gave two texts")
    else:
        told.append("seeds count" if first.text != other.text else "two seeds gave the same text")
    told.append(
        "tokens told" if first.completion_tokens is not None else "tokens not told: budgets in tokens cannot be kept"
    )
    told.append(f"context {model.context_length}" if model.context_length else "context not told")
    if again.completion_tokens:
        told.append(f"{again.completion_tokens / max(again.seconds, 1e-9):,.0f} tokens a second, one request at a time")
    return Line(True, "model", f"{name}: {'; '.join(told)}")
