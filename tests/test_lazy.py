"""The indices of public names: complete, and free of charge for what is not used."""

import subprocess
import sys
from pathlib import Path

import trove_lite
from trove_lite import sandbox
from trove_lite.sandbox.start import environment, interpreter

from .conftest import ROOT

HEAVY = ("numpy", "pandas", "pyarrow", "matplotlib", "scipy", "asyncio", "papermill")


def test_every_public_name_is_had_when_asked_for_and_no_other():
    assert all(getattr(trove_lite, name) is not None for name in trove_lite.__all__)
    assert set(trove_lite.__all__) <= set(dir(trove_lite))
    assert not hasattr(trove_lite, "nothing")


def loaded_by(modules: str) -> set[str]:
    """What an interpreter that imports these modules has loaded."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import {modules}; print(*sys.modules)"
    words = [sys.executable, "-P", "-c", code]
    return set(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())


def test_an_import_loads_nothing_heavy():
    loaded = loaded_by("trove_lite.selection, trove_lite.sandbox.start")
    assert "trove_lite.selection" in loaded
    assert not loaded.intersection(HEAVY)


def test_what_a_run_says_at_its_end_loads_no_part_of_scipy_before_it_is_used():
    loaded = loaded_by("trove_lite_analysis.summary")
    assert "trove_lite_analysis.variance" in loaded
    assert not {"scipy.stats", "scipy.optimize", "scipy.special"}.intersection(loaded)


def test_a_run_needs_no_library_of_figures_or_statistics():
    loaded = loaded_by("trove_lite.running.live")
    assert "trove_lite.running.live" in loaded
    assert not loaded & {"scipy", "matplotlib", "seaborn", "nbformat", "trove_lite_analysis"}


def test_a_sandboxs_child_imports_this_checkout_and_nothing_else_of_it():
    call = "print(isolation.__file__, *sys.path, sep='\\n'); print(*sys.modules)"
    done = subprocess.run(
        interpreter(call), env=environment(), capture_output=True, text=True, check=True, cwd="/"
    )
    own, *path, modules = done.stdout.splitlines()
    bare = [sys.executable, "-s", "-P", "-B", "-c", "import sys; print(*sys.path, sep='\\n')"]
    assert (
        path
        == subprocess.run(
            bare, env=environment(), capture_output=True, text=True, cwd="/"
        ).stdout.splitlines()
    )
    assert Path(own) == Path(sandbox.__file__).parent / "isolation.py"
    ours = {name for name in modules.split() if name.startswith("trove_lite")}
    assert ours == {"trove_lite", "trove_lite.sandbox"} | {
        f"trove_lite.sandbox.{part}" for part in ("isolation", "libraries", "seccomp", "zygote")
    }
    assert not set(modules.split()).intersection(HEAVY)
