"""LATM's tasks made anew obey the rules that the shipped items obey; solvers of their own find the stated answers."""

import re
from itertools import pairwise

import pytest

from practice.latm_tasks import NO_SLOT, make_remainder, make_schedule
from trove_lite import TroveLiteError
from trove_lite.datasets import bbh

#: How many made problems are solved.
MADE_SEEDS = range(2000)
CLAUSE = re.compile(r"among (\d+) (\w+), we have (\d+) left")


def shipped(category):
    """All 250 items of a task; skips where the data folder does not hold them."""
    try:
        return bbh.items(category)
    except TroveLiteError as error:
        pytest.skip(str(error))


def minutes(time):
    return 60 * int(time[:2]) + int(time[3:])


def availability(line):
    """Ranges in minutes, as one person's line of a question says them."""
    return [tuple(map(minutes, found)) for found in re.findall(r"(\d\d:\d\d) - (\d\d:\d\d)", line)]


def solve_schedule(question):
    """By minutes, without knowing how questions are made: the earliest start at which both are free throughout."""
    meeting, one, two, _ = question.split("\n")
    length = round(60 * float(re.search(r"a ([\d.]+)-hour", meeting)[1]))
    one, two = availability(one), availability(two)
    for start in sorted(max(a, b) for a, _ in one for b, _ in two):
        if all(any(a <= start and start + length <= b for a, b in free) for free in (one, two)):
            return " - ".join(f"{t // 60:02}:{t % 60:02}" for t in (start, start + length))
    return "No time slot works."


def solve_remainder(question):
    """By Garner's construction from the text alone."""
    number, step = 0, 1
    for prime, _, left in CLAUSE.findall(question):
        number += step * ((int(left) - number) * pow(step, -1, int(prime)) % int(prime))
        step *= int(prime)
    return str(number)


def assert_schedule_rules(question):
    meeting, *people, _ = question.split("\n")
    assert re.search(r"a (0\.5|1|1\.5)-hour", meeting)
    for person in people:
        free = availability(person)
        assert 5 <= sum(end - start for start, end in free) / 30 <= 15
        assert all(end < later for (_, end), (later, _) in pairwise(free))
        assert all(480 <= time <= 1080 and time % 30 == 0 for slot in free for time in slot)


def assert_remainder_rules(question):
    primes = [int(prime) for prime, *_ in CLAUSE.findall(question)]
    assert len(primes) == 3
    assert primes == sorted(set(primes))
    assert all(prime < 300 and all(prime % d for d in range(2, 18) if d < prime) for prime in primes)
    limit, fruit = re.search(r"no more than (\d+) (\w+)\.", question).groups()
    assert int(limit) == primes[0] * primes[1] * primes[2]
    assert question.count(fruit) == 2


TASKS = {
    "schedule_meeting": (make_schedule, assert_schedule_rules, solve_schedule),
    "chinese_remainder": (make_remainder, assert_remainder_rules, solve_remainder),
}


@pytest.mark.parametrize("category", TASKS)
def test_shipped_items_obey_the_rules_and_are_solved(category):
    _, assert_rules, solve = TASKS[category]
    for question, answer in shipped(category):
        assert_rules(question)
        assert solve(question) == answer


@pytest.mark.parametrize("category", TASKS)
def test_made_items_obey_the_rules_and_are_solved(category):
    make, assert_rules, solve = TASKS[category]
    unsolvable = 0
    for seed in MADE_SEEDS:
        question, answer = make(seed)
        assert_rules(question)
        assert solve(question) == answer
        unsolvable += answer == NO_SLOT
    if category == "schedule_meeting":  # four standard deviations of a share around what the rules come to
        assert unsolvable / len(MADE_SEEDS) == pytest.approx(0.392, abs=2 / len(MADE_SEEDS) ** 0.5)
