"""The re-evaluation's figures, drawn from candidates, with the paper's values marked where they are printed.

A function a figure, named after it. Colours are colour-blind safe and always doubled by a marker, a line style or a
hatch, so that a grey print reads the same. Intervals are 95 %; what they are over stands in the tables.
"""

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..analysis.study import ALL_MICRO, COVERED_MICRO, Study
from ..datasets.math import CATEGORIES
from .reeval import BUDGETS, TROVE_MODES, overlap, pass_by_mode, pooled_curve, table1, table5, table7, table9

BLUE, ORANGE, GREEN, RED, *_ = sns.color_palette("colorblind")
MODE_STYLE = {"IMPORT": (BLUE, "", "o"), "CREATE": (ORANGE, "///", "s"), "SKIP": (GREEN, "...", "^")}
SIDE_STYLE = {"PRIMITIVE": (BLUE, "--", "s"), "TROVE": (RED, "-", "o")}
COST_STYLE = {"calls": (BLUE, "s"), "completion tokens": (ORANGE, "^"), "total tokens": (RED, "o")}
PAPER = {"marker": "D", "facecolor": "white", "edgecolor": "black", "zorder": 5, "s": 26, "linewidth": 1.0}
PAPER_KEY = Line2D([], [], marker="D", color="black", markerfacecolor="white", linestyle="", markersize=5,
                   label="the paper's value")  # fmt: skip
plt.rcParams["svg.hashsalt"] = "trove_lite"  # the same figure gives the same file


def compute_matched(candidates: pd.DataFrame | Study, *, k: int = 15, seed: int = 0, resamples: int = 100) -> Figure:
    """Accuracy at a matched budget, by category: Table 1 as a picture."""
    study = Study.of(candidates)
    table = table1(study, k=k, seed=seed, resamples=resamples)
    systems = [f"PRIMITIVE, K={k}", "TROVE, two-stage", "TROVE, one-stage"]
    styles = {systems[0]: (BLUE, "s"), systems[1]: (ORANGE, "^"), systems[2]: (RED, "o")}
    rows = [c for c in table["category"].unique() if table.loc[table["category"] == c, "ours"].notna().any()]
    figure, axes = plt.subplots(figsize=(7.2, 1.4 + 0.75 * len(rows)), layout="constrained")
    for i, category in enumerate(rows):
        for j, system in enumerate(systems):
            cell = table[(table["category"] == category) & (table["system"] == system)].iloc[0]
            _dot(axes, cell, i + 0.25 * (j - 1), *styles[system])
    _category_axis(axes, rows)
    axes.set_xlabel("accuracy (fraction of problems)")
    axes.set_xlim(left=0)
    names = {systems[0]: f"{_side_name(study, 'PRIMITIVE')}, K={k}"}
    _key(axes, [_handle(names.get(s, s), *styles[s]) for s in systems], paper=study.dataset == "math")
    return _titled(figure, study, f"Accuracy at a matched budget of {k} calls")


def same_cost(candidates: pd.DataFrame | Study, table: pd.DataFrame) -> Figure | None:
    """TROVE minus PRIMITIVE at the same calls and tokens, from `matched_budgets`; None where it has nothing to show."""
    table = table[table["difference"].notna()]
    rows = list(table["category"].unique())
    if not rows:
        return None
    figure, axes = plt.subplots(figsize=(7.2, 1.8 + 0.65 * len(rows)), layout="constrained")
    axes.axvline(0, color="black", linewidth=1)
    handles = []
    for j, (budget, style) in enumerate(COST_STYLE.items()):
        here = table[table["budget"] == budget]
        for row in here.itertuples():
            cell = pd.Series({"ours": row.difference, "low": row.low, "high": row.high, "published": None})
            _dot(axes, cell, rows.index(row.category) + 0.25 * (j - 1), *style)
        if len(here):
            last = here.iloc[-1]  # all categories together, where there are several
            calls = f"{last['trove_calls']:.0f} calls of TROVE, on average {last['primitive_calls']:.1f} of PRIMITIVE"
            label = f"same {budget}: {calls}"
            handles.append(_handle(label, *style))
    _category_axis(axes, rows)
    axes.set_xlabel("accuracy of TROVE minus accuracy of PRIMITIVE (fraction of problems)")
    axes.legend(handles=handles, frameon=False, fontsize=9, loc="lower center", bbox_to_anchor=(0.45, 1.0))
    return _titled(figure, Study.of(candidates), "TROVE against PRIMITIVE at the same cost, one-stage agreement")


def figure1(candidates: pd.DataFrame | Study, *, k: int = 5, seed: int = 0) -> Figure:
    """Problems solved by each mode of TROVE, pass@k (re-evaluation, Figure 1; its values are not printed)."""
    study = Study.of(candidates)
    table = pass_by_mode(study, k=k, seed=seed)
    rows = [c for c in table["category"].unique() if table.loc[table["category"] == c, "ours"].notna().any()]
    figure, axes = plt.subplots(figsize=(max(5.0, 1.5 + 1.2 * len(rows)), 3.6), layout="constrained")
    for j, (system, (colour, hatch, _)) in enumerate(MODE_STYLE.items()):
        cells = table[table["system"] == system].set_index("category").reindex(rows)
        error = [cells["ours"] - cells["low"], cells["high"] - cells["ours"]]
        place = [i + 0.27 * (j - 1) for i in range(len(rows))]
        axes.bar(place, cells["ours"], width=0.25, color=colour, edgecolor="black", hatch=hatch, label=system)
        axes.errorbar(place, cells["ours"], yerr=error, fmt="none", ecolor="black", capsize=2, linewidth=1)
    axes.set_xticks(range(len(rows)), [_wrapped(row) for row in rows])
    axes.set_ylabel(f"pass@{k} (fraction of problems)")
    axes.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return _titled(figure, study, f"Problems solved by each mode in {k} samples")


def figure2(
    candidates: pd.DataFrame | Study, *, budgets: tuple[int, ...] = BUDGETS, seed: int = 0, resamples: int = 100
) -> Figure:
    """Oracle and agreement accuracy against the budget (re-evaluation, Figure 2, from its Tables 5 and 7)."""
    study = Study.of(candidates)
    panels = {
        "oracle (pass@K)": table7(study, budgets=budgets, seed=seed),
        "one-stage agreement": table5(study, budgets=budgets, seed=seed, resamples=resamples),
    }
    row = _row_over_categories(study)
    figure, all_axes = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained", sharey=True)
    for axes, (name, table) in zip(all_axes, panels.items(), strict=True):
        for method, (colour, line, marker) in SIDE_STYLE.items():
            cells = table[(table["category"] == row) & (table["system"] == method)]
            _band(axes, cells["k"], cells, colour, line, marker)
            axes.scatter(cells["k"], cells["published"], **PAPER | {"marker": marker, "edgecolor": colour})
        axes.set_title(name, fontsize=10)
        axes.set_xlabel("budget K (calls a problem)")
        axes.set_xticks(budgets)
    all_axes[0].set_ylabel("accuracy (fraction of problems)")
    all_axes[0].set_ylim(bottom=0)
    _side_key(figure, study)
    return _titled(figure, study, f"Accuracy against budget, {_row_name(study, row)}")


def figure3(candidates: pd.DataFrame | Study, *, k: int = 5, seed: int = 0) -> Figure:
    """Overlap of solved problems between PRIMITIVE and each mode (re-evaluation, Figure 3; values not printed)."""
    study = Study.of(candidates)
    table = overlap(study, k=k, seed=seed)
    rows = [c for c in CATEGORIES if table.loc[table["category"] == c, "ours"].notna().any()]
    figure, axes = plt.subplots(figsize=(7.2, 1.6 + 0.75 * len(rows)), layout="constrained")
    for i, category in enumerate(rows):
        for j, (mode, (colour, _, marker)) in enumerate(MODE_STYLE.items()):
            for system, fill in ((f"PRIMITIVE ~ {mode}", colour), (f"floor {mode}", "white")):
                cell = table[(table["category"] == category) & (table["system"] == system)].iloc[0]
                y = i + 0.25 * (j - 1) + (0.09 if fill == "white" else 0)
                _dot(axes, cell, y, colour, marker, fill=fill)
    _category_axis(axes, rows)
    axes.set_xlabel(f"mean Jaccard overlap of the problems solved in {k} samples")
    axes.set_xlim(0, 1)
    own = all(study.source("PRIMITIVE", c) == "PRIMITIVE" for c in rows)
    other = "PRIMITIVE" if own else "SKIP of another run"
    handles = [_handle(f"{mode} with {other}", c, m) for mode, (c, _, m) in MODE_STYLE.items()]
    handles += [_handle("hollow: two runs of that mode (noise floor)", "black", "o", fill="white")]
    _key(axes, handles, paper=False)
    return _titled(figure, study, "Overlap of solved problems")


def figure4(candidates: pd.DataFrame | Study, *, seed: int = 0, resamples: int = 100) -> Figure:
    """Accuracy with the samples of all runs pooled, by selection (re-evaluation, Figure 4; values not printed)."""
    study = Study.of(candidates)
    table = pooled_curve(study, seed=seed, resamples=resamples)
    row = _row_over_categories(study)
    figure, axes = plt.subplots(figsize=(6.8, 4.2), layout="constrained")
    handles = []
    styles = {"oracle": ("-", "o"), "one-stage": ("--", "s"), "two-stage": (":", "^")}
    for method, (colour, _, _) in SIDE_STYLE.items():
        for rule, (line, marker) in styles.items():
            cells = table[(table["category"] == row) & (table["system"] == f"{method}, {rule}")]
            if cells["ours"].notna().any():
                _band(axes, cells["k"], cells, colour, line, marker)
                handles.append(_handle(f"{_side_name(study, method)}, {rule}", colour, marker, line=line))
    axes.set_xlabel("samples a problem, all runs pooled")
    axes.set_ylabel("accuracy (fraction of problems)")
    axes.set_ylim(bottom=0)
    axes.legend(handles=handles, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    return _titled(figure, study, f"Pooled samples, {_row_name(study, row)}")


def difficulty(candidates: pd.DataFrame | Study, *, k: int = 15) -> Figure:
    """Oracle accuracy by difficulty level, a panel a category (re-evaluation, Table 9)."""
    study = Study.of(candidates)
    table = table9(study, k=k)
    rows = [c for c in table["category"].unique() if table.loc[table["category"] == c, "ours"].notna().any()]
    columns = max(1, min(4, len(rows)))
    lines = max(1, -(-len(rows) // columns))
    figure, all_axes = plt.subplots(
        lines,
        columns,
        figsize=(1.2 + 2.6 * columns, 0.8 + 2.6 * lines),
        layout="constrained",
        sharey=True,
        squeeze=False,
    )
    for axes in all_axes.flat[len(rows) :]:
        axes.set_axis_off()
    for axes, category in zip(all_axes.flat, rows, strict=False):
        for offset, (method, (colour, line, marker)) in zip((-0.1, 0.1), SIDE_STYLE.items(), strict=True):
            cells = table[(table["category"] == category) & (table["system"] == method)]
            x = cells["level"] + offset
            error = [cells["ours"] - cells["low"], cells["high"] - cells["ours"]]
            style = {"color": colour, "linestyle": line, "marker": marker, "markersize": 5, "linewidth": 1.2}
            axes.errorbar(x, cells["ours"], yerr=error, capsize=2, **style)
            axes.scatter(x, cells["published"], **PAPER | {"marker": marker, "edgecolor": colour})
        axes.set_title(_wrapped(category).replace("\n", " "), fontsize=10)
        axes.set_xticks(range(1, 6))
        axes.set_xlabel("level (1 easiest)")
    for axes in all_axes[:, 0]:
        axes.set_ylabel(f"pass@{k}")
    all_axes[0, 0].set_ylim(0, 1)
    _side_key(figure, study)
    return _titled(figure, study, "Problems solved by difficulty")


def time_limits(table: pd.DataFrame, title: str) -> Figure:
    """Accuracy against the time limit of a program, from `reexecute.accuracy_by_time_limit`, and what it costs."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.6), layout="constrained", width_ratios=(3, 2))
    styles = {"oracle": (BLUE, "--", "s"), "two-stage": (RED, "-", "o"), "pass@1": (GREEN, ":", "^")}
    for measure, (colour, line, marker) in styles.items():
        cells = table[table["measure"] == measure]
        _band(left, cells["limit"], cells, colour, line, marker)
    left.set_ylabel("accuracy (fraction of problems)")
    left.set_ylim(bottom=0)
    left.legend(handles=[_handle(m, c, mk, line=ln) for m, (c, ln, mk) in styles.items()], frameon=False, ncols=3,
                loc="lower center", bbox_to_anchor=(0.5, 1.0))  # fmt: skip
    cost = table.drop_duplicates("limit")
    right.plot(cost["limit"], cost["cpu_hours"], color="black", marker="D", markersize=5)
    right.set_ylabel("CPU hours for all programs")
    right.set_ylim(bottom=0)
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xticks(cost["limit"], [f"{limit:g}" for limit in cost["limit"]], minor=False)
        axes.minorticks_off()
        axes.set_xlabel("time limit of a program (CPU seconds)")
    figure.suptitle(f"What a longer time limit buys\n{title}", fontsize=10.5)
    return figure


def _dot(axes: Axes, cell: pd.Series, y: float, colour: object, marker: str, *, fill: object = None) -> None:
    if pd.notna(cell["ours"]):
        axes.plot([cell["low"], cell["high"]], [y, y], color=colour, linewidth=1.4)
        axes.plot(cell["ours"], y, marker=marker, color=colour, markerfacecolor=fill or colour, markersize=6)
    if pd.notna(cell["published"]):
        axes.scatter(cell["published"], y, **PAPER)


def _band(axes: Axes, x: pd.Series, cells: pd.DataFrame, colour: object, line: str, marker: str) -> None:
    axes.fill_between(x, cells["low"], cells["high"], color=colour, alpha=0.15, linewidth=0)
    axes.plot(x, cells["ours"], color=colour, linestyle=line, marker=marker, markersize=5)


def _handle(label: str, colour: object, marker: str, *, line: str = "", fill: object = None) -> Line2D:
    return Line2D([], [], color=colour, marker=marker, linestyle=line, label=label, markerfacecolor=fill or colour)


def _key(axes: Axes, handles: list[Line2D], *, paper: bool = True) -> None:
    axes.legend(handles=[*handles, *([PAPER_KEY] if paper else [])], frameon=False, ncols=2, fontsize=9,
                loc="lower center", bbox_to_anchor=(0.45, 1.0))  # fmt: skip


def _side_key(figure: Figure, study: Study) -> None:
    handles = [_handle(_side_name(study, m), c, mk, line=ln) for m, (c, ln, mk) in SIDE_STYLE.items()]
    paper = [_handle(f"the paper's {m}", c, mk, fill="white") for m, (c, _, mk) in SIDE_STYLE.items()]
    figure.legend(handles=[*handles, *(paper if study.dataset == "math" else [])], frameon=False, ncols=4,
                  loc="outside lower center", fontsize=9)  # fmt: skip


def _category_axis(axes: Axes, rows: list[str]) -> None:
    axes.set_yticks(range(len(rows)), [_wrapped(row) for row in rows])
    axes.set_ylim(max(1, len(rows)) - 0.5, -0.5)
    axes.grid(axis="x", color="0.9")
    axes.set_axisbelow(True)


def _wrapped(row: str) -> str:
    return row.replace(", ", "\n(") + ")" if ", " in row else row


def _row_over_categories(study: Study) -> str:
    """The row that a curve shows: all problems, or those of the categories that both sides have, or of the one."""
    if len(study.covered) == 1:
        return study.covered[0]
    return ALL_MICRO if len(study.covered) == len(CATEGORIES) else COVERED_MICRO


def _row_name(study: Study, row: str) -> str:
    return "all seven categories" if row == ALL_MICRO else " and ".join(study.covered)


def _side_name(study: Study, method: str) -> str:
    sources = {study.source(method, category) for category in study.covered} or {method}
    return " / ".join(sorted(sources))


def _titled(figure: Figure, study: Study, text: str) -> Figure:
    figure.suptitle(f"{text}\n{study.title}", fontsize=10.5)
    return figure


assert set(MODE_STYLE) == {mode.upper() for mode in TROVE_MODES}
