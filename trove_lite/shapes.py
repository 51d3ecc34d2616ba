"""What is read back from a run folder, checked against a declared type: one function for every
file.

msgspec checks. Types are written as Python writes them: `int | None`, `list[str]`, a TypedDict
(which may have more names than it says), a Struct (which may not), a NamedTuple (a JSON list). It
reads no file but JSON, knows no method.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NotRequired, Required, TypedDict

from msgspec import Meta, ValidationError, convert

from .errors import DamagedFile, shown

INT64 = 1 << 63
Whole = Annotated[int, Meta(ge=-INT64, le=INT64 - 1)]
Number = Annotated[float, Meta(gt=-1e18, lt=1e18)]  # neither infinite nor NaN
Count = Annotated[int, Meta(ge=0, lt=1 << 31)]  # what a run's tables can hold
LARGEST = 1 << 28  # bytes of a description: a hundred times what any run has written
DEEPEST = 30  # lists and objects in one another: three times what any run has written


class Stated(TypedDict, total=False):
    """The settings of a live run: what is read of them (a resumed run compares the rest)."""

    name: Required[str]
    seeds: Required[list[int]]
    categories: list[str]
    methods: list[str]
    dataset: str
    parser: str
    k: int
    limit: int | None
    choices: dict[str, dict]
    sampling: dict


class Session(TypedDict):  # when a run was worked on
    began: str
    ended: NotRequired[str]


class Spent(TypedDict):  # by one stage of one stream
    method: str
    calls: int
    prompt_tokens: int
    completion_tokens: int


class Kept(TypedDict, total=False):
    """A tool that a stream ended with, or a trial at making one."""

    method: Required[str]
    category: Required[str]
    seed: Required[int]
    run: str
    rank: int
    name: str
    signature: str
    imports: int | None
    problem: int | None
    tool: str
    made: bool
    proposals: int
    verifications: int
    thoughts: int
    right: int
    labels: int


class Loaded(TypedDict, total=False):  # what of a stream's tools was left out or refused
    refused: list[str]


class Description(TypedDict, total=False):
    """`run.json`: what a run is and what came of it. Runs of other kinds and of older releases say
    less."""

    kind: str
    provenance: str
    model: str | list[str]
    models: dict[str, str]
    identity: dict[str, dict]
    settings: Stated
    methods: dict[str, dict]
    prompts: dict[str, str]
    data: dict[str, str]
    isolation: str
    versions: dict[str, str]
    sessions: list[Session]
    tables: dict[str, str]
    accuracy: dict[str, Number | None]
    missing: dict[str, int]
    unavailable_because: str
    one_text: str
    retried: int
    reused: int
    keep_tools: list[str]
    budget: list[Spent]
    labels: dict[str, int]
    toolboxes: list[Kept]
    loading: dict[str, Loaded]
    problems: dict[str, dict[str, str]]


def described(path: Path) -> dict:
    """A run folder's description, of the shape that it should have; {} where there is none. Raises
    DamagedFile."""
    if not path.exists():
        return {}
    remedy = "restore it, or choose another folder"
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            raise DamagedFile(
                f"{path}: no file, or over {LARGEST >> 20} MiB, so no description of a run; {remedy}"
            )
        found = json.loads(
            path.read_text(encoding="utf-8"), parse_int=_whole, object_pairs_hook=once
        )
        if _depth(found) > DEEPEST:
            raise RecursionError
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedFile(
            f"{path}: not JSON ({str(error) or 'nested too deep'}); {remedy}"
        ) from error
    if fault := misfit(found, Description) or _unnamed(found):
        raise DamagedFile(f"{path}: {fault}; {remedy}")
    return found


def _unnamed(description: Mapping) -> str:
    """What else is missing: tools are listed by run, which `settings` names where the list does
    not."""
    needed = description.get("keep_tools") or not all(
        "run" in kept for kept in description.get("toolboxes", ())
    )
    return "`settings` is missing" if needed and "settings" not in description else ""


def _depth(value: object) -> int:
    parts = (
        value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    )
    return 0 if parts is None else 1 + max(map(_depth, parts), default=0)


def _whole(digits: str) -> int | float:
    return found if abs(found := int(digits)) < INT64 else float(found)


def misfit(value: Any, kind: object, at: str = "") -> str:
    """What of a value, as JSON has it, is not of the type `kind`, in msgspec's words, with the
    value; "" where all is.
    `at`: its own name."""
    try:
        convert(value, kind)
    except (ValidationError, UnicodeError, RecursionError) as error:
        said, _, way = str(error).partition(" - at ")
        place = (at + (way := way.strip("`").removeprefix("$"))).removeprefix(".")[:100]
        what = ""
        if (
            place and "[...]" not in way and "required" not in said
        ):  # a place that says which name is wrong
            for name, number in re.findall(r"\.(\w+)|\[(\d+)\]", way):
                value = value[name or int(number)]
            what = f" is {json.dumps(value, default=str)[:40]}"
        return shown(f"`{place}`{what}: {said}" if place else said)
    return ""


def once(pairs: list[tuple[str, object]]) -> dict:
    """A JSON object's fields (`json.loads(…, object_pairs_hook=once)`). Raises ValueError where one
    is there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = next(name for name, count in counts.items() if count > 1)
        raise ValueError(f"field '{shown(twice)[:40]}' is there twice; give it once")
    return found


def refuse_misfits(lines: Iterable[object], kind: object, path: Path, first: int = 1) -> None:
    """Raises DamagedFile for the first of a file's lines, from line `first` on, that is not of the
    type `kind`."""
    for number, line in enumerate(lines, start=first):
        if fault := misfit(line, kind):
            raise DamagedFile(
                f"{path}, line {number}: {fault}; restore it, or choose another folder"
            )
