"""A live run: from settings to a complete run folder that every notebook reads, resumed where it was stopped.

It makes the folder, refuses a changed setting, starts model, sandbox and driver, and in the end turns the journals into
the table. How methods are answered is `driver`; what a record means is `records`.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path

import pyarrow as pa

from ..candidates import KEY, as_frame, save_run, versions
from ..datasets import load_problems
from ..datasets.base import Problem
from ..datasets.files import sha256_of
from ..errors import TroveLiteError
from ..journal import locked, on_disk, read_journal, write_atomically
from ..methods.base import Budget
from ..methods.trove import RANK, RECTIFY, TroveSettings
from ..models import load_model
from ..models.base import LanguageModel
from ..prompts import load_pack
from ..sandbox.pool import Sandbox
from ..sandbox.worker import IsolationError
from .driver import Driver, Shard
from .progress import Progress
from .record import Record, budget_rows, content_hash, differing, rows_of
from .settings import RunSettings, model_identity, run_name, table_name

REUSE = 10_000  # programs whose executions a run keeps, should the same text come again


def live_run(
    settings: RunSettings,
    out: str | Path,
    *,
    model: LanguageModel | None = None,
    sandbox: Sandbox | None = None,
    pack=None,
    problems: Callable[[str, str], Sequence[Problem]] = load_problems,
    in_flight: int | None = None,
    workers: int | None = None,
    progress: bool = True,
) -> Path:
    """Make the run folder `out`, or complete it where a run with these settings was stopped; returns it.

    `model`, `sandbox` (entered), `pack` and `problems` are made from the settings where they are not given. Raises
    TroveLiteError where the folder holds another run, is being written, or the run cannot go on; what is done is kept.
    in_flight: requests at the model at a time, what streams wait for first (None: as many as it takes).
    """
    out = Path(out)
    data = {category: tuple(problems(settings.dataset, category))[: settings.limit] for category in settings.categories}
    shards = [
        Shard(method, category, seed, data[category], settings.of(method, seed))
        for method in settings.methods
        for category in settings.categories
        for seed in settings.seeds
    ]
    pack = pack or load_pack(settings.prompts)
    model = model or load_model(settings.model, settings.sampling)
    with ExitStack() as stack:
        with on_disk(out):
            (out / "journal").mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(out))
        sandbox = sandbox or stack.enter_context(warm_sandbox(settings, workers))
        with on_disk(out):
            if resume(out, describe(settings, data, pack, sandbox)):
                return out
            for shard in shards:
                shard.open(out / "journal")
                stack.callback(shard.journal.close)
        bars = stack.enter_context(Progress({s.label: len(s.questions) for s in shards}, enabled=progress))
        for shard in shards:
            if shard.journal.notice:
                bars.say(shard.journal.notice)
        in_own_loop(drive(out, shards, model, sandbox, pack, settings, bars, in_flight))
        with on_disk(out):
            finish(out, shards, settings)
    return out


@contextmanager
def warm_sandbox(settings: RunSettings, workers: int | None) -> Iterator[Sandbox]:
    """A sandbox with the run's limits, its workers warm."""
    limits = {"time_limit": settings.time_limit, "memory": settings.memory, "isolation": settings.isolation}
    try:
        with Sandbox(workers, **limits, reuse=REUSE) as sandbox:
            yield sandbox
    except IsolationError as error:
        raise TroveLiteError(str(error)) from error


async def drive(
    out: Path, shards: Sequence[Shard], model: LanguageModel, sandbox, pack, settings: RunSettings, bars, in_flight: int
) -> None:
    """Start the model and run all shards to their end."""
    async with model:
        with on_disk(out):
            settle_model(out, model.name)
        at_once = in_flight or getattr(model, "concurrency", 256)
        driver = Driver(model, sandbox, pack, parser=settings.parser, progress=bars, in_flight=at_once)
        await driver.run(shards)


def in_own_loop(work: Coroutine) -> None:
    """Run to its end in an event loop of its own: in a thread where one is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def describe(settings: RunSettings, data: dict[str, Sequence[Problem]], pack, sandbox: Sandbox) -> dict:
    """All that a run's rows depend on, as JSON: what a resumed run is held to."""
    stated = asdict(settings) | {"model": model_identity(settings.model)}
    return {
        "kind": "live",
        "provenance": "live",
        "settings": stated,
        "methods": {method: asdict(settings.of(method, settings.seeds[0])) for method in settings.methods},
        "prompts": {"name": pack.name, "hash": pack.hash, "extra": content_hash([RANK, RECTIFY])},
        "data": {category: content_hash([told(p) for p in problems]) for category, problems in data.items()},
        "isolation": sandbox.level,
        "versions": versions(),
    }


def told(problem: Problem) -> list:
    """All that a run may depend on of a problem, as JSON."""
    return [*problem.question, problem.gold, problem.level, [sha256_of(path) for path in problem.files]]


def resume(out: Path, description: dict) -> bool:
    """Whether the run is complete. Begins it where there is none; refuses one that differs, naming what does."""
    if (out / "run.json").exists():
        if changes := differing(read_description(out), description):
            raise TroveLiteError(
                f"{out}: holds a run with other settings ({'; '.join(changes)}); set them back, or choose another --out"
            )
        return (out / "candidates.parquet").exists()
    if (out / "candidates.parquet").exists() or any((out / "journal").iterdir()):
        raise TroveLiteError(f"{out}: holds rows of a run without its run.json; choose another --out")
    write_description(out, description)
    return False


def settle_model(out: Path, name: str) -> None:
    """Note which model answers, which a server may say only now; refuse to go on with another."""
    description = read_description(out)
    before = description.setdefault("model", name)
    if before != name:
        raise TroveLiteError(f"{out}: was begun with the model '{before}', and this is '{name}'; choose another --out")
    write_description(out, description)


def read_description(out: Path) -> dict:
    path = out / "run.json"
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TroveLiteError(f"{path}: not JSON ({error}); restore it, or choose another --out") from error


def write_description(out: Path, description: dict) -> None:
    text = json.dumps(description, indent=2, ensure_ascii=False) + "\n"
    write_atomically(out / "run.json", lambda part: part.write_text(text, encoding="utf-8"))


def finish(out: Path, shards: Sequence[Shard], settings: RunSettings) -> None:
    """Make the table from the journals alone, so that a resumed run's is the same as an uninterrupted one's.

    `run.json` gets what came of it: accuracy, what was spent, and the toolbox that each stream ended with.
    """
    description = read_description(out)
    tables, budget, tools = [], [], []
    for shard in shards:
        shard.journal.sync()
        records = [Record(**record) for record in read_journal(shard.journal.path)[0]]
        same = {
            "model": description["model"],
            "provenance": "live",
            "run": run_name(settings.name, shard.seed),
            "method": table_name(shard.method, shard.settings),
            "seed": shard.seed,
        }
        tables.append(rows_of(records, shard.problems, same, settings.parser))
        whose = {"method": same["method"], "category": shard.category, "seed": shard.seed}
        budget += budget_rows(records, **whose)
        tools += [whose | tool for tool in shard.toolbox.listing()] if shard.toolbox else []
    table = as_frame(pa.concat_tables(tables)).sort_values(KEY, kind="stable", ignore_index=True)
    accuracy = {shard.label: sum(shard.verdicts.values()) / max(1, len(shard.verdicts)) for shard in shards}
    save_run(out, table, description | {"accuracy": accuracy, "budget": budget, "toolboxes": tools})


def trove_settings(folders: Iterable[str | Path]) -> dict[str, TroveSettings]:
    """TROVE's settings by run, as the table names runs, of the live ones among these run folders."""
    found = {}
    for folder in map(Path, folders):
        about = read_description(folder) if (folder / "run.json").is_file() else {}
        if about.get("kind") == "live" and "trove" in about["methods"]:
            stated = {k: tuple(v) if isinstance(v, list) else v for k, v in about["methods"]["trove"].items()}
            budget = Budget(**stated.pop("budget"))
            for seed in about["settings"]["seeds"]:
                run = run_name(about["settings"]["name"], seed)
                found[run] = TroveSettings(**stated | {"budget": budget, "seed": seed})
    return found
