"""The recorded programs of a committed run again, with tools as definitions: a replay, for what was asked stays."""

from dataclasses import replace
from pathlib import Path

import pytest

from trove_lite import load_candidates
from trove_lite.analysis.choose import choose
from trove_lite.recorded.reexecute import recorded_programs, reexecute_runs
from trove_lite.recorded.replay import stated_settings, with_isolated_tools
from trove_lite.sandbox.pool import Sandbox, isolation_report

pytestmark = pytest.mark.skipif(isolation_report()["level"] is None, reason="programs cannot be confined here")
STUDY = Path(__file__).parents[2] / "results/qwen2.5-coder-1.5b"
RUN, NONE = STUDY / "runs/trove-counting", STUDY / "ablations/no-toolbox"
PRINTED = "11218"  # by a tool, while it loads, from problem 182 on


def importing(rows):
    return (rows["mode"] == "import") & (rows["phase"] == "stream")


def test_no_program_of_a_recorded_run_answers_what_a_tool_prints_while_it_loads():
    recorded = load_candidates(RUN)
    rows = with_isolated_tools(recorded, [RUN])
    settings = {run: replace(stated, isolated=True) for run, stated in stated_settings([RUN]).items()}
    some = importing(rows) & rows["problem"].between(182, 191) & (rows["status"] == "ok")
    assert set(recorded.loc[some, "answer"]) == {f"{PRINTED}.0"}
    programs = [program for program, is_one in zip(recorded_programs(rows, settings), some, strict=True) if is_one]
    with Sandbox(time_limit=4) as sandbox:
        printed = [execution.output for execution in sandbox.run_many(programs, progress=False)]
    assert not any(PRINTED in text for text in printed)
    assert len(set(printed)) > len(printed) / 3


@pytest.mark.slow
def test_with_isolated_tools_a_recorded_run_s_own_toolbox_is_worth_as_much_as_none(tmp_path):
    """By an independent replay -0.7 points. The commonest answer, of 7.4 %, is C(10, 3), which programs ask for."""
    limits = {"time_limit": 4.0, "known_timeouts": 1.0, "workers": None}
    rows, _ = reexecute_runs([RUN], tmp_path / "replay", isolated=True, **limits)
    stream = rows[rows["phase"] == "stream"]
    assert importing(rows).sum() == 1455
    assert stream["answer"].value_counts(normalize=True).max() < 0.10
    assert (rows.loc[importing(rows), "answer"] == f"{PRINTED}.0").sum() == 0
    own, none = (choose(table, "one_stage")["correct"].mean() for table in (rows, load_candidates(NONE)))
    assert 100 * (own - none) == pytest.approx(-0.7, abs=0.5)
