"""Large Language Models as Tool Makers: its tables from candidates and calls, and what its released tools can do."""

from .cost import PRICES, amortised, break_even, costs, costs_figure
from .dispatch import dispatcher
from .released import carried, ceiling, errors, known_ceiling, made_tools, released_tokens, released_tool
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
    "carried",
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
    "made_tools",
    "released_tokens",
    "released_tool",
    "shared_globals",
    "sides",
    "systems",
    "table2",
    "table3",
    "table4",
    "table5",
    "tool_maker_differences",
    "tool_makers",
    "trials_in_words",
]
