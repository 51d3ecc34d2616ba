"""Are runs that are called several really several?

Unseeded runs on equal hardware can repeat each other, program by program. Here runs are compared pair by pair, and
those that copy another are left out before anything is averaged over runs. It reads fingerprints, never text.
"""

from itertools import combinations

import numpy as np
import pandas as pd

from ..candidates import checked

CELL = ["problem", "mode", "sample"]
#: More programs in common than this, beyond chance, and two runs do not count as two.
MAX_SHARED = 0.25


def shared_programs(candidates: pd.DataFrame) -> pd.DataFrame:
    """Share of identical programs for each pair of runs of a category, compared sample by sample.

    Compared are the samples that both runs have: same problem, mode and position. `identical` is the share with the
    same program; `by_chance` is the same share with one run's samples shifted by one position within problem and
    mode, which is what independent runs would show. `verdict`: `copy` (identical in at least 95 %), `overlap` (at
    least 25 points above chance), else `independent`.
    """
    stream = checked(candidates)
    stream = stream[stream["phase"] == "stream"]
    rows = []
    for category, part in stream.groupby("category", observed=True):
        cells = part.pivot_table(
            index=CELL, columns=["run", "method"], values="program", aggfunc="first", observed=True, sort=True
        )
        group = cells.index.droplevel("sample")
        group = group.to_frame(index=False).groupby(["problem", "mode"], observed=True).ngroup().to_numpy()
        for one, other in combinations(cells.columns, 2):
            both = cells[[one, other]].notna().all(axis=1).to_numpy()
            if not both.any():
                continue
            a, b, g = cells[one].to_numpy()[both], cells[other].to_numpy()[both], group[both]
            neighbour = np.roll(b, -1)
            aligned = np.roll(g, -1) == g
            identical = float(np.mean(a == b))
            chance = float(np.mean((a == neighbour)[aligned])) if aligned.any() else float("nan")
            verdict = "copy" if identical >= 0.95 else "overlap" if identical - chance > MAX_SHARED else "independent"
            rows.append(
                {
                    "category": category,
                    "run_a": one[0],
                    "method_a": one[1],
                    "run_b": other[0],
                    "method_b": other[1],
                    "compared": int(both.sum()),
                    "identical": identical,
                    "by_chance": chance,
                    "verdict": verdict,
                }
            )
    columns = [
        "category",
        "run_a",
        "method_a",
        "run_b",
        "method_b",
        "compared",
        "identical",
        "by_chance",
        "verdict",
    ]
    return pd.DataFrame(rows, columns=columns)


def independent_runs(candidates: pd.DataFrame) -> pd.DataFrame:
    """The candidates without the runs that copy or overlap an earlier one of the same category (in name order)."""
    pairs = shared_programs(candidates)
    dependent = pairs[pairs["verdict"] != "independent"]
    dropped = set()
    for _, pair in dependent.sort_values(["category", "run_a", "run_b"]).iterrows():
        if (pair["run_a"], pair["category"]) not in dropped:
            dropped.add((pair["run_b"], pair["category"]))
    keys = pd.Series(list(zip(candidates["run"], candidates["category"], strict=True)), index=candidates.index)
    return candidates[~keys.isin(dropped)]
