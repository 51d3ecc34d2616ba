"""How much of the way from one selector to another a third goes, on the same candidates."""

from collections.abc import Mapping, Sequence

import pandas as pd

from trove_lite_analysis.scores import variance_of
from trove_lite_analysis.variance import Variance, interval, proportion_interval

ACCURACY = "accuracy"
CLOSED = "gap closed"
COLUMNS = ["category", "selector", "measure", "value", "low", "high", "covers", "problems"]


def gaps(
    right: pd.DataFrame, groups: Mapping[str, Sequence[str]], *, lower: str, upper: str
) -> pd.DataFrame:
    """Accuracy by each selector, and the share of the gap from selector `lower` to `upper` that it closes.

    right: a row a problem and run (index `choose.PROBLEM`), a column a selector: how likely it is right there, null
    where that is not known. groups: a name → the categories that its rows are over. Returns a row a group, selector and
    `measure`, with 95 % intervals over what `covers` names. A share is a ratio of two means, (selector - lower) /
    (upper - lower): its error is that of the mean of selector - lower - share (upper - lower), over the mean gap
    (Cochran 1977, section 6.3). Null where there is no gap, or a category is not known.
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
