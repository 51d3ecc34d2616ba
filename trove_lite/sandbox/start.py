"""How a warm process is started: its command, all of its environment, and the files that its programs never see."""

import contextlib
import functools
import importlib.metadata
import os
import platform
import re
import sys
from pathlib import Path

from . import isolation as _isolation

_HOLDS_MODULES = re.compile(r"python.*|.*-packages|__pycache__")


@functools.cache
def out_of_reach(foreign: frozenset[str], data: Path) -> list[str]:
    """Real paths of what may hold answers, even among the libraries: this package, the data folder, plug-ins by name.
    Further copies in other interpreters' folders, what Python keeps compiled, and what else came with a plug-in too."""
    package, names = (
        Path(__file__).parents[1],
        {name for name in foreign if not os.path.isabs(name)},
    )
    places = {package, data, *(foreign - names)}
    if names:
        owners = importlib.metadata.packages_distributions()
        theirs = {owner for name in names for owner in owners.get(name, ())}
        names |= {name for name in owners if theirs.intersection(owners[name])}
    names.add(package.name)
    places.update(*(getattr(sys.modules.get(name), "__path__", ()) for name in names))
    folders = list(
        {os.path.realpath(path) for path in (*_isolation.library_paths(), *filter(None, sys.path))}
    )
    for folder in folders:  # it grows
        with contextlib.suppress(OSError), os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.split(".")[0] in names:
                    places.add(entry.path)
                elif _HOLDS_MODULES.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
    return sorted({os.path.realpath(place) for place in places})


def interpreter(call: str, *arguments: str) -> list[str]:
    """The command for a call in `zygote` or `isolation`: of this checkout, whatever is installed, and not on its path.
    Once the package is found, its parts are found in it; what is beside it stays out of reach of programs."""
    checkout = str(Path(__file__).parents[2])
    start = f"import sys; sys.path.insert(0, {checkout!r}); import trove_lite; del sys.path[0]; "
    start += f"from trove_lite.sandbox import isolation, zygote; {call}"
    return [sys.executable, "-s", "-P", "-B", "-c", start, *arguments]


def environment() -> dict[str, str]:
    """All the environment that a program sees: nothing of ours, and the same on every machine."""
    threads = ("OMP", "OPENBLAS", "MKL", "NUMEXPR", "ARROW")
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": "/",
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "80",
        "LINES": "24",
        "MPLBACKEND": "Agg",
        "PYTHONHASHSEED": "0",
        "ARROW_DEFAULT_MEMORY_POOL": "system",  # its own pool maps a gigabyte ahead
        "JE_ARROW_MALLOC_CONF": "background_thread:false",  # a thread that a fork would leave behind in mid-work
        **{f"{library}_NUM_THREADS": "1" for library in threads},
        # The last digit of a sum or a sine depends on the processor's vector units: take what all of them have.
        "OPENBLAS_CORETYPE": "Nehalem" if platform.machine() == "x86_64" else "ARMV8",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
    }


def matplotlib_cache() -> dict[str, str]:
    """Where matplotlib keeps its list of fonts: the user's usual place, without which every start would look for them.
    It is read before any program runs, and programs neither see the variable nor can read the place."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return {"MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR") or os.path.join(cache, "matplotlib")}
