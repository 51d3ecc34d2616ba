"""Selectors on the same candidates: what each closes of the gap to the oracle, and how sure that
is."""

import numpy as np
import pandas as pd
import pytest

from trove_lite.candidates import save_table
from trove_lite_papers.reeval.gap import CLOSED, gaps

from ...simulated import candidates
from ..essays import names_of


def drawn(problems=400, seed=0):
    """Right or not by three selectors on problems of one category: `best` where `low` is, and at
    times where not."""
    rng = np.random.default_rng(seed)
    low = rng.random(problems) < 0.2
    best = rng.random(problems) < 0.4
    right = pd.DataFrame(
        {"low": low, "vote": low | best & (rng.random(problems) < 0.5), "best": low | best}
    )
    keys = {"method": "m", "run": "r", "shares_state": False, "dataset": "d", "category": "c"}
    index = pd.MultiIndex.from_frame(pd.DataFrame({"problem": range(problems)}).assign(**keys))
    return right.astype(float).set_index(index)


def closed(right, selector="vote"):
    table = gaps(right, {"c": ["c"]}, lower="low", upper="best")
    return table[(table["selector"] == selector) & (table["measure"] == CLOSED)].iloc[0]


def test_the_share_of_the_gap_is_a_ratio_of_means_and_its_interval_that_of_a_bootstrap():
    right = drawn()
    rng = np.random.default_rng(1)
    found = closed(right)
    mean = right.mean()
    assert found["value"] == pytest.approx(
        (mean["vote"] - mean["low"]) / (mean["best"] - mean["low"])
    )
    means = [
        right.to_numpy()[rng.integers(len(right), size=len(right))].mean(axis=0)
        for _ in range(2000)
    ]
    again = [(vote - low) / (best - low) for low, vote, best in means]
    assert [found["low"], found["high"]] == pytest.approx(
        np.quantile(again, [0.025, 0.975]).tolist(), abs=0.015
    )


def test_the_ends_are_nothing_and_all_and_without_a_gap_there_is_no_share():
    right = drawn()
    assert [closed(right, end)["value"] for end in ("low", "best")] == [0, 1]
    flat = right.assign(vote=right["low"], best=right["low"])
    assert np.isnan(closed(flat)["value"])
    assert np.isnan(closed(right.assign(vote=np.nan))["value"])


FRAME = candidates(categories=("counting", "number"))


def test_the_essay_tells_what_each_selector_closes(
    tmp_path,
):
    """What is right has the shortest program and, where this is known, the highest log-probability.
    Of one run alone that is known."""
    right = FRAME["correct"].fillna(False).astype(bool)
    of_one = FRAME["run"] == FRAME["run"].iloc[0]
    likely = right.map({True: -0.1, False: -0.2}).where(of_one).astype(float)
    frame = FRAME.assign(solution=right.map({True: "1", False: "print(2)"}), log_probability=likely)
    save_table(frame, tmp_path / "candidates.parquet")
    given = {"runs": [str(tmp_path / "candidates.parquet")]}
    table = names_of("18", FRAME, tmp_path, **given)["last"].query("system == 'trove'")
    accuracy = table[table["measure"] == "accuracy"].set_index("selector")["value"]
    assert accuracy["any program"] == pytest.approx(
        right[FRAME["method"] == "trove"].mean(), abs=1e-9
    )
    assert accuracy["oracle"] == accuracy.drop("log-probability").max()
    closed = table[table["measure"] == CLOSED].set_index("selector")
    for selector in ("shortest program", "log-probability"):
        assert closed["value"][selector] == pytest.approx(1)
