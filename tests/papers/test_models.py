"""Several models side by side, and the problems that are shown in full: on made candidates."""

import pandas as pd

from papers import reeval
from trove_lite.candidates import load_candidates, save_run, save_table

from ..simulated import MODEL, candidates


def made(seed=0, model="one", **how):
    return candidates(categories=("counting",), seed=seed, **how).assign(model=model)


def folder(path, rows):
    save_run(path, rows, {"kind": "live", "model": str(rows["model"].iloc[0])})
    return path


def test_a_group_of_a_model_that_is_not_there_or_there_already_is_left_out_and_a_study_is_its_runs(tmp_path):
    one, study = folder(tmp_path / "one", made()), folder(tmp_path / "study/runs/a", made(runs=1, model="three"))
    save_table(made(model="two"), tmp_path / "two.parquet")
    groups = [one], [tmp_path / "two.parquet"], [tmp_path / "nowhere"], [], [one], [tmp_path / "study"]
    found = reeval.models(*groups)
    assert list(found) == ["one", "two", "three"]
    pd.testing.assert_frame_equal(found["three"]["TROVE"], reeval.sides(load_candidates(study))["TROVE"])


def test_what_a_problem_cost_counts_every_request_and_its_tokens():
    rows = made(problems=2, runs=1).assign(prompt_tokens=100, completion_tokens=10)
    table = reeval.methods(reeval.sides(rows)).set_index(["category", "system"])["value"]
    assert table["counting", "TROVE, requests a problem"] == 15
    assert table["counting", "PRIMITIVE, tokens written a problem"] == 150
    assert table["counting", "PRIMITIVE, tokens read a problem"] == 1500


# ---- problems in full ----


def test_where_the_sides_part_is_counted_over_every_problem_of_a_seed_and_drawn_by_a_seed():
    sides = reeval.sides(made(problems=30))
    (counts, found), (_, again), (_, other) = (reeval.differ(sides, number=4, seed=seed) for seed in (0, 0, 1))
    kinds = counts[["both", "TROVE alone", "PRIMITIVE alone", "neither"]]
    assert counts["problems"].to_list() == kinds.sum(axis=1).to_list() == [30, 30]
    assert found.groupby(["problem", "seed"])["right"].sum().to_list() == [1] * 4
    pd.testing.assert_frame_equal(found, again)
    assert found["problem"].to_list() != other["problem"].to_list()


def test_a_problem_in_full_has_both_answers_with_their_programs_or_says_why_there_is_none():
    text = reeval.in_full(reeval.differ(reeval.sides(made(problems=30)), number=1).drawn)
    assert text.count("print(1)") == 2
    assert "-- TROVE (" in text
    assert "-- PRIMITIVE (primitive), " in text
    rows = made()
    found = reeval.differ(reeval.sides(rows[rows["method"] == "trove"]))
    assert "both sides have" in reeval.in_full(found.drawn)


# ---- to read ----


def test_a_table_of_models_has_a_column_for_each_and_a_dash_where_one_lacks_a_row():
    one, two = (
        reeval.sides(made(model=MODEL)),
        reeval.sides(made(seed=1, model="two")[lambda rows: rows["method"] == "trove"]),
    )
    table = reeval.each_model({"one": one, "two": two}, reeval.methods)
    shown = reeval.a_column_a_model(table).set_index(["category", ""])
    own = table[(table["model"] == "one") & (table["system"] == "PRIMITIVE, K=15")].iloc[0]
    assert list(shown) == ["one", "two"]
    assert shown.loc["counting", "PRIMITIVE, K=15"].to_list() == [
        f"{own['value']:.3f} [{own['low']:.3f}, {own['high']:.3f}] (paper: {own['published']:.3g})",
        "–",
    ]
