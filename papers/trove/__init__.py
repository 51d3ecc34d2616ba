"""TroVE: Inducing Verifiable and Efficient Toolboxes for Solving Programmatic Tasks, its tables from candidates."""

from .ablation_tables import ablation_table, orders_table, sizes_table
from .ablations import ablations, effects
from .explained import counted_otherwise, recorded_selection, table2_explained
from .growth import growth, later, placebo, placebo_differences
from .leaks import OPEN, Demonstration, demonstrations, normalised, shown_problems, table2_leaks
from .table2 import (
    ACCURACY,
    REPORTED,
    SELECTED,
    ended_with,
    simpler,
    smaller,
    table2,
    table2_differences,
    table2_library,
)

__all__ = [
    "ACCURACY",
    "OPEN",
    "REPORTED",
    "SELECTED",
    "Demonstration",
    "ablation_table",
    "ablations",
    "counted_otherwise",
    "demonstrations",
    "effects",
    "ended_with",
    "growth",
    "later",
    "normalised",
    "orders_table",
    "placebo",
    "placebo_differences",
    "recorded_selection",
    "shown_problems",
    "simpler",
    "sizes_table",
    "smaller",
    "table2",
    "table2_differences",
    "table2_explained",
    "table2_leaks",
    "table2_library",
]
