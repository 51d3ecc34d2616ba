"""Plug-ins by name: an index says where each lives, and it is imported when it is asked for.

A name that no index has may say itself where it lives, as `module:attribute`: a method or data set of somebody else's
needs no change here. It knows nothing of what it imports.
"""

from collections.abc import Mapping
from importlib import import_module

from .errors import TroveLiteError


def load_plugin(kind: str, name: str, index: Mapping[str, str], *, or_name: str = "your own as module:attribute"):
    """What `name` stands for: an entry of `index` (name → `module:attribute`) or a `module:attribute` itself.

    Raises TroveLiteError where there is no such name, module or attribute.
    """
    where = index.get(name, name)
    module, colon, attribute = where.partition(":")
    if not colon or not all(part.isidentifier() for part in (*module.split("."), attribute)):
        raise TroveLiteError(f"no {kind} '{name}': choose from {', '.join(index)}, or name {or_name}")
    try:
        return getattr(import_module(module), attribute)
    except (ModuleNotFoundError, AttributeError) as error:
        raise TroveLiteError(
            f"{kind} '{name}': cannot be imported ({error}); check the module and attribute"
        ) from error
