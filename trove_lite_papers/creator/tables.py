"""CREATOR's Tables 2 to 4 and the tables behind its Figures 4 and 5, of the measures that an essay
defines.

A measure gives every attempt a number: `measure(attempts)`. `within(programs, repairs)` says which
program of an attempt is scored. Here are the rows, their intervals over problems and runs, and what
is printed.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product

import pandas as pd
from matplotlib.figure import Figure

from trove_lite_analysis.scores import ALL_MICRO, COVERED_MICRO, estimate, no_scores

from ..figures import ACCURACY, curve
from ..tables import beside, is_in_print, name_table, nothing, paper_table, printed, scored
from .grading import GRADERS
from .systems import (
    NO_REPAIR,
    SUPERVISED,
    SYSTEMS,
    TITLES,
    Study,
    Within,
    attempting,
    repairing,
    with_repairs,
    without_hints,
)

Measure = Callable[[pd.DataFrame], pd.Series]
#: The data sets that each table may be made of; its print is about the first.
DATASETS = {
    "table2": ("math", "practice"),
    "table3": ("tabmwp",),
    "table4": ("creation_challenge",),
}
HINTS = {"no_hint": "no hint", "utility_hint": "utility hint", "all_hint": "all hint"}
#: WolframAlpha is a paid service on the network; what stands in for it has a name and a row of its
#: own.
WOLFRAM = "Tool Use (WolframAlpha)"
NO_DEMO = "w/o Demo."
#: Our system → how Tables 2 to 4 print its method and setting ("": not at all). In Table 4 UNHINTED
#: get no hints.
ROWS, UNHINTED = (
    {row.system: (row.printed, row.setting) for row in SYSTEMS.itertuples() if number in row.tables}
    for number in "24"
)
LENIENCY_COLUMNS = [
    *GRADERS,
    "leniency",
    "gifts",
    "gold_in_input",
    "candidates",
    "problems",
    "note",
]
#: Of them what is a share of attempts or problems.
SHARES = LENIENCY_COLUMNS[:-3]
MOST_REPAIRS = 3


#: What printed tables call a measure; others are ours.
METRICS = {
    "accuracy": "accuracy_pct",
    "successful execution": "successful_execution_pct",
}


def table2(study: Study, accuracy: Measure, within: Within) -> pd.DataFrame:
    """A measure by category (Table 2); on the practice problems, whose categories are MATH's,
    without print."""

    def rows(study: Study) -> Iterator[pd.DataFrame]:
        return (_row(study, "table2", *row, "accuracy", accuracy) for row in ROWS.items())

    return _table(study, "table2", rows, within)


def table3(study: Study, measures: Mapping[str, Measure], within: Within) -> pd.DataFrame:
    """Each of these measures on TabMWP (Table 3): `category` names the measure."""
    rows = {system: in_print for system, in_print in ROWS.items() if NO_DEMO not in in_print}
    make = partial(_measured, number="table3", rows=rows, category="tabmwp", measures=measures)
    return _table(study, "table3", make, within)


def table4(study: Study, measures: Mapping[str, Measure], within: Within) -> pd.DataFrame:
    """Each of these measures on the Creation Challenge, by hint (Table 4): `category` names the
    measure."""

    def parts(study: Study) -> Iterator[pd.DataFrame]:
        for hint, setting in HINTS.items():
            rows = UNHINTED if hint == "no_hint" else {}
            rows = rows | {
                method: (f"{ROWS[method][0]} (w/o CoT)", setting)
                for method in ("Entangled", "CREATOR")
            }
            for part in _measured(study, "table4", rows, hint, measures):
                yield part.assign(system=part["system"] + f", {setting}")

    table = _table(study, "table4", parts, within)
    told = {HINTS[hint]: what for hint, what in SUPERVISED.items()}
    table["supervision"] = [told.get(system.rpartition(", ")[2], "") for system in table["system"]]
    return table


def _table(study: Study, number: str, make: Callable, within: Within) -> pd.DataFrame:
    """The parts made of the study, with its systems without repair; empty, with the reason, on
    another data set."""
    about = {}
    parts = []
    if study.systems.dataset in DATASETS[number]:
        parts = [*make(with_repairs(study, within, 0, NO_REPAIR))]
    else:
        wanted = f"run --dataset {DATASETS[number][0]}"
        about = {"note": f"these runs are on {study.systems.dataset}: {wanted}"}
    return paper_table("creator", number, parts, study.title, **about)


def _measured(
    study: Study, number: str, rows: Mapping[str, Sequence[str]], category: str, measures: Mapping
) -> Iterator[pd.DataFrame]:
    for (name, measure), row in product(measures.items(), rows.items()):
        part = _row(study, number, *row, name, measure)
        yield part[part["category"] == category].assign(category=name)


def _row(
    study: Study, number: str, name: str, in_print: Sequence[str], measured: str, measure: Measure
) -> pd.DataFrame:
    (method, setting), systems = in_print, study.systems
    method = method.replace("Standard", "Vanilla") if number == "table2" else method
    where = {"method": method, "setting": setting, "metric": METRICS.get(measured, "")}
    look_up = printed(f"creator_{number}", column="value", scale=100, **where)
    if name not in systems.systems:
        systems = systems.with_systems(**{name: next(iter(systems.systems.values())).iloc[:0]})
    of_print = look_up if is_in_print(study.systems, "creator", DATASETS[number][0]) else nothing
    scores = scored(systems[name], measure(systems[name]))
    part = beside(
        systems, name, name, scores, of_print, covered=systems.covered(name), rounding=5e-4
    )
    if name.startswith(WOLFRAM):
        part["note"] = "a paid service on the network: not run here"
    return part.assign(source=part["source"].where(part["value"].notna(), ""))


def leniency_table(study: Study) -> pd.DataFrame:
    """What the released grader gives, by category and method: mean verdicts of single attempts, and
    their difference.

    `leniency` is released less one-answer; `gold_in_input` the share of problems whose gold answer
    is in the input, and `gifts` that of attempts on these that released alone calls right.
    """
    key = ["category", "system"]
    judged = study.graded[
        (study.graded["phase"].astype(str) == "stream") & study.graded["one-answer"].notna()
    ]
    rows = judged.assign(
        of=judged["category"].astype(str), system=judged["method"].astype(str).map(TITLES)
    )
    rows = rows.assign(category=rows["of"]).dropna(subset="system")
    found = pd.DataFrame(columns=[*key, *LENIENCY_COLUMNS])
    if len(rows):
        order = [*dict.fromkeys(rows["of"]), "all"]
        rows = pd.concat([rows] + ([rows.assign(category="all")] if len(order) > 2 else []))
        rows = rows.astype(dict.fromkeys([*GRADERS, "gold_in_input"], float))
        rows["gifts"] = (rows["released"] > rows["one-answer"]) & rows["gold_in_input"].eq(1)
        rows["category"] = pd.Categorical(rows["category"], order)
        rows["system"] = pd.Categorical(rows["system"], TITLES.values())
        each = rows.groupby(key, observed=True)
        problems = rows.drop_duplicates([*key, "of", "problem"]).groupby(key, observed=True)[
            "gold_in_input"
        ]
        means = each[[*GRADERS, "gifts"]].mean()
        counts = {
            "gold_in_input": problems.mean(),
            "candidates": each.size(),
            "problems": problems.size(),
        }
        note = (
            "" if "output" in study.graded else "texts were not kept: graded by the numbers in them"
        )
        found = means.assign(leniency=means["released"] - means["one-answer"], **counts, note=note)
        found = found[LENIENCY_COLUMNS].reset_index()
    return name_table(
        found, "creator_leniency", "What the released grader gives", study.title, note=study.note
    )


def figure4_table(study: Study, accuracy: Measure) -> pd.DataFrame:
    """A measure by difficulty, over all categories, column `level` (Figure 4, whose values are not
    printed)."""
    rows = []
    whole = attempting(study)
    for name, system in study.systems.systems.items():
        scores = scored(system, accuracy(system)) if name in whole else no_scores()
        there = set(system["level"].astype(str))
        about = {"category": "all", "system": name, "source": name, "note": ""}
        for level in [level for level in study.systems.levels if level in there]:
            found = estimate(scores[scores["level"].astype(str) == level])
            rows.append(about | {"level": level} | found._asdict())
    parts = [pd.DataFrame(rows)] if rows else []
    about = {"note": f"the problems of {study.systems.dataset} have no levels"}
    return paper_table("creator", "figure4", parts, study.title, by=study.systems.by, **about)


def figure5_table(study: Study, accuracy: Measure, within: Within) -> pd.DataFrame:
    """A measure with at most N repairs, column `k`, read off the same runs (Figure 5, whose values
    are not printed)."""
    parts = []
    study = without_hints(study)
    limits = {
        limit: with_repairs(study, within, limit).systems for limit in range(MOST_REPAIRS + 1)
    }
    for name, programs in repairing(study).items():
        for limit in range(1 + min(MOST_REPAIRS, int(programs["round"].max()))):
            systems = limits[limit]
            scores = scored(systems[name], accuracy(systems[name]))
            part = beside(systems, name, name, scores, nothing, covered=systems.covered(name))
            parts.append(part.assign(k=limit))
    note = "no runs of a method that repairs: run --methods pot entangled creator"
    return paper_table("creator", "figure5", parts, study.title, note=note)


def figure4(table: pd.DataFrame) -> Figure | None:
    by = table.attrs.get("by", "level")
    return curve(table, x="level", title=f"Accuracy by {by}", labels=(by, ACCURACY))


def figure5(table: pd.DataFrame) -> Figure | None:
    """Accuracy of single attempts with at most N repairs (Figure 5), over all categories that were
    run."""
    filled = set(table.loc[table["value"].notna(), "category"])
    row = next((row for row in (ALL_MICRO, COVERED_MICRO, *table["category"]) if row in filled), "")
    labels = ("repairs that an attempt may have (N)", ACCURACY)
    if not row:
        return None
    drawn = table[table["category"] == row].astype(
        {"k": str}
    )  # steps: intervals are side by side, by system
    return curve(drawn, panel="category", title="What repairs bring", labels=labels)
