"""What toolboxes hold when a run ends."""

from collections import Counter
from collections.abc import Iterable
from functools import partial
from pathlib import Path

import pandas as pd

from trove_lite.candidates import load_candidates, name_table, read_description, run_name
from trove_lite.errors import TroveLiteError
from trove_lite.programs import plain_name
from trove_lite.programs.parse import parse_tools

from .failure_modes import FUNCTION

#: The file beside outcomes, which have no run.json.
TOOLBOXES = "toolboxes.csv"
#: A function may be called `null`, and a category `NA`.
read_csv = partial(pd.read_csv, keep_default_na=False, na_values=[""])
KEPT = ["run", "method", "category", "seed", "rank", "name", "signature", "imports", "problem"]
TOOLBOX_COLUMNS = [
    *FUNCTION[:3],
    "rank",
    "function",
    "first_problem",
    "answers",
    "programs",
    "tools",
]


def toolboxes(runs: Iterable[str | Path]) -> pd.DataFrame:
    """Every tool that each run ended with, in the order of its listing, one row each; empty where
    no run says. `runs` are run folders, or outcomes with `toolboxes.csv` beside them. `imports`
    (the selected answers that used it) and `problem` (which made it) are null for recorded runs.
    Raises TroveLiteError where a run is missing."""
    parts = []
    for path in _existing_paths(runs):
        if path.is_dir():
            about = read_description(path)
            listed = pd.DataFrame(about.get("toolboxes") or [])
            if "run" not in listed and len(listed):
                listed["run"] = [
                    run_name(about["settings"]["name"], seed) for seed in listed["seed"]
                ]
        else:
            listed = (
                read_csv(beside)
                if (beside := path.with_name(TOOLBOXES)).is_file()
                else pd.DataFrame()
            )
        parts.append(listed.reindex(columns=KEPT))
    return pd.concat(
        [part for part in parts if len(part)] or [pd.DataFrame(columns=KEPT)], ignore_index=True
    )


def final_toolboxes(runs: Iterable[str | Path], *, top: int = 5) -> pd.DataFrame:
    """The `top` functions of the toolbox that each live TROVE stream ended with, most used first.
    `answers`: problems whose selected answer imported the function, which is what ranks and trims
    it; `programs`: all programs in IMPORT mode with it, where a table has their texts;
    `first_problem`: the one that created it; `tools`: the size of the whole toolbox."""
    parts = []
    for folder in _existing_paths(runs):
        table = toolboxes([folder])
        table = table[table["imports"].notna()].astype({"imports": "int64", "problem": "Int64"})
        if table.empty:
            continue
        candidates = load_candidates(folder)
        table = table.rename(
            columns={"name": "function", "imports": "answers", "problem": "first_problem"}
        )
        table["programs"] = pd.NA  # of a table without texts
        if "tools" in candidates:
            used = Counter(
                (row.method, row.category, row.seed, name)
                for row in candidates[candidates["mode"] == "import"].itertuples()
                for name in {plain_name(tool.name) for tool in parse_tools(row.tools or "")}
            )
            keys = table[FUNCTION].itertuples(index=False, name=None)
            table["programs"] = [used[key] for key in keys]
        table["tools"] = table.groupby(FUNCTION[:3])["rank"].transform("size")
        parts.append(
            table[table["rank"] <= top].sort_values([*FUNCTION[:3], "rank"])[TOOLBOX_COLUMNS]
        )
    table = pd.concat(
        parts or [pd.DataFrame(columns=TOOLBOX_COLUMNS)],
        ignore_index=True,
    )
    table["first_problem"] = (
        table["first_problem"]
        .astype(object)
        .where(
            table["first_problem"].notna(),
            None,
        )
    )
    return name_table(
        table, "toolbox", "toolboxes", note="no live run of TROVE: recorded logs note none"
    )


def _existing_paths(runs: Iterable[str | Path]) -> list[Path]:
    if isinstance(runs, str | Path):
        raise TroveLiteError(f"{runs}: give a list of runs")
    paths = list(map(Path, runs))
    if missing := [path for path in paths if not path.exists()]:
        raise TroveLiteError(f"{missing[0]}: missing; name run folders or outcomes")
    return paths
