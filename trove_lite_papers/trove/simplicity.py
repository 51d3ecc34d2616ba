"""TroVE's Table 2 of any runs: accuracy, #ops (how long the selected programs are) and #lib (how
many tools).

What these three are the essay defines: a measure gives each answer a number (`measure(answers)`), a
way to count a library gives the tools of one run (`way(answers)`, `way(toolbox)` or `way(answers,
toolbox)`). All are about the answers that runs ended with, by the run's own rule (column `rule`).
Here are the rows, their intervals and print.
"""

from collections.abc import Callable, Collection, Mapping
from inspect import signature
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trove_lite.candidates import (
    add_measures,
    all_candidates,
    selections,
)
from trove_lite.datasets.base import Question
from trove_lite.methods.base import sample_seed
from trove_lite.programs import COUNTS
from trove_lite.selection import random_choice
from trove_lite.selection.tables import PROBLEM, choose, in_order
from trove_lite_analysis.differences import (
    add_holm,
    difference,
    differences,
    estimates,
)
from trove_lite_analysis.independence import independent_runs
from trove_lite_analysis.sentence import Sentence, headline
from trove_lite_analysis.statistics import mean_interval, run_sd
from trove_lite_analysis.systems import Comparison
from trove_lite_analysis.variance import decompose
from trove_lite_analysis.worked import votes_of

from ..figures import forest
from ..tables import (
    Look,
    in_columns,
    is_in_print,
    name_table,
    nothing,
    printed,
    scored,
)
from ..two_systems import systems

Measure = Callable[[pd.DataFrame], pd.Series]
#: The names of a run's tools; what it asks for (`answers`, `toolbox`) and is not known leaves the
#: run out.
Tools = Callable[..., Collection[str]]
#: What the paper calls a data set with one category.
CALLED = {
    "tabmwp": "TabMWP",
    "wtq": "WTQ",
    "hitab": "HiTab",
    "gqa": "GQA",
}
SYSTEMS = ("PRIMITIVE", "INSTANCE", "TROVE")
STREAM = ["method", "run", "category"]
TESTED = ["difference", "low", "high", "covers", "p"]
DIFFERENCES = [
    "measure",
    "category",
    "rule",
    "a",
    "b",
    *TESTED,
    "p_holm",
    "problems",
]
BOTH = ["a", "b", "value_a", "value_b"]
SIMPLER = ["counted", "answers", *BOTH, *TESTED, "problems"]
SMALLER = [
    "counted",
    *BOTH,
    "difference",
    "low",
    "high",
    "p",
    "categories",
]
OFFICIAL = "two_stage"
RANDOM = "random"
#: What the printed Table 2 calls what each of our tables of it holds.
METRICS = {
    "accuracy": "acc",
    "operations": "n_ops",
    "library": "n_lib",
}
UNCOUNTED = (
    "one system alone, or outcomes that were made before operations were counted in all ways"
)


NO_STREAM = pd.MultiIndex.from_arrays([[]] * len(STREAM), names=STREAM)


class Study(NamedTuple):
    """The systems of some runs, and by system the `answers` that its independent runs ended with."""

    comparison: Comparison
    answers: dict[str, pd.DataFrame]


def ended_with(candidates: pd.DataFrame, rule: str = "") -> pd.DataFrame:
    """The answer that each run ended with: one row a problem and run, with what
    `candidates.measured` adds.

    Of recorded runs what their result file holds, where there is one; else what `rule` selects from
    a problem's last attempt ("": the run's own rule, column `selection`, or the official one).
    """
    recorded = selections(candidates)
    whole = all_candidates(candidates)
    known, own = (pd.MultiIndex.from_frame(rows[STREAM].astype(str)) for rows in (recorded, whole))
    rest = whole[~own.isin(known)]
    rest = rest.assign(selection=rule or rest["selection"].astype(object).fillna(OFFICIAL))
    again = rest[rest["phase"] == "retry"].assign(phase="stream")
    chosen = [
        _chosen(part, name) for frame in (rest, again) for name, part in frame.groupby("selection")
    ]
    parts = [part for part in (*chosen, recorded.assign(selection=OFFICIAL)) if len(part)]
    answers = pd.concat(parts, ignore_index=True) if parts else candidates.head(0)
    return add_measures(answers.drop_duplicates(PROBLEM, keep="last"))


def _chosen(candidates: pd.DataFrame, rule: str) -> pd.DataFrame:
    if rule != RANDOM:
        return choose(candidates, rule)
    frame = in_order(candidates)
    places = []
    for (*_, dataset, category, problem, seed), part in frame.groupby(
        [*PROBLEM, "seed"], observed=True
    ):
        drawn = sample_seed(
            int(seed),
            Question(dataset, category, int(problem), ""),
            "stream",
            "select",
            0,
        )
        places.append(part.index[random_choice(votes_of(part), drawn)])
    return frame.loc[places]


def study(candidates: pd.DataFrame) -> Study:
    """What these runs of one model on one data set ended with; what stands in for a system has no
    answers."""
    comparison = systems(candidates)
    answers = ended_with(independent_runs(candidates))
    method = answers["method"].astype(str)
    found = {}
    for name in comparison.systems:
        rows = pd.concat(
            [
                comparison[name]["method"],
                comparison.ran(name)["method"],
            ]
        )
        if len(own := answers[method.isin(rows.astype(str).unique())]):
            found[name] = own
    return Study(comparison, found)


def print_of(comparison: Comparison, system: str, metric: str) -> Look:
    """How to look up what Table 2 prints of a system; nothing beside runs of another model or data
    set."""
    if system not in SYSTEMS or not is_in_print(comparison, "trove_table2", "math", *CALLED):
        return nothing
    look_up = printed("trove_table2", column="value", method=system, metric=metric)
    return lambda category: look_up(CALLED.get(category, category))


def _rule(answers: pd.DataFrame) -> str:
    return " and ".join(sorted(answers["selection"].unique()))


def _table(rows: list[dict], name: str, comparison: Comparison) -> pd.DataFrame:
    table = in_columns(pd.DataFrame(rows))
    rules = " and ".join(dict.fromkeys(table["rule"]))
    title = f"TroVE's Table 2, {name}, by {rules}"
    return name_table(table, f"trove_table2_{name}", title, comparison.title)


def table2(study: Study, name: str, measures: Mapping[str, Measure]) -> pd.DataFrame:
    """Table 2's `accuracy` or `operations` by these measures, a row a category and system, beside
    the printed value.

    measures: by what their rows are called besides the system's name ("": nothing).
    """
    (comparison, systems), rows = study, []
    for (system, answers), (way, measure) in product(systems.items(), measures.items()):
        look_up = print_of(comparison, system, METRICS[name])
        scores = measured(answers, measure)
        covered = list(dict.fromkeys(scores["category"]))
        about = {
            "system": ", ".join(filter(None, [system, way])),
            "source": system,
        }
        about["rule"] = _rule(answers)
        for cell in estimates(comparison, system, scores, covered=covered):
            if cell["category"] in comparison.categories:
                note = "no program's text is known" if scores.empty else cell["note"]
                published = look_up(cell["category"])[0]
                rows.append(cell | about | {"published": published, "note": note})
    return _table(rows, name, comparison)


def measured(answers: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    """A measure of answers as scores; none where it is not known."""
    return scored(answers, measure(answers))


def table2_differences(study: Study, measures: Mapping[str, Measure]) -> pd.DataFrame:
    """TROVE minus each of the others in each measure (shares as fractions of 1), problem by
    problem; one correction."""
    (comparison, systems), parts = study, []
    for name, measure in measures.items():
        scores = {system: measured(answers, measure) for system, answers in systems.items()}
        parts.append(differences(comparison, scores, pairs=_pairs(systems)).assign(measure=name))
    table = add_holm(pd.concat(parts, ignore_index=True))
    both = [
        dict.fromkeys(_rule(systems[one]) for one in pair)
        for pair in zip(table["a"], table["b"], strict=True)
    ]
    table = table.assign(rule=list(map(" against ".join, both))).reindex(columns=DIFFERENCES)
    note = "" if _pairs(systems) else "these runs hold one system alone"
    name = "trove_table2_differences"
    title = "TroVE's Table 2, differences"
    return name_table(table, name, title, comparison.title, note=note)


def over_all(differences: pd.DataFrame) -> pd.DataFrame:
    """Of a table of differences the rows over all categories that both systems have."""
    return differences[differences["category"].isin(["all", "covered"])]


def sentence(differences: pd.DataFrame, accuracy: str, operations: str) -> Sentence:
    """The difference in accuracy that is said first, and the one in #ops; the two are named
    measures."""
    whole = over_all(differences)
    said = headline(whole[whole["measure"] == accuracy]) if len(whole) else headline(differences)
    for row in whole[whole["measure"] == operations].head(1).itertuples():
        ends = f"{row.difference:+.1f} [{row.low:+.1f}, {row.high:+.1f}]"
        said += f" Operations of a program (#ops): {ends}."
    return Sentence(said)


def reported(operations: pd.DataFrame, way: str) -> pd.DataFrame:
    """Of a table of operations the rows that one way counted, under the systems' names."""
    rows = operations[operations["system"].str.endswith(f", {way}")]
    return rows.assign(system=rows["system"].str.removesuffix(f", {way}"))


def operations_figure(operations: pd.DataFrame, way: str) -> Figure | None:
    title = "Operations of an answer's program"
    label = "#ops, as the released program reports it"
    how = {"scale": 1, "name": "trove_table2_operations"}
    return forest(reported(operations, way), title=title, label=label, **how)


def summary(differences: pd.DataFrame, operations: pd.DataFrame, way: str) -> str:
    """The differences in #ops over all problems, and in how many categories TROVE's lies above
    print, by one way."""
    whole = over_all(differences)
    lines = [
        f"{row.measure}: {row.a} minus {row.b} {row.difference:+.3f} [{row.low:+.3f}, {row.high:+.3f}]"
        for row in whole[whole["measure"].str.startswith("#ops")].itertuples()
    ]
    rows = reported(operations, way)
    known = rows[(rows["system"] == "TROVE") & rows["value"].notna()]
    above = (known["value"] > known["published"]).sum()
    printed = known["published"].notna().sum()
    lines.append(f"#ops of TROVE lies above the printed value in {above} of {printed} categories.")
    return "\n".join(lines)


def summary_of_counts(tables: Mapping[str, pd.DataFrame]) -> str:
    """By measure and rival under how many ways to count TROVE has less of it, and more, after
    correction."""
    lines = []
    for name, other, ways in (
        (name, other, ways) for name, part in tables.items() for other, ways in part.groupby("b")
    ):
        shown = ways[ways["p_holm"] < 0.05]["difference"]
        less = (shown < 0).sum()
        more = (shown > 0).sum()
        lines.append(
            f"{name} against {other}: less under {less} of {len(ways)} ways to count, more under {more}."
        )
    return "\n".join(lines)


def table2_library(study: Study, kept: pd.DataFrame, ways: Mapping[str, Tools]) -> pd.DataFrame:
    """#lib by each way to count it: the mean over runs, with t's interval over runs. kept: of
    `ta.toolboxes`."""
    (comparison, systems), rows = study, []
    for system, answers in systems.items():
        look_up = print_of(comparison, system, "n_lib")
        sizes = library_sizes(answers, kept, ways)
        about = {"rule": _rule(answers), "problems": 0}
        for (name, own), category in product(sizes.items(), comparison.categories):
            here = own[own.index.get_level_values("category") == category].to_numpy(dtype=float)
            row = about | {
                "category": category,
                "system": f"{system}, {name}",
            }
            row |= {
                "published": look_up(category)[0],
                "runs": len(here),
            } | over_runs(here)
            row["note"] = {
                0: "what the toolbox held is not known",
                1: "one run",
            }.get(len(here), "")
            rows.append(row)
    return _table(rows, "library", comparison)


def over_runs(values: np.ndarray) -> dict[str, float]:
    """The mean of a number a run, with t's interval over runs where there are several."""
    if len(values) < 2:
        return {"value": values.mean()} if len(values) else {}
    return mean_interval(values)._asdict() | {"run_sd": run_sd(values)}


def library_sizes(
    answers: pd.DataFrame,
    kept: pd.DataFrame,
    ways: Mapping[str, Tools],
) -> dict[str, pd.Series]:
    """#lib of each run of a system by each way to count it, by STREAM; none of a run where what it
    asks is not known.

    What programs use is not known where no answer of the system tells it; a toolbox where `kept`
    has no row of the run.
    """
    texts = dict.fromkeys(STREAM, str)
    streams = dict(list(answers.astype(texts).groupby(STREAM)))
    boxes = dict(list(kept.astype(texts | {"name": str}).groupby(STREAM)))
    known = {
        "answers": streams if answers["used_tools"].notna().any() else {},
        "toolbox": boxes,
    }
    found = {}
    for name, way in ways.items():
        asks = list(signature(way).parameters)
        counted = [stream for stream in streams if all(stream in known[what] for what in asks)]
        sizes = [len(way(**{what: known[what][stream] for what in asks})) for stream in counted]
        index = pd.MultiIndex.from_tuples(counted, names=STREAM) if counted else NO_STREAM
        found[name] = pd.Series(sizes, index, dtype="int64")
    return found


def count(answers: pd.DataFrame, name: str) -> pd.Series:
    """Operations of each answer's program by one of `programs.COUNTS`; NaN where it is not
    known."""
    place = COUNTS.index(name)
    known = [
        None if one is None or one is pd.NA else one[place] for one in answers["operation_counts"]
    ]
    return pd.Series(known, answers.index, dtype="Float64").astype(float)


def simpler(
    study: Study,
    counts: Mapping[str, Measure],
    subsets: Mapping[str, Measure],
) -> pd.DataFrame:
    """TROVE minus each other system in #ops, problem by problem, by each count on each set of
    answers.

    subsets: by name, which answers are counted. Over all the problems that both have; `value_a` and
    `value_b` are the two's means on them. One Holm correction.
    """
    (comparison, systems), rows = study, []
    for (which, within), (name, measure) in product(subsets.items(), counts.items()):
        kept = {system: answers[within(answers)] for system, answers in systems.items()}
        scores = {system: measured(answers, measure) for system, answers in kept.items()}
        for pair in _pairs(scores):
            if len(found := differences(comparison, scores, pairs=[pair])):
                parts = [
                    scores[one].groupby(["category", "problem"], observed=True) for one in pair
                ]
                both = [part["score"].mean() for part in parts]
                means = pd.concat(
                    both,
                    axis=1,
                    keys=["value_a", "value_b"],
                    join="inner",
                ).mean()
                about = {"counted": name, "answers": which}
                rows.append(about | means.to_dict() | found.iloc[-1].to_dict())
    table = add_holm(pd.DataFrame(rows, columns=SIMPLER))
    title = "TroVE, operations definitions"
    return name_table(
        table,
        "trove_operations_definitions",
        title,
        comparison.title,
        note=UNCOUNTED,
    )


def smaller(study: Study, kept: pd.DataFrame, ways: Mapping[str, Tools]) -> pd.DataFrame:
    """TROVE minus each other system in #lib, by every way to count; intervals are over categories
    and runs."""
    (comparison, systems), rows = study, []
    sizes = {system: library_sizes(own, kept, ways) for system, own in systems.items()}
    for name in ways:
        wide = {system: sizes_by_category(own[name]) for system, own in sizes.items()}
        for a, b in _pairs(wide):
            both = wide[a].index.intersection(wide[b].index)
            if len(both) > 1:
                one = wide[a].loc[both]
                two = wide[b].loc[both]
                ((cells, _),) = difference(one, two, of=decompose, shares=False)
                values = (
                    one.mean(axis=1).mean(),
                    two.mean(axis=1).mean(),
                )
                rows.append(
                    (
                        name,
                        a,
                        b,
                        *values,
                        *(cells[name] for name in ("difference", "low", "high", "p")),
                        len(both),
                    )
                )
    table = add_holm(pd.DataFrame(rows, columns=SMALLER))
    note = "one system alone, or its toolboxes are not known"
    title = "TroVE, library definitions"
    return name_table(
        table,
        "trove_library_definitions",
        title,
        comparison.title,
        note=note,
    )


def sizes_by_category(sizes: pd.Series) -> pd.DataFrame:
    """How many tools each run has: categories × runs, runs of a category numbered."""
    table = (
        sizes.rename("size")
        .reset_index()
        .assign(number=sizes.groupby(level="category").cumcount().to_numpy())
    )
    return table.pivot(index="category", columns="number", values="size")


def _pairs(
    parts: Mapping[str, pd.DataFrame],
) -> list[tuple[str, str]]:
    there = [name for name, part in parts.items() if len(part)]
    return [("TROVE", name) for name in there if name != "TROVE"] if "TROVE" in there else []
