"""`python -m trove_lite_papers.library_learning [FOLDER]`: the tables of the public logs, from the data folder, into
`results/strong`. Needs `trove-lite fetch math strong`; no model is asked."""

import sys
from pathlib import Path

from trove_lite.errors import TroveLiteError

from . import proved, published, tables


def jaccard(a, b):
    """Problems that both solve, of those that either solves."""
    return (a & b).sum() / (a | b).sum()


def main(folder: Path) -> None:
    found = published.make()
    published.save(found, folder)
    talks, proofs = published.load(folder), found["proofs"]
    making = published.load_making(folder)
    values = {"vote": tables.vote, "any": tables.any_right}
    told = tables.differences(talks, making)
    by_attempts = proved.differences(proofs)
    same_cost = tables.matched(talks, values)
    made = {
        "marks": proved.marks(told, by_attempts, same_cost),
        "differences": told,
        "proof_differences": by_attempts,
        "matched": same_cost,
        "break_even": tables.breaks_even(talks, making),
        "called": tables.called(talks),
        "passed": tables.passed(talks),
        "overlap": tables.overlap(talks, jaccard),
        "levels": tables.levels(talks),
        "verdicts": tables.verdicts(talks),
        "curves": proved.curves(proofs),
        "asked_twice": tables.asked_twice(talks),
    }
    for name, table in made.items():
        table = table.round(8)
        table.to_csv(folder / f"{name}.csv", index=False, lineterminator="\n", float_format="%.6g")
        print(f"{folder / name}.csv: {len(table)} rows")


if __name__ == "__main__":
    try:
        main(Path(*sys.argv[1:2] or ["results/strong"]))
    except TroveLiteError as error:
        sys.exit(f"error: {error}")
