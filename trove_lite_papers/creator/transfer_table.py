"""CREATOR's Table 5: what a tool made for one question of a set is worth for the others. Intervals are over sets."""

import numpy as np
import pandas as pd

from trove_lite.selection.tables import expected_score
from trove_lite_analysis.scores import oracle_score
from trove_lite_analysis.statistics import mean_interval

from ..tables import is_in_print, name_table, published_value
from .sides import Study, without_hints

DATASET, SIZE = "tool_transfer", 3
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
ALIKE, AGREED = "with transfer, every tool alike", "with transfer, tool by agreement"
BY_GOLD, AS_RELEASED = (
    "with transfer, best tool by gold answers",
    "with transfer, counted as released",
)
#: What a question's own tool and two transferred ones cost in calls is what two attempts of its own do.
TWICE, TWICE_BY_GOLD = (
    "2 attempts, no transfer, by agreement",
    "2 attempts, no transfer, best by gold answers",
)
TOO_FEW = "no set has 2 attempts of its own a question: run a larger k"
SUPERVISED = (BY_GOLD, AS_RELEASED, TWICE_BY_GOLD)
ONE = "one transfer"
#: What is printed of each way to choose, in percent.
PRINTED = {("accuracy", NORMAL): "acc_tool_create_normal", ("gain", BY_GOLD): "increase_of_acc"}
PRINTED |= dict.fromkeys(
    (("accuracy", BY_GOLD), ("accuracy", AS_RELEASED)), "acc_tool_create_with_transfer"
)
PRINTED |= {(f"sets {how}", BY_GOLD): f"sets_{how}_with_transfer" for how in ("worse", "better")}


def table5(study: Study) -> pd.DataFrame:
    """Table 5: accuracies by how a set's tool is chosen (fractions of questions), and how many sets gain and lose.

    calls: a set's. supervision: what gold answers decide. Rows `from 1 to 2` are single transfers between places.
    """
    study, rows = without_hints(study), []
    cells = _cells(study.graded)
    if study.sides.dataset == DATASET and len(cells):
        right = cells["right"].to_numpy().reshape(-1, SIZE, SIZE)
        sets = (cells["category"] + " " + cells["set"].astype(str)).to_numpy()[:: SIZE * SIZE]
        scores = pd.DataFrame(_ways(cells, right, study), index=sets)
        rows = [_row("accuracy", way, scores[way]) for way in scores]
        for way in scores.columns[1:]:
            gained = (scores[way] - scores[NORMAL]).dropna()
            parts = {"gain": gained, "sets worse": gained < 0, "sets better": gained > 0}
            rows += [_row(category, way, part) for category, part in parts.items() if len(gained)]
        for source, to in np.argwhere(~np.eye(SIZE, dtype=bool)):
            rows.append(
                _row(ONE, f"from {source + 1} to {to + 1}", pd.Series(right[:, source, to], sets))
            )
    table = pd.DataFrame(rows, columns=COLUMNS)
    if not is_in_print(study.sides, "creator", DATASET):
        table["published"] = np.nan
    note = f"no tool transfer in these runs: run --dataset {DATASET} --methods transfer"
    return name_table(table, "creator_table5", "Table 5", study.title, note=note)


def _cells(graded: pd.DataFrame) -> pd.DataFrame:
    """A row a set (and run), the place that its tool is from (`source`) and the question it answers (`to`)."""
    frame = graded[
        (graded["phase"].astype(str) == "stream") & (graded["method"].astype(str) == "transfer")
    ]
    frame = frame.astype({"run": str, "category": str, "mode": str, "answer": object})
    own, place = frame["mode"] == "normal", frame["problem"] % SIZE
    source = (frame["mode"].str[-1].where(~own).astype(float) - 1).fillna(place)
    right = frame["correct"].fillna(False).astype(float)
    frame = frame.assign(set=frame["problem"] // SIZE, source=source, to=place, right=right)
    frame = frame[~own | (frame["sample"] == frame.groupby(KEY)["sample"].transform("min"))]
    stream = ["run", "category", "set"]
    whole = frame.groupby(stream)["right"].transform("size") == SIZE * SIZE
    return frame[whole].sort_values([*stream, "source", "to"], kind="stable")


def _ways(cells: pd.DataFrame, right: np.ndarray, study: Study) -> dict[str, np.ndarray]:
    """Each set's score by every way to choose; right: (sets, tools, questions)."""
    by_tool, own = right.mean(axis=2), np.einsum("sii->si", right)
    answer = cells["answer"].to_numpy().reshape(right.shape)
    normal = study.sides["Tool transfer"][lambda side: side["mode"].astype(str) == "normal"]
    twice = {
        TWICE: expected_score(normal, "one_stage", 2, seed=0),
        TWICE_BY_GOLD: oracle_score(normal, 2),
    }
    ways = {NORMAL: own.mean(axis=1), ALIKE: by_tool.mean(axis=1)}
    ways[AGREED] = by_tool[np.arange(len(by_tool)), agreement(answer)]
    ways[BY_GOLD] = by_tool.max(axis=1)
    # The released program counts, of tools that answered their own question, the best by gold, plus one for that
    # question; sets without such a tool get the one too.
    ways[AS_RELEASED] = (1 + np.where(own > 0, right.sum(axis=2) - own, 0).max(axis=1)) / SIZE
    for way, scores in twice.items():
        each = scores.astype({"run": str, "category": str})[[*KEY, "score"]]
        each = cells.loc[cells["source"] == 0, KEY].merge(each, on=KEY, how="left")["score"]
        ways[way] = each.to_numpy(float).reshape(-1, SIZE).mean(axis=1)
    return ways


def agreement(answer: np.ndarray) -> np.ndarray:
    """The place whose tool a set trusts: whose answers (sets, tools, questions) most others share; first of equals."""
    same = pd.notna(answer)[:, :, None] & (
        answer[:, :, None] == answer[:, None]
    )  # sets, tool, other tool, question
    return (same & ~np.eye(SIZE, dtype=bool)[:, :, None]).sum(axis=(2, 3)).argmax(axis=1)


def _row(category: str, system: str, scores: pd.Series) -> dict:
    """A row: the mean over sets, with its interval where it is no share of sets; runs of a set go together."""
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
