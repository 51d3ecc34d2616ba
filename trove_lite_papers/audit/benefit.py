"""Are several runs several, and does tool-making help? Sections 5 and 6 of the audit, on the runs at hand.

Where the SKIP pool stands in for PRIMITIVE, nothing about PRIMITIVE is decided. What print is held against is where
five more runs of each side would fall.
"""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from trove_lite import choose
from trove_lite.candidates import SELECTED, all_candidates
from trove_lite_analysis import independent_runs, shared_programs
from trove_lite_analysis.differences import difference_cells, percent
from trove_lite_analysis.scores import drop_unscored, estimate, score, variance_of
from trove_lite_analysis.sides import Comparison
from trove_lite_analysis.statistics import Interval, holm
from trove_lite_analysis.variance import MARGINS, SMALLEST_EFFECT, prediction_interval
from trove_lite_papers.reeval import (
    PRIMITIVE,
    SIDES,
    SKIP_POOL,
    TROVE,
    covered,
    matched_budgets,
    measured,
    source,
)
from trove_lite_papers.reeval import without_import as import_differences
from trove_lite_papers.tables import published_value

from .printed import Range, before_rounding, by_category, difference_of, points
from .reeval import RUNS, category_sizes


def runs_are_several(candidates: pd.DataFrame, whose: str):
    pairs = shared_programs(candidates)
    stream = all_candidates(candidates)
    key = ["run", "method"]
    kept = independent_runs(stream).groupby(["category", *key], observed=True)["problem"].nunique()
    for category, part in stream.groupby("category", observed=True):
        sizes = part.groupby(key, observed=True)["problem"].nunique()
        left = kept[category].reindex(sizes.index).fillna(0)
        runs = list(sizes.index.get_level_values("run"))
        s = "s" if len(sizes) > 1 else ""
        names = {i: i[0] if runs.count(i[0]) == 1 else f"{i[0]} ({i[1]})" for i in sizes.index}
        independent = (left == sizes).sum()
        part = ((left > 0) & (left < sizes)).sum()
        partly = f", {part} in part (the problems where it repeats none)" if part else ""
        here = pairs[(pairs["category"] == category) & (pairs["mode"] != SELECTED)]
        free = here[here["verdict"] == "independent"]
        repeats = repetitions(here, names)
        called = [*names.values()]
        most = free["identical"].max()
        by_chance = free["by_chance"].max()
        shared = f"share {100 * most:.0f} % of a mode's programs at most, by chance {100 * by_chance:.0f} %"
        chance = "" if free.empty else f"independent pairs {shared}"
        yield not repeats, locals()


def repetitions(pairs: pd.DataFrame, names: Mapping[tuple[str, str], str]) -> list[str]:
    """Runs that repeat others, in words: copies of one another together, each other run with what it repeats most."""
    group: dict[str, tuple[str, ...]] = {}
    by_pair = pairs.groupby(["run_a", "method_a", "run_b", "method_b"], observed=True, sort=False)
    modes = [(names[i[:2]], names[i[2:]], rows) for i, rows in by_pair]
    for a, b, rows in modes:
        if (rows["verdict"] == "copy").all():
            both = tuple(sorted({*group.get(a, (a,)), *group.get(b, (b,))}))
            group |= dict.fromkeys(both, both)
    words = [" = ".join(copies) for copies in dict.fromkeys(group.values())]
    later = {name for copies in group.values() for name in copies[1:]}
    most = {}
    for a, b, rows in modes:
        if rows["shared"].sum() > most.get(b, (0,))[0] and not later & {a, b}:
            most[b] = rows["shared"].sum(), a, rows[rows["verdict"] != "independent"]
    for b, (_, a, rows) in most.items():
        where = (
            f"{r.mode} ({'all' if r.verdict == 'copy' else f'problems {r.stretches}'})"
            for r in rows.itertuples()
        )
        words.append(f"{b} repeats {a} in {', '.join(where)}")
    return words


def rival_of(sides: Comparison) -> str:
    return " and ".join(sorted(sides[PRIMITIVE]["method"].astype(str).unique()))


def whole_numbers(share: float) -> str:
    return f"{100 * share:g} point{'' if round(100 * share, 9) == 1 else 's'}"


def with_interval(row: Mapping, unit: str = " points") -> str:
    return f"{points(row['difference'])}{unit} [{points(row['low'])}, {points(row['high'])}]"


def agrees(printed: Range, rerun: Range | Interval) -> bool | None:
    """Does print agree with where more runs would fall? None where they may fall too far apart to tell."""
    if not printed.meets(rerun):
        return False
    return True if rerun.high - rerun.low <= 2 * SMALLEST_EFFECT else None


def interval_of(rerun: Interval) -> str:
    return f"; {RUNS} more runs: {points(rerun.low)} to {points(rerun.high)}"


def by_rule(
    paired: pd.DataFrame, sides: Comparison
) -> Iterator[tuple[str, pd.Series, pd.DataFrame]]:
    """Rule, its row over all categories (of one category, that), and the rows of those that both sides cover."""
    for rule in ("one_stage", "oracle"):
        part = paired[paired["rule"] == rule]
        single = part["category"].isin(covered(sides))
        if len(part):
            yield (
                rule,
                (part if single.all() else part[~single]).iloc[0],
                part[single].set_index("category"),
            )


def lead(sides: Comparison, paired: pd.DataFrame, k: int, seed: int, resamples: int):
    rival = rival_of(sides)
    pool = "; the SKIP pool stands in for PRIMITIVE: neither agreement nor difference says anything of it"
    pool *= SKIP_POOL in rival
    for rule, row, singles in by_rule(paired, sides):
        number, name = {"one_stage": (5, "one-stage"), "oracle": (7, "oracle")}[rule]
        scores = (
            drop_unscored(score(sides[side], rule, k, seed=seed, resamples=resamples))
            for side in SIDES
        )
        rerun = prediction_interval(variance_of(*scores), RUNS)
        a, b = (
            by_category(f"reeval_table{number}", method=m, k=k)[singles.index]
            for m in ("TROVE", "PRIMITIVE")
        )
        printed = (a - b).to_numpy()
        sizes = category_sizes()[singles.index]
        mean = float(np.dot(printed, sizes) / sizes.sum())
        may = Range(mean - 0.01, mean + 0.01)  # a difference of two numbers of two decimals
        known = not pool and mean == mean and rerun.low == rerun.low
        more = interval_of(rerun) if known else ""
        rows = zip(singles.iterrows(), printed, strict=True)
        cell = "{} {}, Holm p {:.4f}, Table {} {}".format
        each = [
            cell(c, with_interval(r, ""), r["p_holm"], number, points(p, 0)) for (c, r), p in rows
        ]
        signs = (
            "; the categories do not agree in sign"
            if set(np.sign(singles["difference"])) >= {-1, 1}
            else ""
        )
        difference = with_interval(row)
        categories = [*singles.index]
        yield agrees(may, rerun) if known else None, locals()


def no_benefit(sides: Comparison, paired: pd.DataFrame):
    """The abstract's claim, as one about the smallest effect of interest."""
    rival = rival_of(sides)
    smallest = whole_numbers(SMALLEST_EFFECT)
    pool = ", whose prompt is another text than PRIMITIVE's" if SKIP_POOL in rival else ""
    for rule, row, _ in by_rule(paired, sides):
        name = rule.replace("_", "-")
        difference = with_interval(row)
        p = {f"{100 * margin:.0f}": row[f"p_within_{100 * margin:.0f}"] for margin in MARGINS}
        within = [f"{m} {each:.3f}" for m, each in p.items()]
        small = p[f"{100 * SMALLEST_EFFECT:.0f}"] <= 0.05
        yield None if pool else False if row["low"] > SMALLEST_EFFECT else small or None, locals()


def mcnemar(sides: Comparison):
    """Each TROVE run against a PRIMITIVE run of its own: the same seed's, or else the next that is free."""
    own = sides[PRIMITIVE][sides[PRIMITIVE]["method"] != SKIP_POOL]
    tests = {}
    for category in sides.categories:
        ours, theirs = (verdicts_of(part, category) for part in (sides[TROVE], own))
        for one, other in zip(ours, theirs, strict=False):
            gap = ours[one] - theirs[other]
            tests[f"{category} {one} and {other}"] = int((gap > 0).sum()), int((gap < 0).sum())
    p = holm([binomtest(a, a + b).pvalue if a + b else 1.0 for a, b in tests.values()])
    pairs = zip(tests.items(), p, strict=True)
    differ = [f"{name}: {a} against {b}, Holm p {each:.4f}" for (name, (a, b)), each in pairs]
    shown = f"{sum(p < 0.05)} of {len(p)} pairs with p below 0.05, all pairs taken together and no run used twice"
    note = f"problems that one side alone solves; {shown}" if tests else "the SKIP pool is no run"
    return bool(p.min() >= 0.05) if tests else None, locals()


def verdicts_of(side: pd.DataFrame, category: str) -> dict[str, pd.Series]:
    """Of a category's runs, in the order of seeds: is each problem's one-stage answer right (0 or 1)?"""
    rows = choose(side[side["category"] == category], "one_stage") if len(side) else side
    rows = rows.assign(right=rows["correct"].fillna(False).astype(int)).set_index("problem")
    return {
        run: rows["right"]
        for (_, run), rows in rows.groupby(["seed", "run"], observed=True, dropna=False)
    }


def power(spread: pd.DataFrame):
    if spread.empty or spread["power_with_3201"].isna().all():
        return
    five = spread[spread["runs"] == RUNS].set_index("effect")
    effect = MARGINS[0]
    row = five.loc[effect]
    margin = whole_numbers(effect)
    shares = (100 * five[["power_with_3201", "low", "high"]]).itertuples(name=None)
    power = [
        f"{whole_numbers(effect)} {p:.0f} % [{low:.0f}, {high:.0f}]"
        for effect, p, low, high in shares
    ]
    numbers = {
        r.runs: f"{r.problems_needed:.0f}" for r in spread[spread["effect"] == effect].itertuples()
    }
    needs = [
        f"{n} run{'s' * (n != 1)} {needed.replace('inf', 'no number')}"
        for n, needed in numbers.items()
    ]
    pool = ", the SKIP pool in PRIMITIVE's place and taken to be as noisy, for its accuracy, as a run of TROVE"
    pool *= SKIP_POOL in row["b"]
    yield True if row["low"] >= 0.8 and not pool else None, locals()


def stand_in(sides: Comparison, k: int, seed: int, resamples: int):
    scores = drop_unscored(score(sides[PRIMITIVE], "one_stage", k, seed=seed, resamples=resamples))
    lines = []
    off = []
    ran = measured(sides)
    for category, part in scores.groupby("category", observed=True):
        if source(sides, PRIMITIVE, category) != SKIP_POOL:
            continue
        found = estimate(part)
        printed = published_value(
            "reeval_table1", category=category, method="PRIMITIVE", variant="compute_matched"
        )
        skip = ran[(ran["mode"] == "skip") & (ran["category"] == category)]
        silent = float(((skip["status"] == "ok") & skip["answer"].isna()).mean())
        of_skip = f"{100 * silent:.0f} % of SKIP samples print no number"
        lines.append(
            f"{category} {percent(found)} against {100 * printed:.0f} % in print, {of_skip}"
        )
        off += (
            [category]
            if not before_rounding(printed, 2).meets(Range(found.low, found.high))
            else []
        )
    differ = f"they differ in {', '.join(off)}: a lead over the SKIP pool there is not a lead over PRIMITIVE"
    unlike = differ if off else "no difference seen is not shown to be none"
    if lines:
        yield False if off else None, locals()


def one_stage_gains(sides: Comparison):
    chosen = (choose(sides[TROVE], rule) for rule in ("two_stage", "one_stage"))
    before, after = (f.assign(score=f["correct"].fillna(False).astype(float)) for f in chosen)
    v = variance_of(after, before)
    names = [c for c in sides.categories if c in v.labels]
    variants = ("improved_one_stage", "reproduced_two_stage")
    cells = (
        (published_value("reeval_table1", category=c, method="TROVE", variant=x) for x in variants)
        for c in names
    )
    gains = [difference_of(*pair, 2) for pair in cells]
    sizes = category_sizes()[names]
    may = Range(*(float(end) for end in np.dot(sizes, gains) / sizes.sum()))
    rerun = prediction_interval(v, RUNS)
    known = v.covers == "problems and runs"
    gain = with_interval(difference_cells(v))
    more = interval_of(rerun) if known else ""
    old = estimate(before).value
    new = estimate(after).value
    each = [f"{c} {with_interval(difference_cells(v.of([c])))}" for c in names]
    return agrees(may, rerun) if known and may.low == may.low else None, locals()


def without_import(runs: pd.DataFrame):
    """TROVE against the runs without IMPORT, by two-stage selection: on these runs, and on others like them."""
    table = import_differences(runs)
    if table.empty:
        return
    whole = table["category"] == "all"
    rows = (table[whole] if whole.any() else table).set_index("counted")
    here, alike = (rows.loc[f"{which} runs"] for which in ("all", "independent"))
    margin = whole_numbers(MARGINS[0])
    sd = here["run_sd_to_0"]
    column = f"p_below_{100 * MARGINS[0]:g}"
    p_here = here[column]
    p_alike = alike[column]
    with_alike = with_interval(alike)
    with_here = with_interval(here)
    singles = table[~whole & (table["counted"] == "all runs")]
    parts = [f"{r['category']} {with_interval(r)}" for _, r in singles.iterrows()]
    to_0 = "; the interval would reach 0 if runs had effects of their own with a standard deviation of "
    to_0 = to_0 + whole_numbers(round(sd, 3)) if sd == sd else ""
    yield False if here["low"] > 0 else True if p_here <= 0.05 else None, locals()


def matched_tokens(sides: Comparison, longer: Comparison | None, k: int):
    table = matched_budgets(sides, longer)
    row = table[table["budget"] == "total tokens"].iloc[-1]
    if row["note"]:
        return None, {"k": k, "computed": "cannot be computed from these runs", "note": row["note"]}
    small = row[f"p_within_{100 * SMALLEST_EFFECT:g}"]
    smallest = whole_numbers(SMALLEST_EFFECT)
    computed = f"against {row['calls_b']:.1f} PRIMITIVE calls {with_interval(row)}"
    computed += f", p of equivalence within {smallest} {small:.3f}"
    note = f"{row['problems']:.0f} problems; TROVE spent {row['total_a']:.0f} tokens a problem"
    note += f", PRIMITIVE {row['total_b']:.0f}"
    return False if row["low"] > 0 else True if small <= 0.05 else None, locals()
