"""Where questions come from: a data set is a file, and this is the index of their names."""

from ..errors import TroveLiteError
from .base import Problem
from .files import data_folder, public_files, sha256_of
from .math import CATEGORIES, MATH_FILES, read_problems

DATASETS = {"math": CATEGORIES, "practice": CATEGORIES}


def load_problems(dataset: str, category: str) -> tuple[Problem, ...]:
    """The problems of one category in the data set's own order; `practice` is computed, `math` is fetched.

    Raises TroveLiteError for an unknown name, a missing or altered file, or a malformed line.
    """
    if category not in DATASETS.get(dataset, ()):
        known = "; ".join(f"{name}: {', '.join(cats)}" for name, cats in DATASETS.items())
        raise TroveLiteError(f"no problems for data set '{dataset}', category '{category}': choose from {known}")
    if dataset == "practice":
        from .practice.problems import practice_problems  # it makes Problems, so it comes after this module

        return practice_problems(category)
    name = f"data/math/{MATH_FILES[category]}.jsonl"
    (file,) = (f for f in public_files() if f.group == "math" and f.path == name)
    path = data_folder() / file.name
    if not path.is_file():
        raise TroveLiteError(f"{path}: missing; run `trove-lite fetch math`, or set TROVE_LITE_DATA")
    problems = read_problems(path, dataset, category)
    if sha256_of(path) != file.sha256:
        raise TroveLiteError(
            f"{path}: sha256 differs from the pinned {file.sha256[:12]}…; delete it and run `trove-lite fetch math`"
        )
    return problems
