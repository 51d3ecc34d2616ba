"""A report: every notebook on some runs, into results/NAME and figures/NAME, and a page that leads
to all of it."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from html import escape, unescape
from pathlib import Path
from shlex import join

import pandas as pd
from PIL import Image

from trove_lite.candidates import STREAM, all_candidates, load_calls, load_candidates
from trove_lite.errors import TroveLiteError
from trove_lite.journal import write_atomically
from trove_lite.programs.calling import TABLE
from trove_lite.selection.tables import without_agreement

from ..health import failed_checks, golds_of, in_words
from ..kept_tools import read_csv
from ..pairwise import tokens_of
from ..sentence import headline
from ..summary import refuse_unanswered
from ..systems import one_kind
from .notebooks import (
    PAGE,
    Job,
    check_parameters,
    notebook_parameters,
    read_notebook,
    run_all,
    title_of,
)

#: Tables of differences, with their rule where they do not say it; the first that can tell is what
#: a report says first.
DIFFERENCES = {"accuracy_differences.csv": "", "reeval_without_import.csv": "two_stage"}
NARROW = "-narrow"  # of a figure whose panels are one below the other
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
    """Run notebooks on these runs into results/NAME and figures/NAME here, or a folder; returns how
    many failed.

    All of them, or those named in `only`; one about methods or data that these do not hold is left
    out. Parameters that only some of the notebooks have go to those; a parameter that none has is
    refused. `title` heads the index.
    """
    if name in ("", "..") or Path(name).name != name:
        raise TroveLiteError(
            f"--out {name}: give a plain name, without folders; it goes under results/ and figures/"
        )
    notebooks = notebooks or essays_folder()
    candidates = load_candidates(*runs)  # a bad path fails here, once, and not in every notebook
    if not only:  # an essay that is named may be about several data sets
        one_kind(candidates, "dataset")
    refuse_unanswered(candidates)
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
        # A notebook that names a folder of its own keeps it on the runs and parameters that it
        # names.
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
    names = {"Models": "model", "Data": "dataset", "Runs": "provenance", "Methods": "method"}
    told = {word: sorted(candidates[c].astype(str).unique()) for word, c in names.items()}
    about = ". ".join(f"{word}: {', '.join(own)}" for word, own in told.items()) + "."
    about += spent(candidates)
    against = in_words(
        failed_checks(candidates, load_calls(*runs), runs, golds=golds_of(candidates, runs))
    )
    failed = {path: path.stem in errors for path in known}
    left = [re.sub(r"\d\d_\w+", lambda stem: _named(notebooks, stem[0]), line) for line in left]
    page = index_page(results, figures, title or name, about, against, failed, left, runs)
    write_atomically(results / "index.html", partial(Path.write_text, data=page, encoding="utf-8"))
    return len(errors)


def what_is_lacking(candidates: pd.DataFrame) -> dict[str, str]:
    """What a notebook may need (`needs` in its metadata) and these candidates do not have → why it
    is left out."""
    known = all_candidates(candidates)
    found = {
        "one model": len(known[["model", "provenance"]].drop_duplicates()) > 1
        and "it is about runs of one model",
        "answers": without_agreement(known) and "these logs hold verdicts and no answers",
        "levels": (known["level"].astype(str) == "").all() and "these problems have no levels",
        "several samples": not known.duplicated([*STREAM, "phase", "problem"]).any()
        and "there is one sample a problem",
        "executions": known["shortened"].isna().all()
        and "others judged these replies, and say of no program how it ended",
        "made tools": not _could_call(known) and "no program of these runs could call a made tool",
    }
    return {need: why for need, why in found.items() if why and len(known)}


def _could_call(candidates: pd.DataFrame) -> bool:
    """Whether tools were made for a candidate, or for its whole run: only then could it call
    one."""
    made = candidates["tools" if "tools" in candidates else "used_tools"]
    ran = candidates["shortened"].notna()
    shared = candidates["shares_state"].fillna(False).astype(bool) & ran
    return bool(shared.any() or (made.dropna().map(len) > 0).any())


def _has_calls(run: str | Path) -> bool:
    folder = Path(run)
    return ((folder if folder.is_dir() else folder.parent) / TABLE).is_file()


def _second_model(runs: Sequence[str | Path]) -> dict[str, list]:
    """Of runs of two models, each of one, those of either: what a notebook about two models is
    given."""
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
    """What a notebook's metadata say of it: the `methods` that it is about, what it `needs`, and if
    it comes `last`."""
    return read_notebook(path).metadata.get("trove_lite", {})


def _is_about(path: Path, **held: set[str]) -> bool:
    """Whether a notebook says anything of runs with these `methods` and `datasets`; `creator_R0` is
    creator."""
    asked = {kind: "|".join(named) for kind in held if (named := _about(path).get(kind))}
    return all(
        any(re.match(f"({names})([_?]|$)", one) for one in held[kind])
        for kind, names in asked.items()
    )


def essays_folder() -> Path:
    """`notebooks` here, or beside the package in a clone, or within `trove_lite_papers` where a
    wheel was installed."""
    package = Path(__file__).parents[2]
    known = (Path("notebooks"), package / "notebooks", package / "trove_lite_papers" / "essays")
    return next((folder for folder in known if folder.is_dir()), known[0])


def _about_runs(
    notebooks: Path, held: Mapping[str, set[str]], misfits: Mapping[str, str], only: Sequence[str]
) -> tuple[dict[Path, dict[str, object]], list[str]]:
    """The notebooks to be run, in order, with their parameters, all that fit the runs or of these
    those named; and a line for each reason why others are left out."""
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


def spent(candidates: pd.DataFrame) -> str:
    """What a candidate of each method took in tokens, where it is told, as a sentence."""
    each = all_candidates(candidates).groupby("method", observed=True)
    told = {method: tokens_of(own) for method, own in each}
    parts = [f"{method} {tokens:,.0f}" for method, tokens in told.items() if tokens == tokens]
    return f" Tokens a sample, read and written: {', '.join(parts)}." if parts else ""


def _named(notebooks: Path, stem: str) -> str:
    path = notebooks / f"{stem}.ipynb"
    return f"{title_of(path)} ({stem})" if path.is_file() else stem


def index_page(
    results: Path,
    figures: Path,
    title: str,
    about: str,
    against: Sequence[str],
    books: Mapping[Path, bool],
    left: Sequence[str] = (),
    runs: Sequence[str | Path] = (),
) -> str:
    """A page that loads nothing. First the answer, then what may be read next: the essays, each
    with its own answer in a sentence. Then figures and tables; folded, checks `against` the runs,
    and what was `left` out. `books`: has each failed?"""
    found = [path for path in figures.glob("*.png") if not path.stem.endswith(NARROW)]
    pictures = {path.stem: _picture(path, results) for path in sorted(found, key=natural)}
    said, table = answer(results)
    order = (table, ACCURACY, *pictures)
    first = next((pictures.pop(name) for name in order if name in pictures), "")
    links = []
    if (results / "view.html").is_file():
        links.append('<a href="view.html">Every problem with its candidates</a>')
    elif runs:
        words = ["trove-lite", "view", *map(str, runs), "--out", str(results / "view.html")]
        links.append(f"Every problem with its candidates:<br><code>{escape(join(words))}</code>")
    for path, failed in books.items():
        link = f'<a href="notebooks/{path.stem}.html">{escape(title_of(path))}</a>'
        own = escape(answer_of(results / "notebooks" / path.name))
        links.append(link + (" (failed)" if failed else f"<br>{own}" if own else ""))
    tables = sorted(results.glob("*.csv"), key=natural)
    parts = [f"<h1>{escape(title)}</h1><p><b>{escape(said)}</b></p>", *_warned(against), first]
    parts += [f"<p>{escape(about)}</p>", "<h2>What to read next</h2>", _listed(links)]
    parts += ["<h2>Other figures</h2>", *pictures.values()] if pictures else []
    files = [f'<a href="{path.name}">{escape(path.stem)}</a>' for path in tables]
    parts += [_folded(f"{len(files)} tables, as CSV", files)] if files else []
    parts += [_folded("What does not fit these runs", map(escape, left))] if left else []
    return PAGE.format(title=escape(title), body="\n".join(parts))


def questions(notebooks: Path) -> str:
    """The essays as a page of Markdown beside their folder: each question, and its answer in a
    sentence."""
    lines = ["# The essays: questions and answers", ""]
    for path in sorted(notebooks.glob("[0-9]*.ipynb")):
        own = escape(answer_of(path))
        lines.append(
            f"- [{title_of(path)}]({notebooks.name}/{path.name})" + (f"<br>{own}" if own else "")
        )
    return "\n".join(lines)


def answer_of(notebook: Path) -> str:
    """The sentence that an executed essay shows first in bold (`headline`); "" where it has
    none."""
    if not notebook.is_file():
        return ""
    cells = (cell for cell in read_notebook(notebook).cells if cell.cell_type == "code")
    pages = (out.get("data", {}).get("text/html", "") for cell in cells for out in cell.outputs)
    found = (re.fullmatch(r"<p><b>(.*)</b></p>", "".join(page), re.DOTALL) for page in pages)
    return next((unescape(match[1]) for match in found if match), "")


def _warned(against: Sequence[str]) -> Iterator[str]:
    """Failed checks: something else may be measured, and why checks could not be made, each folded behind
    a sentence."""
    checks_seen = [line for line in against if not line.startswith("not read")]
    unread = [line for line in against if line.startswith("not read")]
    if checks_seen:
        many = "A warning" if len(checks_seen) == 1 else f"{len(checks_seen)} warnings"
        what = "these programs may show something else than how good the methods are"
        yield _folded(f"{many}: {what}", map(escape, checks_seen))
    if unread:
        reasons = dict.fromkeys(line.rpartition("; ")[2] for line in unread)
        yield _folded("Some checks could not be made", map(escape, reasons))


def _folded(words: str, items: Iterable[str]) -> str:
    return f"<details><summary>{escape(words)}</summary>{_listed(items)}</details>"


def answer(results: Path) -> tuple[str, str]:
    """The `headline` of this folder's tables, of differences, or of a lone system's runs; and the
    table that it is from."""
    found = {name: _table(results / name) for name in (*DIFFERENCES, "between_runs.csv")}
    found |= {name: found[name].assign(rule=rule) for name, rule in DIFFERENCES.items() if rule}
    said = headline(*found.values())
    return said, next(
        (Path(name).stem for name, table in found.items() if headline(table) == said), ""
    )


def _table(path: Path) -> pd.DataFrame:
    return read_csv(path) if path.is_file() else pd.DataFrame()


def _picture(path: Path, results: Path) -> str:
    """A figure; on a narrow screen that with its panels one below the other, where there is one."""
    with Image.open(path) as picture:
        caption = escape(picture.info.get("Description") or path.stem)
    place = os.path.relpath(path, results)
    narrow = path.with_name(f"{path.stem}{NARROW}.png")
    image = f'<img src="{place}" alt="{caption}">'
    if narrow.is_file():
        other = os.path.relpath(narrow, results)
        source = f'<source media="(max-width: 640px)" srcset="{other}">'
        image = f"<picture>{source}{image}</picture>"
    link = f'<a href="{place}">{image}</a>'
    return f'<figure id="{path.stem}">{link}<figcaption>{caption}</figcaption></figure>'


def _listed(items: Iterable[str]) -> str:
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"


def natural(path: Path) -> list:
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.stem)]
