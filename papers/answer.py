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

from trove_lite.analysis import statistics
from trove_lite.analysis.variance import SMALLEST_EFFECT
from trove_lite.candidates import named
from trove_lite.errors import TroveLiteError
from trove_lite.journal import on_disk

from .figures import Look, forest, looks
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
    if "measure" in found:  # the plan's primary one
        found = found[found["measure"] == "agreement"]
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


# ---- drawn ----


def answer_figure(table: pd.DataFrame) -> Figure | None:
    """Every comparison that has a difference, in points, with its interval; filled where it counts and is shown."""
    known = table[table["difference"].notna()]
    maker = known["tools"].str.extract("^(TROVE|CREATOR|LATM)", expand=False).fillna("another")
    known = known.assign(
        row=known["tools"] + " minus " + known["without"] + "\n" + known["study"] + "; " + known["budget"],
        series=maker.mask(known["group"] == IN_PRINT, IN_PRINT).where(
            known["counted"] & (known["p_holm"] < 0.05) | (known["group"] == IN_PRINT),
            maker + ", not counted or not shown",
        ),
        category=known["study"],
    ).drop(columns="covers")
    known.attrs = table.attrs
    hollow = {name: look._replace(hollow="not shown" in name) for name, look in looks(known["series"].unique()).items()}
    return forest(
        known,
        title="Does making tools help?",
        rows="row",
        series="series",
        value="difference",
        label="accuracy with tools minus without (points)",
        margin=SMALLEST_EFFECT,
        styles=hollow | {IN_PRINT: Look("black", "D", hollow=True)},
        caption="Each row is a method that makes tools minus one that does not; print has its own budgets.",
    )
