"""The bundled outcomes of real CodeLlama runs give the numbers that are known of them."""

import pandas as pd
import pytest

from trove_lite import load_candidates, reeval, shared_programs, summarise

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


def test_copies_among_the_recorded_runs_are_found(bundled):
    pairs = shared_programs(bundled).set_index(["run_a", "run_b"])
    assert pairs.loc[("base_geo_ablat1_run1", "base_geo_ablat1_run2"), "verdict"] == "copy"
    assert pairs.loc[("base_count_ablat1_run2", "base_count_ablat1_run3"), "verdict"] == "copy"
    overlap = pairs.loc[("base_count_ablat1_run1", "base_count_ablat1_run2")]
    assert overlap["verdict"] == "overlap"
    assert round(overlap["identical"], 2) == 0.77


def test_table1_counts_two_independent_runs_and_labels_the_pool(bundled):
    table = reeval.table1(reeval.sides(bundled))
    cell = table[(table["category"] == "counting") & (table["system"] == "TROVE, one-stage")].iloc[0]
    assert cell["runs"] == 2
    assert cell["value"] == pytest.approx((74 + 72) / 2 / 291)
    assert (
        table.loc[(table["category"] == "counting") & (table["system"] == "PRIMITIVE, K=15"), "source"].item()
        == "SKIP pool"
    )
    absent = table[(table["category"] == "algebra") & (table["system"] == "TROVE, one-stage")].iloc[0]
    assert absent["note"] == "no TROVE runs of this category"
    assert absent["published"] == 0.29


def test_the_practice_results_are_read_off_their_tables():
    folder = ROOT / "results" / "practice"
    text = (folder / "README.md").read_text(encoding="utf-8")
    matched = pd.read_csv(folder / "reeval_matched_budgets.csv")
    for row in matched[matched["category"] == "all"].itertuples():
        numbers = [f"{100 * x:+.1f}" for x in (row.difference, row.low, row.high)]
        accuracies = f"{100 * row.value_a:.1f} % | {100 * row.value_b:.1f} %"
        assert f"{accuracies} | {numbers[0]} [{numbers[1]}, {numbers[2]}] | {100 * row.run_sd:.1f} |" in text
    singles = matched[matched["category"] != "all"]
    assert ((singles["low"] < 0) & (singles["high"] > 0)).all()
    toolbox = pd.read_csv(folder / "toolbox.csv")
    streams = toolbox[toolbox["rank"] <= 3].groupby(["category", "seed"])
    often = (streams["answers"].min() >= 5) & (streams.size() == 3)
    assert f"**{often.sum()} of {len(often)}** streams" in text
    assert streams["programs"].min().min() >= 10
