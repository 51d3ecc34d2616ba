"""The arithmetic of printed numbers: what is planted is found, and what is mended is not."""

import numpy as np
import pytest

from audit import creator_latm as audit_papers
from audit import reeval as audit_arithmetic
from audit import reeval_spread as spread
from audit import reeval_text as statements
from audit.finding import (
    CONSISTENT,
    INCONSISTENT,
    UNDECIDED,
    as_printed,
    as_table,
    counts_allowed,
    finding,
    mean_fit,
)
from audit.trove import standard_deviations, thresholds, trove_findings
from papers import published_table

from .planting import only, planted

# ---- arithmetic: planted and absent ----


def test_the_consequences_that_the_issue_names_come_out():
    found = audit_arithmetic.reevaluation_findings()
    row = only(found, "same kind of mean")
    assert row.verdict == INCONSISTENT
    assert "original TROVE: over problems 0.220, over categories 0.201, so macro" in row.computed
    assert "original PRIMITIVE: over problems 0.138" in row.computed
    assert row.computed.count("so micro") == 3
    assert "+3.0 points" in only(found, "both averaged over problems").computed
    assert "TROVE potential 333" in only(found, "sums of the seven").computed
    assert only(found, "all five runs").verdict == INCONSISTENT
    assert "under other names" in only(found, "problems in each category").note


def test_table_1_made_of_means_over_problems_is_consistent():
    look = as_printed(
        reeval_table1=planted("reeval_table1", 0.14, category="MATH", method="PRIMITIVE", variant="original"),
    )
    assert only(audit_arithmetic.means_of_table1(look), "same kind").verdict == INCONSISTENT
    both = look("reeval_table1").copy()
    both.loc[(both["category"] == "MATH") & (both["method"] == "TROVE") & (both["variant"] == "original"), "mean"] = (
        0.22
    )
    found = audit_arithmetic.means_of_table1(as_printed(reeval_table1=both))
    assert only(found, "same kind").verdict == CONSISTENT


def consistent_table6():
    table = published_table("reeval_table6").copy()
    sums = table[table["category"] != "MATH"].groupby(["method", "gain"])["count"].sum()
    for (method, gain), total in sums.items():
        hit = (table["category"] == "MATH") & (table["method"] == method) & (table["gain"] == gain)
        table.loc[hit, ["count", "percent"]] = [total, round(100 * total / 3201, 2)]
    return table


def test_table_6_with_a_row_of_sums_is_consistent_and_one_more_is_found():
    table = consistent_table6()
    sums, _ = audit_arithmetic.table6_sums(as_printed(reeval_table6=table))
    assert sums.verdict == CONSISTENT
    table.loc[0, "count"] += 1
    sums, _ = audit_arithmetic.table6_sums(as_printed(reeval_table6=table))
    assert sums.verdict == INCONSISTENT


def test_sizes_under_their_own_names_are_consistent():
    figures = published_table("figures").copy()
    for row in published_table("reeval_table8").itertuples():
        if row.level == "all":
            hit = figures["quantity"] == f"category size as stated: {row.category}"
            figures.loc[hit, "value"] = str(row[3])
    found = audit_arithmetic.category_sizes(as_printed(figures=figures))
    assert found.verdict == CONSISTENT


def test_a_count_is_always_allowed_by_its_own_rounding():
    for n in (7, 156, 503, 785):
        for count in range(n + 1):
            assert count in counts_allowed(round(count / n, 2), 2, n)
            assert count in counts_allowed(round(100 * count / n, 1) / 100, 3, n)
    assert not counts_allowed(0.218, 3, 503)


def test_a_mean_fits_what_it_is():
    cells, sizes = [0.1, 0.5], [300, 100]
    assert mean_fit(cells, 0.2, sizes, 2).fits == "micro"
    assert mean_fit(cells, 0.3, sizes, 2).fits == "macro"
    assert mean_fit(cells, 0.4, sizes, 2).fits == "neither"
    assert mean_fit([0.2, 0.2], 0.2, sizes, 2).fits == "either"


def test_tool_counts_that_fit_the_text_are_consistent():
    table = planted("trove_table2", 2, "value", category="number", method="TROVE", metric="n_lib")
    found = trove_findings(as_printed(trove_table2=table))
    assert only(found, "saves against INSTANCE").verdict == CONSISTENT
    assert only(trove_findings(as_printed()), "saves against INSTANCE").verdict == INCONSISTENT


def test_standard_deviations_of_five_whole_numbers_are_enumerated():
    sample, population = standard_deviations(8, 10, step=1, size=5)
    assert np.isclose(sample, 0.8367, atol=1e-4).any()
    assert not np.isclose(standard_deviations(6, 8, step=1, size=5)[0], 0.957, atol=5e-4).any()
    assert np.isclose(standard_deviations(6, 8, step=1, size=4)[0], 0.957, atol=5e-4).any()
    assert sample.min() > population.min()


def test_possible_standard_deviations_are_not_reported():
    table = planted("trove_table7", 2.0, "std", category="algebra", metric="n_lib")
    table.loc[(table["category"] == "GQA") & (table["metric"] == "n_lib"), "std"] = 1.0
    assert only(trove_findings(as_printed(trove_table7=table)), "standard deviations").verdict == CONSISTENT


def test_a_threshold_that_acts_alike_may_not_change_accuracy():
    (row,) = thresholds(as_printed())
    assert row.verdict == INCONSISTENT
    same = published_table("trove_table13").copy()
    ours = same[same["method"] == "logarithmic_ours"].set_index("category")["value"]
    fixed = (same["method"] == "fixed_value") & (same["category"] != "GQA")
    same.loc[fixed, "value"] = same.loc[fixed, "category"].map(ours)
    (row,) = thresholds(as_printed(trove_table13=same))
    assert row.verdict == CONSISTENT


def test_creator_and_latm_come_out_as_known():
    found = audit_papers.papers_findings()
    row = only(found, "weighted by problems")
    assert "with 3201 problems 12 of 14 fit; with 5000 problems 0 of 14 fit" in row.computed
    assert "1596 of 3201, 49.86 %, and 49.8 is printed" in row.note
    assert "1759 of 3201, 54.95 %, and 54.9 is printed" in row.note
    assert "over 232, the best" in only(found, "counts over the test set").computed


def test_averages_that_their_cells_make_are_consistent():
    table = published_table("creator_table2").copy()
    for method, setting, value in (("PoT (w/o Rec.)", "w/o CoT", 49.9), ("CREATOR", "w/o Demo.", 55.0)):
        hit = (table["category"] == "MATH") & (table["method"] == method) & (table["setting"] == setting)
        table.loc[hit, "value"] = value
    found = audit_papers.papers_findings(as_printed(creator_table2=table))
    assert only(found, "weighted by problems").verdict == CONSISTENT


# ---- the best of several runs, and what a ± can be ----


@pytest.mark.parametrize("runs", [1, 2, 5])
def test_the_best_of_several_is_as_far_above_the_mean_as_simulation_says(runs):
    drawn = np.random.default_rng(0).normal(size=(200_000, runs)).max(axis=1)
    assert spread.expected_best(runs) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / 200_000**0.5)


def test_a_best_of_five_against_a_mean_of_five_is_not_like_with_like():
    row = spread.best_of_several(as_printed())
    assert row.verdict == UNDECIDED
    assert "+1.8 points above the mean (+1.2 to +2.4)" in row.computed
    assert "about +4.8 points" in row.computed


def test_had_both_reported_a_mean_the_stated_gain_would_be_refuted():
    figures = stating("trove", "runs (best reported)", "1")
    assert spread.best_of_several(as_printed(figures=figures)).verdict == INCONSISTENT


def test_a_gain_that_no_luck_explains_is_refuted():
    figures = stating("reeval", "improved vs originally reported", "9")
    assert spread.best_of_several(as_printed(figures=figures)).verdict == INCONSISTENT


def test_a_lead_is_measured_by_the_categories_and_not_by_the_average_of_their_spreads():
    row = spread.lead_in_standard_errors(as_printed())
    assert "0.37 points from the ± of the categories" in row.computed
    assert "the lead 2.8 of them" in row.computed
    assert "+0.02 to +2.02 before rounding" in row.computed


def test_an_average_of_spreads_is_not_the_spread_of_a_mean():
    row = only(spread.table3_spread(as_printed()), "standard deviation of the mean")
    assert row.verdict == INCONSISTENT
    assert "PRIMITIVE: 0.112 for the mean" in row.computed
    assert "0.191 as the average" in row.computed
    table = planted("reeval_table3", 0.11, "std", category="MATH", method="PRIMITIVE")
    table.loc[(table["category"] == "MATH") & (table["method"] == "TROVE"), "std"] = 0.08
    row = only(spread.table3_spread(as_printed(reeval_table3=table)), "standard deviation of the mean")
    assert row.verdict == CONSISTENT


def test_a_spread_that_samples_cannot_have_is_found():
    row = only(spread.table3_spread(as_printed()), "drawn anew")
    assert (row.verdict, "number ± 0.64" in row.computed) == (INCONSISTENT, True)
    table = planted("reeval_table3", 0.06, "std", category="number", method="PRIMITIVE")
    assert only(spread.table3_spread(as_printed(reeval_table3=table)), "drawn anew").verdict == CONSISTENT


# ---- statements against statements and tables ----


def stating(paper, quantity, value, **where):
    """The published statements, with another value for one of them."""
    return planted("figures", value, "value", paper=paper, quantity=quantity, **where)


STATEMENTS = {
    "the order of the modes": ("reeval", "order of modes in precalculus", "SKIP > IMPORT", {}),
    "calls a problem, given K": (
        "reeval",
        "share of K sampled in each mode",
        "1/3",
        {"section": "Algorithms 1 and 2"},
    ),
    "every name that is read has a value": ("reeval", "names that are read", "K C candidates", {}),
    "each table has a caption of its own": ("trove", "caption", "Fixed thresholds.", {"section": "Table 13"}),
    "number of data sets that GPT-4": ("trove", "data sets called representative", "3", {}),
}


@pytest.mark.parametrize("check", STATEMENTS)
def test_a_statement_that_contradicts_another_is_found_and_one_that_does_not_is_not(check):
    paper, quantity, value, where = STATEMENTS[check]
    tables = as_printed(), as_printed(figures=stating(paper, quantity, value, **where))
    found = [only([*statements.statement_findings(look), *trove_findings(look)], check) for look in tables]
    assert [f.verdict for f in found] == [INCONSISTENT, CONSISTENT]


def test_sampling_k_in_each_of_three_modes_is_three_times_the_budget():
    row = only(statements.statement_findings(as_printed()), "calls a problem")
    assert "45 calls" in row.computed


def test_a_rectification_that_hurts_is_not_one_that_barely_helps():
    row = only(trove_findings(as_printed()), "barely helps")
    assert row.verdict == INCONSISTENT
    assert "helps on 0 of 11 data sets and hurts on 9, most on WTQ (0.21 → 0.00)" in row.computed
    table = published_table("trove_table12").copy()
    table.loc[table["method"] == "rec_after_creation", "value"] = 0.5
    assert only(trove_findings(as_printed(trove_table12=table)), "barely helps").verdict == CONSISTENT


def test_seconds_in_the_text_are_held_against_the_table():
    row = only(trove_findings(as_printed()), "seconds")
    assert (row.verdict, row.computed) == (INCONSISTENT, "Table 5: 8.0 s, 5.2 s")
    table = planted("trove_table5", 25.7, method="PRIMITIVE", metric="time_s")
    table.loc[(table["method"] == "INSTANCE") & (table["metric"] == "time_s"), "mean"] = 36.5
    assert only(trove_findings(as_printed(trove_table5=table)), "seconds").verdict == CONSISTENT


def test_a_range_that_fits_one_of_several_rivals_cannot_be_refuted():
    row = only(trove_findings(as_printed()), "how much smaller")
    assert row.verdict == UNDECIDED
    assert "CRAFT in Table 3 79.0 % (TabMWP) to 98.5 % (GQA)" in row.computed
    table = planted("trove_table3", 100, "value", category="TabMWP", method="CRAFT", metric="n_lib")
    assert only(trove_findings(as_printed(trove_table3=table)), "how much smaller").verdict == INCONSISTENT


def test_creator_below_its_own_baseline_is_not_above_all_of_them():
    row = only(audit_papers.papers_findings(), "best of the baselines")
    assert row.verdict == INCONSISTENT
    assert "63.8 % against 64.5 %" in row.computed
    table = planted("creator_table4", 70, "value", method="CREATOR (w/o CoT)", setting="no hint", metric="accuracy_pct")
    assert only(audit_papers.papers_findings(as_printed(creator_table4=table)), "best of").verdict == CONSISTENT


def test_cells_that_go_against_a_trend_are_named():
    math = only(audit_papers.papers_findings(), "chain of thought in programs, MATH")
    tables = only(audit_papers.papers_findings(), "chain of thought in programs, TabMWP")
    assert (math.verdict, "rises in 3 of 21 cells" in math.computed) == (INCONSISTENT, True)
    assert (tables.verdict, "80.6 → 80.0" in tables.computed) == (INCONSISTENT, True)
    table = planted("creator_table3", 80.7, "value", method="PoT (w/o Rec.)", setting="w/ CoT", metric="accuracy_pct")
    found = audit_papers.papers_findings(as_printed(creator_table3=table))
    assert only(found, "chain of thought in programs, TabMWP").verdict == CONSISTENT


def test_every_finding_has_a_name_of_its_own():
    found = as_table([*audit_arithmetic.reevaluation_findings(), *audit_papers.papers_findings()])
    assert not found.duplicated(["section", "paper", "place", "check"]).any()
    assert set(found["verdict"]) <= {CONSISTENT, INCONSISTENT, UNDECIDED}


def test_the_weightiest_finding_comes_first():
    rows = [
        finding(1, "p", "a", str(i), stated="", computed="", holds=holds, importance=2)
        for i, holds in enumerate((True, None, False))
    ]
    assert as_table(rows)["verdict"].tolist() == [INCONSISTENT, UNDECIDED, CONSISTENT]
