"""The rounds of votes are those by which the rules decide."""

import pytest

import trove_lite as tl
from trove_lite.analysis.worked import rounds, votes_of
from trove_lite.selection import Vote

from ..simulated import candidates


@pytest.fixture(scope="module")
def trove():
    frame = candidates(problems=8, runs=1, categories=("counting", "number"))
    return frame[frame["method"] == "trove"]


@pytest.mark.parametrize("rule", tl.RULES)
def test_the_last_of_the_rounds_chooses_as_the_rule_does(trove, rule):
    for _, problem in trove.groupby(["category", "problem"], observed=True):
        votes = votes_of(problem)
        assert rounds(votes, rule)[-1].chosen == tl.RULES[rule](votes)


def test_in_two_stages_each_mode_counts_its_own_and_then_the_winners_count():
    answers = {"import": ["2", "2", "1"], "create": ["1"], "skip": ["1"]}
    votes = [Vote(mode, True, (answer,), 5) for mode, own in answers.items() for answer in own]
    *stages, last = rounds(votes, "two_stage")
    assert [(stage.among, dict(stage.counts)) for stage in stages] == [
        ((0, 1, 2), {"2": 2, "1": 1}),
        ((3,), {"1": 1}),
        ((4,), {"1": 1}),
    ]
    assert (last.among, dict(last.counts), last.chosen) == ((0, 3, 4), {"2": 1, "1": 2}, 3)
    (only,) = rounds(votes, "one_stage")
    assert dict(only.counts) == {"2": 2, "1": 3}
