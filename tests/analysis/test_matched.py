"""TROVE against PRIMITIVE at the same cost: how many samples that is, and what is said where it cannot be known."""

import pandas as pd
import pytest

import trove_lite as tl
from trove_lite.analysis.study import Study

from ..simulated import candidates

TROVE_COST, PRIMITIVE_COST = (50, 20), (30, 10)  # tokens of a prompt and a completion


@pytest.fixture(scope="module")
def longer():
    """Simulated runs with token counts in which PRIMITIVE has 40 calls and TROVE 39."""
    frame = candidates(problems=5, k=40)
    dear = frame["method"] == "trove"
    for i, name in enumerate(("prompt_tokens", "completion_tokens")):
        frame[name] = dear.map({True: TROVE_COST[i], False: PRIMITIVE_COST[i]}).astype("Int32")
    return frame


@pytest.fixture(scope="module")
def runs(longer):
    """The same with 15 calls each."""
    return longer[longer["sample"] < (longer["method"] == "trove").map({True: 5, False: 15})]


def rows(table, budget):
    return table[table["budget"] == budget].set_index("category")


def test_calls_are_those_that_cost_no_more(runs, longer):
    table = tl.matched_budgets(Study.of(runs), longer)
    assert (rows(table, "calls")["primitive_calls"] == 15).all()
    assert (rows(table, "completion tokens")["primitive_calls"] == 15 * 20 // 10).all()
    assert (rows(table, "total tokens")["primitive_calls"] == 15 * 70 // 40).all()
    assert (table["trove_total"] == 15 * 70).all()
    assert (rows(table, "total tokens")["primitive_total"] == 26 * 40).all()
    assert (table["note"] == "").all()


def test_at_matched_calls_it_is_the_other_tables_difference(runs, longer):
    study = Study.of(runs)
    found = rows(tl.matched_budgets(study, longer), "calls")
    expected = tl.differences(study)
    expected = expected[expected["system"] == "one_stage"].set_index("category").loc[found.index]
    for name in ("difference", "low", "high", "p", "p_equivalent", "problems"):
        assert found[name].to_numpy() == pytest.approx(expected[name].to_numpy()), name


def test_only_tokens_that_are_spent_count(runs, longer):
    """A first sample that is long leaves less for the others of that problem and seed alone."""
    here = (longer["method"] == "primitive") & (longer["sample"] == 0) & (longer["seed"] == 0)
    here &= (longer["category"] == "counting") & (longer["problem"] == 0)
    long = longer.assign(completion_tokens=longer["completion_tokens"].mask(here, 110))
    calls = rows(tl.matched_budgets(Study.of(runs), long), "completion tokens")["primitive_calls"]
    assert calls["counting"] == pytest.approx(30 - 10 / 10)  # 10 calls fewer in one of ten problems and seeds
    assert (calls.drop(["counting", "all"]) == 30).all()


def test_the_order_of_rows_does_not_matter(runs, longer):
    shuffled = longer.sample(frac=1, random_state=0)
    pd.testing.assert_frame_equal(
        tl.matched_budgets(Study.of(runs), shuffled), tl.matched_budgets(Study.of(runs), longer)
    )


def test_too_few_calls_are_not_taken_for_enough(runs):
    table = tl.matched_budgets(Study.of(runs))
    assert rows(table, "calls")["difference"].notna().all()
    for budget, needed in (("completion tokens", 30), ("total tokens", 27)):
        found = rows(table, budget)
        assert found["difference"].isna().all()
        assert found["note"].str.contains(f"about {needed} of PRIMITIVE, and the runs hold 15").all()


def test_recorded_runs_say_what_they_lack(simulated, skip_only, runs):
    lacking = tl.matched_budgets(Study.of(simulated))
    assert rows(lacking, "total tokens")["note"].str.contains("no token counts").all()
    notes = tl.matched_budgets(Study.of(skip_only))["note"]
    assert notes[0] == "no PRIMITIVE runs"
    assert (
        notes[1:] == "no PRIMITIVE runs; no token counts in the TROVE runs: recorded logs have none, live runs do"
    ).all()
    assert tl.same_cost(skip_only, tl.matched_budgets(Study.of(skip_only))) is None
    other = runs.assign(seed=runs["seed"] + (runs["method"] == "trove") * 7)
    assert tl.matched_budgets(Study.of(other))["note"].str.contains("no seed in common").all()


def test_the_figure_names_what_is_matched(runs, longer):
    study = Study.of(runs)
    figure = tl.same_cost(study, tl.matched_budgets(study, longer))
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels[2] == "same total tokens: 15 calls of TROVE, on average 26.0 of PRIMITIVE"
