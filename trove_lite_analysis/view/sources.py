"""Any runs and logs, ours or other harnesses', as systems on the problems that all of them have.

`kind_of` tells them apart by what they hold. What is left out, and why, is said."""

import json
from collections.abc import Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite.candidates import (
    STREAM,
    all_candidates,
    as_text,
    load_calls,
    load_candidates,
    read_description,
    rows_where,
    selected_alone,
)
from trove_lite.errors import UsageError

from ..check import PROBLEM
from ..pairwise import BESIDE
from ..recorded.harness_logs import import_harness_logs, numbered
from ..systems import Frames, by_system, short_names
from . import TABLES, table_of
from .same import Source, of_run, refuse_others

LOGS = ("*.eval", "samples_*.jsonl", "*_eval_results.json")  # in a folder of a harness
KNOWN = "a run, inspect's .eval, lm-eval's samples_*.jsonl, evalplus' *_eval_results.json, EEE's .jsonl, or a CSV"
KEY = ["category", "name"]  # of a problem, while sources may number them otherwise
#: What two runs may differ in and still be runs of one system.
RUNS_DIFFER = ("name", "seeds", "categories", "limit", "out")


class Systems(NamedTuple):
    """Candidates by the name of their system, on the same problems, numbered alike. `words`: question
    and right answer of a log's problems, as far as it tells, by (dataset, category, number).
    `runs`: the run folders among the sources.
    `notes`: what was left out, and what else has to be known."""

    frames: dict[str, pd.DataFrame]
    words: dict[tuple, tuple[str, object]]
    runs: list[Path]
    notes: list[str]


def kind_of(path: Path) -> str:
    """Whose log a file is, a key of `harness_logs.READERS` or `official`; `run` for our own, "" for
    what is unknown."""
    if path.is_dir() or path.suffix == ".parquet":
        return "run"
    if path.suffix in (".eval", ".csv", ".md"):
        return {".eval": "inspect", ".csv": "table", ".md": "official"}[path.suffix]
    if path.name.endswith("_eval_results.json"):
        return "evalplus"
    found: object = None
    with suppress(OSError, ValueError, RecursionError), path.open(encoding="utf-8") as file:
        found = json.loads(
            next(filter(str.strip, file), "") if path.suffix == ".jsonl" else file.read()
        )
    if not isinstance(found, dict):
        return ""
    if isinstance(found.get("eval"), dict) and path.suffix == ".json":
        return "inspect" if "task" in found["eval"] else "evalplus"
    by_field = {
        "doc_id": "lm-eval",
        "interaction_type": "eee",
        "method": "table",
        "solution": "evalplus",
        "completion": "evalplus",
    }
    return next(
        (kind for name, kind in by_field.items() if name in found),
        "",
    )


def load_systems(*sources: str | Path, verdict: str = "", same_task: bool = False) -> Systems:
    """Two or more runs or logs as systems: each a method of a model, or a source where these are the
    same. A source is PATH or NAME=PATH, which names its system. Runs with the same settings, but for
    their seeds, are one system. verdict: which verdict of a log is read. same_task: problems of one
    name are one, where nothing else tells. Raises UsageError for what is no such thing, where no
    problem is in all, and where two ask something else."""
    pieces = []
    words = {}
    runs = []
    notes = []
    loaded = []
    for text in map(str, sources):
        given, _, name = ("", "", text) if Path(text).exists() else text.rpartition("=")
        if not name:
            raise UsageError(f"{text}: names no file; give NAME=FILE")
        label = given or _label(
            Path(name),
            [Path(str(s).rpartition("=")[2]) for s in sources],
        )
        if _is_run(Path(name)):
            found, told = _run(Path(name), notes)
            runs.append(Path(name))
            source = of_run(label, Path(name), found)
        else:
            own: dict = {}
            found, told = _logs(
                Path(name),
                verdict,
                words,
                notes,
                own,
            )
            # lm-eval's problems have a hash where they do not tell the question
            hashed = told == "lm-eval"
            asked = {
                key: (None if hashed and question == mark else question, gold)
                for key, (mark, question, gold) in own.items()
            }
            source = Source(label, told, found, asked, {})
        loaded.append((given, told, source))
    if len(sources) != len(set(map(str, sources))):
        raise UsageError("a run or log is given twice; name each once")
    said, left = refuse_others([source for *_, source in loaded], same_task=same_task)
    notes += said
    for given, told, source in loaded:
        found = source.frame
        if left:
            keys = pd.MultiIndex.from_frame(as_text(found[KEY], KEY[:1]))
            found = found[~keys.isin(left)]
        for key, part in by_system(found).items():
            pieces.append((key, given, told, source.label, part))
    named = _grouped(pieces)
    if len(named) < 2:
        raise UsageError(
            f"{sources[0] if sources else 'nothing'}: holds one system alone ({', '.join(named)}); give two"
        )
    return _on_the_same_problems(named, words, runs, notes)


def _is_run(path: Path) -> bool:
    logs = path.is_dir() and not any((path / name).exists() for name in (*TABLES, "run.json"))
    return kind_of(path) == "run" and not logs


def _label(path: Path, others: Sequence[Path]) -> str:
    """A source's name: as many of the last parts of its path as tell it from the others."""
    for parts in range(1, len(path.parts) + 1):
        names = [str(Path(*other.parts[-parts:])) for other in others]
        if len({name.rpartition(".")[0] or name for name in names}) == len(names):
            return str(Path(*path.parts[-parts:])).removesuffix(path.suffix)
    return str(path)


def _run(path: Path, notes: list[str]) -> tuple[pd.DataFrame, str]:
    """A run's candidates with the `name` of each problem, and its settings, but for what runs of a
    system differ in."""
    frame = load_candidates(table_of(path))
    about = read_description(path if path.is_dir() else path.parent)
    if lone := selected_alone(frame):
        notes.append(
            f"left out: of {len(lone)} runs of a category only the selected answers are known ({path})"
        )
        frame = all_candidates(frame)
    names = about.get("problems", {})
    known = frame[PROBLEM].drop_duplicates()
    number = frame.groupby(PROBLEM, observed=True).ngroup()
    name = [names.get(c, {}).get(str(n), str(n)) for c, n in known.itertuples(index=False)]
    name = pd.Series(name, number[known.index]).reindex(number).to_numpy()
    frame = frame.assign(name=name, folder=str(path))
    if known := [*{"prompt_tokens", "completion_tokens"} & {*frame.columns}]:
        frame[BESIDE] = beside(
            frame,
            load_calls(table_of(path)),
            known,
        )
    settings = {
        name: value for name, value in about.get("settings", {}).items() if name not in RUNS_DIFFER
    }
    return frame, json.dumps(
        settings,
        sort_keys=True,
        default=str,
    )


def beside(frame: pd.DataFrame, calls: pd.DataFrame, names: list[str]) -> pd.Series:
    """What a stream spent on requests that are no samples of its problems, to make and check tools
    or in a second go, as tokens a sample; NaN where a request does not tell."""

    def total(rows: pd.DataFrame) -> pd.Series:
        spent = rows[names].astype(float).sum(axis=1, skipna=False)
        return spent.groupby([rows[n].astype(str) for n in STREAM]).agg(
            lambda each: each.sum(skipna=False)
        )

    calls = calls[calls["role"].notna()]  # the others ran a program, and asked no model
    samples = frame[(frame["phase"] == "stream").to_numpy()]
    more = (total(calls) - total(samples)) / samples.groupby(
        [samples[n].astype(str) for n in STREAM]
    ).size()
    keys = pd.MultiIndex.from_frame(as_text(frame[STREAM], STREAM))
    return pd.Series(more.reindex(keys).to_numpy(), frame.index).clip(lower=0)


def _logs(
    path: Path, verdict: str, words: dict, notes: list[str], own: dict
) -> tuple[pd.DataFrame, str]:
    """The candidates of a log, or of all those in a folder; `words` and, of it alone, `own` get
    what is asked, by category and name."""
    files = [path]
    if path.is_dir():
        files = sorted(file for pattern in LOGS for file in path.rglob(pattern))
    if not path.exists():
        raise UsageError(f"{path}: no such file; give {KNOWN}")
    if not files:
        raise UsageError(f"{path}: holds no run or log; give {KNOWN}")
    kinds = {kind_of(file) for file in files}
    if len(kinds) > 1:
        raise UsageError(f"{path}: holds logs of {' and '.join(sorted(kinds))}; give each apart")
    (kind,) = kinds
    if kind in ("", "official"):
        remedy = "make a run of it first, by `trove-lite import`" if kind else f"give {KNOWN}"
        raise UsageError(f"{path}: not a run or log that can be compared as it is; {remedy}")
    frame, about = import_harness_logs(
        [str(file) for file in files], kind, verdict=verdict, partial=True, words=own
    )
    named = {
        (category, int(number)): name
        for category, names in about["problems"].items()
        for number, name in names.items()
    }
    places = zip(
        frame["category"].astype(str),
        frame["problem"],
        strict=True,
    )
    frame["name"] = [named.get(place) for place in places]
    other = set()
    for key, (asked, *_) in own.items():
        before, *_, of = words.get(key, ("", ""))
        if asked and before and of == kind and before.split() != asked.split():
            other.add(key)
    if other and len(other) == len(own):
        raise UsageError(
            f"{path}: each of its problems asks something else than in the"
            " log before it; give logs of the same problems"
        )
    if other:
        example = " ".join(min(other))
        what = f"{len(other)} problems that ask something else in {path}"
        notes.append(f"left out: {what}, such as {example}")
    for key, said in own.items():
        words.setdefault(key, (*said, kind))
    keys = zip(frame["category"], frame["name"], strict=True)
    return frame[[key not in other for key in keys]], kind


def _grouped(pieces: Sequence[tuple]) -> dict[str, pd.DataFrame]:
    """Pieces of one system together, by its name: runs with other settings, or all that is there, are
    systems apart."""
    told: dict[tuple, set] = {}
    for key, _, settings, *_ in pieces:
        told.setdefault(key, set()).add(settings)
    alone = len(told) == 1  # then it is the sources that are compared
    systems: dict[tuple, list] = {}
    for number, (key, given, settings, label, part) in enumerate(pieces):
        apart = settings if len(told[key]) > 1 else ""
        if alone:
            apart += f" {number}"
        systems.setdefault((given, key, apart), []).append((label, part))
    names = short_names([(*key, parts[0][0]) for (_, key, _), parts in systems.items()])
    found = {}
    for name, ((given, key, _), parts) in zip(
        names,
        systems.items(),
        strict=True,
    ):
        several = sum(other == given for other, *_ in systems) > 1
        name = f"{given}, {key[0]}" if given and several else given or name
        frames = []
        for label, part in parts:
            run = as_text(part[["run"]], ["run"])["run"]
            if len(parts) > 1:
                run = run + f" ({label})"
            frames.append(part.assign(run=run, method=name))
        found[name] = pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
    return found


def _on_the_same_problems(frames: Frames, words: dict, runs: list, notes: list[str]) -> Systems:
    """The systems where all have a problem, which get the same number; a lone category may have
    another name."""
    frames = {name: as_text(frame, ["category", "dataset"]) for name, frame in frames.items()}
    tasks = [set(frame["category"]) for frame in frames.values()]
    if all(len(own) == 1 for own in tasks) and len(every := set.union(*tasks)) > 1:
        first = next(iter(frames.values()))["category"].iloc[0]
        notes.append(f"taken for the same task: {', '.join(sorted(every))}")
        for (task, name), said in list(words.items()):
            if task in every - {first}:
                words[first, name] = said
        frames = {name: frame.assign(category=first) for name, frame in frames.items()}
    keys = {name: pd.MultiIndex.from_frame(frame[KEY]) for name, frame in frames.items()}
    had = {name: set(own.unique()) for name, own in keys.items()}
    common = set.intersection(*had.values())
    if not common:
        shown = "; ".join(
            f"{name} has {', '.join(min(own))} and {len(own) - 1} more" for name, own in had.items()
        )
        remedy = "compare runs or logs of the same problems"
        raise UsageError(f"no problem is in all of them ({shown}); {remedy}")
    if others := set.union(*had.values()) - common:
        each = ", ".join(
            f"{len(own - common)} of {name}" for name, own in had.items() if own - common
        )
        example = " ".join(min(others))
        notes.append(
            f"left out: {len(others)} problems that not all systems have, such as {example} ({each})"
        )
    datasets = set().union(*(frame["dataset"] for frame in frames.values()))
    numbers = {}
    kept = {}
    dataset = (
        datasets.pop() if len(datasets) == 1 else ", ".join(sorted({task for task, _ in common}))
    )
    for task, own in groupby(
        sorted(common),
        key=lambda problem: problem[0],
    ):
        numbers |= {
            (task, name): number for name, number in numbered(name for _, name in own).items()
        }
    for name, frame in frames.items():
        number = pd.Series(numbers, dtype="Int32").reindex(keys[name]).array
        renumbered = frame.assign(problem=number, dataset=dataset).drop(columns="name")
        kept[name] = rows_where(renumbered, ~number.isna())
    told = {
        (dataset, key[0], numbers[key]): said[1:3] for key, said in words.items() if key in numbers
    }
    return Systems(
        kept,
        told,
        runs,
        notes,
    )
