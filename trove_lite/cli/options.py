"""Options from signatures: words of a shell, or a YAML file → values by name.

A parameter of a command's function, or a field of a settings class, is an option of that name: its
annotation says what it may be, and its docstring what it means. argparse reads the words.
"""

import argparse
import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import NoneType
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from ..errors import UsageError, encodable
from ..shapes import once

#: What an option may be, in words.
KINDS = {int: "a whole number", float: "a number", bool: "true or false"}
NULL = "null"  # as YAML has it: nothing
NEAR = 0.7  # how like an option must be to be meant: `--prices` is not `--force`
AGAIN = ("--force", "--overwrite", "--resume", "--continue", "--restart", "--clobber")
TRUTH = {"true": True, "false": False}
#: What an option means in every command that has it and says nothing else.
COMMON = {
    "runs": "run folders or outcomes files",
    "quiet": "show no progress",
    "dry_run": "print what would be asked, and do nothing",
    "in_flight": "requests at a time. Default: as many as the model takes",
    "guess": "how many of the next problems to ask ahead, with today's toolbox. Faster; a reply is "
    "dropped if the toolbox changes",
    "workers": "programs at a time. Default: one for each core",
    "jobs": "notebooks at a time",
    "force": "replace an existing run folder",
    "time_limit": "CPU seconds for each program",
    "memory": "memory of a program in MiB",
    "isolation": "how programs are confined, as in `trove-lite run`",
    "vision": "what looks at images, if there are some, as in `trove-lite run`",
    "max_cost": "the most that all may cost. It stops before; the same command with a larger number goes on",
    "prices": "a TOML or JSON file: `input` and `output` for a million tokens, by model or pattern",
}


class Parser(argparse.ArgumentParser):
    """The parser of one command. It knows the options alone that it takes, and gives those alone
    that are given."""

    def __init__(self, prog: str, about: str, examples: str):
        super().__init__(
            prog,
            description=about,
            epilog=examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            argument_default=argparse.SUPPRESS,
            allow_abbrev=False,
        )
        self._negative_number_matcher = re.compile(r"-\.?\d")  # -1e-1 too is a value
        self.kinds: dict[str, object] = {}

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see {self.prog} --help")

    def take(self, maker: Callable, prefix: str = "", leave: Iterable[str] = ()) -> None:
        """Make options of a function's parameters, or of a settings class's fields, but for those
        to `leave`.

        A function's parameters before the `*` are words without a name.
        """
        title = inspect.getdoc(maker).partition("\n")[0].rstrip(".")
        is_class = isinstance(maker, type)
        hints = get_type_hints(maker)
        about = COMMON | meanings(maker)
        group = (
            self.add_argument_group(f"{prefix}: {title}" if prefix else title) if is_class else self
        )
        parameters = [
            p for p in inspect.signature(maker).parameters.values() if p.kind is not p.VAR_KEYWORD
        ]
        loose = {p.name for p in parameters if p.kind is not p.KEYWORD_ONLY and not is_class}
        for parameter in (p for p in parameters if p.name not in leave):
            name = f"{prefix}.{parameter.name}".lstrip(".")
            default = parameter.default
            kind = hints[parameter.name]
            if nullable := NoneType in get_args(kind):
                kind = next(one for one in get_args(kind) if one is not NoneType)
            self.kinds[name] = kind
            how = {"action": "store_true"} if kind is bool and loose else reading(kind, nullable)
            if parameter.name in loose:
                if get_origin(kind) is tuple and default is parameter.empty:
                    how["nargs"] = "+"
                elif default is None:
                    how |= {"nargs": "?", "default": None}
                if get_origin(kind) is not Literal:
                    how["metavar"] = name.removesuffix("s").upper()
            elif default is parameter.empty:
                how["required"] = True
            elif default not in (None, "", (), False) and type(default).__module__ != "dataclasses":
                default = " ".join(map(str, default)) if isinstance(default, tuple) else default
                about[parameter.name] = f"{about.get(parameter.name, '')} (default: {default})"
            how["help"] = about.get(parameter.name, "").replace("%", "%%")
            flags = [f"--{name}"]
            if get_origin(kind) is dict and name.endswith("s"):
                flags.append(f"--{name[:-1]}")  # each may be given alone, under the singular
            elif get_origin(kind) is dict and len(name) == 1:
                flags = [f"-{name}"]
                how = {
                    "action": "append",
                    "nargs": 2,
                    "metavar": ("NAME", "VALUE"),
                    "help": how["help"],
                }
            group.add_argument(*([name] if parameter.name in loose else flags), **how)

    def given(self, words: Sequence[str]) -> dict[str, object]:
        """The options that the words or the file of `--config` give: `trove.interval` is in the
        mapping `trove.`."""
        found = self._read(words)
        if config := found.pop("config", None):
            try:
                found = self._read([*self._words_of(config)]) | found
            except UsageError as error:
                raise UsageError(f"--config {config}: {error}") from None
        nested: dict = {}
        for name, value in found.items():
            prefix, dot, rest = name.rpartition(".")
            (nested.setdefault(prefix + dot, {}) if dot else nested)[rest] = value
        return nested

    def _read(self, words: Iterable[str]) -> dict[str, object]:
        found = vars(self.parse_intermixed_args([self._spelt(word) for word in words]))
        for name, value in found.items():
            if get_origin(self.kinds.get(name)) is dict:
                keys = [key for key, _ in value]
                if repeated := [key for key in keys if keys.count(key) > 1]:
                    self.error(
                        f"{'-' if len(name) == 1 else '--'}{name} {repeated[0]}: given twice"
                    )
                found[name] = dict(value)
            elif isinstance(value, list):
                found[name] = None if value == [None] else tuple(value)
        return found

    def _spelt(self, word: str) -> str:
        """A word as argparse knows it: `--top-p=1` is `--top_p=1`. Raises UsageError for an option
        that is none, and for what neither a path nor a file can hold."""
        if "\0" in word or word != encodable(word):
            self.error(f"'{word}': holds what is no UTF-8 text; rename it")
        name, equals, value = word.partition("=")
        if not word.startswith("--"):
            return word
        name = f"--{name[2:].replace('-', '_')}"
        if name not in self._option_string_actions:
            near = get_close_matches(name, self._option_string_actions, n=1, cutoff=NEAR)
            hint = f": is it {near[0]}?" if near else ""
            if name in AGAIN and self.prog.endswith(" run"):
                hint = ": the same command goes on with a run; to begin anew give another --out"
            self.error(f"no option {name}{hint}")
        return name + equals + value

    def _words_of(self, path: Path) -> Iterator[str]:
        """A YAML file of options by name → the words that say the same. Raises UsageError for any
        other file."""
        import yaml

        try:
            told = yaml.load(path.read_text(encoding="utf-8"), once_loader())
        except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
            raise UsageError(f"cannot be read as YAML ({' '.join(str(error).split())})") from error
        if not isinstance(told, dict):
            raise UsageError("holds no options by name, such as `k: 15`")
        return self._as_words("", told)

    def _as_words(self, name: str, value: object) -> Iterator[str]:
        def text(one: object) -> str:
            return NULL if one is None else str(one).lower() if isinstance(one, bool) else str(one)

        if isinstance(value, dict) and get_origin(self.kinds.get(name)) is dict:
            yield from (f"--{name}", *(f"{key}={one}" for key, one in value.items()))
        elif isinstance(value, dict):
            for key, one in value.items():
                yield from self._as_words(f"{name}.{key}".lstrip("."), one)
        elif isinstance(value, list):
            yield from (f"--{name}", *map(text, value))
        else:
            yield f"--{name}={text(value)}"


@cache
def once_loader() -> type:
    """YAML's safe loader, which refuses a name that is there twice: by itself it takes the last."""
    import yaml

    class Loader(yaml.SafeLoader):
        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict:
            once([(name.value, None) for name, _ in node.value if name.value != "<<"])
            return super().construct_mapping(node, deep)

    return Loader


@cache  # sources are slow to read
def meanings(maker: Callable) -> dict[str, str]:
    """The text below each field of a settings class, or in a docstring's lines `name:
    meaning`."""
    if not isinstance(maker, type):
        lines = re.findall(r"^(\w+): (.*(?:\n +\S.*)*)", inspect.getdoc(maker), re.MULTILINE)
        return {name: " ".join(meaning.split()) for name, meaning in lines}
    found = {}
    for one in reversed(maker.__mro__[:-1]):
        for field, below in pairwise(ast.parse(inspect.getsource(one)).body[0].body):
            match field, below:
                case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(meaning))):
                    found[name] = " ".join(meaning.split())
    return found


def reading(kind: Any, nullable: bool) -> dict[str, object]:
    def value(word: str) -> object:
        of = get_args(kind)[0] if get_origin(kind) is tuple else kind
        if nullable and word == NULL:
            return None
        try:
            return TRUTH[word.lower()] if of is bool else of(word)
        except (ValueError, KeyError):
            raise argparse.ArgumentTypeError(f"give {KINDS[of]}, not '{word}'") from None

    def pair(word: str) -> tuple[str, str]:
        name, _, text = word.partition("=")
        if not name or not text:
            raise argparse.ArgumentTypeError(f"write NAME=VALUE, not '{word}'")
        return name, text

    if get_origin(kind) is Literal:
        return {"choices": get_args(kind)}
    if get_origin(kind) is dict:
        return {"nargs": "+", "action": "extend", "type": pair, "metavar": "NAME=VALUE"}
    many = (
        {"nargs": "*"}
        if get_origin(kind) is tuple
        else {"nargs": "?", "const": True}
        if kind is bool
        else {}
    )
    return {"type": value} | many
