"""TroVE's ablations (section 8, appendix D): runs that differ in one choice, each against the default; Tables 7 to 13.

What a variant changes is what its study's file says of it. Scores are subtracted problem by problem and seed by seed.
Selection needs no run of its own: the default's candidates are scored again.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite import TroveLiteError, load_calls, load_candidates
from trove_lite.candidates import TEXT
from trove_lite.methods.trove import IMPORT, NONE
from trove_lite.selection import RULES
from trove_lite.selection.tables import PROBLEM, choose, in_order
from trove_lite_analysis import toolboxes
from trove_lite_analysis.costs import matched_budgets
from trove_lite_analysis.differences import add_holm, difference_cells, estimates
from trove_lite_analysis.scores import drop_unscored, estimate, variance_of
from trove_lite_analysis.sides import Comparison, one_kind
from trove_lite_analysis.statistics import run_sd

from ..reeval.two_sides import MODELS
from ..tables import is_in_print, name_table, published_table
from .table2 import CALLED, ended_with, over_runs, scores_of

SAME, AS_RUN, SCORED = "the same calls", "as run", "scored again"
#: Ways to select that are no method's rule: any program that ran (TroVE, Table 11), and the least complex answer.
RANDOM, SIMPLEST = "random", "simplest"
#: Which table prints a choice: its number, TroVE's own system, the other, and what that one changes.
PRINTED = pd.read_csv(Path(__file__).with_name("choices.csv"), dtype={"value": str})
TRIMMING = {"threshold", "interval", "final_trim", "retry"}
COSTS = {"calls": "calls", "completion": "completion_tokens", "total": "total_tokens"}
EFFECTS = [
    "variant",
    "paper",
    "budget",
    "published",
    "difference",
    "low",
    "high",
    "covers",
    "p",
    "p_holm",
]
EFFECTS += [
    "p_within_2",
    *(c + side for c in COSTS.values() for side in ("", "_default")),
    "runs",
    "problems",
    "note",
]
ORDERS = [
    "category",
    "measure",
    "published",
    "published_min",
    "published_max",
    "published_sd",
    "value",
    "low",
    "high",
]
ORDERS += [
    "shuffled",
    "shuffled_low",
    "shuffled_high",
    "smallest",
    "largest",
    "orders_sd",
    "seeds_sd",
]
ORDERS += ["orders", "runs"]
#: How Table 7 prints its columns, and what they are called here.
IN_ORDERS = dict(zip(("original", "range_min", "range_max", "std"), ORDERS[2:6], strict=True))


class Variant(NamedTuple):
    """A run folder and what it changes. `candidates` are without texts, but `imports` says which name the toolbox."""

    name: str
    folder: Path
    changes: Mapping[str, object]
    candidates: pd.DataFrame
    answers: pd.DataFrame
    calls: pd.DataFrame

    @property
    def label(self) -> str:
        return ", ".join(f"{option} {value}" for option, value in self.changes.items()) or "default"


class Ablations(NamedTuple):
    """The default and what is held against it, on the categories that all have and a variant's own seeds."""

    default: Variant
    variants: tuple[Variant, ...]
    comparison: Comparison
    rule: str

    @property
    def shuffled(self) -> list[Variant]:
        """The variants that differ in the order of problems alone."""
        return [variant for variant in self.variants if set(variant.changes) == {"shuffle"}]


def ablations(
    changes: Mapping[str | Path, Mapping[str, object]], *, rule: str = "one_stage"
) -> Ablations:
    """Run folders of TROVE and what each changes, by option as its study's file names it; the default is the first."""
    if not changes:
        raise TroveLiteError(
            "no run given: name the default's folder, then its variants; `make ablations` makes some"
        )
    found = [_read(Path(folder), changed, rule) for folder, changed in changes.items()]
    both = set.intersection(*(set(variant.candidates["category"].astype(str)) for variant in found))
    common = {stream for stream in _streams(found[0].candidates) if stream[0] in both}
    found = [
        v._replace(**{name: _only(getattr(v, name), common) for name in Variant._fields[3:]})
        for v in found
    ]
    if lacking := [variant.name for variant in found if variant.candidates.empty]:
        raise TroveLiteError(
            f"{lacking[0]}: has no category and seed in common with {found[0].name} and the others"
        )
    (model,) = one_kind(pd.concat([variant.candidates[["model"]] for variant in found]), "model")
    calls = pd.concat([variant.calls for variant in found], ignore_index=True)
    comparison = Comparison.of({variant.name: variant.candidates for variant in found}, calls=calls)
    comparison = replace(
        comparison, title=MODELS.get(model, model) + comparison.title.removeprefix(model)
    )
    return Ablations(found[0], tuple(found[1:]), comparison, rule)


def _read(folder: Path, changed: Mapping[str, object], rule: str) -> Variant:
    tables = (load_candidates(folder), load_calls(folder))
    rows, calls = (
        t[t["method"].astype(str).str.startswith("trove")].assign(method="trove") for t in tables
    )
    if rows.empty:
        raise TroveLiteError(f"{folder}: not a run folder of TROVE")
    rows = rows.assign(imports=rows["tools"].str.contains(r"\btoolbox\b", na=False))
    answers = ended_with(rows, rule).drop(columns=TEXT)
    changes = {option.removeprefix("trove."): value for option, value in changed.items()}
    return Variant(folder.name, folder, changes, rows.drop(columns=TEXT), answers, calls)


def _streams(frame: pd.DataFrame) -> list[tuple[str, int]]:
    return list(zip(frame["category"].astype(str), frame["seed"], strict=True))


def _only(frame: pd.DataFrame, common: set[tuple[str, int]]) -> pd.DataFrame:
    return frame[[stream in common for stream in _streams(frame)]].reset_index(drop=True)


def by_seed(answers: pd.DataFrame, column: str = "correct") -> pd.DataFrame:
    """A number of each answer as scores, whose runs are called by their seeds; what was not judged is not right."""
    numbers = answers[column].fillna(False) if column == "correct" else answers[column]
    runs = [f"seed {seed}" for seed in answers["seed"]]
    return scores_of(answers.assign(run=runs, method="trove"), numbers)


def selected(variant: Variant, rule: str) -> pd.DataFrame:
    """How often a rule is right on the stream's candidates; `random`: all that ran, `simplest`: fewest operations."""
    if rule in RULES:
        return by_seed(choose(variant.candidates, rule))
    frame = in_order(variant.candidates).assign(ran=lambda rows: rows["status"] == "ok")
    frame = frame[frame["ran"] | ~frame.groupby(PROBLEM, observed=True)["ran"].transform("any")]
    if rule == SIMPLEST:
        cost = frame["operations"].astype("Float64").astype(float)
        return by_seed(frame.loc[cost.sort_values(kind="stable").index].drop_duplicates(PROBLEM))
    return mean_of(by_seed(frame))


def mean_of(scores: pd.DataFrame) -> pd.DataFrame:
    return scores.groupby([*PROBLEM, "level"], observed=True)["score"].mean().reset_index()


def effects(study: Ablations) -> pd.DataFrame:
    """Every variant minus the default in accuracy, over all problems, largest gain first; one Holm correction over all.

    `budget`: the same calls, as run, or the default's own candidates scored again. Orders are one row, their mean.
    """
    default, orders, rows = selected(study.default, study.rule), study.shuffled, []
    for variant in (v for v in study.variants if v not in orders):
        first, whole = _costs(variant, study.default), _costs(variant, study.default, again=True)
        more = first["calls"] - first["calls_default"]
        same = _difference(selected(variant, study.rule), default) | first
        ways = {SAME: same if abs(more) < 0.01 else _matched(study, variant, dearer=more > 0)}
        if any(whole[name] != ways[SAME][name] for name in ("calls", "calls_default")):
            ways[AS_RUN] = (
                _difference(by_seed(variant.answers), by_seed(study.default.answers)) | whole
            )
        paper, published = published_effect(study, variant.changes)
        rows += [
            {**cells, "variant": variant.label, "paper": paper, "budget": way}
            for way, cells in ways.items()
        ]
        rows[-1]["published"] = published
    if orders:
        mean = mean_of(pd.concat([selected(variant, study.rule) for variant in orders]))
        label = "another order" if len(orders) == 1 else f"{len(orders)} other orders, their mean"
        cells = _difference(mean, default) | _costs(orders[0], study.default)
        rows.append(cells | {"variant": label, "paper": "Table 7", "budget": SAME})
    for rule in (rule for rule in (*RULES, RANDOM, SIMPLEST) if rule != study.rule):
        cells = _difference(selected(study.default, rule), default) | _costs(
            study.default, study.default
        )
        cells["published"] = published_effect(study, {"answer by": rule})[1]
        rows.append(cells | {"variant": f"answer by {rule}", "paper": "Table 11", "budget": SCORED})
    table = (
        add_holm(pd.DataFrame(rows))
        .reindex(columns=EFFECTS)
        .astype({"note": object})
        .fillna({"note": ""})
    )
    table = table.sort_values("difference", ascending=False, kind="stable", ignore_index=True)
    return name_table(
        table,
        "trove_ablations",
        "TroVE's choices, each against the default",
        study.comparison.title,
    )


def _difference(scores: pd.DataFrame, minus: pd.DataFrame) -> dict:
    runs = len(set(scores["run"]) & set(minus["run"]))
    return difference_cells(variance_of(drop_unscored(scores), drop_unscored(minus))) | {
        "runs": runs
    }


def _matched(study: Ablations, variant: Variant, *, dearer: bool) -> dict:
    """Where two runs spend other calls: the first samples of the one that spends more, against all of the other's."""
    a, b = (study.default, variant) if dearer else (variant, study.default)
    rows = matched_budgets(study.comparison, pairs=[(a.name, b.name)], rule=study.rule)
    row = rows[rows["budget"] == "calls"].iloc[-1].to_dict()
    for side, end in zip("ba" if dearer else "ab", ("", "_default"), strict=True):
        row |= {f"{name}{end}": row[f"{cost}_{side}"] for cost, name in COSTS.items()}
    return (
        row | {"difference": -row["difference"], "low": -row["high"], "high": -row["low"]}
        if dearer
        else row
    )


def _costs(variant: Variant, default: Variant, *, again: bool = False) -> dict[str, float]:
    found = {}
    for side, calls in (
        ("", variant.calls),
        ("_default", _only(default.calls, set(_streams(variant.calls)))),
    ):
        problems = len(calls[["category", "problem", "seed"]].drop_duplicates())
        calls = calls[calls["model"].notna() & (again | (calls["phase"] != "retry"))]
        read, written = (
            calls[f"{kind}_tokens"].sum() / problems for kind in ("prompt", "completion")
        )
        costs = (len(calls) / problems, written, read + written)
        found |= {f"{name}{side}": cost for name, cost in zip(COSTS.values(), costs, strict=True)}
    return found


def printed_rows(study: Ablations, number: int) -> pd.DataFrame:
    rows = published_table(f"trove_table{number}").replace(
        {"category": {name: own for own, name in CALLED.items()}}
    )
    return (
        rows
        if is_in_print(study.comparison, f"trove_table{number}", "math", *CALLED)
        else rows.head(0)
    )


def published_effect(study: Ablations, changes: Mapping[str, object]) -> tuple[str, float]:
    """Which table prints these changes ("": none), and the paper's accuracy minus that of its own choice."""
    changed = {name: str(value) for name, value in changes.items() if name != "interval"}
    for choice in PRINTED.itertuples():
        if {choice.option: choice.value} == changed:
            rows = printed_rows(study, choice.table)
            rows = rows[
                (rows["metric"] == "acc") & rows["category"].isin(study.comparison.covered())
            ]
            cells = rows.pivot_table(index="category", columns="method", values="value")
            known = {choice.system, choice.ours} <= set(cells)
            gain = (cells[choice.system] - cells[choice.ours]).mean() if known else np.nan
            return f"Table {choice.table}", float(gain)
    return "", np.nan


def orders_table(study: Ablations) -> pd.DataFrame:
    """Table 7: accuracy, #ops and #lib in the data set's own order (`value`) and in shuffled ones, by category.

    `orders_sd`: between orders at one seed, to be measured by `seeds_sd`, between seeds in one order. #lib is of tools
    that some final answer names, with t's intervals over runs.
    """
    rows, name, every = [], study.default.name, (study.default, *study.shuffled)
    for metric, measure, column in (
        ("acc", "accuracy", "correct"),
        ("n_ops", "#ops", "reported_operations"),
    ):
        own, *parts = (by_seed(variant.answers, column) for variant in every)
        pooled = [part.assign(run=f"{i} " + part["run"]) for i, part in enumerate(parts)]
        others = (
            {c["category"]: c for c in estimates(study.comparison, name, pd.concat(pooled))}
            if parts
            else {}
        )
        for cell in (cell for cell in estimates(study.comparison, name, own) if cell["problems"]):
            category = cell["category"]
            here = [
                p[p["category"] == category] if category in study.comparison.categories else p
                for p in parts
            ]
            means = pd.DataFrame([part.groupby("run")["score"].mean() for part in here])
            rows.append(
                cell | {"measure": measure, "metric": metric} | _varied(others.get(category), means)
            )
    for category in study.comparison.covered():
        own, *others = (_library(variant, category) for variant in every)
        cell = {
            "category": category,
            "measure": "#lib",
            "metric": "n_lib",
            "runs": len(own),
        } | over_runs(own)
        rows.append(
            cell
            | _varied(over_runs(np.concatenate(others)) if others else None, pd.DataFrame(others))
        )
    printed = printed_rows(study, 7).rename(columns=IN_ORDERS)[
        ["category", "metric", *IN_ORDERS.values()]
    ]
    table = pd.DataFrame(rows).merge(printed, on=["category", "metric"], how="left")
    table = table.assign(orders=len(study.shuffled)).reindex(columns=ORDERS)
    note = "" if study.shuffled else "no run with another order"
    title = "TroVE's Table 7, the order of problems"
    return name_table(table, "trove_table7", title, study.comparison.title, note=note)


def _varied(shuffled: dict | None, means: pd.DataFrame) -> dict:
    if shuffled is None:
        return {}
    found = {
        f"shuffled{end}": shuffled.get(name)
        for end, name in (("", "value"), ("_low", "low"), ("_high", "high"))
    }
    values, of_orders = means.to_numpy(dtype=float), means.mean(axis=1)
    orders_sd, seeds_sd = (np.mean([run_sd(own) for own in ways]) for ways in (values.T, values))
    ends = {"smallest": of_orders.min(), "largest": of_orders.max()}
    return found | ends | {"orders_sd": orders_sd, "seeds_sd": seeds_sd}


def _library(variant: Variant, category: str) -> np.ndarray:
    answers = variant.answers[variant.answers["category"] == category]
    used = (
        answers[answers["status"] == "ok"]
        .explode("used_tools")
        .groupby("seed")["used_tools"]
        .nunique()
    )
    return used.reindex(sorted(answers["seed"].unique()), fill_value=0).to_numpy(dtype=float)


def sizes_table(study: Ablations) -> pd.DataFrame:
    """Figure 8: how many tools toolboxes end with, by trimming (`fewer`: the share that is gone); t's intervals."""
    rows = []
    for category in study.comparison.covered():
        for variant in (study.default, *(v for v in study.variants if set(v.changes) <= TRIMMING)):
            kept = toolboxes([variant.folder]).query("category == @category").groupby("seed").size()
            seeds = sorted(
                seed for name, seed in set(_streams(variant.candidates)) if name == category
            )
            ends = over_runs(kept.reindex(seeds, fill_value=0).to_numpy(dtype=float))
            rows.append({"category": category, "system": variant.label, "runs": len(seeds)} | ends)
    table = pd.DataFrame(rows).reindex(
        columns=["category", "system", "value", "low", "high", "runs"]
    )
    table["fewer"] = 1 - table["value"] / table.groupby("category")["value"].transform("max")
    title = "TroVE's Figure 8, toolboxes with and without trimming"
    return name_table(table, "trove_figure8", title, study.comparison.title)


# ---- is it the tools? IMPORT beside placebos: the same words, calls and seeds, another toolbox or none (ours) ----

OWN_TOOLS, LENT, WITHOUT = "its own toolbox", "another category's", "no toolbox"
PAIRS = ((OWN_TOOLS, WITHOUT), (OWN_TOOLS, LENT), (LENT, WITHOUT))
TOKENS = {"tokens written by IMPORT": "completion_tokens", "tokens read by IMPORT": "prompt_tokens"}
#: What is measured of single IMPORT programs, and the column that holds it.
MEASURES = {"accuracy of IMPORT": "correct", "IMPORT programs that import": "imports"}
MEASURES |= {"IMPORT programs that run": "ran"}
PLACEBO = ["measure", "toolbox", "value", "low", "high", "run_sd", "runs", "problems"]
PLACEBO_PAIRS = [
    "measure",
    "a",
    "b",
    "difference",
    "low",
    "high",
    "covers",
    "p",
    "p_holm",
    "p_within_2",
    "problems",
]


def placebo(study: Ablations) -> pd.DataFrame:
    """What came of each toolbox, over all problems: first answers, single IMPORT programs, and a program's tokens."""
    found = _by_toolbox(study)
    cells = {
        (m, box): estimate(scores[m])._asdict()
        for m in found[OWN_TOOLS]
        for box, scores in found.items()
    }
    table = pd.DataFrame(
        [{"measure": m, "toolbox": box} | cell for (m, box), cell in cells.items()], columns=PLACEBO
    )
    return name_table(table, "trove_placebo", "IMPORT and its placebos", study.comparison.title)


def placebo_differences(study: Ablations) -> pd.DataFrame:
    """Each toolbox against the others, problem by problem and seed by seed; one Holm correction over all rows."""
    found, rows = _by_toolbox(study), []
    for a, b in PAIRS:
        for measure in found[OWN_TOOLS] if {a, b} <= set(found) else ():
            cells = difference_cells(variance_of(found[a][measure], found[b][measure]))
            no_margin = {"p_within_2": np.nan} if measure in TOKENS else {}
            rows.append({"measure": measure, "a": a, "b": b} | cells | no_margin)
    table = add_holm(pd.DataFrame(rows, columns=[c for c in PLACEBO_PAIRS if c != "p_holm"]))[
        PLACEBO_PAIRS
    ]
    title, note = "IMPORT and its placebos, paired", "no run with another toolbox, or with none"
    return name_table(
        table, "trove_placebo_differences", title, study.comparison.title, note="" if rows else note
    )


def _by_toolbox(study: Ablations) -> dict[str, dict[str, pd.DataFrame]]:
    changed = {
        v.changes["toolbox"] == NONE: v for v in study.variants if set(v.changes) == {"toolbox"}
    }
    shown = {OWN_TOOLS: study.default, LENT: changed.get(False), WITHOUT: changed.get(True)}
    return {
        toolbox: _measured(variant, study.rule) for toolbox, variant in shown.items() if variant
    }


def _measured(variant: Variant, rule: str) -> dict[str, pd.DataFrame]:
    rows = variant.candidates
    rows = rows[(rows["phase"] == "stream") & (rows["mode"] == IMPORT)].assign(
        ran=rows["status"] == "ok"
    )
    found = {"accuracy of the answer": selected(variant, rule)}
    for name, column in (MEASURES | TOKENS).items():
        known = rows.dropna(subset=column) if name in TOKENS else rows
        values = known[column].astype("Float64").fillna(0)  # a verdict that is missing counts as no
        found[name] = mean_of(by_seed(known.assign(**{column: values}), column))
    return found
