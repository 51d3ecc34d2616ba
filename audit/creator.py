"""CREATOR's program against its paper: what printed numbers tell of lengths, repairs and transfer, and of grading.

Beside it stand `creator_data`, what the released data tell, and `creator_program`, what no number tells. Which setting
does here what the program does stands in docs/creator.md.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from papers.creator.grading import gold_in_input, input_leaks
from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Dataset
from trove_lite.errors import TroveLiteError

from .creator_data import data_findings
from .creator_program import LAST, program_findings
from .finding import Finding, Look, as_printed, cell, claim, finding, rows_of

#: Data sets of CREATOR's tables, whose files may not be here.
DATASETS = ("math", "tabmwp", "creation_challenge")
GRADING = "what a program prints is graded as what a model says"
SET = 3  # questions of a set of tool transfer
TOKENS = 1024  # read in utils.py: the longest completion that the program asks for


def creator_program_findings(missing: list[str], look: Look | None = None) -> list[Finding]:
    """CREATOR's findings on program and paper; what needs data sets that are not here is left out, and said."""
    look = look or as_printed()
    printed = [check(look) for check in (_tokens, _words_succeed, _repairs, _transfer, _free_question)]
    return [*_grading(missing), *printed, *data_findings(missing), *program_findings()]


def _report(place: str, check: str, **rest: object) -> Finding:
    return finding(2, "CREATOR", place, check, **rest)


def _grading(missing: list[str]) -> Iterator[Finding]:
    """The share of problems whose answer a program could print by repeating its input."""
    shares = []
    for name in DATASETS:
        try:
            dataset = load_dataset(name)
            leaks = input_leaks(dataset).set_index("category")["gold_in_input"]
            shares.append(f"{dataset.title} {100 * leaks.get('no_hint', leaks.iloc[-1]):.1f} %")
        except TroveLiteError as error:
            missing.append(f"problems of {name}: {error}")
            return
    yield _report(
        "program",
        GRADING,
        stated="one accuracy for all methods",
        computed=f"the gold answer is among the numbers of the input of {', '.join(shares)}",
        holds=False,
        importance=2,
        note=f"of {dataset.title} {100 * _in_question(dataset):.1f} % by the question alone, without its constants; of "
        "a program's output any number may be the answer, of words only the first after the marker; by method in the "
        "notebook 30_creator",
    )


def _in_question(dataset: Dataset) -> float:
    """The share of problems whose answer is a number of the question's own text."""
    problems = dataset.load(dataset.categories[0])
    bare = [replace(problem, question=problem.question._replace(context="")) for problem in problems]
    return float(np.mean([gold_in_input(problem) for problem in bare]))


def _tokens(look: Look) -> Finding:
    """How long a completion may be."""
    stated = claim(look, "creator", "max generation length")
    return _report(
        "App. A.1",
        "the longest completion",
        stated=f"{stated} tokens in all experiments",
        computed=f"in the program {TOKENS}",
        holds=float(stated) == TOKENS,
        importance=2,
        note=f"read in utils.py at {LAST}, and the same at the first commit",
    )


def _words_succeed(look: Look) -> Finding:
    """What Tables 3 and 4 print as successful execution of words, which the program has no way to deny."""
    shares = {}
    for number, task in ((3, "TabMWP"), (4, "Creation Challenge")):
        rows = rows_of(look, f"creator_table{number}", method="Standard", metric="successful_execution_pct")
        shares |= {f"{task} {r.setting}": float(r.value) for r in rows.itertuples()}
    below = {name: share for name, share in shares.items() if share < 100}
    return _report(
        "Tables 3 and 4",
        "successful execution of answers in words",
        stated=f"a valid answer is given; {', '.join(f'{name} {share:g} %' for name, share in shares.items())}",
        computed=f"as released nothing but a failed request can count against it: {len(below)} of {len(shares)} shares "
        "are below 100 %",
        holds=not below,
        importance=2,
        note=f"read in generate_cot.py at {LAST}: the test that should find no marker cannot fail, and an answer "
        "without a number is counted as wrong",
    )


def _repairs(look: Look) -> Finding:
    """What rectification adds to PoT in print, relative to none."""
    stated, gains = float(claim(look, "creator", "gain from rectification approximately")), {}
    for number, column, name in (
        (2, "category", "MATH"),
        (3, "dataset", "TabMWP"),
        (4, "dataset", "Creation Challenge"),
    ):
        for setting in ("w/o CoT", "w/ CoT"):
            where = {column: name, "setting": setting, "metric": "accuracy_pct"}
            with_, without = (
                cell(look, f"creator_table{number}", "value", method=f"PoT ({way} Rec.)", **where)
                for way in ("w/", "w/o")
            )
            gains[f"{name} {setting}"] = 100 * (with_ / without - 1)
    near = {name: gain for name, gain in gains.items() if abs(gain - stated) < stated / 2}
    return _report(
        "§4.4, Figure 5 and Tables 2 to 4",
        "gain from rectification",
        stated=f"about {stated:g} % of the value without",
        computed=f"PoT gains {min(gains.values()):.1f} to {max(gains.values()):.1f} %, on average "
        f"{np.mean(list(gains.values())):.1f} %",
        holds=len(near) == len(gains),
        importance=1,
        note="; ".join(f"{name} {gain:+.1f} %" for name, gain in gains.items())
        + "; CREATOR's own is in a figure alone",
    )


def _transfer(look: Look) -> Finding:
    """What the printed gain of transfer compares."""
    normal, lent = 2 * SET, SET * (SET - 1)
    return _report(
        "§5.1 and Table 5",
        "the gain of tool transfer, like with like",
        stated=f"+{claim(look, 'creator', 'transfer gain')} points",
        computed=f"as released: the best of up to {SET} tools that gold answers verified, at up to {normal + lent} "
        f"calls a set, against one attempt at {normal}",
        holds=None,
        importance=2,
        note="Table 5 of the notebook 30_creator has the mean over tools, the tool that agreement picks, and as many "
        "calls without transfer",
    )


def _free_question(look: Look) -> Finding:
    """How many of the questions won by transfer the program may have added for sets without any right answer.

    It adds one to each set for the question whose tool is lent, and to sets too in which no tool answered its own. Such
    a set gains exactly 1, every other at most SET - 1, and each set that is worse loses at least 1.
    """
    five = look("creator_table5").set_index("quantity")["value"].astype(float)
    sets, pieces = int(five["sets_of_queries"]), five["data_pieces"]
    normal, lent = (round(five[f"acc_tool_create_{name}"] * pieces / 100) for name in ("normal", "with_transfer"))
    worse, better = int(five["sets_worse_with_transfer"]), int(five["sets_better_with_transfer"])
    most = min(
        sets - -(-normal // SET),  # some set must hold the right answers
        (SET * sets - lent) // (SET - 1),  # each counts 1 of SET
        (SET - 1) * better - (lent - normal) - worse,
        better,
    )
    most = max(most, 0)
    return _report(
        "§5.1 and Table 5",
        "every question that transfer counts was answered",
        stated=f"{lent} of {pieces:.0f} with transfer, {normal} without",
        computed=f"as released each of {sets} sets gets one question for nothing, sets without a right answer too: of "
        f"the {lent} up to {most}, of the {five['increase_of_acc']:+.1f} points up to {100 * most / pieces:.1f}",
        holds=None if most else True,
        importance=2,
        note=f"the most that {better} sets better and {worse} worse allow; read in test_transfer.py at {LAST}; whether "
        "the printed total holds them is not said",
    )
