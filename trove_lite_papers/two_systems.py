"""The two systems that the re-evaluation compares, TROVE and PRIMITIVE or what stands in for it, and
their budget.

Nothing is compared across models, whose problems, prompts and numbers of runs may differ: each has
its own systems.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import pandas as pd

from trove_lite import TroveLiteError, load_calls, load_candidates
from trove_lite.candidates import MISSING, all_candidates, calls_of, selections
from trove_lite.selection.tables import in_order
from trove_lite_analysis import independent_runs
from trove_lite_analysis.scores import NEARLY_ALL
from trove_lite_analysis.systems import Comparison, one_kind, require_comparison, sample_counts

from .tables import name_table

TROVE, PRIMITIVE = SYSTEMS = ("TROVE", "PRIMITIVE")
SKIP_POOL = "SKIP pool"
OTHER_SKIP = "SKIP of another run"
OTHERS = {"instance": "INSTANCE", "trove_no_import": "TROVE without IMPORT"}
MODES = ("import", "create", "skip")  # of TROVE
MODELS = {"practice": "the practice model (a million parameters)"}
# what numbers are printed for
DATASET = "math"
K = 15
K_MODE = 5


@dataclass(frozen=True, eq=False)
class TwoSystems(Comparison):
    """Systems with the answers that recorded runs ended with, also of runs of which nothing else is
    known (`selected`).

    `by_mode`: all samples that are independent within their mode, which may be more than the
        system's.
    """

    selected: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    by_mode: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    def ran(self, name: str) -> pd.DataFrame:
        """The answers that a system's runs ended with, where these may be known; else its
        candidates."""
        return self.selected.get(name, self[name])


def systems(candidates: pd.DataFrame, *, calls: pd.DataFrame | None = None) -> TwoSystems:
    """TROVE and PRIMITIVE, and any other method under its own name, from one model's runs; copies
    are left out.

    In categories without PRIMITIVE, the SKIP samples of all independent runs pooled into one stand
    in for it, under the method `SKIP pool`: not the same prompt, and no effect of a run. Raises
    where models or data sets are mixed.
    """
    model, *_ = one_kind(all_candidates(candidates), "model", "provenance", "dataset")
    independent = independent_runs(candidates)
    kept = in_order(independent)
    own = kept[kept["method"] == "primitive"]
    skip = (candidates["mode"] == "skip") & (candidates["phase"] == "stream")
    lacking = candidates[skip & ~candidates["category"].isin(own["category"].unique())]
    pool = pooled(in_order(independent_runs(lacking, by_mode=True, across=True)))
    pool = pool.assign(method=SKIP_POOL, shares_state=False, place=0)
    others = [
        method
        for method in dict.fromkeys(kept["method"].astype(str))
        if method not in ("trove", "primitive")
    ]
    methods = {TROVE: "trove"} | {OTHERS.get(method, method): method for method in others}

    def by_system(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
        return {system: table[table["method"] == method] for system, method in methods.items()}

    frames = by_system(kept)
    primitive = pd.concat([own, pool], ignore_index=True) if len(pool) else own
    frames = {TROVE: frames.pop(TROVE), PRIMITIVE: primitive, **frames}
    found = TwoSystems.of(
        frames,
        calls=calls_of(independent) if calls is None else calls,
    )
    title = MODELS.get(model, model) + found.title.removeprefix(model)
    by_mode = by_system(in_order(independent_runs(candidates, by_mode=True)))
    lost = independent[(independent["phase"] == "stream") & independent["status"].isin(MISSING)]
    missing = by_system(lost) | {PRIMITIVE: lost[lost["method"] == "primitive"]}
    missing = {
        system: rows[["category", "problem", "status"]].astype(object)
        for system, rows in missing.items()
    }
    return replace(
        found,
        title=title,
        selected=by_system(selections(independent)),
        by_mode=by_mode,
        missing=missing,
    )


def pooled(candidates: pd.DataFrame) -> pd.DataFrame:
    """The samples of all runs as one run, numbered anew mode by mode."""
    number = candidates.groupby(["category", "problem", "mode"], observed=True).cumcount()
    return candidates.assign(sample=number.astype("Int32"), run="pool")


def measured(comparison: Comparison) -> pd.DataFrame:
    """The candidates of all systems, without what stands in for one."""
    return in_order(
        pd.concat([system[system["method"] != SKIP_POOL] for system in comparison.systems.values()])
    )


@lru_cache(maxsize=256)  # every row of every table asks
def source(comparison: Comparison, system: str, category: str) -> str:
    """What fills a system in a category, or in some of several: its own runs or `SKIP pool`; "" where
    nothing does."""
    rows = comparison[system]
    rows = rows[rows["category"] == category] if category in comparison.categories else rows
    found = set(rows["method"])
    return SKIP_POOL if SKIP_POOL in found else system if found else ""


@lru_cache(maxsize=8)  # every row of every table asks
def covered(comparison: Comparison) -> list[str]:
    """The categories in which both systems have the samples that they have elsewhere; where one has
    none, the other's."""
    k = comparison.samples(*SYSTEMS)
    whole = [
        (sample_counts(comparison[system]) >= k)
        .groupby(
            level="category",
            observed=True,
        )
        .mean()
        for system in SYSTEMS
    ]
    return [
        c
        for c in comparison.covered(*SYSTEMS)
        if all(share.get(c, 1) >= NEARLY_ALL for share in whole)
    ]


def budget(comparison: Comparison, k: int | None) -> int:
    """k calls a problem, checked; None: the papers' 15, or as many as both systems have."""
    found = require_comparison(comparison).budget(k, *SYSTEMS)
    return found if k is not None else min(K, found or K)


def of_modes(comparison: Comparison, k: int | None) -> int:
    """k samples a mode, checked; None: the papers' 5, or as many as TROVE's modes have."""
    sizes = comparison[TROVE].groupby(["run", "category", "problem", "mode"], observed=True).size()
    most = int(sizes.max()) if len(sizes) else K_MODE
    if k is not None and not 1 <= k <= most:
        raise TroveLiteError(
            f"k = {k}: give 1 or more samples of a mode, and no more than the runs hold ({most})"
        )
    return k or min(K_MODE, most)


def models(*groups: Sequence[str | Path]) -> dict[str, TwoSystems]:
    """The two systems of each model, by its name: a group of runs, or the folder of a published
    study, for each."""
    found: dict[str, TwoSystems] = {}
    for paths in groups:
        group = [
            run
            for path in map(Path, paths)
            for run in (sorted((path / "runs").glob("*")) or [path])
        ]
        if any(path.exists() for path in group):
            candidates = load_candidates(*group)
            name = str(candidates["model"].iloc[0])
            if MODELS.get(name, name) not in found:
                found[MODELS.get(name, name)] = systems(candidates, calls=load_calls(*group))
    return found


def each_model(
    compared: Mapping[str, TwoSystems], make: Callable[[str, TwoSystems], pd.DataFrame]
) -> pd.DataFrame:
    """A table of the re-evaluation for each of these models, column `model`: the rows that hold a
    value of ours."""
    parts = {name: make(name, comparison) for name, comparison in compared.items()}
    about = next(iter(parts.values())).attrs
    rows = [
        part.dropna(subset="value" if "value" in part else "difference").astype(object)
        for part in parts.values()
    ]
    whole = (
        pd.concat(rows, keys=parts, names=["model"])
        .reset_index("model")
        .reset_index(drop=True)
        .infer_objects()
    )
    note = "; ".join(
        dict.fromkeys(part.attrs["note"] for part in parts.values() if part.attrs.get("note"))
    )
    return name_table(
        whole, f"{about['name']}_models", about["title"], " beside ".join(parts), note=note
    )
