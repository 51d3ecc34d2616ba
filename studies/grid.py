"""What the plan of the whole grid says of one model: its comparisons with their verdicts, and the table of models."""

import os
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from trove_lite.analysis import statistics
from trove_lite.analysis.compare import difference_cells, with_whole
from trove_lite.analysis.pairs import detectable
from trove_lite.analysis.scores import variance_of
from trove_lite.candidates import name_table

from . import rules
from .bench import Part, complete, model_of, read_parts, scores_of
from .plan import Study, is_complete

TABLE = "differences.csv"
ALL = "all"  # categories of a tier together
SURE = 0.05


def places(study: Study, only: Path | None = None, results: Path = Path("results/models")) -> list[Path]:
    """The folders of results of those models that have a complete part, or the one that is named."""
    names = {part.name for part in study.parts}
    runs = [run for run in sorted(results.glob("*/runs/*")) if run.name in names and is_complete(run)]
    return [only] if only else list(dict.fromkeys(run.parent.parent for run in runs))


def report(study: Study, place: Path) -> int:
    """A model's differences, and its tables and figures by the study's notebooks; returns how many of these failed.

    The notebooks read what is not the placebo, two of whose modes are TROVE's own replies: it would be told as copies.
    """
    from trove_lite.cli.notebooks import Job, notebook_parameters, run_all

    parts, home = read_parts((place / "runs").iterdir(), study=study), Path("notebooks")
    table = differences(parts, study)
    table.to_csv(place / TABLE, index=False, float_format="%.6g", lineterminator="\n")
    runs = [place / "runs" / name for name, part in parts.items() if rules.makes_tools(part) or not is_trove(part)]
    given = {"results": place, "figures": Path("figures/models") / place.name, "calls": place}
    given = {name: os.path.relpath(path, home) for name, path in given.items()}
    given["runs"] = [os.path.relpath(run, home) for run in runs]
    jobs = {}
    for name in study.notebooks:
        known = notebook_parameters(path := home / f"{name}.ipynb")
        own = {key: value for key, value in given.items() if key in known}
        jobs[name] = Job(path, own, place / "notebooks" / path.name, page=True)
    return len(run_all(jobs, place / "notebooks", at_once=2, force=True))


def is_trove(part: Part) -> bool:
    return part.about["settings"]["methods"] == ["trove"]


def differences(parts: Mapping[str, Part], study: Study) -> pd.DataFrame:
    """A row a planned comparison, measure and category (`all`: the tier's together): with tools minus without.

    A comparison counts by the study's first measure over all, if it meets the rules (`rules.met`); then it has
    `p_holm`, corrected for its tier's comparisons of which those that do not count have p = 1, and a `verdict`. Seeds
    that one part lacks are in neither side: `seeds` names those that are. Sides that share replies are subtracted seed
    by seed.
    """
    rows, options = [], {part.name: part.options for part in study.parts}
    for name, sides in complete(parts, study.compared, by_seed=True).items():
        met = rules.met(name, sides, shown=True)
        categories = options[sides[0][0].name]["categories"]
        seeds = [str(seed) for part in sides[0] for seed in part.about["settings"]["seeds"]]
        about = {"id": name, "model": model_of(sides[0][0]), "seeds": " ".join(seeds)}
        about["whole"] = len(sides[0]) == len(study.compared[name][0])
        for measure in study.measures:
            a, b = scores_of(sides, measure)
            if all(is_trove(part) for side in sides for part in side):  # what does not hang on the toolbox is shared
                b = b.assign(method=a["method"].iloc[0])
            found = variance_of(a, b)
            for category, v in with_whole(found, categories) if found else ():
                cells = difference_cells(v, shares=True) | {"detectable": detectable(v)}
                rows.append(about | {"measure": measure, "category": category} | cells | met)
    table = pd.DataFrame(rows)
    if len(table):
        table = judged(table, study)
    return name_table(table, "differences", "Planned comparisons: with tools minus without")


def judged(table: pd.DataFrame, study: Study) -> pd.DataFrame:
    """The table with `p_holm` and `verdict` in the rows that count."""
    first = (table["measure"] == study.measures[0]) & (table["category"] == ALL)
    counted = first & (table["reason"] == "")
    p_holm = pd.Series(float("nan"), table.index)
    for tier in {name.partition("-")[0] for name in study.compared}:
        ids = [name for name in study.compared if name.partition("-")[0] == tier]
        p = table[counted].set_index("id")["p"].reindex(ids).fillna(1.0)
        own = table[counted & table["id"].isin(ids)]
        p_holm[own.index] = pd.Series(statistics.holm(p), ids)[own["id"]].to_numpy()
    within = f"p_within_{100 * study.margin:g}"
    ahead = (p_holm <= SURE) & (table["difference"] > 0)
    behind = (p_holm <= SURE) & (table["difference"] < 0)
    verdict = pd.Series("open", table.index).mask(table[within] <= SURE, "equal").mask(behind, "behind")
    return table.assign(p_holm=p_holm, counts=counted, verdict=verdict.mask(ahead, "ahead").where(counted, ""))
