"""Notebooks by papermill: run with checked parameters, in a bounded pool, into results/ and figures/ or over a grid.

It knows notebooks and folders, not what a table means. Papermill itself turns `12e4567` into infinity and lets a
misspelt parameter pass with a warning; here parameters are checked against the notebook's own before anything runs.
Each notebook runs in a process of its own and leaves a note of how it ended, so that a failure, or the death of its
process, takes no other along, and what is complete and would come out the same is not run again.
"""

import ast
import hashlib
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path

import nbformat
import pandas as pd
from traitlets.config import Config

from .bars import Bar
from .candidates import load_calls, load_candidates
from .errors import TroveLiteError, shown
from .journal import locked, on_disk, write_atomically
from .models import load_model

RETRIES = 2
#: Notebook parameters that name a place to write to: a cell of a grid gets its own, unless it is given.
PLACES = {"out": "run", "results": "results", "figures": "figures"}


def paths(*given: str | Sequence[str] | Mapping[str, str]) -> list[str | list[str] | dict[str, str]]:
    """A notebook's paths, for it may be started in its own folder or in the repository's root.

    Where the current folder holds the notebooks, `../results` is `results`; any other path is what it is. Of a mapping
    the keys are the paths.
    """
    strip = "../" if Path("notebooks").is_dir() else ""

    def here(path):
        if isinstance(path, Mapping):
            return {here(each): about for each, about in path.items()}
        return path.removeprefix(strip) if isinstance(path, str) else [here(each) for each in path]

    return [here(path) for path in given]


def read_notebook(path: Path) -> nbformat.NotebookNode:
    """A notebook file. Raises TroveLiteError for one that cannot be read or is none."""
    try:
        return nbformat.read(path, as_version=4)
    except OSError as error:
        raise TroveLiteError(f"{path}: cannot be read ({error.strerror}); check the path") from error
    except (ValueError, AttributeError) as error:  # not JSON, or of another shape
        raise TroveLiteError(f"{path}: not a notebook ({' '.join(str(error).split())[:80]})") from error


def notebook_parameters(path: Path) -> dict[str, object]:
    """Names and default values of the notebook's cell tagged `parameters`."""
    notebook = read_notebook(path)
    cell = next((c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])), None)
    if cell is None:
        raise TroveLiteError(f"{path}: no cell is tagged 'parameters'; tag the cell that holds them")
    values = {}
    try:
        for statement in ast.parse(cell.source).body:
            if isinstance(statement, ast.AnnAssign):
                values[statement.target.id] = ast.literal_eval(statement.value)
            elif isinstance(statement, ast.Assign):
                values[statement.targets[0].id] = ast.literal_eval(statement.value)
    except (SyntaxError, ValueError, AttributeError) as error:
        raise TroveLiteError(f"{path}: its parameters are not plain values by name ({error})") from error
    return values


def check_parameters(path: Path, given: Mapping[str, str]) -> dict[str, object]:
    """Texts from a command line → values of the types that the notebook's defaults have.

    Raises TroveLiteError for a name that the notebook does not have or a text that is not of its type, and for a
    `model` that cannot be: one that holds a key would go into the executed copy before the notebook could refuse it.
    """
    defaults = notebook_parameters(path)
    values = {}
    for name, text in given.items():
        if name not in defaults:
            raise TroveLiteError(f"{path.name} has no parameter '{name}': it has {', '.join(defaults)}")
        if name == "model":
            load_model(text)
        values[name] = _typed(path, name, text, defaults[name])
    return values


def _typed(path: Path, name: str, text: str, default: object) -> object:
    kind = type(default)
    try:
        if kind is str:
            return text
        value = ast.literal_eval(text)
        if kind is float and type(value) is int:
            value = float(value)
        if "_" not in text and (type(value) is kind or default is None):
            return value
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    raise TroveLiteError(f"{path.name}: parameter '{name}' takes a {kind.__name__} such as {default!r}, not '{text}'")


def execute_notebook(path: Path, parameters: Mapping[str, object], output: Path) -> None:
    """Run one notebook in its own folder with these parameters; `output` gets the executed copy, also on failure.

    A kernel that does not start (busy ports, a crowded machine) is tried again. Raises TroveLiteError with the
    traceback where a cell fails.
    """
    import papermill  # slow to import, and only needed here
    from papermill.exceptions import PapermillExecutionError

    output.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(RETRIES + 1):
        try:
            with tempfile.TemporaryDirectory(prefix="trove-lite-") as sockets:
                papermill.execute_notebook(
                    str(path),
                    str(output),
                    parameters=dict(parameters),
                    cwd=str(path.parent),
                    progress_bar=False,
                    kernel_name="python3",
                    start_timeout=120,
                    config=_transport(sockets),
                )
            return
        except PapermillExecutionError as error:
            raise TroveLiteError(
                f"{path.name}, cell {error.cell_index}: {error.ename}: {error.evalue}\n{error}"
            ) from None
        except RuntimeError as error:  # the kernel died before it replied or did not start
            if attempt == RETRIES:
                raise TroveLiteError(f"{path.name}: its kernel did not start ({error}); run fewer at once") from error


def _transport(folder: str) -> Config:
    """Kernels talk over socket files of their own where the system has those: ports on a busy machine collide."""
    return Config(KernelManager={"transport": "ipc", "ip": f"{folder}/kernel"}) if os.name == "posix" else Config()


@dataclass(frozen=True)
class Job:
    """A notebook to run: with which parameters, into which copy, and whether as a page too.

    depends: a fingerprint of whatever else its outcome hangs on.
    """

    notebook: Path
    parameters: Mapping[str, object]
    output: Path
    page: bool = False
    depends: str = ""

    @property
    def note(self) -> Path:
        """Where it is noted how this ended."""
        return self.output.with_suffix(".json")


@dataclass(frozen=True)
class Outcome:
    """How a notebook ended (`error` is "" where it is complete), and of what: something else is run again."""

    parameters: Mapping[str, object]
    code: str
    depends: str
    seconds: float
    error: str = ""


def run_all(
    jobs: Mapping[str, Job], *, at_once: int, force: bool = False, noted: Callable[[dict], None] = lambda _: None
) -> dict[str, Outcome]:
    """Run every notebook that is not complete, or all by `force`; returns how each ended, in order.

    `noted` is called with the outcomes so far whenever there is one more. An interrupt ends the processes too.
    """
    codes = {path: code_hash(path) for path in {job.notebook for job in jobs.values()}}
    ended = {} if force else {name: old for name, job in jobs.items() if (old := _earlier(job, codes[job.notebook]))}
    stop, running = threading.Event(), set()
    with ThreadPoolExecutor(at_once) as pool, Bar(len(jobs), "notebooks", done=len(ended)) as bar:
        waiting = {
            pool.submit(_run, job, codes[job.notebook], running, stop): name
            for name, job in jobs.items()
            if name not in ended
        }
        try:
            for future in as_completed(waiting):
                ended[waiting[future]] = future.result()
                bar.update()
                noted({name: ended[name] for name in jobs if name in ended})
        except BaseException:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(running):
                process.terminate()
            raise
    return {name: ended[name] for name in jobs}


def code_hash(path: Path) -> str:
    """A hash of what a notebook computes: its code, without words, outputs and the ids that saving it changes."""
    cells = read_notebook(path).cells
    code = json.dumps([cell.source for cell in cells if cell.cell_type == "code"])
    return hashlib.sha256(code.encode()).hexdigest()


def _earlier(job: Job, code: str) -> Outcome | None:
    """How this ended before, if it is complete and nothing that it hangs on has changed."""
    try:
        old = Outcome(**json.loads(job.note.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    same = (old.parameters, old.code, old.depends) == (job.parameters, code, job.depends)
    return old if same and not old.error else None


def _run(job: Job, code: str, running: set, stop: threading.Event) -> Outcome:
    """Run one notebook in a process of its own, so that whatever happens there stays there; note how it ended."""
    start = time.monotonic()
    with on_disk(job.output.parent):
        job.output.parent.mkdir(parents=True, exist_ok=True)
        job.note.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="trove-lite-") as folder:
        told = Path(folder) / "error"  # stderr is the kernel's too
        words = [str(job.notebook.resolve()), job.parameters, str(job.output.resolve()), job.page, str(told)]
        process = subprocess.Popen(
            [sys.executable, "-m", __spec__.name, json.dumps(words)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        running.add(process)
        if stop.is_set():  # while it was started
            process.terminate()
        said = process.communicate()[1].decode("utf-8", "replace").strip().split("\n")[-1]
        running.discard(process)
        if told.exists():
            error = told.read_text(encoding="utf-8").strip()
        else:
            error = f"its process ended with {process.returncode} ({said or 'no word'})" if process.returncode else ""
    outcome = Outcome(dict(job.parameters), code, job.depends, round(time.monotonic() - start, 1), error)
    with on_disk(job.note):
        text = json.dumps(asdict(outcome), indent=2, ensure_ascii=False) + "\n"
        write_atomically(job.note, lambda part: part.write_text(text, encoding="utf-8"))
    return outcome


def _in_own_process(words: str) -> int:
    """What the process of one notebook does. SIGTERM ends its kernel as an interrupt does."""
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    notebook, parameters, output, page, told = json.loads(words)
    try:
        execute_notebook(Path(notebook), parameters, Path(output))
    except TroveLiteError as error:
        Path(told).write_text(str(error), encoding="utf-8")
    if page and Path(output).exists():
        to_page(Path(output))
    return int(Path(told).exists())


# ---- a report: every notebook on some runs ----


def _is_about(path: Path, methods: set[str]) -> bool:
    """Whether a notebook can say anything of runs of these methods: its metadata may name those that it is about.

    Variants of a method, such as `creator_R0`, count as the method.
    """
    named = read_notebook(path).metadata.get("trove_lite", {}).get("methods", ())
    return not named or any(method == name or method.startswith(f"{name}_") for method in methods for name in named)


def report(
    runs: Sequence[str | Path],
    name: str,
    *,
    notebooks: Path,
    parameters: Mapping[str, str],
    jobs: int,
    root: Path,
    title: str = "",
    force: bool = False,
    only: Sequence[str] = (),
) -> int:
    """Run notebooks on these runs into `root`/results/NAME and `root`/figures/NAME; returns how many failed.

    All of them, or those named in `only`; notebooks about methods that these runs do not hold are left out. Parameters
    that only some of the notebooks have go to those; a parameter that none has is refused. `title` heads the index.
    """
    if name in ("", "..") or Path(name).name != name:
        raise TroveLiteError(f"--out {name}: give a plain name, without folders; it goes under results/ and figures/")
    candidates = load_candidates(*runs)  # a bad path fails here, once, and not in every notebook
    known = _about_runs(notebooks, set(candidates["method"].astype(str)), only)
    for parameter in parameters:
        if not any(parameter in names for names in known.values()):
            every = sorted({n for names in known.values() for n in names})
            raise TroveLiteError(f"no notebook has a parameter '{parameter}': they have {', '.join(every)}")
    results, figures = root / "results" / name, root / "figures" / name
    given = {
        "runs": [os.path.relpath(run, notebooks) for run in runs],
        "results": os.path.relpath(results, notebooks),
        "figures": os.path.relpath(figures, notebooks),
    }
    depends, todo = _fingerprint(runs), {}
    for path, defaults in known.items():
        own = check_parameters(path, {k: v for k, v in parameters.items() if k in defaults})
        # A notebook that names a folder of its own keeps it on the runs and parameters that it names.
        as_it_is = defaults["runs"] == given["runs"] and not own
        kept = {k for k in ("results", "figures") if as_it_is and defaults.get(k)}
        values = {k: v for k, v in given.items() if k in defaults and k not in kept} | own
        todo[path.stem] = Job(path, values, results / "notebooks" / path.name, page=True, depends=depends)
    with on_disk(results):
        (results / "notebooks").mkdir(parents=True, exist_ok=True)
    with locked(results / "notebooks"):
        last = {stem for stem, job in todo.items() if _reads_results(job.notebook)}
        ended = run_all({stem: job for stem, job in todo.items() if stem not in last}, at_once=jobs, force=force)
        ended |= run_all({stem: todo[stem] for stem in todo if stem in last}, at_once=jobs, force=True)
        write_index(results, figures, title or name, candidates, runs, todo, ended)
    failed = {stem: outcome.error for stem, outcome in ended.items() if outcome.error}
    for stem, message in failed.items():
        print(f"error: {stem}.ipynb failed:\n{shown(message, lines=True)}", file=sys.stderr)
    return len(failed)


def _reads_results(path: Path) -> bool:
    """Whether a notebook reads the tables of the others, and so runs after them."""
    return read_notebook(path).metadata.get("trove_lite", {}).get("last", False)


def _about_runs(notebooks: Path, methods: set[str], only: Sequence[str]) -> dict[Path, dict[str, object]]:
    """The notebooks to be run, in order, with their parameters: all about these methods, or of these those named."""
    known = {path: notebook_parameters(path) for path in sorted(notebooks.glob("[0-9]*.ipynb"))}
    known = {path: parameters for path, parameters in known.items() if "runs" in parameters}
    if unknown := sorted(set(only) - {path.stem for path in known}):
        raise TroveLiteError(f"no notebook '{unknown[0]}' about runs: there are {', '.join(p.stem for p in known)}")
    paths = [path for path in known if not only or path.stem in only]
    if left_out := [path.stem for path in paths if not _is_about(path, methods)]:
        print(f"left out, for these runs hold none of their methods: {', '.join(left_out)}")
        paths = [path for path in paths if path.stem not in left_out]
    if not paths:
        raise TroveLiteError(f"{notebooks}: holds no numbered notebooks with a parameter 'runs'; name their folder")
    return {path: known[path] for path in paths}


def _fingerprint(runs: Iterable[str | Path]) -> str:
    """A hash of what every notebook's numbers hang on: the runs' tables, by size and time, and this package's code."""
    digest = hashlib.sha256()
    for path in sorted(
        path for folder in _code() for path in folder.rglob("*") if path.suffix in (".py", ".csv", ".toml")
    ):
        digest.update(path.read_bytes())
    for run in map(Path, runs):
        for path in sorted(run.glob("*.parquet")) if run.is_dir() else [run]:
            digest.update(f"{path.resolve()} {path.stat().st_size} {path.stat().st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _code() -> list[Path]:
    """The folders whose code notebooks run: this package, and what stands beside it in a clone."""
    here = Path(__file__).parent
    return [here, *(folder for name in ("papers", "audit") if (folder := here.parent / name).is_dir())]


#: A page loads nothing from elsewhere, folds code away, says what its pictures show, and leads back to the index.
PAGE = """
{%- extends 'index.html.j2' -%}
{%- block html_head_js -%}{%- endblock -%}
{%- block jupyter_widgets -%}{%- endblock -%}
{%- block html_head_js_mathjax -%}{%- endblock -%}
{%- block html_head_js_mermaidjs -%}{%- endblock -%}
{%- block body_header -%}{{ super() }}
<style>.jp-OutputArea-output{overflow-x:auto} .jp-OutputArea-output pre{word-break:normal;overflow-wrap:anywhere}
.jp-RenderedImage img{max-width:100%;height:auto} .back{padding:0 1em} .back a{text-decoration:underline}</style>
<p class="back"><a href="../index.html">all figures, notebooks and tables</a></p>
{%- endblock -%}
{%- block input -%}<details><summary>code</summary>{{ super() }}</details>{%- endblock -%}
{%- block data_png -%}
<div class="jp-RenderedImage jp-OutputArea-output">
<img src="data:image/png;base64,{{ output.data['image/png'] | escape_html }}"
alt="{{ output.metadata.alt | escape_html }}">
</div>
{%- endblock -%}
"""


def to_page(notebook: Path) -> None:
    """An executed notebook as a page beside it."""
    from nbconvert import HTMLExporter

    book, heading = read_notebook(notebook), ""
    for cell in book.cells:
        heading = _title(cell.source) if cell.cell_type == "markdown" and _title(cell.source) else heading
        told = "".join(output.get("text", "") for output in cell.get("outputs", ())).strip()  # a caption, if any
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                output.metadata["alt"] = told or f"Figure: {heading}"
    book.metadata["title"] = title_of(notebook)
    exporter = HTMLExporter(exclude_input_prompt=True, exclude_output_prompt=True)
    exporter.raw_template = PAGE
    notebook.with_suffix(".html").write_text(exporter.from_notebook_node(book)[0], encoding="utf-8")


def title_of(notebook: Path) -> str:
    """A notebook's first heading, or its name."""
    cells = read_notebook(notebook).cells
    return next(
        (title for cell in cells if cell.cell_type == "markdown" and (title := _title(cell.source))), notebook.stem
    )


def _title(markdown: str) -> str:
    """The first heading in a Markdown text."""
    found = re.search(r"^#+ +(.+)", markdown, re.MULTILINE)
    return found[1].strip() if found else ""


def write_index(
    results: Path,
    figures: Path,
    title: str,
    candidates: pd.DataFrame,
    folders: Sequence[str | Path],
    jobs: Mapping[str, Job],
    ended: Mapping[str, Outcome],
) -> None:
    """One page to read everything from, about these runs and notebooks."""
    from .analysis.health import in_words, signs
    from .index_page import Book, write_index_page

    runs = {
        c: ", ".join(sorted(candidates[c].astype(str).unique())) for c in ("model", "dataset", "provenance", "method")
    }
    books = [
        Book(title_of(job.notebook), f"notebooks/{stem}.html", bool(ended[stem].error)) for stem, job in jobs.items()
    ]
    about = "; ".join(f"{name} {value}" for name, value in runs.items())
    against = in_words(signs(candidates, load_calls(*folders), folders))
    write_index_page(results, figures, title=title, runs=about, books=books, signs=against)


# ---- a grid: one notebook, many parameters ----


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


def grid_jobs(notebook: Path, fixed: Mapping[str, str], axes: Mapping[str, Sequence[str]], out: Path) -> dict[str, Job]:
    """The cells of a grid by name, every parameter checked against the notebook's own before anything runs."""
    if both := sorted(set(fixed) & set(axes)):
        raise TroveLiteError(f"parameter '{both[0]}' is given by both -p and --grid: give it once")
    known = notebook_parameters(notebook)
    jobs: dict[str, Job] = {}
    for values in itertools.product(*axes.values()):
        point = dict(zip(axes, values, strict=True))
        name = ",".join(f"{key}={re.sub(r'[^-+.A-Za-z0-9]', '_', value)}" for key, value in point.items()) or "all"
        if name in jobs:
            raise TroveLiteError("two cells of the grid would share a folder: choose values that differ in letters too")
        parameters = check_parameters(notebook, {**fixed, **point})
        for place, folder in PLACES.items():
            if place in known and place not in parameters:
                parameters[place] = os.path.relpath((out / name / folder).resolve(), notebook.resolve().parent)
        jobs[name] = Job(notebook, parameters, out / name / notebook.name)
    return jobs


def run_grid(
    notebook: Path,
    fixed: Mapping[str, str],
    axes: Mapping[str, Sequence[str]],
    out: Path,
    *,
    jobs: int = 2,
    force: bool = False,
) -> dict[str, Outcome]:
    """Run the notebook in every cell of a grid that is not complete; returns how each ended, in the grid's order.

    `out` gets a folder a cell, and `manifest.csv`: a row a cell, parameters as JSON, of an error its first line.
    """
    if not notebook.is_file():
        raise TroveLiteError(f"{notebook}: no such notebook; check the path")
    cells = grid_jobs(notebook, fixed, axes, out)

    def manifest(ended: Mapping[str, Outcome]) -> None:
        rows = [
            {
                "cell": name,
                "status": "failed" if o.error else "complete",
                "parameters": json.dumps(o.parameters),
                "seconds": o.seconds,
                "error": o.error.split("\n")[0],
            }
            for name, o in ended.items()
        ]
        with on_disk(out):
            write_atomically(out / "manifest.csv", lambda part: pd.DataFrame(rows).to_csv(part, index=False))

    with on_disk(out):
        out.mkdir(parents=True, exist_ok=True)
    with locked(out):
        ended = run_all(cells, at_once=jobs, force=force, noted=manifest)
        manifest(ended)
    return ended


if __name__ == "__main__":
    sys.exit(_in_own_process(sys.argv[1]))
