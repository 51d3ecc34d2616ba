"""TroVE: Inducing Verifiable and Efficient Toolboxes for Solving Programmatic Tasks: its tables
from candidates, and the data sets that it brought besides MATH."""

from pathlib import Path

from trove_lite import index_of

WORDS = Path(__file__).parent / "words"
HOMES = {
    "explained": "counted_otherwise recorded_selection table2_explained",
    "sizes": "libraries libraries_figure libraries_sentence table6",
    "simplicity": "COUNTS PROBLEM count ended_with in_order operations_figure over_all sentence simpler smaller "
    "study summary summary_of_counts table2 table2_differences table2_library",
    "variants": "ablations effects effects_figure effects_sentence growth_figure kept orders_table sizes_figure "
    "sizes_table to_read used_in_streams",
    "control": "filled_against_empty placebo placebo_differences placebo_figure placebo_sentence",
}
__getattr__, __dir__, __all__ = index_of(__name__, HOMES)
