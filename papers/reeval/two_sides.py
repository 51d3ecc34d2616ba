"""The two sides that the re-evaluation compares, TROVE and PRIMITIVE or what stands in for it, and their budget."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

import pandas as pd

from trove_lite.analysis.choose import in_order
from trove_lite.analysis.independence import independent_runs
from trove_lite.analysis.scores import NEARLY_ALL
from trove_lite.analysis.sides import Comparison, compared, one_kind
from trove_lite.candidates import all_candidates, calls_of, selections
from trove_lite.errors import TroveLiteError

TROVE, PRIMITIVE = SIDES = ("TROVE", "PRIMITIVE")
SKIP_POOL, OTHER_SKIP = "SKIP pool", "SKIP of another run"
OTHERS = {"instance": "INSTANCE", "trove_no_import": "TROVE without IMPORT"}
MODES = ("import", "create", "skip")  # of TROVE
MODELS = {"practice": "the practice model (a million parameters)"}
DATASET, K, K_MODE = "math", 15, 5  # what numbers are printed for


@dataclass(frozen=True, eq=False)
class TwoSides(Comparison):
    """Sides with what else is known of them.

    `selected`: name → the answers that a side's recorded runs ended with (`candidates.selections`), also of runs of
    which nothing else is known. `by_mode`: name → all samples that are independent within their mode
    (`independent_runs`), which may be more than the side's, for what is computed mode by mode.
    """

    selected: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    by_mode: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    def ran(self, name: str) -> pd.DataFrame:
        """The answers that a side's runs ended with, where these may be known; else its candidates."""
        return self.selected.get(name, self[name])


def sides(candidates: pd.DataFrame, *, calls: pd.DataFrame | None = None) -> TwoSides:
    """TROVE and PRIMITIVE, and any other method under its own name, from one model's runs; copies are left out.

    In categories without PRIMITIVE, the SKIP samples of all independent runs pooled into one stand in for it, under the
    method `SKIP pool`: SKIP's prompt asks the same of the model, but is not the same text. It shows no toolbox, so the
    pool has no effect of a run. `calls`: the runs' requests, where they are known. Raises where models or data sets are
    mixed.
    """
    model, *_ = one_kind(all_candidates(candidates), "model", "provenance", "dataset")
    independent = independent_runs(candidates)
    kept, each_mode = in_order(independent), in_order(independent_runs(candidates, by_mode=True))
    own = kept[kept["method"] == "primitive"]
    skip = (candidates["mode"] == "skip") & (candidates["phase"] == "stream")
    lacking = candidates[skip & ~candidates["category"].isin(own["category"].unique())]
    pool = skip_pool(in_order(independent_runs(lacking, by_mode=True, across=True)))
    frames = {
        TROVE: kept[kept["method"] == "trove"],
        PRIMITIVE: pd.concat([own, pool], ignore_index=True) if len(pool) else own,
    }
    others = [method for method in dict.fromkeys(kept["method"].astype(str)) if method not in ("trove", "primitive")]
    frames |= {OTHERS.get(method, method): kept[kept["method"] == method] for method in others}
    found = TwoSides.of(frames, calls=calls_of(independent) if calls is None else calls)
    ended = selections(independent)
    methods = {TROVE: "trove"} | {OTHERS.get(method, method): method for method in others}
    return replace(
        found,
        title=MODELS.get(model, model) + found.title.removeprefix(model),
        selected={side: ended[ended["method"] == method] for side, method in methods.items()},
        by_mode={side: each_mode[each_mode["method"] == method] for side, method in methods.items()},
    )


def pooled(candidates: pd.DataFrame) -> pd.DataFrame:
    """The samples of all runs as one run, mode by mode."""
    pool = candidates.copy()
    pool["sample"] = pool.groupby(["category", "problem", "mode"], observed=True).cumcount().astype("Int32")
    return pool.assign(run="pool")


def skip_pool(candidates: pd.DataFrame) -> pd.DataFrame:
    """All SKIP samples of a problem as one run of the method `SKIP pool`, samples numbered anew."""
    return pooled(candidates[candidates["mode"] == "skip"]).assign(method=SKIP_POOL, shares_state=False, place=0)


def measured(comparison: Comparison) -> pd.DataFrame:
    """The candidates of all sides, without what stands in for one."""
    return in_order(pd.concat([side[side["method"] != SKIP_POOL] for side in comparison.sides.values()]))


def source(comparison: Comparison, side: str, category: str) -> str:
    """What fills a side in a category, or in some of several: its own runs or `SKIP pool`; "" where nothing does."""
    filled = _filled(comparison)[side]
    by = filled.get(category, set()) if category in comparison.categories else set().union(*filled.values())
    return SKIP_POOL if SKIP_POOL in by else side if by else ""


@lru_cache(maxsize=8)  # every row of every table asks
def _filled(comparison: Comparison) -> dict[str, dict[str, set[str]]]:
    """Side → category → the methods of its candidates."""
    found = {side: {} for side in comparison.sides}
    for side, frame in comparison.sides.items():
        for category, method in frame[["category", "method"]].drop_duplicates().itertuples(index=False):
            found[side].setdefault(category, set()).add(method)
    return found


@lru_cache(maxsize=8)  # every row of every table asks
def covered(comparison: Comparison) -> list[str]:
    """The categories in which both sides have the samples that they have elsewhere; where one has none, the other's."""
    k = comparison.samples(*SIDES)
    shares = [_with(comparison[side], k) for side in SIDES]
    return [c for c in comparison.covered(*SIDES) if all(share.get(c, 1) >= NEARLY_ALL for share in shares)]


def _with(side: pd.DataFrame, k: int) -> pd.Series:
    """The share of each category's problems, over runs, that have k samples."""
    sizes = side.groupby(["category", "run", "problem"], observed=True).size()
    return (sizes >= k).groupby(level="category", observed=True).mean()


def budget(comparison: Comparison, k: int | None) -> int:
    """k calls a problem, checked; None: the papers' 15, or as many as both sides have."""
    comparison = compared(comparison)
    return min(K, comparison.samples(*SIDES) or K) if k is None else comparison.checked(k, *SIDES)


def of_modes(comparison: Comparison, k: int | None) -> int:
    """k samples a mode, checked; None: the papers' 5, or as many as TROVE's modes have."""
    sizes = comparison[TROVE].groupby(["run", "category", "problem", "mode"], observed=True).size()
    most = int(sizes.max()) if len(sizes) else K_MODE
    if k is None:
        return min(K_MODE, most)
    if not 1 <= k <= most:
        raise TroveLiteError(f"k = {k}: give 1 or more samples of a mode, and no more than the runs hold ({most})")
    return k
