"""The end of a run: the tables, made of the journals alone, and what came of it, for `run.json`."""

import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from ..candidates import (
    CALLS_KEY,
    CALLS_SCHEMA,
    KEY,
    MISSING,
    UNAVAILABLE,
    as_arrow,
    as_frame,
    run_name,
    save_run,
)
from ..datasets.base import Dataset
from ..errors import DamagedFile
from ..journal import read_journal
from ..judge.votes import rename
from .driver import Stream
from .folder import BEFORE, sessions_of
from .record import Record, keyed
from .settings import RunSettings

PROBLEM = ["seed", "category", "problem"]
SPENT = [
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "executions",
    "generate_seconds",
    "execute_seconds",
]


def finish(
    out: Path,
    description: Mapping,
    streams: Sequence[Stream],
    dataset: Dataset,
    settings: RunSettings,
) -> None:
    """Make the tables from the journals, so that a resumed run's are the same as an uninterrupted
    one's."""
    candidates = []
    calls = []
    toolboxes = []
    keepers = set()
    for stream in streams:
        stream.journal.sync()
        own = asked_for(stream)
        at = {"method": stream.table_name, "category": stream.category, "seed": stream.seed}
        whose = at | {"run": run_name(settings.name, stream.seed), "dataset": dataset.name}
        how = {
            "model": description["model"],
            "provenance": "live",
            "selection": stream.settings.selection,
            "shares_state": stream.method.stream or stream.method.examples,
        }
        rows = candidate_rows(
            own, stream.problems, dataset, stream.modes, settings.parser, stream.isolated
        )
        candidates += [whose | how | row for row in rows]
        calls += [whose | record.call(description["models"]) for record in own]
        if hasattr(stream.learned, "listing"):  # it keeps tools, if perhaps none
            toolboxes += [at | tool for tool in stream.learned.listing()]
            keepers.add(stream.table_name)
    if dataset.named:
        rename(candidates)
    table = as_frame(as_arrow(candidates)).sort_values(KEY, kind="stable", ignore_index=True)
    spent = as_frame(as_arrow(calls, CALLS_SCHEMA)).sort_values(
        CALLS_KEY, kind="stable", ignore_index=True
    )
    lacking = table[table["status"] == UNAVAILABLE]
    came = {
        "sessions": sessions_of(out, description),
        "accuracy": {stream.label: accuracy_of(stream, lacking) for stream in streams},
        "missing": spent["finish_reason"]
        .value_counts()
        .reindex(MISSING, fill_value=0)
        .astype(int)
        .to_dict(),
        "unavailable_because": next(iter(lacking["error"].dropna()), ""),
        "keep_tools": sorted(keepers),
        "budget": budget_of(spent).to_dict("records"),
        "labels": {
            stream.label: len(stream.examples) for stream in streams if stream.method.examples
        },
        "toolboxes": toolboxes,
        "loading": {stream.label: counts for stream in streams if (counts := loading_of(stream))},
    }
    save_run(out, table, description | came, calls=spent)
    shutil.rmtree(out / BEFORE, ignore_errors=True)


def asked_for(stream: Stream) -> list[Record]:
    """A stream's records, in the order of its journal. Raises DamagedFile for one that no request
    was answered by."""
    path = stream.journal.path
    records = keyed(read_journal(path)[0], path)
    for number, key in enumerate(records, start=1):
        if key in stream.recorded:  # all that were asked for were taken from there
            raise DamagedFile(
                f"{path}, line {number}: {key.stage} sample {key.sample} of problem {key.problem}, for which "
                "nobody asks in this run; restore it, or run again in a new folder"
            )
    return list(records.values())


def candidate_rows(
    records: Sequence[Record],
    problems: Mapping,
    dataset: Dataset,
    modes: Sequence[str],
    parser: str,
    isolated=False,
) -> Iterator[dict]:
    """The candidates among one stream's records: last rounds, and drafts; unavailable where a step
    on the way was."""
    found = [record for record in records if record.mode and record.status is not None]
    lacking = {
        (record.phase, record.problem, record.sample)
        for record in records
        if not record.mode and record.finish_reason == UNAVAILABLE
    }
    last: dict[tuple, int] = {}
    for record in found:
        sample = record.key._replace(stage=record.mode, round=0)
        last[sample] = max(record.round, last.get(sample, 0))
    for record in found:
        row = record.row(problems[record.problem], dataset, parser, isolated)
        if record.round < last[record.key._replace(stage=record.mode, round=0)]:
            row["phase"] = "draft"
        if (record.phase, record.problem, record.sample) in lacking:
            row |= {"status": UNAVAILABLE, "correct": None}
        yield row | {"place": modes.index(record.mode)}


def loading_of(stream: Stream) -> dict:
    """What of a stream's tools was left out, and which were refused for they failed to load, as
    settings name them."""
    refused = getattr(stream.learned, "refused", [])
    counts = {
        "statements left out": stream.left_out,
        "tools refused": len(refused),
        "refused": refused,
    }
    return {what: count for what, count in counts.items() if count}


def accuracy_of(stream: Stream, lacking: pd.DataFrame) -> float | None:
    """The share of a stream's problems that are answered rightly, of those judged and without a
    lacking sample."""
    own = (lacking["category"] == stream.category) & (lacking["seed"] == stream.seed)
    own &= lacking["method"] == stream.table_name
    left = set(lacking.loc[own, "problem"])
    known = [
        right
        for problem, right in stream.correct.items()
        if problem not in left and right is not None
    ]
    return sum(known) / len(known) if known else None


def budget_of(calls: pd.DataFrame) -> pd.DataFrame:
    """What was spent: a row for each stream, phase, stage and role. `calls` are requests to a
    model.

    Tokens of the prompt are counted for each sample, as requests with n = 1 read them. Seconds are
    sums over samples, many of which ran at a time. `cut`: replies that ended because they had as
    many tokens as they may.
    """
    where = ["method", "category", "seed", "phase", "stage", "role"]
    cut = calls["finish_reason"].astype(object) == "length"
    counted = calls.assign(
        calls=calls["model"].notna().astype("int64"),
        cut=cut.astype("int64"),
        role=calls["role"].astype(object).fillna(""),
    )
    return counted.groupby(where, observed=True)[["calls", "cut", *SPENT]].sum().reset_index()
