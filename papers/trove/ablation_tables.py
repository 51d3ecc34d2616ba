"""TroVE's tables of single choices, beside runs that make them: 7, 8, 10 to 13, and Figure 8.

Printed numbers are of CodeLlama-7B on MATH (and tables, which have no column here), and stand beside its runs alone.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from trove_lite.analysis.compare import estimates
from trove_lite.analysis.statistics import mean_interval, run_sd
from trove_lite.analysis.toolboxes import toolboxes

from .. import in_columns, named
from .ablations import (
    RANDOM,
    SYSTEMS,
    Ablations,
    Variant,
    accuracy_scores,
    in_print,
    operations_scores,
    printed_rows,
    selected,
    streams,
)

TRIMMING = {"threshold", "interval", "final_trim", "retry"}
#: The choices that a table is about: variants of these stand in it too, under what they change.
FAMILIES = {8: TRIMMING, 10: {"ranking", "shown"}, 11: {"k", "temperature", "selection"}, 12: {"rectify"}, 13: TRIMMING}
ORDERS = ["category", "measure", "published", "published_min", "published_max", "published_sd", "value", "low", "high"]
ORDERS += [
    "shuffled",
    "shuffled_low",
    "shuffled_high",
    "smallest",
    "largest",
    "orders_sd",
    "seeds_sd",
    "orders",
    "runs",
]


def ablation_table(study: Ablations, number: int) -> pd.DataFrame:
    """Accuracy, by category, of the systems of TroVE's Table 8, 10, 11, 12 or 13, and of variants of the same choice.

    Answers that runs end with, problems solved again among them. Table 8 prints #ops too. A system that no run is of is
    there with the reason.
    """
    ran: dict[str, Variant | None] = dict.fromkeys(SYSTEMS[number])
    ran[next(iter(ran))] = study.default
    for variant in study.variants:
        table, system = in_print(variant)
        if table == number or (variant.changes and set(variant.changes) <= FAMILIES[number]):
            ran[system if table == number else variant.label] = variant
    measures = {"acc": ("", accuracy_scores)} | ({"n_ops": (", #ops", operations_scores)} if number == 8 else {})
    rows = []
    for metric, (suffix, measure) in measures.items():
        for system, variant in ran.items():
            printed = printed_rows(study, number)
            printed = printed[(printed["method"] == system) & (printed["metric"] == metric)]
            known = {"system": f"{system}{suffix}", "source": variant.name if variant else ""}
            for cell in _cells(study, SYSTEMS[number].get(system, {}), variant, measure):
                value = printed.set_index("category")["value"].get(cell["category"], np.nan)
                rows.append(cell | known | {"published": value})
    table = in_columns(pd.DataFrame(rows))
    return named(table, f"trove_table{number}", f"TroVE's Table {number}", study.comparison.title)


def _cells(study: Ablations, changes: Mapping, variant: Variant | None, measure: Callable) -> list[dict]:
    """A system's cells by category: of its run, of the default scored again, or why there are none."""
    if changes == {"scored by": RANDOM}:
        scores, note = selected(study.default, RANDOM), "the default's candidates, scored again"
    elif variant is None:
        note = f"no run with {', '.join(f'{option} {value}' for option, value in changes.items())}"
        return [{"category": c, "runs": 0, "problems": 0, "note": note} for c in study.comparison.covered()]
    else:
        scores, note = measure(variant.answers), variant.label if "interval" in variant.changes else ""
    cells = [c for c in estimates(study.comparison, study.default.name, scores) if c["problems"]]
    return [cell | {"note": note or cell["note"]} for cell in cells]


# ---- Table 7, the order of problems, and Figure 8, what trimming leaves ----


def orders_table(study: Ablations) -> pd.DataFrame:
    """Table 7: accuracy, #ops and #lib in the data set's own order (`value`) and in shuffled ones, by category.

    `smallest`, `largest`: of the orders' means over seeds. `orders_sd`: between orders at one seed, the mean over
    seeds; `seeds_sd`: between seeds in one order, the mean over orders: what the other is to be measured by. #lib is
    of tools that some final answer names, a number a stream, with t's intervals over runs.
    """
    rows, name = [], study.default.name
    for metric, (measure, of) in {"acc": ("accuracy", accuracy_scores), "n_ops": ("#ops", operations_scores)}.items():
        parts = [of(variant.answers) for variant in study.shuffled]
        pooled = [part.assign(run=f"{i} " + part["run"]) for i, part in enumerate(parts)]
        others = {c["category"]: c for c in estimates(study.comparison, name, pd.concat(pooled))} if parts else {}
        for cell in estimates(study.comparison, name, of(study.default.answers)):
            if cell["problems"]:
                category = cell["category"]
                here = [p[p["category"] == category] if category in study.comparison.categories else p for p in parts]
                means = pd.DataFrame([part.groupby("run")["score"].mean() for part in here])
                shuffled = [others[category][end] for end in ("value", "low", "high")] if parts else []
                rows.append(_order_row(study, measure, metric, cell, shuffled, means))
    for category in study.comparison.covered():
        own, *others = (_library(variant, category) for variant in (study.default, *study.shuffled))
        cell = dict(zip(("value", "low", "high"), mean_interval(own)[:3], strict=True))
        cell |= {"category": category, "runs": len(own)}
        shuffled = mean_interval(np.concatenate(others))[:3] if others else []
        rows.append(_order_row(study, "#lib", "n_lib", cell, shuffled, pd.DataFrame(others)))
    table = pd.DataFrame(rows).assign(orders=len(study.shuffled)).reindex(columns=ORDERS)
    note = "" if study.shuffled else "no run with another order"
    title = "TroVE's Table 7, the order of problems"
    return named(table, "trove_table7", title, study.comparison.title, note=note)


def _order_row(
    study: Ablations, measure: str, metric: str, cell: dict, shuffled: list[float], means: pd.DataFrame
) -> dict:
    """A row of Table 7: the default's cell, the shuffled orders', print, and how means, (orders, seeds), vary."""
    rows = printed_rows(study, 7)
    rows = rows[(rows["category"] == cell["category"]) & (rows["metric"] == metric)]
    columns = {"original": "published", "range_min": "published_min", "range_max": "published_max"}
    columns |= {"std": "published_sd"}
    row = cell | {"measure": measure} | {new: rows[old].iloc[0] for old, new in columns.items() if len(rows)}
    if not len(shuffled):
        return row
    row |= dict(zip(("shuffled", "shuffled_low", "shuffled_high"), shuffled, strict=True))
    values, of_orders = means.to_numpy(dtype=float), means.mean(axis=1)
    row |= {"smallest": of_orders.min(), "largest": of_orders.max()}
    row |= {"orders_sd": np.mean([run_sd(seed) for seed in values.T])}
    return row | {"seeds_sd": np.mean([run_sd(order) for order in values])}


def _library(variant: Variant, category: str) -> np.ndarray:
    answers = variant.answers[variant.answers["category"] == category]
    used = answers[answers["status"] == "ok"].explode("used_tools").groupby("seed")["used_tools"].nunique()
    return used.reindex(sorted(answers["seed"].unique()), fill_value=0).to_numpy(dtype=float)


def sizes_table(study: Ablations) -> pd.DataFrame:
    """Figure 8: how many tools toolboxes end with, by how they are trimmed; t's interval over runs.

    `fewer`: the share that is gone, by the largest mean of these ways.
    """
    rows = []
    for category in study.comparison.covered():
        for variant in (study.default, *(v for v in study.variants if set(v.changes) <= TRIMMING)):
            kept = toolboxes([variant.folder]).query("category == @category").groupby("seed").size()
            seeds = sorted(seed for name, seed in streams(variant.candidates) if name == category)
            sizes = kept.reindex(seeds, fill_value=0).to_numpy(dtype=float)
            ends = dict(zip(("value", "low", "high"), mean_interval(sizes)[:3], strict=True))
            rows.append({"category": category, "system": variant.label} | ends | {"runs": len(sizes)})
    table = pd.DataFrame(rows)
    table["fewer"] = 1 - table["value"] / table.groupby("category")["value"].transform("max")
    title = "TroVE's Figure 8, toolboxes with and without trimming"
    return named(table, "trove_figure8", title, study.comparison.title)
