"""What readers of logs share: lines of JSON and rows of CSV, checked, and verdicts in the words of
harnesses."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from trove_lite.errors import DamagedFile
from trove_lite.journal import text_of
from trove_lite.shapes import misfit, once

from .official_files import NOTHING_WRITTEN

#: How harnesses write that a sample is right: as a truth value, a number, inspect's letters,
#: evalplus' words.
RIGHT = ("true", "c", "pass", "yes")
WRONG = ("false", "i", "n", "fail", "timeout", "no")


def wrong(where: object, reason: str) -> DamagedFile:
    return DamagedFile(f"{where}: {reason}{NOTHING_WRITTEN}")


def right(value: object, where: str, name: str) -> tuple[bool, float | None]:
    """Whether a verdict says right, and its score where it is a part of one, from 0 to 1."""
    text = str(value).strip().lower()
    with suppress(ValueError):
        if 0 <= (score := float(text)) <= 1:
            return score == 1, score if 0 < score < 1 else None
    if text not in RIGHT + WRONG:
        raise wrong(
            where,
            f"{name} is {str(value)[:40]!r}, neither right nor wrong; give true, false"
            " or a number from 0 to 1, or choose another by --verdict",
        )
    return text in RIGHT, None


def parsed(text: str, where: object, kinds: Mapping[str, object]) -> dict:
    """The JSON object of a text, with fields of these types."""
    try:
        return fields(json.loads(text, object_pairs_hook=once), where, kinds)
    except (ValueError, RecursionError) as error:
        raise wrong(where, f"not JSON ({error}); it is damaged, or no such log") from error


def fields(entry: Any, where: object, kinds: Mapping[str, object]) -> dict:
    if fault := misfit(entry, dict):
        raise wrong(where, f"{fault}; is it such a log?")
    for name, kind in kinds.items():
        if fault := misfit(entry.get(name), kind):
            raise wrong(where, f"field '{name}': {fault}; is it such a log?")
    return entry


def objects(file: Path, kinds: Mapping[str, object]) -> Iterator[tuple[str, dict]]:
    for number, line in enumerate(text_of(file).split("\n"), start=1):
        if line.strip():
            yield (where := f"{file}, line {number}"), parsed(line, where, kinds)


def rows_of(file: Path) -> Iterator[tuple[str, dict]]:
    csv.field_size_limit(1 << 30)  # texts of models are long
    reader = csv.DictReader(io.StringIO(text_of(file), newline=""), strict=True)
    try:
        names = reader.fieldnames or []
        try:
            once([(name, None) for name in names])
        except ValueError as error:
            raise wrong(f"{file}, line 1", str(error)) from None
        for entry in reader:
            where = f"{file}, line {reader.line_num}"
            if None in entry or None in entry.values():
                raise wrong(
                    where,
                    f"not {len(reader.fieldnames)} cells, as the first line has; it is damaged",
                )
            yield where, entry
    except csv.Error as error:  # `line_num` is that of the last row that was whole
        raise wrong(
            f"{file}, line {reader.line_num + 1}", f"{error}; it is damaged, or this is no CSV"
        ) from error
