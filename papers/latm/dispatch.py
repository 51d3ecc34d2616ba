"""LATM's dispatcher: how often it says which tool a question needs, or that a new one does (LATM, section 4.4)."""

import re

import pandas as pd

from trove_lite.analysis.scores import estimate, score
from trove_lite.datasets.bbh import UNKNOWN

from .. import is_its_model, named, published_table

METHOD = "dispatcher"
#: Kind of draw → what the paper calls it. Its program draws the tasks that are known and those asked apart.
KINDS = {"existing": "dispatcher accuracy existing tools"}
KINDS |= dict.fromkeys(("new", "new_released"), "dispatcher accuracy requesting tools")
COLUMNS = ["kind", "model", "published", "published_sd", "value", "low", "high", "sd", "new"]
COLUMNS += ["draws", "questions", "runs"]


def dispatcher(candidates: pd.DataFrame, calls: pd.DataFrame) -> pd.DataFrame:
    """How often the dispatcher is right, by kind of draw and model, beside print; the interval is over questions.

    existing: all six tasks have their tool. new: four have one, and of the four that are asked about two do, as the
    paper says; new_released: two to four do, as its program draws them. `sd`: between draws of 100 questions, which is
    what the paper prints behind its ±. `new`: the share of replies by which a question is of none of the known tasks;
    of the questions none is in `existing`, and half in `new`.
    """
    title = "LATM's dispatcher"
    asked = candidates[(candidates["method"] == METHOD) & (candidates["phase"] == "stream")]
    if asked.empty:
        return named(pd.DataFrame(columns=COLUMNS), "latm_dispatcher", title, note="no runs of the dispatcher")
    theirs = pd.concat([asked[["run", "model"]], calls.loc[calls["role"] == METHOD, ["run", "model"]]]).astype(str)
    models = dict(zip(theirs["run"], theirs["model"], strict=True))  # of a run its calls say it best

    def kinds(rows: pd.DataFrame) -> list[pd.Series]:
        return [rows["category"].astype(str).str.rpartition("_")[0], rows["run"].astype(str).map(models)]

    scores = score(asked, "one_stage", int(asked.groupby(["run", "category", "problem"], observed=True).size().min()))
    rows, unknown = [], (asked["answer"] == UNKNOWN).groupby(kinds(asked)).mean()
    for (kind, model), part in scores.groupby(kinds(scores)):
        found, draws = estimate(part), part.groupby("category", observed=True)["score"].mean()
        row = {"kind": kind, "model": model, "value": found.value, "low": found.low, "high": found.high}
        if is_its_model("latm", model):  # a printed share with what stands behind its ±, of "94, % +-2"
            (cell,) = published_table("figures").query("paper == 'latm' and quantity == @KINDS[@kind]").itertuples()
            spread = float(re.search(r"\+-(\d+)", cell.unit)[1])
            row |= {"published": float(cell.value) / 100, "published_sd": spread / 100}
        row |= {"sd": draws.std(), "new": unknown[kind, model], "draws": len(draws)}
        rows.append(row | {"questions": found.problems, "runs": part["run"].nunique()})
    table = pd.DataFrame(rows, columns=COLUMNS)
    return named(table, "latm_dispatcher", title, ", ".join(dict.fromkeys(models.values())))
