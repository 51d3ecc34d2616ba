"""TroVE's numbers against each other: section 2 of the audit."""

import math
from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np
import pandas as pd

from .finding import (
    Finding,
    Look,
    Range,
    before_rounding,
    cell,
    claim,
    difference_of,
    finding,
    ratio_of,
    rows_of,
)


def trove_findings(look: Look) -> list[Finding]:
    """TroVE: ranges in the text, repeated numbers, standard deviations, trimming thresholds, random selection."""
    return [
        *_gains(look),
        _tools_saved(look),
        _toolbox_sizes(look),
        *_people(look),
        *_repeated(look),
        *_orderings(look),
        *thresholds(look),
        *_random_selection(look),
        *_best(look),
        *_rectification(look),
        *_misprints(look),
    ]


def _trove(place: str, check: str, **rest: object) -> Finding:
    return finding(2, "TroVE", place, check, **rest)


def _table2(look: Look, method: str, metric: str, *, math_only: bool) -> pd.Series:
    rows = rows_of(look, "trove_table2", method=method, metric=metric)
    rows = rows[rows["task"] == "MATH"] if math_only else rows
    return rows.set_index("category")["value"].astype(float)


def _span(text: str) -> tuple[float, float]:
    low, _, high = text.partition("-")
    return float(low), float(high or low)


def _gains(look: Look) -> Iterator[Finding]:
    """§5.3's ranges of relative gains against Table 2."""
    acc = {m: _table2(look, m, "acc", math_only=True) for m in ("PRIMITIVE", "INSTANCE", "TROVE")}
    for rival, quantity in (("PRIMITIVE", "MATH gain over PRIMITIVE"), ("INSTANCE", "MATH gain over INSTANCE")):
        low, high = _span(claim(look, "trove", quantity))
        gains = 100 * (acc["TROVE"] / acc[rival] - 1)
        may = {c: ratio_of(acc["TROVE"][c], acc[rival][c], 2) for c in gains.index}
        outside = [c for c, r in may.items() if 100 * (r.high - 1) < low - 0.5 or 100 * (r.low - 1) > high + 0.5]
        yield _trove(
            "§5.3",
            f"relative gain in accuracy over {rival} on MATH",
            stated=f"{low:g} to {high:g} %",
            computed=f"Table 2 gives {gains.min():.1f} % ({gains.idxmin()}) to {gains.max():.1f} % ({gains.idxmax()})",
            holds=not outside,
            importance=2,
            note="outside whatever the rounding: " + ", ".join(outside)
            if outside
            else "the ends differ by no more than rounding allows",
        )


def _tools_saved(look: Look) -> Finding:
    """§5.3's range of tools saved against Table 2."""
    low, high = _span(claim(look, "trove", "fewer tools than INSTANCE"))
    fewer = 100 * (
        1 - _table2(look, "TROVE", "n_lib", math_only=True) / _table2(look, "INSTANCE", "n_lib", math_only=True)
    )
    more = fewer[fewer < 0]
    return _trove(
        "§5.3",
        "share of tools that TROVE saves against INSTANCE on MATH",
        stated=f"{low} to {high} % fewer",
        computed=f"Table 2 gives {fewer.min():.1f} % ({fewer.idxmin()}) to {fewer.max():.1f} % ({fewer.idxmax()}); "
        f"the least saving above 0 is {fewer[fewer > 0].min():.1f} %",
        holds=bool(fewer.min() > low - 0.1 and fewer.max() < high + 0.1),
        importance=2,
        note="; ".join(f"in {c} TROVE has {-v:.1f} % more tools" for c, v in more.items()),
    )


def _toolbox_sizes(look: Look) -> Finding:
    """The abstract's range against each rival that it may mean: INSTANCE (Table 2), CRAFT and CREATOR (Table 3)."""
    low, high = _span(claim(look, "trove", "toolbox size reduction"))
    rows = rows_of(look, "trove_table3", metric="n_lib")
    sizes = {
        f"{m} in Table 3": rows[(rows["method"] == m)].set_index("category")["value"].dropna()
        for m in ("CRAFT", "CREATOR")
    }
    ours = rows[(rows["method"] == "TROVE") & (rows["model"] == "GPT-4")].set_index("category")["value"]
    saved = {name: 100 * (1 - ours / theirs).dropna() for name, theirs in sizes.items()}
    lib = {m: _table2(look, m, "n_lib", math_only=False) for m in ("TROVE", "INSTANCE")}
    saved["INSTANCE in Table 2"] = 100 * (1 - lib["TROVE"] / lib["INSTANCE"])
    ends = {
        name: all(before_rounding(end, 0).meets(Range(v, v)) for end, v in ((low, s.min()), (high, s.max())))
        for name, s in saved.items()
    }
    fits = [name for name, fit in ends.items() if fit]
    outside = [c for c, v in saved["INSTANCE in Table 2"].items() if not low - 0.5 <= v <= high + 0.5]
    return _trove(
        "abstract",
        "how much smaller the toolboxes are",
        stated=f"{low:g} to {high:g} %, not said than whose",
        computed="; ".join(
            f"{name} {s.min():.1f} % ({s.idxmin()}) to {s.max():.1f} % ({s.idxmax()})" for name, s in saved.items()
        ),
        holds=None if fits else False,
        importance=2,
        note=(f"the stated range is that of {' and '.join(fits)}" if fits else "the stated range is that of none")
        + f"; against INSTANCE it leaves out {len(outside)} of {len(lib['TROVE'])} data sets",
    )


def _people(look: Look) -> Iterator[Finding]:
    """What §6 and Appendix C say of Table 5."""
    people = look("trove_table5").set_index(["method", "metric"])["mean"]
    order = ("TROVE", "PRIMITIVE", "INSTANCE")
    slower = {
        quantity: difference_of(people[b, "time_s"], people[a, "time_s"], 1)
        for quantity, a, b in zip(
            ("PRIMITIVE slower than TROVE by", "INSTANCE slower than PRIMITIVE by another"),
            order,
            order[1:],
            strict=False,
        )
    }
    stated = {q: float(claim(look, "trove", q)) for q in slower}
    yield _trove(
        "App. C and Table 5",
        "seconds that verification takes longer",
        stated="; ".join(f"{q} {v:g} s" for q, v in stated.items()),
        computed="Table 5: " + ", ".join(f"{(r.low + r.high) / 2:.1f} s" for r in slower.values()),
        holds=all(before_rounding(stated[q], 1).meets(r) for q, r in slower.items()),
        importance=1,
    )


def _repeated(look: Look) -> Iterator[Finding]:
    """Numbers that are printed in more than one table."""
    off, compared = [], 0
    for row in look("trove_table4").itertuples():
        table, where = (
            ("trove_table2", {"method": row.method})
            if row.model == "CodeLlama"
            else ("trove_table3", {"method": row.method, "model": row.model})
        )
        other = cell(look, table, "value", category="GQA", metric=row.metric, **where)
        compared += other == other and row.value == row.value
        if other == other and row.value == row.value and other != row.value:
            off.append(f"{row.model} {row.method} {row.metric} {row.value:g}, {table[-6:]} {other:g}")
    yield _trove(
        "Table 4",
        "numbers that Tables 2 and 3 print too",
        stated=f"{compared} cells",
        computed="; ".join(off) or "all agree",
        holds=not off,
        importance=1,
    )


def _best(look: Look) -> Iterator[Finding]:
    rows = look("trove_table3")
    rows = rows[rows["metric"] == "acc"]
    ours = rows[(rows["method"] == "TROVE") & (rows["model"] == "GPT-4")].set_index("category")["value"]
    others = rows[rows["method"] != "TROVE"]
    above = [
        f"{r.method} {r.category} {r.value:.2f} against {ours[r.category]:.2f}"
        for r in others.itertuples()
        if r.value > ours[r.category]
    ]
    yield _trove(
        "§5.4",
        "TROVE with GPT-4 is the most accurate in Table 3",
        stated="on all datasets",
        computed="; ".join(above) or "no method is above it",
        holds=not above,
        importance=1,
    )


def standard_deviations(low: float, high: float, *, step: float, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Every standard deviation that `size` values on a grid can have whose extremes are `low` and `high`.

    Two arrays: with n - 1 and with n in the denominator.
    """
    grid = np.arange(round(low / step), round(high / step) + 1)
    inner = combinations_with_replacement(grid.tolist(), size - 2)
    values = np.array([[grid[0], *middle, grid[-1]] for middle in inner]) * step
    return np.unique(values.std(axis=1, ddof=1)), np.unique(values.std(axis=1, ddof=0))


def _orderings(look: Look) -> Iterator[Finding]:
    """Table 7: the standard deviations against the ranges, and the originals against the claim about them."""
    orders = int(float(claim(look, "trove", "orderings tried")))
    sizes = look("trove_table1").set_index("category")["size"]
    impossible, notes, checked = [], [], 0
    for row in look("trove_table7").itertuples():
        checked += 1
        target = before_rounding(row.std, 3)
        if row.metric == "n_lib":
            every = {n: standard_deviations(row.range_min, row.range_max, step=1, size=n) for n in (orders, orders - 1)}
            fits = {
                n: any(target.low <= s <= target.high for found in each for s in found) for n, each in every.items()
            }
            if not fits[orders]:
                impossible.append(f"{row.category} #lib ± {row.std} from {row.range_min:g} to {row.range_max:g}")
                notes += [f"{row.category} #lib: {orders - 1} values can give it"] * fits[orders - 1]
            continue
        decimals = 2 if row.metric == "acc" else 1
        step = 1 / sizes[row.category] if row.metric == "acc" else None
        possible = _spread(row.range_min, row.range_max, decimals, orders, step)
        if not target.meets(possible):
            impossible.append(f"{row.category} {row.metric} ± {row.std} from {row.range_min:g} to {row.range_max:g}")
            notes.append(f"{row.category} {row.metric} needs {possible.low:.4f} to {possible.high:.4f}")
    yield _trove(
        "Table 7",
        f"standard deviations can come from {orders} values in the printed range",
        stated=f"{checked} standard deviations",
        computed="; ".join(impossible) + " cannot" if impossible else "all can",
        holds=not impossible,
        importance=1,
        note="; ".join(notes),
    )
    rows = look("trove_table7")
    outside = rows[(rows["original"] < rows["range_min"]) | (rows["original"] > rows["range_max"])]
    yield _trove(
        "§8.1",
        "the original order's results lie within the range of random orders",
        stated="well within, on all three datasets",
        computed="; ".join(
            f"{r.category} {r.metric} {r.original:g} outside {r.range_min:g} to {r.range_max:g}"
            for r in outside.itertuples()
        )
        or "all within",
        holds=outside.empty,
        importance=2,
        note=f"{len(outside)} of {len(rows)} lie outside" if len(outside) else "",
    )
    main = rows_of(look, "trove_table2", method="TROVE").set_index(["category", "metric"])["value"]
    off = [
        f"{r.category} {r.metric} {r.original:g}, Table 2 {main[r.category, r.metric]:g}"
        for r in rows.itertuples()
        if main[r.category, r.metric] != r.original
    ]
    yield _trove(
        "Table 7",
        "the originals are those of Table 2",
        stated=f"{len(rows)} cells",
        computed="; ".join(off) or "all agree",
        holds=not off,
        importance=1,
    )


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


def thresholds(look: Look) -> Iterator[Finding]:
    """Table 13: a fixed threshold of 2 uses against half the logarithm, at every trim of each data set."""
    fixed = float(claim(look, "trove", "fixed trimming threshold"))
    step = int(float(claim(look, "trove", "trim interval")))
    rows = look("trove_table13").pivot(index="category", columns="method", values="value")
    sizes = look("trove_table1").set_index("category")["size"]
    same = {}
    for category, n in sizes.items():
        at = [*range(step, int(n) + 1, step)]
        same[category] = all(math.ceil(0.5 * math.log10(i)) == math.ceil(fixed) for i in at if i > 1)
    drop = rows["logarithmic_ours"] - rows["fixed_value"]
    puzzling = [c for c in sizes.index if same[c] and drop[c] >= 0.01 - 1e-9]
    program = {
        c for c, n in sizes.items() if all(math.ceil(math.log(i, 20)) == fixed for i in (*range(step, n + 1, step), n))
    }
    worst = max(puzzling, key=lambda c: drop[c], default=None)
    yield _trove(
        "Table 13 (App. D.4)",
        "the fixed threshold removes other functions than ½·log10 n does",
        stated=f"a fixed {fixed:g} is less accurate on {(drop > 0).sum()} of {len(drop)} data sets",
        computed=f"at every trim (each {step} examples) of {sum(same.values())} of {len(sizes)} data sets both remove "
        f"exactly the functions used fewer than {fixed:g} times"
        + (
            f"; {len(puzzling)} of these differ in accuracy, most {worst} "
            f"({rows.loc[worst, 'logarithmic_ours']:.2f} and {rows.loc[worst, 'fixed_value']:.2f})"
            if puzzling
            else ""
        ),
        holds=not puzzling,
        importance=2,
        note="uses are whole numbers, and ½·log10 n is above 1 and at most 2 for 100 < n <= 10000, so the described "
        "rules do the same there"
        + (": the differences have another cause" if puzzling else "")
        + f". With the released program's log_20 n the two are the same for {', '.join(sorted(program))}",
    )


def _random_selection(look: Look) -> Iterator[Finding]:
    rows = look("trove_table11").pivot(index="category", columns="method", values="value")
    gap = rows["no_sampling"] - rows["random_selection"]
    far = gap[gap > 0.02]
    yield _trove(
        "Table 11 (App. D.2)",
        "choosing one of several samples at random is as good as taking one sample",
        stated="; ".join(f"{c} {rows.loc[c, 'random_selection']:.2f}" for c in rows.index[:3]) + "; … by random choice",
        computed=f"below a single sample on {(gap > 0).sum()} of {len(gap)} data sets, by {100 * gap.max():.0f} points "
        f"at most ({gap.idxmax()}: {rows.loc[gap.idxmax(), 'no_sampling']:.2f} and "
        f"{rows.loc[gap.idxmax(), 'random_selection']:.2f})",
        holds=far.empty,
        importance=2,
        note="a sample drawn at random from equal samples has the accuracy of one sample; the row must come from a "
        "procedure that is not described"
        if len(far)
        else "",
    )
    gain = rows["self_consistency_ours"] - rows["no_sampling"]
    yield _trove(
        "App. D.2",
        "without sampling results are lower",
        stated="on all datasets",
        computed=f"on {(gain > 0).sum()} of {len(gain)}; equal on {', '.join(gain.index[gain == 0]) or 'none'}",
        holds=bool((gain > 0).all()) or None,
        importance=1,
        note="equal in two decimals may still be lower" if (gain <= 0).any() else "",
    )


def _rectification(look: Look) -> Iterator[Finding]:
    """Appendix D.3: what rectification after creation does in Table 12."""
    rows = look("trove_table12").pivot(index="category", columns="method", values="value")
    change = rows["rec_after_creation"] - rows["no_rectification_ours"]
    worst = change.idxmin()
    yield _trove(
        "Table 12 (App. D.3)",
        "rectification after creation barely helps",
        stated=claim(look, "trove", "rectification after creation"),
        computed=f"it helps on {(change > 0).sum()} of {len(change)} data sets and hurts on {(change < 0).sum()}, most "
        f"on {worst} ({rows.loc[worst, 'no_rectification_ours']:.2f} → {rows.loc[worst, 'rec_after_creation']:.2f})",
        holds=bool((change > 0).sum() > (change < 0).sum()),
        importance=1,
    )


def _misprints(look: Look) -> Iterator[Finding]:
    """What can only be a slip of the pen."""
    captions = rows_of(look, "figures", paper="trove", quantity="caption").set_index("section")["value"]
    twice = captions[captions.duplicated(keep=False)]
    yield _trove(
        "Tables 10-13",
        "each table has a caption of its own",
        stated=f"{len(captions)} captions",
        computed=f"{' and '.join(twice.index)} have the same one" if len(twice) else "all differ",
        holds=twice.empty,
        importance=0.5,
        note="; ".join(sorted(set(twice))).rstrip("."),
    )
    tried, called = (int(claim(look, "trove", f"data sets {q}")) for q in ("tried with GPT-4", "called representative"))
    found = rows_of(look, "trove_table3", model="GPT-4", metric="acc")["category"].nunique()
    yield _trove(
        "§5.4 and Table 3",
        "number of data sets that GPT-4 is tried on",
        stated=f"{tried}, two sentences later {called}",
        computed=f"Table 3 has {found}",
        holds=tried == called == found,
        importance=0.5,
    )
