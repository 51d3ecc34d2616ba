"""What raters answered → one row for each program that one of them judged. It computes nothing from them.

An answers file comes from a stranger: whatever a page could not have written is refused in one line.
"""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from trove_lite.errors import TroveLiteError, shown

from .export import ABOUT, KEY_FILE
from .plan import KEY

#: What a page writes of each program, with study and rater beside: `said` is whether the rater calls it correct,
#: `seconds` how long it was on the screen, `pauses` how often it was hidden, `changes` how often `said` was changed.
WRITTEN = ["study", "rater", "item", "said", "seconds", "pauses", "changes"]
MOST_BYTES = 10_000_000


def read_study(folder: str | Path, files: Iterable[str | Path]) -> pd.DataFrame:
    """The ratings of a study: a row a program and rater, columns of `KEY` with `said`, `seconds`, `pauses`, `changes`.

    `files` are answers that raters' pages wrote, whole or in part; of a program that nobody answered there
    is no row. Raises TroveLiteError for a folder that holds no study, a file that no page of it wrote, or a rater whose
    answers are there twice.
    """
    about, key = read_key(folder)
    found: dict[tuple[int, int], dict] = {}
    known = set(key[["rater", "item"]].itertuples(index=False, name=None))
    for path in map(Path, files):
        for row in _read(path, about["study"]):
            place = row["rater"], row["item"]
            if place not in known or place in found:
                wrong = "answered twice; give one file a rater" if place in found else "the study has none such"
                raise TroveLiteError(f"{path}: rater {row['rater']}, item {row['item']}: {wrong}")
            found[place] = row
    answers = pd.DataFrame(found.values(), columns=WRITTEN).drop(columns="study")
    table = key.merge(answers, on=["rater", "item"]).astype({"said": bool})
    table.attrs = {"runs": title_of(about), "model": about.get("model", [])}
    return table


def read_key(folder: str | Path) -> tuple[dict, pd.DataFrame]:
    """What a study is about (`study.json`), and its key. Raises TroveLiteError where the folder holds none."""
    folder = Path(folder)
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        key = pd.read_csv(folder / KEY_FILE, keep_default_na=False)
    except (OSError, ValueError) as error:
        raise TroveLiteError(
            f"{folder}: holds no study ({ABOUT}, {KEY_FILE}); see python -m papers.raters export"
        ) from error
    if not isinstance(about, dict) or "study" not in about or set(KEY) - set(key):
        raise TroveLiteError(f"{folder}: {ABOUT} or {KEY_FILE} was changed; restore it")
    return about, key[KEY]


def title_of(about: Mapping) -> str:
    """What a study's programs are, in words."""
    model, provenance, dataset = (", ".join(about.get(name, ())) for name in ("model", "provenance", "dataset"))
    return f"programs of {model}, {provenance}, on {dataset}"


def _read(path: Path, study: str) -> list[dict]:
    """The rows of an answers file, each of the types that a page writes."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise TroveLiteError(f"{path}: larger than any page's answers; give a file that a page wrote")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise TroveLiteError(
            f"{path}: cannot be read ({type(error).__name__}); give a file that a page wrote"
        ) from error
    try:
        found = json.loads(text)
        rows = [{"study": found["study"], "rater": found["rater"], **row} for row in found["answers"]]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise TroveLiteError(f"{path}: not what a page writes ({type(error).__name__})") from error
    if not rows:
        raise TroveLiteError(f"{path}: holds no answers")
    return [_checked(path, number, row, study) for number, row in enumerate(rows, start=1)]


def _checked(path: Path, number: int, row: Mapping, study: str) -> dict:
    def wrong(what: str) -> TroveLiteError:
        return TroveLiteError(f"{path}, answer {number}: {what}; give the file as the page wrote it")

    if absent := [name for name in WRITTEN if row.get(name) is None]:
        raise wrong(f"no {', '.join(absent)}")
    if row["study"] != study:
        raise wrong(f"of study {shown(str(row['study']))[:40]}, and this is {study}")
    said = {"true": True, "false": False}.get(str(row["said"]).lower())
    try:
        whole = {name: int(str(row[name])) for name in ("rater", "item", "pauses", "changes")}
        seconds = float(str(row["seconds"]))
    except (ValueError, OverflowError):
        raise wrong("a number is none") from None
    if said is None or not (math.isfinite(seconds) and seconds >= 0) or min(whole.values()) < 0:
        raise wrong("a value that no page writes")
    return {"study": study, **whole, "said": said, "seconds": seconds}
