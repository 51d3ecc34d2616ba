"""A finished run played back to TROVE's generator: what the toolbox held at each problem, which no table says."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd

from .method_settings import PRESETS, Budget, TroveSettings
from .methods import Answer, Attempt, Candidate, Question, trove
from .parse import Tool, parse_tools, recorded_sources
from .select import Ballot


def played_back(rows: pd.DataFrame, settings: TroveSettings | None = None) -> Iterator[tuple[Attempt, list[dict]]]:
    """One run of TROVE on one category, fed to its generator again. Its questions have no text here.

    Yields each Attempt that the generator makes, whose toolbox is then the run's own, with the rows that the table has
    for it. It ends early where the table has none: in a log, an output that was shortened can decide a vote.
    `settings`: the run's (None: the official program's, with the modes and samples that the rows have).
    """
    stream = rows[rows["phase"] != "retry"]
    settings = replace(settings, ranking="uses") if settings else official(stream)  # what is shown is not what runs
    keys = stream[["dataset", "category", "problem"]].drop_duplicates().sort_values("problem")
    steps = trove([Question(*key, "") for key in keys.itertuples(index=False)], settings)
    by_key = {(row["phase"], row["problem"], row["mode"], row["sample"]): row for row in rows.to_dict("records")}
    answer = None
    while True:
        try:
            wish = steps.send(answer)
        except StopIteration:
            return
        answer = None
        if not isinstance(wish, Answer):
            answer = []
            for attempt in wish:
                keys = [(attempt.phase, attempt.question.index, attempt.mode, sample) for sample in attempt.samples]
                if not all(key in by_key for key in keys):
                    return
                recorded = [by_key[key] for key in keys]
                yield attempt, recorded
                answer += map(as_candidate, recorded)


def official(stream: pd.DataFrame) -> TroveSettings:
    """The official program's settings for a recorded run: as many samples, in the modes that it has."""
    modes = tuple(mode for mode in PRESETS["official"].modes if mode in set(stream["mode"]))
    k = int(stream.groupby(["problem", "mode"], observed=True).size().max()) * len(modes)
    return replace(PRESETS["official"], budget=Budget(k), modes=modes)


def as_candidate(row: dict) -> Candidate:
    """A table's row as the method saw it."""
    operations = 0 if pd.isna(row["operations"]) else int(row["operations"])
    ballot = Ballot(row["mode"], row["status"] == "ok", tuple(row["answers"]), operations)
    spent = row["completion_tokens"]
    tokens = None if row["status"] == "missing" else 0 if pd.isna(spent) else int(spent)
    return Candidate(row["mode"], row["sample"], "", tuple(tools_of(row["tools"])), ballot, tokens)


def tools_of(recorded: str) -> list[Tool]:
    """The tools of a table's row, each with the code that ran, blank lines and all."""
    tools, sources = parse_tools(recorded), recorded_sources(recorded)
    if len(tools) != len(sources):
        return list(tools)
    return [tool._replace(source=source) for tool, source in zip(tools, sources, strict=True)]


def trove_settings(folders: Iterable[str | Path]) -> dict[str, TroveSettings]:
    """TROVE's settings by run, of the live runs among these run folders."""
    found = {}
    for folder in map(Path, folders):
        about = json.loads((folder / "run.json").read_text(encoding="utf-8")) if (folder / "run.json").is_file() else {}
        if about.get("kind") == "live" and "trove" in about["methods"]:
            stated = {k: tuple(v) if isinstance(v, list) else v for k, v in about["methods"]["trove"].items()}
            budget = Budget(**stated.pop("budget"))
            for seed in about["settings"]["seeds"]:
                run = f"{about['settings']['name']}_seed{seed}"
                found[run] = TroveSettings(**stated | {"budget": budget, "seed": seed})
    return found
