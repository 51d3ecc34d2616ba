"""The re-evaluation's numbers against each other: section 1 of the audit.

Every check takes its tables from `look`, so that a changed copy can be checked too. Problems of the data set enter
only where they are given.
"""

from itertools import combinations

import numpy as np

from trove_lite.datasets.math import CATEGORIES

from .finding import (
    Finding,
    Look,
    as_printed,
    before_rounding,
    by_category,
    cell,
    claim,
    difference_of,
    mean_fit,
    points,
    rows_of,
)
from .reeval_spread import spread_findings
from .reeval_text import COLUMNS_OF_TABLE1, report, sizes_of, statement_findings


def reevaluation_findings(look: Look | None = None) -> list[Finding]:
    """Every check of the re-evaluation's arithmetic."""
    look = look or as_printed()
    return [
        *means_of_table1(look),
        *means_of_other_tables(look),
        *table6_sums(look),
        category_sizes(look),
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
    wording = rows_of(look, "figures", paper="reeval", section="§4.1.1", quantity="original TROVE on MATH")
    other = float(wording["value"].iloc[0]) if len(wording) else float("nan")
    third = report(
        "§1 and §4.1.1",
        "the accuracy that TROVE's paper is said to report",
        stated=f"§1 {_first(look, '§1', 'original TROVE on MATH'):g} %, §4.1.1 {other:g} %, Table 1 {row:.2f}",
        computed=f"from TROVE's Table 2: {100 * fits['original TROVE'].macro:.1f} % over categories, "
        f"{100 * original:.1f} % over problems",
        holds=abs(other - text) < 0.5 if other == other else None,
        importance=1,
        note="each of the two numbers is one of the two means",
    )
    return [first, second, third]


def _first(look: Look, section: str, quantity: str) -> float:
    return float(rows_of(look, "figures", paper="reeval", section=section, quantity=quantity)["value"].iloc[0])


def means_of_other_tables(look: Look) -> list[Finding]:
    """Which mean the MATH row of Table 5 is."""
    results = []
    for number, table, keys in ((5, "reeval_table5", ["method", "k"]),):
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
    return [sums, figure]


def category_sizes(look: Look) -> Finding:
    """Section 3's category sizes against Table 8."""
    prefix = "category size as stated: "
    rows = rows_of(look, "figures", paper="reeval", section="§3")
    rows = rows[rows["quantity"].str.startswith(prefix)]
    stated = {row.quantity.removeprefix(prefix): int(float(row.value)) for row in rows.itertuples()}
    table = {c: int(n) for c, n in sizes_of(look).items()}
    wrong = [c for c in CATEGORIES if stated.get(c) != table[c]]
    permuted = sorted(stated.values()) == sorted(table.values())
    return report(
        "§3 and Table 8",
        "problems in each category",
        stated=", ".join(f"{c} {stated[c]}" for c in CATEGORIES if c in stated),
        computed=", ".join(f"{c} {table[c]}" for c in CATEGORIES),
        holds=not wrong,
        importance=2,
        note=f"{len(wrong)} of {len(stated)} differ"
        + (": the same seven numbers under other names" if wrong and permuted else ""),
    )
