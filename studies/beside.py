"""Readings of published runs that no plan asked for: they stand beside a plan's comparisons, and
decide nothing.

`python -m studies beside STUDY.toml` writes them, a row a reading, measure and category:
`beside.csv` in the folder of each model's results.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from trove_lite.candidates import name_table
from trove_lite_analysis.differences import difference
from trove_lite_analysis.scores import over_problems

from . import silent
from .bench import ONE_VOTE, Part, read_parts, scores_of
from .grid import ALL, answered, both_scores, printed_for, voteless
from .plan import Study

TABLE = "beside.csv"
SILENT = ", tools silent"
ON_BOTH = ", on both sides without the samples for which a tool printed"
PRINTING = ", of programs that print an answer"
EACH = "right programs"
VOTES = "agreement"
ANY = "oracle"
#: By study: a reading → the parts of both sides (a part's seeds are several), and the measures that
#: it is told by.
READINGS: Mapping[str, Mapping[str, tuple[Sequence[str], Sequence[str]]]] = {
    "whole": {"a-empty-primitive": (("a-empty", "a-primitive"), (ONE_VOTE, VOTES, EACH, ANY))},
    "thought": {
        "arms-creator-pot": (("creator", "pot"), (ONE_VOTE, VOTES, ANY)),
        "arms-creator-pot-comments": (("creator-comments", "pot-comments"), (ONE_VOTE, VOTES, ANY)),
    },
}
#: The tool's effect over both arms: the mean of these two differences, problem by problem.
OVER_BOTH = ("creator", "pot"), ("creator-comments", "pot-comments")


def beside(study: Study, place: Path) -> pd.DataFrame:
    """The readings of a study's runs in a folder of results, with `problems` and 95 % intervals."""
    parts = read_parts((place / "runs").iterdir(), study=study)
    rows = []
    if (place / silent.TABLE).is_file():
        rows += by_silent_tools(parts, pd.read_parquet(place / silent.TABLE), study)
    for name, (pair, measures) in READINGS[study.name].items():
        sides = [parts_of(parts, side) for side in pair]
        for measure in measures:
            rows += told(name, measure, sides)
    if study.name == "whole":
        rows += by_equal_votes(parts, study)
    if study.name == "thought":
        rows.append(over_both(parts))
        rows += of_what_prints(parts)
    return name_table(pd.DataFrame(rows), "beside", "Readings that no plan asked for")


def parts_of(parts: Mapping[str, Part], name: str) -> list[Part]:
    """A part, or its seeds, each a run folder of its own."""
    return [
        part
        for key, part in parts.items()
        if key.removesuffix(f"-{key[-1]}") == name or key == name
    ]


def by_silent_tools(parts: Mapping[str, Part], table: pd.DataFrame, study: Study) -> list[dict]:
    """The planned comparisons of parts that ran once more, with tools that nobody hears
    (`silent`)."""
    rows = []
    measure = study.measures[0]
    for name, pair in study.compared.items():
        sides = [
            [silent.unheard(parts[part], table) for part in side if part in parts] for side in pair
        ]
        if any(part.name in set(table["part"]) for side in sides for part in side):
            found = told(name, measure, sides)
            rows += [row | {"measure": measure + SILENT} for row in found]
    return rows


def by_equal_votes(parts: Mapping[str, Part], study: Study) -> list[dict]:
    """TROVE - empty toolbox where the same samples have no vote on either side, so that both have
    as many."""
    sides: list[list[Part]] = [[], []]
    for trove, empty in zip(parts_of(parts, "a-trove"), parts_of(parts, "a-empty"), strict=True):
        rows = trove.side.reset_index(drop=True)
        printed = rows[printed_for(rows, answered(trove, study))]
        gone = set(keys_of(printed))
        for side, part in zip(sides, (trove, empty), strict=True):
            own = part.side.reset_index(drop=True)
            struck = pd.Series([key in gone for key in keys_of(own)], own.index)
            side.append(part._replace(side=voteless(own, struck)))
    found = told("a-trove-empty", ONE_VOTE, sides)
    return [row | {"measure": ONE_VOTE + ON_BOTH} for row in found]


def keys_of(rows: pd.DataFrame) -> list[tuple]:
    named = rows[silent.KEY].astype({"category": str, "mode": str})
    return [*named.itertuples(index=False, name=None)]


def of_what_prints(parts: Mapping[str, Part]) -> list[dict]:
    """CREATOR - PoT by the programs that print an answer, on the problems where both sides have
    one."""
    sides = []
    for name in ("creator", "pot"):
        rows = parts[name].side
        prints = (rows["status"] == "ok") & rows["answer"].notna()
        sides.append([parts[name]._replace(side=rows[prints])])
    found = told("arms-creator-pot", EACH, sides)
    return [row | {"measure": EACH + PRINTING} for row in found]


def told(name: str, measure: str, sides: Sequence[Sequence[Part]]) -> list[dict]:
    """A reading by a measure: a row a category, then all of them together."""
    categories = sides[0][0].about["settings"]["categories"]
    found = difference(*both_scores(sides, measure), categories=categories)
    return [{"id": name, "measure": measure} | cells for cells, _ in found]


def over_both(parts: Mapping[str, Part]) -> dict:
    """What the tool is worth over both arms, by the share of right programs."""
    arms = [scores_of([parts_of(parts, side) for side in pair], EACH) for pair in OVER_BOTH]
    sides = [
        pd.concat([own.assign(run=str(arm), method=EACH) for arm, own in enumerate(side)])
        for side in zip(*arms, strict=True)
    ]
    ((cells, _),) = difference(*sides, of=over_problems)
    about = {"id": "arms-creator-pot-over-both", "measure": EACH, "category": ALL}
    return about | {name: cells[name] for name in ("difference", "low", "high", "problems")}
