"""A run folder and its `run.json`: what a run is, whether it may go on or grow, and when it was worked on.

A run is known by all that its rows depend on (IDENTITY). One that was begun goes on with the same; to more problems or
more attempts it may grow. Descriptions are dictionaries: no model, method or program runs here.
"""

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import asdict, fields, replace
from pathlib import Path

from ..candidates import UNAVAILABLE, read_description, versions
from ..datasets.base import Problem
from ..errors import TroveLiteError
from ..journal import write_atomically
from ..methods import load_method
from ..methods.base import as_begun
from .record import content_hash
from .settings import RunSettings, model_identity

#: What of `run.json` a resumed run must share: the rest says what came of it.
IDENTITY = ("kind", "settings", "prompts", "data", "isolation", "versions", "methods")
#: What changes no row of a run: two libraries, which level was asked for (`isolation` is the one applied), and choices
#: of methods, which are all in `methods`.
INDIFFERENT = ("versions.matplotlib", "versions.pyarrow", "settings.isolation", "settings.choices")
HASH_OF_NOTHING = "e3b0c44298fc1c14"  # of the prompts of a method that speaks, until these were hashed too
BEFORE = "before"  # where journals lie whose unavailable samples are asked for again
TABLES = ("candidates.parquet", "calls.parquet")


# ---- what a run is ----


def describe(
    settings: RunSettings,
    *,
    begun: Mapping[str, Mapping],
    data: Mapping[str, Sequence[Problem]],
    shown: Mapping[str, Sequence[Problem]],
    lent: Mapping[tuple, Sequence],
    pack,
    level: str,
) -> dict:
    """All that a run's rows depend on, as JSON: what a resumed run is held to.

    begun: methods' settings of before. data, shown: problems by category, the labelled ones too. lent: toolboxes of
    another run, by whose stream they are shown to. level: how programs are confined.
    """
    problems = {category: found[: settings.limit] for category, found in data.items()}
    problems |= {f"{category}, labelled": found for category, found in shown.items()}
    hashes = {category: content_hash([hashed(problem) for problem in found]) for category, found in problems.items()}
    hashes |= {f"lent to {'-'.join(map(str, whose))}": content_hash(views) for whose, views in lent.items()}
    methods = {name: settings.of(name, settings.seeds[0], begun.get(name)) for name in settings.methods}
    stages = {stage for method in map(load_method, settings.methods) for stage in method.stages or method.modes}
    stated = {
        "model": model_identity(settings.model),
        "roles": {role: model_identity(spec) for role, spec in settings.roles.items()},
        "choices": {method: placeless(choices) for method, choices in settings.choices.items()},
    }
    return {
        "kind": "live",
        "provenance": "live",
        "settings": asdict(settings) | stated,
        "methods": {method: placeless(asdict(own)) for method, own in methods.items()},
        "prompts": {"name": pack.name, "hash": pack.hash_of(stages)},
        "data": hashes,
        "isolation": level,
        "versions": versions(),
    }


def placeless(choices: Mapping) -> dict:
    """Choices of a method, where a run that lends its toolboxes has its name alone: it may lie elsewhere tomorrow."""
    return {k: Path(value).name if k == "toolbox" else value for k, value in choices.items()}


def hashed(problem: Problem) -> dict:
    """A problem as its hash sees it: its files by name alone, since data sets check what is in them."""
    return {
        "question": list(problem.question),
        "gold": problem.gold,
        "level": problem.level,
        "files": sorted(problem.files),
    }


def differing(old: dict, new: dict) -> list[str]:
    """What a resumed run would change, as "k: was 15, now 30"."""
    old, new = (dict(flat({part: json.loads(json.dumps(d)).get(part) for part in IDENTITY})) for d in (old, new))
    names = [
        name
        for name in new | old
        if not name.startswith(INDIFFERENT) and old.get(name, "absent") != new.get(name, "absent")
    ]
    stated = [name for name in names if not name.startswith("methods.")] or names  # methods follow from settings
    return [
        f"{name.removeprefix('settings.').removeprefix('methods.')}: was {old.get(name, 'absent')}, "
        f"now {new.get(name, 'absent')}"
        for name in stated
    ]


def flat(value: dict, prefix: str = "") -> Iterator[tuple[str, object]]:
    """Members of a dictionary of dictionaries, each by its names joined with dots."""
    for name, part in value.items():
        if isinstance(part, dict) and part:
            yield from flat(part, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", part


# ---- whether it goes on ----


def resume(out: Path, settings: RunSettings, described: Callable[[RunSettings], dict]) -> bool:
    """Whether the run is complete. Begins it where there is none, lets it grow, refuses one that differs otherwise.

    `described` is `describe` with all but the settings. A folder in which nothing was generated takes new settings.
    """
    new, complete = described(settings), (out / TABLES[0]).exists()
    begun = complete or generated(out)
    if (out / "run.json").exists():
        old = read_description(out)
        changes = differing(as_written_now(old, new), new)
        if not changes:
            return complete
        if begun:
            before = settings_before_growth(settings, old.get("settings") or {})
            same = before != settings and not differing(as_written_now(old, was := described(before)), was)
            if not same:
                raise TroveLiteError(
                    f"{out}: holds a run with other settings ({'; '.join(changes)}); set them back, or choose another "
                    "--out"
                )
            drop_tables(out)
            new = old | new
    elif begun:
        raise TroveLiteError(f"{out}: holds rows of a run without its run.json; choose another --out")
    write_description(out, new)
    return False


def settings_before_growth(settings: RunSettings, began: Mapping) -> RunSettings:
    """The settings with which a run was begun that goes on to these: fewer problems, or fewer attempts at each.

    An attempt comes out the same however many there are. More problems only where a problem comes out the same however
    many follow it. `began`: the settings of before. The same settings where nothing grows.
    """
    limit, choices = settings.limit, dict(settings.choices)
    if (few := began.get("limit")) is not None and (limit is None or limit > few):
        methods = map(load_method, settings.methods)
        limit = few if all(method.grows or not method.stream for method in methods) else limit
    for method, chosen in settings.choices.items():
        few = (began.get("choices") or {}).get(method, {}).get("attempts")
        if few is not None and few < (chosen.get("attempts") or 0):
            choices[method] = chosen | {"attempts": few}
    return replace(settings, limit=limit, choices=choices)


def as_written_now(old: Mapping, new: Mapping) -> dict:
    """A run's description of before, with the default of each setting that the version of then did not have yet."""
    methods = dict(old.get("methods") or {})
    for name in methods.keys() & new["methods"].keys():
        kind = type(load_method(name).presets["paper"])
        methods[name] = defaults(kind) | as_begun(kind, methods[name])
    prompts = old.get("prompts") or {}
    if prompts.get("hash") == HASH_OF_NOTHING:
        prompts = prompts | {"hash": new["prompts"]["hash"]}
    settings = defaults(RunSettings) | (old.get("settings") or {})
    return {**old, "settings": settings, "methods": methods, "prompts": prompts}


def defaults(kind: type) -> dict:
    """The defaults of a dataclass's fields, where they have one."""
    made = {field.name: field.default_factory() for field in fields(kind) if field.default_factory is not NO_DEFAULT}
    return made | {field.name: field.default for field in fields(kind) if field.default is not NO_DEFAULT}


def begun_with(out: Path) -> dict[str, dict]:
    """The methods' settings that a run was begun with, by method; nothing where nothing was generated yet."""
    return (read_description(out).get("methods") or {}) if (out / "run.json").exists() and generated(out) else {}


def generated(out: Path) -> bool:
    """Whether a run folder holds any sample."""
    return any(path.stat().st_size for path in (out / "journal").glob("*"))


def too_many_unavailable(description: Mapping, most: float) -> str:
    """That a run says nothing, for more than the share `most` of its requests were unavailable; "" where it does."""
    lacking = description.get("missing", {}).get(UNAVAILABLE, 0)
    asked = sum(row["calls"] for row in description.get("budget", ()))
    if not lacking or lacking <= most * asked:
        return ""
    words = "no sample could be had" if lacking == asked else f"{lacking:,} of {asked:,} samples could not be had"
    return f"{words} ({description.get('unavailable_because', '')}), so there is no accuracy"


def ask_again(out: Path) -> None:
    """Make a complete run one that is begun, with what it has at hand but what was unavailable."""
    drop_tables(out)
    shutil.rmtree(out / BEFORE, ignore_errors=True)  # of a time before this, all of which is in the journals
    (out / "journal").rename(out / BEFORE)
    (out / "journal").mkdir(exist_ok=True)


def drop_tables(out: Path) -> None:
    """Remove a run's tables, which are made again of its journals."""
    for table in TABLES:
        (out / table).unlink(missing_ok=True)


# ---- when it was worked on, and by which models ----


def note_session(out: Path, names: Mapping[str, str], identity: Mapping[str, dict], setup: Mapping[str, dict]) -> None:
    """Note which models answer from now on, by role, which a server may say only now; refuse to go on with others."""
    description = read_description(out)
    before = description.setdefault("models", dict(names))
    if before != names:
        was, now = (", ".join(sorted(set(named.values()))) for named in (before, names))
        raise TroveLiteError(f"{out}: was begun with the model '{was}', and this is '{now}'; choose another --out")
    begun = {"began": as_time(time.time()), "commit": commit(), "setup": setup}
    sessions = [*sessions_of(out, description), begun]
    write_description(out, description | {"model": names["solver"], "identity": identity, "sessions": sessions})


def sessions_of(out: Path, description: Mapping) -> list[dict]:
    """When this run was worked on so far. What may have been killed ended with the last line of its journals."""
    *before, last = description.get("sessions") or [None]
    if last is None:
        return []
    ended = as_time(max((path.stat().st_mtime for path in (out / "journal").iterdir()), default=0.0))
    return [*before, {"ended": max(ended, last["began"])} | last]


def as_time(seconds: float) -> str:
    """A moment as `2026-01-31T12:00:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def commit() -> str | None:
    """The commit of the checkout that this package is run from, `-dirty` where files differ; None where it is none."""
    checkout = Path(__file__).parents[2]
    if not (checkout / ".git").exists():
        return None
    command = ["git", "-C", str(checkout), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip() or None
    except (OSError, subprocess.SubprocessError):
        return None


def add_counts(out: Path, **counts: int) -> None:
    """Count requests that were sent again, and samples taken from another run, on top of those before a stop."""
    description = read_description(out)
    with suppress(OSError):  # a full disk, say, which has been told of
        more = {name: description.get(name, 0) + count for name, count in counts.items()}
        write_description(out, description | more)


def write_description(out: Path, description: dict) -> None:
    """Write a run folder's `run.json`, all or nothing."""
    text = json.dumps(description, indent=2, ensure_ascii=False) + "\n"
    write_atomically(out / "run.json", lambda part: part.write_text(text, encoding="utf-8"))
