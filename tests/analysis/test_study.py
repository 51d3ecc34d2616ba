"""From candidates to scores: copies left out, the stand-in labelled, means and intervals of the right thing."""

import numpy as np
import pandas as pd
import pytest

from trove_lite import Study, TroveLiteError, independent_runs, shared_programs, summarise
from trove_lite.analysis.choose import in_order
from trove_lite.analysis.study import (
    COVERED_MACRO,
    COVERED_MICRO,
    SKIP_POOL,
    by_category,
    distinct_score,
    estimate,
    oracle_score,
)

from ..simulated import candidates


def copied(frame, share):
    """The same candidates with run1 repeating that share of run0's programs."""
    frame = frame.sort_values(["category", "method", "mode", "problem", "sample", "run"], ignore_index=True)
    first = frame["run"] == "run0"
    repeat = np.random.default_rng(0).random(int(first.sum())) < share
    frame.loc[(~first).to_numpy().nonzero()[0][repeat], "program"] = frame.loc[first, "program"].to_numpy()[repeat]
    return frame


@pytest.mark.parametrize(("share", "verdict"), [(1.0, "copy"), (0.6, "overlap"), (0.0, "independent")])
def test_runs_that_share_programs_are_told_from_independent_ones(simulated, share, verdict):
    trove = simulated[simulated["method"] == "trove"]
    pairs = shared_programs(copied(trove, share))
    assert set(pairs["verdict"]) == {verdict}
    assert pairs["identical"].to_numpy() == pytest.approx(share, abs=0.12)
    kept = independent_runs(copied(trove, share))
    assert set(kept["run"]) == ({"run0", "run1"} if verdict == "independent" else {"run0"})


def test_equal_programs_by_chance_do_not_make_a_copy(simulated):
    trove = simulated[simulated["method"] == "trove"]
    few = trove.assign(program=np.random.default_rng(1).integers(2, size=len(trove)))
    pairs = shared_programs(few)
    assert pairs["identical"].mean() > 0.4
    assert set(pairs["verdict"]) == {"independent"}


def test_skip_samples_of_independent_runs_stand_in_for_primitive(skip_only):
    study = Study.of(skip_only)
    assert set(study.primitive["method"]) == {SKIP_POOL}
    assert study.source("PRIMITIVE", "counting") == SKIP_POOL
    assert study.primitive.groupby(["category", "problem"], observed=True).size().unique().tolist() == [15]
    assert study.covered == ["counting", "geometry"]


def test_the_pool_takes_no_copies(skip_only):
    doubled = pd.concat([skip_only, skip_only.assign(run=skip_only["run"].astype(str) + " again")], ignore_index=True)
    assert len(Study.of(doubled).primitive) == len(Study.of(skip_only).primitive)


def test_where_primitive_ran_nothing_stands_in(simulated):
    study = Study.of(simulated)
    assert set(study.primitive["method"]) == {"primitive"}
    assert study.source("PRIMITIVE", "algebra") == "PRIMITIVE"


def test_models_are_not_mixed(simulated):
    mixed = pd.concat([simulated, simulated.assign(model="other", run="other")], ignore_index=True)
    with pytest.raises(TroveLiteError, match="2 different values of 'model'"):
        Study.of(mixed)


def test_title_says_model_provenance_and_data(simulated):
    assert Study.of(simulated).title == "simulated, simulated runs on MATH"


def test_rows_over_categories_need_all_of_them():
    scores = pd.DataFrame({"category": ["counting", "geometry"], "run": "r", "problem": 0, "score": [1.0, 0.0]})
    assert COVERED_MICRO in by_category(scores, ["counting", "geometry"])
    assert COVERED_MICRO not in by_category(scores, ["counting", "geometry", "number"])


def test_micro_weighs_problems_and_macro_categories():
    scores = pd.DataFrame({
        "category": ["counting"] * 3 + ["geometry"], "run": "r", "problem": [0, 1, 2, 0], "score": [1.0, 1.0, 1.0, 0.0],
    })  # fmt: skip
    parts = by_category(scores, ["counting", "geometry"])
    assert estimate(parts[COVERED_MICRO], seed=0).ours == 0.75
    assert estimate(parts[COVERED_MACRO], seed=0, macro=True).ours == 0.5


def test_unscored_problems_are_left_out_not_counted_as_wrong():
    scores = pd.DataFrame({"category": "counting", "run": "r", "problem": range(4), "score": [1.0, np.nan, 1.0, 0.0]})
    found = estimate(scores, seed=0)
    assert found.problems == 3
    assert found.ours == pytest.approx(2 / 3)


def test_run_spread_is_apart_from_the_interval():
    scores = pd.DataFrame(
        {"category": "counting", "run": ["a", "b"] * 2, "problem": [0, 0, 1, 1], "score": [1.0, 0, 1, 0]}
    )
    assert estimate(scores, seed=0).run_sd == pytest.approx(np.std([1, 0], ddof=1))


def test_oracle_is_unbiased_by_mode():
    frame = candidates(problems=1, runs=1, categories=("counting",))
    frame = frame[frame["method"] == "trove"].assign(correct=False)
    frame.loc[frame["sample"] == 0, "correct"] = True  # one of five in each mode
    frame["correct"] = frame["correct"].astype("boolean")
    assert oracle_score(frame, 3)["score"].item() == pytest.approx(1 - (4 / 5) ** 3)
    assert oracle_score(frame, 15)["score"].item() == 1
    assert np.isnan(oracle_score(frame, 4)["score"].item())


def test_distinct_answers_and_predictions_differ_by_what_they_compare():
    frame = candidates(problems=1, runs=1, k=3, categories=("counting",)).query("method == 'primitive'").copy()
    frame["answers"] = [["1.0"], ["1.0", "2.0"], []]
    frame["answer"] = ["1.0", "1.0", None]
    frame["status"] = "ok"
    assert distinct_score(frame, 3, "answers")["score"].item() == 1
    assert distinct_score(frame, 3, "predictions")["score"].item() == 3
    assert distinct_score(frame, 2, "predictions")["score"].item() == pytest.approx(2)


def test_summary_counts_what_is_there(simulated):
    summary = summarise(simulated)
    row = next(
        r for r in summary["runs"] if r["method"] == "trove" and r["category"] == "counting" and r["run"] == "run0"
    )
    part = simulated.query("method == 'trove' and category == 'counting' and run == 'run0'")
    assert row["candidates"] == len(part) == 90
    assert row["oracle_correct"] == part.groupby("problem")["correct"].any().sum()
    assert set(row["pass_at_5"]) == {"import", "create", "skip"}
    assert row["one_stage_correct"] <= row["oracle_correct"]


def test_what_could_not_be_judged_is_not_wrong(simulated):
    part = simulated.query("category == 'counting' and method == 'primitive'").copy()
    part["correct"] = part["correct"].astype("boolean")
    part.loc[(part["problem"] == 0) & (part["sample"] == 0), ["correct", "status"]] = [None, "error"]
    scores = oracle_score(in_order(part), 15).set_index("problem")["score"]
    assert scores[0].isna().all()
    assert scores[1].notna().all()
    assert next(iter(summarise(part)["runs"]))["not_judged"] == 1
