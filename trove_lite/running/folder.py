"""A run folder and its `run.json`: what a run is, whether it may go on, and when it was worked on.

A run is known by all that its rows depend on (IDENTITY), and goes on with the same alone.
Descriptions are
dictionaries: no model, method or program runs here.
"""

import json
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from ..candidates import (
    MISSING,
    TABLES,
    UNAVAILABLE,
    read_description,
    refuse_edited,
    versions,
    write_description,
)
from ..datasets import grader_of, load_dataset
from ..datasets.base import Problem
from ..errors import UsageError, blamed_on, shown
from ..journal import finished_journal
from ..methods import load_method
from ..methods.base import as_begun
from ..sandbox.pool import interpreter_of_programs
from .driver import Stream
from .record import content_hash, keyed
from .settings import RunSettings, model_identity

#: What of `run.json` a resumed run must share: the rest says what came of it.
IDENTITY = ("kind", "settings", "prompts", "data", "isolation", "versions", "methods")
#: What changes no row of a run: two libraries, which level was asked for (`isolation` is the one
#: applied), and choices of methods, which are all in `methods`.
INDIFFERENT = ("versions.matplotlib", "versions.pyarrow", "settings.isolation", "settings.choices")
HASH_OF_NOTHING = (
    "e3b0c44298fc1c14"  # of the prompts of a method that speaks, until these were hashed too
)
#: What of a run's settings a sample hangs on besides its prompt and seed.
DRAWN = (
    "model",
    "roles",
    "chat",
    "dataset",
    "parser",
    "sampling",
    "isolation",
    "time_limit",
    "memory",
)
BEFORE = "before"  # where journals lie whose unavailable samples are asked for again


def describe(settings: RunSettings, streams: Sequence[Stream], pack, level: str) -> dict:
    """All that a run's rows depend on, as JSON: what a resumed run is held to. level: how programs
    are confined."""
    problems = {stream.category: stream.problems.values() for stream in streams}
    problems |= {
        f"{stream.category}, labelled": stream.examples
        for stream in streams
        if stream.method.examples
    }
    hashes = {category: hash_of(found) for category, found in problems.items()}
    hashes |= {
        f"lent to {stream.label}": content_hash(stream.given) for stream in streams if stream.given
    }
    methods = {
        stream.method.name: stream.settings
        for stream in streams
        if stream.seed == settings.seeds[0]
    }
    stages = {stage for stream in streams for stage in stream.method.stages or stream.method.modes}
    eyes = settings.vision and load_dataset(settings.dataset).looks.identity(settings.vision)
    return {
        "kind": "live",
        "provenance": "live",
        "settings": {
            **asdict(settings),
            "model": model_identity(settings.model),
            "roles": {role: model_identity(spec) for role, spec in settings.roles.items()},
            "vision": eyes,
            "choices": {method: placeless(choices) for method, choices in settings.choices.items()},
        },
        "methods": {method: placeless(asdict(own)) for method, own in methods.items()},
        "prompts": {"name": pack.name, "hash": pack.hash_of(stages)},
        "data": hashes,
        "isolation": level,
        "versions": versions(),
        "interpreter": interpreter_of_programs(),
    }


def placeless(choices: Mapping) -> dict:
    """Choices of a method, where a run that lends its toolboxes has its name alone: it may lie
    elsewhere tomorrow."""
    return {k: Path(value).name if k == "toolbox" else value for k, value in choices.items()}


def hash_of(problems: Iterable[Problem]) -> str:
    """A hash of a category's problems: their files by name alone, since data sets check what is in
    them."""
    return content_hash(
        [
            {"question": p.question, "gold": p.gold, "level": p.level, "files": sorted(p.files)}
            for p in problems
        ]
    )


def differing(old: Mapping, new: Mapping) -> list[str]:
    old, new = (
        dict(flat({part: json.loads(json.dumps(d)).get(part) for part in IDENTITY}))
        for d in (old, new)
    )
    was, now = ({name: one.get(name, "absent") for name in new | old} for one in (old, new))
    names = [name for name in was if was[name] != now[name] and not name.startswith(INDIFFERENT)]
    stated = [
        name for name in names if not name.startswith("methods.")
    ] or names  # methods follow from settings
    return [
        f"{name.removeprefix('settings.').removeprefix('methods.')}: was {was[name]}, now {now[name]}"
        for name in stated
    ]


def flat(value: Mapping, prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, part in value.items():
        if isinstance(part, dict) and part:
            yield from flat(part, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", part


def resume(out: Path, new: Mapping) -> bool:
    """Whether the run is complete. Begins it where there is none, refuses one that differs.

    new: what `describe` says of it now. A folder in which nothing was generated takes new settings.
    """
    if complete := (out / TABLES[0]).exists():
        refuse_edited(out)
    begun = complete or generated(out)
    path = out / "run.json"
    changes = differing(as_written_now(read_description(out), new), new) if path.exists() else []
    if path.exists() and not changes:
        return complete
    if begun and changes:
        raise UsageError(
            f"{path}: holds a run with other settings ({shown('; '.join(changes))}); set them back, or choose "
            "another --out, with --reuse for the samples of this one that stay"
        )
    if begun:
        raise UsageError(f"{out}: holds rows of a run without its run.json; choose another --out")
    write_description(out, new)
    return False


def as_written_now(old: Mapping, new: Mapping) -> dict:
    """A run's description of before, with the default of each setting that the version of then did
    not have yet."""
    methods = dict(old.get("methods") or {})
    for method in map(
        load_method, new["settings"]["methods"]
    ):  # by where it is: it may be somebody's own
        if method.name in methods:
            kind = type(method.presets["paper"])
            methods[method.name] = asdict(kind()) | as_begun(kind, methods[method.name])
    prompts = old.get("prompts") or {}
    if prompts.get("hash") == HASH_OF_NOTHING:
        prompts = prompts | {"hash": new["prompts"]["hash"]}
    settings = asdict(RunSettings()) | (old.get("settings") or {})
    if str(settings["dataset"]).endswith(".jsonl"):
        settings["grader"] = grader_of(settings)
    return {**old, "settings": settings, "methods": methods, "prompts": prompts}


def begun_with(out: Path, settings: RunSettings) -> dict[str, dict]:
    """The methods' settings that a run was begun with, by method; nothing where nothing was
    generated yet."""
    begun = read_description(out).get("methods", {}) if generated(out) else {}
    for spec in settings.methods:
        name = load_method(spec).name
        with blamed_on(f"{out / 'run.json'}, methods.{name}"):
            settings.of(spec, settings.seeds[0], begun.get(name))
    return begun


def with_grader(settings: RunSettings, out: Path) -> RunSettings:
    """The settings with the grader of a file's problems: where none is asked for, as the run in
    `out` was begun."""
    if settings.grader or not settings.own_problems:
        return settings
    begun = read_description(out).get("settings") or {}
    return replace(
        settings,
        grader=grader_of(begun) if generated(out) and (out / "run.json").exists() else "strict",
    )


def generated(out: Path) -> bool:
    return any(path.stat().st_size for path in (out / "journal").glob("*"))


def too_many_unavailable(description: Mapping, most: float) -> str:
    """That a run says nothing, for more than the share `most` of its requests were unavailable; ""
    where it does."""
    lacking = description.get("missing", {}).get(UNAVAILABLE, 0)
    asked = sum(row["calls"] for row in description.get("budget", ()))
    if not lacking or lacking <= most * asked:
        return ""
    words = (
        "no sample could be had"
        if lacking == asked
        else f"{lacking:,} of {asked:,} samples could not be had"
    )
    return f"{words} ({description.get('unavailable_because', '')}), so there is no accuracy"


def ask_again(out: Path) -> None:
    """Make a complete run one that is begun, with what it has at hand but what was unavailable."""
    for table in TABLES:  # they are made again of the journals
        (out / table).unlink(missing_ok=True)
    shutil.rmtree(
        out / BEFORE, ignore_errors=True
    )  # of a time before this, all of which is in the journals
    (out / "journal").rename(out / BEFORE)
    (out / "journal").mkdir(exist_ok=True)


def refuse_others(folder: Path, theirs: Mapping, ours: Mapping) -> None:
    """Raises TroveLiteError where samples of the run in `folder` are not what ours would be; both
    are run.json's."""
    drawn = []
    for about in (theirs, ours):
        settings = {name: about.get("settings", {}).get(name) for name in DRAWN}
        libraries = dict(about.get("versions", {}))
        libraries.pop("trove-lite", None)
        drawn.append(
            {"settings": settings, "versions": libraries, "isolation": about.get("isolation")}
        )
    changes = differing(*drawn)
    changes += [
        f"{name}: not the same"
        for name in ("models", "identity")
        if theirs.get(name) != ours.get(name)
    ]
    if changes:
        raise UsageError(
            f"{folder}: its samples are not what this run would draw ({'; '.join(changes)}); "
            "leave out --reuse"
        )


def take_samples(stream: Stream, folder: Path | None, before: Path) -> None:
    """Let a stream take samples, but those unavailable, of a finished run, and of its own journals
    of `before`."""
    if folder:
        if not (folder / TABLES[0]).exists() or not (folder / "journal").is_dir():
            raise UsageError(
                f"{folder}: not a finished run with its journals, whose samples could be used again"
            )
        theirs = read_description(folder).get("methods", {}).get(stream.method.name, {})
        stream.alike = theirs.get("isolated", False) == stream.isolated
    for journals in [folder / "journal", before] if folder else [before]:
        path = journals / f"{stream.label}.jsonl"
        found = keyed(finished_journal(path), path)
        stream.others |= {
            key: record for key, record in found.items() if record.finish_reason not in MISSING
        }


def note_session(
    out: Path, names: Mapping[str, str], identity: Mapping[str, dict], setup: Mapping[str, dict]
) -> None:
    """Note which models answer from now on, by role, which a server may say only now; refuse to go
    on with others."""
    description = read_description(out)
    before = description.setdefault("models", dict(names))
    if before != names:
        was, now = (", ".join(sorted(set(named.values()))) for named in (before, names))
        raise UsageError(
            f"{out / 'run.json'}: was begun with the model '{was}', and this is '{now}'; "
            "choose another --out"
        )
    begun = {"began": as_time(time.time()), "commit": commit(), "setup": setup}
    now = {
        "model": names["solver"],
        "identity": identity,
        "sessions": [*sessions_of(out, description), begun],
    }
    write_description(out, description | now)


def sessions_of(out: Path, description: Mapping) -> list[dict]:
    """When this run was worked on so far. What may have been killed ended with the last line of its
    journals."""
    sessions = list(description.get("sessions") or ())
    if sessions:
        ended = as_time(
            max((path.stat().st_mtime for path in (out / "journal").iterdir()), default=0.0)
        )
        sessions[-1] = {"ended": max(ended, sessions[-1]["began"])} | sessions[-1]
    return sessions


def as_time(seconds: float) -> str:
    """A moment as `2026-01-31T12:00:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def commit() -> str | None:
    """The commit of the checkout that this package is run from, `-dirty` where files differ; None
    where it is none."""
    checkout = Path(__file__).parents[2]
    command = ["git", "-C", str(checkout), "describe", "--always", "--dirty", "--exclude=*"]
    with suppress(OSError, subprocess.SubprocessError):
        if (checkout / ".git").exists():
            return (
                subprocess.check_output(
                    command, stderr=subprocess.DEVNULL, text=True, timeout=10
                ).strip()
                or None
            )
    return None


def add_counts(out: Path, **counts: int) -> None:
    """Count requests that were sent again, and samples taken from another run, on top of those
    before a stop."""
    description = read_description(out)
    with suppress(OSError):  # a full disk, say, which has been told of
        write_description(
            out, description | {name: description.get(name, 0) + n for name, n in counts.items()}
        )
