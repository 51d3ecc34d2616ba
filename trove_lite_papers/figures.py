"""Figures, over seaborn: dots with intervals (`forest`), curves with intervals (`curve`), a heat
map (`heat`).

A figure takes a table and computes nothing. A method has one colour and mark everywhere (`STYLES`);
print is black and hollow. The mark of a difference is filled where it is judged and shown, hollow
where it is open, and its bar dotted where it is not judged. Shares are in percent, differences in
points. The caption, which the file carries, says what was measured.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from itertools import zip_longest
from textwrap import fill

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from .captions import (
    NOT_COUNTED,
    SHOWN,
    STANDINGS,
    STANDS_IN,
    absent,
    has,
    measured_over,
    standings,
    uncounted,
)
from .captions import ROW_NAMES as ROW_NAMES
from .rows import draw_print, draw_rows, grid_lines, in_words, zero
from .styles import ALIASES as ALIASES
from .styles import PRINT, STYLES, Style, styles_of
from .styles import style_of as style_of

ACCURACY = "accuracy (% of problems)"
NARROW = 6.5  # inches, above which a figure is drawn again for a narrow screen


def narrowed(draw: Callable) -> Callable:
    """A wide figure can be drawn again with its panels one below the other and its rows' names
    broken, by its attribute `stacked`; a notebook does not show that one of itself."""

    def again(table: pd.DataFrame, how: Mapping[str, object]) -> Figure:
        figure = draw(table, **how, stacked=True)
        plt.close(figure)
        return figure

    @wraps(draw)
    def drawn(table: pd.DataFrame, **how: object) -> Figure | None:
        figure = draw(table, **how)
        if figure is not None and figure.get_figwidth() > NARROW and "stacked" not in how:
            figure.stacked = partial(again, table, how)
        return figure

    return drawn


@narrowed
def forest(
    table: pd.DataFrame,
    *,
    title: str,
    rows: str = "category",
    series: str = "system",
    panel: str = "",
    value: str = "value",
    label: str | Mapping[str, str] = ACCURACY,
    scale: float = 100,
    margin: float = 0,
    caption: str = "",
    name: str = "",
    stacked: bool = False,
) -> Figure | None:
    """Rows × series: a dot each with its interval, a panel for each value of `panel`.

    Reads `low` and `high`, and where it has them `published` and beside it `prediction_low`,
    `prediction_high` (thin); of differences `p`, `p_holm`, `counts` or `sure` (`standings`).
    label: of the axis, or of each panel's: those with the same label have one scale. margin:
    differences that count as none, a grey band; with one all rows are differences.
    stacked: panels one below the other, the names of rows broken.
    """
    known = _known(table, value, series)
    if known.empty:
        return None
    places = _order(table, rows, known)
    names = _order(known, series)
    panels = _order(known, panel)
    counts = _counts(known, rows, spans=True)
    ticks = [in_words(place) + counts.get(place, "") for place in places]
    if stacked:
        ticks = ["\n".join(_broken(line) for line in tick.split("\n")) for tick in ticks]
    lines = max(tick.count("\n") for tick in ticks) + 1
    words = max(len(line) for tick in ticks for line in tick.split("\n"))
    styles = styles_of(names)
    every = _count(known)
    known = known.assign(standing=standings(known, every=margin > 0))
    high = max(0.3 + 0.14 * min(len(names), 4), 0.17 * lines + 0.2)
    size = 1.2 + 0.08 * words, 1.5 + high * len(places)
    if stacked:
        size = size[0] + 3.2, 0.5 + size[1] * len(panels)
    else:
        size = size[0] + (5.4 if len(panels) == 1 else 3.2 * len(panels)), size[1]
    shape = (len(panels), 1) if stacked else (1, len(panels))
    figure, grid = plt.subplots(*shape, figsize=size, layout="constrained", squeeze=False)
    for axes, part in zip(grid.flat, panels, strict=True):
        here = known[known[panel] == part] if panel else known
        here = here.sort_values(series, key=lambda column: column.map(names.index), kind="stable")
        draw_rows(
            axes, here, places, [styles[each] for each in here[series]], rows, value, scale, margin
        )
        axes.set_yticks(range(len(places)), ticks)
        own = label if isinstance(label, str) else label[part]
        axes.set_xlabel(own + every * ("n = " not in own))
        axes.set_title(in_words(part), fontsize=10)
        axes.tick_params(labelleft=stacked or axes is grid[0, 0])
        if not margin and not here[[*{value, "low"} & {*here}]].lt(0).any(axis=None):
            axes.set_xlim(left=0)
    _one_scale(list(grid.flat), "x")
    named = styles if len(names) > 1 or names[0] in STYLES else {}
    legend(figure, named, known)
    grey = (
        f"Grey: within {scale * margin:g} points, the smallest effect of interest."
        if margin
        else ""
    )
    about = [caption, measured_over(known, "Bars"), absent(table, value, rows), grey]
    about.append(uncounted(known))
    return titled(figure, table, title, *about, name=name)


@narrowed
def curve(
    table: pd.DataFrame,
    *,
    title: str,
    x: str = "k",
    series: str = "system",
    panel: str = "",
    value: str = "value",
    labels: tuple[str, str | Mapping[str, str]] = ("budget K (calls a problem)", ACCURACY),
    scale: float = 100,
    margin: float = 0,
    log: str = "",
    caption: str = "",
    name: str = "",
    stacked: bool = False,
) -> Figure | None:
    """A line a series against `x`; a panel for each value of `panel`. Intervals are bands, or bars
    where `x` is a text.

    Printed values (`published`) are hollow black marks. labels: of both axes; the second may be one
    a panel: those with the same have one scale, from 0. log: which axes are logarithmic ("x", "y").
    The rest as in `forest`.
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
    columns = 1 if stacked else min(4 if len(panels) == 4 else 3, len(panels))
    lines = -(-len(panels) // columns)
    wide = 3.8 if stacked else 5.8
    size = (1.6 + (wide if columns == 1 else 3 * columns), 1.2 + (3 if lines == 1 else 2.5 * lines))
    same = isinstance(labels[1], str)
    figure, grid = plt.subplots(
        lines, columns, figsize=size, layout="constrained", sharey=same, squeeze=False
    )
    for axes, part in zip_longest(grid.flat, panels):
        if part is None:
            axes.set_axis_off()
            continue
        here = known[known[panel] == part] if panel else known
        zero(axes.axhspan, axes.axhline, scale * margin, here[value])
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
                draw_print(axes, at, scale * cells["published"], marker)
        if "x" in log:
            axes.set_xscale("log")
            axes.minorticks_off()
        if steps:
            axes.set_xticks(range(len(steps)), [step + at_steps.get(step, "") for step in steps])
        elif here[x].nunique() < 9 and (here[x] % 1 == 0).all():
            ticks = sorted(here[x].unique())
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        beside = labels[1] if same and axes in grid[:, 0] else "" if same else labels[1][part]
        long = len(labels[0] + every) > 36 and columns > 1
        own = every.replace(", ", "\n") if long else every
        axes.set(xlabel=labels[0] + own, ylabel=beside)
        axes.set_title(in_words(part) + in_panels.get(part, "").replace("\n", ", "), fontsize=10)
        grid_lines(axes, "y")
        if "y" in log:
            axes.set_yscale("log")
    filled = [axes for axes in grid.flat if axes.has_data()]
    for axes in filled:  # when all are drawn, for they may share the axis
        if "y" not in log and axes.dataLim.y0 >= 0:
            axes.set_ylim(bottom=0)
    for axis in "xy":
        _one_scale(filled, axis)
    legend(figure, styles, known, lines=True)
    over = measured_over(known, "Bars" if steps or (bars and all(bars)) else "Bands")
    return titled(
        figure, table, title, caption, over, absent(table, value, panel or "category"), name=name
    )


@narrowed
def heat(
    table: pd.DataFrame,
    *,
    title: str,
    rows: str,
    columns: str,
    panel: str = "",
    value: str = "value",
    label: str,
    stacked: bool = False,
) -> Figure | None:
    """A heat map of shares, each cell in percent, with its interval where there is one; a panel a
    value of `panel`."""
    known = table[table[value].notna()]
    if known.empty:
        return None
    panels, down, along = (_order(known, column) for column in (panel, rows, columns))
    cell = 1.4 if {"low", "high"} <= set(known) else 0.9
    lines, beside = (len(panels), 1) if stacked else (1, len(panels))
    size = (2.6 + cell * len(along) * beside, 1.6 + 0.6 * len(down) * lines)
    figure, grid = plt.subplots(
        lines, beside, figsize=size, layout="constrained", sharey=True, squeeze=False
    )
    for axes, part in zip(grid.flat, panels, strict=True):
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
        axes.set_title(in_words(part), fontsize=10)
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


def legend(
    figure: Figure, styles: Mapping[str, Style], known: pd.DataFrame, *, lines: bool = False
) -> None:
    """Of the series, of print, and of what filled, hollow and dotted say, below a figure."""
    shown = dict(styles)
    if has(known, "published"):
        shown["the paper's value" + ", with its method's mark" * lines] = PRINT
        if (
            "source" in known
            and known.loc[known["source"] == STANDS_IN, "published"].notna().any()
            and not lines
        ):
            shown["the paper's PRIMITIVE"] = PRINT._replace(marker=STYLES["PRIMITIVE"].marker)
    kinds = [
        kind for kind in STANDINGS if "standing" in known and (known["standing"] == kind).any()
    ]
    # where no rule leaves anything out, the figure cannot say what counts
    named = {} if NOT_COUNTED in kinds else {SHOWN: "filled: shown"}
    shown |= {named.get(kind, kind): Style("0.25", "o", hollow=kind != SHOWN) for kind in kinds}
    handles = [
        Line2D(
            [],
            [],
            color=s.colour,
            label=each,
            linestyle=":" if each == NOT_COUNTED else s.line * lines,
            marker=s.marker,
            markerfacecolor=s.face,
        )
        for each, s in shown.items()
    ]
    if not handles:
        return
    if has(known, "prediction_low") and has(known, "published") and not lines:
        bar = {"color": "black", "linewidth": 0.8, "marker": "|", "markersize": 4}
        handles.append(Line2D([], [], **bar, label="where five new runs would fall"))
    room = 11 * figure.get_figwidth() / (8 + max(len(handle.get_label()) for handle in handles))
    columns = max(1, min(4, len(handles), int(room)))
    figure.legend(
        handles=handles, frameon=False, ncols=columns, fontsize=9, loc="outside lower center"
    )


def _one_scale(every: Sequence[Axes], axis: str) -> None:
    for label in {getattr(axes, f"get_{axis}label")() for axes in every}:
        those = [axes for axes in every if getattr(axes, f"get_{axis}label")() == label]
        ends = [getattr(axes, f"get_{axis}lim")() for axes in those]
        for axes in those if label else ():
            getattr(axes, f"set_{axis}lim")(
                min(low for low, _ in ends), max(high for _, high in ends)
            )


def _broken(line: str) -> str:
    return fill(line.replace("n = ", "n\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}"), 24)


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


def _counts(known: pd.DataFrame, column: str, *, spans: bool = False) -> dict[str, str]:
    """What is below the name of each row, step or panel: how many problems, where it does not
    say and they vary. spans: from the fewest to the most, where it has several numbers."""
    if not {column, "problems"} <= set(known) or _count(known):
        return {}
    silent = known[~known[column].astype(str).str.contains(r"\bn = \d|\d problems")]
    sizes = silent.dropna(subset="problems").groupby(column, observed=True)["problems"]
    few, many = sizes.min(), sizes.max()
    words = few.map("\nn = {:,.0f}".format) + many.map(" to {:,.0f}".format).where(few < many, "")
    return words[(few == many) | spans].to_dict()
