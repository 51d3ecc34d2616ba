"""The plan's page is made from rows, the rows tell the parts as they are, and numbers by draw are those of git."""

import io
import subprocess
import tomllib

import pandas as pd
import pytest

from studies import draws, page
from studies.bench import planned

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


NUMBERS = pd.read_csv(draws.NUMBERS, dtype=str)


@pytest.mark.parametrize("commit", NUMBERS["commit"].unique())
def test_an_earlier_draw_s_number_is_what_its_commit_published(commit):
    words = ["git", "show", f"{commit}:results/bench/differences.csv"]
    shown = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if shown.returncode:
        pytest.skip(f"commit {commit} is not here: no git, or a shallow clone")
    published = pd.read_csv(io.StringIO(shown.stdout), dtype=str).rename(columns={"id": "comparison"})
    own = NUMBERS[NUMBERS["commit"] == commit][["comparison", "measure", "difference", "low", "high", "problems"]]
    assert len(own.merge(published)) == len(own) > 0


def test_a_comparison_has_a_number_a_draw_and_the_last_is_that_of_the_tables():
    now = pd.read_csv(ROOT / "results/bench/differences.csv").query("measure == 'agreement'")
    table = draws.by_draw(now, planned())
    assert not table.duplicated(["comparison", "draw"]).any()
    last = table.groupby("comparison")["difference"].last()
    assert last.to_dict() == dict(zip(now["id"], now["difference"], strict=True))
