"""Notebooks by papermill: run with checked parameters, in a bounded pool, into results/ and figures/.

It knows notebooks and folders, not what a table means. Papermill itself turns `12e4567` into infinity and lets a
misspelt parameter pass with a warning; here parameters are checked against the notebook's own before anything runs.
"""

import ast
import html
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import nbformat
from tqdm import tqdm
from traitlets.config import Config

from .candidates import load_candidates
from .errors import TroveLiteError
from .models import load_model

RETRIES = 2


def paths(*given: str | Sequence[str]) -> list[str | list[str]]:
    """A notebook's paths, for it may be started in its own folder or in the repository's root.

    Where the current folder holds the notebooks, `../results` is `results`; any other path is what it is.
    """
    strip = "../" if Path("notebooks").is_dir() else ""
    return [p.removeprefix(strip) if isinstance(p, str) else [each.removeprefix(strip) for each in p] for p in given]


def notebook_parameters(path: Path) -> dict[str, object]:
    """Names and default values of the notebook's cell tagged `parameters`."""
    notebook = nbformat.read(path, as_version=4)
    cell = next((c for c in notebook.cells if "parameters" in c.metadata.get("tags", [])), None)
    if cell is None:
        raise TroveLiteError(f"{path}: no cell is tagged 'parameters'; tag the cell that holds them")
    values = {}
    for statement in ast.parse(cell.source).body:
        if isinstance(statement, ast.AnnAssign):
            values[statement.target.id] = ast.literal_eval(statement.value)
        elif isinstance(statement, ast.Assign):
            values[statement.targets[0].id] = ast.literal_eval(statement.value)
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
    except (ValueError, SyntaxError):
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
                    str(path), str(output), parameters=dict(parameters), cwd=str(path.parent), progress_bar=False,
                    kernel_name="python3", start_timeout=120, config=_transport(sockets),
                )  # fmt: skip
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


def report(
    runs: Sequence[str | Path], name: str, *, notebooks: Path, parameters: Mapping[str, str], jobs: int, root: Path
) -> int:
    """Run every notebook on these runs into `root`/results/NAME and `root`/figures/NAME; returns how many failed.

    Parameters that only some of the notebooks have go to those; a parameter that none has is refused.
    """
    load_candidates(*runs)  # a bad path fails here, once, and not in every notebook
    paths = sorted(p for p in notebooks.glob("[0-9]*.ipynb") if "runs" in notebook_parameters(p))
    if not paths:
        raise TroveLiteError(f"{notebooks}: holds no numbered notebooks with a parameter 'runs'; name their folder")
    known = {path: notebook_parameters(path) for path in paths}
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
    jobs_of = {}
    for path in paths:
        own = check_parameters(path, {k: v for k, v in parameters.items() if k in known[path]})
        # A notebook that names a folder of its own keeps it on the runs and parameters that it names.
        as_it_is = known[path]["runs"] == given["runs"] and not own
        kept = {k for k in ("results", "figures") if as_it_is and known[path].get(k)}
        jobs_of[path] = {k: v for k, v in given.items() if k in known[path] and k not in kept} | own
    failures = _run_all(jobs_of, results / "notebooks", jobs)
    _index(results, figures, name, paths, failures)
    for path, message in failures.items():
        print(f"error: {path.name} failed:\n{message}", file=sys.stderr)
    return len(failures)


def _run_all(jobs_of: Mapping[Path, dict], folder: Path, jobs: int) -> dict[Path, str]:
    failures = {}
    with ProcessPoolExecutor(min(jobs, len(jobs_of))) as pool:
        running = {pool.submit(_one, path, values, folder): path for path, values in jobs_of.items()}
        for done in tqdm(as_completed(running), total=len(running), desc="notebooks", unit="notebook"):
            if message := done.result():
                failures[running[done]] = message
    return dict(sorted(failures.items()))


def _one(path: Path, values: dict, folder: Path) -> str:
    output = folder / path.name
    message = ""
    try:
        execute_notebook(path.resolve(), values, output.resolve())
    except TroveLiteError as error:
        message = str(error)
    if output.exists():
        _to_html(output)
    return message


def _to_html(notebook: Path) -> None:
    from nbconvert import HTMLExporter

    body, _ = HTMLExporter(exclude_input_prompt=True, exclude_output_prompt=True).from_filename(str(notebook))
    notebook.with_suffix(".html").write_text(body, encoding="utf-8")


def _index(results: Path, figures: Path, name: str, notebooks: Iterable[Path], failures: Mapping[Path, str]) -> None:
    """One page to read everything from."""
    link = '<li><a href="{}">{}</a>{}</li>'.format
    items = [
        link(f"notebooks/{p.stem}.html", html.escape(p.stem), " (failed)" if p in failures else "") for p in notebooks
    ]
    tables = [link(t.name, t.stem, "") for t in sorted(results.glob("*.csv"))]
    up = os.path.relpath(figures, results)
    pictures = [
        f'<figure><a href="{up}/{f.stem}.svg"><img src="{up}/{f.name}" alt="{f.stem}"></a>'
        f"<figcaption>{f.stem}</figcaption></figure>"
        for f in sorted(figures.glob("*.png"))
    ]
    page = (
        '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(name)}</title><style>body{{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;"
        "padding:0 1rem}img{max-width:100%}figure{margin:2rem 0}</style>"
        f"<h1>{html.escape(name)}</h1><h2>Notebooks</h2><ul>{''.join(items)}</ul>"
        f"<h2>Figures</h2>{''.join(pictures)}<h2>Tables</h2><ul>{''.join(tables)}</ul></html>\n"
    )
    results.mkdir(parents=True, exist_ok=True)
    (results / "index.html").write_text(page, encoding="utf-8")
