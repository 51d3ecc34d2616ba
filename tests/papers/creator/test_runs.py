"""PoT, Entangled and CREATOR in whole runs: what their tables count as spent, and what of a reply
runs."""

import pytest

from trove_lite import TroveLiteError, load_calls, load_candidates
from trove_lite.journal import finished_journal
from trove_lite_analysis.recorded.reexecute import recorded_programs

from ...cases import cases
from ...scripted import InlineSandbox, Says, run, without_checksums

GOOD = "```python\nprint(7)\n```"
FAILS = "```python\n1 / 0\n```"


def spent(out, method, *replies, **choices):
    """One attempt at one problem: its folder, requests and executions."""
    box = InlineSandbox()
    how = {
        "seeds": (0,),
        "limit": 1,
        "sandbox": box,
        "choices": {method: {"attempts": 1} | choices},
    }
    run(out, methods=(method,), model=Says(*replies), **how)
    calls = load_calls(out)
    assert calls["executions"].sum() == len(box.programs)
    return len(calls), len(box.programs)


@pytest.mark.parametrize(
    ("method", "replies", "choices", "expected"),
    cases(
        """
        "entangled", [FAILS, GOOD],        {},                                (2, 2)
        "pot",       [FAILS, FAILS, GOOD], {"rectify": 1},                    (2, 2)
        "creator",   [GOOD, FAILS, GOOD],  {},                                (3, 2)
        "creator",   [FAILS],              {"retries": 3, "isolated": False}, (8, 7)
        """,
        FAILS=FAILS,
        GOOD=GOOD,
    ),
)
def test_calls_and_executions_are_those_that_were_made(
    tmp_path, method, replies, choices, expected
):
    assert spent(tmp_path / "a", method, *replies, **choices) == expected


@pytest.mark.parametrize("empty", ["", "42", "In words, without any code."])
def test_a_reply_without_a_block_is_not_run_and_calls_for_a_repair(tmp_path, empty):
    assert spent(tmp_path / "a", "pot", empty) == (4, 0)
    assert list(load_candidates(tmp_path / "a")["status"]) == ["no_code"] * 4
    assert spent(tmp_path / "b", "creator", empty, retries=3) == (8, 0)


def test_all_blocks_of_a_reply_run_one_after_another(tmp_path):
    reply = "First a tool.\n```python\ndef f():\n    return 7\n```\nNow its use.\n```python\nprint(f())\n```"
    for method, replies in {"pot": [reply], "entangled": [reply], "creator": [GOOD, reply]}.items():
        spent(tmp_path / method, method, *replies)
        rows = load_candidates(tmp_path / method)
        assert list(rows["answer"]) == ["7.0"], method
        if method != "creator":
            assert "def f()" in recorded_programs(rows)[0]


THOUGHT = "<think>perhaps\n```python\nprint(1)\n```\n</think>\n"


@pytest.mark.parametrize("method", ["pot", "creator", "primitive", "cot"])
def test_thinking_is_kept_counted_and_never_read(tmp_path, method):
    replies = [THOUGHT + (GOOD if method != "cot" else "**Final Answer:** 7")] * 2
    run(tmp_path / "a", methods=(method,), seeds=(0,), limit=1, k=2, model=Says(*replies))
    rows = load_candidates(tmp_path / "a")
    assert set(rows["answer"]) == {"7.0"}
    assert not rows["response"].str.contains("think").any()
    kept = finished_journal(tmp_path / "a" / "journal" / f"{method}-counting-0.jsonl")
    assert {record["thinking"] for record in kept} == {THOUGHT.strip()}


def read_again(folder, change):
    without_checksums(
        folder / "journal" / "pot-counting-0.jsonl", lambda records: change(records[0])
    )
    (folder / "candidates.parquet").unlink()
    run(
        folder,
        methods=("pot",),
        seeds=(0,),
        limit=1,
        model=Says("unasked"),
        choices={"pot": {"attempts": 1}},
    )
    return list(load_candidates(folder)["solution"])


def test_a_journal_of_before_is_read_as_it_was_then_and_never_otherwise(tmp_path):
    """Records without `fences` keep to the run's parser: a solution is what stands after its last
    heading."""
    spent(tmp_path / "a", "pot", "```python\nx = 7\n```\n**Solution**\n```python\nprint(3)\n```")
    assert "x = 7" in load_candidates(tmp_path / "a")["solution"][0]
    assert read_again(tmp_path / "a", lambda record: record.pop("fences")) == [
        "```python\nprint(3)\n```"
    ]
    with pytest.raises(TroveLiteError, match='line 1: `fences` is "released": Invalid enum value'):
        read_again(tmp_path / "a", lambda record: record.update(fences="released"))
