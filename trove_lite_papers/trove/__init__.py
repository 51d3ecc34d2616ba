"""TroVE: Inducing Verifiable and Efficient Toolboxes for Solving Programmatic Tasks, its tables from candidates."""

from trove_lite.analysis.choose import PROBLEM, in_order

from .ablations import (
    ablations,
    effects,
    effects_figure,
    effects_sentence,
    growth_figure,
    orders_table,
    placebo,
    placebo_differences,
    placebo_figure,
    placebo_sentence,
    sizes_figure,
    sizes_table,
    stored,
    to_read,
    used_in_streams,
)
from .demonstrations import OPEN, Demonstration, demonstrations, normalised
from .explained import counted_otherwise, recorded_selection, table2_explained
from .libraries import libraries, libraries_figure, libraries_sentence, table6
from .table2 import (
    COUNTS,
    count,
    ended_with,
    operations_figure,
    over_all,
    sentence,
    simpler,
    smaller,
    study,
    summary,
    summary_of_counts,
    table2,
    table2_differences,
)
from .table2 import table2_library as table2_library
