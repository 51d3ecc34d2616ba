"""A Compute-Matched Re-Evaluation of TroVE on MATH: the two systems, its tables, its differences,
from candidates.

Every table is long: one row a cell, with the columns of `tables.COLUMNS`. What the data at hand
cannot fill keeps its row, with the reason in `note`. Where PRIMITIVE was not run, the SKIP pool
stands in for it, and is named.
"""

from trove_lite import index_of

HOMES = {
    "answers": "about_budget about_difference about_import about_levels about_models about_overlap about_tokens "
    "accuracy_figure budget_figure difference_figure levels_figure matched_figure models_figure modes_figure "
    "overlap_figure pooled_figure solved_figure without_import_figure",
    "gap": "about_selectors left_to_the_oracle over_most selectors_figure selectors_table",
    "paired": "ORDER_OF_MODES Effect differences matched_budgets paired_differences without_import",
    "reading": "about_failures differ failures_figure",
    "programs": "Program by_problem resampled samples shares",
    "tables": "Row by_mode figure4_table gains_table growing level_differences overlap_table reported solved_sets "
    "table table1 table4 table8 table9",
    "toolbox": "toolbox_experiment",
    ".two_systems": "MODES OTHER_SKIP PRIMITIVE SYSTEMS SKIP_POOL TROVE "
    "budget covered each_model measured models of_modes systems source",
}
__getattr__, __dir__, __all__ = index_of(__name__, HOMES)
