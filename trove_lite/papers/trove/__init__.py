"""TroVE: Inducing Verifiable and Efficient Toolboxes for Solving Programmatic Tasks, its tables from candidates."""

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
    "ended_with",
    "figure10",
    "final_toolboxes",
    "power_figure",
    "table2_accuracy",
    "table2_differences",
    "table2_in_words",
    "table2_library",
    "table2_operations",
    "table5",
    "toolboxes",
    "verification",
    "verification_agreement",
    "verification_differences",
    "verification_in_words",
    "verification_power",
]
