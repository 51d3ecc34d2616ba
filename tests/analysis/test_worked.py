"""The rounds of votes are those by which the rules decide."""

from trove_lite.analysis.worked import rounds
from trove_lite.selection import Vote


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
