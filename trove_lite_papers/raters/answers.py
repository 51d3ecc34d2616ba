"""What raters answered → one row a program and rater. Whatever a page could not have written is
refused in one line."""

import json
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from trove_lite.errors import TroveLiteError

from .export import ABOUT, KEY_FILE
from .plan import KEY

#: Numbers that a page writes of each program, beside `said`, whether the rater calls it correct,
#: and the `seconds` that it was on the screen: `pauses` is how often it was hidden, `changes` how
#: often `said` was changed.
COUNTS = ("rater", "item", "pauses", "changes")
SAID = {"true": True, "false": False}
MOST_BYTES = 10_000_000


def read_study(folder: str | Path, files: Iterable[str | Path]) -> pd.DataFrame:
    """The ratings of a study: a row a program and rater, `KEY` and answers. TroveLiteError for any
    other file."""
    about, key = read_key(folder)
    answers = pd.DataFrame()
    for path in map(Path, files):
        own = pd.DataFrame(_rows(path, about["study"]))
        answers = pd.concat([answers, own], ignore_index=True)
        twice = answers.duplicated(["rater", "item"]).any()
        if twice or len(own.merge(key, on=["rater", "item"])) < len(own):
            raise TroveLiteError(
                f"{path}: {'answered twice' if twice else 'the study has no such item'}"
            )
    table = key.merge(answers, on=["rater", "item"]).astype({"said": bool})
    runs = ", ".join(
        name for part in ("model", "provenance", "dataset") for name in about.get(part, ())
    )
    table.attrs = {"runs": f"programs of {runs}", "model": about.get("model", [])}
    return table


def read_key(folder: str | Path) -> tuple[dict, pd.DataFrame]:
    try:
        about = json.loads((Path(folder) / ABOUT).read_text(encoding="utf-8"))
        return {"study": about["study"]} | about, pd.read_csv(
            Path(folder) / KEY_FILE, keep_default_na=False
        )[KEY]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise TroveLiteError(
            f"{folder}: holds no study as export wrote it ({ABOUT}, {KEY_FILE})"
        ) from error


def _rows(path: Path, study: str) -> list[dict]:
    try:
        found = json.loads(
            path.read_text(encoding="utf-8-sig") if path.stat().st_size <= MOST_BYTES else ""
        )
        rows = [
            {"rater": found["rater"], **row} for row in found["answers"] if found["study"] == study
        ]
        said = [SAID[str(row["said"]).lower()] for row in rows]
        counts = [{name: int(str(row[name])) for name in COUNTS} for row in rows]
        seconds = [float(str(row["seconds"])) for row in rows]
        rows = [
            c | {"said": yes, "seconds": s} for c, yes, s in zip(counts, said, seconds, strict=True)
        ]
        if rows and all(0 <= number < 1e9 for row in rows for number in row.values()):
            return rows
    except (
        OSError,
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        RecursionError,
        OverflowError,
    ) as error:
        raise TroveLiteError(
            f"{path}: not what a page of this study writes ({type(error).__name__})"
        ) from error
    raise TroveLiteError(f"{path}: not what a page of this study writes")
