"""The table and its folder: what goes in comes out, and nothing half-written stays."""

from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from trove_lite import TroveLiteError, load_candidates
from trove_lite.candidates import (
    SCHEMA,
    TEXT,
    VERSION_KEY,
    calls_of,
    fingerprint,
    load_calls,
    outcomes,
    save_run,
    save_table,
    write_description,
)
from trove_lite.journal import write_atomically

from .cases import cases


def test_a_run_folder_gives_back_what_was_saved(simulated, tmp_path):
    save_run(tmp_path / "run", simulated, {"kind": "test"})
    loaded = load_candidates(tmp_path / "run")
    key = ["run", "method", "category", "problem", "mode", "sample"]
    expected = simulated.sort_values(key, ignore_index=True)
    pd.testing.assert_frame_equal(
        loaded.sort_values(key, ignore_index=True), expected, check_categorical=False
    )


def test_what_an_older_table_does_not_say_of_its_runs_is_told_by_run_json_or_taken_as_shared(
    simulated, tmp_path
):
    names = {"trove": "trove_no_import", "primitive": "mine"}
    about = {"methods": {"trove": {"selection": "two_stage"}, "other": {"selection": "one_stage"}}}
    save_run(tmp_path / "run", simulated.assign(method=simulated["method"].map(names)), about)
    write_description(tmp_path / "run", about)  # as before there were checksums of tables
    file = tmp_path / "run" / "candidates.parquet"
    pq.write_table(
        pq.read_table(file).drop_columns(["shares_state", "selection", "log_probability"]), file
    )
    loaded = load_candidates(tmp_path / "run").astype({"method": str, "selection": object})
    told = loaded.drop_duplicates("method").set_index("method")
    assert told["shares_state"].to_dict() == {"trove_no_import": True, "mine": True}
    assert told["selection"].fillna("").to_dict() == {"trove_no_import": "two_stage", "mine": ""}


def calls(candidates):
    """A call for each candidate, and for each problem one that made none."""
    made = calls_of(candidates)
    ranks = made.drop_duplicates(["run", "method", "category", "problem"])
    none = {"stage": "rank", "mode": None, "role": "maker", "executions": 0, "prompt_tokens": 7}
    return pd.concat([made, ranks.assign(**none)], ignore_index=True)


def test_calls_are_given_back_with_those_that_made_no_candidate(simulated, tmp_path):
    save_run(tmp_path / "run", simulated, {"kind": "test"}, calls(simulated))
    loaded = load_calls(tmp_path / "run")
    assert loaded["mode"].isna().sum() == (loaded["stage"] == "rank").sum() == 6 * 7 * 2 * 2
    assert len(loaded) == len(simulated) + loaded["mode"].isna().sum()
    assert loaded["prompt_tokens"].sum() == 7 * loaded["mode"].isna().sum()
    assert loaded.equals(load_calls(tmp_path / "run/candidates.parquet"))
    assert loaded.equals(load_calls(tmp_path / "run/calls.parquet"))


def test_calls_of_a_run_without_them_are_what_its_candidates_tell(simulated, tmp_path):
    status = simulated["status"].astype(object).mask(simulated["problem"] == 0, "no_code")
    frame = simulated.assign(
        prompt_tokens=5, status=status.mask(simulated["problem"] == 1, "unavailable")
    )
    save_run(tmp_path / "run", frame, {"kind": "test"})
    loaded = load_calls(tmp_path / "run")
    assert len(loaded) == len(frame)
    assert loaded["executions"].sum() == (frame["problem"] > 1).sum()
    assert loaded["prompt_tokens"].sum() == 5 * len(frame)
    assert loaded["completion_tokens"].isna().all()
    assert set(loaded["role"]) == {"solver"}
    assert (loaded["stage"].astype(str) == loaded["mode"].astype(str)).all()


def test_a_run_is_complete_only_with_its_calls(simulated, tmp_path, monkeypatch):
    def fail(*args, **kwargs):
        raise OSError("disk full")

    save_run(tmp_path / "run", simulated, {"kind": "test"}, calls(simulated))
    monkeypatch.setattr(Path, "write_bytes", fail)
    with pytest.raises(TroveLiteError, match="disk full"):
        save_run(tmp_path / "run", simulated, {"kind": "test"}, calls(simulated))
    with pytest.raises(TroveLiteError, match="the run is not complete"):
        load_candidates(tmp_path / "run")


def test_candidates_and_outcomes_load_together(simulated, tmp_path):
    save_table(simulated[simulated["run"] == "run0"], tmp_path / "c.parquet")
    save_table(outcomes(simulated[simulated["run"] == "run1"]), tmp_path / "o.parquet")
    loaded = load_candidates(tmp_path / "c.parquet", tmp_path / "o.parquet")
    assert len(loaded) == len(simulated)
    assert not set(TEXT) & set(loaded.columns)
    with pytest.raises(TroveLiteError, match="is there twice; give each run once"):
        load_candidates(tmp_path / "c.parquet", tmp_path / "c.parquet")


def test_missing_incomplete_foreign_and_damaged_files_are_told_apart(simulated, tmp_path):
    (tmp_path / "begun").mkdir()
    (tmp_path / "begun/run.json").write_text("{}")
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1 no")
    simulated[["run"]].to_parquet(tmp_path / "foreign.parquet")
    simulated.assign(operations="many").to_parquet(tmp_path / "c.parquet")
    table = pa.Table.from_pandas(simulated, SCHEMA, preserve_index=False)
    for version in "13":
        pq.write_table(
            table.replace_schema_metadata({VERSION_KEY: version}), tmp_path / f"{version}.parquet"
        )
    for words, *names in cases(
        r"""
        "no run given"
        "not a run folder or parquet file",         "nothing"
        "the run is not complete",                  "begun"
        "not a readable parquet file",              "damaged.parquet"
        "lacks the columns model, provenance",      "foreign.parquet"
        r"c\.parquet: a column of another type",    "c.parquet"
        r"an earlier release \(schema 1, here 2\)", "1.parquet"
        r"a later release \(schema 3, here 2\)",    "3.parquet"
        """
    ):
        with pytest.raises(TroveLiteError, match=words):
            load_candidates(*(tmp_path / name for name in names))


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")

    def fail(part):
        part.write_text("half")
        raise OSError("disk full")

    with pytest.raises(TroveLiteError, match="disk full"):
        write_atomically(path, fail)
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert path.read_text() == "old"


def test_fingerprints_tell_programs_apart():
    assert fingerprint("a", "b") == fingerprint("a", "b")
    assert (
        len(
            {
                fingerprint("a", "b"),
                fingerprint("ab", ""),
                fingerprint("", "ab"),
                fingerprint("a", "c"),
            }
        )
        == 4
    )
    assert -(2**63) <= fingerprint("\ud800", "") < 2**63
