"""What a tool costs until it pays: the maker's bill is paid once, the user's at every instance (LATM, section 3).

The paper states O(nc + C). Here the maker's calls, its growing chat and its failed trials are counted as they were, and
so are the longer prompts of a user who reads the tool.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from .. import named
from ..style import SERIES, plt, titled

SPENT = ("calls", "prompt_tokens", "cached_tokens", "completion_tokens", "executions")
MAKER = "maker"


class Price(NamedTuple):
    """What a token costs, in units of the user's prompt token: the maker's and the user's, read and written."""

    maker_prompt: float
    maker_completion: float
    user_prompt: float
    user_completion: float


#: Ways to price a token. `tokens`: all alike. `15 to 1`: the maker's cost 15 of the user's (LATM, section 3, May 2023:
#: "C > 15c", of GPT-4 and GPT-3.5 Turbo).
PRICES = {"tokens": Price(1, 1, 1, 1), "15 to 1": Price(15, 15, 1, 1)}


def costs(calls: pd.DataFrame, *, prices: Mapping[str, Price] = PRICES) -> pd.DataFrame:
    """What each method spent on a task: a row a method, task and role, means over runs.

    `fixed` says whether it is paid once a task (the maker) or at every instance; `instances`: of the task. The columns
    after the counts are their price in each of `prices`, of all instances together. Empty without runs of LATM.
    """
    if not (calls["method"] == "latm").any():
        return named(calls.head(0), "", "costs", "", note="no runs of LATM")
    counted = calls.assign(
        role=calls["role"].astype(object).fillna(""),
        calls=calls["model"].notna().astype("int64"),
        method=calls["method"].astype(str),
        category=calls["category"].astype(str),
    )
    spent = counted.fillna(dict.fromkeys(SPENT[1:], 0)).groupby(["method", "category", "role"])[list(SPENT)].sum()
    runs = counted.groupby(["method", "category"])["run"].nunique()
    instances = counted.groupby(["method", "category"])["problem"].nunique()
    table = spent.reset_index()
    keys = pd.MultiIndex.from_frame(table[["method", "category"]])
    table[list(SPENT)] = table[list(SPENT)].astype(float).div(runs.reindex(keys).to_numpy(), axis=0)
    table.insert(3, "fixed", table["role"] == MAKER)
    table.insert(4, "instances", instances.reindex(keys).to_numpy())
    for name, price in prices.items():
        read, written = (
            np.where(table["fixed"], maker, user)
            for maker, user in (
                (price.maker_prompt, price.user_prompt),
                (price.maker_completion, price.user_completion),
            )
        )
        table[name] = read * table["prompt_tokens"] + written * table["completion_tokens"]
    return named(table, "latm_costs", "costs", "")


def break_even(costs: pd.DataFrame, *, method: str = "latm", prices: Sequence[str] = tuple(PRICES)) -> pd.DataFrame:
    """From how many instances on `method`, with its tool, costs less than each other method: `instances`, null: never.

    `fixed` is paid once, `each` at every instance, `each_rival` by the other method; in units of `prices`.
    """
    rows = []
    for price in prices if len(costs) else ():
        bills = (
            costs.astype({price: float}).groupby(["category", "method", "fixed"])[price].sum().unstack(fill_value=0.0)
        )
        bills = bills.reindex(columns=[False, True], fill_value=0.0)
        size = costs.groupby(["category", "method"])["instances"].first()
        for (category, rival), bill in bills.iterrows():
            if rival == method or (category, method) not in bills.index:
                continue
            mine = bills.loc[(category, method)]
            fixed, each = mine[True], mine[False] / size[category, method]
            other = bill.sum() / size[category, rival]
            about = {"prices": price, "category": category, "a": method, "b": rival, "fixed": fixed, "each": each}
            pays = np.ceil(fixed / (other - each)) if other > each else np.nan
            rows.append(about | {"each_rival": other, "instances": pays})
    columns = ["prices", "category", "a", "b", "fixed", "each", "each_rival", "instances"]
    table = pd.DataFrame(rows, columns=columns)
    return named(table, "latm_break_even", "break-even", "", note="no LATM runs beside another method's")


def costs_figure(even: pd.DataFrame, *, prices: str = "tokens", most: int = 240) -> Figure | None:
    """Cost against instances, a panel a task: the tool's line starts at what it cost to make; crossings are marked."""
    part = even[even["prices"] == prices]
    tasks = list(dict.fromkeys(part["category"]))
    if not tasks:
        return None
    figure, axes = plt.subplots(
        1, len(tasks), figsize=(1.2 + 2.6 * len(tasks), 3.2), squeeze=False, layout="constrained"
    )
    n = np.array([0, most])
    for axis, task in zip(axes[0], tasks, strict=True):
        here = part[part["category"] == task]
        first = here.iloc[0]
        own, *others = (SERIES[name] for name in ("TROVE", "PRIMITIVE", "TROVE, two-stage", "SKIP pool"))
        axis.plot(n, first["fixed"] + n * first["each"], own.line, color=own.colour, label=str(first["a"]).upper())
        for series, row in zip(others, here.itertuples(), strict=False):
            axis.plot(n, n * row.each_rival, series.line, color=series.colour, label=row.b)
            if row.instances <= most:
                axis.plot(row.instances, row.instances * row.each_rival, "o", color="white", markeredgecolor="black")
        axis.set_title(task.replace("_", " "), fontsize=9)
        axis.set_xlabel("instances")
        axis.set_ylim(bottom=0)
    axes[0][0].set_ylabel(f"cost ({prices})")
    axes[0][-1].legend(frameon=False, fontsize=8)
    text = f"What a made tool costs, by {prices}, against the number of instances"
    caption = f"{text}. The line of the tool begins at what the maker spent; a circle: cheaper from here on."
    return titled(figure, even, text, f"latm_costs_{prices.replace(' ', '_')}", caption=caption)
