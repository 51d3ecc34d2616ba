"""Tables and figures: the right cells, absent ones with their reason, published numbers unchanged."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import trove_lite as tl
from trove_lite.analysis.study import ALL_MACRO, ALL_MICRO, SKIP_POOL
from trove_lite.papers.cells import COLUMNS

TABLES = ["table1", "table2", "table3", "table5", "table6", "table7", "table8", "table9", "pass_by_mode", "overlap"]
FIGURES = ["compute_matched", "figure1", "figure2", "figure3", "figure4", "difficulty"]


@pytest.fixture(scope="module")
def study(simulated):
    return tl.Study.of(simulated)


@pytest.fixture(scope="module")
def partial(skip_only):
    return tl.Study.of(skip_only)


def cell(table, **where):
    for column, value in where.items():
        table = table[table[column] == value]
    assert len(table) == 1
    return table.iloc[0]


@pytest.mark.parametrize("name", TABLES)
def test_every_cell_is_filled_or_says_why_not(study, partial, name):
    for source in (study, partial):
        table = getattr(tl, name)(source)
        assert set(COLUMNS) <= set(table.columns)
        assert (table.loc[table["ours"].isna(), "note"] != "").all()
        filled = table[table["low"].notna()]
        assert (filled["low"] <= filled["ours"] + 1e-9).all()
        assert (filled["ours"] <= filled["high"] + 1e-9).all()


@pytest.mark.parametrize("name", TABLES)
def test_same_seed_same_table(simulated, name):
    one, two = (getattr(tl, name)(tl.Study.of(simulated)) for _ in range(2))
    assert one.equals(two)


@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_titled_with_what_they_show(study, partial, name):
    for source in (study, partial):
        figure = getattr(tl, name)(source)
        assert isinstance(figure, Figure)
        assert "simulated, simulated runs on MATH" in figure.get_suptitle()


def test_table1_cell_is_the_mean_over_runs_of_the_rule(study, simulated):
    found = cell(tl.table1(study), category="counting", system="TROVE, two-stage")
    part = simulated[(simulated["method"] == "trove") & (simulated["category"] == "counting")]
    assert found["ours"] == pytest.approx(tl.choose(part, "two_stage")["correct"].astype(float).mean())
    assert (found["runs"], found["problems"], found["published"], found["published_sd"]) == (2, 6, 0.24, 0.02)


def test_all_seven_categories_give_a_micro_and_a_macro_row(study):
    table = tl.table1(study)
    assert cell(table, category=ALL_MICRO, system="TROVE, one-stage")["published"] == 0.25
    macro = cell(table, category=ALL_MACRO, system="TROVE, one-stage")["published"]
    assert macro == pytest.approx(np.mean([0.29, 0.27, 0.08, 0.13, 0.30, 0.32, 0.20]))


def test_covered_rows_compare_only_what_both_sides_have(partial):
    table = tl.table5(partial)
    covered = table[table["category"] == "covered, micro"]
    assert set(covered["note"]) == {"counting, geometry"}
    assert set(covered["problems"]) == {12}


def test_the_stand_in_is_labelled_in_every_cell_it_fills(partial):
    for name in ("table1", "table3", "table5", "table7", "table9"):
        table = getattr(tl, name)(partial)
        filled = table[table["system"].str.startswith("PRIMITIVE") & table["ours"].notna()]
        assert len(filled)
        assert set(filled["source"]) == {SKIP_POOL}


def test_too_few_samples_is_a_reason(simulated):
    short = simulated[(simulated["method"] != "primitive") | (simulated["sample"] < 8)]
    found = cell(tl.table1(short), category="counting", system="PRIMITIVE, K=15")
    assert np.isnan(found["ours"])
    assert found["note"] == "only 8 PRIMITIVE samples a problem"


def test_unique_problems_are_those_of_one_mode_alone(simulated):
    trove = simulated[(simulated["method"] == "trove") & (simulated["category"] == "number")]
    solved = trove.groupby(["run", "problem", "mode"], observed=True)["correct"].any().unstack("mode")
    expected = (solved["create"] & ~solved["import"] & ~solved["skip"]).mean()
    assert cell(tl.table2(simulated), category="number", system="CREATE")["ours"] == pytest.approx(expected)


def test_gains_note_the_number_of_runs(study):
    found = cell(tl.table6(study), category="counting", system="TROVE, consistent")
    assert found["note"] == "2 run(s) against 2 of PRIMITIVE"


def test_overlap_never_compares_a_run_with_itself(partial):
    found = cell(tl.overlap(partial), category="counting", system="PRIMITIVE ~ SKIP")
    assert found["runs"] == 6  # three runs, each with the two others
    assert found["ours"] < 1


def test_difference_is_paired_and_holm_is_over_categories(study):
    table = tl.differences(study)
    rows = table[table["system"] == "one_stage"]
    assert len(rows) == 8
    single = rows[rows["category"] != "all"]
    assert (single["p_holm"] >= single["p"]).all()
    both = tl.table1(study)
    ours = {s: cell(both, category="counting", system=s)["ours"] for s in ("TROVE, one-stage", "PRIMITIVE, K=15")}
    found = cell(rows, category="counting")["difference"]
    assert found == pytest.approx(ours["TROVE, one-stage"] - ours["PRIMITIVE, K=15"])


def test_nothing_is_printed_for_other_data_sets(simulated):
    table = tl.table1(simulated.assign(dataset="practice"))
    assert table["published"].isna().all()


def test_check_holds_the_paper_against_ours(study):
    check = tl.check(tl.table1(study))
    row = check[(check["category"] == "counting") & (check["system"] == "TROVE, one-stage")].iloc[0]
    assert row["difference"] == pytest.approx(row["ours"] - 0.27)
    assert check["difference"].abs().is_monotonic_decreasing


def test_side_by_side_shows_ours_with_interval_and_the_papers(study):
    text = tl.side_by_side(tl.table1(study)).loc["counting", "TROVE, one-stage"]
    assert text.endswith("(0.27)")
    assert "[" in text


@pytest.mark.parametrize("table", [f"reeval_table{i}" for i in (1, 2, 3, 5, 6, 7, 8, 9)])
def test_published_tables_load(table):
    assert len(tl.published_table(table)) > 20


def test_an_unknown_published_table_names_the_known_ones():
    with pytest.raises(tl.TroveLiteError, match=r"no published table 'reeval_table0': there are .*reeval_table1"):
        tl.published_table("reeval_table0")


def test_one_side_alone_gives_empty_comparisons_not_errors(simulated):
    trove = tl.Study.of(simulated[(simulated["method"] == "trove") & (simulated["mode"] != "skip")])
    assert tl.differences(trove).empty
    for name in FIGURES:
        assert isinstance(getattr(tl, name)(trove), Figure)
