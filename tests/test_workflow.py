"""The Snakefile, really run: shards in folders of their own, their report, and nothing twice."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from trove_lite import load_candidates

from .conftest import ROOT
from .test_grid import written

STUDY = ["name=tiny", "out=runs/tiny", "categories=counting", "seeds=0", "args=--limit 3 --k 3"]
SHARDS = ["primitive-counting-0", "trove-counting-0"]
CLOCKS = ["generate_seconds", "execute_seconds"]


@pytest.fixture
def study(tmp_path):
    """A folder to work in. Its only notebook counts what it is given, which is quicker than the papers' tables."""
    counted = (
        "import trove_lite as tl\nfrom papers import save\n"
        "save(tl.load_candidates(*runs).groupby('method').size().reset_index(name='calls'), results, 'calls')"
    )
    written(tmp_path / "notebooks" / "01_calls.ipynb", counted, "runs = ['']\nresults = ''")
    return tmp_path


def snakemake(folder: Path, *more: str) -> subprocess.CompletedProcess:
    """What benchmarks/scale.md says, with the `trove-lite` of this interpreter."""
    words = f"-m snakemake --snakefile {ROOT / 'Snakefile'} --cores 2 --config model=practice".split()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    how = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "timeout": 600}
    environ = os.environ | {"PATH": path, "XDG_CACHE_HOME": str(folder)}
    return subprocess.run([sys.executable, *words, *STUDY, *more], cwd=folder, env=environ, **how)


def jobs(said: str) -> dict[str, int]:
    """How many jobs of each rule Snakemake says that it runs."""
    return {rule: int(count) for rule, count in re.findall(r"^(report|shard|study|total) +(\d+)$", said, re.MULTILINE)}


def test_a_study_is_a_job_for_each_method_category_and_seed_and_nothing_runs_twice(study):
    done = snakemake(study)
    assert done.returncode == 0, done.stdout
    assert jobs(done.stdout) == {"shard": 2, "report": 1, "study": 1, "total": 4}
    folders = {shard: study / "runs" / "tiny" / shard for shard in SHARDS}
    assert sorted(path.name for path in (study / "runs" / "tiny").iterdir()) == SHARDS
    for folder in folders.values():
        table = load_candidates(folder)
        assert (table[table["phase"] == "stream"].groupby("problem").size() == 3).all()
        assert table["problem"].nunique() == 3
    calls = pd.read_csv(study / "results" / "tiny" / "calls.csv").set_index("method")["calls"]
    assert calls["primitive"] == 9
    assert calls["trove"] >= 9  # and what was solved again after trimming

    more = ["methods=primitive trove creator", "categories=algebra counting", "seeds=0 1", "--dry-run"]
    planned = snakemake(study, *more)
    assert planned.returncode == 0, planned.stdout
    assert jobs(planned.stdout) == {"shard": 3 * 2 * 2 - len(SHARDS), "report": 1, "study": 1, "total": 12}
