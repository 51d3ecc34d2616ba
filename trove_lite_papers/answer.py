"""Does making tools help? Comparisons planned before looking, beside those in print and those seen
before the plan.

A row holds a method that makes tools against one that asks without, as a study's own tables have
it. Only rows of the plan's family are judged, in which tools were used and every sign of health is
explained; every other row says why it is not.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import fill

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from trove_lite.candidates import name_table
from trove_lite.errors import TroveLiteError
from trove_lite_analysis import statistics
from trove_lite_analysis.differences import points
from trove_lite_analysis.variance import SMALLEST_EFFECT

from .captions import standings, uncounted
from .figures import PRINT, ROW_NAMES, legend, style_of, titled
from .rows import draw_rows
from .tables import published_table, published_value

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
]
MAJORITY = [
    "majority",
    "majority_low",
    "majority_high",
]  # the difference by one vote a program, the second verdict
COLUMNS += [*MAJORITY, "detectable", "problems", "runs", "counted", "reason", "table"]
NUMBERS = ["difference", "low", "high", "p", "p_holm", *MAJORITY, "problems", "runs"]
IN_PRINT, PLANNED, RECORDED, SEEN = GROUPS = (
    "in print",
    "planned",
    "recorded runs",
    "seen before the plan",
)
LIVE = "live, planned"
BROKEN = "live, planned, but a rule of the plan is broken"
BESIDE = "live, their control"
PRACTICE = "live, the practice model (a toy)"
CONTROL = "placebo"  # how the plan's reason for a control begins
CAPTION = (
    "Each row: a method that makes tools minus one that does not, on the same n problems. "
    "Bars: 95 % intervals."
)
PRINTED = (
    "Black: in print, without intervals, at each paper's own budgets; an arrow: beyond the scale."
)
SYSTEMS = {"a": "tools", "b": "without"}
REACH = 0.1  # the least that a figure shows to either system
NOT_RUN = "not run, not complete or withdrawn"
NO_TOOLS = "no tool was made or used"
#: A difference that is shown at 5 %, two-sided, with a chance of 80 %, over the half of its 95 %
#: interval.
DETECTABLE = (1.95996 + 0.84162) / 1.95996


def answer(
    studies: Mapping[str | Path, str],
    plan: str | Path,
    measured: str | Path = "",
    models: Iterable[str | Path] = (),
) -> pd.DataFrame:
    """A row a comparison, by GROUPS: `difference` is accuracy with tools minus without, as a
    fraction of 1.

    studies: folders of tables, and what they are about ("(recorded)": a group of its own). plan:
    the file of planned comparisons; measured: by `id` their differences, by the measure that the
    row's plan names, `tools_used` and in `reason` the first rule of the plan that is not met.
    models: tables of whole categories, whose rows about tools come first. `p_holm` is over the
    plan's family, of which what has no p is taken as 1; `detectable` is before correction; `runs`:
    seeds, of the system with fewer. Raises TroveLiteError for a folder without any of the tables that
    are read.
    """
    parts = [_printed(), _planned(Path(plan), Path(measured) if measured else None)]
    parts[1:1] = [_whole(path) for path in map(Path, models) if path.is_file()]
    for folder, study in studies.items():
        found = {
            name: pairs(path, *of)
            for name, of in READ.items()
            if (path := Path(folder) / name).is_file()
        }
        if not found:
            raise TroveLiteError(
                f"{folder}: holds none of {', '.join(READ)}; give the folder of a report's tables"
            )
        group = RECORDED if "(recorded)" in study else SEEN
        for name, rows in found.items():
            about = {
                "group": group,
                "study": study,
                "reason": group,
                "table": f"{Path(folder).name}/{name}",
            }
            parts.append(rows.drop(columns="p_holm", errors="ignore").assign(**about))
    table = pd.concat([part.astype(object) for part in parts], ignore_index=True).reindex(
        columns=COLUMNS
    )
    table = table.sort_values(
        "group", key=lambda group: group.map(GROUPS.index), kind="stable", ignore_index=True
    )
    table = table.astype(dict.fromkeys(NUMBERS, float))
    table["detectable"] = DETECTABLE * (table["high"] - table["low"]) / 2
    return name_table(
        table.assign(counted=table["counted"].eq(True)), "answer", "Does making tools help?"
    )


def _planned(plan: Path, measured: Path | None) -> pd.DataFrame:
    found = (
        pd.read_csv(measured) if measured and measured.is_file() else pd.DataFrame(columns=["id"])
    )
    if "measure" in found:
        second = found[found["measure"].str.contains("one vote")].set_index("id")[
            ["difference", "low", "high"]
        ]
        found = found[found["measure"] == "agreement"].join(
            second.set_axis(MAJORITY, axis=1), on="id"
        )
    rows = pd.read_csv(plan).rename(columns={"data": "study"}).merge(found, on="id", how="left")
    there = [
        *NUMBERS,
        "covers",
        "detectable",
        "reason",
        "tools_used",
        "could_call",
        "no_fault",
        "model",
        "table",
    ]
    rows = rows.reindex(columns=[*dict.fromkeys([*rows, *there])])
    rows["study"] = rows["model"].map("{}, ".format, na_action="ignore").fillna("") + rows["study"]
    spent = rows["requests"].map(
        lambda n: "one request planned" if n == 1 else f"{n} requests planned"
    )
    family = rows["family"] == "yes"
    broken = rows["reason"].fillna("")
    idle = rows["tools_used"].eq(False) & rows["could_call"].gt(0)
    lacks = [rows["difference"].isna(), idle, ~family]
    reason = pd.Series(np.select(lacks, [NOT_RUN, NO_TOOLS, rows["why"]], broken), rows.index)
    counted = reason == ""
    p_holm = statistics.holm(rows["p"].where(counted, 1.0).where(family).astype(float))
    more = {
        "group": PLANNED,
        "budget": spent + ", " + rows["prompts"] + " prompts",
        "reason": reason,
    }
    hidden = idle | family & rows["no_fault"].eq(
        False
    )  # withdrawn, or nothing to give: and then no interval
    given = rows[["difference", "low", "high", "p", "covers", *MAJORITY]].mask(hidden)
    return rows.assign(
        **more, **given, counted=counted, p_holm=pd.Series(p_holm, rows.index).where(counted)
    )


def _whole(path: Path) -> pd.DataFrame:
    found = pd.read_csv(path).query("category == 'all'").rename(columns=SYSTEMS)
    found = found[found["whole"].notna()]  # the bench's row has a plan of its own
    if "factor" in found:  # comparisons of single programs, some of something else than the tool
        found = found[found["factor"] == "tool"]
    else:
        found[MAJORITY], found["budget"] = (
            found[NUMBERS[:3]],
            "15 requests planned, official prompts",
        )
    about = {
        "group": PLANNED,
        "reason": found["reason"].fillna(""),
        "counted": found["counts"].eq(True),
        "table": f"{path.parent.name}/{path.name}",
    }
    runs = found["seeds"].astype(str).str.split().str.len()
    return found.assign(**about, study=found["model"] + ", MATH", runs=runs)


def pairs(path: Path, query: str, budget: str) -> pd.DataFrame:
    """Of each pair of a table the last row, over all of its categories; `runs`: those of the system
    that has fewer."""
    table = pd.read_csv(path).query(query).rename(columns=SYSTEMS)
    runs = table.reindex(columns=["runs_a", "runs_b"]).min(axis="columns")
    return table.assign(budget=budget, runs=runs).drop_duplicates(["tools", "without"], keep="last")


#: What is read of a study's tables, and at which budget: without the SKIP pool, a lead over which
#: is no evidence.
READ = {"reeval_differences.csv": ("rule == 'one_stage' and b == 'PRIMITIVE'", "the same calls")}
READ["reeval_without_import.csv"] = "counted == 'independent runs'", "the calls that are left"


def _printed() -> pd.DataFrame:
    """The same question in the papers' own numbers, each at the budget that the paper gave its
    systems."""

    def matched(method: str, variant: str) -> float:
        return published_value("reeval_table1", category="MATH", method=method, variant=variant)

    def creator(method: str) -> float:
        return (
            published_value(
                "creator_table2", "value", category="MATH", method=method, setting="w/o CoT"
            )
            / 100
        )

    tasks = published_table("latm_table2").query("tool_user_model == 'GPT-3.5 Turbo'")
    tasks = tasks.groupby("method")["accuracy_pct"].mean() / 100
    rows = [
        ("TroVE, CodeLlama-7B on MATH", "TROVE", "PRIMITIVE", "unequal calls", "reeval_table1",
         matched("TROVE", "original") - matched("PRIMITIVE", "original")),
        ("the re-evaluation, CodeLlama-7B on MATH", "TROVE", "PRIMITIVE", "15 calls each", "reeval_table1",
         matched("TROVE", "improved_one_stage") - matched("PRIMITIVE", "compute_matched")),
        ("CREATOR, ChatGPT on MATH", "CREATOR", "PoT", "one attempt each", "creator_table2",
         creator("CREATOR") - creator("PoT (w/ Rec.)")),
        ("LATM, GPT-3.5 Turbo on six tasks", "LATM of GPT-4", "CoT", "one call a question", "latm_table2",
         tasks["LATM"] - tasks["CoT"]),
    ]  # fmt: skip
    table = pd.DataFrame(
        rows, columns=["study", "tools", "without", "budget", "table", "difference"]
    )
    return table.assign(group=IN_PRINT, covers=IN_PRINT, reason="printed without an interval")


def answer_figure(
    table: pd.DataFrame, *, title: str = "Does making tools help?", name: str = ""
) -> Figure | None:
    """What is judged, its control and what others recorded or printed, in points, on the scale of
    what was measured.

    As wide as a phone shows: what a row compares is above its dot, where and how below.
    """
    control = table["reason"].str.startswith(CONTROL)
    kinds = {
        LIVE: table["counted"],
        BROKEN: table["group"].eq(PLANNED) & table["table"].notna(),
        BESIDE: control,
        PRACTICE: table["study"].str.contains("practice"),
    }
    origin = pd.Series(np.select(list(kinds.values()), list(kinds), table["group"]), table.index)
    order = (LIVE, BROKEN, BESIDE, RECORDED, SEEN, PRACTICE, IN_PRINT)
    known = table.assign(
        origin=origin, row=table.index.astype(str), maker=table["tools"].str.split(",| of ").str[0]
    )
    known = known[known["difference"].notna() & origin.isin(order)]
    if known.empty:
        return None
    there = [name for name in order if (known["origin"] == name).any()]
    places = [
        place for name in there for place in (name, *known.loc[known["origin"] == name, "row"])
    ]
    in_print = known["origin"] == IN_PRINT
    styles = [style_of(maker) for maker in known["maker"]]
    styles = [
        PRINT._replace(marker=s.marker) if is_print else s
        for s, is_print in zip(styles, in_print, strict=True)
    ]
    reach = max(REACH, float(known[["low", "high"]].abs().max(axis=None)) + 0.01)
    known = known.assign(counts=known["counted"])
    known["standing"] = standings(known)
    drawn = known.assign(difference=known["difference"].clip(-reach, reach))
    figure, axes = plt.subplots(figsize=(5.4, 1.6 + 0.56 * len(places)), layout="constrained")
    draw_rows(axes, drawn, places, styles, "row", "difference", margin=SMALLEST_EFFECT)
    axes.set_yticks([])
    models = list(
        filter(None, known.loc[known["group"] == PLANNED, "study"].str.rpartition(", ")[0].unique())
    )
    about = {"transform": axes.get_yaxis_transform(), "va": "center", "fontsize": 9}
    about["bbox"] = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
    for head in there:
        axes.text(0.5, places.index(head) + 0.1, head, ha="center", fontweight="bold", **about)
    for row in known.itertuples():
        y = places.index(row.row)
        asked = row.budget.replace(" planned", "").split(", ")
        study = row.study.removeprefix(f"{models[0]}, " if len(models) == 1 else "")
        study = study.replace("-instruct", "").replace(" (recorded)", "")
        asked = f"{study}; {', '.join(ROW_NAMES.get(part, part) for part in asked)}"
        number = (
            f"{100 * row.difference:+.1f}"
            if np.isnan(row.low)
            else points(row).replace(" points", "")
        )
        axes.text(0.01, y - 0.3, f"{row.tools} minus {row.without}", ha="left", **about)
        axes.text(
            0.99,
            y - 0.3,
            number + (" →" if abs(row.difference) > reach else ""),
            ha="right",
            **about,
        )
        axes.text(0.01, y + 0.3, asked, ha="left", color="0.3", **about)
        axes.text(
            0.99,
            y + 0.3,
            "" if np.isnan(row.low) else f"n = {row.problems:,.0f}",
            ha="right",
            **about,
        )
        why = row.reason if row.origin in (BROKEN, BESIDE) else ""
        axes.text(0.99, y, fill(why, 32), ha="right", **about | {"fontsize": 7, "bbox": None})
    label = "accuracy with tools minus without (points)"
    legend(figure, {"black: in print": PRINT} if in_print.any() else {}, known)
    axes.set(xlabel=label, xlim=(-100 * reach, 100 * reach))
    grey = f"Grey: within {100 * SMALLEST_EFFECT:g} points, the smallest effect of interest."
    title += f" Live: {models[0]}" if len(models) == 1 else ""
    about = CAPTION, PRINTED if in_print.any() else "", uncounted(known), grey
    return titled(figure, table, title, *about, name=name)


def models_figure(table: pd.DataFrame) -> Figure | None:
    """The same comparisons by several models: of `answer`'s planned rows on MATH those of TROVE and
    INSTANCE, with the prompts of each and why one does not count."""
    asked = table["group"].eq(PLANNED) & table["study"].str.endswith(", MATH")
    known = table[asked & table["tools"].isin(["TROVE", "INSTANCE"])]
    return answer_figure(known, title="The difference, model by model", name="models")
