"""CREATOR's methods as sides of a comparison; attempts (a program with all that led to it), and what each cost."""

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite import TroveLiteError
from trove_lite.candidates import all_candidates, calls_of
from trove_lite.datasets import load_dataset
from trove_lite_analysis import independent_runs
from trove_lite_analysis.sides import Comparison, one_kind

from .grading import GRADERS, gold_answers, graded_anew

#: Rows of the paper's tables: our `method`, where we have one, what tables call it, the `tables` with such a row for
#: questions without hints, and how these print its method and setting.
SYSTEMS = pd.read_csv(Path(__file__).with_name("systems.csv"), keep_default_na=False)
#: A method, as the candidates table calls it → what tables call it.
TITLES = SYSTEMS[SYSTEMS["method"] != ""].set_index("method")["system"].to_dict()
#: Methods that repair, and the name of what their runs tell about having no repair.
REPAIRING = tuple(
    method for method in TITLES if method.split("_")[0] in ("pot", "entangled", "creator")
)
NO_REPAIR = ", no rectification"
SUPERVISED = {"utility_hint": "the gold tool's purpose", "all_hint": "the gold tool's docstring"}
ATTEMPT = ["run", "method", "category", "problem", "seed", "sample"]


class Study(NamedTuple):
    """CREATOR's comparison on one data set: a side for each method, and for each that repairs one without repair.

    `graded`: the candidates, drafts too, with every grader's verdict, of which `grader`'s counts. `costs`: a row an
    attempt. `note`: why verdicts are those of the run and not computed anew; "" where they are.
    """

    sides: Comparison
    graded: pd.DataFrame
    costs: pd.DataFrame
    grader: str
    note: str = ""

    @property
    def title(self) -> str:
        return f"{self.sides.title}; {self.note or f'{self.grader} grader'}"


def study(
    candidates: pd.DataFrame, *, calls: pd.DataFrame | None = None, grader: str = "strict"
) -> Study:
    """The comparison that these runs of one model on one data set allow, graded anew by `grader`.

    calls: the runs' requests; without them each candidate is taken for one. Raises where models or data sets are mixed.
    """
    candidates = all_candidates(candidates)
    _, _, dataset = one_kind(candidates, "model", "provenance", "dataset")
    independent = independent_runs(candidates)
    graded, note = _graded(independent, dataset, grader)
    parts, frames = dict(list(graded.groupby(graded["method"].astype(str), sort=False))), {}
    for method in (method for method in dict.fromkeys([*TITLES, *parts]) if method in parts):
        title = TITLES.get(method, method)
        frames |= {title + NO_REPAIR: limited(parts[method], 0)} if method in REPAIRING else {}
        frames[title] = parts[method]
    calls = calls_of(independent) if calls is None else calls
    return Study(
        Comparison.of(frames, calls=calls), graded, attempt_costs(graded, calls), grader, note
    )


def _graded(candidates: pd.DataFrame, dataset: str, grader: str) -> tuple[pd.DataFrame, str]:
    note = "none of CREATOR's methods was run: verdicts are the runs' own"
    if set(candidates["method"].astype(str)) & set(TITLES) - {"primitive"}:
        try:
            golds = gold_answers(
                load_dataset(dataset), list(dict.fromkeys(candidates["category"].astype(str)))
            )
        except TroveLiteError as error:
            note = f"verdicts are the runs' own: {str(error).rpartition('/')[2]}"  # without where data would lie
        else:
            return graded_anew(candidates, golds, grader), ""
    return candidates.assign(
        **dict.fromkeys(GRADERS, pd.array([None] * len(candidates), dtype="boolean"))
    ), note


def limited(candidates: pd.DataFrame, limit: int) -> pd.DataFrame:
    """Candidates as they would be had programs been written anew at most `limit` times.

    What a run with that limit asks for is the same up to there: prompts and seeds of a repair depend on no limit.
    """
    phase = candidates["phase"].astype(str)
    kept = candidates[
        (candidates["round"] <= limit).to_numpy() & phase.isin(["stream", "draft"]).to_numpy()
    ]
    sample = [
        kept[name].astype(str)
        for name in ("run", "method", "dataset", "category", "problem", "mode", "sample")
    ]
    last = kept["round"].groupby(sample).transform("max")
    return kept.assign(phase=pd.Categorical(np.where(kept["round"] == last, "stream", "draft")))


def attempt_costs(candidates: pd.DataFrame, calls: pd.DataFrame) -> pd.DataFrame:
    """A row an attempt: `calls`, `completion` tokens (null where one is not known; a refused request has none)."""
    key = ATTEMPT[:3]
    whose = candidates[key].astype(str).drop_duplicates()
    own = calls.astype(dict.fromkeys(key, str)).merge(whose, on=key)
    own = own[(own["phase"].astype(str) != "retry") & own["model"].notna()]
    tokens = own["completion_tokens"].astype("Float64").astype(float)
    tokens = tokens.mask(own["finish_reason"].astype(str).isin(["refused", "unavailable"]), 0.0)
    each = own.assign(calls=1.0, completion=tokens).groupby(ATTEMPT, observed=True)
    costs = each[["calls", "completion"]].sum()
    return costs.assign(
        completion=costs["completion"].where(each["completion"].count() == each.size())
    ).reset_index()


def without_hints(study: Study) -> Study:
    """The study without categories whose questions tell of a gold tool, unless it has no others."""
    plain = [category for category in study.sides.categories if category not in SUPERVISED]
    kept = {name: side[side["category"].isin(plain)] for name, side in study.sides.sides.items()}
    if not any(len(side) for side in kept.values()):
        return study
    graded, costs = (
        table[table["category"].astype(str).isin(plain)] for table in (study.graded, study.costs)
    )
    sides = replace(study.sides, sides=kept, categories=tuple(plain))
    return study._replace(sides=sides, graded=graded, costs=costs)
