"""The re-evaluation's tables: lists of rows over `table`, the one maker. Shares are fractions of 1.

What the paper defines (selection, score, overlap, level) is defined in notebooks 10 to 14, which
hand it in. Here are rows, print, intervals, and which budgets and pairs of runs there are.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.candidates import all_candidates, name_table, read_description
from trove_lite.methods import load_method
from trove_lite.models.base import SamplingSettings
from trove_lite.running.settings import RunSettings
from trove_lite_analysis import differences as analysis
from trove_lite_analysis import statistics as metrics
from trove_lite_analysis.independence import whole_streams
from trove_lite_analysis.scores import ALL_MICRO, COVERED_MICRO, RERUN, no_scores
from trove_lite_analysis.systems import Comparison

from .. import tables as papers
from .. import two_systems as of
from ..tables import ITS_OWN, ROUNDING, beside, nothing, only_printed, printed, published_table
from ..two_systems import MODES, PRIMITIVE, SKIP_POOL, SYSTEMS, TROVE, covered, source
from .programs import Program, Samples, by_problem, samples

BUDGETS = (1, 3, 6, 9, 12, 15)
#: What a system's samples are worth at a budget, by the definition of an essay (`by_problem`,
#: `resampled`).
Score = Callable[[Samples, int], pd.DataFrame]
#: `hyperparameter` is the paper's name, that of an option of the released program.
TABLE4_COLUMNS = [
    "hyperparameter",
    "method",
    "published",
    "paper_preset",
    "official_preset",
    "runs",
    "note",
]
#: Stated elsewhere in the same paper.
TABLE4_NOTES = {
    "exec_timeout": "appendix A says that it was changed from 100 to 30 s",
    "trim_steps": "TroVE says 200 (section 5.1); PRIMITIVE has no toolbox",
    "suffix": "the released program's name for the prompt; a method's own here",
}


class Row(NamedTuple):
    """A system's rows of a table, one a category: whose scores they are, and how to find them in
    print.

    scores: columns `category`, `run`, `problem`, `score`. where: the columns that pick the printed
    cell (None: it is not printed). about: columns that the rows add, such as `k` or `level`.
    """

    system: str
    source: str
    scores: pd.DataFrame
    where: Mapping[str, object] | None = None
    about: Mapping[str, object] = {}


def table(
    comparison: Comparison, name: str, rows: Sequence[Row], *, at: int = of.K, over: Sequence[str] | None = None,
    column: str = "mean", scale: float = 1, rounding: float = ROUNDING, **about: object,
) -> pd.DataFrame:  # fmt: skip
    """The rows under one another, as `reeval_NAME`: value, interval, print, what was measured, or
    why nothing was.

    at: calls a problem; the printed value is beside ours at the paper's 15 alone, and for its data
    set (of another model in the column ITS_OWN). over: the categories that rows over several are
    about (None: those that both systems cover). column, scale, rounding: of the printed table.
    """
    in_print = _in_print(comparison, name, at)
    parts = []
    its_own = not in_print and (at, comparison.dataset) == (
        of.K,
        of.DATASET,
    )  # print of another model than these runs'
    over = covered(comparison) if over is None else over
    for row in rows:
        found = (in_print or its_own) and row.where is not None
        look_up = (
            printed(f"reeval_{name}", column=column, scale=scale, **row.where) if found else nothing
        )
        level = str(row.about.get("level", "all"))
        how = {"covered": over, "level": level, "rounding": rounding}
        part = beside(comparison, row.source, row.system, row.scores, look_up, **how)
        part["source"] = _sources(comparison, row.source, part, row.source)
        if its_own:
            blank = dict.fromkeys(("published", "published_sd", "p_print"), np.nan)
            part = part.rename(columns={"published": ITS_OWN}).assign(**blank)
        notes = zip(part["note"], part["source"], strict=True)
        part["note"] = [
            note.replace(" samples a", f" {filler} samples a") for note, filler in notes
        ]
        parts.append(part.assign(**row.about))
    return as_table(comparison, name, parts, **about)


def _in_print(comparison: Comparison, name: str, k: int) -> bool:
    return k == of.K and papers.is_in_print(comparison, f"reeval_{name}", of.DATASET)


def _sources(
    comparison: Comparison, system: str, cells: pd.DataFrame, known: str = ""
) -> list[str]:
    pairs = zip(cells["category"], cells["value"].notna(), strict=True)
    return [
        source(comparison, system, category) or known * has_value for category, has_value in pairs
    ]


def as_table(
    comparison: Comparison, name: str, parts: Sequence[pd.DataFrame], **about: object
) -> pd.DataFrame:
    return papers.paper_table(
        "reeval", name, parts, comparison.title, **{"note": f"no {TROVE} runs"} | about
    )


def called_after_source(found: pd.DataFrame) -> pd.DataFrame:
    """The same rows with each system called after what fills it, so that the pool never looks like
    PRIMITIVE."""
    names = (
        found["system"].astype(str).str.replace(PRIMITIVE, SKIP_POOL)
    )  # a table without rows holds no texts
    return found.assign(system=found["system"].mask(found["source"] == SKIP_POOL, names))


def over_all(found: pd.DataFrame) -> pd.DataFrame:
    """The rows over all problems; else those over the covered ones; else those of the category that
    is known best."""
    known = found[found["value"].notna()]
    for category in (ALL_MICRO, COVERED_MICRO):
        here = known[known["category"] == category]
        if len(here) and here["system"].nunique() == known["system"].nunique():
            return here
    return known[known["category"] == known["category"].mode().get(0)]


def without_macro(found: pd.DataFrame) -> pd.DataFrame:
    """The rows that a figure draws: of several categories together those that weigh problems
    alike."""
    return found[~found["category"].astype(str).str.endswith("macro")]


def table1(
    comparison: Comparison, rows: Sequence[tuple[str, str, pd.DataFrame, str]], *, k: int
) -> pd.DataFrame:
    """Accuracy at a matched budget of k calls (Table 1); what the TroVE paper prints of a system
    is before its rows.

    rows: how ours is called, its name, its scores, and the variant that print calls it.
    """
    parts = []
    for name in (PRIMITIVE, TROVE):
        if _in_print(comparison, "table1", k):
            look_up = printed("reeval_table1", method=name, variant="original")
            note = "printed in the TroVE paper; not run here"
            parts.append(only_printed(comparison, f"{name}, original", look_up, note))
        own = [
            Row(system, name, scores, {"method": name, "variant": variant})
            for system, whose, scores, variant in rows
            if whose == name
        ]
        parts.append(table(comparison, "table1", own, at=k))
    return as_table(comparison, "table1", parts, k=k)


def reported(comparison: of.TwoSystems, system: str, k: int) -> pd.DataFrame:
    """The answers that a system's result files end with, as scores: the official program's own; none
    at other k."""
    ended = comparison.selected[system]
    if k != comparison.samples(system) or ended.empty:
        return no_scores()
    return ended.assign(score=ended["correct"].astype(float))


def table4(candidates: pd.DataFrame, runs: Iterable[str | Path] = ()) -> pd.DataFrame:
    """The re-evaluation's Table 4: every setting as printed, as the kit's two presets have it, and
    as runs had it."""
    live = [about for about in map(read_description, runs) if about.get("kind") == "live"]
    stream = all_candidates(candidates).query("phase == 'stream'")
    samples = stream.groupby(["method", "run", "category", "problem", "mode"], observed=True).size()
    rows = []
    for row in published_table("reeval_table4").itertuples():
        name = row.hyperparameter
        method = load_method(row.method.lower())
        chosen = [
            method.presets.get(preset, method.presets["paper"]) for preset in ("paper", "official")
        ]
        ours = (RunSettings.time_limit, vars(SamplingSettings()))
        k = RunSettings.k // len(method.modes)
        presets = [_stated(row, getattr(preset, "interval", ""), *ours, k) for preset in chosen]
        had = sorted(samples[samples.index.get_level_values("method") == method.name].unique())
        if name != "num_return_sequences":
            own = [(about["methods"].get(method.name), about["settings"]) for about in live]
            had = [
                _stated(row, o.get("interval"), s["time_limit"], s["sampling"], "")
                for o, s in own
                if o is not None
            ]
        had = ", ".join(dict.fromkeys(str(value) for value in had if value is not None))
        cells = (row.value, *presets)
        texts = ["" if pd.isna(v) else f"{v:g}" if isinstance(v, float) else str(v) for v in cells]
        rows.append([name, row.method, *texts, had, TABLE4_NOTES.get(name, "")])
    title = ", ".join(sorted(candidates["model"].astype(str).unique()))
    return name_table(
        pd.DataFrame(rows, columns=TABLE4_COLUMNS),
        "reeval_table4",
        "the re-evaluation's Table 4",
        title,
    )


def _stated(row: tuple, interval: object, time_limit: float, sampling: dict, k: object) -> object:
    known = {
        "trim_steps": interval,
        "exec_timeout": time_limit,
        "suffix": row.method.lower(),
    } | sampling
    return (known | {"max_new_tokens": sampling["max_tokens"], "num_return_sequences": k})[
        row.hyperparameter
    ]


def growing(comparison: Comparison, name: str, score: Score) -> pd.DataFrame:
    """Accuracy at growing budgets, column `k`, by `score` of a system and a budget (Tables 5, 7,
    Figure 2)."""
    most = comparison.samples(*SYSTEMS) or of.K
    asked = {system: samples(comparison[system]) for system in SYSTEMS}
    rows = [
        Row(system, system, score(asked[system], k), {"method": system, "k": k}, {"k": k})
        for k, system in product(BUDGETS, (PRIMITIVE, TROVE))
        if k <= most and (system == PRIMITIVE or k >= len(MODES))
    ]
    return table(comparison, name, rows)


def figure4_table(
    comparison: Comparison, rules: Mapping[str, Score], *, points: int = 6
) -> pd.DataFrame:
    """Accuracy with the samples of all runs pooled, column `k`, by each of `rules` (Figure 4, B.4).

    Both systems at the same `points` budgets, up to what both hold; `TROVE minus PRIMITIVE, RULE` is
    their difference, problem by problem. IMPORT samples of different runs saw different toolboxes;
    the paper pools them all the same. PRIMITIVE has one mode, so nothing is chosen there in two
    stages.
    """
    systems = {name: of.pooled(comparison[name]) for name in (PRIMITIVE, TROVE)}
    here = [system[system["category"].isin(covered(comparison))] for system in systems.values()]
    sizes = [
        system.groupby(["category", "problem"], observed=True).size().min()
        for system in here
        if len(system)
    ]
    most = int(min(sizes, default=0))
    step = len(MODES)
    parts = []
    budgets = (
        {
            max(
                1,
                round(most * i / points / step),
            )
            * step
            for i in range(1, points + 1)
        }
        if sizes
        else ()
    )
    asked = {name: samples(system) for name, system in systems.items()}
    for k, (rule, score) in product(sorted(budgets), rules.items()):
        names = [TROVE] if rule == "two-stage" else [PRIMITIVE, TROVE]
        scores = {name: score(asked[name], k) for name in names}
        rows = [Row(f"{n}, {rule}", n, scores[n], about={"k": k}) for n in names]
        part = table(comparison, "figure4", rows)
        parts.append(part[part["value"].notna()])
        if len(names) > 1 and all(map(len, scores.values())):
            apart = analysis.differences(comparison, scores, pairs=[SYSTEMS])
            apart = apart.rename(columns={"difference": "value"})
            apart = apart.replace({"category": {"all": ALL_MICRO, "covered": COVERED_MICRO}})
            about = {"system": f"{TROVE} minus {PRIMITIVE}, {rule}", "runs": 1, "note": "", "k": k}
            parts.append(apart.assign(source=_sources(comparison, PRIMITIVE, apart), **about))
    return as_table(comparison, "figure4", parts)


def by_mode(
    comparison: of.TwoSystems, value: Callable[[Sequence[Program]], float]
) -> dict[str, pd.DataFrame]:
    """`value` of what each mode of TROVE wrote for a problem, as scores; of all that is independent
    within its mode."""
    every = comparison.by_mode[TROVE]
    return {mode.upper(): by_problem(every[every["mode"] == mode], value) for mode in MODES}


def table8(comparison: Comparison, level: Callable[[object], str]) -> pd.DataFrame:
    """How many problems there are of each level (Table 8), each counted once. level: of a row, a
    problem."""
    key = ["category", "problem", "level"]
    found = pd.concat([system[key] for system in comparison.systems.values() if len(system)])
    found = found.drop_duplicates(key[:2])
    levels = pd.Series(
        [level(row) for row in found.itertuples()],
        found.index,
        dtype=object,
    )
    rows = []
    for category, at in product(comparison.categories, (*comparison.levels, "all")):
        here = levels[found["category"] == category]
        math = comparison.dataset == of.DATASET
        look_up = printed("reeval_table8", column="count", level=at) if math else nothing
        cell = {
            "category": category,
            "system": "problems",
            "level": at,
            "published": look_up(category)[0],
            "runs": 0,
            "value": len(here) if at == "all" else (here == at).sum(),
            "problems": len(here),
            "source": comparison.dataset,
            "note": "",
        }
        absent = {"value": np.nan, "note": "no runs of this category"}
        rows.append(cell | (absent if here.empty else {}))
    return as_table(comparison, "table8", [pd.DataFrame(rows)])


def at_level(scores: pd.DataFrame, level: Callable[[object], str], at: str) -> pd.DataFrame:
    """The scores of problems of this level."""
    return scores[[level(row) == at for row in scores.itertuples()]]


def table9(
    comparison: Comparison,
    scores: Mapping[str, pd.DataFrame],
    level: Callable[[object], str],
    *,
    k: int,
) -> pd.DataFrame:
    """The mean score of each level's problems, side by side (Table 9)."""
    rows = [
        Row(
            system,
            system,
            at_level(scores[system], level, at),
            {"method": system, "level": int(at) if at.isdigit() else at},
            {"level": at},
        )
        for system, at in product((PRIMITIVE, TROVE), comparison.levels)
    ]
    note = f"the problems of {comparison.dataset} have no levels"
    how = {"column": "percent", "scale": 100, "rounding": ROUNDING / 100}
    about = {"k": k, "note": note, "by": comparison.by}
    found = table(comparison, "table9", rows, at=k, **how, **about)
    order = [*comparison.categories, "all, micro", "all, macro", "covered, micro"]
    kept = found[found["category"].isin(order)]
    return kept.sort_values(
        ["system", "category"],
        key=lambda column: column.map(
            order.index if column.name == "category" else [PRIMITIVE, TROVE].index
        ),
        kind="stable",
    )


def level_differences(
    comparison: Comparison,
    scores: Mapping[str, pd.DataFrame],
    level: Callable[[object], str],
    *,
    k: int,
) -> pd.DataFrame:
    """TROVE minus PRIMITIVE on each level that both have, over all categories."""
    parts = []
    for at in comparison.levels:
        here = {system: at_level(scores[system], level, at) for system in SYSTEMS}
        if all(len(own.dropna(subset="score")) for own in here.values()):
            parts.append(analysis.differences(comparison, here).tail(1).assign(level=at))
    empty = pd.DataFrame(columns=["level", "difference", "b"])
    leads = analysis.add_holm(pd.concat(parts)) if parts else empty
    leads["b"] = source(comparison, PRIMITIVE, "all")
    return name_table(leads, "reeval_levels", "The difference by level", comparison.title, k=k)


def overlap_table(
    comparison: Comparison, solved: Callable[[pd.DataFrame, str], pd.DataFrame],
    overlap: Callable[[np.ndarray, np.ndarray], float], *, k: int, seed: int = 0,
) -> pd.DataFrame:  # fmt: skip
    """Mean overlap of what PRIMITIVE and each mode of TROVE solve, and of two runs of the mode
    (Figure 3).

    solved: (candidates, mode) → whether k samples solve each problem, as (runs × problems).
    overlap: of two of its rows. Where PRIMITIVE was not run, SKIP samples of *another* run stand
    in: a run's own overlap with themselves.
    """
    ran = whole_streams(of.measured(comparison))
    rows = []
    for category in comparison.categories:
        here = ran[ran["category"] == category]
        own = source(comparison, PRIMITIVE, category) == PRIMITIVE
        trove = here[here["method"] == "trove"]
        reference = solved(here, "primitive") if own else solved(trove, "skip")
        for mode in MODES:
            sets = solved(trove, mode)
            others = [(p, t) for p, t in product(reference.index, sets.index) if str(p) != str(t)]
            pairs = {
                f"PRIMITIVE ~ {mode.upper()}": [(reference.loc[p], sets.loc[t]) for p, t in others]
            }
            pairs[f"two runs of {mode.upper()}"] = list(combinations(sets.to_numpy(), 2))
            for system, compared in pairs.items():
                row = {
                    "category": category,
                    "system": system,
                    "runs": len(compared),
                    "problems": 0,
                    "note": "",
                }
                row["source"] = PRIMITIVE if own else of.OTHER_SKIP
                if compared:
                    first, second = (
                        np.array(
                            [pair[i] for pair in compared],
                            dtype=bool,
                        )
                        for i in (0, 1)
                    )
                    value, low, high, _ = metrics.overlap_interval(
                        first, second, overlap, seed=seed
                    )
                    row |= {"value": value, "low": low, "high": high, "problems": first.shape[1]}
                else:
                    absent = analysis.absence(comparison, TROVE, category)["note"]
                    row["note"] = "needs two runs" if len(sets) else absent
                rows.append(row)
    return as_table(comparison, "figure3", [pd.DataFrame(rows)], k=k)


def solved_sets(
    comparison: Comparison, solved: Callable[[pd.DataFrame, str], pd.DataFrame]
) -> Iterator[tuple[str, str, np.ndarray]]:
    """What `solved` tells of each mode of TROVE, category by category: (runs × problems)."""
    ran = whole_streams(of.measured(comparison))
    for category, mode in product(covered(comparison), MODES):
        here = ran[(ran["category"] == category) & (ran["method"] == "trove")]
        yield category, mode, solved(here, mode).to_numpy()


def gains_table(comparison: Comparison, kinds: Sequence[Callable], *, k: int) -> pd.DataFrame:
    """Problems that one system solves and the other never does, as shares (Table 6), by each of
    `kinds`.

    kinds: functions of two tables (runs × problems), ours and theirs. `check` scores nothing beside
        five runs a system.
    """
    sets = {name: _solved_sets(comparison[name], k) for name in SYSTEMS}
    rows = []
    notes = {}
    uneven = False
    for (name, other), kind in product((SYSTEMS, SYSTEMS[::-1]), kinds):
        system = f"{name}, {kind.__name__}"
        scores = []
        for category, ours in sets[name].items():
            theirs = sets[other].get(category)
            key = (system, category)
            if theirs is None:
                notes[key] = f"no {other} runs of this category"
                continue
            notes[key] = (
                f"{len(ours)} run(s) against {len(theirs)} of {source(comparison, other, category)}"
            )
            uneven |= (len(ours), len(theirs)) != (RERUN, RERUN)
            if kind.__name__ == "potential" and len(ours) < 2:
                notes[key] = f"some but not all of one run is nothing: {notes[key]}"
                continue
            both = ours.columns.intersection(theirs.columns)
            mask = (
                kind(ours[both], theirs[both])
                .astype(float)
                .rename("score")
                .rename_axis("problem")
                .reset_index()
            )
            scores.append(mask.assign(category=category, run="all"))
        whole = pd.concat(scores, ignore_index=True) if scores else no_scores()
        rows.append(Row(system, name, whole, {"method": name, "gain": kind.__name__}))
    reason = "it depends on the number of runs, and print has five of each" if uneven else ""
    percent = {"column": "percent", "scale": 100, "rounding": ROUNDING / 100}
    found = table(comparison, "table6", rows, at=k, k=k, not_scored=reason, **percent)
    found["note"] = [notes.get((row.system, row.category), row.note) for row in found.itertuples()]
    return found


def _solved_sets(system: pd.DataFrame, k: int) -> dict[str, pd.DataFrame]:
    """Solved by one of k samples, as (runs × problems) for each category; a pool of n samples makes
    n // k runs."""
    system = whole_streams(system)
    run = ["method", "run", "category"]
    each = system.groupby([*run, "problem"], observed=True)
    place = each.cumcount()
    size = each["sample"].transform("size")
    size = (
        system.assign(_size=size).groupby(run, observed=True)["_size"].transform("min")
    )  # of a pool, not all alike
    right = system["correct"].fillna(False).astype(bool)
    part = system.assign(
        _run=system["run"].astype(str) + "/" + (place // k).astype(str),
        right=right,
    )
    by_category = part[place < size // k * k].groupby(
        "category",
        observed=True,
    )
    solved = {
        "index": "_run",
        "columns": "problem",
        "values": "right",
        "aggfunc": "any",
        "observed": True,
    }
    return {category: rows.pivot_table(**solved).astype(bool) for category, rows in by_category}
