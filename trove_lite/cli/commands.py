"""What each command does: a few lines around the functions that do the work.

A function's parameters are the command's options, and its docstring is its help. Imports come when
they are needed.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..errors import TroveLiteError, UsageError, shown
from .extension import extension


def say(*texts: str, file=None) -> None:
    """Print what models, programs or servers may have had a part in: a terminal obeys none of
    it."""
    print(*(shown(text, lines=True) for text in texts), sep="\n", file=file)


def new_folder(folder: Path, force: bool) -> Path:
    """The run folder to make. Refuses one that holds a run, unless forced, and a place where none
    can be."""
    if (folder / "run.json").exists() and not force:
        raise TroveLiteError(
            f"{folder}: a run is there already; choose another --out, or replace it with --force"
        )
    if folder.exists() and not folder.is_dir():
        raise TroveLiteError(f"{folder}: is a file, and a run is a folder; choose another --out")
    return outside_runs(folder)


def outside_runs(place: Path, *read: Path) -> Path:
    """A place to write to. Refuses one inside a run, and one that is read."""
    real = place.resolve()
    if real in {path.resolve() for path in read}:
        raise UsageError(f"--out {place}: is what is read, which stays; name another place")
    if within := next((home for home in real.parents if (home / "run.json").is_file()), None):
        raise UsageError(f"--out {place}: is inside the run {within}; name a place beside it")
    return place


def refuse_less_than_one(**given: int | None) -> None:
    for name, value in given.items():
        if value is not None and value < 1:
            raise UsageError(f"--{name} {value}: give 1 or more")


def run(
    *,
    out: Path | None = None,
    in_flight: int | None = None,
    guess: int = 0,
    workers: int | None = None,
    quiet: bool = False,
    dry_run: bool = False,
    fail_on_missing: float = 0.05,
    reuse: str = "",
    tape: str = "",
    generate_only: bool = False,
    max_cost: float | None = None,
    prices: Path | None = None,
    tool: tuple[str, ...] = (),
    **given: object,
) -> None:
    """Ask a model, run its programs, write a run folder. A stopped run goes on.

    out: run folder to make, or to go on with
    fail_on_missing: a run fails if a larger share of requests has no answer. The same command asks
        for them again
    reuse: a finished or published run of the same model. Requests with the same prompt and seed are
        taken from it
    tape: a folder. Replies that are on it come from there, and new ones go there. Any run,
        anywhere, may use it
    generate_only: put on the tape what needs no program's result, and run nothing
    tool: tools made elsewhere, for methods that take any: a run folder, files, or a name that the
        method knows

    examples:
      trove-lite run --model http://localhost:8000/v1#NAME --methods trove primitive --out runs/mine
      trove-lite run --dataset math --model vllm:NAME --trove.interval 200 --out runs/math
      trove-lite run --config study.yaml --dry_run
    """
    from ..candidates import read_description
    from ..datasets import load_dataset
    from ..running import account, live
    from ..running.folder import with_grader
    from ..running.given import load_given

    if generate_only and (not tape or out or reuse or max_cost):
        raise UsageError(
            "--generate_only: give --tape FOLDER, and none of --out, --reuse and --max_cost"
        )
    if not out and not dry_run and not generate_only:
        raise UsageError("no --out: name the run folder to make, such as runs/first")
    refuse_less_than_one(in_flight=in_flight, workers=workers, guess=guess or None)
    if not 0 <= fail_on_missing <= 1:
        raise UsageError(f"--fail_on_missing {fail_on_missing}: give a share, from 0 to 1")
    settings = settings_of(given, out, tool)
    if dry_run:
        priced = live.price_table(max_cost, prices)
        print(account.planned_text([settings], load_given(settings), priced))
        return
    if generate_only:
        from ..running.generate_only import draw_ahead

        drawn, there, lacked = draw_ahead(settings, tape, given=load_given(settings))
        say(f"{tape}: {drawn:,} replies drawn, {there:,} were there, {lacked:,} could not be had")
        return
    table = new_folder(out, force=True) / "candidates.parquet"  # a run that is there goes on
    settings = with_grader(settings, out)
    before = table.stat().st_mtime_ns if table.exists() else 0
    live.live_run(
        settings,
        out,
        given=load_given(settings),
        in_flight=in_flight,
        guess=guess,
        workers=workers,
        progress=not quiet,
        reuse=reuse,
        tape=tape,
        fail_on_missing=fail_on_missing,
        max_cost=max_cost,
        prices=prices,
    )
    judged = load_dataset(settings.dataset, settings.grader).judged
    say(f"answers are judged {judged}", f"prompts: {settings.prompts} (--prompts)")
    if table.stat().st_mtime_ns == before:
        print(f"{out}: was complete already")
    say(account.came_of(out, read_description(out)), *last_lines(out))


def last_lines(out: Path) -> list[str]:
    """What the kit's second package reads off a run that is complete, where it is installed with
    what it needs."""
    try:
        more = extension()
        return more.last_lines(out) if more else []
    except ModuleNotFoundError as error:
        return [f"accuracy and checks need the module {error.name}: pip install {error.name}"]


def settings_of(given: Mapping, out: Path | None = None, tool: tuple[str, ...] = ()):
    """Options by name → the settings of a run. Raises TroveLiteError for what does not fit
    together."""
    from ..candidates import read_description
    from ..methods import METHODS
    from ..models.base import SamplingSettings
    from ..running.settings import RunSettings

    if {"k", "completion_tokens"} <= given.keys():
        raise UsageError("--k and --completion_tokens are both a budget: give one of them")
    begun = read_description(out).get("settings", {}) if out else {}
    known = {"name": begun.get("name", out.resolve().name)} if out else {}  # it may have been moved
    given = known | {"prompts": begun.get("prompts")} | dict(given)
    options = SamplingSettings.__dataclass_fields__
    sampling = {name: given.pop(name) for name in options if name in given}
    choices = {name: given.pop(f"{name}.") for name in METHODS if f"{name}." in given}
    settings = RunSettings(**given, sampling=SamplingSettings(**sampling), choices=choices)
    return replace(settings, choices=_with_tools(settings, tool)) if tool else settings


def _with_tools(settings, sources: tuple[str, ...]) -> dict:
    """A run's choices, with tools made elsewhere for the methods that say how they take them."""
    from ..methods import load_method

    choices = dict(settings.choices)
    for name in settings.methods:
        method = load_method(name)
        if method.elsewhere:
            choices[name] = choices.get(name, {}) | method.elsewhere(
                sources, method, settings.categories
            )
    if choices == settings.choices:
        raise UsageError("--tool: none of the run's methods takes tools made elsewhere")
    return choices
