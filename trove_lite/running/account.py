"""What a run will ask for, before it is made, and what came of it, in a few lines.

A plan is made without model, sandbox or folder: each method is played with answers that say nothing. The account of a
run is what its `run.json` says.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from ..datasets import load_dataset
from ..datasets.base import Problem
from ..methods import load_method
from ..methods.base import Answer, Attempt, Candidate, Method, Request, Settings
from ..models import load_model
from ..prompts import load_pack
from ..selection import Vote
from .driver import prompt_of
from .lent import lend, with_lent
from .live import labelled, refuse_wordless
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


def plan(settings: RunSettings) -> list[Planned]:
    """What a run with these settings would ask of its models; nothing is asked, and nothing written.

    Prompt tokens are counted where the models' tokenizers are at hand, and else estimated from characters; completion
    tokens are the most that the settings allow.
    """
    dataset = load_dataset(settings.dataset)
    models = {"solver": settings.model} | settings.roles
    models = {role: load_model(spec, settings.sampling, chat=settings.chat) for role, spec in models.items()}
    counted = all(model.count("") is not None for model in models.values())
    sizes = {role: model.count if counted else estimated for role, model in models.items()}
    pack, examples, lent = load_pack(settings.prompts, dataset), labelled(settings, dataset), lend(settings)
    refuse_wordless(settings, pack)
    rows = []
    for method in settings.methods:
        for category in settings.categories:
            problems = dataset.load(category)[: settings.limit]
            own = settings.of(method, settings.seeds[0])
            found = with_lent(load_method(method), lent.get((method, category, own.seed), ()))
            calls, read = _asked(found, problems, examples.get(category, ()), own, pack, sizes)
            seeds = len(settings.seeds)
            written = calls * seeds * settings.sampling.max_tokens
            spent = calls * seeds, math.ceil(read) * seeds, written
            rows.append(Planned(method, category, len(problems), *spent, seeds, counted))
    return rows


def estimated(text: str) -> float:
    """The tokens of a text, for whoever has no tokenizer."""
    return len(text) / CHARACTERS_A_TOKEN


def _asked(
    method: Method,
    problems: Sequence[Problem],
    examples: Sequence[Problem],
    settings: Settings,
    pack,
    sizes: Mapping[str, Callable],
) -> tuple[int, float]:
    """Calls, and tokens of prompts, of one method on these problems; `sizes` measures the text that a role reads."""
    questions = [problem.question for problem in problems]
    streams = [questions] if method.stream else [[question] for question in questions]
    calls = tokens = 0
    for stream in streams:
        steps, answer = method.begin(stream, settings, examples, pack.say), None
        while True:
            try:
                asked = steps.send(answer)
            except StopIteration:
                break
            if isinstance(asked, Answer):
                answer = None
                continue
            answer = [c for request in asked for c in _blank(request, settings, method)]
            for request in asked:
                if isinstance(request, Attempt):
                    calls += len(request.samples)
                    size = sizes.get(request.role, sizes["solver"])
                    tokens += len(request.samples) * sum(map(size, _texts(request, pack)))
    return calls, tokens


def _texts(request: Attempt, pack) -> list[str]:
    prompt = prompt_of(request, pack)
    return [prompt] if isinstance(prompt, str) else [text for _, text in prompt]


def _blank(request: Request, settings: Settings, method: Method) -> Iterator[Candidate]:
    """Answers that say nothing and do not work, as long as can be.

    Of a method that makes something of labelled problems first, its steps on the way do: else it would ask no more.
    """
    works = method.examples and not request.mode
    text, status = (IDLE, "ok") if works else ("", "error")
    for sample in request.samples if isinstance(request, Attempt) else (request.sample,):
        vote = Vote(request.mode, False, (), 0)
        yield Candidate(request.mode, sample, text, (), vote, settings.budget.most, status, stage=request.stage)


def planned_text(rows: Sequence[Planned], *, prefill: float | None = None, decode: float | None = None) -> str:
    """A plan to read; with a GPU's speeds, in tokens a second, also its hours."""
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
    if prefill and decode:
        hours = (read / prefill + written / decode) / 3600
        lines.append(
            f"at most {hours:,.1f} GPU hours at {prefill:,.0f} prompt and {decode:,.0f} completion tokens a second: "
            "most completions end sooner, and an engine reads a prompt that it knows only once"
        )
    return "\n".join(lines)


def came_of(out: Path, description: Mapping) -> str:
    """What came of a run, from its `run.json`."""
    lines = [f"{out}: complete; problems whose selected answer is right:"]
    known = {label: share for label, share in description["accuracy"].items() if share is not None}
    accuracy = [(label.split("-")[0], label, 100 * share) for label, share in known.items()]
    for method, found in groupby(accuracy, key=itemgetter(0)):
        _, labels, shares = zip(*found, strict=True)
        if len(shares) == 1:
            lines.append(f"  {labels[0]}: {shares[0]:.1f} %")
        else:
            mean, span = sum(shares) / len(shares), f"{min(shares):.1f} to {max(shares):.1f} %"
            lines.append(f"  {method}: {mean:.1f} %, the mean of {len(shares)} streams ({span})")
    lines += [f"  {label}: no sample could be had" for label in description["accuracy"] if label not in known]
    lines += list(_most_used(description["toolboxes"]))
    for retry, title in ((False, "spent"), (True, "spent on solving again")):
        rows = [row for row in description["budget"] if (row["phase"] == "retry") is retry]
        total = {name: sum(row[name] or 0 for row in rows) for name in ("calls", "prompt_tokens", "completion_tokens")}
        if rows:
            lines.append(f"{title}: " + ", ".join(f"{n:,.0f} {name.replace('_', ' ')}" for name, n in total.items()))
    lines += list(_cut(description["budget"]))
    if thought := description.get("thought"):
        tokens = f" ({told:,} tokens)" if (told := description["thinking_tokens"]) else ""
        lines.append(f"replies with thinking before the answer: {thought:,}{tokens}; it stays in the journals, unread")
    if hidden := description.get("hidden_code"):
        parser = description["settings"]["parser"]
        lines.append(f"replies with a block of code that parser {parser} cannot see: {hidden:,}; try --parser strict")
    troubles = {"requests sent again": description["retried"]}
    troubles |= {f"samples {why}": count for why, count in description["missing"].items()}
    if any(troubles.values()):
        said = ", ".join(f"{count:,} {what}" for what, count in troubles.items() if count)
        lines.append(f"not as asked: {said}" + "; why: column `error`" * any(description["missing"].values()))
    if description["missing"].get("unavailable"):
        lines.append(
            "problems with a sample that was unavailable are left out above; refused is not answered, hence wrong"
        )
    if description["settings"]["model"] == COMES_ALONG:
        lines.append("a tiny model made this: it shows how the methods work, and says nothing about other models")
    return "\n".join(lines)


def _cut(budget: Sequence[Mapping]) -> Iterator[str]:
    """A line on replies that ended because they had as many tokens as they may, where there are any."""
    calls, cut = Counter(), Counter()
    for row in budget:
        calls[row["method"]] += row["calls"]
        cut[row["method"]] += row.get("cut", 0)  # runs of earlier releases have none
    found = [f"{name} {n:,} of {calls[name]:,} ({100 * n / calls[name]:.0f} %)" for name, n in cut.items() if n]
    if found:
        yield f"replies cut off at their longest: {', '.join(found)}; see --max_tokens, and --stop where they run on"


def _most_used(toolboxes: Sequence[Mapping], streams: int = 4, top: int = 3) -> Iterator[str]:
    """A line for each of the first streams that kept a toolbox: how large it is in the end, its most used functions.

    And one on tools that were made in trials.
    """
    trials = [tool for tool in toolboxes if tool.get("proposals")]
    if trials:
        tasks = {(trial["category"], trial["seed"]) for trial in trials}
        won = {(trial["category"], trial["seed"]) for trial in trials if trial["made"]}
        passed = sum(trial["made"] for trial in trials)
        yield f"tools made for {len(won)} of {len(tasks)} tasks; {passed} of {len(trials)} trials passed"
    toolboxes = [tool for tool in toolboxes if "imports" in tool]
    found = [list(tools) for _, tools in groupby(toolboxes, key=itemgetter("method", "category", "seed"))]
    for tools in found[:streams]:
        first = tools[0]
        used = ", ".join(f"{tool['name']} (in {tool['imports']} answers)" for tool in tools[:top])
        where = f"{first['method']}-{first['category']}-{first['seed']}"
        yield f"toolbox of {where}: {len(tools)} functions, most used {used}"
    if len(found) > streams:
        yield f"and {len(found) - streams} more toolboxes"
