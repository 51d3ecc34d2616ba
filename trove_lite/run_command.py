"""The command `run`: options become settings, and settings a run. Its options are fields of the settings classes."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from .commands import at_least, new_folder, say, signs_against
from .errors import UsageError
from .options import Parser


@dataclass
class Way:
    """How a run is made, which changes no row of it."""

    out: Path | None = None
    """Run folder to make, or to complete where it was stopped."""
    in_flight: int | None = None
    """Requests at the models at a time. None: as many as they take."""
    workers: int | None = None
    """Programs at a time. None: one a core."""
    quiet: bool = False
    """No progress."""
    dry_run: bool = False
    """Say what would be asked; touch nothing."""
    fail_on_missing: float = 0.05
    """The share of requests without an answer above which a run fails; given again, it asks for them again."""
    reuse: str = ""
    """A finished or published run of the same model: what it was asked, prompt and seed alike, is not asked again."""
    tool: tuple[str, ...] = ()
    """LATM's, of which none is then made: `released` (GPT-4's), a run folder, or files named after their tasks."""


def take_settings(parser: Parser) -> None:
    """Give a parser the options of `run`."""
    from .methods import METHODS, load_method
    from .methods.base import Settings
    from .models.base import SamplingSettings
    from .running.settings import RunSettings, choices_of

    parser.usage = "trove-lite run --out RUN [OPTION …]"
    parser.take_config()
    parser.take(Way)
    parser.take(RunSettings, leave=("sampling", "choices"))
    parser.take(SamplingSettings)
    for name in METHODS:
        settings = type(load_method(name).presets["paper"])
        if choices_of(settings):
            parser.take(settings, name, leave=[f.name for f in fields(Settings)])


def run(**given: object) -> None:
    """Generate and execute: a complete run folder, resumable.

    examples:
      trove-lite run --categories counting --seeds 0 --out runs/first
      trove-lite run --model http://localhost:8000/v1#NAME --methods trove primitive --seeds 0 1 2 --out runs/mine
      trove-lite run --dataset math --model vllm:NAME --preset official --trove.interval 200 --out runs/math
      trove-lite run --config study.yaml --dry_run
    """
    from .recorded.lent import lend
    from .running import account, live

    way = Way(**{f.name: given.pop(f.name) for f in fields(Way) if f.name in given})
    if not way.out and not way.dry_run:
        raise UsageError("no --out: name the run folder to make, such as runs/first")
    settings = settings_of(given, way)
    if way.dry_run:
        print(account.planned_text(account.plan(settings, lend(settings)), settings))
        return
    at_least(1, "in_flight", way.in_flight)
    at_least(1, "workers", way.workers)
    out = new_folder(way.out, force=True)  # a run that is there goes on
    before = _made_at(out)
    how = {name: getattr(way, name) for name in ("in_flight", "workers", "reuse", "fail_on_missing")}
    live.live_run(settings, out, progress=not way.quiet, lent=lend(settings), **how)
    if before and _made_at(out) == before:
        print(f"{out}: was complete already")
    else:
        described = live.read_description(out)
        say(account.came_of(out, described), *_against(out, described), *signs_against([out]))
    print(f"look closer: trove-lite view {out}, trove-lite summary {out}")
    print(f"all tables and figures: trove-lite report {out} --out NAME")


def _made_at(out: Path) -> int:
    """When the run's table was written, in nanoseconds; 0 where there is none."""
    table = out / "candidates.parquet"
    return table.stat().st_mtime_ns if table.exists() else 0


def _against(out: Path, described: dict) -> list[str]:
    from .analysis.summary import against
    from .candidates import load_candidates

    run = list(described["methods"])
    found = {row["method"] for row in described["budget"]}  # as tables call them: an ablation has a name of its own
    names = sorted(found, key=lambda name: next((i for i, own in enumerate(run) if name.startswith(own)), len(run)))
    return against(load_candidates(out), names)


def settings_of(given: dict, way: Way):
    """Options by name → settings. Raises TroveLiteError for what does not fit together."""
    from .methods import METHODS
    from .models.base import SamplingSettings
    from .running.settings import RunSettings

    if {"k", "completion_tokens"} <= given.keys():
        raise UsageError("--k and --completion_tokens both say what a problem may spend: give one of them")
    given = ({"name": way.out.resolve().name} if way.out else {}) | given
    sampling = {f.name: given.pop(f.name) for f in fields(SamplingSettings) if f.name in given}
    choices = {name: given.pop(name) for name in METHODS if name in given}
    if way.tool:
        choices = _with_tools(choices, way.tool, given.get("methods", ()))
    settings = RunSettings(**given, sampling=SamplingSettings(**sampling), choices=choices)
    for name in settings.methods if way.tool else ():
        _refuse_lacking(settings, name)
    return settings


def _refuse_lacking(settings, method: str) -> None:
    """Refuse tools made elsewhere of which a category has none: its tool would be made here, under another's name."""
    from .methods import load_method

    tools = settings.choices.get(method, {}).get("tools", {})
    lacking = [category for category in settings.categories if category not in tools]
    if tools and lacking and load_method(method).examples:
        tasks = dict.fromkeys(name.partition("#")[0] for name in tools)
        raise UsageError(f"--tool: there is none for {lacking[0]}, but for {', '.join(tasks)}; name files after tasks")


def _with_tools(choices: dict, sources: Sequence[str], methods: Sequence[str]) -> dict:
    """The choices of those methods that use tools made elsewhere, with these tools."""
    from .methods import load_method
    from .recorded.made_tools import tool_settings

    known = {name: {field.name for field in fields(load_method(name).presets["paper"])} for name in methods}
    takers = [name for name, settings in known.items() if "tools" in settings]
    if not takers:
        raise UsageError("--tool: none of the run's methods takes tools made elsewhere")
    for name in takers:
        given = {key: value for key, value in tool_settings(sources, name).items() if key in known[name]}
        choices = choices | {name: choices.get(name, {}) | given}
    return choices
