"""The bundled outcomes of real CodeLlama runs give the numbers that are known of them."""

import pandas as pd
import pytest

from papers import reeval
from trove_lite import CATEGORIES, choose, independent_runs, load_candidates, shared_programs, summarise
from trove_lite.candidates import all_candidates, selections

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


def test_table1_averages_over_the_runs_that_have_a_problem_and_labels_the_pool(bundled):
    table = reeval.table1(reeval.sides(bundled)).set_index(["category", "system"])
    cell = table.loc[("counting", "TROVE, one-stage")]
    assert cell["runs"] == 3
    assert cell["note"] == "1 of 3 runs count in part: what repeats another is left out"
    by_hand = choose(independent_runs(all_candidates(bundled)), "one_stage")
    by_hand = by_hand[(by_hand["category"] == "counting") & (by_hand["method"] == "trove")]
    assert cell["value"] == pytest.approx(
        by_hand.astype({"correct": float}).groupby("problem")["correct"].mean().mean()
    )
    assert table.loc[("counting", "PRIMITIVE, K=15"), "source"] == "SKIP pool"
    assert table.loc[("all, micro", "TROVE, two-stage"), "problems"] == 3201
    absent = table.loc[("algebra", "TROVE, one-stage")]
    assert absent["note"] == "only selected answers of TROVE runs of this category"
    assert absent["published"] == 0.29
    assert table.loc[("number", "PRIMITIVE, K=15"), "note"] == "only 8 SKIP pool samples a problem"


def test_the_readme_of_the_bundle_is_read_off_its_tables(bundled):
    text = (ROOT / "results/codellama-7b-instruct/README.md").read_text(encoding="utf-8")
    known, ended = all_candidates(bundled), selections(bundled)
    assert f"{len(bundled):,} rows. {len(known):,} are candidates" in text
    assert f"{len(ended):,} are the selected answers" in text
    named = {"trove": "TROVE", "trove_no_import": "without IMPORT"}
    for what, part in (("all candidates", known), ("selected answers", ended)):
        runs = part.groupby(["method", "category"], observed=True)["run"].nunique()
        for method, name in named.items():
            cells = " | ".join(str(runs.get((method, c), "–")) for c in CATEGORIES)
            assert f"| {name}, {what} | {cells} |" in text
    first = ended[ended["run"] == "baseline_run0"]["correct"]
    assert f"697 by\ntheir own gold ({100 * first.mean():.1f} %)" in text


def test_the_practice_results_are_read_off_their_tables():
    folder = ROOT / "results" / "practice"
    text = (folder / "README.md").read_text(encoding="utf-8")
    matched = pd.read_csv(folder / "reeval_matched_budgets.csv")
    for row in matched[matched["category"] == "all"].itertuples():
        numbers = [f"{100 * x:+.1f}" for x in (row.difference, row.low, row.high)]
        accuracies = f"{100 * row.value_a:.1f} % | {100 * row.value_b:.1f} %"
        assert f"{accuracies} | {numbers[0]} [{numbers[1]}, {numbers[2]}] | {100 * row.run_sd:.1f} |" in text
    singles = matched[matched["category"] != "all"]
    beside = singles[(singles["low"] > 0) | (singles["high"] < 0)]
    above = (beside["low"] > 0).sum()
    assert f"{len(beside)} of {len(singles)} category intervals lie beside zero, {above} of them above" in text
    assert (singles["p_holm"] > 0.05).all()
    toolbox = pd.read_csv(folder / "toolbox.csv")
    streams = toolbox[toolbox["rank"] <= 3].groupby(["category", "seed"])
    often = (streams["answers"].min() >= 5) & (streams.size() == 3)
    assert f"**{often.sum()} of {len(often)}** streams" in text
    assert streams["programs"].min().min() >= 10
