"""LATM's tasks made anew: solvers of their own find the stated answers."""

import re

import pytest

from practice.latm_tasks import NO_SLOT, make_remainder, make_schedule

CLAUSE = re.compile(r"among (\d+) (\w+), we have (\d+) left")


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


def test_a_solver_of_its_own_finds_the_stated_answer():
    for make, solve in ((make_schedule, solve_schedule), (make_remainder, solve_remainder)):
        made = [make(seed) for seed in range(400)]
        assert [answer for _, answer in made] == [solve(question) for question, _ in made]
    unsolvable = sum(make_schedule(seed)[1] == NO_SLOT for seed in range(400)) / 400
    assert unsolvable == pytest.approx(
        0.392, abs=0.1
    )  # four standard deviations around what the rules come to
