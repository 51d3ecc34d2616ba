"""TroVE's ablations on made runs: what a variant changes, at which calls, beside print."""

import json
from dataclasses import asdict

import numpy as np
import pandas as pd
import pytest

from trove_lite.candidates import outcomes, save_run, save_table
from trove_lite.errors import TroveLiteError
from trove_lite.methods.trove import TroveSettings
from trove_lite.running.settings import RunSettings
from trove_lite_papers import published_table, trove, why_empty
from trove_lite_papers.trove.variants import EFFECTS, selected

from ...conftest import ROOT
from ...simulated import candidates
from ..essays import definitions, executed

CATEGORIES = ("algebra", "counting")
ESSAY = definitions("21")
PLACEBO = definitions("22")


def rows(k=6, runs=2, problems=8):
    """Simulated candidates of TROVE alone, whose texts say that every second IMPORT program
    imports."""
    made = candidates(problems=problems, runs=runs, k=k, categories=CATEGORIES)
    made = made[made["method"] == "trove"].reset_index(drop=True)
    imports = (made["mode"] == "import") & (made["sample"] % 2 == 0)
    tools = imports.map({True: "```python\nfrom toolbox import double\n```", False: ""})
    return made.assign(tools=tools, response="", error=None, prompt_tokens=10, completion_tokens=5)


def folder(tmp_path, name, made):
    """A run folder of these candidates."""
    settings = RunSettings(
        name=name, dataset="math", categories=CATEGORIES, seeds=(0, 1), model="practice"
    )
    about = {
        "kind": "live",
        "settings": asdict(settings),
        "methods": {"trove": asdict(TroveSettings())},
    }
    made = made.assign(run=[f"{name}_seed{seed}" for seed in made["seed"]])
    save_run(tmp_path / name, made, json.loads(json.dumps(about)))
    return tmp_path / name


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    made = rows()
    tmp_path = tmp_path_factory.mktemp("ablations")
    better = made.assign(correct=made["correct"] | (made["problem"] == 0))
    runs = {"default": (made, {}), "better": (better, {"trove.ranking": "lexical"})}
    runs |= {"none": (made, {"trove.toolbox": "none"}), "order": (better, {"trove.shuffle": 1})}
    runs["few"] = rows(k=3), {"k": 3}
    return trove.ablations({folder(tmp_path, name, own): how for name, (own, how) in runs.items()})


@pytest.fixture(scope="module")
def effect(study):
    table = trove.effects(study, ESSAY.right, ESSAY.ways)
    assert list(table) == EFFECTS
    assert table["p_holm"].min() == pytest.approx(min(1, table["p"].min() * len(table)))
    return table.set_index(["variant", "budget"]).sort_index().loc


def test_an_effect_is_the_mean_difference_of_the_selected_answers(study, effect):
    """Problem 0 is made right in every candidate: the effect is how often the default had it
    wrong."""
    default = selected(study.default, ESSAY.ways["one_stage"], ESSAY.right)
    planted = ((1 - default["score"]) * (default["problem"] == 0)).mean()
    assert planted > 0
    for variant in ("ranking lexical", "another order"):
        assert effect[variant, "the same calls"]["difference"] == pytest.approx(planted)


def test_another_budget_is_matched_and_shown_as_run_too(effect):
    matched = effect["k 3", "the same calls"]
    as_run = effect["k 3", "as run"]
    assert matched["calls"] == matched["calls_default"] == 3
    assert (as_run["calls"], as_run["calls_default"]) == (3, 6)
    assert np.isnan(matched["published"])  # which is of runs as they were
    assert as_run["published"] < 0


def test_random_selection_is_the_mean_over_programs_that_ran_and_simplest_the_least_complex(study):
    frame = study.default.candidates
    ran = frame[frame["status"] == "ok"].astype({"correct": float})
    key = ["category", "run", "problem"]
    by_hand = ran.groupby(key, observed=True)["correct"].mean()
    found = {
        name: selected(study.default, ESSAY.ways[name], ESSAY.right)["score"].mean()
        for name in ("random", "simplest")
    }
    assert found["random"] == pytest.approx(by_hand.mean())
    cheapest = ran.sort_values(["operations", "place", "sample"], kind="stable").drop_duplicates(
        key
    )
    assert found["simplest"] == pytest.approx(cheapest["correct"].mean())


def test_the_paper_s_difference_is_its_variant_minus_its_own_choice(effect):
    printed = published_table("trove_table10")
    cells = printed[printed["category"].isin(CATEGORIES)].pivot(
        index="category", columns="method", values="value"
    )
    found = effect["ranking lexical", "the same calls"]
    assert found["paper"] == "Table 10"
    assert found["published"] == pytest.approx((cells["lexical"] - cells["freq_ours"]).mean())
    assert np.isnan(effect["toolbox none", "the same calls"]["published"])


def test_orders_are_held_against_seeds(study):
    table = trove.orders_table(study, ESSAY.measures, ESSAY.used)
    row = table.query("measure == 'accuracy' and category == 'algebra'").iloc[0]
    assert row["orders"] == 1
    assert row[["published", "published_min", "published_max"]].tolist() == [0.25, 0.23, 0.24]
    assert row["smallest"] == row["largest"] == pytest.approx(row["shuffled"])
    assert row["seeds_sd"] >= 0
    assert np.isnan(row["orders_sd"])


def test_runs_of_nothing_in_common_or_of_two_models_are_refused(tmp_path):
    made = rows()
    one = folder(tmp_path, "one", made[made["category"] == "counting"])
    other = folder(tmp_path, "other", made[made["category"] == "algebra"])
    with pytest.raises(TroveLiteError, match="one: has no category and seed in common"):
        trove.ablations({one: {}, other: {"trove.shuffle": 1}})
    third = folder(tmp_path, "third", made.assign(model="another"))
    with pytest.raises(TroveLiteError, match="2 different values of 'model'"):
        trove.ablations({one: {}, third: {"trove.shuffle": 1}})


def test_the_placebo_compares_what_import_was_shown(tmp_path):
    made = rows(problems=20, runs=4)
    of_import = made["mode"] == "import"
    worse = made.assign(
        correct=made["correct"] & ~of_import, tools=made["tools"].where(~of_import, "")
    )
    study = trove.ablations(
        {folder(tmp_path, "a", made): {}, folder(tmp_path, "b", worse): {"trove.toolbox": "none"}}
    )
    how = ESSAY.ways["one_stage"], PLACEBO.right, PLACEBO.measures
    table = trove.placebo(study, *how).set_index(["measure", "toolbox"])["value"]
    assert table["IMPORT programs that import", "its own toolbox"] == pytest.approx(0.5)
    assert table["IMPORT programs that import", "no toolbox"] == 0
    found = trove.placebo_differences(study, *how).set_index("measure")["difference"]
    assert found["accuracy of IMPORT"] == pytest.approx(made.loc[of_import, "correct"].mean())
    alone = trove.placebo_differences(study._replace(variants=()), *how)
    assert why_empty(alone) == "no run with another toolbox, or with none"


def test_an_essay_computes_its_tables_from_the_runs_that_it_is_given(study, tmp_path):
    frame = rows().assign(
        solution="print(double(1))", tools="```python\nfrom toolbox import double\n```"
    )
    save_table(outcomes(frame), tmp_path / "outcomes.parquet")
    given = {"recorded": [str(tmp_path / "outcomes.parquet")], "results": str(tmp_path / "results")}
    essay = ROOT / "notebooks/21_trove_ablations.ipynb"
    given["variants"] = {
        str(one.folders[0]): dict(one.changes) for one in (study.default, *study.variants)
    }
    executed(essay, **given)
    assert (tmp_path / "results/trove_figure8.csv").is_file()


def test_folders_that_change_the_same_are_runs_of_one_variant(tmp_path):
    made = rows()
    worse = made.assign(correct=made["correct"] & (made["problem"] > 2))
    whole, parts = {}, {}
    for name, frame, changes in (("own", made, {}), ("none", worse, {"trove.toolbox": "none"})):
        whole[folder(tmp_path, name, frame)] = changes
        for seed in (0, 1):
            own = frame[frame["seed"] == seed]
            parts[folder(tmp_path, f"{name}-{seed}", own)] = changes
    found = [
        trove.placebo_differences(
            trove.ablations(given), ESSAY.ways["one_stage"], PLACEBO.right, PLACEBO.measures
        )
        for given in (whole, parts)
    ]
    assert found[0]["difference"].abs().max() > 0
    pd.testing.assert_frame_equal(*found)
