"""What a study's file says: its parts, each a run of `trove-lite run`, and what was published of
them."""

import os
import tomllib
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite.candidates import read_description
from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError
from trove_lite.running.settings import RunSettings

HERE = Path(__file__).parent
NOTEBOOKS = Path("notebooks")
#: In which factors the two systems of a comparison differ, as `python -m studies plan` found it from
#: what was rendered.
FACTORS = HERE / "factors.csv"
#: What each planned part asks its model, as `python -m studies seal` hashed it.
PROMPTS = HERE / "prompts.csv"
#: What of a made tool a plan counts: that what its call returns reaches a print, or the call.
USES = ("used", "called")
# groups: what tables are made from, and TROVE with one choice changed
MAIN = "runs"
ABLATIONS = "ablations"
ATTEMPTS = ".attempts"  # how an option ends that says how many a method makes


class Part(NamedTuple):
    """One run of a study: the folder that it is published in (`group`), and its options."""

    name: str
    group: str
    options: Mapping[str, object]
    accepted: Mapping[str, str] = {}  # checks of health that it is published with, and why
    counted: Mapping[
        str, Mapping[str, int]
    ] = {}  # of these checks what a reason counts: a query → how many rows it has
    withdrawn: str = ""  # why no table may be made of it, with the date; "" where one may
    __hash__ = object.__hash__  # so that what was found of it can be kept (`cache`)

    def folder(self, runs: Path, given: Mapping[str, Path]) -> Path:
        return given.get(self.name, runs / self.name)

    def published(self, results: Path) -> Path:
        return results / self.group / self.name

    def complete(self, runs: Path, given: Mapping[str, Path], results: Path) -> Path | None:
        """Where it is complete: its run folder, or else what was published of it; None where
        neither is."""
        return next(filter(is_complete, (self.folder(runs, given), self.published(results))), None)


class Study(NamedTuple):
    name: str
    title: str
    weights: Mapping[str, str]
    parts: Sequence[Part]
    engine: str = ""  # arguments of vLLM
    model: str = ""  # as `--model` takes it, where parts hang on which it is
    notebooks: Sequence[str] = ()  # that show it; none named is all of them
    default: str = ""  # the part that those of the group `ablations` are held against
    remarks: str = ""  # of how it was run, for its README
    together: bool = False  # whether one report shows all of its data sets
    by_seed: bool = (
        False  # whether each seed of a part is a part, NAME-SEED: a run folder of its own
    )
    models: bool = False  # whether each model has a folder of results of its own, by its name
    compared: Mapping[
        str, Sequence[Sequence[str]]
    ] = {}  # planned comparisons: both systems' parts, with tools first
    factors: Mapping[
        str, str
    ] = {}  # comparison → the one factor that it names, where that is not the tool
    #: Where the plan is told (`text`), the commit and `date` of it, `later` ones by comparison, its
    #: `models`, the digests of their `weights` (before 29 November 2026: names of files), whether a
    #: tool is taken as used where it is "called" or where what the call returns is "used", and
    #: whether of all programs that could call one or of those that were `shown` one.
    plan: Mapping[str, object] = {}
    measures: Sequence[str] = ()  # of these, by names of `bench.MEASURES`; the first decides
    margin: float = 0.0  # a difference below it is equality; 0: no verdict is said
    __hash__ = object.__hash__

    def date_of(self, name: str) -> str:
        """When a comparison was planned; "" where the plan does not say."""
        return self.plan.get("later", {}).get(name, self.plan.get("date", ""))

    @property
    def several(self) -> bool:
        """Whether it has a report for each of several data sets, by the plan."""
        planned = {
            part.options.get("dataset", RunSettings.dataset)
            for part in self.parts
            if part.group == MAIN
        }
        return not self.together and len({load_dataset(name).name for name in planned}) > 1

    def report_name(self, dataset: str) -> str:
        """What the folder is called that has the tables of one of its data sets."""
        return self.name + f"-{dataset}" * self.several

    def published(self, results: Path) -> dict[str, list[Path]]:
        """By data set the published parts that tables are made from, without those that are
        withdrawn.

        Those of a study whose report is one are all under the first.
        """
        found = {}
        withdrawn = {part.name for part in self.parts if part.withdrawn}
        for part in sorted((results / MAIN).glob("*")):
            if part.name not in withdrawn:
                of = str(
                    pd.read_parquet(part / "candidates.parquet", columns=["dataset"])[
                        "dataset"
                    ].iloc[0]
                )
                found.setdefault(next(iter(found), of) if self.together else of, []).append(part)
        return found


def read_study(path: Path) -> Study:
    """A study's file. Raises TroveLiteError for one that cannot be read or lacks something."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
        needed = {name: found[name] for name in ("name", "title", "weights")}
        parts = [
            part_of(part, found.get("settings", {}))
            for text in found["part"]
            for part in apart(text, found)
        ]
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise TroveLiteError(
            f"{path}: not a study that can be read ({error}); see studies/ for one"
        ) from error
    except KeyError as error:
        raise TroveLiteError(
            f"{path}: says no {error}; see studies/ for what a study says"
        ) from error
    names = [part.name for part in parts]
    compared = found.get("compared", {})
    runs = {text["name"]: [part["name"] for part in apart(text, found)] for text in found["part"]}
    if lacking := {
        one for systems in compared.values() for system in systems for one in system
    } - set(runs):
        raise TroveLiteError(f"{path}: compares {min(lacking)}, which is none of its parts")
    pairs = {
        name: [[run for one in system for run in runs[one]] for system in systems]
        for name, systems in compared.items()
    }
    about = {name: found[name] for name in Study._fields if name in found}
    study = Study(**about | needed | {"parts": parts, "compared": pairs})
    if study.default not in ("", *names):
        raise TroveLiteError(f"{path}: its default, {study.default}, is none of its parts")
    refuse_no_plan(study.plan, path)
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise TroveLiteError(f"{path}: has two parts named {repeated[0]}; name each once")
    return study


def refuse_no_plan(plan: Mapping[str, object], path: Path) -> None:
    """Refuse a table [plan] whose dates are none, or whose `uses` is not known."""
    dates = {"date": plan.get("date"), **plan.get("later", {})}
    for name, date in dates.items():
        try:
            aware = date is None or datetime.fromisoformat(date).tzinfo
        except (TypeError, ValueError):
            aware = False
        if not aware:
            raise TroveLiteError(
                f'{path}: plan, {name} = {date!r}: write a time with its zone, "2026-11-28T02:06:38Z"'
            )
    if (uses := plan.get("uses", USES[0])) not in USES:
        raise TroveLiteError(f"{path}: plan, uses = {uses!r}: it is one of {', '.join(USES)}")


def apart(text: Mapping[str, object], study: Mapping[str, object]) -> list[Mapping[str, object]]:
    """A part as it is or, where the study's seeds are parts, one for each, with what is
    accepted of it alone."""
    if not study.get("by_seed"):
        return [text]
    accepted = study.get("accepted", {})
    found = []
    for seed in text["seeds"]:
        name = f"{text['name']}-{seed}"
        checks = text.get("accepted", {}) | accepted.get(name, {})
        found.append({**text, "name": name, "seeds": [seed], "accepted": checks})
    return found


def part_of(text: Mapping[str, object], settings: Mapping[str, object]) -> Part:
    about = {name: text[name] for name in ("accepted", "withdrawn") if name in text}
    own = {name: value for name, value in text.items() if name not in ("name", "group", *about)}
    reasons = about.get("accepted", {})
    counted = {check: why for check, why in reasons.items() if not isinstance(why, str)}
    about["accepted"] = reasons | {check: why["why"] for check, why in counted.items()}
    about["counted"] = {check: why["query"] for check, why in counted.items()}
    return Part(
        text["name"],
        text.get("group", MAIN),
        settings | own,
        **about,
    )


def from_notebooks(path: Path) -> str:
    """A path as a notebook takes it, which runs in its own folder."""
    return os.path.relpath(path, NOTEBOOKS)


def is_complete(folder: Path) -> bool:
    return (folder / "run.json").is_file() and (folder / "candidates.parquet").is_file()


def falls_short(folder: Path, part: Part) -> list[tuple[str, object, object]]:
    """Where a complete part has not as many problems, or attempts at each, as the study's file says
    now.

    A triple an option: its name, what the part was made with, and what the file says.
    """
    settings = read_description(folder)["settings"]
    made = {"limit": settings.get("limit")} | attempts_in(settings)
    wanted = {
        name: value
        for name, value in part.options.items()
        if name == "limit" or name.endswith(ATTEMPTS)
    }
    options = [(name, made.get(name), wanted.get(name)) for name in made | wanted]
    return [(name, was or "none", now or "none") for name, was, now in options if was != now]


def attempts_in(settings: Mapping) -> dict[str, int]:
    """The options of a run by which methods make so many attempts a problem, whatever they cost."""
    return {
        name + ATTEMPTS: own["attempts"]
        for name, own in settings.get("choices", {}).items()
        if name in settings["methods"] and own.get("attempts") is not None
    }
