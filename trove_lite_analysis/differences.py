"""The accuracies of systems, and their differences problem by problem, with one
correction over a table."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, product

import numpy as np
import pandas as pd

from trove_lite.candidates import MISSING, UNAVAILABLE, name_table
from trove_lite.selection.tables import without_agreement

from . import statistics as metrics
from . import variance
from .scores import (
    ALL_MICRO,
    COVERED_MICRO,
    MACRO,
    RERUN,
    Estimate,
    by_run,
    drop_unscored,
    estimate_of,
    groups_of,
    in_part,
    score,
    variance_of,
    without,
)
from .systems import Comparison, Frames, require_comparison, sample_counts
from .unlike import differing
from .variance import Variance

ACCURACY_COLUMNS = [
    "category",
    "system",
    "rule",
    "k",
    *Estimate._fields,
    *MISSING,
    "method",
    "note",
]
#: Beside a difference and its interval over problems and runs: what that covers, the interval over
#: problems alone, the test, its correction over the table, and equivalence within 1, 2 and 3
#: points.
WITHIN = [f"p_within_{100 * margin:g}" for margin in variance.MARGINS]
TESTED = ["covers", "low_problems", "high_problems", "p", "p_holm", *WITHIN]
DIFFERENCE_COLUMNS = [
    "category",
    "a",
    "b",
    "difference",
    "low",
    "high",
    *TESTED,
    "problems",
    "problems_needed",
    *MISSING,
]
RUNS_COLUMNS = [
    "category",
    "system",
    "rule",
    "k",
    "runs",
    "value",
    "run_sd",
    "low",
    "high",
    "covers",
    "problems",
    "note",
]
#: Two verdicts for one selection, and a perfect choice. `one_stage`: each number that a program
#: prints has a vote, and the chosen program's first is graded, as the papers' programs do.
#: `one_stage_described`: majority vote, one vote a program, and the agreed answer is graded.
SHOWN = ("one_stage", "one_stage_described", "oracle")


def accuracy(
    comparison: Comparison,
    *,
    k: int | None = None,
    rules: Sequence[str] = SHOWN,
    seed: int = 0,
    resamples: int = 100,
) -> pd.DataFrame:
    """Accuracy of every system with k calls a problem (None: as many as all of them have), by `rules`
    or `oracle`. A row a category, system (`system`) and rule, with an `Estimate` or, in `note`, the
    reason for none. `refused`: problems with a refused sample, hence wrong; `unavailable`: those
    left out for a sample that could not be had."""
    k = require_comparison(comparison).budget(k)
    parts = []
    for rule, (name, system) in product(rules, comparison.systems.items()):
        cells = estimates(comparison, name, score(system, rule, k, seed=seed, resamples=resamples))
        methods = ", ".join(dict.fromkeys(system["method"].astype(str)))
        parts.append(pd.DataFrame(cells).assign(system=name, rule=rule, k=k, method=methods))
    table = pd.concat(parts, ignore_index=True).reindex(columns=ACCURACY_COLUMNS)
    return name_table(table, "accuracy", "accuracy", comparison.title)


def estimates(
    comparison: Comparison, name: str, scores: pd.DataFrame, *, covered: Sequence[str] | None = None
) -> list[dict]:
    """A system's scores as cells with their `variance`: one a category, then over several, or the
    reason for none."""
    covered = comparison.covered() if covered is None else covered
    scores = drop_unscored(scores)
    v = variance_of(scores)
    table = by_run(scores)
    groups = {c: [c] for c in comparison.categories} | groups_of(comparison.categories, covered)
    cells = []
    for category, those in groups.items():
        here = table[table.index.get_level_values("category").isin(those)]
        if v is None or not set(those) <= set(v.labels):
            cells.append({"category": category} | absence(comparison, name, category))
            continue
        of = v.of(those, macro=category in MACRO)
        lacking = comparison.lacking(those, name)
        notes = [", ".join(covered) if category.startswith("covered, ") else in_part(here)]
        notes += [
            f"of {count} problems a sample was {status}"
            for status, count in lacking.items()
            if count
        ]
        cell = estimate_of(here, of, macro=category in MACRO)._asdict() | lacking
        cells.append(
            {"category": category} | cell | {"note": "; ".join(filter(None, notes)), "variance": of}
        )
    return cells


def absence(comparison: Comparison, name: str, category: str) -> dict:
    """Why a cell is empty."""
    system = comparison[name]
    ran = comparison.ran(name)
    lacking = comparison.lacking([category], name)
    here = system[system["category"] == category]
    known = comparison.categories
    gone = (
        [category]
        if category in known
        else [c for c in known if not (system["category"] == c).any()]
    )
    if here.empty and lacking[UNAVAILABLE]:
        reason = (
            f"unavailable: a sample of each of {lacking[UNAVAILABLE]} problems could not be had"
        )
    elif system.empty:
        reason = (
            f"no {name} runs"
            if ran.empty
            else f"of {name}'s runs only the selected answers are known"
        )
    elif not gone:
        reason = "too few samples in a category"
    elif here.empty:
        what = "only selected answers of" if set(gone) <= set(ran["category"]) else "no"
        reason = (
            f"{what} {name} runs of {'this category' if category in known else ', '.join(gone)}"
        )
    else:
        silent = without_agreement(here)  # of other rules than oracle
        reason = silent[0] if silent else f"only {sample_counts(here).min()} samples a problem"
    return {"runs": 0, "problems": 0, "note": reason} | lacking


def between_runs(
    comparison: Comparison,
    *,
    k: int | None = None,
    rules: Sequence[str] = SHOWN,
    seed: int = 0,
    resamples: int = 100,
) -> pd.DataFrame:
    """Runs of a method, seeds among them, as one row a system and rule, over all the categories that
    all systems have.

    `value` is the mean over `runs` and problems, with its 95 % interval over what `covers` names.
    `run_sd` is the standard deviation of the runs' own means; where fewer than two runs count
    whole, as the decomposition of variance has it, from what each two runs have in common; null for
    a single run."""
    k = require_comparison(comparison).budget(k)
    covered = comparison.covered()
    wanted = covered if len(covered) == 1 else (ALL_MICRO, COVERED_MICRO)
    rows = []
    for rule, (name, system) in product(rules, comparison.systems.items()):
        cells = estimates(comparison, name, score(system, rule, k, seed=seed, resamples=resamples))
        row = next(cell for cell in reversed(cells) if cell["category"] in wanted)
        if v := row.get("variance"):
            of_one = v.run + v.sample * v.independent / v.repeats / v.sizes[:, None]
            sd = np.sqrt(
                np.maximum(
                    v.weights**2 @ of_one.sum(axis=1),
                    0,
                )
            )
            row |= {
                "covers": v.covers,
                "run_sd": sd if np.isnan(row["run_sd"]) else row["run_sd"],
            }
        rows.append(row | {"system": name, "rule": rule, "k": k})
    return name_table(
        pd.DataFrame(rows).reindex(columns=RUNS_COLUMNS), "between_runs", "runs", comparison.title
    )


def differences(
    comparison: Comparison,
    scores: Frames,
    *,
    pairs: Iterable[tuple[str, str]] | None = None,
) -> pd.DataFrame:
    """Score of system `a` minus score of system `b`, problem by problem, for each of `pairs` (None:
    all) and category.

    Scores of the same runs are subtracted run by run. A row has the difference with its 95 %
    interval over what `covers` names and, beside it, over problems alone (`difference`),
    Holm's correction over all rows (`p_holm`), and the problems that five runs a system would need to
    see 2 points with 80 % power. `refused` and `unavailable` are problems as in `accuracy`, of
    either system: a problem that one system lacks is taken from both."""
    rows = []
    for _, found in pair_by_pair(
        comparison, scores, combinations(scores, 2) if pairs is None else pairs
    ):
        for row, part in found:
            needed = np.nan
            if part.problems > 1:
                needed = variance.problems_needed(part, variance.SMALLEST_EFFECT, runs=RERUN)
            rows.append(row | {"problems_needed": needed})
    return add_holm(pd.DataFrame(rows, columns=DIFFERENCE_COLUMNS))


def pair_by_pair(
    comparison: Comparison, scores: Frames, pairs: Iterable[tuple[str, str]]
) -> Iterator[tuple[list[pd.DataFrame], list[tuple[dict, Variance]]]]:
    """Each pair's scores on the problems that neither system lacks, and by category their difference:
    cells, variance."""
    for a, b in pairs:
        lost = comparison.unavailable(a, b)
        systems = [drop_unscored(without(scores[name], lost)) for name in (a, b)]
        shares = all(system["score"].between(0, 1).all() for system in systems)
        found = difference(*systems, categories=comparison.categories, shares=shares)
        about = {"a": a, "b": b}
        yield (
            systems,
            [(cells | about | comparison.lacking(v.labels, a, b), v) for cells, v in found],
        )


def accuracy_differences(
    comparison: Comparison,
    *,
    k: int | None = None,
    rules: Sequence[str] = SHOWN,
    seed: int = 0,
    resamples: int = 100,
) -> pd.DataFrame:
    """Accuracy of each system minus that of each other: `differences` by `rules` or `oracle`, with
    one correction over all. `k` is what each system may choose among, whatever else its method spends
    on the way: see `costs.matched_budgets`. `unlike`: in what else the two systems differ, read off
    their tables and settings."""
    k = require_comparison(comparison).budget(k)
    filled = {name: system for name, system in comparison.systems.items() if len(system)}
    filled = dict(
        sorted(
            filled.items(),
            key=lambda item: not item[1]["shares_state"].any(),
        )
    )  # tools minus none
    parts = []
    for rule in rules:
        scores = {
            name: score(system, rule, k, seed=seed, resamples=resamples)
            for name, system in filled.items()
        }
        parts.append(differences(comparison, scores).assign(rule=rule, k=k))
    table = add_holm(pd.concat(parts, ignore_index=True))
    pairs = list(zip(table["a"], table["b"], strict=True))
    said = {pair: differing(comparison, *pair) for pair in dict.fromkeys(pairs)}
    table = table.assign(unlike=[*map(said.get, pairs)])
    table = table[["category", "rule", "k", *DIFFERENCE_COLUMNS[1:], "unlike"]]
    notes = (
        []
        if len(table)
        else [f"only {', '.join(filled)} was run: a second method on the same problems is needed"]
    )
    notes += [line for system in filled.values() if k > 1 for line in without_agreement(system)]
    title = "differences of accuracy"
    return name_table(table, "accuracy_differences", title, comparison.title, note="; ".join(notes))


def with_whole(v: Variance, categories: Sequence[str]) -> list[tuple[str, Variance]]:
    """Each category's part, and that of several together: `all` where they are the data set's, else
    `covered`."""
    names = [c for c in categories if c in v.labels]
    parts = [(c, v.of([c])) for c in names]
    return parts + (
        [("all" if len(names) == len(categories) else "covered", v.of(names))]
        if len(names) > 1
        else []
    )


def difference(
    a: object,
    b: object,
    *,
    of: Callable[..., Variance | None] = variance_of,
    categories: Sequence[str] | None = None,
    shares: bool = True,
) -> list[tuple[dict, Variance]]:
    """System `a` minus system `b`, problem by problem: the cells of a row, and the variance behind
    them.

    Every difference of the kit is made here. a, b: scores, or what else `of` subtracts. of: what
    varies, and by how much: problems and runs (`variance_of`), or problems alone
    (`over_problems`). categories: a row for each, and one over all of them; without them one row,
    over all. shares: scores lie between 0 and 1, so intervals end at -1 and 1. Cells: the
    difference with its 95 % interval over what `covers` names, the interval over problems alone,
    p, and p of equivalence at each margin. Nothing where no problem is scored by both."""
    v = of(a, b)
    if v is None:
        return []
    if categories is None:
        return [(_cells(v, shares), v)]
    parts = with_whole(v, categories)
    return [({"category": category} | _cells(part, shares), part) for category, part in parts]


def _cells(v: Variance, shares: bool) -> dict:
    ends = [
        found for each in (v, variance.problems_alone(v)) for found in variance.interval(each)[1:3]
    ]
    low, high, low_problems, high_problems = np.clip(ends, -1, 1).tolist() if shares else ends
    return {
        "difference": v.value,
        "low": low,
        "high": high,
        "covers": v.covers,
        "low_problems": low_problems,
        "high_problems": high_problems,
        "p": variance.p_value(v),
        **dict(zip(WITHIN, variance.equivalence(v), strict=True)),
        "problems": v.problems,
    }


def add_holm(table: pd.DataFrame) -> pd.DataFrame:
    """A table of differences with Holm's correction over all its rows, which are read together."""
    return table.assign(p_holm=metrics.holm(table["p"].astype(float)))


def tells_nothing(row: object) -> bool:
    """Whether an interval is as wide as a share can be, or is not known."""
    return not np.isfinite([row.low, row.high]).all() or row.high - row.low >= 1


def points(row: object) -> str:
    """A difference with its interval, in points, and of what it is where that is no more than these
    runs."""
    if tells_nothing(row):
        return "an unknown number of points"
    text = f"{100 * row.difference:+.1f} points [{100 * row.low:+.1f}, {100 * row.high:+.1f}]"
    return text + (
        f" in {variance.THESE_RUNS}" if getattr(row, "covers", "") == variance.THESE_RUNS else ""
    )


def percent(row: object) -> str:
    return f"{100 * row.value:.1f} % [{100 * row.low:.1f}, {100 * row.high:.1f}]"
