"""The audit finds what is planted, and finds nothing where nothing is."""

import numpy as np
import pandas as pd
import pytest

from trove_lite import audit
from trove_lite.analysis.choose import choose
from trove_lite.audit import alternatives as audit_alternatives
from trove_lite.audit import creator_latm as audit_papers
from trove_lite.audit import reeval as audit_arithmetic
from trove_lite.audit import reeval_spread as spread
from trove_lite.audit import reeval_text as statements
from trove_lite.audit import rules as audit_rules
from trove_lite.audit import worked_examples as audit_prompts
from trove_lite.audit.benefit import (
    agrees,
    benefit_findings,
    import_findings,
    independence_findings,
    matched_tokens,
    mcnemar_findings,
)
from trove_lite.audit.finding import (
    CONSISTENT,
    INCONSISTENT,
    UNDECIDED,
    Range,
    as_printed,
    as_table,
    counts_allowed,
    finding,
    mean_fit,
)
from trove_lite.audit.trove import standard_deviations, thresholds, trove_findings
from trove_lite.candidates import SELECTED, SELECTION, load_candidates
from trove_lite.datasets import load_problems
from trove_lite.datasets.math import CATEGORIES, MATH
from trove_lite.errors import TroveLiteError
from trove_lite.papers import published_table, reeval
from trove_lite.prompts import load_pack
from trove_lite.prompts.base import PromptPack
from trove_lite.selection import RULES, Vote, number_text, one_stage, two_stage

from ..simulated import candidates as simulated_candidates
from ..simulated import problem


def planted(table, value, column="mean", **where):
    """A copy of a published table with one cell changed."""
    rows = published_table(table).copy()
    hit = np.logical_and.reduce([rows[name] == wanted for name, wanted in where.items()])
    assert hit.sum() == 1, "the cell to change must be one cell"
    rows[column] = rows[column].astype(object)
    rows.loc[hit, column] = value
    rows[column] = rows[column].infer_objects()
    return rows


def verdicts(findings):
    return {(f.place, f.check): f.verdict for f in findings}


def only(findings, words):
    """The one finding whose check contains these words."""
    (found,) = [f for f in findings if words in f.check]
    return found


# ---- arithmetic: planted and absent ----


def test_the_consequences_that_the_issue_names_come_out():
    found = audit_arithmetic.reevaluation_findings()
    row = only(found, "same kind of mean")
    assert row.verdict == INCONSISTENT
    assert "original TROVE: over problems 0.220, over categories 0.201, so macro" in row.computed
    assert "original PRIMITIVE: over problems 0.138" in row.computed
    assert row.computed.count("so micro") == 3
    assert "+3.0 points" in only(found, "both averaged over problems").computed
    assert only(found, "which budget K").verdict == CONSISTENT
    assert "0.2 points apart instead of 2.0" in only(found, "which budget K").note
    assert "TROVE potential 333" in only(found, "sums of the seven").computed
    assert only(found, "all five runs").verdict == INCONSISTENT
    assert "under other names" in only(found, "problems in each category").note
    nine = only(found, "percentages are possible")
    assert (nine.verdict, "70 that allow exactly one count" in nine.computed) == (CONSISTENT, True)


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


def test_a_wrong_mean_in_table_7_is_found():
    table = planted("reeval_table7", 0.37, category="MATH", method="PRIMITIVE", k=6)
    found = audit_arithmetic.means_of_other_tables(as_printed(reeval_table7=table))
    (row,) = [f for f in found if f.place.startswith("Table 7")]
    assert row.verdict == INCONSISTENT
    assert "PRIMITIVE 6 prints 0.37" in row.computed


def consistent_table6():
    table = published_table("reeval_table6").copy()
    sums = table[table["category"] != "MATH"].groupby(["method", "gain"])["count"].sum()
    for (method, gain), total in sums.items():
        hit = (table["category"] == "MATH") & (table["method"] == method) & (table["gain"] == gain)
        table.loc[hit, ["count", "percent"]] = [total, round(100 * total / 3201, 2)]
    return table


def test_table_6_with_a_row_of_sums_is_consistent_and_one_more_is_found():
    table = consistent_table6()
    sums, shares, _ = audit_arithmetic.table6_sums(as_printed(reeval_table6=table))
    assert (sums.verdict, shares.verdict) == (CONSISTENT, CONSISTENT)
    table.loc[0, "count"] += 1
    sums, shares, _ = audit_arithmetic.table6_sums(as_printed(reeval_table6=table))
    assert (sums.verdict, shares.verdict) == (INCONSISTENT, INCONSISTENT)
    assert "algebra TROVE consistent: 26/881" in shares.computed


def test_sizes_under_their_own_names_are_consistent():
    figures = published_table("figures").copy()
    for row in published_table("reeval_table8").itertuples():
        if row.level == "all":
            hit = figures["quantity"] == f"category size as stated: {row.category}"
            figures.loc[hit, "value"] = str(row[3])
    found = audit_arithmetic.category_sizes(as_printed(figures=figures))
    assert {f.verdict for f in found} == {CONSISTENT}


def test_a_data_set_of_other_sizes_is_found(public_problems):
    problems = [p for part in public_problems.values() for p in part]
    assert only(audit_arithmetic.category_sizes(as_printed(), problems), "data set").verdict == CONSISTENT
    assert only(audit_arithmetic.category_sizes(as_printed(), problems[1:]), "data set").verdict == INCONSISTENT


def test_an_impossible_percentage_in_table_9_is_found():
    table = planted("reeval_table9", 75.5, "percent", category="algebra", method="PRIMITIVE", level=1)
    (row,) = audit_arithmetic.table9_counts(as_printed(reeval_table9=table))
    assert row.verdict == INCONSISTENT
    assert "1 impossible" in row.computed


def test_a_possible_but_wrong_percentage_in_table_9_breaks_its_sums():
    table = planted("reeval_table9", 80.0, "percent", category="algebra", method="PRIMITIVE", level=1)
    (row,) = audit_arithmetic.table9_counts(as_printed(reeval_table9=table))
    assert "0 impossible" in row.computed
    assert row.verdict == INCONSISTENT


def test_a_number_printed_differently_twice_is_found():
    table = planted("reeval_table5", 0.28, category="algebra", method="PRIMITIVE", k=15)
    same, _ = statements.tables_1_5_7(as_printed(reeval_table5=table))
    assert (same.verdict, "algebra PRIMITIVE 0.27 and 0.28" in same.computed) == (INCONSISTENT, True)
    assert statements.tables_1_5_7(as_printed())[0].verdict == CONSISTENT


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


# ---- rules ----


def votes(*answers, operations=None, modes=None):
    cost = operations or [1] * len(answers)
    return [
        Vote(m, a is not None, tuple(map(number_text, a or ())), c)
        for a, c, m in zip(answers, cost, modes or ["skip"] * len(answers), strict=True)
    ]


def test_agreement_without_alternatives_is_the_official_one():
    rng = np.random.default_rng(0)
    for _ in range(300):
        every = votes(
            *[
                None if rng.random() < 0.2 else tuple(rng.integers(0, 4, rng.integers(0, 3)).astype(float).tolist())
                for _ in range(6)
            ],
            operations=rng.integers(1, 5, 6).tolist(),
        )
        assert audit_alternatives.agreement(every, lambda b: b.answers) == one_stage(every)


@pytest.mark.parametrize("rule", ["one_stage", "two_stage"])
def test_rules_on_tables_agree_with_the_fast_ones(simulated, rule):
    slow, fast = audit_rules.choose_by(simulated, RULES[rule]), choose(simulated, rule)
    pd.testing.assert_frame_equal(
        slow[["run", "problem", "mode", "sample"]], fast[["run", "problem", "mode", "sample"]]
    )


def test_alternatives_differ_where_they_should():
    tied = votes((1.0,), (2.0,), operations=[9, 1])
    assert (one_stage(tied), audit_alternatives.ties_to_simplest(tied)) == (0, 1)
    loud = votes((3.0, 3.0, 3.0), (1.0,), (1.0,))
    assert (one_stage(loud), audit_alternatives.one_vote_a_program(loud)) == (0, 1)
    close = votes((5.0,), (1.001,), (1.002,))
    assert (one_stage(close), audit_alternatives.rounded_votes(close)) == (0, 1)
    silent = votes(None, (), None)
    assert (one_stage(silent), audit_alternatives.silence_is_failure(silent)) == (1, 0)


def test_two_stages_of_the_official_rule_are_the_official_two_stages():
    every = votes((1.0,), (2.0,), (2.0,), (1.0,), modes=["import", "import", "create", "skip"])
    assert audit_alternatives.in_two_stages(one_stage)(every) == two_stage(every)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1e-05", [1e-5]),
        ("3/4", [0.75]),
        ("1,024", [1024]),
        ("n-3", [3]),
        ("-3", [-3]),
        ("1, 2", [1, 2]),
        ("x = 7", [7]),
        ("1/0", [1, 0]),
        ("2.50", [2.5]),
        ("(4)-1", [4, 1]),
        ("", []),
        ("1,0242", [1, 242]),
    ],
)
def test_literals_are_read_as_literals(text, numbers):
    assert audit_alternatives.read_literals(text) == [number_text(number) for number in numbers]


def test_a_rule_switched_to_itself_changes_nothing(simulated):
    chosen = choose(simulated, "two_stage")
    for row in audit_rules.effect("none", chosen, chosen):
        assert (row.difference, row.other_candidate, row.other_verdict, row.which) == (0, 0, 0, "")


def test_a_planted_effect_is_measured(simulated):
    before = choose(simulated, "two_stage")
    wrong = before.assign(correct=False)
    for whole in [e for e in audit_rules.effect("all wrong", before, wrong) if e.category == "all"]:
        right = before["correct"][before["method"] == whole.method]
        assert whole.difference == pytest.approx(-right.mean())
        assert whole.other_verdict == right.sum()


def test_rules_are_judged_by_trove_alone_and_the_ablation_stands_beside_it(simulated):
    trove = simulated[simulated["method"] == "trove"]
    other = trove.assign(method="trove_no_import", run=trove["run"].astype(str) + "_without")
    before = choose(pd.concat([trove.astype({"run": str}), other]).astype({"method": str}), "two_stage")
    after = before.assign(correct=before["correct"] & (before["method"] == "trove"))
    effects = pd.DataFrame(audit_rules.effect("votes", before, after)).assign(p_holm=1.0)
    (row,) = audit_rules.rule_findings(effects, {})
    lost = 100 * before["correct"][before["method"] == "trove_no_import"].mean()
    assert "+0.0 points" in row.computed
    assert "14 logs of trove (" in row.note
    assert f"14 logs of trove_no_import: -{lost:.1f}" in row.note


def test_all_rows_of_the_rules_are_corrected_together(simulated):
    effects, _ = audit_rules.rule_effects(simulated)
    assert set(effects["method"]) == {"trove"}  # nothing is selected in two stages from one mode
    assert len(effects) == effects["rule"].nunique() * (len(CATEGORIES) + 1)
    assert effects["p_holm"].min() == pytest.approx(min(1, len(effects) * effects["p"].min()))


def test_rules_that_need_what_is_not_here_are_left_out(simulated):
    outcomes = simulated.drop(columns=["solution", "tools", "output", "response", "error"])
    effects, _ = audit_rules.rule_effects(outcomes)
    assert set(effects["rule"]) == {"stages", "ties", "votes", "vote key", "silence", "all of selection"}


class Pretend:
    """A sandbox that runs nothing and answers as it is told."""

    def __init__(self, output="4", status="ok"):
        self.programs, self.output, self.status = [], output, status

    def run_many(self, programs, progress=True):
        from trove_lite.sandbox.worker import Execution

        self.programs += programs
        return [Execution(self.status, self.output, False, "", 0.0, 0.0) for _ in programs]


def test_programs_with_several_blocks_are_run_whole_and_only_those(simulated):
    table = simulated[(simulated["category"] == "algebra") & (simulated["status"] == "ok")].copy()
    twice = table.index[0]
    table["solution"] = table["solution"].astype(object)
    table.loc[twice, "solution"] = "```python\na = 1\n```\nthen\n```python\nprint(a)\n```"
    table["answers"] = [["4.0"] if index == twice else answers for index, answers in table["answers"].items()]
    sandbox = Pretend()
    golds = {("algebra", i): 4.0 for i in range(10)}
    whole, counts = audit_alternatives.with_every_block(table, golds, sandbox)
    assert len(sandbox.programs) == 2
    assert "print(a)" in sandbox.programs[1]
    assert "print(a)" not in sandbox.programs[0]
    assert counts == {"several": 1, "repeatable": 1, "changed": 0}
    assert whole.loc[twice, "correct"]
    assert whole.drop(index=twice)["correct"].equals(table.drop(index=twice)["correct"])


# ---- worked examples ----

MODES = ("primitive", "instance", "import", "create", "skip")


def pack(questions):
    """A pack whose prompts show these questions by category, in every mode."""

    def template(category):
        answer = "**Solution**\n```python\nprint(4)\n```\n\n**Tools**\n```python\nimport math\n```\n\n"
        shown = "".join(f"**Question**\n{q}\n\n{answer}" for q in questions.get(category, []))
        return lambda question, toolbox: f"Solve.\n\n{shown}**Question**\n{question.text}\n\n**Solution**\n"

    return PromptPack("planted", CATEGORIES, MODES, lambda category, mode: template(category))


def test_a_test_problem_in_a_prompt_is_found_whatever_its_spacing():
    problems = [problem(3, "What  is\n$\\frac{8}{2}$?"), problem(4, "And this?")]
    demos = audit_prompts.demonstrations(pack({"counting": ["What is $\\\\frac{8}{2}$?", "Another?"]}))
    table = audit_prompts.leaks(demos, problems)
    assert table["problem"].dropna().tolist() == [3] * 5
    found = audit_prompts.prompt_findings(table, problems=problems, own=table.head(0))
    assert only(found, "prompts of TROVE").verdict == INCONSISTENT
    assert "counting 3" in only(found, "prompts of TROVE").computed


def test_prompts_without_test_problems_have_none():
    problems = [problem(3)]
    table = audit_prompts.leaks(audit_prompts.demonstrations(pack({"counting": ["Another?"]})), problems)
    found = audit_prompts.prompt_findings(table, problems=problems, own=table)
    assert only(found, "prompts of TROVE").verdict == CONSISTENT
    assert only(found, "our own pack").verdict == CONSISTENT


def test_examples_run_in_the_sandbox_given_and_wrong_ones_are_found():
    problems = [problem(3, "What is it?", 5.0)]
    demos = audit_prompts.demonstrations(pack({"counting": ["What is it?"]}))
    sandbox = Pretend("4")
    table = audit_prompts.run_examples(demos, audit_prompts.leaks(demos, problems), sandbox)
    assert len(sandbox.programs) == 5
    assert sandbox.programs[0].startswith("import math")
    assert not table["right"].any()
    found = audit_prompts.prompt_findings(table, problems=problems, own=table)
    assert "prints 4, gold 5" in only(found, "programs of worked").computed


def test_our_own_pack_has_no_test_problem(public_problems):
    problems = [p for part in public_problems.values() for p in part]
    demos = audit_prompts.demonstrations(load_pack("own", MATH))
    assert len(demos) >= len(CATEGORIES) * len(MODES)
    assert audit_prompts.leaks(demos, problems)["problem"].isna().all()


def test_the_released_prompts_show_twelve_test_problems_in_troves_modes(public_problems):
    try:
        official = load_pack("official", MATH)
    except TroveLiteError as error:
        pytest.skip(str(error))
    problems = [p for part in public_problems.values() for p in part]
    table = audit_prompts.leaks(audit_prompts.demonstrations(official), problems)
    found = {method: len(audit_prompts.leaked(table, modes)) for method, modes in audit_prompts.METHODS.items()}
    assert found == {"TROVE": 12, "PRIMITIVE": 8, "INSTANCE": 12}
    assert audit_prompts.prompts_equal(official).verdict == INCONSISTENT


# ---- runs ----


def trove_alone(**how):
    frame = simulated_candidates(categories=("counting",), problems=20, **how)
    return frame[frame["method"] == "trove"].astype({"run": str})


def test_runs_that_copy_another_are_all_named():
    one = trove_alone()
    copies = [one[one["run"] == "run0"].assign(run=f"run{i}") for i in (7, 8, 9)]
    assert {f.verdict for f in independence_findings(one)} == {CONSISTENT}
    (row,) = independence_findings(pd.concat([one, *copies]))
    assert row.verdict == INCONSISTENT
    assert row.computed.startswith("2 independent; run0 = run7 = run8 = run9")


def test_a_run_that_repeats_another_at_first_is_named_with_how_far():
    one = trove_alone(runs=3)
    again = one[(one["run"] == "run0") & (one["problem"] < 12)]
    late = one[(one["run"] == "run2") & (one["problem"] >= 12)]
    frame = pd.concat([one[one["run"] != "run2"], again.assign(run="run2"), late])
    (row,) = independence_findings(frame)
    assert row.verdict == INCONSISTENT
    assert row.computed.startswith("2 independent, 1 in part")
    assert "run2 repeats run0 in" in row.computed
    assert "create (problems 0-11)" in row.computed


def answered(frame, right):
    """The same candidates, right where `right` says, one vote each."""
    answers = np.where(right, "1.0", "2.0")
    return frame.assign(
        answers=[[a] for a in answers],
        answer=answers,
        correct=pd.array(right, dtype="boolean"),
        status="ok",
        operations=1,
    )


@pytest.fixture(scope="module")
def larger():
    """Simulated candidates of enough problems to show something, three a problem."""
    return simulated_candidates(problems=40, k=3)


def test_tools_that_do_nothing_are_not_called_a_benefit(larger):
    found = benefit_findings(reeval.sides(answered(larger, np.ones(len(larger), dtype=bool))), k=3, resamples=20)
    assert only(found, "one-stage: less than").verdict == CONSISTENT
    assert only(found, "McNemar").verdict == CONSISTENT
    assert not any("SKIP pool" in f.computed for f in found)


def test_tools_that_do_everything_are(larger):
    found = benefit_findings(reeval.sides(answered(larger, larger["method"] == "trove")), k=3, resamples=20)
    assert only(found, "one-stage: less than").verdict == INCONSISTENT
    assert only(found, "McNemar").verdict == INCONSISTENT


@pytest.mark.parametrize("tools", ["do nothing", "do everything"])
def test_where_the_skip_pool_stands_in_nothing_is_decided_either_way(larger, tools):
    trove = larger[larger["method"] == "trove"]
    right = (trove["mode"] != "skip") | (tools == "do nothing")
    found = benefit_findings(reeval.sides(answered(trove, right)), k=3, resamples=20)
    about = ("runs at hand and print", "no benefit", "power", "McNemar", "matched tokens")
    verdicts = {f.verdict for f in found if any(words in f.check for words in about)}
    assert verdicts == {UNDECIDED}


def test_a_small_p_among_many_tests_is_none():
    """Of fourteen pairs of runs one differs with p = 0.03, which Holm's correction does not leave."""
    frame = simulated_candidates(problems=8, k=3)
    odd = (frame["method"] == "primitive") & (frame["category"] == "algebra") & (frame["run"] == "run0")
    (row,) = mcnemar_findings(reeval.sides(answered(frame, ~(odd & (frame["problem"] < 6)))), k=3)
    assert "algebra run0 and run0: 6 against 0, Holm p 0.4375" in row.computed
    assert row.verdict == CONSISTENT


def test_no_primitive_run_is_compared_twice():
    frame = simulated_candidates(problems=8, k=3, runs=3, categories=("counting",))
    frame = frame[(frame["method"] == "trove") | (frame["run"] != "run1")]
    (row,) = mcnemar_findings(reeval.sides(frame), k=3)
    assert row.computed.count("counting run") == 2


def test_print_agrees_where_more_runs_would_fall_unless_they_might_fall_anywhere():
    assert agrees(Range(0.01, 0.02), Range(0.0, 0.03)) is True
    assert agrees(Range(0.05, 0.06), Range(0.0, 0.03)) is False
    assert agrees(Range(0.01, 0.02), Range(-0.1, 0.1)) is None


def without(frame, right):
    """Runs with IMPORT and runs without, each with the answers that they ended with, right where `right` says."""
    trove = frame[(frame["method"] == "trove") & (frame["mode"] == "create")]
    other = trove.assign(method="trove_no_import", run=trove["run"].astype(str) + "_without")
    both = pd.concat([trove.astype({"run": str}), other], ignore_index=True).astype({"method": str})
    both["program"] = np.arange(len(both))
    both = answered(both, right(both))
    return pd.concat([both, both.assign(phase=SELECTED, provenance=SELECTION, sample=0)], ignore_index=True)


@pytest.mark.parametrize(
    ("worse", "verdict"), [("neither", CONSISTENT), ("trove", CONSISTENT), ("trove_no_import", INCONSISTENT)]
)
def test_runs_without_import_are_judged_by_how_they_end(larger, worse, verdict):
    harmed = lambda both: ~((both["method"] == worse) & (both["problem"] % 4 == 0))  # noqa: E731
    (row,) = import_findings(without(larger, harmed))
    assert row.verdict == verdict
    assert "280 problems" in row.computed


def test_tokens_match_where_they_were_counted(simulated):
    study = reeval.sides(simulated)
    assert matched_tokens(study, k=15).verdict == UNDECIDED
    dear = simulated["method"].eq("trove")
    counted = simulated.assign(prompt_tokens=np.where(dear, 100, 300), completion_tokens=np.where(dear, 100, 100))
    row = matched_tokens(reeval.sides(counted), k=15)
    assert "against 7" in row.computed  # 15 × 200 tokens pay for seven of 400
    assert "p of equivalence within 2 points" in row.computed


# ---- all of it ----


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path / "nothing"))


def test_the_audit_is_the_same_twice_and_runs_without_any_data(no_data, skip_only):
    one, two = (audit.run_audit(skip_only, resamples=20) for _ in range(2))
    pd.testing.assert_frame_equal(one.findings, two.findings)
    assert one.examples is None
    assert any("fetch math" in line for line in one.missing)
    for section in range(1, 7):
        assert audit.paragraphs(one.findings, section)


def test_only_runs_of_the_papers_model_on_their_problems_judge_the_papers(no_data, skip_only):
    theirs = skip_only.assign(model="CodeLlama-7b-Instruct-hf")
    toy, paper, other = (
        audit.run_audit(frame, resamples=20) for frame in (skip_only, theirs, theirs.assign(dataset="practice"))
    )
    assert set(paper.findings["section"]) == {1, 2, 3, 5, 6}
    assert paper.scope == ""
    for found in (toy, other):
        assert set(found.findings["section"]) == {1, 2, 5}
        assert found.scope.startswith("no paper is judged by these runs")
        assert "\n" not in found.scope
        assert len(found.effects)
    written = paper.findings[["stated", "computed", "note"]].to_numpy().ravel()
    assert not [text for text in written if "nan" in text]


# ---- in words ----


def findings_of(*verdicts):
    rows = [
        finding(6, "a paper", f"§{i}", f"claim {i}", stated="1", computed=f"{i}", holds=holds, importance=i + 1)
        for i, holds in enumerate(verdicts)
    ]
    return as_table(rows).assign(source="computed")


def test_the_ranking_opens_with_what_weighs_most_and_leaves_out_what_holds():
    table = audit.ranking(findings_of(False, True, None, False))
    assert table["what"].tolist() == ["claim 3", "claim 2", "claim 0"]


def test_the_answer_follows_from_the_findings():
    one, other = (audit.answer(findings_of(*verdicts)) for verdicts in ((False, None), (True, True)))
    assert "1 do not fit together, 1 cannot be decided, 0 hold" in one
    assert "by paper: a paper 1" in one
    assert "0 do not fit together, 0 cannot be decided, 2 hold" in other
    assert "by paper" not in other
    assert one.index("claim 0: 0 – **inconsistent**") < one.index("claim 1: 1 – **cannot be decided**")


def test_findings_that_hold_are_a_list_beneath_the_others():
    text = audit.paragraphs(findings_of(True, False), 6)
    assert text.index("**Inconsistent**") < text.index("**Consistent** (1)")
    assert "- a paper, §0: claim 0 (0)" in text


def test_what_cannot_be_computed_comes_from_the_committed_copy(no_data, skip_only, tmp_path):
    row = finding(4, "TroVE", "somewhere", "a leak", stated="", computed="11", holds=False, importance=2)
    stale = finding(
        1, "re-evaluation", "Table 8", "not a check any more", stated="", computed="", holds=None, importance=3
    )
    as_table([row, stale]).to_csv(tmp_path / "findings.csv", index=False)
    found = audit.run_audit(skip_only, resamples=20, committed=tmp_path / "findings.csv").findings
    copied = found[found["source"] == "committed copy"]
    assert copied["check"].tolist() == ["a leak"]
    assert "(committed copy)" in audit.paragraphs(found, 4)


def test_runs_on_other_problems_are_not_held_to_maths_answers(public_problems, skip_only, tmp_path):
    """Practice problems have their own golds, and no finding on recorded runs of MATH stands for theirs."""
    right = {(p.category, p.index): p.gold for c in CATEGORIES for p in load_problems("practice", c)}
    where = zip(skip_only["category"].astype(str), skip_only["problem"], strict=True)
    gold = [number_text(right[key]) for key in where]
    answers = [[g] for g in gold]
    frame = skip_only.assign(dataset="practice", answers=answers, answer=gold, correct=True, status="ok", operations=1)
    copied = [
        finding(3, "TroVE", "§3", "rule: silence", stated="", computed="", holds=None, importance=1),
        finding(4, "public runs", "runs", "leaks", stated="", computed="", holds=None, importance=1),
    ]
    as_table(copied).to_csv(tmp_path / "findings.csv", index=False)
    found = audit.run_audit(frame, resamples=20, committed=tmp_path / "findings.csv")
    graded = found.effects[found.effects["rule"] == "graded number"]
    assert (graded["after"] == 1).all()
    assert "committed copy" not in set(found.findings["source"])
    assert not found.findings["check"].str.startswith("accuracy without the problems").any()


def test_a_damaged_copy_is_named(tmp_path):
    (tmp_path / "findings.csv").write_text("a,b\n1,2\n")
    with pytest.raises(TroveLiteError, match="lacks the columns"):
        audit.read_findings(tmp_path / "findings.csv")


def test_the_bundled_runs_give_the_committed_findings(no_data):
    """What needs no data is computed the same as it was committed."""
    from ..conftest import ROOT

    bundled, copy = (
        ROOT / "results" / "codellama-7b-instruct" / "outcomes.parquet",
        ROOT / "results" / "audit" / "findings.csv",
    )
    if not bundled.is_file() or not copy.is_file():
        pytest.skip("the clone holds no bundled outcomes or findings")
    found = audit.run_audit(load_candidates(bundled), committed=copy).findings
    committed = audit.read_findings(copy)
    assert (found["source"] == "computed").sum() > 70
    pd.testing.assert_frame_equal(found[committed.columns], committed, check_dtype=False)
