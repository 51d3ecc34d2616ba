"""TroVE's tables of single choices, beside runs that make them: 7, 8, 10 to 13, and Figure 8.

Printed numbers are of CodeLlama-7B on MATH (and tables, which have no column here), and stand beside its runs alone.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd

from trove_lite.analysis.compare import estimates
from trove_lite.analysis.statistics import mean_interval, run_sd

from .. import in_columns, named
from .ablations import RANDOM, SYSTEMS, Ablations, Variant, in_print, in_words, printed_rows, right, scores_of, selected
from .table2 import OPERATIONS, REPORTED

TITLES = {
    8: "trimming",
    10: "how tools are ranked",
    11: "sampling and selection",
    12: "rectification",
    13: "the threshold of trimming",
}
TRIMMING = {"threshold", "interval", "final_trim", "retry"}
#: The choices that a table is about: variants of these stand in it too, under what they change.
FAMILIES = {
    8: TRIMMING,
    10: {"ranking", "shown"},
    11: {"k", "temperature", "selection"},
    12: {"rectify"},
    13: TRIMMING,
}
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


def accuracy_of(variant: Variant) -> pd.DataFrame:
    """Whether the answers that a run ended with are right."""
    return right(variant.answers)


def operations_of(variant: Variant) -> pd.DataFrame:
    """#ops of those answers as the program reports it."""
    return scores_of(variant.answers, OPERATIONS[REPORTED](variant.answers)).dropna(subset="score")


def ablation_table(study: Ablations, number: int) -> pd.DataFrame:
    """Accuracy, by category, of the systems of TroVE's Table 8, 10, 11, 12 or 13, and of variants of the same choice.

    Answers that runs end with, problems solved again among them. Table 8 prints #ops too. A system that no run is of is
    there with the reason.
    """
    measures = {"acc": ("", accuracy_of)} | ({"n_ops": (", #ops", operations_of)} if number == 8 else {})
    rows = []
    for metric, (suffix, measure) in measures.items():
        for system, variant in _systems(study, number).items():
            rows += _cells(study, number, metric, system, suffix, variant, measure)
    title = f"TroVE's Table {number}, {TITLES[number]}"
    return named(in_columns(pd.DataFrame(rows)), f"trove_table{number}", title, study.comparison.title)


def _systems(study: Ablations, number: int) -> dict[str, Variant | None]:
    """The run of each printed system, None where there is none, then further variants by what they change."""
    found = {system: None if changes else study.default for system, changes in SYSTEMS[number].items()}
    for variant in study.variants:
        table, system = in_print(variant)
        if table == number:
            found[system] = variant
        elif variant.changes and set(variant.changes) <= FAMILIES[number]:
            found[variant.label] = variant
    return found


def _cells(
    study: Ablations,
    number: int,
    metric: str,
    system: str,
    suffix: str,
    variant: Variant | None,
    measure: Callable[[Variant], pd.DataFrame],
) -> list[dict]:
    printed = printed_rows(study, number)
    printed = printed[(printed["method"] == system) & (printed["metric"] == metric)].set_index("category")["value"]
    changes = SYSTEMS[number].get(system, {})
    if changes == {"scored by": RANDOM}:
        scores, note = selected(study.default, RANDOM), "the default's candidates, scored again"
    elif variant is None:
        scores, note = None, f"no run {' and '.join(in_words(*change) for change in changes.items())}"
    else:
        scores, note = measure(variant), variant.label if "interval" in variant.changes else ""
    known = {"system": f"{system}{suffix}", "source": variant.name if variant else ""}
    if scores is None:
        cells = [{"category": c, "runs": 0, "problems": 0, "note": note} for c in study.comparison.covered()]
    else:
        cells = [c for c in estimates(study.comparison, study.default.name, scores) if c["problems"]]
    return [
        cell | known | {"published": printed.get(cell["category"], np.nan), "note": note or cell["note"]}
        for cell in cells
    ]


# ---- orders ----


def orders_table(study: Ablations) -> pd.DataFrame:
    """Table 7: accuracy, #ops and #lib in the data set's own order (`value`) and in shuffled ones, by category.

    `smallest`, `largest`: of the orders' means over seeds. `orders_sd`: between orders at one seed, the mean over
    seeds; `seeds_sd`: between seeds in one order, the mean over orders: what the other is to be measured by.
    """
    rows = []
    for metric, (name, measure) in {"acc": ("accuracy", accuracy_of), "n_ops": ("#ops", operations_of)}.items():
        parts = [measure(variant).assign(order=variant.name) for variant in study.shuffled]
        others = {}
        if parts:
            pooled = pd.concat([part.assign(run=part["order"] + " " + part["run"]) for part in parts])
            others = {cell["category"]: cell for cell in estimates(study.comparison, study.default.name, pooled)}
        for cell in estimates(study.comparison, study.default.name, measure(study.default)):
            category = cell["category"]
            if not cell["problems"]:
                continue
            row = {"category": category, "measure": name} | _printed(study, category, metric) | cell
            if category in others:
                row |= _shuffled(*(others[category][name] for name in ("value", "low", "high")))
                whole = [p[p["category"] == category] if category in study.comparison.categories else p for p in parts]
                row |= _spread(pd.DataFrame([part.groupby("run")["score"].mean() for part in whole]))
            rows.append(row)
    table = pd.DataFrame(rows + _libraries(study)).assign(orders=len(study.shuffled)).reindex(columns=ORDERS)
    note = "" if study.shuffled else "no run with another order"
    title = "TroVE's Table 7, the order of problems"
    return named(table, "trove_table7", title, study.comparison.title, note=note)


def _libraries(study: Ablations) -> list[dict]:
    """#lib: tools that some final answer names, a number a stream; t's interval over runs."""
    rows = []
    for category in study.comparison.covered():
        own, *others = (_library(variant, category) for variant in (study.default, *study.shuffled))
        found = mean_interval(own)
        about = {"category": category, "measure": "#lib", "runs": len(own)} | _printed(study, category, "n_lib")
        row = about | {"value": found.value, "low": found.low, "high": found.high}
        if others:
            row |= _shuffled(*mean_interval(np.concatenate(others))[:3]) | _spread(pd.DataFrame(others))
        rows.append(row)
    return rows


def _library(variant: Variant, category: str) -> np.ndarray:
    answers = variant.answers[variant.answers["category"] == category]
    used = answers[answers["status"] == "ok"].explode("used_tools").groupby("seed")["used_tools"].nunique()
    return used.reindex(sorted(answers["seed"].unique()), fill_value=0).to_numpy(dtype=float)


def _shuffled(value: float, low: float, high: float) -> dict[str, float]:
    return {"shuffled": value, "shuffled_low": low, "shuffled_high": high}


def _printed(study: Ablations, category: str, metric: str) -> dict[str, float]:
    rows = printed_rows(study, 7)
    rows = rows[(rows["category"] == category) & (rows["metric"] == metric)]
    names = {"original": "published", "range_min": "published_min", "range_max": "published_max", "std": "published_sd"}
    return {new: float(rows[old].iloc[0]) if len(rows) else np.nan for old, new in names.items()}


def _spread(means: pd.DataFrame) -> dict[str, float]:
    """How means, (orders, seeds), vary over either."""
    of_orders, values = means.mean(axis=1), means.to_numpy(dtype=float)
    sds = {"orders_sd": values.T, "seeds_sd": values}
    found = {name: float(np.mean([run_sd(each) for each in rows])) for name, rows in sds.items()}
    return found | {"smallest": float(of_orders.min()), "largest": float(of_orders.max())}


def orders_in_words(table: pd.DataFrame) -> str:
    """Does the order of problems matter more than the seed? From `orders_table`."""
    whole = table[(table["measure"] == "accuracy") & table["orders_sd"].notna()].tail(1)
    return "".join(
        f"Between {row.orders} orders at one seed accuracy varies by {100 * row.orders_sd:.1f} points (SD), between "
        f"seeds in one order by {100 * row.seeds_sd:.1f} ({row.category}); the orders' means lie between "
        f"{100 * row.smallest:.1f} and {100 * row.largest:.1f} %, the data set's own order has {100 * row.value:.1f} %."
        for row in whole.itertuples()
    )


# ---- sizes ----


def sizes_table(study: Ablations) -> pd.DataFrame:
    """Figure 8: how many tools toolboxes end with, by how they are trimmed; t's interval over runs.

    `fewer`: the share that is gone, by the largest mean of these ways.
    """
    ways = [study.default, *(v for v in study.variants if set(v.changes) <= TRIMMING)]
    rows = []
    for category in study.comparison.covered():
        for variant in ways:
            sizes = variant.sizes.loc[variant.sizes["category"] == category, "size"].to_numpy()
            found = mean_interval(sizes)
            ends = {"value": found.value, "low": found.low, "high": found.high, "runs": len(sizes)}
            rows.append({"category": category, "system": variant.label} | ends)
    table = pd.DataFrame(rows)
    table["fewer"] = 1 - table["value"] / table.groupby("category")["value"].transform("max")
    title = "TroVE's Figure 8, toolboxes with and without trimming"
    return named(table, "trove_figure8", title, study.comparison.title)


def sizes_in_words(table: pd.DataFrame) -> str:
    """What trimming leaves: from `sizes_table`; "" where all runs are trimmed alike."""
    if table["system"].nunique() < 2:
        return ""
    fewer = table.groupby("system", sort=False)["fewer"].agg(["min", "max"])
    said = [f"{system}: {100 * row['min']:.0f} to {100 * row['max']:.0f} %" for system, row in fewer.iterrows()]
    return f"Tools that are gone by the end, by category ({'; '.join(said)}). The paper says 74 to 90 %."
