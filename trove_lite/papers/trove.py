"""TroVE: what its toolboxes hold when a run ends."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from ..candidates import load_candidates
from ..errors import TroveLiteError
from ..parse import parse_tools
from ..programs import plain_name
from ..running.live import read_description

TOOLBOX_COLUMNS = ["method", "category", "seed", "rank", "function", "first_problem", "answers", "programs", "tools"]


def final_toolboxes(runs: Iterable[str | Path], *, top: int = 5) -> pd.DataFrame:
    """The `top` functions of the toolbox that each TROVE stream ended with, most used first.

    `answers` counts the problems whose selected answer imported the function, which is what ranks and trims it;
    `programs` all programs that the model wrote in IMPORT mode with it. `first_problem` is the one that created it,
    `tools` the size of the whole toolbox. Only folders of live runs know: for others the table is empty.
    Raises TroveLiteError where one is missing.
    """
    parts = [pd.DataFrame(columns=TOOLBOX_COLUMNS)]
    if isinstance(runs, str | Path):
        raise TroveLiteError(f"{runs}: give a list of run folders")
    for folder in map(Path, runs):
        if not folder.exists():
            raise TroveLiteError(f"{folder}: missing; name run folders")
        listed = read_description(folder).get("toolboxes") if (folder / "run.json").exists() else None
        if not listed:
            continue
        names = {"name": "function", "imports": "answers", "problem": "first_problem"}
        table = pd.DataFrame(listed).rename(columns=names)
        stream = ["method", "category", "seed"]
        counts = _import_counts(load_candidates(folder))
        table["programs"] = [counts[key] for key in table[[*stream, "function"]].itertuples(index=False, name=None)]
        table["tools"] = table.groupby(stream)["rank"].transform("size")
        parts.append(table[table["rank"] <= top].sort_values([*stream, "rank"])[TOOLBOX_COLUMNS])
    table = pd.concat(parts[1:] or parts, ignore_index=True)
    table.attrs = {"name": "toolbox", "title": "toolboxes", "note": "no live run of TROVE: recorded logs note none"}
    return table


def _import_counts(candidates: pd.DataFrame) -> Counter:
    """In how many IMPORT programs each tool is used, by (method, category, seed, name)."""
    counts = Counter()
    for row in candidates[candidates["mode"] == "import"].itertuples():
        names = {plain_name(tool.name) for tool in parse_tools(row.tools)}
        counts.update((row.method, row.category, row.seed, name) for name in names)
    return counts
