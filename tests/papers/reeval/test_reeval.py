"""The re-evaluation's tables and differences: the right cells, absent ones say why, print where it
belongs."""

import ast
import json
from functools import cache

import numpy as np
import pandas as pd
import pytest

import trove_lite as tl
from trove_lite import TroveLiteError
from trove_lite.candidates import load_candidates, save_run, save_table
from trove_lite.selection.tables import PROBLEM
from trove_lite_analysis.scores import score
from trove_lite_analysis.statistics import holm
from trove_lite_papers import reeval, show, side_by_side
from trove_lite_papers.reeval import SKIP_POOL

from ...simulated import candidates
from ..essays import NOTEBOOKS, code_of, definitions

#: What the essay on two models defines: nothing of the papers is defined in the package.
ESSAY = definitions("16")
#: Those of Tables 2, 3, 6, 8, 9 and Figures 1 and 3 are in test_essays.
TABLES = ("table1", "table5", "table7", "figure4")
DIFFERENCES = ("difference", "matched", "effects")


@pytest.fixture(scope="module")
def whole(simulated):
    return reeval.systems(simulated)


@pytest.fixture(scope="module")
def partial(skip_only):
    return reeval.systems(skip_only)


@cache
def computed(name, of, k=0):
    """A table of these systems by the essay's definitions, of few subsets and points."""
    known = ESSAY.measured.__globals__
    known.update(seed=0, resamples=10, k=k)
    known["scores"] = {"one": ESSAY.measured(of)}
    if name == "table5":
        return reeval.growing(of, "table5", ESSAY.by_vote)
    if name == "figure4":
        rules = {"oracle": ESSAY.by_oracle, "one-stage": ESSAY.by_vote, "two-stage": ESSAY.by_vote}
        return reeval.figure4_table(of, rules, points=2)
    return reeval.matched_budgets(of) if name == "matched" else getattr(ESSAY, name)("one", of)


def cell(table, **where):
    (row,) = table[(table[list(where)] == pd.Series(where)).all(axis=1)].to_dict("records")
    return row


def test_skip_samples_of_independent_runs_stand_in_for_primitive_where_it_did_not_run(
    partial, whole, skip_only
):
    assert set(partial["PRIMITIVE"]["method"]) == {SKIP_POOL}
    assert reeval.source(partial, "PRIMITIVE", "counting") == SKIP_POOL
    sizes = partial["PRIMITIVE"].groupby(["category", "problem"], observed=True).size()
    assert sizes.unique().tolist() == [15]
    assert reeval.covered(partial) == ["counting", "geometry"]
    doubled = pd.concat(
        [skip_only, skip_only.assign(run=skip_only["run"].astype(str) + " again")],
        ignore_index=True,
    )
    assert len(reeval.systems(doubled)["PRIMITIVE"]) == len(partial["PRIMITIVE"])
    assert set(whole["PRIMITIVE"]["method"]) == {"primitive"}
    assert reeval.source(whole, "PRIMITIVE", "algebra") == "PRIMITIVE"


def test_table1_cell_is_the_mean_over_runs_of_the_rule(whole, simulated):
    found = cell(computed("table1", whole), category="counting", system="TROVE, two-stage")
    part = simulated[(simulated["method"] == "trove") & (simulated["category"] == "counting")]
    assert found["value"] == pytest.approx(
        tl.choose(part, "two_stage")["correct"].astype(float).mean()
    )
    assert (found["runs"], found["problems"], found["published"], found["published_sd"]) == (
        2,
        6,
        0.24,
        0.02,
    )


def test_the_stand_in_is_named_in_every_cell_it_fills_and_is_not_matched(partial):
    for name in ("table1", "table5", "table7"):
        table = computed(name, partial)
        filled = table[table["system"].str.startswith("PRIMITIVE") & table["value"].notna()]
        assert set(filled["source"]) == {SKIP_POOL}
        assert set(table.loc[table["category"] == "covered, micro", "problems"]) <= {
            0,
            12,
        }  # of both systems alone
        columns = side_by_side(table).columns.get_level_values("system")
        assert all(
            "SKIP pool" in c for c in columns if c.startswith("PRIMITIVE") and "original" not in c
        )
    assert set(computed("difference", partial)["b"]) == {SKIP_POOL}
    assert computed("matched", partial)["note"].str.startswith("no PRIMITIVE runs").all()


def without(frame, worse=0.0):
    """TROVE's runs, and as many without IMPORT that miss a share of what they solve."""
    trove = frame[frame["method"] == "trove"]
    other = trove[trove["mode"] != "import"].assign(
        method="trove_no_import", run=trove["run"].astype(str) + " without"
    )
    missed = np.random.default_rng(0).random(len(other)) < worse
    right = (other["correct"].fillna(False) & ~missed).astype("boolean")
    return pd.concat([trove, other.assign(program=other["program"] + 1, correct=right)])


def test_without_import_is_shown_over_problems_and_over_runs():
    table = reeval.without_import(
        without(candidates(problems=12, runs=3, categories=("counting", "number")), 0.9)
    )
    assert list(table["category"]) == ["counting"] * 2 + ["number"] * 2 + ["all"] * 2
    every, independent = table[table["category"] == "all"].to_dict("records")
    assert (every["covers"], independent["covers"]) == ("problems", "problems and runs")
    assert independent["low"] <= every["low"] < every["difference"] == independent["difference"]
    assert every["run_sd_to_0"] > 0
    assert every["p_below_3"] > 0.5  # IMPORT adds a lot here


def test_runs_that_repeat_another_count_over_problems_and_not_over_runs():
    frame = without(candidates(problems=12, runs=3, categories=("counting",)))
    copies = pd.concat([frame, frame.assign(run=frame["run"].astype(str) + " copied")])
    once, twice = (reeval.without_import(f).set_index("counted") for f in (frame, copies))
    assert twice.loc["all runs", "runs_a"] == 6
    assert twice.loc["independent runs", "runs_a"] == 3
    pd.testing.assert_series_equal(once.loc["independent runs"], twice.loc["independent runs"])


def test_the_difference_is_that_of_table1_with_one_correction_over_rules_and_categories(whole):
    table = computed("difference", whole)
    rows = table[table["rule"] == "one_stage"]
    assert len(rows) == 8
    single = rows[rows["category"] != "all"]
    assert (single["p_holm"] >= single["p"]).all()
    assert table["p_holm"].to_numpy() == pytest.approx(holm(table["p"]))
    both = computed("table1", whole)
    values = {
        s: cell(both, category="counting", system=s)["value"]
        for s in ("TROVE, one-stage", "PRIMITIVE, K=15")
    }
    found = cell(rows, category="counting")
    assert found["difference"] == pytest.approx(
        values["TROVE, one-stage"] - values["PRIMITIVE, K=15"]
    )
    assert (found["a"], found["b"]) == ("TROVE", "PRIMITIVE")


def test_at_matched_tokens_primitive_has_the_longer_runs_and_trove_its_own():
    longer = candidates(problems=5, k=40)
    tokens = {name: (longer["method"] == "trove").map({True: dear, False: cheap}).astype("Int32")
              for name, dear, cheap in (("prompt_tokens", 50, 30), ("completion_tokens", 20, 10))}  # fmt: skip
    longer = longer.assign(**tokens)
    runs = longer[longer["sample"] < (longer["method"] == "trove").map({True: 5, False: 15})]
    table = reeval.matched_budgets(
        reeval.systems(runs), reeval.systems(longer[longer["method"] == "primitive"])
    )
    rows = table[table["budget"] == "total tokens"]
    assert (rows["calls_a"] == 15).all()
    assert rows["calls_b"].to_numpy() == pytest.approx(15 * 70 / 40)
    assert set(rows["a"] + rows["b"]) == {"TROVEPRIMITIVE"}


def test_printed_values_are_of_the_paper_s_budgets_alone(whole):
    assert computed("table1", whole)["published"].notna().any()
    assert computed("table1", whole, 6)["published"].isna().all()
    table7 = computed("table7", whole)
    assert table7.loc[table7["k"] == 6, "published"].notna().any()


@pytest.mark.parametrize("other", [{"dataset": "practice"}, {"model": "CodeLlama-13b-Instruct"}])
def test_nothing_is_printed_for_another_model_or_data_set_whose_values_are_as_good(
    skip_only, partial, other
):
    found = computed("table7", reeval.systems(skip_only.assign(**other)))
    same = computed("table7", partial)
    assert found["published"].isna().all()
    pd.testing.assert_series_equal(found["value"], same["value"], check_index=False)


@pytest.mark.parametrize("k", [0, 16])
def test_a_budget_that_was_not_recorded_is_refused_by_name(whole, k):
    with pytest.raises(TroveLiteError, match=rf"k = {k}: .*15 of TROVE, 15 of PRIMITIVE"):
        reeval.budget(whole, k)
    with pytest.raises(TroveLiteError, match=rf"k = {k - 10}: .*no more than the runs hold \(5\)"):
        reeval.of_modes(whole, k - 10)


def test_runs_with_fewer_calls_are_compared_at_what_they_have(simulated):
    fewer = reeval.systems(
        simulated[simulated["sample"] < (simulated["method"] == "trove").map({True: 2, False: 6})]
    )
    assert set(computed("table5", fewer)["k"]) == {1, 3, 6}
    assert computed("table1", fewer).attrs["k"] == 6
    assert computed("difference", fewer)["difference"].notna().all()


#: Of two categories. One system alone: test_essays.
SMALL = {
    "neither": lambda f: f[f["method"] == "primitive"].assign(method="instance", mode="instance"),
    "one problem": lambda f: f[(f["category"] == "counting") & (f["problem"] == 0)],
    "two categories, one a side": lambda f: f[
        (f["category"] == "counting") == (f["method"] == "trove")
    ],
}


@pytest.mark.parametrize("which", SMALL)
def test_small_and_one_sided_runs_have_every_table_or_say_why(simulated, which):
    comparison = reeval.systems(
        SMALL[which](simulated[simulated["category"].isin(["counting", "number"])])
    )
    for name in [*TABLES, *DIFFERENCES]:
        found = computed(name, comparison)
        for shown in (show(found), *([side_by_side(found)] if name in TABLES else [])):
            assert shown.size, name
            assert not shown.isna().any(axis=None), name
            assert not (shown == "–").all(axis=None), name


def test_samples_are_counted_and_live_runs_say_the_rest(tmp_path):
    sampling = {"top_p": 0.9, "temperature": 1.0, "max_tokens": 99}
    settings = {
        "name": "a",
        "seeds": [0],
        "methods": ["trove"],
        "time_limit": 12.0,
        "sampling": sampling,
    }
    about = {"kind": "live", "settings": settings, "methods": {"trove": {"interval": 50}}}
    (tmp_path / "run.json").write_text(json.dumps(about))
    table = reeval.table4(candidates(problems=2, k=6), [tmp_path]).set_index(
        ["hyperparameter", "method"]
    )
    assert table.loc[("num_return_sequences", "TROVE"), "runs"] == "2"
    assert table.loc[("num_return_sequences", "PRIMITIVE"), "runs"] == "6"
    found = {
        name: table.loc[(name, "TROVE"), "runs"] for name in ("trim_steps", "exec_timeout", "top_p")
    }
    assert found == {"trim_steps": "50", "exec_timeout": "12.0", "top_p": "0.9"}
    presets = table.loc[("trim_steps", "TROVE"), ["published", "paper_preset", "official_preset"]]
    assert presets.tolist() == ["500", "200", "500"]
    assert table.loc[("exec_timeout", "PRIMITIVE"), "runs"] == ""


def made(seed=0, model="one", **how):
    return candidates(categories=("counting",), seed=seed, **how).assign(model=model)


def folder(path, rows):
    save_run(path, rows, {"kind": "live", "model": str(rows["model"].iloc[0])})
    return path


def test_a_group_of_a_model_that_is_not_there_or_there_already_is_left_out_and_a_study_is_its_runs(
    tmp_path,
):
    one = folder(tmp_path / "one", made())
    study = folder(tmp_path / "study/runs/a", made(runs=1, model="three"))
    save_table(made(model="two"), tmp_path / "two.parquet")
    groups = (
        [one],
        [tmp_path / "two.parquet"],
        [tmp_path / "nowhere"],
        [],
        [one],
        [tmp_path / "study"],
    )
    found = reeval.models(*groups)
    assert list(found) == ["one", "two", "three"]
    pd.testing.assert_frame_equal(
        found["three"]["TROVE"], reeval.systems(load_candidates(study))["TROVE"]
    )


def test_a_table_of_models_has_the_rows_of_each_that_hold_a_value():
    one, two = (
        reeval.systems(made()),
        reeval.systems(made(seed=1, model="two")[lambda rows: rows["method"] == "trove"]),
    )
    table = reeval.each_model(
        {"one": one, "two": two}, lambda _, systems: computed("table1", systems)
    )
    assert table.attrs["name"] == "reeval_table1_models"
    systems = table.groupby("model")["system"].unique().map(sorted).to_dict()
    assert systems["one"] == ["PRIMITIVE, K=15", "TROVE, one-stage", "TROVE, two-stage"]
    own = computed("table1", two).dropna(subset="value")
    assert table.loc[table["model"] == "two", "value"].tolist() == own["value"].tolist()


@pytest.mark.parametrize("k", [6, 15])
@pytest.mark.parametrize("rule", ["one_stage", "two_stage", "oracle"])
def test_the_essays_define_what_the_kit_has_as_its_own_rule(simulated, rule, k):
    """At a budget below the recorded one too, on the same subsets."""
    system = reeval.systems(simulated)["TROVE"]
    kits = score(system, rule, k, seed=3, resamples=10)
    if rule == "oracle":
        ours = ESSAY.by_oracle(system, k)
    else:
        ours = reeval.resampled(system, getattr(ESSAY, rule), k, seed=3, resamples=10)
    both = ours.merge(kits, on=[*PROBLEM, "level"], suffixes=("", "_kit"))
    assert len(both) == len(ours) == len(kits) > 0
    assert both["score"].to_numpy() == pytest.approx(both["score_kit"].to_numpy())
    assert both["worth"].to_numpy() == pytest.approx(both["worth_kit"].to_numpy())


def test_a_definition_that_several_essays_have_is_the_same_in_all():
    texts = {}
    for path in NOTEBOOKS:
        if path.stem[:2] in ("10", "11", "12", "13", "14", "16", "18"):
            for node in ast.parse(code_of(path)).body:
                if isinstance(node, ast.FunctionDef):
                    texts.setdefault(node.name, set()).add(ast.unparse(node))
    shared = {"one_stage", "two_stage", "pass_at", "oracle", "distinct", "by_vote", "by_oracle"}
    assert {name: len(texts[name]) for name in shared} == dict.fromkeys(shared, 1)
