"""Indices that cost nothing: a package lists its public names, and each is imported when it is first used (PEP 562).

The list is an ordinary `if TYPE_CHECKING:` block of imports, which type checkers and editors read too. Nothing heavy
is imported here at the top: the processes that programs run in load this file.
"""

import sys


def index_of(package: str, file: str):
    """`__getattr__` and `__dir__` of a package whose `__init__.py` (`file`) lists names under `if TYPE_CHECKING:`."""
    homes: dict[str, str] = {}

    def __getattr__(name: str) -> object:
        if not homes:
            homes.update(_homes(file))
        if name not in homes:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        # As `from .home import name` does it, so that a name may be a module of its own.
        home = __import__(f"{package}.{homes[name]}" if homes[name] else package, fromlist=[name])
        value = getattr(home, name)
        setattr(sys.modules[package], name, value)  # found at once the next time
        return value

    def __dir__() -> list[str]:
        return sorted({*vars(sys.modules[package]), *_homes(file)})

    return __getattr__, __dir__


def _homes(file: str) -> dict[str, str]:
    """Name → module, of the relative imports under `if TYPE_CHECKING:`."""
    import ast
    from pathlib import Path

    blocks = (node for node in ast.parse(Path(file).read_text(encoding="utf-8")).body if isinstance(node, ast.If))
    return {
        alias.name: node.module or ""
        for block in blocks
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
