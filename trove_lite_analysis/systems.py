"""Named systems on the same problems, and every pair of them comparable. It knows no method, data set
or paper.

A system is a candidates table under a name: what one method of one model did."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations
from numbers import Integral
from pathlib import Path
from typing import Self

import pandas as pd

from trove_lite.candidates import (
    MISSING,
    SELECTED,
    STREAM,
    UNAVAILABLE,
    as_text,
    calls_of,
    read_description,
    rows_where,
    run_name,
)
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import DIFFICULTY
from trove_lite.errors import TroveLiteError
from trove_lite.selection.tables import in_order

from .independence import independent_runs

#: Tables of candidates or scores, by the names of their systems.
Frames = Mapping[str, pd.DataFrame]
NOTHING = pd.DataFrame(columns=["category", "problem", "status"], dtype=object)  # is missing
SYSTEM = ("method", "model", "provenance")  # what tells systems apart


@dataclass(frozen=True, eq=False)
class Comparison:
    """Candidates ready to be compared, side by side.

    `systems`: name → candidates of independent runs, in sampling order (`choose.in_order`); one may
        be empty.
    `categories` and `levels` are the data set's, `by` says what levels are; `title`: what ran on
    what. `calls`: all requests of these systems (None: each candidate is one). `about`: what the
    `run.json`s of their runs, or of each system's, say. `missing`: name → samples that could not be
    had."""

    systems: Frames
    categories: tuple[str, ...]
    dataset: str
    title: str
    levels: tuple[str, ...] = ()
    by: str = DIFFICULTY
    calls: pd.DataFrame | None = None
    about: Sequence[Mapping] | Mapping[str, Sequence[Mapping]] = ()
    missing: Frames = field(default_factory=dict)

    @classmethod
    def of(cls, systems: Frames, *, runs: Iterable[Path] = (), **more: object) -> Self:
        """Systems whose runs are independent (`independent_runs`). Raises where a system mixes models,
        or data sets. runs: their folders, which know where a file of problems lies. more: `calls`
        and `about`."""
        frames = {name: in_order(frame) for name, frame in systems.items()}
        filled = [frame for frame in frames.values() if len(frame)]
        if not filled:
            raise TroveLiteError(
                "nothing to compare: no system has a candidate that could be judged"
            )
        for frame in filled:
            one_kind(frame, "model", "provenance")
        together = pd.concat(
            [
                f[["model", "provenance", "dataset", "category", "level"]].drop_duplicates()
                for f in filled
            ]
        )
        (dataset,) = one_kind(together, "dataset")
        model, provenance = (
            " and ".join(together[name].astype(str).unique()) for name in ("model", "provenance")
        )
        data, categories, levels, by = _dataset_facts(dataset, together, runs)
        lost = {
            name: system.loc[
                (system["phase"] == "stream") & system["status"].isin(MISSING), [*NOTHING]
            ].astype(object)
            for name, system in systems.items()
        }
        title = f"{model}, {provenance} runs on {data}"
        return cls(frames, categories, dataset, title, levels, by, missing=lost, **more)

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self.systems:
            raise TroveLiteError(f"no system '{name}': there are {', '.join(self.systems)}")
        return self.systems[name]

    def ran(self, name: str) -> pd.DataFrame:
        """Rows of all runs of a system, also of those that it cannot use."""
        return self[name]

    def requests(self, name: str) -> pd.DataFrame:
        """All requests of a system."""
        calls = calls_of(self[name]) if self.calls is None else self.calls
        own = self[name][STREAM].astype(str).drop_duplicates()
        return calls.astype(dict.fromkeys(STREAM, str)).merge(
            own,
            on=STREAM,
        )

    def told_of(self, name: str) -> list[Mapping]:
        """What is known `about` the runs of a system, by its name, or by the names of its runs."""
        if isinstance(self.about, Mapping):
            return list(self.about.get(name, ()))
        rows = self[name][["run", "dataset"]].astype(str)
        own = set(rows.itertuples(index=False, name=None))
        found = []
        for one in self.about:
            told = one.get("settings", {})
            runs = [
                (run_name(told["name"], seed), told["dataset"]) for seed in told.get("seeds", ())
            ]
            if own & {*runs}:
                found.append(one)
        return found

    def lacking(self, categories: Iterable[str], *names: str) -> dict[str, int]:
        """Problems of these categories with a sample of one of these systems that was refused, or
        unavailable."""
        rows = pd.concat([self.missing.get(name, NOTHING) for name in names]).drop_duplicates()
        lost = rows.loc[rows["category"].isin(list(categories)), "status"]
        return {status: int((lost == status).sum()) for status in MISSING}

    def unavailable(self, *names: str) -> set[tuple[str, int]]:
        """Problems (category, number) of which a sample of a run of these systems could not be
        had."""
        lost = pd.concat([self.missing.get(name, NOTHING) for name in names])
        lost = lost[lost["status"] == UNAVAILABLE]
        return set(zip(lost["category"].astype(str), lost["problem"], strict=True))

    def covered(self, *names: str) -> list[str]:
        """The categories, in order, that all these systems (none: all) have; empty systems have no
        say."""
        present = [
            set(system["category"].unique())
            for name in names or self.systems
            if len(system := self[name])
        ]
        return [c for c in self.categories if present and all(c in system for system in present)]

    def samples(self, *names: str) -> int:
        """As many calls a problem as all these systems (none: all) have, for most of their
        problems."""
        sizes = [
            sample_counts(system).mode().max()
            for name in names or self.systems
            if len(system := self[name])
        ]
        return int(min(sizes, default=0))

    def budget(self, k: int | None, *names: str) -> int:
        """k calls a problem, which some of these systems (none: all) has; None: as many as all have.
        Raises where none has them."""
        if k is None:
            return self.samples(*names)
        most = {
            name: int(sample_counts(self[name]).max())
            for name in names or self.systems
            if len(self[name])
        }
        if not isinstance(k, Integral) or k < 1 or k > max(most.values(), default=k):
            held = ", ".join(f"{n} of {name}" for name, n in most.items()) or "none"
            raise TroveLiteError(
                f"k = {k}: give 1 or more calls, and no more than the runs hold a problem ({held})"
            )
        return k

    def with_systems(self, **systems: pd.DataFrame) -> Self:
        return replace(self, systems={**self.systems, **systems})


def sample_counts(system: pd.DataFrame) -> pd.Series:
    return system.groupby(["run", "category", "problem"], observed=True).size()


def compare(
    runs: pd.DataFrame | Frames,
    *,
    calls: pd.DataFrame | None = None,
    folders: Iterable[str | Path] | Mapping[str, Iterable[str | Path]] = (),
) -> Comparison:
    """Systems from candidates, by `systems_of` or under names of their own, without copies of runs.
    folders: of the runs, or those of each system. Settings that are not the same are shown
    beside a difference."""
    runs = runs if isinstance(runs, Mapping) else systems_of(runs)
    systems = {name: independent_runs(frame, across=True) for name, frame in runs.items()}
    by_system = folders if isinstance(folders, Mapping) else {"": folders}
    by_system = {
        name: [p if p.is_dir() else p.parent for p in map(Path, paths)]
        for name, paths in by_system.items()
    }
    told = {name: [*map(read_description, paths)] for name, paths in by_system.items()}
    told = told if isinstance(folders, Mapping) else told[""]
    return Comparison.of(
        systems, calls=calls, about=told, runs=[*chain.from_iterable(by_system.values())]
    )


def systems_of(candidates: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The systems of a table: a method of a model, and recorded or not, each under as short a name as
    tells it apart."""
    parts = by_system(candidates)
    return dict(zip(short_names([*parts]), parts.values(), strict=True))


def by_system(candidates: pd.DataFrame) -> dict[tuple, pd.DataFrame]:
    """The parts of a table by what tells systems apart, `SYSTEM`."""
    names = as_text(candidates[[*SYSTEM]], SYSTEM)
    keys = names[(candidates["phase"] != SELECTED).to_numpy()].drop_duplicates()
    return {
        key: rows_where(candidates, (names == [*key]).all(axis=1))
        for key in keys.itertuples(index=False, name=None)
    }


def short_names(keys: Sequence[tuple[str, ...]]) -> list[str]:
    """A name for each of these (method, model, …): the first of them, or as few as tell all
    apart."""
    models = {key[1]: key[1].rpartition("/")[2] for key in keys}
    models = models if len(set(models.values())) == len(models) else {name: name for name in models}
    shown = [(method, models[model], *more) for method, model, *more in keys]
    width = range(len(shown[0]) if shown else 0)
    for places in (some for size in width for some in combinations(width, size + 1)):
        names = [", ".join(key[place] for place in places) for key in shown]
        if len(set(names)) == len(names) and places != (
            2,
        ):  # whether recorded or not names nothing by itself
            return names
    return [f"{', '.join(key)}, {number}" for number, key in enumerate(shown, start=1)]


def require_comparison(comparison: object) -> Comparison:
    if not isinstance(comparison, Comparison):
        raise TroveLiteError(f"not a comparison, but a {type(comparison).__name__}: see compare")
    return comparison


def one_kind(candidates: pd.DataFrame, *columns: str) -> list[str]:
    """The one value of each of these columns. Raises where one has several."""
    found = [sorted(map(str, candidates[column].unique())) for column in columns]
    for column, names in zip(columns, found, strict=True):
        if len(names) != 1:
            what = f"{len(names) or 'no'} different values of '{column}' ({', '.join(names)})"
            raise TroveLiteError(f"the runs have {what}: report each on its own")
    return [name for (name,) in found]


def _dataset_facts(
    dataset: str, candidates: pd.DataFrame, runs: Iterable[Path]
) -> tuple[str, tuple, tuple, str]:
    """A data set's title, categories, levels and what these are; of one in no index, as candidates
    tell."""
    present = tuple(dict.fromkeys(candidates["category"].astype(str)))
    try:
        known = load_dataset(dataset, runs=runs)
    except TroveLiteError:  # somebody else's, whose runs say all that tables need
        levels = sorted(
            set(candidates["level"].dropna().astype(str)) - {""}, key=lambda text: (len(text), text)
        )
        return dataset, present, tuple(levels), DIFFICULTY
    if strange := [category for category in present if category not in known.categories]:
        raise TroveLiteError(
            f"{known.title} has no category '{strange[0]}': it has {', '.join(known.categories)}"
        )
    return known.title, known.categories, known.levels, known.by
