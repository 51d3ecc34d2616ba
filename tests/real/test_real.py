"""A real model through the whole kit, in minutes: `make test-real TROVE_LITE_MODEL=FOLDER`, in a
venv with vLLM.

`TROVE_LITE_MODEL` is a folder with weights, which vLLM then runs, or whatever `trove-lite run
--model` takes.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from trove_lite import load_calls, load_candidates
from trove_lite.journal import read_journal
from trove_lite.models.vllm import imitates

from ..scripted import TIMES

MODEL = os.environ.get("TROVE_LITE_MODEL", "")
DTYPE = (
    "float32" if imitates("bfloat16", "cpu") and not Path("/dev/nvidia0").exists() else "bfloat16"
)
ENGINE = f"max_model_len=2048&dtype={DTYPE}&enforce_eager=true"
PROBLEMS = 10
K = 3
RUN = "import sys; from trove_lite.cli import main; sys.exit(main(sys.argv[1:]))"
pytestmark = pytest.mark.skipif(
    not MODEL, reason="TROVE_LITE_MODEL names no model: a folder with weights, or a spec"
)


def spec(*options: str) -> str:
    if not Path(MODEL).is_dir():
        return MODEL
    return f"vllm:{Path(MODEL).absolute()}?{'&'.join((ENGINE, *options))}"


@pytest.fixture
def begin():
    """Begins a run on practice problems of counting; what still runs at the end is ended."""
    begun = []

    def called(folder, model, *options, limit, methods=("primitive", "trove")) -> subprocess.Popen:
        words = ["run", "--methods", *methods, "--categories", "counting", "--seeds", "0", "--k", K]
        words += ["--limit", limit, "--prompts", "own", "--model", model, "--out", folder, *options]
        begun.append(
            subprocess.Popen([sys.executable, "-c", RUN, *map(str, words)], start_new_session=True)
        )
        return begun[-1]

    yield called
    for process in begun:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def alone() -> tuple:
    """One request at a time and nothing cached, so that the engine's numbers hang on no other
    request."""
    engine = spec("max_num_seqs=1", "enable_prefix_caching=false")
    return engine, "--in_flight", 1, "--max_tokens", 120, "--name", "small"


def table(folder) -> pd.DataFrame:
    return load_candidates(folder).drop(columns=TIMES)


def samples(folder) -> int:
    return sum(len(read_journal(path)[0]) for path in (folder / "journal").glob("*.jsonl"))


def test_primitive_and_trove_on_ten_problems(begin, tmp_path):
    assert begin(tmp_path / "a", spec("max_num_seqs=16"), limit=PROBLEMS).wait() == 0
    rows = load_candidates(tmp_path / "a")
    calls = load_calls(tmp_path / "a")
    stream = rows[rows["phase"] == "stream"]
    assert stream.groupby("method", observed=True).size().to_dict() == dict.fromkeys(
        ("primitive", "trove"), PROBLEMS * K
    )
    assert (stream["completion_tokens"] > 0).all()
    assert (calls["prompt_tokens"] > 0).all()
    assert (stream["status"] == "ok").mean() > 0.4  # it writes programs, and programs run
    assert stream["correct"].any()


def test_a_killed_run_goes_on_to_the_table_of_one_made_in_one_go(begin, tmp_path):
    assert begin(tmp_path / "whole", *alone(), limit=2).wait() == 0
    expected = samples(tmp_path / "whole")
    process = begin(tmp_path / "killed", *alone(), limit=2)
    while process.poll() is None and samples(tmp_path / "killed") < expected // 2:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert 0 < samples(tmp_path / "killed") < expected
    assert not (tmp_path / "killed" / "candidates.parquet").exists()
    assert begin(tmp_path / "killed", *alone(), limit=2).wait() == 0
    pd.testing.assert_frame_equal(table(tmp_path / "killed"), table(tmp_path / "whole"))
