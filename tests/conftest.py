"""Shared fixtures: simulated candidates that need nothing but the clone, and the public data where
it is there."""

import ast
import inspect
import os
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import fields
from functools import cache
from importlib.metadata import distribution
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import pytest

from trove_lite.candidates import outcomes, save_table
from trove_lite.datasets import files, load_dataset
from trove_lite.running.settings import RunSettings
from trove_lite.sandbox.pool import Sandbox

from .simulated import candidates

matplotlib.use("agg")
# Modules are compiled once, not by each of the hundreds of processes that tests start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
#: Seconds of processor that a test takes at most outside `make test-slow`, its setup as much, or
#: the suite's last lines name it. It fails nothing: machines are noisy.
LONGEST = 5
LONG = "share what it sets up, or mark it slow"
#: Seconds that `turns` take where that was measured.
PACE = 0.035
ROOT = Path(__file__).parent.parent
#: The papers' folders of plug-ins, each of which can be taken away (`python -m tests.without`), and
#: those that are.
FOLDERS = (
    "creator",
    "latm",
    "library_learning",
    "makers",
    "images",
    "trove",
    "reeval",
    "raters",
)
AWAY = {folder for folder in FOLDERS if not (ROOT / "trove_lite_papers" / folder).is_dir()}
#: Packages above the first: without them `trove-lite run` and its tests have to be well.
ABOVE = ("trove_lite_analysis", "trove_lite_papers", "studies")
#: What a test may import that is not there, or that needs what is not.
IMPORTED = (*ABOVE, "benchmarks")
AWAY |= {package for package in ABOVE if not (ROOT / package).is_dir()}
SETTINGS = {field.name for field in fields(RunSettings)}
#: Folders whose tests run only when asked for, by `make test-vllm`, `make test-harness` or by path:
#: each needs a venv.
APART = [Path(__file__).parent / name for name in ("vllm", "harness")]


def asked_for(folder: Path, config) -> bool:
    paths = (Path(argument.split("::")[0]).resolve() for argument in config.args)
    return any(path == folder or folder in path.parents for path in paths)


#: Whose tests a folder of tests holds, where it is not the first package.
TESTS_OF = {
    "trove_lite_analysis": ("analysis", "recorded", "view"),
    "trove_lite_papers": ("papers",),
}
TESTS_OF |= {"studies": ("studies",)}


def pytest_ignore_collect(collection_path, config):
    """What is asked for by name alone, and what imports or tests a folder that is not here, is left
    out."""
    if collection_path in APART and not asked_for(collection_path, config):
        return True
    gone = [Path(__file__).parent / name for one in AWAY for name in TESTS_OF.get(one, ())]
    if collection_path in gone:
        return True
    if AWAY and collection_path.suffix == ".py" and imports_one_away(collection_path):
        return True
    return None


def imports_one_away(path: Path) -> bool:
    """Whether a test imports a folder that is not here, itself or by what it imports of the tests
    and the papers."""
    return one_is_away(path.read_text("utf-8"), ".".join(path.relative_to(ROOT).parts[:-1]))


def one_is_away(code: str, package: str = "tests") -> bool:
    """The same of the code of a module in this package."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom):
            ours = node.level or (node.module or "").startswith(IMPORTED)
        else:
            ours = isinstance(node, ast.Import) and node.names[0].name.startswith(IMPORTED)
        if not ours:
            continue
        try:
            exec(compile(ast.Module([node], []), "imports", "exec"), {"__package__": package})
        except ImportError:
            return True
    return False


def pytest_collection_modifyitems(items):
    """A test that names a plug-in of such a folder, in its parameters, its code, or a function,
    fixture or plan that it uses, is skipped."""
    papers = [
        point
        for point in distribution("trove-lite").entry_points
        if "trove_lite_papers." in point.value
    ]
    lost = {point.name for point in papers if point.module.split(".")[1] in AWAY}
    words = [
        re.escape(name) for name in lost - SETTINGS
    ]  # `memory` is a limit, too: a method's stands among methods
    words += [
        rf"""(?:methods[^\n]*|\((?:"\w+", )+"){name}|--{name}(?=\.)|(?<=\[){name}(?=-)"""
        for name in lost & SETTINGS
    ]
    named = re.compile(rf"(?<![a-z])(?:{'|'.join(words)})(?![a-z])")
    for item in items if lost else ():
        known = [*map(item.function.__globals__.get, item.function.__code__.co_names)]
        known += [found[-1].func for found in item._fixtureinfo.name2fixturedefs.values()]
        given = item.callspec.params.values() if hasattr(item, "callspec") else ()
        known += [one for one in given if isinstance(one, Path)]
        code = map(inspect.getsource, filter(inspect.isfunction, (item.function, *known)))
        plans = (
            one.read_text(encoding="utf-8")
            for one in known
            if isinstance(one, Path) and one.suffix == ".toml"
        )
        if named.search("\n".join([item.name, *code, *plans])):
            item.add_marker(pytest.mark.skip(reason=f"without {', '.join(sorted(AWAY))}"))


def pytest_configure(config):
    """Warnings of the programs that these folders run are no errors of ours."""
    if any(asked_for(folder, config) for folder in APART):
        config.addinivalue_line("filterwarnings", "default")


def used() -> float:
    """Seconds of processor of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def turns() -> float:
    """Seconds of processor that two million turns of a loop take on this machine."""
    start = time.process_time()
    for _ in range(2_000_000):
        _ % 7
    return time.process_time() - start


def timed(item):
    """A test that takes longer than it may says so, by the pace of this machine."""
    start = used()
    done = yield
    taken = used() - start
    if taken > LONGEST and not item.get_closest_marker("slow"):
        taken *= min(1, PACE / turns())
        if taken > LONGEST:
            item.user_properties.append((LONG, f"{taken:.1f} s"))
    return done


def pytest_terminal_summary(terminalreporter):
    for report in terminalreporter.getreports(""):
        for name, seconds in report.user_properties if report.when == "teardown" else ():
            if name == LONG:
                terminalreporter.line(f"{report.nodeid}: {seconds} of processor; {LONG}")


pytest_runtest_setup = pytest.hookimpl(wrapper=True)(timed)
pytest_runtest_call = pytest.hookimpl(wrapper=True)(timed)


@pytest.fixture(autouse=True)
def _close_figures():
    """A process runs hundreds of tests, and matplotlib warns from the twenty-first open figure
    on."""
    yield
    plt.close("all")


@pytest.fixture(scope="session")
def simulated():
    """Simulated candidates of all seven categories, TROVE and PRIMITIVE, two runs each."""
    return candidates()


@pytest.fixture(scope="session")
def skip_only():
    """The same without PRIMITIVE, and without most categories: what recorded TroVE runs look
    like."""
    frame = candidates(runs=3)
    return frame[(frame["method"] == "trove") & frame["category"].isin(["counting", "geometry"])]


@pytest.fixture(scope="session")
def fixture_run(tmp_path_factory):
    """A file of simulated outcomes of three categories."""
    file = tmp_path_factory.mktemp("runs") / "outcomes.parquet"
    save_table(
        outcomes(candidates(problems=5, categories=("counting", "geometry", "number"))), file
    )
    return file


@pytest.fixture(scope="session")
def box():
    """The sandbox of tests that have programs run and want nothing else: its warm processes take
    seconds to start."""
    with Sandbox(1, time_limit=30, reuse=1000) as sandbox:
        yield sandbox


@pytest.fixture(scope="session")
def craft():
    """Paths of what CRAFT's repository recorded: CREATOR's programs (.jsonl), GPT-4's toolsets
    (.csv)."""
    return skip_without("craft")


@pytest.fixture(scope="session")
def public_logs():
    """Paths of the public logs; skips where the data folder does not hold them."""
    return skip_without("logs", ".md")


@pytest.fixture(scope="session")
def public_problems():
    """The 3,201 problems of MATH; skips where the data folder does not hold them."""
    skip_without("math")
    return problems_of("math")


@pytest.fixture(scope="session")
def table_problems():
    """The problems of a data set of table questions, by its name; skips where the data folder does
    not hold them."""

    def problems(name):
        if name != "practice_tables":
            skip_without(name)
        return problems_of(name)[name]

    return problems


@cache
def problems_of(name):
    """A data set's problems by category, read once for all tests."""
    dataset = load_dataset(name)
    return {category: list(dataset.load(category)) for category in dataset.categories}


def left_with(variable: str) -> list[str]:
    """The processes whose environment holds a variable, after half a minute in which they may
    end."""
    deadline = time.monotonic() + 30
    while True:
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with suppress(OSError):
                if variable.encode() in Path(f"/proc/{pid}/environ").read_bytes().split(b"\0"):
                    found.append(pid)
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.1)


@pytest.fixture
def told_to_run(monkeypatch):
    """The notebooks that were to run, as jobs: each is complete at once, and no kernel starts."""
    from trove_lite_analysis.cli import (
        notebooks,  # the venv of the vLLM tests has no notebook packages
    )

    jobs = []
    monkeypatch.setattr(notebooks, "_run", lambda job: jobs.append(job) or (0.0, ""))
    monkeypatch.setattr(notebooks, "ProcessPoolExecutor", lambda *_: ThreadPoolExecutor(1))
    return jobs


def skip_without(group, suffix=""):
    """The paths of a group of public files; skips where the data folder does not hold them."""
    paths = files.public_paths(group, suffix)
    if not all(path.is_file() for path in paths):
        pytest.skip(
            f"the data folder holds no {group}: run `trove-lite fetch {group}` or set TROVE_LITE_DATA"
        )
    return paths
