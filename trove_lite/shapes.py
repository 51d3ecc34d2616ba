"""What is read back from a run folder, checked against a declared type: one function for every file.

Types are written as Python writes them: `int | None`, `list[str]`, a TypedDict (which may have more names than it
says), a dataclass (which may not), a NamedTuple (a JSON list). It reads no file but JSON, and knows no method.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Literal, NotRequired, TypedDict, Union, get_args, get_origin, get_type_hints, is_typeddict

from .errors import DamagedFile

INT64 = 1 << 63
LARGEST = 1 << 28  # bytes of a description: a hundred times what any run has written
DEEPEST = 30  # lists and objects in one another: three times what any run has written
OBJECT = "an object with names"
WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false", NoneType: "null"}
_TOO_DEEP = "nested too deep"


class Stated(TypedDict):
    """The settings of a live run: what is read of them (a resumed run compares the rest)."""

    name: str
    seeds: list[int]
    categories: NotRequired[list[str]]
    methods: NotRequired[list[str]]
    dataset: NotRequired[str]
    parser: NotRequired[str]
    k: NotRequired[int]
    limit: NotRequired[int | None]
    choices: NotRequired[dict[str, dict]]
    sampling: NotRequired[dict]


class Session(TypedDict):  # when a run was worked on
    began: str
    ended: NotRequired[str]


class Spent(TypedDict):  # by one stage of one stream
    method: str
    calls: int
    prompt_tokens: int
    completion_tokens: int


class Kept(TypedDict):
    """A tool that a stream ended with, or a trial at making one."""

    method: str
    category: str
    seed: int
    run: NotRequired[str]
    rank: NotRequired[int]
    name: NotRequired[str]
    signature: NotRequired[str]
    imports: NotRequired[int | None]
    problem: NotRequired[int | None]
    tool: NotRequired[str]
    made: NotRequired[bool]
    proposals: NotRequired[int]
    verifications: NotRequired[int]
    thoughts: NotRequired[int]
    right: NotRequired[int]
    labels: NotRequired[int]


class Loaded(TypedDict, total=False):  # what of a stream's tools was left out or refused
    refused: list[str]


class Description(TypedDict, total=False):
    """`run.json`: what a run is and what came of it. Runs of other kinds and of older releases say less."""

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
    accuracy: dict[str, float | None]
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
    """A run folder's description, of the shape that it should have; {} where there is none. Raises DamagedFile."""
    if not path.exists():
        return {}
    remedy = "restore it, or choose another folder"
    try:
        if not path.is_file() or path.stat().st_size > LARGEST:
            raise DamagedFile(f"{path}: no file, or over {LARGEST >> 20} MiB, so no description of a run; {remedy}")
        found = json.loads(path.read_text(encoding="utf-8"))
        fault = _TOO_DEEP if _depth(found) > DEEPEST else misfit(found, Description)
    except (OSError, ValueError, RecursionError) as error:
        raise DamagedFile(f"{path}: not JSON ({error or _TOO_DEEP}); {remedy}") from error
    if fault := fault or _unnamed(found):
        raise DamagedFile(f"{path}: {fault}; {remedy}")
    return found


def _unnamed(description: Mapping) -> str:
    """What else is missing: tools are listed by run, which `settings` names where the list does not."""
    needed = description.get("keep_tools") or not all("run" in kept for kept in description.get("toolboxes", ()))
    return "`settings` is missing" if needed and "settings" not in description else ""


def _depth(value: object) -> int:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if parts is None else 1 + max(map(_depth, parts), default=0)


def misfit(value: object, kind: object) -> str:
    """What of a value, as JSON has it, is not of the type `kind`, in words; "" where all is."""
    return _checker(kind)(value, "")


def refuse_misfits(lines: Iterable[object], kind: object, path: Path, first: int = 1) -> None:
    """Raises DamagedFile for the first of a file's lines, from line `first` on, that is not of the type `kind`."""
    for number, line in enumerate(lines, start=first):
        if fault := misfit(line, kind):
            raise DamagedFile(f"{path}, line {number}: {fault}; restore it, or choose another folder")


Check = Callable[[object, str], str]  # a value and its name in the file → what is wrong with it


@cache
def _checker(kind: object) -> Check:
    """The check of one type, put together once."""
    origin, parts = get_origin(kind), get_args(kind)
    if origin is NotRequired:
        return _checker(parts[0])
    if origin in (Union, UnionType):
        return _any_of(parts)
    if origin is Literal:
        return _held(lambda value: isinstance(value, str) and value in parts, f"of {json.dumps(parts)}")
    if origin is Annotated:
        return _held(lambda value: type(value) is int and value in parts[1], f"{WORDS[int]} in {parts[1]}")
    if kind in (int, float):
        kinds = (int,) if kind is int else (int, float)
        return _held(lambda value: type(value) in kinds and abs(value) < INT64, WORDS[kind])
    if kind in WORDS:
        return _held(lambda value: type(value) is kind, WORDS[kind])
    if is_typeddict(kind) or is_dataclass(kind):
        return _with_names(kind)
    if hasattr(kind, "_fields"):
        checks = list(map(_checker, get_type_hints(kind).values()))
        whole = _held(lambda value: type(value) is list and len(value) == len(checks), f"a list of {len(checks)}")
        return lambda value, at: whole(value, at) or _first(c(v, at) for c, v in zip(checks, value, strict=True))
    if (origin or kind) in (dict, Mapping):
        names, inner = _held(lambda value: type(value) is dict, OBJECT), _checker(parts[1]) if parts else None
        return lambda value, at: names(value, at) or _first(inner and inner(v, f"{at}.{n}") for n, v in value.items())
    if origin in (list, tuple, Sequence):
        items, inner = _held(lambda value: type(value) is list, "a list"), _checker(parts[0])
        return lambda value, at: items(value, at) or _first(inner(v, f"{at}[{n}]") for n, v in enumerate(value))
    return lambda value, at: ""


def _held(right: Callable[[object], bool], what: str) -> Check:
    return lambda value, at: "" if right(value) else _is_no(value, what, at)


def _any_of(kinds: Sequence) -> Check:
    checks = list(map(_checker, kinds))
    what = " or ".join(WORDS[kind] for kind in kinds if kind in WORDS)

    def check(value: object, at: str) -> str:
        faults = [check(value, at) for check in checks]
        return "" if "" in faults else faults[0] if value is not None and len(kinds) == 2 else _is_no(value, what, at)

    return check


def _with_names(kind: type) -> Check:
    hints = get_type_hints(kind, include_extras=True)
    checks = {name: _checker(hint) for name, hint in hints.items()}
    closed = is_dataclass(kind)
    lacks = (f.name for f in fields(kind) if f.default is f.default_factory is MISSING) if closed else None
    needed = tuple(lacks if closed else sorted(kind.__required_keys__))

    def check(value: object, at: str) -> str:
        if type(value) is not dict:
            return _is_no(value, OBJECT, at)
        for name, part in value.items():
            if name in checks:
                if fault := checks[name](part, f"{at}.{name}"):
                    return fault
            elif closed:
                return f"`{_name(f'{at}.{name}')}` is no field that there is"
        return _first(f"`{_name(f'{at}.{name}')}` is missing" for name in needed if name not in value)

    return check


def _first(faults: Iterable[str | None]) -> str:
    return next(filter(None, faults), "")


def _is_no(value: object, what: str, at: str) -> str:
    return f"{f'`{_name(at)}`' if at else 'it'} is {json.dumps(value)[:40]}, and should be {what}"


def _name(at: str) -> str:
    return re.sub(r"[^\w.\[\]-]", "?", at.removeprefix("."))[:100]
