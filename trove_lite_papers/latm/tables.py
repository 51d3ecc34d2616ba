"""LATM's Tables 2 to 5: how often a made tool leads to the right answer, how often one can be made;
its dispatcher.

What an answer scores (`accuracy(answers)`, a number a row) and when a trial succeeds
(`succeeded(trials)`) the essay defines; here are the systems, the intervals and print. The answer
of several samples is the one that they agree on. Most printed values cover 232 of the 240
instances, as their decimals tell; ours cover all.
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
from trove_lite.selection.tables import choose
from trove_lite_analysis import differences as analysis
from trove_lite_analysis.independence import independent_runs
from trove_lite_analysis.scores import estimate
from trove_lite_analysis.sentence import Sentence
from trove_lite_analysis.systems import Comparison

from ..tables import in_columns, is_its_model, name_table, points, published_table, scored
from .bbh import TITLES, UNKNOWN
from .cost import NO_TOOL
from .latm import FALLBACK
from .made_tools import THOUGHT_MAKER, TOOL_MAKER
from .systems import METHODS, System, family, systems

Measure = Callable[[pd.DataFrame], pd.Series]
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
#: What a run tells of a trial.
TRIAL = ["maker", "category", "seed", "proposals", "verifications", "labels", "made", "tool"]
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
    "proposals",
    "verifications",
    "labels",
    "note",
]
DISPATCHER = "dispatcher"
#: Kind of draw → what the paper calls it. Its program draws the tasks that are known and those
#: asked apart.
KINDS = {"existing": "dispatcher accuracy existing tools"} | dict.fromkeys(
    ("new", "new_released"), "dispatcher accuracy requesting tools"
)
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
    "draws",
    "questions",
    "runs",
]


def compared(candidates: pd.DataFrame, calls: pd.DataFrame) -> Comparison | None:
    """A system for each system of LATM's tables, such as `LATM of MAKER, USER`; None without any."""
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
        {system: independent_runs(part, across=True) for system, part in parts}, calls=calls
    )


def _only(comparison: Comparison | None, *methods: str) -> Comparison | None:
    if not comparison:
        return None
    names = tuple(METHODS[method] for method in methods)
    kept = {name: system for name, system in comparison.systems.items() if name.startswith(names)}
    return replace(comparison, systems=kept) if kept else None


def answers_of(system: pd.DataFrame) -> pd.DataFrame:
    """The answer to each question in each run: of several samples the one that they agree on."""
    return choose(system, "one_stage")


def table2(comparison: Comparison | None, accuracy: Measure) -> pd.DataFrame:
    """Accuracy on each task of tools made and used, and of models without any (Table 2); print has
    rows of its own."""
    return _accuracy(comparison, 2, accuracy, lambda row: f"{row.method}, {row.tool_user_model}")


def table4(comparison: Comparison | None, accuracy: Measure) -> pd.DataFrame:
    """The same tools in the hands of other users (Table 4): those systems that use a tool, beside
    the printed ones."""
    users = _only(comparison, TOOL_MAKER)
    return _accuracy(users, 4, accuracy, lambda row: f"LATM of GPT-4, {row.tool_user_model}")


def table5(comparison: Comparison | None, accuracy: Measure) -> pd.DataFrame:
    """A chain of thought as the tool (Table 5): written by a model, by people, and a tool; empty
    without the first."""
    users = (
        _only(comparison, TOOL_MAKER, THOUGHT_MAKER, "cot")
        if _only(comparison, THOUGHT_MAKER)
        else None
    )
    return _accuracy(users, 5, accuracy, lambda row: f"{THOUGHTS[row.method]}, GPT-3.5 Turbo")


def _accuracy(
    comparison: Comparison | None,
    number: int,
    accuracy: Measure,
    system: Callable[[object], str],
) -> pd.DataFrame:
    table = f"latm_table{number}"
    title = f"LATM's Table {number}"
    rows = []
    if comparison is None:
        return name_table(
            in_columns(pd.DataFrame(columns=["runs", "problems"])), table, title, note=NO_RUNS
        )
    for name, theirs in comparison.systems.items():
        answers = answers_of(theirs)
        for cell in analysis.estimates(comparison, name, scored(answers, accuracy(answers))):
            made = made_for(theirs, _tasks(comparison, cell["category"]))
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


def _tasks(comparison: Comparison, category: str, *systems: str) -> Sequence[str]:
    """The categories that a row is about; over several, those that these systems (none: all) have."""
    if category in comparison.categories:
        return [category]
    return (
        comparison.covered(*systems)
        if systems or category.startswith("covered")
        else comparison.categories
    )


class Made(NamedTuple):
    """How many of a system's tasks had a tool, the same in words, and whether what is right says
    something of tools."""

    tools: int
    tasks: int
    known: bool
    note: str


def made_for(system: pd.DataFrame, categories: Iterable[str]) -> Made:
    """What was made for these categories, of a system that makes tools; one that makes none lacks
    none."""
    here = system[system["category"].astype(str).isin(set(categories))]
    errors = here["error"] if "error" in here else pd.Series("", here.index)
    unanswered = errors.astype(object).fillna("").str.contains(NO_TOOL).astype(bool)
    stream = [here[name].astype(str) for name in ("run", "category")]
    lacking = (unanswered | (here["mode"] == FALLBACK)).groupby(stream).all()
    tools = int((~lacking).sum())
    tasks = len(lacking)
    how = "" if unanswered.any() else ", the others by a program without one"
    note = f"tools made for {tools} of {tasks} tasks{how}" if tools else "no tool made"
    return Made(tools, tasks, tools > 0 and not unanswered.any(), "" if tools == tasks else note)


def trials(runs: Iterable[str | Path]) -> pd.DataFrame:
    """Every trial to make a tool of these run folders, a row each: who made it of what, and how it
    ended."""
    found = []
    for about in map(read_description, runs):
        maker = about.get("models", {}).get("maker", about.get("model", ""))
        tools = [tool for tool in about.get("toolboxes", ()) if tool.get("proposals")]
        found += [tool | {"maker": maker} for tool in tools]
    table = pd.DataFrame(found, columns=None if found else TRIAL)
    table.attrs["runs"] = ", ".join(map(str, runs))
    return table


def tools_at_hand(runs: Iterable[str | Path]) -> pd.DataFrame:
    """Every tool that these run folders used, made there or given: its text and its task."""
    tools = [tool for run in runs for tool in read_description(run).get("toolboxes", ())]
    return pd.DataFrame([tool for tool in tools if tool.get("tool")], columns=["category", "tool"])


def table3(trials: pd.DataFrame, succeeded: Measure) -> pd.DataFrame:
    """How many trials to make a tool succeed (Table 3), a row a task and maker, printed ones last.

    A maker of several tasks has a row of all its trials besides, category `all`. `proposals`,
    `verifications`: means over its trials. The interval is Wilson's, over trials.
    """
    trials = trials.assign(succeeded=succeeded(trials))
    rows = []
    several = trials.groupby("maker")["category"].transform("nunique") > 1
    parts = pd.concat([trials, trials[several].assign(category="all")])
    for (task, maker), part in parts.groupby(["category", "maker"], sort=False):
        made = int(part["succeeded"].sum())
        ends = binomtest(made, len(part)).proportion_ci(method="wilson")._asdict()
        about = {"category": task, "maker": maker, "source": "run"}
        about |= {"successes": made, "trials": len(part), "value": made / len(part)}
        rows.append(about | ends | part[["proposals", "verifications", "labels"]].mean().to_dict())
    for row in published_table("latm_table3").itertuples():
        share = row.successes / row.trials
        about = {"category": TASKS[row.task], "maker": row.tool_maker_model, "source": "printed"}
        about |= {"successes": row.successes, "trials": row.trials, "published": share}
        rows.append(about)
    table = pd.DataFrame(rows).reindex(columns=TRIAL_COLUMNS)
    note = "" if len(trials) else "no run folder of LATM: outcomes do not say how tools were made"
    return name_table(table, "latm_table3", "LATM's Table 3", trials.attrs["runs"], note=note)


def differences(comparison: Comparison | None, accuracy: Measure) -> pd.DataFrame:
    """LATM minus each system without a tool, problem by problem, at the calls that each was run with.

    tools, tasks: of how many tasks, in all runs, LATM had a tool. Where it had none there is
    nothing to compare, nor where some of its tasks were answered by nobody: the row says so in
    place of a difference (`note`).
    """
    about = {"name": "latm_differences", "title": "LATM minus others"}
    if comparison is None:
        return name_table(pd.DataFrame(columns=DIFFERENCE_COLUMNS), **about, note=NO_RUNS)
    answers = {name: answers_of(system) for name, system in comparison.systems.items()}
    scores = {name: scored(own, accuracy(own)) for name, own in answers.items()}
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


def sentence(
    tried: pd.Series, even: pd.DataFrame, differences: pd.DataFrame, prices: str
) -> Sentence:
    """How many trials made a tool, how many pairs break even, and the clearest difference with a
    tool at hand."""
    pairs = even[(even["prices"] == prices) & even["each"].notna()]
    known = differences[differences["category"].eq("all") & differences["difference"].notna()]
    if not (len(tried) or len(differences) or len(pairs)):
        return Sentence("These runs cannot tell: they hold neither LATM nor a chain of thought.")
    said = f"{tried.sum()} of {len(tried)} trials of these runs' makers end with a tool; with one at hand, "
    said += f"{pairs['instances'].notna().sum()} of {len(pairs)} pairs of a task and a rival break even by {prices}"
    for row in known.sort_values("p", kind="stable").head(1).itertuples():
        tool, rival = (system.split(",")[0] for system in (row.a, row.b))
        said += f"; {tool} is {points(row)} from {rival} ({row.problems} questions), "
        said += "whose prompts differ in more than the tool"
    return Sentence(f"{said}.")


def summary(even: pd.DataFrame, differences: pd.DataFrame, prices: str) -> str:
    """Whether tools are right, and whether they pay within the paper's 240 questions of a task."""
    pairs = even[(even["prices"] == prices) & even["each"].notna()]
    known = differences[differences["category"].eq("all") & differences["difference"].notna()]
    return (
        f"Right: of {len(known)} comparisons over all tasks with a tool at hand, {sum(known['low'] > 0)} show it "
        f"ahead and {sum(known['high'] < 0)} behind. Paid: {sum(pairs['instances'] <= 240)} of {len(pairs)} pairs "
        "break even within the paper's 240 questions of a task."
    )


def endings(candidates: pd.DataFrame) -> pd.DataFrame:
    """How the replies of each method ended: right, wrong, or in which fault."""
    status = candidates["status"].astype(str).mask(candidates["correct"].eq(True), "right")
    ended = status.replace("ok", "ran, and was wrong").rename("ended")
    return pd.crosstab(candidates["method"].astype(str), ended)


def dispatcher(candidates: pd.DataFrame, calls: pd.DataFrame, accuracy: Measure) -> pd.DataFrame:
    """How often the dispatcher is right, by kind of draw and model, beside print; the interval is
    over questions.

    Kinds are from `bbh.tasks_of`. `sd`: between draws of 100 questions, the paper's ±. `new`: the
    share of replies that put a question in none of the known tasks.
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

    answers = answers_of(asked)
    scores = scored(answers, accuracy(answers))
    rows = []
    unknown = (asked["answer"] == UNKNOWN).groupby(kinds(asked)).mean()
    for (kind, model), part in scores.groupby(kinds(scores)):
        found = estimate(part)._asdict()
        draws = part.groupby("category", observed=True)["score"].mean()
        row = found | {
            "kind": kind,
            "model": model,
            "questions": found["problems"],
            "runs": part["run"].nunique(),
        }
        if is_its_model("latm", model):  # a printed share with what follows its ±, of "94, % +-2"
            (cell,) = (
                published_table("figures")
                .query("paper == 'latm' and quantity == @KINDS[@kind]")
                .itertuples()
            )
            spread = float(re.findall(r"\+-(\d+)", cell.unit)[0])
            row |= {"published": float(cell.value) / 100, "published_sd": spread / 100}
        rows.append(row | {"sd": draws.std(), "new": unknown[kind, model], "draws": len(draws)})
    table = pd.DataFrame(rows, columns=DISPATCH_COLUMNS)
    return name_table(table, "latm_dispatcher", title, ", ".join(dict.fromkeys(models.values())))
