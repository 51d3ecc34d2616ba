"""The committed notebooks: executed without error, the answer's as it is committed, and at home in two folders."""

import json

import nbformat
import pandas as pd
import pytest

from trove_lite.notebooks import paths

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
