"""Result files: the selected answer of each problem; libraries: what a run kept; and the bundled
outcomes."""

import json

import pandas as pd
import pytest

from trove_lite import TroveLiteError, choose, load_candidates
from trove_lite.candidates import SELECTION, all_candidates, selected_alone, selections
from trove_lite.datasets.files import public_paths
from trove_lite_analysis import toolboxes
from trove_lite_analysis.recorded.official_files import library_of, read_library
from trove_lite_analysis.recorded.official_logs import import_logs
from trove_lite_analysis.summary import summarise

from ..cases import named
from ..conftest import ROOT
from ..simulated import log, problem
from ..typed import typed

PROBLEMS = [problem(i, answer=3.0 + i) for i in range(20)]
OUTCOMES = ROOT / "results/codellama-7b-instruct/outcomes.parquet"


def selected(gold, output="7", *, mode="import", ok=True, correct=False, tools=()):
    """One entry of a result file."""
    response = {
        "answer": gold,
        "exec_output": output,
        "is_correct": correct,
        "is_success": ok,
        "model_answers": [],
    }
    response |= {"function": [{"function": code} for code in tools], "response": ""}
    return {"mode": mode, "response": response | {"solution": f"```python\nprint({output})\n```"}}


def entries(**changed):
    """An entry a problem, each wrong, but for those that `changed` gives by number (`p3`)."""
    return [changed.get(f"p{p.index}", selected(p.gold, "0")) for p in PROBLEMS]


def read(tmp_path, content, run="base_run0", problems=PROBLEMS):
    path = tmp_path / run / "results" / "run0.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return import_logs([path], problems, progress=False)


def test_a_result_file_gives_one_row_a_problem(tmp_path):
    right = selected(5.0, "5 9", mode="skip", correct=True)
    table, (report,) = read(tmp_path, entries(p2=right))
    assert table["problem"].tolist() == list(range(20))
    assert set(table["provenance"]) == {SELECTION}
    row = table.iloc[2]
    assert (row["mode"], row["place"], row["correct"], list(row["answers"])) == (
        "skip",
        2,
        True,
        ["5.0", "9.0"],
    )
    assert (report.problems, report.recorded_correct, report.correct, report.disagreements) == (
        20,
        1,
        1,
        [],
    )
    assert "20 selected answers, 1 recorded as correct, 1 by our grading" in str(report)


def test_modes_of_runs_without_import_are_named_one_too_early(tmp_path):
    changed = {
        f"p{i}": selected(3.0 + i, mode=mode) for i, mode in enumerate(("import", "create", "skip"))
    }
    table, _ = read(tmp_path, entries(**changed), run="count_ablat1_run0")
    assert table["mode"].tolist()[:3] == ["create", "skip", "skip"]
    assert table["place"].tolist()[:3] == [0, 1, 1]
    assert set(table["method"]) == {"trove_no_import"}
    with_import, _ = read(tmp_path, entries(**changed), run="base_count_ablat1_run0")
    assert with_import["mode"].tolist()[:3] == ["import", "create", "skip"]
    assert set(with_import["method"]) == {"trove"}


def test_an_answer_graded_by_anothers_gold_gets_its_own_verdict_and_is_named(tmp_path):
    table, (report,) = read(tmp_path, entries(p4=selected(3.0, "7", correct=False)))
    assert bool(table["correct"][4])
    assert (report.recorded_correct, report.correct) == (0, 1)
    (line,) = report.disagreements
    assert (
        "problem 4: recorded as False, graded against 3.0, the gold answer of another problem; ours is 7.0"
        in line
    )


def test_the_recorded_verdict_stands_where_the_output_is_not_kept(tmp_path):
    table, (report,) = read(tmp_path, entries(p4=selected(7.0, None, correct=True)))
    assert bool(table["correct"][4])
    assert table["shortened"].tolist() == [i == 4 for i in range(20)]
    assert (report.shortened, report.disagreements) == (1, [])


def test_a_log_and_a_result_file_of_a_run_are_one_run(tmp_path):
    read(tmp_path, entries(), run="run0")
    path = tmp_path / "run0" / "log" / "run0.md"
    path.parent.mkdir(parents=True)
    path.write_text(log(PROBLEMS), encoding="utf-8")
    table, _ = import_logs(
        [path, tmp_path / "run0" / "results" / "run0.json"], PROBLEMS, progress=False
    )
    assert set(table["run"]) == {"run0"}
    assert (len(all_candidates(table)), len(selections(table))) == (120, 20)
    assert selected_alone(table) == []
    assert len(choose(table, "one_stage")) == 20


def test_what_needs_all_candidates_refuses_selected_answers_in_one_line(tmp_path):
    table, _ = read(tmp_path, entries())
    assert selected_alone(table) == [(table["run"].iloc[0], "counting")]
    with pytest.raises(
        TroveLiteError, match=r"only the selected answer of each problem is known.*all candidates"
    ):
        choose(table, "one_stage")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{", "not JSON"),
        ('{"a": 1}', "no list of selected answers"),
        ([{"mode": "import"}], "problem 0: Object missing required field `response`"),
        ([selected(3.0, mode="other")], "problem 0: `mode` is "),
        ([selected(None)], "problem 0: `response.answer` is "),
        ([selected("x")], "its 1 gold answers are not those of a category"),
        ([selected(3.0)], "its 1 gold answers are not those of a category"),
        ([selected(99.0) for _ in PROBLEMS], "its 20 gold answers are not those of a category"),
    ],
)
def test_a_file_that_is_no_result_file_is_refused(tmp_path, content, reason):
    with pytest.raises(TroveLiteError, match=rf"run0\.json.*{reason}.*nothing was written"):
        read(tmp_path, content)


def test_public_result_files_name_the_methods_that_their_logs_show_and_give_the_bundle(
    public_logs, public_problems
):
    paths = [path for path in public_paths("logs", ".json") if "results" in path.parts]
    problems = [p for found in public_problems.values() for p in found]
    table, reports = import_logs(paths, problems, progress=False)
    bundled = load_candidates(OUTCOMES)
    known = all_candidates(bundled)
    shown = {
        (r, c): m
        for r, c, m in known[["run", "category", "method"]]
        .drop_duplicates()
        .itertuples(index=False)
    }
    assert len(reports) == 43
    assert shown == {
        key: m for r in reports if (key := (r.run, r.category)) in shown and (m := r.method)
    }
    key = ["run", "category", "problem"]
    mine, theirs = (
        frame.sort_values(key, ignore_index=True) for frame in (table, selections(bundled))
    )
    for column in (*key, "mode", "program", "status", "correct", "answer"):
        assert mine[column].astype(str).tolist() == theirs[column].astype(str).tolist()


#: Of recorded runs the problems that are right in two stages, in one, and by the oracle.
RIGHT = named(
    """
    ("baseline_run0", "counting"),          73,  74,  127
    ("base_count_ablat1_run1", "counting"), 63,  72,  128
    ("baseline_run0", "geometry"),          11,  20,  55
    ("base_geo_ablat1_run1", "geometry"),   14,  12,  57
    ("count_ablat1_run0", "counting"),      72,  66,  127
    ("num_ablat1_run0", "number"),          138, 141, 239
    """
)


def test_official_rules_on_recorded_runs():
    bundled = load_candidates(OUTCOMES)
    these = [
        key in RIGHT
        for key in zip(bundled["run"].astype(str), bundled["category"].astype(str), strict=True)
    ]
    rows = {(row["run"], row["category"]): row for row in summarise(bundled[these])["runs"]}
    found = {
        key: tuple(rows[key][f"{rule}_correct"] for rule in ("two_stage", "one_stage", "oracle"))
        for key in RIGHT
    }
    assert found == RIGHT
    assert set(rows["baseline_run0", "counting"]["pass_at_5"]) == {"import", "create", "skip"}


LIBRARY = '''# %% import numpy as np (import)
import numpy as np


# %% Add one. (function)

def more(x):
    """
    Add one.
    """
    return x + 1


# %%  (function)
import math

def null(x):
    return math.floor(x / 2)


'''


@pytest.fixture
def run(tmp_path):
    """A log with a library beside it, in the official layout."""
    files = {
        "log/Noneex/trove/run0.md": log([problem(0), problem(1)]),
        "library/Noneex/trove/run0.json": LIBRARY,
    }
    for name, text in files.items():
        path = tmp_path / "count_run0" / "Llama-7b" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "count_run0/Llama-7b/log/Noneex/trove/run0.md"


def test_a_library_holds_imports_and_functions_with_all_their_code(run):
    first, second, third = read_library(library_of(run))
    assert [first.name, second.name, third.name] == ["numpy", "more", "null"]
    assert [first.kind, second.kind, third.kind] == ["import", "function", "function"]
    assert (second.signature, second.docstring) == ("more(x)", "Add one.")
    assert "import math" in third.source


def test_toolboxes_are_imported_and_go_with_outcomes(run, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "trove_lite_analysis.recorded.official_logs.known_problems",
        lambda *_: [problem(0), problem(1)],
    )
    assert typed("import", run, "--out", tmp_path / "run") == 0
    assert typed("outcomes", tmp_path / "run", "--out", tmp_path / "bundle" / "o.parquet") == 0
    assert "toolboxes.csv" in capsys.readouterr().out
    kept = toolboxes([tmp_path / "run"])
    assert kept[["run", "rank", "name", "signature"]].to_numpy().tolist() == [
        ["count_run0", 1, "numpy", "import numpy as np"],
        ["count_run0", 2, "more", "more(x)"],
        ["count_run0", 3, "null", "null(x)"],
    ]
    bundled = toolboxes([tmp_path / "bundle" / "o.parquet"])
    pd.testing.assert_frame_equal(bundled, kept, check_dtype=False)
    with pytest.raises(TroveLiteError, match="missing"):
        toolboxes([tmp_path / "nowhere.parquet"])
