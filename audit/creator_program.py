"""What CREATOR's released program does and its paper does not say, or says otherwise: read there, not computed.

No number at hand shows these. Each row of `creator_program.csv` names the files of qiancheng0/CREATOR in which it was
read, at its last commit where no other is named. What can be computed stands in `creator` and `creator_data`.
"""

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from .finding import UNDECIDED, Finding, finding

LAST, FIRST = "55b794a", "8fd0d41"


def program_findings() -> Iterator[Finding]:
    """A finding for each statement that was read in the program."""
    rows = pd.read_csv(Path(__file__).with_suffix(".csv"), keep_default_na=False)
    for row in rows.itertuples():
        source = f"read in {row.files}" + ("" if FIRST in row.files else f" at {LAST}")
        yield finding(
            2,
            "CREATOR",
            row.place,
            row.check,
            stated=row.stated,
            computed=f"in the program {row.program}",
            holds=None if row.verdict == UNDECIDED else False,
            importance=row.importance,
            note="; ".join(filter(None, (row.note, source))),
        )
