"""IMPORT with a filled toolbox against an empty one, on the committed bench."""

import trove_lite_papers.trove as trove
from trove_lite_analysis import calls

from ...conftest import ROOT

BENCH = ROOT / "results" / "bench"
PARTS = ("own-trove", "own-trove-1", "own-no-toolbox", "own-no-toolbox-1")


def test_import_is_behind_where_the_toolbox_is_filled():
    runs = calls.read_runs([BENCH / "runs" / part for part in PARTS])
    programs = calls.of_runs(calls.read_tool_calls(BENCH)[0], runs)
    found = trove.filled_against_empty(programs, runs).set_index("part")
    columns = ["problems and seeds", "difference", "low", "high"]
    cells = found[columns].round(3).T.to_dict("list")
    assert cells["own-trove"] == [64, -0.084, -0.147, -0.022]
    assert cells["own-trove-1"] == [98, -0.112, -0.171, -0.054]
    assert cells["together"] == [162, -0.104, -0.151, -0.057]
    assert trove.filled_against_empty(programs.iloc[:0], runs).empty
