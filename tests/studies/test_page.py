"""The plan's page is made from rows, the rows tell the parts as they are, and numbers by draw are those of git."""

import tomllib

import pandas as pd
import pytest

from studies import page

from ..conftest import ROOT

ROWS = pd.read_csv(page.DRAWS, keep_default_na=False)


def test_the_plan_is_what_page_writes_from_the_rows_and_short_enough_to_be_read():
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.page(text) == text
    assert all(table() in text for table in page.TABLES.values())
    assert text.count("\n") <= 150


def test_a_table_is_made_anew_below_its_comment_and_nothing_else_changes():
    made = page.page("before\n<!-- rows: draws, from draws.csv -->\n| old |\n\n| another |\n")
    assert made == f"before\n<!-- rows: draws, from draws.csv -->\n{page.draws()}\n| another |\n"


@pytest.mark.parametrize("study", ["bench", "familiarity"])
def test_the_last_row_of_each_part_says_what_its_study_says(study):
    found = tomllib.loads((ROOT / f"studies/{study}.toml").read_text(encoding="utf-8"))["part"]
    last = ROWS.groupby("part")["state"].last()
    for part in found:
        there = (ROOT / f"results/{study}/runs/{part['name']}").is_dir()
        known = "withdrawn" if part.get("withdrawn") else "counted" if there else "not run"
        assert last[part["name"]] == known, part["name"]


def test_a_part_counts_in_its_last_draw_alone_and_every_other_state_has_a_reason():
    assert set(ROWS["state"]) <= set(page.STATES)
    assert not ROWS.duplicated(["part", "draw"]).any()
    assert ROWS.groupby("part")["draw"].is_monotonic_increasing.all()
    before = ROWS[ROWS.duplicated("part", keep="last")]
    assert before["state"].isin(["replaced", "withdrawn", "not complete"]).all()
    assert (ROWS["reason"] != "")[ROWS["state"] != "counted"].all()
