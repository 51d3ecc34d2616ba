"""The Snakefile, really run: command lines of its jobs, shards in folders of their own, a report,
nothing twice."""

import os
import re
import subprocess
import sys
from pathlib import Path

from trove_lite.cli import parser_of

from .conftest import ROOT

STUDY = ["name=tiny", "out=runs/tiny", "methods=trove empty", "categories=counting", "seeds=0"]
STUDY += ["args=--limit 3 --k 3"]
#: In place of `trove-lite`, whose commands have tests of their own: keeps its words and makes what
#: it would make.
COMMAND = f"""#!{sys.executable}
import sys
from pathlib import Path
command, *words = sys.argv[1:]
open("said", "a").write(" ".join(sys.argv[1:]) + "\\n")
out = words[words.index("--out") + 1]
made = Path("results", out, "index.html") if command == "report" else Path(out, "candidates.parquet")
made.parent.mkdir(parents=True, exist_ok=True)
made.touch(exist_ok=False)
"""


def snakemake(folder: Path, *more: str) -> subprocess.CompletedProcess:
    """What benchmarks/scale.md says."""
    words = (
        f"-m snakemake --snakefile {ROOT / 'Snakefile'} --cores 2 --config model=practice".split()
    )
    how = {"text": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "timeout": 600}
    environ = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "XDG_CACHE_HOME": str(folder)}
    return subprocess.run([sys.executable, *words, *STUDY, *more], cwd=folder, env=environ, **how)


def jobs(said: str) -> dict[str, int]:
    """How many jobs of each rule Snakemake says that it runs."""
    return {
        rule: int(count)
        for rule, count in re.findall(r"^(report|shard|study|total) +(\d+)$", said, re.MULTILINE)
    }


def test_a_study_is_a_job_for_each_method_category_and_seed_and_nothing_runs_twice(tmp_path):
    (tmp_path / "trove-lite").write_text(COMMAND)
    (tmp_path / "trove-lite").chmod(0o755)
    done = snakemake(tmp_path)
    assert done.returncode == 0, done.stdout
    assert jobs(done.stdout) == {"shard": 2, "report": 1, "study": 1, "total": 4}
    *shards, (report, *words) = map(str.split, (tmp_path / "said").read_text().splitlines())
    assert (report, parser_of(report).given(words)["out"]) == ("report", "tiny-practice")
    given = {str((one := parser_of(name).given(rest))["out"]): one for name, *rest in shards}
    assert sorted(map(str, parser_of(report).given(words)["runs"])) == sorted(given)
    assert len(given) == 2
    for out, one in given.items():
        name = "empty" if one.get("trove.") == {"toolbox": "none"} else one["methods"][0]
        assert out == f"runs/tiny/practice/{name}-counting-0"
        assert [*one["categories"], *one["seeds"]] == ["counting", 0]
        assert {"name": "tiny", "model": "practice", "limit": 3, "k": 3}.items() <= one.items()

    more = [
        "model=practice http://h/v1#a/b",
        "methods=primitive trove creator",
        "categories=algebra counting",
    ]
    more += ["seeds=0 1", "--dry-run"]
    planned = snakemake(tmp_path, *more)
    assert planned.returncode == 0, planned.stdout
    assert jobs(planned.stdout) == {
        "shard": 2 * 3 * 2 * 2 - 1,
        "report": 2,
        "study": 1,
        "total": 26,
    }
    assert "runs/tiny/a-b/creator-algebra-1" in planned.stdout
