"""A Compute-Matched Re-Evaluation of TroVE on MATH: the two sides, its tables, its differences, from candidates.

Every table is long: one row a cell, with the columns of `papers.COLUMNS`. What the data at hand cannot fill keeps its
row, with the reason in `note`; a printed number stands beside ours only where model, data set and budget are those that
it was printed for. Where PRIMITIVE was not run, the SKIP pool stands in for it, and every table says so (`sides`).
"""

from .models import a_column_a_model, each_model, methods, models
from .paired import differences, matched_budgets, paired_differences, power_table, without_import
from .reading import differ, in_full
from .settings import table4
from .tables import (
    Row,
    as_table,
    called_after_source,
    figure4_table,
    gains_table,
    over_all,
    overlap_table,
    table,
    table1,
    table5,
    table7,
    without_macro,
)
from .two_sides import (
    MODES,
    OTHER_SKIP,
    OTHERS,
    PRIMITIVE,
    SIDES,
    SKIP_POOL,
    TROVE,
    budget,
    covered,
    measured,
    of_modes,
    sides,
    skip_pool,
    source,
)

__all__ = [
    "MODES",
    "OTHERS",
    "OTHER_SKIP",
    "PRIMITIVE",
    "SIDES",
    "SKIP_POOL",
    "TROVE",
    "Row",
    "a_column_a_model",
    "as_table",
    "budget",
    "called_after_source",
    "covered",
    "differ",
    "differences",
    "each_model",
    "figure4_table",
    "gains_table",
    "in_full",
    "matched_budgets",
    "measured",
    "methods",
    "models",
    "of_modes",
    "over_all",
    "overlap_table",
    "paired_differences",
    "power_table",
    "sides",
    "skip_pool",
    "source",
    "table",
    "table1",
    "table4",
    "table5",
    "table7",
    "without_import",
    "without_macro",
]
