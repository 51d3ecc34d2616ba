"""Options from signatures: words of a shell, or a YAML file → values by name.

A parameter of a command's function, or a field of a settings class, is an option of that name: its annotation says what
may stand there, and its docstring what it means. argparse reads the words. It decides nothing about a run.
"""

import argparse
import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import NoneType
from typing import Literal, NoReturn, get_args, get_origin, get_type_hints

from .errors import UsageError

#: What may stand at an option, in words.
KINDS = {int: "a whole number", float: "a number", bool: "true or false"}
NULL = "null"  # as YAML has it: nothing
TRUTH = {"true": True, "false": False}


class Parser(argparse.ArgumentParser):
    """The parser of one command. It knows the options alone that it takes, and gives those alone that are given."""

    def __init__(self, prog: str, about: str, examples: str):
        how = {"allow_abbrev": False, "argument_default": argparse.SUPPRESS}
        form = argparse.RawDescriptionHelpFormatter
        super().__init__(prog, description=about, epilog=examples, formatter_class=form, **how)
        self.kinds: dict[str, object] = {}

    def error(self, message: str) -> NoReturn:
        """A complaint is one line, and an exception."""
        raise UsageError(f"{message}; see {self.prog} --help")

    def take_config(self) -> None:
        """Take `--config`, a YAML file that may say what the command line does not."""
        about = "options by name in a YAML file; the command line overrides"
        self.add_argument("--config", type=Path, metavar="FILE.yaml", help=about)

    def take(self, maker: Callable, prefix: str = "", leave: Iterable[str] = ()) -> None:
        """Make options of a function's parameters, or of a settings class's fields, but for those to `leave`.

        A function's parameters before the `*` are words without a name.
        """
        title = first_line(maker).rstrip(".")
        group = self.add_argument_group(f"{prefix}: {title}" if prefix else title) if is_class(maker) else self
        hints, about = get_type_hints(maker), meanings(maker)
        for name, parameter in inspect.signature(maker).parameters.items():
            if name not in leave:
                self._add(group, maker, f"{prefix}.{name}".lstrip("."), parameter, hints[name], about.get(name, ""))

    def _add(self, group, maker: Callable, name: str, parameter: inspect.Parameter, kind: object, about: str) -> None:
        kind, nullable = without_null(kind)
        self.kinds[name] = kind
        how = reading(kind, nullable)
        loose = not is_class(maker) and parameter.kind is not parameter.KEYWORD_ONLY
        if kind is bool and not is_class(maker):  # a switch, which words without a name may follow
            how = {"action": "store_true"}
        elif get_origin(kind) is dict and len(name) == 1:  # -p NAME VALUE
            how = {"action": "append", "nargs": 2, "metavar": ("NAME", "VALUE")}
        elif loose and "nargs" in how and parameter.default is parameter.empty:
            how["nargs"] = "+"
        if loose and "choices" not in how:
            how["metavar"] = name.removesuffix("s").upper()
        elif parameter.default is parameter.empty and not loose:
            how["required"] = True
        how["help"] = f"{about}{default_in_words(parameter.default)}".replace("%", "%%")
        group.add_argument(*([name] if loose else flags(name, kind)), **how)

    def given(self, words: Sequence[str]) -> dict[str, object]:
        """The options that the words or the YAML file give, by name, those with a prefix in a mapping of that name.

        Raises UsageError for what is none, or of a wrong type.
        """
        found = self._read(words)
        if config := found.pop("config", None):
            found = self._read(words_of(config)) | found
        nested: dict = {}
        for name, value in found.items():
            prefix, dot, rest = name.rpartition(".")
            (nested.setdefault(prefix, {}) if dot else nested)[rest] = value
        return nested

    def _read(self, words: Iterable[str]) -> dict[str, object]:
        found = vars(self.parse_intermixed_args(list(self._spelt(words))))
        for name, value in found.items():
            kind = self.kinds.get(name)
            if get_origin(kind) is dict:
                keys = [key for key, _ in value]
                if repeated := [key for key in keys if keys.count(key) > 1]:
                    self.error(f"{flags(name, kind)[0]} {repeated[0]}: given twice")
                found[name] = dict(value)
            elif isinstance(value, list):
                found[name] = None if value == [None] else tuple(value)
        return found

    def _spelt(self, words: Iterable[str]) -> Iterator[str]:
        """Words as argparse knows them: `--top-p 1` is `--top_p 1`, and `--roles.maker X` is `--roles maker=X`."""
        known, rest = self._option_string_actions, iter(words)
        for word in rest:
            if not word.startswith("--"):
                yield word
                continue
            name, equals, value = word.partition("=")
            name = f"--{name[2:].replace('-', '_')}"
            stem, _, key = name.partition(".")
            if name in known:
                yield name + equals + value
            elif get_origin(self.kinds.get(stem[2:])) is dict:
                yield from (stem, f"{key}={value if equals else next(rest, '')}")
            else:
                near = get_close_matches(name, known, n=1)
                self.error(f"no option {name}" + (f": is it {near[0]}?" if near else ""))


def is_class(maker: Callable) -> bool:
    """Whether it is a settings class, and no function."""
    return isinstance(maker, type)


def first_line(maker: object) -> str:
    """The first line of a docstring."""
    return (inspect.getdoc(maker) or "").partition("\n")[0]


@cache
def meanings(maker: Callable) -> dict[str, str]:
    """What stands below each field of a settings class, or in a docstring's lines `name: meaning`."""
    if not is_class(maker):
        lines = re.findall(r"^(\w+): (.*(?:\n +\S.*)*)", inspect.getdoc(maker), re.MULTILINE)
        return {name: " ".join(meaning.split()) for name, meaning in lines}
    found = {}
    for one in reversed(maker.__mro__[:-1]):
        (body,) = ast.parse(inspect.getsource(one)).body
        for field, below in pairwise(body.body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(below, ast.Expr)
                and isinstance(below.value, ast.Constant)
            ):
                found[field.target.id] = " ".join(below.value.value.split())
    return found


def flags(name: str, kind: object) -> list[str]:
    """How an option is written; of names with values each may be given alone, under the singular."""
    if get_origin(kind) is not dict:
        return [f"--{name}"]
    return [f"-{name}"] if len(name) == 1 else [f"--{name}", *[f"--{name[:-1]}"] * name.endswith("s")]


def without_null(kind: object) -> tuple[object, bool]:
    """A type without None, and whether that was in it."""
    inner = [one for one in get_args(kind) if one is not NoneType]
    return (inner[0], True) if NoneType in get_args(kind) else (kind, False)


def reading(kind: object, nullable: bool) -> dict[str, object]:
    """How argparse is to read an option of this type."""
    inner = get_args(kind)
    if get_origin(kind) is Literal:
        return {"choices": inner}
    if get_origin(kind) is dict:
        return {"nargs": "+", "action": "extend", "type": pair, "metavar": "NAME=VALUE"}
    if get_origin(kind) is tuple:
        return {"nargs": "*", "type": reader(inner[0], nullable)}
    return {"type": reader(kind, nullable)} | ({"nargs": "?", "const": True} if kind is bool else {})


def reader(kind: type, nullable: bool) -> Callable[[str], object]:
    """What makes a value of a word."""

    def read(word: str) -> object:
        if nullable and word == NULL:
            return None
        try:
            return TRUTH[word.lower()] if kind is bool else kind(word)
        except (ValueError, KeyError):
            raise argparse.ArgumentTypeError(f"give {KINDS[kind]}, not '{word}'") from None

    return read


def pair(word: str) -> tuple[str, str]:
    """A name with its value."""
    name, _, value = word.partition("=")
    if not name or not value:
        raise argparse.ArgumentTypeError(f"write NAME=VALUE, not '{word}'")
    return name, value


def default_in_words(default: object) -> str:
    """A default as it would be typed; "" where there is none to tell."""
    if default in (None, "", (), False, inspect.Parameter.empty) or type(default).__module__ == "dataclasses":
        return ""
    return f" (default: {' '.join(map(str, default)) if isinstance(default, tuple) else default})"


def words_of(path: Path) -> Iterator[str]:
    """A YAML file of options by name → the words that say the same. Raises UsageError for any other file."""
    import yaml

    try:
        told = yaml.safe_load(path.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise UsageError(f"--config {path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from error
    except OSError as error:
        raise UsageError(f"--config {path}: cannot be read ({error.strerror}); check the path") from error
    except yaml.YAMLError as error:
        raise UsageError(f"--config {path}: not YAML ({' '.join(str(error).split())})") from error
    if not isinstance(told, dict):
        raise UsageError(f"--config {path}: holds no options by name, such as `k: 15`")
    for name, value in told.items():
        yield from _as_words(str(name), value)


def _as_words(name: str, value: object) -> Iterator[str]:
    def text(one: object) -> str:
        return NULL if one is None else str(one).lower() if isinstance(one, bool) else str(one)

    if isinstance(value, dict):
        for key, one in value.items():
            yield from _as_words(f"{name}.{key}", one)
    elif isinstance(value, list):
        yield from (f"--{name}", *map(text, value))
    else:
        yield f"--{name}={text(value)}"


def completion_of(parsers: Mapping[str, Parser], names: Mapping[str, Iterable[str]], shell: str) -> str:
    """A script that completes these commands in a shell, from the parser of each, which is of no use afterwards.

    What may stand at an option is a path, one of the choices of its type, or one of these `names` by option.
    """
    import shtab

    whole = argparse.ArgumentParser(prog="trove-lite")
    commands = whole.add_subparsers()
    for name, parser in parsers.items():
        for action in parser._actions:
            kind = parser.kinds.get(action.dest)
            if Path in (kind, *get_args(kind)) or action.dest == "config":
                action.complete = shtab.FILE
            elif kind is bool:  # as a switch
                action.nargs = 0
            elif action.dest in names:
                action.choices = tuple(names[action.dest])
            if action.nargs == "*":
                action.nargs = "+"
        about = {"help": parser.description, "parents": [parser], "add_help": False, "conflict_handler": "resolve"}
        commands.add_parser(name, **about)
    script = shtab.complete(whole, shell)
    if shell == "zsh":  # where shtab's word for several arguments means one, and a list is one value and loose words
        script = script.replace('"(*):', '"*:').replace("_run_options=(\n", '_run_options=(\n  "*:words:( )"\n')
    return script
