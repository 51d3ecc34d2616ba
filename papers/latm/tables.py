"""LATM's Tables 2 to 5: how often a made tool leads to the right answer, and how often a tool can be made at all.

Most printed values are of 232 of the 240 instances, as their decimals tell; ours are of all.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from trove_lite.analysis import compare as analysis
from trove_lite.analysis.compare import estimates
from trove_lite.analysis.independence import independent_runs
from trove_lite.analysis.scores import score
from trove_lite.analysis.sides import Comparison
from trove_lite.candidates import all_candidates, read_description
from trove_lite.datasets import load_problems
from trove_lite.datasets.bbh import option_of
from trove_lite.errors import TroveLiteError
from trove_lite.methods.latm import FALLBACK
from trove_lite.recorded.made_tools import THOUGHT_MAKER, TOOL_MAKER

from .. import in_columns, named, published_table
from .cost import NO_TOOL
from .released import TITLES
from .systems import METHODS, System, family, systems

NO_RUNS = "no runs of LATM or of a chain of thought"
TASKS = {title: task for task, title in TITLES.items()}
#: What a row says in place of a number where a system that makes tools made none.
NONE_MADE = "no tool made"
ESTIMATED = ["value", "low", "high", "prediction_low", "prediction_high", "p_print", "run_sd"]
DIFFERENCE_COLUMNS = [*analysis.DIFFERENCE_COLUMNS, "tools", "tasks", "note"]
TESTED = ["difference", "low", "high", "low_problems", "high_problems", "p", *analysis.WITHIN, "problems_needed"]
#: What Table 5 calls whose thoughts a user goes on from, and ours.
THOUGHTS = {"GPT-4 CoT": f"{METHODS[THOUGHT_MAKER]} of GPT-4", "Human-written CoT": "CoT", "LATM": "LATM of GPT-4"}
TABLE5_USER = "GPT-3.5 Turbo"
TRIAL_COLUMNS = ["category", "maker", "source", "successes", "trials", "published", "value", "low", "high"]
TRIAL_COLUMNS += ["proposals", "verifications", "labels", "note"]


def sides(candidates: pd.DataFrame, calls: pd.DataFrame) -> Comparison | None:
    """A side for each system of LATM's tables: `LATM, USER`, `LATM of MAKER, USER`, `CoT, MODEL`; None without any.

    Runs that copy another of the same system are left out: two users of one tool may well write the same calls of it.
    """
    candidates = all_candidates(candidates)
    candidates = candidates[candidates["method"].map(family).isin(METHODS)]
    if candidates.empty:
        return None
    who = systems(calls)
    rows = zip(*(candidates[column].astype(str) for column in ("run", "method", "model")), strict=True)
    names = [who.get((run, method), System(family(method), model)).title for run, method, model in rows]
    parts = candidates.groupby(pd.Series(names, candidates.index), sort=False)
    frames = {side: independent_runs(part, across=True) for side, part in parts}
    return Comparison.of(frames, calls=calls)


def _only(comparison: Comparison | None, *methods: str) -> Comparison | None:
    """The sides of these methods; None where there are none."""
    names = tuple(METHODS[method] for method in methods)
    kept = {name: side for name, side in comparison.sides.items() if name.startswith(names)} if comparison else {}
    return replace(comparison, sides=kept) if kept else None


# ---- accuracy ----


def table2(comparison: Comparison | None) -> pd.DataFrame:
    """Accuracy on each task, of tools made and used, and of the same models without any (Table 2).

    A row a task and system; the paper's models have rows of their own, with their printed values alone.
    """
    return _accuracy(comparison, 2, lambda row: f"{row.method}, {row.tool_user_model}")


def table4(comparison: Comparison | None) -> pd.DataFrame:
    """The same tools in the hands of other users (Table 4): those systems that use a tool, beside the printed ones."""
    return _accuracy(_only(comparison, TOOL_MAKER), 4, lambda row: f"LATM of GPT-4, {row.tool_user_model}")


def table5(comparison: Comparison | None) -> pd.DataFrame:
    """A chain of thought as the tool (Table 5): examples that a model wrote, those that people wrote, and a tool.

    Empty without thoughts that a model wrote.
    """
    users = _only(comparison, TOOL_MAKER, THOUGHT_MAKER, "cot") if _only(comparison, THOUGHT_MAKER) else None
    return _accuracy(users, 5, lambda row: f"{THOUGHTS[row.method]}, {TABLE5_USER}")


def _accuracy(comparison: Comparison | None, number: int, system: Callable[[object], str]) -> pd.DataFrame:
    """A table of accuracies; `options_by_text`: of answers by an option's text, too."""
    table, title = f"latm_table{number}", f"LATM's Table {number}"
    if comparison is None:
        return named(in_columns(pd.DataFrame(columns=["runs", "problems"])), table, title, note=NO_RUNS)
    rows = []
    for name, side in comparison.sides.items():
        scores, by_text = (score(one, "one_stage", comparison.samples(name)) for one in (side, options_by_text(side)))
        cells = zip(estimates(comparison, name, scores), estimates(comparison, name, by_text), strict=True)
        for cell, other in cells:
            made, values = made_for(side, _tasks(comparison, cell["category"])), {"options_by_text": other.get("value")}
            if made.tasks and not made.is_known:
                values = dict.fromkeys([*ESTIMATED, *values], np.nan)
            note = "; ".join(filter(None, [made.note, cell.get("note", "")]))
            rows.append(cell | values | {"system": name, "source": name, "note": note})
    printed = published_table(table) if comparison.dataset == "bbh" else pd.DataFrame()
    if "metric" in printed:  # one of several in a column
        printed = printed[printed["metric"] == "accuracy_pct"].rename(columns={"value": "accuracy_pct"})
    for row in printed.itertuples():
        about = {"category": TASKS[row.task], "system": system(row), "published": row.accuracy_pct / 100}
        rows.append(about | {"runs": 0, "problems": 0, "note": "printed"})
    found = in_columns(pd.DataFrame(rows))
    found.insert(found.columns.get_loc("high") + 1, "options_by_text", [row.get("options_by_text") for row in rows])
    return named(found.astype({"options_by_text": float}), table, title, comparison.title)


def _tasks(comparison: Comparison, category: str) -> Sequence[str]:
    """The categories that a row is about."""
    if category in comparison.categories:
        return [category]
    return comparison.covered() if category.startswith("covered") else comparison.categories


def options_by_text(side: pd.DataFrame) -> pd.DataFrame:
    """The candidates, right also where they answer with the text of the right option in place of its label.

    LATM's protocol takes the label alone. Nothing changes where the problems are not at hand.
    """
    right = side["correct"].astype("boolean")
    wrong = side[~right.fillna(True) & side["category"].isin(TITLES)]
    for (dataset, category), part in wrong.groupby(["dataset", "category"], observed=True):
        try:
            problems = {problem.index: problem for problem in load_problems(str(dataset), str(category))}
        except TroveLiteError:
            continue
        asked = [problems.get(number) for number in part["problem"]]
        right[part.index] = [
            p is not None and isinstance(text, str) and option_of(p.question.text, text) == p.gold
            for p, text in zip(asked, part["answer"], strict=True)
        ]
    return side.assign(correct=right)


# ---- whether there was a tool ----


class Made(NamedTuple):
    """How many of a side's tasks, in all its runs, had a tool, and whether some were answered by nobody."""

    tools: int
    tasks: int
    unanswered: bool

    @property
    def is_known(self) -> bool:
        """Whether what is right says something of tools: some were made, and what had none was answered."""
        return self.tools > 0 and not self.unanswered

    @property
    def note(self) -> str:
        """The same in words; "" where all tasks had a tool."""
        if self.tools == self.tasks:
            return ""
        how = "" if self.unanswered else ", the others by a program without one"
        return f"tools made for {self.tools} of {self.tasks} tasks{how}" if self.tools else NONE_MADE


def made_for(side: pd.DataFrame, categories: Iterable[str]) -> Made:
    """What was made for these categories, of a side that makes tools; one that makes none lacks none."""
    here = side[side["category"].astype(str).isin(set(categories))]
    errors = here["error"] if "error" in here else pd.Series("", here.index)
    unanswered = errors.astype(object).fillna("").str.contains(NO_TOOL).astype(bool)
    keys = [here[column].astype(str) for column in ("run", "category")]
    lacking = (unanswered | (here["mode"] == FALLBACK)).groupby(keys).all()
    return Made(int((~lacking).sum()), len(lacking), bool(unanswered.any()))


def table3(runs: Iterable[str | Path]) -> pd.DataFrame:
    """How many trials to make a tool succeed (Table 3), of run folders: a row a task and maker, printed ones last.

    A maker of several tasks has a row of all its trials besides, category `all`. A trial succeeds where the tool passes
    the maker's own tests. `proposals`, `verifications`: means of what was written until then; `labels`: labelled
    problems that the maker saw, a task. The interval is Wilson's, over trials. note: what a study tells of its run, as
    that these trials were drawn before.
    """
    trials, rows = [trial for folder in map(Path, runs) for trial in _trials(folder)], []
    if trials:
        frame = pd.DataFrame(trials)
        several = frame.groupby("maker")["category"].transform("nunique") > 1
        parts = pd.concat([frame, frame[several].assign(category="all")])
        for (task, maker), part in parts.groupby(["category", "maker"], sort=False):
            made = part["made"]
            low, high = binomtest(int(made.sum()), len(made)).proportion_ci(method="wilson")
            about = {"category": task, "maker": maker, "source": "run", "successes": int(made.sum())}
            about |= {"trials": len(made), "value": made.mean(), "low": float(low), "high": float(high)}
            about["note"] = "; ".join(dict.fromkeys(filter(None, part["note"])))
            rows.append(about | part[["proposals", "verifications", "labels"]].mean().to_dict())
    for row in published_table("latm_table3").itertuples():
        about = {"category": TASKS[row.task], "maker": row.tool_maker_model, "source": "printed"}
        rows.append(about | {"successes": row.successes, "trials": row.trials, "published": row.successes / row.trials})
    table = pd.DataFrame(rows).reindex(columns=TRIAL_COLUMNS)
    note = "" if trials else "no run folder of LATM: outcomes do not say how tools were made"
    return named(table, "latm_table3", "LATM's Table 3", ", ".join(map(str, runs)), note=note)


def _trials(folder: Path) -> list[dict]:
    about = read_description(folder)
    maker = about.get("models", {}).get("maker", about.get("model", ""))
    tools = [tool for tool in about.get("toolboxes", ()) if tool.get("proposals")]
    return [tool | {"maker": maker, "note": about.get("note", "")} for tool in tools]


# ---- differences ----


def differences(comparison: Comparison | None) -> pd.DataFrame:
    """LATM minus each side without a tool, problem by problem, at the calls that each was run with.

    tools, tasks: of how many tasks, in all runs, LATM had a tool. Where it had none there is nothing to compare, nor
    where some of its tasks were answered by nobody: the row says so in place of a difference (`note`).
    """
    title = "LATM minus others"
    if comparison is None:
        return named(pd.DataFrame(columns=DIFFERENCE_COLUMNS), "latm_differences", title, note=NO_RUNS)
    scores = {name: score(side, "one_stage", comparison.samples(name)) for name, side in comparison.sides.items()}
    makers = [name for name in scores if name.startswith(METHODS[TOOL_MAKER])]
    pairs = [(maker, name) for maker in makers for name in scores if name not in makers]
    table = analysis.differences(comparison, scores, pairs=pairs)
    shared = [
        comparison.covered(row.a, row.b) if row.category in ("all", "covered") else [row.category]
        for row in table.itertuples()
    ]
    made = [made_for(comparison[a], tasks) for a, tasks in zip(table["a"], shared, strict=True)]
    table.loc[[not one.is_known for one in made], TESTED] = np.nan
    about = {"tools": [one.tools for one in made], "tasks": [one.tasks for one in made]}
    table = analysis.corrected(table).assign(**about, note=[one.note for one in made])
    note = "" if pairs else "there is nothing beside LATM to compare with" if makers else "no LATM runs"
    return named(table, "latm_differences", title, comparison.title, note=note)
