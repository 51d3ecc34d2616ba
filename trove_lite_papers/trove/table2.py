"""TroVE's Table 2 of any runs: accuracy, #ops (how long the selected programs are) and #lib (how many tools).

All are of the answers that runs ended with, by the run's own rule (column `rule`). What an operation is
(`programs.COUNTS`) and what a library holds can be read in several ways; each is computed.
"""

from collections.abc import Mapping
from itertools import product

import numpy as np
import pandas as pd

from trove_lite.candidates import add_measures, all_candidates, selections
from trove_lite.datasets.base import Question
from trove_lite.methods.base import sample_seed
from trove_lite.programs import COUNTS
from trove_lite.selection import random_choice
from trove_lite.selection.tables import PROBLEM, choose, in_order
from trove_lite_analysis.differences import add_holm, differences, estimates
from trove_lite_analysis.independence import independent_runs
from trove_lite_analysis.sides import Comparison
from trove_lite_analysis.statistics import mean_interval, run_sd
from trove_lite_analysis.variance import decompose, interval, p_value
from trove_lite_analysis.worked import votes_of

from ..reeval.two_sides import sides
from ..tables import Look, in_columns, is_in_print, name_table, nothing, printed

#: What the paper calls a data set with one category.
CALLED = {"tabmwp": "TabMWP", "wtq": "WTQ", "hitab": "HiTab", "gqa": "GQA"}
SYSTEMS = ("PRIMITIVE", "INSTANCE", "TROVE")
STREAM = ["method", "run", "category"]
DIFFERENCES = [
    "measure",
    "category",
    "rule",
    "a",
    "b",
    "difference",
    "low",
    "high",
    "covers",
    "p",
    "p_holm",
]
DIFFERENCES += ["problems"]
SIMPLER = [
    "counted",
    "answers",
    "a",
    "b",
    "value_a",
    "value_b",
    "difference",
    "low",
    "high",
    "covers",
    "p",
    "problems",
]
SMALLER = [
    "counted",
    "a",
    "b",
    "value_a",
    "value_b",
    "difference",
    "low",
    "high",
    "p",
    "categories",
]
OFFICIAL, RANDOM = "two_stage", "random"
ACCURACY, REPORTED, SELECTED = "accuracy", "#ops, as reported", "#ops, as selected by"
#: What Table 2 has of each answer: the column that holds it, and how the printed table calls it.
MEASURES = {
    ACCURACY: ("correct", "acc"),
    REPORTED: ("reported_operations", "n_ops"),
    SELECTED: ("operations", "n_ops"),
}
ANSWERS = {
    "all": lambda answers: answers,
    "that ran": lambda answers: answers[answers["status"] == "ok"],
    "that are right": lambda answers: answers[answers["correct"].fillna(False).astype(bool)],
}
UNCOUNTED = (
    "one system alone, or outcomes that were made before operations were counted in all ways"
)


def ended_with(candidates: pd.DataFrame, rule: str = "") -> pd.DataFrame:
    """The answer that each run ended with: one row a problem and run, with what `candidates.measured` adds.

    Of recorded runs what their result file holds, where there is one; else what `rule` selects from a problem's last
    attempt ("": the run's own rule, column `selection`, or the official one).
    """
    recorded, whole = selections(candidates), all_candidates(candidates)
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
    frame, places = in_order(candidates), []
    for (*_, dataset, category, problem, seed), part in frame.groupby(
        [*PROBLEM, "seed"], observed=True
    ):
        drawn = sample_seed(
            int(seed), Question(dataset, category, int(problem), ""), "stream", "select", 0
        )
        places.append(part.index[random_choice(votes_of(part), drawn)])
    return frame.loc[places]


def answers_of(candidates: pd.DataFrame) -> tuple[Comparison, dict[str, pd.DataFrame]]:
    """The sides of these runs, and by system the answers that its independent runs ended with."""
    comparison, answers = sides(candidates), ended_with(independent_runs(candidates))
    method, found = answers["method"].astype(str), {}
    for name in comparison.sides:
        ran = (
            pd.concat([comparison[name]["method"], comparison.ran(name)["method"]])
            .astype(str)
            .unique()
        )
        if len(own := answers[method.isin(ran)]):  # not what stands in for a system
            found[name] = own
    return comparison, found


def scores_of(answers: pd.DataFrame, values: pd.Series | str) -> pd.DataFrame:
    """A number of each answer (a column of theirs, or beside it) as scores; none where it is not known."""
    values = answers[values] if isinstance(values, str) else values
    numbers = values.astype("Float64").astype(float)
    return answers[[*PROBLEM, "level"]].assign(score=numbers).dropna(subset="score")


def print_of(comparison: Comparison, system: str, metric: str) -> Look:
    """How to look up what Table 2 prints of a system; nothing beside runs of another model or data set."""
    if system not in SYSTEMS or not is_in_print(comparison, "trove_table2", "math", *CALLED):
        return nothing
    look_up = printed("trove_table2", column="value", method=system, metric=metric)
    return lambda category: look_up(CALLED.get(category, category))


def _rule(answers: pd.DataFrame) -> str:
    return " and ".join(sorted(answers["selection"].unique()))


def _table(rows: list[dict], name: str, comparison: Comparison) -> pd.DataFrame:
    table = in_columns(pd.DataFrame(rows))
    rules = " and ".join(dict.fromkeys(table["rule"]))
    return name_table(
        table, f"trove_table2_{name}", f"TroVE's Table 2, {name}, by {rules}", comparison.title
    )


def table2(candidates: pd.DataFrame, *measures: str) -> pd.DataFrame:
    """Some of `MEASURES`, ACCURACY or both ways to count #ops, a row a category and system, beside the printed value.

    #ops `as reported` (`utils/eval.py`) is without any line that says "import", and without programs that do not parse;
    `as selected by` (`utils/select.py`) with imports, and of programs that answer alone, which is where it decides.
    """
    (comparison, systems), rows = answers_of(candidates), []
    for (system, answers), measure in product(systems.items(), measures):
        column, metric = MEASURES[measure]
        look_up, scores = print_of(comparison, system, metric), scores_of(answers, column)
        name = system + measure.removeprefix(ACCURACY).removeprefix("#ops")
        for cell in estimates(
            comparison, system, scores, covered=list(dict.fromkeys(scores["category"]))
        ):
            if cell["category"] in comparison.categories:
                about = {"system": name, "source": system, "rule": _rule(answers)}
                note = "no program's text is known" if scores.empty else cell["note"]
                rows.append(
                    cell | about | {"published": look_up(cell["category"])[0], "note": note}
                )
    return _table(rows, "accuracy" if ACCURACY in measures else "operations", comparison)


def table2_differences(candidates: pd.DataFrame) -> pd.DataFrame:
    """TROVE minus each of the others in accuracy (a fraction of 1) and in #ops, problem by problem; one correction."""
    (comparison, systems), parts = answers_of(candidates), []
    for measure, (column, _) in MEASURES.items():
        scores = {system: scores_of(answers, column) for system, answers in systems.items()}
        parts.append(differences(comparison, scores, pairs=_pairs(systems)).assign(measure=measure))
    table = add_holm(pd.concat(parts, ignore_index=True))
    both = [
        dict.fromkeys(_rule(systems[side]) for side in pair)
        for pair in zip(table["a"], table["b"], strict=True)
    ]
    table = table.assign(rule=list(map(" against ".join, both))).reindex(columns=DIFFERENCES)
    note = "" if _pairs(systems) else "these runs hold one system alone"
    return name_table(
        table,
        "trove_table2_differences",
        "TroVE's Table 2, differences",
        comparison.title,
        note=note,
    )


def table2_library(candidates: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    """#lib by each way to count it (`library_sizes`): the mean over runs, with t's interval over runs."""
    (comparison, systems), rows = answers_of(candidates), []
    for system, answers in systems.items():
        look_up = print_of(comparison, system, "n_lib")
        for (name, sizes), category in product(
            library_sizes(answers, kept).items(), comparison.categories
        ):
            here = sizes[sizes.index.get_level_values("category") == category].to_numpy(dtype=float)
            row = {
                "category": category,
                "rule": _rule(answers),
                "system": f"{system}, {name}",
                "problems": 0,
            }
            row |= {"published": look_up(category)[0], "runs": len(here)} | over_runs(here)
            row["note"] = {0: "what the toolbox held is not known", 1: "one run"}.get(len(here), "")
            rows.append(row)
    return _table(rows, "library", comparison)


def over_runs(values: np.ndarray) -> dict[str, float]:
    """The mean of a number a run, with t's interval over runs where there are several."""
    if len(values) < 2:
        return {"value": values.mean()} if len(values) else {}
    return mean_interval(values)._asdict() | {"run_sd": run_sd(values)}


def library_sizes(answers: pd.DataFrame, kept: pd.DataFrame) -> dict[str, pd.Series]:
    """#lib of each run of a system by each way to count it, by STREAM; none where it is not known.

    `used` as reported (`utils/eval.py`): tools that some final answer that ran names. `kept`: what the toolbox holds
    when the run ends, imports of modules among it; `kept and used`: what it holds of those; `kept functions`.
    """
    texts = dict.fromkeys([*STREAM, "name"], str)
    used = answers[answers["status"] == "ok"].explode("used_tools").dropna(subset="used_tools")
    used = (
        used.rename(columns={"used_tools": "name"})[[*STREAM, "name"]]
        .astype(texts)
        .drop_duplicates()
    )
    ran = answers[STREAM].astype(str).drop_duplicates()
    kept = kept.astype(texts).merge(ran)
    functions = kept[~kept["signature"].fillna("").str.match(r"(import|from) ")]
    ended = kept[STREAM].drop_duplicates()
    known = bool(answers["used_tools"].notna().any())

    both = kept.merge(used), ended if known else ended.head(0)
    parts = {
        "used": (used, ran if known else ran.head(0)),
        "kept": (kept, ended),
        "kept and used": both,
    }
    return {
        name: tools.groupby(STREAM)["name"]
        .nunique()
        .reindex(pd.MultiIndex.from_frame(streams), fill_value=0)
        for name, (tools, streams) in (parts | {"kept functions": (functions, ended)}).items()
    }


def counts_of(answers: pd.DataFrame) -> pd.DataFrame:
    """Operations of each answer's program by each of `programs.COUNTS`, a column each; NaN where it is not known."""
    blank = [np.nan] * len(COUNTS)
    known = [
        blank if one is None or one is pd.NA else list(one) for one in answers["operation_counts"]
    ]
    return pd.DataFrame(known, index=answers.index, columns=list(COUNTS)).astype(float)


def simpler(candidates: pd.DataFrame) -> pd.DataFrame:
    """TROVE minus each other system in #ops, problem by problem, under every definition and on three sets of answers.

    Over all the problems that both have; `value_a` and `value_b` are the two's means on them. One Holm correction.
    """
    (comparison, systems), rows = answers_of(candidates), []
    counts = {system: counts_of(answers) for system, answers in systems.items()}
    for (which, of), name in product(ANSWERS.items(), COUNTS):
        kept = {system: of(answers) for system, answers in systems.items()}
        scores = {s: scores_of(own, counts[s].loc[own.index, name]) for s, own in kept.items()}
        for pair in _pairs(scores):
            if len(found := differences(comparison, scores, pairs=[pair])):
                by_problem = (
                    scores[s].groupby(["category", "problem"], observed=True)["score"].mean()
                    for s in pair
                )
                means = (
                    pd.concat(by_problem, axis=1, keys=["value_a", "value_b"], join="inner")
                    .mean()
                    .to_dict()
                )
                rows.append({"counted": name, "answers": which} | means | found.iloc[-1].to_dict())
    table = add_holm(pd.DataFrame(rows, columns=SIMPLER))
    title = "TroVE, operations definitions"
    return name_table(
        table, "trove_operations_definitions", title, comparison.title, note=UNCOUNTED
    )


def smaller(candidates: pd.DataFrame, kept: pd.DataFrame) -> pd.DataFrame:
    """TROVE minus each other system in #lib, under every definition; intervals are over categories and runs."""
    (comparison, systems), rows = answers_of(candidates), []
    sizes = {system: library_sizes(answers, kept) for system, answers in systems.items()}
    for name in ("used", "kept", "kept and used", "kept functions"):
        wide = {system: sizes_by_category(own[name]) for system, own in sizes.items()}
        for a, b in _pairs(wide):
            both = wide[a].index.intersection(wide[b].index)
            if len(both) > 1:
                one, two = wide[a].loc[both], wide[b].loc[both]
                v, values = decompose(one, two), (one.mean(axis=1).mean(), two.mean(axis=1).mean())
                rows.append((name, a, b, *values, *interval(v)[:3], p_value(v), len(both)))
    table = add_holm(pd.DataFrame(rows, columns=SMALLER))
    note, title = "one system alone, or its toolboxes are not known", "TroVE, library definitions"
    return name_table(table, "trove_library_definitions", title, comparison.title, note=note)


def sizes_by_category(sizes: pd.Series) -> pd.DataFrame:
    """How many tools each run has: categories × runs, runs of a category numbered."""
    table = (
        sizes.rename("size")
        .reset_index()
        .assign(number=sizes.groupby(level="category").cumcount().to_numpy())
    )
    return table.pivot(index="category", columns="number", values="size")


def _pairs(parts: Mapping[str, pd.DataFrame]) -> list[tuple[str, str]]:
    there = [name for name, part in parts.items() if len(part)]
    return [("TROVE", name) for name in there if name != "TROVE"] if "TROVE" in there else []
