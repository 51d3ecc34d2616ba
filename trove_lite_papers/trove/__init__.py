"""TroVE: Inducing Verifiable and Efficient Toolboxes for Solving Programmatic Tasks: its tables from candidates, and
the data sets that it brought besides MATH."""

from pathlib import Path

from trove_lite import index_of

WORDS = Path(__file__).parent / "words"
HOMES = {
    "explained": "counted_otherwise recorded_selection table2_explained",
    "simplicity": "COUNTS PROBLEM count ended_with operations_figure over_all sentence simpler smaller study summary "
    "summary_of_counts table2 table2_differences table2_library",
    "toolboxes": "libraries libraries_figure libraries_sentence table6",
    "variants": "ablations effects effects_figure effects_sentence growth_figure in_order orders_table sizes_figure "
    "sizes_table stored to_read used_in_streams",
    "control": "placebo placebo_differences placebo_figure placebo_sentence",
}
__getattr__, __dir__, __all__ = index_of(__name__, HOMES)
