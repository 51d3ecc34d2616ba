"""What ratings say of methods, on raters who are simulated: levels cancel, intervals cover, kappa is the textbook's."""

import numpy as np
import pandas as pd
import pytest

from papers.raters.ratings import agreement, by_method, kappa, method_differences, study_power, variance_of
from trove_lite.analysis.variance import interval


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


def ratings(**how):
    """Ratings whose time is those scores, and which are right where a seeded coin says so."""
    rng = np.random.default_rng(0)
    frame = scores(rng, **how).rename(columns={"unit": "problem", "score": "seconds"})
    right = rng.random(len(frame)) < 0.5
    said = np.where(rng.random(len(frame)) < 0.8, right, ~right)
    return frame.assign(dataset="d", category="c", right=right, said=said, seconds=np.exp(frame["seconds"]))


def test_levels_of_raters_and_problems_cancel_in_a_difference():
    frame = scores(np.random.default_rng(1), rater_sd=50, rater_method=0, program=0, rest=0)
    v = variance_of(frame, "m0", "m1")
    assert v.value == pytest.approx(1)
    assert v.over_problems == pytest.approx(0, abs=1e-12)


def test_an_interval_of_a_difference_covers_the_truth():
    rng, hits = np.random.default_rng(2), 0
    for _ in range(40):
        found = interval(variance_of(scores(rng), "m0", "m1"))
        hits += found.low <= 1 <= found.high
    assert hits >= 35  # of 40 at 95 %: fewer has a chance of 5 %


def test_what_a_rater_makes_of_a_method_is_told_from_chance():
    rng = np.random.default_rng(3)
    apart, same = ([variance_of(scores(rng, rater_method=sd), "m0", "m1").run for _ in range(12)] for sd in (2.0, 0.0))
    assert np.mean(apart) == pytest.approx(8, rel=0.4)  # of a difference: twice that of a mean
    assert abs(np.mean(same)) < 0.5


def test_raters_who_left_out_some_answers_shift_no_method():
    frame = scores(np.random.default_rng(4), rater_sd=10, rater_method=0, program=0, rest=0, problems=60)
    part = frame[(frame["rater"] > 0) | (frame["method"] != "m1")]  # the first rater never judged m1
    assert variance_of(part, "m0", "m1").value == pytest.approx(1)


def test_one_rater_alone_speaks_of_no_others():
    v = variance_of(scores(np.random.default_rng(5), raters=1, problems=12), "m0")
    assert v.covers == "these runs"


def test_kappa_is_cohens():
    counts = np.array([[20, 5], [10, 15]])  # the textbook's example: p_o = 0.7, p_e = 0.5
    assert kappa(counts) == pytest.approx(0.4)
    assert kappa(np.array([[7, 0], [0, 3]])) == 1
    assert np.isnan(kappa(np.array([[7, 0], [0, 0]])))


def test_agreement_is_of_those_who_judged_the_same_program():
    table = agreement(ratings()).set_index("who")
    among = agreement(ratings()).iloc[0]
    assert among["with"] == "other raters"
    assert among["answers"] == 90  # 30 problems, 3 methods, one pair each
    assert table.loc["rater 0", "equal"] == ratings().query("rater == 0").eval("said == right").mean()
    assert among["low"] < among["kappa"] < among["high"]
    alone = agreement(ratings(raters=3)).iloc[0]
    assert alone["note"] == "no program was judged by two raters"


def test_tables_count_what_they_say():
    frame = ratings()
    table = by_method(frame).set_index(["method", "measure"])
    own = frame[frame["method"] == "m1"]
    assert table.loc[("m1", "accuracy"), "value"] == pytest.approx((own["said"] == own["right"]).mean())
    assert table.loc[("m1", "seconds"), "rater_sd"] == pytest.approx(own.groupby("rater")["seconds"].mean().std())
    found = method_differences(frame, [("m0", "m1"), ("m0", "m2")])
    assert list(found["measure"].unique()) == ["accuracy", "seconds", "time ratio - 1"]
    ratio = found[found["measure"] == "time ratio - 1"].iloc[0]
    assert ratio["low"] < np.e - 1 < ratio["high"]  # times of m0 are e times as long
    assert (found["p_holm"] >= found["p"]).all()
    assert set(found["covers"]) == {"problems and raters"}


def test_power_rises_with_raters_and_problems_and_needs_both():
    frame = ratings(rater_method=0.5)
    table = study_power(frame, "m0", "m1", {"log seconds": 0.5}, raters=(3, 6, 24), problems=(10, 40, 160))
    wide = table.pivot_table(index="raters", columns="problems", values="power")
    assert (wide.diff(axis=0).iloc[1:] > 0).all(axis=None)
    assert (wide.diff(axis=1).iloc[:, 1:] > 0).all(axis=None)
    needed = table.drop_duplicates("raters").set_index("raters")["problems_needed"]
    assert np.isinf(needed[3])
    assert needed[24] < 160
