"""CREATOR's figures, and the one of what spending buys; each takes its table and computes nothing."""

import pandas as pd
from matplotlib.figure import Figure

from trove_lite.analysis.scores import ALL_MICRO, COVERED_MICRO

from ..figures import curve

ACCURACY = "accuracy (% of problems)"


def figure4(table: pd.DataFrame) -> Figure | None:
    """Accuracy of single attempts by difficulty (Figure 4)."""
    by = table.attrs.get("by", "level")
    return curve(table, x="level", title=f"Accuracy of single attempts by {by}", labels=(by, ACCURACY))


def figure5(table: pd.DataFrame) -> Figure | None:
    """Accuracy of single attempts with at most N repairs (Figure 5), over all categories that were run."""
    filled = set(table.loc[table["value"].notna(), "category"])
    row = next((row for row in (ALL_MICRO, COVERED_MICRO, *table["category"]) if row in filled), "")
    labels = ("repairs that an attempt may have (N)", ACCURACY)
    return curve(table[table["category"] == row], panel="category", title="What repairs bring", labels=labels)


def spend_figure(table: pd.DataFrame) -> Figure | None:
    """Accuracy of agreement against what it costs: mean calls, and mean tokens written, a problem."""
    panels = {"calls": "calls", "completion": "tokens written"}
    parts = [table.assign(panel=name, spent=table[column].astype(float)) for column, name in panels.items()]
    title, labels = "Accuracy against spend, by agreement", ("mean spent a problem", ACCURACY)
    return curve(pd.concat(parts).dropna(subset="spent"), x="spent", panel="panel", title=title, labels=labels)
