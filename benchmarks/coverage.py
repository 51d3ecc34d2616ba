"""Do the intervals, tests and plans of `variance` do what they say? By simulation, where
the truth is known (`truth`).

    python -m benchmarks.coverage

Writes results/statistics/coverage.csv, bound.csv, figures/statistics/coverage.png: four minutes of
one core, no data.

`before` is what tables rested on once: the two-way bootstrap for means, a paired test over problems
alone, a pool of samples as free of noise. A target is met if the observed rate is, but for two
Monte Carlo errors. `bound.csv` says what no rule can do with two runs: `least_coverage`.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from scipy import optimize, stats
from scipy.special import expit

from trove_lite_analysis import variance as v

from .truth import K, Truth, drawn, majority, one_method, two_methods

ROOT = Path(__file__).parent.parent
POOL = 18
COVERAGE = (0.93, 0.97)
REACH = (0.93, 0.99)
LEVEL_OF_TESTS = (0.0, 0.05)
NEAR = 0.05
NEW = "variance"
BEFORE = "before"


def pigeonhole(
    scores: np.ndarray, rng: np.random.Generator, resamples: int = 400
) -> tuple[float, float]:
    """Percentile 95 % interval, problems and runs resampled apart, one fewer of each (Owen 2007;
    Rao & Wu 1988)."""
    counts = []
    for units in scores.shape:
        drawn = (
            rng.integers(0, units, (resamples, max(units - 1, 1)))
            + units * np.arange(resamples)[:, None]
        )
        counts.append(
            np.bincount(drawn.ravel(), minlength=units * resamples).reshape(resamples, units)
        )
    replicates = (
        ((counts[0] @ scores) * counts[1]).sum(axis=1)
        / counts[0].sum(axis=1)
        / counts[1].sum(axis=1)
    )
    return tuple(np.quantile(replicates, [0.025, 0.975]))


def row(
    what: str,
    truth: Truth,
    method: str,
    nominal: float,
    hits: list,
    target: tuple,
    widths: tuple = (np.nan,),
) -> dict:
    observed = float(np.mean(hits))
    error = float(np.std(hits) / np.sqrt(len(hits)))
    of_truth = {
        name: getattr(truth, name) for name in ("problems", "categories", "runs", "run_effect")
    }
    of_truth["run_effect_b"] = (
        truth.run_effect if truth.run_effect_b is None else truth.run_effect_b
    )
    of_truth |= {
        name: getattr(truth, name) for name in ("problem_sd", "spread", "unlike", "single")
    }
    return {
        "what": what,
        "method": method,
        **of_truth,
        "accuracy": truth.mean(),
        "difference": truth.difference,
    } | {
        "nominal": nominal,
        "observed": observed,
        "mc_error": error,
        "target_low": target[0],
        "target_high": target[1],
        "meets": bool(target[0] - 2 * error <= observed <= target[1] + 2 * error),
        "mean_width": 100 * float(np.mean(widths)),
        "median_width": 100 * float(np.median(widths)),
        "replicates": len(hits),
    }


def covering(what: str, truth: Truth, found: dict[str, list], target: tuple) -> Iterator[dict]:
    """How often each method's 95 % interval held the truth, and how wide it was."""
    for method, values in found.items():
        hits, widths = zip(*values, strict=True)
        yield row(what, truth, method, 0.95, hits, target, widths)


def means(truth: Truth, rng: np.random.Generator, replicates: int) -> Iterator[dict]:
    """Coverage of 95 % intervals of a mean."""
    mean = truth.mean()
    found = {}
    for i in range(replicates):
        scores = one_method(truth, rng)
        estimate = v.pool_strata(v.decompose(scores, strata=truth.strata))
        ends = {
            NEW: v.proportion_interval(estimate)[1:3],
            f"{NEW}, t": v.interval(estimate)[1:3],
        }
        if not truth.run_effect:
            known = v.decompose(v.Runs(scores, run_sd=0), strata=truth.strata)
            ends[f"{NEW}, known to share nothing"] = v.proportion_interval(known)[1:3]
        if i < 400 and truth.categories == 1:
            ends[f"{BEFORE}: two-way bootstrap"] = pigeonhole(scores, rng)
        for method, (low, high) in ends.items():
            found.setdefault(method, []).append((low <= mean <= high, high - low))
    yield from covering("interval of a mean", truth, found, COVERAGE)


def means_of_one(truth: Truth, rng: np.random.Generator, replicates: int) -> Iterator[dict]:
    """Coverage of the 95 % interval of one category's mean, its run variance its own or all
    categories' together.

    The category is the hardest, or, where some have a single run, the easiest, which is one of
    those.
    """
    which = truth.categories - 1 if truth.single else 0
    mean = truth.mean(truth.eases[-1 if truth.single else 0])
    found = {f"{NEW}, own runs": [], NEW: []}
    for _ in range(replicates):
        own = v.decompose(one_method(truth, rng), strata=truth.strata)
        for method, estimate in zip(found, (own, v.pool_strata(own)), strict=True):
            _, low, high, _ = v.proportion_interval(estimate.of([which]))
            found[method].append((low <= mean <= high, high - low))
    yield from covering("interval of one category's mean", truth, found, COVERAGE)


def tests(truth: Truth, rng: np.random.Generator, replicates: int) -> Iterator[dict]:
    """Type I error of paired tests of two methods with the same mean."""
    found = {NEW: [], f"{BEFORE}: over problems alone": []}
    for _ in range(replicates):
        a, b = two_methods(truth, rng)
        second = v.Runs(b, run_sd=0) if truth.run_effect_b == 0 else b
        found[NEW].append(
            v.p_value(v.pool_strata(v.decompose(a, second, strata=truth.strata))) <= 0.05
        )
        found[f"{BEFORE}: over problems alone"].append(
            stats.ttest_rel(a.mean(axis=1), b.mean(axis=1)).pvalue <= 0.05
        )
    for method, hits in found.items():
        yield row("paired test, no difference", truth, method, 0.05, hits, LEVEL_OF_TESTS)


def equivalences(truth: Truth, rng: np.random.Generator, replicates: int) -> Iterator[dict]:
    """How often two methods are called equivalent that differ by just the margin."""
    shift = truth.shifted() - truth.ease
    hits = []
    for _ in range(replicates):
        hits.append(
            v.equivalence(
                v.decompose(*two_methods(truth, rng, shift)),
                [truth.difference],
            )[0]
            <= 0.05
        )
    yield row("equivalence, at the margin", truth, NEW, 0.05, hits, LEVEL_OF_TESTS)


def predictions(truth: Truth, rng: np.random.Generator, replicates: int) -> Iterator[dict]:
    """How often five runs print what is inside the 95 % prediction interval of other runs on the
    same problems."""
    ours = truth.runs
    found = {}
    both = Truth(truth.problems, truth.runs + 5, truth.run_effect)
    for i in range(replicates):
        scores = one_method(both, rng)
        printed = float(scores[:, ours:].mean())
        ends = {NEW: v.prediction_interval(v.decompose(scores[:, :ours]), 5)[1:3]}
        if i < 400:
            ends[f"{BEFORE}: two-way bootstrap"] = pigeonhole(scores[:, :ours], rng)
        for method, (low, high) in ends.items():
            found.setdefault(method, []).append((low <= printed <= high, high - low))
    yield from covering("prediction of a rerun", truth, found, REACH)


def plans(truth: Truth, rng: np.random.Generator, replicates: int) -> Iterator[dict]:
    """Power of 3,201 problems and five runs a side, estimated from two runs and a pool of 18
    samples."""
    ease = rng.normal(truth.ease, truth.spread, 400_000)
    a, b = (majority(ease + rng.normal(0, truth.problem_sd, len(ease))) for _ in range(2))
    noise = float(np.mean(a * (1 - a)))
    true = _exactly(truth, float(np.var(a - b)), noise, 0.0, runs=5)
    planned = {"problems": 3201, "runs": 5}
    true_power = v.power(true, truth.difference, **planned)
    found = {NEW: [], f"{BEFORE}: the pool without noise": []}
    for _ in range(replicates):
        ease = rng.normal(truth.ease, truth.spread, truth.problems)
        of_a, of_b = (ease + rng.normal(0, truth.problem_sd, truth.problems) for _ in range(2))
        runs = drawn(of_a, np.zeros((truth.problems, truth.runs)), rng)
        samples = rng.random((truth.problems, POOL)) < expit(of_b)[:, None]
        pool = stats.hypergeom.sf(K // 2, POOL, np.arange(POOL + 1), K)[samples.sum(axis=1)]
        of_pool = v.Runs(
            pool[:, None], run_sd=0, worth=POOL / K
        )  # whose noise is taken to be like the runs'
        both = v.pool_strata(v.decompose(v.Runs(runs, run_sd=0), of_pool))
        found[NEW].append(v.power(both, truth.difference, **planned))
        found[f"{BEFORE}: the pool without noise"].append(
            _power_before(runs, pool, truth.difference)
        )
    for method, values in found.items():
        near = true_power - NEAR, min(true_power + NEAR, 1.0)
        yield row("power, estimated", truth, method, true_power, values, near)


def _power_before(runs: np.ndarray, pool: np.ndarray, delta: float) -> float:
    sigma_a = np.sqrt(runs.var(axis=1, ddof=1).mean())
    sigma_b = np.sqrt(np.mean(pool * (1 - pool)))
    omega = np.sqrt(
        max(
            np.var(runs.mean(axis=1) - pool, ddof=1) - sigma_a**2 / runs.shape[1],
            0,
        )
    )
    se = np.sqrt((omega**2 + (sigma_a**2 + sigma_b**2) / 5) / 3201)
    return float(stats.norm.cdf(delta / se - stats.norm.ppf(0.975)))


def powers(truth: Truth, rng: np.random.Generator, replicates: int) -> Iterator[dict]:
    """How often the paired test sees a difference, against the power that the true variances
    promise."""
    shift = truth.shifted() - truth.ease
    n = 4000
    ease = rng.normal(truth.ease, truth.spread, n)[:, None]
    effects = rng.normal(0, truth.run_effect, n)
    own = [ease[:, 0] + more + rng.normal(0, truth.problem_sd, n) for more in (shift, 0.0)]
    expected = [np.mean([majority(each + e) for e in effects[:500]], axis=0) for each in own]
    right = [majority(each + effects) for each in own]
    noise = float(np.mean([np.mean(r * (1 - r)) for r in right]))
    run = float(
        np.mean([np.var([majority(each + e).mean() for e in effects[:500]]) for each in own])
    )
    exact = _exactly(truth, float(np.var(expected[0] - expected[1])), noise, run, runs=truth.runs)
    promised = v.power(exact, truth.difference, problems=truth.problems, runs=truth.runs)
    hits = [
        v.p_value(v.decompose(*two_methods(truth, rng, shift))) <= 0.05 for _ in range(replicates)
    ]
    yield row(
        "power, of the test",
        truth,
        NEW,
        promised,
        hits,
        (promised - NEAR, min(promised + NEAR, 1.0)),
    )


def _exactly(truth: Truth, problem: float, sample: float, run: float, *, runs: int) -> v.Variance:
    """The variance of a difference of two alike methods, known."""
    one = np.ones(1)
    two = np.ones((1, 2))
    mean = {
        "labels": (0,),
        "values": truth.difference * one,
        "weights": one,
        "sizes": float(truth.problems) * one,
    }
    spread = {
        "degrees": (truth.problems - 1) * one,
        "spread": (problem + 2 * sample / runs) * one,
    }
    noise = {"single": (problem + sample) * two, "sample": sample * two, "run": run * two}
    degrees = (runs - 1.0 if run else np.inf) * two
    return v.Variance(
        **mean, **spread, **noise, run_degrees=degrees, repeats=runs * two, independent=runs * two
    )


def scenarios() -> Iterator[tuple[Callable, Truth]]:
    """What is simulated, on which truth."""
    sizes = (150, 291, 3201)
    runs = (2, 5)
    effects = (0.0, 0.2)
    grid = [(n, r, e) for n in sizes for r in runs for e in effects]
    for each in grid:
        yield means, Truth(*each)
        yield tests, Truth(*each)
        yield tests, Truth(*each, 0.7)
        yield equivalences, Truth(*each, 0.7, difference=0.02)
        yield predictions, Truth(*each)
    for r in runs:
        yield from ((means, Truth(n, r, ease=-1.0, spread=0.6)) for n in (291, 3201))
        yield means, Truth(237, r, 0.2, ease=-4.2)
        yield means, Truth(3201, r, 0.2, categories=7)
        yield means, Truth(3201, r, categories=7, ease=-1.0, spread=0.6)
        yield from ((means, Truth(3201, r, e, categories=7, unlike=3.0, single=3)) for e in effects)
        yield from ((means_of_one, Truth(7 * 291, r, e, categories=7)) for e in effects)
        yield from (
            (means_of_one, Truth(7 * 291, r, 0.2, categories=7, unlike=3.0, single=s))
            for s in (0, 3)
        )
        yield from ((tests, Truth(n, r, 0.2, 0.7, run_effect_b=0.0)) for n in sizes)
        yield from (
            (tests, Truth(3201, r, 0.2, 0.7, categories=7, run_effect_b=b)) for b in (None, 0.0)
        )
    yield from ((plans, Truth(528, 2, problem_sd=sd, difference=0.01)) for sd in (0.0, 0.7))
    yield from (
        (powers, Truth(n, 5, e, 0.7, difference=d))
        for n, d in ((291, 0.06), (3201, 0.03))
        for e in effects
    )


def simulate(replicates: int = 1000, seed: int = 0) -> pd.DataFrame:
    """The whole table; each truth has random numbers of its own. Of 3,201 problems, half as many
    replicates."""
    rows = []
    for i, (kind, truth) in enumerate(scenarios()):
        count = replicates if truth.problems < 1000 else replicates // 2
        rows += kind(truth, np.random.default_rng([seed, i]), 300 if kind is plans else count)
    four = ("accuracy", "nominal", "observed", "mc_error", "target_low", "target_high")
    table = pd.DataFrame(rows).round(dict.fromkeys(four, 4) | {"mean_width": 2, "median_width": 2})
    return table.sort_values("what", kind="stable", ignore_index=True)


def least_coverage(ratio: float, floor: float = 0.93) -> dict:
    """With two runs: what any interval covers, and how wide it is, where there is no run effect
    after all.

    The mean's error is normal with variance P + T, half the difference u of two runs with variance
    T: P from problems (`ratio` = P / T0), T >= T0 from samples and an unknown run effect. A rule
    says for each |u| how wide the interval is, at random if it likes; never narrower than without a
    run effect, and covering `floor` or more for every T. The smallest coverage at T = T0
    (`covers`), and the smallest mean width there, as a multiple of what would do (`wider`), are
    linear programs.
    """
    edges = np.r_[0, np.geomspace(0.05, 150, 70)]
    needed = stats.norm.ppf(0.975) * np.sqrt(ratio + 1)
    half = needed * np.r_[1, np.geomspace(1.02, 400, 80)]
    sizes = np.geomspace(1, 30, 40)  # sqrt(T / T0)
    chance = np.array([np.diff(2 * stats.norm.cdf(edges / size) - 1) for size in sizes])
    covers = np.array([2 * stats.norm.cdf(half / np.sqrt(ratio + size**2)) - 1 for size in sizes])
    joint = np.einsum("tu,th->tuh", chance, covers).reshape(len(sizes), -1)
    beyond = 1 - chance.sum(axis=1)  # covered, for the rule's sake
    each = np.kron(np.eye(chance.shape[1]), np.ones(len(half)))
    rules = {
        "A_ub": -joint,
        "b_ub": beyond - floor,
        "A_eq": each,
        "b_eq": np.ones(len(each)),
        "method": "highs",
    }
    least = optimize.linprog(joint[0], **rules)
    narrow = optimize.linprog(np.outer(chance[0], half).ravel(), **rules)
    return {
        "problems_to_samples": ratio,
        "floor": floor,
        "covers": least.fun + beyond[0],
        "wider": narrow.fun / needed,
    }


#: The figure's panels: what is simulated, and what its axis shows. Power, of which each truth has
#: its own, is a table.
PANELS = {
    "paired test, no difference": "rejections of methods that do not differ",
    "equivalence, at the margin": "called equivalent, though 2 points apart",
    "interval of a mean": "coverage of the 95 % interval of a mean",
    "interval of one category's mean": "coverage of the 95 % interval of one category's mean",
    "prediction of a rerun": "five more runs inside the 95 % prediction",
}


def figure(table: pd.DataFrame) -> plt.Figure:
    """A panel a question, a dot a simulated truth, by the kit now, and by what it rested on before;
    grey: target.

    Rates of error have one scale, those of coverage another. Of dots now outside, the farthest of a
    panel is named.
    """
    side = table["method"].map(
        lambda method: "now" if method == NEW else "before" * method.startswith(BEFORE)
    )
    table = table.assign(side=side, percent=100 * table["observed"])[side != ""]
    fig, grid = plt.subplots(len(PANELS), figsize=(8, 9), layout="constrained")
    for ax, (what, label) in zip(grid, PANELS.items(), strict=True):
        part = table[table["what"] == what]
        ax.axvspan(
            100 * part["target_low"].min(), 100 * part["target_high"].max(), color="0.88", zorder=0
        )
        order = [side for side in ("now", "before") if (part["side"] == side).any()]
        how = {"palette": {"now": "0.15", "before": "0.55"}, "size": 4, "legend": False}
        errors = part["nominal"].max() < 0.5
        ax.set_xlim((-2, 85) if errors else (68, 101))
        sns.swarmplot(part, x="percent", y="side", order=order, hue="side", ax=ax, **how)
        outside = part[(part["side"] == "now") & ~part["meets"]]
        far = outside.loc[(outside["observed"] - outside["nominal"]).abs().nlargest(1).index]
        for row in far.itertuples():
            words = f"{row.percent:.1f} %: {row.problems:,} problems, {row.runs} runs"
            at = {
                "xytext": (7 if errors else -7, 0),
                "textcoords": "offset points",
                "va": "center",
                "fontsize": 8,
            }
            ax.annotate(words, (row.percent, 0), ha="left" if errors else "right", **at)
        missed = f"{len(outside)} of {(part['side'] == 'now').sum()}" if len(outside) else "none"
        ax.set(xlabel=f"{label} (%): {missed} now outside", ylabel="")
    fig.suptitle(
        "Are tests and intervals what they say? A dot: a simulation of known truth; grey: target",
        fontsize=10,
    )
    return fig


def main() -> None:
    """Simulate, and write the table and the figure."""
    table = simulate()
    for folder in ("results", "figures"):
        (ROOT / folder / "statistics").mkdir(parents=True, exist_ok=True)
    table.to_csv(ROOT / "results/statistics/coverage.csv", index=False)
    bound = pd.DataFrame([least_coverage(ratio) for ratio in (0.0, 0.3, 1.0, 3.0, 10.0, 30.0)])
    bound.round(4).to_csv(ROOT / "results/statistics/bound.csv", index=False)
    figure(table).savefig(
        ROOT / "figures/statistics/coverage.png", dpi=150, metadata={"Software": None}
    )
    missed = table[(table["method"] == NEW) & ~table["meets"]]
    print(f"{len(table)} rows; targets that variance misses: {len(missed)}")
    print(missed.to_string(index=False))


if __name__ == "__main__":
    main()
