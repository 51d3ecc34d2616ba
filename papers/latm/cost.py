"""What a tool costs until it pays: the maker's bill is paid once, the user's at every instance (LATM, section 3).

The paper states O(nc + C). Here the maker's calls, its growing chat and its failed trials are counted as they were, and
so are the longer prompts of a user who reads the tool. Prices are a parameter.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import EngFormatter

from trove_lite.analysis.statistics import Interval
from trove_lite.analysis.variance import decompose, interval
from trove_lite.candidates import read_description, run_name
from trove_lite.methods.latm import PRIMITIVE
from trove_lite.recorded.made_tools import RELEASED_MAKER

from .. import named
from ..style import SERIES, plt, titled
from .released import released_tokens
from .systems import ALONE, MAKERS, METHODS, TOOL_MAKER, System, systems

SPENT = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", "executions")
WRAP, PROVE = "wrap", "prove"  # the second is asked of nobody: tests run without the function that they test
LABELS = 6  # labelled problems of a task that LATM's maker sees
#: Of a task without a tool the user is asked nothing, or what PRIMITIVE asks: either saves nothing.
NO_TOOL = "no tool was made"
EVEN_COLUMNS = ["prices", "category", "a", "b", "fixed", "each", "each_rival", "instances", "low", "high", "note"]


class Price(NamedTuple):
    """What a model's token costs: read, read from the engine's cache, and written."""

    prompt: float
    cached: float
    completion: float


class Prices(NamedTuple):
    """Of the maker's tokens and of the user's, where they are two models; one that is both costs as a user."""

    maker: Price
    user: Price

    def of_maker(self, system: System) -> Price:
        """Of the tokens of whoever made this system's tool."""
        return self.user if system.maker == system.user else self.maker


#: Ways to price a token. `tokens`: all alike. `tokens, cache free`: what an engine of one's own need not read again
#: costs nothing. `15 to 1`: the maker's cost 15 of the user's (LATM, section 3: "C is over 15x larger than c", of GPT-4
#: and GPT-3.5 Turbo). The last: US dollars a million tokens, as listed by OpenAI in April 2026 for these two.
PRICES = {
    "tokens": Prices(Price(1, 1, 1), Price(1, 1, 1)),
    "tokens, cache free": Prices(Price(1, 0, 1), Price(1, 0, 1)),
    "15 to 1 (May 2023)": Prices(Price(15, 15, 15), Price(1, 1, 1)),
    "GPT-4.1, 4.1 mini (April 2026)": Prices(Price(2, 0.5, 8), Price(0.4, 0.1, 1.6)),
}


def needed(
    calls: pd.DataFrame, methods: Iterable[str] = tuple(METHODS), runs: Iterable[str | Path] = ()
) -> pd.DataFrame:
    """Every call of LATM and what it is set beside, with its `system`, and whether it is `fixed`.

    Of LATM's trials those after the one whose tool is used were made to be counted, and are left out. Which that is the
    run folders say (`runs`); without them it is the first that came to the wrapper.
    """
    who = {key: system for key, system in systems(calls).items() if system.method in methods}
    keys = list(zip(calls["run"].astype(str), calls["method"].astype(str), strict=True))
    known = [key in who for key in keys]
    table = calls[known].assign(system=[who[key] for key in keys if key in who]).reset_index(drop=True)
    table = table.assign(
        run=list(zip(table["run"], table["method"], strict=True)),
        calls=table["model"].notna().astype(float),
        role=table["role"].astype(object).fillna(""),
        category=table["category"].astype(str),
        **table[list(SPENT[1:])].fillna(0).astype(float),
    )
    table.insert(0, "fixed", table["role"].isin(MAKERS) | (table["stage"] == PROVE))
    stream = ["run", "system", "category"]
    wrapped = table[table["fixed"] & (table["stage"] == WRAP)].groupby(stream)["sample"].min().to_dict()
    said = {(run, method, task): n for folder in runs for run, method, task, n in used_trials(folder)}
    wrapped |= {key: said[(*key[0], key[2])] for key in wrapped if (*key[0], key[2]) in said}
    first = pd.MultiIndex.from_frame(table[stream]).map(wrapped) if len(table) else []
    return table[~table["fixed"] | ~(table["sample"].astype(float) > np.array(first, dtype=float))]


def used_trials(folder: str | Path) -> Iterator[tuple[str, str, str, int]]:
    """Run, method and task of each tool that a run folder of LATM made, and its trial; nothing of other files."""
    path = Path(folder)
    if not (path / "run.json").is_file():
        return
    about = read_description(path)
    trials: dict[tuple[str, str, str], list[bool]] = {}
    for made in (made for made in about.get("toolboxes", ()) if "proposals" in made):
        stream = run_name(about["settings"]["name"], made["seed"]), made["method"], made["category"]
        trials.setdefault(stream, []).append(bool(made["made"]))
    yield from ((*stream, passed.index(True)) for stream, passed in trials.items() if any(passed))


def bill(calls: pd.DataFrame, price: Price) -> pd.Series:
    """What each of these calls costs."""
    anew = calls["prompt_tokens"] - calls["cached_tokens"]
    return price.prompt * anew + price.cached * calls["cached_tokens"] + price.completion * calls["completion_tokens"]


def costs(
    calls: pd.DataFrame, *, prices: Mapping[str, Prices] = PRICES, runs: Iterable[str | Path] = ()
) -> pd.DataFrame:
    """What each system spent on a task: a row a system, task and role, means over runs.

    `fixed` says whether it is paid once a task (the maker) or at every instance; `instances`: of the task; `labels`:
    labelled problems that the maker saw. The columns after the counts are their price in each of `prices`, of all
    instances together; the dispatcher has a row of its own. runs: as for `needed`. Empty without runs of LATM.
    """
    table = needed(calls, [*METHODS, *ALONE], runs)
    two = table["fixed"] & np.array([system.maker != system.user for system in table["system"]], dtype=bool)
    for name, price in prices.items():
        table[name] = bill(table, price.maker).where(two, bill(table, price.user))
    if not any(system.method in (TOOL_MAKER, *ALONE) for system in table["system"]):
        return named(pd.DataFrame(), "", "costs", "", note="no runs of LATM")
    whose = table.groupby(["system", "category", "role"])
    spent = whose[[*SPENT, *prices]].sum().div(whose["run"].nunique(), axis=0)
    instances = table.groupby(["system", "category"])["problem"].nunique()
    spent.insert(0, "fixed", whose["fixed"].any())
    spent.insert(1, "instances", instances.reindex(spent.index.droplevel("role")).to_numpy())
    spent = spent.reset_index()
    labelled = spent["system"].map(lambda system: system.method == TOOL_MAKER) & (spent["role"] == MAKERS[0])
    spent.insert(spent.columns.get_loc(SPENT[-1]) + 1, "labels", LABELS * labelled.astype(int))
    spent["system"] = [system.title for system in spent["system"]]
    return named(spent, "latm_costs", "costs", "")


def break_even(
    calls: pd.DataFrame, *, prices: Mapping[str, Prices] = PRICES, runs: Iterable[str | Path] = ()
) -> pd.DataFrame:
    """From how many instances on LATM (`a`), with its tool, costs less than what makes none (`b`); null: never.

    Beside it are set other methods of the same user, and of the maker. `fixed` is paid once, `each` at every instance,
    `each_rival` by the other; in units of `prices`. `low`, `high`: of `instances`, 95 % over instances like these, from
    the interval of each_rival - each; infinite where that reaches 0. The bill of a maker elsewhere is read from its own
    run, if that is among these. A task without a tool has no `each`, and says so. runs: as for `needed`.
    """
    bills = dict(list(needed(calls, runs=runs).groupby(["system", "category"], sort=False)))
    rows = [
        {"prices": name, "category": category, "a": a.title, "b": b.title} | _even(price, category, a, b, bills)
        for name, price in prices.items()
        for a, category in bills
        for b, other in bills
        if other == category and a.method == TOOL_MAKER and not b.maker and b.user in (a.user, a.maker)
    ]
    rows = [row for row in rows if "each" in row]
    found = pd.DataFrame(rows, columns=EVEN_COLUMNS)
    return named(found, "latm_break_even", "break-even", "", note="no LATM runs beside another method's")


def _even(price: Prices, category: str, a: System, b: System, bills: Mapping) -> dict:
    """Where the bills of two systems on one task cross."""
    used = bills[a, category]
    mine = _each(used, price.user)
    other = _each(bills[b, category], price.user if b.user == a.user else price.maker)
    both = mine.index.intersection(other.index)
    if not len(both):
        return {}
    mine, other = (each.reindex(both).to_numpy()[:, None] for each in (mine, other))
    v = decompose(other, mine)
    saved = interval(v) if v.se else Interval(v.value, v.value, v.value, 0.0)  # the rule of three is for shares
    fixed, note = _fixed(price.of_maker(a), category, a, bills)
    about = {"fixed": fixed, "each": mine.mean(), "each_rival": other.mean(), "note": note}
    if not used.loc[~used["fixed"] & (used["stage"] != PRIMITIVE), "calls"].any():
        return about | {"each": np.nan, "note": NO_TOOL}
    if np.isnan(fixed):
        return about
    instances, low, high = (np.ceil(fixed / s) if s > 0 else np.inf for s in (saved.value, saved.high, saved.low))
    return about | {"instances": np.nan if np.isinf(instances) else instances, "low": low, "high": high}


def _each(calls: pd.DataFrame, price: Price) -> pd.Series:
    """What each instance cost, means over runs."""
    used = calls[~calls["fixed"]]
    return used.assign(bill=bill(used, price)).groupby(["run", "problem"])["bill"].sum().groupby("problem").mean()


def _fixed(price: Price, category: str, a: System, bills: Mapping) -> tuple[float, str]:
    """What making the tool cost, and where that is known from."""
    for (system, task), calls in bills.items():
        if task == category and system.maker == a.maker and calls["fixed"].any():
            own = calls[calls["fixed"]]
            return float(bill(own, price).sum() / own["run"].nunique()), ""
    if a.maker == RELEASED_MAKER and (read := released_tokens(category)):
        return price.prompt * read[0] + price.completion * read[1], "making: estimated, at 4 characters a token"
    return np.nan, "the maker's run is not among these"


def costs_figure(even: pd.DataFrame, *, prices: str = "tokens", most: int = 240) -> Figure | None:
    """Cost against instances, a panel a task: a tool's line starts at what it cost to make; crossings are marked.

    Of several systems the first is drawn that has a tool: its user's own, or one that it was given.
    """
    part = even[(even["prices"] == prices) & even["fixed"].notna()]
    having = pd.concat([part[part["each"].notna()], part])["a"]
    part = part[part["a"] == having.iloc[0]] if len(part) else part
    tasks = list(dict.fromkeys(part["category"]))
    if not tasks:
        return None
    rows = -(-len(tasks) // 3)
    columns = min(len(tasks), 3)
    figure, axes = plt.subplots(
        rows, columns, figsize=(1.2 + 2.6 * columns, 0.6 + 2.6 * rows), squeeze=False, layout="constrained"
    )
    n = np.array([0, most])
    for axis, task in zip(axes.flat, tasks, strict=False):
        here = part[part["category"] == task]
        first = here.iloc[0]
        own, *others = (SERIES[name] for name in ("TROVE", "PRIMITIVE", "TROVE, two-stage", "SKIP pool"))
        axis.plot(n, first["fixed"] + n * first["each"], own.line, color=own.colour, label=str(first["a"]))
        for series, row in zip(others, here.itertuples(), strict=False):
            axis.plot(n, n * row.each_rival, series.line, color=series.colour, label=row.b)
            if row.instances <= most:
                axis.plot(row.instances, row.instances * row.each_rival, "o", color="white", markeredgecolor="black")
        if first["note"] == NO_TOOL:
            axis.annotate(NO_TOOL, (0.03, 0.97), xycoords="axes fraction", va="top", fontsize=8)
        axis.set_title(task.replace("_", " "), fontsize=9)
        axis.yaxis.set_major_formatter(EngFormatter(sep=""))
        axis.set_xlabel("instances")
        axis.set_ylim(bottom=0)
    for axis in axes[:, 0]:
        axis.set_ylabel(f"cost ({prices})")
    for axis in axes.flat[len(tasks) :]:
        axis.set_visible(False)
    figure.legend(
        *axes.flat[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=min(2, columns),
        frameon=False,
        fontsize=8,
    )
    text = f"What a made tool costs, by {prices}, against the number of instances"
    caption = f"{text}. The line of the tool begins at what the maker spent; a circle: cheaper from here on."
    name = "_".join("".join(sign if sign.isalnum() else " " for sign in prices).split())
    return titled(figure, even, text, f"latm_costs_{name}", caption=caption)


def amortised(even: pd.DataFrame, *, instances: Sequence[int] = (1, 10, 40, 100, 240, 1000)) -> pd.DataFrame:
    """What an instance costs when a tool is used so many times: fixed / n + each, beside what it is set beside."""
    rows = [
        {"prices": row.prices, "category": row.category, "a": row.a, "b": row.b, "n": n}
        | {"cost": row.fixed / n + row.each, "cost_rival": row.each_rival}
        for row in even.itertuples()
        for n in instances
    ]
    columns = ["prices", "category", "a", "b", "n", "cost", "cost_rival"]
    return named(pd.DataFrame(rows, columns=columns), "latm_amortised", "cost of an instance", "")
