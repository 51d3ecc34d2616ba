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

from trove_lite.analysis import comparison as analysis
from trove_lite.analysis.choose import in_order
from trove_lite.analysis.comparison import Comparison, estimates
from trove_lite.analysis.independence import independent_runs
from trove_lite.analysis.scores import score
from trove_lite.candidates import all_candidates, read_description
from trove_lite.datasets import load_problems
from trove_lite.datasets.bbh import option_of
from trove_lite.errors import TroveLiteError
from trove_lite.methods.latm import FALLBACK

from .. import in_columns, named, published_table, show, side_by_side, why_empty
from .cost import LABELS, NO_TOOL, needed
from .released import TITLES
from .systems import METHODS, OTHERS, THOUGHT_MAKER, TOOL_MAKER, System, family, systems

NO_RUNS = "no runs of LATM or of a chain of thought"
WHOLE = ("all", "covered")
#: What a row says in place of a number where a system that makes tools made none.
NONE_MADE = "no tool made"
ESTIMATED = ["value", "low", "high", "prediction_low", "prediction_high", "p_print", "run_sd"]
DIFFERENCE_COLUMNS = [*analysis.DIFFERENCE_COLUMNS, "tools", "tasks", "note"]
TESTED = ["difference", "low", "high", "low_problems", "high_problems", "p", *analysis.WITHIN, "problems_needed"]


def sides(
    candidates: pd.DataFrame, calls: pd.DataFrame, *, methods: Iterable[str] = tuple(METHODS)
) -> Comparison | None:
    """A side for each system of LATM's tables: `LATM, USER`, `LATM of MAKER, USER`, `CoT, MODEL`; None without any.

    Runs that copy another of the same system are left out: two users of one tool may well write the same calls of it.
    """
    candidates = all_candidates(candidates)
    candidates = candidates[candidates["method"].map(family).isin(methods)]
    if candidates.empty:
        return None
    who = systems(calls)
    rows = zip(*(candidates[column].astype(str) for column in ("run", "method", "model")), strict=True)
    names = [who.get((run, m), System(family(m), model)).title for run, m, model in rows]
    name = pd.Series(names, candidates.index)
    return Comparison.of(
        {side: independent_runs(candidates[name == side], across=True) for side in dict.fromkeys(names)}, calls=calls
    )


def table2(comparison: Comparison | None) -> pd.DataFrame:
    """Accuracy on each task, of tools made and used, and of the same models without any (Table 2).

    A row a task and system; the paper's models have rows of their own, with their printed values alone.
    """
    return _accuracy(comparison, "latm_table2", "LATM's Table 2", lambda row: f"{row.method}, {row.tool_user_model}")


def table4(comparison: Comparison | None) -> pd.DataFrame:
    """The same tools in the hands of other users (Table 4): those systems that use a tool, beside the printed ones."""
    made = (
        {} if comparison is None else {n: s for n, s in comparison.sides.items() if n.startswith(METHODS[TOOL_MAKER])}
    )
    users = replace(comparison, sides=made) if made else None
    return _accuracy(users, "latm_table4", "LATM's Table 4", lambda row: f"LATM of GPT-4, {row.tool_user_model}")


#: What becomes of an instance, in the order of the table; how a program ended says it, but for the first and the last.
ENDINGS = ["right", "wrong", "failed", "no program", "no tool"]


def endings(comparison: Comparison | None) -> pd.DataFrame:
    """What became of each system's candidates: a row a system and task, with counts that add up to `candidates`.

    right, wrong: of programs that ran, and of answers in words; failed: programs that raised or were stopped; no
    program: replies without one; no tool: nobody was asked, for none was made. fallback: how many of them were answered
    without a tool.
    """
    rows = []
    for name, side in (comparison.sides if comparison else {}).items():
        status = side["status"].astype(str)
        ended = status.map({"ok": "wrong", "no_code": "no program"}).fillna("failed")
        ended = ended.mask(side["correct"].fillna(False).astype(bool), "right")
        ended = ended.mask(_nobody_asked(side), "no tool")
        for task, part in ended.groupby(side["category"].astype(str), sort=False):
            about = {"category": task, "system": name, "candidates": len(part)} | part.value_counts().to_dict()
            rows.append(about | {"fallback": int((side.loc[part.index, "mode"] == FALLBACK).sum())})
    counted = [*ENDINGS, "fallback"]
    table = pd.DataFrame(rows).reindex(columns=["category", "system", "candidates", *counted])
    table[counted] = table[counted].fillna(0).astype(int)
    title = "" if comparison is None else comparison.title
    return named(table, "latm_endings", "What became of the instances", title, note="" if rows else NO_RUNS)


def _nobody_asked(side: pd.DataFrame) -> pd.Series:
    """Of which candidates nobody was asked, for no tool was made."""
    errors = side["error"] if "error" in side else pd.Series("", side.index)
    return errors.astype(object).fillna("").str.contains(NO_TOOL).astype(bool)


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


def _made(side: pd.DataFrame, categories: Iterable[str]) -> Made:
    """What was made for these categories, of a side that makes tools; one that makes none lacks none."""
    here = side[side["category"].astype(str).isin(set(categories))]
    keys = [here[column].astype(str) for column in ("run", "category")]
    unanswered = _nobody_asked(here)
    lacking = (unanswered | (here["mode"] == FALLBACK)).groupby(keys).all()
    return Made(int((~lacking).sum()), len(lacking), bool(unanswered.any()))


#: What Table 5 calls whose thoughts a user goes on from, and ours.
THOUGHTS = {"GPT-4 CoT": f"{METHODS[THOUGHT_MAKER]} of GPT-4", "Human-written CoT": "CoT", "LATM": "LATM of GPT-4"}
TABLE5_USER = "GPT-3.5 Turbo"


def table5(comparison: Comparison | None) -> pd.DataFrame:
    """A chain of thought as the tool (Table 5): examples that a model wrote, those that people wrote, and a tool.

    Empty without thoughts that a model wrote.
    """
    names = tuple(METHODS[method] for method in (TOOL_MAKER, THOUGHT_MAKER, "cot"))
    here = {} if comparison is None else {n: s for n, s in comparison.sides.items() if n.startswith(names)}
    written = any(name.startswith(METHODS[THOUGHT_MAKER]) for name in here)
    users = replace(comparison, sides=here) if written else None
    return _accuracy(users, "latm_table5", "LATM's Table 5", lambda row: f"{THOUGHTS[row.method]}, {TABLE5_USER}")


def _accuracy(comparison: Comparison | None, table: str, title: str, system: Callable[[object], str]) -> pd.DataFrame:
    if comparison is None:
        return named(in_columns(pd.DataFrame(columns=["runs", "problems"])), "", title, "", note=NO_RUNS)
    rows = []
    for name, side in comparison.sides.items():
        scores, by_text = (score(one, "one_stage", comparison.samples(name)) for one in (side, options_by_text(side)))
        cells = zip(estimates(comparison, name, scores), estimates(comparison, name, by_text), strict=True)
        for cell, other in cells:
            made, value = _made(side, _tasks(comparison, cell["category"])), other.get("value")
            known = {"options_by_text": value}
            if made.tasks and not made.is_known:
                known = dict.fromkeys([*ESTIMATED, *known], np.nan)
            note = "; ".join(filter(None, [made.note, cell.get("note", "")]))
            rows.append(cell | known | {"system": name, "source": name, "note": note})
    titles = {title: task for task, title in TITLES.items()}
    if comparison.dataset == "bbh":
        printed = published_table(table)
        if "metric" in printed:  # one of several in a column
            printed = printed[printed["metric"] == "accuracy_pct"].rename(columns={"value": "accuracy_pct"})
        for row in printed.itertuples():
            about = {"category": titles[row.task], "system": system(row)}
            rows.append(about | {"published": row.accuracy_pct / 100, "runs": 0, "problems": 0, "note": "printed"})
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
            p is not None and isinstance(said, str) and option_of(p.question.text, said) == p.gold
            for p, said in zip(asked, part["answer"], strict=True)
        ]
    return side.assign(correct=right)


def table3(runs: Iterable[str | Path]) -> pd.DataFrame:
    """How many trials to make a tool succeed (Table 3), of run folders: a row a task and maker, printed ones last.

    A maker of several tasks has a row of all its trials besides, category `all`. A trial succeeds where the tool passes
    the maker's own tests. `proposals`, `verifications`: means of what was written until then; `labels`: labelled
    problems that the maker saw, a task. The interval is Wilson's, over trials. note: what a study tells of its run, as
    that these trials were drawn before.
    """
    trials = [trial for folder in map(Path, runs) for trial in _trials(folder)]
    rows = []
    if trials:
        frame = pd.DataFrame(trials)
        tasks = frame.groupby("maker")["category"].transform("nunique")
        parts = pd.concat([frame, frame[tasks > 1].assign(category="all")])
        for (task, maker), part in parts.groupby(["category", "maker"], sort=False):
            low, high = binomtest(int(part["made"].sum()), len(part)).proportion_ci(method="wilson")
            about = {"category": task, "maker": maker, "successes": int(part["made"].sum()), "trials": len(part)}
            about |= {"value": part["made"].mean(), "low": float(low), "high": float(high), "source": "run"}
            about["note"] = "; ".join(dict.fromkeys(filter(None, part["note"])))
            rows.append(about | part[["proposals", "verifications", "labels"]].mean().to_dict())
    titles = {title: task for task, title in TITLES.items()}
    for row in published_table("latm_table3").itertuples():
        about = {"category": titles[row.task], "maker": row.tool_maker_model, "source": "printed"}
        rows.append(about | {"successes": row.successes, "trials": row.trials, "published": row.successes / row.trials})
    columns = ["category", "maker", "source", "successes", "trials", "published", "value", "low", "high"]
    table = pd.DataFrame(rows).reindex(columns=[*columns, "proposals", "verifications", "labels", "note"])
    note = "" if trials else "no run folder of LATM: outcomes do not say how tools were made"
    return named(table, "latm_table3", "LATM's Table 3", ", ".join(map(str, runs)), note=note)


COUNTED = ["problems", "runs", "tokens", "making", "labels"]
MAKER_COLUMNS = ["category", "system", "k", "published", "value", "low", "high", *COUNTED, "note"]
#: What another paper prints of LATM on these data sets (TroVE, Table 3, after CRAFT): our categories for its columns.
AFTER_CRAFT = {"algebra": "algebra", "TabMWP": "tabmwp"}


def tool_makers(
    candidates: pd.DataFrame, calls: pd.DataFrame, *, k: int | None = None, runs: Iterable[str | Path] = ()
) -> pd.DataFrame:
    """LATM and other makers of tools on the same problems, with as many calls each (None: as all of them have).

    A row a category and system, then what another paper prints of LATM there. The problems are those that every system
    with any of the category was asked, so that LATM's labelled ones are left out for all. `tokens`: read and written a
    problem with all calls that were made; `making`: once, shared out over these problems. `labels`:
    labelled problems that a maker saw. Where no tool was made there is no value, and a note. runs: as for
    `cost.needed`.
    """
    title, systems_of = "LATM beside other makers of tools", (*METHODS, *OTHERS)
    both = same_problems(sides(candidates, calls, methods=systems_of))
    if both is None:
        return named(pd.DataFrame(columns=MAKER_COLUMNS), "", title, "", note="no LATM runs")
    accuracy = analysis.accuracy(both, k=k, rules=("one_stage",))
    spent = _tokens(needed(calls, systems_of, runs), both)
    table = accuracy[accuracy["problems"] > 0].merge(spent, how="left", on=["category", "system"])
    made = [_made(both[row.system], _tasks(both, row.category)) for row in table.itertuples()]
    table.loc[[bool(one.tasks) and not one.is_known for one in made], ["value", "low", "high"]] = np.nan
    table["note"] = [one.note for one in made]
    rows = published_table("trove_table3").query("method == 'LATM' and metric == 'acc'")
    printed = [
        {"category": AFTER_CRAFT[row.category], "system": "LATM, printed by TroVE after CRAFT", "published": row.value}
        for row in rows.itertuples()
        if AFTER_CRAFT.get(row.category) in set(table["category"])
    ]
    table = pd.concat([table, pd.DataFrame(printed)]) if printed else table
    return named(table.reindex(columns=MAKER_COLUMNS), "latm_tool_makers", title, both.title)


def tool_maker_differences(candidates: pd.DataFrame, calls: pd.DataFrame) -> pd.DataFrame:
    """LATM minus each of the others, problem by problem, on the problems and calls of `tool_makers`."""
    return differences(same_problems(sides(candidates, calls, methods=(*METHODS, *OTHERS))))


def same_problems(comparison: Comparison | None) -> Comparison | None:
    """These sides on the problems of each category that all of them have that have any; None without LATM."""
    tool_maker = METHODS[TOOL_MAKER]
    if comparison is None or not any(name.startswith(tool_maker) for name in comparison.sides):
        return None
    key = ["category", "problem"]
    asked = [side[key].astype({"category": str}).drop_duplicates() for side in comparison.sides.values()]
    have = pd.concat(asked).value_counts()
    categories = have.index.get_level_values("category")
    most = pd.concat([pd.Series(part["category"].unique()) for part in asked]).value_counts()
    shared = have.index[have.to_numpy() == most.reindex(categories).to_numpy()]
    kept = {
        name: side[pd.MultiIndex.from_frame(side[key].astype({"category": str})).isin(shared)]
        for name, side in comparison.sides.items()
    }
    most = max(replace(comparison, sides={name: side}).samples() for name, side in kept.items())
    return replace(comparison, sides={name: _as_often(side, most) for name, side in kept.items()})


def _as_often(side: pd.DataFrame, times: int) -> pd.DataFrame:
    """A side whose problems without a tool, each of which failed once, fail so many times."""
    lacking = _nobody_asked(side)
    if not lacking.any():
        return side
    again = side.loc[lacking].index.repeat(times)
    failures = side.loc[again].assign(sample=np.tile(np.arange(times), int(lacking.sum())))
    return in_order(pd.concat([side[~lacking], failures]))


def _tokens(calls: pd.DataFrame, comparison: Comparison) -> pd.DataFrame:
    """Tokens a problem of each system and category, and labels, on the problems of the comparison."""
    rows = []
    for (system, category), part in calls.groupby(["system", "category"], sort=False):
        side = comparison.sides.get(system.title)
        problems = set() if side is None else set(side.loc[side["category"] == category, "problem"])
        each = part.assign(tokens=part["prompt_tokens"] + part["completion_tokens"])
        runs = part["run"].nunique() * max(1, len(problems))
        used = each[~each["fixed"] & each["problem"].isin(problems)]
        rows.append({"category": category, "system": system.title, "tokens": used["tokens"].sum() / runs})
        if each["fixed"].any():
            rows[-1]["making"] = each.loc[each["fixed"], "tokens"].sum() / runs
        if system.method == TOOL_MAKER:
            rows[-1]["labels"] = LABELS
    return pd.DataFrame(rows, columns=["category", "system", "tokens", "making", "labels"])


def _trials(folder: Path) -> list[dict]:
    about = read_description(folder)
    maker = about.get("models", {}).get("maker", about.get("model", ""))
    tools = [tool for tool in about.get("toolboxes", ()) if tool.get("proposals")]
    return [tool | {"maker": maker, "note": about.get("note", "")} for tool in tools]


def differences(comparison: Comparison | None) -> pd.DataFrame:
    """LATM minus each side without a tool, problem by problem, at the calls that each was run with.

    tools, tasks: of how many tasks, in all runs, LATM had a tool. Where it had none there is nothing to compare, nor
    where some of its tasks were answered by nobody: the row says so in place of a difference (`note`).
    """
    if comparison is None:
        return named(pd.DataFrame(columns=DIFFERENCE_COLUMNS), "", "LATM minus others", "", note=NO_RUNS)
    scores = {name: score(side, "one_stage", comparison.samples(name)) for name, side in comparison.sides.items()}
    makers = [name for name in scores if name.startswith(METHODS[TOOL_MAKER])]
    pairs = [(maker, name) for maker in makers for name in scores if name not in makers]
    table = analysis.differences(comparison, scores, pairs=pairs)
    made = [
        _made(comparison[row.a], comparison.covered(row.a, row.b) if row.category in WHOLE else [row.category])
        for row in table.itertuples()
    ]
    table.loc[[not one.is_known for one in made], TESTED] = np.nan
    told = {"tools": [one.tools for one in made], "tasks": [one.tasks for one in made]}
    table = analysis.corrected(table).assign(**told, note=[one.note for one in made])
    note = "" if pairs else "there is nothing beside LATM to compare with" if makers else "no LATM runs"
    return named(table, "latm_differences", "LATM minus others", comparison.title, note=note)


def in_pairs(difference: pd.DataFrame) -> pd.DataFrame:
    """Differences to read: a row a pair, a column a task, each cell "difference [low, high]", as fractions of 1."""
    if why_empty(difference):
        return show(difference)
    pairs = list(map(_pair, difference["a"], difference["b"]))
    known = {"system": pairs, "value": difference["difference"], "published": np.nan, "source": ""}
    table = side_by_side(difference.assign(**known)).T
    for pair, row in zip(pairs, difference.itertuples(), strict=True):
        if pd.isna(row.difference):
            table.loc[pair, row.category] = row.note
    return table.fillna("–")


def _pair(a: str, b: str) -> str:
    """`LATM minus CoT, USER` where both are of one user."""
    (name, _, user), other = a.rpartition(", "), b.rpartition(", ")[2]
    return f"{name if user == other else a} minus {b}"


def trials_in_words(trials: pd.DataFrame) -> str:
    """How often a maker makes a tool, of `table3`: a line a maker, with the interval that is over its luck."""
    ours = trials[trials["source"] == "run"].drop_duplicates("maker", keep="last")  # all tasks, where there are several
    return "\n".join(
        f"{row.maker} made a tool in {row.successes} of {row.trials} trials: {analysis.percent(row)}; "
        "intervals of accuracies are not over this luck." + f" ({row.note})" * bool(row.note)
        for row in ours.itertuples()
    )


def latm_in_words(difference: pd.DataFrame, even: pd.DataFrame) -> str:
    """Does a model's own tool beat its chain of thought, and from how many instances on is it cheaper?

    A line a pair of systems: the difference with its interval, over all tasks; then costs by each way to price a token.
    """
    if difference.empty:
        return f"Whether a tool of one's own pays cannot be said: {difference.attrs.get('note', 'no pairs')}."
    tasks = set(difference["category"])
    whole = difference[difference["category"].isin(tasks & set(WHOLE) or tasks)]
    lines = []
    for row in whole.itertuples():
        if pd.isna(row.difference):
            lines.append(f"{row.a} cannot be compared with {row.b}: {row.note}.")
            continue
        shown = "more" if row.low > 0 else "less" if row.high < 0 else "not shown to be more or less"
        compared = f"{row.a} is {shown} often right than {row.b}: {analysis.points(row)}, {row.problems} instances."
        here = even[(even["a"] == row.a) & (even["b"] == row.b)]
        costs = [_cheaper(prices, part) for prices, part in here.groupby("prices", sort=False)]
        lines.append(" ".join([compared, *costs]))
    return "\n".join(lines)


def _cheaper(prices: str, part: pd.DataFrame) -> str:
    """From how many instances on the tool is cheaper, task by task."""
    pays = part[part["instances"].notna()]
    tasks = [
        f"{row.category.replace('_', ' ')} {row.instances:,.0f} [{row.low:,.0f}, "
        + ("never]" if row.high == float("inf") else f"{row.high:,.0f}]")
        for row in pays.itertuples()
    ]
    says = f"By {prices} the tool becomes cheaper in {len(pays)} of {len(part)} tasks"
    counts = {NO_TOOL: part["note"] == NO_TOOL, "the maker's bill is not known": part["fixed"].isna()}
    but = [f"in {rows.sum()} {what}" for what, rows in counts.items() if rows.any()]
    return (
        says
        + (f", from so many instances on: {', '.join(tasks)}" if tasks else "")
        + (f" ({', '.join(but)})." if but else ".")
    )
