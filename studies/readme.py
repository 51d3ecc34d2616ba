"""A published study's page: which model, what was run, what is missing, what came of it."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from studies.accounts import hours_of_any, spans
from studies.outcomes import markdown, outcome
from studies.plan import Study, falls_short
from trove_lite.candidates import read_description

AGAIN, AGREEMENT = "reexecution", ("agreement.csv", "disagreements.csv")
README = """\
# {title}

Programs that a real model wrote, by `trove-lite run` (provenance: live): {done} of {parts} parts of the study `{name}`.
This file is made by `python -m studies publish` from the run folders; the origin of the weights, and a commit where it
says so, were typed into the study's file. The folders below `runs` hold every candidate with its text and every
request: `trove_lite.load_candidates` reads them, `trove-lite reexecute` runs programs again that they hold whole. Where
they have a `journal`, it holds all that the model wrote, and `trove-lite run --reuse FOLDER` asks for none of it again.

## Health

{health}

## The model

{model}

## What was run

{what}

In all {requests:,.0f} requests, {prompt_tokens:,.0f} tokens read (each request's prompt counted) and
{completion_tokens:,.0f} written. Hours are those of the sessions that a run records, with the engine's start; a dash:
the release that made the part recorded none.{together}
{remarks}{withdrawn}
## What was not run

{missing}

{outcome}
"""
HEALTH = """\
Signs that something else was measured than a method, read off the parts' tables. Of each, the study's file says why it
stands:"""
#: Of parts that recorded when they ran.
TOGETHER = """\
 Parts that ran at the same time shared the machine: at least one of them
was running for {:.2f} hours."""


def readme(study: Study, table: pd.DataFrame, results: Path, health: Mapping[str, list[tuple[str, str]]]) -> str:
    """What was run, what came of it and what is missing, in Markdown, from the tables and the study's file.

    health: by part its signs in words, each with why it stands.
    """
    done, rest = table[table["complete"]], table[~table["complete"]]
    took, problems = spent(done), as_text(done["problems"], "{:,.0f}")
    runs = [read_description(results / part.group / part.part) for part in done.itertuples()]
    model = [f"- **{name}**: {value}" for name, value in study.weights.items()]
    model += [f"- **{words}**: {told(done[name])}" for name, words in RECORDED.items()]
    missing = [
        f"- {row.part} ({row.methods}; {row.categories}): "
        + (f"stopped after {row.samples:,} samples, left out whole" if row.samples else "not begun")
        for row in rest.itertuples()
    ]
    missing += [
        f"- {part.name}: made {', '.join(f'at {name} {was}, planned is {now}' for name, was, now in short)}"
        for part in study.parts
        if part.name in set(done["part"]) and (short := falls_short(part.published(results), part))
    ]
    reasons: dict[tuple[str, str], list[str]] = {}
    for name, lines in health.items():
        for line, why in lines:
            reasons.setdefault((name, why), []).append(line.removeprefix("sign: "))
    signs = [
        f"- {name}: {why}\n" + "\n".join(f"  - {each}" for each in lines) for (name, why), lines in reasons.items()
    ]
    return README.format(
        health="\n".join([HEALTH, "", *signs]) if signs else "No sign that something else was measured.",
        title=study.title,
        name=study.name,
        done=len(done),
        parts=len(table),
        model="\n".join(model),
        what=markdown(done.assign(K=budgets(done), problems=problems, **took)[[*SHOWN, *took]].rename(columns=SHOWN)),
        missing="\n".join(missing) or "Nothing of the study's plan.",
        outcome="\n".join([*outcome(study, results), *run_again(results)]),
        withdrawn=withdrawn(study),
        remarks=f"\nThe study's file says: {study.remarks.strip()}\n" if study.remarks else "",
        together=TOGETHER.format(hours_of_any(known)) if (known := spans(runs)) else "",
        **done[["requests", "prompt_tokens", "completion_tokens"]].sum(),
    )


def withdrawn(study: Study) -> str:
    """Which parts no table is made of, and why."""
    why: dict[str, list[str]] = {}
    for part in study.parts:
        why.setdefault(part.withdrawn.strip(), []).append(part.name)
    lines = [f"- {reason} ({', '.join(names)})" for reason, names in why.items() if reason]
    return "\n".join(["", "## Withdrawn", "", *lines, ""]) if lines else ""


def run_again(results: Path) -> list[str]:
    """What `trove-lite reexecute` found when the published programs ran again; nothing where that was not published."""
    found, others = (results / AGAIN / name for name in AGREEMENT)
    if not found.exists():
        return []
    whole = pd.read_csv(found).iloc[-1]
    pairs = pd.read_csv(others).groupby(["status_recorded", "status"]).size()
    said = "; ".join(f"{count} {old}, now {new}" for (old, new), count in pairs.items())
    return [
        "## Run again",
        "",
        f"Of {whole['candidates']:,} programs that `trove-lite reexecute` ran again, {whole['verdict']:,} of "
        f"{whole['compared']:,} have the same verdict, and {whole['status']:,} end alike. Others: {said or 'none'}.",
        "",
    ]


#: What is recorded of the model, and how it is called.
RECORDED = {
    "weights_sha256": "sha256 of the weights that were run",
    "dtype": "type",
    "engine": "engine",
    "commits": "commit",
}
SHOWN = {
    "part": "part",
    "methods": "methods",
    "categories": "categories",
    "problems": "problems",
    "seeds": "seeds",
    "K": "K",
    "prompts": "prompts",
}


def budgets(done: pd.DataFrame) -> list[str]:
    """What each part spent a problem: so many calls, or so many attempts."""
    both = zip(as_text(done["k"], "{:.0f}"), done["attempts"], strict=True)
    return [f"{attempts} attempt{'s' * (attempts != '1')}" if attempts else calls for calls, attempts in both]


def spent(done: pd.DataFrame) -> dict[str, list[str]]:
    """The columns of what a part took, as text."""
    names = {"requests": "requests", "prompt_tokens": "tokens read", "completion_tokens": "tokens written"}
    counts = {words: as_text(done[name], "{:,.0f}") for name, words in names.items()}
    return counts | {"hours": as_text(done["hours"], "{:.2f}")}


def as_text(column: pd.Series, form: str) -> list[str]:
    return ["–" if pd.isna(value) else form.format(value) for value in column]


def told(column: pd.Series) -> str:
    """The values of a column that parts recorded; that some recorded none."""
    known = [str(value) for value in dict.fromkeys(column.dropna()) if value != ""]
    silent = int((column.isna() | (column == "")).sum())
    text = ", ".join(known) or "not recorded"
    return f"{text} (not recorded by {silent} of {len(column)} parts)" if known and silent else text
