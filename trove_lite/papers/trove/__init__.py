"""TroVE: Inducing Verifiable and Efficient Toolboxes for Solving Programmatic Tasks, its tables from candidates."""

from .ablation_tables import ablation_table, orders_in_words, orders_table, sizes_in_words, sizes_table
from .ablations import ablations, effects, effects_in_words, points
from .figures import effects_figure, growth_figure, placebo_figure, sizes_figure
from .growth import growth, growth_in_words, later
from .placebo import placebo, placebo_differences, placebo_in_words
from .table2 import (
    ended_with,
    table2_accuracy,
    table2_differences,
    table2_in_words,
    table2_library,
    table2_operations,
)
from .toolboxes import KEPT, TOOLBOXES, final_toolboxes, toolboxes

__all__ = [
    "KEPT",
    "TOOLBOXES",
    "ablation_table",
    "ablations",
    "effects",
    "effects_figure",
    "effects_in_words",
    "ended_with",
    "final_toolboxes",
    "growth",
    "growth_figure",
    "growth_in_words",
    "later",
    "orders_in_words",
    "orders_table",
    "placebo",
    "placebo_differences",
    "placebo_figure",
    "placebo_in_words",
    "points",
    "sizes_figure",
    "sizes_in_words",
    "sizes_table",
    "table2_accuracy",
    "table2_differences",
    "table2_in_words",
    "table2_library",
    "table2_operations",
    "toolboxes",
]
