"""Tables of talks with tools beside talks without: differences at one run a system, at equal tokens,
by call, by level.

What is counted is handed in: a function from the verdicts and answers of k runs on one problem to a
score. Intervals are those of the kit's one decomposition of variance, over problems and runs, and
beside them over problems alone.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, product

import numpy as np
import pandas as pd

from trove_lite_analysis.differences import difference

#: From the verdicts and the answers of k runs on one problem to a score between 0 and 1.
Value = Callable[[np.ndarray, np.ndarray], float]
AGENTS = "AgentOptimizer"
MEMORY = "Dynamic Cheatsheet"
RAN_BY = {
    AGENTS: "the authors of LLM Library Learning Fails",
    MEMORY: "the authors of Dynamic Cheatsheet",
}
TOOLS = "agent_optimizer"
PLAIN = "react"
#: The placebo has nothing kept; the baseline has another prompt too.
PLACEBO = "empty"
BASELINE = "baseline"
MEMORIES = ("cumulative", "retrieval_synthesis", "retrieval")
PAIRS = (
    (TOOLS, PLAIN),
    *product(MEMORIES, (PLACEBO, BASELINE)),
    (PLACEBO, BASELINE),
)
#: By the kit's judge, by the logs' own; and of the first boxed answer.
VERDICTS = ("ours", "theirs", "first", "first_theirs")
ALL = "all"
SCORED = ["run", "method", "category", "problem"]
#: They share no problem; aime_2020_2024 has some of the first.
LATER = ["aime_2024", "aime_2025"]
EQUATIONS = "equations"
NUMBERS = (80, 800, 8000)  # of problems for which functions are made once
ASKED = 80  # problems of a run, for which its functions were made


# ---- what is counted ----


def mean(right: np.ndarray, answers: np.ndarray) -> float:
    """The share of runs that are right."""
    return float(right.mean())


def scores(
    talks: pd.DataFrame, value: Value = mean, k: int = 1, verdict: str = "ours"
) -> pd.DataFrame:
    """A score a problem: the mean of `value` over all choices of k runs. With k = 1 a row a problem
    and run, as the runs' own variance needs it."""
    if k == 1:
        pairs = zip(talks[verdict].to_numpy(), talks["answer"].to_numpy(dtype=object), strict=True)
        found = [value(np.array([right]), np.array([answer])) for right, answer in pairs]
        return talks[[*SCORED, "shares_state"]].assign(score=found, worth=1.0)
    rows = []
    for key, here in talks.groupby(["method", "category", "problem"], sort=False):
        right = here[verdict].to_numpy()
        answers = here["answer"].to_numpy(dtype=object)
        chosen = map(list, combinations(range(len(here)), k))
        found = [value(right[runs], answers[runs]) for runs in chosen]
        rows.append((f"{k} runs", *key, np.mean(found), len(here) / k))
    names = [*SCORED, "score", "worth"]
    shared = bool(talks["shares_state"].any())
    return pd.DataFrame(rows, columns=names).assign(shares_state=shared)


def cells(one: pd.DataFrame, other: pd.DataFrame) -> dict:
    """Two systems' scores as cells: each mean, their difference with its intervals (of these runs'
    problems alone, and of runs too), and how many problems. Shares are fractions."""
    ((cell, _),) = difference(one, other)
    values = [
        float(system.groupby(["category", "problem"])["score"].mean().mean())
        for system in (one, other)
    ]
    points = ("difference", "low", "high", "low_problems", "high_problems")
    return {
        "problems": cell["problems"],
        "a_value": values[0],
        "b_value": values[1],
        **{name: cell[name] for name in points},
        "covers": cell["covers"],
        "p": cell["p"],
    }


# ---- one run a system ----


def differences(
    talks: pd.DataFrame,
    making: pd.DataFrame,
    value: Value,
) -> pd.DataFrame:
    """With tools less without, problem by problem, by model, category and verdict, with what each
    system used a problem: tokens and dollars, of AIME characters written; `times` is their ratio.
    Making is apart, a share of each problem."""
    rows = []
    for (study, model), here in talks.groupby(["study", "model"]):
        known = VERDICTS if study == AGENTS else VERDICTS[:2]
        for a, b in PAIRS:
            systems = [here[here["method"] == name] for name in (a, b)]
            for category, names in categories_of(*systems).items():
                parts = [system[system["category"].isin(names)] for system in systems]
                about = {
                    "study": study,
                    "model": model,
                    "category": category,
                    "a": a,
                    "b": b,
                    "placebo": a == PLACEBO,
                    "ran_by": RAN_BY[study],
                    "runs": parts[0]["run"].nunique(),
                }
                about |= spent(*parts) | made(making, parts[0])
                for verdict in known:
                    found = cells(*(scores(part, value, verdict=verdict) for part in parts))
                    rows.append(about | {"verdict": verdict} | found)
    return pd.DataFrame(rows)


def categories_of(one: pd.DataFrame, other: pd.DataFrame) -> dict[str, list[str]]:
    """The categories that both systems have, each alone, and those together that share no problem."""
    shared = sorted({*one["category"]} & {*other["category"]})
    groups = {category: [category] for category in shared}
    if set(LATER) <= set(shared):
        groups[", ".join(LATER)] = LATER
    elif len(shared) > 1:
        groups[ALL] = shared
    return groups


def spent(one: pd.DataFrame, other: pd.DataFrame) -> dict:
    """What two systems used a problem and run, in the unit that the logs have, and how many times the
    other's."""
    unit = "tokens" if one["tokens"].notna().all() else "written"
    used = {"unit": {"written": "characters written"}.get(unit, unit)}
    for name, system in (("a", one), ("b", other)):
        used[f"{name}_used"] = float(system[unit].mean())
        used[f"{name}_dollars"] = float(system["dollars"].astype(float).mean())
    return used | {"times": used["a_used"] / used["b_used"]}


def made(making: pd.DataFrame, system: pd.DataFrame) -> dict:
    """Tokens and dollars that it took to make this system's functions, a problem and run; null where
    none were."""
    own = making.merge(system[["run", "category"]].drop_duplicates(), on=["run", "category"])
    if own.empty:
        return {"making": np.nan, "making_dollars": np.nan}
    return {
        "making": float(own["tokens"].sum()) / len(system),
        "making_dollars": float(own["dollars"].sum()) / len(system),
    }


# ---- equal tokens, equal dollars ----


def both_systems(talks: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame, pd.DataFrame]]:
    """AgentOptimizer's talks and ReAct's, by model."""
    for model, here in talks[talks["study"] == AGENTS].groupby("model"):
        one, other = (here[here["method"] == name] for name in (TOOLS, PLAIN))
        yield model, one, other


def matched(
    talks: pd.DataFrame,
    values: Mapping[str, Value],
) -> pd.DataFrame:
    """One run with tools less k runs without, by each of `values`. `times` and `times_dollars` are
    what the run with tools costs beside the k without, making left out."""
    rows = []
    for model, one, other in both_systems(talks):
        used = spent(one, other)
        for verdict, (rule, value), k in product(VERDICTS[:2], values.items(), (2, 3)):
            about = {
                "model": model,
                "verdict": verdict,
                "rule": rule,
                "k": k,
                "times": used["times"] / k,
                "times_dollars": used["a_dollars"] / used["b_dollars"] / k,
            }
            systems = scores(one, verdict=verdict), scores(other, value, k, verdict)
            rows.append(about | cells(*systems))
    return pd.DataFrame(rows)


def breaks_even(
    talks: pd.DataFrame,
    making: pd.DataFrame,
    pays: Callable[[float, float, float, int], float],
) -> pd.DataFrame:
    """What a problem costs with functions made once for n problems: `times_at_n` a run without.
    `problems_at_k` is what `pays` says of the cost of a run with and without, of the making, and of
    k: for how many problems they must be made that a run with tools costs no more than k
    without."""
    rows = []
    for model, one, other in both_systems(talks):
        used = spent(one, other) | made(making, one)
        for unit, names in {
            "tokens": ("a_used", "b_used", "making"),
            "dollars": ("a_dollars", "b_dollars", "making_dollars"),
        }.items():
            a, b, share = (used[name] for name in names)
            whole = ASKED * share
            about = {
                "model": model,
                "unit": unit,
                "with": a,
                "without": b,
                "making": whole,
            }
            times = {f"times_at_{n}": (a + whole / n) / b for n in NUMBERS}
            paid = {f"problems_at_{k}": pays(a, b, whole, k) for k in (1, 2, 3)}
            rows.append(about | times | {"times_at_infinity": a / b} | paid)
    return pd.DataFrame(rows)


# ---- the call ----


def called(talks: pd.DataFrame) -> pd.DataFrame:
    """Of problem-runs that call a made function, or call none: the share that is right, and ReAct's
    on the same problems, weighted as they occur on the left. A choice made after the fact shows
    where functions are called, and not what they cause."""
    rows = []
    for model, one, other in both_systems(talks):
        calls = one["calls"].fillna(0) > 0
        chosen = {"calls": one[calls], "calls none": one[~calls]}
        for (which, system), verdict in product(chosen.items(), VERDICTS[:2]):
            about = {
                "model": model,
                "which": which,
                "verdict": verdict,
                "of": len(one),
            }
            rows.append(about | beside_plain(system, other, verdict))
    return pd.DataFrame(rows)


def beside_plain(system: pd.DataFrame, other: pd.DataFrame, verdict: str) -> dict:
    """Talks less the mean of the other system's on the same problem, with a 95 % interval: normal,
    problems drawn."""
    key = ["category", "problem"]
    plain = system[key].join(other.groupby(key)[verdict].mean().rename("plain"), on=key)["plain"]
    gap = system[verdict].astype(float) - plain
    off = (gap - gap.mean()).groupby([system[name] for name in key]).sum()
    n = len(off)
    half = 1.96 * float(np.sqrt((off**2).sum() * n / max(n - 1, 1))) / len(gap)
    return {
        "talks": len(gap),
        "problems": n,
        "right": system[verdict].mean(),
        "plain_right": plain.mean(),
        "difference": gap.mean(),
        "low": gap.mean() - half,
        "high": gap.mean() + half,
    }


# ---- what the re-evaluation asks of every method ----


def passed(talks: pd.DataFrame, value: Value) -> pd.DataFrame:
    """pass@K over the runs of a system, K = 1, 2, 3: each system, and their difference."""
    rows = []
    for (model, *systems), k in product(both_systems(talks), (1, 2, 3)):
        about = {
            "model": model,
            "k": k,
        }
        rows.append(about | cells(*(scores(system, value, k) for system in systems)))
    return pd.DataFrame(rows)


def overlap(talks: pd.DataFrame, jaccard: Callable) -> pd.DataFrame:
    """How much the solved problems of two runs overlap, by model: a run of each system, and two of
    one."""
    rows = []
    for model, *systems in both_systems(talks):
        one, other = (solved(system) for system in systems)
        ways = {
            f"two runs of {TOOLS}": combinations(one, 2),
            f"two runs of {PLAIN}": combinations(other, 2),
            "a run of each": product(one, other),
        }
        for which, pairs in ways.items():
            found = [float(jaccard(*pair)) for pair in pairs]
            about = {
                "model": model,
                "which": which,
                "pairs": len(found),
                "problems": one.shape[1],
            }
            rows.append(about | {"overlap": np.mean(found)})
    return pd.DataFrame(rows)


def solved(system: pd.DataFrame) -> np.ndarray:
    """Which problems each run solves: runs × problems."""
    table = system.set_index(["run", "category", "problem"])["ours"]
    return table.unstack(["category", "problem"]).sort_index(axis=1).to_numpy(dtype=bool)


def levels(talks: pd.DataFrame, value: Value) -> pd.DataFrame:
    """By MATH's level of difficulty: each system, and their difference."""
    rows = []
    for model, one, other in both_systems(talks):
        for level in sorted(one["level"].unique()):
            parts = [system[system["level"] == level] for system in (one, other)]
            about = {
                "model": model,
                "level": level,
            }
            rows.append(about | cells(*(scores(part, value) for part in parts)))
    return pd.DataFrame(rows)


def verdicts(talks: pd.DataFrame) -> pd.DataFrame:
    """A row a model and system: talks, those with an answer, those right by each verdict, and where
    two graders part: right by ours alone, and by theirs alone."""
    told = talks.assign(
        talks=1,
        answered=talks["answer"].notna(),
        ours_alone=talks["ours"] & ~talks["theirs"],
        theirs_alone=talks["theirs"] & ~talks["ours"],
    )
    counted = ["talks", "answered", *VERDICTS, "ours_alone", "theirs_alone"]
    return told.groupby(["study", "model", "method"])[counted].sum().reset_index()
