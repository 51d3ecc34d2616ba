"""The committed notebooks: executed without error, at home in two folders, and showing what results/ holds."""

import json
import re
import subprocess

import nbformat
import numpy as np
import pandas as pd
import pytest

from trove_lite.cli.notebooks import paths

from .conftest import ROOT
from .papers.essays import executed


@pytest.mark.filterwarnings("default")  # of pandas to come, in a cell: a kernel shows them
def test_the_notebook_of_the_answer_makes_what_is_committed_and_what_the_first_page_says(tmp_path):
    executed(ROOT / "notebooks" / "01_answer.ipynb", results=str(tmp_path), figures=str(tmp_path))
    made = tmp_path / "answer.csv"
    assert made.read_text() == (ROOT / "results" / "answer" / "answer.csv").read_text()
    assert (tmp_path / "answer.png").stat().st_size > 10_000
    ours = pd.read_csv(made).query("counted")
    shown = ours[ours["p_holm"] < 0.05]["difference"]
    said = f"Of {len(ours)} planned comparisons that count, tools are behind in {sum(shown < 0)} and "
    said += f"ahead in {sum(shown > 0)}"
    said = said if len(ours) else "None of its runs is published yet"
    assert said in " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


def test_a_notebook_runs_from_the_repositorys_root_as_well(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert paths("../results", ["../runs/x", "/y"], "") == ["results", ["runs/x", "/y"], ""]
    assert paths({"../results/x": "../about"}) == [{"results/x": "../about"}]
    monkeypatch.chdir(ROOT / "notebooks")
    assert paths("../results", ["../runs/x", "/y"], "") == ["../results", ["../runs/x", "/y"], ""]


ESTIMATE = re.compile(r"([+-]?\d+\.\d+) \[([+-]?\d+\.\d+), ([+-]?\d+\.\d+)\]")
ESSAYS = sorted(path for path in (ROOT / "notebooks").glob("*.ipynb") if path.stem != "00_run")


@pytest.mark.parametrize("path", ESSAYS, ids=lambda p: p.stem)
def test_essays_in_git_are_executed_from_top_to_bottom_without_error_or_place_of_this_machine(path):
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell.outputs]
    assert outputs
    assert "error" not in {output.output_type for output in outputs}
    assert "Your " not in json.dumps(outputs)  # no definition parts from the kit's
    assert str(ROOT) not in json.dumps(outputs)


@pytest.fixture(scope="module")
def kept() -> np.ndarray:
    """Estimates × (value, low, high) of all committed tables."""
    paths = subprocess.run(["git", "ls-files", "results/*.csv"], cwd=ROOT, capture_output=True, text=True, check=True)
    tables = [pd.read_csv(ROOT / path) for path in paths.stdout.split()]
    columns = [[value, "low", "high"] for value in ("value", "difference")]
    estimates = [table[three] for table in tables for three in columns if {*three[:2]} <= set(table)]
    return np.concatenate([table.apply(pd.to_numeric, errors="coerce").dropna().to_numpy() for table in estimates])


@pytest.mark.parametrize("path", ESSAYS, ids=lambda p: p.stem)
def test_every_estimate_of_an_essay_with_an_interval_stands_in_a_table(path, kept):
    outputs = [out for cell in nbformat.read(path, as_version=4).cells for out in cell.get("outputs", [])]
    texts = ["".join(out.get("text", out.get("data", {}).get("text/html", []))) for out in outputs]
    unknown = []
    for found in ESTIMATE.finditer("\n".join(texts)):
        shown, half = np.array(found.groups(), dtype=float), 0.51 * 10.0 ** -len(found[1].split(".")[1])
        if not any((abs(kept * scale - shown) <= half).all(axis=1).any() for scale in (1, 100)):  # shares, or points
            unknown.append(found[0])
    assert unknown == []
