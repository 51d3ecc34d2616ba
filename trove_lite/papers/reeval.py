"""A Compute-Matched Re-Evaluation of TroVE on MATH: its tables, each with its figure, computed from candidates.

A function a table, named after it, and its figure below it, which takes the table. Every table is long: one row a cell,
with the columns of `papers.COLUMNS`. What the data at hand cannot fill keeps its row, with the reason in `note`; a
printed number stands beside ours only where data set and budget are those that it was printed for. Shares are fractions
of 1. Where PRIMITIVE was not run, the SKIP pool stands in for it, and every table says so (`sides`).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..analysis import comparison as analysis
from ..analysis import statistics as metrics
from ..analysis.choose import in_order
from ..analysis.comparison import Comparison, absent, one_kind, requests_of
from ..analysis.independence import independent_runs
from ..analysis.scores import (
    MACRO,
    by_category,
    correct_counts,
    distinct_score,
    graded_answer,
    matrix,
    no_scores,
    oracle_score,
    over_categories,
    pooled,
    score,
)
from ..candidates import calls_of
from ..errors import TroveLiteError
from . import Look, beside, in_columns, named, nothing, only_printed, printed, printed_over, why_empty
from .style import (
    BLUE,
    GREEN,
    ORANGE,
    PAPER,
    RED,
    band,
    category_axis,
    dot,
    filled,
    handle,
    key,
    plt,
    row_over_categories,
    titled,
    wrapped,
)

TROVE, PRIMITIVE = SIDES = ("TROVE", "PRIMITIVE")
SKIP_POOL, OTHER_SKIP = "SKIP pool", "SKIP of another run"
OTHERS = {"instance": "INSTANCE", "trove_no_import": "TROVE without IMPORT"}
MODES = ("import", "create", "skip")  # of TROVE
MODELS = {"practice": "the practice model (a million parameters)"}
DATASET, K, K_MODE = "math", 15, 5  # what numbers are printed for
BUDGETS = (1, 3, 6, 9, 12, 15)
DIFFERENCES = [
    "category",
    "rule",
    "a",
    "b",
    "difference",
    "low",
    "high",
    "p",
    "p_equivalent",
    "equivalent",
    "margin",
    "problems",
    "problems_needed",
    "p_holm",
]
SIDE_STYLE = {PRIMITIVE: (BLUE, "--", "s"), TROVE: (RED, "-", "o")}
MODE_STYLE = dict(
    zip([mode.upper() for mode in MODES], [(BLUE, "", "o"), (ORANGE, "///", "s"), (GREEN, "...", "^")], strict=True)
)
COST_STYLE = {"calls": (BLUE, "s"), "completion tokens": (ORANGE, "^"), "total tokens": (RED, "o")}


# ---- the two sides ----


def sides(candidates: pd.DataFrame, *, calls: pd.DataFrame | None = None) -> Comparison:
    """TROVE and PRIMITIVE, and any other method under its own name, from one model's runs; copies are left out.

    In categories without PRIMITIVE, the SKIP samples of all independent runs pooled into one stand in for it, under the
    method `SKIP pool`: SKIP's prompt asks the same of the model, but is not the same text. `calls`: the runs' requests,
    where they are known. Raises where models or data sets are mixed.
    """
    model, *_ = one_kind(candidates, "model", "provenance", "dataset")
    independent = independent_runs(candidates)
    kept = in_order(independent)
    own = kept[kept["method"] == "primitive"]
    pool = skip_pool(kept[~kept["category"].isin(own["category"].unique())])
    frames = {
        TROVE: kept[kept["method"] == "trove"],
        PRIMITIVE: pd.concat([own, pool], ignore_index=True) if len(pool) else own,
    }
    others = [method for method in dict.fromkeys(kept["method"].astype(str)) if method not in ("trove", "primitive")]
    frames |= {OTHERS.get(method, method): kept[kept["method"] == method] for method in others}
    found = Comparison.of(frames, calls=calls_of(independent) if calls is None else calls)
    return replace(found, title=MODELS.get(model, model) + found.title.removeprefix(model))


def skip_pool(candidates: pd.DataFrame) -> pd.DataFrame:
    """All SKIP samples of a problem as one run of the method `SKIP pool`, samples numbered anew."""
    return pooled(candidates[candidates["mode"] == "skip"]).assign(method=SKIP_POOL, place=0)


def measured(comparison: Comparison) -> pd.DataFrame:
    """The candidates of all sides, without what stands in for one."""
    return in_order(pd.concat([side[side["method"] != SKIP_POOL] for side in comparison.sides.values()]))


def source(comparison: Comparison, side: str, category: str) -> str:
    """What fills a side in a category, or in some of several: its own runs or `SKIP pool`; "" where nothing does."""
    part = comparison[side]
    part = part[part["category"] == category] if category in comparison.categories else part
    return SKIP_POOL if (part["method"] == SKIP_POOL).any() else side if len(part) else ""


def covered(comparison: Comparison) -> list[str]:
    """The categories that both sides have; those of one where the other has none at all."""
    return comparison.covered(*SIDES)


def budget(comparison: Comparison, k: int | None) -> int:
    """k calls a problem, checked; None: the papers' 15, or as many as both sides have."""
    return min(K, comparison.samples(*SIDES) or K) if k is None else comparison.checked(k, *SIDES)


def _of_modes(comparison: Comparison, k: int | None) -> int:
    """k samples a mode, checked; None: the papers' 5, or as many as TROVE's modes have."""
    sizes = comparison[TROVE].groupby(["run", "category", "problem", "mode"], observed=True).size()
    most = int(sizes.max()) if len(sizes) else K_MODE
    if k is None:
        return min(K_MODE, most)
    if not 1 <= k <= most:
        raise TroveLiteError(f"k = {k}: give 1 or more samples of a mode, and no more than the runs hold ({most})")
    return k


def _in_print(
    comparison: Comparison,
    table: str,
    *,
    is_budget: bool = True,
    column: str = "mean",
    scale: float = 1,
    **where: object,
) -> Look:
    """How to look up a cell of `table`, where data set and budget are those that it was printed for."""
    if comparison.dataset != DATASET or not is_budget:
        return nothing
    return printed(table, column=column, scale=scale, **where)


def _rows(
    comparison: Comparison, side: str, system: str, scores: pd.DataFrame, look_up: Look, *, seed: int
) -> pd.DataFrame:
    part = beside(comparison, side, system, scores, look_up, seed=seed, covered=covered(comparison))
    sources = [source(comparison, side, category) for category in part["category"]]
    notes = [_whose(note, name) for note, name in zip(part["note"], sources, strict=True)]
    return part.assign(source=sources, note=notes)


def _whose(note: str, name: str) -> str:
    """`only 8 samples a problem`, with the name of what has so few."""
    return note.replace(" samples a problem", f" {name} samples a problem")


def _table(comparison: Comparison, number: str, parts: Sequence[pd.DataFrame], **about: object) -> pd.DataFrame:
    """Parts under one another, as `reeval_tableN` or the table of `reeval_figureN`."""
    table = in_columns(pd.concat(parts, ignore_index=True))
    title = number.replace("_", " ").capitalize()
    title = title[:-1] + " " + title[-1] if title[-1].isdigit() else title
    return named(table, f"reeval_{number}", title, comparison.title, stand_ins=(SKIP_POOL, OTHER_SKIP), **about)


# ---- Table 1, and the claim itself ----


def table1(comparison: Comparison, *, k: int | None = None, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """Accuracy at a matched budget of k calls (Table 1)."""
    k = budget(comparison, k)

    def rows(side: str, system: str, rule: str, variant: str) -> pd.DataFrame:
        scores = score(comparison[side], rule, k, seed=seed, resamples=resamples)
        return _rows(comparison, side, system, scores, look_up(side, variant), seed=seed)

    def look_up(method: str, variant: str) -> Look:
        return _in_print(comparison, "reeval_table1", is_budget=k == K, method=method, variant=variant)

    def original(method: str) -> pd.DataFrame:
        note = "printed in the TroVE paper; not run here"
        return only_printed(comparison, f"{method}, original", look_up(method, "original"), note)

    parts = [
        original(PRIMITIVE),
        rows(PRIMITIVE, f"PRIMITIVE, K={k}", "one_stage", "compute_matched"),
        original(TROVE),
        rows(TROVE, "TROVE, two-stage", "two_stage", "reproduced_two_stage"),
        rows(TROVE, "TROVE, one-stage", "one_stage", "improved_one_stage"),
    ]
    return _table(comparison, "table1", [part for part in parts if len(part)], k=k)


def table1_figure(table: pd.DataFrame) -> Figure | None:
    """Table 1 as a picture, by category."""
    rows = filled(table)
    if not rows:
        return None
    systems = [system for system in table["system"].unique() if "original" not in system]
    styles = dict(zip(systems, [(BLUE, "s"), (ORANGE, "^"), (RED, "o")], strict=True))
    figure, axes = plt.subplots(figsize=(7.2, 1.4 + 0.75 * len(rows)), layout="constrained")
    for row in table[table["system"].isin(systems) & table["category"].isin(rows)].itertuples():
        dot(axes, row, rows.index(row.category) + 0.25 * (systems.index(row.system) - 1), *styles[row.system])
    category_axis(axes, rows)
    axes.set_xlabel("accuracy (fraction of problems)")
    axes.set_xlim(left=0)
    names = _sources(table)
    key(
        axes,
        [
            handle(system.replace(PRIMITIVE, names.get(system, PRIMITIVE)), *styles[system])
            for system in systems
            if system in names
        ],
        paper=table["published"].notna().any(),
    )
    return titled(figure, table, f"Accuracy at a matched budget of {table.attrs['k']} calls")


def differences(
    comparison: Comparison, *, k: int | None = None, margin: float = 0.01, seed: int = 0, resamples: int = 100
) -> pd.DataFrame:
    """TROVE minus PRIMITIVE at a matched budget of k calls, problem by problem: the claim itself.

    One-stage agreement and the oracle, each as in `analysis.comparison.differences`, with its correction over the
    categories of a rule; `b` names what stands in for PRIMITIVE. The SKIP pool holds TROVE's own SKIP samples, so the
    two sides are not independent.
    """
    k, parts = budget(comparison, k), []
    for rule in ("one_stage", "oracle"):
        scores = {side: score(comparison[side], rule, k, seed=seed, resamples=resamples) for side in SIDES}
        part = analysis.differences(comparison, scores, margin=margin, seed=seed)
        parts.append(part.assign(rule=rule, b=[source(comparison, PRIMITIVE, c) for c in part["category"]]))
    table = pd.concat(parts, ignore_index=True)[DIFFERENCES]
    lacking = [f"no {side} runs" for side in SIDES if comparison[side].empty]
    note = "; ".join(lacking) or f"no problem has {k} samples on both sides"
    return named(table, "reeval_differences", "The difference", comparison.title, note=note, k=k, margin=margin)


def matched_budgets(
    comparison: Comparison, longer: Comparison | None = None, *, margin: float = 0.01, seed: int = 0
) -> pd.DataFrame:
    """One-stage accuracy of TROVE, as recorded, and of PRIMITIVE at TROVE's cost (`analysis.comparison`).

    longer: sides with runs of PRIMITIVE with more calls, of the same seeds; without them, its own. Nothing stands in.
    """
    rivals = (longer or comparison)[PRIMITIVE]
    both = replace(
        comparison,
        sides={TROVE: comparison[TROVE], PRIMITIVE: rivals[rivals["method"] != SKIP_POOL]},
        calls=pd.concat([requests_of(comparison, TROVE), requests_of(longer or comparison, PRIMITIVE)]),
    )
    table = analysis.matched_budgets(both, margin=margin, seed=seed)
    return named(table, "reeval_matched_budgets", "The same cost", comparison.title, margin=margin)


def matched_budgets_figure(table: pd.DataFrame) -> Figure | None:
    """TROVE minus PRIMITIVE at the same calls and tokens; None where the table has nothing to show."""
    known = table[table["difference"].notna()]
    rows = list(known["category"].unique())
    if not rows:
        return None
    figure, axes = plt.subplots(figsize=(7.2, 1.8 + 0.65 * len(rows)), layout="constrained")
    axes.axvline(0, color="black", linewidth=1)
    handles = []
    for j, (budget, style) in enumerate(COST_STYLE.items()):
        here = known[known["budget"] == budget]
        for row in here.rename(columns={"difference": "value"}).itertuples():
            dot(axes, row, rows.index(row.category) + 0.25 * (j - 1), *style)
        if len(here):
            last = here.iloc[-1]  # all categories together, where there are several
            calls = f"{last['calls_a']:.0f} calls of {last['a']}, on average {last['calls_b']:.1f} of {last['b']}"
            handles.append(handle(f"same {budget}: {calls}", *style))
    category_axis(axes, rows)
    axes.set_xlabel("accuracy of TROVE minus accuracy of PRIMITIVE (fraction of problems)")
    key(axes, handles, columns=1)
    return titled(figure, table, "TROVE against PRIMITIVE at the same cost, one-stage agreement")


# ---- Figure 1 and Table 2: modes ----


def figure1_table(comparison: Comparison, *, k: int | None = None, seed: int = 0) -> pd.DataFrame:
    """pass@k of each mode of TROVE (Figure 1, whose values are not printed)."""
    k, parts = _of_modes(comparison, k), []
    for mode in MODES:
        samples = comparison[TROVE][comparison[TROVE]["mode"] == mode]
        part = _rows(comparison, TROVE, mode.upper(), oracle_score(samples, k), nothing, seed=seed)
        parts.append(_without_mode(part, comparison, mode))
    return _table(comparison, "figure1", parts, k=k)


def figure1(table: pd.DataFrame) -> Figure | None:
    """Problems solved by each mode of TROVE, pass@k (Figure 1)."""
    rows = filled(table)
    if not rows:
        return None
    figure, axes = plt.subplots(figsize=(max(5.0, 1.5 + 1.2 * len(rows)), 3.6), layout="constrained")
    for j, (system, (colour, hatch, _)) in enumerate(MODE_STYLE.items()):
        cells = table[table["system"] == system].set_index("category").reindex(rows)
        if cells["value"].isna().all():
            continue
        error = [cells["value"] - cells["low"], cells["high"] - cells["value"]]
        place = [i + 0.27 * (j - 1) for i in range(len(rows))]
        axes.bar(place, cells["value"], width=0.25, color=colour, edgecolor="black", hatch=hatch, label=system)
        axes.errorbar(place, cells["value"], yerr=error, fmt="none", ecolor="black", capsize=2, linewidth=1)
    axes.set_xticks(range(len(rows)), [wrapped(row) for row in rows])
    axes.set_ylabel(f"pass@{table.attrs['k']} (fraction of problems)")
    axes.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return titled(figure, table, f"Problems solved by each mode in {table.attrs['k']} samples")


def table2(comparison: Comparison, *, seed: int = 0) -> pd.DataFrame:
    """Share of problems that one mode alone solves, with all of its samples (Table 2)."""
    solved, parts = _solved_by_mode(comparison[TROVE]), []
    for mode in MODES:
        scores = no_scores()
        if mode in solved:
            others = [other for other in MODES if other != mode]
            alone = solved[mode] & ~solved.reindex(columns=others, fill_value=False).any(axis=1)
            scores = alone.astype(float).rename("score").reset_index()
        look_up = _in_print(comparison, "reeval_table2", is_budget=comparison.samples(TROVE) == K, mode=mode.upper())
        part = _rows(comparison, TROVE, mode.upper(), scores, look_up, seed=seed)
        parts.append(_without_mode(part, comparison, mode))
    return _table(comparison, "table2", parts)


def _without_mode(part: pd.DataFrame, comparison: Comparison, mode: str) -> pd.DataFrame:
    """Where TROVE was run without a mode, that is why its cells are empty."""
    side = comparison[TROVE]
    if side.empty or (side["mode"] == mode).any():
        return part
    return part.assign(note=f"no {mode.upper()} samples")


def _solved_by_mode(side: pd.DataFrame) -> pd.DataFrame:
    """Whether a mode solves a problem in a run, a column a mode."""
    if side.empty:
        return pd.DataFrame()
    counts = correct_counts(side).set_index(["category", "run", "problem"])
    return pd.DataFrame({mode: counts[f"c_{mode}"] > 0 for mode in MODES if f"c_{mode}" in counts}, index=counts.index)


# ---- Tables 3 and 6, Figure 3: other answers, other problems ----


def table3(comparison: Comparison, *, k: int | None = None, seed: int = 0) -> pd.DataFrame:
    """Distinct answers a problem among k samples (Table 3).

    The paper does not say what makes two predictions the same, so both readings are given: `answers` compares the
    graded answer, `predictions` the whole list of what a program printed.
    """
    k, parts = budget(comparison, k), []
    for of, value in (("answers", graded_answer), ("predictions", lambda ran: ran["answers"].map(tuple))):
        for side in (PRIMITIVE, TROVE):
            scores = distinct_score(comparison[side], k, value)
            look_up = _in_print(comparison, "reeval_table3", is_budget=k == K, method=side)
            parts.append(_rows(comparison, side, f"{side}, {of}", scores, look_up, seed=seed))
    return _table(comparison, "table3", parts, k=k)


def figure3_table(
    comparison: Comparison, *, k: int | None = None, seed: int = 0, resamples: int = 1000
) -> pd.DataFrame:
    """Mean Jaccard overlap between PRIMITIVE and each mode of TROVE (Figure 3 and appendix B.3).

    Solved sets are those of k samples a mode. Where PRIMITIVE was not run, the SKIP samples of *another*
    independent run stand in: a run's own would overlap with themselves. `floor SKIP` and the like are the noise
    floor: the overlap of two runs of the same mode. Intervals resample problems.
    """
    k, rows = _of_modes(comparison, k), []
    ran = measured(comparison)
    for category in comparison.categories:
        here = ran[ran["category"] == category]
        own = source(comparison, PRIMITIVE, category) == PRIMITIVE
        reference = _first_solved(here, "primitive" if own else "skip", k)
        for mode in MODES:
            sets = _first_solved(here[here["method"] == "trove"], mode, k)
            pairs = [(p, t) for p in reference for t in sets if p[0] != t[0]]
            floor = [(a, b) for i, a in enumerate(sets) for b in sets[i + 1 :]]
            for system, compared in ((f"PRIMITIVE ~ {mode.upper()}", pairs), (f"floor {mode.upper()}", floor)):
                cell = {
                    "category": category,
                    "system": system,
                    "runs": len(compared),
                    "problems": 0,
                    "source": PRIMITIVE if own else OTHER_SKIP,
                    "note": "",
                }
                if not compared:
                    reason = "needs two runs" if sets else absent(comparison, TROVE, category)["note"]
                    rows.append(cell | {"note": reason})
                    continue
                value, low, high = _pairwise_jaccard(compared, seed=seed, resamples=resamples)
                rows.append(cell | {"value": value, "low": low, "high": high, "problems": len(compared[0][0][1])})
    return _table(comparison, "figure3", [pd.DataFrame(rows)], k=k)


def figure3(table: pd.DataFrame) -> Figure | None:
    """Overlap of solved problems between PRIMITIVE and each mode (Figure 3)."""
    rows = filled(table)
    if not rows:
        return None
    figure, axes = plt.subplots(figsize=(7.2, 1.6 + 0.75 * len(rows)), layout="constrained")
    known = table[table["value"].notna()]
    for row in known.itertuples():
        mode, hollow = row.system.split()[-1], row.system.startswith("floor")
        colour, _, marker = MODE_STYLE[mode]
        place = rows.index(row.category) + 0.25 * (list(MODE_STYLE).index(mode) - 1) + (0.09 if hollow else 0)
        dot(axes, row, place, colour, marker, fill="white" if hollow else colour)
    category_axis(axes, rows)
    axes.set_xlabel(f"mean Jaccard overlap of the problems solved in {table.attrs['k']} samples")
    axes.set_xlim(0, 1)
    other = PRIMITIVE if set(known["source"]) == {PRIMITIVE} else OTHER_SKIP
    drawn = set(known["system"])
    handles = [
        handle(f"{mode} with {other}", colour, marker)
        for mode, (colour, _, marker) in MODE_STYLE.items()
        if f"PRIMITIVE ~ {mode}" in drawn
    ]
    if any(system.startswith("floor") for system in drawn):
        handles.append(handle("hollow: two runs of that mode (noise floor)", "black", "o", fill="white"))
    key(axes, handles)
    return titled(figure, table, "Overlap of solved problems")


def _first_solved(candidates: pd.DataFrame, mode: str, k: int) -> list[tuple[str, np.ndarray]]:
    """(run, solved by its first k samples of the mode) for each run."""
    part = candidates[candidates["mode"] == mode]
    part = part[part.groupby(["run", "method", "problem"], observed=True).cumcount() < k]
    solved = _any_correct(part, ["run", "method"])
    return [(run[0], row.to_numpy(dtype=bool)) for run, row in solved.iterrows()]


def _any_correct(candidates: pd.DataFrame, index: list[str] | str) -> pd.DataFrame:
    """Whether any candidate is correct, as (index × problems)."""
    verdict = candidates.assign(correct=candidates["correct"].fillna(False).astype(bool))
    return verdict.pivot_table(index=index, columns="problem", values="correct", aggfunc="any", observed=True)


def _pairwise_jaccard(pairs: list, *, seed: int, resamples: int) -> tuple[float, float, float]:
    a = np.array([one[1] for one, _ in pairs], dtype=float)
    b = np.array([other[1] for _, other in pairs], dtype=float)
    n = a.shape[1]
    weights = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples)
    both, either = a * b, np.maximum(a, b)

    def mean(weight: np.ndarray) -> np.ndarray:
        union = weight @ either.T
        share = np.divide(weight @ both.T, union, out=np.full(union.shape, np.nan), where=union > 0)
        return np.array([np.nan if np.isnan(row).all() else np.nanmean(row) for row in np.atleast_2d(share)])

    low, high = np.nanpercentile(mean(weights), [2.5, 97.5])
    return float(mean(np.ones((1, n)))[0]), float(low), float(high)


def table6(comparison: Comparison, *, k: int | None = None, seed: int = 0) -> pd.DataFrame:
    """Problems that one method solves and the other never does (Table 6), as shares.

    Consistent: by every run of the method; potential: by some but not all of its runs. Both shrink and grow with
    the number of runs, which `note` states: compare with the paper's five runs a side accordingly.
    """
    k, parts = budget(comparison, k), []
    sets = {side: _solved_sets(comparison[side], k) for side in SIDES}
    for side, other in (SIDES, SIDES[::-1]):
        for kind in ("consistent", "potential"):
            masks, notes = [], {}
            for category in comparison.categories:
                a, b = sets[side].get(category), sets[other].get(category)
                if a is None or b is None:
                    if a is not None:
                        notes[category] = f"no {other} runs of this category"
                    continue
                notes[category] = f"{len(a)} run(s) against {len(b)} of {source(comparison, other, category)}"
                if kind == "potential" and len(a) < 2:
                    notes[category] = f"some but not all of one run is nothing: {notes[category]}"
                    continue
                both = a.columns.intersection(b.columns)
                mask = getattr(metrics.gains(a[both].to_numpy(), b[both].to_numpy()), kind)
                masks.append(pd.DataFrame({"category": category, "run": "all", "problem": both, "score": mask * 1.0}))
            look_up = _in_print(
                comparison, "reeval_table6", is_budget=k == K, column="percent", scale=100, method=side, gain=kind
            )
            scores = pd.concat(masks) if masks else no_scores()
            part = _rows(comparison, side, f"{side}, {kind}", scores, look_up, seed=seed)
            told = [notes.get(category, note) for category, note in zip(part["category"], part["note"], strict=True)]
            parts.append(part.assign(note=told))
    return _table(comparison, "table6", parts, k=k)


def _solved_sets(side: pd.DataFrame, k: int) -> dict[str, pd.DataFrame]:
    """Solved by one of k samples, as (runs × problems) for each category; a pool of n samples makes n // k runs."""
    group = side.groupby(["method", "run", "category", "problem"], observed=True)
    place, size = group.cumcount(), group["sample"].transform("size")
    part = side.assign(_run=side["run"].astype(str) + "/" + (place // k).astype(str))[place < size // k * k]
    return {
        category: _any_correct(rows, "_run").astype(bool) for category, rows in part.groupby("category", observed=True)
    }


# ---- Tables 5 and 7, Figures 2 and 4: budgets ----


def table5(
    comparison: Comparison, *, budgets: Sequence[int] | None = None, seed: int = 0, resamples: int = 100
) -> pd.DataFrame:
    """Accuracy of one-stage agreement at growing budgets, column `k` (Table 5 and Figure 2)."""
    return _curve(comparison, "table5", budgets, "one_stage", seed=seed, resamples=resamples)


def table7(comparison: Comparison, *, budgets: Sequence[int] | None = None, seed: int = 0) -> pd.DataFrame:
    """Oracle accuracy pass@k at growing budgets, column `k` (Table 7 and Figure 2)."""
    return _curve(comparison, "table7", budgets, "oracle", seed=seed)


def _curve(
    comparison: Comparison, number: str, budgets: Sequence[int] | None, rule: str, *, seed: int, resamples: int = 100
) -> pd.DataFrame:
    most = comparison.samples(*SIDES) or K
    budgets = [k for k in BUDGETS if k <= most] if budgets is None else [comparison.checked(k, *SIDES) for k in budgets]
    parts = []
    for k in budgets:
        for side in (PRIMITIVE, TROVE):
            if side == TROVE and k < len(MODES):
                continue
            look_up = _in_print(comparison, f"reeval_{number}", method=side, k=k)
            scores = score(comparison[side], rule, k, seed=seed, resamples=resamples)
            parts.append(_rows(comparison, side, side, scores, look_up, seed=seed).assign(k=k))
    return _table(comparison, number, parts)


def figure2(table5: pd.DataFrame, table7: pd.DataFrame) -> Figure | None:
    """Oracle and agreement accuracy against the budget (Figure 2, from Tables 5 and 7)."""
    if not filled(table5) or not filled(table7):
        return None
    row, name = row_over_categories(table5)
    figure, all_axes = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained", sharey=True)
    panels = {"oracle (pass@K)": table7, "one-stage agreement": table5}
    for axes, (title, table) in zip(all_axes, panels.items(), strict=True):
        for side, (colour, line, marker) in SIDE_STYLE.items():
            cells = table[(table["category"] == row) & (table["system"] == side)]
            band(axes, cells["k"], cells, colour, line, marker)
            axes.scatter(cells["k"], cells["published"], **PAPER | {"marker": marker, "edgecolor": colour})
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("budget K (calls a problem)")
        axes.set_xticks(sorted(table["k"].unique()))
    all_axes[0].set_ylabel("accuracy (fraction of problems)")
    all_axes[0].set_ylim(bottom=0)
    _side_key(figure, table5[table5["category"] == row])
    return titled(figure, table5, f"Accuracy against budget, {name}", "reeval_figure2")


def figure4_table(comparison: Comparison, *, points: int = 6, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """Accuracy with the samples of all runs pooled, column `k`, by selection (Figure 4, B.4).

    IMPORT samples of different runs saw different toolboxes; the paper pools them all the same, and so does this.
    """
    parts = []
    for name in (PRIMITIVE, TROVE):
        side = pooled(comparison[name])
        compared = side[side["category"].isin(covered(comparison))]
        if compared.empty:
            continue
        step = len(MODES) if name == TROVE else 1
        most = int(compared.groupby(["category", "problem"], observed=True).size().min())
        rules = ("oracle", "one_stage", "two_stage") if name == TROVE else ("oracle", "one_stage")
        for k in sorted({max(step, round(most * i / points / step) * step) for i in range(1, points + 1)}):
            for rule in rules:
                scores = score(side, rule, k, seed=seed, resamples=resamples)
                system = f"{name}, {rule.replace('_', '-')}"
                part = _rows(comparison, name, system, scores, nothing, seed=seed).assign(k=k)
                parts.append(part[part["value"].notna()])
    return _table(comparison, "figure4", parts or [pd.DataFrame(columns=["k", "runs", "problems"])])


def figure4(table: pd.DataFrame) -> Figure | None:
    """Accuracy with the samples of all runs pooled, by selection (Figure 4)."""
    if not filled(table):
        return None
    row, name = row_over_categories(table)
    figure, axes = plt.subplots(figsize=(6.8, 4.2), layout="constrained")
    handles, names = [], _sources(table[table["category"] == row])
    styles = {"oracle": ("-", "o"), "one-stage": ("--", "s"), "two-stage": (":", "^")}
    for side, (colour, _, _) in SIDE_STYLE.items():
        for rule, (line, marker) in styles.items():
            cells = table[(table["category"] == row) & (table["system"] == f"{side}, {rule}")]
            if cells["value"].notna().any():
                band(axes, cells["k"], cells, colour, line, marker)
                handles.append(handle(f"{names[f'{side}, {rule}']}, {rule}", colour, marker, line=line))
    axes.set_xlabel("samples a problem, all runs pooled")
    axes.set_ylabel("accuracy (fraction of problems)")
    axes.set_ylim(bottom=0)
    axes.legend(handles=handles, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return titled(figure, table, f"Pooled samples, {name}")


# ---- Tables 8 and 9: difficulty ----


def table8(comparison: Comparison) -> pd.DataFrame:
    """Number of problems by category and level, column `level` (Table 8)."""
    seen = pd.concat([side[["category", "problem", "level"]] for side in comparison.sides.values() if len(side)])
    problems = seen.drop_duplicates(["category", "problem"])
    rows = []
    for category in comparison.categories:
        part = problems[problems["category"] == category]
        for level in (*comparison.levels, "all"):
            here = len(part) if level == "all" else int((part["level"].astype(str) == level).sum())
            look_up = _in_print(comparison, "reeval_table8", column="count", level=level)
            rows.append(
                {
                    "category": category,
                    "system": "problems",
                    "level": level,
                    "published": look_up(category)[0],
                    "value": here if len(part) else np.nan,
                    "runs": 0,
                    "problems": len(part),
                    "source": comparison.dataset,
                    "note": "" if len(part) else "no runs of this category",
                }
            )
    return _table(comparison, "table8", [pd.DataFrame(rows)])


def table9(comparison: Comparison, *, k: int | None = None) -> pd.DataFrame:
    """Oracle accuracy pass@k by difficulty, column `level` (Table 9); no rows for a data set without levels.

    Cells are small, so intervals are Wilson's, on the mean over runs and the number of problems.
    """
    k, rows, both = budget(comparison, k), [], covered(comparison)
    for side in (PRIMITIVE, TROVE):
        scores = score(comparison[side], "oracle", k).dropna(subset="score")
        present = by_category(scores, comparison.categories, both)
        for category in [*comparison.categories, *over_categories(comparison.categories, both)[:2]]:
            for level in comparison.levels:
                look_up = _in_print(
                    comparison,
                    "reeval_table9",
                    is_budget=k == K,
                    column="percent",
                    scale=100,
                    method=side,
                    level=int(level) if level.isdigit() else level,
                )
                cell = {
                    "category": category,
                    "system": side,
                    "level": level,
                    "published": printed_over(category, comparison, both, look_up, level)[0],
                    "source": source(comparison, side, category),
                }
                part = present.get(category, no_scores())
                part = part[part["level"].astype(str) == level]
                if part.empty:
                    rows.append(cell | absent(comparison, side, category))
                    rows[-1]["note"] = _whose(rows[-1]["note"], cell["source"])
                else:
                    rows.append(cell | _on_mean_over_runs(part, macro=category in MACRO) | {"note": ""})
    note = f"the problems of {comparison.dataset} have no levels"
    rows = pd.DataFrame(rows) if rows else pd.DataFrame(columns=["level", "runs", "problems"])
    return _table(comparison, "table9", [rows], k=k, note=note)


def _on_mean_over_runs(scores: pd.DataFrame, *, macro: bool) -> dict:
    values, category = matrix(scores)
    each = metrics.question_means(values)
    value = metrics.macro_mean([each[category == c].mean() for c in np.unique(category)]) if macro else each.mean()
    wilson = metrics.wilson(value * len(each), len(each))
    return {
        "value": float(value),
        "low": float(wilson.low),
        "high": float(wilson.high),
        "run_sd": metrics.run_sd(np.nanmean(values, axis=0)),
        "runs": values.shape[1],
        "problems": len(each),
    }


def table9_figure(table: pd.DataFrame) -> Figure | None:
    """Oracle accuracy by difficulty level, a panel a category (Table 9)."""
    rows = filled(table)
    if not rows:
        return None
    columns, lines = min(4, len(rows)), -(-len(rows) // min(4, len(rows)))
    figure, all_axes = plt.subplots(
        lines,
        columns,
        figsize=(1.2 + 2.6 * columns, 0.8 + 2.6 * lines),
        layout="constrained",
        sharey=True,
        squeeze=False,
    )
    for axes in all_axes.flat[len(rows) :]:
        axes.set_axis_off()
    levels = list(table["level"].unique())
    for axes, category in zip(all_axes.flat, rows, strict=False):
        for offset, (side, (colour, line, marker)) in zip((-0.1, 0.1), SIDE_STYLE.items(), strict=True):
            cells = table[(table["category"] == category) & (table["system"] == side)]
            x = [levels.index(level) + offset for level in cells["level"]]
            error = [cells["value"] - cells["low"], cells["high"] - cells["value"]]
            style = {"color": colour, "linestyle": line, "marker": marker, "markersize": 5, "linewidth": 1.2}
            axes.errorbar(x, cells["value"], yerr=error, capsize=2, **style)
            axes.scatter(x, cells["published"], **PAPER | {"marker": marker, "edgecolor": colour})
        axes.set_title(wrapped(category).replace("\n", " "), fontsize=10)
        axes.set_xticks(range(len(levels)), levels)
        axes.set_xlabel("level (1 easiest)")
    for axes in all_axes[:, 0]:
        axes.set_ylabel(f"pass@{table.attrs['k']}")
    all_axes[0, 0].set_ylim(0, 1)
    _side_key(figure, table)
    return titled(figure, table, "Problems solved by difficulty")


# ---- keys ----


def _sources(table: pd.DataFrame) -> dict[str, str]:
    """What was measured for each system that has a value."""
    known = table[table["value"].notna()]
    return {system: " / ".join(sorted(part["source"].unique())) for system, part in known.groupby("system")}


def _side_key(figure: Figure, table: pd.DataFrame) -> None:
    """A legend of the two sides, those of them that are drawn, and of what the paper prints."""
    sources, drawn = _sources(table), set(table.loc[table["published"].notna(), "system"])
    handles: list[Line2D] = [
        handle(sources[side], colour, marker, line=line)
        for side, (colour, line, marker) in SIDE_STYLE.items()
        if side in sources
    ]
    handles += [
        handle(f"the paper's {side}", colour, marker, fill="white")
        for side, (colour, _, marker) in SIDE_STYLE.items()
        if side in drawn
    ]
    figure.legend(handles=handles, frameon=False, ncols=4, loc="outside lower center", fontsize=9)


# ---- small examples ----


def worked_modes(comparison: Comparison, *, k: int | None = None) -> pd.DataFrame:
    """One problem that one mode of TROVE alone solves (where there is none, the first): its samples, mode by mode."""
    side, k = comparison[TROVE], _of_modes(comparison, k)
    if side.empty:
        return named(pd.DataFrame(columns=["mode"]), "", "One problem", comparison.title, note=f"no {TROVE} runs")
    solved = _solved_by_mode(side)
    alone = solved.index[(solved.sum(axis=1) == 1).to_numpy()]
    category, run, problem = alone[0] if len(alone) else solved.index[0]
    here = side[(side["category"] == category) & (side["run"] == run) & (side["problem"] == problem)]
    correct = here["correct"].fillna(False).astype(int).groupby(here["mode"], observed=True)
    table = correct.agg(samples="size", right="sum").reindex([mode for mode in MODES if mode in solved])
    table[f"pass@{k}"] = metrics.pass_at_k(table["samples"], table["right"], k)
    return named(table.rename_axis(f"{category}, problem {problem}, {run}"), "", "One problem", comparison.title)


def worked_overlap(comparison: Comparison, *, k: int | None = None) -> pd.DataFrame:
    """The problems that two runs of one mode of TROVE solve, counted: the overlap is `both` over `either`."""
    k, rows = _of_modes(comparison, k), []
    for category in covered(comparison):
        here = comparison[TROVE][comparison[TROVE]["category"] == category]
        for mode in MODES:
            sets = _first_solved(here, mode, k)[:2]
            if len(sets) == 2 and not rows:
                (one, a), (other, b) = sets
                both, either = int((a & b).sum()), int((a | b).sum())
                rows.append(
                    {
                        "category": category,
                        "mode": mode,
                        one: int(a.sum()),
                        other: int(b.sum()),
                        "both": both,
                        "either": either,
                        "overlap": both / either if either else np.nan,
                    }
                )
    return named(pd.DataFrame(rows), "", "One overlap", comparison.title, note=f"needs two runs of {TROVE}")


# ---- in words ----


def lead_in_words(difference: pd.DataFrame, matched: pd.DataFrame) -> str:
    """Does TROVE still win at the same calls, and at the same tokens? From `differences` and `matched_budgets`."""
    if reason := why_empty(difference):
        return f"TROVE and PRIMITIVE cannot be compared on these runs: {reason}."
    rows = difference.drop_duplicates("rule", keep="last").set_index("rule")
    vote, oracle = rows.loc["one_stage"], rows.loc["oracle"]
    finding = "leads" if vote.low > 0 else "trails" if vote.high < 0 else "neither leads nor trails"
    text = (
        f"With {difference.attrs['k']} calls a problem each, TROVE {finding}: its accuracy by one-stage agreement less "
        f"that of {_rival(vote.b)} is {_points(vote)} points over {vote.problems:.0f} problems, by the oracle "
        f"{_points(oracle)}. That the difference is below {_margin(vote.margin)} is "
        f"{'shown' if vote.equivalent else 'not shown'}."
    )
    if vote.b == SKIP_POOL:
        text += " The SKIP pool is not PRIMITIVE, so this says nothing against or for tools yet."
    costs = matched[matched["budget"] == "total tokens"]
    if costs["difference"].isna().all():
        return f"{text} At the same tokens the two cannot be compared: {why_empty(costs)}."
    row = costs[costs["difference"].notna()].iloc[-1]
    return f"{text} At the same tokens in all ({row.calls_b:.1f} calls of PRIMITIVE) it is {_points(row)} points."


def modes_in_words(figure1: pd.DataFrame, table2: pd.DataFrame) -> str:
    """What does each mode contribute? From the tables of Figure 1 and Table 2."""
    if reason := why_empty(figure1) or why_empty(table2):
        return f"The modes cannot be compared on these runs: {reason}."
    row, name = row_over_categories(figure1)
    solved = figure1[(figure1["category"] == row) & figure1["value"].notna()].sort_values("value", ascending=False)
    alone = table2[table2["category"] == row].set_index("system")
    parts = [
        f"{cell.system} solves {_percent(cell)}, {_percent(alone.loc[cell.system])} alone"
        for cell in solved.itertuples()
    ]
    single = figure1[figure1["value"].notna() & ~figure1["category"].str.contains(",")]
    best = single.loc[single.groupby("category", sort=False)["value"].idxmax()]
    first = ", ".join(f"{part.system} in {cell}" for cell, part in best.set_index("category").iterrows())
    return (
        f"Over {name}, with {figure1.attrs['k']} samples each: {'; '.join(parts)}. Most problems are solved by {first}."
    )


def overlap_in_words(figure3: pd.DataFrame) -> str:
    """Do the modes reach other problems than PRIMITIVE? From the table of Figure 3."""
    known = figure3[figure3["value"].notna()]
    floors = known[known["system"].str.startswith("floor")].set_index(["category", "system"])
    pairs, below = 0, []
    for cell in known[~known["system"].str.startswith("floor")].itertuples():
        mode = cell.system.split()[-1]
        if (cell.category, f"floor {mode}") in floors.index:
            pairs += 1
            if cell.high < floors.loc[(cell.category, f"floor {mode}")].low:
                below.append(f"{mode} in {cell.category}")
    if not pairs:
        return f"What a mode reaches cannot be told from chance here: {why_empty(figure3) or 'that needs two runs'}."
    return (
        f"Of {pairs} overlaps between {_rival(known['source'].iloc[0])} and a mode of TROVE, {len(below)} "
        f"{'lies' if len(below) == 1 else 'lie'} clearly below the overlap of two runs of that mode"
        + (f": {', '.join(below)}." if below else ": nothing tells the problems of a mode from those of another run.")
    )


def budget_in_words(table5: pd.DataFrame, table7: pd.DataFrame) -> str:
    """What does a larger budget buy, and what could a better selector? From Tables 5 and 7."""
    if reason := why_empty(table5) or why_empty(table7):
        return f"Budgets cannot be compared on these runs: {reason}."
    row, name = row_over_categories(table5)
    parts = []
    for side, source_ in _sources(table5[table5["category"] == row]).items():
        vote, best = (t[(t["category"] == row) & (t["system"] == side) & t["value"].notna()] for t in (table5, table7))
        low, high = vote.iloc[0], vote.iloc[-1]
        parts.append(
            f"{source_}: from {low.k} to {high.k} calls agreement rises from {100 * low.value:.1f} to "
            f"{100 * high.value:.1f} %, the oracle from {100 * best.iloc[0].value:.1f} to "
            f"{100 * best.iloc[-1].value:.1f} %; a perfect selector would still add "
            f"{100 * (best.iloc[-1].value - high.value):.1f} points"
        )
    return f"Over {name}. " + ". ".join(parts) + "."


def difficulty_in_words(table9: pd.DataFrame) -> str:
    """Does TROVE's lead grow with the level? From Table 9."""
    if reason := why_empty(table9):
        return f"Levels cannot be compared on these runs: {reason}."
    row, name = row_over_categories(table9)
    cells = table9[table9["category"] == row].set_index(["system", "level"])
    parts, apart = [], 0
    for level in cells.index.unique("level"):
        a, b = (cells.loc[(side, level)] for side in SIDES)
        if pd.notna(a.value) and pd.notna(b.value):
            parts.append(f"{level}: {100 * (a.value - b.value):+.1f}")
            apart += a.low > b.high or b.low > a.high
    if not parts:
        reasons = "; ".join(dict.fromkeys(note for note in cells["note"] if note))
        return f"Levels cannot be compared on these runs: {reasons}."
    rival = _rival(cells.loc[PRIMITIVE, "source"].iloc[0])
    return (
        f"Over {name}, TROVE's oracle accuracy less that of {rival}, in points by level: {', '.join(parts)}. On "
        f"{apart} of {len(parts)} levels the two intervals lie apart."
    )


def _rival(name: str) -> str:
    return name if name == PRIMITIVE else f"the {name} (which stands in for {PRIMITIVE})"


def _margin(share: float) -> str:
    return f"{100 * share:g} point{'' if round(100 * share, 9) == 1 else 's'}"


def _points(row: object) -> str:
    return f"{100 * row.difference:+.1f} [{100 * row.low:+.1f}, {100 * row.high:+.1f}]"


def _percent(cell: object) -> str:
    return f"{100 * cell.value:.1f} % [{100 * cell.low:.1f}, {100 * cell.high:.1f}]"
