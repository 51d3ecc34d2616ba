"""Grids of notebooks: checked before they run, skipped where complete, and no failure or death
loses another."""

import json

import pandas as pd
import pytest

from trove_lite.cli import main
from trove_lite.errors import TroveLiteError
from trove_lite_analysis.cli.notebooks import grid_jobs, parse_grid, run_all

from . import test_report
from .models.misbehaving import KEY, Server, error

PARAMETERS = "category: str = 'algebra'\nseed: int = 0\nshare: float = 0.5\nout: str = 'runs'\nmodel: str = 'practice'"
BODY = """
import os, pathlib, signal
async def ask():
    async with load_model(model) as entered:
        print(await entered.complete("What?", [1]), vars(entered))
        await entered.complete("What?", [2])
if seed == 1:
    from trove_lite.models import load_model
    from trove_lite.running.live import in_own_loop
    in_own_loop(ask())
if seed == 2: os.kill(os.getpid(), signal.SIGKILL)
pathlib.Path(out).mkdir(parents=True)
pathlib.Path(out, "said").write_text(f"{category} {seed}")
"""


@pytest.fixture
def notebook(tmp_path):
    (path := tmp_path / "notebooks" / "00_run.ipynb").parent.mkdir()
    return test_report.notebook(path, BODY, parameters=PARAMETERS)


def run_grid(notebook, fixed, axes, out, **how):
    return run_all(grid_jobs(notebook, fixed, axes, out), out, at_once=2, **how)


@pytest.mark.slow
def test_a_failure_and_a_death_lose_no_other_complete_cells_are_skipped_and_no_key_is_left(
    notebook, tmp_path, monkeypatch, capfd
):
    """No key is in an executed copy, with its outputs and the traceback of a failure: here a server
    quotes it."""
    monkeypatch.setenv("TROVE_LITE_API_KEY", KEY)
    out = tmp_path / "grid"
    with Server(200, error(404, f"you sent {KEY}")) as server:
        fixed = {"category": "counting", "model": server.url}
        words = [word for name, value in fixed.items() for word in ("-p", name, value)]
        assert main(["batch", str(notebook), *words, "--grid", "seed=1..3", "--out", str(out)]) == 1
        assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    manifest = pd.read_csv(out / "manifest.csv")
    assert list(manifest["cell"]) == ["seed=1", "seed=2", "seed=3"]
    assert list(manifest["status"]) == ["failed", "failed", "complete"]
    assert "HTTP 404 you sent …" in manifest["error"][0]
    assert (out / "seed=3" / "run" / "said").read_text() == "counting 3"
    assert json.loads(manifest["parameters"][2])["seed"] == 3
    said = capfd.readouterr()
    assert "1 of 3 complete" in said.out
    assert (out / "seed=3" / "00_run.ipynb").exists()
    for content in (
        "".join(said).encode(),
        *(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()),
    ):
        assert KEY.encode() not in content

    assert run_grid(notebook, fixed, {"seed": ["3"]}, out) == {}  # would fail: run/ is there
    assert len(pd.read_csv(out / "manifest.csv")) == 3


def test_a_grid_is_the_product_of_its_axes_ranges_or_lists_each_cell_with_a_place_of_its_own(
    notebook, tmp_path
):
    cells = grid_jobs(
        notebook, {"share": "1"}, parse_grid({"seed": "-1..1", "category": "a b,c"}), tmp_path / "b"
    )
    assert list(cells) == [f"seed={s},category={c}" for s in (-1, 0, 1) for c in ("a_b", "c")]
    assert [cell.parameters["out"] for cell in cells.values()] == [
        f"../b/{name}/run" for name in cells
    ]
    first = cells["seed=0,category=a_b"].parameters
    assert first | {"out": ""} == {"seed": 0, "category": "a b", "share": 1.0, "out": ""}


@pytest.mark.parametrize(
    "model", [f"http://me:{KEY}@host/v1", f"http://host/v1?key={KEY}", f"vllm:m?hf_token={KEY}"]
)
def test_a_model_that_holds_a_key_is_refused_before_it_is_written_anywhere(
    notebook, tmp_path, model
):
    for fixed, grid in (({"model": model}, {}), ({}, {"model": [model, "practice"]})):
        with pytest.raises(TroveLiteError) as error:
            run_grid(notebook, fixed, grid, tmp_path / "grid")
        assert KEY not in str(error.value)
    assert not (tmp_path / "grid").exists()
