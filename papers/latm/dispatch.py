"""LATM's dispatcher: how often it says which tool a question needs, or that a new one does (LATM, section 4.4)."""

import re
from collections.abc import Mapping

import pandas as pd

from trove_lite.analysis.scores import estimate, score
from trove_lite.datasets.bbh import UNKNOWN

from .. import is_its_model, named, published_table

METHOD = "dispatcher"
#: Kind of draw → what the paper calls it. Its program draws the tasks that are known and those asked apart.
KINDS = {
    "existing": "dispatcher accuracy existing tools",
    "new": "dispatcher accuracy requesting tools",
    "new_released": "dispatcher accuracy requesting tools",
}
PRINTED = ["published", "published_sd"]
COLUMNS = ["kind", "model", *PRINTED, "value", "low", "high", "sd", "new", "draws", "questions", "runs"]


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
    scores = score(asked, "one_stage", int(asked.groupby(["run", "category", "problem"], observed=True).size().min()))
    theirs = calls[calls["role"] == METHOD].astype({"run": str, "model": str})
    models = dict(zip(asked["run"].astype(str), asked["model"].astype(str), strict=True))
    models |= dict(zip(theirs["run"], theirs["model"], strict=True))
    rows, unknown = [], (asked["answer"] == UNKNOWN).groupby(_kinds(asked, models)).mean()
    for (kind, model), part in scores.groupby(_kinds(scores, models)):
        known, draws = estimate(part), part.groupby("category", observed=True)["score"].mean()
        row = {"kind": kind, "model": model, "value": known.value, "low": known.low, "high": known.high}
        row |= dict(zip(PRINTED, _printed(KINDS[kind]), strict=True)) if is_its_model("latm", model) else {}
        row |= {"sd": draws.std(), "new": unknown[kind, model], "draws": len(draws)}
        rows.append(row | {"questions": known.problems, "runs": part["run"].nunique()})
    table = pd.DataFrame(rows, columns=COLUMNS)
    return named(table, "latm_dispatcher", title, ", ".join(dict.fromkeys(models.values())))


def _kinds(rows: pd.DataFrame, models: Mapping[str, str]) -> list[pd.Series]:
    """Each row's kind of draw, and the model that was asked."""
    return [rows["category"].astype(str).str.rpartition("_")[0], rows["run"].astype(str).map(models)]


def _printed(quantity: str) -> tuple[float, float]:
    """A printed share with what stands behind its ±, of "94, % +-2"."""
    (row,) = published_table("figures").query("paper == 'latm' and quantity == @quantity").itertuples()
    return float(row.value) / 100, float(re.search(r"\+-(\d+)", row.unit)[1]) / 100
