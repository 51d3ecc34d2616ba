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

from .figures import forest
from .tables import published_table, published_value

COLUMNS = ["group", "study", "tools", "without", "budget", "difference", "low", "high", "covers", "p", "p_holm"]
COLUMNS += ["detectable", "problems", "counted", "reason", "table"]
NUMBERS = ["difference", "low", "high", "p", "p_holm", "problems"]
IN_PRINT, PLANNED, RECORDED, SEEN = GROUPS = ("in print", "planned", "recorded runs", "seen before the plan")
NOT_RUN, NO_TOOLS = "not run yet", "no tool was made or used"
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
        found = {
            name: read(pd.read_csv(path)) for name, read in READ.items() if (path := Path(folder) / name).is_file()
        }
        if not found:
            raise TroveLiteError(f"{folder}: holds none of {', '.join(READ)}; give the folder of a report's tables")
        group = RECORDED if "(recorded)" in study else SEEN
        for name, rows in found.items():
            about = {"group": group, "study": study, "reason": group, "table": f"{Path(folder).name}/{name}"}
            parts.append(rows.drop(columns="p_holm", errors="ignore").assign(**about))
    table = pd.concat([part.astype(object) for part in parts], ignore_index=True).reindex(columns=COLUMNS)
    table = table.sort_values("group", key=lambda group: group.map(GROUPS.index), kind="stable", ignore_index=True)
    table = table.astype(dict.fromkeys(NUMBERS, float))
    table["detectable"] = DETECTABLE * (table["high"] - table["low"]) / 2
    return named(table.assign(counted=table["counted"].eq(True)), "answer", "Does making tools help?")


def _planned(plan: Path, measured: Path | None) -> pd.DataFrame:
    """The plan's comparisons, with what was found of them by its primary measure."""
    found = pd.read_csv(measured) if measured and measured.is_file() else pd.DataFrame(columns=["id"])
    found = found[found["measure"] == "agreement"] if "measure" in found else found
    rows = pd.read_csv(plan).rename(columns={"data": "study"}).merge(found, on="id", how="left")
    rows = rows.reindex(columns=[*dict.fromkeys([*rows, "difference", "p", "signs", "tools_used", "table"])])
    spent = ["one request" if n == 1 else f"{n} requests" for n in rows["requests"]]
    family, idle = rows["family"] == "yes", rows["tools_used"].eq(False)
    reasons = [
        (rows["difference"].isna(), NOT_RUN),
        (idle, NO_TOOLS),
        (rows["signs"].fillna("") != "", rows["signs"]),
        (~family, rows["why"]),
    ]
    reason = np.select([holds for holds, _ in reasons], [why for _, why in reasons], "")
    counted = pd.Series(reason == "", rows.index)
    p_holm = statistics.holm(rows["p"].where(counted, 1.0).where(family).astype(float))
    more = {
        "budget": [f"{n}, {pack} prompts" for n, pack in zip(spent, rows["prompts"], strict=True)],
        "group": PLANNED,
    }
    more |= {"reason": reason, "counted": counted, "difference": rows["difference"].mask(idle)}
    return rows.assign(**more, p_holm=pd.Series(p_holm, rows.index).where(counted))


# ---- what is read of a study's tables ----


def _whole(rows: pd.DataFrame, **about: str) -> pd.DataFrame:
    """Of each pair the last row, which is over all of its categories, under the names that all tables share."""
    last = rows.drop_duplicates(["a", "b"], keep="last")
    return last.rename(columns={"a": "tools", "b": "without"}).assign(**about)


def _matched(table: pd.DataFrame) -> pd.DataFrame:
    """At the most calls that both sides reach; smaller budgets are in the table that this reads."""
    rivals = table["b"].isin(["PoT", "PRIMITIVE"])  # Entangled makes tools too
    known = table[(table["budget"] == "calls") & table["difference"].notna() & (table["a"] == "CREATOR") & rivals]
    rows = _whole(known.sort_values("spent", kind="stable"))
    return rows.assign(budget=[f"{spent:.2g} calls each" for spent in rows["spent"]])


READ = {
    # without the SKIP pool, which stands in for PRIMITIVE by another prompt: a lead over it is no evidence
    "reeval_differences.csv": lambda table: _whole(
        table[(table["rule"] == "one_stage") & (table["b"] == "PRIMITIVE")], budget="the same calls"
    ),
    "reeval_without_import.csv": lambda table: _whole(
        table[table["counted"] == "independent runs"], budget="the calls that are left"
    ),
    "creator_matched.csv": _matched,
}


def _printed() -> pd.DataFrame:
    """The same question in the papers' own numbers, each at the budget that the paper gave its sides."""

    def matched(method: str, variant: str) -> float:
        return published_value("reeval_table1", category="MATH", method=method, variant=variant)

    def creator(method: str) -> float:
        return published_value("creator_table2", "value", category="MATH", method=method, setting="w/o CoT") / 100

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
    table = pd.DataFrame(rows, columns=["study", "tools", "without", "budget", "table", "difference"])
    return table.assign(group=IN_PRINT, covers=IN_PRINT, reason="printed without an interval")


def answer_figure(table: pd.DataFrame) -> Figure | None:
    """Every comparison that has a difference, in points, with its interval; hollow where it does not count."""
    known = table[table["difference"].notna()]
    maker = known["tools"].str.extract("^(TROVE|CREATOR|LATM)", expand=False).fillna("another")
    shown = known["counted"] & (known["p_holm"] < 0.05)
    row = known["tools"] + " minus " + known["without"] + "\n" + known["study"] + "; " + known["budget"]
    series = maker.where(shown, maker + ", not counted or not shown").mask(known["group"] == IN_PRINT, IN_PRINT)
    known = known.assign(row=row, series=series, category=known["study"]).drop(columns="covers")
    return forest(
        known,
        title="Does making tools help?",
        rows="row",
        series="series",
        value="difference",
        label="accuracy with tools minus without (points)",
        margin=SMALLEST_EFFECT,
        caption="Each row is a method that makes tools minus one that does not; print has its own budgets.",
    )
