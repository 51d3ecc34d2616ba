"""CREATOR (Qian et al. 2023): its tables and figures on any run of its methods, and what they are at equal budgets."""

from .sides import Study, limited, study
from .spend import curves, matched, mean_costs, spend_figure
from .tables import figure4, figure4_table, figure5, figure5_table, leniency_table, table2, table3, table4
from .transfer import table5
