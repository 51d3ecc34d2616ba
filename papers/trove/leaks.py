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
from .table2 import compared_answers, methods_of, scores_of

OPEN = "@@the question that is asked@@"
MODES = ("primitive", "instance", "import", "create", "skip")
QUESTION = "**Question**\n"
PART = re.compile(r"^\*\*(Table|Toolbox|Solution|Tools)\*\*[ \t]*$", re.MULTILINE)
FILE = "File: "
NUMBER = re.compile(r"\d[\d.,]*")
#: The pack that runs were asked with that say nothing of it: recorded ones are the released program's.
RELEASED = "official"
#: A problem that is a worked example; and one with the same words but for numbers, or about the same table.
ITEM, NEAR = "item", "near copy"
SHOWN_COLUMNS = ["prompts", "category", "mode", "problem", "kind"]
#: What accuracy is also given without: problems that prompts show, and those that they nearly show too.
LEFT_OUT = {"worked examples": [ITEM], "worked examples and near copies": [ITEM, NEAR]}
LEAKS = ["category", "system", "left_out", "items", "which", "with_all", "value", "low", "high", "runs", "problems"]


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

    @property
    def asked(self) -> str:
        """The question without the table, which our own prompts show before it."""
        return self.question.rpartition("\n\n")[2] if self.table else self.question


def demonstrations(pack: object) -> list[Demonstration]:
    """The worked examples of every prompt of a pack, as a model reads them."""
    found, borrow = [], []
    for category in pack.categories:
        for mode in (mode for mode in MODES if mode in pack.stages):  # other stages show something else
            sections = pack.render(Question("", category, 0, OPEN), mode).split(QUESTION)[1:]
            for index, section in enumerate(s for s in sections if OPEN not in s):
                question, *parts = PART.split(section)
                named = dict(zip(parts[::2], parts[1::2], strict=True))
                code = ["\n".join(_code(named.get(name, ""))) for name in ("Solution", "Tools")]
                borrow.append("from toolbox import" in named.get("Tools", ""))
                table = table_in(f"{question}\n{named.get('Table', '')}")
                found.append(Demonstration(category, mode, index, question.strip(), *code, table=table))
    sources = {(d.category, d.question): d.tools for d in found if d.mode == "create"}
    return [
        demo._replace(toolbox=sources.get((demo.category, demo.question), "")) if needs else demo
        for demo, needs in zip(found, borrow, strict=True)
    ]


def _code(section: str) -> list[str]:
    fenced = re.findall(r"```python\n.*?```", section, re.DOTALL)
    lines = "\n".join(code_of(block) for block in fenced).split("\n")
    return [line for line in lines if not ("import" in line and "toolbox" in line)]


def normalised(question: str) -> str:
    """A question without what differs between prints of the same one: spacing, case, and doubled backslashes."""
    single = re.sub(r"\\+", r"\\", re.sub(r"\s+", " ", question))
    return single.replace("\\$", "$").replace("\\%", "%").strip().lower()


def table_in(text: str) -> str:
    """What tells the table of a text from others: the path of its file, or its rows; "" where there is none."""
    lines = text.split("\n")
    files = [line.removeprefix(FILE).strip(" '") for line in lines if line.startswith(FILE)]
    return files[0] if files else normalised("\n".join(line for line in lines if line.startswith("|")))


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
    categories, parts, reasons = set(candidates["category"].astype(str)), [], []
    for prompts in dict.fromkeys(map(prompts_of, map(Path, runs))):
        try:
            dataset = load_dataset(name)
            demos = [demo for demo in demonstrations(load_pack(prompts, dataset)) if demo.category in categories]
            parts += [
                {"prompts": prompts, "category": category, "mode": demo.mode, "problem": problem, "kind": kind}
                for category in sorted({demo.category for demo in demos})
                for demo, problem, kind in alike([d for d in demos if d.category == category], dataset.load(category))
            ]
        except (TroveLiteError, ImportError) as error:
            reasons.append(str(error))
    table = pd.DataFrame(parts, columns=SHOWN_COLUMNS).sort_values(SHOWN_COLUMNS).drop_duplicates(SHOWN_COLUMNS[:-1])
    table.attrs["note"] = "; ".join(dict.fromkeys(reasons))
    return table.reset_index(drop=True)


def prompts_of(run: Path) -> str:
    """The name of the pack that a run was asked with."""
    about = read_description(run)
    return about.get("prompts", {}).get("name", RELEASED)


def alike(demos: Sequence[Demonstration], problems: Sequence[Problem]) -> Iterable[tuple[Demonstration, int, str]]:
    """Each worked example with each problem that it is, or nearly is, and which of the two."""
    known = [(demo, asked, NUMBER.sub("0", asked)) for demo in demos for asked in [normalised(demo.asked)]]
    for problem in problems:
        text, table = normalised(problem.question.text), table_in(problem.question.context)
        words = NUMBER.sub("0", text)
        for demo, asked, without_numbers in known:
            same = same_table(demo.table, table)
            if asked == text and same:
                yield demo, problem.index, ITEM
            elif without_numbers == words or (table and same):
                yield demo, problem.index, NEAR


def table2_leaks(candidates: pd.DataFrame, shown: pd.DataFrame) -> pd.DataFrame:
    """Accuracy without the problems that the prompts' worked examples give away: a footnote to Table 2.

    shown: of `shown_problems`. A row a category, system and LEFT_OUT; `items` of its problems are left out, by their
    numbers `which`, as a prompt of one of the system's own modes shows them; `with_all` is the accuracy with them,
    `value` [`low`, `high`] without.
    """
    comparison, answers = compared_answers(candidates)
    rows = []
    for system, methods in methods_of(comparison).items():
        own = shown[shown["mode"].isin(set(comparison[system]["mode"].astype(str)))]
        scores = scores_of(answers, methods, answers["correct"]).astype({"category": str})
        covered = list(dict.fromkeys(scores["category"]))
        whole = {cell["category"]: cell.get("value") for cell in estimates(comparison, system, scores, covered=covered)}
        for left_out, kinds in LEFT_OUT.items():
            keys = pd.MultiIndex.from_frame(own.loc[own["kind"].isin(kinds), ["category", "problem"]])
            gone = pd.MultiIndex.from_frame(scores[["category", "problem"]]).isin(keys)
            kept = {c["category"]: c for c in estimates(comparison, system, scores[~gone], covered=covered)}
            for category in covered:
                here = sorted(set(scores.loc[gone & (scores["category"] == category), "problem"]))
                about = {"category": category, "system": system, "left_out": left_out, "items": len(here)}
                about |= {"which": " ".join(map(str, here)), "with_all": whole[category]}
                rows.append(about | {name: kept[category].get(name) for name in LEAKS[-5:]})
    table = pd.DataFrame(rows, columns=LEAKS)
    title = "TroVE's Table 2, problems that prompts show"
    return named(table, "trove_table2_leaks", title, comparison.title, note=shown.attrs.get("note", ""))
