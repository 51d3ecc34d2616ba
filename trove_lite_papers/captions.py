"""What a figure's caption says: over how many problems and runs it is, what the marks are, and what
was not measured."""

import re

import pandas as pd

from trove_lite_analysis.scores import ALL_MICRO, COVERED_MICRO
from trove_lite_analysis.variance import THESE_RUNS

from .styles import ALIASES

OVER = "over problems and runs (of one run of a stream: this run alone)"
SHARED = "categories that\nall systems have"
ROW_NAMES = {
    ALL_MICRO: "all problems",
    "all": "all problems",
    COVERED_MICRO: SHARED,
    "covered": SHARED,
}
ROW_NAMES |= {"one_stage_described": "majority vote", "one_stage": "one-stage agreement"}
ROW_NAMES |= {"all, macro": "mean of categories", "covered, macro": "mean of these\ncategories"}
ROW_NAMES |= {"own prompts": "our prompts", "official prompts": "the papers' prompts"}
#: What a mark of a difference says in every figure.
SHOWN, OPEN, NOT_COUNTED = STANDINGS = (
    "filled: counts, and is shown",
    "hollow: open",
    "dotted: not counted",
)
STANDS_IN = "SKIP pool"  # for PRIMITIVE, whose print is beside it: that has the mark of PRIMITIVE


def has(known: pd.DataFrame, column: str) -> bool:
    return column in known and bool(known[column].notna().any())


def standings(rows: pd.DataFrame, *, every: bool = False) -> pd.Series:
    """Of each difference one of STANDINGS; "" for what is none, which has no `p` and no `sure`,
    unless `every` row is one.

    Shown: after Holm's correction where the table has it (`p_holm`), else an interval that leaves
    0 out; or as the table itself says (`sure`). Not counted: `counts` is False."""
    held = rows.reindex(columns=["p", "p_holm", "counts", "sure"])
    holm = held["p_holm"].astype(float)
    told = holm.le(0.05).where(holm.notna(), leaves_0_out(rows))
    sure = held["sure"].astype("boolean").fillna(told)
    found = sure.map({True: SHOWN, False: OPEN}).mask(held["counts"].eq(False), NOT_COUNTED)
    is_one = held["p"].notna() | held["sure"].notna()
    return found if every else found.where(is_one, "")


def corrected(rows: pd.DataFrame, standing: pd.Series) -> pd.Series:
    """Why a difference is open whose interval leaves 0 out, in words; else ""."""
    holm = rows.reindex(columns=["p_holm"])["p_holm"].astype(float)
    words = holm.map("open: p = {:.2g} by Holm".format)
    return words.where(leaves_0_out(rows) & standing.eq(OPEN) & holm.notna(), "")


def leaves_0_out(rows: pd.DataFrame) -> pd.Series:
    held = rows.reindex(columns=["low", "high"])
    return held["low"].gt(0) | held["high"].lt(0)


def uncounted(known: pd.DataFrame) -> str:
    """Why the dotted ones do not count, where the table tells, as a sentence."""
    held = known.reindex(columns=["counts", "reason"])
    why = held.loc[held["counts"].eq(False), "reason"].dropna()
    why = [reason for reason in why.unique() if reason]
    return f"Not counted: {'; '.join(why)}." if why else ""


def measured_over(known: pd.DataFrame, mark: str) -> str:
    """Over which problems and runs, and what interval the marks are, as sentences."""
    covers = known["covers"].dropna().unique() if "covers" in known else ()
    over = (
        f"{'of' if THESE_RUNS in covers else 'over'} {' or '.join(covers)}" if len(covers) else OVER
    )
    thin = "; thin: where five new runs on these problems would fall (95 %)"
    parts = [problems_and_runs(known)]
    beside = has(known, "prediction_low") and has(known, "published") and mark == "Bars"
    parts.append(f"{mark}: 95 % intervals {over}" + thin * beside)
    parts.append("Hollow and black: the paper's values" * has(known, "published"))
    if "source" in known and (known["source"] == STANDS_IN).any():
        parts.append(
            "The SKIP pool stands in for PRIMITIVE, which these runs lack: it is not the same prompt"
        )
    return " ".join(f"{part}." for part in parts if part)


def problems_and_runs(known: pd.DataFrame) -> str:
    """Over how many problems and runs a table's values are; "" where it does not say."""
    if not {"category", "problems"} <= set(known):
        return ""
    single = known[~known["category"].isin([*ROW_NAMES]) & ~known["category"].str.contains(", ")]
    number = len(set(single["category"]))
    within = f" of {number} categories" if number > 1 else ""
    single = single if len(single) else known
    by = [column for column in ("category", "level") if column in single]
    parts = [f"{int(single.groupby(by)['problems'].max().sum()):,} problems{within}"]
    for name, runs in (
        single.groupby("source", sort=False)["runs"] if {"runs", "source"} <= set(single) else ()
    ):
        low = int(runs.min())
        high = int(runs.max())
        times = f"{low} to {high} runs" if low < high else f"{high} run{'s' * (high > 1)}"
        parts.append(f"{times} of {ALIASES.get(name, name)}")
    return "; ".join([parts[0], ", ".join(parts[1:])]).removesuffix("; ")


def absent(table: pd.DataFrame, value: str, column: str) -> str:
    if column not in table:
        return ""
    measured = table.groupby(column, sort=False)[value].count()
    lacking = [str(row) for row in measured.index[measured == 0] if ", " not in str(row)]
    notes = (
        table.loc[table[column].isin(lacking), "note"].dropna().unique() if "note" in table else ()
    )
    why = "; ".join(dict.fromkeys(note.replace(" of this category", "") for note in notes if note))
    why = re.sub(r"\w+", lambda word: ALIASES.get(word[0], word[0]), why)
    return f"Not measured: {', '.join(lacking)}{f' ({why})' if why else ''}." if lacking else ""
