"""Does making tools help? The comparisons of a plan that was made before looking, beside those in print and those seen
before it.

A row holds a method that makes tools against one that asks without, on the same problems, as a study's own tables have
it: nothing is computed again. What makes two sides equal is in `budget`. Only rows of the plan's family count, in which
tools were used and against which no sign of health stands; every other row says why it does not.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from trove_lite.analysis import statistics
from trove_lite.analysis.comparison import points
from trove_lite.analysis.variance import SMALLEST_EFFECT, THESE_RUNS
from trove_lite.candidates import named
from trove_lite.errors import TroveLiteError
from trove_lite.journal import on_disk

from . import Words, published_table, published_value
from .style import INTERVAL, PRINT, SERIES, Series, category_axis, handle, key, margin_band, plt, titled

COLUMNS = [
    "group",
    "study",
    "tools",
    "without",
    "budget",
    "difference",
    "low",
    "high",
    "covers",
    "p",
    "p_holm",
    "detectable",
    "problems",
    "counted",
    "reason",
    "table",
]
IN_PRINT, PLANNED, RECORDED, SEEN = GROUPS = ("in print", "planned", "recorded runs", "seen before the plan")
NOT_RUN, NO_TOOLS = "not run yet", "no tool was made or used"
SAME_CALLS = "the same calls"
#: A difference that is shown at 5 %, two-sided, with a chance of 80 %, over the half of its 95 % interval.
DETECTABLE = (1.95996 + 0.84162) / 1.95996
BESIDE = {
    "xytext": (6, 0),
    "xycoords": ("axes fraction", "data"),
    "textcoords": "offset points",
    "fontsize": 8,
    "va": "center",
}
MAKERS = {"TROVE": SERIES["TROVE"], "CREATOR": Series("#C58300", "^"), "LATM": Series("#00707A", "v")}
OTHER = Series("0.35", "s")


def answer(studies: Mapping[str | Path, str], plan: str | Path, measured: str | Path = "") -> pd.DataFrame:
    """A row a comparison, by GROUPS: `difference` is accuracy with tools minus without, as a fraction of 1.

    `studies` says of folders of tables, such as results/NAME, what they are about; of a study "(recorded)", it is a
    group of its own. `plan` is the file of planned comparisons, `measured` what was found of them, by `id`: their
    differences, whether tools were used (`tools_used`) and the signs that stand (`signs`); not there: none was run.
    `p_holm` corrects over the plan's family, of which what has no p counts as 1. `detectable` is the difference that a
    design with this interval shows with a chance of 80 %, before correction.
    Raises TroveLiteError for a folder without any of the tables that are read.
    """
    parts = [_printed(), _planned(Path(plan), Path(measured) if measured else None)]
    for folder, study in studies.items():
        here = [name for name in READ if (Path(folder) / name).is_file()]
        if not here:
            raise TroveLiteError(f"{folder}: holds none of {', '.join(READ)}; give the folder of a report's tables")
        group = RECORDED if "(recorded)" in study else SEEN
        for name in here:
            with on_disk(Path(folder)):
                rows = READ[name](pd.read_csv(Path(folder) / name))
            about = {"group": group, "study": study, "reason": group, "table": f"{Path(folder).name}/{name}"}
            parts.append(rows.drop(columns="p_holm", errors="ignore").assign(**about))
    table = pd.concat([part.astype(object) for part in parts], ignore_index=True).reindex(columns=COLUMNS)
    order = table["group"].map(GROUPS.index)
    table = table.iloc[np.argsort(order, kind="stable")].reset_index(drop=True)
    numbers = ["difference", "low", "high", "p", "p_holm", "problems"]
    table = table.astype(dict.fromkeys(numbers, float))
    table["detectable"] = DETECTABLE * (table["high"] - table["low"]) / 2
    table["counted"] = table["counted"].eq(True)
    return named(table, "answer", "Does making tools help?")


def _planned(plan: Path, measured: Path | None) -> pd.DataFrame:
    """The plan's comparisons, with what was found of them."""
    rows = pd.read_csv(plan).rename(columns={"data": "study"})
    found = pd.read_csv(measured) if measured and measured.is_file() else pd.DataFrame(columns=["id"])
    rows = rows.merge(found, on="id", how="left")
    rows = rows.reindex(columns=[*dict.fromkeys([*rows, "difference", "p", "signs", "tools_used", "table"])])
    spent = ["one request" if n == 1 else f"{n} requests" for n in rows["requests"]]
    rows["budget"] = [f"{calls}, {pack} prompts" for calls, pack in zip(spent, rows["prompts"], strict=True)]
    family, known = rows["family"] == "yes", rows["difference"].notna()
    reasons = [
        (~known, NOT_RUN),
        (rows["tools_used"].eq(False), NO_TOOLS),
        (rows["signs"].fillna("") != "", rows["signs"]),
        (~family, rows["why"]),
    ]
    rows["reason"] = np.select([holds for holds, _ in reasons], [why for _, why in reasons], "")
    rows["counted"] = rows["reason"] == ""
    rows["p_holm"] = statistics.holm(rows["p"].where(rows["counted"], 1.0).where(family).astype(float))
    rows["p_holm"] = rows["p_holm"].where(rows["counted"])
    return rows.assign(group=PLANNED, difference=rows["difference"].where(rows["tools_used"].ne(False)))


# ---- what is read of a study's tables ----


def _whole(rows: pd.DataFrame, **about: str) -> pd.DataFrame:
    """Of each pair the last row, which is over all of its categories, under the names that all tables share."""
    last = rows.drop_duplicates(["a", "b"], keep="last")
    return last.rename(columns={"a": "tools", "b": "without"}).assign(**about)


def _against_primitive(table: pd.DataFrame) -> pd.DataFrame:
    """Without the SKIP pool, which stands in for PRIMITIVE by another prompt: a lead over it is no evidence."""
    same = table[(table["rule"] == "one_stage") & (table["b"] == "PRIMITIVE")]
    return _whole(same, budget=SAME_CALLS)


def _without_a_mode(table: pd.DataFrame) -> pd.DataFrame:
    return _whole(table[table["counted"] == "independent runs"], budget="the calls that are left")


def _matched(table: pd.DataFrame) -> pd.DataFrame:
    """At the most calls that both sides reach; smaller budgets are in the table that this reads."""
    rivals = table["b"].isin(["PoT", "PRIMITIVE"])  # Entangled makes tools too
    known = table[(table["budget"] == "calls") & table["difference"].notna() & (table["a"] == "CREATOR") & rivals]
    rows = _whole(known.sort_values("spent", kind="stable"))
    return rows.assign(budget=[f"{spent:.2g} calls each" for spent in rows["spent"]])


READ = {
    "reeval_differences.csv": _against_primitive,
    "reeval_without_import.csv": _without_a_mode,
    "creator_matched.csv": _matched,
}


def _printed() -> pd.DataFrame:
    """The same question in the papers' own numbers, each at the budget that the paper gave its sides."""

    def matched(method: str, variant: str) -> float:
        return published_value("reeval_table1", category="MATH", method=method, variant=variant)

    def made(method: str) -> float:
        return published_value("creator_table2", "value", category="MATH", method=method, setting="w/o CoT") / 100

    tasks = published_table("latm_table2").query("tool_user_model == 'GPT-3.5 Turbo'")
    tasks = tasks.groupby("method")["accuracy_pct"].mean() / 100
    rows = [
        ("TroVE, CodeLlama-7B on MATH", "TROVE", "PRIMITIVE", "unequal calls", "reeval_table1",
         matched("TROVE", "original") - matched("PRIMITIVE", "original")),
        ("the re-evaluation, CodeLlama-7B on MATH", "TROVE", "PRIMITIVE", "15 calls each", "reeval_table1",
         matched("TROVE", "improved_one_stage") - matched("PRIMITIVE", "compute_matched")),
        ("CREATOR, ChatGPT on MATH", "CREATOR", "PoT", "one attempt each", "creator_table2",
         made("CREATOR") - made("PoT (w/ Rec.)")),
        ("LATM, GPT-3.5 Turbo on six tasks", "LATM of GPT-4", "CoT", "one call a question", "latm_table2",
         tasks["LATM"] - tasks["CoT"]),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["study", "tools", "without", "budget", "table", "difference"])
    return table.assign(group=IN_PRINT, covers=IN_PRINT, reason="printed without an interval")


# ---- said and drawn ----


def answer_in_words(table: pd.DataFrame) -> Words:
    """How many planned comparisons count, and in how many of these tools are shown to be ahead or behind."""
    planned, ours = table[table["group"] == PLANNED], table[table["counted"]]
    if ours.empty:
        return Words(f"Of {len(planned)} planned comparisons **none counts yet**: the plan's runs are not published.")
    shown = ours["p_holm"] < 0.05
    parts = {"ahead": ours[shown & (ours["difference"] > 0)], "behind": ours[shown & (ours["difference"] < 0)]}
    said = [f"**{where} in {len(rows)}**" + f" ({_listed(rows)})" * (len(rows) > 0) for where, rows in parts.items()]
    return Words(
        f"Of {len(planned)} planned comparisons {len(ours)} count. In these, after Holm's correction over the plan's "
        f"family, tools are {', '.join(said)}, and **{sum(~shown)}** are open."
    )


def _listed(rows: pd.DataFrame) -> str:
    return "; ".join(
        f"{row.tools} against {row.without}, {row.study}, {row.budget}: {points(row)}"
        + f" in {THESE_RUNS}" * (row.covers == THESE_RUNS)
        for row in rows.itertuples()
    )


def answer_figure(table: pd.DataFrame) -> Figure:
    """Every comparison that has a difference, in points of accuracy, with its interval; printed ones are hollow."""
    table = table[table["difference"].notna()].reset_index(drop=True)
    studies = table["study"] + (table["covers"] == THESE_RUNS).map({True: f", {THESE_RUNS}", False: ""})
    labels = [f"{r.tools} minus {r.without}\n{s}; {r.budget}" for s, r in zip(studies, table.itertuples(), strict=True)]
    figure, axes = plt.subplots(figsize=(9.6, 1.6 + 0.46 * len(table)), layout="constrained")
    margin_band(axes, SMALLEST_EFFECT)
    for place, row in enumerate(table.itertuples()):
        if row.group == IN_PRINT:
            axes.scatter(100 * row.difference, place, marker="D", **PRINT)
            axes.annotate(f"{100 * row.difference:+.1f}", (1, place), **BESIDE)
            continue
        series = MAKERS.get(_maker(row.tools), OTHER)
        axes.plot([100 * row.low, 100 * row.high], [place, place], color=series.colour, linewidth=2)
        fill = series.colour if row.p_holm < 0.05 else "white"
        axes.plot(100 * row.difference, place, series.marker, color=series.colour, markerfacecolor=fill, markersize=7)
        numbers = f"{100 * row.difference:+.1f} [{100 * row.low:+.1f}, {100 * row.high:+.1f}], n = {row.problems:.0f}"
        axes.annotate(numbers, (1, place), **BESIDE)
    category_axis(axes, labels)
    for group, rows in table.groupby("group", sort=False):
        axes.axhline(rows.index[0] - 0.5, color="black", linewidth=1)
        axes.annotate(
            group, (0.01, rows.index[0] - 0.36), xycoords=("axes fraction", "data"), fontsize=8, style="italic"
        )
    axes.tick_params(axis="y", labelsize=8)
    axes.set_xlabel("accuracy with tools, minus without (points: % of problems)")
    drawn = {_maker(row.tools) for row in table.itertuples() if row.group != IN_PRINT}
    handles = [handle(name, series) for name, series in MAKERS.items() if name in drawn]
    hollow = Line2D(
        [],
        [],
        marker="o",
        color="0.3",
        markerfacecolor="white",
        linestyle="",
        label="not counted, or not shown to differ",
    )
    key(axes, [*handles, hollow], paper=True, columns=5)
    caption = (
        f"Does making tools help? Each row is a method that makes tools minus one that does not. Bars: {INTERVAL}. "
        f"Filled: planned, counted, and differs from 0 after Holm's correction over the plan's family. Grey: within "
        f"{100 * SMALLEST_EFFECT:g} points, the smallest effect of interest. Diamonds: the papers' own, as printed, "
        "at their own budgets, without intervals."
    )
    return titled(figure, table, "Does making tools help?", caption=caption)


def _maker(tools: str) -> str:
    return next((name for name in MAKERS if tools.startswith(name)), "")
