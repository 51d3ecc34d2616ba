"""TroVE: Inducing Verifiable and Efficient Toolboxes for Solving Programmatic Tasks, its tables from candidates."""

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
    "ended_with",
    "final_toolboxes",
    "table2_accuracy",
    "table2_differences",
    "table2_in_words",
    "table2_library",
    "table2_operations",
    "toolboxes",
]
