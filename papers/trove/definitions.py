"""What hangs on how #ops and #lib are counted, and where Table 2 and the public result files differ from ours.

TroVE says in words what an operation is (section 5.2: a function call; appendix B: the depths of expressions' trees,
summed), and its program counts in two ways more (`programs.COUNTS`). Here "simpler" and "smaller" are asked under every
one of them.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from trove_lite.analysis.choose import PROBLEM, choose
from trove_lite.analysis.compare import corrected, differences
from trove_lite.analysis.scores import variance_of
from trove_lite.analysis.sides import Comparison
from trove_lite.analysis.variance import decompose, interval, p_value, prediction_interval
from trove_lite.candidates import all_candidates, load_candidates, measured, selections
from trove_lite.programs import COUNTS

from .. import ROUNDING, Words, is_its_model, named, published_value
from .table2 import _look_up, _of, _scores, _systems, library_sizes

#: Which of the answers that runs ended with are compared.
ANSWERS = {
    "all": lambda answers: pd.Series(True, answers.index),
    "that ran": lambda answers: answers["status"] == "ok",
    "that are right": lambda answers: answers["correct"].fillna(False).astype(bool),
}
SIMPLER = ["counted", "answers", "a", "b", "value_a", "value_b", "difference", "low", "high", "covers", "p", "problems"]
SMALLER = ["counted", "a", "b", "value_a", "value_b", "difference", "low", "high", "p", "categories"]
COUNTED = ["counted", "programs", "same", "more", "less", "uncounted", "difference", "largest"]
SELECTED = ["selected", "cause", "programs", "ops_file", "ops_ours"]
RECORDED = ["category", "run", "published", "recorded", "own_gold", "regraded", "difference", "rounds_to_print"]
EXPLAINED = ["measure", "category", "published", "value", "low", "high", "metric"]
UNCOUNTED = "one system alone, or outcomes that were made before operations were counted in all ways"
SAME, SAME_ANSWER, OTHER = "the same program", "another program, the same answer", "another answer"
CUT = "an output that the record cuts, so that votes are lost"
NOTHING = "nothing that the record shows"


def counts_of(answers: pd.DataFrame) -> pd.DataFrame:
    """Operations of each answer's program by each of `programs.COUNTS`, a column each; NaN where it is not known."""
    blank = [np.nan] * len(COUNTS)
    known = [blank if one is None or one is pd.NA else list(one) for one in answers["operation_counts"]]
    return pd.DataFrame(known, index=answers.index, columns=list(COUNTS)).astype(float)


def simpler(candidates: pd.DataFrame) -> pd.DataFrame:
    """TROVE minus each other system in #ops, problem by problem, under every definition and on three sets of answers.

    Over all the problems that both have; `value_a` and `value_b` are the two's means on them. Intervals and tests as of
    `analysis.compare.differences`, with one correction over the table.
    """
    comparison, answers = _of(candidates)
    systems, counts, rows = _systems(comparison), counts_of(answers), []
    for which, of in ANSWERS.items():
        for name in COUNTS:
            kept = answers.assign(n=counts[name])[of(answers)]
            scores = {s: _scores(kept, methods, lambda part: part["n"]) for s, methods in systems.items()}
            for pair in _pairs(scores):
                found = differences(comparison, scores, pairs=[pair])
                if len(found):
                    means = _means(*(scores[s] for s in pair))
                    rows.append({"counted": name, "answers": which} | means | found.iloc[-1].to_dict())
    table = corrected(pd.DataFrame(rows, columns=SIMPLER))
    return _named(table, "operations_definitions", comparison.title, UNCOUNTED)


def smaller(candidates: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    """TROVE minus each other system in #lib, under every definition, category by category and run by run.

    Intervals are over categories and runs: a toolbox is one a run.
    """
    comparison, answers = _of(candidates)
    rows = []
    for name, sizes in library_sizes(answers, kept).items():
        wide = {s: _by_category(sizes, methods) for s, methods in _systems(comparison).items()}
        for a, b in _pairs(wide):
            both = wide[a].index.intersection(wide[b].index)
            if len(both) < 2:
                continue
            one, two = wide[a].loc[both], wide[b].loc[both]
            v = decompose(one, two)
            values = one.mean(axis=1).mean(), two.mean(axis=1).mean()
            row = (name.removeprefix(", "), a, b, *values, *interval(v)[:3], p_value(v), len(both))
            rows.append(dict(zip(SMALLER, row, strict=True)))
    table = corrected(pd.DataFrame(rows, columns=SMALLER))
    return _named(table, "library_definitions", comparison.title, "one system alone, or its toolboxes are not known")


def _pairs(parts: dict[str, pd.DataFrame]) -> list[tuple[str, str]]:
    """TROVE with each other system that there is something of."""
    there = [name for name, part in parts.items() if len(part)]
    return [("TROVE", name) for name in there if name != "TROVE"] if "TROVE" in there else []


def _by_category(sizes: pd.DataFrame | None, methods: list[str]) -> pd.DataFrame:
    """How many tools each run has: categories × runs, runs of a category numbered."""
    if sizes is None:
        return pd.DataFrame()
    own = sizes[sizes["method"].isin(methods)]
    return own.assign(number=own.groupby("category").cumcount()).pivot_table(
        index="category", columns="number", values="size"
    )


def _means(one: pd.DataFrame, other: pd.DataFrame) -> dict[str, float]:
    """The two's means over the problems that both have, each problem's over runs first."""
    key = ["category", "problem"]
    both = [part.groupby(key, observed=True)["score"].mean() for part in (one, other)]
    shared = both[0].index.intersection(both[1].index)
    return {f"value_{side}": part.loc[shared].mean() for side, part in zip("ab", both, strict=True)}


# ---- the result files' programs ----


def counted_otherwise(candidates: pd.DataFrame) -> pd.DataFrame:
    """Every selected program: how its #ops as reported differs from every other count, one row a definition.

    Result files hold no #ops; they hold the programs of which the released program reports it. `same`, `more`, `less`:
    programs; `uncounted`: those that one of the two leaves out (they do not parse); `difference`: its mean over those
    that both count; `largest` is of the greatest size.
    """
    comparison, answers = _of(candidates)
    counts, rows = counts_of(answers), []
    for name in COUNTS[1:] if counts.notna().any(axis=None) else ():
        difference = counts[name] - counts[COUNTS[0]]
        known = difference.dropna()
        sides = [int(part.sum()) for part in (known == 0, known > 0, known < 0, difference.isna())]
        row = (name, len(counts), *sides, known.mean(), known.loc[known.abs().idxmax()])
        rows.append(dict(zip(COUNTED, row, strict=True)))
    return _named(pd.DataFrame(rows, columns=COUNTED), "operations_counted", comparison.title, UNCOUNTED)


def recorded_selection(candidates: pd.DataFrame) -> pd.DataFrame:
    """The program that a result file holds against the one that two-stage selection picks from the run's candidates.

    A row for each way in which the two agree or not and for its cause: programs, and #ops as reported of either.
    """
    texts = dict.fromkeys(PROBLEM[:-1], str)
    said, whole = selections(candidates).astype(texts), all_candidates(candidates).astype(texts)
    said = measured(said).merge(whole[["method", "run", "category"]].drop_duplicates())
    again = whole[whole["phase"] == "retry"].assign(phase="stream")
    parts = [measured(choose(part, "two_stage")) for part in (whole, again) if len(said) and len(part)]
    rows = []
    for (selected, cause), part in _selected(said, whole, parts).groupby(["selected", "cause"]) if parts else ():
        file, ours = (part[f"reported_operations{end}"].astype("Float64").mean() for end in ("", "_ours"))
        rows.append(dict(zip(SELECTED, (selected, cause, len(part), file, ours), strict=True)))
    table = pd.DataFrame(rows, columns=SELECTED).sort_values("programs", ascending=False, ignore_index=True)
    note = "no run of which both the result file and all candidates are known"
    return _named(table, "recorded_selection", "result files and logs of the same runs", note)


def _selected(said: pd.DataFrame, whole: pd.DataFrame, ours: list[pd.DataFrame]) -> pd.DataFrame:
    """Each selected program beside ours, whether they are the same, and why not."""
    last = pd.concat(ours, ignore_index=True).drop_duplicates(PROBLEM, keep="last")
    both = said.merge(last, on=PROBLEM, suffixes=("", "_ours"))
    cut = (
        whole.groupby(PROBLEM)["shortened"].any().reindex(pd.MultiIndex.from_frame(both[PROBLEM])).to_numpy(dtype=bool)
    )
    same = (both["program"] == both["program_ours"]).to_numpy(dtype=bool)
    answer = (both["answer"].fillna("") == both["answer_ours"].fillna("")).to_numpy(dtype=bool)
    cause = np.where(same, "", np.where(cut, CUT, NOTHING))
    return both.assign(selected=np.select([same, answer], [SAME, SAME_ANSWER], OTHER), cause=cause)


# ---- each difference with print ----


def recorded_accuracy(runs: Iterable[str | Path]) -> pd.DataFrame:
    """Accuracy of each recorded run as its result file says and by each problem's own gold answer, beside print.

    From `recorded.csv`, which an import writes beside its table; empty where there is none.
    """
    rows = []
    for path in map(Path, runs):
        file = (path if path.is_dir() else path.parent) / "recorded.csv"
        found = pd.read_csv(file) if file.is_file() else pd.DataFrame(columns=["kind", "method"])
        found = found[(found["kind"] == "selected answers") & (found["method"] == "trove")]
        ours = len(found) and is_its_model("trove_table2", *load_candidates(path)["model"].astype(str).unique())
        for row in found.itertuples():
            where = {"category": row.category, "method": "TROVE", "metric": "acc"}
            printed = published_value("trove_table2", "value", **where) if ours else np.nan
            said, own = row.recorded_correct / row.problems, row.correct / row.problems
            rounds = bool(abs(said - printed) <= ROUNDING)
            values = (row.category, row.run, printed, said, own, int(row.disagreements), said - printed, rounds)
            rows.append(dict(zip(RECORDED, values, strict=True)))
    return _named(pd.DataFrame(rows, columns=RECORDED), "table2_recorded", "result files", "no result files of TROVE")


def table2_explained(candidates: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    """TROVE's printed cells against ours: whether one more run like ours would print them, or another count would.

    `low` and `high`: where one more run falls (95 %; a category with one run borrows what runs add from the others); of
    #lib the runs' own range. `why` is what explains the difference, `verdict`: `explained` or `open`. The paper prints
    the best of five runs, which is above a usual one.
    """
    comparison, answers = _of(candidates)
    methods, counts = _systems(comparison).get("TROVE", []), counts_of(answers)
    rows = list(_library_cells(library_sizes(answers, kept), methods, comparison))
    measures = {"accuracy": ("acc", answers["correct"].astype(float), ROUNDING)}
    measures |= {f"#ops, {name}": ("n_ops", counts[name], 10 * ROUNDING) for name in COUNTS}
    for measure, (metric, values, rounding) in measures.items():
        v = variance_of(_scores(answers.assign(n=values), methods, lambda part: part["n"]))
        for category in () if v is None else [c for c in comparison.categories if c in v.labels]:
            ends = prediction_interval(v.of([category]), 1, rounding=rounding)[:3]
            rows.append((measure, category, _print(comparison, metric, category), *ends, metric))
    table = pd.DataFrame(rows, columns=EXPLAINED)
    table = table[table["published"].notna()]
    table = table.assign(inside=table["published"].between(table["low"], table["high"]))
    found = [_explanation(row, table) for row in table.itertuples()]
    table[["verdict", "why"]] = pd.DataFrame(found, columns=["verdict", "why"], index=table.index)
    main = table[table["measure"].isin(["accuracy", f"#ops, {COUNTS[0]}", "#lib, used"])]
    shown = main.drop(columns=["metric", "inside"]).sort_values("measure", kind="stable", ignore_index=True)
    return _named(shown, "table2_explained", comparison.title, "nothing is printed for these runs")


def _library_cells(sizes: dict, methods: list[str], comparison: Comparison) -> Iterator[tuple]:
    for name, table in sizes.items():
        for category, own in _by_category(table, methods).iterrows():
            ends = own.mean(), own.min(), own.max()
            yield (f"#lib{name}", category, _print(comparison, "n_lib", category), *ends, "n_lib")


def _print(comparison: Comparison, metric: str, category: str) -> float:
    return _look_up(comparison, "TROVE", metric)(category)[0]


def _explanation(row: object, table: pd.DataFrame) -> tuple[str, str]:
    if row.inside:
        return "explained", "within our runs' range" if row.metric == "n_lib" else "one more run may print it"
    if pd.isna(row.low):
        return "open", "a single run cannot say how far another moves"
    others = table[(table["metric"] == row.metric) & (table["category"] == row.category) & table["inside"]]
    if len(others):
        names = "; ".join(name.partition(", ")[2] for name in others["measure"])
        return "explained", f"by another count: {names}"
    return "open", "neither another run nor another count gives it"


def definitions_in_words(ops: pd.DataFrame, lib: pd.DataFrame, explained: pd.DataFrame) -> Words:
    """How far "simpler", "smaller" and Table 2 hang on definitions, from the tables."""
    parts = [_turns(ops, "#ops", "simpler", "longer"), _turns(lib, "#lib", "smaller", "larger")]
    if len(explained):
        left = explained[explained["verdict"] == "open"]
        cells = ", ".join(f"{row.measure.partition(', ')[0]} in {row.category}" for row in left.itertuples())
        counted = f"Of {len(explained)} printed cells of TROVE, {len(explained) - len(left)} are explained"
        parts.append(f"{counted}; open: {cells}." if cells else f"{counted}.")
    return Words(" ".join(filter(None, parts)))


def _turns(table: pd.DataFrame, name: str, less_words: str, more_words: str) -> str:
    said = []
    for other, part in table.groupby("b"):
        less, more = (int(((part["p_holm"] < 0.05) & (sign * part["difference"] > 0)).sum()) for sign in (-1, 1))
        said.append(
            f"Against {other}, TROVE's {name} is shown to be {less_words} under {less} of {len(part)} ways to count, "
            f"{more_words} under {more}, and neither under {len(part) - less - more}."
        )
    return " ".join(said)


def _named(table: pd.DataFrame, name: str, runs: str, note: str) -> pd.DataFrame:
    return named(table, f"trove_{name}", f"TroVE, {name.replace('_', ' ')}", runs, note=note)
