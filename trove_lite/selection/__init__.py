"""Which of a problem's candidates a method answers with.

Each rule is a function of one problem's votes, in the order in which they were sampled, and returns
the index of the chosen one. Rules never see gold answers. `selection.tables` applies the same rules
to whole tables at once. Answers are text, as a data set reads them; here they are only compared.

There are two families. `one_stage` and `two_stage` do exactly what the official
program does (`utils/select.py`); `one_stage_described` and `two_stage_described` do what the papers
say (TroVE, section 3.2; re-evaluation, section 2, Algorithms 1 and 2).
"""

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..errors import TroveLiteError
from ..judge.canonical import round_answer


class Vote(NamedTuple):
    """What selection may know of a candidate: its mode, whether it ran, what it printed and how
    complex it is."""

    mode: str
    ok: bool
    answers: Sequence[str]
    operations: int


Votes = Sequence[Vote]
Rule = Callable[[Votes], int]


def one_stage(votes: Votes) -> int:
    """Official agreement over all candidates at once (the re-evaluation's correction, its Algorithm
    2). Every answer of a successful program is a vote; of a number, for that exact float. Of text
    nothing printed is one too. The answer that was met first among those with most votes wins, and
    of the programs that printed it the one with fewest operations, then the first. Without any vote
    the first successful program is chosen, and without any of those the first."""
    counts = every_answer(votes)
    if not counts:
        return first_successful(votes)
    winner = max(counts, key=counts.get)  # the first that was met
    supporters = (i for i, vote in enumerate(votes) if vote.ok and winner in vote.answers)
    return min(supporters, key=lambda i: (votes[i].operations, i))


def two_stage(votes: Votes) -> int:
    """Official agreement within each mode, then again among the modes' winners (re-evaluation,
    Algorithm 1)."""
    return by_mode_first(votes, one_stage)


def one_stage_described(votes: Votes) -> int:
    """Agreement as TroVE describes it: one vote a program, a tie between answers goes to fewest
    operations. A program votes with its graded answer: the first, numbers rounded to two decimals;
    one that prints nothing has none."""
    supporters = defaultdict(list)
    for i, vote in enumerate(votes):
        if vote.ok and any(vote.answers[:1]):
            supporters[round_answer(vote.answers[0])].append(i)
    if not supporters:
        return first_successful(votes)
    ranks = ((-len(own), votes[i].operations, i) for own in supporters.values() for i in own)
    return min(ranks)[-1]


def two_stage_described(votes: Votes) -> int:
    """`one_stage_described` within each mode, then among the modes' winners."""
    return by_mode_first(votes, one_stage_described)


def every_answer(votes: Votes) -> Counter[str]:
    """The official count: votes for each answer, in the order in which they are met."""
    return Counter(answer for vote in votes if vote.ok for answer in vote.answers)


def one_each(votes: Votes) -> Counter[str]:
    """The described count: one vote a program, for its graded answer."""
    return Counter(
        round_answer(vote.answers[0]) for vote in votes if vote.ok and any(vote.answers[:1])
    )


def random_choice(votes: Votes, seed: int) -> int:
    """A successful program chosen at random (no agreement at all); any program where none
    succeeded."""
    refuse_none(votes)
    return random.Random(seed).choice([i for i, b in enumerate(votes) if b.ok] or range(len(votes)))


def by_mode_first(votes: Votes, rule: Rule) -> int:
    """`rule` within each mode, then among the modes' winners."""
    finalists = []
    for mode in dict.fromkeys(vote.mode for vote in votes):
        members = [i for i, vote in enumerate(votes) if vote.mode == mode]
        finalists.append(members[rule([votes[i] for i in members])])
    return finalists[rule([votes[i] for i in finalists])]


def refuse_none(votes: Sequence) -> None:
    if not len(votes):
        raise TroveLiteError("no candidate to choose from: give at least one")


def first_successful(votes: Votes) -> int:
    """The first program that ran, or the first of all."""
    refuse_none(votes)
    return next(
        (i for i, vote in enumerate(votes) if vote.ok),
        0,
    )


RULES: dict[str, Rule] = {
    rule.__name__: rule for rule in (one_stage, two_stage, one_stage_described, two_stage_described)
}
