"""A report: every notebook on some runs, into results/NAME and figures/NAME, and a page that leads to all of it."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path

import pandas as pd
from PIL import Image

from trove_lite.candidates import STREAM, all_candidates, load_calls, load_candidates
from trove_lite.errors import TroveLiteError
from trove_lite.programs.calling import TABLE
from trove_lite.selection.tables import without_agreement

from ..health import golds_of, in_words, signs
from ..sentence import headline
from .notebooks import (
    PAGE,
    Job,
    check_parameters,
    notebook_parameters,
    read_notebook,
    run_all,
    title_of,
)

#: Tables of differences, with their rule where they do not say it; the first that can tell is what a report says first.
DIFFERENCES = {"accuracy_differences.csv": "", "reeval_without_import.csv": "two_stage"}
ACCURACY = "accuracy"  # the first figure, where the table of differences has none of its name


def report(
    runs: Sequence[str | Path],
    name: str,
    *,
    notebooks: Path | None,
    parameters: Mapping[str, str],
    jobs: int,
    title: str = "",
    only: Sequence[str] = (),
    into: Path | None = None,
) -> int:
    """Run notebooks on these runs into results/NAME and figures/NAME here, or a folder; returns how many failed.

    All of them, or those named in `only`; one about methods or data that these do not hold is left out. Parameters
    that only some of the notebooks have go to those; a parameter that none has is refused. `title` heads the index.
    """
    if name in ("", "..") or Path(name).name != name:
        raise TroveLiteError(
            f"--out {name}: give a plain name, without folders; it goes under results/ and figures/"
        )
    notebooks = notebooks or essays_folder()
    candidates = load_candidates(*runs)  # a bad path fails here, once, and not in every notebook
    beside = _second_model(runs) if "beside" not in parameters else {}
    misfits = (
        {}
        if "beside" in {**parameters, **beside}
        else {"beside": "runs of a second model are needed: -p beside"}
    )
    misfits |= what_is_lacking(candidates)
    if "calls" in parameters or any(_has_calls(run) for run in runs):
        misfits.pop("made tools", None)
    held = {f"{c}s": set(candidates[c].astype(str)) for c in ("method", "dataset")}
    known, left = _about_runs(notebooks, held, misfits, only)
    names = sorted({name for defaults in known.values() for name in defaults} - {"runs"})
    if unknown := sorted({*parameters} - {*names}):
        raise TroveLiteError(
            f"no notebook has a parameter '{unknown[0]}' to be given: they have {', '.join(names)}"
        )
    results, figures = (
        (into, into / "figures") if into else (Path("results") / name, Path("figures") / name)
    )

    def seen(*paths: str | Path) -> list[str]:
        return [os.path.relpath(path, notebooks) for path in paths]

    given = {"runs": seen(*runs), "results": seen(results)[0], "figures": seen(figures)[0]}
    todo = {}
    for path, defaults in known.items():
        own = check_parameters(path, {k: v for k, v in parameters.items() if k in defaults})
        # A notebook that names a folder of its own keeps it on the runs and parameters that it names.
        as_it_is = defaults["runs"] == given["runs"] and not own
        places = {
            k: v
            for k, v in given.items()
            if k in defaults and not (as_it_is and k != "runs" and defaults[k])
        }
        places |= {k: seen(*paths) for k, paths in beside.items() if "beside" in defaults}
        last = _about(path).get("last", False)  # it reads the tables of the others
        todo[path.stem] = Job(
            path, places | own, results / "notebooks" / path.name, page=True, last=last
        )
    errors = run_all(todo, results / "notebooks", at_once=jobs, force=True)
    columns = ("model", "dataset", "provenance", "method")
    about = "; ".join(
        f"{c} {', '.join(sorted(candidates[c].astype(str).unique()))}" for c in columns
    )
    against = in_words(signs(candidates, load_calls(*runs), runs, golds=golds_of(candidates, runs)))
    failed = {path: path.stem in errors for path in known}
    page = index_page(results, figures, title or name, about, against, failed, left)
    (results / "index.html").write_text(page, "utf-8")
    return len(errors)


def what_is_lacking(candidates: pd.DataFrame) -> dict[str, str]:
    """What a notebook may need (`needs` in its metadata) and these candidates do not have → why it is left out."""
    known = all_candidates(candidates)
    several = known.duplicated([*STREAM, "phase", "problem"]).any()
    found = {
        "one model": len(known[["model", "provenance"]].drop_duplicates()) > 1
        and "it is about runs of one model",
        "answers": without_agreement(known) and "these logs hold verdicts and no answers",
        "levels": not (known["level"].astype(str) != "").any() and "these problems have no levels",
        "several samples": not several and "there is one sample a problem",
        "made tools": not _could_call(known) and "no program of these runs could call a made tool",
    }
    return {need: why for need, why in found.items() if why and len(known)}


def _could_call(candidates: pd.DataFrame) -> bool:
    """Whether tools were made for a candidate, or for its whole run: only then could it call one."""
    made = candidates["tools" if "tools" in candidates else "used_tools"]
    return bool(candidates["shares_state"].any() or (made.dropna().map(len) > 0).any())


def _has_calls(run: str | Path) -> bool:
    folder = Path(run)
    return ((folder if folder.is_dir() else folder.parent) / TABLE).is_file()


def _second_model(runs: Sequence[str | Path]) -> dict[str, list]:
    """Of runs of two models, each of one, those of either: what a notebook about two models is given."""
    models: dict[str, list] = {}
    for run in runs if len(runs) > 1 else ():
        models.setdefault(
            ", ".join(sorted(load_candidates(run)["model"].astype(str).unique())), []
        ).append(run)
    groups = list(models.values())
    return (
        {"runs": groups[0], "beside": [run for own in groups[1:] for run in own]}
        if len(groups) > 1
        else {}
    )


def _about(path: Path) -> dict:
    """What a notebook's metadata say of it: the `methods` that it is about, what it `needs`, and if it comes `last`."""
    return read_notebook(path).metadata.get("trove_lite", {})


def _is_about(path: Path, **held: set[str]) -> bool:
    """Whether a notebook says anything of runs with these `methods` and `datasets`; `creator_R0` is creator."""
    asked = {kind: "|".join(named) for kind in held if (named := _about(path).get(kind))}
    return all(
        any(re.match(f"({names})([_?]|$)", one) for one in held[kind])
        for kind, names in asked.items()
    )


def essays_folder() -> Path:
    """`notebooks` here, or beside the package in a clone, or within `trove_lite_papers` where a wheel was installed."""
    package = Path(__file__).parents[2]
    known = (Path("notebooks"), package / "notebooks", package / "trove_lite_papers" / "essays")
    return next((folder for folder in known if folder.is_dir()), known[0])


def _about_runs(
    notebooks: Path, held: Mapping[str, set[str]], misfits: Mapping[str, str], only: Sequence[str]
) -> tuple[dict[Path, dict[str, object]], list[str]]:
    """The notebooks to be run, in order, with their parameters, all that fit the runs or of these those named; and a
    line for each reason why others are left out."""
    known = {path: notebook_parameters(path) for path in sorted(notebooks.glob("[0-9]*.ipynb"))}
    known = {path: own for path, own in known.items() if "runs" in own}
    stems = [path.stem for path in known]
    if unknown := sorted({*only} - {*stems}):
        raise TroveLiteError(f"no notebook '{unknown[0]}' about runs: there are {', '.join(stems)}")
    left: dict[str, list[str]] = {}
    kept = {}
    for path in (path for path in known if not only or path.stem in only):
        reasons = [misfits[need] for need in _about(path).get("needs", ()) if need in misfits]
        if not _is_about(path, **held):
            reasons = ["these runs hold none of their methods or data"]
        if reasons:
            left.setdefault(reasons[0], []).append(path.stem)
        else:
            kept[path] = known[path]
    lines = [f"left out, for {reason}: {', '.join(names)}" for reason, names in left.items()]
    print(*lines, sep="\n", end=("\n" if bool(lines) else ""))
    if not known:
        what = "holds no numbered notebooks with a parameter 'runs'"
        raise TroveLiteError(f"{notebooks}: {what}; name their folder")
    return kept, lines


# ---- the page ----


def index_page(
    results: Path,
    figures: Path,
    title: str,
    about: str,
    against: Sequence[str],
    books: Mapping[Path, bool],
    left: Sequence[str] = (),
) -> str:
    """A page that loads nothing: answer, figures, `books` (has each failed?), signs `against`, what was `left` out."""
    pictures = {
        path.stem: _picture(path, results) for path in sorted(figures.glob("*.png"), key=natural)
    }
    said, table = answer(results)
    first = next(
        (pictures.pop(name) for name in (table, ACCURACY, *pictures) if name in pictures), ""
    )
    links = (
        {"view.html": "every problem with its candidates"}
        if (results / "view.html").is_file()
        else {}
    )
    links |= {
        f"notebooks/{path.stem}.html": title_of(path) + " (failed)" * failed
        for path, failed in books.items()
    }
    links |= {path.name: path.stem for path in sorted(results.glob("*.csv"), key=natural)}
    parts = [
        f"<h1>{escape(title)}</h1><p><b>{escape(said)}</b></p>",
        first,
        f"<p>{escape(about)}</p>",
    ]
    parts += [_listed(f"Against these runs: {escape(line)}" for line in against)]
    parts += ["<h2>Other figures</h2>", *pictures.values()] if pictures else []
    parts += ["<h2>Notebooks and tables</h2>"]
    parts += [_listed(f'<a href="{place}">{escape(words)}</a>' for place, words in links.items())]
    parts += [_listed(escape(line) for line in left)] if left else []
    return PAGE.format(title=escape(title), body="\n".join(parts))


def answer(results: Path) -> tuple[str, str]:
    """The `headline` of this folder's tables, of differences, or of a lone side's runs; and the table that it is of."""
    found = {name: _table(results / name) for name in (*DIFFERENCES, "between_runs.csv")}
    found |= {name: found[name].assign(rule=rule) for name, rule in DIFFERENCES.items() if rule}
    said = headline(*found.values())
    return said, next(
        (Path(name).stem for name, table in found.items() if headline(table) == said), ""
    )


def _table(path: Path) -> pd.DataFrame:
    return pd.read_csv(path) if path.is_file() else pd.DataFrame()


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
