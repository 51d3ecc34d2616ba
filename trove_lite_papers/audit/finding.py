"""A finding of the audit: what a paper states beside what was computed, with a verdict.

The words are a row of `findings.csv`, with {fields} for every number. A check is a function named by the row's id: it
takes what it needs by name and gives whether the statement holds, and its `locals()`, which the fields are; or several
of these, or findings. A row that has a verdict needs no check: it was read in a released program, whose files it names.
"""

from collections import namedtuple
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Formatter
from types import MappingProxyType

import pandas as pd

CONSISTENT = "consistent"
INCONSISTENT = "inconsistent"
UNDECIDED = "cannot be decided"
VERDICTS = (INCONSISTENT, UNDECIDED, CONSISTENT)
#: `weight` is how much rests on the statement (3: a conclusion of the paper, 2: numbers that others use, 1: a detail;
#: 5: the question of the whole kit), times this.
WEIGHT_OF = {INCONSISTENT: 1.0, UNDECIDED: 0.5, CONSISTENT: 0.1}
#: id → section, paper, place, check, importance, stated, computed, note, note_unless_it_holds, verdict.
WORDS = pd.read_csv(Path(__file__).with_name("findings.csv"), keep_default_na=False, index_col="id")
TEXTS = ("paper", "place", "check", "stated", "computed", "note")

Finding = namedtuple("Finding", "section paper place check stated computed verdict weight note")


class Words(Formatter):
    """`str.format`, but `{x!p:.1f}` is a share as a percentage, `{x!n}` how many and `{x:, |none}` a list, joined."""

    def convert_field(self, value: object, conversion: str | None) -> object:
        if conversion == "p":
            return 100 * value
        return len(value) if conversion == "n" else super().convert_field(value, conversion)

    def format_field(self, value: object, spec: str) -> str:
        if not isinstance(value, list):
            return super().format_field(value, spec)
        between, _, empty = spec.partition("|")
        return (between or "; ").join(map(str, value)) or empty


def finding(
    name: str, holds: bool | None, fields: Mapping[str, object] = MappingProxyType({})
) -> Finding:
    """The row of this id with its numbers; `holds`: None where a statement can be neither kept nor refuted.

    Fields named `note` or `importance` stand for the row's own.
    """
    row = WORDS.loc[name].to_dict()
    if not holds and row["note_unless_it_holds"]:
        row["note"] = row["note_unless_it_holds"]
    row |= {own: fields[own] for own in ("note", "importance") if own in fields}
    verdict = UNDECIDED if holds is None else CONSISTENT if holds else INCONSISTENT
    paper, place, check, stated, computed, note = (
        Words().vformat(row[column], (), fields) for column in TEXTS
    )
    weight = round(float(row["importance"]) * WEIGHT_OF[verdict], 2)
    return Finding(
        int(row["section"]), paper, place, check, stated, computed, verdict, weight, note
    )


def read_findings() -> list[Finding]:
    """What was read in the released programs and is not computed."""
    rows = WORDS.loc[WORDS["verdict"] != "", "verdict"]
    return [
        finding(name, None if verdict == UNDECIDED else False) for name, verdict in rows.items()
    ]


def as_table(findings: Sequence[Finding]) -> pd.DataFrame:
    """Findings as rows, the weightiest first."""
    frame = pd.DataFrame(findings, columns=Finding._fields)
    keys = ["weight", "_rank", "section", "paper", "place", "check"]
    frame = frame.assign(_rank=frame["verdict"].map(VERDICTS.index))
    frame = frame.sort_values(keys, ascending=[False] + [True] * 5, kind="stable")
    return frame.drop(columns="_rank").reset_index(drop=True)
