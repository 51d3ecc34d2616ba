"""What the re-evaluation's text says, and what its tables say twice: section 1 of the audit, continued."""

from fractions import Fraction

import pandas as pd

from .finding import (
    Finding,
    Look,
    by_category,
    cell,
    claim,
    finding,
    rows_of,
)

RUNS = 5
PAPER = "re-evaluation"
#: The columns of Table 1: their name in words, method, variant.
COLUMNS_OF_TABLE1 = {
    "original PRIMITIVE": ("PRIMITIVE", "original"),
    "PRIMITIVE, K=15": ("PRIMITIVE", "compute_matched"),
    "original TROVE": ("TROVE", "original"),
    "TROVE reproduced": ("TROVE", "reproduced_two_stage"),
    "TROVE improved": ("TROVE", "improved_one_stage"),
}


def statement_findings(look: Look) -> list[Finding]:
    """The checks of this file."""
    return [*settings(look), *text_and_text(look)]


def sizes_of(look: Look) -> pd.Series:
    """Problems of each category, by Table 8."""
    return by_category(look, "reeval_table8", "count", level="all")


def report(place: str, check: str, **rest: object) -> Finding:
    """A finding about the re-evaluation."""
    return finding(1, PAPER, place, check, **rest)


def settings(look: Look) -> list[Finding]:
    """Appendix A: what the text says of the settings, what Table 4 says, and what TroVE's paper says."""
    timeout = float(claim(look, "reeval", "exec_timeout changed from 100 to"))
    printed = cell(look, "reeval_table4", "value", hyperparameter="exec_timeout", method="TROVE")
    trim = cell(look, "reeval_table4", "value", hyperparameter="trim_steps", method="TROVE")
    paper = float(claim(look, "trove", "trim interval"))
    return [
        report(
            "App. A and Table 4",
            "time limit of a program",
            stated=f"set to {timeout:g} s in the text",
            computed=f"Table 4 prints {printed:g} s",
            holds=timeout == printed,
            importance=1,
        ),
        report(
            "App. A, Table 4",
            "settings are those of TroVE's paper: trimming interval",
            stated=f"{trim:g} steps",
            computed=f"TroVE §5.1 states {paper:g}",
            holds=trim == paper,
            importance=1,
        ),
    ]


def text_and_text(look: Look) -> list[Finding]:
    """Statements of the text and of its listings against each other."""

    def said(section: str, quantity: str) -> str:
        return str(rows_of(look, "figures", paper="reeval", section=section, quantity=quantity)["value"].iloc[0])

    everywhere = said("§4.2.1", "order of modes in all categories")
    there = said("§B.3", "order of modes in precalculus")
    rank = {mode: i for i, mode in enumerate(everywhere.split(" > "))}
    first, second = there.split(" > ")
    modes, k = len(rank), int(float(claim(look, "reeval", "compute budget K")))
    text, listing = (Fraction(said(where, "share of K sampled in each mode")) for where in ("§2", "Algorithms 1 and 2"))
    bound, read = (set(said("Algorithm 1", f"names that are {kind}").split()) for kind in ("bound", "read"))
    return [
        report(
            "§4.2.1 and B.3",
            "the order of the modes",
            stated=f"§4.2.1: {everywhere} in all categories",
            computed=f"B.3: {there} in precalculus",
            holds=rank[first] < rank[second],
            importance=2,
            note="both are said of Figure 1, whose values are not printed",
        ),
        report(
            "§2 and Algorithms 1, 2",
            "calls a problem, given K",
            stated=f"§2: K = {k} calls, {text} of them in each of {modes} modes",
            computed=f"the algorithms sample {'K' if listing == 1 else f'{listing} K'} in each mode: "
            f"{listing * modes * k} calls",
            holds=text == listing,
            importance=2,
            note="" if text == listing else f"budgets are matched at {k} calls only as §2 has it",
        ),
        report(
            "Algorithm 1",
            "every name that is read has a value",
            stated=f"{len(read)} names are read",
            computed=", ".join(sorted(read - bound)) + " has none" if read - bound else "all have",
            holds=read <= bound,
            importance=0.5,
        ),
    ]
