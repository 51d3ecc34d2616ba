"""The re-evaluation's numbers against each other: section 1 of the audit.

A MATH row is a mean over problems (micro) or over categories (macro). A ± has two decimals and is the standard
deviation between five runs.
"""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import integrate, stats

from trove_lite.datasets.math import CATEGORIES
from trove_lite_analysis.statistics import holm
from trove_lite_papers.tables import published_table, published_value

from .printed import (
    MeanFit,
    Range,
    before_rounding,
    by_category,
    claim,
    claimed,
    difference_of,
    mean_fit,
)

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


def category_sizes() -> pd.Series:
    """Problems of each category, by Table 8."""
    return by_category("reeval_table8", "count", level="all")


def column(name: str, value: str = "mean") -> tuple[pd.Series, float]:
    """A column of Table 1 by category, and what its MATH row prints."""
    method, variant = COLUMNS_OF_TABLE1[name]
    return with_math_row("reeval_table1", value, method=method, variant=variant)


def with_math_row(table: str, value: str, **where: object) -> tuple[pd.Series, float]:
    return by_category(table, value, **where), published_value(
        table, value, category="MATH", **where
    )


def fit_of(name: str) -> MeanFit:
    return mean_fit(*column(name), category_sizes(), 2)


def same_kind_of_mean():
    fits = {name: fit_of(name) for name in COLUMNS_OF_TABLE1}
    kinds = {fit.fits for fit in fits.values()}
    printed = [f"{name} {fit.printed:.2f}" for name, fit in fits.items()]
    means = [
        f"{n}: over problems {f.micro:.3f}, over categories {f.macro:.3f}, so {f.fits}"
        for n, f in fits.items()
    ]
    return not ({"micro", "macro"} <= kinds or "neither" in kinds), locals()


def gain_over_problems():
    improved = fit_of("TROVE improved")
    original = fit_of("original TROVE")
    stated = claimed("reeval", "improved vs originally reported")
    gain = improved.micro - original.micro
    may = difference_of(improved.micro, original.micro, 2)
    return before_rounding(stated / 100, 2).meets(may), locals()


def accuracy_said_of_trove():
    original = fit_of("original TROVE")
    quantity = "original TROVE on MATH"
    first, other = (claimed("reeval", quantity, section=where) for where in ("§1", "§4.1.1"))
    return abs(other - first) < 0.5, locals()


def means_of_table5():
    fits = {}
    for (method, k), part in published_table("reeval_table5").groupby(
        ["method", "k"], dropna=False, sort=False
    ):
        cells = part.set_index("category")["mean"].reindex([*CATEGORIES, "MATH"])
        if cells.notna().all():
            name = method if np.isnan(k) else f"{method} {k:.0f}"
            fits[name] = mean_fit(cells[:"precalculus"], cells["MATH"], category_sizes(), 2)
    off = {name: fit for name, fit in fits.items() if fit.fits in ("macro", "neither")}
    means = "{} prints {:.2f}, over problems {:.3f}, over categories {:.3f}"
    odd = [means.format(name, *fit[:3]) for name, fit in off.items()]
    micro, but = len(fits) - len(odd), ("; not: " if bool(odd) else "")
    return not odd, locals()


def table6() -> dict[str, tuple[pd.Series, float]]:
    """Counts by category, and what the MATH row prints, by method and gain."""
    keys = [
        (method, gain) for method in ("TROVE", "PRIMITIVE") for gain in ("consistent", "potential")
    ]
    return {f"{m} {g}": with_math_row("reeval_table6", "count", method=m, gain=g) for m, g in keys}


def sums_of_table6():
    wrong = [(counts, whole) for counts, whole in table6().values() if counts.sum() != whole]
    printed = [f"{key} {whole:.0f}" for key, (_, whole) in table6().items()]
    sums = [f"{key} {counts.sum():.0f}" for key, (counts, _) in table6().items()]
    parts = [list(names) for size in range(1, 7) for names in combinations(CATEGORIES, size)]
    subset = sum(any(counts[names].sum() == whole for names in parts) for counts, whole in wrong)
    return not wrong, locals()


def lead_of_figure4():
    stated = claimed("reeval", "TROVE minus PRIMITIVE, oracle, K=75")
    row = 0.0
    sums = 0.0
    for key, (counts, whole) in table6().items():
        share = 100 * (1 if key.startswith("TROVE") else -1) / category_sizes().sum()
        row = row + share * whole
        sums = sums + share * counts.sum()
    return min(abs(row - stated), abs(sums - stated)) <= HALF + 1e-9, locals()


def sizes_of_categories():
    said = {
        c: int(claimed("reeval", f"category size as stated: {c}", section="§3")) for c in CATEGORIES
    }
    sizes = category_sizes().astype(int).to_dict()
    wrong = [c for c in CATEGORIES if said[c] != sizes[c]]
    stated, table = ([f"{c} {n}" for c, n in part.items()] for part in (said, sizes))
    permuted = (
        ": the same seven numbers under other names"
        if sorted(said.values()) == sorted(sizes.values())
        else ""
    )
    return not wrong, locals()


def order_of_modes():
    everywhere = claim("reeval", "order of modes in all categories", section="§4.2.1")
    there = claim("reeval", "order of modes in precalculus", section="§B.3")
    first, second = map(everywhere.index, there.split(" > "))
    return first < second, locals()


def calls_given_k():
    modes = claim("reeval", "order of modes in all categories").split(" > ")
    k = int(claimed("reeval", "compute budget K"))
    quantity = "share of K sampled in each mode"
    text, listing = (
        Fraction(claim("reeval", quantity, section=s)) for s in ("§2", "Algorithms 1 and 2")
    )
    share = "K" if listing == 1 else f"{listing} K"
    calls = listing * len(modes) * k
    return text == listing, locals()


def names_have_values():
    bound, read = (
        set(claim("reeval", f"names that are {kind}").split()) for kind in ("bound", "read")
    )
    without = ", ".join(sorted(read - bound)) + " has none" if read - bound else "all have"
    return read <= bound, locals()


def expected_best(runs: int) -> float:
    """Expected maximum of `runs` standard normal numbers, n ∫ x φ(x) Φ(x)^(n-1) dx: 0 of one, 1.163 of five."""
    return integrate.quad(
        lambda x: runs * x * stats.norm.pdf(x) * stats.norm.cdf(x) ** (runs - 1), -12, 12
    )[0]


def shifted(sds: pd.Series) -> list[pd.Series]:
    """Printed ± at the least, as printed and at the most that they may be before rounding."""
    return [np.maximum(sds + shift, 0) for shift in (-HALF, 0, HALF)]


def sd_of_mean(sds: pd.Series, sizes: pd.Series) -> float:
    """Standard deviation between runs of a mean over problems, the categories' runs being independent."""
    return float(np.sqrt(((sds * sizes / sizes.sum()) ** 2).sum()))


def best_of_several():
    sizes = category_sizes()
    runs = int(claimed("trove", "runs (best reported)"))
    stated = claimed("reeval", "improved vs originally reported")
    best = [
        expected_best(runs) * np.average(s, weights=sizes)
        for s in shifted(column("TROVE reproduced", "std")[0])
    ]
    reported, improved = (fit_of(name).micro for name in ("original TROVE", "TROVE improved"))
    low, high = difference_of(improved, reported, 2)
    gain = improved - reported + best[1]
    may = Range(low + best[0], high + best[2])
    fits = before_rounding(stated / 100, 2).meets(may)
    return None if fits and runs > 1 else fits, locals()


def lead_in_standard_errors():
    sides = ("TROVE improved", "PRIMITIVE, K=15")
    sizes = category_sizes()
    stated = claim("reeval", "improved TROVE vs PRIMITIVE")
    a, b = (np.average(column(side)[0], weights=sizes) for side in sides)
    (of_a, row_a), (of_b, row_b) = (column(side, "std") for side in sides)
    lead = a - b
    may = difference_of(a, b, 2)
    of_means = [[sd_of_mean(sds, sizes) for sds in shifted(side)] for side in (of_a, of_b)]
    error, row = (
        np.sqrt(np.square(pair).sum(axis=0) / RUNS)
        for pair in (of_means, [shifted(row_a), shifted(row_b)])
    )
    ratio = lead / error[1]
    p = 2 * stats.t.sf(ratio, 2 * (RUNS - 1))
    return None, locals()


def spread_of_a_mean():
    sizes = category_sizes()
    printed = []
    computed = []
    fits = []
    alike = []
    for method in ("PRIMITIVE", "TROVE"):
        sds, whole = with_math_row("reeval_table3", "std", method=method)
        low, own, high = (sd_of_mean(s, sizes) for s in shifted(sds))
        average = np.average(sds, weights=sizes)
        printed.append(f"{method} ± {whole:.2f}")
        each = f"{own:.3f} for the mean, if runs differ in each category apart"
        computed.append(f"{method}: {each}, and {average:.3f} as the average of the seven ±")
        fits.append(Range(low, high).meets(before_rounding(whole, 2)))
        alike.append(before_rounding(average, 2).meets(before_rounding(whole, 2)))
    note = "printed is the average of the categories' ±; it is the mean's only if all categories rise and fall as one"
    note *= all(alike) and not all(fits)
    return all(fits), locals()


def spread_of_samples():
    sizes = category_sizes()
    cells = by_category("reeval_table3", method="PRIMITIVE")
    spread = by_category("reeval_table3", "std", method="PRIMITIVE")
    k = published_value("reeval_table3", "k", category="MATH", method="PRIMITIVE")
    most = np.sqrt(
        cells * (k - cells) / sizes
    )  # Bhatia & Davis 2000: of numbers from 0 to k with this mean
    ratio = (RUNS - 1) * (np.maximum(spread - HALF, 0) / most) ** 2
    p = pd.Series(holm(stats.chi2.sf(ratio, RUNS - 1)), index=CATEGORIES)
    sds = [f"{c} ± {v:.2f}" for c, v in spread.items()]
    median = spread.median()
    allowed = "{} ± {:.2f}, where {:.0f} problems of 0 to {:.0f} predictions each and a mean of {} allow a standard "
    allowed += "deviation of {:.2f} at most (Holm p {:.4f})"
    far = p.index[p < 0.05]
    beyond = [allowed.format(c, spread[c], sizes[c], k, cells[c], most[c], p[c]) for c in far]
    return not beyond, locals()
