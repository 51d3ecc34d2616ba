"""The table and its folder: what goes in comes out, and nothing half-written stays."""

import pandas as pd
import pytest

from trove_lite import TroveLiteError, load_candidates, outcomes
from trove_lite.candidates import TEXT, fingerprint, save_run, save_table
from trove_lite.journal import write_atomically


def test_a_run_folder_gives_back_what_was_saved(simulated, tmp_path):
    save_run(tmp_path / "run", simulated, {"kind": "test"})
    loaded = load_candidates(tmp_path / "run")
    key = ["run", "method", "category", "problem", "mode", "sample"]
    expected = simulated.sort_values(key, ignore_index=True)
    pd.testing.assert_frame_equal(loaded.sort_values(key, ignore_index=True), expected, check_categorical=False)


def test_outcomes_hold_no_text_of_a_model_or_program(simulated, tmp_path):
    save_table(outcomes(simulated), tmp_path / "o.parquet")
    loaded = load_candidates(tmp_path / "o.parquet")
    assert not set(TEXT) & set(loaded.columns)
    assert len(loaded) == len(simulated)


def test_candidates_and_outcomes_load_together(simulated, tmp_path):
    save_table(simulated[simulated["run"] == "run0"], tmp_path / "c.parquet")
    save_table(outcomes(simulated[simulated["run"] == "run1"]), tmp_path / "o.parquet")
    assert len(load_candidates(tmp_path / "c.parquet", tmp_path / "o.parquet")) == len(simulated)


def test_the_same_run_twice_is_refused(simulated, tmp_path):
    save_table(simulated, tmp_path / "c.parquet")
    with pytest.raises(TroveLiteError, match="is there twice; give each run once"):
        load_candidates(tmp_path / "c.parquet", tmp_path / "c.parquet")


def test_missing_incomplete_foreign_and_damaged_files_are_told_apart(simulated, tmp_path):
    with pytest.raises(TroveLiteError, match="no run given"):
        load_candidates()
    with pytest.raises(TroveLiteError, match="not a run folder or parquet file"):
        load_candidates(tmp_path / "nothing")
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun/run.json").write_text("{}")
    with pytest.raises(TroveLiteError, match="the run is not complete"):
        load_candidates(tmp_path / "begun")
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1 no")
    with pytest.raises(TroveLiteError, match="not a readable parquet file"):
        load_candidates(tmp_path / "damaged.parquet")
    simulated[["run"]].to_parquet(tmp_path / "foreign.parquet")
    with pytest.raises(TroveLiteError, match="lacks the columns model, provenance"):
        load_candidates(tmp_path / "foreign.parquet")


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def fail(part):
        part.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, fail)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "old"


def test_fingerprints_tell_programs_apart():
    assert fingerprint("a", "b") == fingerprint("a", "b")
    assert len({fingerprint("a", "b"), fingerprint("ab", ""), fingerprint("", "ab"), fingerprint("a", "c")}) == 4
    assert -(2**63) <= fingerprint("\ud800", "") < 2**63
