"""The bundled outcomes of real CodeLlama runs give the numbers that are known of them."""

import pytest

from trove_lite import load_candidates
from trove_lite.analysis.summary import summarise

from ..conftest import ROOT


@pytest.fixture(scope="module")
def bundled():
    return load_candidates(ROOT / "results/codellama-7b-instruct/outcomes.parquet")


#: Of recorded runs the problems that are right in two stages, in one, and by the oracle.
RIGHT = {
    ("baseline_run0", "counting"): (73, 74, 127),
    ("base_count_ablat1_run1", "counting"): (63, 72, 128),
    ("baseline_run0", "geometry"): (11, 20, 55),
    ("base_geo_ablat1_run1", "geometry"): (14, 12, 57),
    ("count_ablat1_run0", "counting"): (72, 66, 127),
    ("num_ablat1_run0", "number"): (138, 141, 239),
}


def test_official_rules_on_recorded_runs(bundled):
    these = [key in RIGHT for key in zip(bundled["run"].astype(str), bundled["category"].astype(str), strict=True)]
    rows = {(row["run"], row["category"]): row for row in summarise(bundled[these])["runs"]}
    found = {key: tuple(rows[key][f"{rule}_correct"] for rule in ("two_stage", "one_stage", "oracle")) for key in RIGHT}
    assert found == RIGHT
    assert set(rows["baseline_run0", "counting"]["pass_at_5"]) == {"import", "create", "skip"}
