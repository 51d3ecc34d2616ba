"""What a planned number was in each batch: the earlier ones from numbers.csv, the last from the
tables."""

import pandas as pd

from .bench import PLANNED, Pairs
from .rules import HERE

#: A row a part and batch: what became of it (STATES), why, and what was seen of accuracies before.
BATCHES = HERE / "batches.csv"
STATES = ("counted", "replaced", "withdrawn", "not complete", "not run")
#: A row a comparison and batch that a later batch replaced: what results/bench/differences.csv had at
#: the commit that published the batch.
NUMBERS = HERE / "numbers.csv"


def by_batch(differences: pd.DataFrame, pairs: Pairs) -> pd.DataFrame:
    """A row a planned comparison and batch, by the plan's first measure: tools minus without.

    A comparison belongs to the last batch in which one of its parts was drawn. differences: as of
    `bench.differences`.
    """
    last = pd.read_csv(BATCHES).groupby("part")["batch"].max()
    now = differences[differences["measure"] == PLANNED[0]].rename(columns={"id": "comparison"})
    now["batch"] = [
        max(last[part] for system in pairs[name] for part in system) for name in now["comparison"]
    ]
    earlier = pd.read_csv(NUMBERS)
    rows = pd.concat([earlier, now[[*earlier.columns.intersection(now.columns)]]])
    rows = rows.sort_values("batch", kind="stable")
    planned = [*pairs].index
    return rows.sort_values(
        "comparison", kind="stable", key=lambda name: name.map(planned), ignore_index=True
    )
