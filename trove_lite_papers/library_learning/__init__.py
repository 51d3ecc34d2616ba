"""Strong models with and without tools, from logs that others made public: readers, and tables of
any such log."""

from pathlib import Path

from trove_lite import index_of

FILES = Path(__file__).parent / "registry.csv"

HOMES = {"published": "load load_making load_proofs", "picture": "figure"}
HOMES |= {"tables": "breaks_even called differences levels matched overlap passed verdicts"}
HOMES |= {"proved": "curves marks proof_differences"}
__getattr__, __dir__, __all__ = index_of(__name__, HOMES)
