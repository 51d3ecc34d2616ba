"""Large Language Models as Tool Makers: its tables from candidates and calls, and what its released tools can do."""

from .cost import PRICES, amortised, break_even, costs, costs_figure
from .dispatch import dispatcher, streams
from .released import ceiling, errors, known_ceiling, released_tokens
from .shared import shared_globals
from .systems import systems
from .tables import (
    differences,
    endings,
    in_pairs,
    latm_in_words,
    sides,
    table2,
    table3,
    table4,
    table5,
    tool_maker_differences,
    tool_makers,
    trials_in_words,
)

__all__ = [
    "PRICES",
    "amortised",
    "break_even",
    "ceiling",
    "costs",
    "costs_figure",
    "differences",
    "dispatcher",
    "endings",
    "errors",
    "in_pairs",
    "known_ceiling",
    "latm_in_words",
    "released_tokens",
    "shared_globals",
    "sides",
    "streams",
    "systems",
    "table2",
    "table3",
    "table4",
    "table5",
    "tool_maker_differences",
    "tool_makers",
    "trials_in_words",
]
