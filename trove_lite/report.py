"""A report: every notebook on some runs, into results/NAME and figures/NAME, and a page that leads to all of it."""

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

from PIL import Image

from .analysis.health import in_words, signs
from .candidates import load_calls, load_candidates
from .errors import TroveLiteError, UsageError
from .notebooks import Job, check_parameters, notebook_parameters, read_notebook, run_all, title_of, typed


def report(
    runs: Sequence[str | Path],
    name: str,
    *,
    notebooks: Path,
    parameters: Mapping[str, str],
    jobs: int,
    title: str = "",
    force: bool = False,
    only: Sequence[str] = (),
) -> int:
    """Run notebooks on these runs into results/NAME and figures/NAME, here; returns how many failed.

    All of them, or those named in `only`; notebooks about methods that these runs do not hold are left out. Parameters
    that only some of the notebooks have go to those; a parameter that none has is refused. `title` heads the index.
    """
    if name in ("", "..") or Path(name).name != name:
        raise TroveLiteError(f"--out {name}: give a plain name, without folders; it goes under results/ and figures/")
    parameters = dict(parameters)
    if "runs" in parameters:
        if runs:
            raise UsageError("runs are given as words and by -p runs: give them once")
        named = typed(notebooks, "runs", parameters.pop("runs"), [])
        runs = [run if Path(run).exists() else notebooks / run for run in named]  # as seen from here, or from there
    candidates = load_candidates(*runs)  # a bad path fails here, once, and not in every notebook
    known = _about_runs(notebooks, set(candidates["method"].astype(str)), only)
    names = sorted({name for defaults in known.values() for name in defaults})
    if unknown := sorted({*parameters} - {*names}):
        raise TroveLiteError(f"no notebook has a parameter '{unknown[0]}': they have {', '.join(names)}")
    results, figures = Path("results") / name, Path("figures") / name
    given = {"runs": [os.path.relpath(run, notebooks) for run in runs]}
    given |= {"results": os.path.relpath(results, notebooks), "figures": os.path.relpath(figures, notebooks)}
    todo = {}
    for path, defaults in known.items():
        own = check_parameters(path, {k: v for k, v in parameters.items() if k in defaults})
        # A notebook that names a folder of its own keeps it on the runs and parameters that it names.
        as_it_is = defaults["runs"] == given["runs"] and not own
        places = {k: v for k, v in given.items() if k in defaults and not (as_it_is and k != "runs" and defaults[k])}
        last = _about(path).get("last", False)  # it reads the tables of the others
        todo[path.stem] = Job(path, places | own, results / "notebooks" / path.name, page=True, last=last)
    errors = run_all(todo, results / "notebooks", at_once=jobs, force=force, depends=_fingerprint(runs))
    columns = ("model", "dataset", "provenance", "method")
    about = "; ".join(f"{c} {', '.join(sorted(candidates[c].astype(str).unique()))}" for c in columns)
    against = in_words(signs(candidates, load_calls(*runs), runs))
    page = index_page(results, figures, title or name, about, against, {p: p.stem in errors for p in known})
    (results / "index.html").write_text(page, "utf-8")
    return len(errors)


def _about(path: Path) -> dict:
    """What a notebook's metadata say of it: the `methods` that it is about, and whether it comes `last`."""
    return read_notebook(path).metadata.get("trove_lite", {})


def _is_about(path: Path, methods: set[str]) -> bool:
    """Whether a notebook can say anything of runs of these methods; variants, such as `creator_R0`, count as these."""
    named = _about(path).get("methods", ())
    return not named or any(f"{method}_".startswith(f"{name}_") for method in methods for name in named)


def _about_runs(notebooks: Path, methods: set[str], only: Sequence[str]) -> dict[Path, dict[str, object]]:
    """The notebooks to be run, in order, with their parameters: all about these methods, or of these those named."""
    known = {path: notebook_parameters(path) for path in sorted(notebooks.glob("[0-9]*.ipynb"))}
    known = {path: own for path, own in known.items() if "runs" in own}
    stems = [path.stem for path in known]
    if unknown := sorted({*only} - {*stems}):
        raise TroveLiteError(f"no notebook '{unknown[0]}' about runs: there are {', '.join(stems)}")
    chosen = [path for path in known if not only or path.stem in only]
    kept = [path for path in chosen if _is_about(path, methods)]
    if len(kept) < len(chosen):
        others = ", ".join(path.stem for path in chosen if path not in kept)
        print(f"left out, for these runs hold none of their methods: {others}")
    if not kept:
        raise TroveLiteError(f"{notebooks}: holds no numbered notebooks with a parameter 'runs'; name their folder")
    return {path: known[path] for path in kept}


def _fingerprint(runs: Iterable[str | Path]) -> str:
    """A hash of what every notebook's numbers hang on: the runs' tables, by size and time, and the code beside it."""
    here, digest = Path(__file__).parent, hashlib.sha256()
    for folder in (here, here.parent / "papers", here.parent / "audit"):
        for path in sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".csv", ".toml")):
            digest.update(path.read_bytes())
    for run in map(Path, runs):
        for path in sorted(run.glob("*.parquet")) if run.is_dir() else [run]:
            digest.update(f"{path.resolve()} {path.stat().st_size} {path.stat().st_mtime_ns}\n".encode())
    return digest.hexdigest()


PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>body{{font:16px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}}
img{{max-width:100%;height:auto}}</style><h1>{title}</h1><p>{about}</p><ul>{against}</ul>
<h2>Figures</h2>{pictures}<h2>Notebooks and tables</h2><ul>{links}</ul></html>
"""


def index_page(
    results: Path, figures: Path, title: str, about: str, against: Sequence[str], books: Mapping[Path, bool]
) -> str:
    """A page that loads nothing: what ran, signs against it, then all figures, notebooks and tables that are there.

    books: notebooks, and whether each failed. A figure's caption is what its PNG carries.
    """
    up, pictures = os.path.relpath(figures, results), []
    for path in sorted(figures.glob("*.png"), key=natural):
        with Image.open(path) as picture:
            caption = escape(picture.info.get("Description") or path.stem)
        image = f'<a href="{up}/{path.name}"><img src="{up}/{path.name}" alt="{caption}"></a>'
        pictures.append(f'<figure id="{path.stem}">{image}<figcaption>{caption}</figcaption></figure>')
    links = {"view.html": "every problem with its candidates"} if (results / "view.html").is_file() else {}
    links |= {f"notebooks/{path.stem}.html": title_of(path) + " (failed)" * failed for path, failed in books.items()}
    links |= {path.name: path.stem for path in sorted(results.glob("*.csv"), key=natural)}
    return PAGE.format(
        title=escape(title),
        about=escape(about),
        against="".join(f"<li>Against these runs: {escape(line)}</li>" for line in against),
        pictures="".join(pictures),
        links="".join(f'<li><a href="{place}">{escape(words)}</a></li>' for place, words in links.items()),
    )


def natural(path: Path) -> list:
    """A sort key by which figure 10 comes after figure 9."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.stem)]
