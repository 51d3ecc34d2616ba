"""TroVE's numbers against each other, and what it counts against its program: sections 2 and 3 of the audit.

`kept`: what toolboxes held when runs ended; `explained`, `counted`, `selected`: of `trove_lite_papers.trove.explained`.
"""

import math
from collections.abc import Iterator
from functools import partial
from itertools import combinations_with_replacement, pairwise

import numpy as np
import pandas as pd

from trove_lite_papers.tables import published_table, rows_of
from trove_lite_papers.trove.explained import CUT, SAME

from .printed import SLACK, Range, before_rounding, claim, claimed, difference_of, methods_of


def stated_range(quantity: str) -> tuple[float, float]:
    low, _, high = claim("trove", quantity).partition("-")
    return float(low), float(high)


def ends(shares: pd.Series) -> str:
    return f"{shares.min():.1f} % ({shares.idxmin()}) to {shares.max():.1f} % ({shares.idxmax()})"


def relative_gains():
    acc = methods_of("trove_table2", task="MATH", metric="acc")
    for rival in ("PRIMITIVE", "INSTANCE"):
        low, high = stated_range(f"MATH gain over {rival}")
        least, gain, most = (
            100 * ((acc["TROVE"] + by) / (acc[rival] - by) - 1) for by in (-0.005, 0, 0.005)
        )
        gains = ends(gain)
        outside = [c for c in acc.index if most[c] < low - 0.5 or least[c] > high + 0.5]
        yield not outside, locals()


def tools_saved():
    low, high = stated_range("fewer tools than INSTANCE")
    lib = methods_of("trove_table2", task="MATH", metric="n_lib")
    share = 100 * (1 - lib["TROVE"] / lib["INSTANCE"])
    saved = ends(share)
    least = share[share > 0].min()
    more = [f"in {c} TROVE has {-v:.1f} % more tools" for c, v in share[share < 0].items()]
    return bool(share.min() > low - 0.1 and share.max() < high + 0.1), locals()


def toolbox_sizes():
    """The abstract's range against each rival that it may mean: INSTANCE (Table 2), CRAFT and CREATOR (Table 3)."""
    low, high = stated_range("toolbox size reduction")
    rows = rows_of("trove_table3", metric="n_lib")
    lib = methods_of("trove_table2", metric="n_lib")
    sizes = rows.set_index(["method", "category"])["value"].astype(float)
    ours = rows[(rows["method"] == "TROVE") & (rows["model"] == "GPT-4")].set_index("category")[
        "value"
    ]
    smaller = {
        f"{m} in Table 3": 100 * (1 - ours / sizes[m]).dropna() for m in ("CRAFT", "CREATOR")
    }
    smaller["INSTANCE in Table 2"] = against = 100 * (1 - lib["TROVE"] / lib["INSTANCE"])
    saved = [f"{name} {ends(s)}" for name, s in smaller.items()]
    fits = [
        n
        for n, s in smaller.items()
        if abs(s.min() - low) <= 0.5 + SLACK and abs(s.max() - high) <= 0.5 + SLACK
    ]
    outside = against[(against < low - 0.5) | (against > high + 0.5)]
    return None if fits else False, locals()


def seconds_of_people():
    seconds = (
        published_table("trove_table5").query("metric == 'time_s'").set_index("method")["mean"]
    )
    quantities = "PRIMITIVE slower than TROVE by", "INSTANCE slower than PRIMITIVE by another"
    said = {quantity: claimed("trove", quantity) for quantity in quantities}
    slower = [
        difference_of(seconds[b], seconds[a], 1)
        for a, b in pairwise(("TROVE", "PRIMITIVE", "INSTANCE"))
    ]
    stated = [f"{q} {v:g} s" for q, v in said.items()]
    table = [f"{np.mean(may):.1f} s" for may in slower]
    return all(
        before_rounding(v, 1).meets(may) for v, may in zip(said.values(), slower, strict=True)
    ), locals()


def orderings_around_the_original():
    rows = published_table("trove_table7")
    far = rows[~rows["original"].between(rows["range_min"], rows["range_max"])].itertuples()
    outside = [
        f"{r.category} {r.metric} {r.original:g} outside {r.range_min:g} to {r.range_max:g}"
        for r in far
    ]
    return not outside, locals()


def standard_deviations(low: float, high: float, size: int) -> np.ndarray:
    """Every standard deviation, over n - 1 or n, that `size` whole numbers with these extremes can have."""
    inner = combinations_with_replacement(range(int(low), int(high) + 1), size - 2)
    values = np.array([[low, *middle, high] for middle in inner])
    return np.concatenate([values.std(axis=1, ddof=ddof) for ddof in (1, 0)])


def _spread(low: float, high: float, decimals: int, size: int, step: float | None) -> Range:
    """Least and greatest standard deviation of `size` values whose extremes round to `low` and `high`.

    `step`: the least distance of two different values (accuracies are counts over n). Either denominator.
    """
    unit = 10.0**-decimals
    half = size // 2
    wide = high - low + unit
    narrow = max(high - low - unit, (step or 0.0) if low != high else 0.0, 0.0)
    greatest = wide * math.sqrt(half * (size - half) / size / (size - 1))
    least = narrow * math.sqrt((0.5 if step is None or narrow > step else (size - 1) / size) / size)
    return Range(least, greatest)


def deviations_of_orderings():
    orders = int(claimed("trove", "orderings tried"))
    rows = published_table("trove_table7")
    sizes = published_table("trove_table1").set_index("category")["size"]
    wrong = []
    notes = []
    for row in rows.itertuples():
        name = f"{row.category} {row.metric.replace('n_lib', '#lib')}"
        target = before_rounding(row.std, 3)
        if row.metric == "n_lib":
            found = (
                standard_deviations(row.range_min, row.range_max, size)
                for size in (orders, orders - 1)
            )
            fits, fewer = (((sds >= target.low) & (sds <= target.high)).any() for sds in found)
            why = f"{name}: {orders - 1} values can give it" if fewer else ""
        else:
            decimals, step = (2, 1 / sizes[row.category]) if row.metric == "acc" else (1, None)
            possible = _spread(row.range_min, row.range_max, decimals, orders, step)
            fits = target.meets(possible)
            why = f"{name} needs {possible.low:.4f} to {possible.high:.4f}"
        if not fits:
            wrong.append(f"{name} ± {row.std} from {row.range_min:g} to {row.range_max:g}")
            notes += [why] if bool(why) else []
    impossible = "; ".join(wrong) + " cannot" if wrong else "all can"
    return not wrong, locals()


def fixed_threshold():
    fixed, step = (claimed("trove", f) for f in ("fixed trimming threshold", "trim interval"))
    rows = methods_of("trove_table13")
    sizes = published_table("trove_table1").set_index("category")["size"].astype(int)
    trims = {c: range(int(step), n + 1, int(step)) for c, n in sizes.items()}
    same = [
        c for c, at in trims.items() if all(math.ceil(0.5 * math.log10(i)) == fixed for i in at)
    ]
    program = sorted(
        c
        for c, at in trims.items()
        if all(math.ceil(math.log(i, 20)) == fixed for i in (*at, sizes[c]))
    )
    drop = rows["logarithmic_ours"] - rows["fixed_value"]
    differ = drop[[c for c in same if drop[c] >= 0.01 - SLACK]]
    puzzling = ""
    if len(differ):
        most = rows.loc[differ.idxmax()]
        ours = most["logarithmic_ours"]
        other = most["fixed_value"]
        puzzling = f"; {len(differ)} of these differ in accuracy, most {most.name} ({ours:.2f} and {other:.2f})"
    less = (drop > 0).sum()
    return differ.empty, locals()


def random_selection():
    rows = methods_of("trove_table11")
    one = rows["no_sampling"]
    drawn = rows["random_selection"]
    gap = one - drawn
    below = (gap > 0).sum()
    worst = gap.idxmax()
    widest = gap.max()
    some = [f"{c} {v:.2f}" for c, v in drawn[:3].items()]
    most = f"{worst}: {one[worst]:.2f} and {drawn[worst]:.2f}"
    return bool(widest <= 0.02), locals()


def without_sampling():
    rows = methods_of("trove_table11")
    gain = rows["self_consistency_ours"] - rows["no_sampling"]
    lower = (gain > 0).sum()
    equal = [*gain.index[gain == 0]]
    return bool((gain > 0).all()) or None, locals()


def rectification():
    rows = methods_of("trove_table12")
    stated = claim("trove", "rectification after creation")
    before = rows["no_rectification_ours"]
    after = rows["rec_after_creation"]
    helps = (after > before).sum()
    hurts = (after < before).sum()
    most = (after - before).idxmin()
    worst = f"{most} ({before[most]:.2f} → {after[most]:.2f})"
    return bool(helps > hurts), locals()


def most_accurate():
    rows = rows_of("trove_table3", metric="acc")
    ours = rows[(rows["method"] == "TROVE") & (rows["model"] == "GPT-4")].set_index("category")[
        "value"
    ]
    others = rows[(rows["method"] != "TROVE") & (rows["value"] > rows["category"].map(ours))]
    above = [
        f"{r.method} {r.category} {r.value:.2f} against {ours[r.category]:.2f}"
        for r in others.itertuples()
    ]
    return not above, locals()


def simpler_programs():
    rows = methods_of("trove_table2", metric="n_ops")
    longer = []
    simpler = True
    for rival in ("PRIMITIVE", "INSTANCE"):
        names = [*rows.index[rows["TROVE"] > rows[rival]]]
        first = f" (the first: {', '.join(names[:3])})" if names else ""
        longer.append(f"#ops above {rival}'s in {len(names)} of {len(rows)} data sets{first}")
        simpler &= not names
    return simpler, locals()


def captions():
    found = rows_of("figures", paper="trove", quantity="caption").set_index("section")["value"]
    same = found[found.duplicated(keep=False)]
    computed = f"{' and '.join(same.index)} have the same one" if len(same) else "all differ"
    twice = "; ".join(sorted(set(same))).rstrip(".")
    return same.empty, locals()


def against_print(measure: str, explained: pd.DataFrame) -> Iterator[tuple]:
    part = explained[explained["measure"] == measure]
    if len(part):
        still_open = [*part.loc[part["verdict"] == "open", "category"]]
        cells = [
            f"{r.category} {r.published:g}, ours {r.value:.3g}: {r.why}" for r in part.itertuples()
        ]
        yield None if still_open else True, locals()


ops_of_table2, accuracy_of_table2 = (
    partial(against_print, which) for which in ("#ops, as reported", "accuracy")
)


def lib_of_table2(explained: pd.DataFrame, kept: pd.DataFrame):
    return against_print("#lib, used", explained) if len(kept) else []


def library_of_functions(kept: pd.DataFrame):
    own = kept[kept["method"] == "trove"]
    if len(own):
        imports = own["signature"].fillna("").str.match(r"(import|from) ").sum()
        toolboxes = own.groupby(["run", "category"]).ngroups
        yield not imports, locals()


def operations_otherwise(how: str, counted: pd.DataFrame) -> Iterator[tuple]:
    for row in counted[counted["counted"] == how].to_dict("records"):
        fields = row | {"other": row["more"] + row["less"], "less_by": -row["difference"]}
        yield bool(row["same"] + row["uncounted"] == row["programs"]), fields


operations_are_calls = partial(operations_otherwise, "function calls")
operations_are_expressions = partial(operations_otherwise, "every statement")


def result_files(selected: pd.DataFrame):
    if len(selected):
        same = selected.loc[selected["selected"] == SAME, "programs"].sum()
        whole = selected["programs"].sum()
        cut = selected.loc[selected["cause"] == CUT, "programs"].sum()
        yield bool(same + cut == whole), locals()
