"""Two of LATM's tasks made anew, by the rules that the shipped items of these tasks obey; one for any seed.

Those of seeds 0 to 245 are kept by `freeze.py` as the data set `bbh_made`.
"""

import random
from collections.abc import Callable, Sequence
from itertools import pairwise

NO_SLOT = "No time slot works."
DAY = tuple(f"{hour:02}:{minute:02}" for hour in range(8, 19) for minute in (0, 30))[
    :21
]  # 08:00 to 18:00
PRIMES = tuple(n for n in range(2, 300) if all(n % d for d in range(2, int(n**0.5) + 1)))
CONTAINERS = ("bag", "basket", "box", "container", "field", "room", "ship", "truck")
FRUITS = (
    *(
        "apples",
        "apricots",
        "avocadoes",
        "bananas",
        "coconuts",
        "dragonfruits",
        "durians",
        "kiwifruits",
        "lemons",
    ),
    *(
        "limes",
        "mangos",
        "oranges",
        "papayas",
        "passionfruits",
        "peaches",
        "pears",
        "pineapples",
        "strawberries",
    ),
    *("tomatoes", "watermelons"),
)
ANIMALS = (
    *(
        "bears",
        "cows",
        "crocodiles",
        "dinosaurs",
        "elephants",
        "hippos",
        "horses",
        "lemurs",
        "monkeys",
        "penguins",
    ),
    *("people", "racoons"),
)


def make_schedule(seed: int) -> tuple[str, str]:
    """A question for a meeting of two people, and its answer.

    Each has 5 to 15 of the 20 half-hours between 08:00 and 18:00; the meeting takes 0.5, 1 or 1.5 hours. The answer is
    its earliest start in a run of half-hours that both have.
    """
    rng = random.Random(f"schedule {seed}")
    one, two = (sorted(rng.sample(range(20), rng.randint(5, 15))) for _ in range(2))
    halves = rng.randint(1, 3)
    question = (
        f"A and B want to schedule a {halves / 2:g}-hour meeting together.\n"
        f"A's availability: {_ranges(one)}\nB's availability: {_ranges(two)}\n"
        "What time slot works best? (if multiple, choose the earliest one)"
    )
    both = set(one) & set(two)
    starts = (start for start in sorted(both) if both.issuperset(range(start, start + halves)))
    start = next(starts, None)
    return question, NO_SLOT if start is None else f"{DAY[start]} - {DAY[start + halves]}"


def _ranges(slots: Sequence[int]) -> str:
    """Half-hours as times of the day, neighbours run together."""
    first = [slots[0], *(later for before, later in pairwise(slots) if later > before + 1)]
    last = [*(before for before, later in pairwise(slots) if later > before + 1), slots[-1]]
    return ", ".join(
        f"{DAY[start]} - {DAY[end + 1]}" for start, end in zip(first, last, strict=True)
    )


def make_remainder(seed: int) -> tuple[str, str]:
    """A question for a number below the product of three primes, given what each leaves of it, and its answer."""
    rng = random.Random(f"remainder {seed}")
    primes = sorted(rng.sample(PRIMES, 3))
    limit = primes[0] * primes[1] * primes[2]
    answer = rng.randrange(limit)
    container, fruit = rng.choice(CONTAINERS), rng.choice(FRUITS)
    clauses = "; ".join(
        f"if we divide them equally among {prime} {rng.choice(ANIMALS)}, we have {answer % prime} left"
        for prime in primes
    )
    question = (
        f"There is a {container} of no more than {limit} {fruit}. I{clauses[1:]}. How many {fruit} are in the "
        f"{container}?"
    )
    return question, str(answer)


MAKERS: dict[str, Callable[[int], tuple[str, str]]] = {
    "chinese_remainder": make_remainder,
    "schedule_meeting": make_schedule,
}
