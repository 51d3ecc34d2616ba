"""TroVE: Inducing Verifiable and Efficient Toolboxes for Solving Programmatic Tasks, its tables from candidates."""

from .definitions import (
    counted_otherwise,
    definitions_in_words,
    recorded_accuracy,
    recorded_selection,
    simpler,
    smaller,
    table2_explained,
)
from .subjects import libraries, library_figure, table1, table6
from .table2 import (
    ended_with,
    table2_accuracy,
    table2_differences,
    table2_in_words,
    table2_library,
    table2_operations,
)
from .table5 import (
    figure10,
    power_figure,
    table5,
    verification,
    verification_agreement,
    verification_differences,
    verification_in_words,
    verification_power,
)
from .toolboxes import KEPT, TOOLBOXES, final_toolboxes, toolboxes

__all__ = [
    "KEPT",
    "TOOLBOXES",
    "counted_otherwise",
    "definitions_in_words",
    "ended_with",
    "figure10",
    "final_toolboxes",
    "libraries",
    "library_figure",
    "power_figure",
    "recorded_accuracy",
    "recorded_selection",
    "simpler",
    "smaller",
    "table1",
    "table2_accuracy",
    "table2_differences",
    "table2_explained",
    "table2_in_words",
    "table2_library",
    "table2_operations",
    "table5",
    "table6",
    "toolboxes",
    "verification",
    "verification_agreement",
    "verification_differences",
    "verification_in_words",
    "verification_power",
]
