"""Systems by name: any number of them, each pair comparable, at the same calls and at the same
tokens."""

import json

import pandas as pd
import pytest

import trove_lite as tl
import trove_lite_analysis as ta
from trove_lite.candidates import calls_of
from trove_lite_analysis.differences import accuracy_differences, differences, points
from trove_lite_analysis.scores import estimate, run_effect, score
from trove_lite_analysis.statistics import holm
from trove_lite_analysis.systems import Comparison

from ..simulated import candidates

COST = {"trove": (50, 20), "primitive": (30, 10)}  # tokens of a prompt and a completion
PAIR = [("trove", "primitive")]


@pytest.fixture(scope="module")
def longer():
    """Simulated runs with token counts in which PRIMITIVE has 40 calls and TROVE 39."""
    frame = candidates(problems=3, k=40, categories=("counting", "number"))
    for i, name in enumerate(("prompt_tokens", "completion_tokens")):
        frame[name] = (
            frame["method"].map({method: cost[i] for method, cost in COST.items()}).astype("Int32")
        )
    return frame


@pytest.fixture(scope="module")
def runs(longer):
    """The same with 15 calls each."""
    return longer[longer["sample"] < (longer["method"] == "trove").map({True: 5, False: 15})]


@pytest.fixture(scope="module")
def unequal(runs, longer):
    """TROVE with 15 calls against PRIMITIVE with 40."""
    return ta.compare(
        pd.concat([runs[runs["method"] == "trove"], longer[longer["method"] == "primitive"]])
    )


def matched(comparison, budget="total tokens"):
    return at(ta.matched_budgets(comparison, pairs=PAIR), budget)


def at(table, budget):
    return table[table["budget"] == budget].set_index("category")


@pytest.fixture(scope="module")
def spent(unequal):
    """What the two spend, by budget."""
    return ta.matched_budgets(unequal, pairs=PAIR)


def test_runs_of_several_seeds_are_a_row_with_their_mean_and_the_spread_between_them():
    """Also where no two runs count whole: then from what each two of them have in common."""
    frame = candidates(problems=60, runs=3, categories=("counting",))
    frame = frame[frame["method"] == "trove"]
    found = ta.between_runs(ta.compare(frame), rules=("one_stage",)).iloc[0]
    means = (
        tl.choose(frame, "one_stage").groupby("run", observed=True)["correct"].mean().astype(float)
    )
    assert (found["category"], found["runs"], found["problems"]) == ("counting", 3, 60)
    assert [found["value"], found["run_sd"]] == pytest.approx([means.mean(), means.std()])
    assert found["low"] < found["value"] < found["high"]
    lost = frame["run"].isin(["run1", "run2"]) & (frame["problem"] == 0)
    partly = ta.between_runs(ta.compare(frame[~lost]), rules=("one_stage",)).iloc[0]
    assert partly["run_sd"] == pytest.approx(means.std(), rel=0.3)
    several = ta.between_runs(ta.compare(candidates(categories=("counting", "geometry"))))
    assert list(several["category"]) == ["covered, micro"] * 6


def test_a_macro_row_weighs_categories_alike_and_a_micro_row_problems():
    """Of two categories one has three times the problems and none of them solved."""
    frame = candidates(problems=3, runs=1, categories=("counting", "number"))
    frame = frame[(frame["category"] == "number") | (frame["problem"] == 0)]
    right = (frame["category"] == "counting").astype("boolean")
    found = ta.accuracy(ta.compare(frame.assign(correct=right)), rules=("oracle",)).query(
        "system == 'trove'"
    )
    values = found.set_index("category")["value"]
    assert (values["covered, micro"], values["covered, macro"]) == (0.25, 0.5)


def test_three_systems_have_three_differences_and_one_correction_over_all_rules(simulated):
    trove = simulated[simulated["method"] == "trove"]
    systems = {
        "a": trove,
        "b": simulated[simulated["method"] == "primitive"],
        "c": trove.assign(run="run2"),
    }
    table = accuracy_differences(ta.compare(systems))
    # what shares a toolbox minus what does not
    assert list(dict.fromkeys(zip(table["a"], table["b"], strict=True))) == [
        ("a", "c"),
        ("a", "b"),
        ("c", "b"),
    ]
    assert list(dict.fromkeys(table["rule"])) == ["one_stage", "one_stage_described", "oracle"]
    assert len(table) == 3 * 3 * 8
    assert table["p_holm"].to_numpy() == pytest.approx(holm(table["p"]))


def test_beside_a_difference_stands_in_what_else_its_systems_differ(simulated, tmp_path):
    """Programs that print five numbers each, and runs by other prompts than those of the other
    system."""
    runs = simulated["run"].astype(str).str.replace("run", "x_seed") + simulated["method"].astype(
        str
    )
    frame = simulated.assign(run=runs.str.replace(r"_seed(.)(.*)", r"\2_seed\1", regex=True))
    frame["answers"] = [["1"] * 5 if method == "trove" else ["1"] for method in frame["method"]]
    for method, prompts in (("trove", "own"), ("primitive", "official")):
        (folder := tmp_path / method).mkdir()
        settings = {
            "name": f"x{method}",
            "seeds": [0, 1],
            "dataset": "math",
            "prompts": prompts,
            "chat": "auto",
        }
        (folder / "run.json").write_text(json.dumps({"settings": settings}))
    table = accuracy_differences(ta.compare(frame, folders=tmp_path.iterdir()), rules=("oracle",))
    (said,) = set(table["unlike"])
    assert said == "programs that print more than three: 1 and 0; prompts: own and official"
    (tmp_path / "primitive" / "run.json").write_text('{"kind": "import"}')
    folders = {name: [tmp_path / name] for name in ("trove", "primitive")}
    table = accuracy_differences(ta.compare(frame, folders=folders), rules=("oracle",))
    assert table["unlike"].iloc[0].endswith("settings: known and not known")
    known = ta.compare(
        frame, folders={"trove": [tmp_path / "trove"]}
    )  # by system, where runs have the same name
    assert [len(known.told_of(name)) for name in ("trove", "primitive")] == [1, 0]


def test_two_rules_on_the_same_runs_are_compared_run_by_run(simulated):
    """What a run does to both is not in the difference: here, all of it."""
    found = ta.compare(
        {"a": simulated[(simulated["method"] == "trove") & (simulated["category"] == "number")]}
    )
    a = score(found["a"], "one_stage", 15)
    effect = a["run"].map({"run0": 0.0, "run1": 0.4}).astype(float)
    a, b = a.assign(score=0.5 + effect + 0.01 * a["problem"]), a.assign(score=0.25 + effect)
    (same,) = differences(found, {"a": a, "b": b}).itertuples()
    (apart,) = differences(
        found, {"a": a, "b": b.assign(run=b["run"].astype(str) + " again")}
    ).itertuples()
    assert same.difference == pytest.approx(apart.difference)
    assert same.high - same.low < (apart.high - apart.low) / 5


def test_a_method_that_solves_each_problem_by_itself_has_no_run_effect(simulated):
    """TROVE, whose toolbox a run shares, may have one."""
    found = ta.compare(simulated)
    scores = {name: score(found[name], "oracle", 15) for name in found.systems}
    effects = {
        name: each["run"].map({"run0": 0.0, "run1": 0.5}).astype(float)
        for name, each in scores.items()
    }
    shifted = {
        name: each.assign(score=each["score"] + effects[name]) for name, each in scores.items()
    }
    assert run_effect(shifted["primitive"]) == 0
    assert run_effect(*shifted.values()) is None
    assert run_effect(shifted["primitive"].drop(columns="shares_state")) is None
    width = {name: estimate(scores).high - estimate(scores).low for name, scores in shifted.items()}
    assert width["trove"] > 2 * width["primitive"]


def test_beside_the_interval_stands_the_one_over_problems_alone(simulated):
    found = ta.compare(simulated)
    table = differences(found, {name: score(found[name], "oracle", 15) for name in found.systems})
    assert set(table["covers"]) == {"problems and runs"}
    assert (table["low"] <= table["low_problems"] + 1e-9).all()
    assert (table["p_within_3"] <= table["p_within_1"]).all()
    one = ta.compare(simulated[simulated["run"] == "run0"])
    table = differences(one, {name: score(one[name], "oracle", 15) for name in one.systems})
    assert set(table["covers"]) == {"these runs"}
    assert "in these runs" in points(next(table.itertuples()))
    assert table["low"].equals(table["low_problems"])


def test_what_is_spent_is_the_same_in_expectation(spent):
    assert (at(spent, "calls")["calls_b"] == 15).all()
    assert (at(spent, "completion tokens")["calls_b"] == 15 * 20 / 10).all()
    table = at(spent, "total tokens")
    assert table["calls_b"].to_numpy() == pytest.approx(15 * 70 / 40)
    assert (table["total_a"] == 15 * 70).all()
    assert table["total_b"].to_numpy() == pytest.approx(15 * 70)
    assert (table["note"] == "").all()


def test_a_program_that_nobody_was_asked_for_costs_no_tokens(runs, unequal, spent):
    """TROVE runs its toolbox to see whether it loads: no model is asked."""
    mine = runs[runs["method"] == "trove"]
    checks = unequal.requests("trove").drop_duplicates(["run", "category", "problem"])
    checks = checks.assign(
        stage="load", mode=None, model=None, prompt_tokens=pd.NA, completion_tokens=pd.NA
    )
    calls = pd.concat([*(unequal.requests(name) for name in unequal.systems), checks])
    systems = pd.concat([mine, unequal["primitive"]])
    pd.testing.assert_frame_equal(
        ta.matched_budgets(ta.compare(systems, calls=calls), pairs=PAIR), spent
    )


def test_at_matched_calls_it_is_the_other_tables_difference(runs, spent):
    found = at(spent, "calls")
    even = ta.compare(runs)
    scores = {name: score(even[name], "one_stage", 15) for name in ("trove", "primitive")}
    expected = differences(even, scores).set_index("category").loc[found.index]
    for name in ("difference", "low_problems", "high_problems", "problems"):
        assert found[name].to_numpy() == pytest.approx(expected[name].to_numpy()), name


def test_the_last_sample_is_taken_with_the_chance_that_makes_the_cost_the_same(runs, longer):
    """One that costs twice what is left counts half: neither dropped nor paid for with what was not
    given."""
    primitive = longer[longer["method"] == "primitive"]
    long = primitive["completion_tokens"].mask(primitive["sample"] == 29, 20)
    frame = pd.concat([runs[runs["method"] == "trove"], primitive.assign(completion_tokens=long)])
    part = frame[frame["method"] == "primitive"]
    ran = part["sample"] >= 29  # those from here on alone run, and are right
    answers = pd.Series([["1"] if ok else None for ok in ran], index=part.index, dtype=object)
    part = part.assign(correct=ran, status=ran.map({True: "ok", False: "error"}), answers=answers)
    right = pd.concat([frame[frame["method"] == "trove"].assign(correct=False), part])
    found = matched(ta.compare(right.astype({"correct": "boolean"})), "completion tokens")
    assert found["calls_b"].to_numpy() == pytest.approx(29.5)
    assert found["completion_b"].to_numpy() == pytest.approx(300)
    assert found["value_b"].to_numpy() == pytest.approx(0.5)


def test_what_cannot_be_matched_says_why(simulated, runs):
    assert matched(ta.compare(simulated))["note"].str.contains("no token counts").all()
    other = runs.assign(seed=runs["seed"] + (runs["method"] == "trove") * 7)
    assert matched(ta.compare(other))["note"].str.contains("no seed in common").all()
    trove = runs[runs["method"] == "trove"]
    assert (
        matched(ta.compare(runs.assign(seed=0)))["note"]
        .str.contains("several runs of one seed")
        .all()
    )
    alone = Comparison.of({"trove": trove, "primitive": trove.head(0)})
    assert matched(alone)["note"].tolist() == ["no primitive runs"]


def test_requests_that_made_no_candidate_are_spent_too(unequal):
    """A model that ranks the toolbox before each problem pays for it; what is asked again
    afterwards is not counted."""
    frame = pd.concat(unequal.systems.values())
    each = calls_of(frame).assign(phase="stream")
    first = each[each["method"] == "trove"].drop_duplicates(["run", "category", "problem"])
    first = first.astype({"mode": object, "sample": object})
    more = [first.assign(mode=None, sample=None)] * 2 + [first.assign(phase="retry")]
    found = matched(ta.compare(frame, calls=pd.concat([each, *more], ignore_index=True)))
    assert (found["calls_a"] == 17).all()
    assert (found["total_a"] == 17 * 70).all()
    assert found["calls_b"].to_numpy() == pytest.approx(17 * 70 / 40)
