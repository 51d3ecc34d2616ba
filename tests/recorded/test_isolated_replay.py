"""The recorded programs of a committed run again, with tools as definitions: a replay, for what was asked stays."""

from dataclasses import replace
from pathlib import Path

import pytest

from trove_lite import load_candidates
from trove_lite.recorded.reexecute import recorded_programs
from trove_lite.recorded.replay import stated_settings, with_isolated_tools
from trove_lite.sandbox.pool import isolation_report

pytestmark = pytest.mark.skipif(isolation_report()["level"] is None, reason="programs cannot be confined here")
STUDY = Path(__file__).parents[2] / "results/qwen2.5-coder-1.5b"
RUN, NONE = STUDY / "runs/trove-counting", STUDY / "ablations/no-toolbox"
PRINTED = "11218"  # by a tool, while it loads, from problem 182 on


def importing(rows):
    return (rows["mode"] == "import") & (rows["phase"] == "stream")


def test_no_program_of_a_recorded_run_answers_what_a_tool_prints_while_it_loads(box):
    recorded = load_candidates(RUN)
    rows = with_isolated_tools(recorded, [RUN])
    settings = {run: replace(stated, isolated=True) for run, stated in stated_settings([RUN]).items()}
    some = importing(rows) & rows["problem"].between(182, 191) & (rows["status"] == "ok")
    assert set(recorded.loc[some, "answer"]) == {f"{PRINTED}.0"}
    programs = [program for program, is_one in zip(recorded_programs(rows, settings), some, strict=True) if is_one]
    printed = [execution.output for execution in box.run_many(programs, progress=False)]
    assert not any(PRINTED in text for text in printed)
    assert len(set(printed)) > len(printed) / 3
