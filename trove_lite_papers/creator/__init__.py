"""CREATOR (Qian et al. 2023): its methods, words and data, and its tables and figures on any run of
its methods."""

from pathlib import Path

from trove_lite import index_of

WORDS = Path(__file__).parent / "words"
FILES = Path(__file__).parent / "registry.csv"

HOMES = {
    "systems": "Study attempt_costs repairing study",
    "spend": "curves histogram matched mean_costs overall spend_figure spend_sentence spend_summary",
    "transfer_table": "table5",
}
HOMES |= {
    "tables": "SHARES figure4 figure4_table figure5 figure5_table leniency_table table2 table3 table4"
}
HOMES |= {
    "records": "by_grader by_level levels_figure recorded records_figure records_sentence toolsets unrepaired",
    "graders": "one_answer released",
}
__getattr__, __dir__, __all__ = index_of(__name__, HOMES)
