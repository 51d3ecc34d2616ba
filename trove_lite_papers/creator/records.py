"""TroVE's Table 3 again: programs that others recorded, and the toolsets beside them, as tables and
figures.

What is right, and what kind of tool a program has, the essay defines.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from scipy.stats import binomtest

from trove_lite import load_candidates, load_problems
from trove_lite.datasets.files import public_paths
from trove_lite.programs import recorded_sources
from trove_lite.running.tool_files import tools_of_file
from trove_lite_analysis.sentence import Sentence

from ..figures import forest
from ..tables import rows_of
from .programs import creator_records

#: What Table 3 calls the data sets.
NAMES = {"math": "algebra", "tabmwp": "TabMWP"}
WHOSE = "CREATOR's recorded programs (GPT-3.5, as we believe)"
NO_TOOLSET = "no toolset at hand: run `trove-lite fetch craft`"


def recorded(path: str) -> pd.DataFrame:
    """The recorded programs, a row each: data set (`name`), what it `printed`, `gold`, and its
    `tool`.

    The tool's text is from the public files; "" where they are not here.
    """
    programs = load_candidates(path)
    problems = [
        *load_problems("math", "algebra"),
        *load_problems("tabmwp", "tabmwp"),
    ]
    golds = {(problem.dataset, problem.index): problem.gold for problem in problems}
    files = [file for file in public_paths("craft", ".jsonl") if file.is_file()]
    tools = {
        (problem.dataset, problem.index): recorded_sources(tool)[0]
        for problem, (tool, *_) in creator_records(files).items()
    }
    keys = list(zip(programs["dataset"], programs["problem"], strict=True))
    answers = programs["answers"]
    return programs.assign(
        name=programs["dataset"].map(NAMES),
        printed=["" if each is None else " ".join(each) for each in answers],
        gold=[golds[key] for key in keys],
        tool=[tools.get(key, "") for key in keys],
    )


def published(method: str, metric: str, name: str) -> float:
    """What Table 3 prints of a method, of whichever model its first row is."""
    rows = rows_of("trove_table3", method=method, metric=metric, category=name)
    return float(rows["value"].iloc[0])


def share(right: pd.Series) -> dict[str, float]:
    """A share of problems with Wilson's interval."""
    found = binomtest(int(right.sum()), len(right))
    low, high = found.proportion_ci(method="wilson")
    return {
        "value": found.statistic,
        "low": low,
        "high": high,
        "problems": found.n,
    }


def by_grader(programs: pd.DataFrame, graders: Mapping[str, Callable]) -> pd.DataFrame:
    """The share that each grader (`right(program)`) calls right, by data set, beside print."""
    rows = []
    for name, part in programs.groupby("name", observed=True):
        printed = published("CREATOR", "acc", name)
        for grader, right in graders.items():
            verdicts = pd.Series([right(program) for program in part.itertuples()])
            about = {"category": name, "system": grader}
            rows.append(about | share(verdicts) | {"published": printed})
    return pd.DataFrame(rows)


def by_level(programs: pd.DataFrame, level: Callable[[str], str]) -> pd.DataFrame:
    """The share that the run calls right, by data set and kind of tool (`level(tool)`)."""
    kinds = [level(tool) if tool else "not at hand" for tool in programs["tool"]]
    parts = programs.assign(level=kinds).groupby(["name", "level"], observed=True)["correct"]
    rows = [
        {"category": name, "level of tool": kind} | share(part.astype(bool))
        for (name, kind), part in parts
    ]
    return pd.DataFrame(rows)


def toolsets() -> pd.DataFrame:
    """How many functions CRAFT's toolsets hold, beside print; of those that are here."""
    rows = []
    for file in public_paths("craft", ".csv"):
        if not file.is_file():
            continue
        names = {"algebra": "algebra", "tabmwp": "TabMWP"}
        name = names.get(Path(file).parent.name, "GQA")
        printed = int(published("CRAFT", "n_lib", name))
        row = {"toolset": name, "in print": printed}
        row |= {"rows": len(pd.read_csv(file)), "functions": len(tools_of_file(file))}
        rows.append(row)
    table = pd.DataFrame(rows)
    table.attrs["note"] = NO_TOOLSET
    return table


def unrepaired(programs: pd.DataFrame) -> pd.DataFrame:
    """How many programs there are, and which share fails and was not written again, by data set."""
    failed = (programs["status"] != "ok").groupby(programs["name"], observed=True)
    table = failed.agg(["size", "mean"]).reset_index()
    return table.set_axis(["data", "programs", "that fail and were not repaired"], axis="columns")


def records_sentence(accuracy: pd.DataFrame, grader: str) -> Sentence:
    found = [
        f"{100 * row.value:.1f} % [{100 * row.low:.1f}, {100 * row.high:.1f}] on {row.category} "
        f"({100 * row.published:.0f} % in print, {row.problems:,} problems)"
        for row in accuracy[accuracy["system"] == grader].itertuples()
    ]
    said = "CREATOR's recorded programs are right, without a repair, in"
    return Sentence(f"{said} {' and '.join(found)}.")


def records_figure(accuracy: pd.DataFrame) -> Figure | None:
    numbers = accuracy["problems"].map("{:,}".format)
    drawn = accuracy.assign(
        category=accuracy["category"] + "\nn = " + numbers,
        system=accuracy["system"] + " grader",
    )
    return forest(drawn, title=f"{WHOSE}, beside TroVE's Table 3", name="trove_table3_creator")


def levels_figure(levels: pd.DataFrame) -> Figure | None:
    numbers = levels["problems"].map("{:,}".format)
    each = levels["category"] + ": " + levels["level of tool"] + "\nn = " + numbers
    drawn = levels.assign(each=each, system="programs")
    how = {"rows": "each", "name": "creator_tool_levels"}
    return forest(drawn, title=f"{WHOSE}, by their tool", **how)
