"""CREATOR's program against its paper, as far as numbers can tell: grading, repairs, and what transfer is held against.

What the program does otherwise than the paper says, and which setting does the same here, stands in docs/creator.md.
"""

from collections.abc import Iterator

import numpy as np

from ..datasets import load_dataset
from ..errors import TroveLiteError
from ..papers.creator.grading import input_leaks
from .finding import Finding, Look, as_printed, cell, claim, finding

#: Data sets of CREATOR's tables, whose files may not be here.
DATASETS = ("math", "tabmwp", "creation_challenge")
GRADING = "what a program prints is graded as what a model says"
NEEDS_DATA = (GRADING,)
SET = 3  # questions of a set of tool transfer


def creator_program_findings(missing: list[str], look: Look | None = None) -> list[Finding]:
    """CREATOR's findings on program and paper; what needs data sets that are not here is left out, and said."""
    look = look or as_printed()
    return [*_grading(missing), _repairs(look), _transfer(look)]


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
        note="of a program's output any number may be the answer, of words only the first after the marker; by method "
        "in the notebook 30_creator",
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
