"""Named sides on the same problems: as many as there are methods, and every pair of them comparable.

A side is a candidates table under a name. Here are their accuracies, their differences problem by problem with one
correction for all that is read together, and what they cost: the same calls, the same tokens written, the same tokens
in all. Every interval and test is of `variance`. It draws nothing and knows no method, data set or paper.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, product
from numbers import Integral
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..candidates import MISSING, REFUSED, UNAVAILABLE, all_candidates, calls_of, named
from ..datasets import load_dataset
from ..datasets.base import DIFFICULTY
from ..errors import TroveLiteError
from . import statistics as metrics
from .choose import choose, in_order, modes_of
from .independence import independent_runs
from .scores import (
    ALL_MACRO,
    ALL_MICRO,
    COVERED_MACRO,
    COVERED_MICRO,
    MACRO,
    RERUN,
    Estimate,
    by_category,
    by_run,
    estimate_of,
    in_part,
    over_categories,
    run_effect,
    score,
    scored,
    variance_of,
)
from .variance import (
    MARGINS,
    SMALLEST_EFFECT,
    THESE_RUNS,
    Runs,
    Variance,
    alike,
    decompose,
    equivalence,
    interval,
    p_value,
    problems_alone,
    problems_needed,
)

#: What may be matched, and the column that it is counted in.
BUDGETS = {"calls": "calls", "completion tokens": "completion", "total tokens": "total"}
COSTS = [*BUDGETS.values()]
UNIT = ["category", "problem", "seed"]
STREAM = ["run", "method", "category"]
REQUEST = ["run", "method", *UNIT, "mode", "sample"]
#: Among a row's problems those with a sample that was refused, and beside them those left out for one unavailable.
ACCURACY_COLUMNS = ["category", "system", "rule", "k", *Estimate._fields, *MISSING, "method", "note"]
#: Beside a difference and its interval over problems and runs: what that covers, the interval over problems alone, the
#: test, its correction over the table, and equivalence within 1, 2 and 3 points.
WITHIN = [f"p_within_{100 * margin:g}" for margin in MARGINS]
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
MATCHED_COLUMNS = [
    "budget",
    "category",
    "a",
    "b",
    *(f"{cost}_{side}" for cost in COSTS for side in "ab"),
    "value_a",
    "value_b",
    "difference",
    "low",
    "high",
    "run_sd",
    *TESTED,
    "problems",
    *MISSING,
    "runs",
    "note",
]


class Described(NamedTuple):
    """What a comparison takes from its data set: how it is called, and the order of its tables."""

    title: str
    categories: tuple[str, ...]
    levels: tuple[str, ...]
    by: str


@dataclass(frozen=True, eq=False)
class Comparison:
    """Candidates ready to be compared, side by side.

    `sides`: name → candidates of independent runs, in the order in which they were sampled (`choose.in_order`); a
    side may be empty. `categories` and `levels` (as text) are the data set's, in the order of its tables, and `by`
    says what levels are (difficulty, grade, source); `title` says what ran on what. `calls`: a row for every
    request of these sides to a model, candidate or not; where it is None, each candidate is taken for one request.
    `selected`: name → the answers that a side's recorded runs ended with (`candidates.selections`), also of runs of
    which nothing else is known. `by_mode`: name → all samples that are independent within their mode
    (`independent_runs`), where these are more than the side's, for what is computed mode by mode. `missing`: name →
    category, problem and status of samples that could not be had.
    """

    sides: Mapping[str, pd.DataFrame]
    categories: tuple[str, ...]
    dataset: str
    title: str
    levels: tuple[str, ...] = ()
    by: str = DIFFICULTY
    calls: pd.DataFrame | None = None
    selected: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    by_mode: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    missing: Mapping[str, pd.DataFrame] = field(default_factory=dict)

    @classmethod
    def of(
        cls, sides: Mapping[str, pd.DataFrame], *, calls: pd.DataFrame | None = None, title: str = ""
    ) -> "Comparison":
        """Sides whose runs are independent (`independent_runs`). Raises where models or data sets are mixed."""
        frames = {name: in_order(frame) for name, frame in sides.items()}
        missing = {name: _missing(frame) for name, frame in sides.items()}
        filled = [frame for frame in frames.values() if len(frame)]
        if not filled:
            raise TroveLiteError("nothing to compare: no side has a candidate that could be judged")
        for frame in filled:
            one_kind(frame, "model", "provenance")
        together = pd.concat([f[["model", "provenance", "dataset", "category", "level"]] for f in filled])
        (dataset,) = one_kind(together, "dataset")
        known = described(dataset, together)
        ran = [" and ".join(dict.fromkeys(together[column].astype(str))) for column in ("model", "provenance")]
        title = title or f"{ran[0]}, {ran[1]} runs on {known.title}"
        return cls(frames, known.categories, dataset, title, known.levels, known.by, calls, missing=missing)

    def __getitem__(self, name: str) -> pd.DataFrame:
        if name not in self.sides:
            raise TroveLiteError(f"no side '{name}': there are {', '.join(self.sides)}")
        return self.sides[name]

    def lacking(self, categories: Iterable[str], *names: str) -> dict[str, int]:
        """Problems of these categories with a sample of one of these sides that was refused, or unavailable."""
        known = [table for name in names if (table := self.missing.get(name)) is not None]
        if not known:
            return dict.fromkeys(MISSING, 0)
        found = pd.concat(known).drop_duplicates()
        found = found[found["category"].isin(list(categories))]
        return {status: int((found["status"] == status).sum()) for status in MISSING}

    def covered(self, *names: str) -> list[str]:
        """The categories, in order, that all these sides (none: all) have; a side without candidates has no say."""
        present = [set(side["category"].unique()) for name in names or self.sides if len(side := self[name])]
        return [c for c in self.categories if present and all(c in side for side in present)]

    def samples(self, *names: str) -> int:
        """As many calls a problem as all these sides (none: all) have, for most of their problems."""
        sizes = [_sizes(side).mode().max() for name in names or self.sides if len(side := self[name])]
        return int(min(sizes, default=0))

    def checked(self, k: int, *names: str) -> int:
        """k, a number of samples a problem that some of these sides (none: all) has. Raises where none has."""
        most = {name: int(_sizes(self[name]).max()) for name in names or self.sides if len(self[name])}
        if not isinstance(k, Integral) or k < 1 or k > max(most.values(), default=k):
            held = ", ".join(f"{n} of {name}" for name, n in most.items()) or "none"
            raise TroveLiteError(f"k = {k}: give 1 or more calls, and no more than the runs hold a problem ({held})")
        return k

    def budget(self, k: int | None) -> int:
        """k calls a problem, checked; None: as many as all sides have."""
        return self.samples() if k is None else self.checked(k)

    def with_sides(self, **sides: pd.DataFrame) -> "Comparison":
        """The same with these sides beside or instead of its own."""
        return replace(self, sides={**self.sides, **sides})


def _missing(side: pd.DataFrame) -> pd.DataFrame:
    columns = ["category", "problem", "status"]
    known = side.loc[side["phase"] == "stream", columns].astype({"category": str, "status": str})
    return known[known["status"].isin(MISSING)].drop_duplicates()


def compare(runs: pd.DataFrame | Mapping[str, pd.DataFrame], *, calls: pd.DataFrame | None = None) -> Comparison:
    """Sides from candidates: those of a table by method, or tables under names of their own.

    Runs that copy another of their side are left out; two sides may share samples, as methods do that share a prompt.
    Raises where models or data sets are mixed within a side or a table.
    """
    if not isinstance(runs, Mapping):
        one_kind(all_candidates(runs), "model", "provenance")
        runs = {method: runs[runs["method"] == method] for method in dict.fromkeys(runs["method"].astype(str))}
    return Comparison.of({name: independent_runs(frame, across=True) for name, frame in runs.items()}, calls=calls)


def compared(comparison: object) -> Comparison:
    """The comparison itself. Raises TroveLiteError where it is none."""
    if not isinstance(comparison, Comparison):
        raise TroveLiteError(f"not a comparison, but a {type(comparison).__name__}: see compare")
    return comparison


def one_kind(candidates: pd.DataFrame, *columns: str) -> list[str]:
    """The one value of each of these columns. Raises where one has several."""
    found = []
    for column in columns:
        names = sorted(candidates[column].astype(str).unique())
        if len(names) != 1:
            raise TroveLiteError(
                f"the runs have {len(names) or 'no'} different values of '{column}' ({', '.join(names)}): report each "
                "on its own"
            )
        found += names
    return found


def described(dataset: str, candidates: pd.DataFrame) -> Described:
    """A data set's title, categories and levels; for one that is not in the index, those of the candidates.

    Raises where candidates have a category that their data set does not know.
    """
    present = list(dict.fromkeys(candidates["category"].astype(str)))
    try:
        known = load_dataset(dataset)
    except TroveLiteError:  # somebody else's, whose runs say all that tables need
        levels = sorted(set(candidates["level"].dropna().astype(str)) - {""}, key=lambda text: (len(text), text))
        return Described(dataset, tuple(present), tuple(levels), DIFFICULTY)
    if strange := [category for category in present if category not in known.categories]:
        raise TroveLiteError(f"{known.title} has no category '{strange[0]}': it has {', '.join(known.categories)}")
    return Described(known.title, known.categories, known.levels, known.by)


# ---- accuracy ----


def accuracy(
    comparison: Comparison,
    *,
    k: int | None = None,
    rules: Sequence[str] = ("one_stage", "oracle"),
    seed: int = 0,
    resamples: int = 100,
) -> pd.DataFrame:
    """Accuracy of every side with k calls a problem (None: as many as all of them have), by `rules` or `oracle`.

    A row a category, side (`system`) and rule: `value` with its 95 % interval over problems and runs (`low`, `high`),
    the standard deviation between `runs` runs (`run_sd`), `problems`, and the `method` that was run; or `note`, the
    reason for none. `refused`: how many of these problems have a sample whose prompt was refused, which is not
    answered, hence wrong; `unavailable`: how many, run by run, are left out for one that could not be had.
    """
    k = compared(comparison).budget(k)
    parts = []
    for rule, name in product(rules, comparison.sides):
        scores = score(comparison[name], rule, k, seed=seed, resamples=resamples)
        part = pd.DataFrame(estimates(comparison, name, scores))
        methods = ", ".join(dict.fromkeys(comparison[name]["method"].astype(str)))
        parts.append(part.assign(system=name, rule=rule, k=k, method=methods))
    table = pd.concat(parts, ignore_index=True).reindex(columns=ACCURACY_COLUMNS)
    return named(table, "accuracy", "accuracy", comparison.title)


def estimates(
    comparison: Comparison, name: str, scores: pd.DataFrame, *, covered: Sequence[str] | None = None
) -> list[dict]:
    """A side's scores as cells: one a category, then those over categories, with the estimate or the reason for none.

    With an estimate comes the `variance` that it is from. covered: the categories that rows over several are about
    (None: those that all sides have).
    """
    covered = comparison.covered() if covered is None else covered
    scores = scored(scores)
    v = variance_of(scores)
    present = by_category(by_run(scores), comparison.categories, covered)
    cells = []
    for category in [*comparison.categories, *over_categories(comparison.categories, covered)]:
        if category in present:
            macro, several = category in MACRO, category not in comparison.categories
            whole = category in (ALL_MICRO, ALL_MACRO)
            those = comparison.categories if whole else covered if several else [category]
            of = v.of(those, macro=macro)
            found = estimate_of(present[category], of, macro=macro)
            note = ", ".join(covered) if category in (COVERED_MICRO, COVERED_MACRO) else in_part(present[category])
            lacking = comparison.lacking(those, name)
            said = [f"of {count} problems a sample was {status}" for status, count in lacking.items() if count]
            note = "; ".join(filter(None, [note, *said]))
            cells.append({"category": category} | found._asdict() | lacking | {"note": note, "variance": of})
        else:
            cells.append({"category": category} | absent(comparison, name, category))
    return cells


def absent(comparison: Comparison, name: str, category: str) -> dict:
    """Why a cell is empty."""
    side, selected = comparison[name], comparison.selected.get(name, comparison[name])
    here = side[side["category"] == category]
    if side.empty:
        reason = f"no {name} runs" if selected.empty else f"of {name}'s runs only the selected answers are known"
    elif category not in comparison.categories:
        missing = [c for c in comparison.categories if not (side["category"] == c).any()]
        known = "no" if selected.empty or not set(missing) <= set(selected["category"]) else "only selected answers of"
        reason = f"{known} {name} runs of {', '.join(missing)}" if missing else "too few samples in a category"
    elif here.empty:
        alone = (selected["category"] == category).any()
        reason = (
            f"only selected answers of {name} runs of this category" if alone else f"no {name} runs of this category"
        )
    else:
        reason = f"only {_sizes(here).min()} samples a problem"
    lacking = comparison.lacking([category], name)
    if here.empty and lacking[UNAVAILABLE]:
        reason = f"unavailable: a sample of each of {lacking[UNAVAILABLE]} problems could not be had"
    return {"runs": 0, "problems": 0, "note": reason} | lacking


def _sizes(side: pd.DataFrame) -> pd.Series:
    """Samples of each problem and run."""
    return side.groupby(["run", "category", "problem"], observed=True).size()


# ---- differences ----


def differences(
    comparison: Comparison,
    scores: Mapping[str, pd.DataFrame],
    *,
    pairs: Iterable[tuple[str, str]] | None = None,
) -> pd.DataFrame:
    """Score of side `a` minus score of side `b`, problem by problem, for each of `pairs` (None: all) and category.

    A problem's score is its mean over runs; scores of the same runs are subtracted run by run. With a 95 % interval
    over what `covers` names (problems and runs; `these runs` alone where runs share something among their problems and
    no category has two of them), and beside it over problems, runs as they are (`low_problems`, `high_problems`); the t
    test (`p`), with Holm's correction over all rows of the table (`p_holm`); equivalence within 1, 2 and 3 points
    (`p_within_1` ...), for which the row over all categories is to be read; and the problems that five runs a side
    would need to see the smallest effect of interest, 2 points, with 80 % power. Of shares, scores between 0 and 1,
    intervals end at -1 and 1. `refused` and `unavailable` are problems as in `accuracy`, of either side: a problem
    that one side lacks is taken from both.
    """
    pairs = list(combinations(scores, 2) if pairs is None else pairs)
    rows = []
    for one, other in pairs:
        sides = scored(scores[one]), scored(scores[other])
        shares = all(side["score"].between(0, 1).all() for side in sides)
        v = variance_of(*sides)
        for category, part in [] if v is None else _with_whole(v, comparison.categories):
            needed = problems_needed(part, SMALLEST_EFFECT, runs=RERUN) if part.problems > 1 else np.nan
            found = of_shares(tested(part)) if shares else tested(part)
            found |= {"problems_needed": needed} | comparison.lacking(part.labels, one, other)
            rows.append({"category": category, "a": one, "b": other, **found})
    return corrected(pd.DataFrame(rows, columns=DIFFERENCE_COLUMNS))


def accuracy_differences(
    comparison: Comparison,
    *,
    k: int | None = None,
    rules: Sequence[str] = ("one_stage", "oracle"),
    seed: int = 0,
    resamples: int = 100,
) -> pd.DataFrame:
    """Accuracy of each side minus that of each other: `differences` by `rules` or `oracle`, as in `accuracy`.

    One correction is over all rules, pairs and categories. `k` is what each side may choose among, whatever else its
    method spends on the way: see `matched_budgets`.
    """
    k = compared(comparison).budget(k)
    filled = {name: side for name, side in comparison.sides.items() if len(side)}
    parts = []
    for rule in rules:
        scores = {name: score(side, rule, k, seed=seed, resamples=resamples) for name, side in filled.items()}
        parts.append(differences(comparison, scores).assign(rule=rule, k=k))
    columns = ["category", "rule", "k", *DIFFERENCE_COLUMNS[1:]]
    table = corrected(pd.concat(parts, ignore_index=True)).reindex(columns=columns)
    note = "" if len(table) else f"only {', '.join(filled)} was run: a second method on the same problems is needed"
    return named(table, "accuracy_differences", "differences of accuracy", comparison.title, note=note)


def differences_in_words(table: pd.DataFrame) -> str:
    """A line for each pair and rule of `accuracy_differences`, over all categories that both have."""
    if table.empty:
        return f"{table.attrs.get('note', 'No methods to compare')}."
    lines = []
    for row in table.groupby(["rule", "a", "b"], sort=False).tail(1).itertuples():
        known = "is ahead of" if row.difference > 0 else "is behind"
        shown = known if row.p_holm < 0.05 else "is not shown to be ahead of or behind"
        about = f"{row.problems} problems, {row.k} programs each, {row.rule}"
        lines.append(f"{row.a} {shown} {row.b}: {points(row)}, {about}.")
    return "\n".join(lines)


def points(row: object) -> str:
    """A difference with its interval, in points, and of what it is where that is no more than these runs."""
    said = f"{100 * row.difference:+.1f} points [{100 * row.low:+.1f}, {100 * row.high:+.1f}]"
    return said + f" in {THESE_RUNS}" * (getattr(row, "covers", "") == THESE_RUNS)


def percent(row: object) -> str:
    """A share with its interval, in per cent."""
    return f"{100 * row.value:.1f} % [{100 * row.low:.1f}, {100 * row.high:.1f}]"


def _with_whole(v: Variance, categories: Sequence[str]) -> list[tuple[str, Variance]]:
    """Each category's part, and that of several together: `all` where they are the data set's, else `covered`."""
    names = [c for c in categories if c in v.labels]
    parts = [(c, v.of([c])) for c in names]
    return parts + ([("all" if len(names) == len(categories) else "covered", v.of(names))] if len(names) > 1 else [])


def tested(v: Variance) -> dict:
    """A difference as cells of a row: intervals, test, and equivalence at each margin."""
    over_problems = interval(problems_alone(v))
    found = interval(v)
    return {
        "difference": v.value,
        "low": found.low,
        "high": found.high,
        "covers": v.covers,
        "low_problems": over_problems.low,
        "high_problems": over_problems.high,
        "p": p_value(v),
        **dict(zip(WITHIN, equivalence(v), strict=True)),
        "problems": v.problems,
    }


def of_shares(cells: dict) -> dict:
    """The cells of a difference of shares, whose intervals end where it can: Student's know no bounds."""
    return cells | {end: float(np.clip(cells[end], -1, 1)) for end in ("low", "high", "low_problems", "high_problems")}


def corrected(table: pd.DataFrame) -> pd.DataFrame:
    """A table of differences with Holm's correction over all its rows, which are read together."""
    return table.assign(p_holm=metrics.holm(table["p"].astype(float)))


# ---- costs ----


def matched_budgets(
    comparison: Comparison,
    *,
    pairs: Iterable[tuple[str, str]] | None = None,
    rule: str = "one_stage",
) -> pd.DataFrame:
    """Accuracy of side `a`, as recorded, and of side `b` at the cost of `a`: one row a budget, pair and category.

    For each problem and seed, `b` gets the first of its samples, in turns over its modes, that together cost no more
    than all of `a` cost there. The next one would overshoot: it is taken with the chance that makes the *expected* cost
    the same, what is left over what it costs, and outcome and cost are expectations over that. So neither side spends
    more, though a long sample at the end is taken less often than a short one. A problem where `b` can afford none
    surely is solved at most with that chance. What is spent is every request that led to the answers compared,
    candidate or not (`calls`); problems solved again afterwards (phase `retry`) are not among those answers.

    Columns: mean `calls`, tokens written (`completion`) and tokens in all (`total`, the prompt counted for every
    request) a problem of each side; the accuracies `value_a`, `value_b` (fractions); their difference, seed by seed,
    with the intervals and tests of `differences`, and apart from it `run_sd`, between seeds. Where the runs cannot say,
    the row gives the reason in `note`.
    """
    pairs = list(combinations(compared(comparison).sides, 2) if pairs is None else pairs)
    spent = {name: _spent(comparison, name) for name in dict.fromkeys(name for pair in pairs for name in pair)}
    rows = []
    for budget, (a, b) in [(budget, pair) for budget in BUDGETS for pair in pairs]:
        known = {"budget": budget, "a": a, "b": b}
        rows += [known | row for row in _matched(comparison, BUDGETS[budget], (a, spent[a]), (b, spent[b]), rule)]
    return corrected(pd.DataFrame(rows, columns=MATCHED_COLUMNS))


class Spent(NamedTuple):
    """A side's samples with what each cost (columns `COSTS`), and what its other requests cost, by `UNIT`."""

    samples: pd.DataFrame
    besides: pd.DataFrame

    @property
    def whole(self) -> pd.DataFrame:
        """What each problem and seed cost in all."""
        own = self.samples.groupby(UNIT, observed=True)[COSTS].sum(min_count=1)
        return own.add(self.besides.reindex(own.index).fillna(0))


def requests_of(comparison: Comparison, name: str) -> pd.DataFrame:
    """The requests of a side's runs, candidates or not."""
    side = comparison[name]
    calls = calls_of(side) if comparison.calls is None else comparison.calls
    own = side[STREAM].astype(str).drop_duplicates()
    return calls.astype(dict.fromkeys(STREAM, str)).merge(own, on=STREAM)


def _spent(comparison: Comparison, name: str) -> Spent:
    side, calls = comparison[name].astype(dict.fromkeys([*STREAM, "mode"], str)), requests_of(comparison, name)
    calls = calls[calls["phase"] != "retry"]
    unread = calls["finish_reason"].astype(object).isin(MISSING)  # nothing was read, nothing written
    tokens = calls[["prompt_tokens", "completion_tokens"]].astype("Float64")
    tokens[unread] = 0.0
    asked = calls["model"].notna().astype(float)  # a program may run that nobody was asked for
    calls = calls.assign(calls=asked, completion=tokens["completion_tokens"], total=tokens.sum(axis=1, skipna=False))
    calls = calls.astype(dict.fromkeys(COSTS, float))
    of_samples = calls["mode"].notna()
    each = calls[of_samples].astype({"mode": str}).groupby(REQUEST)[COSTS].sum(min_count=1)
    besides = calls[~of_samples].groupby(UNIT)[COSTS].sum(min_count=1)
    order = {mode: i for i, mode in enumerate(modes_of(side))}
    side = side.assign(_turn=side["mode"].map(order)).sort_values([*UNIT, "sample", "_turn"], kind="stable")
    return Spent(side.drop(columns="_turn").merge(each.reset_index(), on=REQUEST, how="left"), besides)


def _matched(
    comparison: Comparison, cost: str, one: tuple[str, Spent], other: tuple[str, Spent], rule: str
) -> list[dict]:
    (a, mine), (b, rival) = one, other
    if reason := _cannot(cost, one, other):
        return [{"category": "all", "note": reason}]
    given = mine.whole[cost].rename("given")
    shared = rival.samples.merge(given.reset_index(), on=UNIT)
    units = shared.set_index(UNIT).index.unique()
    each = _outcomes(mine.samples, mine.whole, rule).add_suffix("_a").reindex(units)
    each = each.join(_affordable(rival, shared, cost, rule).add_suffix("_b"))
    counted = [name for name in COSTS if rival.samples[name].notna().any()]
    each = each.fillna({f"{name}_b": 0.0 for name in (*counted, "right")}).join(given)
    each["mean_cost"] = shared.groupby(UNIT)[cost].mean()
    refused = (rival.samples["status"].astype(object) == REFUSED).groupby([rival.samples[name] for name in UNIT]).any()
    each["short"] = (rival.whole[cost].reindex(units) < each["given"]) & ~refused.reindex(units)  # more would be, too
    right = (each["right_a"] - each["right_b"]).unstack("seed")
    category = right.index.get_level_values("category").astype(str)
    gain = Runs(right.to_numpy(), run_sd=run_effect(mine.samples, rival.samples))
    of_each = each.index.get_level_values("category")
    return [
        {"category": name} | comparison.lacking(part.labels, a, b) | _row(each[of_each.isin(part.labels)], part, a, b)
        for name, part in _with_whole(alike(decompose(gain, strata=category)), comparison.categories)
    ]


def _affordable(rival: Spent, shared: pd.DataFrame, cost: str, rule: str) -> pd.DataFrame:
    """What each problem and seed of a rival costs and whether it is right, the last sample being taken by chance."""
    first = rival.besides[cost].reindex(pd.MultiIndex.from_frame(shared[UNIT])).fillna(0).to_numpy()
    after = first + shared.groupby(UNIT)[cost].cumsum()
    left = shared["given"] - (after - shared[cost])  # before a sample is drawn; below 0 after one that overshoots
    taken = after <= shared["given"]
    next_one = ~taken & (left > 0)
    chance = (left / shared[cost])[next_one].set_axis(pd.MultiIndex.from_frame(shared.loc[next_one, UNIT]))
    surely, perhaps = (_chosen(shared[kept], rival, rule) for kept in (taken, taken | next_one))
    chance = chance.reindex(perhaps.index).fillna(0.0)
    surely = surely.reindex(perhaps.index).fillna(0.0)
    return surely.mul(1 - chance, axis=0) + perhaps.mul(chance, axis=0)


def _chosen(samples: pd.DataFrame, rival: Spent, rule: str) -> pd.DataFrame:
    return _outcomes(samples, Spent(samples, rival.besides).whole, rule)


def _row(each: pd.DataFrame, v: Variance, a: str, b: str) -> dict:
    if each["short"].any():
        short = each[each["short"]]
        needed = math.ceil((short["given"] / short["mean_cost"]).max())
        return {
            "note": f"{a}'s samples cost as much as up to about {needed} of {b}, and the runs hold "
            f"{int(short['calls_b'].min())}: run {b} with a larger k"
        }
    right = [each[f"right_{side}"].unstack("seed") for side in "ab"]
    return {f"{cost}_{side}": each[f"{cost}_{side}"].mean() for cost in COSTS for side in "ab"} | {
        "value_a": np.nanmean(metrics.question_means(right[0])),
        "value_b": np.nanmean(metrics.question_means(right[1])),
        **of_shares(tested(v)),
        "run_sd": metrics.run_sd((right[0] - right[1]).mean()),
        "runs": right[0].shape[1],
        "note": "",
    }


def _cannot(cost: str, *sides: tuple[str, Spent]) -> str:
    """Why the two cannot be compared at this cost; empty where they can."""
    reasons = [f"no {name} runs" for name, spent in sides if spent.samples.empty]
    uncounted = [name for name, spent in sides if spent.samples[cost].isna().any() or spent.besides[cost].isna().any()]
    if uncounted:
        reasons.append(f"no token counts in the {' and '.join(uncounted)} runs: recorded logs have none, live runs do")
    (a, mine), (b, rival) = sides
    if not reasons and not set(mine.samples["seed"]) & set(rival.samples["seed"]):
        reasons.append(f"the {a} and {b} runs have no seed in common")
    return "; ".join(reasons)


def _outcomes(samples: pd.DataFrame, spent: pd.DataFrame, rule: str) -> pd.DataFrame:
    """What each problem and seed cost in all, and whether the answer that `rule` chooses is right."""
    right = choose(samples, rule).set_index(UNIT)["correct"].fillna(False).astype(float).rename("right")
    return spent.join(right)
