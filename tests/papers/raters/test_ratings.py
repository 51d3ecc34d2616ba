"""Who judges what, by the seed alone, and what ratings say of methods, on simulated raters: levels
cancel."""

import numpy as np
import pandas as pd
import pytest

from trove_lite import TroveLiteError
from trove_lite_papers.raters.plan import KEY, PROBLEM, plan
from trove_lite_papers.raters.ratings import by_method, method_differences, variance_of

from ...cases import cases


def answers(problems=7, methods=("a", "b", "c")):
    rows = [
        (i, m, f"run{r}", r, (i + r) % 2 == 0)
        for i in range(problems)
        for m in methods
        for r in range(2)
    ]
    return pd.DataFrame(rows, columns=["problem", "method", "run", "seed", "correct"]).assign(
        dataset="d", category="c"
    )


def test_every_rater_judges_every_problem_once_and_methods_alike_in_an_order_of_its_own():
    key = plan(answers(problems=20), raters=6, problems=20, seed=0)
    assert all(sorted(part) == list(range(20)) for _, part in key.groupby("rater")["problem"])
    counts = key.groupby(["rater", "method"]).size().unstack()
    assert counts.max(axis=None) - counts.min(axis=None) <= 1
    assert set(key.groupby([*PROBLEM, "method"]).size()) == {2}
    assert (
        len({tuple(part.sort_values("item")["problem"]) for _, part in key.groupby("rater")}) == 6
    )


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
    cases(
        """
        {"methods": ("a",)}, 2, "two or more methods"
        {},                  4, "a multiple of 3"
        {"problems": 0},     3, "two or more"
        """
    ),
)
def test_a_study_that_cannot_be_balanced_is_refused_in_one_line(given, raters, words):
    with pytest.raises(TroveLiteError, match=words):
        plan(answers(**given), raters=raters, problems=5, seed=0)


def scores(
    rng,
    *,
    raters=6,
    problems=30,
    methods=3,
    delta=1.0,
    rater_sd=0.7,
    rater_method=0.3,
    program=0.4,
    rest=0.5,
):
    """Scores of a Latin square: method m0 is `delta` above the others."""
    level = rng.normal(0, rater_sd, raters)
    hard = rng.normal(0, 1, problems)
    both = rng.normal(0, rater_method, (raters, methods))
    own = rng.normal(0, program, (problems, methods))
    rater, problem = (x.ravel() for x in np.indices((raters, problems)))
    method = (rater + problem) % methods
    value = (
        delta * (method == 0)
        + level[rater]
        + hard[problem]
        + both[rater, method]
        + own[problem, method]
    )
    value = value + rng.normal(0, rest, len(value)) if rest else value
    names = {
        "rater": rater,
        "unit": problem.astype(str),
        "method": [f"m{m}" for m in method],
        "score": value,
    }
    return pd.DataFrame(names)


@pytest.fixture
def ratings():
    """Ratings whose time is those scores, and which are right where a seeded coin says so."""
    rng = np.random.default_rng(0)
    frame = scores(rng).rename(columns={"unit": "problem", "score": "seconds"})
    right = rng.random(len(frame)) < 0.5
    said = np.where(rng.random(len(frame)) < 0.8, right, ~right)
    return frame.assign(dataset="d", category="c", right=right, said=said)


@pytest.mark.parametrize("gap", [False, True])
def test_levels_of_raters_and_problems_cancel_in_a_difference_whatever_a_rater_left_out(gap):
    frame = scores(np.random.default_rng(1), rater_sd=50, rater_method=0, program=0, rest=0)
    frame = frame[(frame["rater"] > 0) | (frame["method"] != "m1")] if gap else frame
    v = variance_of(frame, "m0", "m1")
    assert v.value == pytest.approx(1)
    assert v.over_problems == pytest.approx(0, abs=1e-12)


def test_what_a_rater_makes_of_a_method_is_kept_apart_from_chance_and_one_rater_cannot_show_it():
    rng = np.random.default_rng(3)
    apart, same = (
        [variance_of(scores(rng, rater_method=sd), "m0", "m1").run for _ in range(12)]
        for sd in (2.0, 0.0)
    )
    assert np.mean(apart) == pytest.approx(8, rel=0.4)  # of a difference: twice that of a mean
    assert abs(np.mean(same)) < 0.5
    assert variance_of(scores(rng, raters=1, problems=12), "m0").covers == "these runs"


def test_tables_count_what_they_say(ratings):
    table = by_method(ratings).set_index(["method", "measure"])
    own = ratings[ratings["method"] == "m1"]
    assert table.loc[("m1", "accuracy"), "value"] == pytest.approx(
        (own["said"] == own["right"]).mean()
    )
    assert table.loc[("m1", "seconds"), "rater_sd"] == pytest.approx(
        own.groupby("rater")["seconds"].mean().std()
    )
    found = method_differences(ratings, [("m0", "m1"), ("m0", "m2")])
    assert found["measure"].tolist() == ["accuracy"] * 2 + ["seconds"] * 2
    assert found["p_holm"].min() == pytest.approx(4 * found["p"].min())
    assert set(found["covers"]) == {"problems and raters"}
