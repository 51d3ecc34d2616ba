"""Who judges what: balanced, once each, shuffled, and told by the seed alone."""

import pandas as pd
import pytest

from papers.raters.plan import KEY, PROBLEM, plan
from trove_lite import TroveLiteError


def answers(problems=7, methods=("a", "b", "c"), runs=2):
    rows = [
        {
            "problem": i,
            "method": m,
            "run": f"run{r}",
            "seed": r,
            "correct": (i + r) % 2 == 0,
        }
        for i in range(problems)
        for m in methods
        for r in range(runs)
    ]
    return pd.DataFrame(rows, columns=["problem", "method", "run", "seed", "correct"]).assign(dataset="d", category="c")


def test_every_rater_judges_every_problem_once_and_methods_alike():
    key = plan(answers(), raters=6, problems=7, seed=0)
    each = key.groupby("rater")["problem"].apply(sorted)
    assert all(problems == list(range(7)) for problems in each)
    counts = key.groupby(["rater", "method"]).size().unstack()
    assert counts.max(axis=None) - counts.min(axis=None) <= 1
    assert set(key.groupby([*PROBLEM, "method"]).size()) == {2}


def test_a_rater_sees_problems_in_an_order_and_methods_of_its_own():
    key = plan(answers(problems=20), raters=3, problems=20, seed=0)
    orders = {tuple(part.sort_values("item")["problem"]) for _, part in key.groupby("rater")}
    assert len(orders) == 3
    first = key[key["rater"] == 1].sort_values("item")["method"]
    assert len(set(zip(first, first.shift(-1), strict=True))) > 4  # not one method after another in turns


def test_the_verdict_and_run_are_those_of_the_first_run_and_rows_lead_back():
    table = answers()
    key = plan(table, raters=3, problems=4, seed=1)
    assert set(key["run"]) == {"run0"}
    back = table.loc[key["row"]].reset_index(drop=True)
    assert (back["correct"] == key["right"]).all()
    assert (back["method"] == key["method"]).all()


def test_the_same_seed_gives_the_same_plan_and_another_another():
    one, same, other = (plan(answers(), raters=3, problems=5, seed=seed) for seed in (0, 0, 1))
    pd.testing.assert_frame_equal(one, same)
    assert not one[KEY].equals(other[KEY])


def test_what_cannot_be_judged_or_is_not_answered_by_all_is_not_asked():
    table = answers().astype({"correct": object})
    table.loc[(table["problem"] == 0) & (table["method"] == "a"), "correct"] = None
    table = table[~((table["problem"] == 1) & (table["method"] == "b"))]
    assert set(plan(table, raters=3, problems=100, seed=0)["problem"]) == set(range(2, 7))


@pytest.mark.parametrize(
    ("given", "how", "words"),
    [
        ({"methods": ("a",)}, {"raters": 2}, "two or more methods"),
        ({}, {"raters": 4}, "a multiple of 3"),
        ({}, {"raters": 0}, "a multiple of 3"),
        ({"problems": 0}, {"raters": 3}, "two or more methods"),
        ({}, {"raters": 3, "seed": -1}, "whole number"),
    ],
)
def test_a_study_that_cannot_be_balanced_is_refused_in_one_line(given, how, words):
    with pytest.raises(TroveLiteError, match=words):
        plan(answers(**given), **{"problems": 5, "seed": 0} | how)
