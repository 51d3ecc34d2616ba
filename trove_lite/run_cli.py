"""`trove-lite run`: options and YAML files → RunSettings. It converts and explains, and decides nothing."""

import argparse
import sys
from dataclasses import fields
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import yaml

from .datasets import DATASETS
from .errors import TroveLiteError
from .methods import METHODS
from .methods.base import Settings
from .methods.trove import PRESETS, TroveSettings
from .models.base import SamplingSettings
from .prompts import PACKS
from .running.live import live_run, read_description
from .running.settings import RunSettings
from .selection import RULES

CHOICES = {f.name: f.default for f in fields(TroveSettings) if f.name not in {g.name for g in fields(Settings)}}
NUMBERS = ("interval", "shown", "shuffle")


def add_run_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of `run`. None means not given: the YAML file's value counts then, or the papers'."""
    d = RunSettings()
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = epilog()
    say = parser.add_argument
    say("--out", type=Path, metavar="RUN", help="run folder to make, or to complete where it was stopped")
    say("--config", type=Path, metavar="FILE.yaml", help="options by name, lists as lists; the command line overrides")
    say("--method", nargs="+", metavar="METHOD", help=f"{', '.join(METHODS)} (default: {', '.join(d.methods)})")
    say("--dataset", help=f"{', '.join(DATASETS)} (default: {d.dataset})")
    say("--category", nargs="+", metavar="CATEGORY", help=f"default: all, {', '.join(d.categories)}")
    say("--seed", nargs="+", type=int, metavar="N", help=f"run seeds (default: {' '.join(map(str, d.seeds))})")
    say("--k", type=int, help=f"calls a problem, over all modes (default: {d.k})")
    say("--budget", metavar="calls=N|completion-tokens=N", help="what a problem may spend: --k, or sampled until met")
    say("--model", metavar="SPEC", help="vllm:NAME, http://HOST:PORT/v1#NAME or practice (the default)")
    say("--preset", help=f"TROVE's choices: {', '.join(PRESETS)} (default: {d.preset})")
    say("--set", action="append", metavar="NAME=VALUE", help="one of TROVE's choices, as listed below")
    say("--selection", help=f"how the method itself selects: {', '.join(RULES)}, random (default: the preset's)")
    say("--prompts", help=f"{', '.join(PACKS)} (default: {d.prompts})")
    say("--parser", help=f"official, strict (default: {d.parser})")
    say("--limit", type=int, metavar="N", help="only the first N problems of each category")
    say("--temperature", type=float, help=f"default: {d.sampling.temperature}")
    say("--top-p", type=float, help=f"default: {d.sampling.top_p}")
    say("--max-tokens", type=int, help=f"new tokens a completion (default: {d.sampling.max_tokens})")
    say("--time-limit", type=float, metavar="S", help=f"CPU seconds a program (default: {d.time_limit:g})")
    say("--memory", type=int, metavar="MIB", help=f"a program (default: {d.memory >> 20})")
    say("--isolation", help="auto, full, seccomp, none (default: auto)")
    say("--name", help="runs are called NAME_seedN in the table (default: the run folder's name)")
    say("--in-flight", type=int, metavar="N", help="requests at the model at a time (default: what it takes)")
    say("--workers", type=int, metavar="N", help="programs run at a time (default: one a core)")
    say("--quiet", action="store_true", default=None, help="no progress bars")


def epilog() -> str:
    rows = []
    for name in CHOICES:
        values = (shown(getattr(preset, name)) for preset in PRESETS.values())
        rows.append(f"  {name:<14}" + "".join(f"{value:<22}" for value in values).rstrip())
    header = f"  {'':<14}" + "".join(f"{name:<22}" for name in PRESETS).rstrip()
    return "TROVE's choices, for --set, and their values in each preset:\n" + "\n".join([header, *rows])


def shown(value: object) -> str:
    if isinstance(value, tuple):
        return ",".join(value) or "none"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


def run_command(args: argparse.Namespace) -> int:
    """Run, or complete, what the options ask for. Raises TroveLiteError with one line for whatever is wrong."""
    given = {name: value for name, value in vars(args).items() if value is not None}
    if "config" in given:
        given = vars_of(given["config"]) | given
    if "out" not in given:
        raise TroveLiteError("no --out: name the run folder to make, such as runs/first")
    out = given["out"]
    settings = settings_of(given)
    was_complete = (out / "candidates.parquet").exists()
    for name in ("in_flight", "workers"):
        if given.get(name, 1) < 1:
            raise TroveLiteError(f"--{name.replace('_', '-')} {given[name]}: give 1 or more")
    live_run(
        settings,
        out,
        in_flight=given.get("in_flight"),
        workers=given.get("workers"),
        progress=not given.get("quiet", False),
    )
    print(f"{out}: was complete already" if was_complete else summary(out))
    return 0


def summary(out: Path) -> str:
    """What came of a run, in a few lines."""
    description = read_description(out)
    lines = [f"{out}: complete; problems whose selected answer is right, by method, category and seed:"]
    lines += [f"  {label}: {100 * accuracy:.1f} %" for label, accuracy in description["accuracy"].items()]
    lines += most_imported(description["toolboxes"])
    for retry, title in ((False, "spent"), (True, "spent on solving again")):
        rows = [row for row in description["budget"] if (row["phase"] == "retry") is retry]
        total = {name: sum(row[name] for row in rows) for name in ("calls", "prompt_tokens", "completion_tokens")}
        if rows:
            lines.append(f"{title}: " + ", ".join(f"{n:,} {name.replace('_', ' ')}" for name, n in total.items()))
    lines.append(f"look closer: trove-lite summary {out}; all tables and figures: trove-lite report {out} --out NAME")
    return "\n".join(lines)


def most_imported(toolboxes: list[dict], top: int = 3) -> list[str]:
    """A line for each stream of TROVE: how large its toolbox is in the end, and its most used functions."""
    lines = []
    for (method, category, seed), stream in groupby(toolboxes, key=itemgetter("method", "category", "seed")):
        tools = list(stream)
        used = ", ".join(f"{tool['name']} (in {tool['imports']} answers)" for tool in tools[:top])
        lines.append(f"toolbox of {method}-{category}-{seed}: {len(tools)} functions, most used {used}")
    return lines


def settings_of(given: dict) -> RunSettings:
    """Options by name → settings. Raises TroveLiteError for what does not fit together."""
    plain = {name: given[name] for name in ("model", "dataset", "k", "selection", "preset", "prompts") if name in given}
    plain |= {name: given[name] for name in ("parser", "limit", "isolation", "time_limit") if name in given}
    for option, name in (("method", "methods"), ("category", "categories"), ("seed", "seeds")):
        if option in given:
            plain[name] = tuple(given[option])
    if plain.get("categories") == ("all",):
        del plain["categories"]
    if "memory" in given:
        plain["memory"] = given["memory"] << 20
    if "budget" in given:
        if "k" in given:
            raise TroveLiteError("--k and --budget both say what a problem may spend: give one of them")
        plain |= budget_of(given["budget"])
    sampling = {name: given[name] for name in ("temperature", "top_p", "max_tokens") if name in given}
    return RunSettings(
        name=given.get("name", given["out"].resolve().name),
        sampling=SamplingSettings(**sampling),
        trove=dict(choice_of(text) for text in given.get("set", ())),
        **plain,
    )


def budget_of(text: str) -> dict:
    """`calls=15` or `completion-tokens=2000` → the setting that says so."""
    name, _, number = text.partition("=")
    names = {"calls": "k", "completion-tokens": "completion_tokens"}
    if name not in names or not number.isascii() or not number.isdigit():
        raise TroveLiteError(f"--budget {text}: write calls=N or completion-tokens=N, such as calls=15")
    return {names[name]: int(number)}


def choice_of(text: str) -> tuple[str, object]:
    """`interval=500` → ("interval", 500), by the type that the choice has."""
    name, equals, value = text.partition("=")
    name = name.replace("-", "_")
    if not equals or name not in CHOICES:
        raise TroveLiteError(f"--set {text}: write NAME=VALUE with one of {', '.join(CHOICES)}")
    default = CHOICES[name]
    if isinstance(default, tuple):
        return name, () if value == "none" else tuple(value.split(","))
    if isinstance(default, bool):
        if value not in ("true", "false"):
            raise TroveLiteError(f"--set {text}: write true or false")
        return name, value == "true"
    if value == "none" and default is None:
        return name, None
    if name in NUMBERS:
        if not value.isascii() or not value.isdigit():
            raise TroveLiteError(f"--set {text}: takes a whole number{' or none' if default is None else ''}")
        return name, int(value)
    return name, value


def vars_of(path: Path) -> dict:
    """The options in a YAML file, held to the same types as those of the command line."""
    try:
        content = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except OSError as error:
        raise TroveLiteError(f"{path}: cannot be read ({error.strerror}); check the path") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise TroveLiteError(f"{path}: not YAML ({' '.join(str(error).split())})") from error
    parser = argparse.ArgumentParser(exit_on_error=False, add_help=False, allow_abbrev=False)
    add_run_arguments(parser)
    known = sorted(option.dest for option in parser._actions if option.dest != "config")
    if not isinstance(content, dict):
        raise TroveLiteError(f"{path}: holds no options by name, such as 'k: 15'")
    words = []
    for key, value in content.items():
        name = str(key).replace("-", "_")
        if name not in known:
            raise TroveLiteError(f"{path}: no option '{key}': choose from {', '.join(known)}")
        words += words_of(name, value)
    try:
        return {name: value for name, value in vars(parser.parse_args(words)).items() if value is not None}
    except argparse.ArgumentError as error:
        raise TroveLiteError(f"{path}: {error}") from error


def words_of(name: str, value: object) -> list[str]:
    """One option of a YAML file as the words that a command line would have."""
    option = f"--{name.replace('_', '-')}"
    if name == "set":
        choices = value.items() if isinstance(value, dict) else [str(text).split("=", 1) for text in value]
        return [word for key, choice in choices for word in (option, f"{key}={yaml_text(choice)}")]
    if name == "quiet":
        return [option] if value is True else []
    return [option, *map(str, value)] if isinstance(value, list) else [f"{option}={value}"]


def yaml_text(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value)) or "none"
    return str(value).lower() if value is None or isinstance(value, bool) else str(value)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="trove-lite run")
    add_run_arguments(parser)
    try:
        sys.exit(run_command(parser.parse_args()))
    except TroveLiteError as error:
        sys.exit(f"error: {error}")
