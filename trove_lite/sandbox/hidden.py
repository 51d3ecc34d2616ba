"""What programs never see, though it lies among the libraries that they may read: whatever may hold
answers.

Every package of the kit is hidden wherever it can be imported. What else holds answers is handed in
(`hide`) by whoever knows it: plug-ins, a folder of public data, a file of problems.
"""

import contextlib
import functools
import os
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

_HOLDS_MODULES = re.compile(r"python.*|.*-packages|__pycache__")
#: A package whose name begins so is the kit's, and hidden wherever it can be imported: it may hold
#: answers.
KIT = "trove_lite"
_hidden: list[Callable[[], Iterable[str]]] = []


def hide(places: Callable[[], Iterable[str]]) -> None:
    """Keep these places from the programs of every Sandbox: paths, and names of importable
    packages. `places` is called whenever a warm process starts, for more may have been imported
    since."""
    _hidden.append(places)


def hidden_places() -> frozenset[str]:
    """All that is hidden by now, besides the kit's own packages."""
    return frozenset(str(place) for places in _hidden for place in places())


@functools.cache
def out_of_reach(hidden: frozenset[str]) -> list[str]:
    """Real paths of what may hold answers, even among the libraries: every package of the kit, and
    what is `hidden`. Further copies in other interpreters' folders, what Python keeps compiled, and
    what else came with a package too."""
    names = {name for name in hidden if not os.path.isabs(name)}
    places = {str(Path(__file__).parents[1]), *(hidden - names)}
    if names:
        import importlib.metadata  # slow to import

        owners = importlib.metadata.packages_distributions()
        theirs = {owner for name in names for owner in owners.get(name, ())}
        names |= {name for name in owners if theirs.intersection(owners[name])}
    from .isolation import library_paths

    loaded = {name for name in sys.modules if "." not in name and name.startswith(KIT)}
    places.update(*(getattr(sys.modules.get(name), "__path__", ()) for name in names | loaded))
    searched = (*library_paths(), *filter(None, sys.path))
    folders = list({os.path.realpath(path) for path in searched})
    for folder in folders:  # it grows
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name.split(".")[0]
                if name in names or name.startswith(KIT):
                    places.add(entry.path)
                elif _HOLDS_MODULES.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return sorted({os.path.realpath(place) for place in places})
