"""Tables of first proofs: LEGO-Prover less DSP at equal attempts and at equal tokens; and the marks of the figure."""

from collections.abc import Callable, Mapping

import pandas as pd

from . import tables

STUDY = "LEGO-Prover"
VERDICT = "Isabelle"
PROVERS = ("lego_prover", "dsp")
WHOLE_LIST = "test"  # of miniF2F; the other lists are parts of it, and share no problem
AT = (1, 2, 5, 10, 20, 50, 100, 200, 300)  # attempts
WAYS = ("attempts", "tokens")


def proved(first: pd.Series, allowed: pd.Series) -> pd.Series:
    """Whether the first proof came within the attempts that are allowed; `first` is null where none did."""
    return first.le(allowed).fillna(False).astype(bool)


#: From first proofs and the attempts allowed to verdicts.
Proved = Callable[[pd.Series, pd.Series], pd.Series]


def proof_differences(proofs: pd.DataFrame, proved: Proved = proved) -> pd.DataFrame:
    """LEGO-Prover less DSP, problem by problem, at equal attempts and at equal tokens, by model and list, and over the
    lists of a model that share no problem. `a_attempts` and `b_attempts`: the most that a problem had."""
    rows = []
    for model, here in proofs.groupby("model", sort=False):
        lists = dict.fromkeys(here["list"])
        cut = {name: matched(here[here["list"] == name], proved) for name in lists}
        groups = {name: [name] for name in lists}
        if len(lists) > 1 and WHOLE_LIST not in lists:
            groups[tables.ALL] = list(lists)
        for category, names in groups.items():
            for way in WAYS:
                found = pd.concat([cut[name][way] for name in names])
                sides = [found[found["method"] == name] for name in PROVERS]
                used = [float(side["used"].mean()) for side in sides]
                about = {
                    "study": STUDY,
                    "model": model,
                    "category": category,
                    "a": PROVERS[0],
                    "b": PROVERS[1],
                    "matched": way,
                    "a_attempts": sides[0]["at"].max(),
                    "b_attempts": sides[1]["at"].max(),
                    "unit": "tokens",
                    "a_used": used[0],
                    "b_used": used[1],
                    "times": used[0] / used[1],
                    "runs": sides[0]["run"].nunique(),
                    "verdict": VERDICT,
                    "ran_by": tables.RAN_BY[tables.AGENTS],
                }
                rows.append(about | tables.cells(*map(tables.scores, sides)))
    return pd.DataFrame(rows)


def matched(here: pd.DataFrame, proved: Proved) -> dict[str, pd.DataFrame]:
    """An experiment's verdicts by both ways to match: as many attempts; as many tokens, as the side with fewer has.
    `at`: the attempts allowed; `used`: their tokens a problem."""
    known = here.groupby("method")[["attempts", "tokens"]].first()
    tokens = float((known["attempts"] * known["tokens"]).min())
    allowed = {
        "attempts": dict.fromkeys(known.index, int(known["attempts"].min())),
        "tokens": {
            name: int(tokens / each + 1e-9)  # no more than it has
            for name, each in known["tokens"].items()
        },
    }
    return {way: within(here, allowed[way], proved) for way in WAYS}


def within(here: pd.DataFrame, at: Mapping[str, int], proved: Proved) -> pd.DataFrame:
    """Whether a problem is proved within so many attempts, by side, in the shape that `scores` takes."""
    allowed = here["method"].map(at)
    return here.assign(
        category=here["list"],
        at=allowed,
        used=allowed * here["tokens"] / here["problem"].nunique(),
        answer=None,
        ours=proved(here["attempt"], allowed),
        shares_state=here["method"] == PROVERS[0],
    )


def curves(proofs: pd.DataFrame, proved: Proved = proved) -> pd.DataFrame:
    """The share of problems proved within so many attempts, mean of the runs, and the tokens a problem they took."""
    rows = []
    for key, here in proofs.groupby(["model", "list", "method"], sort=False):
        first = here.iloc[0]
        for attempts in [number for number in AT if number <= first["attempts"]]:
            found = within(here, {first["method"]: attempts}, proved)
            names = ("model", "list", "method")
            rows.append(
                {
                    **dict(zip(names, key, strict=True)),
                    "attempts": attempts,
                    "tokens": found["used"].iloc[0],
                    "proved": found["ours"].mean(),
                    "problems": here["problem"].nunique(),
                }
            )
    return pd.DataFrame(rows)


def marks(told: pd.DataFrame, proofs: pd.DataFrame, same_cost: pd.DataFrame) -> pd.DataFrame:
    """What the figure shows: of each method and model the row over most problems, by our verdict, as it ran, and again
    at equal tokens (`matched`) where that can be had: two votes without tools, or attempts cut to the tokens."""
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
    most = rows.sort_values("problems", kind="stable").groupby(names, sort=False).tail(1)
    kept = [*names, "placebo", "category", "problems", "runs", "times", "unit"]
    ends = ["difference", "low", "high", "low_problems", "high_problems", "ran_by"]
    return most.sort_values(names)[[*kept, *ends]].reset_index(drop=True)
