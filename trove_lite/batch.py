"""One notebook over a grid of parameters: `trove-lite batch`.

Each cell of the grid gets a folder with its executed notebook and a note of how it ended; `manifest.csv` gathers the
notes. What is complete is skipped, and a cell that fails, or dies with its process, takes no other along. It knows
notebooks and folders; how one notebook is executed is `report`.
"""

import argparse
import hashlib
import itertools
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

import nbformat
import pandas as pd
from tqdm import tqdm

from .errors import TroveLiteError
from .journal import locked, on_disk, write_atomically
from .notebooks import check_parameters, execute_notebook, notebook_parameters

#: Notebook parameters that name a place to write to: each cell gets its own, unless it is given.
PLACES = {"out": "run", "results": "results", "figures": "figures"}


@dataclass(frozen=True)
class Cell:
    """A point of the grid: its name, a folder's too, and the notebook's parameters there."""

    name: str
    parameters: dict[str, object]


@dataclass(frozen=True)
class Outcome:
    """How a cell ended: `complete` or `failed`, with what the notebook was, so that a changed one is run again."""

    cell: str
    status: str
    parameters: dict[str, object]
    notebook: str
    code: str
    seconds: float
    error: str = ""


def parse_grid(texts: Sequence[str]) -> dict[str, list[str]]:
    """`seed=0..4` and `category=counting,algebra` → the values of each axis. Raises for anything else."""
    axes: dict[str, list[str]] = {}
    for text in texts:
        name, _, values = text.partition("=")
        span = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", values)
        parts = [str(i) for i in range(int(span[1]), int(span[2]) + 1)] if span else values.split(",")
        if not name or not values or not all(parts) or not parts:
            raise TroveLiteError(f"--grid {text}: write NAME=0..4 or NAME=a,b,c")
        if name in axes or len(set(parts)) < len(parts):
            raise TroveLiteError(f"--grid {text}: gives something twice")
        axes[name] = parts
    return axes


def grid_cells(path: Path, fixed: Mapping[str, str], axes: Mapping[str, Sequence[str]], out: Path) -> list[Cell]:
    """The cells of a grid, every parameter checked against the notebook's own before anything runs."""
    if both := sorted(set(fixed) & set(axes)):
        raise TroveLiteError(f"parameter '{both[0]}' is given by both -p and --grid: give it once")
    known = notebook_parameters(path)
    cells = []
    for values in itertools.product(*axes.values()):
        point = dict(zip(axes, values, strict=True))
        name = ",".join(f"{key}={re.sub(r'[^-+.A-Za-z0-9]', '_', value)}" for key, value in point.items()) or "all"
        parameters = check_parameters(path, {**fixed, **point})
        for place, folder in PLACES.items():
            if place in known and place not in parameters:
                parameters[place] = os.path.relpath((out / name / folder).resolve(), path.resolve().parent)
        cells.append(Cell(name, parameters))
    if len({cell.name for cell in cells}) < len(cells):
        raise TroveLiteError("two cells of the grid would share a folder: choose values that differ in more than signs")
    return cells


def run_batch(
    path: Path, fixed: Mapping[str, str], axes: Mapping[str, Sequence[str]], out: Path, *, jobs: int = 2
) -> list[Outcome]:
    """Run the notebook in every cell that is not complete, `jobs` at a time; returns how each ended, in grid order."""
    if not path.is_file():
        raise TroveLiteError(f"{path}: no such notebook; check the path")
    cells = grid_cells(path, fixed, axes, out)
    digest = code_hash(path)
    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        ended = {cell.name: old for cell in cells if (old := earlier(out, cell, digest))}
        waiting = [cell for cell in cells if cell.name not in ended]
        with ThreadPoolExecutor(jobs) as pool, tqdm(total=len(cells), initial=len(ended), unit="notebook") as bar:
            running = [pool.submit(run_cell, path, cell, out, digest) for cell in waiting]
            try:
                for future in as_completed(running):
                    outcome = future.result()
                    ended[outcome.cell] = outcome
                    bar.update()
                    write_manifest(out, [ended[cell.name] for cell in cells if cell.name in ended])
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        write_manifest(out, [ended[cell.name] for cell in cells])
    return [ended[cell.name] for cell in cells]


def code_hash(path: Path) -> str:
    """A hash of what a notebook computes: its code, without words, outputs and the ids that saving it changes."""
    cells = nbformat.read(path, as_version=4).cells
    code = json.dumps([cell.source for cell in cells if cell.cell_type == "code"])
    return hashlib.sha256(code.encode()).hexdigest()


def earlier(out: Path, cell: Cell, digest: str) -> Outcome | None:
    """How this cell ended before, if it is complete and neither its parameters nor the notebook have changed."""
    try:
        old = Outcome(**json.loads((out / cell.name / "outcome.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    same = old.status == "complete" and old.parameters == cell.parameters and old.code == digest
    return old if same else None


def run_cell(path: Path, cell: Cell, out: Path, digest: str) -> Outcome:
    """Run one cell in a process of its own, so that whatever happens there stays there; note how it ended."""
    folder = out / cell.name
    start = time.monotonic()
    with on_disk(folder):
        folder.mkdir(exist_ok=True)
        (folder / "outcome.json").unlink(missing_ok=True)
    told = folder / "error.txt"
    told.unlink(missing_ok=True)
    job = json.dumps([str(path.resolve()), cell.parameters, *(str(p.resolve()) for p in (folder / path.name, told))])
    done = subprocess.run(
        [sys.executable, "-m", "trove_lite.batch", job], stdin=subprocess.DEVNULL, capture_output=True
    )
    error = ""
    if told.exists():
        error = told.read_text(encoding="utf-8").strip()
    elif done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        error = f"its process ended with {done.returncode} ({last or 'no word'})"
    outcome = Outcome(
        cell.name,
        "failed" if error else "complete",
        cell.parameters,
        path.name,
        digest,
        round(time.monotonic() - start, 1),
        error,
    )
    with on_disk(folder):
        text = json.dumps(asdict(outcome), indent=2, ensure_ascii=False) + "\n"
        write_atomically(folder / "outcome.json", lambda part: part.write_text(text, encoding="utf-8"))
    return outcome


def write_manifest(out: Path, outcomes: Sequence[Outcome]) -> None:
    """`manifest.csv`: a row a cell, parameters as JSON, of an error its first line."""
    rows = [asdict(o) | {"parameters": json.dumps(o.parameters), "error": o.error.split("\n")[0]} for o in outcomes]
    with on_disk(out):
        write_atomically(out / "manifest.csv", lambda part: pd.DataFrame(rows).to_csv(part, index=False))


def add_batch_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `batch`."""
    parser.add_argument("notebook", type=Path, metavar="NOTEBOOK")
    parser.add_argument("-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), dest="parameters",
                        help="a parameter of every cell, e.g. -p category counting")  # fmt: skip
    parser.add_argument("--grid", action="append", default=[], metavar="NAME=VALUES",
                        help="an axis of the grid: seed=0..4, or category=counting,algebra")  # fmt: skip
    parser.add_argument(
        "--out", type=Path, required=True, metavar="FOLDER", help="gets a folder a cell, and a manifest"
    )
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time (default: %(default)s)")


def batch_command(args: argparse.Namespace) -> int:
    """Run the grid; 1 where a cell failed. Raises TroveLiteError with one line for whatever is wrong beforehand."""
    if args.jobs < 1:
        raise TroveLiteError(f"--jobs {args.jobs}: give 1 or more")
    names = [name for name, _ in args.parameters]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise TroveLiteError(f"-p {repeated[0]}: given twice")
    outcomes = run_batch(args.notebook, dict(args.parameters), parse_grid(args.grid), args.out, jobs=args.jobs)
    failed = [outcome for outcome in outcomes if outcome.status == "failed"]
    print(f"{len(outcomes) - len(failed)} of {len(outcomes)} complete; manifest in {args.out / 'manifest.csv'}")
    for outcome in failed:
        print(f"error: {outcome.cell}: {outcome.error.splitlines()[0]}", file=sys.stderr)
    return int(bool(failed))


def _one(job: str) -> int:
    path, parameters, output, told = json.loads(job)
    try:
        execute_notebook(Path(path), parameters, Path(output))
    except TroveLiteError as error:
        Path(told).write_text(str(error), encoding="utf-8")  # stderr is the kernel's too
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(_one(sys.argv[1]))
