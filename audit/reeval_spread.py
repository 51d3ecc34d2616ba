"""What the re-evaluation's ± can be, and what follows from it: section 1 of the audit, continued.

A ± is printed to two decimals and is the standard deviation between five runs. Here it says how much better the best of
several runs is than their mean, how sure a lead is, and whether runs that share nothing can be so far apart.
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from scipy import integrate, stats

from trove_lite.analysis.statistics import holm, micro_mean
from trove_lite.datasets.math import CATEGORIES

from .finding import Finding, Look, Range, before_rounding, by_category, cell, claim, difference_of, points
from .reeval_text import COLUMNS_OF_TABLE1, RUNS, report, sizes_of

HALF = 0.005  # half a unit of the last digit of a printed ±


def spread_findings(look: Look) -> list[Finding]:
    """The checks of this file."""
    return [best_of_several(look), lead_in_standard_errors(look), *table3_spread(look)]


def expected_best(runs: int) -> float:
    """Expected maximum of `runs` standard normal numbers, n ∫ x φ(x) Φ(x)^(n-1) dx: 0 of one, 1.163 of five."""
    value, _ = integrate.quad(lambda x: runs * x * stats.norm.pdf(x) * stats.norm.cdf(x) ** (runs - 1), -12, 12)
    return float(value)


def best_of_several(look: Look) -> Finding:
    """The gain over TroVE's report, had that too been a mean of runs and not the best one."""
    sizes, runs = sizes_of(look), int(float(claim(look, "trove", "runs (best reported)")))

    def over_problems(variant: str) -> float:
        return micro_mean(by_category(look, "reeval_table1", method="TROVE", variant=variant), sizes)

    _, variant = COLUMNS_OF_TABLE1["TROVE reproduced"]
    sds = by_category(look, "reeval_table1", "std", method="TROVE", variant=variant)
    low, middle, high = (
        expected_best(runs) * micro_mean(np.maximum(sds + shift, 0), sizes) for shift in (-HALF, 0, HALF)
    )
    reported, improved = over_problems("original"), over_problems("improved_one_stage")
    gain = difference_of(improved, reported, 2)
    may = Range(gain.low + low, gain.high + high)
    stated = float(claim(look, "reeval", "improved vs originally reported"))
    fits = before_rounding(stated / 100, 2).meets(may)
    return report(
        "§4.1.2; TroVE §5.1",
        "gain of the improved TROVE over the reported one, like with like",
        stated=f"+{stated:g} points",
        computed=f"TroVE reports the best of {runs} runs, the re-evaluation means of {RUNS}; from the ± of its "
        f"two-stage runs the best of {runs} is {points(middle)} points above the mean ({points(low)} to "
        f"{points(high)}), so mean against mean the gain is about {points(improved - reported + middle)} points "
        f"({points(may.low)} to {points(may.high)})",
        holds=None if fits and runs > 1 else fits,
        importance=3,
        note="over problems, each category's best run chosen apart, runs normally distributed; TroVE prints no mean of "
        "its runs",
    )


def lead_in_standard_errors(look: Look) -> Finding:
    """TROVE's lead of one point, in standard errors made from what is printed."""
    sizes = sizes_of(look)
    sides = [COLUMNS_OF_TABLE1[name] for name in ("TROVE improved", "PRIMITIVE, K=15")]
    cells = [by_category(look, "reeval_table1", method=m, variant=v) for m, v in sides]
    sds = [by_category(look, "reeval_table1", "std", method=m, variant=v) for m, v in sides]
    whole = [cell(look, "reeval_table1", "std", category="MATH", method=m, variant=v) for m, v in sides]
    lead = micro_mean(cells[0] - cells[1], sizes)
    may = difference_of(*(micro_mean(c, sizes) for c in cells), 2)

    def error(shift: float) -> float:
        return float(np.sqrt(sum(_sd_of_mean(np.maximum(s + shift, 0), sizes) ** 2 for s in sds) / RUNS))

    rows = [float(np.sqrt(sum(max(s + shift, 0) ** 2 for s in whole) / RUNS)) for shift in (-HALF, HALF)]
    p = 2 * stats.t.sf(lead / error(0), 2 * (RUNS - 1))
    return report(
        "§4.1.2",
        "TROVE's lead over PRIMITIVE at a matched budget is not significant",
        stated=f"{claim(look, 'reeval', 'improved TROVE vs PRIMITIVE')} point, not significant",
        computed=f"from the categories {points(lead, 2)} points ({points(may.low, 2)} to "
        f"{points(may.high, 2)} before rounding); its standard error over runs is {100 * error(0):.2f} points "
        f"from the ± of the categories ({100 * error(-HALF):.2f} to {100 * error(HALF):.2f}), the lead "
        f"{lead / error(0):.1f} of them (t test: p {p:.3f}), if runs differ in each category apart",
        holds=None,
        importance=3,
        note=f"the printed ± of the MATH row gives {100 * rows[0]:.1f} to {100 * rows[1]:.1f} points instead; no test, "
        "interval or result by problem is published",
    )


def table3_spread(look: Look) -> Iterator[Finding]:
    """Table 3: of what the MATH row's ± are standard deviations, and whether single ones are possible."""
    sizes, methods = sizes_of(look), ("PRIMITIVE", "TROVE")
    sds = {m: by_category(look, "reeval_table3", "std", method=m) for m in methods}
    printed = {m: cell(look, "reeval_table3", "std", category="MATH", method=m) for m in methods}
    averages = {m: micro_mean(sds[m], sizes) for m in methods}
    apart = {m: Range(*(_sd_of_mean(np.maximum(sds[m] + shift, 0), sizes) for shift in (-HALF, HALF))) for m in methods}
    fit = [apart[m].meets(before_rounding(printed[m], 2)) for m in methods]
    alike = [Range(averages[m] - HALF, averages[m] + HALF).meets(before_rounding(printed[m], 2)) for m in methods]
    yield report(
        "Table 3, MATH row",
        "± is the standard deviation of the mean that it stands beside",
        stated=", ".join(f"{m} ± {printed[m]:.2f}" for m in methods),
        computed="; ".join(
            f"{m}: {_sd_of_mean(sds[m], sizes):.3f} for the mean, if runs differ in each category apart, and "
            f"{averages[m]:.3f} as the average of the seven ±"
            for m in methods
        ),
        holds=all(fit),
        importance=2,
        note="printed is the average of the categories' ±; it is the mean's only if all categories rise and fall as one"
        if all(alike) and not all(fit)
        else "",
    )
    cells = by_category(look, "reeval_table3", method="PRIMITIVE")
    k = float(cell(look, "reeval_table3", "k", category="MATH", method="PRIMITIVE"))
    most = np.sqrt(cells * (k - cells) / sizes)  # Bhatia & Davis 2000: of numbers from 0 to k with this mean
    ratio = (RUNS - 1) * (np.maximum(sds["PRIMITIVE"] - HALF, 0) / most) ** 2
    p = pd.Series(holm(stats.chi2.sf(ratio, RUNS - 1)), index=CATEGORIES)
    beyond = [c for c in CATEGORIES if p[c] < 0.05]
    yield report(
        "Table 3",
        "the ± of PRIMITIVE can come from samples that are drawn anew in each run",
        stated=", ".join(f"{c} ± {v:.2f}" for c, v in sds["PRIMITIVE"].items()),
        computed="; ".join(
            f"{c} ± {sds['PRIMITIVE'][c]:.2f}, where {sizes[c]:.0f} problems of 0 to {k:.0f} predictions each and a "
            f"mean of {cells[c]} allow a standard deviation of {most[c]:.2f} at most (Holm p {p[c]:.4f})"
            for c in beyond
        )
        or "all can",
        holds=not beyond,
        importance=1,
        note=f"the median of the seven is {sds['PRIMITIVE'].median():.2f}; such runs differ in more than their samples"
        if beyond
        else "",
    )


def _sd_of_mean(sds: pd.Series, sizes: pd.Series) -> float:
    """Standard deviation between runs of a mean over problems, the categories' runs being independent."""
    return float(np.sqrt(((sds * sizes / sizes.sum()) ** 2).sum()))
