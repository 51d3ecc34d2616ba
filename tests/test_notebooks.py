"""Reports and the command line: every notebook runs, parameters are checked, failures are told and survived."""

import ast
import contextlib
import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest

from trove_lite import TroveLiteError
from trove_lite.candidates import outcomes, save_table
from trove_lite.cli import main
from trove_lite.notebooks import _is_about, check_parameters, execute_notebook, notebook_parameters, paths, report

from .conftest import ROOT
from .processes import processes_with
from .simulated import candidates, log, problem

NOTEBOOKS = sorted(p for p in (ROOT / "notebooks").glob("[0-9]*.ipynb") if "runs" in notebook_parameters(p))


@pytest.fixture(scope="module")
def fixture_run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    frame = candidates(problems=5, categories=("counting", "geometry", "number"))
    save_table(outcomes(frame), folder / "outcomes.parquet")
    return folder / "outcomes.parquet"


def notebook(path, *cells, parameters="k: int = 15\nname: str = 'x'\nshare: float = 0.5\nruns: list = []"):
    book = nbformat.v4.new_notebook()
    book.metadata["kernelspec"] = {"name": "python3", "language": "python", "display_name": "Python 3"}
    book.cells = [nbformat.v4.new_code_cell(parameters, metadata={"tags": ["parameters"]})]
    book.cells += [nbformat.v4.new_code_cell(cell) for cell in cells]
    nbformat.write(book, path)
    return path


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


def test_a_report_has_pages_tables_and_figures_of_its_notebooks_with_an_index(fixture_run, tmp_path):
    """In kernels, as users have it; that every notebook's cells run is the test above."""
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for stem in ("11_reeval_modes", "15_errors"):
        shutil.copy(ROOT / "notebooks" / f"{stem}.ipynb", folder)
    assert report([fixture_run], "small", notebooks=folder, parameters={"seed": "1"}, jobs=2, root=tmp_path) == 0
    index = (tmp_path / "results/small/index.html").read_text()
    for stem in ("11_reeval_modes", "15_errors"):
        assert f"notebooks/{stem}.html" in index
        assert "<table" in (tmp_path / f"results/small/notebooks/{stem}.html").read_text()
    assert "reeval_table2.csv" in index
    assert len(pd.read_csv(tmp_path / "results/small/reeval_table2_check.csv"))
    assert (tmp_path / "figures/small/reeval_figure1.png").stat().st_size > 10_000
    assert (tmp_path / "figures/small/reeval_figure1.svg").read_text().startswith("<?xml")


def test_the_notebook_of_reexecution_shows_what_is_committed(tmp_path):
    path = ROOT / "notebooks" / "80_reexecution.ipynb"
    execute_notebook(path, {"figures": str(tmp_path)}, tmp_path / "executed.ipynb")
    assert (tmp_path / "time_limits.png").stat().st_size > 10_000
    said = json.dumps(nbformat.read(tmp_path / "executed.ipynb", as_version=4).cells[-2:])
    total = pd.read_csv(ROOT / "results" / "reexecution" / "agreement.csv").set_index("category").loc["all"]
    assert f"Of {total['candidates']:,} programs" in said


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


@pytest.mark.parametrize("path", sorted((ROOT / "notebooks").glob("*.ipynb")), ids=lambda p: p.stem)
def test_notebooks_in_git_carry_no_outputs(path):
    for cell in nbformat.read(path, as_version=4).cells:
        assert not cell.get("outputs")
        assert not cell.get("execution_count")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"K": "3"}, "has no parameter 'K': it has k, name, share"),
        ({"k": "1_0"}, "takes a int such as 15, not '1_0'"),
        ({"k": "12e4567"}, "takes a int such as 15"),
        ({"k": "fifteen"}, "takes a int such as 15"),
        ({"share": "[1]"}, "takes a float such as 0.5"),
        ({"k": "__import__('os')"}, "takes a int such as 15"),
    ],
)
def test_parameters_are_checked_against_the_notebooks_own(tmp_path, given, message):
    with pytest.raises(TroveLiteError, match=message.replace("(", r"\(").replace(")", r"\)")):
        check_parameters(notebook(tmp_path / "n.ipynb"), given)


def test_texts_become_values_of_the_parameters_type(tmp_path):
    path = notebook(tmp_path / "n.ipynb")
    assert check_parameters(path, {"k": "3", "name": "12e4567", "share": "1"}) == {
        "k": 3,
        "name": "12e4567",
        "share": 1.0,
    }


def test_a_failing_notebook_shows_its_traceback_and_the_others_finish(fixture_run, tmp_path, capfd):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    notebook(folder / "01_fails.ipynb", "1 / 0")
    notebook(folder / "02_works.ipynb", "from pathlib import Path; Path('done').write_text(str(k))")
    assert report([fixture_run], "x", notebooks=folder, parameters={"k": "7"}, jobs=2, root=tmp_path) == 1
    assert (folder / "done").read_text() == "7"
    error = capfd.readouterr().err
    assert "01_fails.ipynb failed" in error
    assert "ZeroDivisionError" in error
    assert "(failed)" in (tmp_path / "results/x/index.html").read_text()


def test_a_page_loads_nothing_from_elsewhere_folds_code_describes_pictures_and_leads_back(fixture_run, tmp_path):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    path = notebook(folder / "01_draws.ipynb", "import matplotlib.pyplot as plt; plt.plot([1, 2]);")
    book = nbformat.read(path, as_version=4)
    book.cells.insert(0, nbformat.v4.new_markdown_cell("# Does it <draw>?\n\nA line, $x^2$."))
    nbformat.write(book, path)
    assert report([fixture_run], "x", notebooks=folder, parameters={}, jobs=1, root=tmp_path) == 0
    page = (tmp_path / "results/x/notebooks/01_draws.html").read_text()
    index = (tmp_path / "results/x/index.html").read_text()
    for text in (page, index):
        assert not re.search(r"""(src|href)\s*=\s*["']?(https?:)?//|url\(\s*["']?(https?:)?//|@import""", text)
        assert "<script" not in text
    assert page.count("<details><summary>code</summary>") == 3  # with the cell that papermill injects
    assert 'alt="Figure: Does it &lt;draw&gt;?"' in page
    assert 'href="../index.html"' in page
    assert '<a href="notebooks/01_draws.html">Does it &lt;draw&gt;?</a>' in index


def test_a_notebook_about_other_methods_is_left_out(fixture_run, tmp_path, capsys, told_to_run):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for name, methods in (("01_any", []), ("02_theirs", ["creator"]), ("03_ours", ["creator", "trove"])):
        path = notebook(folder / f"{name}.ipynb")
        book = nbformat.read(path, as_version=4)
        book.metadata["trove_lite"] = {"methods": methods}
        nbformat.write(book, path)
    assert report([fixture_run], "x", notebooks=folder, parameters={}, jobs=2, root=tmp_path) == 0
    assert "hold none of their methods: 02_theirs" in capsys.readouterr().out
    assert {job.notebook.stem for job in told_to_run} == {"01_any", "03_ours"}


def test_a_report_runs_again_what_is_new_and_nothing_else(fixture_run, tmp_path, told_to_run):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    for name in ("01_one", "02_two"):
        notebook(folder / f"{name}.ipynb")

    def ran(**how) -> list[str]:
        told_to_run.clear()
        report([fixture_run], "x", notebooks=folder, parameters={}, jobs=2, root=tmp_path, **how)
        return sorted(job.notebook.stem for job in told_to_run)

    assert ran() == ["01_one", "02_two"]
    assert ran() == []
    (tmp_path / "results/x/notebooks/01_one.json").unlink()
    assert ran() == ["01_one"]
    assert ran(force=True) == ["01_one", "02_two"]
    os.utime(fixture_run)  # other runs, for all that the report knows
    assert ran() == ["01_one", "02_two"]


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="not a checkout")
def test_git_ignores_reports_of_your_own_and_nothing_that_is_committed():
    def git(*words: str) -> list[str]:
        return subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True).stdout.splitlines()

    own = ["results/mine/reeval_table1.csv", "figures/mine/reeval_table1.png"]
    assert git("check-ignore", *own) == own
    assert git("ls-files", "--cached", "--ignored", "--exclude-standard") == []


def test_an_ended_report_leaves_no_process(fixture_run, tmp_path):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    notebook(folder / "01_sleeps.ipynb", "open('begun', 'w').close(); import time; time.sleep(1000)")
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from trove_lite.cli import main; sys.exit(main())",
            "report",
            str(fixture_run),
            "--out",
            "x",
        ],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": str(ROOT), "TROVE_LITE_TEST": str(tmp_path)},
    )
    while not (folder / "begun").exists():
        assert process.poll() is None
        time.sleep(0.2)
    process.terminate()
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert said.endswith("give the same command again to go on\n")
    deadline = time.monotonic() + 30
    while (left := processes_with(f"TROVE_LITE_TEST={tmp_path}")) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not left


def test_an_unknown_parameter_stops_the_report_before_anything_runs(fixture_run, tmp_path):
    with pytest.raises(TroveLiteError, match="no notebook has a parameter 'seeed'"):
        report([fixture_run], "x", notebooks=ROOT / "notebooks", parameters={"seeed": "1"}, jobs=1, root=tmp_path)
    assert not (tmp_path / "results").exists()


def test_a_notebook_without_parameters_cell_is_refused(tmp_path):
    nbformat.write(nbformat.v4.new_notebook(), tmp_path / "n.ipynb")
    with pytest.raises(TroveLiteError, match="no cell is tagged 'parameters'"):
        notebook_parameters(tmp_path / "n.ipynb")


def test_execute_notebook_runs_in_the_notebooks_folder(tmp_path):
    path = notebook(tmp_path / "n.ipynb", "from pathlib import Path; Path('here').touch()")
    execute_notebook(path, {"k": 1}, tmp_path / "out" / "n.ipynb")
    assert (tmp_path / "here").exists()


# ---- the command line ----


def test_summary_as_json_and_as_text(fixture_run, capsys):
    assert main(["summary", str(fixture_run), "--json"]) == 0
    summary = json.loads(capsys.readouterr().out)
    assert len(summary["runs"]) == 12
    assert {"two_stage_correct", "one_stage_correct", "oracle_correct", "pass_at_5", "unique"} <= set(
        summary["runs"][0]
    )
    assert main(["summary", str(fixture_run)]) == 0
    assert "== counting" in capsys.readouterr().out


def test_errors_are_one_line_and_a_status(tmp_path, capsys):
    assert main(["summary", str(tmp_path / "none")]) == 1
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert error.count("\n") == 1


def test_import_writes_a_run_that_summary_reads(tmp_path, monkeypatch, capsys):
    problems = [problem(i, answer=3.0 + i) for i in range(3)]
    monkeypatch.setattr("trove_lite.recorded.official_logs.known_problems", lambda: problems)
    (tmp_path / "run0.md").write_text(log(problems))
    arguments = ["import", str(tmp_path / "run0.md"), "--out", str(tmp_path / "run")]
    assert main(arguments) == 0
    assert "18 candidates" in capsys.readouterr().out
    assert main(arguments) == 1
    assert "a run is there already" in capsys.readouterr().err
    assert main([*arguments, "--force"]) == 0
    description = json.loads((tmp_path / "run/run.json").read_text())
    assert description["logs"][0]["problems"] == 3
    assert main(["summary", str(tmp_path / "run")]) == 0


def test_a_bad_log_writes_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("trove_lite.recorded.official_logs.known_problems", list)
    (tmp_path / "run0.md").write_text("hello")
    assert main(["import", str(tmp_path / "run0.md"), "--out", str(tmp_path / "run")]) == 1
    assert "line 1" in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_report_name_must_be_plain(fixture_run, capsys):
    assert main(["report", str(fixture_run), "--out", "../x"]) == 1
    assert "plain name" in capsys.readouterr().err
