"""A live run: from settings to a complete run folder that every notebook reads, resumed where it was stopped.

It makes the folder, refuses a changed setting, starts models, sandbox and driver, and in the end turns the journals
into the tables. How methods are answered is `driver`; what a record means is `record`.
"""

import asyncio
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, contextmanager, suppress
from dataclasses import MISSING as NO_DEFAULT
from dataclasses import asdict, fields, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

import pandas as pd

from ..candidates import (
    CALLS_KEY,
    CALLS_SCHEMA,
    FAIL_ON_MISSING,
    KEY,
    MISSING,
    UNAVAILABLE,
    as_arrow,
    as_frame,
    read_description,
    run_name,
    save_run,
    versions,
)
from ..datasets import load_dataset
from ..datasets.base import Dataset, Problem
from ..errors import TroveLiteError
from ..journal import locked, on_disk, read_journal, write_atomically
from ..methods import load_method
from ..methods.base import FORMERLY
from ..models import load_model
from ..models.base import LanguageModel
from ..prompts import load_pack
from ..sandbox.pool import Sandbox
from .driver import Driver, Stream
from .lent import lend, refuse_others, samples_in, samples_of, with_lent
from .progress import Progress
from .record import Record, candidate_rows, content_hash, differing
from .settings import RunSettings, model_identity

HASH_OF_NOTHING = "e3b0c44298fc1c14"  # of the prompts of a method that speaks, until these were hashed too
BEFORE = "before"  # where journals lie whose unavailable samples are asked for again
REUSE = 10_000  # programs whose executions a run keeps, should the same text come again
SPENT = ["prompt_tokens", "cached_tokens", "completion_tokens", "executions", "generate_seconds", "execute_seconds"]


def live_run(
    settings: RunSettings,
    out: str | Path,
    *,
    model: LanguageModel | None = None,
    roles: Mapping[str, LanguageModel] | None = None,
    sandbox: Sandbox | None = None,
    pack=None,
    dataset: Dataset | None = None,
    in_flight: int | None = None,
    workers: int | None = None,
    progress: bool = True,
    reuse: str | Path = "",
    fail_on_missing: float = FAIL_ON_MISSING,
) -> Path:
    """Make the run folder `out`, or complete it where a run with these settings was stopped; returns it.

    `model`, `roles`, `sandbox` (entered), `pack` and `dataset` are made from the settings where they are not given.
    Raises TroveLiteError where the folder holds another run, is being written, or the run cannot go on; what is done is
    kept. in_flight: requests at the models at a time, what streams wait for first (None: as many as they take).
    reuse: a finished run whose samples are taken where prompt and seed are the same, instead of asking again.
    fail_on_missing: raises too, once its tables are written, where a larger share of requests was unavailable; given
    again, they are asked for again.
    """
    if not isinstance(settings, RunSettings):
        raise TroveLiteError(f"a {type(settings).__name__} is no run's settings: give a RunSettings")
    out = Path(out)
    settings = gone_on(settings, read_description(out))
    reuse = Path(reuse) if reuse else None
    dataset = dataset or load_dataset(settings.dataset)
    data = {category: tuple(dataset.load(category))[: settings.limit] for category in settings.categories}
    shown, lent, begun = labelled(settings, dataset), lend(settings), begun_with(out)
    streams = [
        Stream(
            with_lent(load_method(method), lent.get((method, category, seed), ())),
            category,
            seed,
            data[category],
            settings.of(method, seed, begun.get(method)),
            shown.get(category, ()),
        )
        for method in settings.methods
        for category in settings.categories
        for seed in settings.seeds
    ]
    pack = pack or load_pack(settings.prompts, dataset)
    refuse_wordless(settings, pack, begun)
    named = partial(load_model, settings=settings.sampling, chat=settings.chat)
    models = {"solver": model or named(settings.model)}
    models |= roles or {role: named(spec) for role, spec in settings.roles.items()}
    for played_by in (load_method(method).played_by for method in settings.methods):
        models = {role: models[other] for role, other in played_by.items() if other in models} | models
    if not out.exists():
        in_own_loop(checked(models.values()))
    with ExitStack() as stack:
        with on_disk(out):
            (out / "journal").mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(out))
        sandbox = sandbox or stack.enter_context(warm_sandbox(settings, workers))
        with on_disk(out):
            described = partial(describe, begun=begun, data=data, shown=shown, lent=lent, pack=pack, sandbox=sandbox)
            go_further(out, settings, described)
            if resume(out, described(settings)):
                if not too_many_unavailable(read_description(out), fail_on_missing):
                    return out
                ask_again(out)
            before = (out / BEFORE).is_dir()
            for stream in streams:
                stream.open(out / "journal")
                stack.callback(stream.journal.close)
                stream.others = samples_of(reuse, stream.label) if reuse else {}
                if reuse:
                    theirs = read_description(reuse).get("methods", {}).get(stream.method.name, {})
                    stream.alike = theirs.get("isolated", False) == stream.isolated
                stream.others |= samples_in(out / BEFORE, stream.label) if before else {}
        bars = stack.enter_context(Progress({s.label: len(s.questions) for s in streams}, enabled=progress))
        for stream in streams:
            if stream.journal.notice:
                bars.say(stream.journal.notice)
        in_own_loop(drive(out, streams, models, sandbox, pack, dataset, settings, bars, in_flight, reuse))
        with on_disk(out):
            finish(out, streams, dataset, settings)
            shutil.rmtree(out / BEFORE, ignore_errors=True)
    if reason := too_many_unavailable(read_description(out), fail_on_missing):
        raise TroveLiteError(f"{out}: {reason}; the same command asks again, a larger --fail_on_missing lets it pass")
    return out


def too_many_unavailable(description: Mapping, most: float) -> str:
    """That a run says nothing, for more than the share `most` of its requests were unavailable; "" where it does."""
    lacking = description.get("missing", {}).get(UNAVAILABLE, 0)
    asked = sum(row["calls"] for row in description.get("budget", ()))
    if not lacking or lacking <= most * asked:
        return ""
    said = "no sample could be had" if lacking == asked else f"{lacking:,} of {asked:,} samples could not be had"
    return f"{said} ({description.get('unavailable_because', '')}), so there is no accuracy"


def ask_again(out: Path) -> None:
    """Make a complete run one that is begun, with what it has at hand but what was unavailable."""
    for table in ("candidates.parquet", "calls.parquet"):
        (out / table).unlink(missing_ok=True)
    shutil.rmtree(out / BEFORE, ignore_errors=True)  # of a time before this, all of which is in the journals
    (out / "journal").rename(out / BEFORE)
    (out / "journal").mkdir(exist_ok=True)


def labelled(settings: RunSettings, dataset: Dataset) -> dict[str, tuple[Problem, ...]]:
    """The labelled problems of each category, where a method of the run may see them; else nothing.

    Raises TroveLiteError where the data set has none apart from those that it tests.
    """
    curious = [method for method in settings.methods if load_method(method).examples]
    if not curious:
        return {}
    if dataset.examples is None:
        raise TroveLiteError(
            f"method '{curious[0]}' needs labelled problems, and data set '{dataset.name}' has none to spare; choose "
            "another --dataset or --method"
        )
    return {category: tuple(dataset.examples(category)) for category in settings.categories}


def refuse_wordless(settings: RunSettings, pack, begun: Mapping[str, Mapping] = MappingProxyType({})) -> None:
    """Refuse, before anything is asked, a stage that the run's pack of prompts has no words for."""
    for name in settings.methods:
        method = load_method(name)
        own = settings.of(name, settings.seeds[0], begun.get(name))
        stages = method.asks(own) if method.asks else method.stages
        for stage in stages:
            lacking = [category for category in settings.categories if not pack.has(category, stage)]
            if lacking:
                where = "" if len(lacking) == len(settings.categories) else f", {lacking[0]}"
                raise TroveLiteError(
                    f"no {pack.name} prompt for stage '{stage}' of {name} on {settings.dataset}{where}: "
                    "choose --prompts own"
                )


@contextmanager
def warm_sandbox(settings: RunSettings, workers: int | None) -> Iterator[Sandbox]:
    """A sandbox with the run's limits, its workers warm."""
    limits = {"time_limit": settings.time_limit, "memory": settings.memory << 20, "isolation": settings.isolation}
    with Sandbox(workers, **limits, reuse=REUSE) as sandbox:
        yield sandbox


async def drive(
    out: Path,
    streams: Sequence[Stream],
    models: Mapping[str, LanguageModel],
    sandbox,
    pack,
    dataset: Dataset,
    settings: RunSettings,
    bars: Progress,
    in_flight: int | None,
    reuse: Path | None = None,
) -> None:
    """Start the models and run all streams to their end."""
    async with AsyncExitStack() as stack:
        for model in {id(model): model for model in models.values()}.values():
            model.on_notice = bars.say  # before it starts, which may take minutes
            await stack.enter_async_context(model)
        with on_disk(out):
            settle_models(out, models)
            if reuse:
                refuse_others(reuse, read_description(reuse), read_description(out))
        at_once = in_flight or sum(getattr(model, "concurrency", 256) for model in set(models.values()))
        bars.retried = lambda: sum(getattr(model, "retried", 0) for model in set(models.values()))
        drawn = {"parser": settings.parser, "sampling": settings.sampling}
        driver = Driver(models, sandbox, pack, dataset, **drawn, progress=bars, in_flight=at_once)
        try:
            await driver.run(streams)
        finally:
            reused = sum(stream.reused for stream in streams) if reuse else 0
            note_more(out, retried=bars.retried(), reused=reused)


async def checked(models: Iterable[LanguageModel]) -> None:
    """Refuse a model that is not to be had before a folder is made for it."""
    for model in models:
        if check := getattr(model, "check", None):
            await check()


def in_own_loop(work: Coroutine) -> None:
    """Run to its end in an event loop of its own: in a thread where one is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, work).result()


def begun_with(out: Path) -> dict[str, dict]:
    """The methods' settings that a run was begun with, by method; nothing where nothing was generated yet."""
    return (read_description(out).get("methods") or {}) if (out / "run.json").exists() and generated(out) else {}


def generated(out: Path) -> bool:
    """Whether a run folder holds any sample."""
    return any(path.stat().st_size for path in (out / "journal").glob("*"))


def go_further(out: Path, settings: RunSettings, described: Callable[[RunSettings], dict]) -> None:
    """Let a run go on to more problems, or to more attempts at each, where nothing else differs.

    Its tables are made again in the end. More problems only by methods for which one comes out the same however many
    follow it. An attempt comes out the same however many there are.
    """
    if not (out / "run.json").exists():
        return
    old = read_description(out)
    began = old.get("settings") or {}
    limit, choices = began.get("limit"), settings.choices | fewer_attempts(settings, began.get("choices") or {})
    if limit is None or not (settings.limit is None or settings.limit > limit):
        limit = settings.limit
    elif any(load_method(name).stream and not load_method(name).grows for name in settings.methods):
        return
    before = replace(settings, limit=limit, choices=choices)
    new = described(before)
    if before == settings or differing(with_defaults(old, new), new):
        return
    for table in ("candidates.parquet", "calls.parquet"):
        (out / table).unlink(missing_ok=True)
    further = described(settings)
    for name, said in old["methods"].items():  # what an older release did stays as unsaid as it was
        for stated in (further["methods"][name], further["settings"]["choices"].get(name, {})):
            for choice in FORMERLY.keys() - said.keys():
                stated.pop(choice, None)
    write_description(out, old | further)


def fewer_attempts(settings: RunSettings, began: Mapping[str, Mapping]) -> dict[str, dict]:
    """The choices of methods that a run, `began` with these, had make fewer attempts: with the number that it began."""
    numbers = {method: began.get(method, {}).get("attempts") for method in settings.choices}
    return {
        method: settings.choices[method] | {"attempts": number}
        for method, number in numbers.items()
        if number is not None and number < (settings.choices[method].get("attempts") or 0)
    }


def describe(
    settings: RunSettings,
    begun: Mapping[str, Mapping],
    data: Mapping[str, Sequence[Problem]],
    shown: Mapping[str, Sequence[Problem]],
    lent: Mapping[tuple, Sequence],
    pack,
    sandbox: Sandbox,
) -> dict:
    """All that a run's rows depend on, as JSON: what a resumed run is held to.

    begun: methods' settings of before. shown: labelled problems. lent: toolboxes of another run, by whose stream they
    are shown to.
    """
    data = {category: problems[: settings.limit] for category, problems in data.items()}
    data |= {f"{category}, labelled": problems for category, problems in shown.items()}
    hashes = {category: content_hash([hashed(p) for p in problems]) for category, problems in data.items()}
    identities = {role: model_identity(spec) for role, spec in settings.roles.items()}
    methods = {name: settings.of(name, settings.seeds[0], begun.get(name)) for name in settings.methods}
    stages = {stage for method in map(load_method, settings.methods) for stage in method.stages or method.modes}
    stated = asdict(settings) | {"model": model_identity(settings.model), "roles": identities}
    stated["choices"] = {method: placeless(choices) for method, choices in settings.choices.items()}
    return {
        "kind": "live",
        "provenance": "live",
        "settings": stated,
        "methods": {method: placeless(asdict(own)) for method, own in methods.items()},
        "prompts": {"name": pack.name, "hash": pack.hash_of(stages)},
        "data": hashes | {f"lent to {'-'.join(map(str, whose))}": content_hash(lent[whose]) for whose in lent},
        "isolation": sandbox.level,
        "versions": versions(),
    }


def placeless(choices: Mapping) -> dict:
    """Choices of a method, where a run that lends its toolboxes has its name alone: it may lie elsewhere tomorrow."""
    return {k: Path(value).name if k == "toolbox" else value for k, value in choices.items()}


def hashed(problem: Problem) -> dict:
    """A problem as its hash sees it: its files by name alone, since data sets check what is in them."""
    return {
        "question": list(problem.question),
        "gold": problem.gold,
        "level": problem.level,
        "files": sorted(problem.files),
    }


def resume(out: Path, description: dict) -> bool:
    """Whether the run is complete. Begins it where there is none; refuses one that differs, naming what does.

    A folder in which nothing was generated yet takes new settings.
    """
    if (out / "run.json").exists():
        changes = differing(with_defaults(read_description(out), description), description)
        complete = (out / "candidates.parquet").exists()
        if changes and (complete or generated(out)):
            raise TroveLiteError(
                f"{out}: holds a run with other settings ({'; '.join(changes)}); set them back, or choose another --out"
            )
        if not changes:
            return complete
    elif (out / "candidates.parquet").exists() or generated(out):
        raise TroveLiteError(f"{out}: holds rows of a run without its run.json; choose another --out")
    write_description(out, description)
    return False


def with_defaults(old: Mapping, new: Mapping) -> dict:
    """A run's description of before, with the default of each setting that the version of then did not have yet."""
    stated = {name: said for name, said in (old.get("methods") or {}).items() if name in new["methods"]}
    settings = defaults(RunSettings) | (old.get("settings") or {})
    settings["choices"] = chosen_formerly(stated, settings["choices"])
    methods = {
        name: defaults(type(load_method(name).presets["paper"])) | settings["choices"].get(name, {}) | said
        for name, said in stated.items()
    }
    prompts = old.get("prompts") or {}
    if prompts.get("hash") == HASH_OF_NOTHING:
        prompts = prompts | {"hash": new["prompts"]["hash"]}
    return {**old, "settings": settings, "methods": (old.get("methods") or {}) | methods, "prompts": prompts}


def defaults(kind: type) -> dict:
    """The defaults of a dataclass's fields, where they have one."""
    made = {field.name: field.default_factory() for field in fields(kind) if field.default_factory is not NO_DEFAULT}
    return made | {field.name: field.default for field in fields(kind) if field.default is not NO_DEFAULT}


def gone_on(settings: RunSettings, old: Mapping) -> RunSettings:
    """The settings of a run that goes on: where nothing else is chosen, it does as the release did that began it."""
    ours = {name: said for name, said in (old.get("methods") or {}).items() if name in settings.methods}
    return replace(settings, choices=chosen_formerly(ours, settings.choices))


def chosen_formerly(stated: Mapping[str, Mapping], choices: Mapping[str, Mapping]) -> dict[str, dict]:
    """Choices by method, on top of what runs formerly did where a `run.json` that states these settings is silent."""
    found = dict(choices)
    for name, said in stated.items():
        known = {field.name for field in fields(load_method(name).presets["paper"])} - set(said)
        if silent := {choice: value for choice, value in FORMERLY.items() if choice in known}:
            found[name] = silent | found.get(name, {})
    return found


def settle_models(out: Path, models: Mapping[str, LanguageModel]) -> None:
    """Note which models answer, which a server may say only now; refuse to go on with others."""
    description = read_description(out)
    names = {role: model.name for role, model in models.items()}
    before = description.setdefault("models", names)
    if before != names:
        was, now = (", ".join(sorted(set(named.values()))) for named in (before, names))
        raise TroveLiteError(f"{out}: was begun with the model '{was}', and this is '{now}'; choose another --out")
    identities = {role: model.identity() for role, model in models.items() if hasattr(model, "identity")}
    setups = {role: model.setup() for role, model in models.items() if hasattr(model, "setup")}
    setup = {role: stated for role, stated in setups.items() if stated}
    begun = {"began": as_time(time.time()), "commit": commit(), "setup": setup}
    sessions = [*sessions_of(out, description), begun]
    write_description(out, description | {"model": names["solver"], "identity": identities, "sessions": sessions})


def sessions_of(out: Path, description: Mapping) -> list[dict]:
    """When this run was worked on so far. What may have been killed ended with the last line of its journals."""
    *before, last = description.get("sessions") or [None]
    if last is None:
        return []
    ended = as_time(max((path.stat().st_mtime for path in (out / "journal").iterdir()), default=0.0))
    return [*before, {"ended": max(ended, last["began"])} | last]


def as_time(seconds: float) -> str:
    """A moment as `2026-01-31T12:00:00Z`."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def commit() -> str | None:
    """The commit of the checkout that this package is run from, `-dirty` where files differ; None where it is none."""
    checkout = Path(__file__).parents[2]
    if not (checkout / ".git").exists():
        return None
    command = ["git", "-C", str(checkout), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip() or None
    except (OSError, subprocess.SubprocessError):
        return None


def note_more(out: Path, **counts: int) -> None:
    """Count requests that were sent again, and samples taken from another run, on top of those before a stop."""
    description = read_description(out)
    with suppress(OSError):  # a full disk, say, which has been told of
        more = {name: description.get(name, 0) + count for name, count in counts.items()}
        write_description(out, description | more)


def write_description(out: Path, description: dict) -> None:
    """Write a run folder's `run.json`, all or nothing."""
    text = json.dumps(description, indent=2, ensure_ascii=False) + "\n"
    write_atomically(out / "run.json", lambda part: part.write_text(text, encoding="utf-8"))


def finish(out: Path, streams: Sequence[Stream], dataset: Dataset, settings: RunSettings) -> None:
    """Make the tables from the journals alone, so that a resumed run's are the same as an uninterrupted one's.

    `run.json` gets what came of it: accuracy, what was spent, labels seen, and the tools that each stream ended with.
    """
    description = read_description(out)
    candidates, calls, tools, replies = [], [], [], []
    for stream in streams:
        stream.journal.sync()
        records = [Record(**record) for record in read_journal(stream.journal.path)[0]]
        whose = {
            "run": run_name(settings.name, stream.seed),
            "method": stream.settings.table_name(stream.method.name),
            "seed": stream.seed,
        }
        same = whose | {"model": description["model"], "provenance": "live"}
        shares_state = stream.method.stream or stream.method.examples
        same |= {"shares_state": shares_state, "selection": stream.settings.selection}
        rows = candidate_rows(records, stream.problems, dataset, stream.modes, settings.parser, stream.isolated)
        candidates += [same | row for row in rows]
        replies += [(bool(r.thinking), r.thinking_tokens or 0, r.hides_code(settings.parser)) for r in records]
        at = whose | {"dataset": dataset.name, "category": stream.category}
        calls += [at | record.call(description["models"]) for record in records]
        if listing := getattr(stream.learned, "listing", None):
            about = {"method": whose["method"], "category": stream.category, "seed": stream.seed}
            tools += [about | tool for tool in listing()]
    table = as_frame(as_arrow(candidates)).sort_values(KEY, kind="stable", ignore_index=True)
    spent = as_frame(as_arrow(calls, CALLS_SCHEMA)).sort_values(CALLS_KEY, kind="stable", ignore_index=True)
    lacking = table[table["status"] == UNAVAILABLE]
    accuracy = {stream.label: accuracy_of(stream, lacking) for stream in streams}
    loading = {stream.label: loading_of(stream) for stream in streams}
    labels = {stream.label: len(stream.examples) for stream in streams if stream.method.examples}
    missing = spent["finish_reason"].value_counts().reindex(MISSING, fill_value=0).astype(int).to_dict()
    came = {"sessions": sessions_of(out, description), "accuracy": accuracy, "missing": missing}
    came["unavailable_because"] = next(iter(lacking["error"].dropna()), "")
    learned = {stream.settings.table_name(stream.method.name): stream.learned for stream in streams}
    came |= {"keep_tools": sorted(name for name, kept in learned.items() if hasattr(kept, "listing"))}
    came |= dict(zip(("thought", "thinking_tokens", "hidden_code"), map(sum, zip(*replies, strict=True)), strict=False))
    came |= {"budget": budget_of(spent).to_dict("records"), "labels": labels, "toolboxes": tools}
    came["loading"] = {label: told for label, told in loading.items() if told}
    save_run(out, table, description | came, calls=spent)


def loading_of(stream: Stream) -> dict:
    """What the tools of a stream did or would have done while they are loaded; nothing where they are definitions.

    `refused` names those that failed to load, as settings have them.
    """
    refused = getattr(stream.learned, "refused", [])
    counts = {"statements left out": stream.left_out, "tools refused": len(refused), "refused": refused}
    counts |= getattr(stream.learned, "loading", {})
    return {what: count for what, count in counts.items() if count}


def accuracy_of(stream: Stream, lacking: pd.DataFrame) -> float | None:
    """The share of a stream's problems that are answered rightly, of those of which no sample is lacking; else None."""
    own = (lacking["category"] == stream.category) & (lacking["seed"] == stream.seed)
    own &= lacking["method"] == stream.settings.table_name(stream.method.name)
    known = [right for problem, right in stream.correct.items() if problem not in set(lacking.loc[own, "problem"])]
    return sum(known) / len(known) if known else None


def budget_of(calls: pd.DataFrame) -> pd.DataFrame:
    """What was spent: a row for each stream, phase, stage and role. `calls` are requests to a model.

    Tokens of the prompt are counted for each sample, as requests with n = 1 read them. Seconds are sums over samples,
    many of which ran at a time. `cut`: replies that ended because they had as many tokens as they may.
    """
    where = ["method", "category", "seed", "phase", "stage", "role"]
    asked, cut = calls["model"].notna(), calls["finish_reason"].astype(object) == "length"
    counted = calls.assign(calls=asked.astype("int64"), cut=cut.astype("int64"))
    counted["role"] = counted["role"].astype(object).fillna("")
    return counted.groupby(where, observed=True)[["calls", "cut", *SPENT]].sum().reset_index()
