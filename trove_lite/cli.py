"""The command line: `trove-lite COMMAND`. Each command is a few lines around the functions that do the work.

The options of `run` are the fields of the settings classes, with their docstrings as help; so are the keys of its YAML
file. Nothing is imported before a command needs it, so that help and version come at once.
"""

import os
import shlex
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from inspect import cleandoc
from pathlib import Path
from typing import NamedTuple

from .errors import TroveLiteError, UsageError, shown
from .version import __version__


class Command(NamedTuple):
    """A command: what it does, in a line; what adds its options to a parser; its work; examples, as words."""

    about: str
    options: Callable[..., None]
    work: Callable[..., int | None]
    examples: Sequence[str]


COMMANDS: dict[str, Command] = {}
RESUMABLE = ("run", "report", "batch", "reexecute")


def command(about: str, options: Callable[..., None], *examples: str) -> Callable:
    """Enter the decorated function, which gets its options by name, and returns an exit status or None."""

    def enter(work: Callable) -> Callable:
        COMMANDS[work.__name__.removesuffix("_")] = Command(about, options, work, examples)
        return work

    return enter


def main(words: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 1 for what cannot be done, 2 for a wrong command line.

    An expected error is one line on stderr. SIGTERM, which schedulers send, ends a command exactly as Ctrl-C does.
    """
    caught = [signal.SIGINT]

    def end(number: int, _: object) -> None:
        caught[0] = number
        signal.raise_signal(signal.SIGINT)

    before = signal.signal(signal.SIGTERM, end)
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:  # as shells have it behind an &
        signal.signal(signal.SIGINT, signal.default_int_handler)
    words = list(sys.argv[1:] if words is None else words)
    try:
        return _run(words)
    except TroveLiteError as error:
        _say(f"error: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        goes_on = "; what is done is kept: give the same command again to go on"
        print("interrupted" + goes_on * (words[0] in RESUMABLE), file=sys.stderr)
        return 128 + caught[0]
    except BrokenPipeError:  # the reader, `head` say, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    finally:
        signal.signal(signal.SIGTERM, before)


def _say(*texts: str, file=None) -> None:
    """Print what models, programs or servers may have had a part in: a terminal obeys none of it."""
    print(*(shown(text, lines=True) for text in texts), sep="\n", file=file)


def _run(words: list[str]) -> int:
    name = words[0] if words else "--help"
    if name in ("-h", "--help"):
        print(overview())
        return 0
    if name == "--version":
        print(f"trove-lite {__version__}")
        return 0
    if name == "study":
        raise UsageError("the people's study is not a command of this kit: python -m papers.raters export|read")
    if name not in COMMANDS:
        raise UsageError(f"no command '{name}': choose from {', '.join(COMMANDS)}")
    given = parser_of(name).given(words[1:])
    try:
        return COMMANDS[name].work(**given) or 0
    except ModuleNotFoundError as error:
        if error.name not in ("nbformat", "papermill", "nbconvert", "itables"):
            raise
        raise TroveLiteError(
            f"no module {error.name}: reports, grids and pages need pip install -e '.[notebooks]'"
        ) from error


def overview() -> str:
    """What `trove-lite --help` says."""
    commands = "\n".join(f"  {name:<11} {known.about}" for name, known in COMMANDS.items())
    return (
        "usage: trove-lite COMMAND …\n\n"
        "Does making tools help a language model that answers by writing programs?\n\n"
        f"{commands}\n\n"
        "  trove-lite COMMAND --help   its options, with examples\n"
        "  trove-lite --version\n\n"
        "first steps:\n"
        "  trove-lite doctor\n"
        "  trove-lite run --categories counting --seeds 0 --out runs/first"
    )


def parser_of(name: str):
    """The parser of one command, made when it is needed."""
    from .options import Parser, SettingsParser

    about, options, _, examples = COMMANDS[name]
    parser = (SettingsParser if name == "run" else Parser)(
        prog=f"trove-lite {name}",
        description=f"{about[0].upper()}{about[1:]}.",
        epilog="\n".join(["examples:", *(f"  trove-lite {name} {words}".rstrip() for words in examples)]),
    )
    options(parser)
    return parser


def new_folder(out: str, force: bool) -> Path:
    """The run folder to make. Refuses one that holds a run, unless forced, and a place where none can be."""
    folder = Path(out)
    if (folder / "run.json").exists() and not force:
        raise TroveLiteError(f"{folder}: a run is there already; choose another --out, or replace it with --force")
    if folder.exists() and not folder.is_dir():
        raise TroveLiteError(f"{folder}: is a file, and a run is a folder; choose another --out")
    return folder


def at_least(least: int, name: str, value: int | None) -> None:
    """Refuse a number that is too small."""
    if value is not None and value < least:
        raise UsageError(f"--{name} {value}: give {least} or more")


# ---- live runs ----


@dataclass
class Way:
    """How a run is made, which changes no row of it."""

    out: str = ""
    """Run folder to make, or to complete where it was stopped."""
    in_flight: int | None = None
    """Requests at the models at a time. None: as many as they take."""
    workers: int | None = None
    """Programs at a time. None: one a core."""
    quiet: bool = False
    """No progress."""
    dry_run: bool = False
    """Say what would be asked; touch nothing."""
    prefill: float | None = None
    """With --dry_run: prompt tokens a second on one GPU, to count its hours."""
    decode: float | None = None
    """With --dry_run: completion tokens a second on one GPU, its batch full."""
    fail_on_missing: float = 0.05
    """The share of requests without an answer above which a run fails; given again, it asks for them again."""
    reuse: str = ""
    """A finished or published run of the same model: what it was asked, prompt and seed alike, is not asked again."""


@dataclass
class Carried:
    """Tools made elsewhere."""

    tool: tuple[str, ...] = ()
    """LATM's, of which none is then made: `released` (GPT-4's), a run folder, or files named after their tasks."""


def _run_options(parser) -> None:
    from .methods import METHODS, load_method
    from .methods.base import Settings
    from .models.base import SamplingSettings
    from .running.settings import RunSettings, choices_of

    parser.usage = "trove-lite run --out RUN [OPTION …]"
    parser.epilog += f"\n\n{_names()}"
    parser.take(Way)
    parser.take(RunSettings, leave=("sampling", "choices"))
    parser.take(SamplingSettings)
    parser.take(Carried)
    for name in METHODS:
        settings = type(load_method(name).presets["paper"])
        if choices_of(settings):
            parser.take(settings, name, leave=[f.name for f in fields(Settings)])


def _names() -> str:
    """What options of `run` may be set to, for its help."""
    from .datasets import DATASETS
    from .methods import METHODS, load_method
    from .models import load_model
    from .selection import RULES

    differing = []
    for name in METHODS:
        presets = load_method(name).presets
        for preset, settings in presets.items():
            pairs = ((f.name, getattr(settings, f.name), getattr(presets["paper"], f.name)) for f in fields(settings))
            words = (
                f"{field}={','.join(value) if isinstance(value, tuple) else value}"
                for field, value, paper in pairs
                if value != paper
            )
            differing += [f"  {preset}, {name}: {' '.join(words)}"] * (settings != presets["paper"])
    return "\n".join(
        [
            f"methods: {', '.join(METHODS)}, or your own as module:attribute",
            f"data sets: {', '.join(DATASETS)}, or your own FILE.jsonl",
            f"selection: {', '.join(RULES)}, random",
            "presets: paper, and where a released program differs",
            *differing,
            "models:",
            *(f"  {line}" for line in cleandoc(load_model.__doc__).split("\n\n")[1].split("\n")),
        ]
    )


@command(
    "generate and execute: a complete run folder, resumable",
    _run_options,
    "--categories counting --seeds 0 --out runs/first",
    "--model http://localhost:8000/v1#NAME --methods trove primitive --seeds 0 1 2 --out runs/mine",
    "--dataset math --model vllm:NAME --preset official --trove.interval 200 --out runs/math",
    "--config study.yaml --dry_run",
)
def run(**given: object) -> None:
    from .recorded.lent import lend
    from .running import account, live

    way = Way(**{f.name: given.pop(f.name) for f in fields(Way) if f.name in given})
    if not way.out and not way.dry_run:
        raise UsageError("no --out: name the run folder to make, such as runs/first")
    settings = _settings(given, way.out)
    if way.dry_run:
        print(account.planned_text(account.plan(settings, lend(settings)), prefill=way.prefill, decode=way.decode))
        return
    at_least(1, "in_flight", way.in_flight)
    at_least(1, "workers", way.workers)
    out = new_folder(way.out, force=True)  # a run that is there goes on
    before = _made_at(out)
    how = {name: getattr(way, name) for name in ("in_flight", "workers", "reuse", "fail_on_missing")}
    how |= {"progress": not way.quiet, "lent": lend(settings)}
    live.live_run(settings, out, **how)
    if before and _made_at(out) == before:
        print(f"{out}: was complete already")
    else:
        described = live.read_description(out)
        _say(account.came_of(out, described), *_against(out, described), *_signs([out]))
    print(f"look closer: trove-lite view {out}, trove-lite summary {out}")
    print(f"all tables and figures: trove-lite report {out} --out NAME")


def _made_at(out: Path) -> int:
    """When the run's table was written, in nanoseconds; 0 where there is none."""
    table = out / "candidates.parquet"
    return table.stat().st_mtime_ns if table.exists() else 0


def _signs(runs: Sequence[Path]) -> list[str]:
    from .analysis.health import in_words, signs
    from .candidates import load_calls, load_candidates

    return in_words(signs(load_candidates(*runs), load_calls(*runs), runs))


def _against(out: Path, described: dict) -> list[str]:
    from .analysis.summary import against
    from .candidates import load_candidates

    run = list(described["methods"])
    found = {row["method"] for row in described["budget"]}  # as tables call them: an ablation has a name of its own
    names = sorted(found, key=lambda name: next((i for i, own in enumerate(run) if name.startswith(own)), len(run)))
    return against(load_candidates(out), names)


def _settings(given: dict, out: str):
    """Options by name → settings. Raises TroveLiteError for what does not fit together."""
    from .methods import METHODS
    from .models.base import SamplingSettings
    from .running.settings import RunSettings

    if {"k", "completion_tokens"} <= given.keys():
        raise UsageError("--k and --completion_tokens both say what a problem may spend: give one of them")
    given = ({"name": Path(out).resolve().name} if out else {}) | given
    sampling = {f.name: given.pop(f.name) for f in fields(SamplingSettings) if f.name in given}
    choices = {name: given.pop(name) for name in METHODS if name in given}
    if tool := given.pop("tool", ()):
        choices = _with_tools(choices, tool, given.get("methods", ()))
    settings = RunSettings(**given, sampling=SamplingSettings(**sampling), choices=choices)
    for name in settings.methods if tool else ():
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
    from .recorded.made_tools import carried

    known = {name: {field.name for field in fields(load_method(name).presets["paper"])} for name in methods}
    takers = [name for name, settings in known.items() if "tools" in settings]
    if not takers:
        raise UsageError("--tool: none of the run's methods takes tools made elsewhere")
    for name in takers:
        given = {key: value for key, value in carried(sources, name).items() if key in known[name]}
        choices = choices | {name: choices.get(name, {}) | given}
    return choices


# ---- notebooks ----


def _parameters_option(parser, about: str) -> None:
    parser.add_argument(
        "-p", nargs=2, action="append", default=[], metavar=("NAME", "VALUE"), dest="parameters", help=about
    )


def _report_options(parser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folder or outcomes file")
    parser.add_argument("--out", required=True, metavar="NAME", help="writes results/NAME and figures/NAME")
    _parameters_option(parser, "a notebook parameter, of those notebooks that have it")
    parser.add_argument("--title", default="", help="of the index (default: NAME)")
    parser.add_argument("--only", nargs="+", default=[], metavar="NOTEBOOK", help="these notebooks alone (40_latm)")
    parser.add_argument("--notebooks", default="notebooks", metavar="FOLDER", help="(default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=min(4, os.cpu_count() or 1), help="at once (default: %(default)s)")
    parser.add_argument("--force", action="store_true", help="also what is complete and would come out the same")


@command(
    "run all notebooks: tables, figures and an HTML index",
    _report_options,
    "runs/first --out first",
    "runs/mine runs/theirs --out both -p k 6 -p seed 1",
)
def report(runs, out, parameters, notebooks, jobs, **how) -> int:
    from .notebooks import report

    at_least(1, "jobs", jobs)
    given = _once(parameters)
    failed = report(runs, out, notebooks=Path(notebooks), parameters=given, jobs=jobs, root=Path.cwd(), **how)
    print(f"read results/{out}/index.html; tables in results/{out}, figures in figures/{out}")
    return min(failed, 1)


def _batch_options(parser) -> None:
    parser.add_argument("notebook", metavar="NOTEBOOK", help="a notebook with a cell tagged `parameters`")
    _parameters_option(parser, "a parameter of every cell of the grid")
    parser.add_argument(
        "--grid",
        action="append",
        default=[],
        metavar="NAME=VALUES",
        help="an axis of the grid: seed=0..4, or category=counting,algebra",
    )
    parser.add_argument("--out", required=True, metavar="FOLDER", help="gets a folder a cell, and manifest.csv")
    parser.add_argument("--jobs", type=int, default=2, help="notebooks at a time (default: %(default)s)")
    parser.add_argument("--force", action="store_true", help="also cells that are complete and would come out the same")


@command(
    "a notebook over a grid of parameters, resumable",
    _batch_options,
    "notebooks/00_run.ipynb -p category counting --grid seed=0..4 --out runs/grid",
)
def batch(notebook, parameters, grid, out, jobs, force) -> int:
    from .notebooks import parse_grid, run_grid

    at_least(1, "jobs", jobs)
    outcomes = run_grid(Path(notebook), _once(parameters), parse_grid(grid), Path(out), jobs=jobs, force=force)
    failed = {name: outcome for name, outcome in outcomes.items() if outcome.error}
    print(f"{len(outcomes) - len(failed)} of {len(outcomes)} complete; manifest in {Path(out) / 'manifest.csv'}")
    for name, outcome in failed.items():
        _say(f"error: {name}: {outcome.error.splitlines()[0]}", file=sys.stderr)
    return int(bool(failed))


def _once(parameters: Sequence[Sequence[str]]) -> dict[str, str]:
    names = [name for name, _ in parameters]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"-p {repeated[0]}: given twice")
    return dict(parameters)


# ---- runs that are there ----


def _summary_options(parser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folder or outcomes file")
    parser.add_argument("--json", action="store_true", help="as JSON")


@command(
    "counts, oracle, modes, toolboxes and independence of runs",
    _summary_options,
    "runs/first",
    "results/codellama-7b-instruct/outcomes.parquet --json",
)
def summary(runs, json) -> int:
    from json import dumps

    from .analysis.summary import as_text, summarise
    from .analysis.toolboxes import final_toolboxes
    from .candidates import load_candidates

    toolboxes = final_toolboxes(runs)
    found = summarise(load_candidates(*runs)) | {"toolboxes": toolboxes.to_dict("records")}
    found["signs"] = _signs(runs) if found["runs"] else []
    _say(dumps(found, indent=2) if json else as_text(found))
    return int(not found["runs"])


def _view_options(parser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folder, outcomes file, or folder that holds one")
    parser.add_argument("--out", metavar="FILE.html", help="page to make (default: view.html beside the first run)")
    parser.add_argument("--quiet", action="store_true", help="no progress")


@command(
    "one page to read runs on: each problem, its candidates, votes and verdicts",
    _view_options,
    "runs/first",
    "runs/mine runs/theirs --out both.html",
    "results/codellama-7b-instruct",
)
def view(runs, out, quiet) -> None:
    from .view import write_page

    page = write_page(runs, out, progress=not quiet)
    print(
        f"{page.path}: {page.problems:,} problems, {page.candidates:,} candidates, {page.bytes / 1e6:.1f} MB; open it "
        "in a browser"
    )


def _outcomes_options(parser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folder or outcomes file")
    parser.add_argument("--out", required=True, metavar="FILE.parquet", help="file to make")


@command(
    "the numbers of runs without their text, as one parquet file",
    _outcomes_options,
    "runs/first --out first.parquet",
)
def outcomes(runs, out) -> None:
    from .analysis.toolboxes import TOOLBOXES, toolboxes
    from .candidates import load_candidates, outcomes, save_table
    from .journal import on_disk, write_atomically

    path = Path(out)
    if path.is_dir():
        raise TroveLiteError(f"{path}: is a folder; name a file, such as {path / 'outcomes.parquet'}")
    table = outcomes(load_candidates(*runs))
    with on_disk(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        save_table(table, path)
        if len(tools := toolboxes(runs)):
            write_atomically(path.with_name(TOOLBOXES), lambda part: tools.to_csv(part, index=False))
    print(f"{len(table)} outcomes in {path}{f', with {TOOLBOXES} beside it' * (len(tools) > 0)}")


def _import_options(parser) -> None:
    parser.add_argument(
        "logs", nargs="+", metavar="LOG", help="a log (.md) or a result file (.json) of the official program"
    )
    parser.add_argument("--out", required=True, metavar="RUN", help="run folder to make")
    parser.add_argument(
        "--partial", action="store_true", help="also logs that break off, up to their last whole problem"
    )
    parser.add_argument("--force", action="store_true", help="replace a run folder that is there")


@command(
    "turn logs and result files in the official format into a run folder",
    _import_options,
    "LOG.md … RESULT.json … --out runs/theirs",
)
def import_(logs, out, partial, force) -> None:
    from .candidates import save_run
    from .datasets.files import sha256_of
    from .recorded.official_files import as_table
    from .recorded.official_logs import import_logs, known_problems
    from .recorded.official_toolboxes import kept_tools

    folder, paths = new_folder(out, force), list(map(Path, logs))
    table, reports = import_logs(paths, known_problems(), partial=partial)
    about = {
        "kind": "import",
        "provenance": "recorded",
        "model": sorted(table["model"].unique()),
        "command": shlex.join(["trove-lite", "import", *logs, "--out", out, *["--partial"] * partial]),
        "logs": [vars(report) | {"sha256": sha256_of(path)} for report, path in zip(reports, paths, strict=True)],
    }
    streams = table[["run", "category", "method"]].drop_duplicates().itertuples(index=False)
    method = {(stream.run, stream.category): stream.method for stream in streams}
    save_run(folder, table, about | {"toolboxes": kept_tools(reports, method)})
    as_table(reports).to_csv(folder / "recorded.csv", index=False, lineterminator="\n")
    for report in reports:
        _say(str(report), *(f"  {disagreement}" for disagreement in report.disagreements))
    print(f"{len(table)} candidates in {folder}")


def _reexecute_options(parser) -> None:
    parser.add_argument("runs", nargs="+", metavar="RUN", help="run folder with text")
    parser.add_argument("--out", required=True, metavar="RUN2", help="run folder to make")
    parser.add_argument(
        "--time_limit", type=float, default=30.0, metavar="S", help="CPU seconds (default: %(default)g)"
    )
    parser.add_argument(
        "--known_timeouts",
        type=float,
        metavar="S",
        help="CPU seconds where the record timed out (default: the time limit)",
    )
    parser.add_argument("--memory", type=int, default=1024, metavar="MIB", help="a program (default: %(default)s)")
    parser.add_argument(
        "--isolation", default="auto", choices=("auto", "full", "seccomp", "none"), help="(default: %(default)s)"
    )
    parser.add_argument("--workers", type=int, metavar="N", help="programs at a time (default: one a core)")
    parser.add_argument(
        "--isolated", action="store_true", help="a replay: tools are definitions, each in a module of its own"
    )
    parser.add_argument("--force", action="store_true", help="replace a run folder that is there")


@command(
    "run a recorded run's programs again, here, in the sandbox; resumable",
    _reexecute_options,
    "runs/theirs --out runs/again",
)
def reexecute(runs, out, time_limit, known_timeouts, memory, isolation, workers, isolated, force) -> None:
    from .journal import on_disk
    from .recorded.reexecute import reexecute_runs

    at_least(1, "workers", workers)
    folder = new_folder(out, force)
    limits = {"time_limit": time_limit, "memory": memory << 20, "isolation": isolation, "workers": workers}
    limits |= {"known_timeouts": known_timeouts or time_limit, "isolated": isolated}
    new, agreement = reexecute_runs(runs, folder, **limits)
    with on_disk(folder):
        agreement.shares.to_csv(folder / "agreement.csv", index=False, lineterminator="\n", float_format="%.6g")
        agreement.disagreements.to_csv(folder / "disagreements.csv", index=False, lineterminator="\n")
    _say(f"{agreement}\n{folder}: {len(new)} candidates, with agreement.csv, disagreements.csv")


# ---- what is at hand ----


def _fetch_options(parser) -> None:
    parser.add_argument(
        "groups",
        nargs="+",
        metavar="GROUP",
        help="math, tabmwp, wtq, hitab, bbh, creation_challenge, tool_transfer (problems), prompts (official ones), "
        "latm (released tools), logs (runs)",
    )


@command("download public files, checked by their content", _fetch_options, "math prompts")
def fetch(groups) -> None:
    from .datasets.files import data_folder, fetch, not_here

    for group in groups:
        paths = fetch(group)
        print(f"{group}: {len(paths)} files in {data_folder()}, checksums right")
        if missing := not_here(group):
            print(f"{group}: {len(missing)} more are listed by their repository, and could not be had:")
            print(*(f"  {file.url}" for file in missing), sep="\n")


def _doctor_options(parser) -> None:
    parser.add_argument("--model", default="", metavar="SPEC", help="a model to ask, named as for `trove-lite run`")


@command(
    "what is usable here: isolation, data, engine, GPU, server",
    _doctor_options,
    "",
    "--model http://localhost:8000/v1#NAME",
)
def doctor(model) -> int:
    from .doctor import as_text, examine

    lines = examine(model)
    _say(as_text(lines))
    return int(bool(model) and not lines[-1].usable)


def _completion_options(parser) -> None:
    parser.add_argument("shell", choices=("bash", "zsh", "tcsh"), help="whose completion to print")


@command(
    "print a script that completes commands and options in your shell",
    _completion_options,
    "bash > ~/.local/share/bash-completion/completions/trove-lite",
    "zsh > ~/.zfunc/_trove-lite",
)
def completion(shell) -> None:
    from .options import completion_of

    print(completion_of({name: parser_of(name) for name in COMMANDS}, _choosable(), shell))


def _choosable() -> dict[str, Sequence[str]]:
    """What may stand at an option that takes names, by option."""
    from .datasets import DATASETS
    from .datasets.files import public_files
    from .methods import METHODS, load_method
    from .parse import PARSERS
    from .prompts import PACKS
    from .selection import RULES

    presets = {preset for name in METHODS for preset in load_method(name).presets}
    return {
        "methods": METHODS,
        "dataset": DATASETS,
        "prompts": PACKS,
        "preset": sorted(presets),
        "parser": PARSERS,
        "selection": (*RULES, "random"),
        "groups": sorted({file.group for file in public_files()}),
    }
