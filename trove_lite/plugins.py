"""Plug-ins by name: the kit's own from an index, and those of installed packages, each imported when it is asked for.

A package brings plug-ins as Python's entry points, in the group `trove_lite.KIND` (docs/plugins.md). A name that is
neither may say itself where it lives, as `module:attribute`: a method or data set in the folder that one works in needs
no installation. Nothing here knows what it imports.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Generic, TypeVar

from .errors import TroveLiteError
from .sandbox.hidden import hide

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = TypeVar("Kind")

#: Modules, and files by their real path, of plug-ins that are not the kit's own: programs may not read them.
foreign: set[str] = set()
hide(lambda: foreign)


class Plugins(Mapping, Generic[Kind]):
    """Where all plug-ins of a kind live, as `module:attribute` by name: the kit's `own` first, which nobody replaces.
    group: of entry points, `trove_lite.GROUP`, which are looked for when a name is not the kit's own. kind: one of
    them, in words. of: its class."""

    def __init__(self, group: str, kind: str, of: type[Kind], own: Mapping[str, str]):
        self.group = f"trove_lite.{group}"
        self.kind = kind
        self.of = of
        self.own = own

    @cached_property
    def points(self) -> "dict[str, EntryPoint]":
        """The entry points by name; of two packages that bring the same name, that of the first in the alphabet."""
        from importlib.metadata import entry_points  # slow to import

        found: dict[str, EntryPoint] = {}
        for point in sorted(entry_points(group=self.group), key=lambda point: point.dist.name):
            if point.name not in self.own:
                found.setdefault(point.name, point)
        return found

    def __getitem__(self, name: str) -> str:
        return self.own[name] if name in self.own else self.points[name].value

    def __iter__(self) -> Iterator[str]:
        return iter((*self.own, *self.points))

    def __len__(self) -> int:
        return len(self.own) + len(self.points)

    def source(self, name: str) -> str:
        """Where a plug-in comes from: the module, and of a package that is not the kit's its name and version."""
        module = self[name].partition(":")[0]
        dist = None if name in self.own else self.points[name].dist
        return (
            module
            if dist is None or dist.name == "trove-lite"
            else f"{module} ({dist.name} {dist.version})"
        )

    def load(self, name: str, or_name: str = "your own as module:attribute") -> Kind:
        """The plug-in of that name, or at that `module:attribute`. Raises TroveLiteError in one line for any other."""
        where = (
            name
            if name not in self.own and ":" in name and name not in self.points
            else self.get(name, "")
        )
        module, colon, attribute = where.partition(":")
        if not colon or not all(part.isidentifier() for part in (*module.split("."), attribute)):
            raise TroveLiteError(
                f"no {self.kind} '{name}': choose from {', '.join(self)}, or name {or_name}"
            )
        if name not in self.own:
            foreign.add(module.split(".")[0])
        try:
            found = (
                self._installed(name)
                if name in self.points
                else self._named(name, module, attribute)
            )
        except (ModuleNotFoundError, AttributeError) as error:
            raise TroveLiteError(
                f"{self.kind} '{name}': cannot be imported ({error}); check the name"
            ) from error
        if not isinstance(found, self.of):
            raise TroveLiteError(
                f"{self.kind} '{name}': is a {type(found).__name__}, not a {self.of.__name__}; name one"
            )
        return found

    def _named(self, name: str, module: str, attribute: str) -> object:
        if (
            name not in self.own
            and not sys.flags.safe_path
            and (here := os.getcwd()) not in sys.path
        ):
            sys.path.append(here)  # where `python -m` looks and an installed command does not
        return getattr(import_module(module), attribute)

    def _installed(self, name: str) -> object:
        point = self.points[name]
        try:
            return point.load()
        except Exception as error:  # of somebody else's code: whatever it is, it is one line
            missing = (
                getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
            )
            if missing and f"{point.module}.".startswith(f"{missing}."):
                what = f"not installed: pip install --force-reinstall {point.dist.name} (there is no {missing})"
            else:
                said = f"{type(error).__name__}: {' '.join(str(error).split())}".removesuffix(": ")
                what = f"its package {point.dist.name} fails to load ({said}); install another version, or remove it"
            raise TroveLiteError(f"{self.kind} '{name}': {what}") from error

    def working(self) -> dict[str, Kind]:
        """All plug-ins by name, without those that cannot be loaded here."""
        found = {}
        for name in self:
            try:
                found[name] = self.load(name)
            except TroveLiteError:
                continue
        return found
