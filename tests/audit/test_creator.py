"""The audit's rows on CREATOR's program: computed from data and print, and turned by other data and other print."""

import pytest

from audit import creator
from audit.finding import CONSISTENT, INCONSISTENT, UNDECIDED, as_printed
from papers import published_table
from trove_lite.datasets.files import public_paths

from .planting import planted


def row(check, look=None):
    (found,) = [f for f in creator.creator_program_findings([], look) if f.check == check]
    return found


def test_what_the_input_gives_away_is_computed_from_the_data_sets():
    if not all(path.is_file() for name in creator.DATASETS for path in public_paths(name, ".jsonl")):
        pytest.skip("the data folder lacks a data set: run `trove-lite fetch math tabmwp creation_challenge`")
    found = row(creator.GRADING)
    assert "MATH 12.8 %, TabMWP 34.0 %, Creation Challenge 9.2 %" in found.computed
    assert "8.7 % by the question alone" in found.note
    assert found.verdict == INCONSISTENT


def test_without_a_data_set_the_row_is_left_out_and_said_to_be(tmp_path, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path))
    missing = []
    found = creator.creator_program_findings(missing)
    assert creator.GRADING not in {f.check for f in found}
    assert missing[0].startswith("problems of math: ")


def test_the_gain_from_repairs_is_read_off_the_printed_tables():
    found = row("gain from rectification")
    assert found.verdict == INCONSISTENT
    assert found.computed == "PoT gains 0.7 to 10.1 %, on average 5.6 %"


def test_gains_near_ten_percent_everywhere_would_be_consistent():
    changed = {}
    for number in (2, 3, 4):
        table = published_table(f"creator_table{number}").copy()
        table.loc[table["method"] == "PoT (w/o Rec.)", "value"] = 50.0
        table.loc[table["method"] == "PoT (w/ Rec.)", "value"] = 55.0
        changed[f"creator_table{number}"] = table
    assert row("gain from rectification", as_printed(**changed)).verdict == CONSISTENT


def test_the_gain_of_transfer_cannot_be_decided_from_print():
    found = row("the gain of tool transfer, like with like")
    assert found.verdict == UNDECIDED
    assert "12 calls a set, against one attempt at 6" in found.computed


def test_the_length_of_a_completion_is_held_against_the_stated_one():
    found = row("the longest completion")
    assert (found.stated, found.computed) == ("512 tokens in all experiments", "in the program 1024")
    assert found.verdict == INCONSISTENT
    longer = planted("figures", "1024", "value", paper="creator", quantity="max generation length")
    assert row("the longest completion", as_printed(figures=longer)).verdict == CONSISTENT


def test_words_that_always_succeed_would_be_consistent():
    check, changed = "successful execution of answers in words", {}
    assert row(check).verdict == INCONSISTENT
    assert "4 of 4" in row(check).computed
    for name in ("creator_table3", "creator_table4"):
        table = published_table(name).copy()
        table.loc[table["metric"] == "successful_execution_pct", "value"] = 100
        changed[name] = table
    assert row(check, as_printed(**changed)).verdict == CONSISTENT


@pytest.mark.parametrize(
    ("better", "with_transfer", "most"),
    [
        (39, 78.3, 30),  # as printed: 30 that gain 1 and 9 that gain 2 make up 46 and 2 lost
        (46, 78.3, 32),  # each free question leaves two of its set wrong: 65 of 300 are
        (24, 78.3, 0),  # all better sets must gain 2
    ],
)
def test_free_questions_are_bounded_by_what_is_printed_of_sets(better, with_transfer, most):
    table = planted("creator_table5", better, "value", quantity="sets_better_with_transfer")
    table.loc[table["quantity"] == "acc_tool_create_with_transfer", "value"] = with_transfer
    found = row("every question that transfer counts was answered", as_printed(creator_table5=table))
    assert f"of the 235 up to {most}," in found.computed
    assert found.verdict == (UNDECIDED if most else CONSISTENT)
