"""CREATOR's tables, each a function named after it, and the tables behind its figures; printed values beside ours.

An accuracy is that of a single attempt, as in the paper: the mean over the attempts that were recorded. What one data
set's runs cannot fill keeps its printed row, with the reason in `note`.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.analysis.choose import PROBLEM, in_order
from trove_lite.analysis.scores import estimate, no_scores, oracle_score
from trove_lite.datasets.graders import MARKER, NUMBER

from .. import Look, beside, in_columns, is_in_print, named, nothing, published_value
from .grading import WORDS, leniency, texts_of
from .sides import MOST_REPAIRS, NO_REPAIR, REPAIRING, SUPERVISED, TITLES, Study, limited, without_hints

#: Which data set each table is printed for.
PRINTED_FOR = {"table2": "math", "table3": "tabmwp", "table4": "creation_challenge"}
LIKE_MATH = ("math", "practice")  # with MATH's categories
HINTS = {"no_hint": "no hint", "utility_hint": "utility hint", "all_hint": "all hint"}
#: Measure → what printed tables call it. "answer printed" is ours.
MEASURES = {"accuracy": "accuracy_pct", "successful execution": "successful_execution_pct", "answer printed": ""}


class Row(NamedTuple):
    """A row of a table: our side, and what the paper calls method and setting."""

    side: str
    method: str
    setting: str


#: WolframAlpha is a paid service on the network; what stands in for it has a name and a row of its own.
WOLFRAM = "Tool Use (WolframAlpha)"
WITHOUT, WITH, NO_DEMO = "w/o CoT", "w/ CoT", "w/o Demo."
#: The rows that Tables 2 and 3 share.
SHARED = (
    Row("PoT" + NO_REPAIR, "PoT (w/o Rec.)", WITHOUT),
    Row("PoT, thoughts" + NO_REPAIR, "PoT (w/o Rec.)", WITH),
    Row("PoT", "PoT (w/ Rec.)", WITHOUT),
    Row("PoT, thoughts", "PoT (w/ Rec.)", WITH),
    Row(f"{WOLFRAM}, no thoughts", "Tool Use", WITHOUT),
    Row(WOLFRAM, "Tool Use", WITH),
    Row("Tool Use (sympy)", "", ""),
)
NO_DEMONSTRATIONS = {
    "CREATOR-Entangled": Row("Entangled, no demonstrations", "CREATOR-Entangled", NO_DEMO),
    "CREATOR": Row("CREATOR, no demonstrations", "CREATOR", NO_DEMO),
}
MAKERS = (
    Row("Entangled", "CREATOR-Entangled", WITHOUT),
    Row("Entangled, thoughts", "CREATOR-Entangled", WITH),
    Row("CREATOR", "CREATOR", WITHOUT),
    Row("CREATOR, thoughts", "CREATOR", WITH),
)
TABLE2 = (
    Row("Standard", "Vanilla", WITHOUT),
    Row("CoT", "Vanilla", WITH),
    *SHARED,
    NO_DEMONSTRATIONS["CREATOR-Entangled"],
    *MAKERS[:2],
    NO_DEMONSTRATIONS["CREATOR"],
    *MAKERS[2:],
)
TABLE3 = (Row("Standard", "Standard", WITHOUT), Row("CoT", "Standard", WITH), *SHARED, *MAKERS)
TABLE4 = (Row("Standard", "Standard", WITHOUT), Row("CoT", "Standard", WITH), *SHARED[:4])
TABLE4_HINTED = (
    Row("Entangled", "CREATOR-Entangled (w/o CoT)", ""),
    Row("CREATOR", "CREATOR (w/o CoT)", ""),
)


# ---- scores of single attempts ----


def accuracy(side: pd.DataFrame) -> pd.DataFrame:
    """Of each problem and run the share of attempts that are right: column `score`."""
    return oracle_score(side, 1)


def successful_execution(side: pd.DataFrame) -> pd.DataFrame:
    """Of each problem and run the share of attempts with a valid final answer: column `score`.

    A program's is valid where it ran to its end within the limit of repairs, be it that it printed nothing; words'
    where a number follows the marker, as the paper says (its program counts none as failed).
    """
    return _share(side, _valid(side))


def answer_printed(side: pd.DataFrame) -> pd.DataFrame:
    """The same of attempts whose program also printed what can be read as an answer, as the paper's words have it."""
    return _share(side, _valid(side) & np.array(side["answer"].notna()))


def _valid(side: pd.DataFrame) -> np.ndarray:
    valid = np.array(side["status"].astype(str) == "ok")
    words = side["method"].astype(str).isin(WORDS).to_numpy()
    if words.any():
        said = [MARKER in text and NUMBER.search(text.rpartition(MARKER)[2]) is not None for text in texts_of(side)]
        valid &= ~words | np.array(said)
    return valid


def _share(side: pd.DataFrame, counted: np.ndarray) -> pd.DataFrame:
    """Of each problem and run the share of attempts that are counted: column `score`."""
    if side.empty:
        return no_scores()
    scores = side[[*PROBLEM, "level"]].assign(score=counted.astype(float))
    means = scores.groupby(PROBLEM, observed=True).agg(level=("level", "first"), score=("score", "mean"))
    return means.reset_index()[[*PROBLEM, "level", "score"]]


Score = Callable[[pd.DataFrame], pd.DataFrame]
SCORES: dict[str, Score] = {
    "accuracy": accuracy,
    "successful execution": successful_execution,
    "answer printed": answer_printed,
}


# ---- tables ----


def table2(study: Study) -> pd.DataFrame:
    """Accuracy on MATH by category (Table 2); on the practice problems, whose categories are MATH's, without print."""
    if study.sides.dataset not in LIKE_MATH:
        return _elsewhere(study, "table2")
    parts = [_rows(study, row, accuracy, _look_up(study, "table2", row, "accuracy")) for row in TABLE2]
    return _table(study, "table2", parts)


def table3(study: Study) -> pd.DataFrame:
    """Accuracy and successful execution on TabMWP (Table 3), and answers printed: `category` names the measure."""
    if study.sides.dataset != PRINTED_FOR["table3"]:
        return _elsewhere(study, "table3")
    return _table(study, "table3", [_measured(study, "table3", TABLE3, "tabmwp")])


def table4(study: Study) -> pd.DataFrame:
    """Accuracy and successful execution on the Creation Challenge, by hint (Table 4): `category` names the measure.

    `supervision` says what the hints tell of the gold tool. Methods that get no hints are asked without any.
    """
    if study.sides.dataset != PRINTED_FOR["table4"]:
        return _elsewhere(study, "table4")
    parts = []
    for hint, in_print in HINTS.items():
        rows = [row._replace(setting=in_print) for row in TABLE4_HINTED]
        part = _measured(study, "table4", [*(TABLE4 if hint == "no_hint" else ()), *rows], hint)
        parts.append(part.assign(system=part["system"] + f", {in_print}", supervision=SUPERVISED.get(hint, "")))
    supervision = pd.concat(parts, ignore_index=True)["supervision"]
    table = _table(study, "table4", parts)
    attrs = table.attrs
    table = table.assign(supervision=supervision.to_numpy())
    table.attrs = attrs
    return table


def _measured(study: Study, name: str, rows: Sequence[Row], category: str) -> pd.DataFrame:
    """Rows of a table with two measures, of one category of the data set that it is about."""
    parts = []
    for measure, row in product(MEASURES, rows):
        part = _rows(study, row, SCORES[measure], _look_up(study, name, row, measure))
        parts.append(part[part["category"] == category].assign(category=measure))
    return pd.concat(parts, ignore_index=True)


def _look_up(study: Study, name: str, row: Row, measure: str) -> Look:
    """How to look up a row's printed cells, where they are of these runs' model and data set."""
    return partial(_look, name, row, measure) if is_in_print(study.sides, "creator", PRINTED_FOR[name]) else nothing


def _look(name: str, row: Row, measure: str, category: str) -> tuple[float, float]:
    """The printed cell of a row, as a fraction; tables of one data set have no category."""
    where = {"method": row.method, "setting": row.setting, "metric": MEASURES[measure]}
    where |= {"category": category} if name == "table2" else {}
    return published_value(f"creator_{name}", "value", **where) / 100, float("nan")


def _rows(study: Study, row: Row, measure: Score, look_up: Look) -> pd.DataFrame:
    """A side's cells beside what is printed; of a side that was not run only what is printed."""
    absent = row.side not in study.sides.sides
    sides = study.sides.with_sides(**{row.side: _nobody(study)}) if absent else study.sides
    present = set(sides[row.side]["category"].unique())
    covered = [category for category in sides.categories if category in present]
    part = beside(sides, row.side, row.side, measure(sides[row.side]), look_up, covered=covered, rounding=5e-4)
    if row.side.startswith(WOLFRAM):
        part["note"] = "a paid service on the network: not run here"
    return part.assign(source=part["source"].where(part["value"].notna(), ""))


def _nobody(study: Study) -> pd.DataFrame:
    return next(iter(study.sides.sides.values())).iloc[:0]


def _elsewhere(study: Study, number: str) -> pd.DataFrame:
    """A table that is about another data set than these runs are: empty, and why."""
    note = f"these runs are on {study.sides.dataset}: run --dataset {PRINTED_FOR[number]}"
    return _table(study, number, [pd.DataFrame(columns=["runs", "problems"])], note=note)


def _table(study: Study, number: str, parts: Sequence[pd.DataFrame], **about: object) -> pd.DataFrame:
    table = in_columns(pd.concat(parts, ignore_index=True))
    return named(table, f"creator_{number}", f"{number[:-1].capitalize()} {number[-1]}", title_of(study), **about)


def title_of(study: Study) -> str:
    """What ran on what, and who graded it."""
    return f"{study.sides.title}; {study.note or f'{study.grader} grader'}"


def leniency_table(study: Study) -> pd.DataFrame:
    """What the released grader gives, by category and method; nothing where nothing could be graded anew."""
    kept = study.graded[study.graded["strict"].notna()]
    table = leniency(kept, TITLES, texts=study.texts) if not study.note else leniency(kept.iloc[:0], TITLES)
    table.attrs |= {"runs": title_of(study), "note": study.note}
    return table


# ---- the tables behind the figures ----


def figure4_table(study: Study) -> pd.DataFrame:
    """Accuracy by difficulty, over all categories, column `level` (Figure 4, whose values are not printed)."""
    rows = []
    for name, side in study.sides.sides.items():
        scores = accuracy(side)
        for level in () if name.endswith(NO_REPAIR) else study.sides.levels:
            part = scores[scores["level"].astype(str) == str(level)]
            if len(part):
                about = {"category": "all", "system": name, "level": level, "source": name, "note": ""}
                rows.append(about | estimate(part)._asdict())
    note = f"the problems of {study.sides.dataset} have no levels"
    frame = pd.DataFrame(rows) if rows else pd.DataFrame(columns=["level", "runs", "problems"])
    return _table(study, "figure4", [frame], note=note, by=study.sides.by)


def figure5_table(study: Study) -> pd.DataFrame:
    """Accuracy with at most N repairs, column `k`, read off the same runs (Figure 5, whose values are not printed)."""
    parts, study = [], without_hints(study)
    for name, limit, side in repair_sides(study):
        sides = study.sides.with_sides(**{name: side})
        covered = [category for category in sides.categories if (side["category"] == category).any()]
        parts.append(beside(sides, name, name, accuracy(side), nothing, covered=covered).assign(k=limit))
    note = "no runs of a method that repairs: run --methods pot entangled creator"
    empty = pd.DataFrame(columns=["k", "runs", "problems"])
    return _table(study, "figure5", parts or [empty], note=note)


def repair_sides(study: Study) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """For each method that repairs its title, each limit up to the most repairs that it needed, and its candidates."""
    for method in REPAIRING:
        own = study.graded[study.graded["method"].astype(str) == method]
        for limit in range(1 + min(MOST_REPAIRS, int(own["round"].max()))) if len(own) else ():
            yield TITLES[method], limit, in_order(limited(own, limit))
