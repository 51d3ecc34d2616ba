"""What is usable on this machine, in a line each: isolation, data, engine, GPU, server. It changes nothing."""

import asyncio
import importlib.metadata
import importlib.util
import shutil
import subprocess
from collections.abc import Iterator
from typing import NamedTuple

from .datasets.files import data_folder, public_files
from .errors import TroveLiteError


class Line(NamedTuple):
    """One thing: whether it is usable, and what is there or what to do."""

    usable: bool
    name: str
    text: str


def examine(model: str = "") -> list[Line]:
    """Look at everything; a server, named as for `trove-lite run --model`, is asked whether it answers."""
    return [_isolation(), *_data(), _engine(), _gpu(), *([_server(model)] if model else [])]


def as_text(lines: list[Line]) -> str:
    """The same to read."""
    return "\n".join(f"{'ok ' if line.usable else '-- '} {line.name:10} {line.text}" for line in lines)


def _isolation() -> Line:
    from .sandbox.pool import isolation_report

    report = isolation_report()
    features = ", ".join(f"{name}: {value}" for name, value in report["features"].items())
    text = f"level {report['level'] or 'none'} on {report['system']} ({features})"
    return Line(report["level"] is not None, "isolation", f"{text}. {report['message']}".rstrip(". "))


def _data() -> Iterator[Line]:
    files = public_files()
    for group in dict.fromkeys(file.group for file in files):
        names = [file.name for file in files if file.group == group]
        there = sum((data_folder() / name).is_file() for name in names)
        whole = there == len(names)
        remedy = "" if whole else f"; run `trove-lite fetch {group}`"
        yield Line(whole, group, f"{there} of {len(names)} files in {data_folder()}{remedy}")


def _engine() -> Line:
    if importlib.util.find_spec("vllm") is None:
        return Line(
            False, "vLLM", "not installed: pip install 'trove-lite[vllm]', or use a server or the practice model"
        )
    return Line(True, "vLLM", importlib.metadata.version("vllm"))


def _gpu() -> Line:
    query = ["nvidia-smi", "--query-gpu=name,memory.total", "--format=csv,noheader"]
    if shutil.which(query[0]) is None:
        return Line(False, "GPU", "no nvidia-smi: none that vLLM's default build could use")
    done = subprocess.run(query, capture_output=True, text=True, timeout=30)
    return Line(done.returncode == 0, "GPU", " | ".join(done.stdout.strip().splitlines()) or "nvidia-smi finds none")


def _server(model: str) -> Line:
    from .models import load_model

    async def ask() -> str:
        async with load_model(model) as entered:
            return entered.name

    if not model.startswith(("http://", "https://")):
        return Line(False, "server", "that is no server's address: write http://HOST:PORT/v1#NAME")
    try:
        return Line(True, "server", f"answers, with the model {asyncio.run(ask())}")
    except TroveLiteError as error:
        return Line(False, "server", str(error))
