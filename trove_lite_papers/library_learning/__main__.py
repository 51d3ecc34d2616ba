"""`python -m trove_lite_papers.library_learning [FOLDER]`: the tables of the public logs, from the data folder, into
`results/strong`. Needs `trove-lite fetch math strong`; no model is asked."""

import sys
from pathlib import Path

from trove_lite.errors import TroveLiteError

from ..pages import save
from . import published
from .first import all_tables


def main(folder: Path) -> None:
    found = published.make()
    published.save(found, folder)
    talks = published.load(folder)
    for table in all_tables(talks, found["proofs"], published.load_making(folder)).values():
        save(table, folder)
    print(f"{folder}: {len(talks)} talks, and their tables")


if __name__ == "__main__":
    try:
        main(Path(*sys.argv[1:2] or ["results/strong"]))
    except TroveLiteError as error:
        sys.exit(f"error: {error}")
