"""Does making tools help? Every comparison that published studies made, in one table, with what the papers print.

A row holds a method that makes tools against one that asks without, on the same problems, as a study's own notebooks
computed it: their tables are read, nothing is computed again. What makes two sides equal is in `budget`. Printed rows
have no interval, for the papers give none of a difference.
"""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from ..analysis import statistics
from ..analysis.variance import SMALLEST_EFFECT, THESE_RUNS
from ..candidates import named
from ..errors import TroveLiteError
from ..journal import on_disk
from . import Words, published_table, published_value
from .latm.released import TITLES
from .latm.tables import WHOLE
from .style import INTERVAL, PRINT, SERIES, Series, category_axis, handle, key, margin_band, plt, titled
from .trove.placebo import ANSWERS, OWN_TOOLS, WITHOUT

COLUMNS = [
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
    "problems",
    "printed",
    "table",
]
IN_PRINT = "in print"
SAME_CALLS = "the same calls"
#: Where a study says what other prompts change, and what it calls its own there.
PROMPTS, OWN_PROMPTS = "prompts_differences.csv", "the study's prompts"
BESIDE = {
    "xytext": (6, 0),
    "xycoords": ("axes fraction", "data"),
    "textcoords": "offset points",
    "fontsize": 8,
    "va": "center",
}
MAKERS = {"TROVE": SERIES["TROVE"], "CREATOR": Series("#C58300", "^"), "LATM": Series("#00707A", "v")}


def answer(studies: Mapping[str | Path, str]) -> pd.DataFrame:
    """A row a comparison, printed ones first: `difference` is accuracy with tools minus without, as a fraction of 1.

    `studies` says of folders of tables, such as results/NAME, what they are about. What one study shows of another
    beside its own counts once, for the one that is named first. `p_holm` corrects over all rows.
    Raises TroveLiteError for a folder without any of the tables that are read.
    """
    parts = [_printed().assign(asked=None)]  # a model by name, where a study shows others' runs beside its own
    for folder, study in studies.items():
        here = [name for name in READ if (Path(folder) / name).is_file()]
        if not here:
            raise TroveLiteError(f"{folder}: holds none of {', '.join(READ)}; give the folder of a report's tables")
        for name in here:
            with on_disk(Path(folder)):
                rows = READ[name](pd.read_csv(Path(folder) / name))
            parts.append(rows.assign(study=study, printed=False, table=f"{Path(folder).name}/{name}"))
    table = pd.concat([part.astype(object) for part in parts], ignore_index=True)
    again = table["asked"].notna() & table.duplicated(["tools", "without", "asked", "budget", "problems"])
    table = table[~again].reset_index(drop=True).reindex(columns=COLUMNS)
    table["p_holm"] = statistics.holm(table["p"].astype(float))
    numbers = ["difference", "low", "high", "p", "problems"]
    return named(table.astype(dict.fromkeys(numbers, float) | {"printed": bool}), "answer", "Does making tools help?")


# ---- what is read of a study's tables ----


def _whole(rows: pd.DataFrame, **about: str) -> pd.DataFrame:
    """Of each pair the last row, which is over all of its categories, under the names that all tables share."""
    last = rows.drop_duplicates(["a", "b"], keep="last")
    return last.rename(columns={"a": "tools", "b": "without"}).assign(**about)


def _against_primitive(table: pd.DataFrame) -> pd.DataFrame:
    return _whole(table[table["rule"] == "one_stage"], budget=SAME_CALLS)


def _without_a_mode(table: pd.DataFrame) -> pd.DataFrame:
    return _whole(table[table["counted"] == "independent runs"], budget="the calls that are left")


def _by_other_prompts(table: pd.DataFrame) -> pd.DataFrame:
    """Of a study's prompts its other packs alone: by its own the comparison is in another table, on all problems."""
    parts = [
        _against_primitive(part).assign(budget=f"{SAME_CALLS}, `{name}` prompts")
        for name, part in table.groupby("prompts", sort=False)
        if name != OWN_PROMPTS
    ]
    return pd.concat(parts)


def _placebo(table: pd.DataFrame) -> pd.DataFrame:
    """Its own toolbox against none; what another category lent was not made for these problems."""
    own = (table["a"] == OWN_TOOLS) & (table["b"] == WITHOUT)
    rows = _whole(table[own & (table["measure"] == ANSWERS)], budget=SAME_CALLS)
    return rows.assign(tools="TROVE", without="TROVE, " + rows["without"])


def _matched(table: pd.DataFrame) -> pd.DataFrame:
    """At the most calls that both sides reach; smaller budgets are in the table that this reads."""
    rivals = table["b"].isin(["PoT", "PRIMITIVE"])  # Entangled makes tools too
    known = table[(table["budget"] == "calls") & table["difference"].notna() & (table["a"] == "CREATOR") & rivals]
    rows = _whole(known.sort_values("spent", kind="stable"))
    return rows.assign(budget=[f"{spent:.2g} calls each" for spent in rows["spent"]])


def _tools_of_a_task(table: pd.DataFrame) -> pd.DataFrame:
    """Against a program a question by the same model, whose name, where there is one, goes into `asked`."""
    rows = _whole(table)
    own_tasks = rows["category"].isin([*WHOLE, *TITLES])  # on other data all methods have the run's budget
    rows["budget"] = own_tasks.map({True: "one call a question", False: f"at most {SAME_CALLS}"})
    sides = {side: rows[side].str.extract(r"^(?P<name>.*?)(?:, (?P<asked>\S+))?$") for side in ("tools", "without")}
    tools, without = sides["tools"], sides["without"]
    alike = (tools["asked"].fillna("") == without["asked"].fillna("")) & (without["name"] == "PRIMITIVE")
    return rows.assign(tools=tools["name"], without=without["name"], asked=tools["asked"])[alike]


READ = {
    "reeval_differences.csv": _against_primitive,
    PROMPTS: _by_other_prompts,
    "reeval_without_import.csv": _without_a_mode,
    "trove_placebo_differences.csv": _placebo,
    "creator_matched.csv": _matched,
    "latm_differences.csv": _tools_of_a_task,
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
    return table.assign(covers=IN_PRINT, printed=True)


# ---- said and drawn ----


def answer_in_words(table: pd.DataFrame) -> Words:
    """In how many comparisons tools are shown to be ahead or behind, and which, after Holm's correction over all."""
    ours = table[~table["printed"]]
    shown = ours["p_holm"] < 0.05
    parts = {"ahead": ours[shown & (ours["difference"] > 0)], "behind": ours[shown & (ours["difference"] < 0)]}
    said = [f"**{where} in {len(rows)}**" + f" ({_listed(rows)})" * (len(rows) > 0) for where, rows in parts.items()]
    return Words(
        f"Of {len(ours)} comparisons of a method that makes tools with one that does not, on the same problems, tools "
        f"are {', '.join(said)}, and in **{sum(~shown)}** neither is shown, after Holm's correction over all of them."
    )


def _listed(rows: pd.DataFrame) -> str:
    return "; ".join(
        f"{row.tools} against {row.without}, {row.study}: {100 * row.difference:+.1f} points"
        + f" in {THESE_RUNS}" * (row.covers == THESE_RUNS)
        for row in rows.itertuples()
    )


def answer_figure(table: pd.DataFrame) -> Figure:
    """Every comparison, in points of accuracy, with its interval; printed ones are hollow."""
    here = (table["covers"] == THESE_RUNS).map({True: f", {THESE_RUNS}", False: ""})
    studies = table["study"] + here
    labels = [f"{s}\n{r.tools} minus {r.without}; {r.budget}" for s, r in zip(studies, table.itertuples(), strict=True)]
    figure, axes = plt.subplots(figsize=(9.6, 1.6 + 0.46 * len(table)), layout="constrained")
    margin_band(axes, SMALLEST_EFFECT)
    for place, row in enumerate(table.itertuples()):
        if row.printed:
            axes.scatter(100 * row.difference, place, marker="D", **PRINT)
            axes.annotate(f"{100 * row.difference:+.1f}", (1, place), **BESIDE)
            continue
        series = MAKERS[_maker(row.tools)]
        axes.plot([100 * row.low, 100 * row.high], [place, place], color=series.colour, linewidth=2)
        fill = series.colour if row.p_holm < 0.05 else "white"
        axes.plot(100 * row.difference, place, series.marker, color=series.colour, markerfacecolor=fill, markersize=7)
        numbers = f"{100 * row.difference:+.1f} [{100 * row.low:+.1f}, {100 * row.high:+.1f}]"
        axes.annotate(numbers, (1, place), **BESIDE)
    category_axis(axes, labels)
    axes.axhline(table["printed"].sum() - 0.5, color="black", linewidth=1)
    axes.tick_params(axis="y", labelsize=8)
    axes.set_xlabel("accuracy with tools, minus without (points: % of problems)")
    drawn = {_maker(name) for name in table.loc[~table["printed"], "tools"]}
    handles = [handle(name, series) for name, series in MAKERS.items() if name in drawn]
    hollow = Line2D([], [], marker="o", color="0.3", markerfacecolor="white", linestyle="", label="not shown to differ")
    key(axes, [*handles, hollow], paper=True, columns=5)
    margin = f"Grey: within {100 * SMALLEST_EFFECT:g} points"
    caption = (
        f"Does making tools help? Each row is a method that makes tools minus one that does not. Bars: {INTERVAL}. "
        f"Filled: differs from 0 after Holm's correction over all rows. {margin}, the smallest effect of interest. "
        "Diamonds, above the line: the papers' own, as printed, at their own budgets, without intervals."
    )
    detail = f"Filled: differs after Holm's correction. {margin}. Diamonds: as printed"
    return titled(figure, table, "Does making tools help?", detail=detail, caption=caption)


def _maker(tools: str) -> str:
    return next(name for name in MAKERS if tools.startswith(name))
