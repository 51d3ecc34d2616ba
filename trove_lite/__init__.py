"""trove_lite: does tool-making help a language model that answers by writing programs?

This is the index of public names. Each is imported when it is first used, so that reading a table
needs neither an engine nor a sandbox, and `import trove_lite` nothing at all.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

#: Of this code, which an older installation of it need not be.
__version__ = "0.5.0"


def index_of(package: str, homes: Mapping[str, str]) -> tuple[Callable, Callable, list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package whose public names `homes` lists, in
    words, by module (`.name`: of the package above). Each is imported when first used (PEP 562)."""
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def __getattr__(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(import_module(f".{home_of[name]}", package), name)
        setattr(sys.modules[package], name, value)  # found at once the next time
        return value

    return __getattr__, lambda: sorted({*vars(sys.modules[package]), *home_of}), sorted(home_of)


__getattr__, __dir__, __all__ = index_of(
    __name__,
    {
        "candidates": "load_calls load_candidates",
        "datasets": "load_problems",
        "errors": "TroveLiteError",
        "selection": "RULES",
        "selection.tables": "choose",
    },
)
