"""Readings of published runs that no plan asked for: they are shown beside a plan's comparisons,
and decide nothing.

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
from .bench import ONE_VOTE, Part, Parts, Systems, read_parts, scores_of
from .grid import ALL, answered, both_scores, printed_for, voteless
from .plan import Study

TABLE = "beside.csv"
SILENT = ", tools silent"
ON_BOTH = ", in both systems without the samples for which a tool printed"
PRINTING = ", of programs that print an answer"
EACH = "right programs"
VOTES = "agreement"
ANY = "oracle"
#: By study: a reading → the parts of both systems (a part's seeds are several), and the measures that
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
        systems = [parts_of(parts, system) for system in pair]
        for measure in measures:
            rows += told(name, measure, systems)
    if study.name == "whole":
        rows += by_equal_votes(parts, study)
    if study.name == "thought":
        rows.append(over_both(parts))
        rows += of_what_prints(parts)
    return name_table(pd.DataFrame(rows), "beside", "Readings that no plan asked for")


def parts_of(parts: Parts, name: str) -> list[Part]:
    """A part, or its seeds, each a run folder of its own."""
    return [part for key, part in parts.items() if name in (key, key.removesuffix(f"-{key[-1]}"))]


def by_silent_tools(parts: Parts, table: pd.DataFrame, study: Study) -> list[dict]:
    """The planned comparisons of parts that ran once more, with tools that nobody hears
    (`silent`)."""
    rows = []
    measure = study.measures[0]
    for name, pair in study.compared.items():
        systems = [
            [silent.unheard(parts[part], table) for part in system if part in parts]
            for system in pair
        ]
        if any(part.name in set(table["part"]) for system in systems for part in system):
            found = told(name, measure, systems)
            rows += [row | {"measure": measure + SILENT} for row in found]
    return rows


def by_equal_votes(parts: Parts, study: Study) -> list[dict]:
    """TROVE - empty toolbox where the same samples have no vote in either system, so that both have
    as many."""
    systems: list[list[Part]] = [[], []]
    for trove, empty in zip(parts_of(parts, "a-trove"), parts_of(parts, "a-empty"), strict=True):
        rows = trove.candidates.reset_index(drop=True)
        printed = rows[printed_for(rows, answered(trove, study))]
        gone = set(keys_of(printed))
        for system, part in zip(systems, (trove, empty), strict=True):
            own = part.candidates.reset_index(drop=True)
            struck = pd.Series([key in gone for key in keys_of(own)], own.index)
            system.append(part._replace(candidates=voteless(own, struck)))
    found = told("a-trove-empty", ONE_VOTE, systems)
    return [row | {"measure": ONE_VOTE + ON_BOTH} for row in found]


def keys_of(rows: pd.DataFrame) -> list[tuple]:
    named = rows[silent.KEY].astype({"category": str, "mode": str})
    return [*named.itertuples(index=False, name=None)]


def of_what_prints(parts: Parts) -> list[dict]:
    """CREATOR - PoT by the programs that print an answer, on the problems where both systems have
    one."""
    systems = []
    for name in ("creator", "pot"):
        rows = parts[name].candidates
        prints = (rows["status"] == "ok") & rows["answer"].notna()
        systems.append([parts[name]._replace(candidates=rows[prints])])
    found = told("arms-creator-pot", EACH, systems)
    return [row | {"measure": EACH + PRINTING} for row in found]


def told(name: str, measure: str, systems: Systems) -> list[dict]:
    """A reading by a measure: a row a category, then all of them together."""
    categories = systems[0][0].about["settings"]["categories"]
    found = difference(*both_scores(systems, measure), categories=categories)
    return [{"id": name, "measure": measure} | cells for cells, _ in found]


def over_both(parts: Parts) -> dict:
    """What the tool is worth over both arms, by the share of right programs."""
    arms = [scores_of([parts_of(parts, system) for system in pair], EACH) for pair in OVER_BOTH]
    systems = [
        pd.concat([own.assign(run=str(arm), method=EACH) for arm, own in enumerate(system)])
        for system in zip(*arms, strict=True)
    ]
    ((cells, _),) = difference(*systems, of=over_problems)
    about = {"id": "arms-creator-pot-over-both", "measure": EACH, "category": ALL}
    return about | {name: cells[name] for name in ("difference", "low", "high", "problems")}
