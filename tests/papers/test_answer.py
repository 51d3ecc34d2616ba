"""The answer over all studies: rows are those of the studies' tables, equal budgets are named, print stands beside."""

import pandas as pd
import pytest

from trove_lite import TroveLiteError
from trove_lite.papers import answer as papers_answer
from trove_lite.papers import published_value
from trove_lite.papers.answer import PROMPTS, answer, answer_figure, answer_in_words

from ..conftest import ROOT

PAIRS = "category,rule,a,b,difference,low,high,covers,p,problems\n"


def study(folder, text, name="reeval_differences.csv"):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder


def two(tmp_path):
    ahead = "all,one_stage,TROVE,PRIMITIVE,0.10,0.05,0.15,problems,0.00001,200\n"
    behind = (
        "wtq,one_stage,TROVE,PRIMITIVE,-0.20,-0.3,-0.1,problems,0.00001,100\nwtq,oracle,TROVE,PRIMITIVE,1,1,1,,0,9\n"
    )
    counting = "counting,one_stage,TROVE,PRIMITIVE,0.5,0.4,0.6,problems,0,100\n"
    here, there = study(tmp_path / "x", PAIRS + counting + ahead), study(tmp_path / "y", PAIRS + behind)
    latm = "category,a,b,difference,low,high,covers,p,problems\nall,LATM,PRIMITIVE,0.01,-0.1,0.12,problems,0.8,40\n"
    study(there, latm.replace("LATM,PRIMITIVE", '"LATM, m","PRIMITIVE, m"'), "latm_differences.csv")
    return answer({here: "MATH", there: "tables"})


def test_each_comparison_is_one_row_over_all_of_its_categories(tmp_path):
    table = two(tmp_path)
    ours = table[~table["printed"]]
    assert list(ours["difference"]) == [0.10, -0.20, 0.01]
    assert list(ours["study"]) == ["MATH", "tables", "tables"]
    assert list(ours["without"]) == ["PRIMITIVE"] * 3
    assert list(ours["table"]) == ["x/reeval_differences.csv", "y/reeval_differences.csv", "y/latm_differences.csv"]
    assert ours["p_holm"].iloc[-1] == pytest.approx(0.8)


def test_what_a_study_shows_of_another_beside_its_own_counts_once(tmp_path):
    pairs = "category,a,b,difference,low,high,covers,p,problems\n"
    large = 'all,"LATM, large","PRIMITIVE, large",-0.4,-0.5,-0.3,problems,0,240\n'
    small = 'all,"LATM, small","PRIMITIVE, small",-0.1,-0.2,0.0,problems,0.05,240\n'
    across = 'all,"LATM, small","PRIMITIVE, large",-0.6,-0.7,-0.5,problems,0,240\n'
    first = study(tmp_path / "large", pairs + large, "latm_differences.csv")
    second = study(tmp_path / "small", pairs + large + across + small, "latm_differences.csv")
    table = answer({first: "large", second: "small"}).query("not printed")
    assert list(zip(table["study"], table["difference"], strict=True)) == [("large", -0.4), ("small", -0.1)]


def test_the_same_model_s_tools_on_other_problems_are_another_comparison(tmp_path):
    pairs = "category,a,b,difference,low,high,covers,p,problems\n"
    row = '{},"LATM, m","PRIMITIVE, m",-0.4,-0.5,-0.3,problems,0,{}\n'
    tasks = study(tmp_path / "tasks", pairs + row.format("all", 240), "latm_differences.csv")
    subject = study(tmp_path / "subject", pairs + row.format("counting", 281), "latm_differences.csv")
    table = answer({tasks: "six tasks", subject: "MATH"}).query("not printed")
    assert list(table["budget"]) == ["one call a question", "at most the same calls"]


def test_by_other_prompts_a_comparison_is_a_row_of_its_own(tmp_path):
    row = "{},counting,{},TROVE,PRIMITIVE,{},-0.1,0.2,problems,0.5,100\n"
    own, oracle = row.format("the study's prompts", "one_stage", -0.07), row.format("official", "oracle", 0.03)
    folder = study(tmp_path, f"prompts,{PAIRS}{own}{row.format('official', 'one_stage', 0.01)}{oracle}", PROMPTS)
    table = answer({folder: "counting"}).query("not printed")
    assert list(zip(table["difference"], table["budget"], strict=True)) == [
        (0.01, "the same calls, `official` prompts")
    ]


def test_creator_is_compared_at_the_most_calls_that_both_sides_reach(tmp_path):
    columns = "budget,spent,category,a,b,difference,low,high,covers,p,problems\n"
    row = "calls,{},counting,CREATOR,{},{},-0.1,0.2,problems,0.5,291\n"
    text = row.format(10, "PoT", 0.02) + row.format(2.397, "PoT", 0.01) + row.format(2.397, "PRIMITIVE", 0.03)
    text += (
        row.format(15, "PoT", "")
        + row.format(10, "Entangled", 0.04)
        + "completion tokens"
        + row[5:].format(774, "PoT", 1)
    )
    table = answer({study(tmp_path, columns + text, "creator_matched.csv"): "counting"}).query("not printed")
    assert list(zip(table["without"], table["difference"], table["budget"], strict=True)) == [
        ("PRIMITIVE", 0.03, "2.4 calls each"),
        ("PoT", 0.02, "10 calls each"),
    ]


def test_a_toolbox_that_another_category_lent_is_no_comparison(tmp_path):
    row = "accuracy of the answer,{},{},{},-0.1,0.2,problems,0.5,100\n"
    pairs = (
        ("its own toolbox", "no toolbox"),
        ("its own toolbox", "another category's"),
        ("another category's", "no toolbox"),
    )
    rows = "".join(row.format(*pair, 0.01 * number) for number, pair in enumerate(pairs, start=1))
    header = "measure,a,b,difference,low,high,covers,p,problems\n"
    table = answer({study(tmp_path, header + rows, "trove_placebo_differences.csv"): "counting"}).query("not printed")
    assert list(zip(table["without"], table["difference"], strict=True)) == [("TROVE, no toolbox", 0.01)]


def test_print_stands_beside_without_an_interval(tmp_path):
    table = two(tmp_path)
    printed = table[table["printed"]]
    assert printed["low"].isna().all()
    assert printed["p_holm"].isna().all()
    row = printed[printed["study"].str.contains("re-evaluation")].iloc[0]
    best = published_value("reeval_table1", category="MATH", method="TROVE", variant="improved_one_stage")
    rival = published_value("reeval_table1", category="MATH", method="PRIMITIVE", variant="compute_matched")
    assert row["difference"] == pytest.approx(best - rival)


def test_the_words_count_what_the_table_holds(tmp_path):
    words = answer_in_words(two(tmp_path))
    assert "Of 3 comparisons" in words
    assert "**ahead in 1** (TROVE against PRIMITIVE, MATH: +10.0 points)" in words
    assert "**behind in 1** (TROVE against PRIMITIVE, tables: -20.0 points)" in words
    assert "in **1** neither is shown" in words


def test_the_figure_draws_a_row_a_comparison(tmp_path):
    table = two(tmp_path)
    axes = answer_figure(table).axes[0]
    assert len(axes.get_yticklabels()) == len(table)
    points = {round(float(line.get_xdata()[0])) for line in axes.lines if len(line.get_xdata()) == 1}
    assert points == {10, -20, 1}


def test_a_folder_without_tables_is_refused_by_name(tmp_path):
    with pytest.raises(TroveLiteError, match="holds none of"):
        answer({tmp_path: "nothing"})


def test_every_table_that_is_read_is_one_that_a_published_study_has():
    for name in papers_answer.READ:
        found = list((ROOT / "results").glob(f"*/{name}"))
        assert found
        assert any(len(papers_answer.READ[name](pd.read_csv(path))) for path in found)  # of some nothing is known yet
