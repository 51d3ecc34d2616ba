"""The journal and resuming: kills, torn lines, full disks, changed settings, a second process."""

import json
import multiprocessing
import os
import random
import re
import signal
import time

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.errors import DamagedFile, TroveLiteError
from trove_lite.journal import Journal, read_journal

from ..cases import cases
from ..scripted import ScriptedModel, run, run_in_child, table, without_checksums

PROCESSES = multiprocessing.get_context(
    "forkserver"
)  # a kill costs no interpreter's start, as `subprocess` would
PROCESSES.set_forkserver_preload(["tests.scripted"])
SMALL = {"seeds": (0,), "limit": 6}  # trimmed once


def start(folder, **how):
    process = PROCESSES.Process(
        target=run_in_child, args=(folder, folder.parent / "told"), kwargs=how
    )
    process.start()
    return process


def end(process):
    process.join(60)
    code = process.exitcode
    process.close()
    return code


def lines(folder):
    return sum(len(read_journal(path)[0]) for path in (folder / "journal").glob("*.jsonl"))


def wait_for(reached, process):
    """Until that is so, or the process has ended."""
    while process.is_alive() and not reached():
        time.sleep(0.001)
    return time.monotonic()


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """The run that nobody disturbed, and how many seconds it took from its first row."""
    folder = tmp_path_factory.mktemp("whole") / "a"
    process = start(folder)
    began = wait_for((folder / "run.json").exists, process)
    ended = wait_for((folder / "candidates.parquet").exists, process)
    assert end(process) == 0
    return table(folder), ended - began


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_run_resumes_to_the_same_table(tmp_path, whole, seed):
    """Killed at its first sample, whatever the machine's pace, and then at random moments."""
    folder, rng, killed, (expected, seconds) = tmp_path / "a", random.Random(seed), 0, whole
    for number in range(3):
        process = start(folder)
        wait_for(lambda pid=str(process.pid): holder(folder) == pid, process)
        if number:
            time.sleep(rng.uniform(0, seconds / 2))
        else:
            wait_for(lambda: lines(folder), process)
        process.kill()
        killed += end(process) == -signal.SIGKILL
    assert killed
    assert end(start(folder)) == 0
    pd.testing.assert_frame_equal(table(folder), expected)


def holder(folder):
    path = folder / ".lock"
    return path.read_text().strip() if path.exists() else ""


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """The table of a run, its description as it was before its end, and its journals."""
    folder = run(tmp_path_factory.mktemp("complete") / "a", **SMALL)
    about = json.loads((folder / "run.json").read_text())
    journals = {path.name: path.read_bytes() for path in (folder / "journal").glob("*.jsonl")}
    return (
        table(folder),
        {k: v for k, v in about.items() if k not in ("budget", "accuracy")},
        journals,
    )


@settings(max_examples=12, deadline=None)
@given(st.data())
def test_any_journal_that_a_kill_can_leave_resumes_to_the_same_table(
    complete, tmp_path_factory, data
):
    """A kill leaves a prefix of each journal: cut every file anywhere, in the middle of a line
    too."""
    expected, about, journals = complete
    folder = tmp_path_factory.mktemp("cut") / "a"
    (folder / "journal").mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(about))
    for name, content in journals.items():
        (folder / "journal" / name).write_bytes(
            content[: data.draw(st.integers(0, len(content)), label=name)]
        )
    pd.testing.assert_frame_equal(table(run(folder, **SMALL)), expected)


def test_a_complete_run_is_left_alone(tmp_path):
    folder = run(tmp_path / "a", **SMALL)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.name != ".lock"}
    model = ScriptedModel()
    run(folder, **SMALL, model=model)
    assert model.calls == 0
    assert before == {
        path: path.stat().st_mtime_ns for path in folder.rglob("*") if path.name != ".lock"
    }


def append(path, *records):
    """Append these to a journal; the notice with which it opened."""
    journal = Journal(path)
    for record in records:
        journal.append(record)
    journal.close()
    return journal.notice


@settings(max_examples=40, deadline=None)  # it writes files, and a busy disk is no fault
@given(
    st.lists(
        st.dictionaries(st.text(), st.text() | st.integers() | st.floats(allow_nan=False)),
        max_size=5,
    )
)
def test_what_is_written_is_read_back(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("journal") / "a.jsonl"
    append(path, *records)
    assert read_journal(path) == (records, path.stat().st_size, "")


def test_a_torn_last_line_is_dropped_with_a_notice_and_a_damaged_one_before_others_refused(
    tmp_path,
):
    path = tmp_path / "a.jsonl"
    for torn in (b'{"a"', b'{"a": 1}', b"\0\0\0", b'{"a": 1}\0\n', b"[1]\n"):
        path.write_bytes(b'{"n": 0}\n' + torn)
        assert "dropped a torn last line" in append(path, {"n": 1})
        assert read_journal(path) == ([{"n": 0}, {"n": 1}], path.stat().st_size, "")
    path.write_bytes(b'{"n": 0}\n{"n": \n{"n": 2}\n')
    with pytest.raises(TroveLiteError, match="line 2"):
        Journal(path)


def test_a_line_that_somebody_edited_is_named_and_an_older_journal_goes_on(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "print(1)"}\n')  # by a release without checksums
    append(path, {"text": "print(1)", "tokens": 17}, {"right": True, "seconds": 1.5})
    old, first, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(
        old + json.dumps(json.loads(first)).encode() + b"\n" + last
    )  # written otherwise, the same record
    assert len(read_journal(path)[0]) == 3
    edits = (b"17", b"18"), (b',"crc32"', b',"more":1,"crc32"'), (b'"crc32"', b'"other"')
    for was, now in edits:
        path.write_bytes(old + first.replace(was, now) + last)
        if b"other" in now:  # from where there are checksums on, each line has one
            path.write_bytes(old + last + first.replace(was, now))
        with pytest.raises(DamagedFile, match=r"a\.jsonl, line [23]: not as it was written"):
            read_journal(path)
    append(other := tmp_path / "b.jsonl", {"right": True, "seconds": 1.5})
    path.write_bytes(old + first + other.read_bytes())
    with pytest.raises(DamagedFile, match=r"a\.jsonl, line 3: not as it was written"):
        read_journal(path)


@pytest.mark.parametrize(
    ("change", "words"),
    cases(
        """
        {"k": 9},                   "k: was 6, now 9"
        {"trove": {"interval": 5}}, "trove.interval: was 4, now 5"
        {"preset": "official"},     "preset: was paper, now official"
        {"seeds": (0, 1, 2)},       "seeds: was"
        """
    ),
)
def test_a_changed_setting_is_refused_by_name(tmp_path, change, words):
    folder = run(tmp_path / "a", **SMALL)
    for _ in ("complete", "stopped"):
        with pytest.raises(TroveLiteError, match=words) as caught:
            run(folder, **SMALL | change)
        assert "\n" not in str(caught.value)
        (folder / "candidates.parquet").unlink(missing_ok=True)


def changed(folder, **parts):
    """The description of a run, with other values in these parts."""
    path = folder / "run.json"
    about = json.loads(path.read_text())
    for part, change in parts.items():
        about[part] = about[part] | change if isinstance(change, dict) else change
    path.write_text(json.dumps(about))


def other_prompts(folder):
    path = folder / "journal" / "primitive-counting-0.jsonl"
    without_checksums(path, lambda records: records[0].update(prompt="0"))


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (
            lambda folder: changed(folder, models={"solver": "other"}),
            "was begun with the model 'other'",
        ),
        (lambda folder: changed(folder, prompts={"hash": "1"}), "prompts"),
        (lambda folder: changed(folder, data={"counting": "1"}), "data"),
        (lambda folder: changed(folder, versions={"sympy": "0.1"}), "versions"),
        (
            lambda folder: changed(folder, versions={"trove-lite": "0.4.0"}),
            "trove-lite: was 0.4.0, now .* --reuse",
        ),
        (lambda folder: changed(folder, isolation="none"), "isolation"),
        (lambda folder: (folder / "run.json").unlink(), r"without its run\.json"),
        (other_prompts, "recorded for another prompt"),
    ],
)
def test_other_problems_prompts_models_and_versions_are_refused(tmp_path, harm, words):
    folder = run(tmp_path / "a", **SMALL)
    (folder / "candidates.parquet").unlink()
    harm(folder)
    with pytest.raises(TroveLiteError, match=words):
        run(folder, **SMALL)


def test_a_second_process_is_refused_while_the_first_runs_and_not_after_its_kill(tmp_path):
    folder = tmp_path / "a"
    first = start(folder)
    wait_for((folder / "run.json").exists, first)
    os.kill(first.pid, signal.SIGSTOP)
    with pytest.raises(TroveLiteError, match=rf"another process \(pid {first.pid}\)"):
        run(folder)
    first.kill()
    end(first)
    run(folder)
    assert len(table(folder))


def test_a_full_disk_stops_with_one_line_and_resumes(tmp_path, whole):
    """Files may have 8 kB: like a full disk, the kernel refuses the rest of a write."""
    folder = tmp_path / "a"
    assert end(start(folder, file_limit=8_000)) == 1
    told = (tmp_path / "told").read_text()
    assert re.fullmatch(".*the disk is full.*make room, then run the same command again", told)
    assert all(read_journal(path)[2] == "" for path in (folder / "journal").glob("*.jsonl"))
    kept = lines(folder)
    assert 0 < kept < len(whole[0])
    model = ScriptedModel()
    pd.testing.assert_frame_equal(table(run(folder, model=model)), whole[0])
    assert model.calls == len(whole[0]) - kept
