"""Runs → a study's folder: a page a rater, and the key."""

import html
import json
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from trove_lite import TroveLiteError, load_candidates
from trove_lite.candidates import all_candidates
from trove_lite.journal import on_disk
from trove_lite.programs import Tool, code_of, recorded_sources, sources_of
from trove_lite.running.record import content_hash
from trove_lite.running.replay import played_back, stated_settings
from trove_lite_analysis.questions import problems_of
from trove_lite_analysis.recorded.reexecute import STREAM, composer, given_to_all
from trove_lite_analysis.view import filled, table_of
from trove_lite_analysis.view.contents import clean
from trove_lite_papers.trove import ended_with

from .plan import KEY, PROBLEM, plan

PAGES = "pages"
KEY_FILE = "key.csv"
ABOUT = "study.json"
TITLE = "Is the program right?"


def write_study(
    runs: Sequence[str | Path],
    out: str | Path,
    *,
    raters: int = 6,
    problems: int = 100,
    seed: int = 0,
) -> int:
    """Write pages that ask `raters` people about the answers that these runs ended with, and the
    key.

    The runs cover two methods or more on the same problems, with text. Returns how many answers
    are left out, whose words or whole program are not known. Raises where the folder is there
    already, or nothing can be asked.
    """
    folder = Path(out)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise TroveLiteError(
            f"{folder}: is there already, and a study is never replaced: choose another --out"
        )
    tables = [table_of(Path(run)) for run in runs]
    candidates = load_candidates(*tables)
    folders = [table.parent for table in tables]
    if "solution" not in candidates:
        raise TroveLiteError(f"{runs[0]}: outcomes hold no programs; name run folders with text")
    words, notes = problems_of(candidates, folders)
    answers = with_programs(candidates, folders)
    answers["words"] = [
        words.get(key) for key in answers[PROBLEM].itertuples(index=False, name=None)
    ]
    usable = answers[answers["words"].notna() & answers["whole"].notna()]
    if usable.empty and len(answers):
        raise TroveLiteError(
            "; ".join(notes) or f"{runs[0]}: no answer whose program is known whole"
        )
    key = plan(usable, raters=raters, problems=problems, seed=seed)
    about: dict = {
        "study": content_hash(key[KEY].to_dict("records")),
        "runs": list(map(str, runs)),
        "seed": seed,
    }
    about |= {"left_out": len(answers) - len(usable)}
    about |= {
        name: sorted(candidates[name].astype(str).unique())
        for name in ("model", "provenance", "dataset")
    }
    with on_disk(folder):
        (folder / PAGES).mkdir(parents=True)
        for rater, items in key.groupby("rater"):
            shown = [_item(row) for row in usable.loc[items["row"]].itertuples()]
            data = {"study": about["study"], "rater": int(rater), "items": shown}
            page = filled(__package__, "rate", {"title": html.escape(TITLE)}, [("items", data)])
            (folder / PAGES / f"rater{rater}.html").write_text("".join(page), encoding="utf-8")
        key[KEY].to_csv(folder / KEY_FILE, index=False, lineterminator="\n")
        (folder / ABOUT).write_text(json.dumps(about, indent=2) + "\n", encoding="utf-8")
    return about["left_out"]


def _item(answer: object) -> dict:
    question = answer.words.question
    texts = {"question": question.text, "context": question.context, "program": answer.whole}
    return {name: clean(text) or None for name, text in texts.items()}


def with_programs(candidates: pd.DataFrame, folders: Sequence[Path]) -> pd.DataFrame:
    """The answers that runs ended with, each with its `whole` program; null where that or its
    toolbox is not known."""
    settings = stated_settings(folders)
    libraries = {}
    for (run, *_), rows in all_candidates(candidates).groupby(STREAM, sort=False, observed=True):
        if (rows["mode"] == "import").any():
            for attempt, recorded in played_back(rows.assign(_row=rows.index), settings.get(run)):
                libraries |= {row["_row"]: attempt.library for row in recorded}
    answers = ended_with(candidates.assign(_row=candidates.index))
    whole = []
    for row in answers.to_dict("records"):
        compose = composer(row["method"])
        library = libraries.get(row["_row"])
        if (
            not code_of(row["solution"])
            or compose is None
            or (row["mode"] == "import" and library is None)
        ):
            whole.append(None)
            continue
        own = compose(row["solution"], recorded_sources(row["tools"]))
        whole.append(
            "\n\n".join([*needed(own, (*given_to_all(row["dataset"]), *(library or ()))), own])
        )
    return answers.assign(whole=pd.Series(whole, answers.index, dtype=object)).reset_index(
        drop=True
    )


def needed(program: str, library: Iterable[Tool | str]) -> list[str]:
    """Of a toolbox what is no function, the functions that a program names, and those that these
    name; in its order."""
    sources = sources_of(library)
    names = [set(re.findall(r"^(?:def|class) (\w+)", source, re.MULTILINE)) for source in sources]
    kept = {place for place, own in enumerate(names) if not own}
    while True:
        words = set(re.findall(r"\w+", "\n".join([program, *(sources[place] for place in kept)])))
        more = {place for place, own in enumerate(names) if own & words}
        if more <= kept:
            return [sources[place] for place in sorted(kept)]
        kept |= more
