"""Are several runs several, and does tool-making help? Sections 5 and 6 of the audit, on the runs at hand."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..analysis import statistics as metrics
from ..analysis.choose import choose
from ..analysis.comparison import Comparison
from ..analysis.independence import shared_programs
from ..analysis.scores import estimate, matrix, score
from ..papers.reeval import (
    OTHERS,
    PRIMITIVE,
    SIDES,
    SKIP_POOL,
    TROVE,
    covered,
    differences,
    matched_budgets,
    measured,
    skip_pool,
    source,
)
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
from .rules import effect

RUNS = 5  # of the re-evaluation
WITHOUT_IMPORT = OTHERS["trove_no_import"]


def independence_findings(candidates: pd.DataFrame) -> list[Finding]:
    """Which of the runs repeat another one, by category."""
    pairs = shared_programs(candidates)
    results = []
    for category, part in candidates.groupby("category", observed=True):
        runs = part[["run", "method"]].drop_duplicates()
        here = pairs[pairs["category"] == category]
        bad = here[here["verdict"] != "independent"].drop_duplicates("run_b")
        free = here[here["verdict"] == "independent"]
        results.append(
            finding(
                5,
                "public runs",
                f"logs of {category}",
                "runs that are called several are several",
                stated=f"{len(runs)} runs: {', '.join(sorted(runs['run'].astype(str)))}",
                computed=f"{len(runs) - len(bad)} independent; "
                + (
                    "; ".join(
                        f"{r.run_b} and {r.run_a} share {100 * r.identical:.0f} % of {r.compared} programs"
                        for r in bad.itertuples()
                    )
                    or "no pair shares more than chance"
                ),
                holds=bad.empty,
                importance=2,
                note=f"independent pairs share {100 * free['identical'].max():.0f} % at most, by chance "
                f"{100 * free['by_chance'].max():.0f} %"
                if len(free)
                else "",
            )
        )
    return results


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
    margin: float = 0.01,
    seed: int = 0,
    resamples: int = 100,
    look: Look | None = None,
    longer: Comparison | None = None,
) -> list[Finding]:
    """The re-evaluation's question on these runs, with the statistics that it leaves out. longer: `matched_budgets`."""
    look = look or as_printed()
    if sides[TROVE].empty or sides[PRIMITIVE].empty:
        return []
    against = " and ".join(sorted(sides[PRIMITIVE]["method"].astype(str).unique()))
    table = differences(sides, k=k, seed=seed, resamples=resamples)
    return [
        *_paired(sides, table, look, k=k, margin=margin, against=against),
        *_mcnemar(sides, k=k, against=against),
        *_power(sides, k=k, margin=margin, seed=seed, resamples=resamples),
        *_stand_in(sides, look, k=k, seed=seed, resamples=resamples),
        *_without_import(sides, margin=margin),
        *_one_stage(sides, look),
        matched_tokens(sides, longer, k=k, margin=margin, seed=seed),
    ]


def _points(share: float) -> str:
    return f"{100 * share:g} point{'' if round(100 * share, 9) == 1 else 's'}"


def _sizes(look: Look, categories: Sequence[str]) -> np.ndarray:
    return np.array([cell(look, "reeval_table8", "count", category=c, level="all") for c in categories])


def _paired(
    sides: Comparison, table: pd.DataFrame, look: Look, *, k: int, margin: float, against: str
) -> list[Finding]:
    results = []
    for rule, number in (("one_stage", 5), ("oracle", 7)):
        part = table[table["rule"] == rule]
        if part.empty:
            continue
        singles = part[part["category"].isin(covered(sides))].set_index("category")
        whole = part[~part["category"].isin(covered(sides))]
        row = (whole if len(whole) else part).iloc[0]
        source = f"reeval_table{number}"
        printed = [
            cell(look, source, category=c, method="TROVE", k=k)
            - cell(look, source, category=c, method="PRIMITIVE", k=k)
            for c in singles.index
        ]
        sizes = _sizes(look, singles.index)
        mean = float(np.dot(printed, sizes) / sizes.sum())
        by = "; ".join(
            f"{c} {points(r.difference)} [{points(r.low)}, {points(r.high)}], Holm p {r.p_holm:.4f}, "
            f"Table {number} {points(p, 0)}"
            for (c, r), p in zip(singles.iterrows(), printed, strict=True)
        )
        inside = None if mean != mean else bool(Range(mean - 0.01, mean + 0.01).meets(Range(row["low"], row["high"])))
        if not inside and SKIP_POOL in against:
            inside = None  # the two leads are over different rivals
        name = rule.replace("_", "-")
        results.append(
            finding(
                6,
                "re-evaluation",
                f"Table {number}, K={k}",
                f"TROVE's lead at {k} calls, {name}: runs at hand and print",
                stated=f"{points(mean)} points over {', '.join(singles.index)} (TROVE minus PRIMITIVE)",
                computed=f"{points(row['difference'])} points [{points(row['low'])}, {points(row['high'])}] (TROVE "
                f"minus "
                f"{against}), p {row['p']:.4f}, {row['problems']} problems",
                holds=inside,
                importance=5,
                note=by
                + ("; the SKIP pool stands in for PRIMITIVE, so a difference can be its own" if inside is None else ""),
            )
        )
        shown = row["p_within_2"] <= 0.05
        nothing = True if shown else False if row["low"] > margin and SKIP_POOL not in against else None
        results.append(
            finding(
                6,
                "re-evaluation",
                "abstract and §6",
                f"no benefit at matched calls, {name}: equivalence within 2 points",
                stated="the toolbox approach does not provide a significant benefit on MATH",
                computed=f"difference {points(row['difference'])} points, test of equivalence p "
                f"{row['p_within_2']:.3f}: " + ("equivalent" if shown else "not shown to be equivalent"),
                holds=nothing,
                importance=5,
                note=f"against {against}"
                + (
                    ": TROVE is ahead, but of what stands in for PRIMITIVE, whose prompt is another text"
                    if row["low"] > 0 and SKIP_POOL in against
                    else ""
                ),
            )
        )
    return results


def _mcnemar(sides: Comparison, *, k: int, against: str) -> list[Finding]:
    lines, p_values = [], []
    chosen, ran = choose(sides[TROVE], "one_stage"), measured(sides)
    for (category, run), part in chosen.groupby(["category", "run"], observed=True):
        here = ran[ran["category"] == category]
        rivals = here[here["method"] == "primitive"]
        if rivals.empty:  # other runs' samples first, its own where these are too few
            rivals = skip_pool(pd.concat([here[here["run"] != run], here[here["run"] == run]]))
        else:
            rivals = rivals[rivals["run"] == rivals["run"].astype(str).min()]
        size = rivals.groupby("problem", observed=True).size().min() if len(rivals) else 0
        if not size >= k:
            lines.append(f"{category} {run}: only {size} calls to compare with")
            continue
        other = (
            choose(rivals[rivals["sample"] < k], "one_stage").set_index("problem")["correct"].fillna(False).astype(int)
        )
        own = part.set_index("problem")["correct"].fillna(False).astype(int)
        both = pd.concat([own, other], axis=1, join="inner").to_numpy()
        test = metrics.mcnemar_exact(both[:, 0], both[:, 1])
        p_values.append(test.p)
        lines.append(f"{category} {run}: {test.a_only} against {test.b_only}, p {test.p:.4f}")
    return [
        finding(
            6,
            "re-evaluation",
            "§4.1.2",
            f"McNemar's test of each TROVE run against {k} calls of other runs, one-stage",
            stated="not significant",
            computed="; ".join(lines),
            holds=None if not p_values or SKIP_POOL in against else min(p_values) >= 0.05,
            importance=2,
            note=f"problems that one side alone solves, {sum(p < 0.05 for p in p_values)} of {len(p_values)} "
            f"with p below "
            f"0.05; {against}"
            + (
                ": samples of other runs first, the run's own where these are too few, and not PRIMITIVE's prompt"
                if SKIP_POOL in against
                else ""
            ),
        )
    ]


def power(sides: Comparison, *, k: int, margin: float, seed: int = 0, resamples: int = 100) -> pd.DataFrame | None:
    """Problems needed, and power with MATH's 3201, to see a difference of `margin`, by number of runs a side.

    None where the two sides have fewer than two problems in common. `runs` 0 stands for infinitely many. The variance
    over problems of the true difference is what is left of the observed one after the noise of single runs (Miller
    2024).
    """
    means, noise, known, problem = {}, {}, {}, ["category", "problem"]
    scores = {
        side: score(sides[side], "one_stage", k, seed=seed, resamples=resamples).dropna(subset="score")
        for side in SIDES
    }
    shared = scores[TROVE][problem].merge(scores[PRIMITIVE][problem]).drop_duplicates()
    if len(shared) < 2:
        return None
    for method in SIDES:
        values, _ = matrix(scores[method].merge(shared, on=problem))
        means[method] = metrics.question_means(values)
        single = np.isin(values[~np.isnan(values)], (0, 1)).all()  # a pool's score is an expectation, without noise
        spread = metrics.several_runs(values).sampling_sd
        if not single or np.isnan(spread):
            spread = float(np.sqrt(np.mean(means[method] * (1 - means[method]))))
        noise[method] = spread
        known[method] = spread**2 / values.shape[1] if single else 0.0
    gap = means[TROVE] - means[PRIMITIVE]
    omega = float(np.sqrt(max(np.var(gap, ddof=1) - sum(known.values()), 0)))
    sigma_a, sigma_b = noise[TROVE], noise[PRIMITIVE]
    rows = []
    for count in (1, RUNS, 20, 0):
        n = count or 10**9
        shared = {"omega_sd": omega, "sigma_a": sigma_a, "sigma_b": sigma_b, "runs_a": n, "runs_b": n}
        rows.append(
            {
                "runs": count,
                "margin": margin,
                "problems_needed": float(metrics.questions_needed(margin, **shared)),
                "power_with_3201": float(metrics.power_of_difference(3201, margin, **shared))
                if any((omega, sigma_a, sigma_b))
                else 1.0,
                "omega": omega,
                "sigma_trove": sigma_a,
                "sigma_primitive": sigma_b,
                "measured_on": len(gap),
            }
        )
    return pd.DataFrame(rows)


def _power(sides: Comparison, *, k: int, margin: float, seed: int, resamples: int) -> list[Finding]:
    table = power(sides, k=k, margin=margin, seed=seed, resamples=resamples)
    if table is None:
        return []
    five = table[table["runs"] == RUNS].iloc[0]
    needs = ", ".join(
        f"{int(r.runs) or 'any number of'} run{'s' if r.runs != 1 else ''} {r.problems_needed:.0f}"
        for r in table.itertuples()
    )
    return [
        finding(
            6,
            "re-evaluation",
            "§3 and §4.1.2",
            f"power to see a difference of {_points(margin)}",
            stated=f"a lead of 1 point is not significant ({RUNS} runs of 3201 problems)",
            computed=f"80 % power needs this many problems: {needs}; {RUNS} runs of 3201 have "
            f"{100 * five.power_with_3201:.0f} %",
            holds=True if five.power_with_3201 >= 0.8 else None,
            importance=5,
            note="with less than 80 %, not significant does not mean that there is no difference; from the spread "
            f"over {int(five.measured_on)} problems of {', '.join(covered(sides))} in the runs at hand; more runs help "
            "only down to the variation between problems",
        )
    ]


def _stand_in(sides: Comparison, look: Look, *, k: int, seed: int, resamples: int) -> list[Finding]:
    """Does the SKIP pool score what PRIMITIVE is printed to score?"""
    results = []
    scores = score(sides[PRIMITIVE], "one_stage", k, seed=seed, resamples=resamples).dropna(subset="score")
    lines, off, ran = [], [], measured(sides)
    for category, part in scores.groupby("category", observed=True):
        if source(sides, PRIMITIVE, category) != SKIP_POOL:
            continue
        found = estimate(part)
        printed = cell(look, "reeval_table1", category=category, method="PRIMITIVE", variant="compute_matched")
        skip = ran[(ran["mode"] == "skip") & (ran["category"] == category)]
        silent = float(((skip["status"] == "ok") & skip["answer"].isna()).mean())
        lines.append(
            f"{category} {100 * found.value:.1f} % [{100 * found.low:.1f}, {100 * found.high:.1f}] against "
            f"{100 * printed:.0f} % in print, {100 * silent:.0f} % of SKIP samples print no number"
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
                holds=not off,
                importance=3,
                note=f"they differ in {', '.join(off)}: a lead over the SKIP pool there is not a lead over PRIMITIVE"
                if off
                else "",
            )
        )
    return results


def _without_import(sides: Comparison, *, margin: float) -> list[Finding]:
    """TROVE against the runs without IMPORT, at the recorded number of calls."""
    if WITHOUT_IMPORT not in sides.sides:
        return []
    shared = [c for c in covered(sides) if (sides[WITHOUT_IMPORT]["category"] == c).any()]
    if not shared:
        return []
    scores = {}
    for method in (TROVE, WITHOUT_IMPORT):
        chosen = choose(sides[method][sides[method]["category"].isin(shared)], "one_stage")
        each = chosen.assign(score=chosen["correct"].fillna(False).astype(float))
        scores[method] = each.groupby(["category", "problem"], observed=True)["score"].mean()
    both = pd.DataFrame(scores).dropna()
    lines = []
    for category in shared:
        part = both.loc[[category]]
        gap = metrics.paired_difference(part[TROVE].to_numpy(), part[WITHOUT_IMPORT].to_numpy())
        lines.append(f"{category} {points(gap.value)} [{points(gap.low)}, {points(gap.high)}]")
    gap = metrics.paired_difference(both[TROVE].to_numpy(), both[WITHOUT_IMPORT].to_numpy())
    return [
        finding(
            6,
            "re-evaluation",
            "§1, on Berlot-Attwell et al. (2024)",
            "without IMPORT, at the same number of calls, results are no worse",
            stated="removing IMPORT does not negatively affect performance",
            computed=f"with minus without {points(gap.value)} points [{points(gap.low)}, {points(gap.high)}], "
            f"one-stage, "
            f"{gap.questions} problems",
            holds=True if gap.high < margin else False if gap.low > 0 else None,
            importance=5,
            note="; ".join(lines) + f". Decided if the interval lies above 0, or below {points(margin)}",
        )
    ]


def _one_stage(sides: Comparison, look: Look) -> list[Finding]:
    """The re-evaluation's correction on these runs."""
    both = effect("stages", choose(sides[TROVE], "two_stage"), choose(sides[TROVE], "one_stage"))
    row, singles = both[-1], both[:-1]
    names = [s.category for s in singles]
    variants = ("improved_one_stage", "reproduced_two_stage")
    gains = {
        c: difference_of(*(cell(look, "reeval_table1", category=c, method="TROVE", variant=v) for v in variants), 2)
        for c in names
    }
    sizes = _sizes(look, names)
    low, high = (float(np.dot([getattr(gains[c], end) for c in names], sizes) / sizes.sum()) for end in ("low", "high"))
    return [
        finding(
            6,
            "re-evaluation",
            "§4.1.2 and Table 1",
            "one-stage selection gains as much on these runs",
            stated=f"{points(low)} to {points(high)} points over {', '.join(names)}, before rounding",
            computed=f"{points(row.difference)} points [{points(row.low)}, {points(row.high)}]: "
            f"{100 * row.before:.1f} → "
            f"{100 * row.after:.1f} %",
            holds=None if low != low else Range(low, high).meets(Range(row.low, row.high)),
            importance=3,
            note=", ".join(f"{s.category} {points(s.difference)} [{points(s.low)}, {points(s.high)}]" for s in singles),
        )
    ]


def matched_tokens(
    sides: Comparison, longer: Comparison | None = None, *, k: int, margin: float, seed: int = 0
) -> Finding:
    """The same comparison at the tokens that TROVE's calls cost, prompt and completion (`matched_budgets`)."""
    table = matched_budgets(sides, longer)
    row = table[table["budget"] == "total tokens"].iloc[-1]
    known = {"stated": "budgets are matched in calls", "importance": 3}
    where = 6, "re-evaluation", f"TROVE at {k} calls", "TROVE's lead at matched tokens"
    if row["note"]:
        return finding(*where, **known, computed="cannot be computed from these runs", holds=None, note=row["note"])
    return finding(
        *where,
        **known,
        computed=f"against {row['calls_b']:.1f} PRIMITIVE calls {points(row['difference'])} points "
        f"[{points(row['low'])}, {points(row['high'])}], test of equivalence p {row['p_within_2']:.3f}",
        holds=False if row["low"] > 0 else True if row["p_within_2"] <= 0.05 else None,
        note=f"{row['problems']:.0f} problems; TROVE spent {row['total_a']:.0f} tokens a problem, PRIMITIVE "
        f"{row['total_b']:.0f}",
    )
