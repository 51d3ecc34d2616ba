"""Chance for the practice problems: a generator of its own, and how each family of questions draws its arguments.

A function here takes `dice` and a level, 1 to 5, and returns the arguments of one question; most only differ by the
largest number at each level.
"""

import random
from collections.abc import Callable, Sequence


class Dice(random.Random):
    """Draws built on `random()` alone, whose sequence Python promises for good: a fixed test set stays fixed."""

    def integer(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`, both included."""
        return low + int(self.random() * (high - low + 1))

    def pick(self, items: Sequence):
        """One of `items`."""
        return items[int(self.random() * len(items))]

    def weighted(self, items: Sequence, weights: Sequence[float]):
        """One of `items`, with chances in proportion to `weights`."""
        point = self.random() * sum(weights)
        for item, weight in zip(items, weights, strict=True):
            point -= weight
            if point < 0:
                return item
        return items[-1]

    def shuffled(self, items: Sequence) -> list:
        """All of `items` in a random order."""
        keys = [self.random() for _ in items]
        return [items[i] for i in sorted(range(len(items)), key=keys.__getitem__)]


Draw = Callable[[Dice, int], object]


def upto(low: int, *tops: int) -> Draw:
    """A whole number from `low` to the level's top."""
    return lambda dice, level: dice.integer(low, tops[level - 1])


def signed(*tops: int) -> Draw:
    """A whole number up to the level's top: positive at level 1, of either sign above, never 0."""
    return lambda dice, level: (
        upto(1, *tops)(dice, level) * (dice.pick((1, -1)) if level > 1 else 1)
    )


def nonzero(*tops: int) -> Draw:
    """A whole number of either sign up to the level's top, never 0."""
    return lambda dice, level: upto(1, *tops)(dice, level) * dice.pick((1, -1))


def twice(draw: Draw) -> Draw:
    """An even number: twice what is drawn."""
    return lambda dice, level: 2 * draw(dice, level)


def draws(**each: Draw) -> Draw:
    """All of these, in order, as a dict of arguments."""
    return lambda dice, level: {name: draw(dice, level) for name, draw in each.items()}


progression = draws(
    first=upto(1, 9, 15, 40, 90, 200),
    diff=upto(2, 6, 9, 15, 30, 60),
    n=upto(5, 10, 20, 40, 80, 150),
)
quadratic = draws(
    a=upto(1, 4, 6, 9, 12, 20),
    b=signed(5, 9, 12, 20, 40),
    c=signed(9, 18, 27, 36, 45),
    x=upto(1, 4, 7, 10, 15, 25),
)
rectangle = draws(l=upto(3, 12, 30, 80, 200, 900), w=upto(2, 12, 30, 80, 200, 900))
box = draws(
    l=upto(2, 6, 12, 20, 40, 90), w=upto(2, 6, 12, 20, 40, 90), h=upto(2, 6, 12, 20, 40, 90)
)
four_numbers = draws(**dict.fromkeys("abcd", signed(6, 9, 15, 30, 90)))
two_groups = draws(
    **dict.fromkeys("mn", upto(4, 6, 8, 9, 12, 18)),
    **dict.fromkeys("ab", lambda dice, level: dice.integer(1, 4)),
)
whole_number = draws(n=upto(10, 60, 120, 400, 999, 5000))


def two_points(dice, level):
    top = (6, 9, 15, 30, 60)[level - 1]
    low = -top if level > 1 else 0
    x1 = dice.integer(low, top)
    return {
        "x1": x1,
        "y1": dice.integer(low, top),
        "x2": x1 + dice.integer(1, top),
        "y2": dice.integer(low, top),
    }


def linear_equation(dice, level):
    a, x = dice.integer(2, (9, 12, 20, 40, 90)[level - 1]), signed(9, 15, 25, 40, 60)(dice, level)
    b = signed(9, 20, 50, 90, 200)(dice, level)
    return {"a": a, "b": b, "c": a * x + b}


def sum_and_difference(dice, level):
    x = dice.integer(5, (15, 40, 90, 300, 900)[level - 1])
    y = dice.integer(1, x - 1)
    return {"s": x + y, "d": x - y}


def from_and_of(dice, level):
    n = dice.integer(4, (7, 10, 14, 20, 30)[level - 1])
    return {"n": n, "k": dice.integer(2, min(n - 1, (3, 4, 5, 6, 8)[level - 1]))}


def interval_and_divisor(dice, level):
    a = dice.integer(1, (9, 30, 90, 300, 900)[level - 1])
    b = a + dice.integer(10, (30, 60, 150, 500, 2000)[level - 1])
    return {"a": a, "b": b, "k": dice.integer(2, (5, 9, 12, 20, 40)[level - 1])}


def dice_and_total(dice, level):
    n = dice.integer(4, (6, 8, 12, 20, 40)[level - 1])
    return {"n": n, "s": dice.integer(3, 2 * n - 1)}


RIGHT = ((3, 4), (5, 12), (8, 15), (7, 24), (20, 21), (9, 40))
HERON = (
    (3, 4, 5),
    (13, 14, 15),
    (5, 5, 6),
    (9, 10, 17),
    (7, 15, 20),
    (5, 12, 13),
    (16, 17, 17),
    (10, 13, 13),
)


def right_triangle(dice, level):
    a, b = dice.pick(RIGHT[: level + 1])
    k = dice.integer(1, (2, 4, 8, 15, 30)[level - 1])
    return {"a": a * k, "b": b * k} if dice.random() < 0.5 else {"a": b * k, "b": a * k}


def whole_distance(dice, level):
    a, b = dice.pick(RIGHT[: level + 1])
    k, top = dice.integer(1, (1, 2, 3, 5, 9)[level - 1]), 10 * level
    x, y = (dice.integer(0 if level == 1 else -top, top) for _ in range(2))
    return {"x1": x, "y1": y, "x2": x + a * k, "y2": y + b * k}


def whole_heron(dice, level):
    k = dice.integer(1, 3 * level)
    return dict(zip("abc", (side * k for side in dice.shuffled(dice.pick(HERON))), strict=True))


def two_angles(dice, level):
    a = dice.integer(10, 90)
    return {"a": a, "b": dice.integer(10, 170 - a)}


def two_roots(dice, level):
    x, y = (dice.integer(1, (9, 15, 25, 50, 120)[level - 1]) for _ in range(2))
    return {"s": x + y, "p": x * y}


def power_of_base(dice, level):
    b = dice.integer(2, (3, 4, 5, 7, 9)[level - 1])
    return {"b": b, "x": b ** dice.integer(2, (4, 5, 6, 6, 6)[level - 1])}


def common_factor(dice, level):
    g, top = dice.integer(2, (9, 12, 25, 60, 120)[level - 1]), (6, 9, 15, 25, 40)[level - 1]
    return {"a": g * dice.integer(2, top), "b": g * dice.integer(2, top)}


def prime_interval(dice, level):
    a = dice.integer(2, (9, 30, 90, 200, 500)[level - 1])
    return {"a": a, "b": a + dice.integer(8, (20, 50, 100, 200, 500)[level - 1])}


def percent_and_whole(dice, level):
    p = dice.pick(
        ((10, 20, 25, 50), (5, 10, 15, 20, 30, 40), (5, 15, 35, 45, 60, 75))[min(level, 3) - 1]
    )
    p = p if level < 4 else dice.integer(2, 98)
    return {
        "p": p,
        "n": dice.integer(1, (9, 15, 30, 50, 150)[level - 1]) * (20 if level < 4 else 100),
    }


def values_with_whole_mean(dice, level):
    count, top = (3, 3, 4, 5, 6)[level - 1], (12, 30, 80, 150, 400)[level - 1]
    values = [dice.integer(1, top) for _ in range(count)]
    values[-1] += -sum(values) % count
    return {"values": values}


def purchase(dice, level):
    k, c = (dice.integer(2, (6, 12, 20, 40, 90)[level - 1]) for _ in range(2))
    return {"k": k, "c": c, "m": k * c + dice.integer(1, (20, 40, 90, 200, 500)[level - 1])}


def ratio_and_total(dice, level):
    a, b = (dice.integer(1, (4, 6, 9, 12, 25)[level - 1]) for _ in range(2))
    return {"total": (a + b) * dice.integer(2, (9, 12, 20, 40, 90)[level - 1]), "a": a, "b": b}


def gain_and_loss(dice, level):
    a, b = (
        dice.integer(5, (20, 60, 200, 900, 5000)[level - 1]),
        dice.integer(2, (15, 50, 200, 900, 5000)[level - 1]),
    )
    return {"a": a, "b": b, "c": dice.integer(1, a + b - 1)}


def vectors(*names, size=None):
    def draw(dice, level):
        top, length = (6, 9, 12, 20, 50)[level - 1], size or (2, 2, 3, 3, 4)[level - 1]
        return {
            name: [dice.integer(0 if level == 1 else -top, top) for _ in range(length)]
            for name in names
        }

    return draw
