"""TroVE's ablations on made runs: what a variant changes, at which calls, beside print, and along the stream."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from papers import published_table, trove, why_empty
from papers.trove.ablations import EFFECTS, SIMPLEST, selected
from trove_lite import load_candidates
from trove_lite.candidates import outcomes, save_run, save_table
from trove_lite.errors import TroveLiteError
from trove_lite.methods.trove import TroveSettings
from trove_lite.recorded.lent import views_along
from trove_lite.recorded.replay import stated_settings
from trove_lite.running.settings import RunSettings

from ..conftest import ROOT
from ..scripted import run
from ..simulated import candidates
from ..test_notebooks import shown

CATEGORIES = ("algebra", "counting")


def rows(k=6, runs=2, problems=8):
    """Simulated candidates of TROVE alone, whose texts say that every second IMPORT program imports."""
    made = candidates(problems=problems, runs=runs, k=k, categories=CATEGORIES)
    made = made[made["method"] == "trove"].reset_index(drop=True)
    imports = (made["mode"] == "import") & (made["sample"] % 2 == 0)
    tools = imports.map({True: "```python\nfrom toolbox import double\n```", False: ""})
    return made.assign(tools=tools, response="", error=None, prompt_tokens=10, completion_tokens=5)


def folder(tmp_path, name, made):
    """A run folder of these candidates."""
    settings = RunSettings(name=name, dataset="math", categories=CATEGORIES, seeds=(0, 1), model="practice")
    about = {"kind": "live", "settings": asdict(settings), "methods": {"trove": asdict(TroveSettings())}}
    made = made.assign(run=[f"{name}_seed{seed}" for seed in made["seed"]])
    save_run(tmp_path / name, made, json.loads(json.dumps(about)))
    return tmp_path / name


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    made, tmp_path = rows(), tmp_path_factory.mktemp("ablations")
    better = made.assign(correct=made["correct"] | (made["problem"] == 0))
    changes = {
        "better": (better, {"trove.ranking": "lexical"}),
        "none": (made, {"trove.toolbox": "none"}),
        "order": (better, {"trove.shuffle": 1}),
        "few": (rows(k=3), {"k": 3}),
    }
    default = {folder(tmp_path, "default", made): {}}
    return trove.ablations(default | {folder(tmp_path, name, own): how for name, (own, how) in changes.items()})


@pytest.fixture(scope="module")
def effects(study):
    return trove.effects(study)


def effect(table, variant, budget="the same calls"):
    return table[(table["variant"] == variant) & (table["budget"] == budget)].iloc[0]


def test_an_effect_is_the_mean_difference_of_the_selected_answers(study, effects):
    """Problem 0 is made right in every candidate: the effect is how often the default had it wrong."""
    default = selected(study.default, "one_stage")
    wrong = 1 - default["score"].to_numpy()
    planted = float(np.mean(wrong * (default["problem"] == 0)))
    assert planted > 0
    assert effect(effects, "ranking lexical")["difference"] == pytest.approx(planted)
    assert effect(effects, "another order")["difference"] == pytest.approx(planted)
    assert list(effects) == EFFECTS
    assert effects["p_holm"].min() == pytest.approx(min(1, effects["p"].min() * len(effects)))


def test_another_budget_is_matched_and_shown_as_run_too(effects):
    matched, as_run = effect(effects, "k 3"), effect(effects, "k 3", "as run")
    assert matched["calls"] == matched["calls_default"] == 3
    assert (as_run["calls"], as_run["calls_default"]) == (3, 6)
    assert np.isnan(matched["published"])  # which is of runs as they were
    assert as_run["published"] < 0


def test_random_selection_is_the_mean_over_programs_that_ran_and_simplest_the_least_complex(study):
    frame = study.default.candidates
    ran = frame[frame["status"] == "ok"]
    by_hand = ran.groupby(["category", "run", "problem"], observed=True)["correct"].mean()
    found = selected(study.default, "random").groupby(["category", "problem"], observed=True)["score"].mean()
    assert found.mean() == pytest.approx(by_hand.astype(float).mean())
    cheapest = ran.sort_values(["operations", "place", "sample"], kind="stable").drop_duplicates(
        ["category", "run", "problem"]
    )
    assert selected(study.default, SIMPLEST)["score"].mean() == pytest.approx(cheapest["correct"].astype(float).mean())


def test_the_paper_s_difference_is_its_variant_minus_its_own_choice(effects):
    printed = published_table("trove_table10")
    cells = printed[printed["category"].isin(CATEGORIES)].pivot(index="category", columns="method", values="value")
    wanted = (cells["lexical"] - cells["freq_ours"]).mean()
    assert effect(effects, "ranking lexical")["published"] == pytest.approx(wanted)
    assert np.isnan(effect(effects, "toolbox none")["published"])


def test_tables_name_what_no_run_is_of(study):
    table = trove.ablation_table(study, 10)
    assert set(table.loc[table["system"] == "lm_based", "note"]) == {"no run with ranking model"}
    assert table.loc[table["system"] == "lexical", "value"].notna().all()
    assert table.loc[(table["system"] == "lm_based") & (table["category"] == "counting"), "published"].item() == 0.25


def test_orders_are_held_against_seeds(study):
    row = trove.orders_table(study).query("measure == 'accuracy' and category == 'algebra'").iloc[0]
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
    worse = made.assign(correct=made["correct"] & ~of_import, tools=made["tools"].where(~of_import, ""))
    study = trove.ablations({folder(tmp_path, "a", made): {}, folder(tmp_path, "b", worse): {"trove.toolbox": "none"}})
    table = trove.placebo(study).set_index(["measure", "toolbox"])["value"]
    assert table["IMPORT programs that import", "its own toolbox"] == pytest.approx(0.5)
    assert table["IMPORT programs that import", "no toolbox"] == 0
    found = trove.placebo_differences(study).set_index("measure")["difference"]
    assert found["accuracy of IMPORT"] == pytest.approx(made.loc[of_import, "correct"].mean())
    assert (
        why_empty(trove.placebo_differences(study._replace(variants=()))) == "no run with another toolbox, or with none"
    )


@pytest.fixture(scope="module")
def streams(tmp_path_factory):
    """Scripted runs, whose toolboxes grow: in the data set's order and in another."""
    place = tmp_path_factory.mktemp("streams")
    own = run(place / "own", name="own", methods=("trove",))
    other = run(place / "other", name="other", methods=("trove",), trove={"shuffle": 1, "interval": 4})
    return trove.ablations({own: {}, other: {"trove.shuffle": 1}})


def test_a_toolbox_s_size_along_the_stream_is_what_import_could_call(streams):
    table = trove.growth(streams, blocks=12)
    sizes = table[(table["measure"] == "tools in the toolbox") & (table["stream"] == "the data set's order")]
    lent = lend_of(streams.default.folder)
    assert list(sizes["value"]) == [np.mean([len(views[place][1]) for views in lent]) for place in range(12)]
    assert sizes["value"].iloc[0] == 0 < sizes["value"].max()


def lend_of(folder):
    rows, stated = load_candidates(folder), stated_settings([folder])
    return [views_along(rows[rows["run"] == run], settings) for run, settings in stated.items()]


def test_import_is_held_against_skip_on_the_same_problems_along_the_stream(streams):
    table = trove.growth(streams, blocks=3).set_index(["stream", "measure", "block"])["value"]
    for stream in ("the data set's order", "shuffled orders"):
        for block in (1, 2, 3):
            accuracy = [table[stream, f"accuracy of {mode}", block] for mode in ("IMPORT", "SKIP")]
            assert table[stream, "IMPORT minus SKIP", block] == pytest.approx(accuracy[0] - accuracy[1])


def test_later_is_the_second_half_s_gain_minus_the_first_s(streams):
    gains = (
        trove.growth(streams, blocks=2).query("measure == 'IMPORT minus SKIP'").set_index(["stream", "block"])["value"]
    )
    found = trove.later(streams).query("measure == 'IMPORT minus SKIP'").set_index("stream")["difference"]
    for stream in found.index:
        assert found[stream] == pytest.approx(gains[stream, 2] - gains[stream, 1])


@pytest.mark.parametrize(("stem", "table"), [("21_trove_ablations", "ablations"), ("22_trove_growth", "growth_later")])
def test_the_essays_show_their_idea_without_a_variant_and_their_tables_with_some(
    stem, table, streams, tmp_path, monkeypatch
):
    frame = rows().assign(solution="print(double(1))", tools="```python\nfrom toolbox import double\n```")
    save_table(outcomes(frame), tmp_path / "outcomes.parquet")
    path = ROOT / "notebooks" / f"{stem}.ipynb"
    given = {"recorded": [str(tmp_path / "outcomes.parquet")], "results": str(tmp_path / "results")}
    assert "no variants" in shown(path, monkeypatch, **given)
    assert not (tmp_path / "results").exists()
    variants = {str(one.folder): dict(one.changes) for one in (streams.default, *streams.variants)}
    shown(path, monkeypatch, variants=variants, **given)
    assert (tmp_path / f"results/trove_{table}.csv").is_file()
