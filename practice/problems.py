"""How practice problems are drawn: questions that a tiny language model can learn, without end.

Seven categories named as MATH's, levels 1 to 5, numeric answers computed by reference code. Every number of a
question decides by a checksum whether it may occur in training, in tuning or in the test set, so that the three
never share a question. The test set is kept by `freeze.py` as the data set `practice`.
"""

import string
import zlib
from dataclasses import dataclass, field
from functools import lru_cache

from .dice import Dice
from .families import FAMILIES, STEPS, Family

CATEGORIES = tuple(FAMILIES)
#: How many of a level's twelve test problems are in phrasings seen in training, in unseen ones, of unseen families.
SHARES = {"seen": 7, "unseen phrasing": 4, "unseen family": 1}
LEVELS = (1, 2, 3, 4, 5)
#: The chance of a second and of a third step at each level.
SECOND_STEP = (0.0, 0.15, 0.4, 0.6, 0.9)
THIRD_STEP = (0.0, 0.0, 0.1, 0.3, 0.6)
NAMES = (
    *("Anna", "Ben", "Carla", "Dan", "Emma", "Finn", "Gina", "Hugo"),
    *("Iris", "Jack", "Kate", "Leo", "Maya", "Noah", "Olga", "Paul"),
)
THINGS = (
    "apples",
    "books",
    "coins",
    "cards",
    "pencils",
    "stamps",
    "marbles",
    "tickets",
    "stickers",
    "cookies",
)
LARGEST = 10**15  # exact as a float, printed without an exponent


@dataclass(frozen=True)
class Item:
    """A question with what it was made from. `kind` is one of `SHARES`."""

    category: str
    level: int
    family: Family
    kind: str
    question: str
    answer: float
    arguments: dict = field(hash=False)
    steps: tuple[tuple[Family, int], ...]


class Wording(string.Formatter):
    """Fills phrasings: `{b:+}` is "+ 5" or "- 5", `{v:,}` is "1, 2, 3", `{v:&}` is "1, 2 and 3"."""

    def format_field(self, value, format_spec):
        if format_spec == "+":
            return f"{'-' if value < 0 else '+'} {abs(value)}"
        if format_spec == ",":
            return ", ".join(map(str, value))
        if format_spec == "&":
            return f"{', '.join(map(str, value[:-1]))} and {value[-1]}"
        return super().format_field(value, format_spec)


def split_of(category: str, family: Family, arguments: dict) -> str:
    """The split that these numbers belong to: 1 in 12 is for the test, 1 in 12 for tuning, the rest for training."""
    key = f"{category}/{family.name}/{sorted(arguments.items())}"
    return {0: "test", 1: "dev"}.get(zlib.crc32(key.encode()) % 12, "train")


def draw_item(dice: Dice, split: str, category: str, level: int, kind: str = "seen") -> Item:
    """A random question of `split`, whose numbers occur in no other split.

    Of kind `unseen phrasing` it is worded as training never words it: one wording for tuning, another for the test.
    """
    while True:
        family = _draw_family(dice, category, level, kind)
        for _ in range(
            100
        ):  # at level 1 a small family may have no numbers in this split: then draw another one
            arguments = family.draw(dice, level)
            if split_of(category, family, arguments) == split:
                item = _word(dice, split, category, level, kind, family, arguments)
                if abs(item.answer) < LARGEST:
                    return item


def _draw_family(dice: Dice, category: str, level: int, kind: str) -> Family:
    held_out = kind == "unseen family"
    fitting = [
        f
        for f in FAMILIES[category]
        if f.held_out == held_out and f.levels[0] <= level <= f.levels[1]
    ]
    return dice.weighted(fitting, [family.weight for family in fitting])


def _word(dice, split, category, level, kind, family, arguments) -> Item:
    def phrasing(source):
        if kind == "unseen phrasing":
            return {"dev": source.dev, "test": source.unseen}[split]
        return dice.pick(source.seen)

    name, other = dice.shuffled(NAMES)[:2]
    words = {"name": name, "other": other, "things": dice.pick(THINGS)}
    question = Wording().format(phrasing(family), **arguments, **words)
    answer, steps = family.answer_to(arguments), []
    if isinstance(answer, int):  # steps like "the digit sum" need a whole number
        for chance in (SECOND_STEP[level - 1], THIRD_STEP[level - 1]):
            if dice.random() >= chance:
                break
            step = dice.pick([step for step in STEPS if step not in (s for s, _ in steps)])
            k = step.draw(dice, level)
            question += " " + Wording().format(phrasing(step), k=k)
            answer = step.answer_to({"x": answer, "k": k})
            steps.append((step, k))
    return Item(category, level, family, kind, question, answer, arguments, tuple(steps))


@lru_cache
def items(split: str, category: str, rounds: int = 1, seed: int = 0) -> tuple[Item, ...]:
    """Sixty distinct questions a round: twelve a level in the shares of `SHARES`, in a fixed random order."""
    dice = Dice(f"{split}/{category}/{seed}")
    found: dict[str, Item] = {}
    for level in LEVELS:
        for kind, share in SHARES.items():
            wanted = len(found) + share * rounds
            while len(found) < wanted:
                item = draw_item(dice, split, category, level, kind)
                found.setdefault(item.question, item)
    return tuple(dice.shuffled(list(found.values())))
