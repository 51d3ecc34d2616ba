"""Notebooks by papermill: run with checked parameters, in a bounded pool of processes, for a report
or over a grid.

It knows notebooks and folders, not what a table means. Papermill itself turns `12e4567` into
infinity and lets a misspelt parameter pass with a warning; here parameters are checked against the
notebook's own before anything runs. `manifest.csv` tells how each ended, so that what is complete
and would come out the same is not run again.
"""

import ast
import hashlib
import itertools
import json
import multiprocessing
import os
import re
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path

import pandas as pd

from trove_lite.errors import TroveLiteError, shown
from trove_lite.journal import locked, on_disk, write_atomically
from trove_lite.models import load_model

#: Notebook parameters that name a place to write to: a cell of a grid gets its own, unless it is
#: given.
PLACES = {"out": "run", "results": "results", "figures": "figures"}
HOME = Path(__file__).parent.parent.parent  # the repository, where this is a clone
INJECTED = "# Parameters"  # how papermill's cell of what it was given begins
MOST = 10_000  # values of an axis of a grid
ONE = (str, int)  # what is one path: papermill takes `7` for a number


def paths(*given: str | Sequence | Mapping[str, str]) -> list[str | list[str] | dict[str, str]]:
    """A notebook's paths, for it may be started in its own folder, in the repository's root, or
    anywhere.

    Where the current folder holds the notebooks, `../results` is `results`; where it has no such
    thing and the repository has, it is the repository's. `[runs]` becomes a list, be `runs` one or
    a text, as papermill's `-p` gives it. Of a mapping the keys are the paths. Raises TroveLiteError
    for a parameter that papermill was given and the notebook does not have: papermill warns, and
    runs on over the defaults.
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    refuse_unknown(shell.user_ns.get("In", ()) if shell else ())

    def here(path):
        if isinstance(path, Mapping):
            return {here(p): about for p, about in path.items()}
        if not isinstance(path, ONE):
            return [
                here(p) for inner in path for p in ([inner] if isinstance(inner, ONE) else inner)
            ]
        path = str(path)
        from_root = path.removeprefix("../")
        if from_root == path or Path("notebooks").is_dir():
            return from_root
        there = HOME / from_root
        return str(there) if there.exists() and not Path(path).exists() else path

    return [here(path) for path in given]


def refuse_unknown(cells: Sequence[str]) -> None:
    """Raises TroveLiteError where papermill's cell, of these that a notebook has run, sets a name
    that none before it has set."""
    place = next((n for n, cell in enumerate(cells) if cell.startswith(INJECTED)), 0)
    mine = _set_in(cells[:place])
    if unknown := sorted(_set_in([cells[place]]) - mine if place else ()):
        raise TroveLiteError(
            f"this notebook has no parameter '{unknown[0]}': it has {', '.join(sorted(mine))}"
        )


def _set_in(cells: Iterable[str]) -> set[str]:
    """The names that these cells set."""
    nodes = (node for cell in cells for node in ast.walk(ast.parse(cell)))
    return {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def read_notebook(path: Path) -> dict:
    import nbformat  # slow to import, and every notebook imports this file

    try:
        return nbformat.read(path, as_version=4)
    except Exception as error:  # nbformat's many, for a file that is not JSON or of another shape
        raise TroveLiteError(
            f"{path}: not a notebook ({' '.join(str(error).split())[:80]})"
        ) from error


def notebook_parameters(path: Path) -> dict[str, object]:
    """Names and default values of the notebook's cell tagged `parameters`."""
    cell = next(
        (c for c in read_notebook(path).cells if "parameters" in c.metadata.get("tags", [])), None
    )
    if cell is None:
        raise TroveLiteError(
            f"{path}: no cell is tagged 'parameters'; tag the cell that holds them"
        )
    values = {}
    try:
        for statement in ast.parse(cell.source).body:
            target = (
                statement.target if isinstance(statement, ast.AnnAssign) else statement.targets[0]
            )
            values[target.id] = ast.literal_eval(statement.value)
    except (SyntaxError, ValueError, AttributeError) as error:
        raise TroveLiteError(
            f"{path}: its parameters are not plain values by name ({error})"
        ) from error
    return values


def check_parameters(path: Path, given: Mapping[str, str]) -> dict[str, object]:
    """Texts from a command line → values of the types that the notebook's defaults have; one text
    is a list of one.

    Raises TroveLiteError for a name that the notebook does not have, or a text that is not of its
    type.
    """
    defaults = notebook_parameters(path)
    if unknown := [name for name in given if name not in defaults]:
        raise TroveLiteError(
            f"{path.name} has no parameter '{unknown[0]}': it has {', '.join(defaults)}"
        )
    if (
        "model" in given
    ):  # one that holds a key would go into the executed copy before the notebook could refuse it
        load_model(given["model"])
    return {name: typed(path, name, text, defaults[name]) for name, text in given.items()}


def typed(path: Path, name: str, text: str, default: object) -> object:
    """A text as a value of the type that a parameter's default has. Raises TroveLiteError for one
    that is none."""
    kind = type(default)
    if kind is str:
        return text
    if kind is list and not text.startswith(
        "["
    ):  # a path, from the current folder where it is there
        return [os.path.abspath(text) if os.path.exists(text) else text]
    with suppress(ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        value = ast.literal_eval(text)
        if kind is float and type(value) is int:
            value = float(value)
        if "_" not in text and (type(value) is kind or default is None):
            return value
    raise TroveLiteError(
        f"{path.name}: parameter '{name}' takes a {kind.__name__} such as {default!r}, not '{text}'"
    )


def execute_notebook(path: Path, parameters: Mapping[str, object], output: Path) -> None:
    """Run one notebook in its own folder with these parameters; `output` gets the executed copy,
    also on failure."""
    import papermill  # slow to import, and only needed here
    from ipykernel.kernelspec import get_kernel_dict
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager
    from papermill.exceptions import PapermillExecutionError
    from traitlets.config import Config

    class OwnPython(AsyncKernelManager):
        kernel_spec = KernelSpec(
            **get_kernel_dict()
        )  # whatever is installed under the kernel's name

    output.parent.mkdir(parents=True, exist_ok=True)
    how = {
        "kernel_name": "python3",
        "start_timeout": 120,
        "progress_bar": False,
        "cwd": str(path.parent),
        "kernel_manager_class": OwnPython,
    }
    try:
        with tempfile.TemporaryDirectory(prefix="trove-lite-") as sockets:
            if os.name == "posix":  # socket files of their own: ports on a busy machine collide
                how["config"] = Config(
                    KernelManager={"transport": "ipc", "ip": f"{sockets}/kernel"}
                )
            papermill.execute_notebook(str(path), str(output), parameters=dict(parameters), **how)
    except PapermillExecutionError as error:
        raise TroveLiteError(
            f"{path.name}, cell {error.cell_index}: {error.ename}: {error.evalue}\n{error}"
        ) from None
    except RuntimeError as error:  # the kernel died before it replied or did not start
        raise TroveLiteError(
            f"{path.name}: its kernel died or did not start ({error}); run fewer at once"
        ) from error


@dataclass(frozen=True)
class Job:
    """A notebook to run: with which parameters, into which copy, as a page too or not, and after
    the others or not."""

    notebook: Path
    parameters: Mapping[str, object]
    output: Path
    page: bool = False
    last: bool = False

    def fingerprint(self) -> str:
        """A hash of what its outcome hangs on: its code (no words, no outputs) and its
        parameters."""
        code = [
            cell.source for cell in read_notebook(self.notebook).cells if cell.cell_type == "code"
        ]
        return hashlib.sha256(json.dumps([code, self.parameters, ""]).encode()).hexdigest()


def run_all(
    jobs: Mapping[str, Job], home: Path, *, at_once: int, force: bool = False
) -> dict[str, str]:
    """Run every notebook that is not complete, or all by `force`; returns the errors of those that
    failed, printed too.

    `home`, which no other process may write to meanwhile, gets `manifest.csv`: a row a notebook,
    parameters as JSON, of an error its first line. An interrupt ends the processes.
    """
    prints = {name: job.fingerprint() for name, job in jobs.items()}
    manifest = home / "manifest.csv"
    rows = {}
    errors = {}
    with on_disk(home):
        home.mkdir(parents=True, exist_ok=True)
    with locked(home), on_disk(manifest):
        with suppress(FileNotFoundError, ValueError, KeyError):
            rows = {
                row["cell"]: row
                for row in pd.read_csv(manifest, keep_default_na=False).to_dict("records")
            }
        done = {
            name
            for name in jobs
            if rows.get(name, {}).get("of") == prints[name] and not rows[name]["error"]
        }
        todo = [name for name, job in jobs.items() if force or job.last or name not in done]
        pool = ProcessPoolExecutor(at_once, multiprocessing.get_context("spawn"), _alone)
        try:
            for last in (False, True):
                waiting = {
                    pool.submit(_run, jobs[name]): name for name in todo if jobs[name].last == last
                }
                for future in as_completed(waiting):
                    name = waiting[future]
                    try:
                        seconds, error = future.result()
                    except (
                        Exception
                    ) as failure:  # its page could not be made, or a process was killed
                        seconds = 0.0
                        error = f"{type(failure).__name__}: {failure}"
                    rows[name] = {
                        "cell": name,
                        "status": "failed" if error else "complete",
                        "parameters": json.dumps(jobs[name].parameters),
                        "seconds": seconds,
                        "error": error.partition("\n")[0],
                        "of": prints[name],
                    }
                    errors |= {name: error} if error else {}
                    table = pd.DataFrame([rows[n] for n in {**jobs, **rows} if n in rows])
                    write_atomically(
                        manifest, lambda part, table=table: table.to_csv(part, index=False)
                    )
                    print(
                        f"{name}: {rows[name]['status']}, {seconds:.0f} s",
                        file=sys.stderr,
                        flush=True,
                    )
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
    for name in jobs:
        if name in errors:
            print(f"error: {name} failed:\n{shown(errors[name], lines=True)}", file=sys.stderr)
    return errors


def _alone() -> None:
    """What a process begins with: SIGTERM ends a kernel as an interrupt does, and nothing is
    printed."""
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)


def _run(job: Job) -> tuple[float, str]:
    start = time.monotonic()
    error = ""
    try:
        execute_notebook(job.notebook, job.parameters, job.output)
    except TroveLiteError as failure:
        error = str(failure)
    if job.page and job.output.exists():
        to_page(job.output)
    return round(time.monotonic() - start, 1), error


#: A page that loads nothing from elsewhere, and runs nothing.
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>
body {{ font: 16px/1.5 sans-serif; max-width: 62rem; margin: 1.5rem auto; padding: 0 1rem; overflow-wrap: break-word }}
img {{ max-width: 100%; height: auto }} figure {{ margin: 1.5rem 0 }} figcaption {{ font-size: 0.85em; color: #444 }}
summary {{ cursor: pointer; margin: 0.5rem 0 }}
.output_html, .output_html > div {{ overflow-x: auto }}
pre {{ white-space: pre-wrap }} .anchor-link {{ display: none }}
table {{ border: 0; border-collapse: collapse; font-size: 0.85em }} td {{ min-width: 4em }}
th, td {{ text-align: left; vertical-align: top; padding: 0.2em 0.7em 0.2em 0; border-bottom: 1px solid #ccc }}
td:first-child {{ min-width: 9em }}
@media (max-width: 640px) {{ .output_png {{ overflow-x: auto }} .output_png img {{ max-width: none; width: 42rem }} }}
</style>{body}</html>
"""


def to_page(notebook: Path) -> None:
    """An executed notebook as a page beside it: its words and outputs. Its code stays in the
    notebook."""
    from nbconvert import HTMLExporter

    exporter = HTMLExporter(template_name="basic", exclude_input=True, exclude_output_prompt=True)
    body, _ = exporter.from_notebook_node(read_notebook(notebook))
    links = f'<p><a href="../index.html">all figures and tables</a>, <a href="{notebook.name}">with its code</a></p>'
    page = PAGE.format(title=escape(title_of(notebook)), body=links + body)
    write = partial(Path.write_text, data=page, encoding="utf-8")
    write_atomically(notebook.with_suffix(".html"), write)


def title_of(notebook: Path) -> str:
    words = "\n".join(
        cell.source for cell in read_notebook(notebook).cells if cell.cell_type == "markdown"
    )
    found = re.search(r"^#+ +(.+)", words, re.MULTILINE)
    return found[1].strip() if found else notebook.stem


def parse_grid(axes: Mapping[str, str]) -> dict[str, list[str]]:
    """`0..4` and `counting,algebra` → the values of each axis, by its name. Raises for anything
    else."""
    found = {}
    for name, values in axes.items():
        span = re.fullmatch(r"(-?\d+)\.\.(-?\d+)", values)
        numbers = range(int(span[1]), int(span[2]) + 1) if span else ()
        if len(numbers[: MOST + 1]) > MOST:
            raise TroveLiteError(f"--grid {name}={values}: more than {MOST:,} values")
        parts = [str(number) for number in numbers] if span else values.split(",")
        if not parts or not all(parts):
            raise TroveLiteError(f"--grid {name}={values}: write NAME=0..4 or NAME=a,b,c")
        if len(set(parts)) < len(parts):
            raise TroveLiteError(f"--grid {name}={values}: gives something twice")
        found[name] = parts
    return found


def grid_jobs(
    notebook: Path, fixed: Mapping[str, str], axes: Mapping[str, Sequence[str]], out: Path
) -> dict[str, Job]:
    """The cells of a grid by name, each with a folder in `out`; every parameter is checked before
    anything runs."""
    if both := sorted(set(fixed) & set(axes)):
        raise TroveLiteError(f"parameter '{both[0]}' is given by both -p and --grid: give it once")
    known = notebook_parameters(notebook)
    jobs = {}
    for values in itertools.product(*axes.values()):
        point = dict(zip(axes, values, strict=True))
        name = (
            ",".join(
                f"{key}={re.sub(r'[^-+.A-Za-z0-9]', '_', value)}" for key, value in point.items()
            )
            or "all"
        )
        if name in jobs:
            raise TroveLiteError(
                "two cells of the grid would share a folder: choose values that differ in letters too"
            )
        parameters = check_parameters(notebook, {**fixed, **point})
        for place, folder in PLACES.items():
            if place in known and place not in parameters:
                parameters[place] = os.path.relpath(
                    (out / name / folder).resolve(), notebook.resolve().parent
                )
        jobs[name] = Job(notebook, parameters, out / name / notebook.name)
    return jobs
