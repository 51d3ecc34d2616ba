"""The papers' own numbers, as printed.

One CSV a table under `published/`, copied cell by cell; empty where the print is illegible or has no value. Nothing
here is computed.
"""

from functools import lru_cache
from importlib import resources

import pandas as pd

from ..errors import TroveLiteError


@lru_cache
def published_table(table: str) -> pd.DataFrame:
    """A published table by name, e.g. `reeval_table1` (the re-evaluation's Table 1), in long form."""
    file = resources.files(__package__) / "published" / f"{table}.csv"
    if not file.is_file():
        names = sorted(f.name.removesuffix(".csv") for f in (resources.files(__package__) / "published").iterdir())
        raise TroveLiteError(f"no published table '{table}': there are {', '.join(names)}")
    with file.open(encoding="utf-8") as text:
        return pd.read_csv(text)


def published_value(table: str, column: str = "mean", **where: object) -> float:
    """One printed number: the only row of `table` with these values; NaN where nothing is printed."""
    rows = published_table(table)
    for name, value in where.items():
        rows = rows[rows[name] == value]
    return float(rows[column].iloc[0]) if len(rows) == 1 else float("nan")
