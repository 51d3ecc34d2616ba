"""A live run: from settings to a complete run folder that every notebook reads, resumed where it
was stopped.

It makes the folder and starts models, sandbox and driver. Whether a folder may go on is `folder`,
how methods are answered `driver`, what becomes of the journals `finish`.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack
from functools import partial
from itertools import product
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from ..candidates import FAIL_ON_MISSING, KEY, file_of_problems, read_description, run_name
from ..datasets import load_dataset
from ..datasets.base import Dataset
from ..errors import TroveLiteError, blamed_on
from ..journal import finished_journal, locked, on_disk
from ..methods import load_method
from ..models import load_model
from ..models.base import LanguageModel, SamplingSettings, gather
from ..models.money import Budget, Price, price_of, read_prices
from ..models.tape import Taped
from ..plugins import foreign
from ..prompts import load_pack
from ..prompts.base import PromptPack
from ..sandbox.pool import Sandbox
from . import folder
from .driver import Driver, Stream
from .finish import finish
from .progress import Progress
from .record import Record, keyed
from .settings import RunSettings

REUSE = 10_000  # programs whose executions a run keeps, should the same text come again
#: Toolboxes of another run by (method, category, seed): what is shown at each place of the stream.
Given = Mapping[tuple[str, str, int], Sequence]
NOTHING: Mapping = MappingProxyType({})


def live_run(
    settings: RunSettings,
    out: str | Path,
    *,
    model: LanguageModel | None = None,
    roles: Mapping[str, LanguageModel] | None = None,
    sandbox: Sandbox | None = None,
    pack=None,
    dataset: Dataset | None = None,
    given: Given = NOTHING,
    in_flight: int | None = None,
    guess: int = 0,
    workers: int | None = None,
    progress: bool = True,
    reuse: str | Path = "",
    tape: str | Path = "",
    fail_on_missing: float = FAIL_ON_MISSING,
    max_cost: float | None = None,
    prices: Path | None = None,
) -> Path:
    """Make the run folder `out`, or complete it where a run with these settings was stopped;
    returns it.

    `model`, `roles`, `sandbox` (entered), `pack` and `dataset` are made from the settings where
    they are not given.
    given: toolboxes of another run. The others are options of `trove-lite run`.
    Raises TroveLiteError where the folder holds another run or is being written, where the run
    cannot go on, and where `max_cost` or `fail_on_missing` would be passed. What is done is kept.
    """
    if not isinstance(settings, RunSettings):
        raise TroveLiteError(
            f"a {type(settings).__name__} is no run's settings: give a RunSettings"
        )
    out = Path(out)
    reuse = Path(reuse) if reuse else None
    settings = folder.with_grader(settings, out)
    priced = price_table(max_cost, prices)
    begun = folder.begun_with(out, settings)
    dataset, pack, streams = laid_out(settings, given, begun, pack=pack, dataset=dataset)
    models = players(settings, model, roles, tape)
    if priced and (free := [one.name for one in models.values() if not one.is_billed]):
        raise TroveLiteError(
            f"--prices: the model '{free[0]}' is no server, and costs nothing; leave it out"
        )
    eyes = dataset.looks(settings.vision) if settings.vision else None
    if not out.exists():
        in_own_loop(gather(model.check() for model in set(models.values())))
    with ExitStack() as stack:
        with on_disk(out):
            (out / "journal").mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(out))
        foreign.add(os.path.realpath(out))  # its verdicts are out of programs' reach
        if eyes:
            stack.callback(
                lambda: folder.add_counts(out, looked=eyes.asked, looked_before=eyes.known)
            )
        sandbox = sandbox or stack.enter_context(
            Sandbox(
                workers,
                time_limit=settings.time_limit,
                memory=settings.memory << 20,
                isolation=settings.isolation,
                reuse=REUSE,
                vision=eyes,
            )
        )
        with on_disk(out):
            if folder.resume(out, folder.describe(settings, streams, pack, sandbox.level)):
                if not folder.too_many_unavailable(read_description(out), fail_on_missing):
                    return out
                folder.ask_again(out)
            for stream in streams:
                stream.open(out / "journal")
                stack.callback(stream.journal.close)
                folder.take_samples(stream, reuse, out / folder.BEFORE)
        bars = Progress(sum(len(stream.questions) for stream in streams), enabled=progress)
        stack.callback(bars.bar.close)
        driver = Driver(models, sandbox, pack, dataset, settings, bars, in_flight, guess)
        if budget := Budget(out, priced, max_cost) if priced else None:
            stack.callback(budget.bill.close)
        in_own_loop(drive(out, driver, streams, reuse, budget))
        with on_disk(out):
            finish(out, read_description(out), streams, dataset, settings)
    if reason := folder.too_many_unavailable(read_description(out), fail_on_missing):
        raise TroveLiteError(
            f"{out}: {reason}; the same command asks again, a larger --fail_on_missing lets it pass"
        )
    return out


def laid_out(
    settings: RunSettings,
    given: Given,
    begun: Mapping[str, Mapping] = NOTHING,
    *,
    pack=None,
    dataset: Dataset | None = None,
) -> tuple[Dataset, PromptPack, list[Stream]]:
    """A run's data set and prompts, where they are not given, and its streams. Raises
    TroveLiteError where the prompts have no words for what is asked."""
    dataset = dataset or load_dataset(settings.dataset, settings.grader)
    pack = pack or load_pack(settings.prompts, dataset)
    refuse_wordless(settings, pack, begun)
    return dataset, pack, streams_of(settings, dataset, given, begun)


def streams_of(
    settings: RunSettings, dataset: Dataset, given: Given, begun: Mapping[str, Mapping]
) -> list[Stream]:
    """A run's streams: each method on each category with each seed, shown given toolboxes where
    there are any."""
    data = {
        category: tuple(dataset.load(category))[: settings.limit]
        for category in settings.categories
    }
    shown = {}
    if curious := [method for method in settings.methods if load_method(method).examples]:
        if dataset.examples is None:
            raise TroveLiteError(
                f"method '{curious[0]}' needs labelled problems, and data set '{dataset.name}' has none "
                "to spare; choose another --dataset or --method"
            )
        shown = {category: tuple(dataset.examples(category)) for category in settings.categories}
    streams = []
    for name, category, seed in product(settings.methods, settings.categories, settings.seeds):
        own = settings.of(name, seed, begun.get(name))
        views = given.get((name, category, seed), ())
        examples = shown.get(category, ())
        streams.append(
            Stream(load_method(name), category, seed, data[category], own, examples, views)
        )
    return streams


def programs_of(
    candidates: pd.DataFrame, runs: Sequence[str | Path], vision: str | None = None
) -> list[str | None]:
    """What ran for each candidate, with what its method put around a reply's code, as these
    folders' journals tell it. None where no journal does; "" for what nothing was to run for."""
    found = {}
    for stream, dataset, settings in recorded_streams(runs, vision):
        for one, record in stream.played(dataset, settings.parser):
            if record.mode:
                program = record.program(one, dataset, settings.parser, stream.isolated)
                found[row_key(settings, stream, record)] = program or ""
    phase = candidates["phase"].astype(str).replace("draft", "stream")
    return [
        found.get(key)
        for key in candidates.assign(phase=phase)[KEY].itertuples(index=False, name=None)
    ]


def row_key(settings: RunSettings, stream: Stream, record: Record) -> tuple:
    """A record's key in the candidates table, where a draft belongs to the stream like what
    replaced it."""
    asked = stream.problems[record.problem].question[:3]
    return (
        run_name(settings.name, stream.seed),
        stream.table_name,
        stream.seed,
        *asked,
        record.phase,
        record.mode,
        record.sample,
        record.round,
    )


def recorded_streams(
    runs: Sequence[str | Path],
    vision: str | None = None,
    load_given: Callable[[RunSettings], Given] = lambda _: NOTHING,
) -> Iterator[tuple[Stream, Dataset, RunSettings]]:
    """The streams of the live runs in these folders whose journals are there, with their
    records."""
    for out in map(Path, runs):
        about = read_description(out)
        if about.get("kind") != "live" or not folder.generated(out):
            continue
        with blamed_on(out / "run.json"):
            stated = {
                n: value
                for n, value in about["settings"].items()
                if n in RunSettings.__dataclass_fields__
            }
            stated |= {
                "sampling": SamplingSettings(**stated["sampling"]),
                "vision": vision,
                "dataset": file_of_problems(stated["dataset"], [out]),
            }
            settings = folder.with_grader(RunSettings(**stated), out)
        dataset = load_dataset(settings.dataset, settings.grader)
        begun = folder.begun_with(out, settings)
        for stream in streams_of(settings, dataset, load_given(settings), begun):
            path = out / "journal" / f"{stream.label}.jsonl"
            stream.recorded = keyed(finished_journal(path), path)
            yield stream, dataset, settings


def players(
    settings: RunSettings, model: LanguageModel | None, roles=None, tape: str | Path = ""
) -> dict:
    """The models by role: those given, or those that the settings name. A role may play others that
    have none."""
    named = partial(load_model, settings=settings.sampling, chat=settings.chat)
    models = {"solver": model or named(settings.model)}
    models |= roles or {role: named(spec) for role, spec in settings.roles.items()}
    for method in map(load_method, settings.methods):
        models = {
            role: models[other] for role, other in method.played_by.items() if other in models
        } | models
    taped = {one: Taped(one, tape) for one in set(models.values())} if tape else {}
    return {role: taped.get(one, one) for role, one in models.items()}


def price_table(max_cost: float | None, prices: Path | None) -> dict[str, Price]:
    if max_cost is not None and not (prices and max_cost > 0):
        raise TroveLiteError(
            f"--max_cost {max_cost}: give more than 0, and --prices FILE with what tokens cost"
        )
    return read_prices(prices) if prices else {}


def refuse_wordless(settings: RunSettings, pack, begun: Mapping[str, Mapping] = NOTHING) -> None:
    """Refuse, before anything is asked, a stage that the run's pack of prompts has no words for."""
    for name in settings.methods:
        method = load_method(name)
        own = settings.of(name, settings.seeds[0], begun.get(name))
        for stage, category in product(
            method.asks(own) if method.asks else method.stages, settings.categories
        ):
            if not pack.has(category, stage):
                other = "other --methods" if pack.name == "own" else "--prompts own"
                raise TroveLiteError(
                    f"no {pack.name} prompt for stage '{stage}' of {name} on {settings.dataset}, "
                    f"{category}: choose {other}"
                )


def in_own_loop(work: Coroutine) -> object:
    """Run to its end in an event loop of its own: in a thread where one is running already, as in a
    notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


async def drive(
    out: Path, driver: Driver, streams: Sequence[Stream], reuse: Path | None, budget: Budget | None
) -> None:
    models = driver.models
    bars = driver.progress
    for notice in filter(None, (stream.journal.notice for stream in streams)):
        bars.say(notice)
    async with AsyncExitStack() as stack:
        for model in set(models.values()):
            model.on_notice = bars.say  # before it starts, which may take minutes
            await stack.enter_async_context(model)
            if budget:
                price_of(model.name, budget.prices)  # refused at once without one
                model.budget = budget
        with on_disk(out):
            setup = {role: stated for role, model in models.items() if (stated := model.setup())}
            names = {role: model.name for role, model in models.items()}
            folder.note_session(
                out, names, {role: model.identity() for role, model in models.items()}, setup
            )
            if reuse:
                folder.refuse_others(reuse, read_description(reuse), read_description(out))
        bars.retried = lambda: sum(model.retried for model in set(models.values()))
        try:
            await driver.run(streams)
        finally:
            reused = sum(stream.reused for stream in streams) if reuse else 0
            if guessed := sum(stream.guesses.asked for stream in streams):
                bars.say(
                    f"{sum(s.guesses.wanted for s in streams):,} of {guessed:,} replies asked for early were wanted"
                )
            folder.add_counts(out, retried=bars.retried(), reused=reused)
            if budget:
                folder.write_description(out, read_description(out) | {"cost": budget.spent})
