"""A Compute-Matched Re-Evaluation of TroVE on MATH: the two sides, its tables, its differences, from candidates.

Every table is long: one row a cell, with the columns of `tables.COLUMNS`. What the data at hand cannot fill
keeps its row, with the reason in `note`. Where PRIMITIVE was not run, the SKIP pool stands in for it, and is named.
"""

from trove_lite import index_of

HOMES = {
    "paired": "differences matched_budgets paired_differences power_table without_import",
    "reading": "differ",
    "tables": "Row as_table called_after_source figure4_table gains_table over_all overlap_table table "
    "table1 table4 table5 table7 without_macro",
    "toolbox": "toolbox_experiment",
    "two_sides": "MODES OTHER_SKIP PRIMITIVE SIDES SKIP_POOL TROVE "
    "budget covered each_model measured models of_modes sides source",
}
__getattr__, __dir__, __all__ = index_of(__name__, HOMES)
