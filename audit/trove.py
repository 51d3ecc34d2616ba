"""TroVE's numbers against each other: section 2 of the audit."""

import math
from collections.abc import Sequence
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pandas as pd

from .finding import check
from .printed import Look, Range, before_rounding, claim, difference_of, methods_of, rows_of


def _table2(look: Look, metric: str) -> pd.DataFrame:
    """Table 2's cells of MATH, a column a method."""
    return methods_of(look, "trove_table2", task="MATH", metric=metric)


def _stated(look: Look, quantity: str) -> tuple[float, float]:
    """A range that the text states, "low-high"."""
    low, _, high = claim(look, "trove", quantity).partition("-")
    return float(low), float(high)


def _ends(shares: pd.Series) -> str:
    return f"{shares.min():.1f} % ({shares.idxmin()}) to {shares.max():.1f} % ({shares.idxmax()})"


# ---- ranges in the text against tables ----


@check
def relative_gains(look: Look):
    """§5.3's ranges of relative gains against Table 2."""
    acc = _table2(look, "acc")
    for rival in ("PRIMITIVE", "INSTANCE"):
        low, high = _stated(look, f"MATH gain over {rival}")
        ours, theirs = acc["TROVE"], acc[rival]
        least, most = (100 * ((ours + by) / (theirs - by) - 1) for by in (-0.005, 0.005))
        outside = [c for c in acc.index if most[c] < low - 0.5 or least[c] > high + 0.5]
        gains = _ends(100 * (ours / theirs - 1))
        yield not outside, {"rival": rival, "low": low, "high": high, "gains": gains, "outside": outside}


@check
def tools_saved(look: Look):
    """§5.3's range of tools saved against Table 2."""
    (low, high), lib = _stated(look, "fewer tools than INSTANCE"), _table2(look, "n_lib")
    saved = 100 * (1 - lib["TROVE"] / lib["INSTANCE"])
    more = [f"in {c} TROVE has {-v:.1f} % more tools" for c, v in saved[saved < 0].items()]
    fields = {"low": low, "high": high, "saved": _ends(saved), "least": saved[saved > 0].min(), "more": more}
    return bool(saved.min() > low - 0.1 and saved.max() < high + 0.1), fields


@check
def toolbox_sizes(look: Look):
    """The abstract's range against each rival that it may mean: INSTANCE (Table 2), CRAFT and CREATOR (Table 3)."""
    low, high = _stated(look, "toolbox size reduction")
    rows, lib = rows_of(look, "trove_table3", metric="n_lib"), methods_of(look, "trove_table2", metric="n_lib")
    sizes = {m: rows[rows["method"] == m].set_index("category")["value"].dropna() for m in ("CRAFT", "CREATOR")}
    ours = rows[(rows["method"] == "TROVE") & (rows["model"] == "GPT-4")].set_index("category")["value"]
    saved = {f"{name} in Table 3": 100 * (1 - ours / theirs).dropna() for name, theirs in sizes.items()}
    saved["INSTANCE in Table 2"] = against = 100 * (1 - lib["TROVE"] / lib["INSTANCE"])
    fits = [
        name
        for name, s in saved.items()
        if all(before_rounding(end, 0).meets(Range(v, v)) for end, v in ((low, s.min()), (high, s.max())))
    ]
    return None if fits else False, {
        "low": low,
        "high": high,
        "saved": [f"{name} {_ends(s)}" for name, s in saved.items()],
        "fits": fits,
        "outside": against[(against < low - 0.5) | (against > high + 0.5)],
        "sets": len(lib),
    }


@check
def seconds_of_people(look: Look):
    """What Appendix C says of Table 5."""
    seconds = look("trove_table5").query("metric == 'time_s'").set_index("method")["mean"]
    quantities = "PRIMITIVE slower than TROVE by", "INSTANCE slower than PRIMITIVE by another"
    stated = {q: float(claim(look, "trove", q)) for q in quantities}
    slower = [difference_of(seconds[b], seconds[a], 1) for a, b in pairwise(("TROVE", "PRIMITIVE", "INSTANCE"))]
    return all(before_rounding(v, 1).meets(r) for v, r in zip(stated.values(), slower, strict=True)), {
        "stated": [f"{q} {v:g} s" for q, v in stated.items()],
        "table": [f"{(r.low + r.high) / 2:.1f} s" for r in slower],
    }


# ---- other orders of the examples: Table 7 ----


@check
def orderings_around_the_original(look: Look):
    rows = look("trove_table7")
    outside = [
        f"{r.category} {r.metric} {r.original:g} outside {r.range_min:g} to {r.range_max:g}"
        for r in rows.itertuples()
        if not r.range_min <= r.original <= r.range_max
    ]
    return not outside, {"outside": outside, "rows": len(rows)}


def standard_deviations(low: float, high: float, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Every standard deviation that `size` whole numbers can have whose extremes are `low` and `high`.

    Two arrays: with n - 1 and with n in the denominator.
    """
    inner = combinations_with_replacement(range(int(low), int(high) + 1), size - 2)
    values = np.array([[low, *middle, high] for middle in inner])
    return np.unique(values.std(axis=1, ddof=1)), np.unique(values.std(axis=1, ddof=0))


def _spread(low: float, high: float, decimals: int, size: int, step: float | None) -> Range:
    """Least and greatest standard deviation of `size` values whose extremes round to `low` and `high`.

    `step`: the least distance of two different values (accuracies are counts over n). Either denominator.
    """
    wide = high - low + 10.0**-decimals
    narrow = max(0.0, high - low - 10.0**-decimals)
    if low != high:
        narrow = max(narrow, step or 0.0)
    half = size // 2
    greatest = wide * math.sqrt(half * (size - half) / size / (size - 1))
    least = narrow * math.sqrt((0.5 if step is None or narrow > step else (size - 1) / size) / size)
    return Range(least, greatest)


@check
def deviations_of_orderings(look: Look):
    orders = int(float(claim(look, "trove", "orderings tried")))
    sizes, impossible, notes = look("trove_table1").set_index("category")["size"], [], []
    for row in look("trove_table7").itertuples():
        name, target = f"{row.category} {row.metric.replace('n_lib', '#lib')}", before_rounding(row.std, 3)
        if row.metric == "n_lib":
            fits, fewer = (
                any(
                    ((found >= target.low) & (found <= target.high)).any()
                    for found in standard_deviations(row.range_min, row.range_max, size)
                )
                for size in (orders, orders - 1)
            )
            why = f"{name}: {orders - 1} values can give it" if fewer else ""
        else:
            decimals, step = (2, 1 / sizes[row.category]) if row.metric == "acc" else (1, None)
            possible = _spread(row.range_min, row.range_max, decimals, orders, step)
            fits, why = target.meets(possible), f"{name} needs {possible.low:.4f} to {possible.high:.4f}"
        if not fits:
            impossible.append(f"{name} ± {row.std} from {row.range_min:g} to {row.range_max:g}")
            notes += [why] * bool(why)
    return not impossible, {
        "orders": orders,
        "rows": len(look("trove_table7")),
        "impossible": "; ".join(impossible) + " cannot" if impossible else "all can",
        "notes": notes,
    }


# ---- ablations: Tables 11 to 13 ----


@check
def fixed_threshold(look: Look):
    """A fixed threshold of 2 uses against half the logarithm, at every trim of each data set."""
    fixed = float(claim(look, "trove", "fixed trimming threshold"))
    step = int(float(claim(look, "trove", "trim interval")))
    rows, sizes = methods_of(look, "trove_table13"), look("trove_table1").set_index("category")["size"].astype(int)

    def alike(uses, at: Sequence[int]) -> bool:
        return all(math.ceil(uses(i)) == math.ceil(fixed) for i in at if i > 1)

    same = [c for c, n in sizes.items() if alike(lambda i: 0.5 * math.log10(i), range(step, n + 1, step))]
    program = [c for c, n in sizes.items() if alike(lambda i: math.log(i, 20), (*range(step, n + 1, step), n))]
    drop = rows["logarithmic_ours"] - rows["fixed_value"]
    puzzling = drop[[c for c in same if drop[c] >= 0.01 - 1e-9]]
    most = rows.loc[puzzling.idxmax()] if len(puzzling) else None
    return puzzling.empty, {
        "fixed": fixed,
        "step": step,
        "less": (drop > 0).sum(),
        "sets": len(drop),
        "same": len(same),
        "puzzling": f"; {len(puzzling)} of these differ in accuracy, most {most.name} ({most['logarithmic_ours']:.2f} "
        f"and {most['fixed_value']:.2f})"
        if len(puzzling)
        else "",
        "program": sorted(program),
    }


@check
def random_selection(look: Look):
    rows = methods_of(look, "trove_table11")
    one, drawn = rows["no_sampling"], rows["random_selection"]
    gap = one - drawn
    most = gap.idxmax()
    return not (gap > 0.02).any(), {
        "some": [f"{c} {v:.2f}" for c, v in drawn[:3].items()],
        "below": (gap > 0).sum(),
        "sets": len(gap),
        "gap": gap.max(),
        "most": f"{most}: {one[most]:.2f} and {drawn[most]:.2f}",
    }


@check
def without_sampling(look: Look):
    rows = methods_of(look, "trove_table11")
    gain = rows["self_consistency_ours"] - rows["no_sampling"]
    fields = {"lower": (gain > 0).sum(), "sets": len(gain), "equal": [*gain.index[gain == 0]]}
    return bool((gain > 0).all()) or None, fields


@check
def rectification(look: Look):
    """Appendix D.3: what rectification after creation does in Table 12."""
    rows = methods_of(look, "trove_table12")
    before, after = rows["no_rectification_ours"], rows["rec_after_creation"]
    helps, hurts, worst = (after > before).sum(), (after < before).sum(), (after - before).idxmin()
    return bool(helps > hurts), {
        "stated": claim(look, "trove", "rectification after creation"),
        "helps": helps,
        "hurts": hurts,
        "sets": len(rows),
        "worst": f"{worst} ({before[worst]:.2f} → {after[worst]:.2f})",
    }


# ---- what the text says of Tables 2 and 3, and slips of the pen ----


@check
def most_accurate(look: Look):
    rows = rows_of(look, "trove_table3", metric="acc")
    ours = rows[(rows["method"] == "TROVE") & (rows["model"] == "GPT-4")].set_index("category")["value"]
    above = [
        f"{r.method} {r.category} {r.value:.2f} against {ours[r.category]:.2f}"
        for r in rows[rows["method"] != "TROVE"].itertuples()
        if r.value > ours[r.category]
    ]
    return not above, {"above": above}


@check
def simpler_programs(look: Look):
    """The abstract's "consistently yields simpler solutions" against the #ops that Table 2 prints."""
    rows = methods_of(look, "trove_table2", metric="n_ops")
    longer = {rival: rows.index[rows["TROVE"] > rows[rival]] for rival in ("PRIMITIVE", "INSTANCE")}
    words = [
        f"#ops above {rival}'s in {len(names)} of {len(rows)} data sets"
        + (f" (the first: {', '.join(names[:3])})" if len(names) else "")
        for rival, names in longer.items()
    ]
    return not any(map(len, longer.values())), {"longer": words}


@check
def captions(look: Look):
    found = rows_of(look, "figures", paper="trove", quantity="caption").set_index("section")["value"]
    twice = found[found.duplicated(keep=False)]
    return twice.empty, {
        "captions": len(found),
        "computed": f"{' and '.join(twice.index)} have the same one" if len(twice) else "all differ",
        "twice": "; ".join(sorted(set(twice))).rstrip("."),
    }
