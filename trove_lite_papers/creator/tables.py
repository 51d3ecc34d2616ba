"""CREATOR's tables, each a function named after it, and the tables behind its figures; printed values beside ours.

An accuracy is that of a single attempt, as in the paper: the mean over the attempts that were recorded.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trove_lite.selection.tables import in_order
from trove_lite_analysis.scores import ALL_MICRO, COVERED_MICRO, estimate, oracle_score

from ..figures import ACCURACY, curve
from ..tables import beside, is_in_print, name_table, nothing, paper_table, printed
from .graders import MARKER, NUMBER
from .grading import GRADERS, WORDS, texts_of
from .sides import NO_REPAIR, REPAIRING, SUPERVISED, SYSTEMS, TITLES, Study, limited, without_hints

#: The data sets that each table may be made of; its print is about the first.
DATASETS = {
    "table2": ("math", "practice"),
    "table3": ("tabmwp",),
    "table4": ("creation_challenge",),
}
HINTS = {"no_hint": "no hint", "utility_hint": "utility hint", "all_hint": "all hint"}
#: WolframAlpha is a paid service on the network; what stands in for it has a name and a row of its own.
WOLFRAM = "Tool Use (WolframAlpha)"
NO_DEMO = "w/o Demo."
#: Our side → how Tables 2 to 4 print its method and setting ("": not at all). In Table 4 UNHINTED get no hints.
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
MOST_REPAIRS = 3


def accuracy(side: pd.DataFrame) -> pd.DataFrame:
    return oracle_score(side, 1)


def successful_execution(side: pd.DataFrame) -> pd.DataFrame:
    """The share of attempts with a valid answer: one that ran to its end, or words with a number after the marker."""
    marked = [
        MARKER in text and NUMBER.search(text.rpartition(MARKER)[2]) is not None
        for text in texts_of(side)
    ]
    valid = ~side["method"].astype(str).isin(WORDS) | np.array(marked, bool)
    return accuracy(side.assign(correct=valid & (side["status"].astype(str) == "ok")))


def answer_printed(side: pd.DataFrame) -> pd.DataFrame:
    """The same of attempts whose program also printed what can be read as an answer, as the paper's words have it."""
    return successful_execution(
        side.assign(status=side["status"].astype(str).where(side["answer"].notna(), ""))
    )


#: Measure → how it is scored, and what printed tables call it. "answer printed" is ours.
MEASURES: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], str]] = {
    "accuracy": (accuracy, "accuracy_pct"),
    "successful execution": (successful_execution, "successful_execution_pct"),
    "answer printed": (answer_printed, ""),
}


def table2(study: Study) -> pd.DataFrame:
    """Accuracy on MATH by category (Table 2); on the practice problems, whose categories are MATH's, without print."""
    return _table(study, "table2", lambda: (_row(study, "table2", *row) for row in ROWS.items()))


def table3(study: Study) -> pd.DataFrame:
    """Accuracy and successful execution on TabMWP (Table 3), and answers printed: `category` names the measure."""
    rows = {side: in_print for side, in_print in ROWS.items() if NO_DEMO not in in_print}
    return _table(study, "table3", lambda: _measured(study, "table3", rows, "tabmwp"))


def table4(study: Study) -> pd.DataFrame:
    """Accuracy and successful execution on the Creation Challenge, by hint (Table 4): `category` names the measure."""

    def parts() -> Iterator[pd.DataFrame]:
        for hint, setting in HINTS.items():
            rows = UNHINTED if hint == "no_hint" else {}
            rows = rows | {
                side: (f"{ROWS[side][0]} (w/o CoT)", setting) for side in ("Entangled", "CREATOR")
            }
            for part in _measured(study, "table4", rows, hint):
                yield part.assign(system=part["system"] + f", {setting}")

    table = _table(study, "table4", parts)
    told = {HINTS[hint]: what for hint, what in SUPERVISED.items()}
    table["supervision"] = [told.get(system.rpartition(", ")[2], "") for system in table["system"]]
    return table


def _table(study: Study, number: str, make: Callable, **about: object) -> pd.DataFrame:
    """A table of the parts made; empty, with the reason, where it is about another data set than the runs are."""
    fits = study.sides.dataset in DATASETS.get(number, [study.sides.dataset])
    if not fits:
        about = {
            "note": f"these runs are on {study.sides.dataset}: run --dataset {DATASETS[number][0]}"
        }
    return paper_table("creator", number, [*make()] if fits else [], study.title, **about)


def _measured(
    study: Study, number: str, rows: Mapping[str, Sequence[str]], category: str
) -> Iterator[pd.DataFrame]:
    for measure, row in product(MEASURES, rows.items()):
        part = _row(study, number, *row, measure=measure)
        yield part[part["category"] == category].assign(category=measure)


def _row(
    study: Study, number: str, side: str, in_print: Sequence[str], measure: str = "accuracy"
) -> pd.DataFrame:
    (score, metric), (method, setting), sides = MEASURES[measure], in_print, study.sides
    method = method.replace("Standard", "Vanilla") if number == "table2" else method
    look_up = printed(
        f"creator_{number}",
        column="value",
        scale=100,
        method=method,
        setting=setting,
        metric=metric,
    )
    if side not in sides.sides:
        sides = sides.with_sides(**{side: next(iter(sides.sides.values())).iloc[:0]})
    of_print = look_up if is_in_print(study.sides, "creator", DATASETS[number][0]) else nothing
    part = beside(
        sides, side, side, score(sides[side]), of_print, covered=sides.covered(side), rounding=5e-4
    )
    if side.startswith(WOLFRAM):
        part["note"] = "a paid service on the network: not run here"
    return part.assign(source=part["source"].where(part["value"].notna(), ""))


def leniency_table(study: Study) -> pd.DataFrame:
    """What the released grader gives, by category and method: mean verdicts of single attempts, and their difference.

    `leniency` is released less strict; `gold_in_input` the share of problems whose gold answer is in the input, and
    `gifts` that of attempts on these that released alone calls right.
    """
    key = ["category", "system"]
    judged = study.graded[
        (study.graded["phase"].astype(str) == "stream") & study.graded["strict"].notna()
    ]
    rows = judged.assign(
        of=judged["category"].astype(str), system=judged["method"].astype(str).map(TITLES)
    )
    rows = rows.assign(category=rows["of"]).dropna(subset="system")
    found = pd.DataFrame(columns=[*key, *LENIENCY_COLUMNS])
    if len(rows):
        order = [*dict.fromkeys(rows["of"]), "all"]
        rows = pd.concat([rows] + [rows.assign(category="all")] * (len(order) > 2))
        rows = rows.astype(dict.fromkeys([*GRADERS, "gold_in_input"], float))
        rows["gifts"] = (rows["released"] > rows["strict"]) & rows["gold_in_input"].eq(1)
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
        found = means.assign(leniency=means["released"] - means["strict"], **counts, note=note)
        found = found[LENIENCY_COLUMNS].reset_index()
    return name_table(
        found, "creator_leniency", "What the released grader gives", study.title, note=study.note
    )


def figure4_table(study: Study) -> pd.DataFrame:
    """Accuracy by difficulty, over all categories, column `level` (Figure 4, whose values are not printed)."""
    rows = []
    for name, side in study.sides.sides.items():
        by_level = dict(list((scores := accuracy(side)).groupby(scores["level"].astype(str))))
        for level in () if name.endswith(NO_REPAIR) else study.sides.levels:
            if level in by_level:
                about = {
                    "category": "all",
                    "system": name,
                    "level": level,
                    "source": name,
                    "note": "",
                }
                rows.append(about | estimate(by_level[level])._asdict())
    note = f"the problems of {study.sides.dataset} have no levels"
    return _table(
        study, "figure4", lambda: [pd.DataFrame(rows)] * bool(rows), note=note, by=study.sides.by
    )


def figure5_table(study: Study) -> pd.DataFrame:
    """Accuracy with at most N repairs, column `k`, read off the same runs (Figure 5, whose values are not printed)."""
    parts, study = [], without_hints(study)
    for method in REPAIRING:
        own, name = study.graded[study.graded["method"].astype(str) == method], TITLES[method]
        for limit in range(1 + min(MOST_REPAIRS, int(own["round"].max()))) if len(own) else ():
            sides = study.sides.with_sides(**{name: in_order(limited(own, limit))})
            scores = accuracy(sides[name])
            parts.append(
                beside(sides, name, name, scores, nothing, covered=sides.covered(name)).assign(
                    k=limit
                )
            )
    note = "no runs of a method that repairs: run --methods pot entangled creator"
    return _table(study, "figure5", lambda: parts, note=note)


def figure4(table: pd.DataFrame) -> Figure | None:
    by = table.attrs.get("by", "level")
    return curve(table, x="level", title=f"Accuracy by {by}", labels=(by, ACCURACY))


def figure5(table: pd.DataFrame) -> Figure | None:
    """Accuracy of single attempts with at most N repairs (Figure 5), over all categories that were run."""
    filled = set(table.loc[table["value"].notna(), "category"])
    row = next((row for row in (ALL_MICRO, COVERED_MICRO, *table["category"]) if row in filled), "")
    labels = ("repairs that an attempt may have (N)", ACCURACY)
    if not row:
        return None
    drawn = table[table["category"] == row].astype(
        {"k": str}
    )  # steps: their intervals stand side by side
    return curve(drawn, panel="category", title="What repairs bring", labels=labels)
