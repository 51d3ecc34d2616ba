"""A finding of the audit: what a paper states beside what was computed, with a verdict.

The words are a row of `findings.csv`, with {fields} for every number; a check is a function named by the row's id, which
takes what it needs by name and says whether the statement holds, and the fields (or several
of these, or findings of other rows). A row that has a verdict needs no
check: what no number shows was read in a released program, and names its files.
"""

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from pathlib import Path
from string import Formatter
from typing import NamedTuple

import pandas as pd

CONSISTENT, INCONSISTENT, UNDECIDED = "consistent", "inconsistent", "cannot be decided"
VERDICTS = (INCONSISTENT, UNDECIDED, CONSISTENT)
#: `weight` is how much rests on the statement (3: a conclusion of the paper, 2: numbers that others use, 1: a detail;
#: 5: the question of the whole kit), times this.
WEIGHT_OF = {INCONSISTENT: 1.0, UNDECIDED: 0.5, CONSISTENT: 0.1}
#: id → section, paper, place, check, importance, stated, computed, note, note_unless_it_holds, verdict.
WORDS = pd.read_csv(Path(__file__).with_name("findings.csv"), keep_default_na=False, index_col="id")
CHECKS: dict[str, Callable] = {}


class Finding(NamedTuple):
    section: int
    paper: str
    place: str
    check: str
    stated: str
    computed: str
    verdict: str
    weight: float
    note: str


class Words(Formatter):
    """`str.format`, and in `{x!p:.1f}` a share as a percentage, in `{x!n}` how many, in `{x:, |none}` a list, joined."""

    def convert_field(self, value: object, conversion: str | None) -> object:
        if conversion == "p":
            return 100 * value
        return len(value) if conversion == "n" else super().convert_field(value, conversion)

    def format_field(self, value: object, spec: str) -> str:
        if not isinstance(value, list):
            return super().format_field(value, spec)
        between, _, empty = spec.partition("|")
        return (between or "; ").join(map(str, value)) or empty


def check(function: Callable) -> Callable:
    """Registers a function for the row of its name; it gives (holds, fields), several of these, or findings."""
    CHECKS[function.__name__] = function
    return function


def finding(name: str, holds: bool | None, fields: Mapping[str, object] | None = None) -> Finding:
    """The row of this id with its numbers; `holds`: None where a statement can be neither kept nor refuted.

    Fields named `note` or `importance` stand for the row's own.
    """
    row = WORDS.loc[name].to_dict() | {k: v for k, v in (fields or {}).items() if k in ("note", "importance")}
    if not holds and row["note_unless_it_holds"] and "note" not in (fields or {}):
        row["note"] = row["note_unless_it_holds"]
    verdict = UNDECIDED if holds is None else CONSISTENT if holds else INCONSISTENT
    text = {
        x: Words().format(row[x], **fields or {}) for x in ("paper", "place", "check", "stated", "computed", "note")
    }
    weight = round(float(row["importance"]) * WEIGHT_OF[verdict], 2)
    return Finding(section=int(row["section"]), verdict=verdict, weight=weight, **text)


def findings_of(evidence: Mapping[str, object], *names: str) -> list[Finding]:
    """What these checks find, or all; a check that needs what is not in the evidence is left out."""
    found = []
    for name in names or CHECKS:
        needs = signature(CHECKS[name]).parameters
        if needs.keys() <= evidence.keys():
            answers = CHECKS[name](**{need: evidence[need] for need in needs})
            for answer in [answers] if isinstance(answers, tuple) else answers:
                found.append(answer if isinstance(answer, Finding) else finding(name, *answer))
    return found


def read_findings() -> list[Finding]:
    """What was read in the released programs and is not computed."""
    return [
        finding(name, {UNDECIDED: None, INCONSISTENT: False}[said]) for name, said in WORDS["verdict"].items() if said
    ]


def as_table(findings: Sequence[Finding]) -> pd.DataFrame:
    """Findings as rows, the weightiest first."""
    frame = pd.DataFrame(findings, columns=Finding._fields)
    keys = ["weight", "_rank", "section", "paper", "place", "check"]
    frame = frame.assign(_rank=frame["verdict"].map(VERDICTS.index))
    frame = frame.sort_values(keys, ascending=[False] + [True] * 5, kind="stable")
    return frame.drop(columns="_rank").reset_index(drop=True)
