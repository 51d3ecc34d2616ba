"""What a tool costs until it pays: the maker's bill is paid once, the user's at every instance (LATM, section 3)."""

import re
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trove_lite.candidates import STREAM, read_description, run_name
from trove_lite_analysis.statistics import Interval
from trove_lite_analysis.variance import decompose, interval

from ..figures import curve
from ..tables import name_table
from .latm import PRIMITIVE
from .made_tools import RELEASED_MAKER, TOOL_MAKER
from .released import released_tokens
from .systems import MAKERS, System, systems

TOKENS = ["prompt_tokens", "cached_tokens", "completion_tokens"]
WRAP, PROVE = (
    "wrap",
    "prove",
)  # the second is asked of nobody: tests run without the function that they test
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

#: What a model's token costs: read, read from the engine's cache, and written.
Price = namedtuple("Price", "prompt cached completion")
#: Of the maker's tokens and of the user's, where they are two models; one that is both costs as a user.
Prices = namedtuple("Prices", "maker user")
#: Ways to price a token. `tokens`: all alike. `tokens, cache free`: what an engine of one's own need not read again
#: costs nothing. `15 to 1`: the maker's cost 15 of the user's (LATM, section 3: "C is over 15x larger than c", of GPT-4
#: and GPT-3.5 Turbo). The last: US dollars a million tokens, as listed by OpenAI in April 2026 for these two.
PRICES = {
    "tokens": Prices(Price(1, 1, 1), Price(1, 1, 1)),
    "tokens, cache free": Prices(Price(1, 0, 1), Price(1, 0, 1)),
    "15 to 1 (May 2023)": Prices(Price(15, 15, 15), Price(1, 1, 1)),
    "GPT-4.1, 4.1 mini (April 2026)": Prices(Price(2, 0.5, 8), Price(0.4, 0.1, 1.6)),
}


def billed(calls: pd.DataFrame, runs: Iterable[str | Path] = ()) -> pd.DataFrame:
    """Every call of LATM and what it is set beside, with its `system`, and whether it is `fixed`: paid once a task.

    Of LATM's trials those after the one whose tool is used were made to be counted, and are left out. Which that is the
    run folders say (`runs`); without them it is the first that came to the wrapper.
    """
    who, table = systems(calls), calls.astype(dict.fromkeys(STREAM, str) | {"role": object})
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
    """Run, method and task of each tool that a run folder of LATM made, and its trial; nothing of other files."""
    about, trials = read_description(folder), {}
    for tool in about.get("toolboxes", ()):
        if "proposals" in tool:
            stream = (
                run_name(about["settings"]["name"], tool["seed"]),
                tool["method"],
                tool["category"],
            )
            trials.setdefault(stream, []).append(bool(tool["made"]))
    yield from ((stream, passed.index(True)) for stream, passed in trials.items() if any(passed))


def bill(calls: pd.DataFrame, price: Price) -> pd.Series:
    anew = calls["prompt_tokens"] - calls["cached_tokens"]
    return (
        price.prompt * anew
        + price.cached * calls["cached_tokens"]
        + price.completion * calls["completion_tokens"]
    )


def break_even(
    calls: pd.DataFrame, *, prices: Mapping[str, Prices] = PRICES, runs: Iterable[str | Path] = ()
) -> pd.DataFrame:
    """From how many instances on LATM (`a`), with its tool, costs less than what makes none (`b`); null: never.

    `b` is of the same user, or of the maker. `fixed` is paid once, `each` at every instance, `each_rival` by the other;
    in units of `prices`. `low`, `high`: of `instances`, 95 % over instances like these; infinite where the saving's
    interval reaches 0. runs: as for `billed`.
    """
    bills, rows = dict(list(billed(calls, runs).groupby(["system", "category"], sort=False))), []
    for (name, price), (a, category), (b, other) in product(prices.items(), bills, bills):
        if (
            other == category
            and a.method == TOOL_MAKER
            and not b.maker
            and b.user in (a.user, a.maker)
        ):
            about = {"prices": name, "category": category, "a": a.title, "b": b.title}
            rows += [about | row for row in _even(price, category, a, b, bills)]
    table = pd.DataFrame(rows, columns=EVEN_COLUMNS)
    return name_table(
        table, "latm_break_even", "break-even", "", note="no LATM runs beside another method's"
    )


def _even(price: Prices, category: str, a: System, b: System, bills: Mapping) -> Iterator[dict]:
    used = bills[a, category]
    mine, other = (
        _each(used, price.user),
        _each(bills[b, category], price.user if b.user == a.user else price.maker),
    )
    mine, other = (each.to_numpy()[:, None] for each in mine.align(other, join="inner"))
    if not len(mine):
        return
    fixed, note = _fixed(price.user if a.maker == a.user else price.maker, category, a, bills)
    row = {"fixed": fixed, "each": mine.mean(), "each_rival": other.mean(), "note": note}
    if not used.loc[~used["fixed"] & (used["stage"] != PRIMITIVE), "model"].notna().any():
        row |= {"each": np.nan, "note": NO_TOOL}
    elif not np.isnan(fixed):
        v = decompose(other, mine)
        saved = (
            interval(v) if v.se else Interval(v.value, v.value, v.value, 0.0)
        )  # the rule of three is for shares
        instances, low, high = (
            np.ceil(fixed / s) if s > 0 else np.inf for s in (saved.value, saved.high, saved.low)
        )
        row |= {"instances": np.nan if np.isinf(instances) else instances, "low": low, "high": high}
    yield row


def _each(calls: pd.DataFrame, price: Price) -> pd.Series:
    used = calls[~calls["fixed"]]
    return (
        used.assign(bill=bill(used, price))
        .groupby(["run", "problem"])["bill"]
        .sum()
        .groupby("problem")
        .mean()
    )


def _fixed(price: Price, category: str, a: System, bills: Mapping) -> tuple[float, str]:
    for (system, task), calls in bills.items():
        if task == category and system.maker == a.maker and calls["fixed"].any():
            own = calls[calls["fixed"]]
            return float(bill(own, price).sum() / own["run"].nunique()), ""
    if a.maker == RELEASED_MAKER and (read := released_tokens(category)):
        return price.prompt * read[0] + price.completion * read[
            1
        ], "making: estimated, at 4 characters a token"
    return np.nan, "the maker's run is not among these"


def costs_figure(
    even: pd.DataFrame, accuracy: pd.DataFrame, *, prices: str = "tokens"
) -> Figure | None:
    """What a right answer costs against how many questions there are, the tool's making shared out; a panel a task.

    Its interval is that of the share of right answers (`accuracy`: low, high). Without one there is no line.
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
    ends, parts = (
        {"value": "value", "low": "high", "high": "low"},
        [],
    )  # the fewer are right, the dearer is each
    for n in INSTANCES:
        cost = bills["fixed"] / n + bills["each"]
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
    about = {"panel": "task", "scale": 1, "log": True, "name": f"latm_costs_{sign}"}
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
