"""`python -m trove_lite_papers.library_learning [FOLDER]`: public logs, from the data folder, as
parquet files into `results/strong`. Needs `trove-lite fetch math strong`; no model is asked. The
essay makes the tables."""

import sys
from pathlib import Path

from trove_lite.errors import TroveLiteError

from . import published

if __name__ == "__main__":
    folder = Path(*sys.argv[1:2] or ["results/strong"])
    try:
        published.save(published.make(), folder)
    except TroveLiteError as error:
        sys.exit(f"error: {error}")
    print(f"{folder}: {len(published.load(folder))} talks, and first proofs")
