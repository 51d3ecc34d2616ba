"""The committed notebooks: executed without error, at home in two folders, and showing what
results/ holds."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import numpy as np
import pandas as pd
import pytest

from trove_lite.candidates import outcomes, save_table
from trove_lite.cli import main
from trove_lite.errors import TroveLiteError
from trove_lite_analysis.cli.notebooks import notebook_parameters, paths, refuse_unknown

from .cases import cases
from .conftest import ROOT
from .newcomer import inputs
from .papers.essays import NOTEBOOKS, essay, executed
from .simulated import candidates

ELSEWHERE = ("25", "30", "40")  # about data or methods that no simulated run has


@pytest.mark.filterwarnings("default")  # of pandas to come, in a cell: a kernel shows them
def test_the_notebook_of_the_answer_makes_what_is_committed(tmp_path):
    executed(ROOT / "notebooks" / "01_answer.ipynb", results=str(tmp_path), figures=str(tmp_path))
    made = tmp_path / "answer.csv"
    assert made.read_text() == (ROOT / "results" / "answer" / "answer.csv").read_text()
    assert (tmp_path / "answer.png").stat().st_size > 10_000


def test_paths_are_found_from_the_root_from_the_notebooks_and_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert paths("../results", ["../runs/x", "/y"], 7) == ["results", ["runs/x", "/y"], "7"]
    assert paths({"../results/x": "../about"}) == [{"results/x": "../about"}]
    assert paths(["runs/x"], [["a", "b"]], [[]]) == [
        ["runs/x"],
        ["a", "b"],
        [],
    ]  # a text is a list of one
    monkeypatch.chdir(ROOT / "notebooks")
    assert paths("../results", ["../runs/x", "/y"], "") == ["../results", ["../runs/x", "/y"], ""]
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    (tmp_path / "mine").mkdir()
    assert paths("../results", "../mine", "../none", "x") == [
        str(ROOT / "results"),
        "../mine",
        "../none",
        "x",
    ]


FOLDERS = {"runs", "longer", "beside", "choices", "results", "figures", "out"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_path_of_a_notebook_goes_through_paths_before_it_is_used(path):
    """Whatever its default or its name calls a path; one that is a list may be given as a text."""
    cells = [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]
    places = {
        name
        for name, value in notebook_parameters(path).items()
        if name in FOLDERS or "../" in repr(value)
    }
    lists = {name for name in places if isinstance(notebook_parameters(path)[name], list)}
    (first,) = (n for n, cell in enumerate(cells) if "parameters" in cell.metadata.get("tags", []))
    tree = ast.parse("\n".join(cell.source for cell in cells[first + 1 :]))
    (call,) = (
        s
        for s in tree.body
        if isinstance(s, ast.Assign) and ast.unparse(s.value).startswith("ta.paths(")
    )
    before = ast.walk(ast.Module(tree.body[: tree.body.index(call)], []))
    assert places & {node.id for node in before if isinstance(node, ast.Name)} == set()
    given, made = (
        {n.id for n in ast.walk(part) if isinstance(n, ast.Name)}
        for part in (call.value, call.targets[0])
    )
    assert places - given == set()
    assert places - made == set()
    assert lists - {a.elts[0].id for a in call.value.args if isinstance(a, ast.List)} == set()


def papermill(path, folder, out, *words):
    """The outcome of plain papermill on a notebook, started in a folder."""
    command = [sys.executable, "-m", "papermill", os.path.relpath(path, folder), str(out), *words]
    how = {"capture_output": True, "text": True, "cwd": folder, "timeout": 900}
    return subprocess.run([*command, "--no-progress-bar"], check=False, **how)


@pytest.fixture
def ways(tmp_path):
    """Ways to give a notebook its runs, as words of papermill, and the folders to start it in."""
    save_table(
        outcomes(candidates(problems=4, categories=("counting",))), runs := tmp_path / "o.parquet"
    )
    (tmp_path / "given.yaml").write_text(f"runs: [{runs}]\n")
    words = {"default": (), "-p": ("-p", "runs", str(runs)), "-y": ("-y", f"runs: [{runs}]")}
    words["-f"] = ("-f", str(tmp_path / "given.yaml"))
    (tmp_path / "foreign").mkdir()
    return words, {"root": ROOT, "notebooks": ROOT / "notebooks", "foreign": tmp_path / "foreign"}


#: As the newcomers called them; and others.
FAST = [
    (
        re.search(r"notebooks/(\d+)", given["command"])[1],
        "root",
        "-p" if " -p " in given["command"] else "default",
    )
    for given in inputs("papermill").values()
]
FAST += [("80", "foreign", "default"), ("20", "foreign", "-f")]
FAST = [each for each in FAST if each[0] in {path.stem[:2] for path in NOTEBOOKS}]
SLOW = [
    (path.stem, where, "default")
    for path in NOTEBOOKS
    for where in ("root", "notebooks", "foreign")
]
SLOW += [
    (path.stem, "root", way)
    for path in NOTEBOOKS
    for way in ("-p", "-y", "-f")
    if "runs" in notebook_parameters(path)
]


@pytest.mark.parametrize(
    ("stem", "where", "way"),
    [*FAST, *(pytest.param(*each, marks=pytest.mark.slow) for each in SLOW)],
)
def test_plain_papermill_runs_a_notebook_from_anywhere(stem, where, way, ways, tmp_path):
    words, folders = ways
    (path,) = (path for path in NOTEBOOKS if path.stem.startswith(stem))
    if way != "default" and path.stem[:2] in ELSEWHERE:
        pytest.skip("it is about other runs")
    places = [("-p", name, str(tmp_path / name)) for name in ("results", "figures", "out")]
    if stem.startswith("17"):  # it reads the tables of others there
        shutil.copytree(ROOT / "results" / "codellama-7b-instruct", tmp_path / "results")
    more = [word for place in places if place[1] in notebook_parameters(path) for word in place]
    done = papermill(path, folders[where], tmp_path / "out.ipynb", *words[way], *more)
    if "missing; run `trove-lite fetch" in done.stderr:
        pytest.skip("public data is not here")
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.parametrize("method", ["primitive", "instance", "trove"])
def test_the_notebook_of_runs_makes_a_run_of_each_method_that_it_names(method, tmp_path):
    (path,) = (path for path in NOTEBOOKS if path.stem == "00_run")
    executed(path, method=method, limit=1, k=3, seed=2, out=str(tmp_path / "run"))
    said = pd.read_parquet(tmp_path / "run" / "candidates.parquet")
    assert set(said["method"]) == {method}


OWN = "runs: list = []  # run folders\nk: int = 15\nresults: str = ''"


@pytest.mark.parametrize(
    ("injected", "unknown"),
    cases(
        r"""
        "run = '../runs/mine'",    "run"
        "runs = ['a']\nK = 3",     "K"
        "Runs = []",               "Runs"
        "runs = []\nresult = 'x'", "result"
        "seed = 1\nk = 2",         "seed"
        "k = 2\nruns = ['a']",     ""
        "",                        ""
        """
    ),
)
def test_an_essay_refuses_a_parameter_that_it_does_not_have(injected, unknown):
    cells = ["", OWN, f"# Parameters\n{injected}", "import x\nz = x.paths(runs)"]
    if not unknown:
        return refuse_unknown(cells if injected else cells[:2])
    with pytest.raises(TroveLiteError, match=f"no parameter '{unknown}': it has k, results, runs"):
        refuse_unknown(cells)


def test_papermill_with_a_wrong_name_ends_at_once(tmp_path):
    done = papermill(essay("20"), ROOT, tmp_path / "out.ipynb", "-p", "run", "runs/mine")
    assert done.returncode == 1
    assert "this notebook has no parameter 'run'" in done.stderr


@pytest.mark.slow
def test_a_grid_of_seeds_makes_the_runs_that_papermill_makes_in_a_loop(tmp_path):
    (path,) = (path for path in NOTEBOOKS if path.stem == "00_run")
    few = ["-p", "limit", "2", "-p", "k", "3"]
    assert main(["batch", str(path), *few, "--grid", "seed=0..1", "--out", str(tmp_path)]) == 0
    for seed in ("0", "1"):
        out = ["-p", "seed", seed, "-p", "out", str(tmp_path / seed)]
        assert papermill(path, ROOT, tmp_path / "x.ipynb", *few, *out).returncode == 0
        both = [
            pd.read_parquet(run) for run in sorted(tmp_path.glob(f"*{seed}/**/candidates.parquet"))
        ]
        one, other = (each.drop(columns=["generate_seconds", "execute_seconds"]) for each in both)
        pd.testing.assert_frame_equal(one, other)


SEEDED = [path for path in NOTEBOOKS if "seed" in notebook_parameters(path)]


@pytest.mark.parametrize("path", SEEDED, ids=lambda p: p.stem)
def test_a_notebook_says_whether_its_seed_is_of_a_run_or_of_a_resampling(path):
    cells = nbformat.read(path, as_version=4).cells
    given = next(cell.source for cell in cells if "parameters" in cell.metadata.get("tags", []))
    said = re.search(r"^seed: int = 0  # (of the run|of a resampling)\b", given, re.MULTILINE)
    assert said
    drawn = "live_run(" in "".join(cell.source for cell in cells)
    assert said[1] == ("of the run" if drawn else "of a resampling")


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
    paths = subprocess.run(
        ["git", "ls-files", "results/*.csv"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    tables = [pd.read_csv(ROOT / path) for path in paths.stdout.split()]
    columns = [[value, "low", "high"] for value in ("value", "difference")]
    estimates = [table[three] for table in tables for three in columns if {*three} <= set(table)]
    for table in tables:
        for name in table.columns:
            ends = [f"{name}, low", f"{name}, high"]
            if {*ends} <= set(table):
                estimates.append(table[[name, *ends]])
    return np.concatenate(
        [table.apply(pd.to_numeric, errors="coerce").dropna().to_numpy() for table in estimates]
    )


@pytest.mark.parametrize("path", ESSAYS, ids=lambda p: p.stem)
def test_every_estimate_of_an_essay_with_an_interval_stands_in_a_table(path, kept):
    outputs = [
        out for cell in nbformat.read(path, as_version=4).cells for out in cell.get("outputs", [])
    ]
    texts = ["".join(out.get("text", out.get("data", {}).get("text/html", []))) for out in outputs]
    unknown = []
    for found in ESTIMATE.finditer("\n".join(texts)):
        shown = np.array(found.groups(), dtype=float)
        half = 0.51 * 10.0 ** -len(found[1].split(".")[1])
        if not any(
            (abs(kept * scale - shown) <= half).all(axis=1).any() for scale in (1, 100)
        ):  # shares, or points
            unknown.append(found[0])
    assert unknown == []
