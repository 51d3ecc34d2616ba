"""Reports: parameters are checked first, failures are told and survived, what is complete stays,
and pages are safe."""

import os
import re
import signal
import subprocess
import sys
import time
from html import unescape
from pathlib import Path

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest

from trove_lite.candidates import outcomes, save_table
from trove_lite.errors import TroveLiteError
from trove_lite_analysis.cli.notebooks import check_parameters
from trove_lite_analysis.cli.report import essays_folder, index_page, questions, report, spent
from trove_lite_papers import name_table, save
from trove_lite_papers.figures import curve, forest, heat, titled

from .analysis.test_pairs import system
from .cases import cases
from .conftest import ROOT, left_with

PARAMETERS = "k: int = 15\nname: str = 'x'\nshare: float = 0.5\nruns: list = []"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder `notebooks` where one works."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notebooks").mkdir()
    return tmp_path / "notebooks"


def notebook(path, *cells, parameters=PARAMETERS, **about):
    """Write a notebook of these cells, with what its metadata say of it."""
    book = nbformat.v4.new_notebook()
    book.metadata |= {
        "kernelspec": {"name": "python3", "language": "python", "display_name": "Python 3"}
    }
    book.metadata["trove_lite"] = about
    book.cells = [nbformat.v4.new_markdown_cell("# Does it <draw>?\n\nA line, $x^2$.")]
    book.cells += [nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})]
    book.cells += [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(book, path)
    return path


def reported(folder, *runs, parameters=(), **how):
    return report(runs, "x", notebooks=folder, parameters=dict(parameters), jobs=2, **how)


def test_texts_become_values_of_the_parameters_type_and_one_a_list_of_one(tmp_path, monkeypatch):
    path = notebook(tmp_path / "n.ipynb")
    given = {"k": "3", "name": "12e4567", "share": "1", "runs": "runs/x"}
    assert check_parameters(path, given) == {
        "k": 3,
        "name": "12e4567",
        "share": 1.0,
        "runs": ["runs/x"],
    }
    assert check_parameters(path, {"runs": "['a', 'b']"}) == {"runs": ["a", "b"]}
    monkeypatch.chdir(tmp_path)  # a notebook runs in its own folder
    assert check_parameters(path, {"runs": "n.ipynb"}) == {"runs": [str(path)]}


DRAWS = """
import os, matplotlib.pyplot as plt, pandas as pd
for folder in (results, figures): os.makedirs(folder, exist_ok=True)
open(f"{results}/a.csv", "w").write("a")
plt.plot([1, 2]); plt.savefig(f"{figures}/b.png")
pd.DataFrame({"k": [k]})"""


@pytest.mark.slow
def test_a_report_has_safe_pages_tables_and_figures_though_a_notebook_fails(
    fixture_run, folder, tmp_path, monkeypatch, capfd
):
    """In kernels of this Python, though another is installed under the kernel's name."""
    spec = tmp_path / "jupyter" / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    spec.write_text('{"argv": ["false"], "display_name": "another", "language": "python"}')
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    notebook(folder / "01_fails.ipynb", "1 / 0")
    notebook(
        folder / "02_works.ipynb",
        DRAWS,
        parameters=f"{PARAMETERS}\nresults: str = ''\nfigures: str = ''",
    )
    assert reported(folder, fixture_run, parameters={"k": "7351"}) == 1
    error = capfd.readouterr().err
    assert "01_fails failed" in error
    assert "ZeroDivisionError" in error
    page = (tmp_path / "results/x/notebooks/02_works.html").read_text()
    index = (tmp_path / "results/x/index.html").read_text()
    assert index.count(" (failed)") == 1
    assert re.search(r"<table.*7351", page, re.DOTALL)
    assert "a.csv" in index
    assert (tmp_path / "figures/x/b.png").stat().st_size > 1000
    for text in (page, index):
        assert not re.search(
            r"""(src|href)\s*=\s*["']?(https?:)?//|url\(\s*["']?(https?:)?//|@import""", text
        )
        assert "<script" not in text
    assert 'href="../index.html"' in page
    assert '<a href="notebooks/02_works.html">Does it &lt;draw&gt;?</a>' in index


def test_notebooks_about_other_methods_are_left_out_and_the_last_run_after_the_others(
    fixture_run, folder, capsys, told_to_run
):
    notebook(folder / "01_last.ipynb", last=True)
    for name, methods in (
        ("02_any", []),
        ("03_theirs", ["creator"]),
        ("04_ours", ["creator", "trove"]),
    ):
        notebook(folder / f"{name}.ipynb", methods=methods)
    notebook(folder / "05_elsewhere.ipynb", datasets=["scenes"])
    assert reported(folder, fixture_run) == 0
    assert "hold none of their methods or data: 03_theirs, 05_elsewhere" in capsys.readouterr().out
    stems = [job.notebook.stem for job in told_to_run]
    assert (sorted(stems[:2]), stems[2:]) == (["02_any", "04_ours"], ["01_last"])


def test_runs_on_two_data_sets_are_refused_before_anything_runs(folder, tmp_path, told_to_run):
    for name in ("one", "two"):
        frame = system("a", [1, 0], samples=2).assign(dataset=name, run=name)
        save_table(outcomes(frame), tmp_path / f"{name}.parquet")
    notebook(folder / "01_any.ipynb")
    with pytest.raises(TroveLiteError, match="report each on its own"):
        reported(folder, tmp_path / "one.parquet", tmp_path / "two.parquet")
    assert not told_to_run
    assert not (tmp_path / "results").exists()


def test_an_ended_report_leaves_no_process(fixture_run, folder, tmp_path):
    notebook(
        folder / "01_sleeps.ipynb", "open('begun', 'w').close(); import time; time.sleep(1000)"
    )
    words = [sys.executable, "-m", "trove_lite", "report", str(fixture_run), "--out", "x"]
    env = os.environ | {"PYTHONPATH": str(ROOT), "TROVE_LITE_TEST": str(tmp_path)}
    process = subprocess.Popen(words, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=env)
    while not (folder / "begun").exists():
        assert process.poll() is None
        time.sleep(0.2)
    process.terminate()
    _, error = process.communicate(timeout=180)  # a busy machine
    assert process.returncode == 128 + signal.SIGTERM
    assert error.endswith("interrupted\n")
    assert not left_with(f"TROVE_LITE_TEST={tmp_path}")


NEEDS = ("one model", "answers", "levels", "several samples", "beside", "made tools")


@pytest.mark.parametrize(
    ("log", "left"),
    cases(
        """
        {}, {"levels", "beside", "made tools"}
        {"level": "1"}, {"beside", "made tools"}
        {"model": ["m", "n"]}, {"levels", "one model", "beside", "made tools"}
        {"answers": None}, {"levels", "answers", "beside", "made tools"}
        {"sample": 0, "problem": EIGHT}, {"levels", "several samples", "beside", "made tools"}
        {"shares_state": True, "shortened": False}, {"levels", "beside"}
        """,
        EIGHT=range(8),
    ),
)
def test_a_notebook_that_these_runs_do_not_fit_is_left_out_and_named(
    folder, tmp_path, told_to_run, capsys, log, left
):
    frame = pd.concat(
        [system("a", [1, 0], samples=4)] * len(log.get("model", "x")), ignore_index=True
    )
    models = log.pop("model", None)
    frame = (
        frame.assign(**log)
        if "answers" not in log
        else frame.assign(answers=pd.Series([None] * len(frame)))
    )
    if models:
        frame["model"] = [models[number // 8] for number in range(len(frame))]
        frame["run"] = frame["model"]
    save_table(outcomes(frame), tmp_path / "o.parquet")
    notebook(folder / "01_any.ipynb")
    for number, need in enumerate(NEEDS, start=2):
        notebook(folder / f"0{number}_{need.replace(' ', '_')}.ipynb", needs=[need])
    assert reported(folder, tmp_path / "o.parquet") == 0
    expected = {need.replace(" ", "_") for need in left}
    assert {job.notebook.stem[3:] for job in told_to_run} == {
        "any",
        *(n.replace(" ", "_") for n in NEEDS),
    } - expected
    said = capsys.readouterr().out
    page = (tmp_path / "results" / "x" / "index.html").read_text()
    assert all(name in said and f"_{name}" in page for name in expected)


def test_runs_of_two_models_go_to_the_notebook_about_two(folder, tmp_path, told_to_run):
    for model in "mn":
        save_table(
            outcomes(system("a", [1, 0], model=model, samples=2)), tmp_path / f"{model}.parquet"
        )
    notebook(
        folder / "16_two.ipynb", parameters=f"{PARAMETERS}\nbeside: list = []", needs=["beside"]
    )
    assert reported(folder, tmp_path / "m.parquet", tmp_path / "n.parquet") == 0
    (job,) = told_to_run
    assert (job.parameters["runs"], job.parameters["beside"]) == (
        ["../m.parquet"],
        ["../n.parquet"],
    )


def test_the_index_shows_captions_as_text(tmp_path):
    hostile, (figure, _) = "<img src=x>", plt.subplots(figsize=(1, 1))
    save(
        titled(figure, name_table(pd.DataFrame(), "figure2", "", "runs"), "A title", hostile),
        tmp_path,
    )
    text = index_page(tmp_path, tmp_path, hostile, hostile, [hostile], {})
    assert "<img src=x" not in text
    assert text.count("&lt;img src=x") > 5


def test_the_index_says_the_answer_first_then_what_to_read_and_folds_the_rest(tmp_path, folder):
    path = notebook(folder / "02_x.ipynb")
    executed = nbformat.read(path, as_version=4)
    executed.cells[1].outputs = [
        nbformat.v4.new_output("execute_result", {"text/html": "<p><b>A &lt; B by 3.</b></p>"})
    ]
    (home := tmp_path / "results" / "x").mkdir(parents=True)
    (home / "notebooks").mkdir()
    nbformat.write(executed, home / "notebooks" / path.name)
    (home / "call_rates.csv").write_text("a\n1\n")
    against = ["check: one reply: 100 % of x", "check: cut off: 9 % of y"]
    against.append("not read: one error, two verdicts; no text is on record")
    listed = questions(home / "notebooks")
    assert "[Does it <draw>?](notebooks/02_x.ipynb)<br>A &lt; B by 3." in listed
    text = index_page(
        home, tmp_path / "figures", "t", "about", against, {path: False}, ["left out"], ["a b"]
    )
    assert "trove-lite view 'a b' --out" in unescape(text)
    assert "one error" not in text  # private words
    assert "Does it &lt;draw&gt;?</a><br>A &lt; B by 3." in text
    assert "2 warnings: these programs may show something else" in text
    seen = re.sub(r"<details>.*?</details>", "", text, flags=re.DOTALL)
    for folded in ("one reply", "no text is on record", "left out", "call_rates"):
        assert folded in text
        assert folded not in seen
    assert text.index("warnings") < text.index("What to read next")


def test_a_report_says_what_was_spent_where_it_is_told():
    frame = pd.concat([system(name, [1, 0], samples=2) for name in "ab"], ignore_index=True)
    frame["prompt_tokens"], frame["completion_tokens"] = 1200, 34
    frame.loc[frame["method"] == "b", "prompt_tokens"] = None
    assert spent(frame) == " Tokens a sample, read and written: a 1,234."
    assert spent(frame[frame["method"] == "b"]) == ""


def test_a_wide_figure_has_another_with_one_panel_below_the_other(tmp_path):
    rows = [("a", kind, n, 0.5, 0.4, 0.6) for kind in "xyz" for n in "mn"]
    rows = pd.DataFrame(rows, columns=["category", "rule", "system", "value", "low", "high"])
    table = name_table(rows, "three", "")
    save(forest(table, title="t", panel="rule"), tmp_path)
    save(curve(table, x="rule", title="t", panel="rule", name="lines"), tmp_path)
    cells = {"rows": "category", "columns": "system", "panel": "rule", "label": "%"}
    narrow = heat(table, title="t", **cells).stacked()
    assert not plt.fignum_exists(narrow.number)  # so no notebook shows it beside the other
    save(narrow, tmp_path, "cells-narrow")
    save(forest(table[table["rule"] == "z"], title="t", name="one"), tmp_path)
    sizes = {path.stem: plt.imread(path).shape[:2] for path in tmp_path.glob("*.png")}
    assert "one" in sizes
    for name in ("three", "lines"):
        assert sizes[name][0] < sizes[name][1]
        assert sizes[f"{name}-narrow"][0] > sizes[f"{name}-narrow"][1]
    for name in ("three-narrow", "lines-narrow", "cells-narrow"):
        assert sizes[name][1] <= 900  # at 400 px letters of ten points are of nine pixels
    page = index_page(tmp_path, tmp_path, "t", "a", [], {})
    assert page.count("<figure") == 3
    assert 'media="(max-width: 640px)" srcset="three-narrow.png"' in page


def test_essays_are_found_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert essays_folder() == ROOT / "notebooks"
    (tmp_path / "notebooks").mkdir()
    assert essays_folder() == Path("notebooks")
