"""What TroVE's toolboxes hold when a run ends."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from ..candidates import load_candidates, read_description, run_name
from ..errors import TroveLiteError
from ..parse import parse_tools
from ..programs import plain_name

#: What stands beside outcomes, which no run.json goes with.
TOOLBOXES = "toolboxes.csv"
KEPT = ["run", "method", "category", "seed", "rank", "name", "signature", "imports", "problem"]
STREAM = ["method", "category", "seed"]
TOOLBOX_COLUMNS = [*STREAM, "rank", "function", "first_problem", "answers", "programs", "tools"]


def toolboxes(runs: Iterable[str | Path]) -> pd.DataFrame:
    """Every tool that each run ended with, in the order of its listing, one row each; empty where no run says.

    `runs` are run folders, or outcomes with `toolboxes.csv` beside them. `imports` (the selected answers that used it)
    and `problem` (which made it) are null for recorded runs. Raises TroveLiteError where a run is missing.
    """
    parts = [pd.DataFrame(columns=KEPT)]
    for path in _there(runs):
        if path.is_dir():
            about = read_description(path)
            listed = pd.DataFrame(about.get("toolboxes") or [])
            if "run" not in listed and len(listed):
                listed["run"] = [run_name(about["settings"]["name"], seed) for seed in listed["seed"]]
        else:
            beside = path.with_name(TOOLBOXES)
            listed = pd.read_csv(beside) if beside.is_file() else pd.DataFrame()
        parts.append(listed.reindex(columns=KEPT))
    known = [part for part in parts[1:] if len(part)]
    return pd.concat(known or parts[:1], ignore_index=True)


def final_toolboxes(runs: Iterable[str | Path], *, top: int = 5) -> pd.DataFrame:
    """The `top` functions of the toolbox that each TROVE stream ended with, most used first.

    `answers` counts the problems whose selected answer imported the function, which is what ranks and trims it;
    `programs` all programs that the model wrote in IMPORT mode with it. `first_problem` is the one that created it,
    `tools` the size of the whole toolbox. Only live runs know: recorded ones say what they kept and not how often it
    was used (`toolboxes`).
    """
    parts = [pd.DataFrame(columns=TOOLBOX_COLUMNS)]
    for folder in _there(runs):
        table = toolboxes([folder])
        table = table[table["imports"].notna()].astype({"imports": "int64", "problem": "int64"})
        if table.empty:
            continue
        table = table.rename(columns={"name": "function", "imports": "answers", "problem": "first_problem"})
        counts = _import_counts(load_candidates(folder))
        table["programs"] = [counts[key] for key in table[[*STREAM, "function"]].itertuples(index=False, name=None)]
        table["tools"] = table.groupby(STREAM)["rank"].transform("size")
        parts.append(table[table["rank"] <= top].sort_values([*STREAM, "rank"])[TOOLBOX_COLUMNS])
    table = pd.concat(parts[1:] or parts, ignore_index=True)
    table.attrs = {"name": "toolbox", "title": "toolboxes", "note": "no live run of TROVE: recorded logs note none"}
    return table


def _there(runs: Iterable[str | Path]) -> list[Path]:
    if isinstance(runs, str | Path):
        raise TroveLiteError(f"{runs}: give a list of runs")
    paths = list(map(Path, runs))
    if missing := [path for path in paths if not path.exists()]:
        raise TroveLiteError(f"{missing[0]}: missing; name run folders or outcomes")
    return paths


def _import_counts(candidates: pd.DataFrame) -> Counter:
    """In how many IMPORT programs each tool is used, by (method, category, seed, name)."""
    counts = Counter()
    for row in candidates[candidates["mode"] == "import"].itertuples():
        names = {plain_name(tool.name) for tool in parse_tools(row.tools)}
        counts.update((row.method, row.category, row.seed, name) for name in names)
    return counts
