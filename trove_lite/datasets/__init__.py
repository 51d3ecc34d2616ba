"""Where questions come from: a data set is a file, and this is the index of the kit's own."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import parse_qsl

from ..candidates import file_of_problems
from ..errors import TroveLiteError, one_of
from ..plugins import Plugins, foreign
from ..sandbox.hidden import hide
from .base import Dataset, Problem

GRADERS = ("strict", "papers")  # of a file's problems
DATASETS = Plugins(
    "datasets",
    "data set",
    Dataset,
    {
        "math": "trove_lite.datasets.math:MATH",
        "math_bench": "trove_lite.datasets.math:BENCH",
        "math_train": "trove_lite.datasets.math:TRAIN",
        "practice": "trove_lite.datasets.practice:PRACTICE",
        "practice_tables": "trove_lite.datasets.practice:PRACTICE_TABLES",
        "math_labelled": "trove_lite.datasets.math:LABELLED",
        "practice_labelled": "trove_lite.datasets.practice:LABELLED",
    },
)


def _public_files() -> list[str]:
    from .files import data_folder

    return [str(data_folder())]


hide(_public_files)


def load_dataset(
    name: str, grader: str | None = None, *, runs: Iterable[str | Path] = ()
) -> Dataset:
    """The data set of that name, the one in a `.jsonl` file of problems (`own`), or the one at
    `module:attribute`. A name may end in options, `scenes?names=nonsense&doc=no`, where the data
    set has some. grader: strict (None) or papers, by which a file's answers are judged; other data
    sets have a rule of their own. runs: folders of runs on it, which know where a file lies that is
    not here. Raises TroveLiteError for any other name or option."""
    if name.endswith(".jsonl"):
        from .own import read_dataset

        name = file_of_problems(name, runs)
        foreign.add(os.path.realpath(name))
        return read_dataset(name, grader or GRADERS[0])
    if os.path.splitext(name)[1] and os.path.isfile(name):
        raise TroveLiteError(
            f"{name}: problems are read from JSON lines; save a problem a line as FILE.jsonl"
        )
    bare, mark, options = name.partition("?")
    found = DATASETS.load(bare, "a .jsonl file, or your own as module:attribute")
    if not mark:
        return found
    try:
        return found.options(**dict(parse_qsl(options, strict_parsing=True)))
    except (TypeError, ValueError):
        raise TroveLiteError(
            f"data set {name}: {bare} has no such options; see docs/datasets.md"
        ) from None


def grader_of(settings: Mapping) -> str:
    """By which grader a run of a file's problems is judged, by its settings in `run.json`: papers,
    until these said."""
    return settings.get("grader") or "papers"


def load_problems(
    dataset: str, category: str, grader: str | None = None, *, runs: Iterable[str | Path] = ()
) -> Sequence[Problem]:
    """The problems of one category in the data set's own order (`load_dataset`)."""
    found = load_dataset(dataset, grader, runs=runs)
    one_of(f"no problems for data set '{dataset}', category", category, found.categories)
    return found.load(category)
