"""How much of the way from one selector to another a third goes, on the same candidates."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trove_lite.selection.tables import PROBLEM, without_agreement
from trove_lite_analysis.differences import percent
from trove_lite_analysis.scores import variance_of
from trove_lite_analysis.sentence import Sentence
from trove_lite_analysis.systems import Comparison
from trove_lite_analysis.variance import Variance, interval, proportion_interval

from ..figures import ALIASES, forest
from ..tables import name_table, statuses
from .programs import Program, Samples

ACCURACY = "accuracy"
CLOSED = "gap closed"
COLUMNS = ["category", "selector", "measure", "value", "low", "high", "covers", "problems"]


def gaps(
    right: pd.DataFrame, groups: Mapping[str, Sequence[str]], *, lower: str, upper: str
) -> pd.DataFrame:
    """Accuracy by each selector, and the share of the gap from selector `lower` to `upper` that it
    closes.

    right: a row a problem and run (index `choose.PROBLEM`), a column a selector: how likely it is
    right there, null where that is not known. groups: a name → the categories that its rows are
    over. Returns a row a group, selector and `measure`, with 95 % intervals over what `covers`
    names. A share is a ratio of two means, (selector - lower) / (upper - lower): its error is that
    of the mean of selector - lower - share (upper - lower), over the mean gap (Cochran 1977,
    section 6.3). Null where there is no gap, or a category is not known.
    """
    rows = []
    for name in right:
        known = right[right[name].notna()]
        won = known[name] - known[lower]
        gap = known[upper] - known[lower]
        accuracy = _variance(known[name])
        for group, categories in groups.items():
            if accuracy is None or not set(categories) <= set(accuracy.labels):
                about = {"category": group, "selector": name, "measure": CLOSED}
                rows += [about] if group == [*groups][-1] else []
                continue
            v = accuracy.of(categories)
            mean_gap = _variance(gap).of(categories).value
            about = {
                "category": group,
                "selector": name,
                "covers": v.covers,
                "problems": v.problems,
            }
            found = proportion_interval(v)
            rows.append(
                about
                | {"measure": ACCURACY, "value": v.value, "low": found.low, "high": found.high}
            )
            share, low, high = [{lower: 0.0, upper: 1.0}.get(name)] * 3  # by definition
            if mean_gap <= 0:
                share = low = high = None
            elif share is None:
                share = _variance(won).of(categories).value / mean_gap
                rest = interval(_variance(won - share * gap).of(categories))
                low, high = (share + (end - rest.value) / mean_gap for end in (rest.low, rest.high))
            rows.append(about | {"measure": CLOSED, "value": share, "low": low, "high": high})
    return pd.DataFrame(rows, columns=COLUMNS).astype({"value": float, "low": float, "high": float})


def _variance(scores: pd.Series) -> Variance | None:
    return variance_of(scores.rename("score").reset_index())


#: Why a selector's row may be empty, where it is not that there is no gap.
LACKS = {
    "log-probability": "no run has them; make one with ?logprobs=on",
    "shortest program": "needs the programs' text: give a run folder",
}


def selectors_table(
    comparison: Comparison,
    asked: Mapping[str, Samples],
    selectors: Sequence[str],
    chance: Callable[[str, Sequence[Program]], float],
) -> pd.DataFrame:
    """A row a system, category, selector and measure (`gaps`, from the first selector to the last);
    `status` says why it is empty. chance: how likely a selector is right among a problem's
    programs, NaN where that cannot be told."""
    shared = comparison.covered()
    parts = []
    of_all = "all" if len(shared) == len(comparison.categories) else "covered"
    whole = {of_all: shared} if len(shared) > 1 else {}
    for name, own in asked.items():
        index = pd.MultiIndex.from_frame(own.problems[PROBLEM])
        right = pd.DataFrame(
            {selector: [chance(selector, p) for p in own.programs] for selector in selectors}, index
        )
        silent = without_agreement(comparison[name])
        why = LACKS | (dict.fromkeys(selectors[1:-1], silent[0]) if silent else {})
        if silent:
            right[selectors[1:-1]] = np.nan
        groups = {c: [c] for c in comparison.covered(name)} | whole
        found = gaps(right, groups, lower=selectors[0], upper=selectors[-1]).assign(system=name)
        covered = np.where(found["category"] == "covered", ", ".join(shared), "")
        absent = found["selector"].map(why).fillna("no right program to find")
        parts.append(found.assign(note=absent.where(found["value"].isna(), covered)))
    table = pd.concat(parts, ignore_index=True)
    table = table.assign(status=statuses(table)).drop(columns="note")
    return name_table(table, "selectors", "which program to answer with", comparison.title)


def over_most(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of each system over the most categories."""
    found = table[table["category"] == table.groupby("system")["category"].transform("last")]
    found.attrs = table.attrs
    return found


def about_selectors(last: pd.DataFrame) -> Sentence:
    """The selector that closes most of the gap."""
    closed = last[(last["measure"] == CLOSED) & (last["low"] < last["high"])]
    for row in closed.sort_values("value", ascending=False).head(1).itertuples():
        said = f"Of what the oracle wins over any program, {row.selector} closes {percent(row)} (95 %) "
        said += f"for {ALIASES.get(row.system, row.system)}: "
        return Sentence(f"{said}the most of {closed['selector'].nunique()} selectors.")
    return Sentence(
        "What a selector wins cannot be told: these runs have none to compare.",
    )


def left_to_the_oracle(last: pd.DataFrame) -> str:
    lines = []
    for name, part in last[last["measure"] == ACCURACY].groupby("system", sort=False):
        value = part.set_index("selector")["value"]
        left = 100 * (value.iloc[-1] - value.iloc[:-1].max())
        lines.append(f"{name}: the best selector leaves {left:.1f} points to the oracle.")
    return "\n".join(lines)


def selectors_figure(last: pd.DataFrame) -> Figure | None:
    of = last.dropna(subset="problems").drop_duplicates("system").itertuples()
    sizes = [f"{row.problems:,.0f} of {ALIASES.get(row.system, row.system)}" for row in of]
    caption = f"Problems: {', '.join(sizes)}."
    look = {"title": "Which program to answer with", "rows": "selector", "panel": "measure"}
    label = {ACCURACY: "% of problems", CLOSED: "% of the gap"}
    return forest(last.drop(columns="problems"), caption=caption, label=label, **look)
