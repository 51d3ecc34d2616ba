"""Indices that cost nothing: a package lists its public names, and each is imported when it is first used (PEP 562).

Nothing heavy is imported here at the top: the processes that programs run in load this file.
"""

import sys
from collections.abc import Callable, Mapping


def index_of(package: str, homes: Mapping[str, str]) -> tuple[Callable, Callable, list[str]]:
    """`__getattr__`, `__dir__` and `__all__` of a package whose public names `homes` lists, in words, by module."""
    home_of = {name: home for home, names in homes.items() for name in names.split()}

    def __getattr__(name: str) -> object:
        if name not in home_of:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        value = getattr(__import__(f"{package}.{home_of[name]}", fromlist=[name]), name)
        setattr(sys.modules[package], name, value)  # found at once the next time
        return value

    return __getattr__, lambda: sorted({*vars(sys.modules[package]), *home_of}), sorted(home_of)
