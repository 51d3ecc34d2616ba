"""The re-evaluation's tables of accuracy: at matched and growing budgets, and with all runs pooled.

Tables 2, 3, 6, 8, 9 and Figures 1 and 3 are defined where they are shown, in notebooks 11, 12 and 14: a list of rows
over `table`, the one maker. Shares are fractions of 1.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np
import pandas as pd

from trove_lite.analysis import compare as analysis
from trove_lite.analysis import statistics as metrics
from trove_lite.analysis.compare import absent
from trove_lite.analysis.independence import whole_streams
from trove_lite.analysis.scores import (
    ALL_MICRO,
    COVERED_MICRO,
    RERUN,
    no_scores,
    score,
)
from trove_lite.analysis.sides import Comparison

from .. import ROUNDING, beside, in_columns, is_in_print, named, nothing, only_printed, printed
from .two_sides import (
    DATASET,
    MODES,
    OTHER_SKIP,
    PRIMITIVE,
    SIDES,
    SKIP_POOL,
    TROVE,
    K,
    budget,
    covered,
    measured,
    pooled,
    source,
)

BUDGETS = (1, 3, 6, 9, 12, 15)


@dataclass(frozen=True)
class Row:
    """A system's rows of a table, one a category: whose scores they are, and how to find them in print.

    scores: columns `category`, `run`, `problem`, `score`. where: the columns that pick the printed cell (None: it is
    not printed). about: columns that the rows add, such as `k` or `level`.
    """

    system: str
    side: str
    scores: pd.DataFrame
    where: Mapping[str, object] | None = None
    about: Mapping[str, object] = field(default_factory=dict)


def table(
    comparison: Comparison,
    name: str,
    rows: Sequence[Row],
    *,
    at: int = K,
    over: Sequence[str] | None = None,
    column: str = "mean",
    scale: float = 1,
    rounding: float = ROUNDING,
    **about: object,
) -> pd.DataFrame:
    """The rows under one another, as `reeval_NAME`: value, interval, print, what was measured, or why nothing was.

    at: calls a problem; print stands beside ours at the paper's 15 alone, and for its model and data set. over: the
    categories that rows over several are about (None: those that both sides cover). column, scale, rounding: of the
    printed table. about: what the table's attributes say besides.
    """
    in_print, parts = at == K and is_in_print(comparison, f"reeval_{name}", DATASET), []
    for row in rows:
        look_up = nothing
        if in_print and row.where is not None:
            look_up = printed(f"reeval_{name}", column=column, scale=scale, **row.where)
        categories = covered(comparison) if over is None else over
        level = str(row.about.get("level", "all"))
        part = beside(
            comparison, row.side, row.system, row.scores, look_up, covered=categories, level=level, rounding=rounding
        )
        filled = [source(comparison, row.side, category) for category in part["category"]]
        sources = np.where(part["value"].notna() & (np.array(filled) == ""), row.side, filled)  # selected answers alone
        notes = [
            note.replace(" samples a problem", f" {filler} samples a problem")
            for note, filler in zip(part["note"], sources, strict=True)
        ]
        parts.append(part.assign(source=sources, note=notes, **row.about))
    return as_table(comparison, name, parts, **about)


def as_table(comparison: Comparison, name: str, parts: Sequence[pd.DataFrame], **about: object) -> pd.DataFrame:
    """Parts under one another, under the name and title of the paper's table or figure."""
    filled = [part for part in parts if len(part)] or [pd.DataFrame(columns=["k", "level", "runs", "problems"])]
    title = name.capitalize()
    title = f"{title[:-1]} {title[-1]}" if title[-1].isdigit() else title
    whole = in_columns(pd.concat(filled, ignore_index=True))
    about.setdefault("note", f"no {TROVE} runs")
    return named(whole, f"reeval_{name}", title, comparison.title, **about)


def called_after_source(found: pd.DataFrame) -> pd.DataFrame:
    """The same rows with each system called after what fills it, so that the pool never looks like PRIMITIVE."""
    names = [
        system.replace(PRIMITIVE, SKIP_POOL) if filled == SKIP_POOL else system
        for system, filled in zip(found["system"], found["source"], strict=True)
    ]
    return _like(found, found.assign(system=names))


def over_all(found: pd.DataFrame) -> pd.DataFrame:
    """The rows over all problems; else those over the covered ones; else those of the category that is known best."""
    known = found[found["value"].notna()]
    for category in (ALL_MICRO, COVERED_MICRO):
        here = known[known["category"] == category]
        if len(here) and here["system"].nunique() == known["system"].nunique():
            return _like(found, here)
    return _like(found, known[known["category"] == known["category"].mode().get(0)])


def without_macro(found: pd.DataFrame) -> pd.DataFrame:
    """The rows that a figure draws: of several categories together those that weigh problems alike."""
    return _like(found, found[~found["category"].astype(str).str.endswith("macro")])


def _like(found: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    rows.attrs = found.attrs
    return rows


def table1(comparison: Comparison, *, k: int | None = None, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """Accuracy at a matched budget of k calls (Table 1).

    Of recorded runs with result files, two-stage accuracy is that of the answers that they ended with, problems solved
    again after trimming included, as the official program reports it; the other rows need all candidates.
    """
    k = budget(comparison, k)

    def row(side: str, system: str, rule: str, variant: str) -> Row:
        scores = score(comparison[side], rule, k, seed=seed, resamples=resamples)
        if rule == "two_stage" and k == comparison.samples(side) and len(comparison.selected[side]):
            scores = comparison.selected[side].assign(score=lambda rows: rows["correct"].astype(float))
        return Row(system, side, scores, {"method": side, "variant": variant})

    def original(method: str) -> pd.DataFrame:
        known = k == K and is_in_print(comparison, "reeval_table1", DATASET)
        look_up = printed("reeval_table1", method=method, variant="original") if known else nothing
        return only_printed(comparison, f"{method}, original", look_up, "printed in the TroVE paper; not run here")

    rows = [
        row(PRIMITIVE, f"PRIMITIVE, K={k}", "one_stage", "compute_matched"),
        row(TROVE, "TROVE, two-stage", "two_stage", "reproduced_two_stage"),
        row(TROVE, "TROVE, one-stage", "one_stage", "improved_one_stage"),
    ]
    ours = table(comparison, "table1", rows, at=k)
    first = ours["system"].str.startswith(PRIMITIVE)
    return as_table(comparison, "table1", [original(PRIMITIVE), ours[first], original(TROVE), ours[~first]], k=k)


def budgets_table(
    comparison: Comparison,
    name: str,
    rule: str,
    *,
    budgets: Sequence[int] | None = None,
    seed: int = 0,
    resamples: int = 100,
) -> pd.DataFrame:
    """Accuracy at growing budgets, column `k`: by `one_stage` agreement (table5) or the `oracle` (table7)."""
    most = comparison.samples(*SIDES) or K
    budgets = [k for k in BUDGETS if k <= most] if budgets is None else [comparison.checked(k, *SIDES) for k in budgets]
    rows = [
        Row(
            side,
            side,
            score(comparison[side], rule, k, seed=seed, resamples=resamples),
            {"method": side, "k": k},
            {"k": k},
        )
        for k in budgets
        for side in (PRIMITIVE, TROVE)
        if side == PRIMITIVE or k >= len(MODES)
    ]
    return table(comparison, name, rows)


def table5(comparison: Comparison, **given: object) -> pd.DataFrame:
    """Accuracy of one-stage agreement at growing budgets (Table 5 and Figure 2): see `budgets_table`."""
    return budgets_table(comparison, "table5", "one_stage", **given)


def table7(comparison: Comparison, **given: object) -> pd.DataFrame:
    """Oracle accuracy pass@k at growing budgets (Table 7 and Figure 2): see `budgets_table`."""
    return budgets_table(comparison, "table7", "oracle", **given)


def figure4_table(comparison: Comparison, *, points: int = 6, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """Accuracy with the samples of all runs pooled, column `k`, by selection (Figure 4, B.4).

    Both sides at the same `points` budgets, up to what both hold; `TROVE minus PRIMITIVE, RULE` is their difference,
    problem by problem. IMPORT samples of different runs saw different toolboxes; the paper pools them all the same, and
    so does this.
    """
    sides = {name: pooled(comparison[name]) for name in (PRIMITIVE, TROVE)}
    compared = {name: side[side["category"].isin(covered(comparison))] for name, side in sides.items()}
    sizes = [
        part.groupby(["category", "problem"], observed=True).size().min() for part in compared.values() if len(part)
    ]
    most, step, parts = int(min(sizes, default=0)), len(MODES), []
    for k in sorted({max(1, round(most * i / points / step)) * step for i in range(1, points + 1)} if sizes else ()):
        for rule in ("oracle", "one_stage", "two_stage"):
            scores = {name: score(side, rule, k, seed=seed, resamples=resamples) for name, side in sides.items()}
            shown = rule.replace("_", "-")
            names = (PRIMITIVE, TROVE) if rule != "two_stage" else (TROVE,)
            rows = [Row(f"{name}, {shown}", name, scores[name], about={"k": k}) for name in names]
            part = table(comparison, "figure4", rows)
            parts.append(part[part["value"].notna()])
            if rule != "two_stage" and all(map(len, scores.values())):
                parts.append(_apart(comparison, scores, f"{TROVE} minus {PRIMITIVE}, {shown}").assign(k=k))
    return as_table(comparison, "figure4", parts)


def _apart(comparison: Comparison, scores: dict[str, pd.DataFrame], system: str) -> pd.DataFrame:
    """Rows of TROVE's scores minus PRIMITIVE's, in the columns of a table."""
    found = analysis.differences(comparison, {side: scores[side] for side in SIDES})
    names = {"all": ALL_MICRO, "covered": COVERED_MICRO}
    found = found.rename(columns={"difference": "value"}).replace({"category": names})
    sources = [source(comparison, PRIMITIVE, category) for category in found["category"]]
    return found.assign(system=system, source=sources, runs=1, note="")


def overlap_table(
    comparison: Comparison, solved: Callable[[pd.DataFrame, str], pd.DataFrame], *, k: int, seed: int = 0
) -> pd.DataFrame:
    """Mean Jaccard overlap of what PRIMITIVE and each mode of TROVE solve, and of two runs of the mode (Figure 3).

    solved: (candidates, mode) → whether k samples solve each problem, as (runs × problems). Where PRIMITIVE was not
    run, the SKIP samples of *another* run of TROVE stand in: a run's own would overlap with themselves. Intervals
    resample problems.
    """
    ran, rows = whole_streams(measured(comparison)), []
    for category in comparison.categories:
        here = ran[ran["category"] == category]
        own = source(comparison, PRIMITIVE, category) == PRIMITIVE
        trove = here[here["method"] == "trove"]
        reference = _by_run(solved(here, "primitive") if own else solved(trove, "skip"))
        for mode in MODES:
            sets = _by_run(solved(trove, mode))
            pairs = [(p, t) for run, p in reference.items() for other, t in sets.items() if run != other]
            twice = list(combinations(sets.values(), 2))
            for system, compared in ((f"PRIMITIVE ~ {mode.upper()}", pairs), (f"two runs of {mode.upper()}", twice)):
                row = {"category": category, "system": system, "runs": len(compared), "problems": 0}
                row |= {"source": PRIMITIVE if own else OTHER_SKIP, "note": ""}
                if compared:
                    first, second = (np.array([pair[i] for pair in compared]) for i in (0, 1))
                    value, low, high, _ = metrics.jaccard_interval(first, second, seed=seed)
                    row |= {"value": value, "low": low, "high": high, "problems": first.shape[1]}
                else:
                    row["note"] = "needs two runs" if sets else absent(comparison, TROVE, category)["note"]
                rows.append(row)
    return as_table(comparison, "figure3", [pd.DataFrame(rows)], k=k)


def _by_run(sets: pd.DataFrame) -> dict[str, np.ndarray]:
    return {str(run): solved.to_numpy(dtype=bool) for run, solved in sets.iterrows()}


def gains_table(comparison: Comparison, kinds: Sequence[Callable], *, k: int) -> pd.DataFrame:
    """Problems that one side solves and the other never does, as shares (Table 6), by each of `kinds`.

    kinds: functions of two tables (runs × problems), ours and theirs, named after the paper's words. They depend on how
    many runs there are, which `note` states: where that is not the paper's five a side, `check` scores nothing.
    """
    sets, rows, notes, uneven = {side: solved_sets(comparison[side], k) for side in SIDES}, [], {}, False
    for (side, other), kind in product((SIDES, SIDES[::-1]), kinds):
        system, masks = f"{side}, {kind.__name__}", [no_scores()]
        for category, ours in sets[side].items():
            theirs, key = sets[other].get(category), (system, category)
            if theirs is None:
                notes[key] = f"no {other} runs of this category"
                continue
            notes[key] = f"{len(ours)} run(s) against {len(theirs)} of {source(comparison, other, category)}"
            uneven |= (len(ours), len(theirs)) != (RERUN, RERUN)
            if kind.__name__ == "potential" and len(ours) < 2:
                notes[key] = f"some but not all of one run is nothing: {notes[key]}"
                continue
            both = ours.columns.intersection(theirs.columns)
            mask = kind(ours[both], theirs[both]).astype(float).rename("score").rename_axis("problem").reset_index()
            masks.append(mask.assign(category=category, run="all"))
        scores = pd.concat(masks[1:], ignore_index=True) if masks[1:] else masks[0]
        rows.append(Row(system, side, scores, {"method": side, "gain": kind.__name__}))
    reason = "it depends on the number of runs, and print has five a side" if uneven else ""
    percent = {"column": "percent", "scale": 100, "rounding": ROUNDING / 100}
    found = table(comparison, "table6", rows, at=k, k=k, not_scored=reason, **percent)
    found["note"] = [notes.get((row.system, row.category), row.note) for row in found.itertuples()]
    return found


def solved_sets(side: pd.DataFrame, k: int) -> dict[str, pd.DataFrame]:
    """Solved by one of k samples, as (runs × problems) for each category; a pool of n samples makes n // k runs."""
    side, run = whole_streams(side), ["method", "run", "category"]
    each = side.groupby([*run, "problem"], observed=True)
    place, size = each.cumcount(), each["sample"].transform("size")
    size = side.assign(_size=size).groupby(run, observed=True)["_size"].transform("min")  # of a pool, not all alike
    part = side.assign(_run=side["run"].astype(str) + "/" + (place // k).astype(str))[place < size // k * k]
    return {category: _any_correct(rows) for category, rows in part.groupby("category", observed=True)}


def _any_correct(candidates: pd.DataFrame) -> pd.DataFrame:
    """Whether any candidate is correct, as (runs × problems)."""
    verdict = candidates.assign(correct=candidates["correct"].fillna(False).astype(bool))
    solved = verdict.pivot_table(index="_run", columns="problem", values="correct", aggfunc="any", observed=True)
    return solved.astype(bool)
