"""TROVE on made scenes, by the replies that come along."""

import json

import pytest

from trove_lite.candidates import load_candidates
from trove_lite.running.live import live_run
from trove_lite.running.settings import RunSettings


@pytest.mark.parametrize(("option", "stage", "asked"), [("ranking=model", "rank", 3), ("rectify=create", "rewrite", 8)])
def test_ranking_and_rectification_run_on_made_scenes(option, stage, asked, tmp_path):
    """TroVE's Tables 10 and 12, by replies that come along."""
    name, value = option.split("=")
    settings = RunSettings("r", ("trove",), "scenes", k=3, seeds=(0,), limit=8, choices={"trove": {name: value}})
    live_run(settings, tmp_path, progress=False)
    replies = [json.loads(line) for line in next(tmp_path.glob("journal/*")).read_text().splitlines()]
    own = [reply["text"] for reply in replies if reply["stage"] == stage]
    assert len(own) == asked
    assert stage != "rank" or set(own) <= {"is_before, number_of", "number_of, is_before"}
    assert 0.5 < load_candidates(tmp_path)["correct"].mean() < 1
