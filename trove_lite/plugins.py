"""Plug-ins by name: the kit's own from an index, and those of installed packages, each imported
when it is asked for.

A package brings plug-ins as Python's entry points, in the group `trove_lite.KIND`
(docs/plugins.md). A name that is neither may say itself where it lives, as `module:attribute`: a
method or data set in the folder that one works in needs no installation. Nothing here knows what it
imports.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from functools import cached_property
from importlib import import_module
from operator import itemgetter
from typing import TYPE_CHECKING, Generic, TypeVar

from .errors import TroveLiteError, shown
from .sandbox.hidden import hide

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Kind = TypeVar("Kind")
KIT = "trove-lite"  # its own package
SECONDS = 30.0  # on the clock, in which somebody else's module must be loaded

#: Modules, and files by their real path, of plug-ins that are not the kit's own: programs may not
#: read them.
foreign: set[str] = set()
hide(lambda: foreign)
#: Packages that did not end while they were loaded, which are not waited for again, and what was
#: said.
endless: "dict[str, Failed]" = {}


class Plugins(Mapping, Generic[Kind]):
    """Where all plug-ins of a kind live, as `module:attribute` by name: the kit's `own` first,
    which nobody replaces.
    group: of entry points, `trove_lite.GROUP`, which are looked for when a name is not the kit's
    own. kind: one of them, in words. of: its class."""

    def __init__(self, group: str, kind: str, of: type[Kind], own: Mapping[str, str]):
        self.group = f"trove_lite.{group}"
        self.kind = kind
        self.of = of
        self.own = own

    @cached_property
    def points(self) -> "dict[str, EntryPoint]":
        """The entry points by name; of two packages that bring the same name, that of the first in
        the alphabet."""
        from importlib.metadata import distributions  # slow to import

        brought: list[tuple[str, EntryPoint]] = []
        for package in distributions():
            with suppress(Exception):  # an interrupted pip leaves half of one, which brings nothing
                points = [point for point in package.entry_points if point.group == self.group]
                brought += [(str(package.metadata["Name"]), point) for point in points]
        found: dict[str, EntryPoint] = {}
        for _, point in sorted(brought, key=itemgetter(0)):
            if point.name not in self.own:
                found.setdefault(point.name, point)
        return found

    @cached_property
    def of_the_kit(self) -> tuple[str, ...]:
        """The names that the kit brings itself, in its folders and in those of the papers."""
        return (*self.own, *(name for name in self.points if self._package(name) == KIT))

    def _package(self, name: str) -> str:
        return str(self.points[name].dist.metadata["Name"])

    def __getitem__(self, name: str) -> str:
        return self.own[name] if name in self.own else self.points[name].value

    def __iter__(self) -> Iterator[str]:
        return iter((*self.own, *self.points))

    def __len__(self) -> int:
        return len(self.own) + len(self.points)

    def source(self, name: str) -> str:
        """Where a plug-in comes from: the module, and of a package that is not the kit's its name
        and version."""
        module = self[name].partition(":")[0]
        if name in self.of_the_kit:
            return module
        return f"{module} ({self._package(name)} {self.points[name].dist.metadata['Version']})"

    def load(self, name: str, or_name: str = "your own as module:attribute") -> Kind:
        """The plug-in of that name, or at that `module:attribute`. Raises TroveLiteError in one
        line for any other."""
        module, colon, attribute = self.get(name, name).partition(":")
        if not colon or not all(part.isidentifier() for part in (*module.split("."), attribute)):
            raise TroveLiteError(
                f"no {self.kind} '{name}': choose from {', '.join(self)}, or name {or_name}"
            )
        if name not in self.own:
            foreign.add(module.split(".")[0])
        if name in self.own:
            found = getattr(import_module(module), attribute)
        elif name in self.points:
            found = self._installed(name)
        else:
            found = self._named(name, module, attribute)
        if not isinstance(found, self.of):
            raise TroveLiteError(
                f"{self.kind} '{name}': is a {type(found).__name__}, not a {self.of.__name__}; name one"
            )
        return found

    def _named(self, name: str, module: str, attribute: str) -> object:
        here = os.getcwd()
        if not sys.flags.safe_path and here not in sys.path:
            sys.path.append(here)  # where `python -m` looks and an installed command does not
        try:
            with one_line():
                return getattr(import_module(module), attribute)
        except Failed as error:
            cause = error.__cause__
            if isinstance(cause, ModuleNotFoundError | AttributeError):
                what = f"cannot be imported ({cause}); check the name"
            else:
                what = f"{module} fails to load ({error}); mend it"
            raise TroveLiteError(f"{self.kind} '{name}': {what}") from cause

    def _installed(self, name: str) -> object:
        point = self.points[name]
        package = self._package(name)
        try:
            if package in endless:
                raise endless[package]
            with one_line():
                return point.load()
        except Failed as error:
            if isinstance(error.__cause__, Endless) and package not in endless:
                endless[package] = error
                print(f"package {package}: {error}; it is left out", file=sys.stderr)
            cause = error.__cause__
            missing = getattr(cause, "name", None) if isinstance(cause, ImportError) else None
            if missing and f"{point.module}.".startswith(f"{missing}."):
                what = f"not installed: pip install --force-reinstall {package} (there is no {missing})"
            else:
                what = f"its package {package} fails to load ({error}); install another version, or remove it"
            raise TroveLiteError(f"{self.kind} '{name}': {what}") from cause

    def working_of(self, of_the_kit: bool) -> tuple[Kind, ...]:
        """Those that the kit brings itself, or those of other packages, as `working` has them."""
        names = [name for name in self if (name in self.of_the_kit) == of_the_kit]
        return tuple(self.working(*names).values()) if names else ()

    def working(self, *names: str) -> dict[str, Kind]:
        """Plug-ins by name, these or all, without those that cannot be loaded here."""
        found = {}
        for name in names or self:
            with suppress(TroveLiteError):
                found[name] = self.load(name)
        return found


class Failed(Exception):
    """Somebody else's code failed while it was loaded; what it said, in a line."""


class Endless(BaseException):
    """Somebody else's code does not end while it is loaded; no Exception, which it may swallow."""


@contextmanager
def one_line() -> Iterator[None]:
    """Around somebody else's code, which may raise whatever it likes, an exit too, may print, and
    may never end. Ctrl-C stays the user's."""
    pressed = []

    def interrupted(number, frame):
        pressed.append(number)
        signal.default_int_handler(number, frame)

    try:
        with redirect_stdout(sys.stderr), in_time(interrupted):
            yield
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) and pressed:
            raise
        try:
            said = " ".join(str(error).split())
        except Exception:
            said = ""
        raise Failed(shown(f"{type(error).__name__}: {said}".removesuffix(": "))[:300]) from error


@contextmanager
def in_time(interrupted: Callable) -> Iterator[None]:
    """Raises Endless in what takes longer than SECONDS, again each second. interrupted: the handler
    of Ctrl-C meanwhile. Without effect but in the main thread, the only one that signals reach."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(*_: object) -> None:
        raise Endless(f"it is not loaded after {SECONDS:g} seconds")

    before = signal.signal(signal.SIGALRM, late), signal.signal(signal.SIGINT, interrupted)
    signal.setitimer(signal.ITIMER_REAL, SECONDS, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before[0])
        signal.signal(signal.SIGINT, before[1])
