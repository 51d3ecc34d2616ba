"""CREATOR's Table 5: what a tool made for one question of a set is worth for the two others.

A row of the table is one way to choose: every tool alike, the best by gold answers (an oracle, as in the paper), the
one that agreement picks without any, or no transfer at all for the same calls. Intervals are over sets.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from trove_lite.analysis.choose import expected_score
from trove_lite.analysis.scores import oracle_score
from trove_lite.analysis.statistics import mean_interval

from .. import is_in_print, named, published_value
from .sides import Study, without_hints

DATASET, SIZE = "tool_transfer", 3
#: What a question's own tool and two transferred ones cost in calls is what so many attempts of its own do.
ATTEMPTS_FOR_THE_SAME = 2
COLUMNS = ["category", "system", "published", "value", "low", "high", "supervision", "calls", "sets", "note"]
NORMAL = "one attempt, no transfer"
BY_GOLD = "with transfer, best tool by gold answers"
BY_AGREEMENT = "with transfer, tool by agreement"
GOLD = "gold answers choose"


def table5(study: Study) -> pd.DataFrame:
    """Table 5: accuracies by how a set's tool is chosen (fractions of questions), and how many sets gain and lose.

    calls: a set's. supervision: what gold answers decide; "" where they decide nothing. Rows `from 1 to 2` are single
    transfers between places of a set, all six ordered pairs.
    """
    study = without_hints(study)
    title = f"{study.sides.title}; {study.note or f'{study.grader} grader'}"
    found = _grids(study)
    if study.sides.dataset != DATASET or found is None:
        note = f"no tool transfer in these runs: run --dataset {DATASET} --methods transfer"
        return named(pd.DataFrame(columns=COLUMNS), "creator_table5", "Table 5", title, note=note)
    table = pd.DataFrame(_rows(*found, study)).reindex(columns=COLUMNS)
    if not is_in_print(study.sides, "creator", DATASET):
        table["published"] = np.nan
    return named(table, "creator_table5", "Table 5", title)


def _printed(quantity: str) -> float:
    return published_value("creator_table5", "value", quantity=quantity)


def _grids(study: Study) -> tuple[np.ndarray, np.ndarray, np.ndarray] | None:
    """Of each set (and run) whether the tool of place i answers the question of place j, what it answers, and what
    a question's own attempts come to: (sets, 3, 3), (sets, 3, 3) and (sets, 3) of problems' keys."""
    frame = study.graded[study.graded["phase"].astype(str) == "stream"]
    frame = frame[frame["method"].astype(str) == "transfer"]
    if frame.empty:
        return None
    frame = frame.assign(
        set=frame["problem"] // SIZE, to=frame["problem"] % SIZE, right=frame["correct"].fillna(False).astype(float)
    )
    mode, first = frame["mode"].astype(str), frame.groupby(["run", "category", "problem"], observed=True)["sample"]
    own = frame[(mode == "normal") & (frame["sample"] == first.transform("min"))].assign(source=lambda f: f["to"])
    lent = frame[mode != "normal"].assign(source=lambda f: f["mode"].astype(str).str[-1].astype(int) - 1)
    cells = pd.concat([own, lent]).sort_values(["run", "category", "set", "source", "to"], kind="stable")
    sizes = cells.groupby(["run", "category", "set"], observed=True)["right"].transform("size")
    cells = cells[sizes == SIZE * SIZE]
    shape = (-1, SIZE, SIZE)
    return (
        cells["right"].to_numpy().reshape(shape),
        cells["answer"].astype(object).to_numpy().reshape(shape),
        cells[["run", "category", "problem"]].astype({"run": str, "category": str}).to_numpy().reshape(*shape, 3)[:, 0],
    )


def _rows(right: np.ndarray, answer: np.ndarray, keys: np.ndarray, study: Study) -> list[dict]:
    normal = np.einsum("sii->si", right).mean(axis=1)
    by_tool = right.mean(axis=2)  # of each set, by the place that the tool is from
    agreed = by_tool[np.arange(len(by_tool)), agreement(answer)]
    calls = 2 * SIZE + SIZE * (SIZE - 1)
    sets = np.array([f"{category} {problem // SIZE}" for _, category, problem in keys[:, 0]])
    systems: Mapping[str, tuple[np.ndarray, str, float, str]] = {
        NORMAL: (normal, "", 2 * SIZE, "acc_tool_create_normal"),
        "with transfer, every tool alike": (by_tool.mean(axis=1), "", calls, ""),
        BY_AGREEMENT: (agreed, "", calls, ""),
        BY_GOLD: (by_tool.max(axis=1), GOLD, calls, "acc_tool_create_with_transfer"),
        "with transfer, counted as released": (as_released(right), GOLD, calls, "acc_tool_create_with_transfer"),
        **_more_attempts(study, keys, calls),
    }
    rows = [
        {"category": "accuracy", "system": name, "supervision": supervision, "calls": spent}
        | {"published": _printed(cell) / 100 if cell else np.nan}
        | _estimate(scores, sets)
        for name, (scores, supervision, spent, cell) in systems.items()
    ]
    for name, (scores, supervision, spent, _) in list(systems.items())[1:]:
        about = {"system": name, "supervision": supervision, "calls": spent}
        known = ~np.isnan(scores)
        if not known.any():
            continue
        gain = mean_interval(scores[known] - normal[known], clusters=sets[known])
        in_print = name == BY_GOLD
        cells = {
            "gain": (gain.value, gain.low, gain.high, "increase_of_acc"),
            "sets worse": (float((scores[known] < normal[known]).mean()), np.nan, np.nan, "sets_worse_with_transfer"),
            "sets better": (float((scores[known] > normal[known]).mean()), np.nan, np.nan, "sets_better_with_transfer"),
        }
        for category, (value, low, high, cell) in cells.items():
            published = _printed(cell) / 100 if in_print else np.nan
            estimate = {"value": value, "low": low, "high": high, "sets": len(set(sets[known]))}
            rows.append({"category": category, "published": published} | about | estimate)
    for source in range(SIZE):
        for to in (place for place in range(SIZE) if place != source):
            single = {"category": "one transfer", "system": f"from {source + 1} to {to + 1}", "supervision": ""}
            rows.append(single | {"calls": np.nan, "published": np.nan} | _estimate(right[:, source, to], sets))
    return [row | {"note": row.get("note", "")} for row in rows]


def _estimate(scores: np.ndarray, sets: np.ndarray) -> dict:
    """The mean with its interval over sets, whose runs go together."""
    known = ~np.isnan(scores)
    if not known.any():
        return {"sets": 0, "note": f"no set has {ATTEMPTS_FOR_THE_SAME} attempts of its own a question: run a larger k"}
    found = mean_interval(scores[known], clusters=sets[known])
    return {"value": found.value, "low": found.low, "high": found.high, "sets": len(set(sets[known]))}


def agreement(answer: np.ndarray) -> np.ndarray:
    """The place whose tool a set trusts without gold answers: the one whose answers most others of the set share.

    For each question every tool has one vote; a tool scores where another gives the same answer. The first of equals.
    """
    sets, size, _ = answer.shape
    shared = np.zeros((sets, size))
    for one in range(size):
        for other in (place for place in range(size) if place != one):
            known = np.array([[value is not None and value == value for value in row] for row in answer[:, one]])
            shared[:, one] += (known & (answer[:, one] == answer[:, other])).sum(axis=1)
    return shared.argmax(axis=1)


def as_released(right: np.ndarray) -> np.ndarray:
    """A set's score as the released program counts: tools that answered their own question, best by gold, plus one.

    The one is for that question; sets without such a tool get it too.
    """
    own = np.einsum("sii->si", right)
    lent = right.sum(axis=2) - own
    return (1 + np.where(own > 0, lent, 0).max(axis=1)) / SIZE


def _more_attempts(study: Study, keys: np.ndarray, calls: int) -> dict:
    """Attempts without transfer for the same calls: the best by gold, and agreement among them."""
    frame = study.sides["Tool transfer"]
    own = frame[frame["mode"].astype(str) == "normal"]
    k = ATTEMPTS_FOR_THE_SAME
    found = {}
    for name, scores, supervision in (
        (f"{k} attempts, no transfer, by agreement", expected_score(own, "one_stage", k, seed=0), ""),
        (f"{k} attempts, no transfer, best by gold answers", oracle_score(own, k), GOLD),
    ):
        index = pd.MultiIndex.from_frame(scores[["run", "category", "problem"]].astype({"run": str, "category": str}))
        by_problem = pd.Series(scores["score"].to_numpy(dtype=float), index)
        wanted = pd.MultiIndex.from_tuples(map(tuple, keys.reshape(-1, 3)))
        found[name] = (by_problem.reindex(wanted).to_numpy().reshape(-1, SIZE).mean(axis=1), supervision, calls, "")
    return found
