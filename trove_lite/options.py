"""Options from settings classes: words of a shell or a YAML file → values by name.

A field is an option, a YAML key and a notebook's argument under one name, and its docstring is its help; jsonargparse
reads the classes and checks types. Here is only what shells are used to: lists as words, switches, dashes in names, and
a complaint in one line. It decides nothing about a run.
"""

import argparse
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Literal, NoReturn, get_args, get_origin, get_type_hints

import jsonargparse

from .errors import UsageError

jsonargparse.set_parsing_settings(docstring_parse_attribute_docstrings=True)


class OneLine:
    """A parser's complaint is one line, and an exception."""

    def error(self, message: str, _: Exception | None = None) -> NoReturn:
        raise UsageError(f"{plainly(message)}; see {self.prog} --help")


class Parser(OneLine, argparse.ArgumentParser):
    """The parser of a command with a few options of its own."""

    def __init__(self, **given):
        super().__init__(formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False, **given)

    def given(self, words: Sequence[str]) -> dict:
        """Every option by name. Raises UsageError for words that are none."""
        return vars(self.parse_args(spelt(words, {})))


class Help(argparse.RawDescriptionHelpFormatter, jsonargparse.DefaultHelpFormatter):
    """Descriptions as they are written; a default as it would be typed, where its option's help does not say."""

    def _get_help_string(self, action: argparse.Action) -> str:
        default = action.default
        if isinstance(default, tuple):
            default = " ".join(map(str, default))
        if default in (None, "", argparse.SUPPRESS) or isinstance(default, dict) or not action.option_strings:
            return action.help or ""
        return f"{action.help or ''} (default: {str(default).replace('%', '%%')})"

    def _format_args(self, action: argparse.Action, default_metavar: str) -> str:
        return super()._format_args(action, default_metavar).replace("[ITEM,...]", f"{default_metavar} …")


class SettingsParser(OneLine, jsonargparse.ArgumentParser):
    """The parser of a command whose options are fields of settings classes, which it takes one after another."""

    def __init__(self, **given):
        super().__init__(formatter_class=Help, allow_abbrev=False, print_config=None, **given)
        self.kinds: dict[str, object] = {}
        self.add_argument(
            "--config", action="config", help="options by name in a YAML file; the command line overrides"
        )

    def take(self, settings: type, prefix: str = "", leave: Iterable[str] = ()) -> None:
        """Make options of a settings class's fields, but for those to `leave`."""
        about = settings.__doc__.split("\n")[0].rstrip(".")
        group = self.add_argument_group(f"{prefix}: {about}" if prefix else about)
        group.add_class_arguments(settings, prefix or None, as_group=False, skip=set(leave))
        self.kinds |= {f"{prefix}.{name}".lstrip("."): kind for name, kind in get_type_hints(settings).items()}

    def given(self, words: Sequence[str]) -> dict:
        """Those options that the words or the YAML file name. Raises UsageError for what is none or of a wrong type."""
        for option in (word[2:].split("=")[0].replace("-", "_") for word in words if word.startswith("--")):
            names = {option, option.split(".")[0], _whole(option, self.kinds)}
            if names.isdisjoint((*self.kinds, "help", "config")):
                near = get_close_matches(option, self.kinds, n=1)
                self.error(f"no option --{option}" + (f": is it --{near[0]}?" if near else ""))
        try:
            found = self.parse_args(spelt(words, self.kinds), defaults=False).as_dict()
        except UnicodeDecodeError as error:
            self.error(f"--config: not UTF-8 text (byte {error.start}); save it as UTF-8")
        found.pop("config", None)
        return found


#: What help calls a value that is a path.
PATHS = ("RUN", "RUN2", "LOG", "NOTEBOOK", "FOLDER", "FILE.html", "FILE.parquet")


def completion_of(
    parsers: Mapping[str, argparse.ArgumentParser], names: Mapping[str, Iterable[str]], shell: str
) -> str:
    """A script that completes these commands in a shell, from the parser of each, which is of no use afterwards.

    What may stand at an option is a path, one of the choices of its type, or one of these `names` by option.
    """
    import shtab

    whole = argparse.ArgumentParser(prog="trove-lite")
    commands = whole.add_subparsers()
    for name, parser in parsers.items():
        _note_completions(parser, names)
        about = parser.description
        commands.add_parser(name, help=about, parents=[parser], add_help=False, conflict_handler="resolve")
    script = shtab.complete(whole, shell)
    if shell == "zsh":  # where shtab's word for several arguments means one, and a list is one value and loose words
        script = script.replace('"(*):', '"*:').replace("_run_options=(\n", '_run_options=(\n  "*:words:( )"\n')
    return script


def _note_completions(parser: argparse.ArgumentParser, names: Mapping[str, Iterable[str]]) -> None:
    """Note at each of a parser's actions what shtab is to offer for it."""
    import shtab

    kinds = getattr(parser, "kinds", {})
    for action in parser._actions:
        kind = kinds.get(action.dest)
        if action.metavar in PATHS or action.dest in ("out", "config"):
            action.complete = shtab.FILE
        elif kind is bool and not action.default:  # a switch
            action.nargs = 0
        elif kind is bool:
            action.choices = ("true", "false")
        elif get_origin(kind) is Literal:
            action.choices = get_args(kind)
        elif action.dest in names:
            action.choices = tuple(names[action.dest])
        if get_origin(kind) is tuple:
            action.nargs = "+"


PAIR = re.compile(r"\w+=.")  # a name with its value


def _whole(name: str, kinds: Mapping[str, object]) -> str:
    """An option's name where it is that, or the singular of names with values."""
    return f"{name}s" if get_origin(kinds.get(f"{name}s")) is dict else name


def spelt(words: Sequence[str], kinds: Mapping[str, object]) -> list[str]:
    """Words as shells have them → as the parser reads them, given the type of each option.

    `--top-p 1 --seeds 0 1 --quiet` becomes `--top_p 1 --seeds=[0,1] --quiet=true`. Of names with values each pair may
    be given alone, under the singular too: `--role maker=SPEC` becomes `--roles.maker=SPEC`.
    """
    out, rest = [], list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("--"):
            out.append(word)
            continue
        name, equals, value = word[2:].partition("=")
        name = _whole(name.replace("-", "_"), kinds)
        values = []
        while rest and not rest[0].startswith("--"):
            values.append(rest.pop(0))
        kind = kinds.get(name)
        pairs = [value] if equals else values
        if get_origin(kind) is dict and pairs and all(PAIR.match(pair) for pair in pairs):
            out += [f"--{name}.{pair}" for pair in pairs]
            continue
        if equals:
            out.append(f"--{name}={value}")
        elif kind is bool and not values:
            out.append(f"--{name}=true")
        elif get_origin(kind) is tuple and values and not values[0].startswith("["):
            items = map(json.dumps, values) if get_args(kind)[0] is str else values
            out.append(f"--{name}=[{','.join(items)}]")
            continue
        else:
            out.append(f"--{name}")
        out += values
    return out


#: How jsonargparse says that a value is not of its option's type.
WRONG = re.compile(
    r'Parser key "(.+?)"(?: element \d+)?: (.*?)(?:Given value type.*)?(?:Given value|\. Got value): (.*)'
)


def plainly(message: str) -> str:
    """What a parser complains of, as one line in plain words."""
    line = " ".join(message.split())
    wrong = WRONG.fullmatch(line)
    if not wrong:
        return re.sub(r'Parser key "(.+?)":', r"\1:", line)
    name, what, value = wrong.groups()
    return f"{name} {value}: give {' or '.join(dict.fromkeys(kinds_in(what)))}"


def kinds_in(what: str) -> Iterable[str]:
    """The types that a complaint says were expected, in words."""
    said = {
        "int": "a whole number",
        "float": "a number",
        "bool": "true or false",
        "str": "a text",
        "NoneType": "null",
        "tuple": "a list",
        "dict": "names with values",
    }
    for choices in re.findall(r"Literal\[(.*?)\]", what):
        yield choices.replace("'", "")
    for kind in re.findall(r"<class '(\w+)'>", what):
        yield said.get(kind, kind)
