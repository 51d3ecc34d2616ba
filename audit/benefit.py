"""Does tool-making help? Section 6 of the audit: the re-evaluation's question on the runs at hand.

With the statistics that it leaves out. Where the SKIP pool stands in for PRIMITIVE, nothing about PRIMITIVE is decided,
either way. What print is held against is where five more runs of each side would fall.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from papers.reeval import PRIMITIVE, SIDES, SKIP_POOL, TROVE, covered, matched_budgets, measured, source
from papers.reeval import without_import as import_differences
from trove_lite.analysis.choose import choose
from trove_lite.analysis.compare import difference_cells, percent
from trove_lite.analysis.scores import estimate, score, scored, variance_of
from trove_lite.analysis.sides import Comparison
from trove_lite.analysis.statistics import Interval, holm, mcnemar_exact
from trove_lite.analysis.variance import MARGINS, SMALLEST_EFFECT, prediction_interval

from .finding import check
from .printed import Look, Range, before_rounding, cell, difference_of, points
from .reeval import RUNS, sizes_of


def rival_of(sides: Comparison) -> str:
    """What fills PRIMITIVE's side."""
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


def _rerun(rerun: Interval) -> str:
    return f"; {RUNS} more runs: {points(rerun.low)} to {points(rerun.high)}"


def _by_rule(paired: pd.DataFrame, sides: Comparison):
    """Rule, its row over all categories (of one category, that), and the rows of those that both sides cover."""
    for rule in ("one_stage", "oracle"):
        part = paired[paired["rule"] == rule]
        single = part["category"].isin(covered(sides))
        if len(part):
            yield rule, (part[single] if single.all() else part[~single]).iloc[0], part[single].set_index("category")


@check
def lead(sides: Comparison, paired: pd.DataFrame, look: Look, k: int, seed: int, resamples: int):
    """TROVE's lead against the printed one."""
    rival = rival_of(sides)
    for rule, row, singles in _by_rule(paired, sides):
        number, name = {"one_stage": (5, "one-stage"), "oracle": (7, "oracle")}[rule]
        scores = (scored(score(sides[side], rule, k, seed=seed, resamples=resamples)) for side in SIDES)
        rerun = prediction_interval(variance_of(*scores), RUNS)
        trove, primitive = (
            np.array([cell(look, f"reeval_table{number}", category=c, method=m, k=k) for c in singles.index])
            for m in ("TROVE", "PRIMITIVE")
        )
        printed, sizes = trove - primitive, sizes_of(look)[singles.index]
        mean = float(np.dot(printed, sizes) / sizes.sum())
        may = Range(mean - 0.01, mean + 0.01)  # a difference of two numbers of two decimals
        known = SKIP_POOL not in rival and mean == mean and rerun.low == rerun.low
        signs = singles["difference"][singles["difference"] != 0] > 0
        yield (
            agrees(may, rerun) if known else None,
            {
                "number": number,
                "k": k,
                "name": name,
                "mean": mean,
                "categories": list(singles.index),
                "lead": with_interval(row),
                "covers": row["covers"],
                "rival": rival,
                "p_holm": row["p_holm"],
                "problems": row["problems"],
                "rerun": _rerun(rerun) if known else "",
                "by": [
                    f"{c} {with_interval(r, '')}, Holm p {r['p_holm']:.4f}, Table {number} {points(p, 0)}"
                    for (c, r), p in zip(singles.iterrows(), printed, strict=True)
                ],
                "signs": "; the categories do not agree in sign" if signs.any() and not signs.all() else "",
                "pool": "; the SKIP pool stands in for PRIMITIVE: neither agreement nor difference says anything of it"
                if SKIP_POOL in rival
                else "",
            },
        )


@check
def no_benefit(sides: Comparison, paired: pd.DataFrame):
    """The abstract's claim, as one about the smallest effect of interest."""
    rival = rival_of(sides)
    for rule, row, _ in _by_rule(paired, sides):
        large, small = row["low"] > SMALLEST_EFFECT, row[f"p_within_{100 * SMALLEST_EFFECT:.0f}"] <= 0.05
        holds = None if SKIP_POOL in rival else False if large else True if small else None
        yield (
            holds,
            {
                "name": rule.replace("_", "-"),
                "smallest": whole_numbers(SMALLEST_EFFECT),
                "lead": with_interval(row),
                "within": [f"{100 * m:.0f} {row[f'p_within_{100 * m:.0f}']:.3f}" for m in MARGINS],
                "rival": rival,
                "pool": ", whose prompt is another text than PRIMITIVE's" if SKIP_POOL in rival else "",
            },
        )


@check
def mcnemar(sides: Comparison):
    """Each TROVE run against a PRIMITIVE run of its own: the same seed's, or else the next that is free."""
    own = sides[PRIMITIVE][sides[PRIMITIVE]["method"] != SKIP_POOL]
    names, tests = [], []
    for category in sides.categories:
        ours, theirs = (_verdicts(part, category) for part in (sides[TROVE], own))
        for one, other in zip(ours, theirs, strict=False):
            both = pd.concat([ours[one], theirs[other]], axis=1, join="inner").to_numpy()
            names.append(f"{category} {one} and {other}")
            tests.append(mcnemar_exact(both[:, 0], both[:, 1]))
    p = holm([test.p for test in tests])
    words = [
        f"{name}: {test.a_only} against {test.b_only}, Holm p {each:.4f}"
        for name, test, each in zip(names, tests, p, strict=True)
    ]
    note = (
        f"problems that one side alone solves; {sum(p < 0.05)} of {len(p)} pairs with p below 0.05, all pairs taken "
        "together and no run used twice"
    )
    return bool(p.min() >= 0.05) if tests else None, {
        "tests": words,
        "note": note if tests else "the SKIP pool is no run",
    }


def _verdicts(side: pd.DataFrame, category: str) -> dict[str, pd.Series]:
    """Of a category's runs, in the order of seeds: is each problem's one-stage answer right (0 or 1)?"""
    rows = choose(side[side["category"] == category], "one_stage") if len(side) else side
    rows = rows.assign(right=rows["correct"].fillna(False).astype(int)).set_index("problem")
    return {run: rows["right"] for (_, run), rows in rows.groupby(["seed", "run"], observed=True, dropna=False)}


@check
def power(spread: pd.DataFrame):
    """What the re-evaluation's design can see (`power_table`)."""
    if spread.empty or spread["power_with_3201"].isna().all():
        return
    five, margin = spread[spread["runs"] == RUNS].set_index("effect"), MARGINS[0]
    pool = SKIP_POOL in five.loc[margin, "b"]
    yield (
        True if five.loc[margin, "low"] >= 0.8 and not pool else None,
        {
            "margin": whole_numbers(margin),
            "power": [
                f"{whole_numbers(effect)} {100 * r.power_with_3201:.0f} % [{100 * r.low:.0f}, {100 * r.high:.0f}]"
                for effect, r in five.iterrows()
            ],
            "needs": [
                f"{r.runs} run{'s' if r.runs != 1 else ''} "
                + (f"{r.problems_needed:.0f}" if r.problems_needed < np.inf else "no number")
                for r in spread[spread["effect"] == margin].itertuples()
            ],
            "measured": five.loc[margin, "measured_on"],
            "pool": ", the SKIP pool in PRIMITIVE's place and taken to be as noisy, for its accuracy, as a run of TROVE"
            if pool
            else "",
        },
    )


@check
def stand_in(sides: Comparison, look: Look, k: int, seed: int, resamples: int):
    """Does the SKIP pool score what PRIMITIVE is printed to score?"""
    scores = scored(score(sides[PRIMITIVE], "one_stage", k, seed=seed, resamples=resamples))
    lines, off, ran = [], [], measured(sides)
    for category, part in scores.groupby("category", observed=True):
        if source(sides, PRIMITIVE, category) != SKIP_POOL:
            continue
        found = estimate(part)
        printed = cell(look, "reeval_table1", category=category, method="PRIMITIVE", variant="compute_matched")
        skip = ran[(ran["mode"] == "skip") & (ran["category"] == category)]
        silent = float(((skip["status"] == "ok") & skip["answer"].isna()).mean())
        lines.append(
            f"{category} {percent(found)} against {100 * printed:.0f} % in print, {100 * silent:.0f} % of SKIP samples "
            "print no number"
        )
        if not before_rounding(printed, 2).meets(Range(found.low, found.high)):
            off.append(category)
    if lines:
        fields = {"k": k, "lines": lines}
        note = f"they differ in {', '.join(off)}: a lead over the SKIP pool there is not a lead over PRIMITIVE"
        yield (False, fields | {"note": note}) if off else (None, fields)


@check
def one_stage_gains(sides: Comparison, look: Look):
    """The re-evaluation's correction on these runs, held against print."""
    before, after = (
        choose(sides[TROVE], rule).assign(score=lambda f: f["correct"].fillna(False).astype(float))
        for rule in ("two_stage", "one_stage")
    )
    v = variance_of(after, before)
    names = [c for c in sides.categories if c in v.labels]
    new, old = (
        [cell(look, "reeval_table1", category=c, method="TROVE", variant=x) for c in names]
        for x in ("improved_one_stage", "reproduced_two_stage")
    )
    gains, sizes = [difference_of(a, b, 2) for a, b in zip(new, old, strict=True)], sizes_of(look)[names]
    may = Range(*(float(end) for end in np.dot(sizes, gains) / sizes.sum()))
    rerun, known = prediction_interval(v, RUNS), v.covers == "problems and runs"
    return agrees(may, rerun) if known and may.low == may.low else None, {
        "low": may.low,
        "high": may.high,
        "categories": names,
        "gain": with_interval(difference_cells(v)),
        "covers": v.covers,
        "before": _mean(before),
        "after": _mean(after),
        "rerun": _rerun(rerun) if known else "",
        "by": [f"{c} {with_interval(difference_cells(v.of([c])))}" for c in names],
    }


def _mean(scores: pd.DataFrame) -> float:
    """Over problems, each by its mean over runs."""
    return float(scores.groupby(["category", "problem"], observed=True)["score"].mean().mean())


@check
def without_import(runs: pd.DataFrame):
    """TROVE against the runs without IMPORT, by two-stage selection: on these runs, and on others like them."""
    table = import_differences(runs)
    if table.empty:
        return
    whole = table["category"] == "all"
    rows = (table[whole] if whole.any() else table).set_index("counted")
    here, alike = (rows.loc[f"{which} runs"] for which in ("all", "independent"))
    margin, sd = MARGINS[0], here["run_sd_to_0"]
    p_here, p_alike = (row[f"p_below_{100 * margin:g}"] for row in (here, alike))
    singles = table[~whole & (table["counted"] == "all runs")]
    yield (
        False if here["low"] > 0 else True if p_here <= 0.05 else None,
        {
            "here": with_interval(here),
            "alike": with_interval(alike),
            "a": here,
            "b": alike,
            "parts": [f"{r['category']} {with_interval(r)}" for _, r in singles.iterrows()],
            "margin": whole_numbers(margin),
            "p_here": p_here,
            "p_alike": p_alike,
            "sd": f"; the interval would reach 0 if runs had effects of their own with a standard deviation of "
            f"{whole_numbers(round(sd, 3))}"
            if sd == sd
            else "",
        },
    )


@check
def matched_tokens(sides: Comparison, longer: Comparison | None, k: int):
    """The same comparison at the tokens that TROVE's calls cost, prompt and completion (`matched_budgets`)."""
    table = matched_budgets(sides, longer)
    row = table[table["budget"] == "total tokens"].iloc[-1]
    if row["note"]:
        return None, {"k": k, "computed": "cannot be computed from these runs", "note": row["note"]}
    small = row[f"p_within_{100 * SMALLEST_EFFECT:g}"]
    return False if row["low"] > 0 else True if small <= 0.05 else None, {
        "k": k,
        "computed": f"against {row['calls_b']:.1f} PRIMITIVE calls {with_interval(row)}, p of equivalence within "
        f"{whole_numbers(SMALLEST_EFFECT)} {small:.3f}",
        "note": f"{row['problems']:.0f} problems; TROVE spent {row['total_a']:.0f} tokens a problem, PRIMITIVE "
        f"{row['total_b']:.0f}",
    }
