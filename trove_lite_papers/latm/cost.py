"""What a tool costs until it pays: the maker's bill is paid once, the user's at every instance
(LATM, section 3).

What a request costs (`bill`), from how many instances on a tool pays (`break_even`), and what it
costs until then (`amortised`) the essay defines.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trove_lite.candidates import STREAM, read_description, run_name
from trove_lite.models.money import Price
from trove_lite_analysis.differences import difference
from trove_lite_analysis.variance import decompose

from ..figures import curve
from ..tables import name_table
from .latm import PRIMITIVE
from .made_tools import RELEASED_MAKER, TOOL_MAKER
from .released import released_tokens
from .systems import MAKERS, System, systems

TOKENS = ["prompt_tokens", "cached_tokens", "completion_tokens"]
# the second is asked of nobody: tests run without the function that they test
WRAP = "wrap"
PROVE = "prove"
#: Of a task without a tool the user is asked nothing, or what PRIMITIVE asks: either saves nothing.
NO_TOOL = "no tool was made"
INSTANCES = (1, 2, 5, 10, 20, 50, 100, 240)
EVEN_COLUMNS = [
    "prices",
    "category",
    "a",
    "b",
    "fixed",
    "each",
    "each_rival",
    "instances",
    "low",
    "high",
    "note",
]

#: Of the maker's tokens and of the user's, where they are two models; one that is both costs as a
#: user.
Prices = tuple[Price, Price]
Bill = Callable[[pd.DataFrame, Price], pd.Series]


def billed(calls: pd.DataFrame, runs: Iterable[str | Path] = ()) -> pd.DataFrame:
    """Every call of LATM and what it is set beside, with its `system`, and whether it is `fixed`:
    paid once a task.

    Of LATM's trials those after the one whose tool is used were made to be counted, and are left
    out. Which that is the run folders say (`runs`); without them it is the first that came to the
    wrapper.
    """
    who = systems(calls)
    table = calls.astype(dict.fromkeys(STREAM, str) | {"role": object})
    keys = list(zip(table["run"], table["method"], strict=True))
    table = table[[key in who for key in keys]].assign(
        system=[who[key] for key in keys if key in who]
    )
    table[TOKENS] = table[TOKENS].fillna(0).astype(float)
    table["fixed"] = table["role"].isin(MAKERS) | (table["stage"] == PROVE)
    last = (
        table[table["fixed"] & (table["stage"] == WRAP)].groupby(STREAM)["sample"].min().to_dict()
    )
    last |= {key: trial for folder in runs for key, trial in _used_trials(folder) if key in last}
    trials = [last.get(key, np.inf) for key in table[STREAM].itertuples(index=False, name=None)]
    return table[~(table["fixed"] & (table["sample"].astype(float) > trials))]


def _used_trials(folder: str | Path) -> Iterator[tuple[tuple[str, str, str], int]]:
    """Run, method and task of each tool that a run folder of LATM made, and its trial; nothing of
    other files."""
    about = read_description(folder)
    trials = {}
    for tool in about.get("toolboxes", ()):
        if "proposals" in tool:
            stream = (
                run_name(about["settings"]["name"], tool["seed"]),
                tool["method"],
                tool["category"],
            )
            trials.setdefault(stream, []).append(bool(tool["made"]))
    yield from ((stream, passed.index(True)) for stream, passed in trials.items() if any(passed))


def break_even_table(
    calls: pd.DataFrame,
    bill: Bill,
    break_even: Callable[[float, float], float],
    prices: Mapping[str, Prices],
    *,
    runs: Iterable[str | Path] = (),
) -> pd.DataFrame:
    """From how many instances on LATM (`a`), with its tool, costs less than what makes none (`b`);
    null: never.

    `b` has the same user, or the maker as user. `fixed` is paid once, `each` at every instance,
    `each_rival` by the other; in units of `prices`, by `bill(calls, price)`. `instances` is
    `break_even(fixed, saved)`, of what an instance saves;
    `low`, `high`: the same of the ends of its 95 % interval over instances like these. runs: as for
        `billed`.
    """
    bills = dict(list(billed(calls, runs).groupby(["system", "category"], sort=False)))
    rows = []
    for (name, price), (a, category), (b, other) in product(prices.items(), bills, bills):
        if (
            other == category
            and a.method == TOOL_MAKER
            and not b.maker
            and b.user in (a.user, a.maker)
        ):
            about = {"prices": name, "category": category, "a": a.title, "b": b.title}
            rows += [about | row for row in _even(price, category, a, b, bills, bill, break_even)]
    table = pd.DataFrame(rows, columns=EVEN_COLUMNS)
    return name_table(
        table, "latm_break_even", "break-even", "", note="no LATM runs beside another method's"
    )


def _even(
    price: Prices,
    category: str,
    a: System,
    b: System,
    bills: Mapping,
    bill: Bill,
    break_even: Callable,
) -> Iterator[dict]:
    of_maker, of_user = price
    used = bills[a, category]
    mine = _each(used, bill, of_user)
    other = _each(bills[b, category], bill, of_user if b.user == a.user else of_maker)
    mine, other = (each.to_numpy()[:, None] for each in mine.align(other, join="inner"))
    if not len(mine):
        return
    making = of_user if a.maker == a.user else of_maker
    fixed, note = _fixed(making, category, a, bills, bill)
    row = {"fixed": fixed, "each": mine.mean(), "each_rival": other.mean(), "note": note}
    if not used.loc[~used["fixed"] & (used["stage"] != PRIMITIVE), "model"].notna().any():
        row |= {"each": np.nan, "note": NO_TOOL}
    elif not np.isnan(fixed):
        ((saved, v),) = difference(other, mine, of=decompose, shares=False)
        ends = [saved[name] for name in ("difference", "high", "low")]
        ends = ends if v.se else [v.value] * 3  # the rule of three is for shares
        instances, low, high = (break_even(fixed, each) for each in ends)
        row |= {"instances": np.nan if np.isinf(instances) else instances, "low": low, "high": high}
    yield row


def _each(calls: pd.DataFrame, bill: Bill, price: Price) -> pd.Series:
    used = calls[~calls["fixed"]]
    paid = used.assign(bill=bill(used, price)).groupby(["run", "problem"])["bill"].sum()
    return paid.groupby("problem").mean()


def _fixed(price: Price, category: str, a: System, bills: Mapping, bill: Bill) -> tuple[float, str]:
    for (system, task), calls in bills.items():
        if task == category and system.maker == a.maker and calls["fixed"].any():
            own = calls[calls["fixed"]]
            return float(bill(own, price).sum() / own["run"].nunique()), ""
    if a.maker == RELEASED_MAKER and (read := released_tokens(category)):
        tokens = dict(zip(TOKENS, (read[0], 0, read[1]), strict=True))
        estimated = bill(pd.DataFrame([tokens]), price).item()
        return estimated, "making: estimated, at 4 characters a token"
    return np.nan, "the maker's run is not among these"


def first_tools(even: pd.DataFrame, prices: str) -> pd.DataFrame:
    """Of each task that has a tool what it costs to make and to use, by these prices: the index is
    the task."""
    known = even[(even["prices"] == prices) & even["each"].notna()]
    return known.drop_duplicates(["a", "category"]).set_index("category")[["fixed", "each"]]


def costs_figure(
    even: pd.DataFrame, accuracy: pd.DataFrame, amortised: Callable, *, prices: str = "tokens"
) -> Figure | None:
    """What a right answer costs against how many questions there are, the tool's making shared out;
    a panel a task.

    amortised(fixed, each, n): what a question costs when a tool is used n times. Its interval is
    that of the share of right answers (`accuracy`: low, high). Without one there is no line.
    """
    known = even[(even["prices"] == prices) & even["each"].notna() & even["fixed"].notna()]
    if known.empty:
        return None
    own = known.drop_duplicates(["a", "category"]).assign(system=known["a"])
    rivals = known.assign(system=known["b"], fixed=0.0, each=known["each_rival"]).drop_duplicates(
        ["b", "category"]
    )
    bills = pd.concat([own, rivals])[["category", "system", "fixed", "each"]]
    bills = bills.merge(
        accuracy[["category", "system", "value", "low", "high", "problems"]],
        on=["category", "system"],
    )
    users = sorted(set(bills["system"].str.rpartition(", ")[2]))
    if len(users) == 1:
        bills["system"] = bills["system"].str.rpartition(", ")[0]
    bills = bills[bills.groupby("system")["value"].transform("max") > 0]
    right = (
        (bills["system"] + (100 * bills["value"]).map(" {:.0f} %".format))
        .groupby(bills["category"])
        .agg(", ".join)
    )
    bills["task"] = (
        bills["category"].str.replace("_", " ") + ", right:\n" + bills["category"].map(right)
    )
    # the fewer are right, the dearer is each
    ends = {"value": "value", "low": "high", "high": "low"}
    parts = []
    for n in INSTANCES:
        cost = amortised(bills["fixed"], bills["each"], n)
        parts.append(
            bills.assign(
                n=str(n), **{to: cost / bills[of].replace(0, np.nan) for to, of in ends.items()}
            )
        )
    title = f"What a right answer costs, with the tool's making: {', '.join(users)}"
    labels = (
        f"questions that use the tool (n = {bills['problems'].max():.0f})",
        f"{prices} a right answer",
    )
    sign = re.sub(r"\W+", "_", prices).strip("_")
    about = {"panel": "task", "scale": 1, "log": "y", "name": f"latm_costs_{sign}"}
    figure = curve(
        pd.concat(parts).drop(columns="problems"), x="n", title=title, labels=labels, **about
    )
    for axes in figure.axes:
        axes.title.set_fontsize(9)
    about = f"{title}, by {prices}. A tool pays from where its line is below another's."
    figure.caption = (
        f"{about} Bars: 95 % intervals of the share that is right. No line: no right answer."
    )
    return figure
