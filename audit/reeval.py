"""The re-evaluation's numbers against each other: section 1 of the audit.

A MATH row is a mean over problems (micro) or over categories (macro). A ± is printed to two decimals and is the standard
deviation between five runs: it says how much better the best of several runs is than their mean, how sure a lead is,
and whether runs that share nothing can be so far apart.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import integrate, stats

from trove_lite.analysis.statistics import holm, micro_mean
from trove_lite.datasets.math import CATEGORIES

from .finding import check
from .printed import Look, MeanFit, Range, before_rounding, by_category, cell, claim, difference_of, mean_fit, rows_of

RUNS = 5
HALF = 0.005  # half a unit of the last digit of a printed ±
#: The columns of Table 1: their name in words, method, variant.
COLUMNS_OF_TABLE1 = {
    "original PRIMITIVE": ("PRIMITIVE", "original"),
    "PRIMITIVE, K=15": ("PRIMITIVE", "compute_matched"),
    "original TROVE": ("TROVE", "original"),
    "TROVE reproduced": ("TROVE", "reproduced_two_stage"),
    "TROVE improved": ("TROVE", "improved_one_stage"),
}


def sizes_of(look: Look) -> pd.Series:
    """Problems of each category, by Table 8."""
    return by_category(look, "reeval_table8", "count", level="all")


def column(look: Look, name: str, value: str = "mean") -> tuple[pd.Series, float]:
    """A column of Table 1 by category, and what its MATH row prints."""
    method, variant = COLUMNS_OF_TABLE1[name]
    where = {"method": method, "variant": variant}
    return by_category(look, "reeval_table1", value, **where), cell(
        look, "reeval_table1", value, category="MATH", **where
    )


def fit_of(look: Look, name: str) -> MeanFit:
    return mean_fit(*column(look, name), sizes_of(look), 2)


# ---- means and sums ----


@check
def same_kind_of_mean(look: Look):
    """Which mean the MATH row of Table 1 is, column by column."""
    fits = {name: fit_of(look, name) for name in COLUMNS_OF_TABLE1}
    kinds = {fit.fits for fit in fits.values()}
    return not ({"micro", "macro"} <= kinds or "neither" in kinds), {
        "printed": [f"{name} {fit.printed:.2f}" for name, fit in fits.items()],
        "means": [
            f"{name}: over problems {f.micro:.3f}, over categories {f.macro:.3f}, so {f.fits}"
            for name, f in fits.items()
        ],
    }


@check
def gain_over_problems(look: Look):
    improved, original = fit_of(look, "TROVE improved"), fit_of(look, "original TROVE")
    may, stated = difference_of(improved.micro, original.micro, 2), _stated_gain(look)
    fields = {"stated": stated, "may": may, "improved": improved, "original": original}
    return before_rounding(stated / 100, 2).meets(may), fields | {"gain": improved.micro - original.micro}


def _stated_gain(look: Look) -> float:
    return float(claim(look, "reeval", "improved vs originally reported"))


@check
def accuracy_said_of_trove(look: Look):
    said = [float(claim(look, "reeval", "original TROVE on MATH", section=where)) for where in ("§1", "§4.1.1")]
    return abs(said[1] - said[0]) < 0.5, {"said": tuple(said), "original": fit_of(look, "original TROVE")}


@check
def means_of_table5(look: Look):
    """Which mean the MATH row of Table 5 is, where all cells are legible."""
    fits = {}
    for (method, k), part in look("reeval_table5").groupby(["method", "k"], dropna=False, sort=False):
        cells = part.set_index("category")["mean"].reindex([*CATEGORIES, "MATH"])
        if cells.notna().all():
            name = method if np.isnan(k) else f"{method} {k:.0f}"
            fits[name] = mean_fit(cells[list(CATEGORIES)], cells["MATH"], sizes_of(look), 2)
    odd = [
        f"{name} prints {f.printed:.2f}, over problems {f.micro:.3f}, over categories {f.macro:.3f}"
        for name, f in fits.items()
        if f.fits in ("macro", "neither")
    ]
    micro = len(fits) - len(odd)
    return not odd, {"columns": len(fits), "micro": micro, "odd": "; not: " * bool(odd) + "; ".join(odd)}


def _table6(look: Look) -> dict[tuple[str, str], tuple[pd.Series, float]]:
    """Counts by category, and what the MATH row prints, by method and gain."""
    return {
        (m, g): (
            by_category(look, "reeval_table6", "count", method=m, gain=g),
            cell(look, "reeval_table6", "count", category="MATH", method=m, gain=g),
        )
        for m in ("TROVE", "PRIMITIVE")
        for g in ("consistent", "potential")
    }


@check
def sums_of_table6(look: Look):
    table = _table6(look)
    wrong = [(counts, whole) for counts, whole in table.values() if counts.sum() != whole]
    subsets = [names for size in range(1, 7) for names in combinations(CATEGORIES, size)]
    return not wrong, {
        "printed": [f"{' '.join(key)} {whole:.0f}" for key, (_, whole) in table.items()],
        "sums": [f"{' '.join(key)} {counts.sum():.0f}" for key, (counts, _) in table.items()],
        "subset": sum(any(c[list(names)].sum() == whole for names in subsets) for c, whole in wrong),
        "wrong": len(wrong),
    }


@check
def lead_of_figure4(look: Look):
    """Table 6's oracle lead against Figure 4's, by the printed row and by the sums of the categories."""
    stated, leads = float(claim(look, "reeval", "TROVE minus PRIMITIVE, oracle, K=75")), {"row": 0.0, "sums": 0.0}
    for (method, _), (counts, whole) in _table6(look).items():
        share = 100 * (1 if method == "TROVE" else -1) / sizes_of(look).sum()
        leads = {"row": leads["row"] + share * whole, "sums": leads["sums"] + share * counts.sum()}
    return any(abs(lead - stated) <= 0.005 + 1e-9 for lead in leads.values()), leads | {"stated": stated}


@check
def sizes_of_categories(look: Look):
    """Section 3's category sizes against Table 8."""
    stated = {c: int(float(claim(look, "reeval", f"category size as stated: {c}", section="§3"))) for c in CATEGORIES}
    table = {c: int(n) for c, n in sizes_of(look).items()}
    wrong = sum(stated[c] != table[c] for c in CATEGORIES)
    permuted = sorted(stated.values()) == sorted(table.values())
    return not wrong, {
        "stated": [f"{c} {n}" for c, n in stated.items()],
        "table": [f"{c} {n}" for c, n in table.items()],
        "wrong": wrong,
        "permuted": ": the same seven numbers under other names" * permuted,
    }


# ---- statements of the text and of its listings against each other ----


@check
def order_of_modes(look: Look):
    everywhere = claim(look, "reeval", "order of modes in all categories", section="§4.2.1")
    there = claim(look, "reeval", "order of modes in precalculus", section="§B.3")
    first, second = (everywhere.index(mode) for mode in there.split(" > "))
    return first < second, {"everywhere": everywhere, "there": there}


@check
def calls_given_k(look: Look):
    modes = len(claim(look, "reeval", "order of modes in all categories").split(" > "))
    k = int(float(claim(look, "reeval", "compute budget K")))
    shares = (claim(look, "reeval", "share of K sampled in each mode", section=s) for s in ("§2", "Algorithms 1 and 2"))
    text, listing = map(Fraction, shares)
    share = "K" if listing == 1 else f"{listing} K"
    return text == listing, {"k": k, "text": str(text), "modes": modes, "share": share, "calls": listing * modes * k}


@check
def names_have_values(look: Look):
    bound, read = (set(claim(look, "reeval", f"names that are {kind}").split()) for kind in ("bound", "read"))
    without = ", ".join(sorted(read - bound)) + " has none" if read - bound else "all have"
    return read <= bound, {"read": len(read), "without": without}


# ---- the best of several runs, and what a ± can be ----


def expected_best(runs: int) -> float:
    """Expected maximum of `runs` standard normal numbers, n ∫ x φ(x) Φ(x)^(n-1) dx: 0 of one, 1.163 of five."""
    value, _ = integrate.quad(lambda x: runs * x * stats.norm.pdf(x) * stats.norm.cdf(x) ** (runs - 1), -12, 12)
    return float(value)


def shifted(sds: pd.Series) -> list[pd.Series]:
    """Printed ± at the least, as printed and at the most that they may be before rounding."""
    return [np.maximum(sds + shift, 0) for shift in (-HALF, 0, HALF)]


def sd_of_mean(sds: pd.Series, sizes: pd.Series) -> float:
    """Standard deviation between runs of a mean over problems, the categories' runs being independent."""
    return float(np.sqrt(((sds * sizes / sizes.sum()) ** 2).sum()))


@check
def best_of_several(look: Look):
    """The gain over TroVE's report, had that too been a mean of runs and not the best one."""
    sizes, runs = sizes_of(look), int(float(claim(look, "trove", "runs (best reported)")))
    best = [expected_best(runs) * micro_mean(s, sizes) for s in shifted(column(look, "TROVE reproduced", "std")[0])]
    reported, improved = (fit_of(look, name).micro for name in ("original TROVE", "TROVE improved"))
    gain, stated = difference_of(improved, reported, 2), _stated_gain(look)
    may = Range(gain.low + best[0], gain.high + best[2])
    fits = before_rounding(stated / 100, 2).meets(may)
    fields = {"stated": stated, "runs": runs, "best": tuple(best), "gain": improved - reported + best[1], "may": may}
    return None if fits and runs > 1 else fits, fields


@check
def lead_in_standard_errors(look: Look):
    """TROVE's lead of one point, in standard errors made from what is printed."""
    sides, sizes = ("TROVE improved", "PRIMITIVE, K=15"), sizes_of(look)
    means = [fit_of(look, side).micro for side in sides]
    (of_a, row_a), (of_b, row_b) = (column(look, side, "std") for side in sides)
    error, row = (
        tuple(float(np.sqrt((a**2 + b**2) / RUNS)) for a, b in zip(*pair, strict=True))
        for pair in (
            [[sd_of_mean(s, sizes) for s in shifted(sds)] for sds in (of_a, of_b)],
            [shifted(row_a), shifted(row_b)],
        )
    )
    lead = micro_mean(column(look, sides[0])[0] - column(look, sides[1])[0], sizes)
    return None, {
        "stated": claim(look, "reeval", "improved TROVE vs PRIMITIVE"),
        "lead": lead,
        "may": difference_of(*means, 2),
        "error": error,
        "ratio": lead / error[1],
        "p": 2 * stats.t.sf(lead / error[1], 2 * (RUNS - 1)),
        "row": row,
    }


@check
def spread_of_a_mean(look: Look):
    """Table 3: of what the MATH row's ± are standard deviations."""
    sizes, printed, computed, fits, alike = sizes_of(look), [], [], [], []
    for method in ("PRIMITIVE", "TROVE"):
        sds = by_category(look, "reeval_table3", "std", method=method)
        whole = cell(look, "reeval_table3", "std", category="MATH", method=method)
        low, own, high = (sd_of_mean(s, sizes) for s in shifted(sds))
        average = micro_mean(sds, sizes)
        printed.append(f"{method} ± {whole:.2f}")
        computed.append(
            f"{method}: {own:.3f} for the mean, if runs differ in each category apart, and {average:.3f} as the "
            "average of the seven ±"
        )
        fits.append(Range(low, high).meets(before_rounding(whole, 2)))
        alike.append(Range(average - HALF, average + HALF).meets(before_rounding(whole, 2)))
    note = "printed is the average of the categories' ±; it is the mean's only if all categories rise and fall as one"
    return all(fits), {"printed": printed, "computed": computed, "note": note * (all(alike) and not all(fits))}


@check
def spread_of_samples(look: Look):
    """Table 3: whether single ± of PRIMITIVE are possible."""
    sizes, cells = sizes_of(look), by_category(look, "reeval_table3", method="PRIMITIVE")
    sds = by_category(look, "reeval_table3", "std", method="PRIMITIVE")
    k = float(rows_of(look, "reeval_table3", category="MATH", method="PRIMITIVE")["k"].iloc[0])
    most = np.sqrt(cells * (k - cells) / sizes)  # Bhatia & Davis 2000: of numbers from 0 to k with this mean
    ratio = (RUNS - 1) * (np.maximum(sds - HALF, 0) / most) ** 2
    p = pd.Series(holm(stats.chi2.sf(ratio, RUNS - 1)), index=CATEGORIES)
    beyond = [
        f"{c} ± {sds[c]:.2f}, where {sizes[c]:.0f} problems of 0 to {k:.0f} predictions each and a mean of {cells[c]} "
        f"allow a standard deviation of {most[c]:.2f} at most (Holm p {p[c]:.4f})"
        for c in CATEGORIES
        if p[c] < 0.05
    ]
    return not beyond, {"sds": [f"{c} ± {v:.2f}" for c, v in sds.items()], "beyond": beyond, "median": sds.median()}
