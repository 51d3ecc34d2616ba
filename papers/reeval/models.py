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


def models(*groups: Sequence[str | Path]) -> dict[str, Comparison]:
    """The two sides of each model, by its name: a group of runs for each, of one model.

    The folder of a published study stands for the run folders in its `runs`. A group of which no path is there is left
    out; so is one of a model that has its sides already.
    """
    found: dict[str, Comparison] = {}
    for paths in groups:
        group = [run for path in map(Path, paths) for run in (sorted((path / "runs").glob("*")) or [path])]
        if any(path.exists() for path in group):
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
    first, *_ = parts.values()
    rows = [part.dropna(subset=_value(part)).astype(object).assign(model=name) for name, part in parts.items()]
    whole = pd.concat(rows, ignore_index=True).infer_objects()
    whole.insert(0, "model", whole.pop("model"))
    notes = "; ".join(dict.fromkeys(part.attrs["note"] for part in parts.values() if part.attrs.get("note")))
    return named(whole, f"{first.attrs['name']}_models", first.attrs["title"], " beside ".join(parts), note=notes)


def _value(found: pd.DataFrame) -> str:
    return "value" if "value" in found else "difference"


def a_column_a_model(found: pd.DataFrame) -> pd.DataFrame:
    """A table of `each_model` to read: a column a model, each cell "value [low, high]" and the paper's if known.

    A row is a measure or a difference ("TROVE − PRIMITIVE") with its category, rule, k or level; "–": not known.
    Differences have their sign, shares three decimals, and what is spent is in units.
    """
    if found.empty:
        return found
    if signed := "difference" in found:
        found = found.assign(system=found["a"] + " − " + found["b"], value=found["difference"])
    keys = ("category", "level", "effect", "rule", "budget", "k", "system")
    rows = [name for name in keys if name in found and found[name].notna().all()]

    def cell(row: object) -> str:
        form = "+.3f" if signed else ".3f" if row.value < 1.5 else ",.1f"
        interval = "" if pd.isna(row.low) else f" [{row.low:{form}}, {row.high:{form}}]"
        published = getattr(row, "published", None)
        return f"{row.value:{form}}{interval}" + ("" if pd.isna(published) else f" (paper: {published:.3g})")

    whole = found[[*rows, "model"]].assign(cell=[cell(row) for row in found.itertuples()]).astype(str)
    wide = whole.pivot_table(index=rows, columns="model", values="cell", aggfunc="first", sort=False)
    ordered = wide.reindex(columns=list(dict.fromkeys(found["model"]))).fillna("–")
    return Whole(ordered.rename_axis(columns=None).reset_index().rename(columns={"system": ""}))


def methods(comparison: Comparison, *, k: int | None = None, **drawn: int) -> pd.DataFrame:
    """What each method did and spent: accuracy by each rule, oracle, each mode's pass@k, requests and tokens a problem.

    A row a category and measure (`system`), accuracies beside print as in Tables 1 and 7. What is spent is a mean over
    problems and runs, of all requests, candidate or not, with the prompt counted for each; one not known has no row.
    """
    k, each, trove = budget(comparison, k), of_modes(comparison, None), comparison.by_mode[TROVE]
    own, oracle = table1(comparison, k=k, **drawn), table7(comparison, budgets=[k])
    scores = {mode.upper(): oracle_score(trove[trove["mode"] == mode], each) for mode in MODES}
    modes = [Row(f"{TROVE}, pass@{each} {mode}", TROVE, scores[mode]) for mode in scores]
    parts = [
        own[~own["system"].str.contains("original")],
        oracle.assign(system=oracle["system"] + f", oracle, K={k}").drop(columns="k"),
        table(comparison, "figure1", modes, over=comparison.covered(TROVE)),
    ]
    filled = {name: side for name, side in comparison.sides.items() if len(side)}
    if others := {name: side for name, side in filled.items() if name not in SIDES}:
        alone = Comparison.of(others, calls=comparison.calls, title=comparison.title)
        most = min(k, alone.samples())
        found = accuracy(alone, k=most, **drawn)
        system = found["system"] + ", " + found["rule"].str.replace("_", "-") + f", K={most}"
        parts.append(found.assign(source=found["system"], system=system))
    for name in filled:
        asked = requests_of(comparison, name)
        asked = asked[asked["phase"] != "retry"].assign(calls=lambda rows: rows["model"].notna().astype(float))
        spent = asked.groupby(["run", "category", "problem"], observed=True)[list(COSTS)].sum(min_count=1).astype(float)
        by_category = spent.reset_index().groupby("category", observed=True)
        about = by_category.agg(runs=("run", "nunique"), problems=("problem", "nunique"))
        for cost, words in COSTS.items():
            part = about.assign(system=f"{name}, {words}", value=by_category[cost].mean(), source=name, note="")
            parts.append(part.reset_index().dropna(subset="value"))
    whole = in_columns(pd.concat([part.astype(object) for part in parts], ignore_index=True))
    return named(whole, "methods", "What each method did and spent", comparison.title, k=k)
