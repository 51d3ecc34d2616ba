"""What a run will ask for, before it is made, and what came of it, in a few lines.

A plan is made without model, sandbox or folder: each method is played with answers that say nothing. The account of a
run is what its `run.json` says.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from ..datasets import load_dataset
from ..methods.base import Answer, Attempt, Candidate, Method, Request, Settings, Steps
from ..prompts import load_pack
from ..selection import Vote
from .driver import Stream, prompt_of
from .live import NOTHING, Lent, labelled, players, refuse_wordless, streams_of
from .settings import COMES_ALONG, RunSettings

IDLE = "```python\nassert True\n```"  # a reply that does nothing, rightly
CHARACTERS_A_TOKEN = 3.0  # of the official MATH prompts in Llama 2's tokenizer; newer ones need fewer tokens


class Planned(NamedTuple):
    """What one method asks for in one category, over all seeds: at least so many calls, if no program works."""

    method: str
    category: str
    problems: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    seeds: int
    counted: bool
    """Whether prompt tokens are the model's own, and not estimated from characters."""


def plan(settings: RunSettings, lent: Lent = NOTHING) -> list[Planned]:
    """What a run with these settings would ask of its models; nothing is asked, and nothing written.

    Prompt tokens are counted where the models' tokenizers are at hand, and else estimated from characters; completion
    tokens are the most that the settings allow. lent: as for `live_run`.
    """
    dataset = load_dataset(settings.dataset)
    pack, shown = load_pack(settings.prompts, dataset), labelled(settings, dataset)
    data = {category: tuple(dataset.load(category))[: settings.limit] for category in settings.categories}
    refuse_wordless(settings, pack)
    models = players(settings)
    counted = all(model.count("") is not None for model in models.values())
    sizes = {role: model.count if counted else estimated for role, model in models.items()}
    rows, seeds = [], len(settings.seeds)
    for stream in streams_of(replace(settings, seeds=settings.seeds[:1]), data, shown, lent, {}):
        calls, read = asked_by(stream, pack, sizes)
        spent = calls * seeds, math.ceil(read) * seeds, calls * seeds * settings.sampling.max_tokens
        rows.append(Planned(stream.method.name, stream.category, len(stream.questions), *spent, seeds, counted))
    return rows


def estimated(text: str) -> float:
    """The tokens of a text, for whoever has no tokenizer."""
    return len(text) / CHARACTERS_A_TOKEN


def asked_by(stream: Stream, pack, sizes: Mapping[str, Callable]) -> tuple[int, float]:
    """Calls, and tokens of prompts, of one stream; `sizes` measures the text that a role reads."""
    method, calls, tokens = stream.method, 0, 0
    for questions in [stream.questions] if method.stream else [[question] for question in stream.questions]:
        steps, answer = method.begin(questions, stream.settings, stream.examples, pack.say), None
        while (asked := next_step(steps, answer)) is not None:
            if isinstance(asked, Answer):
                answer = None
                continue
            answer = [candidate for request in asked for candidate in blank(request, stream.settings, method)]
            for request in asked:
                if isinstance(request, Attempt):
                    prompt = prompt_of(request, pack)
                    texts = [prompt] if isinstance(prompt, str) else [text for _, text in prompt]
                    calls += len(request.samples)
                    tokens += len(request.samples) * sum(map(sizes.get(request.role, sizes["solver"]), texts))
    return calls, tokens


def next_step(steps: Steps, answer: list[Candidate] | None) -> list[Request] | Answer | None:
    """What a method asks for next, or answers with; None at its end."""
    with suppress(StopIteration):
        return steps.send(answer)


def blank(request: Request, settings: Settings, method: Method) -> Iterator[Candidate]:
    """Answers that say nothing and do not work, as long as can be.

    Of a method that makes something of labelled problems first, its steps on the way do: else it would ask no more.
    """
    works = method.examples and not request.mode
    text, status = (IDLE, "ok") if works else ("", "error")
    for sample in request.samples:
        vote = Vote(request.mode, False, (), 0)
        yield Candidate(request.mode, sample, text, (), vote, settings.budget.most, status, stage=request.stage)


def planned_text(rows: Sequence[Planned]) -> str:
    """A plan to read."""
    lines = [f"{'method':<12} {'category':<14} {'problems':>8} {'calls':>10} {'prompt tokens':>15}"]
    lines += [f"{r.method:<12} {r.category:<14} {r.problems:>8,} {r.calls:>10,} {r.prompt_tokens:>15,}" for r in rows]
    calls, read, written = (sum(column) for column in list(zip(*rows, strict=True))[3:6])
    counted = all(row.counted for row in rows)
    how = "counted by the model's tokenizer" if counted else f"estimated at {CHARACTERS_A_TOKEN} characters each"
    runs = f" in {rows[0].seeds} runs, one a seed" if rows[0].seeds > 1 else ""
    lines += [
        f"in all {calls:,} calls{runs}; {'' if counted else 'about '}{read:,} prompt tokens, {how}; at most "
        f"{written:,} completion tokens",
        "these are of a run in which no program works: what follows on one that does comes on top, such as prompts "
        "that show tools, their use by others, and problems solved again",
    ]
    return "\n".join(lines)


def came_of(out: Path, description: Mapping) -> str:
    """What came of a run, from its `run.json`."""
    lines = [f"{out}: complete; problems whose selected answer is right:"]
    known = {label: 100 * share for label, share in description["accuracy"].items() if share is not None}
    for method, labels in groupby(known, key=lambda label: label.split("-")[0]):
        shares = {label: known[label] for label in labels}
        mean, span = sum(shares.values()) / len(shares), f"{min(shares.values()):.1f} to {max(shares.values()):.1f} %"
        several = f"  {method}: {mean:.1f} %, the mean of {len(shares)} streams ({span})"
        lines.append(several if len(shares) > 1 else f"  {next(iter(shares))}: {mean:.1f} %")
    lines += [f"  {label}: no sample could be had" for label in description["accuracy"] if label not in known]
    for retry, title in ((False, "spent"), (True, "spent on solving again")):
        rows = [row for row in description["budget"] if (row["phase"] == "retry") is retry]
        total = {name: sum(row[name] or 0 for row in rows) for name in ("calls", "prompt_tokens", "completion_tokens")}
        if rows:
            lines.append(f"{title}: " + ", ".join(f"{n:,.0f} {name.replace('_', ' ')}" for name, n in total.items()))
    if hidden := description.get("hidden_code"):
        parser = description["settings"]["parser"]
        lines.append(f"replies with a block of code that parser {parser} cannot see: {hidden:,}; try --parser strict")
    troubles = {"requests sent again": description["retried"]}
    troubles |= {f"samples {why}": count for why, count in description["missing"].items()}
    if any(troubles.values()):
        counts = ", ".join(f"{count:,} {what}" for what, count in troubles.items() if count)
        lines.append(f"not as asked: {counts}" + "; why: column `error`" * any(description["missing"].values()))
    if description["missing"].get("unavailable"):
        lines.append(
            "problems with a sample that was unavailable are left out above; refused is not answered, hence wrong"
        )
    if description["settings"]["model"] == COMES_ALONG:
        lines.append("a tiny model made this: it shows how the methods work, and says nothing about other models")
    return "\n".join(lines)
