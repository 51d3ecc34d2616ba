"""What the re-evaluation claims, in its words, and the paper that it is about: which rows decide, by which rule."""

import re
from collections.abc import Callable

import pandas as pd

from trove_lite.analysis.comparison import percent, points
from trove_lite.analysis.scores import ALL_MICRO, COVERED_MICRO
from trove_lite.analysis.variance import THESE_RUNS

from .. import is_its_model, published_table
from ..claims import (
    DOES_NOT,
    HOLDS,
    OPEN,
    Claim,
    Found,
    Tables,
    Undecided,
    agrees,
    hanging_on,
    judged,
    leads,
    near,
    no_difference,
    only,
    ordered,
)
from .two_sides import DATASET, OTHER_SKIP, PRIMITIVE, SKIP_POOL, TROVE, K

RUNS = 5  # of the paper
WHOLE = (ALL_MICRO, COVERED_MICRO)
STOOD_IN = f"the {SKIP_POOL} stands in for {PRIMITIVE}, and its prompt is not the same"


def claims(folder: str, *, model: str, dataset: str) -> pd.DataFrame:
    """The claims table of the tables in `folder`, which are of this model and data set (`claims.judged`)."""
    judges = is_its_model("reeval", model) and dataset == DATASET and _calls(Tables(folder)) == K
    sizes = published_table("reeval_table8")
    whole = int(sizes.loc[(sizes["level"] == "all") & (sizes["category"] != "MATH"), "count"].sum())
    return judged(CLAIMS, folder, judges=judges, whole=whole, runs=f"{model} on {dataset}")


def _calls(tables: Tables) -> int:
    """Calls a problem that the tables are of; 0 where they do not say."""
    try:
        return int(only(tables["reeval_paired"], "selection", effect="selection")["k"])
    except Undecided:
        return 0


# ---- what each claim reads ----


def _lead(rule: str, decide: Callable[[pd.Series, str], Found]) -> Callable[[Tables], Found]:
    def of(tables: Tables) -> Found:
        row = only(tables["reeval_differences"], "difference of the two sides", rule=rule)
        by = "the oracle" if rule == "oracle" else "one-stage agreement"
        found = decide(row, f"By {by}, TROVE minus {_rival(row)}")
        return hanging_on(found, _covers(row, tables), undecided=_stands_in(row["b"]))

    return of


def _reproduced(tables: Tables) -> Found:
    checks = tables["reeval_table1_check"]
    here = _over_all(checks[checks["system"] == "TROVE, two-stage"])
    return _of_categories(agrees(here, "TROVE by two-stage selection is"), tables, here)


def _selection(tables: Tables) -> Found:
    row = only(tables["reeval_paired"], "comparison of the two rules", effect="selection")
    single = _by_category(tables, "selection")
    above, below = (single["difference"] > 0).sum(), (single["difference"] < 0).sum()
    found = leads(row, "One-stage minus two-stage selection")
    why = f"{found.why} By category {above} of {len(single)} differences are above 0 and {below} below."
    return hanging_on(found._replace(why=why), _covers(row, tables))


def _without_import(tables: Tables) -> Found:
    """No worse: IMPORT adds less than a point, one-sided; worse: it adds more than 0."""
    table = tables["reeval_without_import"]
    row = only(table, "runs with and without IMPORT", counted="all runs")
    other = only(table, "independent runs with and without IMPORT", counted="independent runs")
    what = f"TROVE minus TROVE without IMPORT is {points(row)} over {row['problems']:,.0f} problems"
    verdict = HOLDS if row["p_below_1"] <= 0.05 else DOES_NOT if row["low"] > 0 else OPEN
    told = {
        HOLDS: "that IMPORT adds a point or more is refuted",
        DOES_NOT: "IMPORT adds something",
        OPEN: "that IMPORT adds a point is not refuted",
    }
    runs = f"{row['runs_a']:.0f} and {row['runs_b']:.0f} runs"
    sd = row["run_sd_to_0"]
    effect = f"an SD of {100 * sd:.1f} points between runs would take the interval to 0" if sd > 0 else ""
    agreed = "also" if other["p_below_1"] <= 0.05 else "no longer"
    apart = f"over problems and runs, with independent runs only, {points(other)}, {agreed} refuted"
    return Found(
        verdict,
        f"{what}: {told[verdict]}; {apart}." if verdict == HOLDS else f"{what}: {told[verdict]}.",
        f"{100 * row['difference']:+.1f} points",
        _interval(row),
        hangs_on="; ".join(filter(None, [f"{runs} as they are, which share random numbers in part", effect])),
    )


def _order_of_modes(tables: Tables) -> Found:
    pairs = _by_category(tables, "modes")
    pairs = pairs[[(a, b) != ("CREATE", "IMPORT") for a, b in zip(pairs["a"], pairs["b"], strict=True)]]
    if pairs.empty:
        raise Undecided("no two modes on the same problems")
    rows = [row for _, row in pairs.iterrows()]
    found = ordered(rows, "CREATE minus SKIP and SKIP minus IMPORT by category:", fails="{a} minus {b} in {category}")
    covered = pairs["category"].nunique()
    return hanging_on(found, f"{covered} of 7 categories" if covered < 7 else "", "Holm's correction")


def _by_category(tables: Tables, effect: str) -> pd.DataFrame:
    table = tables["reeval_paired"]
    return table[(table["effect"] == effect) & ~table["category"].isin(("all", "covered"))]


def _unique(tables: Tables) -> Found:
    here = _over_all(tables["reeval_table2_check"])
    return _of_categories(agrees(here, "Solved by one mode alone:"), tables, here)


def _distinct(tables: Tables) -> Found:
    row = only(tables["reeval_paired"], "two sides whose answers can be counted", effect="distinct")
    found = leads(row, f"Distinct predictions a problem, TROVE minus {_rival(row)}", scale=1)
    return hanging_on(
        found, _covers(row, tables), "what makes two predictions the same", undecided=_stands_in(row["b"])
    )


def _selector(tables: Tables) -> Found:
    row = only(tables["reeval_paired"], "votes beside the oracle", effect="selector", a=f"{TROVE}, oracle")
    found = near(row, 19, "The oracle minus one-stage agreement, TROVE,")
    return hanging_on(found, _covers(row, tables), undecided=_in_part(row, tables))


def _exclusive(tables: Tables) -> Found:
    table = tables["reeval_table6"]
    row = only(table, "problems that TROVE alone solves", system="TROVE, consistent", category=WHOLE)
    other = only(table, "problems that PRIMITIVE alone solves", system="PRIMITIVE, consistent", category=WHOLE)
    notes = set(table.loc[table["value"].notna() & ~table["category"].str.contains(", "), "note"])
    runs = {tuple(map(int, re.findall(r"\d+", note)[:2])) for note in notes}
    ours = [f"{100 * cell['value']:.1f} %" for cell in (row, other)]
    why = f"Solved by every run of TROVE and none of its rival: {ours[0]}; the other way round: {ours[1]}."
    found = Found(OPEN, why, " and ".join(ours), f"{_interval(row)} and {_interval(other)}")
    if runs != {(RUNS, RUNS)}:
        several = "; ".join(f"{a} against {b}" for a, b in sorted(runs))
        return hanging_on(found, undecided=f"it is about {RUNS} runs against {RUNS}, here {several}")
    verdict = HOLDS if row["high"] < 0.02 and other["high"] < 0.02 else OPEN
    return hanging_on(found._replace(verdict=verdict), undecided=_stands_in(other["source"]))


def _overlap(tables: Tables) -> Found:
    known = tables["reeval_figure3"].dropna(subset="value")
    known = known[known["system"].str.startswith(f"{PRIMITIVE} ~")]
    if known.empty:
        raise Undecided("no overlap of a mode with PRIMITIVE")
    wide = known.assign(mode=known["system"].str.split().str[-1]).pivot(index="category", columns="mode")
    if {"SKIP", "IMPORT"} - set(wide["value"]):
        raise Undecided("not every mode was run")
    value = wide["value"]
    skip, last = (int((value.idxmax(axis=1) == "SKIP").sum()), int((value.idxmin(axis=1) == "IMPORT").sum()))
    apart = bool((wide["low"]["SKIP"] > wide["high"]["IMPORT"]).all())
    reverse = bool((wide["high"]["SKIP"] < wide["low"]["IMPORT"]).any())
    why = (
        f"SKIP overlaps most in {skip} and IMPORT least in {last} of {len(value)} categories (means "
        f"{', '.join(f'{mode} {100 * value[mode].mean():.0f} %' for mode in value)})."
    )
    found = Found(HOLDS if apart else DOES_NOT if reverse else OPEN, why)
    stood_in = f"{OTHER_SKIP} stands in for {PRIMITIVE}, so SKIP is compared with itself"
    return hanging_on(found, undecided=stood_in if (known["source"] == OTHER_SKIP).any() else "")


def _far(tables: Tables) -> Found:
    table = tables["reeval_figure4"]
    row = only(table, "pooled samples of both sides", system=f"{TROVE} minus {PRIMITIVE}, oracle", category=WHOLE)
    most = int(row["k"])
    short = f"the paper goes to 75 samples, these runs to {most}" if most < 75 else ""
    row = pd.Series({**row, "difference": row["value"]})
    found = near(row, 0.75, f"With {most} pooled samples of each, by the oracle, TROVE minus {_named(row['source'])}")
    return hanging_on(
        found, _covers(row, tables), undecided="; ".join(filter(None, [_stands_in(row["source"]), short]))
    )


def _levels(tables: Tables) -> Found:
    table = tables["reeval_table9"]
    cells = [
        only(table, f"problems of level {level}", system=TROVE, level=(level, str(level)), category=WHOLE)
        for level in (1, 5)
    ]
    easy, hard = cells
    if easy["low"] > 0.7 and hard["low"] >= 0.15 and hard["high"] <= 0.25:
        verdict = HOLDS
    elif easy["high"] < 0.7 or hard["high"] < 0.15 or hard["low"] > 0.25:
        verdict = DOES_NOT
    else:
        verdict = OPEN
    why = (
        f"TROVE solves {percent(easy)} of level 1 and {percent(hard)} of level 5 (taken for roughly 20 %: 15 to 25 %)."
    )
    ours = f"{100 * easy['value']:.1f} and {100 * hard['value']:.1f} %"
    found = Found(verdict, why, ours, ", ".join(map(_interval, cells)))
    part = "" if easy["category"] == ALL_MICRO else "print is over all categories"
    return hanging_on(found, undecided=part)


# ---- what it hangs on ----


def _covers(row: pd.Series, tables: Tables) -> str:
    """Over how many of the paper's problems, and whether the interval is of more than these runs."""
    problems = f"{row['problems']:,.0f} of {tables.whole:,} problems" if row["problems"] < tables.whole else ""
    alone = f"the interval is of {THESE_RUNS}: others may differ more" if row.get("covers") == THESE_RUNS else ""
    return "; ".join(part for part in (problems, alone) if part)


def _over_all(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows over all problems; without those, over the covered ones."""
    parts = [rows[rows["category"] == whole] for whole in WHOLE]
    return next((part for part in parts if len(part)), parts[0])


def _in_part(row: pd.Series, tables: Tables) -> str:
    return f"print is over all {tables.whole:,} problems" if row["problems"] < tables.whole else ""


def _of_categories(found: Found, tables: Tables, rows: pd.DataFrame) -> Found:
    """A finding on printed numbers, with what is printed for the categories that the rows are about."""
    if ALL_MICRO in set(rows["category"]):
        return found
    covered = tables["reeval_table1"].query("category == @COVERED_MICRO")["note"].dropna()
    where = covered.iloc[-1] if len(covered) else "some categories"
    printed = ", ".join(f"{100 * value:.1f} %" for value in rows["published"])
    return hanging_on(found, f"only {where}")._replace(also_printed=f"{where}: {printed}")


def _rival(row: pd.Series) -> str:
    return _named(str(row["b"]))


def _named(source: str) -> str:
    return f"the {source}" if source == SKIP_POOL else source


def _stands_in(source: object) -> str:
    return STOOD_IN if SKIP_POOL in str(source) else ""


def _interval(row: pd.Series) -> str:
    return f"[{100 * row['low']:.1f}, {100 * row['high']:.1f}]"


#: In the order of the argument.
CLAIMS = (
    Claim(
        "TROVE consistently yields simpler solutions with higher accuracy than baselines",
        "TroVE",
        "abstract",
        "20 % against 12 %",
        _lead("one_stage", leads),
    ),
    Claim(
        "this toolbox approach does not provide a significant benefit on MATH",
        "re-evaluation",
        "abstract, Table 1",
        "+1 point",
        _lead("one_stage", no_difference),
    ),
    Claim(
        "we reproduce the results of TROVE",
        "re-evaluation",
        "Table 1, §4.1.1",
        "22 %",
        _reproduced,
        number=True,
    ),
    Claim(
        "TROVE's performance is consistently improved across all categories",
        "re-evaluation",
        "§4.1.2, Table 1",
        "+3 points",
        _selection,
    ),
    Claim(
        "the removal of the IMPORT mode does not negatively affect performance",
        "re-evaluation, on Berlot-Attwell et al.",
        "§1",
        "",
        _without_import,
    ),
    Claim(
        "the CREATE mode performs best across all categories, followed by SKIP and IMPORT",
        "re-evaluation",
        "§4.2.1, Figure 1",
        "",
        _order_of_modes,
    ),
    Claim(
        "CREATE uniquely solves the highest proportion of tasks",
        "re-evaluation",
        "§4.2.1, Table 2",
        "CREATE 8 %, SKIP 6 %, IMPORT 4 %",
        _unique,
        number=True,
    ),
    Claim(
        "with, on average, 0.74 additional solutions on any MATH task",
        "re-evaluation",
        "§4.2.2, Table 3",
        "+0.74",
        _distinct,
    ),
    Claim(
        "there is no significant difference between TROVE and PRIMITIVE",
        "re-evaluation",
        "§4.3, Figure 2",
        "44 % against 43 %",
        _lead("oracle", no_difference),
    ),
    Claim(
        "the 19% difference between oracle selection and majority voting",
        "re-evaluation",
        "§6, §4.3",
        "19 points",
        _selector,
        number=True,
    ),
    Claim(
        "consistently solves 1.03% of tasks that were not solved by any PRIMITIVE run",
        "re-evaluation",
        "B.2, Table 6",
        "1.03 % and 0.75 %",
        _exclusive,
        number=True,
    ),
    Claim(
        "SKIP and PRIMITIVE have the highest value [… and] PRIMITIVE is least similar to IMPORT",
        "re-evaluation",
        "B.3, Figure 3",
        "",
        _overlap,
    ),
    Claim(
        "for the oracle by 0.75% after 75 samples",
        "re-evaluation",
        "B.4, Figure 4",
        "+0.75 points",
        _far,
        number=True,
    ),
    Claim(
        "more than 70% of the tasks of level 1, at level 5 they only solve roughly 20%",
        "re-evaluation",
        "B.5, Table 9",
        "76 % and 21 %",
        _levels,
        number=True,
    ),
)
