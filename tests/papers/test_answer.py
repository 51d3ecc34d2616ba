"""The answer over all studies: rows are those of the studies' tables, equal budgets are named,
print stands beside."""

from subprocess import run

import pandas as pd
import pytest

from trove_lite import TroveLiteError
from trove_lite_papers import answer as papers_answer
from trove_lite_papers.answer import IN_PRINT, NO_TOOLS, NOT_RUN, PLANNED, answer
from trove_lite_papers.tables import published_value

from ..conftest import ROOT

PAIRS = "category,rule,a,b,difference,low,high,covers,p,problems\n"


def study(folder, text):
    folder.mkdir()
    (folder / "reeval_differences.csv").write_text(text)
    return folder


PLAN = "id,family,paper,tools,without,data,prompts,requests,why\n"
MEASURED = "id,difference,low,high,covers,p,problems,tools_used,could_call,no_fault,reason\n"
NOTHING = "nothing,yes,TroVE,TROVE,PRIMITIVE,MATH,own,15,\n"


def compared(tmp_path, studies, rows=NOTHING, measured=""):
    (tmp_path / "plan.csv").write_text(PLAN + rows)
    (tmp_path / "differences.csv").write_text(MEASURED + measured)
    return answer(studies, tmp_path / "plan.csv", tmp_path / "differences.csv")


def test_each_comparison_is_one_row_over_all_of_its_categories(tmp_path):
    ahead = "all,one_stage,TROVE,PRIMITIVE,0.10,0.05,0.15,problems,0.00001,200\n"
    behind = "wtq,one_stage,TROVE,PRIMITIVE,-0.20,-0.3,-0.1,problems,0.00001,100\n"
    oracle = "wtq,oracle,TROVE,PRIMITIVE,1,1,1,,0,9\n"
    counting = "counting,one_stage,TROVE,PRIMITIVE,0.5,0.4,0.6,problems,0,100\n"
    here = study(tmp_path / "x", PAIRS + counting + ahead)
    there = study(tmp_path / "y", PAIRS + behind + oracle)
    ours = compared(tmp_path, {here: "MATH", there: "tables"}).query(
        "group == 'seen before the plan'"
    )
    assert list(ours["difference"]) == [0.10, -0.20]
    assert list(ours["study"]) == ["MATH", "tables"]
    assert list(ours["without"]) == ["PRIMITIVE"] * 2
    assert list(ours["table"]) == ["x/reeval_differences.csv", "y/reeval_differences.csv"]
    assert not ours["counted"].any()


def test_print_stands_beside_without_an_interval(tmp_path):
    printed = compared(tmp_path, {})[lambda table: table["group"] == IN_PRINT]
    assert printed[["low", "p_holm"]].isna().all(axis=None)
    row = printed[printed["study"].str.contains("re-evaluation")].iloc[0]
    best = published_value(
        "reeval_table1", category="MATH", method="TROVE", variant="improved_one_stage"
    )
    rival = published_value(
        "reeval_table1", category="MATH", method="PRIMITIVE", variant="compute_matched"
    )
    assert row["difference"] == pytest.approx(best - rival)


ROWS = """ahead,yes,TroVE,TROVE,PRIMITIVE,MATH,official,15,
behind,yes,TroVE,TROVE,PRIMITIVE,MATH,own,15,
open,yes,TroVE,TROVE,PRIMITIVE,TabMWP,own,15,
sick,yes,TroVE,INSTANCE,PRIMITIVE,MATH,own,15,
idle,yes,LATM,LATM,PRIMITIVE,tasks,own,1,
later,yes,LATM,LATM,CoT,tasks,own,1,
placebo,no,,"TROVE, no toolbox",PRIMITIVE,MATH,own,15,three prompts
"""
FOUND = """ahead,0.10,0.05,0.15,problems,0.001,400,True,100,True,
behind,-0.10,-0.15,-0.05,problems,0.0001,400,True,100,True,
open,0.02,-0.08,0.12,problems,0.02,100,True,100,True,
sick,-0.3,-0.4,-0.2,problems,0.000001,400,True,100,False,one answer
idle,-0.6,-0.7,-0.5,problems,0.000001,400,False,100,True,a made tool is called by 0 of 100 programs
placebo,-0.05,-0.1,0.0,problems,0.05,400,,0,True,
"""


def test_only_the_plan_s_family_counts_where_tools_were_used_and_no_sign_stands(tmp_path):
    table = compared(tmp_path, {}, ROWS, FOUND)
    table = table[table["group"] == PLANNED]
    assert list(table["counted"]) == [True, True, True, False, False, False, False]
    assert list(table["reason"]) == ["", "", "", "one answer", NO_TOOLS, NOT_RUN, "three prompts"]


def test_no_interval_is_given_without_its_difference_and_the_control_is_given(tmp_path):
    numbers = compared(tmp_path, {}, ROWS, FOUND).query("group == 'planned'")[
        ["difference", "low", "high", "p"]
    ]
    assert numbers.isna().all(axis=1).tolist() == [False] * 3 + [True] * 3 + [False]


def test_the_correction_is_over_the_whole_family_and_what_an_interval_detects_is_said(tmp_path):
    """1.96 + 0.84 standard errors, and an interval's half is 1.96 of them."""
    table = compared(tmp_path, {}, ROWS, FOUND).query("counted")
    assert list(table["p_holm"]) == pytest.approx([5 * 0.001, 6 * 0.0001, 4 * 0.02])
    assert list(table["detectable"]) == pytest.approx([0.0715, 0.0715, 0.143], abs=2e-4)


def test_a_folder_without_tables_is_refused_by_name(tmp_path):
    with pytest.raises(TroveLiteError, match="holds none of"):
        compared(tmp_path, {tmp_path: "nothing"})


@pytest.mark.parametrize("name", papers_answer.READ)
def test_every_table_that_is_read_is_one_that_a_published_study_has(name):
    """With its columns. Of one no row is left: the live runs that it held are withdrawn."""
    committed = run(
        ["git", "ls-files", f"results/*/{name}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [ROOT / path for path in committed.stdout.split()]
    assert paths
    rows = pd.concat([papers_answer.pairs(path, *papers_answer.READ[name]) for path in paths])
    assert {"tools", "without", "difference", "budget"} <= set(rows)
    assert len(rows) or name == "reeval_differences.csv"


def test_a_comparison_of_whole_categories_that_breaks_a_rule_stays_with_its_reason():
    """Only the bench's row of the table of models is left out: its plan has it."""
    found = papers_answer._whole(ROOT / "results/models/models.csv")
    counted = found.set_index(["tools", "without"])["counted"]
    assert counted.index.is_unique
    assert {("TROVE", "PRIMITIVE"), ("INSTANCE", "PRIMITIVE")} <= set(counted.index)
    assert (found["reason"].eq("") == found["counted"]).all()


def test_the_figure_of_models_is_of_the_rows_that_the_first_page_has():
    """The difference of a comparison that used no tool is in neither."""
    results = ROOT / "results"
    models = [results / "models/models.csv"]
    table = answer({}, ROOT / "studies/plan.csv", results / "bench/differences.csv", models)
    shown = [
        {text.get_text() for text in draw(table).axes[0].texts}
        for draw in (papers_answer.models_figure, papers_answer.answer_figure)
    ]
    numbers = {text for text in shown[0] if "[" in text}
    assert {"-2.0 [-5.8, +1.8]", "-3.6 [-5.1, -2.1]"} <= numbers <= shown[1]
    assert any("the papers' prompts" in text for text in shown[0])
    assert any("a made tool is used" in text for text in shown[0])
    assert papers_answer.models_figure(table).get_label() == "models"
    assert not any("+3.4" in text or "+3.1 [-1.4" in text for text in shown[0])
