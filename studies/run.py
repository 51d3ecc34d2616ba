"""Runs a study's parts in order, each in a process of its own; goes on where it stopped."""

import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from studies.plan import Part, Study, falls_short, is_complete
from trove_lite.errors import TroveLiteError

START = "import sys; from trove_lite.cli import main; sys.exit(main(sys.argv[1:]))"


def run(
    study: Study,
    model: str,
    runs: Path,
    results: Path,
    only: Iterable[str],
    given: Mapping[str, Path],
) -> int:
    """Run the parts in order, each in a process of its own; returns the status of the first that
    fails, or 0.

    What a part takes from another is the other's run here or, where there is none, what was
    published in `results`. Samples of a part that was published without its journals cannot be used
    again: they are drawn, and a line says so.
    """
    chosen = [part for part in study.parts if not only or {part.name, part.group} & set(only)]
    for number, part in enumerate(chosen, start=1):
        out = part.folder(runs, given)
        folders = {
            p.name: p.complete(runs, given, results) or p.folder(runs, given) for p in study.parts
        }
        done = is_complete(out) and not falls_short(out, part)
        print(f"part {number} of {len(chosen)}, {part.name}{': complete' * done}", flush=True)
        if done:
            continue
        lender = Path(word_of(part.options.get("reuse", out), folders))
        if is_complete(lender) and lender != out and not (lender / "journal").is_dir():
            print(
                f"{lender}: has no journals, so nothing of it is used again: every sample is drawn",
                flush=True,
            )
            part = part._replace(
                options={name: value for name, value in part.options.items() if name != "reuse"}
            )
        words = words_of(
            part,
            spec_of(model, study.engine),
            out,
            folders,
        )
        if status := subprocess.run([sys.executable, "-c", START, *words]).returncode:
            print(
                f"stopped in part {part.name}; the same command goes on from there", file=sys.stderr
            )
            return status
    return 0


def spec_of(model: str, engine: str) -> str:
    """A model as `--model` takes it: a folder or hub name is one for vLLM with the study's engine
    arguments."""
    if model == "practice" or model.startswith(("vllm:", "http://", "https://")):
        return model
    return f"vllm:{model}?{engine}" if engine else f"vllm:{model}"


def words_of(part: Part, model: str, out: Path, folders: Mapping[str, Path]) -> list[str]:
    """The part as a command line of `trove-lite run`; `part:NAME` is the folder of another part."""
    words = ["run", "--model", model, "--out", str(out)]
    for name, value in part.options.items():
        words += [
            f"--{name}",
            *(word_of(each, folders) for each in (value if isinstance(value, list) else [value])),
        ]
    return words


def word_of(value: object, folders: Mapping[str, Path]) -> str:
    kind, _, name = str(value).partition(":")
    if kind == "hindsight":
        return f"{kind}:{word_of(name, folders)}"
    if kind != "part":
        return str(value).lower() if isinstance(value, bool) else str(value)
    if name not in folders:
        raise TroveLiteError(f"{value}: no part of the study is named {name}")
    return str(folders[name])
