"""Runs a study's parts in order, each in a process of its own; goes on where it stopped."""

import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from studies.plan import Part, Study, falls_short, is_complete, spec_of, word_of, words_of


def run(
    study: Study,
    model: str,
    runs: Path,
    results: Path,
    only: Iterable[str] = (),
    given: Mapping[str, Path] | None = None,
) -> int:
    """Run the parts in order, each in a process of its own; returns the status of the first that fails, or 0.

    What a part takes from another is the other's run here or, where there is none, what was published in `results`.
    Samples of a part that was published without its journals cannot be used again: they are drawn, and a line says so.
    """
    chosen, given = [part for part in study.parts if not only or {part.name, part.group} & set(only)], given or {}
    for number, part in enumerate(chosen, start=1):
        out = part.folder(runs, given)
        folders = {p.name: p.complete(runs, given, results) or p.folder(runs, given) for p in study.parts}
        if is_complete(out) and not falls_short(out, part):
            print(f"part {number} of {len(chosen)}, {part.name}: complete", flush=True)
            continue
        print(f"part {number} of {len(chosen)}, {part.name}", flush=True)
        if lender := without_journals(part, folders):
            print(f"{lender}: has no journals, so nothing of it is used again: every sample is drawn", flush=True)
            part = part._replace(options={name: value for name, value in part.options.items() if name != "reuse"})
        start = "import sys; from trove_lite.cli import main; sys.exit(main(sys.argv[1:]))"
        ended = subprocess.run(
            [sys.executable, "-c", start, *words_of(part, spec_of(model, study.engine), out, folders)]
        )
        if ended.returncode:
            print(f"stopped in part {part.name}; the same command goes on from there", file=sys.stderr)
            return ended.returncode
    return 0


def without_journals(part: Part, folders: Mapping[str, Path]) -> str:
    """The folder whose samples the part would use again, where it is complete and they are not there; else ""."""
    lender = word_of(part.options["reuse"], folders) if "reuse" in part.options else ""
    return lender if lender and is_complete(Path(lender)) and not (Path(lender) / "journal").is_dir() else ""
