"""Worked examples in prompts, and which test problems they are or nearly are: those are given away.

Texts are compared, nothing is asked or run. `table2_leaks` says what is left of accuracy without those problems.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite.analysis.compare import estimates
from trove_lite.candidates import read_description
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Problem, Question
from trove_lite.errors import TroveLiteError
from trove_lite.programs import code_of
from trove_lite.prompts import load_pack

from .. import named
from .table2 import answers_of, scores_of

OPEN = "@@the question that is asked@@"
MODES = ("primitive", "instance", "import", "create", "skip")
PART = re.compile(r"^\*\*(Table|Toolbox|Solution|Tools)\*\*[ \t]*$", re.MULTILINE)
NUMBER = re.compile(r"\d[\d.,]*")
#: A problem that is a worked example; and one with the same words but for numbers, or about the same table.
ITEM, NEAR = "item", "near copy"
#: What accuracy is also given without: problems that prompts show, and those that they nearly show too.
LEFT_OUT = {"worked examples": [ITEM], "worked examples and near copies": [ITEM, NEAR]}
ENDS = ["value", "low", "high", "runs", "problems"]
LEAKS = ["category", "system", "left_out", "items", "which", "with_all", *ENDS]


class Demonstration(NamedTuple):
    """A worked example of a prompt. `solution` is "" where the prompt gives none; `tools` are the Tools section's.

    `toolbox` is the source of what the example imports from the toolbox: the prompt shows a signature alone, and the
    prompt that creates the same tool shows its code. `table` is what it is about, as `table_in` tells tables apart.
    """

    category: str
    mode: str
    index: int
    question: str
    solution: str
    tools: str
    toolbox: str = ""
    table: str = ""

    @property
    def program(self) -> str:
        """Toolbox, tools, solution: the order in which the official program puts them together."""
        return "\n\n".join([self.toolbox, self.tools, self.solution]).strip() if self.solution else ""


def demonstrations(pack: object) -> list[Demonstration]:
    """The worked examples of every prompt of a pack, as a model reads them."""
    found = []
    for category in pack.categories:
        for mode in (mode for mode in MODES if mode in pack.stages):  # other stages show something else
            sections = pack.render(Question("", category, 0, OPEN), mode).split("**Question**\n")[1:]
            for index, section in enumerate(s for s in sections if OPEN not in s):
                question, *parts = PART.split(section)
                part = dict.fromkeys(("Table", "Solution", "Tools"), "") | dict(
                    zip(parts[::2], parts[1::2], strict=True)
                )
                borrows = "yes" if "from toolbox import" in part["Tools"] else ""
                shown = question.strip(), _code(part["Solution"]), _code(part["Tools"]), borrows
                found.append(Demonstration(category, mode, index, *shown, table_in(f"{question}\n{part['Table']}")))
    sources = {(d.category, d.question): d.tools for d in found if d.mode == "create"}
    return [d._replace(toolbox=sources.get((d.category, d.question), "") if d.toolbox else "") for d in found]


def _code(section: str) -> str:
    blocks = re.findall(r"```python\n.*?```", section, re.DOTALL)
    lines = "\n".join(map(code_of, blocks)).split("\n")
    return "\n".join(line for line in lines if not ("import" in line and "toolbox" in line))


def normalised(question: str) -> str:
    """A question without what differs between prints of the same one: spacing, case, and doubled backslashes."""
    single = re.sub(r"\\+", r"\\", re.sub(r"\s+", " ", question))
    return single.replace("\\$", "$").replace("\\%", "%").strip().lower()


def table_in(text: str) -> str:
    """What tells the table of a text from others: the path of its file, or its rows; "" where there is none."""
    files = re.findall(r"^File: [ ']*(.*?)[ ']*$", text, re.MULTILINE)
    return files[0] if files else normalised("\n".join(re.findall(r"^\|.*", text, re.MULTILINE)))


def same_table(one: str, other: str) -> bool:
    """Whether two texts are about one table: some released examples leave out where a path begins."""
    short, long = sorted((one, other), key=len)
    return one == other or (short != "" and long.endswith(f"/{short}"))


def shown_problems(candidates: pd.DataFrame, runs: Iterable[str | Path]) -> pd.DataFrame:
    """The test problems that are worked examples, or nearly, in the prompts that these runs were asked with.

    A row for each pack of prompts, category, mode and problem; `kind` is ITEM, or NEAR: the same words but for numbers,
    or the same table. runs: where the candidates are from, whose `run.json` names the prompts; recorded runs were asked
    with the official ones. Where prompts or problems are not here, `attrs["note"]` says so.
    """
    (name,) = set(candidates["dataset"].astype(str))
    rows, notes = [], {}
    for prompts in dict.fromkeys(
        read_description(Path(run)).get("prompts", {}).get("name", "official") for run in runs
    ):
        try:
            dataset = load_dataset(name)
            demos = demonstrations(load_pack(prompts, dataset))
            for category in sorted({demo.category for demo in demos} & set(candidates["category"].astype(str))):
                found = alike([demo for demo in demos if demo.category == category], dataset.load(category))
                rows += [(prompts, category, demo.mode, problem, kind) for demo, problem, kind in found]
        except (TroveLiteError, ImportError) as error:
            notes[str(error)] = prompts
    table = pd.DataFrame(rows, columns=["prompts", "category", "mode", "problem", "kind"])
    table = table.sort_values(list(table)).drop_duplicates(list(table)[:-1], ignore_index=True)
    table.attrs["note"] = "; ".join(notes)
    return table


def alike(demos: Sequence[Demonstration], problems: Sequence[Problem]) -> Iterable[tuple[Demonstration, int, str]]:
    """Each worked example with each problem that it is, or nearly is, and which of the two."""
    # our own prompts show a table before the question
    asked = [normalised(d.question.rpartition("\n\n")[2] if d.table else d.question) for d in demos]
    known = [(demo, text, NUMBER.sub("0", text)) for demo, text in zip(demos, asked, strict=True)]
    for problem in problems:
        text, table = normalised(problem.question.text), table_in(problem.question.context)
        words = NUMBER.sub("0", text)
        for demo, own, without_numbers in known:
            same = same_table(demo.table, table)
            if own == text and same:
                yield demo, problem.index, ITEM
            elif without_numbers == words or (table and same):
                yield demo, problem.index, NEAR


def table2_leaks(candidates: pd.DataFrame, shown: pd.DataFrame) -> pd.DataFrame:
    """Accuracy without the problems that the prompts' worked examples give away: a footnote to Table 2.

    shown: of `shown_problems`. A row a category, system and LEFT_OUT; `items` of its problems are left out, by their
    numbers `which`, as a prompt of one of the system's own modes shows them; `with_all` is the accuracy with them,
    `value` [`low`, `high`] without.
    """
    (comparison, systems), rows = answers_of(candidates), []
    for system, answers in systems.items():
        own = shown[shown["mode"].isin(set(comparison[system]["mode"].astype(str)))]
        scores = scores_of(answers, "correct").astype({"category": str})
        problems, covered = pd.MultiIndex.from_frame(scores[["category", "problem"]]), scores["category"].unique()
        for left_out, kinds in LEFT_OUT.items():
            given = own.loc[own["kind"].isin(kinds), ["category", "problem"]]
            gone = problems.isin(pd.MultiIndex.from_frame(given))
            whole, kept = (
                {cell["category"]: cell for cell in estimates(comparison, system, part, covered=covered)}
                for part in (scores, scores[~gone])
            )
            for category in covered:
                here = sorted(set(scores.loc[gone & (scores["category"] == category), "problem"]))
                about = (category, system, left_out, len(here), " ".join(map(str, here)), whole[category].get("value"))
                rows.append((*about, *(kept[category].get(name) for name in ENDS)))
    table = pd.DataFrame(rows, columns=LEAKS)
    title = "TroVE's Table 2, problems that prompts show"
    return named(table, "trove_table2_leaks", title, comparison.title, note=shown.attrs.get("note", ""))
