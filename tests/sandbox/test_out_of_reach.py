"""Programs cannot read what holds answers, though the kit and a data set are installed among their
libraries."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv

import pytest

from trove_lite.sandbox.hidden import KIT

from ..conftest import ROOT
from . import needs_full

pytestmark = needs_full

GOLD = "4203.5"
#: A data set of somebody else's: a module, with its problems in another one that came with it.
OWN = f"""
from trove_lite.judge.answers import number_is_correct, read_numbers
from trove_lite.datasets.base import Dataset
import own_problems
OWN = Dataset("own", "own", ("a",), own_problems.load, read_numbers, number_is_correct)
SECRET = {GOLD}
"""
PROGRAMS = {
    "the practice problems' golds": "from trove_lite.datasets.practice import PRACTICE\nprint('escaped')",
    "a file of the package": "print('escaped', open('{site}/trove_lite/datasets/practice.jsonl').read(9))",
    "a copy for another Python": "print('escaped', open('{lib}/python3.1/site-packages/trove_lite/a').read())",
    "a file of the data folder": "print('escaped', open('{lib}/data/gold.json').read())",
    "a data set's module": "import own_set\nprint('escaped', own_set.SECRET)",
    "it as Python compiled it": "print('escaped', open('{compiled}', 'rb').read())",
    "what came with it": "import own_problems\nprint('escaped')",
    "problems in a file": "print('escaped', open('{lib}/own.jsonl').read())",
    "through a link": "print('escaped', open('{lib}/link/registry.csv').read(9))",
}
#: Says which of these files it can read.
READS_ALL = """
for path in {paths!r}:
    try:
        open(path, "rb").read(1)
    except PermissionError:
        continue
    print(path)
print("tried")
"""
MAIN = """
import json, sys
from trove_lite.datasets import load_dataset
from trove_lite.sandbox.pool import Sandbox
load_dataset("own_set:OWN"), load_dataset(sys.argv[1])
with Sandbox(1) as sandbox:
    print(json.dumps([tuple(e) for e in sandbox.run_many(json.load(sys.stdin), progress=False)]))
"""


@pytest.fixture(scope="module")
def executions(tmp_path_factory) -> dict:
    """How the programs end in a virtual environment where all of that is installed; `neighbour` is
    a library there."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    lib = (
        folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    )  # what lies here programs may read
    site = lib / "site-packages"
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=ROOT,
        check=True,
    )
    shutil.unpack_archive(next(folder.glob("*.whl")), site, "zip")  # as pip does
    (site / "neighbours.pth").write_text(sysconfig.get_path("purelib"))
    (site / "neighbour.py").write_text("value = 7")
    (site / "own_set.py").write_text(OWN)
    (site / "own_problems.py").write_text(f"def load(category): return ()\nGOLD = {GOLD}")
    (site / "own-1.dist-info").mkdir()
    (site / "own-1.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: own\nVersion: 1\n"
    )
    (site / "own-1.dist-info" / "RECORD").write_text("own_set.py,,\nown_problems.py,,\n")
    other = lib / "python3.1" / "site-packages" / "trove_lite"
    for file in (other / "a", lib / "data" / "gold.json"):
        file.parent.mkdir(parents=True)
        file.write_text(GOLD)
    (lib / "own.jsonl").write_text(json.dumps({"question": "?", "answer": float(GOLD)}))
    (lib / "link").symlink_to(site / "trove_lite" / "datasets")
    compiled = site / "__pycache__" / f"own_set.{sys.implementation.cache_tag}.pyc"
    kit = [str(path) for path in site.glob("trove_lite*/**/*") if path.is_file()]
    names = [*PROGRAMS, "a neighbour", "every file"]
    programs = [p.format(site=site, lib=lib, compiled=compiled) for p in PROGRAMS.values()]
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "TROVE_LITE_DATA": str(lib / "data")}
    how = {
        "input": json.dumps(
            [*programs, "import neighbour\nprint(neighbour.value)", READS_ALL.format(paths=kit)]
        ),
        "env": env,
        "cwd": folder,
    }
    command = [folder / "bin" / "python", "-P", "-c", MAIN, lib / "own.jsonl"]
    done = subprocess.run(command, capture_output=True, text=True, **how)
    assert done.returncode == 0, done.stderr[-2000:]
    assert compiled.exists()
    found = dict(zip(names, json.loads(done.stdout), strict=True))
    return found | {"packages": {path.name for path in site.iterdir()}, "files": kit}


@pytest.mark.parametrize("what", PROGRAMS)
def test_answers_are_out_of_reach(executions, what):
    status, output, _, error, *_ = executions[what]
    assert (status, output) == ("error", "")
    assert error.startswith("PermissionError")


def test_libraries_beside_them_are_not(executions):
    assert executions["a neighbour"][:2] == ["ok", "7\n"]


def test_no_file_of_any_package_of_the_kit_can_be_read(executions):
    """Golds and corrections among them, in whichever package they lie."""
    data = {path.rpartition("/")[2] for path in executions["files"]}
    assert {"practice.jsonl", "corrections.csv", "registry.csv"} <= data
    assert executions["every file"][:2] == ["ok", "tried\n"]


def test_each_package_that_is_installed_is_hidden_by_its_name(executions):
    ours = executions["packages"] - {"neighbour.py", "neighbours.pth", "own_set.py"}
    ours -= {"own_problems.py", "own-1.dist-info", "__pycache__"}
    assert {name for name in ours if not name.startswith(KIT)} == set()
