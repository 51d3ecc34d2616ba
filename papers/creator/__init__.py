"""CREATOR (Qian et al. 2023): its tables and figures on any run of its methods, and what they are at equal budgets.

`study` makes the comparison from candidates, graded anew; a function a table takes it, and one a figure its table. The
paper reports one attempt of each method whatever it costs; `matched` and `curves` let cheaper methods repeat theirs.
"""

from .figures import figure4, figure5, histogram_figure, spend_figure
from .grading import GRADERS, gold_in_input, input_leaks, verdicts
from .sides import Study, attempt_costs, limited, mean_costs, study
from .spend import curves, histogram, matched
from .tables import figure4_table, figure5_table, leniency_table, table2, table3, table4
from .transfer import table5
from .words import disentangling_in_words, leniency_in_words, repair_in_words, transfer_in_words

__all__ = [
    "GRADERS",
    "Study",
    "attempt_costs",
    "curves",
    "disentangling_in_words",
    "figure4",
    "figure4_table",
    "figure5",
    "figure5_table",
    "gold_in_input",
    "histogram",
    "histogram_figure",
    "input_leaks",
    "leniency_in_words",
    "leniency_table",
    "limited",
    "matched",
    "mean_costs",
    "repair_in_words",
    "spend_figure",
    "study",
    "table2",
    "table3",
    "table4",
    "table5",
    "transfer_in_words",
    "verdicts",
]
