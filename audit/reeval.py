"""The re-evaluation's numbers against each other: section 1 of the audit.

Every check takes its tables from `look`, so that a changed copy can be checked too. Problems of the data set enter
only where they are given.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pandas as pd

from trove_lite.datasets.base import Problem
from trove_lite.datasets.math import CATEGORIES

from .finding import (
    Finding,
    Look,
    as_printed,
    before_rounding,
    by_category,
    cell,
    claim,
    counts_allowed,
    difference_of,
    mean_fit,
    points,
    rows_of,
)
from .reeval_spread import spread_findings
from .reeval_text import COLUMNS_OF_TABLE1, RUNS, report, sizes_of, statement_findings


def reevaluation_findings(look: Look | None = None, problems: Sequence[Problem] = ()) -> list[Finding]:
    """Every check of the re-evaluation's arithmetic."""
    look = look or as_printed()
    return [
        *means_of_table1(look),
        *means_of_other_tables(look),
        *table6_sums(look),
        *category_sizes(look, problems),
        *table9_counts(look),
        *statement_findings(look),
        *spread_findings(look),
    ]


def means_of_table1(look: Look) -> list[Finding]:
    """Which mean the MATH row of Table 1 is, column by column, and what follows for the text."""
    sizes, fits, printed = sizes_of(look), {}, {}
    for name, (method, variant) in COLUMNS_OF_TABLE1.items():
        cells = by_category(look, "reeval_table1", method=method, variant=variant)
        printed[name] = cell(look, "reeval_table1", category="MATH", method=method, variant=variant)
        fits[name] = mean_fit(cells, printed[name], sizes, 2)
    kinds = {fit.fits for fit in fits.values()}
    mixed = {"micro", "macro"} <= kinds or "neither" in kinds
    first = report(
        "Table 1, MATH row",
        "the five numbers are the same kind of mean",
        stated=", ".join(f"{name} {value:.2f}" for name, value in printed.items()),
        computed="; ".join(
            f"{n}: over problems {f.micro:.3f}, over categories {f.macro:.3f}, so {f.fits}" for n, f in fits.items()
        ),
        holds=not mixed,
        importance=3,
        note=""
        if not mixed
        else "originals and reproductions are averaged in different ways, so the row cannot be read across",
    )
    improved, original = fits["TROVE improved"].micro, fits["original TROVE"].micro
    gain = difference_of(improved, original, 2)
    stated = float(claim(look, "reeval", "improved vs originally reported"))
    text, row = float(claim(look, "reeval", "original TROVE on MATH")), printed["original TROVE"]
    second = report(
        "§4.1.2",
        "gain of the improved TROVE over the reported result, both averaged over problems",
        stated=f"+{stated:g} points",
        computed=f"over problems {improved:.3f} - {original:.3f} = {points(improved - original)} points, "
        f"{points(gain.low)} to {points(gain.high)} before rounding",
        holds=before_rounding(stated / 100, 2).meets(gain),
        importance=2,
        note=f"the stated gain is the difference of the printed row, {printed['TROVE improved']:.2f} - {row:.2f}; "
        "whether one reports a mean of runs and the other the best of them is a finding of its own",
    )
    primitive = fits["original PRIMITIVE"].micro
    later = cell(look, "reeval_table5", category="MATH", method="PRIMITIVE", k=1)
    distance = _distance_to_original(look)
    closest = min(distance, key=distance.get)
    third = report(
        "§4.1.1 and B.1",
        "which budget K of PRIMITIVE the reported one resembles most",
        stated=f"K=1: {later:.2f} against {printed['original PRIMITIVE']:.2f} on MATH, within "
        f"{claim(look, 'reeval', 'P@1 within of original PRIMITIVE')} points",
        computed=f"over problems {later:.2f} against {primitive:.3f}, {points(later - primitive)} points; mean "
        "distance over categories " + ", ".join(f"K={k} {100 * d:.1f}" for k, d in distance.items()),
        holds=closest == 1,
        importance=2,
        note=f"averaged alike, the two are {100 * abs(later - primitive):.1f} points apart instead of "
        f"{100 * abs(later - printed['original PRIMITIVE']):.1f}; single categories differ by up to "
        f"{100 * _worst_at_one(look):.0f}",
    )
    wording = rows_of(look, "figures", paper="reeval", section="§4.1.1", quantity="original TROVE on MATH")
    other = float(wording["value"].iloc[0]) if len(wording) else float("nan")
    fourth = report(
        "§1 and §4.1.1",
        "the accuracy that TROVE's paper is said to report",
        stated=f"§1 {_first(look, '§1', 'original TROVE on MATH'):g} %, §4.1.1 {other:g} %, Table 1 {row:.2f}",
        computed=f"from TROVE's Table 2: {100 * fits['original TROVE'].macro:.1f} % over categories, "
        f"{100 * original:.1f} % over problems",
        holds=abs(other - text) < 0.5 if other == other else None,
        importance=1,
        note="each of the two numbers is one of the two means",
    )
    return [first, second, third, fourth]


def _first(look: Look, section: str, quantity: str) -> float:
    return float(rows_of(look, "figures", paper="reeval", section=section, quantity=quantity)["value"].iloc[0])


def _distance_to_original(look: Look) -> dict[int, float]:
    original = by_category(look, "reeval_table5", method="PRIMITIVE_original")
    budgets = sorted(rows_of(look, "reeval_table5", method="PRIMITIVE")["k"].dropna().unique())
    return {
        int(k): float((by_category(look, "reeval_table5", method="PRIMITIVE", k=k) - original).abs().mean())
        for k in budgets
    }


def _worst_at_one(look: Look) -> float:
    original = by_category(look, "reeval_table5", method="PRIMITIVE_original")
    return float((by_category(look, "reeval_table5", method="PRIMITIVE", k=1) - original).abs().max())


def means_of_other_tables(look: Look) -> list[Finding]:
    """Which mean the MATH rows of Tables 2, 3, 5 and 7 are."""
    results = []
    for number, table, keys in (
        (2, "reeval_table2", ["mode"]),
        (3, "reeval_table3", ["method"]),
        (5, "reeval_table5", ["method", "k"]),
        (7, "reeval_table7", ["method", "k"]),
    ):
        rows, sizes, kinds, odd = look(table), sizes_of(look), [], []
        for key, part in rows.groupby(keys, dropna=False, sort=False):
            cells = part.set_index("category")["mean"]
            whole = float(cells.get("MATH", np.nan))
            if cells.reindex(CATEGORIES).isna().any() or np.isnan(whole):
                continue
            fit = mean_fit(cells.reindex(CATEGORIES), whole, sizes, 2)
            kinds.append(fit.fits)
            name = " ".join(str(int(k) if isinstance(k, float) and k == k else k) for k in key if k == k)
            if fit.fits in ("macro", "neither"):
                odd.append(f"{name} prints {whole:.2f}, over problems {fit.micro:.3f}, over categories {fit.macro:.3f}")
        micro = sum(kind in ("micro", "either") for kind in kinds)
        results.append(
            report(
                f"Table {number}, MATH row",
                "the numbers are means over problems",
                stated=f"{len(kinds)} columns whose cells are all legible",
                computed=f"{micro} of {len(kinds)} can be the mean over problems"
                + (f"; not: {'; '.join(odd)}" if odd else ""),
                holds=not odd,
                importance=1 if table == "reeval_table5" else 2,
            )
        )
    return results


def table6_sums(look: Look) -> list[Finding]:
    """Table 6: the MATH row against the sum of the rows, percentages against counts, and both against Figure 4."""
    sizes = sizes_of(look)
    stated, computed, wrong, gains, printed = [], [], [], {}, {}
    for method in ("TROVE", "PRIMITIVE"):
        for gain in ("consistent", "potential"):
            counts = by_category(look, "reeval_table6", "count", method=method, gain=gain)
            whole = cell(look, "reeval_table6", "count", category="MATH", method=method, gain=gain)
            gains[method, gain], printed[method, gain] = counts.sum(), whole
            stated.append(f"{method} {gain} {whole:.0f}")
            computed.append(f"{method} {gain} {counts.sum():.0f}")
            if counts.sum() != whole:
                wrong.append((counts, whole))
    subset = [
        any(sum(c[n] for n in names) == whole for size in range(1, 7) for names in combinations(CATEGORIES, size))
        for c, whole in wrong
    ]
    sums = report(
        "Table 6, MATH row",
        "counts are the sums of the seven categories",
        stated=", ".join(stated),
        computed=", ".join(computed),
        holds=not wrong,
        importance=2,
        note=f"leaving out some of the categories would explain {sum(subset)} of the {len(wrong)} differences"
        if wrong
        else "",
    )
    off = []
    for row in look("reeval_table6").itertuples():
        n = sizes.sum() if row.category == "MATH" else sizes[row.category]
        if not before_rounding(row.percent, 2).low - 1e-9 <= 100 * row.count / n <= row.percent + 0.005 + 1e-9:
            off.append(f"{row.category} {row.method} {row.gain}: {row.count}/{n:.0f} is not {row.percent} %")
    shares = report(
        "Table 6",
        "percentages are count over category size",
        stated=f"{len(look('reeval_table6'))} pairs of a count and a percentage",
        computed="; ".join(off) or "all agree",
        holds=not off,
        importance=1,
    )
    total, claimed = sizes.sum(), float(claim(look, "reeval", "TROVE minus PRIMITIVE, oracle, K=75"))
    leads = {
        name: 100
        * sum(sign * part[m, g] for m, sign in (("TROVE", 1), ("PRIMITIVE", -1)) for g in ("consistent", "potential"))
        / total
        for name, part in (("the MATH row", printed), ("the sums", gains))
    }
    fits = [abs(lead - claimed) <= 0.005 + 1e-9 for lead in leads.values()]
    figure = report(
        "Table 6 and Figure 4 (B.4)",
        "oracle lead of TROVE with the samples of all five runs",
        stated=f"{claimed:+g} points at K=75",
        computed=", ".join(f"{lead:+.2f} by {name}" for name, lead in leads.items()),
        holds=any(fits),
        importance=2,
        note="a problem is solved by 75 pooled samples exactly if some run solves it, so the lead is the problems "
        "that only TROVE's runs solve minus those that only PRIMITIVE's do",
    )
    return [sums, shares, figure]


def category_sizes(look: Look, problems: Sequence[Problem] = ()) -> list[Finding]:
    """Section 3's category sizes against Table 8, TroVE's Table 1 and the data set."""
    prefix = "category size as stated: "
    rows = rows_of(look, "figures", paper="reeval", section="§3")
    rows = rows[rows["quantity"].str.startswith(prefix)]
    stated = {row.quantity.removeprefix(prefix): int(float(row.value)) for row in rows.itertuples()}
    table = {c: int(n) for c, n in sizes_of(look).items()}
    other = {
        row.category: int(row.size_) for row in look("trove_table1").rename(columns={"size": "size_"}).itertuples()
    }
    wrong = [c for c in CATEGORIES if stated.get(c) != table[c]]
    permuted = sorted(stated.values()) == sorted(table.values())
    results = [
        report(
            "§3 and Table 8",
            "problems in each category",
            stated=", ".join(f"{c} {stated[c]}" for c in CATEGORIES if c in stated),
            computed=", ".join(f"{c} {table[c]}" for c in CATEGORIES),
            holds=not wrong,
            importance=2,
            note=f"{len(wrong)} of {len(stated)} differ"
            + (": the same seven numbers under other names" if wrong and permuted else ""),
        )
    ]
    levels = look("reeval_table8")
    sums = levels[levels["level"] != "all"].groupby("category")["count"].sum()
    differing = [c for c in CATEGORIES if sums[c] != table[c] or other.get(c) != table[c]]
    total = int(float(claim(look, "reeval", "subset size")))
    results.append(
        report(
            "Table 8",
            "sizes against its levels, TroVE's Table 1 and the total",
            stated=f"{total} problems",
            computed=f"{sum(table.values())} problems; {', '.join(differing) or 'all cells agree'}",
            holds=not differing and sum(table.values()) == total,
            importance=2,
        )
    )
    if problems:
        found = pd.Series([(p.category, p.level) for p in problems], dtype=object).value_counts()
        levels = levels[levels["level"] != "all"]
        off = [
            f"{r.category} level {r.level} has {found.get((r.category, r.level), 0)}, not {r.count_}"
            for r in levels.rename(columns={"count": "count_"}).itertuples()
            if found.get((r.category, r.level), 0) != r.count_
        ]
        results.append(
            report(
                "Table 8",
                "sizes against the data set",
                stated=f"{len(levels)} cells",
                computed="; ".join(off) or f"all agree with {len(problems)} problems",
                holds=not off,
                importance=2,
            )
        )
    return results


def oracle_counts(look: Look | None = None) -> pd.DataFrame:
    """Table 9 as the counts it allows: solved (problem, run) pairs of 5n, a row for each category, method and level.

    `low` and `high` are the least and greatest count that round to the printed percentage; equal where it is exact.
    """
    look = look or as_printed()
    rows = look("reeval_table9")
    rows = rows[rows["category"] != "MATH"]
    table = []
    for row in rows.itertuples():
        n = int(cell(look, "reeval_table8", "count", category=row.category, level=str(row.level)))
        allowed = counts_allowed(row.percent / 100, 4, RUNS * n)
        table.append(
            {
                "category": row.category,
                "method": row.method,
                "level": row.level,
                "trials": RUNS * n,
                "low": allowed.start if allowed else -1,
                "high": allowed.stop - 1 if allowed else -2,
            }
        )
    return pd.DataFrame(table)


def table9_counts(look: Look) -> list[Finding]:
    """Table 9: are the percentages possible, do they sum to the MATH row, and do they agree with Table 7?"""
    counts = oracle_counts(look)
    impossible, exact = counts[counts["high"] < counts["low"]], (counts["high"] == counts["low"]).sum()
    off, checked = [], 0
    for (method, level), part in counts.groupby(["method", "level"]):
        printed = cell(look, "reeval_table9", "percent", category="MATH", method=method, level=level)
        possible = before_rounding(printed, 2)
        low, high = (100 * part[end].sum() / part["trials"].sum() for end in ("low", "high"))
        checked += 1
        if high < possible.low - 1e-9 or low > possible.high + 1e-9:
            off.append(f"{method} level {level} prints {printed}, categories give {low:.2f}")
    for (method, category), part in counts.groupby(["method", "category"]):
        printed = cell(look, "reeval_table7", category=category, method=method, k=15)
        low, high = (part[end].sum() / part["trials"].sum() for end in ("low", "high"))
        checked += 1
        if high < printed - 0.005 - 1e-9 or low > printed + 0.005 + 1e-9:
            off.append(f"{category} {method} is {low:.4f}, Table 7 prints {printed}")
    totals = counts.groupby("method")[["low", "high", "trials"]].sum()
    lead = (totals.loc["TROVE", "low"] - totals.loc["PRIMITIVE", "low"]) / totals.loc["TROVE", "trials"]
    sound = impossible.empty and not off
    return [
        report(
            "Table 9",
            "percentages are possible with five runs, sum to the MATH row and to Table 7",
            stated=f"{len(counts)} cells, {checked} sums",
            computed=f"{len(impossible)} impossible cells, {exact} that allow exactly one count, {len(off)} sums off"
            + (f": {'; '.join(off)}" if off else "")
            + f"; oracle totals PRIMITIVE {totals.loc['PRIMITIVE', 'low']}, TROVE {totals.loc['TROVE', 'low']} "
            f"of {totals.loc['TROVE', 'trials']}",
            holds=sound,
            importance=2,
            note=f"on MATH the two are {points(lead, 2)} points apart; Table 7 prints "
            + " and ".join(f"{cell(look, 'reeval_table7', category='MATH', method=m, k=15):.2f}" for m in totals.index)
            if sound
            else "",
        )
    ]
