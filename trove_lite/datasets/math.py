"""MATH's problems with numeric answers: those of its test split that TroVE released (TroVE, Table
1), and those of its train split, on which prompts are developed."""

import random
import re
from collections.abc import Iterable
from dataclasses import replace

from ..judge.answers import number_is_correct, read_numbers
from .base import Dataset, Problems, after_labelled, numbered
from .files import pinned_records

MATH_FILES = {
    "algebra": "algebra",
    "counting": "counting_and_probability",
    "geometry": "geometry",
    "intermediate": "intermediate_algebra",
    "number": "number_theory",
    "prealgebra": "prealgebra",
    "precalculus": "precalculus",
}

CATEGORIES = tuple(MATH_FILES)
LEVELS = ("1", "2", "3", "4", "5")
DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def load(category: str) -> Problems:
    """The problems of one category, from the data folder. Raises TroveLiteError for a missing or
    altered file."""
    return _problems(
        "math", category, pinned_records("math", f"data/math/{MATH_FILES[category]}.jsonl")
    )


def load_train(category: str) -> Problems:
    """The problems of the train split whose answer is written as a plain number; raises as `load`
    does."""
    entries = pinned_records(
        "math_train", f"tab_and_math/MATH/dataset/train/{MATH_FILES[category]}.jsonl"
    )
    return _problems(
        "math_train", category, [entry for entry in entries if DECIMAL.fullmatch(entry["answer"])]
    )


def _problems(dataset: str, category: str, entries: Iterable[dict]) -> Problems:
    rows = ((e["question"], float(e["answer"]), e["level"].removeprefix("Level ")) for e in entries)
    return numbered(dataset, category, rows)


MATH = Dataset("math", "MATH", CATEGORIES, load, read_numbers, number_is_correct, LEVELS)

#: Apart from what is tested: for the development of prompts alone.
TRAIN = replace(MATH, name="math_train", title="MATH, train split", load=load_train, like="math")

BENCH_SIZE = 25
BENCH_SEED = 20261125


def load_bench(category: str) -> Problems:
    """Problems drawn for studies that cannot ask all: with their own numbers, in their own
    order."""
    found = load(category)
    drawn = random.Random(f"{BENCH_SEED} {category}").sample(range(len(found)), BENCH_SIZE)
    return tuple(found[place] for place in sorted(drawn))


#: Its labelled problems come from the train split, so that none that is tested is given up.
BENCH = replace(MATH, load=load_bench, examples=lambda category: load_train(category)[:6])

#: For methods that see labelled problems, and for those that are set beside them.
LABELLED = after_labelled(MATH)
