"""Where questions come from: a data set is a file, and this is the index of their names."""

from collections.abc import Sequence
from importlib import import_module

from ..errors import TroveLiteError
from .base import Dataset, Problem

#: Name → where its Dataset is, imported when it is asked for.
DATASETS = {
    "math": "math:MATH",
    "practice": "practice.problems:PRACTICE",
}


def load_dataset(name: str) -> Dataset:
    """The data set of that name, or the one in a file of problems (`own`). Raises TroveLiteError for any other."""
    if name.endswith(".jsonl"):
        from .own import read_dataset

        return read_dataset(name)
    if name not in DATASETS:
        raise TroveLiteError(f"no data set '{name}': choose from {', '.join(DATASETS)}, or name a .jsonl file")
    module, attribute = DATASETS[name].split(":")
    return getattr(import_module(f".{module}", __package__), attribute)


def load_problems(dataset: str, category: str) -> Sequence[Problem]:
    """The problems of one category in the data set's own order.

    Raises TroveLiteError for an unknown name, a missing or altered file, or a malformed line.
    """
    found = load_dataset(dataset)
    if category not in found.categories:
        raise TroveLiteError(
            f"no problems for data set '{dataset}', category '{category}': choose from {', '.join(found.categories)}"
        )
    return found.load(category)
