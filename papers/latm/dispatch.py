"""LATM's dispatcher: how often it says rightly which tool a question needs, or that a new one is (LATM, section 4.4).

And what comes of a stream of unannounced tasks, of which the paper prints nothing.
"""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from trove_lite.analysis.scores import estimate, score
from trove_lite.candidates import load_candidates
from trove_lite.datasets.bbh import UNKNOWN
from trove_lite.recorded.made_tools import described

from .. import is_its_model, named, published_table
from .systems import DISPATCHER

#: Kind of draw → what the paper calls it. Its program draws the tasks that are known and those asked apart.
KINDS = {
    "existing": "dispatcher accuracy existing tools",
    "new": "dispatcher accuracy requesting tools",
    "new_released": "dispatcher accuracy requesting tools",
}
PRINTED = ["published", "published_sd"]
COLUMNS = ["kind", "model", *PRINTED, "value", "low", "high", "sd", "new", "draws", "questions", "runs"]
STREAM_COLUMNS = ["run", "what", "count", "of", "value", "low", "high", "note"]


def dispatcher(candidates: pd.DataFrame, calls: pd.DataFrame) -> pd.DataFrame:
    """How often the dispatcher is right, by kind of draw and model, beside print; the interval is over questions.

    existing: all six tasks have their tool. new: four have one, and of the four that are asked about two do, as the
    paper says; new_released: two to four do, as its program draws them. `sd`: between draws of 100 questions, which is
    what the paper prints behind its ±. `new`: the share of replies by which a question is of none of the known tasks;
    of the questions none is in `existing`, and half in `new`.
    """
    title = "LATM's dispatcher"
    asked = candidates[(candidates["method"] == DISPATCHER) & (candidates["phase"] == "stream")]
    if asked.empty:
        return named(pd.DataFrame(columns=COLUMNS), "", title, "", note="no runs of the dispatcher")
    scores = score(asked, "one_stage", int(asked.groupby(["run", "category", "problem"], observed=True).size().min()))
    theirs = calls[calls["role"] == DISPATCHER].astype({"run": str, "model": str})
    models = dict(zip(asked["run"].astype(str), asked["model"].astype(str), strict=True))
    models |= dict(zip(theirs["run"], theirs["model"], strict=True))
    rows, unknown = [], (asked["answer"] == UNKNOWN).groupby(_of(asked, models)).mean()
    for (kind, model), part in scores.groupby(_of(scores, models), sort=False):
        known, draws = estimate(part), part.groupby("category", observed=True)["score"].mean()
        row = {"kind": kind, "model": model, "value": known.value, "low": known.low, "high": known.high}
        row |= dict(zip(PRINTED, _printed(KINDS[kind]), strict=True)) if is_its_model("latm", model) else {}
        rows.append(
            row
            | {"sd": draws.std(), "new": unknown[kind, model]}
            | {"draws": len(draws), "questions": known.problems, "runs": part["run"].nunique()}
        )
    table = pd.DataFrame(rows, columns=COLUMNS).sort_values(["kind", "model"], kind="stable", ignore_index=True)
    return named(table, "latm_dispatcher", title, ", ".join(dict.fromkeys(models.values())))


def _of(rows: pd.DataFrame, models: Mapping[str, str]) -> list[pd.Series]:
    """Each row's kind of draw, and the model that was asked."""
    return [rows["category"].astype(str).str.rpartition("_")[0], rows["run"].astype(str).map(models)]


def _printed(quantity: str) -> tuple[float, float]:
    """A printed share with what stands behind its ±, of "94, % +-2"."""
    (row,) = published_table("figures").query("paper == 'latm' and quantity == @quantity").itertuples()
    return float(row.value) / 100, float(re.search(r"\+-(\d+)", row.unit)[1]) / 100


def streams(runs: Iterable[str | Path]) -> pd.DataFrame:
    """What came of streams of unannounced tasks, of run folders: shares of questions, with their 95 % intervals.

    A question is dispatched rightly where it is taken for a task whose first question is of its own kind, or for a new
    one where none of its kind had come. Then how many are answered rightly: by a tool, by the maker, all together; and
    how many tools were made, of the tasks for which that was tried.
    """
    rows = [row for folder in map(Path, runs) for row in _streamed(folder)]
    note = "no run folder of LATM on unannounced tasks"
    return named(
        pd.DataFrame(rows, columns=STREAM_COLUMNS),
        "latm_streams" if rows else "",
        "LATM on unannounced tasks",
        "",
        note=note,
    )


def _streamed(folder: Path) -> list[dict]:
    """The rows of one run folder; none where it holds no such run."""
    if not (folder / "run.json").is_file():
        return []
    tasks = pd.DataFrame([task for task in described(folder)["toolboxes"] if "by_tool" in task])
    if tasks.empty:
        return []
    candidates = load_candidates(folder)
    candidates = candidates[candidates["method"].astype(str).isin(set(tasks["method"]))]
    fewest = int(candidates.groupby(["run", "category", "problem"], observed=True).size().min())
    scores = score(candidates, "one_stage", fewest).merge(candidates[["run", "seed"]].drop_duplicates(), on="run")
    key = ["method", "category", "seed"]
    opened, judged = dict(list(tasks.groupby(key))), []
    for stream, part in scores.astype({"method": str, "category": str}).groupby(key):
        here = opened[stream]
        right = dispatched(here, dict(zip(part["problem"], part["level"].astype(str), strict=True)))
        by_tool = part["problem"].isin([problem for known in here["by_tool"] for problem in known])
        judged.append(part.assign(rightly=part["problem"].map(right).astype(float), by_tool=by_tool))
    scores = pd.concat(judged)
    parts = {
        "dispatched rightly": scores.assign(score=scores["rightly"]),
        "right by a tool": scores[scores["by_tool"]],
        "right by the maker": scores[~scores["by_tool"]],
        "right": scores,
    }
    about = {"run": folder.name}
    rows = [about | {"what": what} | _share(part) for what, part in parts.items()]
    tried = tasks[tasks["trials"] > 0]
    made = int((tried["tool"] != "").sum())
    note = f"{len(tasks)} tasks opened or known in {len(judged)} streams of {scores['level'].nunique()} kinds"
    return [*rows, about | {"what": "tools made", "count": made, "of": len(tried), "note": note}]


def dispatched(tasks: pd.DataFrame, kinds: Mapping[int, str]) -> dict[int, bool]:
    """Whether each question of a stream was taken for its own task; `kinds`: problem → the task that it is of.

    A task is of the kind of its first question; one whose tool was known from the beginning has the kind's name.
    """
    kind_of = {task.Index: task.name if task.name in set(kinds.values()) else "" for task in tasks.itertuples()}
    went = {problem: task.Index for task in tasks.itertuples() for problem in (*task.by_maker, *task.by_tool)}
    right = {}
    for problem, task in sorted(went.items()):
        kind = kinds[problem]
        right[problem] = kind_of[task] == kind if kind_of[task] else kind not in kind_of.values()
        kind_of[task] = kind_of[task] or kind
    return right


def _share(scores: pd.DataFrame) -> dict:
    """How many of how many, and the share with its interval; of nothing nothing."""
    if scores.empty:
        return {"count": 0, "of": 0}
    known = estimate(scores)
    return {"count": float(scores["score"].sum()), "of": len(scores)} | known._asdict()
