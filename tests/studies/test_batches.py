"""The rows of batches tell the parts as they are, and numbers by batch are those of git."""

import io
import subprocess
import tomllib

import pandas as pd
import pytest

from studies import batches
from studies.bench import planned

from ..conftest import ROOT

ROWS = pd.read_csv(batches.BATCHES, keep_default_na=False)


@pytest.mark.parametrize("study", ["bench", "familiarity"])
def test_the_last_row_of_each_part_says_what_its_study_says(study):
    found = tomllib.loads((ROOT / f"studies/{study}.toml").read_text(encoding="utf-8"))["part"]
    last = ROWS.groupby("part")["state"].last()
    for part in found:
        there = (ROOT / f"results/{study}/runs/{part['name']}").is_dir()
        known = "withdrawn" if part.get("withdrawn") else "counted" if there else "not run"
        assert last[part["name"]] == known, part["name"]


def test_a_part_counts_in_its_last_batch_alone_and_every_other_state_has_a_reason():
    assert set(ROWS["state"]) <= set(batches.STATES)
    assert not ROWS.duplicated(["part", "batch"]).any()
    assert ROWS.groupby("part")["batch"].is_monotonic_increasing.all()
    before = ROWS[ROWS.duplicated("part", keep="last")]
    assert before["state"].isin(["replaced", "withdrawn", "not complete"]).all()
    assert (ROWS["reason"] != "")[ROWS["state"] != "counted"].all()


NUMBERS = pd.read_csv(batches.NUMBERS, dtype=str)


@pytest.mark.parametrize("commit", NUMBERS["commit"].unique())
def test_an_earlier_batch_s_number_is_what_its_commit_published(commit):
    words = ["git", "show", f"{commit}:results/bench/differences.csv"]
    shown = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if shown.returncode:
        pytest.skip(f"commit {commit} is not here: no git, or a shallow clone")
    published = pd.read_csv(io.StringIO(shown.stdout), dtype=str).rename(
        columns={"id": "comparison"}
    )
    own = NUMBERS[NUMBERS["commit"] == commit][
        ["comparison", "measure", "difference", "low", "high", "problems"]
    ]
    assert len(own.merge(published)) == len(own) > 0


def test_a_comparison_has_a_number_a_batch_and_the_last_is_that_of_the_tables():
    now = pd.read_csv(ROOT / "results/bench/differences.csv").query("measure == 'agreement'")
    table = batches.by_batch(now, planned())
    assert not table.duplicated(["comparison", "batch"]).any()
    last = table.groupby("comparison")["difference"].last()
    assert last.to_dict() == dict(zip(now["id"], now["difference"], strict=True))
