"""A finished run played back to TROVE's generator: what the toolbox held at each problem, which no
table says."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pandas as pd
from msgspec import convert

from ..candidates import MISSING, all_candidates, read_description, run_name
from ..datasets.base import Question
from ..errors import TroveLiteError, blamed_on
from ..methods.base import Answer, Attempt, Budget, Candidate, Run, as_begun
from ..methods.trove import LOADED, PRESETS, TROVE, TroveSettings, trove
from ..programs import format_tools, recorded_sources
from ..programs.parse import isolated_tools, parse_completion, parse_tools
from ..selection import Vote


def played_back(
    rows: pd.DataFrame, settings: TroveSettings | None = None
) -> Iterator[tuple[Attempt, list[dict]]]:
    """One run of TROVE on one category, fed to its generator again. Its questions have no text
    here.

    Yields each Attempt that the generator makes, whose toolbox is then the run's own, with the rows
    that the table has for it. It ends early where the table has none: in a log, an output that was
    shortened can decide a vote. A tool loads unless `settings` say that it was refused (None: the
    official program's, with the modes that the rows have).
    """
    rows = all_candidates(rows)
    stream = rows[rows["phase"] != "retry"]
    if settings:  # what is shown is not what runs
        settings = replace(settings, ranking="uses")
    else:
        modes = tuple(mode for mode in PRESETS["official"].modes if mode in set(stream["mode"]))
        k = int(stream.groupby(["problem", "mode"], observed=True).size().max()) * len(modes)
        settings = replace(PRESETS["official"], budget=Budget(k), modes=modes)
    problems = stream[["dataset", "category", "problem"]].drop_duplicates().sort_values("problem")
    steps = trove(
        [Question(*problem, text="") for problem in problems.itertuples(index=False)], settings
    )
    phase = (
        rows["phase"].astype(str).replace("draft", "stream")
    )  # a draft was asked for like what replaced it
    keys = zip(phase, *(rows[name] for name in ("problem", "mode", "round", "sample")), strict=True)
    by_key = dict(zip(keys, rows.to_dict("records"), strict=True))
    answer = None
    with suppress(StopIteration):
        while True:
            asked = steps.send(answer)
            answer = None
            if isinstance(asked, Answer):
                continue
            answer = []
            for attempt in asked:
                if isinstance(attempt, Run):
                    answer.append(
                        Candidate(
                            "", attempt.sample, "", (), Vote("", True, (), 0), None, output=LOADED
                        )
                    )
                    continue
                key = attempt.phase, attempt.question.index, attempt.mode, attempt.round
                recorded = [by_key.get((*key, sample)) for sample in attempt.samples]
                if None in recorded:
                    return
                yield attempt, recorded
                answer += [as_candidate(row, settings.isolated) for row in recorded]


def as_candidate(row: dict, isolated: bool = False) -> Candidate:
    cost, spent = (
        0 if pd.isna(value) else int(value)
        for value in (row["operations"], row["completion_tokens"])
    )
    vote = Vote(row["mode"], row["status"] == "ok", tuple(row["answers"]), cost)
    sources = recorded_sources(row["tools"])
    tools = parse_tools(row["tools"])
    if isolated:
        tools = isolated_tools(sources).tools
    elif len(tools) == len(sources):  # each with the code that ran, blank lines and all
        tools = tuple(
            tool._replace(source=source) for tool, source in zip(tools, sources, strict=True)
        )
    return Candidate(
        row["mode"], row["sample"], "", tools, vote, None if row["status"] in MISSING else spent
    )


def with_isolated_tools(rows: pd.DataFrame, folders: Iterable[str | Path]) -> pd.DataFrame:
    """Rows of live runs, in these folders, as if their tools had been read as definitions: the
    replies are the same."""
    stated = [
        about["settings"] for about in map(read_description, folders) if about.get("kind") == "live"
    ]
    parsers = {
        run_name(s["name"], seed): s.get("parser", "official")
        for s in stated
        for seed in s["seeds"]
    }
    if others := sorted(set(rows["run"].astype(str)) - set(parsers)):
        raise TroveLiteError(
            f"{others[0]}: its tools cannot be isolated, for it is no live run and has no replies"
        )
    pairs = zip(rows["response"], rows["run"], strict=True)
    return rows.assign(
        tools=[format_tools(parse_completion(t, parsers[r], isolated=True).code) for t, r in pairs]
    )


def stated_settings(folders: Iterable[str | Path]) -> dict[str, TroveSettings]:
    """TROVE's settings by run, as the table names runs, of the live ones among these run
    folders."""
    found = {}
    for folder in folders:
        about = read_description(folder)
        stated = about.get("methods", {}).get(TROVE.name) if about.get("kind") == "live" else None
        if not stated:
            continue
        run = about["settings"]
        with blamed_on(f"{Path(folder) / 'run.json'}, methods.{TROVE.name}"):
            stated = as_begun(TroveSettings, stated) | {
                "budget": convert(stated.get("budget", {}), Budget)
            }
            for seed in run["seeds"]:
                refused = list(stated.get("refused", ()))
                for category in run["categories"]:
                    loaded = about.get("loading", {}).get(f"{TROVE.name}-{category}-{seed}", {})
                    refused += loaded.get("refused", ())
                own = {"seed": seed, "refused": tuple(refused)}
                found[run_name(run["name"], seed)] = TroveSettings(**stated | own)
    return found
