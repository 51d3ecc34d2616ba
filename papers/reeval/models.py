"""Several models beside one another: the same tables for each, and what every method did and spent.

Nothing is compared across models here, whose problems, prompts and numbers of runs may differ: each has its own rows.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pandas as pd

from trove_lite.analysis.compare import accuracy
from trove_lite.analysis.costs import requests_of
from trove_lite.analysis.scores import oracle_score
from trove_lite.analysis.sides import Comparison
from trove_lite.candidates import load_calls, load_candidates

from .. import Whole, in_columns, named
from .tables import Row, table, table1, table7
from .two_sides import MODELS, MODES, SIDES, TROVE, budget, of_modes, sides

#: What a problem costs, by the columns of the calls that are summed.
COSTS = {
    "calls": "requests a problem",
    "completion_tokens": "tokens written a problem",
    "prompt_tokens": "tokens read a problem",
}
#: What tells a table's rows apart, as far as it has them.
ROWS = ("category", "level", "effect", "rule", "budget", "k", "system")


def models(*groups: Sequence[str | Path]) -> dict[str, Comparison]:
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


def each_model(compared: Mapping[str, Comparison], make: Callable[..., pd.DataFrame], **given: object) -> pd.DataFrame:
    """A table of the re-evaluation for each of these models, under one another, with the column `model`.

    Rows that hold no value of ours are left out: a model's own tables say why.
    """
    parts = {name: make(comparison, **given) for name, comparison in compared.items()}
    first = next(iter(parts.values()))
    column = "value" if "value" in first else "difference"
    rows = [part[part[column].notna()].assign(model=name).astype(object) for name, part in parts.items()]
    whole = pd.concat(rows, ignore_index=True).infer_objects()
    notes = "; ".join(dict.fromkeys(part.attrs["note"] for part in parts.values() if part.attrs.get("note")))
    whole = whole[["model", *(name for name in whole if name != "model")]]
    return named(whole, f"{first.attrs['name']}_models", first.attrs["title"], " beside ".join(parts), note=notes)


def a_column_a_model(found: pd.DataFrame) -> pd.DataFrame:
    """A table of `each_model` to read: a column a model, each cell "value [low, high]" and the paper's if known.

    A row is a measure or a difference ("TROVE - PRIMITIVE") with its category, rule, k or level; "–": not known.
    """
    signed = "difference" in found
    if signed:
        found = found.assign(system=found["a"] + " − " + found["b"], value=found["difference"])
    found = found[found["value"].notna()]
    if found.empty:
        return found
    rows = [name for name in ROWS if name in found and found[name].notna().all()]
    whole = found[[*rows, "model"]].assign(cell=[_cell(row, signed) for row in found.itertuples()])
    wide = whole.astype(str).pivot_table(index=rows, columns="model", values="cell", aggfunc="first", sort=False)
    ordered = wide.reindex(columns=list(dict.fromkeys(found["model"]))).fillna("–")
    return Whole(ordered.rename_axis(columns=None).reset_index().rename(columns={"system": ""}))


def _cell(row: object, signed: bool) -> str:
    """Shares with three decimals, differences with their sign, what is spent in units."""
    form = "+.3f" if signed else ".3f" if row.value < 1.5 else ",.1f"
    interval = "" if pd.isna(row.low) else f" [{row.low:{form}}, {row.high:{form}}]"
    published = getattr(row, "published", None)
    return f"{row.value:{form}}{interval}" + ("" if pd.isna(published) else f" (paper: {published:.3g})")


def methods(comparison: Comparison, *, k: int | None = None, seed: int = 0, resamples: int = 100) -> pd.DataFrame:
    """What each method did and spent: accuracy by each rule, oracle, each mode's pass@k, requests and tokens a problem.

    A row a category and measure (`system`), accuracies beside print as in Tables 1 and 7. What is spent is a mean over
    problems and runs, of all requests, candidate or not, with the prompt counted for each.
    """
    k, each = budget(comparison, k), of_modes(comparison, None)
    own, oracle = table1(comparison, k=k, seed=seed, resamples=resamples), table7(comparison, budgets=[k])
    trove = comparison.by_mode[TROVE]
    modes = [
        Row(f"{TROVE}, pass@{each} {mode.upper()}", TROVE, oracle_score(trove[trove["mode"] == mode], each))
        for mode in MODES
    ]
    parts = [
        own[~own["system"].str.contains("original")],
        oracle.assign(system=oracle["system"] + f", oracle, K={k}").drop(columns="k"),
        table(comparison, "figure1", modes, over=comparison.covered(TROVE)),
        *_others(comparison, k, seed, resamples),
        *(_spent(comparison, name) for name, side in comparison.sides.items() if len(side)),
    ]
    whole = in_columns(pd.concat([part.astype(object) for part in parts], ignore_index=True))
    return named(whole, "methods", "What each method did and spent", comparison.title, k=k)


def _others(comparison: Comparison, k: int, seed: int, resamples: int) -> list[pd.DataFrame]:
    """Accuracy and oracle of the methods that are neither side."""
    others = {name: side for name, side in comparison.sides.items() if name not in SIDES and len(side)}
    if not others:
        return []
    alone = Comparison.of(others, calls=comparison.calls, title=comparison.title)
    k = min(k, alone.samples())
    found = accuracy(alone, k=k, seed=seed, resamples=resamples)
    rule = found["rule"].str.replace("_", "-")
    return [found.assign(source=found["system"], system=found["system"] + ", " + rule + f", K={k}")]


def _spent(comparison: Comparison, name: str) -> pd.DataFrame:
    """What a side's problems cost on average, by category; a cost that is not known has no row."""
    asked = requests_of(comparison, name)
    asked = asked[asked["phase"] != "retry"].assign(calls=lambda rows: rows["model"].notna().astype(float))
    spent = asked.groupby(["run", "category", "problem"], observed=True)[list(COSTS)].sum(min_count=1).astype(float)
    by_category = spent.reset_index().groupby("category", observed=True)
    about = by_category.agg(runs=("run", "nunique"), problems=("problem", "nunique"))
    parts = [
        about.assign(system=f"{name}, {words}", value=by_category[cost].mean(), source=name, note="").reset_index()
        for cost, words in COSTS.items()
    ]
    whole = pd.concat(parts, ignore_index=True)
    return whole[whole["value"].notna()]
