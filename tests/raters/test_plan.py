"""Who judges what: balanced, once each, shuffled, and decided by the seed alone."""

import pandas as pd
import pytest

from papers.raters.plan import KEY, PROBLEM, plan
from trove_lite import TroveLiteError


def answers(problems=7, methods=("a", "b", "c")):
    rows = [(i, m, f"run{r}", r, (i + r) % 2 == 0) for i in range(problems) for m in methods for r in range(2)]
    return pd.DataFrame(rows, columns=["problem", "method", "run", "seed", "correct"]).assign(dataset="d", category="c")


def test_every_rater_judges_every_problem_once_and_methods_alike_in_an_order_of_its_own():
    key = plan(answers(problems=20), raters=6, problems=20, seed=0)
    assert all(sorted(part) == list(range(20)) for _, part in key.groupby("rater")["problem"])
    counts = key.groupby(["rater", "method"]).size().unstack()
    assert counts.max(axis=None) - counts.min(axis=None) <= 1
    assert set(key.groupby([*PROBLEM, "method"]).size()) == {2}
    assert len({tuple(part.sort_values("item")["problem"]) for _, part in key.groupby("rater")}) == 6


def test_verdicts_are_those_of_the_first_run_rows_lead_back_and_the_seed_alone_decides():
    table = answers()
    one, same, other = (plan(table, raters=3, problems=4, seed=seed) for seed in (1, 1, 2))
    assert set(one["run"]) == {"run0"}
    back = table.loc[one["row"]].reset_index(drop=True)
    assert (back["correct"] == one["right"]).all()
    assert (back["method"] == one["method"]).all()
    pd.testing.assert_frame_equal(one, same)
    assert not one[KEY].equals(other[KEY])


def test_what_cannot_be_judged_or_is_not_answered_by_all_is_not_asked():
    table = answers().astype({"correct": object})
    table.loc[(table["problem"] == 0) & (table["method"] == "a"), "correct"] = None
    table = table[~((table["problem"] == 1) & (table["method"] == "b"))]
    assert set(plan(table, raters=3, problems=100, seed=0)["problem"]) == set(range(2, 7))


@pytest.mark.parametrize(
    ("given", "raters", "words"),
    [({"methods": ("a",)}, 2, "two or more methods"), ({}, 4, "a multiple of 3"), ({"problems": 0}, 3, "two or more")],
)
def test_a_study_that_cannot_be_balanced_is_refused_in_one_line(given, raters, words):
    with pytest.raises(TroveLiteError, match=words):
        plan(answers(**given), raters=raters, problems=5, seed=0)
