"""The audit's rows on CREATOR's program: computed from data and print, and turned by other data and other print."""

import pytest

from trove_lite.audit import creator
from trove_lite.audit.finding import CONSISTENT, INCONSISTENT, UNDECIDED, as_printed
from trove_lite.datasets.files import public_paths
from trove_lite.papers import published_table


def row(check, look=None):
    (found,) = [f for f in creator.creator_program_findings([], look) if f.check == check]
    return found


def test_what_the_input_gives_away_is_computed_from_the_data_sets():
    if not all(path.is_file() for name in creator.DATASETS for path in public_paths(name, ".jsonl")):
        pytest.skip("the data folder lacks a data set: run `trove-lite fetch math tabmwp creation_challenge`")
    found = row(creator.GRADING)
    assert "MATH 12.8 %, TabMWP 34.0 %, Creation Challenge 9.2 %" in found.computed
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
