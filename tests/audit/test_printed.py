"""Printed numbers: what does not add up is found, with its numbers, and what is mended is not."""

import numpy as np
import pytest

from audit import CHECKS, printed, reeval, trove
from audit import finding as words
from audit.finding import CONSISTENT, INCONSISTENT, UNDECIDED
from papers import published_table

from .planting import only, planted


def sums():
    """The MATH row of Table 6 as the sums of its categories."""
    rows = published_table("reeval_table6").query("category != 'MATH'").groupby(["method", "gain"])["count"].sum()
    return [(n, "count", {"category": "MATH", "method": m, "gain": g}) for (m, g), n in rows.items()]


def fixed_as_logarithmic():
    """Table 13's fixed threshold with the accuracies of the logarithmic one, but on GQA."""
    rows = published_table("trove_table13").query("method == 'logarithmic_ours' and category != 'GQA'")
    return [(r.value, "value", {"method": "fixed_value", "category": r.category}) for r in rows.itertuples()]


def stated(paper, quantity, value, **where):
    return {"figures": [(value, "value", {"paper": paper, "quantity": quantity} | where)]}


MATH, ACCURACY = {"category": "MATH"}, {"metric": "accuracy_pct"}
SECONDS, LIBRARY = {"metric": "time_s"}, {"metric": "n_lib"}
REPAIRED = [(50.0, "value", {"method": "PoT (w/o Rec.)"}), (55.0, "value", {"method": "PoT (w/ Rec.)"})]
THOUGHTS = [
    (36.7, "accuracy_pct", {"method": "GPT-4 CoT", "task": "Logical Deduction (5)"}),
    (63.3, "accuracy_pct", {"method": "GPT-4 CoT", "task": "Tracking Shuffled Objects (5)"}),
]
#: Check → table → other cells, with which what it says would hold.
MENDED = {
    "same_kind_of_mean": {
        "reeval_table1": [
            (0.14, "mean", MATH | {"method": "PRIMITIVE", "variant": "original"}),
            (0.22, "mean", MATH | {"method": "TROVE", "variant": "original"}),
        ]
    },
    "sums_of_table6": {"reeval_table6": sums()},
    "spread_of_a_mean": {
        "reeval_table3": [(0.11, "std", MATH | {"method": "PRIMITIVE"}), (0.08, "std", MATH | {"method": "TROVE"})]
    },
    "spread_of_samples": {"reeval_table3": [(0.06, "std", {"category": "number", "method": "PRIMITIVE"})]},
    "deviations_of_orderings": {
        "trove_table7": [(2.0, "std", {"category": "algebra"} | LIBRARY), (1.0, "std", {"category": "GQA"} | LIBRARY)]
    },
    "fixed_threshold": {"trove_table13": fixed_as_logarithmic()},
    "seconds_of_people": {
        "trove_table5": [
            (25.7, "mean", {"method": "PRIMITIVE"} | SECONDS),
            (36.5, "mean", {"method": "INSTANCE"} | SECONDS),
        ]
    },
    "averages_are_weighted": {
        "creator_table2": [
            (49.9, "value", MATH | {"method": "PoT (w/o Rec.)", "setting": "w/o CoT"}),
            (55.0, "value", MATH | {"method": "CREATOR", "setting": "w/o Demo."}),
        ]
    },
    "gain_from_rectification": {f"creator_table{n}": REPAIRED for n in (2, 3, 4)},
    "thoughts_tested": {"latm_table5": THOUGHTS},
}


def changed(tables):
    return {table: planted(table, *cells) for table, cells in tables.items()}


@pytest.mark.parametrize("check", MENDED)
def test_what_is_mended_is_consistent(check):
    assert only(check).verdict == INCONSISTENT
    assert only(check, **changed(MENDED[check])).verdict == CONSISTENT


TOOLS = {"trove_table3": [(100, "value", {"category": "TabMWP", "method": "CRAFT"} | LIBRARY)]}
ONE_MORE = [*sums(), (60, "count", {"category": "algebra", "method": "TROVE", "gain": "potential"})]


@pytest.mark.parametrize(
    ("check", "tables"),
    [
        ("thoughts_tested", {"latm_table5": THOUGHTS[:1]}),  # one cell alone is not enough
        ("sums_of_table6", {"reeval_table6": ONE_MORE}),
        ("toolbox_sizes", TOOLS),  # the range is that of no rival
        ("best_of_several", stated("trove", "runs (best reported)", "1")),
        ("best_of_several", stated("reeval", "improved vs originally reported", "9")),  # no luck explains it
    ],
)
def test_what_cannot_be_is_refuted(check, tables):
    assert only(check, **changed(tables)).verdict == INCONSISTENT


@pytest.mark.parametrize(
    ("better", "with_transfer", "most"),
    [
        (39, 78.3, 30),  # as printed: 30 that gain 1 and 9 that gain 2 make up 46 and 2 lost
        (46, 78.3, 32),  # each free question leaves two of its set wrong: 65 of 300 are
        (24, 78.3, 0),  # all better sets must gain 2
    ],
)
def test_free_questions_are_bounded_by_what_is_printed_of_sets(better, with_transfer, most):
    changes = {"sets_better_with_transfer": better, "acc_tool_create_with_transfer": with_transfer}
    table = planted("creator_table5", *((v, "value", {"quantity": name}) for name, v in changes.items()))
    found = only("free_questions", creator_table5=table)
    assert f"of the 235 up to {most}," in found.computed
    assert found.verdict == (UNDECIDED if most else CONSISTENT)


def test_a_count_is_always_allowed_by_its_own_rounding():
    for n in (7, 156, 503, 785):
        for count in range(n + 1):
            assert count in printed.counts_allowed(round(count / n, 2), 2, n)
            assert count in printed.counts_allowed(round(100 * count / n, 1) / 100, 3, n)
    assert not printed.counts_allowed(0.218, 3, 503)


@pytest.mark.parametrize(
    ("cells", "mean", "fits"),
    [([0.1, 0.5], 0.2, "micro"), ([0.1, 0.5], 0.3, "macro"), ([0.1, 0.5], 0.4, "neither"), ([0.2, 0.2], 0.2, "either")],
)
def test_a_mean_fits_what_it_is(cells, mean, fits):
    assert printed.mean_fit(cells, mean, [300, 100], 2).fits == fits


def test_standard_deviations_of_whole_numbers_are_enumerated():
    assert np.isclose(trove.standard_deviations(8, 10, 5), 0.8367, atol=1e-4).any()
    assert not np.isclose(trove.standard_deviations(6, 8, 5), 0.957, atol=5e-4).any()
    assert np.isclose(trove.standard_deviations(6, 8, 4), 0.957, atol=5e-4).any()


@pytest.mark.parametrize("runs", [1, 2, 5])
def test_the_best_of_several_is_as_far_above_the_mean_as_simulation_says(runs):
    drawn = np.random.default_rng(0).normal(size=(200_000, runs)).max(axis=1)
    assert reeval.expected_best(runs) == pytest.approx(drawn.mean(), abs=4 * drawn.std() / 200_000**0.5)


def test_every_row_has_a_check_or_a_verdict_and_never_both():
    rules = words.WORDS.index.str.startswith("rule: ")
    named = words.WORDS.index[~rules & (words.WORDS["verdict"] == "")]
    assert set(named) == set(CHECKS) - {"switched_rules"}


def test_the_weightiest_finding_comes_first():
    rows = [words.finding("time_limit", holds, {"a": 1, "b": 2}) for holds in (True, None, False)]
    assert words.as_table(rows)["verdict"].tolist() == [INCONSISTENT, UNDECIDED, CONSISTENT]
