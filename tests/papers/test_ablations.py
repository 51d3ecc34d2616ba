"""TroVE's ablations on made runs: what a variant is, what it changes, and what is said of it."""

import json
import re
from dataclasses import asdict

import numpy as np
import pytest

from papers import published_table, trove
from papers.trove.ablations import EFFECTS, SIMPLEST, selected
from papers.trove.growth import WORTH
from trove_lite import load_candidates
from trove_lite.candidates import save_run
from trove_lite.errors import TroveLiteError
from trove_lite.methods.trove import TroveSettings
from trove_lite.recorded.lent import along
from trove_lite.recorded.replay import stated_settings
from trove_lite.running.settings import RunSettings

from ..scripted import run
from ..simulated import candidates

CATEGORIES = ("counting", "geometry")


def rows(k=6, runs=2, problems=8):
    """Simulated candidates of TROVE alone, whose texts say that every second IMPORT program imports."""
    made = candidates(problems=problems, runs=runs, k=k, categories=CATEGORIES)
    made = made[made["method"] == "trove"].reset_index(drop=True)
    imports = (made["mode"] == "import") & (made["sample"] % 2 == 0)
    tools = imports.map({True: "```python\nfrom toolbox import double\n```", False: ""})
    return made.assign(tools=tools, response="", error=None, prompt_tokens=10, completion_tokens=5)


def folder(tmp_path, name, made, choices=None, **changed):
    """A run folder of these candidates, whose settings differ from the default's in what is given."""
    changed = {"k": 6} | changed
    settings = RunSettings(name=name, dataset="math", categories=CATEGORIES, seeds=(0, 1), model="practice", **changed)
    choices = choices or {}
    about = {"kind": "live", "settings": asdict(settings) | {"choices": {"trove": choices}}, "toolboxes": []}
    own = asdict(TroveSettings(**choices) if "toolbox" not in choices else TroveSettings(toolbox=choices["toolbox"]))
    made = made.assign(run=[f"{name}_seed{seed}" for seed in made["seed"]])
    save_run(tmp_path / name, made, json.loads(json.dumps(about | {"methods": {"trove": own}})))
    return tmp_path / name


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    made, tmp_path = rows(), tmp_path_factory.mktemp("ablations")
    better = made.assign(correct=made["correct"] | (made["problem"] == 0))
    return trove.ablations(
        [
            folder(tmp_path, "default", made),
            folder(tmp_path, "better", better, {"ranking": "lexical"}),
            folder(tmp_path, "same", made, {"threshold": "never"}),
            folder(tmp_path, "none", made, {"toolbox": "none"}),
            folder(tmp_path, "order", better, {"shuffle": 1}),
            folder(tmp_path, "few", rows(k=3), k=3),
        ]
    )


@pytest.fixture(scope="module")
def effects(study):
    return trove.effects(study)


def test_a_variant_is_what_its_settings_have_that_the_default_s_have_not(study):
    assert {v.name: v.label for v in study.variants} == {
        "better": "ranked by text",
        "same": "never trimmed",
        "none": "no toolbox",
        "order": "order 1",
        "few": "3 calls",
    }


def effect(table, variant, budget="the same calls"):
    return table[(table["variant"] == variant) & (table["budget"] == budget)].iloc[0]


def test_an_effect_is_the_mean_difference_of_the_selected_answers(study, effects):
    """Problem 0 is made right in every candidate: the effect is how often the default had it wrong."""
    default = selected(study.default, "one_stage")
    wrong = 1 - default["score"].to_numpy()
    planted = float(np.mean(wrong * (default["problem"] == 0)))
    assert planted > 0
    assert effect(effects, "ranked by text")["difference"] == pytest.approx(planted)
    assert effect(effects, "another order")["difference"] == pytest.approx(planted)


def test_a_variant_of_the_very_same_programs_is_named_and_changes_nothing(effects):
    row = effect(effects, "never trimmed")
    assert (row["difference"], row["note"]) == (0, "the very programs of the default")
    assert effect(effects, "ranked by text")["note"] == "the very programs of the default"


def test_one_correction_is_over_all_rows(effects):
    assert list(effects) == EFFECTS
    assert effects["p_holm"].min() == pytest.approx(min(1, effects["p"].min() * len(effects)))


def test_another_budget_is_matched_and_shown_as_run_too(effects):
    matched, as_run = effect(effects, "3 calls"), effect(effects, "3 calls", "as run")
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
    assert effect(effects, "ranked by text")["published"] == pytest.approx(wanted)
    assert np.isnan(effect(effects, "no toolbox")["published"])


def test_tables_name_what_no_run_is_of(study):
    table = trove.ablation_table(study, 10)
    assert set(table.loc[table["system"] == "lm_based", "note"]) == {"no run ranked by the model"}
    assert table.loc[table["system"] == "lexical", "value"].notna().all()
    assert table.loc[(table["system"] == "lm_based") & (table["category"] == "counting"), "published"].item() == 0.25


def test_orders_are_held_against_seeds(study):
    row = trove.orders_table(study).query("measure == 'accuracy' and category == 'counting'").iloc[0]
    assert row["orders"] == 1
    assert row["smallest"] == row["largest"] == pytest.approx(row["shuffled"])
    assert row["seeds_sd"] >= 0
    assert np.isnan(row["orders_sd"])


def test_runs_of_nothing_in_common_are_refused(tmp_path):
    made = rows()
    one = folder(tmp_path, "one", made[made["category"] == "counting"])
    other = folder(tmp_path, "other", made[made["category"] == "geometry"], {"shuffle": 1})
    with pytest.raises(TroveLiteError, match="one: has no category and seed in common"):
        trove.ablations([one, other])
    with pytest.raises(TroveLiteError, match="two runs are named one"):
        trove.ablations([one, one])


def test_the_placebo_compares_what_import_was_shown(tmp_path):
    made = rows(problems=20, runs=4)
    of_import = made["mode"] == "import"
    worse = made.assign(correct=made["correct"] & ~of_import, tools=made["tools"].where(~of_import, ""))
    study = trove.ablations([folder(tmp_path, "a", made), folder(tmp_path, "b", worse, {"toolbox": "none"})])
    table = trove.placebo(study).set_index(["measure", "toolbox"])["value"]
    assert table["IMPORT programs that import", "its own toolbox"] == pytest.approx(0.5)
    assert table["IMPORT programs that import", "no toolbox"] == 0
    found = trove.placebo_differences(study).set_index("measure")["difference"]
    assert found["accuracy of IMPORT"] == pytest.approx(made.loc[of_import, "correct"].mean())
    said = trove.placebo_in_words(trove.placebo(study), trove.placebo_differences(study))
    assert "With its own toolbox instead of no toolbox a single IMPORT program is right more often" in said


@pytest.mark.parametrize(("weights", "changed"), [("a", set()), ("b", {"model"})])
def test_a_model_is_changed_by_its_weights_and_not_by_how_its_engine_is_set_up(tmp_path, weights, changed):
    made = rows()
    places = [folder(tmp_path, "a", made), folder(tmp_path, "b", made, {"toolbox": "none"})]
    for place, spec, sha256 in zip(
        places, ("vllm:m?max_num_seqs=64", "vllm:m?max_num_seqs=128"), "a" + weights, strict=True
    ):
        about = json.loads((place / "run.json").read_text())
        about["settings"]["model"] = spec
        about["identity"] = {"solver": {"name": "m", "sha256": sha256, "engine": "vllm"}}
        (place / "run.json").write_text(json.dumps(about))
    (variant,) = trove.ablations(places).variants
    assert set(variant.changes) == {"toolbox"} | changed


def test_without_a_placebo_nothing_is_claimed(study):
    alone = study._replace(variants=())
    table = trove.placebo_differences(alone)
    assert table.empty
    assert trove.placebo_figure(table) is None
    assert trove.placebo_in_words(trove.placebo(alone), table).startswith("It cannot be said")


def test_the_forest_has_every_effect_in_order_and_what_is_printed(effects):
    figure = trove.effects_figure(effects)
    drawn = [label.get_text().removesuffix(" *") for axes in figure.axes for label in axes.get_yticklabels()]
    scored_again = effects["budget"] == "scored again"
    assert drawn == [*effects[~scored_again]["variant"], *effects[scored_again]["variant"]]
    marks = [mark for axes in figure.axes for mark in axes.collections if len(mark.get_offsets())]
    assert len(marks) == effects["published"].notna().sum()


@pytest.fixture(scope="module")
def streams(tmp_path_factory):
    """Scripted runs, whose toolboxes grow: in the data set's order and in another."""
    place = tmp_path_factory.mktemp("streams")
    own = run(place / "own", name="own", methods=("trove",))
    return trove.ablations(
        [own, run(place / "other", name="other", methods=("trove",), trove={"shuffle": 1, "interval": 4})]
    )


def test_a_toolbox_s_size_along_the_stream_is_what_import_could_call(streams):
    table = trove.growth(streams, blocks=12)
    sizes = table[(table["measure"] == "tools in the toolbox") & (table["stream"] == "the data set's order")]
    lent = lend_of(streams.default.folder)
    assert list(sizes["value"]) == [np.mean([len(views[place][1]) for views in lent]) for place in range(12)]
    assert sizes["value"].iloc[0] == 0 < sizes["value"].max()


def test_what_the_toolbox_adds_to_answers_along_the_stream(streams, tmp_path):
    without = run(tmp_path / "without", name="without", methods=("trove",), trove={"toolbox": "none", "interval": 4})
    study = trove.ablations([streams.default.folder, without, streams.shuffled[0].folder])
    growth, later = trove.growth(study, blocks=2), trove.later(study)
    table = growth[growth["measure"] == WORTH]
    assert list(table["stream"]) == ["the data set's order"] * 2
    first, second = table["value"]
    own, none = (selected(variant, study.rule)["score"].mean() for variant in (study.default, study.variants[0]))
    assert (first + second) / 2 == pytest.approx(own - none)
    (row,) = later[later["measure"] == WORTH].itertuples()
    assert row.difference == pytest.approx(second - first)
    assert re.search("TROVE .* the same calls with no toolbox", trove.growth_in_words(growth, later))
    assert not (trove.growth(streams)["measure"] == WORTH).any()


def lend_of(folder):
    rows, stated = load_candidates(folder), stated_settings([folder])
    return [along(rows[rows["run"] == run], settings) for run, settings in stated.items()]


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
