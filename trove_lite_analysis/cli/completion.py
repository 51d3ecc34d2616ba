"""The command that prints a script for bash, which completes commands and options."""

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, get_args

from trove_lite.cli.options import Parser


def completion(shell: Literal["bash"]) -> None:
    """Print a script that completes commands and options in bash.

    shell: whose completion to print; zsh reads it after `autoload bashcompinit`

    examples:
      trove-lite completion bash > ~/.local/share/bash-completion/completions/trove-lite
    """
    from trove_lite.cli import kit_commands, parser_of
    from trove_lite.datasets import DATASETS
    from trove_lite.datasets.files import public_files
    from trove_lite.methods import METHODS
    from trove_lite.programs.parse import PARSERS
    from trove_lite.prompts import PACKS
    from trove_lite.selection import RULES

    from ..recorded import HARNESSES, LOGS

    names = {
        "methods": METHODS,
        "dataset": DATASETS,
        "prompts": PACKS,
        "format": (*LOGS, *HARNESSES),
        "preset": sorted(
            {preset for method in METHODS.working().values() for preset in method.presets}
        ),
        "parser": PARSERS,
        "selection": (*RULES, "random"),
        "groups": sorted({file.group for file in public_files()}),
    }
    print(completion_of({name: parser_of(name) for name in kit_commands()}, names))


def completion_of(parsers: Mapping[str, Parser], names: Mapping[str, Iterable[str]]) -> str:
    """A script that completes these commands in bash. The parsers cannot be used afterwards."""
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
            elif action.dest in names and not action.choices:
                action.choices = tuple(names[action.dest])
            if action.nargs == "*":
                action.nargs = "+"
        commands.add_parser(
            name,
            help=parser.description,
            parents=[parser],
            add_help=False,
            conflict_handler="resolve",
        )
    return shtab.complete(whole, "bash")
