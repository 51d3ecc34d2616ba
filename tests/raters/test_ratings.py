"""What ratings say of methods, on raters who are simulated: levels cancel, intervals cover."""

import numpy as np
import pandas as pd
import pytest

from papers.raters.ratings import by_method, method_differences, variance_of


def scores(rng, *, raters=6, problems=30, methods=3, delta=1.0, rater_sd=0.7, rater_method=0.3, program=0.4, rest=0.5):
    """Scores of a Latin square: method m0 is `delta` above the others."""
    level, hard = rng.normal(0, rater_sd, raters), rng.normal(0, 1, problems)
    both, own = rng.normal(0, rater_method, (raters, methods)), rng.normal(0, program, (problems, methods))
    rater, problem = (x.ravel() for x in np.indices((raters, problems)))
    method = (rater + problem) % methods
    value = delta * (method == 0) + level[rater] + hard[problem] + both[rater, method] + own[problem, method]
    value = value + rng.normal(0, rest, len(value)) if rest else value
    names = {"rater": rater, "unit": problem.astype(str), "method": [f"m{m}" for m in method], "score": value}
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
    apart, same = ([variance_of(scores(rng, rater_method=sd), "m0", "m1").run for _ in range(12)] for sd in (2.0, 0.0))
    assert np.mean(apart) == pytest.approx(8, rel=0.4)  # of a difference: twice that of a mean
    assert abs(np.mean(same)) < 0.5
    assert variance_of(scores(rng, raters=1, problems=12), "m0").covers == "these runs"


def test_tables_count_what_they_say(ratings):
    table, own = by_method(ratings).set_index(["method", "measure"]), ratings[ratings["method"] == "m1"]
    assert table.loc[("m1", "accuracy"), "value"] == pytest.approx((own["said"] == own["right"]).mean())
    assert table.loc[("m1", "seconds"), "rater_sd"] == pytest.approx(own.groupby("rater")["seconds"].mean().std())
    found = method_differences(ratings, [("m0", "m1"), ("m0", "m2")])
    assert found["measure"].tolist() == ["accuracy"] * 2 + ["seconds"] * 2
    assert found["p_holm"].min() == pytest.approx(4 * found["p"].min())
    assert set(found["covers"]) == {"problems and raters"}
