"""What a study's file says: its parts, each a run of `trove-lite run`, and what was published of them."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite import RunSettings
from trove_lite.candidates import read_description
from trove_lite.datasets import load_dataset
from trove_lite.errors import TroveLiteError

MAIN, LONGER = "runs", "longer"  # groups: what tables are made from, and PRIMITIVE with more calls
ABLATIONS = "ablations"  # TROVE with one choice changed
#: What of a part's options is no choice of the method that its ablation would change.
OUTER = ("methods", "categories", "seeds", "limit", "reuse")
ATTEMPTS = ".attempts"  # how an option ends that says how many a method makes


class Part(NamedTuple):
    """One run of a study: the folder that it is published in (`group`), and its options."""

    name: str
    group: str
    options: Mapping[str, object]
    accepted: Mapping[str, str] = {}  # signs of health that it is published with, and why
    note: str = ""  # what its run cannot tell, for rows of tables
    withdrawn: str = ""  # why no table may be made of it, with the date; "" where one may

    def folder(self, runs: Path, given: Mapping[str, Path]) -> Path:
        return given.get(self.name, runs / self.name)

    def published(self, results: Path) -> Path:
        return results / self.group / self.name

    def complete(self, runs: Path, given: Mapping[str, Path], results: Path) -> Path | None:
        """Where it is complete: its run folder, or else what was published of it; None where neither is."""
        return next(filter(is_complete, (self.folder(runs, given), self.published(results))), None)


class Study(NamedTuple):
    """What a study's file says."""

    name: str
    title: str
    engine: str
    weights: Mapping[str, str]
    parts: tuple[Part, ...]
    notebooks: tuple[str, ...] = ()  # that show it; none named is all of them
    default: str = ""  # the part that those of the group `ablations` are held against
    beside: tuple[str, ...] = ()  # published studies, or parts of them, whose runs stand among its own
    other_models: tuple[str, ...] = ()  # published studies or outcomes of other models, with tables' rows of their own
    remarks: str = ""  # of how it was run, for its README
    together: bool = False  # whether one report shows all of its data sets

    @property
    def several(self) -> bool:
        """Whether it has a report for each of several data sets, by the plan."""
        if self.together:
            return False
        planned = {part.options.get("dataset", RunSettings.dataset) for part in self.parts if part.group == MAIN}
        return len({load_dataset(name).name for name in planned}) > 1

    def report_name(self, dataset: str) -> str:
        """What the folder is called that has the tables of one of its data sets."""
        return self.name + f"-{dataset}" * self.several

    def published(self, results: Path) -> dict[str, list[Path]]:
        """By data set the published parts that tables are made from: its own, then those that stand beside them.

        Those of a study whose report is one all stand under the first. Parts that are withdrawn are left out.
        """
        found: dict[str, list[Path]] = {}
        withdrawn = {part.name for part in self.parts if part.withdrawn}
        for part in (part for part in parts_in(results) if part.name not in withdrawn):
            reported = next(iter(found), None) if self.together else None
            found.setdefault(reported or dataset_of(part), []).append(part)
        for part in (part for name in self.beside for part in parts_in(results.parent / name)):
            found.get(dataset_of(part), []).append(part)
        return found

    def rivals(self, results: Path) -> list[Path]:
        """What is there of other models."""
        return [path for path in (results.parent / name for name in self.other_models) if path.exists()]


def parts_in(folder: Path) -> list[Path]:
    """The parts of a published study that tables are made from; of a single part, that one."""
    return [folder] if is_complete(folder) else sorted((folder / MAIN).glob("*"))


def dataset_of(folder: Path) -> str:
    return str(pd.read_parquet(folder / "candidates.parquet", columns=["dataset"])["dataset"].iloc[0])


def read_study(path: Path) -> Study:
    """A study's file. Raises TroveLiteError for one that cannot be read or lacks something."""
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
        parts = [
            part_of({"withdrawn": told.get("withdrawn", "")} | part, told.get("settings", {})) for part in told["part"]
        ]
        lists = {name: tuple(told.get(name, ())) for name in ("notebooks", "beside", "other_models")}
        named = told["name"], told["title"], told.get("engine", ""), told["weights"]
        texts = {name: told.get(name, "") for name in ("default", "remarks")}
        study = Study(*named, tuple(parts), **texts, **lists, together=told.get("together", False))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise TroveLiteError(f"{path}: not a study that can be read ({error}); see studies/ for one") from error
    except KeyError as error:
        raise TroveLiteError(f"{path}: says no {error}; see studies/ for what a study says") from error
    names = [part.name for part in parts]
    if study.default not in ("", *names):
        raise TroveLiteError(f"{path}: its default, {study.default}, is none of its parts")
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise TroveLiteError(f"{path}: has two parts named {repeated[0]}; name each once")
    return study


def part_of(told: Mapping[str, object], settings: Mapping[str, object]) -> Part:
    about = {name: told[name] for name in ("accepted", "note", "withdrawn") if name in told}
    own = {name: value for name, value in told.items() if name not in ("name", "group", *about)}
    return Part(told["name"], told.get("group", MAIN), settings | own, **about)


def spec_of(model: str, engine: str) -> str:
    """A model as `--model` takes it: a folder or hub name is one for vLLM with the study's engine arguments."""
    if model == "practice" or model.startswith(("vllm:", "http://", "https://")):
        return model
    return f"vllm:{model}?{engine}" if engine else f"vllm:{model}"


def words_of(part: Part, model: str, out: Path, folders: Mapping[str, Path] | None = None) -> list[str]:
    """The part as a command line of `trove-lite run`; `part:NAME` is the folder of another part."""
    words = ["run", "--model", model, "--out", str(out)]
    for name, value in part.options.items():
        texts = [word_of(each, folders or {}) for each in (value if isinstance(value, list) else [value])]
        words += [f"--{name}", *texts]
    return words


def word_of(value: object, folders: Mapping[str, Path]) -> str:
    kind, _, name = str(value).partition(":")
    if kind != "part":
        return str(value).lower() if isinstance(value, bool) else str(value)
    name, mark, category = name.partition("#")
    if name not in folders:
        raise TroveLiteError(f"{value}: no part of the study is named {name}")
    return f"{folders[name]}{mark}{category}"


def is_complete(folder: Path) -> bool:
    return (folder / "run.json").is_file() and (folder / "candidates.parquet").is_file()


def falls_short(folder: Path, part: Part) -> list[tuple[str, object, object]]:
    """Where a complete part has not as many problems, or attempts at each, as the study's file says now.

    A triple an option: its name, what the part was made with, and what the file says.
    """
    settings = read_description(folder)["settings"]
    limit = {} if settings.get("limit") is None else {"limit": settings["limit"]}
    made = limit | attempts_in(settings)
    wanted = {name: value for name, value in part.options.items() if name == "limit" or name.endswith(ATTEMPTS)}
    options = [(name, made.get(name, "none"), wanted.get(name, "none")) for name in made | wanted]
    return [(name, was, now) for name, was, now in options if was != now]


def attempts_in(settings: Mapping) -> dict[str, int]:
    """The options of a run by which methods make so many attempts a problem, whatever they cost."""
    choices = settings.get("choices", {})
    chosen = {method: choices[method].get("attempts") for method in settings["methods"] if method in choices}
    return {method + ATTEMPTS: number for method, number in chosen.items() if number is not None}
