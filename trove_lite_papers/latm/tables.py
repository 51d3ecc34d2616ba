"""LATM's Tables 2 to 5: how often a made tool leads to the right answer, how often one can be made; its dispatcher.

Most printed values are of 232 of the 240 instances, as their decimals tell; ours are of all.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from trove_lite.candidates import all_candidates, read_description
from trove_lite_analysis import compare as analysis
from trove_lite_analysis.independence import independent_runs
from trove_lite_analysis.scores import estimate, score
from trove_lite_analysis.sides import Comparison

from ..tables import in_columns, is_its_model, name_table, published_table
from .bbh import TITLES, UNKNOWN
from .cost import NO_TOOL
from .latm import FALLBACK
from .made_tools import THOUGHT_MAKER, TOOL_MAKER
from .systems import METHODS, System, family, systems

NO_RUNS = "no runs of LATM or of a chain of thought"
TASKS = {title: task for task, title in TITLES.items()}
ESTIMATED = ["value", "low", "high", "prediction_low", "prediction_high", "p_print", "run_sd"]
DIFFERENCE_COLUMNS = [*analysis.DIFFERENCE_COLUMNS, "tools", "tasks", "note"]
TESTED = [
    "difference",
    "low",
    "high",
    "low_problems",
    "high_problems",
    "p",
    *analysis.WITHIN,
    "problems_needed",
]
#: What Table 5 calls whose thoughts a user goes on from, and ours.
THOUGHTS = {
    "GPT-4 CoT": f"{METHODS[THOUGHT_MAKER]} of GPT-4",
    "Human-written CoT": "CoT",
    "LATM": "LATM of GPT-4",
}
TRIAL_COLUMNS = [
    "category",
    "maker",
    "source",
    "successes",
    "trials",
    "published",
    "value",
    "low",
    "high",
]
TRIAL_COLUMNS += ["proposals", "verifications", "labels", "note"]
DISPATCHER = "dispatcher"
#: Kind of draw → what the paper calls it. Its program draws the tasks that are known and those asked apart.
KINDS = {"existing": "dispatcher accuracy existing tools"}
KINDS |= dict.fromkeys(("new", "new_released"), "dispatcher accuracy requesting tools")
DISPATCH_COLUMNS = [
    "kind",
    "model",
    "published",
    "published_sd",
    "value",
    "low",
    "high",
    "sd",
    "new",
]
DISPATCH_COLUMNS += ["draws", "questions", "runs"]


def sides(candidates: pd.DataFrame, calls: pd.DataFrame) -> Comparison | None:
    """A side for each system of LATM's tables, such as `LATM of MAKER, USER`; None without any."""
    candidates = all_candidates(candidates)
    candidates = candidates[candidates["method"].map(family).isin(METHODS)]
    if candidates.empty:
        return None
    who = systems(calls)
    rows = candidates[["run", "method", "model"]].astype(str).itertuples(index=False, name=None)
    names = [
        who.get((run, method), System(family(method), model)).title for run, method, model in rows
    ]
    parts = candidates.groupby(pd.Series(names, candidates.index), sort=False)
    return Comparison.of(
        {side: independent_runs(part, across=True) for side, part in parts}, calls=calls
    )


def _only(comparison: Comparison | None, *methods: str) -> Comparison | None:
    names = tuple(METHODS[method] for method in methods)
    kept = (
        {name: side for name, side in comparison.sides.items() if name.startswith(names)}
        if comparison
        else {}
    )
    return replace(comparison, sides=kept) if kept else None


def table2(comparison: Comparison | None) -> pd.DataFrame:
    """Accuracy on each task of tools made and used, and of models without any (Table 2); print has rows of its own."""
    return _accuracy(comparison, 2, lambda row: f"{row.method}, {row.tool_user_model}")


def table4(comparison: Comparison | None) -> pd.DataFrame:
    """The same tools in the hands of other users (Table 4): those systems that use a tool, beside the printed ones."""
    return _accuracy(
        _only(comparison, TOOL_MAKER), 4, lambda row: f"LATM of GPT-4, {row.tool_user_model}"
    )


def table5(comparison: Comparison | None) -> pd.DataFrame:
    """A chain of thought as the tool (Table 5): written by a model, by people, and a tool; empty without the first."""
    users = (
        _only(comparison, TOOL_MAKER, THOUGHT_MAKER, "cot")
        if _only(comparison, THOUGHT_MAKER)
        else None
    )
    return _accuracy(users, 5, lambda row: f"{THOUGHTS[row.method]}, GPT-3.5 Turbo")


def _accuracy(
    comparison: Comparison | None, number: int, system: Callable[[object], str]
) -> pd.DataFrame:
    table, title, rows = f"latm_table{number}", f"LATM's Table {number}", []
    if comparison is None:
        return name_table(
            in_columns(pd.DataFrame(columns=["runs", "problems"])), table, title, note=NO_RUNS
        )
    for name, side in comparison.sides.items():
        for cell in analysis.estimates(
            comparison, name, score(side, "one_stage", comparison.samples(name))
        ):
            made = made_for(side, _tasks(comparison, cell["category"]))
            lacks = dict.fromkeys(ESTIMATED, np.nan) if made.tasks and not made.known else {}
            note = "; ".join(filter(None, [made.note, cell.get("note", "")]))
            rows.append(cell | lacks | {"system": name, "source": name, "note": note})
    printed = published_table(table) if comparison.dataset == "bbh" else pd.DataFrame()
    if "metric" in printed:  # one of several in a column
        printed = printed[printed["metric"] == "accuracy_pct"].rename(
            columns={"value": "accuracy_pct"}
        )
    for row in printed.itertuples():
        about = {
            "category": TASKS[row.task],
            "system": system(row),
            "published": row.accuracy_pct / 100,
        }
        rows.append(about | {"runs": 0, "problems": 0, "note": "printed"})
    return name_table(in_columns(pd.DataFrame(rows)), table, title, comparison.title)


def _tasks(comparison: Comparison, category: str, *sides: str) -> Sequence[str]:
    """The categories that a row is about; over several, those that these sides (none: all) have."""
    if category in comparison.categories:
        return [category]
    return (
        comparison.covered(*sides)
        if sides or category.startswith("covered")
        else comparison.categories
    )


class Made(NamedTuple):
    """How many of a side's tasks had a tool, the same in words, and whether what is right says something of tools."""

    tools: int
    tasks: int
    known: bool
    note: str


def made_for(side: pd.DataFrame, categories: Iterable[str]) -> Made:
    """What was made for these categories, of a side that makes tools; one that makes none lacks none."""
    here = side[side["category"].astype(str).isin(set(categories))]
    errors = here["error"] if "error" in here else pd.Series("", here.index)
    unanswered = errors.astype(object).fillna("").str.contains(NO_TOOL).astype(bool)
    stream = [here[name].astype(str) for name in ("run", "category")]
    lacking = (unanswered | (here["mode"] == FALLBACK)).groupby(stream).all()
    tools, tasks = int((~lacking).sum()), len(lacking)
    how = "" if unanswered.any() else ", the others by a program without one"
    note = f"tools made for {tools} of {tasks} tasks{how}" if tools else "no tool made"
    return Made(tools, tasks, tools > 0 and not unanswered.any(), "" if tools == tasks else note)


def table3(runs: Iterable[str | Path]) -> pd.DataFrame:
    """How many trials to make a tool succeed (Table 3), of run folders: a row a task and maker, printed ones last.

    A maker of several tasks has a row of all its trials besides, category `all`. A trial succeeds where the tool passes
    the maker's own tests. `proposals`, `verifications`: means until then. The interval is Wilson's, over trials.
    """
    trials, rows = [], []
    for about in map(read_description, runs):
        maker = about.get("models", {}).get("maker", about.get("model", ""))
        trials += [
            tool | {"maker": maker} for tool in about.get("toolboxes", ()) if tool.get("proposals")
        ]
    frame = pd.DataFrame(trials, columns=None if trials else ["maker", "category"])
    several = frame.groupby("maker")["category"].transform("nunique") > 1
    parts = pd.concat([frame, frame[several].assign(category="all")])
    for (task, maker), part in parts.groupby(["category", "maker"], sort=False):
        made = int(part["made"].sum())
        ends = binomtest(made, len(part)).proportion_ci(method="wilson")._asdict()
        about = {
            "category": task,
            "maker": maker,
            "source": "run",
            "successes": made,
            "trials": len(part),
        }
        about |= ends | {"value": made / len(part)}
        rows.append(about | part[["proposals", "verifications", "labels"]].mean().to_dict())
    for row in published_table("latm_table3").itertuples():
        about = {"category": TASKS[row.task], "maker": row.tool_maker_model, "source": "printed"}
        rows.append(
            about
            | {
                "successes": row.successes,
                "trials": row.trials,
                "published": row.successes / row.trials,
            }
        )
    table = pd.DataFrame(rows).reindex(columns=TRIAL_COLUMNS)
    note = "" if trials else "no run folder of LATM: outcomes do not say how tools were made"
    return name_table(table, "latm_table3", "LATM's Table 3", ", ".join(map(str, runs)), note=note)


def differences(comparison: Comparison | None) -> pd.DataFrame:
    """LATM minus each side without a tool, problem by problem, at the calls that each was run with.

    tools, tasks: of how many tasks, in all runs, LATM had a tool. Where it had none there is nothing to compare, nor
    where some of its tasks were answered by nobody: the row says so in place of a difference (`note`).
    """
    about = {"name": "latm_differences", "title": "LATM minus others"}
    if comparison is None:
        return name_table(pd.DataFrame(columns=DIFFERENCE_COLUMNS), **about, note=NO_RUNS)
    scores = {
        name: score(side, "one_stage", comparison.samples(name))
        for name, side in comparison.sides.items()
    }
    makers = [name for name in scores if name.startswith(METHODS[TOOL_MAKER])]
    pairs = [(maker, name) for maker in makers for name in scores if name not in makers]
    table = analysis.differences(comparison, scores, pairs=pairs)
    rows = table[["category", "a", "b"]].itertuples(index=False, name=None)
    made = [made_for(comparison[a], _tasks(comparison, category, a, b)) for category, a, b in rows]
    table.loc[[not one.known for one in made], TESTED] = np.nan
    found = {"tools": [one.tools for one in made], "tasks": [one.tasks for one in made]}
    table = analysis.add_holm(table).assign(**found, note=[one.note for one in made])
    note = (
        ""
        if pairs
        else "there is nothing beside LATM to compare with"
        if makers
        else "no LATM runs"
    )
    return name_table(table, **about, runs=comparison.title, note=note)


def dispatcher(candidates: pd.DataFrame, calls: pd.DataFrame) -> pd.DataFrame:
    """How often the dispatcher is right, by kind of draw and model, beside print; the interval is over questions.

    Kinds are of `bbh.tasks_of`. `sd`: between draws of 100 questions, the paper's ±. `new`: the share of replies by
    which a question is of none of the known tasks.
    """
    title = "LATM's dispatcher"
    asked = candidates[(candidates["method"] == DISPATCHER) & (candidates["phase"] == "stream")]
    if asked.empty:
        none = pd.DataFrame(columns=DISPATCH_COLUMNS)
        return name_table(none, "latm_dispatcher", title, note="no runs of the dispatcher")
    theirs = pd.concat(
        [asked[["run", "model"]], calls.loc[calls["role"] == DISPATCHER, ["run", "model"]]]
    ).astype(str)
    models = dict(
        zip(theirs["run"], theirs["model"], strict=True)
    )  # of a run its calls say it best

    def kinds(rows: pd.DataFrame) -> list[pd.Series]:
        return [
            rows["category"].astype(str).str.rpartition("_")[0],
            rows["run"].astype(str).map(models),
        ]

    scores = score(
        asked,
        "one_stage",
        int(asked.groupby(["run", "category", "problem"], observed=True).size().min()),
    )
    rows, unknown = [], (asked["answer"] == UNKNOWN).groupby(kinds(asked)).mean()
    for (kind, model), part in scores.groupby(kinds(scores)):
        found, draws = (
            estimate(part)._asdict(),
            part.groupby("category", observed=True)["score"].mean(),
        )
        row = found | {
            "kind": kind,
            "model": model,
            "questions": found["problems"],
            "runs": part["run"].nunique(),
        }
        if is_its_model(
            "latm", model
        ):  # a printed share with what stands behind its ±, of "94, % +-2"
            (cell,) = (
                published_table("figures")
                .query("paper == 'latm' and quantity == @KINDS[@kind]")
                .itertuples()
            )
            spread = float(re.search(r"\+-(\d+)", cell.unit)[1])
            row |= {"published": float(cell.value) / 100, "published_sd": spread / 100}
        rows.append(row | {"sd": draws.std(), "new": unknown[kind, model], "draws": len(draws)})
    table = pd.DataFrame(rows, columns=DISPATCH_COLUMNS)
    return name_table(table, "latm_dispatcher", title, ", ".join(dict.fromkeys(models.values())))
