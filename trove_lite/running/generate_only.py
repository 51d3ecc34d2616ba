"""Samples drawn ahead of any program: what methods surely ask for, whatever programs print, goes on
a tape.

PRIMITIVE and INSTANCE ask for nothing else, TROVE for CREATE and SKIP, its placebo for IMPORT too.
Nothing is run here.
"""

from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from itertools import zip_longest
from pathlib import Path

from ..methods.base import Attempt
from ..models.base import LanguageModel, PromptRefused, SampleUnavailable, gather
from .driver import Stream, as_sent, each, prompt_of
from .live import NOTHING, Given, in_own_loop, laid_out, players
from .settings import RunSettings


def draw_ahead(
    settings: RunSettings,
    tape: str | Path,
    *,
    model: LanguageModel | None = None,
    given: Given = NOTHING,
):
    """Put on `tape` what a run with these settings surely asks for.

    Returns how many replies were drawn, were there, and could not be had. Raises ModelError where a
    model fails: the same call goes on.
    """
    _, pack, streams = laid_out(settings, given)
    return in_own_loop(_draw(players(settings, model, tape=tape), streams, pack, settings))


async def _draw(
    models, streams: Sequence[Stream], pack, settings: RunSettings
) -> tuple[int, int, int]:
    turns = zip_longest(
        *([(stream, one) for one in surely(stream, pack)] for stream in streams)
    )  # as streams go on
    requests = (
        (stream, key, request)
        for turn in turns
        for stream, one in filter(None, turn)
        for key, request in each([one])
    )
    lacked = 0

    async def work() -> None:
        nonlocal lacked
        for stream, key, request in requests:  # workers share it: each takes the next
            what, seed, how = as_sent(
                stream, request, key, prompt_of(request, pack), pack, settings.sampling
            )
            try:
                await models.get(request.role, models["solver"]).complete(what, [seed], **how)
            except PromptRefused:  # which is on the tape
                pass
            except SampleUnavailable:
                lacked += 1

    async with AsyncExitStack() as stack:
        for one in (unique := set(models.values())):
            await stack.enter_async_context(one)
        await gather(work() for _ in range(sum(one.concurrency for one in unique)))
    return sum(one.drawn for one in unique), sum(one.found for one in unique), lacked


def surely(stream: Stream, pack) -> Iterator[Attempt]:
    """What a stream asks for first at each problem, whatever programs print and a toolbox holds."""
    method = stream.method
    if method.stream:
        for attempts in method.ahead(stream.questions, stream.settings) if method.ahead else ():
            yield from attempts
    else:
        for question in stream.questions:
            steps = method.begin([question], stream.settings, stream.examples, pack.say)
            yield from (one for one in next(steps) if isinstance(one, Attempt))
            steps.close()
