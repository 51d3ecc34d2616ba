"""Figures, over seaborn: dots with intervals (`forest`), curves with intervals (`curve`), a heat
map (`heat`).

A figure takes a table and computes nothing. A method has one colour and mark everywhere (`LOOKS`);
print is black and hollow. Shares are in percent, differences in points. The caption, which the file
carries, says what was measured.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product, zip_longest

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from .captions import ROW_NAMES as ROW_NAMES
from .captions import STANDS_IN, absent, has, measured_over
from .styles import ALIASES as ALIASES
from .styles import PRINT, STYLES, Style, styles_of
from .styles import style_of as style_of

ACCURACY = "accuracy (% of problems)"


def forest(
    table: pd.DataFrame, *, title: str, rows: str = "category", series: str = "system", panel: str = "",
    value: str = "value", label: str | Mapping[str, str] = ACCURACY, scale: float = 100, margin: float = 0,
    caption: str = "", name: str = "", stacked: bool = False,
) -> Figure | None:  # fmt: skip
    """Rows × series: a dot each with its interval, a panel for each value of `panel`.

    Reads `low` and `high`, and where it has them `published` and beside it `prediction_low`,
    `prediction_high` (thin).
    label: of the axis, or of each panel's: those with the same label have one scale. margin:
    differences that count as none, a grey band. stacked: panels one below the other; a figure of
    three or more can be drawn so again, by its attribute `stacked`. A row whose `counts` is False
    is dotted.
    """
    known = _known(table, value, series)
    if known.empty:
        return None
    places = _order(table, rows, known)
    names = _order(known, series)
    panels = _order(known, panel)
    words = max(len(line) for place in places for line in _words(place).split("\n"))
    styles = styles_of(names)
    counts = _counts(known, rows)
    every = _count(known)
    wide = 1.2 + 0.08 * words + (5.4 if len(panels) == 1 else 3.2 * len(panels))
    size = wide, 1.5 + (0.3 + 0.14 * min(len(names), 4)) * len(places)
    shape = (1, len(panels))
    if stacked:
        size = 1.2 + 0.08 * words + 3.2, size[1] * len(panels)
        shape = shape[::-1]
    figure, grid = plt.subplots(*shape, figsize=size, layout="constrained", squeeze=False)
    for axes, part in zip(grid.flat, panels, strict=True):
        here = known[known[panel] == part] if panel else known
        here = here.sort_values(series, key=lambda column: column.map(names.index), kind="stable")
        draw_rows(
            axes, here, places, [styles[each] for each in here[series]], rows, value, scale, margin
        )
        axes.set_yticks(
            range(len(places)), [_words(place) + counts.get(place, "") for place in places]
        )
        own = label if isinstance(label, str) else label[part]
        axes.set_xlabel(own + every * ("n = " not in own))
        axes.set_title(_words(part), fontsize=10)
        axes.tick_params(labelleft=stacked or axes is grid[0, 0])
        if not margin and (here[value] >= 0).all():
            axes.set_xlim(left=0)
    _one_scale(list(grid.flat), "x")
    if len(names) > 1 or names[0] in STYLES:
        _legend(figure, styles, known, lines=False)
    grey = (
        f"Grey: within {scale * margin:g} points, the smallest effect of interest."
        if margin
        else ""
    )
    about = caption, measured_over(known, "Bars"), absent(table, value, rows), grey
    if len(panels) > 2 and not stacked:
        how = {"title": title, "rows": rows, "series": series, "panel": panel, "value": value}
        how |= {"label": label, "scale": scale, "margin": margin, "caption": caption, "name": name}
        figure.stacked = partial(forest, table, **how, stacked=True)
    return titled(figure, table, title, *about, name=name)


def draw_rows(
    axes: Axes, here: pd.DataFrame, places: Sequence[str], styles: Sequence[Style], rows: str, value: str,
    scale: float = 100, margin: float = 0,
) -> None:  # fmt: skip
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
        for place, lacking in {*product(range(len(places)), range(len(kinds)))} - there:
            at = place + 0.72 * (lacking - (len(kinds) - 1) / 2) / len(kinds)
            how = {"fontsize": 7, "va": "center", "transform": axes.get_yaxis_transform()}
            axes.text(0.01, at, "not measured", color=kinds[lacking].colour, **how)
    y = (
        here[rows].map(places.index) + 0.72 * (number - (several - 1) / 2) / several.max()
    ).to_numpy(dtype=float)
    colours = [style.colour for style in styles]
    if {"low", "high"} <= set(here):
        dashes = here["counts"].map({False: ":"}).fillna("-") if "counts" in here else "-"
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
        for mark, those in ((PRINT.marker, ~replaced), (STYLES["PRIMITIVE"].marker, replaced)):
            _draw_print(
                axes, scale * here.loc[those, "published"], y[those] + 0.3 / several.max(), mark
            )
    _zero(axes.axvspan, axes.axvline, scale * margin, here[value])
    for place in range(1, len(places)):
        axes.axhline(place - 0.5, color="0.85", linewidth=0.6)
    axes.set(xlabel="", ylabel="", ylim=(len(places) - 0.5, -0.5))
    axes.set_yticks(range(len(places)), map(_words, places))
    _grid(axes, "x")


def curve(
    table: pd.DataFrame, *, title: str, x: str = "k", series: str = "system", panel: str = "", value: str = "value",
    labels: tuple[str, str | Mapping[str, str]] = ("budget K (calls a problem)", ACCURACY), scale: float = 100,
    margin: float = 0, log: bool = False, caption: str = "", name: str = "",
) -> Figure | None:  # fmt: skip
    """A line a series against `x`; a panel for each value of `panel`. Intervals are bands, or bars
    where `x` is a text.

    Printed values (`published`) are hollow black marks. labels: of both axes; the second may be one
    a panel: those with the same have one scale, from 0. log: values on a logarithmic axis. The rest
    as in `forest`.
    """
    known = _known(table, value, series)
    if known.empty:
        return None
    names = _order(known, series)
    panels = _order(table, panel, known)
    styles = styles_of(names)
    bars = []
    steps = (
        [] if pd.api.types.is_numeric_dtype(known[x]) else [str(step) for step in _order(table, x)]
    )
    at_steps = _counts(known, x) if steps else {}
    in_panels = _counts(known, panel)
    every = _count(known)
    columns = min(4 if len(panels) == 4 else 3, len(panels))
    lines = -(-len(panels) // columns)
    size = (1.6 + (5.8 if columns == 1 else 3 * columns), 1.2 + (3 if lines == 1 else 2.5 * lines))
    same = isinstance(labels[1], str)
    figure, grid = plt.subplots(
        lines, columns, figsize=size, layout="constrained", sharey=same, squeeze=False
    )
    for axes, part in zip_longest(grid.flat, panels):
        if part is None:
            axes.set_axis_off()
            continue
        here = known[known[panel] == part] if panel else known
        _zero(axes.axhspan, axes.axhline, scale * margin, here[value])
        for number, each in enumerate(names):
            cells = here[here[series] == each]
            style = styles[each]
            if cells.empty:
                continue
            apart = 0.1 * (number - (len(names) - 1) / 2)
            at = cells[x].astype(str).map(steps.index) + apart if steps else cells[x].astype(float)
            if {"low", "high"} <= set(cells):
                ends = [scale * cells[end] for end in ("low", "high")]
                bars.append(bool(steps) or cells["low"].notna().sum() == 1)
                if bars[-1]:
                    axes.vlines(at, *ends, color=style.colour, linewidth=1.4)
                else:
                    axes.fill_between(at, *ends, color=style.colour, alpha=0.15, linewidth=0)
            how = {"marker": style.marker, "markerfacecolor": style.face, "markersize": 6}
            axes.plot(at, scale * cells[value], color=style.colour, linestyle=style.line, **how)
            if "published" in cells:
                marker = STYLES["PRIMITIVE"].marker if each == STANDS_IN else style.marker
                _draw_print(axes, at, scale * cells["published"], marker)
        if steps:
            axes.set_xticks(range(len(steps)), [step + at_steps.get(step, "") for step in steps])
        elif here[x].nunique() < 9 and (here[x] % 1 == 0).all():
            axes.set_xticks(sorted(here[x].unique()))
        beside = labels[1] if same and axes in grid[:, 0] else "" if same else labels[1][part]
        axes.set(xlabel=labels[0] + every, ylabel=beside)
        axes.set_title(_words(part) + in_panels.get(part, "").replace("\n", ", "), fontsize=10)
        _grid(axes, "y")
        if log:
            axes.set_yscale("log")
    filled = [axes for axes in grid.flat if axes.has_data()]
    for axes in filled:  # when all are drawn, for they may share the axis
        if not log and axes.dataLim.y0 >= 0:
            axes.set_ylim(bottom=0)
    for axis in "xy":
        _one_scale(filled, axis)
    _legend(figure, styles, known, lines=True)
    over = measured_over(known, "Bars" if steps or (bars and all(bars)) else "Bands")
    return titled(
        figure, table, title, caption, over, absent(table, value, panel or "category"), name=name
    )


def heat(
    table: pd.DataFrame,
    *,
    title: str,
    rows: str,
    columns: str,
    panel: str = "",
    value: str = "value",
    label: str,
) -> Figure | None:
    """A heat map of shares, each cell in percent, with its interval where there is one; a panel a
    value of `panel`."""
    known = table[table[value].notna()]
    if known.empty:
        return None
    panels, down, along = (_order(known, column) for column in (panel, rows, columns))
    size = (2.6 + 1.4 * len(along) * len(panels), 1.6 + 0.6 * len(down))
    figure, grid = plt.subplots(
        1, len(panels), figsize=size, layout="constrained", sharey=True, squeeze=False
    )
    for axes, part in zip(grid[0], panels, strict=True):
        here = known[known[panel] == part] if panel else known
        text = (100 * here[value]).map("{:.0f}".format)
        if {"low", "high"} <= set(here):
            text += [
                f"\n[{100 * a:.0f}, {100 * b:.0f}]"
                for a, b in zip(here["low"], here["high"], strict=True)
            ]
        cells = here.assign(text=text).pivot(index=rows, columns=columns).reindex(down)
        shares, texts = (
            cells[name].reindex(columns=along) for name in (value, "text")
        )  # a panel may lack some
        sns.heatmap(
            100 * shares, annot=texts.fillna(""), fmt="", cmap="Blues", vmin=0, vmax=100,
            linewidths=1, linecolor="0.6", cbar=axes is grid[0, -1], cbar_kws={"label": label}, ax=axes,
        )  # fmt: skip
        axes.set(xlabel="", ylabel="")
        axes.set_title(_words(part), fontsize=10)
        axes.tick_params(axis="y", rotation=0)
    measured = measured_over(known, "In brackets") if "low" in known else f"{title}: {label}."
    return titled(figure, table, title, measured, absent(table, value, panel))


def titled(
    figure: Figure, table: pd.DataFrame, title: str, *caption: str, name: str = ""
) -> Figure:
    """The figure under one line, with its file's name (none: the table's); the caption travels in
    the file."""
    runs = table.attrs.get("runs", "")
    caption = " ".join(filter(None, caption))
    # letters, at 9 points
    words = f"{title}: {runs}"
    room = 13.5 * figure.get_figwidth()
    words = words if runs and len(words) <= room else title
    figure.suptitle(words, fontsize=10 if len(words) < 0.88 * room else 9)
    figure.set_label(name or table.attrs.get("name", ""))
    figure.caption = (
        f"{caption} Of {runs}." if caption and runs and runs not in caption else caption
    )
    return figure


def _legend(
    figure: Figure, styles: Mapping[str, Style], known: pd.DataFrame, *, lines: bool
) -> None:
    shown = dict(styles)
    if has(known, "published"):
        shown["the paper's value" + ", with its method's mark" * lines] = PRINT
        if (
            "source" in known
            and known.loc[known["source"] == STANDS_IN, "published"].notna().any()
            and not lines
        ):
            shown["the paper's PRIMITIVE"] = PRINT._replace(marker=STYLES["PRIMITIVE"].marker)
    handles = [
        Line2D(
            [],
            [],
            color=s.colour,
            label=each,
            linestyle=s.line * lines,
            marker=s.marker,
            markerfacecolor=s.face,
        )
        for each, s in shown.items()
    ]
    if has(known, "prediction_low") and has(known, "published") and not lines:
        bar = {"color": "black", "linewidth": 0.8, "marker": "|", "markersize": 4}
        handles.append(Line2D([], [], **bar, label="where five new runs would fall"))
    room = 11 * figure.get_figwidth() / (8 + max(len(handle.get_label()) for handle in handles))
    columns = max(1, min(4, len(handles), int(room)))
    figure.legend(
        handles=handles, frameon=False, ncols=columns, fontsize=9, loc="outside lower center"
    )


def _zero(span: Callable, line: Callable, margin: float, values: pd.Series) -> None:
    if margin:
        span(-margin, margin, color="0.88", zorder=0)
    if margin or (values < 0).any():
        line(0, color="black", linewidth=1)


def _one_scale(every: Sequence[Axes], axis: str) -> None:
    for label in {getattr(axes, f"get_{axis}label")() for axes in every}:
        those = [axes for axes in every if getattr(axes, f"get_{axis}label")() == label]
        ends = [getattr(axes, f"get_{axis}lim")() for axes in those]
        for axes in those if label else ():
            getattr(axes, f"set_{axis}lim")(
                min(low for low, _ in ends), max(high for _, high in ends)
            )


def _draw_print(axes: Axes, x: pd.Series, y: pd.Series, marker: str = PRINT.marker) -> None:
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


def _grid(axes: Axes, axis: str) -> None:
    getattr(axes, f"{axis}axis").set_major_locator(MaxNLocator(steps=[1, 2, 5, 10]))
    axes.grid(axis=axis, color="0.9")
    axes.set_axisbelow(True)


def _words(name: object) -> str:
    return ROW_NAMES.get(str(name), str(name).replace("_", " "))


def _known(table: pd.DataFrame, value: str, series: str) -> pd.DataFrame:
    known = table[table[value].notna()]
    return known.assign(
        **{series: known[series].astype(str).map(lambda name: ALIASES.get(name, name))}
    )


def _order(table: pd.DataFrame, column: str, known: pd.DataFrame | None = None) -> list:
    """The values of a column in their order, those that `known` has; of no column one, which is
    nameless."""
    values = dict.fromkeys(table[column]) if column else [""]
    return [
        value for value in values if known is None or not column or (known[column] == value).any()
    ]


def _count(known: pd.DataFrame) -> str:
    numbers = set(known["problems"]) if "problems" in known else ()
    return f", n = {max(numbers):,.0f}" if len(numbers) == 1 else ""


def _counts(known: pd.DataFrame, column: str) -> dict[str, str]:
    """What stands under the name of each row, step or panel: how many problems, where it does not
    say and they vary."""
    if not {column, "problems"} <= set(known) or _count(known):
        return {}
    silent = known[~known[column].astype(str).str.contains(r"\bn = \d|\d problems")]
    return {
        name: _count(here).replace(", ", "\n")
        for name, here in silent.groupby(column, observed=True)
    }
