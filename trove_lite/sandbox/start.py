"""How a warm process is started: its command, and all of its environment."""

import os
import platform
import sys
from pathlib import Path


def interpreter(call: str, *arguments: str) -> list[str]:
    """The command for a call in `zygote` or `isolation`: of this checkout, whatever is installed,
    and not on its path. Once the package is found, its parts are found in it; what is beside it
    stays out of reach of programs."""
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
        # a thread that a fork would leave behind in mid-work
        "JE_ARROW_MALLOC_CONF": "background_thread:false",
        **{f"{library}_NUM_THREADS": "1" for library in threads},
        # The last digit of a sum or a sine depends on the processor's vector units: take what all
        # of them have.
        "OPENBLAS_CORETYPE": "Nehalem" if platform.machine() == "x86_64" else "ARMV8",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR",
    }


def matplotlib_cache() -> dict[str, str]:
    """Where matplotlib keeps its list of fonts: the user's usual place, without which every start
    would look for them. It is read before any program runs, and programs neither see the variable
    nor can read the place."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return {"MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR") or os.path.join(cache, "matplotlib")}
