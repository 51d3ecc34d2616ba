"""Where the printed Table 2 and the public result files differ from these runs, and what explains
it.

Accuracy, the counts of operations and the ways to count a library are the essay's, as in `table2`.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from trove_lite.candidates import (
    add_measures,
    all_candidates,
    selections,
)
from trove_lite.selection.tables import PROBLEM
from trove_lite_analysis.scores import variance_of
from trove_lite_analysis.variance import prediction_interval

from ..tables import ROUNDING, name_table
from .simplicity import (
    UNCOUNTED,
    Measure,
    Study,
    Tools,
    ended_with,
    library_sizes,
    measured,
    print_of,
    sizes_by_category,
)

COUNTED = [
    "counted",
    "programs",
    "same",
    "more",
    "less",
    "uncounted",
    "difference",
    "largest",
]
SELECTED = ["selected", "cause", "programs", "ops_file", "ops_ours"]
EXPLAINED = [
    "measure",
    "category",
    "value",
    "low",
    "high",
    "published",
]
SAME = "the same program"
SAME_ANSWER = "another program, the same answer"
OTHER = "another answer"
CUT = "an output that the record cuts, so that votes are lost"
NOTHING = "nothing that the record shows"


def counted_otherwise(study: Study, counts: Mapping[str, Measure]) -> pd.DataFrame:
    """Every selected program: how its #ops by the first of these counts differs from every other,
    one row a count.

    `same`, `more`, `less`: programs; `uncounted`: those that one of the two leaves out (they do not
        parse);
    `difference`: its mean over those that both count; `largest`: the one of the greatest size.
    """
    answers = pd.concat(study.answers.values()).sort_index()
    rows = []
    first, *others = (
        pd.Series(count(answers)).astype("Float64").astype(float) for count in counts.values()
    )
    for name, own in zip([*counts][1:], others, strict=True):
        difference = own - first
        known = difference.dropna()
        systems = [
            int(part.sum())
            for part in (
                known == 0,
                known > 0,
                known < 0,
                difference.isna(),
            )
        ]
        if len(known):
            largest = known.loc[known.abs().idxmax()]
            rows.append((name, len(answers), *systems, known.mean(), largest))
    table = pd.DataFrame(rows, columns=COUNTED)
    name = "trove_operations_counted"
    title = "TroVE, operations counted"
    return name_table(table, name, title, study.comparison.title, note=UNCOUNTED)


def recorded_selection(candidates: pd.DataFrame) -> pd.DataFrame:
    """The program that a result file holds against the one that two-stage selection picks from the
    run's candidates."""
    held, whole = (
        part.astype(dict.fromkeys(PROBLEM[:-1], str))
        for part in (selections(candidates), candidates)
    )
    whole = all_candidates(whole)
    held = held.merge(whole[["method", "run", "category"]].drop_duplicates())
    rows = []
    if len(held):
        both = add_measures(held).merge(
            ended_with(whole, "two_stage"),
            on=PROBLEM,
            suffixes=("", "_2"),
        )
        cut = (
            whole.groupby(PROBLEM)["shortened"]
            .any()
            .reindex(pd.MultiIndex.from_frame(both[PROBLEM]))
            .to_numpy(bool)
        )
        same = (both["program"] == both["program_2"]).to_numpy(dtype=bool)
        answer = (both["answer"].fillna("") == both["answer_2"].fillna("")).to_numpy(dtype=bool)
        selected = np.select([same, answer], [SAME, SAME_ANSWER], OTHER)
        cause = np.where(same, "", np.where(cut, CUT, NOTHING))
        for key, part in both.groupby([selected, cause]):
            operations = (
                part[f"reported_operations{end}"].astype("Float64").mean() for end in ("", "_2")
            )
            rows.append((*key, len(part), *operations))
    table = pd.DataFrame(rows, columns=SELECTED).sort_values(
        "programs", ascending=False, ignore_index=True
    )
    note = "no run of which both the result file and all candidates are known"
    about = (
        "TroVE, recorded selection",
        "result files and logs of the same runs",
    )
    return name_table(table, "trove_recorded_selection", *about, note=note)


def table2_explained(
    study: Study,
    kept: pd.DataFrame,
    accuracy: Measure,
    counts: Mapping[str, Measure],
    ways: Mapping[str, Tools],
) -> pd.DataFrame:
    """TROVE's printed cells against ours: whether one more run like ours would print them, or
    another count would.

    Ours are by the first of `counts` and of `ways`. `low` and `high`: where one more run falls (95
    %; a category with one run borrows what runs add from the others); of #lib the runs' own range.
    """
    comparison = study.comparison
    rows = []
    shown = (
        "accuracy",
        f"#ops, {next(iter(counts))}",
        f"#lib, {next(iter(ways))}",
    )
    if (answers := study.answers.get("TROVE")) is not None:
        for name, sizes in library_sizes(answers, kept, ways).items():
            for category, own in sizes_by_category(sizes).iterrows():
                rows.append(
                    (
                        f"#lib, {name}",
                        category,
                        own.mean(),
                        own.min(),
                        own.max(),
                        "n_lib",
                    )
                )
        measures = {"accuracy": ("acc", accuracy, ROUNDING)}
        measures |= {f"#ops, {name}": ("n_ops", of, 10 * ROUNDING) for name, of in counts.items()}
        for measure, (metric, values, rounding) in measures.items():
            v = variance_of(measured(answers, values))
            there = () if v is None else [c for c in comparison.categories if c in v.labels]
            for category in there:
                found = prediction_interval(v.of([category]), 1, rounding=rounding)[:3]
                rows.append((measure, category, *found, metric))
    table = pd.DataFrame(rows, columns=[*EXPLAINED[:-1], "metric"])
    looked_up = [
        print_of(comparison, "TROVE", row.metric)(row.category)[0] for row in table.itertuples()
    ]
    table.insert(2, "published", looked_up)
    table = table[table["published"].notna()]
    table = table.assign(inside=table["published"].between(table["low"], table["high"]))
    found = [_explanation(row, table) for row in table.itertuples()]
    table[["verdict", "why"]] = pd.DataFrame(found, columns=["verdict", "why"], index=table.index)
    table = table[table["measure"].isin(shown)].drop(columns=["metric", "inside"])
    table = table.sort_values("measure", kind="stable", ignore_index=True)
    name = "trove_table2_explained"
    title = "TroVE, table2 explained"
    note = "nothing is printed for these runs"
    return name_table(table, name, title, comparison.title, note=note)


def _explanation(row: object, table: pd.DataFrame) -> tuple[str, str]:
    if row.inside:
        return (
            "explained",
            "within our runs' range" if row.metric == "n_lib" else "one more run may print it",
        )
    if pd.isna(row.low):
        return "open", "a single run cannot say how far another moves"
    others = table[
        (table["metric"] == row.metric) & (table["category"] == row.category) & table["inside"]
    ]
    if len(others):
        return (
            "explained",
            f"by another count: {'; '.join(name.partition(', ')[2] for name in others['measure'])}",
        )
    return "open", "neither another run nor another count gives it"
