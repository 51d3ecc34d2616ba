"""Bulk selection: equal to the rules for one problem, and unbiased below the recorded budget; the
rounds of votes."""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.errors import TroveLiteError
from trove_lite.selection import RULES, Vote
from trove_lite.selection.tables import choose, expected_score, in_order
from trove_lite_analysis.worked import rounds, votes_of

from ..cases import cases
from ..simulated import candidates

TEXTS = (
    "paris",
    "Paris",
    "",
    "true",
    "nan",
    "3.0",
    "3.001",
    "3.004",
    "inf",
    "-0.0",
    "0.0",
    "1e+300",
    "é",
)


@settings(max_examples=50, deadline=None)
@given(data=st.data(), rule=st.sampled_from(sorted(RULES)))
def test_choose_equals_the_rule_for_one_problem_whose_answers_are_text(data, rule):
    answers = st.lists(st.sampled_from(TEXTS), max_size=3)
    one = st.tuples(
        st.sampled_from(["zero", "draft", "final"]), st.booleans(), answers, st.integers(0, 3)
    )
    rows = [
        (problem, *row)
        for problem in range(3)
        for row in data.draw(st.lists(one, min_size=1, max_size=8))
    ]
    frame = pd.DataFrame(rows, columns=["problem", "mode", "ok", "answers", "operations"])
    graded = [answers[0] if answers else None for answers in frame["answers"]]
    status = np.where(frame["ok"], "ok", "error")
    places = {"zero": 0, "draft": 1, "final": 2}
    same = {
        "method": "m",
        "run": "r",
        "dataset": "d",
        "category": "c",
        "level": "",
        "phase": "stream",
    }
    frame = frame.assign(
        **same,
        correct=False,
        status=status,
        answer=graded,
        place=frame["mode"].map(places),
        sample=range(len(frame)),
    )
    frame = in_order(frame)
    chosen = choose(frame, rule).set_index("problem")["sample"]
    for problem, group in frame.groupby("problem"):
        assert chosen[problem] == group.iloc[RULES[rule](votes_of(group))]["sample"]


def test_unknown_rules_and_unclear_places_are_refused(simulated):
    with pytest.raises(
        TroveLiteError, match="no selection rule 'best': choose from one_stage, two_stage"
    ):
        choose(simulated, "best")
    with pytest.raises(TroveLiteError, match="mode 'create': its column `place` is empty"):
        choose(
            simulated.assign(place=simulated["place"].where(simulated["mode"] != "create")),
            "one_stage",
        )
    with pytest.raises(
        TroveLiteError, match="algebra problem 0: place 0 for mode 'create' and 0 for 'import'"
    ):
        choose(simulated.assign(place=0), "one_stage")


@pytest.mark.parametrize("shares", [(2, 3, 3), (3, 3, 3)])
@pytest.mark.parametrize("rule", sorted(RULES))
def test_expected_score_is_the_mean_over_all_subsets_to_which_later_modes_give_more(rule, shares):
    """Also beside problems that have too few candidates, whose score is null."""
    frame = in_order(candidates(problems=20, runs=1, k=9, seed=5, categories=("counting",)))
    frame = frame[(frame["method"] == "trove") & ((frame["problem"] < 18) | (frame["sample"] == 0))]
    found = expected_score(frame, rule, sum(shares), seed=1).set_index("problem")["score"]
    assert found[found.isna()].index.tolist() == [18, 19]
    for problem, group in frame[frame["problem"] < 18].groupby("problem"):
        modes = [np.flatnonzero(group["mode"] == mode) for mode in ("import", "create", "skip")]
        chosen = product(
            *(combinations(members, k) for members, k in zip(modes, shares, strict=True))
        )
        parts = [group.iloc[np.concatenate(picks)] for picks in chosen]
        right = [bool(part.iloc[RULES[rule](votes_of(part))]["correct"]) for part in parts]
        assert found[problem] == pytest.approx(np.mean(right))


def test_in_two_stages_each_mode_counts_its_own_and_then_the_winners_count():
    answers = {"import": ["2", "2", "1"], "create": ["1"], "skip": ["1"]}
    votes = [Vote(mode, True, (answer,), 5) for mode, own in answers.items() for answer in own]
    *stages, last = rounds(votes, "two_stage")
    found = [(stage.among, dict(stage.counts)) for stage in stages]
    assert found == cases(
        """
        (0, 1, 2), {"2": 2, "1": 1}
        (3,),      {"1": 1}
        (4,),      {"1": 1}
        """
    )
    assert (last.among, dict(last.counts), last.chosen) == ((0, 3, 4), {"2": 1, "1": 2}, 3)
    (only,) = rounds(votes, "one_stage")
    assert dict(only.counts) == {"2": 2, "1": 3}
