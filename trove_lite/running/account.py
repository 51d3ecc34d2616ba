"""What a run will ask for, before it is made, and what came of it.

A plan is made without model, sandbox or folder: each method is played with answers that say
nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ..methods.base import Answer, Attempt, Candidate, Request
from ..models.money import Price, price_of
from ..selection import Vote
from .driver import Stream, prompt_of
from .live import NOTHING, Given, laid_out
from .settings import COMES_ALONG, RunSettings

IDLE = "```python\nassert True\n```"  # a reply that does nothing, rightly
CHARACTERS_A_TOKEN = (
    3.0  # of the official MATH prompts in Llama 2's tokenizer; newer ones need fewer tokens
)


def planned(settings: RunSettings, given: Given = NOTHING) -> Iterator[dict]:
    """What each method asks for in a category, over all seeds: at least so many calls, if no
    program works."""
    seeds = len(settings.seeds)
    _, pack, streams = laid_out(replace(settings, seeds=settings.seeds[:1]), given)
    for stream in streams:
        sizes = list(prompt_sizes(stream, pack))
        yield {
            "method": stream.method.name,
            "category": stream.category,
            "problems": len(stream.questions),
            "calls": len(sizes) * seeds,
            "prompt_tokens": round(sum(sizes) * seeds / CHARACTERS_A_TOKEN),
        }


def prompt_sizes(stream: Stream, pack) -> Iterator[int]:
    method = stream.method
    for questions in (
        [stream.questions] if method.stream else [[question] for question in stream.questions]
    ):
        steps = method.begin(questions, stream.settings, stream.examples, pack.say)
        answer = None
        with suppress(StopIteration):
            while True:
                asked = steps.send(answer)
                answer = None
                if isinstance(asked, Answer):
                    continue
                answer = [
                    candidate for request in asked for candidate in idle_candidates(request, stream)
                ]
                for request in asked:
                    if isinstance(request, Attempt):
                        prompt = prompt_of(request, pack)
                        texts = (
                            [prompt] if isinstance(prompt, str) else [text for _, text in prompt]
                        )
                        yield from [sum(map(len, texts))] * len(request.samples)


def idle_candidates(request: Request, stream: Stream) -> Iterator[Candidate]:
    """Answers that say nothing and do not work, as long as can be.

    Of a method that makes something of labelled problems first, its steps on the way do: else it
    would ask no more.
    """
    works = stream.method.examples and not request.mode
    text = IDLE if works else ""
    status = "ok" if works else "error"
    vote = Vote(request.mode, False, (), 0)
    for sample in request.samples:
        yield Candidate(request.mode, sample, text, (), vote, stream.settings.budget.most, status)


def planned_text(
    runs: Sequence[RunSettings], given: Given = NOTHING, prices: Mapping[str, Price] = NOTHING
) -> str:
    """What runs by the same models would ask of them, to read, with what it costs by the dearest.
    Nothing is asked."""
    settings = runs[0]
    table = pd.DataFrame([row for run in runs for row in planned(run, given)])
    calls = table["calls"].sum()
    read = table["prompt_tokens"].sum()
    written = calls * settings.sampling.max_tokens
    costs = ""
    if prices:
        names = [spec.rpartition("#")[2] for spec in (settings.model, *settings.roles.values())]
        cost, dearest = max((price_of(name, prices).of(read, written), name) for name in names)
        costs = f"\nat most about {cost:,.4g} by the price of {dearest}, if every completion is the longest allowed"
    return (
        f"{table.to_string(index=False)}\n"
        f"in all {calls:,} calls in {len(settings.seeds)} runs, one a seed; about {read:,} prompt tokens, "
        f"estimated at {CHARACTERS_A_TOKEN} characters each; at most {written:,} completion tokens. "
        f"What follows on a program that works comes on top.{costs}"
    )


def came_of(out: Path, description: Mapping) -> str:
    rules = {name: about.get("selection") for name, about in description.get("methods", {}).items()}
    lines = [
        f"{out}: complete; problems whose selected answer is right, by the rule that the method itself uses:"
    ]
    shares = 100 * pd.Series(description["accuracy"], dtype=float)
    for method, own in shares.groupby(
        shares.index.str.partition("-").get_level_values(0), sort=False
    ):
        known = "no sample"
        if own.notna().any():
            known = f"{own.mean():.1f} %"
            if len(own) > 1:
                known += f" ({own.min():.1f} to {own.max():.1f} % in {len(own)} streams)"
        rule = f", {rules[method]}" if rules.get(method) else ""
        lines.append(f"  {method}: {known}{rule}")
    counted = ["calls", "prompt_tokens", "completion_tokens"]
    spent = pd.DataFrame(description["budget"], columns=counted).sum()
    counts = (f"{count:,.0f} {name.replace('_', ' ')}" for name, count in spent.items())
    lines.append(f"spent: {', '.join(counts)}")
    if "looked" in description:
        lines.append(
            f"looks at images: {description['looked']:,}, "
            f"{description['looked_before']:,} of them known before"
        )
    if "cost" in description:
        lines.append(f"cost by --prices: {description['cost']:,.6g}")
    troubles = {"requests sent again": description["retried"]} | {
        f"samples {why} (column `error` says why)": count
        for why, count in description["missing"].items()
    }
    lines += [f"not as asked: {count:,} {what}" for what, count in troubles.items() if count]
    if description["missing"].get("unavailable"):
        lines.append(
            "problems that lack an unavailable sample are left out above; a refused one is wrong"
        )
    made = description["settings"]["model"]
    if made == COMES_ALONG or made.startswith("canned:"):
        who = "a tiny model" if made == COMES_ALONG else "written replies, and no model,"
        lines.append(
            f"{who} made this: it shows how the methods work, and says nothing about other models"
        )
    return "\n".join(lines)
