"""The committed notebooks: executed without error, at home in two folders, and showing what results/ holds."""

import ast
import json
import os
import re
import subprocess
import sys

import nbformat
import numpy as np
import pandas as pd
import pytest

from trove_lite.candidates import outcomes, save_table
from trove_lite.cli.notebooks import notebook_parameters, paths

from .conftest import ROOT
from .papers.essays import NOTEBOOKS, executed
from .simulated import candidates


@pytest.mark.filterwarnings("default")  # of pandas to come, in a cell: a kernel shows them
def test_the_notebook_of_the_answer_makes_what_is_committed_and_what_the_first_page_says(tmp_path):
    executed(ROOT / "notebooks" / "01_answer.ipynb", results=str(tmp_path), figures=str(tmp_path))
    made = tmp_path / "answer.csv"
    assert made.read_text() == (ROOT / "results" / "answer" / "answer.csv").read_text()
    assert (tmp_path / "answer.png").stat().st_size > 10_000
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    counted = pd.read_csv(made).query("counted")
    for _, ours in counted.groupby(counted["study"].str.split(",").str[0]):  # by model
        shown = ours[ours["p_holm"] < 0.05]["difference"]
        said = f"of {len(ours)} planned comparisons that count, tools are behind in {sum(shown < 0)} and "
        assert f"{said}ahead in {sum(shown > 0)}" in readme


def test_paths_are_found_from_the_root_from_the_notebooks_and_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert paths("../results", ["../runs/x", "/y"], "") == ["results", ["runs/x", "/y"], ""]
    assert paths({"../results/x": "../about"}) == [{"results/x": "../about"}]
    assert paths(["runs/x"], [["a", "b"]], [[]]) == [["runs/x"], ["a", "b"], []]  # a text is a list of one
    monkeypatch.chdir(ROOT / "notebooks")
    assert paths("../results", ["../runs/x", "/y"], "") == ["../results", ["../runs/x", "/y"], ""]
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "mine").mkdir()
    assert paths("../results", "../mine", "../none", "x") == [str(ROOT / "results"), "../mine", "../none", "x"]


FOLDERS = {"runs", "longer", "beside", "choices", "results", "figures", "out"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_path_of_a_notebook_goes_through_paths_before_it_is_used(path):
    """Whatever its default or its name calls a path; one that is a list may be given as a text."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    places = {name for name, value in notebook_parameters(path).items() if name in FOLDERS or "../" in repr(value)}
    lists = {name for name in places if isinstance(notebook_parameters(path)[name], list)}
    (first,) = (n for n, cell in enumerate(cells) if "parameters" in cell.metadata.get("tags", []))
    tree = ast.parse("\n".join(cell.source for cell in cells[first + 1 :]))
    (call,) = (s for s in tree.body if isinstance(s, ast.Assign) and ast.unparse(s.value).startswith("tl.paths("))
    before = ast.walk(ast.Module(tree.body[: tree.body.index(call)], []))
    assert places & {node.id for node in before if isinstance(node, ast.Name)} == set()
    given, made = ({n.id for n in ast.walk(part) if isinstance(n, ast.Name)} for part in (call.value, call.targets[0]))
    assert places - given == set()
    assert places - made == set()
    assert lists - {a.elts[0].id for a in call.value.args if isinstance(a, ast.List)} == set()


@pytest.mark.parametrize(
    ("stem", "here", "way"), [("12", True, "-p"), ("02", True, ""), ("80", False, ""), ("20", False, "-f")]
)
def test_plain_papermill_runs_a_notebook_from_anywhere(stem, here, way, tmp_path):
    """As newcomers called them, in the repository's root or in a folder elsewhere."""
    save_table(outcomes(candidates(problems=4, categories=("counting",))), runs := tmp_path / "o.parquet")
    (tmp_path / "given.yaml").write_text(f"runs: [{runs}]\n")
    words = {"": [], "-p": ["-p", "runs", str(runs)], "-f": ["-f", str(tmp_path / "given.yaml")]}[way]
    (path,) = (path for path in NOTEBOOKS if path.stem.startswith(stem))
    for name in {"results", "figures", "out"} & notebook_parameters(path).keys():
        words += ["-p", name, str(tmp_path / name)]
    folder = ROOT if here else tmp_path
    command = [sys.executable, "-m", "papermill", os.path.relpath(path, folder), str(tmp_path / "out.ipynb"), *words]
    done = subprocess.run([*command, "--no-progress-bar"], cwd=folder, capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-3000:]


ESTIMATE = re.compile(r"([+-]?\d+\.\d+) \[([+-]?\d+\.\d+), ([+-]?\d+\.\d+)\]")
ESSAYS = [path for path in NOTEBOOKS if path.stem != "00_run"]


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
    columns.append(["agreement", "agreement, low", "agreement, high"])
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
