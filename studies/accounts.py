"""What a part took: requests, tokens and hours, from its run folder alone."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from studies.plan import Part, attempts_in, is_complete
from trove_lite import load_calls, load_candidates
from trove_lite.candidates import read_description

TOKENS = ["prompt_tokens", "cached_tokens", "completion_tokens"]


def account(part: Part, folder: Path) -> dict:
    """What a part is and what it took, from its run folder alone; of one that is not complete, how far it is."""
    row = {"part": part.name, "group": part.group, "complete": is_complete(folder), "samples": samples_of(folder)}
    if not row["complete"]:
        everything = {"methods": ["trove"], "categories": ["all"]} | part.options
        return row | {name: " ".join(everything[name]) for name in ("methods", "categories")}
    about, calls = read_description(folder), load_calls(folder)
    settings, identity = about["settings"], about.get("identity", {}).get("solver", {})
    sessions = about.get("sessions", [])
    stated = f"{part.commit} (typed)" if part.commit else ""
    hours = sum((ended - began).total_seconds() for began, ended in spans([about])) / 3600
    return row | {
        "methods": " ".join(settings["methods"]),
        "categories": " ".join(settings["categories"]),
        "problems": problems_of(folder),
        "seeds": " ".join(map(str, settings["seeds"])),
        "k": settings["k"],
        "attempts": " ".join(map(str, attempts_in(settings).values())),
        "prompts": f"{about['prompts']['name']} ({about['prompts']['hash']})",
        "temperature": settings["sampling"]["temperature"],
        "top_p": settings["sampling"]["top_p"],
        "max_tokens": settings["sampling"]["max_tokens"],
        "model": about["model"],
        "weights_sha256": identity.get("sha256", ""),
        "dtype": identity.get("dtype", ""),
        "engine": " ".join(identity[name] for name in ("engine", "version") if name in identity),
        "commits": " ".join(dict.fromkeys(s["commit"] for s in sessions if s.get("commit"))) or stated,
        "sessions": len(sessions) or None,
        "hours": hours if sessions else None,
        "requests": int(calls["model"].notna().sum()),
        **{name: calls[name].sum(min_count=1) for name in TOKENS},
    }


def samples_of(folder: Path) -> int:
    """Samples that a part has, in its tables or, while it is not complete, in its journals."""
    if is_complete(folder):
        return len(load_candidates(folder))
    return sum(path.read_bytes().count(b"\n") for path in (folder / "journal").glob("*.jsonl"))


def problems_of(folder: Path) -> int:
    """How many problems a complete part was asked, over all of its categories."""
    return len(pd.read_parquet(folder / "candidates.parquet", columns=["category", "problem"]).drop_duplicates())


def spans(runs: Iterable[Mapping]) -> list[tuple[datetime, datetime]]:
    """When the runs that these describe were worked on: from when, until when; in order."""
    sessions = (session for about in runs for session in about.get("sessions", []))
    return sorted((datetime.fromisoformat(s["began"]), datetime.fromisoformat(s["ended"])) for s in sessions)


def hours_of_any(spans: Iterable[tuple[datetime, datetime]]) -> float:
    """Hours in which at least one of these spans, in order, was open."""
    total, until = 0.0, datetime.min.replace(tzinfo=UTC)
    for began, ended in spans:
        total += max(0.0, (ended - max(began, until)).total_seconds())
        until = max(until, ended)
    return total / 3600
