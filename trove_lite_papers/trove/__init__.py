"""TroVE: Inducing Verifiable and Efficient Toolboxes for Solving Programmatic Tasks, its tables from candidates."""

from .ablations import ablations, effects, orders_table, placebo, placebo_differences, sizes_table
from .demonstrations import OPEN, Demonstration, demonstrations, normalised
from .explained import counted_otherwise, recorded_selection, table2_explained
from .table2 import (
    ACCURACY,
    REPORTED,
    SELECTED,
    ended_with,
    simpler,
    smaller,
    table2,
    table2_differences,
)
from .table2 import table2_library as table2_library
