"""CREATOR's Table 5: what a tool made for one question of a set is worth for the others. Intervals
are over sets.

How a set's tool is chosen, and what that gives, the essay defines; beside it are two attempts
without transfer.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from trove_lite.selection.tables import expected_score
from trove_lite_analysis.scores import oracle_score
from trove_lite_analysis.statistics import mean_interval

from ..tables import is_in_print, name_table, published_value
from .systems import Study, without_hints

DATASET = "tool_transfer"
SIZE = 3
COLUMNS = [
    "category",
    "system",
    "published",
    "value",
    "low",
    "high",
    "supervision",
    "calls",
    "sets",
    "note",
]
KEY = ["run", "category", "problem"]
NORMAL = "one attempt, no transfer"
BY_GOLD = "with transfer, best tool by gold answers"
AS_RELEASED = "with transfer, counted as released"
#: What a question's own tool and two transferred ones cost in calls is what two attempts of its own
#: do.
TWICE = "2 attempts, no transfer, by agreement"
TWICE_BY_GOLD = "2 attempts, no transfer, best by gold answers"
TOO_FEW = "no set has 2 attempts of its own a question: run a larger k"
SUPERVISED = (BY_GOLD, AS_RELEASED, TWICE_BY_GOLD)
ONE = "one transfer"
#: What is printed of each way to choose, in percent.
PRINTED = {("accuracy", NORMAL): "acc_tool_create_normal", ("gain", BY_GOLD): "increase_of_acc"}
PRINTED |= dict.fromkeys(
    (("accuracy", BY_GOLD), ("accuracy", AS_RELEASED)), "acc_tool_create_with_transfer"
)
PRINTED |= {(f"sets {how}", BY_GOLD): f"sets_{how}_with_transfer" for how in ("worse", "better")}


#: Which tools are right (sets, tools, questions) and what they answer → the share of its questions
#: a set gets right.
Way = Callable[[np.ndarray, np.ndarray], np.ndarray]


def table5(study: Study, ways: Mapping[str, Way]) -> pd.DataFrame:
    """Table 5: accuracies by way to choose a set's tool (fractions of questions), and how many sets
    gain and lose.

    ways: by name; gains are over the first. calls: a set's. supervision: what gold answers decide.
    Rows `from 1 to 2` are single transfers between places.
    """
    study = without_hints(study)
    rows = []
    cells = _cells(study.graded)
    if study.systems.dataset == DATASET and len(cells):
        right = cells["right"].to_numpy().reshape(-1, SIZE, SIZE)
        answers = cells["answer"].to_numpy().reshape(right.shape)
        sets = (cells["category"] + " " + cells["set"].astype(str)).to_numpy()[:: SIZE * SIZE]
        shares = {name: way(right, answers) for name, way in ways.items()} | _twice(cells, study)
        scores = pd.DataFrame(shares, index=sets)
        single, *others = scores
        rows = [_row("accuracy", way, scores[way]) for way in scores]
        for way in others:
            gained = (scores[way] - scores[single]).dropna()
            parts = {"gain": gained, "sets worse": gained < 0, "sets better": gained > 0}
            rows += [_row(category, way, part) for category, part in parts.items() if len(gained)]
        for source, to in np.argwhere(~np.eye(SIZE, dtype=bool)):
            of_place = pd.Series(right[:, source, to], sets)
            rows.append(_row(ONE, f"from {source + 1} to {to + 1}", of_place))
    table = pd.DataFrame(rows, columns=COLUMNS)
    if not is_in_print(study.systems, "creator", DATASET):
        table["published"] = np.nan
    note = f"no tool transfer in these runs: run --dataset {DATASET} --methods transfer"
    return name_table(table, "creator_table5", "Table 5", study.title, note=note)


def _cells(graded: pd.DataFrame) -> pd.DataFrame:
    """A row a set (and run), the place that its tool is from (`source`) and the question it answers
    (`to`)."""
    frame = graded[
        (graded["phase"].astype(str) == "stream") & (graded["method"].astype(str) == "transfer")
    ]
    frame = frame.astype({"run": str, "category": str, "mode": str, "answer": object})
    own = frame["mode"] == "normal"
    place = frame["problem"] % SIZE
    source = (frame["mode"].str[-1].where(~own).astype(float) - 1).fillna(place)
    right = frame["correct"].fillna(False).astype(float)
    frame = frame.assign(set=frame["problem"] // SIZE, source=source, to=place, right=right)
    frame = frame[~own | (frame["sample"] == frame.groupby(KEY)["sample"].transform("min"))]
    stream = ["run", "category", "set"]
    whole = frame.groupby(stream)["right"].transform("size") == SIZE * SIZE
    return frame[whole].sort_values([*stream, "source", "to"], kind="stable")


def _twice(cells: pd.DataFrame, study: Study) -> dict[str, np.ndarray]:
    """Each set's score by two attempts of its own a question."""
    normal = study.systems["Tool transfer"][lambda system: system["mode"].astype(str) == "normal"]
    twice = {
        TWICE: expected_score(normal, "one_stage", 2, seed=0),
        TWICE_BY_GOLD: oracle_score(normal, 2),
    }
    found = {}
    for way, scores in twice.items():
        each = scores.astype({"run": str, "category": str})[[*KEY, "score"]]
        each = cells.loc[cells["source"] == 0, KEY].merge(each, on=KEY, how="left")["score"]
        found[way] = each.to_numpy(float).reshape(-1, SIZE).mean(axis=1)
    return found


def _row(category: str, system: str, scores: pd.Series) -> dict:
    """A row: the mean over sets, with its interval where it is no share of sets; runs of a set go
    together."""
    known = scores.dropna().astype(float)
    printed = (
        published_value("creator_table5", "value", quantity=PRINTED.get((category, system), ""))
        / 100
    )
    calls = 2 * SIZE if system == NORMAL else 2 * SIZE + SIZE * (SIZE - 1)
    row = {
        "category": category,
        "system": system,
        "published": printed,
        "sets": known.index.nunique(),
    }
    row |= {
        "supervision": "gold answers choose" if system in SUPERVISED else "",
        "note": "" if len(known) else TOO_FEW,
    }
    row["calls"] = np.nan if category == ONE else calls
    found = mean_interval(known, clusters=known.index)._asdict() if len(known) else {}
    shown = ("value",) if category.startswith("sets ") else ("value", "low", "high")
    return row | {name: found[name] for name in shown if found}
