"""TroVE: Inducing Verifiable and Efficient Toolboxes for Solving Programmatic Tasks: its tables from candidates, and
the data sets that it brought besides MATH."""

from pathlib import Path

from trove_lite import index_of

WORDS = Path(__file__).parent / "words"
__getattr__, __dir__, __all__ = index_of(
    __name__,
    {
        "ablations": "ablations effects orders_table placebo placebo_differences sizes_table",
        "demonstrations": "OPEN Demonstration demonstrations normalised",
        "explained": "counted_otherwise recorded_selection table2_explained",
        "table2": "ACCURACY REPORTED SELECTED ended_with simpler smaller table2 table2_differences table2_library",
    },
)
