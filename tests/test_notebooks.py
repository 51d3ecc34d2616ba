"""Reports and the command line: every notebook runs, parameters are checked, failures are told and survived."""

import ast
import contextlib
import io
import json

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest

from trove_lite.candidates import outcomes, save_table
from trove_lite.notebooks import execute_notebook, notebook_parameters, paths
from trove_lite.report import _is_about

from .conftest import ROOT
from .simulated import candidates

NOTEBOOKS = sorted(p for p in (ROOT / "notebooks").glob("[0-9]*.ipynb") if "runs" in notebook_parameters(p))


def shown(path, monkeypatch, **given):
    """What a notebook's cells print and show, run in its folder in this process: a kernel costs seconds of its own.

    Of what is given it takes the parameters that it has. Warnings are errors here, as in every test.
    """
    monkeypatch.chdir(path.parent)
    out, names = io.StringIO(), {"display": print}
    with contextlib.redirect_stdout(out):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                tree = ast.parse(cell.source)
                last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
                exec(compile(tree, path.name, "exec"), names)
                if last:
                    print(eval(compile(ast.Expression(last.value), path.name, "eval"), names))
                if "parameters" in cell.metadata.get("tags", ()):
                    names |= {name: value for name, value in given.items() if name in names}
                plt.close("all")
    return out.getvalue()


@pytest.mark.parametrize("methods", [("trove", "primitive"), ("trove",), ("primitive",)], ids="-".join)
def test_every_notebook_runs_on_two_sides_and_on_one(methods, fixture_run, tmp_path, monkeypatch):
    """What cannot be had is one line that says why; no table is of NaN, and no picture is of nothing.

    One side alone has no data folder either. Two have, and leave the papers' worked examples unexecuted.
    """
    runs, both = fixture_run, len(methods) == 2
    if not both:
        monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path / "nothing"))
        frame = candidates(categories=("counting",))
        save_table(outcomes(frame[frame["method"] == methods[0]]), runs := tmp_path / "outcomes.parquet")
    results, figures = tmp_path / "results", tmp_path / "figures"
    given = {"runs": [str(runs)], "results": str(results), "figures": str(figures), "resamples": 10}
    given |= {"beside": [], "execute": not both}
    assert {path.stem for path in NOTEBOOKS if not _is_about(path, set(methods))} == {"30_creator", "40_latm"}
    for path in NOTEBOOKS:
        text = shown(path, monkeypatch, **given)
        assert text.strip(), path.stem
        if path.stem.startswith("1"):
            assert "nan" not in text.lower().replace("primitive", ""), path.stem
    drawn = {path.stem for path in figures.glob("*.png")}
    assert ("reeval_figure1" in drawn) == ("trove" in methods)
    assert ("reeval_matched_budgets" in drawn) == both
    if both:
        assert len(pd.read_csv(results / "accuracy_differences.csv")) == 2 * 4  # rules, and three categories with all
        assert drawn >= {
            "accuracy",
            "reeval_figure1",
            "reeval_figure2",
            "reeval_figure3",
            "reeval_figure4",
            "reeval_table9",
        }
        for name in ("table1", "table2", "table3", "table5", "table6", "table7", "table8", "table9", "differences"):
            assert len(pd.read_csv(results / f"reeval_{name}.csv"))


def test_the_notebook_of_the_answer_makes_what_is_committed_and_what_the_first_page_says(tmp_path):
    path = ROOT / "notebooks" / "01_answer.ipynb"
    execute_notebook(path, {"results": str(tmp_path), "figures": str(tmp_path)}, tmp_path / "executed.ipynb")
    made = tmp_path / "answer.csv"
    assert made.read_text() == (ROOT / "results" / "answer" / "answer.csv").read_text()
    assert (tmp_path / "answer.png").stat().st_size > 10_000
    ours = pd.read_csv(made).query("counted")
    shown = ours[ours["p_holm"] < 0.05]["difference"]
    said = f"Of {len(ours)} comparisons {sum(shown < 0)} show tools behind, {sum(shown > 0)} ahead"
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
    assert str(ROOT) not in json.dumps(outputs)
