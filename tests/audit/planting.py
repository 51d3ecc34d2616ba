"""What tests of the audit share: tables with other cells, what one check finds, a sandbox that is none."""

import numpy as np

from audit import findings_of
from audit.printed import as_printed
from papers import published_table
from trove_lite.sandbox.worker import Execution


def planted(table, *changes):
    """A copy of a published table with other cells; a change is a value, its column, and a condition on rows."""
    rows = published_table(table).copy()
    for value, column, where in changes:
        hit = np.logical_and.reduce([rows[name] == wanted for name, wanted in where.items()])
        assert hit.any()
        rows[column] = rows[column].astype(object).where(~hit, value).infer_objects()
    return rows


def findings(check, evidence=None, **tables):
    """What a check finds in published tables, but for those given, and in evidence."""
    return findings_of({"look": as_printed(**tables)} | (evidence or {}), check)


def only(check, evidence=None, **tables):
    (found,) = findings(check, evidence, **tables)
    return found


class Pretend:
    """A sandbox that runs nothing and answers as it is told."""

    def __init__(self, output="4", status="ok"):
        self.programs, self.output, self.status = [], output, status

    def run_many(self, programs, progress=True):
        self.programs += programs
        return [Execution(self.status, self.output, False, "", 0.0, 0.0) for _ in programs]
