"""TroVE's ablations (section 8, appendix D): runs that differ in one choice, each held against the default.

What a variant changes is what its study's file says of it. Samples that two runs share (same prompt, same seed) are the
same draws, so scores are subtracted problem by problem and seed by seed. Selection needs no run of its own: the
default's candidates are scored again. The paper's tables of the same choices are in `ablation_tables`.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.analysis.choose import PROBLEM, choose, in_order
from trove_lite.analysis.compare import corrected, difference_cells
from trove_lite.analysis.costs import matched_budgets
from trove_lite.analysis.scores import scored, variance_of
from trove_lite.analysis.sides import Comparison, one_kind
from trove_lite.candidates import TEXT, load_calls, load_candidates, measured
from trove_lite.errors import TroveLiteError
from trove_lite.selection import RULES

from .. import is_in_print, named, published_table
from ..reeval.two_sides import MODELS
from .table2 import ended_with

RULE, DEFAULT = "one_stage", "default"
SAME, AS_RUN, SCORED = "the same calls", "as run", "scored again"
#: Ways to select that are no method's rule: any program that ran (TroVE, Table 11), and the least complex answer.
RANDOM, SIMPLEST = "random", "simplest"
#: The tables that print a choice: by system, what is changed in it. The first is TroVE's own.
SYSTEMS: dict[int, dict[str, dict[str, object]]] = {
    8: {"with_trim": {}, "without_trim": {"threshold": "never"}},
    10: {"freq_ours": {}, "lexical": {"ranking": "lexical"}, "lm_based": {"ranking": "model"}},
    11: {"self_consistency_ours": {}, "no_sampling": {"k": 3}, "random_selection": {"scored by": RANDOM}},
    12: {
        "no_rectification_ours": {},
        "rec_after_creation": {"rectify": "create"},
        "rec_after_import": {"rectify": "import"},
    },
    13: {"logarithmic_ours": {}, "fixed_value": {"threshold": "fixed_2"}},
}
COSTS = {"calls": "calls", "completion": "completion_tokens", "total": "total_tokens"}
EFFECTS = ["variant", "paper", "budget", "published", "difference", "low", "high", "covers", "p", "p_holm"]
EFFECTS += ["p_within_2", *(f"{cost}{side}" for cost in COSTS.values() for side in ("", "_default"))]
EFFECTS += ["runs", "problems", "note"]


class Variant(NamedTuple):
    """One run folder, and what it changes, by option. `candidates` are without texts, but `imports` says which name the
    toolbox; `answers` are those that it ended with."""

    name: str
    folder: Path
    changes: Mapping[str, object]
    candidates: pd.DataFrame
    answers: pd.DataFrame
    calls: pd.DataFrame

    @property
    def label(self) -> str:
        """What is changed, by options and values."""
        return ", ".join(f"{option} {value}" for option, value in self.changes.items()) or DEFAULT


class Ablations(NamedTuple):
    """The default and what is held against it, on the categories that all have; `rule` selects.

    A variant may have fewer seeds than the default: then it is held against these alone."""

    default: Variant
    variants: tuple[Variant, ...]
    comparison: Comparison
    rule: str

    @property
    def shuffled(self) -> list[Variant]:
        """The variants that differ in the order of problems alone."""
        return [variant for variant in self.variants if set(variant.changes) == {"shuffle"}]


# ---- reading ----


def ablations(changes: Mapping[str | Path, Mapping[str, object]], *, rule: str = RULE) -> Ablations:
    """Run folders of TROVE and what each changes, by option as its study's file names it; the default is the first.

    Raises TroveLiteError where there is none, models differ, or nothing is in common.
    """
    if not changes:
        raise TroveLiteError("no run given: name the default's folder, then its variants; `make ablations` makes some")
    found = [_read(Path(folder), changed, rule) for folder, changed in changes.items()]
    both = set.intersection(*({category for category, _ in streams(variant.candidates)} for variant in found))
    common = {stream for stream in streams(found[0].candidates) if stream[0] in both}
    tables = ("candidates", "answers", "calls")
    found = [v._replace(**{name: _only(getattr(v, name), common) for name in tables}) for v in found]
    if lacking := [variant.name for variant in found if variant.candidates.empty]:
        raise TroveLiteError(f"{lacking[0]}: has no category and seed in common with {found[0].name} and the others")
    (model,) = one_kind(pd.concat([variant.candidates[["model"]] for variant in found]), "model")
    calls = pd.concat([variant.calls for variant in found], ignore_index=True)
    comparison = Comparison.of({variant.name: variant.candidates for variant in found}, calls=calls)
    comparison = replace(comparison, title=MODELS.get(model, model) + comparison.title.removeprefix(model))
    return Ablations(found[0], tuple(found[1:]), comparison, rule)


def _read(folder: Path, changed: Mapping[str, object], rule: str) -> Variant:
    rows, calls = (
        frame[frame["method"].astype(str).str.startswith("trove")].assign(method="trove")
        for frame in (load_candidates(folder), load_calls(folder))
    )
    if rows.empty:
        raise TroveLiteError(f"{folder}: not a run folder of TROVE")
    rows = rows.assign(imports=rows["tools"].str.contains(r"\btoolbox\b", na=False))
    answers = measured(ended_with(rows, rule)).drop(columns=TEXT)
    changes = {option.removeprefix("trove."): value for option, value in changed.items()}
    return Variant(folder.name, folder, changes, rows.drop(columns=TEXT), answers, calls)


def streams(frame: pd.DataFrame) -> set[tuple[str, int]]:
    """The (category, seed) of every stream."""
    return set(zip(frame["category"].astype(str), frame["seed"], strict=True))


def _only(frame: pd.DataFrame, common: set[tuple[str, int]]) -> pd.DataFrame:
    kept = [stream in common for stream in zip(frame["category"].astype(str), frame["seed"], strict=True)]
    return frame[kept].reset_index(drop=True)


# ---- scores, under names by which runs of one seed are subtracted from one another ----


def by_seed(answers: pd.DataFrame, score: pd.Series) -> pd.DataFrame:
    """A number for each answer as scores."""
    runs = [f"seed {seed}" for seed in answers["seed"]]
    return answers[[*PROBLEM, "level"]].assign(score=score.to_numpy(dtype=float), method="trove", run=runs)


def accuracy_scores(answers: pd.DataFrame) -> pd.DataFrame:
    """Whether answers are right."""
    return by_seed(answers, answers["correct"].fillna(False).astype(float))


def operations_scores(answers: pd.DataFrame) -> pd.DataFrame:
    """#ops of answers as the program reports it."""
    return by_seed(answers, answers["reported_operations"].astype("Float64").astype(float)).dropna(subset="score")


def selected(variant: Variant, rule: str) -> pd.DataFrame:
    """How often a rule is right on the stream's candidates, before any problem is solved again.

    `random`: over all choices among the programs that ran. `simplest`: the answer with fewest operations.
    """
    if rule in RULES:
        return accuracy_scores(choose(variant.candidates, rule))
    frame = in_order(variant.candidates)
    ran = frame["status"] == "ok"
    any_ran = ran.groupby([frame[name] for name in PROBLEM], observed=True).transform("any")
    frame = frame[ran | ~any_ran]
    if rule == SIMPLEST:
        cost = frame["operations"].astype("Float64").astype(float).fillna(np.inf)
        ordered = frame.assign(_cost=cost).sort_values([*PROBLEM, "_cost"], kind="stable")
        return accuracy_scores(ordered.drop_duplicates(PROBLEM))
    return accuracy_scores(frame).groupby([*PROBLEM, "level"], observed=True)["score"].mean().reset_index()


# ---- effects ----


def effects(study: Ablations) -> pd.DataFrame:
    """Every variant minus the default in accuracy, over all problems, largest gain first; one Holm correction over all.

    `budget`: at the same calls, of first answers, before any problem is solved again; as run, where that spends other
    calls; or the default's own candidates scored again. Orders of problems are one row, their mean. Costs are a
    problem's. `published`: the paper's difference (`published_effect`).
    """
    default, orders = selected(study.default, study.rule), study.shuffled
    rows = [row for v in study.variants if set(v.changes) != {"shuffle"} for row in _of_variant(study, v, default)]
    if orders:
        scores = pd.concat([selected(variant, study.rule) for variant in orders])
        mean = scores.groupby([*PROBLEM, "level"], observed=True)["score"].mean().reset_index()
        label = "another order" if len(orders) == 1 else f"{len(orders)} other orders, their mean"
        rows.append(_difference(mean, default) | _costs(orders[0], study.default) | _called(label, 7, SAME))
    for rule in (*RULES, RANDOM, SIMPLEST):
        if rule != study.rule:
            known = _called(f"answer by {rule}", 11, SCORED)
            if rule == RANDOM:
                known["published"] = published_effect(study, 11, "random_selection")
            both = _difference(selected(study.default, rule), default)
            rows.append(both | _costs(study.default, study.default) | known)
    table = corrected(pd.DataFrame(rows)).reindex(columns=EFFECTS)
    table = table.astype({"note": object, "paper": object}).fillna({"note": "", "paper": ""})
    table = table.sort_values("difference", ascending=False, kind="stable", ignore_index=True)
    return named(table, "trove_ablations", "TroVE's choices, each against the default", study.comparison.title)


def _called(label: str, number: int, budget: str) -> dict[str, object]:
    return {"variant": label, "paper": f"Table {number}" if number else "", "budget": budget}


def _of_variant(study: Ablations, variant: Variant, default: pd.DataFrame) -> list[dict]:
    number, system = in_print(variant)
    first, whole = _costs(variant, study.default), _costs(variant, study.default, again=True)
    if abs(first["calls"] - first["calls_default"]) < 0.01:
        matched = _difference(selected(variant, study.rule), default) | first
        matched["note"] = _note(variant, study.default)
    else:
        matched = _matched(study, variant, dearer=first["calls"] > first["calls_default"])
    rows = [matched | _called(variant.label, number, SAME)]
    if whole["calls"] != matched["calls"] or whole["calls_default"] != matched["calls_default"]:
        ended = _difference(accuracy_scores(variant.answers), accuracy_scores(study.default.answers))
        rows.append(ended | whole | _called(variant.label, number, AS_RUN))
    rows[-1]["published"] = published_effect(study, number, system)  # papers print what came of runs as they were
    return rows


def _difference(scores: pd.DataFrame, minus: pd.DataFrame) -> dict:
    """One difference over all categories, as a row."""
    runs = len(set(scores["run"]) & set(minus["run"]))
    return difference_cells(variance_of(scored(scores), scored(minus))) | {"runs": runs}


def _matched(study: Ablations, variant: Variant, *, dearer: bool) -> dict:
    """Where two runs spend other calls: the first samples of the one that spends more, against all of the other's."""
    a, b = (study.default, variant) if dearer else (variant, study.default)
    rows = matched_budgets(study.comparison, pairs=[(a.name, b.name)], rule=study.rule)
    row = rows[rows["budget"] == "calls"].iloc[-1].to_dict()
    mine, other = "ba" if dearer else "ab"
    row |= {name: row[f"{cost}_{mine}"] for cost, name in COSTS.items()}
    row |= {f"{name}_default": row[f"{cost}_{other}"] for cost, name in COSTS.items()}
    return row | {"difference": -row["difference"], "low": -row["high"], "high": -row["low"]} if dearer else row


def _costs(variant: Variant, default: Variant, *, again: bool = False) -> dict[str, float]:
    """Calls and tokens a problem of both; `again`: with what is spent on problems solved again."""
    found = {}
    for side, calls in (("", variant.calls), ("_default", _only(default.calls, streams(variant.calls)))):
        problems = len(calls[["category", "problem", "seed"]].drop_duplicates())
        calls = calls[calls["model"].notna() & (again | (calls["phase"] != "retry"))]
        read, written = (calls[f"{kind}_tokens"].sum() / problems for kind in ("prompt", "completion"))
        costs = (len(calls) / problems, written, read + written)
        found |= {f"{name}{side}": cost for name, cost in zip(COSTS.values(), costs, strict=True)}
    return found


def _note(variant: Variant, default: Variant) -> str:
    """Says where a variant changes nothing at all."""
    columns = ["category", "seed", "phase", "problem", "mode", "sample", "program"]
    theirs = _only(default.candidates, streams(variant.candidates))
    both = [frame[columns].astype(str).reset_index(drop=True) for frame in (variant.candidates, theirs)]
    return "the very programs of the default" if both[0].equals(both[1]) else ""


# ---- what is printed ----


def in_print(variant: Variant) -> tuple[int, str]:
    """The table and system that print a variant, at whatever interval it trims; (0, "") where none does."""
    changed = {name: value for name, value in variant.changes.items() if name != "interval"}
    printed = [(n, system) for n, systems in SYSTEMS.items() for system, wanted in systems.items() if wanted == changed]
    return printed[0] if changed and printed else (0, "")


def printed_rows(study: Ablations, number: int) -> pd.DataFrame:
    """TroVE's table of that number; none of its rows where model or data set are not what it was printed for."""
    rows = published_table(f"trove_table{number}")
    return rows if is_in_print(study.comparison, f"trove_table{number}", "math") else rows.head(0)


def published_effect(study: Ablations, number: int, system: str) -> float:
    """The paper's accuracy of a system minus that of its own choice: the mean over the runs' categories.

    NaN where nothing is printed for these runs.
    """
    if not number:
        return float("nan")
    rows = printed_rows(study, number)
    rows = rows[(rows["metric"] == "acc") & rows["category"].isin(study.comparison.covered())]
    cells = rows.pivot_table(index="category", columns="method", values="value")
    ours = next(iter(SYSTEMS[number]))
    return float((cells[system] - cells[ours]).mean()) if {system, ours} <= set(cells) else float("nan")
