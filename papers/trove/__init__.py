"""TroVE: Inducing Verifiable and Efficient Toolboxes for Solving Programmatic Tasks, its tables from candidates."""

from trove_lite.analysis.compare import points

from .ablation_tables import ablation_table, orders_in_words, orders_table, sizes_in_words, sizes_table
from .ablations import ablations, effects, effects_in_words
from .definitions import (
    counted_otherwise,
    definitions_in_words,
    recorded_accuracy,
    recorded_selection,
    simpler,
    smaller,
    table2_explained,
)
from .figures import effects_figure, growth_figure, placebo_figure, sizes_figure
from .growth import growth, growth_in_words, later
from .leaks import OPEN, Demonstration, demonstrations, normalised, shown_problems
from .placebo import placebo, placebo_differences, placebo_in_words
from .subjects import libraries, library_figure, table1, table6
from .table2 import (
    ended_with,
    leaks_in_words,
    table2_accuracy,
    table2_differences,
    table2_in_words,
    table2_leaks,
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

__all__ = [
    "OPEN",
    "Demonstration",
    "ablation_table",
    "ablations",
    "counted_otherwise",
    "definitions_in_words",
    "demonstrations",
    "effects",
    "effects_figure",
    "effects_in_words",
    "ended_with",
    "figure10",
    "growth",
    "growth_figure",
    "growth_in_words",
    "later",
    "leaks_in_words",
    "libraries",
    "library_figure",
    "normalised",
    "orders_in_words",
    "orders_table",
    "placebo",
    "placebo_differences",
    "placebo_figure",
    "placebo_in_words",
    "points",
    "power_figure",
    "recorded_accuracy",
    "recorded_selection",
    "shown_problems",
    "simpler",
    "sizes_figure",
    "sizes_in_words",
    "sizes_table",
    "smaller",
    "table1",
    "table2_accuracy",
    "table2_differences",
    "table2_explained",
    "table2_in_words",
    "table2_leaks",
    "table2_library",
    "table2_operations",
    "table5",
    "table6",
    "verification",
    "verification_agreement",
    "verification_differences",
    "verification_in_words",
    "verification_power",
]
