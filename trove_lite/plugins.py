"""Plug-ins by name: an index says where each lives, and it is imported when it is asked for.

A name that no index has may say itself where it lives, as `module:attribute`: a method or data set of somebody else's
needs no change here, be it installed or a file in the folder one works in. It knows nothing of what it imports.
"""

import os
import sys
from collections.abc import Mapping
from importlib import import_module
from typing import TypeVar

from .errors import TroveLiteError

Kind = TypeVar("Kind")

#: Modules, and files by their real path, that somebody named and that no index has: programs may not read them.
foreign: set[str] = set()


def load_plugin(
    kind: str, name: str, index: Mapping[str, str], of: type[Kind], *, or_name: str = "your own as module:attribute"
) -> Kind:
    """What `name` stands for: an entry of `index` (name → `module:attribute`) or a `module:attribute` itself."""
    where = index.get(name, name)
    module, colon, attribute = where.partition(":")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), attribute)):
        raise TroveLiteError(f"no {kind} '{name}': choose from {', '.join(index)}, or name {or_name}")
    if name not in index:
        foreign.add(module.split(".")[0])
        if not sys.flags.safe_path and (here := os.getcwd()) not in sys.path:
            sys.path.append(here)  # where `python -m` looks and an installed command does not
    try:
        found = getattr(import_module(module), attribute)
    except (ModuleNotFoundError, AttributeError) as error:
        raise TroveLiteError(f"{kind} '{name}': cannot be imported ({error}); check the name") from error
    if not isinstance(found, of):
        raise TroveLiteError(f"{kind} '{name}': is a {type(found).__name__}, not a {of.__name__}; name one")
    return found
