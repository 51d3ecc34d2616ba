"""A Compute-Matched Re-Evaluation of TroVE on MATH: its tables, each with its figure, computed from candidates.

A function a table, named after it, and one a figure, which takes the table. Every table is long: one row a cell, with
the columns of `papers.COLUMNS`. What the data at hand cannot fill keeps its row, with the reason in `note`; a printed
number stands beside ours only where model, data set and budget are those that it was printed for. Shares are fractions
of 1. Where PRIMITIVE was not run, the SKIP pool stands in for it, and every table says so (`sides`).
"""

from .claims import claims
from .figures import (
    ORDER,
    differences_figure,
    figure1,
    figure2,
    figure3,
    figure4,
    matched_budgets_figure,
    table1_figure,
    table9_figure,
)
from .models import a_column_a_model, each_model, methods, models, models_figure
from .paired import paired_differences
from .reading import differ, in_full
from .settings import table4
from .tables import (
    differences,
    figure1_table,
    figure3_table,
    figure4_table,
    matched_budgets,
    power_table,
    table1,
    table2,
    table3,
    table5,
    table6,
    table7,
    table8,
    table9,
    without_import,
)
from .two_sides import (
    OTHER_SKIP,
    OTHERS,
    PRIMITIVE,
    SIDES,
    SKIP_POOL,
    TROVE,
    budget,
    covered,
    measured,
    sides,
    skip_pool,
    source,
)
from .words import (
    budget_in_words,
    difficulty_in_words,
    lead_in_words,
    modes_in_words,
    overlap_in_words,
    worked_modes,
    worked_overlap,
)

__all__ = [
    "ORDER",
    "OTHERS",
    "OTHER_SKIP",
    "PRIMITIVE",
    "SIDES",
    "SKIP_POOL",
    "TROVE",
    "a_column_a_model",
    "budget",
    "budget_in_words",
    "claims",
    "covered",
    "differ",
    "differences",
    "differences_figure",
    "difficulty_in_words",
    "each_model",
    "figure1",
    "figure1_table",
    "figure2",
    "figure3",
    "figure3_table",
    "figure4",
    "figure4_table",
    "in_full",
    "lead_in_words",
    "matched_budgets",
    "matched_budgets_figure",
    "measured",
    "methods",
    "models",
    "models_figure",
    "modes_in_words",
    "overlap_in_words",
    "paired_differences",
    "power_table",
    "sides",
    "skip_pool",
    "source",
    "table1",
    "table1_figure",
    "table2",
    "table3",
    "table4",
    "table5",
    "table6",
    "table7",
    "table8",
    "table9",
    "table9_figure",
    "without_import",
    "worked_modes",
    "worked_overlap",
]
