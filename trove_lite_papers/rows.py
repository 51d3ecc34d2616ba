"""A row a comparison: dots with intervals, of which a filled one is judged and shown."""

from collections.abc import Callable, Sequence
from itertools import product

import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from .captions import NOT_COUNTED, ROW_NAMES, SHOWN, STANDS_IN, corrected, has
from .styles import PRINT, STYLES, Style


def draw_rows(
    axes: Axes,
    here: pd.DataFrame,
    places: Sequence[str],
    styles: Sequence[Style],
    rows: str,
    value: str,
    scale: float = 100,
    margin: float = 0,
) -> None:
    """Dots with intervals, `styles` one a dot, in the row of `places` that column `rows` names; the
    first on top."""
    several = here.groupby(rows, sort=False)[rows].transform("size")
    number = here.groupby(rows, sort=False).cumcount()
    kinds = [*dict.fromkeys(styles)]
    if several.max() == len(
        kinds
    ):  # each has its own height in all rows, and where it lacks a dot it says so
        number = pd.Series([kinds.index(style) for style in styles], here.index)
        several = several * 0 + len(kinds)
        there = set(zip(here[rows].map(places.index), number, strict=True))
        how = {"fontsize": 7, "va": "center", "transform": axes.get_yaxis_transform()}
        lacks = here.attrs.get("lacking", "not measured")
        bare = {*range(len(places))} - {place for place, _ in there}
        for place in bare:
            axes.text(0.01, place, lacks, color="0.3", **how)
        for place, lacking in {*product(range(len(places)), range(len(kinds)))} - there:
            at = place + 0.72 * (lacking - (len(kinds) - 1) / 2) / len(kinds)
            if place not in bare:
                axes.text(0.01, at, lacks, color=kinds[lacking].colour, **how)
    y = (
        here[rows].map(places.index) + 0.72 * (number - (several - 1) / 2) / several.max()
    ).to_numpy(dtype=float)
    colours = [style.colour for style in styles]
    if {"low", "high"} <= set(here):
        standing = here.get("standing", pd.Series("", here.index))
        empty = ~standing.isin(["", SHOWN])
        styles = [s._replace(hollow=s.hollow or e) for s, e in zip(styles, empty, strict=True)]
        dashes = standing.eq(NOT_COUNTED).map({True: ":", False: "-"})
        _say_why(axes, here, y, scale, corrected(here, standing))
        axes.hlines(
            y,
            scale * here["low"],
            scale * here["high"],
            color=colours,
            linewidth=2.2,
            linestyles=dashes,
        )
    if has(here, "published") and has(
        here, "prediction_low"
    ):  # below, for the one may hide the other
        ends = [scale * here[end] for end in ("prediction_low", "prediction_high")]
        below = y + 0.13 / several.max()
        axes.hlines(below, *ends, color=colours, linewidth=0.8)
        for end in ends:
            axes.scatter(end, below, marker="|", s=22, c=colours, linewidth=0.8, clip_on=False)
    marks = {
        str(number): style.marker for number, style in enumerate(styles)
    }  # each dot its own: some are hollow
    sns.scatterplot(
        x=(scale * here[value]).to_numpy(), y=y, style=list(marks), markers=marks, s=44, linewidth=1.2,
        edgecolor=colours, color=[style.face for style in styles], zorder=4, legend=False, clip_on=False, ax=axes,
    )  # fmt: skip
    if "published" in here:
        replaced = (
            here["source"] == STANDS_IN if "source" in here else here[value].isna()
        ).to_numpy()
        printed = scale * here["published"]
        if here.groupby(rows)["published"].nunique(dropna=False).max() == 1:
            printed = printed.mask(here.duplicated(rows))  # the row's, not each system's
        for mark, those in ((PRINT.marker, ~replaced), (STYLES["PRIMITIVE"].marker, replaced)):
            draw_print(axes, printed[those], y[those] + 0.3 / several.max(), mark)
    zero(axes.axvspan, axes.axvline, scale * margin, here[value])
    for place in range(1, len(places)):
        axes.axhline(place - 0.5, color="0.85", linewidth=0.6)
    axes.set_ylim(len(places) - 0.5, -0.5)
    grid_lines(axes, "x")


def _say_why(axes: Axes, here: pd.DataFrame, y: Sequence, scale: float, why: pd.Series) -> None:
    """Words beside a bar, in its system that has more room."""
    ends = here["low"].min(), here["high"].max()
    for at, words, low, high in zip(y, why, here["low"], here["high"], strict=True):
        if words:
            below = ends[1] - high > low - ends[0]
            how = {"xytext": (5 if below else -5, 0), "textcoords": "offset points"}
            how |= {"ha": "left" if below else "right", "va": "center", "fontsize": 7}
            how |= {"bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.5}, "zorder": 3}
            axes.annotate(words, (scale * (high if below else low), at), **how)


def zero(span: Callable, line: Callable, margin: float, values: pd.Series) -> None:
    if margin:
        span(-margin, margin, color="0.88", zorder=0)
    if margin or (values < 0).any():
        line(0, color="black", linewidth=1)


def draw_print(axes: Axes, x: pd.Series, y: pd.Series, marker: str = PRINT.marker) -> None:
    axes.scatter(
        x,
        y,
        marker=marker,
        facecolor="none",
        edgecolor="black",
        zorder=6,
        s=26,
        linewidth=1.1,
        clip_on=False,
    )


def grid_lines(axes: Axes, axis: str) -> None:
    getattr(axes, f"{axis}axis").set_major_locator(MaxNLocator(steps=[1, 2, 5, 10]))
    axes.grid(axis=axis, color="0.9")
    axes.set_axisbelow(True)


def in_words(name: object) -> str:
    return ROW_NAMES.get(str(name), str(name).replace("_", " "))
