"""What an essay of the re-evaluation says first, as a sentence, and how its tables are drawn.
Nothing is computed."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trove_lite_analysis.differences import percent, points
from trove_lite_analysis.sentence import Sentence, headline

from ..figures import curve, forest, heat
from ..tables import why_empty
from ..two_systems import OTHER_SKIP, SKIP_POOL, TROVE
from .tables import called_after_source, over_all, without_macro

DIFFERENCE = {"value": "difference", "label": "difference (points)", "margin": 0.02}


def about_difference(found: pd.DataFrame) -> Sentence:
    """The headline of `differences`; where PRIMITIVE was not run, a number without a verdict."""
    if SKIP_POOL not in set(found["b"]):
        return headline(found.assign(k=found.attrs["k"]))
    row = found[found["rule"] == found["rule"].iloc[0]].iloc[-1]
    missing = (
        "PRIMITIVE was not run, so this cannot be told. What stands in for it has another prompt"
    )
    number = f"TROVE minus {row.b}, {row.problems} problems, is {points(row)}"
    return Sentence(f"{missing}: {number}, and gives no verdict.")


def counting(found: pd.DataFrame) -> pd.DataFrame:
    """What stands in for PRIMITIVE has another prompt: such a difference is not judged."""
    why = "what stands in for PRIMITIVE has another prompt"
    stands_in = found["b"].astype(str) == SKIP_POOL
    return found.assign(counts=~stands_in, reason=stands_in.map({True: why, False: ""}))


def difference_figure(found: pd.DataFrame) -> Figure | None:
    drawn = counting(found).assign(system=found["rule"].astype(str).str.replace("_", "-"))
    title = f"TROVE minus {', '.join(found['b'].unique())}, {found.attrs['k']} calls each"
    return forest(drawn, title=title, name="reeval_differences", **DIFFERENCE)


def accuracy_figure(table1: pd.DataFrame) -> Figure | None:
    title = f"Accuracy with {table1.attrs['k']} calls a problem"
    return forest(without_macro(called_after_source(table1)), title=title)


def matched_figure(matched: pd.DataFrame) -> Figure | None:
    title = "At the same cost, by one-stage agreement"
    why = "; ".join(matched.loc[matched["difference"].isna(), "note"].dropna().unique())
    caption = f"Not measured: {why}." if why else ""
    return forest(matched, series="budget", title=title, caption=caption, **DIFFERENCE)


def about_tokens(matched: pd.DataFrame) -> str:
    rows = matched[(matched["budget"] == "total tokens") & matched["difference"].notna()]
    for row in rows.tail(1).itertuples():
        bought = f"which buy {row.calls_b:.1f} calls of PRIMITIVE"
        return f"At the same tokens, {bought}, TROVE minus PRIMITIVE is {points(row)}."
    return "At the same tokens nothing can be compared: the table says why."


def about_budget(table5: pd.DataFrame, gap: pd.DataFrame) -> Sentence:
    """How far a perfect choice lies above agreement (`gap`), and what agreement gains from more
    calls (Table 5)."""
    for row in gap.drop_duplicates(["a", "b"], keep="last").head(1).itertuples():
        system = row.a.partition(",")[0]
        vote = over_all(table5).query("source == @system")
        first = vote.iloc[0]
        last = vote.iloc[-1]
        said = f"A perfect choice among {system}'s {row.k} programs is right {points(row)} "
        said += f"more often than agreement is ({row.problems:,} problems, 95 %)"
        if first.k < last.k:
            gained = f"{100 * (last.value - first.value):.1f} points"
            said += f"; from {first.k} to {last.k} calls agreement gains {gained}"
        return Sentence(f"{said}.")
    why = why_empty(table5) or "no system has several samples"
    return Sentence(f"What a budget buys cannot be told: {why}.")


def budget_figure(panels: Mapping[str, pd.DataFrame]) -> Figure | None:
    """Accuracy against budget, a panel a table (Figure 2)."""
    parts = [
        over_all(called_after_source(table)).assign(panel=name) for name, table in panels.items()
    ]
    drawn = pd.concat(parts)
    drawn.attrs = [*panels.values()][-1].attrs
    return curve(drawn, panel="panel", title="Accuracy against budget", name="reeval_figure2")


def pooled_figure(figure4: pd.DataFrame) -> Figure | None:
    """The rows over all problems, in three panels, each series named after its system or rule (Figure
    4)."""
    if figure4.empty:
        return None
    drawn = over_all(called_after_source(figure4))
    named = drawn["system"].str.rsplit(", ", n=1)
    series = named.str[0]
    rule = named.str[1]
    apart = series.str.contains("minus")
    panel = np.select([apart, rule == "oracle"], ["TROVE minus its rival", "oracle"], "agreement")
    system = rule.where(
        apart,
        series.mask(rule == "two-stage", drawn["system"]),
    )
    drawn = drawn.assign(panel=panel, system=system)
    drawn.attrs = figure4.attrs
    accuracy = "accuracy (% of problems)"
    points = "difference (points)"
    panels = {"oracle": accuracy, "TROVE minus its rival": points, "agreement": accuracy}
    labels = ("samples a problem, all runs pooled", panels)
    return curve(drawn, panel="panel", labels=labels, title="Pooled samples")


def modes_figure(figure1: pd.DataFrame, paired: pd.DataFrame) -> Figure | None:
    """What each mode solves, and beside it the differences between modes (Figure 1)."""
    pairs = paired.astype({"a": str, "b": str, "category": str})
    system = pairs["a"] + " minus " + pairs["b"]
    pairs = pairs.assign(system=system, value=pairs["difference"], panel="differences")
    pairs = pairs.replace({"category": {"all": "all, micro", "covered": "covered, micro"}})
    drawn = pd.concat([figure1.assign(panel="modes"), pairs])
    known = figure1.loc[figure1["value"].notna(), "category"]
    drawn = without_macro(drawn[drawn["category"].isin(known)])
    drawn.attrs, k = figure1.attrs, figure1.attrs["k"]
    label = {"modes": f"pass@{k} (% of problems)", "differences": "on the same problems (points)"}
    title = f"Problems solved by each mode in {k} samples"
    return forest(drawn, panel="panel", label=label, title=title)


def without_import_figure(found: pd.DataFrame) -> Figure | None:
    title = "TROVE minus TROVE without IMPORT"
    counts = found["counted"] == "independent runs"
    reason = counts.map({False: "some of all runs repeat another", True: ""})
    drawn = found.assign(system=found["counted"], counts=counts, reason=reason)
    return forest(drawn, title=title, **DIFFERENCE)


def about_import(found: pd.DataFrame) -> str:
    lines = []
    for row in found.drop_duplicates("counted", keep="last").itertuples():
        refuted = "is refuted" if row.p_below_1 <= 0.05 else "is not refuted"
        said = f"{row.a} minus {row.b}, {row.counted}, is {points(row)}"
        lines.append(f"{said}: that IMPORT adds a point or more {refuted}.")
    return "\n".join(lines)


def about_overlap(figure3: pd.DataFrame) -> Sentence:
    """The first overlap of a mode that lies below what two runs of the mode share; else the
    smallest."""
    known = figure3.dropna(subset="value")
    known = known.assign(mode=known["system"].str.split().str[-1])
    twice = known["system"].str.startswith("two runs").to_numpy()
    known = known.set_index(["category", "mode"])
    ceiling = known[twice]
    others = known[~twice & known.index.isin(ceiling.index)].sort_values("value")
    if others.empty:
        return Sentence(
            "What a mode reaches cannot be told from chance here: that needs two runs of TROVE."
        )
    below = others[others["high"] < ceiling["low"].reindex(others.index)]
    row = next((below if len(below) else others).itertuples())
    two, (category, mode) = ceiling.loc[row.Index], row.Index
    return Sentence(
        f"{mode} and {row.source} share {percent(row)} (95 %) of the problems that either solves in {category}, "
        f"two runs of {mode} {percent(two)}: "
        f"{len(below)} of {len(others)} overlaps of a mode lie below what chance does."
    )


def overlap_figure(figure3: pd.DataFrame) -> Figure | None:
    names = {"two runs": "the mode in\nanother run", OTHER_SKIP: "SKIP of\nanother run"}
    twice = figure3["system"].str.startswith("two runs")
    other = figure3["source"].mask(twice, "two runs").replace(names)
    mode = figure3["system"].str.split().str[-1]
    drawn = figure3.assign(mode=mode, other=other, covers="problems")
    title = f"Overlap of the problems solved in {figure3.attrs['k']} samples"
    look = {"rows": "mode", "columns": "other", "panel": "category"}
    return heat(drawn, title=title, label="Jaccard overlap (%)", **look)


def about_levels(leads: pd.DataFrame) -> Sentence:
    """TROVE's lead on the hardest and on the easiest level."""
    if leads.empty:
        return Sentence(
            "Levels cannot be compared on these runs: there is no level that both systems have."
        )
    hard = leads.iloc[-1]
    easy = leads.iloc[0]
    shown = (leads["p_holm"] <= 0.05).sum()
    k = leads.attrs["k"]
    said = f"{hard.a} minus {hard.b}, problems that any of {k} programs solves: {points(hard)} (95 %) on level "
    said += f"{hard.level}, the hardest, and {points(easy)} on level {easy.level}; the two are shown to differ on "
    return Sentence(said + f"{shown} of {len(leads)} levels.")


def levels_figure(leads: pd.DataFrame) -> Figure | None:
    drawn = counting(leads).drop(columns="category", errors="ignore")
    drawn = drawn.assign(
        row="level " + drawn["level"].astype(str),
        system="TROVE minus its rival",
    )
    sizes = [f"{row.problems:,.0f} of level {row.level}" for row in leads.itertuples()]
    about = {"rows": "row", "caption": f"Problems: {', '.join(sizes)}."}
    about["title"] = f"{TROVE} minus {' or '.join(leads['b'].unique())} by level"
    label = f"any of {leads.attrs['k']} right: difference (points)"
    return forest(drawn, **DIFFERENCE | about | {"label": label})


def solved_figure(table9: pd.DataFrame) -> Figure | None:
    """The share of each level that is solved, a panel a category (Table 9)."""
    drawn = without_macro(called_after_source(table9))
    drawn = drawn[drawn["category"].isin(drawn.loc[drawn["value"].notna(), "category"])]
    k, by = (table9.attrs[name] for name in ("k", "by"))
    axis = "level (1 easiest)" if by == "level of difficulty" else by
    title = f"Problems solved by any of {k} samples, by level"
    labels = (axis, f"pass@{k} (%)")
    return curve(drawn, x="level", panel="category", labels=labels, title=title)


def about_models(calls: pd.DataFrame) -> Sentence:
    """TROVE minus its rival for each model, by one-stage agreement."""
    first = _together(calls)
    said = [f"{row.a} minus {row.b} is {points(row)} for {row.model}" for row in first.itertuples()]
    if not said:
        return Sentence(f"Nothing can be compared: {calls.attrs['note']}.")
    return Sentence(
        f"At the same calls, by one-stage agreement, {' and '.join(said)} (95 %).",
    )


def models_figure(calls: pd.DataFrame) -> Figure | None:
    """A panel a model, for each has its own rival and its own categories."""
    drawn = counting(calls).replace({"category": {"all": "together", "covered": "together"}})
    drawn = drawn.sort_values("category", key=lambda names: names == "together", kind="stable")
    drawn = drawn.assign(
        system=drawn["rule"].astype(str).str.replace("_", "-"),
        model=drawn["model"] + ",\nminus " + drawn["b"],
    ).drop(columns="problems")
    drawn.attrs = calls.attrs
    sizes = calls[~calls["category"].isin(["all", "covered"])].groupby("model")["category"]
    counts = sizes.nunique()
    together = [
        f"{row.problems:,.0f} problems of {counts.get(row.model, 0)} categories for {row.model}"
        for row in _together(calls).itertuples()
    ]
    title = "TROVE minus its rival at the same calls, by model"
    caption = f"Together: {', '.join(together)}."
    return forest(drawn, panel="model", title=title, caption=caption, **DIFFERENCE)


def _together(calls: pd.DataFrame) -> pd.DataFrame:
    """The row over all categories of each model."""
    return calls[calls["rule"] == "one_stage"].drop_duplicates("model", keep="last")
