"""CREATOR (Qian et al. 2023): its tables and figures on any run of its methods, and what they are at equal budgets.

`study` makes the comparison from candidates, graded anew; a function a table takes it, and one a figure its table. The
paper reports one attempt of each method whatever it costs; `matched` and `curves` let cheaper methods repeat theirs.
"""

from .grading import GRADERS
from .sides import Study, limited, study
from .spend import curves, matched, mean_costs, spend_figure
from .tables import figure4, figure4_table, figure5, figure5_table, leniency_table, table2, table3, table4
from .transfer import table5
