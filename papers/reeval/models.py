"""Several models beside one another: the same tables for each, and what every method did and spent.

Nothing is compared across models here, whose problems, prompts and numbers of runs may differ: each has its own rows.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import cycle
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from trove_lite.analysis.comparison import Comparison, accuracy, requests_of
from trove_lite.candidates import load_calls, load_candidates

from .. import Whole, in_columns, named
from ..style import INTERVAL, SERIES, category_axis, dot, handle, plt, titled
from .tables import figure1_table, table1, table7
from .two_sides import MODELS, SIDES, TROVE, budget, sides

Runs = Sequence[str | Path]
#: What a problem costs, by the columns of the calls that are summed.
COSTS = {
    "calls": "requests a problem",
    "completion_tokens": "tokens written a problem",
    "prompt_tokens": "tokens read a problem",
}
#: What tells a table's rows apart, as far as it has them.
ROWS = ("category", "level", "effect", "rule", "budget", "k", "system")


def models(*groups: Runs) -> dict[str, Comparison]:
    """The two sides of each model, by its name: a group of runs for each, of one model.

    The folder of a published study stands for the run folders in its `runs`. A group that is empty, or of which no path
    is there, is left out; so is one of a model that has its sides already.
    """
    found: dict[str, Comparison] = {}
    for paths in groups:
        group = [run for path in map(Path, paths) for run in (sorted((path / "runs").glob("*")) or [path])]
        if not any(path.exists() for path in group):
            continue
        candidates = load_candidates(*group)
        name = str(candidates["model"].iloc[0])
        if MODELS.get(name, name) not in found:
            found[MODELS.get(name, name)] = sides(candidates, calls=load_calls(*group))
    return found


def each_model(compared: Mapping[str, Comparison], table: Callable[..., pd.DataFrame], **given: object) -> pd.DataFrame:
    """A table of the re-evaluation for each of these models, under one another, with the column `model`.

    Rows that hold no value of ours are left out: a model's own tables say why.
    """
    parts = {name: table(comparison, **given) for name, comparison in compared.items()}
    column = next(name for name in ("value", "difference") if all(name in part for part in parts.values()))
    first = next(iter(parts.values()))
    rows = [part[part[column].notna()].assign(model=name).astype(object) for name, part in parts.items()]
    whole = pd.concat(rows, ignore_index=True).infer_objects()
    notes = "; ".join(dict.fromkeys(part.attrs["note"] for part in parts.values() if part.attrs.get("note")))
    whole = whole[["model", *(name for name in whole if name != "model")]]
    return named(whole, f"{first.attrs['name']}_models", first.attrs["title"], " beside ".join(parts), note=notes)


def a_column_a_model(table: pd.DataFrame) -> pd.DataFrame:
    """A table of `each_model` to read: a column a model, each cell "value [low, high]" and the paper's if known.

    A row is a measure or a difference ("TROVE - PRIMITIVE") with its category, rule, k or level; "–": not known.
    """
    if "difference" in table:
        table = table.assign(system=table["a"] + " − " + table["b"], value=table["difference"])
    table = table[table["value"].notna()]
    if table.empty:
        return table
    rows = [name for name in ROWS if name in table and table[name].notna().all()]
    whole = table[[*rows, "model"]].assign(cell=[_cell(row, "difference" in table) for row in table.itertuples()])
    wide = whole.astype(str).pivot_table(index=rows, columns="model", values="cell", aggfunc="first", sort=False)
    ordered = wide.reindex(columns=list(dict.fromkeys(table["model"]))).fillna("–")
    return Whole(ordered.rename_axis(columns=None).reset_index().rename(columns={"system": ""}))


def _cell(row: object, signed: bool) -> str:
    """Shares with three decimals, differences with their sign, what is spent in units."""
    form = "+.3f" if signed else ".3f" if row.value < 1.5 else ",.1f"
    interval = "" if pd.isna(row.low) else f" [{row.low:{form}}, {row.high:{form}}]"
    published = getattr(row, "published", None)
    return f"{row.value:{form}}{interval}" + ("" if pd.isna(published) else f" (paper: {published:.3g})")


def models_figure(table: pd.DataFrame) -> Figure | None:
    """TROVE minus PRIMITIVE for each model and category, a panel a rule, from `differences` of `each_model`."""
    known = table[table["difference"].notna()].rename(columns={"difference": "value"})
    if known.empty:
        return None
    rows, names, rules = (list(known[column].unique()) for column in ("category", "model", "rule"))
    styles = dict(zip(names, cycle(SERIES.values()), strict=False))
    size = (2.6 + 3.2 * len(rules), 1.6 + 0.5 * len(rows))
    figure, all_axes = plt.subplots(1, len(rules), figsize=size, layout="constrained", sharey=True, squeeze=False)
    for axes, rule in zip(all_axes[0], rules, strict=True):
        axes.axvline(0, color="black", linewidth=1)
        for row in known[known["rule"] == rule].itertuples():
            place = rows.index(row.category) + 0.25 * (names.index(row.model) - (len(names) - 1) / 2)
            dot(axes, row, place, styles[row.model])
        axes.set_title(rule.replace("_", "-"), fontsize=10)
        axes.set_xlabel("TROVE minus PRIMITIVE (points)")
        category_axis(axes, rows)
    handles = [handle(f"{name}, less {_rivals(known, name)}", styles[name]) for name in names]
    figure.legend(handles=handles, frameon=False, loc="outside lower center", fontsize=9)
    text = "TROVE against PRIMITIVE at the same calls"
    return titled(figure, table, text, caption=f"{text}, for each model. Bars: {INTERVAL}.")


def _rivals(known: pd.DataFrame, name: str) -> str:
    return ", ".join(dict.fromkeys(known.loc[known["model"] == name, "b"]))


def methods(comparison: Comparison, *, k: int | None = None, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """What each method did and spent: accuracy by each rule, oracle, each mode's pass@k, requests and tokens a problem.

    A row a category and measure (`system`), accuracies beside print as in Tables 1 and 7. What is spent is a mean over
    problems and runs, of all requests, candidate or not, with the prompt counted for each.
    """
    k = budget(comparison, k)
    own, oracle = table1(comparison, k=k, seed=seed, resamples=resamples), table7(comparison, budgets=[k])
    by_mode = figure1_table(comparison)
    parts = [
        own[~own["system"].str.contains("original")],
        oracle.assign(system=oracle["system"] + f", oracle, K={k}").drop(columns="k"),
        by_mode.assign(system=f"{TROVE}, pass@{by_mode.attrs['k']} " + by_mode["system"]),
        *_others(comparison, k, seed, resamples),
        *(_spent(comparison, name) for name, side in comparison.sides.items() if len(side)),
    ]
    table = in_columns(pd.concat([part.astype(object) for part in parts], ignore_index=True))
    return named(table, "methods", "What each method did and spent", comparison.title, k=k)


def _others(comparison: Comparison, k: int, seed: int, resamples: int) -> list[pd.DataFrame]:
    """Accuracy and oracle of the methods that are neither side."""
    others = {name: side for name, side in comparison.sides.items() if name not in SIDES and len(side)}
    if not others:
        return []
    alone = Comparison.of(others, calls=comparison.calls, title=comparison.title)
    table = accuracy(alone, k=min(k, alone.samples()), seed=seed, resamples=resamples)
    rule = table["rule"].str.replace("_", "-")
    return [
        table.assign(source=table["system"], system=table["system"] + ", " + rule + f", K={min(k, alone.samples())}")
    ]


def _spent(comparison: Comparison, name: str) -> pd.DataFrame:
    """What a side's problems cost on average, by category; a cost that is not known has no row."""
    unit = ["run", "category", "problem"]
    asked = requests_of(comparison, name)
    asked = asked[asked["phase"] != "retry"]
    each = asked.assign(calls=asked["model"].notna().astype(float)).groupby(unit, observed=True)[list(COSTS)]
    spent = each.sum(min_count=1).astype(float).reset_index()
    by_category = spent.groupby("category", observed=True)
    about = by_category.agg(runs=("run", "nunique"), problems=("problem", "nunique"))
    parts = [
        about.assign(system=f"{name}, {words}", value=by_category[cost].mean(), source=name, note="").reset_index()
        for cost, words in COSTS.items()
    ]
    table = pd.concat(parts, ignore_index=True)
    return table[table["value"].notna()]
