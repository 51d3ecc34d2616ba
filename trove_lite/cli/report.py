"""A report: every notebook on some runs, into results/NAME and figures/NAME, and a page that leads to all of it."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

import pandas as pd
from PIL import Image

from ..analysis.compare import points
from ..analysis.health import golds_of, in_words, signs
from ..candidates import load_calls, load_candidates
from ..errors import TroveLiteError, UsageError
from .notebooks import PAGE, Job, check_parameters, notebook_parameters, read_notebook, run_all, title_of, typed


def report(
    runs: Sequence[str | Path],
    name: str,
    *,
    notebooks: Path | None,
    parameters: Mapping[str, str],
    jobs: int,
    title: str = "",
    only: Sequence[str] = (),
) -> int:
    """Run notebooks on these runs into results/NAME and figures/NAME, here; returns how many failed.

    All of them, or those named in `only`; one about methods or data that these do not hold is left out. Parameters
    that only some of the notebooks have go to those; a parameter that none has is refused. `title` heads the index.
    """
    if name in ("", "..") or Path(name).name != name:
        raise TroveLiteError(f"--out {name}: give a plain name, without folders; it goes under results/ and figures/")
    notebooks = notebooks or essays_folder()
    parameters = dict(parameters)
    if "runs" in parameters:
        if runs:
            raise UsageError("runs are given as words and by -p runs: give them once")
        named = typed(notebooks, "runs", parameters.pop("runs"), [])
        runs = [run if Path(run).exists() else notebooks / run for run in named]  # as seen from here, or from there
    candidates = load_candidates(*runs)  # a bad path fails here, once, and not in every notebook
    known = _about_runs(notebooks, {f"{c}s": set(candidates[c].astype(str)) for c in ("method", "dataset")}, only)
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
    errors = run_all(todo, results / "notebooks", at_once=jobs, force=True)
    columns = ("model", "dataset", "provenance", "method")
    about = "; ".join(f"{c} {', '.join(sorted(candidates[c].astype(str).unique()))}" for c in columns)
    against = in_words(signs(candidates, load_calls(*runs), runs, golds=golds_of(candidates)))
    page = index_page(results, figures, title or name, about, against, {p: p.stem in errors for p in known})
    (results / "index.html").write_text(page, "utf-8")
    return len(errors)


def _about(path: Path) -> dict:
    """What a notebook's metadata say of it: the `methods` that it is about, and whether it comes `last`."""
    return read_notebook(path).metadata.get("trove_lite", {})


def _is_about(path: Path, **held: set[str]) -> bool:
    """Whether a notebook says anything of runs with these `methods` and `datasets`; `creator_R0` is creator."""
    asked = {kind: "|".join(named) for kind in held if (named := _about(path).get(kind))}
    return all(any(re.match(f"({names})([_?]|$)", one) for one in held[kind]) for kind, names in asked.items())


def essays_folder() -> Path:
    """`notebooks` here, or beside the package in a clone, or within `trove_lite_papers` where a wheel was installed."""
    package = Path(__file__).parents[2]
    known = (Path("notebooks"), package / "notebooks", package / "trove_lite_papers" / "essays")
    return next((folder for folder in known if folder.is_dir()), known[0])


def _about_runs(notebooks: Path, held: dict[str, set[str]], only: Sequence[str]) -> dict[Path, dict[str, object]]:
    """The notebooks to be run, in order, with their parameters: all about what runs hold, or of these those named."""
    known = {path: notebook_parameters(path) for path in sorted(notebooks.glob("[0-9]*.ipynb"))}
    known = {path: own for path, own in known.items() if "runs" in own}
    stems = [path.stem for path in known]
    if unknown := sorted({*only} - {*stems}):
        raise TroveLiteError(f"no notebook '{unknown[0]}' about runs: there are {', '.join(stems)}")
    chosen = [path for path in known if not only or path.stem in only]
    kept = [path for path in chosen if _is_about(path, **held)]
    if len(kept) < len(chosen):
        others = ", ".join(path.stem for path in chosen if path not in kept)
        print(f"left out, for these runs hold none of their methods or data: {others}")
    if not kept:
        raise TroveLiteError(f"{notebooks}: holds no numbered notebooks with a parameter 'runs'; name their folder")
    return {path: known[path] for path in kept}


# ---- the page ----


def index_page(
    results: Path, figures: Path, title: str, about: str, against: Sequence[str], books: Mapping[Path, bool]
) -> str:
    """A page that loads nothing: answer, claims by verdict, figures, `books` (has each failed?), signs `against`."""
    pictures = {path.stem: _picture(path, results) for path in sorted(figures.glob("*.png"), key=natural)}
    first = next((pictures.pop(name) for name in ("accuracy", *pictures) if name in pictures), "")
    links = {"view.html": "every problem with its candidates"} if (results / "view.html").is_file() else {}
    links |= {f"notebooks/{path.stem}.html": title_of(path) + " (failed)" * failed for path, failed in books.items()}
    links |= {path.name: path.stem for path in sorted(results.glob("*.csv"), key=natural)}
    parts = [
        f"<h1>{escape(title)}</h1><p><b>{escape(answer_sentence(results))}</b></p>",
        first,
        f"<p>{escape(about)}</p>",
    ]
    parts += [_listed(f"Against these runs: {escape(line)}" for line in against), *_claims(results)]
    parts += ["<h2>Other figures</h2>", *pictures.values()] if pictures else []
    parts += ["<h2>Notebooks and tables</h2>"]
    parts += [_listed(f'<a href="{place}">{escape(words)}</a>' for place, words in links.items())]
    return PAGE.format(title=escape(title), body="\n".join(parts))


def answer_sentence(results: Path) -> str:
    """Which of two methods is ahead, by this folder's table of differences; of several pairs, the clearest."""
    path = results / "accuracy_differences.csv"
    table = pd.read_csv(path) if path.is_file() else pd.DataFrame()
    if table.empty:
        return "Nothing is compared yet: that takes two methods on the same problems, and the notebook 02_methods."
    table = table[table["rule"] == table["rule"].iloc[0]].drop_duplicates(["a", "b"], keep="last").sort_values("p")
    row = next(table.itertuples())
    if row.low > 0 or row.high < 0:
        verdict = f"{row.a if row.low > 0 else row.b} is ahead" + ", but not after correction" * (row.p_holm > 0.05)
    elif row.p_within_2 <= 0.05:
        verdict = "they differ by less than 2 points"
    else:
        verdict = "which is ahead is open" if row.high - row.low < 1 else "these runs cannot tell which is ahead"
    shown = f"Of {len(table)} pairs of methods {(table['p_holm'] <= 0.05).sum()} are shown to differ; the clearest is "
    sides = f"{row.a} minus {row.b}, {row.k} programs a problem each, {row.problems:,.0f} problems"
    pair = f"{sides}: {points(row)} by {row.rule.replace('_', '-')} agreement (95 %); {verdict}."
    return shown * (len(table) > 1) + pair


def _claims(results: Path) -> list[str]:
    """The papers' claims by verdict, of `claims.csv`; the open ones folded, with what would decide each."""
    path = results / "claims.csv"
    if not path.is_file():
        return []
    table = pd.read_csv(path, dtype=str, keep_default_na=False)
    table["claim"] += " (" + table["paper"] + ", " + table["place"] + ")"
    table["ours"] += " " + table["interval"]
    missing = table["why"].str.rpartition("open: ")[2].where(table["why"].str.contains("open: |absent: "))
    missing = missing.str.replace("stand-in: ", "runs of the method itself, not of its stand-in, the ")
    table["what would decide it"] = missing.fillna("a narrower interval: more problems or runs")
    parts = ["<h2>What the papers claim</h2>"]
    for verdict, rows in table.groupby(table["verdict"].replace("open", "~open")):  # open last
        last = ["what would decide it"] if verdict == "~open" else ["why", "hangs_on"]
        shown = rows[["claim", "printed", "ours", *last]].rename(columns={"hangs_on": "hangs on"})
        words = f"{verdict.strip('~')}: {len(rows)} of {len(table)}"
        html = f'<div class="scroll">{shown.to_html(index=False, border=0)}</div>'
        folded = f"<details><summary>{words}</summary>{html}</details>"
        parts.append(folded if verdict == "~open" else f"<h3>{words}</h3>{html}")
    return parts


def _picture(path: Path, results: Path) -> str:
    with Image.open(path) as picture:
        caption = escape(picture.info.get("Description") or path.stem)
    place = os.path.relpath(path, results)
    image = f'<a href="{place}"><img src="{place}" alt="{caption}"></a>'
    return f'<figure id="{path.stem}">{image}<figcaption>{caption}</figcaption></figure>'


def _listed(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"


def natural(path: Path) -> list:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.stem)]
