"""Tables of first proofs: LEGO-Prover less DSP at equal attempts and at equal tokens; and the marks
of the figure."""

from collections.abc import Callable

import pandas as pd

from . import tables

STUDY = "LEGO-Prover"
VERDICT = "Isabelle"
PROVERS = ("lego_prover", "dsp")
LIST = ["model", "list"]
WHOLE_LIST = "test"  # of miniF2F; the other lists are parts of it, and share no problem
AT = (1, 2, 5, 10, 20, 50, 100, 200, 300)  # attempts
WAYS = ("attempts", "tokens")
#: From first proofs, null where there is none, and the attempts allowed to verdicts.
Proved = Callable[[pd.Series, pd.Series], pd.Series]


def proof_differences(proofs: pd.DataFrame, proved: Proved) -> pd.DataFrame:
    """LEGO-Prover less DSP, problem by problem, at equal attempts and at equal tokens, by model and
    list, and over the lists of a model that share no problem. `a_attempts` and `b_attempts`: the
    most that a problem had."""
    rows = []
    for way in WAYS:
        found = within(proofs, allowed(proofs, way), proved)
        for model, here in found.groupby("model", sort=False):
            lists = list(here["list"].unique())
            groups = {name: [name] for name in lists}
            if len(lists) > 1 and WHOLE_LIST not in lists:
                groups[tables.ALL] = lists
            for category, names in groups.items():
                part = here[here["list"].isin(names)]
                one, other = (part[part["method"] == name] for name in PROVERS)
                about = {
                    "study": STUDY,
                    "model": model,
                    "category": category,
                    "a": PROVERS[0],
                    "b": PROVERS[1],
                    "matched": way,
                    "a_attempts": one["at"].max(),
                    "b_attempts": other["at"].max(),
                    "unit": "tokens",
                    "a_used": one["used"].mean(),
                    "b_used": other["used"].mean(),
                    "times": one["used"].mean() / other["used"].mean(),
                    "runs": one["run"].nunique(),
                    "verdict": VERDICT,
                    "ran_by": tables.RAN_BY[tables.AGENTS],
                }
                rows.append(about | tables.cells(tables.scores(one), tables.scores(other)))
    return pd.DataFrame(rows)


def allowed(proofs: pd.DataFrame, way: str) -> pd.Series:
    """How many attempts a problem may have, so that both systems have as many; or no more than as
    many tokens as the system with fewer has."""
    key = [proofs[name] for name in LIST]
    if way == "attempts":
        return proofs["attempts"].groupby(key).transform("min")
    tokens = (proofs["attempts"] * proofs["tokens"]).groupby(key).transform("min")
    return (tokens / proofs["tokens"] + 1e-9).astype(int)


def within(proofs: pd.DataFrame, at: pd.Series | int, proved: Proved) -> pd.DataFrame:
    """Verdicts at so many attempts, in the shape that `scores` takes, with what they `used`: tokens
    a problem."""
    return proofs.assign(
        category=proofs["list"],
        at=at,
        used=at * proofs["tokens"] / proofs["problems"],
        answer=None,
        ours=proved(proofs["attempt"], at),
        shares_state=proofs["method"] == PROVERS[0],
    )


def curves(proofs: pd.DataFrame, proved: Proved) -> pd.DataFrame:
    """The share of problems proved within so many attempts, mean of the runs, and the tokens a
    problem they took."""
    parts = []
    for attempts in AT:
        found = within(proofs[proofs["attempts"] >= attempts], attempts, proved)
        systems = found.groupby([*LIST, "method", "problems", "at"], sort=False)
        parts.append(systems.agg(tokens=("used", "first"), proved=("ours", "mean")).reset_index())
    table = pd.concat(parts).rename(columns={"at": "attempts"})
    return table.sort_values([*LIST, "method", "attempts"])


def marks(told: pd.DataFrame, proofs: pd.DataFrame, same_cost: pd.DataFrame) -> pd.DataFrame:
    """What the figure shows: of each method and model the row over most problems, by our verdict
    (equations apart), as it ran, and again at equal tokens (`matched`) where that can be had: two
    votes without tools, or attempts cut to the tokens."""
    shown = told["placebo"] | (told["b"] != tables.BASELINE)
    ran = told[shown & (told["verdict"] == "ours")].assign(matched=False)
    proved = proofs.assign(matched=proofs["matched"] == "tokens", placebo=False)
    chosen = (same_cost["rule"] == "vote") & (same_cost["k"] == 2)
    voted = same_cost[chosen & (same_cost["verdict"] == "ours")].assign(
        study=tables.AGENTS,
        category=tables.ALL,
        a=tables.TOOLS,
        b=f"2 {tables.PLAIN}",
        matched=True,
        placebo=False,
        unit="tokens",
        runs=3,
        ran_by=tables.RAN_BY[tables.AGENTS],
    )
    rows = pd.concat([ran, proved, voted], ignore_index=True)
    names = ["study", "model", "a", "b", "matched"]
    task = [*names, rows["category"] == tables.EQUATIONS]
    most = rows.sort_values("problems", kind="stable").groupby(task, sort=False).tail(1)
    kept = [*names, "placebo", "category", "problems", "runs", "times", "unit"]
    ends = ["difference", "low", "high", "low_problems", "high_problems", "ran_by"]
    return most.sort_values([*names, "category"])[[*kept, *ends]].reset_index(drop=True)
