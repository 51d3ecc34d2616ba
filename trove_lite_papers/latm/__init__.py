"""Large Language Models as Tool Makers: its methods, words, tasks and tables, and its released
tools."""

from pathlib import Path

from trove_lite import index_of

WORDS = Path(__file__).parent / "words"
FILES = Path(__file__).parent / "registry.csv"

HOMES = {
    "cost": "Price break_even_table costs_figure first_tools",
    "released": "ceiling errors",
    "tables": "compared differences dispatcher endings sentence summary table2 table3 table4 table5 "
    "tools_at_hand trials",
}
__getattr__, __dir__, __all__ = index_of(__name__, HOMES)
