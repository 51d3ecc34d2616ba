"""Several models side by side, on made candidates; the problems shown in full: test_essays."""

import pandas as pd

from papers import reeval
from trove_lite.candidates import load_candidates, save_run, save_table

from ..simulated import candidates


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


def test_a_table_of_models_has_the_rows_of_each_that_hold_a_value():
    one, two = reeval.sides(made()), reeval.sides(made(seed=1, model="two")[lambda rows: rows["method"] == "trove"])
    table = reeval.each_model({"one": one, "two": two}, reeval.table1, resamples=5)
    assert table.attrs["name"] == "reeval_table1_models"
    systems = table.groupby("model")["system"].unique().map(sorted).to_dict()
    assert systems["one"] == ["PRIMITIVE, K=15", "TROVE, one-stage", "TROVE, two-stage"]
    own = reeval.table1(two, resamples=5).dropna(subset="value")
    assert table.loc[table["model"] == "two", "value"].tolist() == own["value"].tolist()
