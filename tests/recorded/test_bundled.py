"""The bundled outcomes of real CodeLlama runs give the numbers that are known of them."""

import pandas as pd
import pytest

from trove_lite import load_candidates, shared_programs, summarise
from trove_lite.candidates import selections

from ..conftest import ROOT


@pytest.fixture(scope="module")
def bundled():
    return load_candidates(ROOT / "results/codellama-7b-instruct/outcomes.parquet")


@pytest.fixture(scope="module")
def runs(bundled):
    return {(row["run"], row["category"]): row for row in summarise(bundled)["runs"]}


@pytest.mark.parametrize(
    ("run", "category", "two_stage", "one_stage", "oracle"),
    [
        ("baseline_run0", "counting", 73, 74, 127),
        ("base_count_ablat1_run1", "counting", 63, 72, 128),
        ("baseline_run0", "geometry", 11, 20, 55),
        ("base_geo_ablat1_run1", "geometry", 14, 12, 57),
        ("count_ablat1_run0", "counting", 72, 66, 127),
        ("num_ablat1_run0", "number", 138, 141, 239),
    ],
)
def test_official_rules_on_recorded_runs(runs, run, category, two_stage, one_stage, oracle):
    row = runs[run, category]
    assert (row["two_stage_correct"], row["one_stage_correct"], row["oracle_correct"]) == (two_stage, one_stage, oracle)


def test_modes_of_a_recorded_run(runs):
    row = runs["baseline_run0", "counting"]
    assert {m: round(v, 3) for m, v in row["pass_at_5"].items()} == {"import": 0.302, "create": 0.330, "skip": 0.230}
    assert {m: round(v, 3) for m, v in row["unique"].items()} == {"import": 0.048, "create": 0.062, "skip": 0.031}


def test_where_recorded_runs_part_is_found(bundled):
    pairs = shared_programs(bundled).set_index(["category", "mode", "run_a", "run_b"])
    assert pairs.loc[("geometry", "import", "base_geo_ablat1_run1", "base_geo_ablat1_run4"), "verdict"] == "copy"
    assert pairs.loc[("counting", "import", "base_count_ablat1_run1", "base_count_ablat1_run2"), "parted"] == 73
    assert pairs.loc[("counting", "skip", "base_count_ablat1_run1", "base_count_ablat1_run2"), "verdict"] == "copy"
    assert pairs.loc[("number", "create", "num_ablat1_run0", "num_ablat1_run1"), "parted"] == 144
    assert pairs.loc[("number", "skip", "num_ablat1_run2", "num_ablat1_run4"), "stretches"] == "0-95, 312-491"
    apart = pairs[pairs["verdict"] != "copy"]
    assert (apart["apart"] - apart["by_chance"]).max() < 0.05


def test_selected_answers_part_where_all_candidates_do(bundled):
    number = bundled[(bundled["category"] == "number") & (bundled["method"] == "trove_no_import")]
    by_all, by_selected = (
        shared_programs(part).set_index(["run_a", "run_b"])
        for part in (number[(number["phase"] == "stream") & (number["mode"] == "skip")], selections(number))
    )
    assert (by_all["shared"] - by_selected["shared"]).abs().max() == 0


def test_run_0_of_all_categories_answers_what_its_result_files_say(bundled):
    ended = selections(bundled)
    run = ended[ended["run"] == "baseline_run0"].groupby("category", observed=True)["correct"].agg(["sum", "size"])
    right = {"algebra": 217, "counting": 72, "geometry": 11, "intermediate": 57, "number": 130, "prealgebra": 180}
    assert run["sum"].to_dict() == right | {"precalculus": 30}
    assert run["size"].sum() == 3201
    record = pd.read_csv(ROOT / "results/codellama-7b-instruct/recorded.csv").query("run == 'baseline_run0'")
    assert record["recorded_correct"].sum() == 688
