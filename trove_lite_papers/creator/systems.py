"""CREATOR's methods as systems of a comparison; attempts (a program with all that led to it), and
what each cost.

What an attempt costs, and which of its programs is scored, the essay defines: `attempt_costs`,
`with_repairs`.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from trove_lite import TroveLiteError
from trove_lite.candidates import MISSING, all_candidates, calls_of
from trove_lite.datasets import load_dataset
from trove_lite.selection.tables import in_order
from trove_lite_analysis import independent_runs
from trove_lite_analysis.systems import Comparison, one_kind

from .grading import GRADERS, READ_AS, gold_answers, graded_anew, texts_of

#: Rows of the paper's tables: our `method`, where we have one, what tables call it, the `tables`
#: with such a row for questions without hints, and how these print its method and setting.
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


#: Programs and a limit → those that count had none been written anew more often.
Within = Callable[[pd.DataFrame, int], pd.DataFrame]
#: Requests → what each costs.
Cost = Callable[[pd.DataFrame], pd.Series]


class Study(NamedTuple):
    """CREATOR's comparison on one data set: a system for each method.

    `graded`: the candidates, drafts too, with every grader's verdict, of which `grader`'s is used,
    the `text` that was graded and its `kind` (program, words, continued). `requests`: of these
    runs. `note`: why verdicts are those of the run and not computed anew; "" where they are.
    """

    systems: Comparison
    graded: pd.DataFrame
    requests: pd.DataFrame
    grader: str
    note: str = ""

    @property
    def title(self) -> str:
        return f"{self.systems.title}; {self.note or f'{self.grader} grader'}"


def study(
    candidates: pd.DataFrame, *, calls: pd.DataFrame | None = None, grader: str = "one-answer"
) -> Study:
    """The comparison that these runs of one model on one data set allow, graded anew by `grader`.

    calls: the runs' requests; without them each candidate is taken for one. Raises where models or
        data sets are mixed.
    """
    candidates = all_candidates(candidates)
    _, _, dataset = one_kind(candidates, "model", "provenance", "dataset")
    independent = independent_runs(candidates)
    graded, note = _graded(independent, dataset, grader)
    kinds = graded["method"].astype(str).map(READ_AS).fillna("program")
    graded = graded.assign(text=texts_of(graded), kind=kinds)
    parts = dict(list(graded.groupby(graded["method"].astype(str), sort=False)))
    methods = [method for method in dict.fromkeys([*TITLES, *parts]) if method in parts]
    frames = {TITLES.get(method, method): parts[method] for method in methods}
    calls = calls_of(independent) if calls is None else calls
    return Study(Comparison.of(frames, calls=calls), graded, requests(graded, calls), grader, note)


def _graded(candidates: pd.DataFrame, dataset: str, grader: str) -> tuple[pd.DataFrame, str]:
    note = "none of CREATOR's methods was run: verdicts are the runs' own"
    if set(candidates["method"].astype(str)) & set(TITLES) - {"primitive"}:
        try:
            golds = gold_answers(
                load_dataset(dataset), list(dict.fromkeys(candidates["category"].astype(str)))
            )
        except TroveLiteError as error:
            # without where data would lie
            note = f"verdicts are the runs' own: {str(error).rpartition('/')[2]}"
        else:
            return graded_anew(candidates, golds, grader), ""
    return candidates.assign(
        **dict.fromkeys(GRADERS, pd.array([None] * len(candidates), dtype="boolean"))
    ), note


def with_repairs(study: Study, within: Within, limit: int, ending: str = "") -> Study:
    """The study with each method that repairs as it would be with at most `limit` repairs, under
    its name + `ending`.

    What a run with that limit asks for is the same up to there: prompts and seeds of a repair
    depend on no limit.
    """
    systems = {
        name + ending: within(programs, limit).assign(phase="stream")
        for name, programs in repairing(study).items()
    }
    lost = {name: system[system["status"].isin(MISSING)] for name, system in systems.items()}
    ordered = {name: in_order(system) for name, system in systems.items()}
    missing = {**study.systems.missing, **lost}
    return study._replace(systems=replace(study.systems.with_systems(**ordered), missing=missing))


def repairing(study: Study) -> dict[str, pd.DataFrame]:
    """By the title of each method that repairs all programs of its attempts, with those that were
    written anew."""
    phases, method = (study.graded[name].astype(str) for name in ("phase", "method"))
    written = phases.isin(["stream", "draft"]) & method.isin(REPAIRING)
    parts = dict(list(study.graded[written].groupby(method[written], sort=False)))
    return {TITLES[name]: parts[name] for name in REPAIRING if name in parts}


def requests(candidates: pd.DataFrame, calls: pd.DataFrame) -> pd.DataFrame:
    """A row a request of these runs to a model; one that was refused has no tokens."""
    key = ATTEMPT[:3]
    whose = candidates[key].astype(str).drop_duplicates()
    own = calls.astype(dict.fromkeys(key, str)).merge(whose, on=key)
    own = own[(own["phase"].astype(str) != "retry") & own["model"].notna()]
    refused = own["finish_reason"].astype(str).isin(["refused", "unavailable"])
    tokens = own["completion_tokens"].astype("Float64").astype(float)
    return own.assign(completion_tokens=tokens.mask(refused, 0.0))


def attempt_costs(study: Study, costs: Mapping[str, Cost]) -> pd.DataFrame:
    """A row an attempt: what its requests cost together, a column each of `costs`; null where one
    is not known."""
    asked = study.requests
    each = asked.assign(**{name: cost(asked) for name, cost in costs.items()})
    each = each.groupby(ATTEMPT, observed=True)[list(costs)]
    whole = each.count().eq(each.size(), axis=0)
    return each.sum().where(whole).reset_index()


def attempting(study: Study) -> dict[str, pd.DataFrame]:
    """The systems whose programs are all attempts of one kind: not those of tool transfer."""
    systems = study.systems.systems.items()
    return {name: system for name, system in systems if len(set(system["mode"])) == 1}


def without_hints(study: Study) -> Study:
    """The study without categories whose questions tell of a gold tool, unless it has no others."""
    plain = [category for category in study.systems.categories if category not in SUPERVISED]
    kept = {
        name: system[system["category"].isin(plain)]
        for name, system in study.systems.systems.items()
    }
    if not any(len(system) for system in kept.values()):
        return study
    tables = study.graded, study.requests
    graded, asked = (table[table["category"].astype(str).isin(plain)] for table in tables)
    systems = replace(study.systems, systems=kept, categories=tuple(plain))
    return study._replace(systems=systems, graded=graded, requests=asked)
