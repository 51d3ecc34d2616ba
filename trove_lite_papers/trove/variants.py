"""TroVE's ablations (section 8, appendix D): runs that differ in one choice, each against the
default; Tables 7 to 13.

What a variant changes is what its study's file says of it. Scores are subtracted problem by problem
and seed by seed. Selection needs no run of its own: the default's candidates are scored again. The
essay defines what is right, what else is measured of answers, what a toolbox holds, and each way to
select: `way(programs)` gives the rows of a problem that count, alike.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trove_lite import TroveLiteError, load_calls, load_candidates
from trove_lite.candidates import TEXT
from trove_lite.selection.tables import in_order
from trove_lite_analysis import toolboxes
from trove_lite_analysis.costs import matched_budgets
from trove_lite_analysis.differences import (
    add_holm,
    difference,
    estimates,
    points,
)
from trove_lite_analysis.scores import drop_unscored
from trove_lite_analysis.sentence import Sentence
from trove_lite_analysis.statistics import run_sd
from trove_lite_analysis.systems import Comparison, one_kind

from ..figures import curve, forest
from ..tables import is_in_print, name_table, published_table, scored
from ..two_systems import MODELS
from .simplicity import (
    CALLED,
    METRICS,
    Measure,
    Tools,
    ended_with,
    over_runs,
)

Way = Callable[[pd.DataFrame], pd.DataFrame]
SAME = "the same calls"
AS_RUN = "as run"
SCORED = "scored again"
#: Which table prints a choice: its number, TroVE's own system, the other, and what that one
#: changes.
PRINTED = pd.read_csv(Path(__file__).with_name("choices.csv"), dtype={"value": str})
TRIMMING = {"threshold", "interval", "final_trim", "retry"}
#: What a page calls a changed option.
IN_WORDS = {
    r"\bk (\d+)": r"\1 calls a problem",
    r"toolbox none": "no toolbox",
    r"toolbox part:\S+": "another category's toolbox",
    r"ranking lexical": "tools ranked by text",
    r"ranking model": "tools ranked by the model",
    r"rectify (\w+)": r"\1's programs written anew",
    r"interval (\d+)": r"trimmed every \1 problems",
    r"threshold fixed_(\d+)": r"below \1 uses",
    r"threshold log20": "below log20(n) uses",
}
COSTS = {
    "calls": "calls",
    "completion": "completion_tokens",
    "total": "total_tokens",
}
TESTED = [
    "difference",
    "low",
    "high",
    "covers",
    "p",
    "p_holm",
    "p_within_2",
]
SPENT = [f"{cost}{system}" for cost in COSTS.values() for system in ("", "_default")]
EFFECTS = [
    "variant",
    "paper",
    "budget",
    "published",
    *TESTED,
    *SPENT,
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
]
ORDERS += [
    "value",
    "low",
    "high",
    "shuffled",
    "shuffled_low",
    "shuffled_high",
]
ORDERS += [
    "smallest",
    "largest",
    "orders_sd",
    "seeds_sd",
    "orders",
    "runs",
]
SHOWN = [
    "variant",
    "budget",
    *TESTED[:3],
    *TESTED[5:],
    "published",
    "calls",
    "calls_default",
]
#: How Table 7 prints its columns, and what they are called here.
ORDERED = {
    "accuracy": METRICS["accuracy"],
    "#ops": METRICS["operations"],
}
IN_ORDERS = dict(
    zip(
        ("original", "range_min", "range_max", "std"),
        ORDERS[2:6],
        strict=True,
    )
)


def kept(folder: str) -> dict[Path, Mapping[str, object]]:
    """The runs that are kept in a folder, whole or as outcomes, and what each changes, by its
    `changes.json`."""
    home = Path(folder)
    found = {}
    for name, changed in json.loads((home / "changes.json").read_text(encoding="utf-8")).items():
        outcomes = home / name / "outcomes.parquet"
        found[outcomes if outcomes.is_file() else home / name] = changed
    return found


class Variant(NamedTuple):
    """Run folders or outcomes (of several seeds) and what they change. `candidates` are without
    texts, but `imports` says which name the toolbox, where the texts were there."""

    name: str
    folders: tuple[Path, ...]
    changes: Mapping[str, object]
    candidates: pd.DataFrame
    answers: pd.DataFrame
    calls: pd.DataFrame

    @property
    def label(self) -> str:
        return ", ".join(f"{option} {value}" for option, value in self.changes.items()) or "default"


class Ablations(NamedTuple):
    """The default and what is held against it, on the categories that all have and a variant's own
    seeds."""

    default: Variant
    variants: tuple[Variant, ...]
    comparison: Comparison
    rule: str

    @property
    def shuffled(self) -> list[Variant]:
        """The variants that differ in the order of problems alone."""
        return [variant for variant in self.variants if set(variant.changes) == {"shuffle"}]


def ablations(
    changes: Mapping[str | Path, Mapping[str, object]],
    *,
    rule: str = "one_stage",
) -> Ablations:
    """Run folders of TROVE, or their outcomes in folders of their names, and what each changes, by
    option as its study's file names it; the default is the first. What changes the same is one
    variant: runs of several seeds."""
    if not changes:
        raise TroveLiteError(
            "no run given: name the default's folder, then its variants; `make ablations` makes some"
        )
    alike: dict[str, list[Path]] = {}
    for folder, changed in changes.items():
        alike.setdefault(json.dumps(changed, sort_keys=True), []).append(Path(folder))
    found = [_read(folders, json.loads(changed), rule) for changed, folders in alike.items()]
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
    (model,) = one_kind(
        pd.concat([variant.candidates[["model"]] for variant in found]),
        "model",
    )
    calls = pd.concat([variant.calls for variant in found], ignore_index=True)
    comparison = Comparison.of(
        {variant.name: variant.candidates for variant in found},
        calls=calls,
    )
    comparison = replace(
        comparison,
        title=MODELS.get(model, model) + comparison.title.removeprefix(model),
    )
    return Ablations(found[0], tuple(found[1:]), comparison, rule)


def _read(folders: list[Path], changed: Mapping[str, object], rule: str) -> Variant:
    tables = (load_candidates(*folders), load_calls(*folders))
    rows, calls = (
        t[t["method"].astype(str).str.startswith("trove")].assign(method="trove") for t in tables
    )
    if rows.empty:
        raise TroveLiteError(f"{folders[0]}: not a run folder of TROVE")
    if "tools" in rows:
        rows = rows.assign(imports=rows["tools"].str.contains(r"\btoolbox\b", na=False))
    answers = ended_with(rows, rule).drop(columns=TEXT, errors="ignore")
    changes = {option.removeprefix("trove."): value for option, value in changed.items()}
    folder = folders[0].parent if folders[0].is_file() else folders[0]
    return Variant(
        folder.name,
        tuple(folders),
        changes,
        rows.drop(columns=TEXT, errors="ignore"),
        answers,
        calls,
    )


def _streams(frame: pd.DataFrame) -> list[tuple[str, int]]:
    return list(zip(frame["category"].astype(str), frame["seed"], strict=True))


def _only(frame: pd.DataFrame, common: set[tuple[str, int]]) -> pd.DataFrame:
    return frame[[stream in common for stream in _streams(frame)]].reset_index(drop=True)


def by_seed(rows: pd.DataFrame, measure: Measure) -> pd.DataFrame:
    """A measure of answers as scores, whose runs are called by their seeds."""
    runs = [f"seed {seed}" for seed in rows["seed"]]
    return scored(rows.assign(run=runs, method="trove"), measure(rows))


def selected(variant: Variant, way: Way, right: Measure) -> pd.DataFrame:
    """How often a way to select is right on the stream's candidates: the mean over the rows that it
    gives."""
    return by_seed(way(in_order(variant.candidates)), right)


def effects(study: Ablations, right: Measure, ways: Mapping[str, Way]) -> pd.DataFrame:
    """Every variant minus the default in accuracy, over all problems, largest gain first; one Holm
    correction over all.

    right: whether an answer is, true or false. ways: to select, by name; that of the study's rule
        is the default's.
    `budget`: the same calls, as run, or the default's own candidates scored again. Orders are one
        row, their mean.
    """
    usual = ways[study.rule]
    orders = study.shuffled
    rows = []
    default = selected(study.default, usual, right)
    for variant in (v for v in study.variants if v not in orders):
        first = _costs(variant, study.default)
        whole = _costs(variant, study.default, again=True)
        more = first["calls"] - first["calls_default"]
        same = _difference(selected(variant, usual, right), default) | first
        if abs(more) >= 0.01:
            same = _matched(study, variant, right, dearer=more > 0)
        found = {SAME: same}
        if any(whole[name] != same[name] for name in ("calls", "calls_default")):
            ended = [by_seed(one.answers, right) for one in (variant, study.default)]
            found[AS_RUN] = _difference(*ended) | whole
        paper, published = published_effect(study, variant.changes)
        about = {"variant": variant.label, "paper": paper}
        rows += [{**cells, **about, "budget": budget} for budget, cells in found.items()]
        rows[-1]["published"] = published
    if orders:
        parts = [selected(variant, usual, right) for variant in orders]
        together = pd.concat(parts)
        mean = scored(together, together["score"])
        label = "another order" if len(orders) == 1 else f"{len(orders)} other orders, their mean"
        cells = _difference(mean, default) | _costs(orders[0], study.default)
        rows.append(cells | {"variant": label, "paper": "Table 7", "budget": SAME})
    for name, way in ((name, way) for name, way in ways.items() if name != study.rule):
        cells = _difference(selected(study.default, way, right), default)
        cells |= _costs(study.default, study.default)
        cells["published"] = published_effect(study, {"answer by": name})[1]
        rows.append(
            cells
            | {
                "variant": f"answer by {name}",
                "paper": "Table 11",
                "budget": SCORED,
            }
        )
    table = add_holm(pd.DataFrame(rows)).reindex(columns=EFFECTS)
    table = table.astype({"note": object}).fillna({"note": ""})
    table = table.sort_values(
        "difference",
        ascending=False,
        kind="stable",
        ignore_index=True,
    )
    title = "TroVE's choices, each against the default"
    return name_table(table, "trove_ablations", title, study.comparison.title)


def effects_sentence(effects: pd.DataFrame, about: str) -> Sentence:
    """How many changes of a run matter, or are within 2 points, and which matters most."""
    ran = effects[effects["budget"] != SCORED]
    shown = ran["p_holm"] < 0.05
    within = (ran["p_holm"] >= 0.05) & (ran["p_within_2"] < 0.05)
    said = f"Of {len(ran)} changes of a run of {about}, {shown.sum()} are shown to matter"
    said += f" and {within.sum()} to be within 2 points"
    for row in in_words(ran).sort_values("difference", key=abs).tail(1).itertuples():
        said += f"; most does '{row.variant}', {row.budget}: {points(row)}"
    return Sentence(f"{said}.")


def effects_figure(effects: pd.DataFrame, about: str) -> Figure | None:
    title = f"TROVE's choices, each minus the default: {about}"
    label = f"accuracy (points, n = {effects['problems'].max():.0f})"
    how = {
        "rows": "variant",
        "series": "budget",
        "value": "difference",
        "margin": 0.02,
    }
    return forest(
        in_words(effects),
        title=title,
        label=label,
        name="trove_ablations",
        **how,
    )


def to_read(effects: pd.DataFrame) -> pd.DataFrame:
    """The columns of `effects` that a page shows; printed differences in points."""
    return in_words(effects)[SHOWN].assign(published=100 * effects["published"])


def in_words(effects: pd.DataFrame) -> pd.DataFrame:
    """The same with its changes in words, in place of options."""
    return effects.assign(variant=effects["variant"].replace(IN_WORDS, regex=True))


def _difference(scores: pd.DataFrame, minus: pd.DataFrame) -> dict:
    runs = len(set(scores["run"]) & set(minus["run"]))
    ((cells, _),) = difference(drop_unscored(scores), drop_unscored(minus))
    return cells | {"runs": runs}


def _matched(
    study: Ablations,
    variant: Variant,
    right: Measure,
    *,
    dearer: bool,
) -> dict:
    """Where two runs spend other calls: the first samples of the one that spends more, against all
    of the other's."""
    a, b = (study.default, variant) if dearer else (variant, study.default)
    systems = {one.name: study.comparison[one.name] for one in (a, b)}
    judged = {
        name: system.assign(correct=right(system).astype(bool)) for name, system in systems.items()
    }
    comparison = study.comparison.with_systems(**judged)
    rows = matched_budgets(comparison, pairs=[(a.name, b.name)], rule=study.rule)
    row = rows[rows["budget"] == "calls"].iloc[-1].to_dict()
    for system, end in zip("ba" if dearer else "ab", ("", "_default"), strict=True):
        row |= {f"{name}{end}": row[f"{cost}_{system}"] for cost, name in COSTS.items()}
    turned = {
        "difference": -row["difference"],
        "low": -row["high"],
        "high": -row["low"],
    }
    return row | turned if dearer else row


def _costs(variant: Variant, default: Variant, *, again: bool = False) -> dict[str, float]:
    found = {}
    for system, calls in (
        ("", variant.calls),
        (
            "_default",
            _only(default.calls, set(_streams(variant.calls))),
        ),
    ):
        problems = len(calls[["category", "problem", "seed"]].drop_duplicates())
        calls = calls[calls["model"].notna() & (again | (calls["phase"] != "retry"))]
        read, written = (
            calls[f"{kind}_tokens"].sum() / problems for kind in ("prompt", "completion")
        )
        costs = (len(calls) / problems, written, read + written)
        found |= {f"{name}{system}": cost for name, cost in zip(COSTS.values(), costs, strict=True)}
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
    """Which table prints these changes ("": none), and the paper's accuracy minus that of its own
    choice."""
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


def orders_table(study: Ablations, measures: Mapping[str, Measure], used: Tools) -> pd.DataFrame:
    """Table 7: measures of answers, and #lib, in the data set's own order (`value`) and in shuffled
    ones, by category.

    measures: by name, "accuracy" and "#ops". used: the tools that count of a run's answers, with
    t's intervals over runs. `orders_sd`: between orders at one seed, to be measured by `seeds_sd`,
    between seeds in one order.
    """
    rows = []
    name = study.default.name
    every = (study.default, *study.shuffled)
    for measure, of in measures.items():
        own, *parts = (by_seed(variant.answers, of) for variant in every)
        pooled = [part.assign(run=f"{i} " + part["run"]) for i, part in enumerate(parts)]
        others = estimates(study.comparison, name, pd.concat(pooled)) if parts else []
        others = {cell["category"]: cell for cell in others}
        for cell in (cell for cell in estimates(study.comparison, name, own) if cell["problems"]):
            category = cell["category"]
            here = [
                p[p["category"] == category] if category in study.comparison.categories else p
                for p in parts
            ]
            means = pd.DataFrame([part.groupby("run")["score"].mean() for part in here])
            about = {"measure": measure, "metric": ORDERED[measure]}
            rows.append(cell | about | _varied(others.get(category), means))
    for category in study.comparison.covered():
        own, *others = (_library(variant, category, used) for variant in every)
        cell = {
            "category": category,
            "measure": "#lib",
            "metric": "n_lib",
            "runs": len(own),
        }
        found = over_runs(np.concatenate(others)) if others else None
        rows.append(cell | over_runs(own) | _varied(found, pd.DataFrame(others)))
    printed = printed_rows(study, 7).rename(columns=IN_ORDERS)
    printed = printed[["category", "metric", *IN_ORDERS.values()]]
    table = pd.DataFrame(rows).merge(printed, on=["category", "metric"], how="left")
    table = table.assign(orders=len(study.shuffled)).reindex(columns=ORDERS)
    note = "" if study.shuffled else "no run with another order"
    title = "TroVE's Table 7, the order of problems"
    return name_table(
        table,
        "trove_table7",
        title,
        study.comparison.title,
        note=note,
    )


def _varied(shuffled: dict | None, means: pd.DataFrame) -> dict:
    if shuffled is None:
        return {}
    found = {
        f"shuffled{end}": shuffled.get(name)
        for end, name in (
            ("", "value"),
            ("_low", "low"),
            ("_high", "high"),
        )
    }
    values = means.to_numpy(dtype=float)
    of_orders = means.mean(axis=1)
    orders_sd, seeds_sd = (np.mean([run_sd(own) for own in ways]) for ways in (values.T, values))
    ends = {"smallest": of_orders.min(), "largest": of_orders.max()}
    return found | ends | {"orders_sd": orders_sd, "seeds_sd": seeds_sd}


def _library(variant: Variant, category: str, used: Tools) -> np.ndarray:
    answers = variant.answers[variant.answers["category"] == category]
    return np.array(
        [len(used(own)) for _, own in answers.groupby("seed")],
        dtype=float,
    )


def sizes_table(study: Ablations, kept: Tools) -> pd.DataFrame:
    """Figure 8: how many tools toolboxes end with, by trimming (`fewer`: the share that is gone);
    t's intervals."""
    rows = []
    for category in study.comparison.covered():
        for variant in (
            study.default,
            *(v for v in study.variants if set(v.changes) <= TRIMMING),
        ):
            here = toolboxes(variant.folders).query("category == @category")
            sizes = {seed: len(kept(box)) for seed, box in here.groupby("seed")}
            streams = set(_streams(variant.candidates))
            seeds = sorted(seed for name, seed in streams if name == category)
            ends = over_runs(
                np.array(
                    [sizes.get(seed, 0) for seed in seeds],
                    dtype=float,
                )
            )
            rows.append(
                {
                    "category": category,
                    "system": variant.label,
                    "runs": len(seeds),
                }
                | ends
            )
    columns = ["category", "system", "value", "low", "high", "runs"]
    table = pd.DataFrame(rows).reindex(columns=columns)
    table["fewer"] = 1 - table["value"] / table.groupby("category")["value"].transform("max")
    title = "TroVE's Figure 8, toolboxes with and without trimming"
    return name_table(table, "trove_figure8", title, study.comparison.title)


def sizes_figure(sizes: pd.DataFrame, about: str) -> Figure | None:
    title = f"What trimming leaves: {about}"
    label = "tools when the run ends"
    return forest(sizes, title=title, label=label, scale=1, name="trove_figure8")


def used_in_streams(
    candidates: pd.DataFrame,
) -> dict[tuple[str, str], list[list[str]]]:
    """The tools that each final answer of TROVE uses, in the order of its stream, by category and
    run."""
    answers = ended_with(candidates)
    answers = answers[(answers["method"] == "trove") & answers["used_tools"].notna()]
    streams = answers.sort_values("problem").groupby(["category", "run"], observed=True)
    return {key: [list(tools) for tools in own["used_tools"]] for key, own in streams}


def growth_figure(grown: pd.DataFrame, stream: str) -> Figure | None:
    """How many tools a stream has so far, a line a way to trim; grown: a row a problem, a column a
    way."""
    table = grown.assign(n=range(1, len(grown) + 1))
    table = table.melt("n", var_name="trimmed", value_name="tools")
    table.attrs["runs"] = stream
    how = {
        "x": "n",
        "series": "trimmed",
        "value": "tools",
        "scale": 1,
    }
    title = "Tools that answers use, in one stream"
    labels = ("problems so far", "tools")
    return curve(table[table["n"] % 20 == 0], title=title, labels=labels, **how)
