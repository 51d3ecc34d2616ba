"""The re-evaluation's tables, each a function named after it; and the tables behind its figures."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from trove_lite.analysis import comparison as analysis
from trove_lite.analysis import statistics as metrics
from trove_lite.analysis.choose import choose
from trove_lite.analysis.comparison import Comparison, absent, requests_of, tested
from trove_lite.analysis.independence import independent_runs, whole_streams
from trove_lite.analysis.scores import (
    ALL_MICRO,
    COVERED_MICRO,
    RERUN,
    correct_counts,
    distinct_score,
    graded_answer,
    no_scores,
    oracle_score,
    over_categories,
    pooled,
    redrawn,
    score,
    selected_score,
    variance_of,
)
from trove_lite.analysis.variance import (
    MARGINS,
    Variance,
    p_below,
    power,
    problems_alone,
    problems_needed,
    run_sd_to_zero,
)
from trove_lite.candidates import selections

from .. import ROUNDING, Look, beside, in_columns, is_in_print, named, nothing, only_printed, printed
from .two_sides import (
    DATASET,
    MODES,
    OTHER_SKIP,
    OTHERS,
    PRIMITIVE,
    SIDES,
    SKIP_POOL,
    TROVE,
    K,
    budget,
    covered,
    measured,
    of_modes,
    source,
)

BUDGETS = (1, 3, 6, 9, 12, 15)
PROBLEMS = 3201  # of MATH, numeric answers
WITHOUT_IMPORT = "trove_no_import"
WITHOUT_IMPORT_COLUMNS = [
    "category",
    "counted",
    "a",
    "b",
    "difference",
    "low",
    "high",
    "covers",
    "p",
    *(f"p_below_{100 * margin:g}" for margin in MARGINS),
    "run_sd_to_0",
    "runs_a",
    "runs_b",
    "problems",
]
PERCENT = ROUNDING / 100  # what is printed in percent, with two decimals
CLEAR_ANSWERS = 0.3  # distinct answers: half of the smallest difference that Table 3 prints
DIFFERENCES = ["category", "rule", *analysis.DIFFERENCE_COLUMNS[1:]]


def _in_print(
    comparison: Comparison,
    table: str,
    *,
    is_budget: bool = True,
    column: str = "mean",
    scale: float = 1,
    **where: object,
) -> Look:
    """How to look up a cell of `table`, where model, data set and budget are those that it was printed for."""
    if is_budget and is_in_print(comparison, table, DATASET):
        return printed(table, column=column, scale=scale, **where)
    return nothing


def _rows(
    comparison: Comparison, side: str, system: str, scores: pd.DataFrame, look_up: Look, **about: object
) -> pd.DataFrame:
    part = beside(comparison, side, system, scores, look_up, **{"covered": covered(comparison)} | about)
    filled = [source(comparison, side, category) for category in part["category"]]
    sources = np.where(part["value"].notna() & (np.array(filled) == ""), side, filled)  # selected answers alone
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


def table1(comparison: Comparison, *, k: int | None = None, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """Accuracy at a matched budget of k calls (Table 1).

    Of recorded runs with result files, two-stage accuracy is that of the answers that they ended with, problems solved
    again after trimming included, as the official program reports it; the other rows need all candidates.
    """
    k = budget(comparison, k)

    def rows(side: str, system: str, rule: str, variant: str) -> pd.DataFrame:
        scores = score(comparison[side], rule, k, seed=seed, resamples=resamples)
        if rule == "two_stage" and k == comparison.samples(side) and len(comparison.selected.get(side, ())):
            scores = selected_score(comparison.selected[side])
        return _rows(comparison, side, system, scores, look_up(side, variant))

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


def differences(comparison: Comparison, *, k: int | None = None, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """TROVE minus PRIMITIVE at a matched budget of k calls, problem by problem: the claim itself.

    One-stage agreement and the oracle, each as in `analysis.comparison.differences`, with one correction over both
    rules and all categories; `b` names what stands in for PRIMITIVE. The SKIP pool holds TROVE's own SKIP samples, so
    the two sides are not independent.
    """
    k, parts = budget(comparison, k), []
    for rule in ("one_stage", "oracle"):
        scores = {side: score(comparison[side], rule, k, seed=seed, resamples=resamples) for side in SIDES}
        part = analysis.differences(comparison, scores)
        parts.append(part.assign(rule=rule, b=[source(comparison, PRIMITIVE, c) for c in part["category"]]))
    table = analysis.corrected(pd.concat(parts, ignore_index=True))[DIFFERENCES]
    lacking = [f"no {side} runs" for side in SIDES if comparison[side].empty]
    note = "; ".join(lacking) or f"no problem has {k} samples on both sides"
    about = {"k": k, "categories": comparison.categories}
    return named(table, "reeval_differences", "The difference", comparison.title, note=note, **about)


def matched_budgets(comparison: Comparison, longer: Comparison | None = None) -> pd.DataFrame:
    """One-stage accuracy of TROVE, as recorded, and of PRIMITIVE at TROVE's cost (`analysis.comparison`).

    longer: sides with runs of PRIMITIVE with more calls, of the same seeds; without them, its own. Nothing stands in.
    """
    rivals = (longer or comparison)[PRIMITIVE]
    both = replace(
        comparison,
        sides={TROVE: comparison[TROVE], PRIMITIVE: rivals[rivals["method"] != SKIP_POOL]},
        calls=pd.concat([requests_of(comparison, TROVE), requests_of(longer or comparison, PRIMITIVE)]),
    )
    table = analysis.matched_budgets(both)
    return named(table, "reeval_matched_budgets", "The same cost", comparison.title)


def figure1_table(comparison: Comparison, *, k: int | None = None) -> pd.DataFrame:
    """pass@k of each mode of TROVE (Figure 1, whose values are not printed)."""
    k, parts = of_modes(comparison, k), []
    for mode in MODES:
        samples = comparison.by_mode.get(TROVE, comparison[TROVE])
        samples = samples[samples["mode"] == mode]
        together = comparison.covered(TROVE)  # of the modes of one side the other has no say
        part = _rows(comparison, TROVE, mode.upper(), oracle_score(samples, k), nothing, covered=together)
        parts.append(_without_mode(part, comparison, mode))
    return _table(comparison, "figure1", parts, k=k)


def table2(comparison: Comparison) -> pd.DataFrame:
    """Share of problems that one mode alone solves, with all of its samples (Table 2)."""
    solved, parts = solved_by_mode(comparison[TROVE]), []
    for mode in MODES:
        scores = no_scores()
        if mode in solved:
            others = [other for other in MODES if other != mode]
            alone = solved[mode] & ~solved.reindex(columns=others, fill_value=False).any(axis=1)
            scores = alone.astype(float).rename("score").reset_index()
        look_up = _in_print(comparison, "reeval_table2", is_budget=comparison.samples(TROVE) == K, mode=mode.upper())
        part = _rows(comparison, TROVE, mode.upper(), scores, look_up)
        parts.append(_without_mode(part, comparison, mode))
    return _table(comparison, "table2", parts)


def _without_mode(part: pd.DataFrame, comparison: Comparison, mode: str) -> pd.DataFrame:
    """Where TROVE was run without a mode, that is why its cells are empty."""
    side = comparison[TROVE]
    if side.empty or (side["mode"] == mode).any():
        return part
    return part.assign(note=f"no {mode.upper()} samples")


def solved_by_mode(side: pd.DataFrame) -> pd.DataFrame:
    """Whether a mode solves a problem in a run, a column a mode."""
    if side.empty:
        return pd.DataFrame()
    counts = correct_counts(side).set_index(["category", "run", "problem"])
    return pd.DataFrame({mode: counts[f"c_{mode}"] > 0 for mode in MODES if f"c_{mode}" in counts}, index=counts.index)


def table3(comparison: Comparison, *, k: int | None = None) -> pd.DataFrame:
    """Distinct answers a problem among k samples (Table 3).

    The paper does not say what makes two predictions the same, so both readings are given: `answers` compares the
    graded answer, `predictions` the whole list of what a program printed.
    """
    k, parts = budget(comparison, k), []
    for of, value in (("answers", graded_answer), ("predictions", lambda ran: ran["answers"].map(tuple))):
        for side in (PRIMITIVE, TROVE):
            scores = distinct_score(comparison[side], k, value)
            look_up = _in_print(comparison, "reeval_table3", is_budget=k == K, method=side)
            parts.append(_rows(comparison, side, f"{side}, {of}", scores, look_up))
    return _table(comparison, "table3", parts, k=k, clear=CLEAR_ANSWERS)


def figure3_table(
    comparison: Comparison, *, k: int | None = None, seed: int = 0, resamples: int = 1000
) -> pd.DataFrame:
    """Mean Jaccard overlap between PRIMITIVE and each mode of TROVE (Figure 3 and appendix B.3).

    Solved sets are those of k samples a mode. Where PRIMITIVE was not run, the SKIP samples of *another* independent
    run of TROVE stand in: a run's own would overlap with themselves. `two runs of SKIP` and the like are the
    overlap of two runs of the same mode: chance allows no more. Intervals resample problems.
    """
    k, rows = of_modes(comparison, k), []
    ran = whole_streams(measured(comparison))
    for category in comparison.categories:
        here = ran[ran["category"] == category]
        own = source(comparison, PRIMITIVE, category) == PRIMITIVE
        trove = here[here["method"] == "trove"]
        reference = first_solved(here, "primitive", k) if own else first_solved(trove, "skip", k)
        for mode in MODES:
            sets = first_solved(trove, mode, k)
            pairs = [(p, t) for p in reference for t in sets if p[0] != t[0]]
            twice = [(a, b) for i, a in enumerate(sets) for b in sets[i + 1 :]]
            for system, compared in ((f"PRIMITIVE ~ {mode.upper()}", pairs), (f"two runs of {mode.upper()}", twice)):
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
                first, second = (np.array([pair[i][1] for pair in compared]) for i in (0, 1))
                value, low, high, _ = metrics.jaccard_interval(first, second, seed=seed, resamples=resamples)
                rows.append(cell | {"value": value, "low": low, "high": high, "problems": len(compared[0][0][1])})
    return _table(comparison, "figure3", [pd.DataFrame(rows)], k=k)


def first_solved(candidates: pd.DataFrame, mode: str, k: int) -> list[tuple[str, np.ndarray]]:
    """(run, solved by its first k samples of the mode) for each run."""
    part = candidates[candidates["mode"] == mode]
    part = part[part.groupby(["run", "method", "problem"], observed=True).cumcount() < k]
    solved = _any_correct(part, ["run", "method"])
    return [(run[0], row.to_numpy(dtype=bool)) for run, row in solved.iterrows()]


def _any_correct(candidates: pd.DataFrame, index: list[str] | str) -> pd.DataFrame:
    """Whether any candidate is correct, as (index × problems)."""
    verdict = candidates.assign(correct=candidates["correct"].fillna(False).astype(bool))
    return verdict.pivot_table(index=index, columns="problem", values="correct", aggfunc="any", observed=True)


def table6(comparison: Comparison, *, k: int | None = None) -> pd.DataFrame:
    """Problems that one method solves and the other never does (Table 6), as shares.

    Consistent: by every run of the method; potential: by some but not all of its runs. Both shrink and grow with
    the number of runs, which `note` states: where that is not the paper's five a side, `check` scores nothing.
    Intervals are over problems alone.
    """
    k, parts, uneven = budget(comparison, k), [], False
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
                uneven |= (len(a), len(b)) != (RERUN, RERUN)
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
            part = _rows(comparison, side, f"{side}, {kind}", scores, look_up, rounding=PERCENT)
            told = [notes.get(category, note) for category, note in zip(part["category"], part["note"], strict=True)]
            parts.append(part.assign(note=told))
    reason = "it depends on the number of runs, and print has five a side" if uneven else ""
    return _table(comparison, "table6", parts, k=k, not_scored=reason)


def _solved_sets(side: pd.DataFrame, k: int) -> dict[str, pd.DataFrame]:
    """Solved by one of k samples, as (runs × problems) for each category; a pool of n samples makes n // k runs."""
    side, run = whole_streams(side), ["method", "run", "category"]
    each = side.groupby([*run, "problem"], observed=True)
    place, size = each.cumcount(), each["sample"].transform("size")
    size = side.assign(_size=size).groupby(run, observed=True)["_size"].transform("min")  # of a pool, not all alike
    part = side.assign(_run=side["run"].astype(str) + "/" + (place // k).astype(str))[place < size // k * k]
    return {
        category: _any_correct(rows, "_run").astype(bool) for category, rows in part.groupby("category", observed=True)
    }


def table5(
    comparison: Comparison, *, budgets: Sequence[int] | None = None, seed: int = 0, resamples: int = 100
) -> pd.DataFrame:
    """Accuracy of one-stage agreement at growing budgets, column `k` (Table 5 and Figure 2)."""
    return _curve(comparison, "table5", budgets, "one_stage", seed=seed, resamples=resamples)


def table7(comparison: Comparison, *, budgets: Sequence[int] | None = None) -> pd.DataFrame:
    """Oracle accuracy pass@k at growing budgets, column `k` (Table 7 and Figure 2)."""
    return _curve(comparison, "table7", budgets, "oracle")


def _curve(
    comparison: Comparison,
    number: str,
    budgets: Sequence[int] | None,
    rule: str,
    *,
    seed: int = 0,
    resamples: int = 100,
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
            parts.append(_rows(comparison, side, side, scores, look_up).assign(k=k))
    return _table(comparison, number, parts)


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
            for name in (PRIMITIVE, TROVE) if rule != "two_stage" else (TROVE,):
                part = _rows(comparison, name, f"{name}, {shown}", scores[name], nothing).assign(k=k)
                parts.append(part[part["value"].notna()])
            if rule != "two_stage" and all(map(len, scores.values())):
                parts.append(_apart(comparison, scores, f"{TROVE} minus {PRIMITIVE}, {shown}").assign(k=k))
    parts = [part for part in parts if len(part)]
    return _table(comparison, "figure4", parts or [pd.DataFrame(columns=["k", "runs", "problems"])])


def _apart(comparison: Comparison, scores: dict[str, pd.DataFrame], system: str) -> pd.DataFrame:
    """Rows of TROVE's scores minus PRIMITIVE's, in the columns of a table."""
    found = analysis.differences(comparison, {side: scores[side] for side in SIDES})
    names = {"all": ALL_MICRO, "covered": COVERED_MICRO}
    found = found.rename(columns={"difference": "value"}).replace({"category": names})
    sources = [source(comparison, PRIMITIVE, category) for category in found["category"]]
    return found.assign(system=system, source=sources, runs=1, note="")


def table8(comparison: Comparison) -> pd.DataFrame:
    """Number of problems by category and level, column `level` (Table 8)."""
    seen = pd.concat([side[["category", "problem", "level"]] for side in comparison.sides.values() if len(side)])
    problems = seen.drop_duplicates(["category", "problem"])
    rows = []
    for category in comparison.categories:
        part = problems[problems["category"] == category]
        for level in (*comparison.levels, "all"):
            here = len(part) if level == "all" else int((part["level"].astype(str) == level).sum())
            is_math = comparison.dataset == DATASET  # whatever model was asked
            look_up = printed("reeval_table8", column="count", level=level) if is_math else nothing
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
    """Oracle accuracy pass@k by difficulty, column `level` (Table 9); no rows for a data set without levels."""
    k, parts, both = budget(comparison, k), [], covered(comparison)
    wanted = [*comparison.categories, *over_categories(comparison.categories, both)[:2]]
    for side in (PRIMITIVE, TROVE):
        scores = score(comparison[side], "oracle", k)
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
            here = scores[scores["level"].astype(str) == level]
            part = _rows(comparison, side, side, here, look_up, level=level, rounding=PERCENT)
            parts.append(part[part["category"].isin(wanted)].assign(level=level))
    note = f"the problems of {comparison.dataset} have no levels"
    rows = pd.concat(parts) if parts else pd.DataFrame(columns=["system", "category", "level", "runs", "problems"])
    rows = rows.sort_values(
        ["system", "category"], key=lambda column: column.map([*SIDES[::-1], *wanted].index), kind="stable"
    )
    return _table(comparison, "table9", [rows], k=k, note=note, by=comparison.by)


# ---- what the tables do not print ----


def power_table(comparison: Comparison, *, k: int | None = None, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """What the re-evaluation's design can see: the power of a paired test of k calls a problem, one-stage.

    A row for each number of `runs` a side and true difference (`effect`: 1, 2 and 3 points): the power with MATH's
    3,201 problems and the `problems_needed` for 80 %, from the variances that these runs show (their SDs stand beside:
    of the true difference over `problem`s, of a single run's sample and of a run's own effect, for each side). `low`,
    `high`: the power's 95 % interval, problems drawn anew within categories. A side of one run, as a pool is, cannot
    show its noise: it is taken to be as noisy, for its accuracy, as the other (`variance.alike`).
    """
    k = budget(comparison, k)
    scores = [score(comparison[side], "one_stage", k, seed=seed, resamples=resamples) for side in SIDES]
    found = variance_of(*scores)
    plans = [(runs, effect) for runs in (1, RERUN, 20) for effect in MARGINS] if found and found.problems > 1 else []
    again = redrawn(*scores, rng=np.random.default_rng(seed)) if plans else []
    rows = []
    for runs, effect in plans:
        plan = {"problems": PROBLEMS, "runs": runs}
        drawn = [p for v in again if not np.isnan(p := power(v, effect, **plan))] or [np.nan]
        rows.append(
            {
                "runs": runs,
                "effect": effect,
                "power_with_3201": power(found, effect, **plan),
                "low": np.quantile(drawn, 0.025),
                "high": np.quantile(drawn, 0.975),
                "problems_needed": problems_needed(found, effect, runs=runs),
                "problem": found.sds["problem"],
                **{f"sample_{side}": sd for side, sd in zip("ab", found.sds["sample"], strict=True)},
                **{f"run_{side}": sd for side, sd in zip("ab", found.sds["run"], strict=True)},
                "a": TROVE,
                "b": " and ".join(dict.fromkeys(source(comparison, PRIMITIVE, c) for c in found.labels)),
                "measured_on": found.problems,
            }
        )
    table = pd.DataFrame(rows)
    return named(table, "reeval_power", "Power", comparison.title, note="no problem of both sides", k=k)


def without_import(candidates: pd.DataFrame) -> pd.DataFrame:
    """TROVE minus TROVE without IMPORT, each problem's answer by two-stage selection: is it no worse without?

    Two rows a category and one each over all. `all runs`: the mean over all recorded runs, with its interval over
    problems alone, these runs as they are. `independent runs`: without those that repeat another, over problems and
    runs. `p_below_1`, `_2`, `_3`: that IMPORT adds less than so many points, one-sided (no worse, by that margin).
    `run_sd_to_0`: how large the SD of a run's own effect would have to be for the first interval to reach 0, with as
    many independent runs as there are; NaN where it covers 0 as it is.
    """
    methods = ("trove", WITHOUT_IMPORT)
    ours = candidates[candidates["method"].isin(methods)]
    shared = [c for c, part in ours.groupby("category", observed=True) if part["method"].nunique() == len(methods)]
    ours = ours[ours["category"].isin(shared)]
    kept, rows = {"all runs": ours, "independent runs": independent_runs(ours)}, []
    found = {name: _two_stage_difference(frame, methods) for name, frame in kept.items() if shared}
    for category in [*shared, *(["all"] if len(shared) > 1 else [])]:
        parts = {name: v.of(shared if category == "all" else [category]) for name, v in found.items()}
        runs = {name: _runs_a_side(kept[name], category, methods) for name in kept}
        for name, v in parts.items():
            said = problems_alone(v) if name == "all runs" else v
            cells = {key: value for key, value in tested(said).items() if key in WITHOUT_IMPORT_COLUMNS}
            cells |= {f"p_below_{100 * margin:g}": p_below(said, margin) for margin in MARGINS}
            cells |= dict(zip(("runs_a", "runs_b"), runs[name], strict=True))
            cells["covers"] = "problems" if name == "all runs" else v.covers
            cells["run_sd_to_0"] = run_sd_to_zero(said, parts["independent runs"]) if name == "all runs" else np.nan
            rows.append({"category": category, "counted": name, "a": TROVE, "b": OTHERS[WITHOUT_IMPORT]} | cells)
    table = pd.DataFrame(rows, columns=WITHOUT_IMPORT_COLUMNS)
    titles = ", ".join(sorted(ours["model"].astype(str).unique()))
    note = "no category has runs both with and without IMPORT"
    return named(table, "reeval_without_import", "Without IMPORT", titles, note=note)


def _two_stage_difference(candidates: pd.DataFrame, methods: Sequence[str]) -> Variance:
    ended = selections(candidates)
    chosen = ended if len(ended) else choose(candidates, "two_stage")
    scores = chosen.assign(score=chosen["correct"].fillna(False).astype(float))
    return variance_of(*(scores[scores["method"] == method] for method in methods))


def _runs_a_side(candidates: pd.DataFrame, category: str, methods: Sequence[str]) -> list[float]:
    """Runs of each method: in the category, or on average in each."""
    here = candidates if category == "all" else candidates[candidates["category"] == category]
    runs = here.groupby(["method", "category"], observed=True)["run"].nunique()
    return [float(runs[method].mean()) for method in methods]
