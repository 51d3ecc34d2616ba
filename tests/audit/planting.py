"""What tests of the audit share: a table with one cell changed, one finding of many, a sandbox that is none."""

import numpy as np

from papers import published_table
from trove_lite.sandbox.worker import Execution


def planted(table, value, column="mean", **where):
    """A copy of a published table with one cell changed."""
    rows = published_table(table).copy()
    hit = np.logical_and.reduce([rows[name] == wanted for name, wanted in where.items()])
    assert hit.sum() == 1, "the cell to change must be one cell"
    rows[column] = rows[column].astype(object)
    rows.loc[hit, column] = value
    rows[column] = rows[column].infer_objects()
    return rows


def only(findings, words):
    """The one finding whose check contains these words."""
    (found,) = [f for f in findings if words in f.check]
    return found


class Pretend:
    """A sandbox that runs nothing and answers as it is told."""

    def __init__(self, output="4", status="ok"):
        self.programs, self.output, self.status = [], output, status

    def run_many(self, programs, progress=True):
        self.programs += programs
        return [Execution(self.status, self.output, False, "", 0.0, 0.0) for _ in programs]
