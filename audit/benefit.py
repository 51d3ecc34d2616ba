"""Are several runs several, and does tool-making help? Sections 5 and 6 of the audit, on the runs at hand."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.stats import binomtest

from papers import is_in_print
from papers.reeval import (
    PRIMITIVE,
    SIDES,
    SKIP_POOL,
    TROVE,
    covered,
    differences,
    matched_budgets,
    measured,
    power_table,
    source,
    without_import,
)
from trove_lite.analysis.choose import choose
from trove_lite.analysis.compare import difference_cells, percent
from trove_lite.analysis.independence import independent_runs, shared_programs
from trove_lite.analysis.scores import estimate, score, scored, variance_of
from trove_lite.analysis.sides import Comparison
from trove_lite.analysis.statistics import Interval, holm
from trove_lite.analysis.variance import MARGINS, SMALLEST_EFFECT, prediction_interval
from trove_lite.candidates import SELECTED, all_candidates

from .finding import (
    Finding,
    Look,
    Range,
    as_printed,
    before_rounding,
    cell,
    claim,
    difference_of,
    finding,
    points,
)

RUNS = 5  # of the re-evaluation


def independence_findings(candidates: pd.DataFrame, whose: str = "public runs") -> list[Finding]:
    """Which of the runs repeat another one, by category, and where."""
    pairs, stream = shared_programs(candidates), all_candidates(candidates)
    key = ["run", "method"]
    kept = independent_runs(stream).groupby(["category", *key], observed=True)["problem"].nunique()
    results = []
    for category, part in stream.groupby("category", observed=True):
        sizes = part.groupby(key, observed=True)["problem"].nunique()
        left = kept[category].reindex(sizes.index).fillna(0)
        runs = sizes.index.get_level_values("run")
        names = {i: i[0] if list(runs).count(i[0]) == 1 else f"{i[0]} ({i[1]})" for i in sizes.index}
        whole, partly = (left == sizes).sum(), ((left > 0) & (left < sizes)).sum()
        here = pairs[(pairs["category"] == category) & (pairs["mode"] != SELECTED)]
        free = here[here["verdict"] == "independent"]
        said = _repeats(here, names)
        results.append(
            finding(
                5,
                whose,
                f"logs of {category}",
                "runs that are called several are several",
                stated=f"{len(sizes)} run{'s' if len(sizes) > 1 else ''}: {', '.join(names.values())}",
                computed=f"{whole} independent"
                + (f", {partly} in part (the problems where it repeats none)" if partly else "")
                + f"; {'; '.join(said) or 'no pair shares more than chance'}",
                holds=not said,
                importance=2,
                note=f"independent pairs share {100 * free['identical'].max():.0f} % of a mode's programs at most, "
                f"by chance {100 * free['by_chance'].max():.0f} %"
                if len(free)
                else "",
            )
        )
    return results


def _repeats(pairs: pd.DataFrame, names: Mapping[tuple[str, str], str]) -> list[str]:
    """Runs that repeat others, in words: copies of one another together, each other run with what it repeats most."""
    group: dict[str, tuple[str, ...]] = {}
    modes = [
        (names[i[:2]], names[i[2:]], rows)
        for i, rows in pairs.groupby(["run_a", "method_a", "run_b", "method_b"], observed=True, sort=False)
    ]
    for a, b, rows in modes:
        if (rows["verdict"] == "copy").all():
            both = tuple(sorted({*group.get(a, (a,)), *group.get(b, (b,))}))
            group |= dict.fromkeys(both, both)
    said = [" = ".join(copies) for copies in dict.fromkeys(group.values())]
    later = {name for copies in group.values() for name in copies[1:]}
    most: dict[str, tuple[int, str, pd.DataFrame]] = {}
    for a, b, rows in modes:
        if rows["shared"].sum() > most.get(b, (0,))[0] and not later & {a, b}:
            most[b] = int(rows["shared"].sum()), a, rows[rows["verdict"] != "independent"]
    for b, (_, a, rows) in most.items():
        where = (f"{r.mode} ({'all' if r.verdict == 'copy' else f'problems {r.stretches}'})" for r in rows.itertuples())
        said.append(f"{b} repeats {a} in {', '.join(where)}")
    return said


def published_runs(look: Look | None = None) -> Finding:
    """The papers' own five runs."""
    runs = claim(look or as_printed(), "trove", "runs (best reported)")
    return finding(
        5,
        "TroVE, re-evaluation",
        "§5.1; §3",
        "the papers' five runs are five",
        stated=f"{runs} runs; {RUNS} seeds",
        computed="no program of these runs is published",
        holds=None,
        importance=2,
        note="only logs of programs can show whether runs repeat one another",
    )


def benefit_findings(
    sides: Comparison,
    *,
    k: int = 15,
    seed: int = 0,
    resamples: int = 100,
    look: Look | None = None,
    longer: Comparison | None = None,
) -> list[Finding]:
    """The re-evaluation's question on these runs, with the statistics that it leaves out. longer: `matched_budgets`.

    Only runs of its model and data set are held against print. Where the SKIP pool stands in for PRIMITIVE, nothing
    about PRIMITIVE is decided, either way.
    """
    look = look or as_printed()
    if sides[TROVE].empty or sides[PRIMITIVE].empty:
        return []
    in_print = is_in_print(sides, "reeval", "math")
    return [
        *_paired(sides, look if in_print else None, k=k, seed=seed, resamples=resamples),
        *mcnemar_findings(sides, k=k),
        *_power(sides, k=k, seed=seed, resamples=resamples),
        *(_stand_in(sides, look, k=k, seed=seed, resamples=resamples) if in_print else ()),
        *(_one_stage(sides, look) if in_print else ()),
        matched_tokens(sides, longer, k=k),
    ]


def against(sides: Comparison) -> str:
    """What fills PRIMITIVE's side."""
    return " and ".join(sorted(sides[PRIMITIVE]["method"].astype(str).unique()))


def _sizes(look: Look, categories: Sequence[str]) -> np.ndarray:
    return np.array([cell(look, "reeval_table8", "count", category=c, level="all") for c in categories])


def _paired(sides: Comparison, look: Look | None, *, k: int, seed: int, resamples: int) -> list[Finding]:
    """TROVE's lead by each rule: held against print, and against the smallest effect of interest."""
    table, results = differences(sides, k=k, seed=seed, resamples=resamples), []
    for rule, number in (("one_stage", 5), ("oracle", 7)):
        part = table[table["rule"] == rule]
        if part.empty:
            continue
        singles = part[part["category"].isin(covered(sides))].set_index("category")
        whole = part[~part["category"].isin(covered(sides))]
        row = (whole if len(whole) else part).iloc[0]
        scores = (scored(score(sides[side], rule, k, seed=seed, resamples=resamples)) for side in SIDES)
        rerun = prediction_interval(variance_of(*scores), RUNS)
        name, rival = rule.replace("_", "-"), against(sides)
        if look:
            results.append(_lead(look, row, singles, rerun, rival, name, number=number, k=k))
        results.append(_no_benefit(row, rival, name))
    return results


def _lead(
    look: Look, row: pd.Series, singles: pd.DataFrame, rerun: Interval, rival: str, name: str, *, number: int, k: int
) -> Finding:
    """TROVE's lead against the printed one, by where five more runs of each side would put it (`rerun`)."""
    printed, sizes = _printed_leads(look, number, singles.index, k), _sizes(look, singles.index)
    mean = float(np.dot(printed, sizes) / sizes.sum())
    by = "; ".join(
        f"{c} {points(r.difference)} [{points(r.low)}, {points(r.high)}], Holm p {r.p_holm:.4f}, "
        f"Table {number} {points(p, 0)}"
        for (c, r), p in zip(singles.iterrows(), printed, strict=True)
    )
    signs = singles["difference"][singles["difference"] != 0] > 0
    may = Range(mean - 0.01, mean + 0.01)  # a difference of two numbers of two decimals
    known = SKIP_POOL not in rival and mean == mean and rerun.low == rerun.low
    return finding(
        6,
        "re-evaluation",
        f"Table {number}, K={k}",
        f"TROVE's lead at {k} calls, {name}: runs at hand and print",
        stated=f"{points(mean)} points over {', '.join(singles.index)} (TROVE minus PRIMITIVE)",
        computed=f"{_with_interval(row)} over {row['covers']} (TROVE minus {rival}), Holm p "
        f"{row['p_holm']:.4f}, {row['problems']} problems"
        + (f"; {RUNS} more runs: {points(rerun.low)} to {points(rerun.high)}" if known else ""),
        holds=agrees(may, Range(rerun.low, rerun.high)) if known else None,
        importance=5,
        note=by
        + ("; the categories do not agree in sign" if signs.any() and not signs.all() else "")
        + (
            "; the SKIP pool stands in for PRIMITIVE: neither agreement nor difference says anything of it"
            if SKIP_POOL in rival
            else ""
        ),
    )


def _no_benefit(row: pd.Series, rival: str, name: str) -> Finding:
    """The abstract's claim, as one about the smallest effect of interest."""
    pool, large = SKIP_POOL in rival, row["low"] > SMALLEST_EFFECT
    small = row[f"p_within_{SMALLEST_EFFECT * 100:.0f}"] <= 0.05
    within = ", ".join(f"{100 * m:.0f} {row[f'p_within_{100 * m:.0f}']:.3f}" for m in MARGINS)
    return finding(
        6,
        "re-evaluation",
        "abstract and §6",
        f"no benefit at matched calls, {name}: less than {_points(SMALLEST_EFFECT)}",
        stated="the toolbox approach does not provide a significant benefit on MATH",
        computed=f"difference {_with_interval(row)}; p of equivalence within so many points: {within}",
        holds=None if pool else False if large else True if small else None,
        importance=5,
        note=f"against {rival}"
        + (", whose prompt is another text than PRIMITIVE's" if pool else "")
        + f"; the smallest effect of interest is {_points(SMALLEST_EFFECT)}: what twice the calls give PRIMITIVE",
    )


def _points(share: float) -> str:
    return f"{100 * share:g} point{'' if round(100 * share, 9) == 1 else 's'}"


def agrees(printed: Range, rerun: Range) -> bool | None:
    """Does print agree with where more runs would fall? None where they may fall too far apart to tell."""
    if not printed.meets(rerun):
        return False
    return True if rerun.high - rerun.low <= 2 * SMALLEST_EFFECT else None


def _printed_leads(look: Look, number: int, categories: Sequence[str], k: int) -> list[float]:
    cells = (
        [cell(look, f"reeval_table{number}", category=c, method=m, k=k) for m in ("TROVE", "PRIMITIVE")]
        for c in categories
    )
    return [trove - primitive for trove, primitive in cells]


def mcnemar_findings(sides: Comparison, *, k: int) -> list[Finding]:
    """Each TROVE run against a PRIMITIVE run of its own: the same seed's, or else the next that is free."""
    own = sides[PRIMITIVE][sides[PRIMITIVE]["method"] != SKIP_POOL]
    chosen = {side: choose(part, "one_stage") for side, part in ((TROVE, sides[TROVE]), (PRIMITIVE, own))}
    names, tests = [], []
    for category in sides.categories:
        runs = {
            side: {run: p.set_index("problem")["correct"].fillna(False).astype(int) for run, p in _runs(part, category)}
            for side, part in chosen.items()
        }
        for one, other in zip(runs[TROVE], runs[PRIMITIVE], strict=False):
            gap = (runs[TROVE][one] - runs[PRIMITIVE][other]).dropna()
            names.append(f"{category} {one} and {other}")
            tests.append((int((gap > 0).sum()), int((gap < 0).sum())))
    p = holm([binomtest(a, a + b).pvalue if a + b else 1.0 for a, b in tests])
    return [
        finding(
            6,
            "re-evaluation",
            "§4.1.2",
            "McNemar's test of each TROVE run against a PRIMITIVE run, one-stage",
            stated="not significant",
            computed="; ".join(
                f"{name}: {a} against {b}, Holm p {each:.4f}"
                for name, (a, b), each in zip(names, tests, p, strict=True)
            )
            or "no PRIMITIVE runs",
            holds=bool(p.min() >= 0.05) if len(p) else None,
            importance=2,
            note=f"problems that one side alone solves; {sum(p < 0.05)} of {len(p)} pairs with p below 0.05, all pairs "
            "taken together and no run used twice"
            if len(p)
            else "the SKIP pool is no run",
        )
    ]


def _runs(chosen: pd.DataFrame, category: str) -> list[tuple[str, pd.DataFrame]]:
    """The runs of a category with their answers, by seed and name."""
    part = chosen[chosen["category"] == category]
    return [(run, rows) for (_, run), rows in part.groupby(["seed", "run"], observed=True, dropna=False)]


def _power(sides: Comparison, *, k: int, seed: int, resamples: int) -> list[Finding]:
    table = power_table(sides, k=k, seed=seed, resamples=resamples)
    if table.empty or table["power_with_3201"].isna().all():
        return []
    five = table[table["runs"] == RUNS].set_index("effect")
    stated = five.loc[MARGINS[0]]
    by_effect = ", ".join(
        f"{_points(effect)} {100 * r.power_with_3201:.0f} % [{100 * r.low:.0f}, {100 * r.high:.0f}]"
        for effect, r in five.iterrows()
    )
    needed = table[table["effect"] == MARGINS[0]]
    needs = ", ".join(
        f"{r.runs} run{'s' if r.runs != 1 else ''} "
        + (f"{n:.0f}" if (n := r.problems_needed) < np.inf else "no number")
        for r in needed.itertuples()
    )
    pool = SKIP_POOL in stated["b"]
    return [
        finding(
            6,
            "re-evaluation",
            "§3 and §4.1.2",
            f"power to see a difference of {_points(MARGINS[0])}",
            stated=f"a lead of 1 point is not significant ({RUNS} runs of 3201 problems)",
            computed=f"{RUNS} runs of 3201 problems see a difference of {by_effect}; 80 % power for "
            f"{_points(MARGINS[0])} needs this many problems, by runs a side: {needs}",
            holds=True if stated["low"] >= 0.8 and not pool else None,
            importance=5,
            note="with less than 80 %, not significant does not mean that there is no difference; from the spread over "
            f"{stated['measured_on']:.0f} problems in the runs at hand"
            + (
                ", the SKIP pool in PRIMITIVE's place and taken to be as noisy, for its accuracy, as a run of TROVE"
                if pool
                else ""
            ),
        )
    ]


def _stand_in(sides: Comparison, look: Look, *, k: int, seed: int, resamples: int) -> list[Finding]:
    """Does the SKIP pool score what PRIMITIVE is printed to score?"""
    results = []
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
        results.append(
            finding(
                6,
                "public runs",
                f"SKIP at {k} calls",
                "SKIP samples stand in for PRIMITIVE",
                stated="SKIP is PRIMITIVE's prompt (re-evaluation §4.2.1)",
                computed="; ".join(lines),
                holds=False if off else None,
                importance=3,
                note=f"they differ in {', '.join(off)}: a lead over the SKIP pool there is not a lead over PRIMITIVE"
                if off
                else "no difference seen is not shown to be none",
            )
        )
    return results


def import_findings(candidates: pd.DataFrame) -> list[Finding]:
    """TROVE against the runs without IMPORT, by two-stage selection: on these runs, and on others like them."""
    table = without_import(candidates)
    if table.empty:
        return []
    whole = table[table["category"] == "all"] if (table["category"] == "all").any() else table
    rows = whole.set_index("counted")
    here, alike = rows.loc["all runs"], rows.loc["independent runs"]
    margin = MARGINS[0]
    worse, no_worse = here["low"] > 0, here[f"p_below_{100 * margin:g}"] <= 0.05
    parts = table[(table["category"] != "all") & (table["counted"] == "all runs")]
    return [
        finding(
            6,
            "re-evaluation",
            "§1, on Berlot-Attwell et al. (2024)",
            "without IMPORT, at the same number of calls, results are no worse",
            stated="removing IMPORT does not negatively affect performance",
            computed=f"with minus without {_with_interval(here)}, two-stage, {here['problems']:.0f} problems, "
            f"{here['runs_a']:g} and {here['runs_b']:g} runs a category as they are; over other runs too "
            f"{_with_interval(alike)}, from {alike['runs_a']:g} and {alike['runs_b']:g} independent ones",
            holds=False if worse else True if no_worse else None,
            importance=5,
            note="; ".join(f"{r.category} {_with_interval(r._asdict())}" for r in parts.itertuples())
            + f". No worse by {_points(margin)}: p {here[f'p_below_{100 * margin:g}']:.4f} over problems, "
            f"{alike[f'p_below_{100 * margin:g}']:.4f} over runs too"
            + (
                f"; the interval would reach 0 if runs had effects of their own with a standard deviation of "
                f"{_points(round(here['run_sd_to_0'], 3))}"
                if here["run_sd_to_0"] == here["run_sd_to_0"]
                else ""
            ),
        )
    ]


def _with_interval(row: Mapping) -> str:
    return f"{points(row['difference'])} points [{points(row['low'])}, {points(row['high'])}]"


def _one_stage(sides: Comparison, look: Look) -> list[Finding]:
    """The re-evaluation's correction on these runs, held against print by where five more runs would put it."""
    before, after = (
        choose(sides[TROVE], rule).assign(score=lambda f: f["correct"].fillna(False).astype(float))
        for rule in ("two_stage", "one_stage")
    )
    v = variance_of(after, before)
    names = [c for c in sides.categories if c in v.labels]
    variants = ("improved_one_stage", "reproduced_two_stage")
    gains = {
        c: difference_of(*(cell(look, "reeval_table1", category=c, method="TROVE", variant=x) for x in variants), 2)
        for c in names
    }
    sizes = _sizes(look, names)
    low, high = (float(np.dot([getattr(gains[c], end) for c in names], sizes) / sizes.sum()) for end in ("low", "high"))
    rerun, known = prediction_interval(v, RUNS), v.covers == "problems and runs"
    return [
        finding(
            6,
            "re-evaluation",
            "§4.1.2 and Table 1",
            "one-stage selection gains as much on these runs",
            stated=f"{points(low)} to {points(high)} points over {', '.join(names)}, before rounding",
            computed=f"{_with_interval(difference_cells(v))} over {v.covers}: {100 * _mean(before):.1f} → "
            f"{100 * _mean(after):.1f} %"
            + (f"; {RUNS} more runs: {points(rerun.low)} to {points(rerun.high)}" if known else ""),
            holds=agrees(Range(low, high), Range(rerun.low, rerun.high)) if known and low == low else None,
            importance=3,
            note=", ".join(f"{c} {_with_interval(difference_cells(v.of([c])))}" for c in names),
        )
    ]


def _mean(scores: pd.DataFrame) -> float:
    """Over problems, each by its mean over runs."""
    return float(scores.groupby(["category", "problem"], observed=True)["score"].mean().mean())


def matched_tokens(sides: Comparison, longer: Comparison | None = None, *, k: int) -> Finding:
    """The same comparison at the tokens that TROVE's calls cost, prompt and completion (`matched_budgets`)."""
    table = matched_budgets(sides, longer)
    row = table[table["budget"] == "total tokens"].iloc[-1]
    known = {"stated": "budgets are matched in calls", "importance": 3}
    where = 6, "re-evaluation", f"TROVE at {k} calls", "TROVE's lead at matched tokens"
    if row["note"]:
        return finding(*where, **known, computed="cannot be computed from these runs", holds=None, note=row["note"])
    small = row[f"p_within_{100 * SMALLEST_EFFECT:g}"]
    return finding(
        *where,
        **known,
        computed=f"against {row['calls_b']:.1f} PRIMITIVE calls {_with_interval(row)}, p of equivalence within "
        f"{_points(SMALLEST_EFFECT)} {small:.3f}",
        holds=False if row["low"] > 0 else True if small <= 0.05 else None,
        note=f"{row['problems']:.0f} problems; TROVE spent {row['total_a']:.0f} tokens a problem, PRIMITIVE "
        f"{row['total_b']:.0f}",
    )
