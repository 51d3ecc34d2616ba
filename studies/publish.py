"""Copies a study's complete parts into results/, with an account of each and a README."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from studies.accounts import account
from studies.plan import Part, Study, is_complete
from studies.readme import AGAIN, AGREEMENT, readme
from trove_lite import load_calls, load_candidates
from trove_lite.analysis.health import in_words, signs
from trove_lite.candidates import read_description, save_table
from trove_lite.errors import TroveLiteError
from trove_lite.journal import pack, write_atomically


def publish(
    study: Study,
    runs: Path,
    results: Path,
    given: Mapping[str, Path] | None = None,
    *,
    reexecuted: Path | None = None,
) -> pd.DataFrame:
    """Copy every complete part into `results`/GROUP/PART, in today's schema, and write parts.csv and README.md.

    A part that was published before stays until its run folder is complete: whoever has only a clone publishes new
    parts beside the old. Returns parts.csv: a row a part, complete or not. given: folders of parts that lie elsewhere
    than in `runs`. reexecuted: what `trove-lite reexecute` made of published parts, whose agreement is published too.
    Raises TroveLiteError where no part is complete in its run folder, parts are of different models, or one has a sign
    of health that the study's file does not explain.
    """
    given = given or {}
    if unknown := sorted(set(given) - {part.name for part in study.parts}):
        raise TroveLiteError(f"no part named {unknown[0]}: there are {', '.join(part.name for part in study.parts)}")
    if not any(is_complete(part.folder(runs, given)) for part in study.parts):
        raise TroveLiteError(f"{runs}: no part of {study.name} is complete; run them first")
    done = {part.name: found for part in study.parts if (found := part.complete(runs, given, results))}
    models = {name: read_description(source)["model"] for name, source in done.items()}
    if len(set(models.values())) > 1:
        told = ", ".join(f"{model} ({part})" for part, model in models.items())
        raise TroveLiteError(
            f"{runs}: parts of several models: {told}; publish each model's by a study of its own name"
        )
    parts = [part for part in study.parts if part.name in done]
    health = {part.name: explained(part, done[part.name]) for part in parts}
    if unexplained := [f"{name}: {line}" for name, lines in health.items() for line, why in lines if not why]:
        raise TroveLiteError(
            f"{unexplained[0]} ({len(unexplained)} such in all): look at it, and say in the study's file why it stands "
            '(in its part: accepted = {"SIGN" = "why"}, or "SIGN: MODE" or "SIGN: CATEGORY", or withdrawn = "why")'
        )
    for part in parts:
        source, target = done[part.name], part.published(results)
        target.mkdir(parents=True, exist_ok=True)
        save_table(load_calls(source), target / "calls.parquet")
        save_table(load_candidates(source), target / "candidates.parquet")
        about = read_description(source) | ({"note": part.note.strip()} if part.note else {})
        text = json.dumps(about, indent=2, ensure_ascii=False) + "\n"
        write_atomically(target / "run.json", lambda path, text=text: path.write_text(text, encoding="utf-8"))
        for journal in (source / "journal").glob("*.jsonl"):
            (target / "journal").mkdir(exist_ok=True)
            pack(journal, target / "journal")
    for name in AGREEMENT if reexecuted else ():
        (results / AGAIN).mkdir(exist_ok=True)
        shutil.copy(reexecuted / name, results / AGAIN)
    table = pd.DataFrame([account(part, done.get(part.name) or part.folder(runs, given)) for part in study.parts])
    table.to_csv(results / "parts.csv", index=False, float_format="%.6g", lineterminator="\n")
    (results / "README.md").write_text(readme(study, table, results, health), encoding="utf-8")
    return table


def explained(part: Part, folder: Path) -> list[tuple[str, str]]:
    """The signs of a part's health in words, each with why it stands, by the study's file; "" where that is silent."""
    found, lines = signs(load_candidates(folder), load_calls(folder), [folder]), []
    found.attrs = {}  # what could not be read is nobody's to explain
    for (sign, mode, category), rows in found.groupby(["sign", "mode", "category"], sort=False):
        names = (sign, f"{sign}: {mode}", f"{sign}: {category}")
        why = part.withdrawn or next((part.accepted[name] for name in names if name in part.accepted), "")
        lines += [(line, why) for line in in_words(rows)]
    return lines
