"""The two sides that the re-evaluation compares, TROVE and PRIMITIVE or what stands in for it, and
their budget.

Nothing is compared across models, whose problems, prompts and numbers of runs may differ: each has
its own sides.
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
from trove_lite_analysis.sides import Comparison, one_kind, require_comparison, sample_counts

from ..tables import name_table

TROVE, PRIMITIVE = SIDES = ("TROVE", "PRIMITIVE")
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
class TwoSides(Comparison):
    """Sides with the answers that recorded runs ended with, also of runs of which nothing else is
    known (`selected`).

    `by_mode`: all samples that are independent within their mode, which may be more than the
        side's.
    """

    selected: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    by_mode: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    def ran(self, name: str) -> pd.DataFrame:
        """The answers that a side's runs ended with, where these may be known; else its
        candidates."""
        return self.selected.get(name, self[name])


def sides(candidates: pd.DataFrame, *, calls: pd.DataFrame | None = None) -> TwoSides:
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

    def by_side(table: pd.DataFrame) -> dict[str, pd.DataFrame]:
        return {side: table[table["method"] == method] for side, method in methods.items()}

    frames = by_side(kept)
    primitive = pd.concat([own, pool], ignore_index=True) if len(pool) else own
    frames = {TROVE: frames.pop(TROVE), PRIMITIVE: primitive, **frames}
    found = TwoSides.of(
        frames,
        calls=calls_of(independent) if calls is None else calls,
    )
    title = MODELS.get(model, model) + found.title.removeprefix(model)
    by_mode = by_side(in_order(independent_runs(candidates, by_mode=True)))
    lost = independent[(independent["phase"] == "stream") & independent["status"].isin(MISSING)]
    missing = by_side(lost) | {PRIMITIVE: lost[lost["method"] == "primitive"]}
    missing = {
        side: rows[["category", "problem", "status"]].astype(object)
        for side, rows in missing.items()
    }
    return replace(
        found,
        title=title,
        selected=by_side(selections(independent)),
        by_mode=by_mode,
        missing=missing,
    )


def pooled(candidates: pd.DataFrame) -> pd.DataFrame:
    """The samples of all runs as one run, numbered anew mode by mode."""
    number = candidates.groupby(["category", "problem", "mode"], observed=True).cumcount()
    return candidates.assign(sample=number.astype("Int32"), run="pool")


def measured(comparison: Comparison) -> pd.DataFrame:
    """The candidates of all sides, without what stands in for one."""
    return in_order(
        pd.concat([side[side["method"] != SKIP_POOL] for side in comparison.sides.values()])
    )


@lru_cache(maxsize=256)  # every row of every table asks
def source(comparison: Comparison, side: str, category: str) -> str:
    """What fills a side in a category, or in some of several: its own runs or `SKIP pool`; "" where
    nothing does."""
    rows = comparison[side]
    rows = rows[rows["category"] == category] if category in comparison.categories else rows
    found = set(rows["method"])
    return SKIP_POOL if SKIP_POOL in found else side if found else ""


@lru_cache(maxsize=8)  # every row of every table asks
def covered(comparison: Comparison) -> list[str]:
    """The categories in which both sides have the samples that they have elsewhere; where one has
    none, the other's."""
    k = comparison.samples(*SIDES)
    whole = [
        (sample_counts(comparison[side]) >= k)
        .groupby(
            level="category",
            observed=True,
        )
        .mean()
        for side in SIDES
    ]
    return [
        c
        for c in comparison.covered(*SIDES)
        if all(share.get(c, 1) >= NEARLY_ALL for share in whole)
    ]


def budget(comparison: Comparison, k: int | None) -> int:
    """k calls a problem, checked; None: the papers' 15, or as many as both sides have."""
    found = require_comparison(comparison).budget(k, *SIDES)
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


def models(*groups: Sequence[str | Path]) -> dict[str, TwoSides]:
    """The two sides of each model, by its name: a group of runs, or the folder of a published
    study, for each."""
    found: dict[str, TwoSides] = {}
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
                found[MODELS.get(name, name)] = sides(candidates, calls=load_calls(*group))
    return found


def each_model(
    compared: Mapping[str, TwoSides], make: Callable[[str, TwoSides], pd.DataFrame]
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
