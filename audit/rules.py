"""What a paper says the program does, against what the program does: section 3 of the audit.

Each switch changes one rule of the official program to what the paper says (or to what a reader would expect), on
recorded candidates, and compares accuracy problem by problem. The official rules are those of `select`, `grade` and
`parse`; their alternatives, one difference each, those of `select` and of `audit_alternatives`.
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from trove_lite.analysis.choose import PROBLEM, in_order
from trove_lite.analysis.compare import difference_cells
from trove_lite.analysis.scores import variance_of
from trove_lite.analysis.statistics import holm
from trove_lite.analysis.variance import problems_alone
from trove_lite.datasets.answers import is_correct
from trove_lite.datasets.base import Problem
from trove_lite.datasets.math import CATEGORIES
from trove_lite.selection import (
    Rule,
    Vote,
    one_stage,
    one_stage_described,
    two_stage,
)

from .alternatives import (
    Golds,
    in_two_stages,
    one_vote_a_program,
    regraded,
    reread,
    rounded_votes,
    silence_is_failure,
    ties_to_simplest,
    with_every_block,
)
from .finding import Finding, finding, points

# ---- rules on whole tables ----


def choose_by(candidates: pd.DataFrame, rule: Rule) -> pd.DataFrame:
    """The candidate that any `Rule` selects for each problem and run: `analysis.choose` for the rules it lacks."""
    frame = in_order(candidates)
    answers = [() if a is None else tuple(a) for a in frame["answers"]]
    ok = (frame["status"] == "ok").tolist()
    cost, mode = frame["operations"].fillna(0).astype(int).tolist(), frame["mode"].astype(str).tolist()
    votes = [Vote(*each) for each in zip(mode, ok, answers, cost, strict=True)]
    starts = np.flatnonzero(~frame.duplicated(PROBLEM).to_numpy()).tolist()
    ends = [*starts[1:], len(frame)]
    rows = [start + rule(votes[start:end]) for start, end in zip(starts, ends, strict=True)]
    return frame.iloc[rows].reset_index(drop=True)


class Effect(NamedTuple):
    """What switching a rule does: accuracies, their paired difference over problems, and where it matters."""

    rule: str
    method: str
    category: str
    before: float
    after: float
    difference: float
    low: float
    high: float
    p: float
    problems: int
    runs: int
    other_candidate: int
    other_verdict: int
    which: str


def effect(rule: str, before: pd.DataFrame, after: pd.DataFrame) -> list[Effect]:
    """Compare two choices of one candidate each for the same problems and runs, by method, category and in all.

    A problem's score is its mean over runs, subtracted run by run: both choices are of the same samples. Interval and
    t test are over problems alone, these runs as they are. `other_verdict` counts the choices, of one problem in one
    run, that turn from right to wrong or back; `which` names some.
    """
    keys = ["method", "run", "category", "problem"]
    fields = [*keys, "mode", "sample", "correct"]
    both = before[fields].merge(after[fields], on=keys, suffixes=("_a", "_b"), validate="one_to_one")
    a, b = (both[f"correct_{x}"].fillna(False).astype(float) for x in "ab")
    other = (both["mode_a"].astype(str) != both["mode_b"].astype(str)) | (both["sample_a"] != both["sample_b"])
    both = both.assign(a=a, b=b, other=other)
    results = []
    for method, mine in both.groupby("method", observed=True):
        scores = (mine[keys].assign(score=mine[x]) for x in "ba")
        found = variance_of(*scores)
        for category in [*[c for c in CATEGORIES if c in found.labels], "all"]:
            part = mine if category == "all" else mine[mine["category"] == category]
            gap = difference_cells(problems_alone(found if category == "all" else found.of([category])))
            each = part.groupby(["category", "problem"], observed=True)[["a", "b"]].mean()
            turned = part[part["a"] != part["b"]]
            names = [f"{r.category} {r.problem}" for r in turned.drop_duplicates(["category", "problem"]).itertuples()]
            results.append(
                Effect(
                    rule,
                    str(method),
                    category,
                    float(each["a"].mean()),
                    float(each["b"].mean()),
                    gap["difference"],
                    gap["low"],
                    gap["high"],
                    gap["p"],
                    len(each),
                    part.groupby(["run", "category"], observed=True).ngroups,
                    int(part["other"].sum()),
                    len(turned),
                    ", ".join(names[:6]) + (" …" if len(names) > 6 else ""),
                )
            )
    return results


class Switch(NamedTuple):
    """A rule in words: where it is stated, what is stated, what the program does.

    `agrees`: True where the program does what is stated, False where it does something else, None where the paper
    does not say.
    """

    name: str
    place: str
    stated: str
    program: str
    agrees: bool | None


SWITCHES = {
    s.name: s
    for s in (
        Switch(
            "stages",
            "§3.2",
            "one agreement vote over all responses",
            "a vote within each mode, then one among the winners",
            False,
        ),
        Switch(
            "ties",
            "§3.2",
            "a tie between answers goes to the solution with fewest operations",
            "the answer met first wins",
            False,
        ),
        Switch("votes", "§3.2", "a program votes with its answer", "every number that it prints is a vote", False),
        Switch(
            "all of selection",
            "§3.2",
            "agreement as described, all of it",
            "two stages, every number a vote, first met wins",
            False,
        ),
        Switch(
            "vote key",
            "§3.2 and App. B",
            "answers are graded rounded to two decimals; of votes nothing is said",
            "votes are exact floats, not rounded ones",
            None,
        ),
        Switch(
            "silence",
            "§3.2",
            "programs that do not execute successfully are removed",
            "one that prints no number counts as a success",
            None,
        ),
        Switch(
            "graded number",
            "App. B",
            "the numerical answer is graded; not which, where several are printed",
            "the first is, not the last",
            None,
        ),
        Switch(
            "number parsing",
            "App. B",
            "the numerical answer is converted to a float; not how",
            "1e-05, 3/4 and 1,024 are read as 1, 3 and 1",
            None,
        ),
        Switch(
            "first block",
            "§3.2",
            "solutions are executed; not what of a solution is code",
            "the first code block runs, not all of them",
            None,
        ),
        Switch(
            "regeneration",
            "§3.3",
            "solutions that used trimmed functions are generated again",
            "the new ones replace the old ones, against keeping the old",
            True,
        ),
        Switch(
            "regeneration grading",
            "§3.3 and App. B",
            "solutions are graded with their own example's answer",
            "solutions generated again are graded with the last example's (repaired in the fork that made most of "
            "these runs)",
            False,
        ),
    )
}
SELECTION = {
    "stages": one_stage,
    "ties": in_two_stages(ties_to_simplest),
    "votes": in_two_stages(one_vote_a_program),
    "vote key": in_two_stages(rounded_votes),
    "silence": in_two_stages(silence_is_failure),
}


def rule_effects(
    candidates: pd.DataFrame, golds: Golds | None = None, sandbox: object = None
) -> tuple[pd.DataFrame, dict[str, str]]:
    """Every switch that these candidates allow, one row a rule, method and category; and a remark on some of them.

    Of methods with several modes: others have nothing to select in two stages. Golds are needed to grade anew, texts to
    read outputs again, a sandbox to run the code that was left out. `p_holm` is corrected over all rows.
    """
    modes = candidates.groupby("method", observed=True)["mode"].nunique()
    candidates = candidates[candidates["method"].isin(modes.index[modes > 1])]
    if candidates.empty:
        return pd.DataFrame(columns=[*Effect._fields, "p_holm"]), {}
    official = choose_by(candidates, two_stage)
    effects, remarks = [], {}
    for name, rule in (*SELECTION.items(), ("all of selection", one_stage_described)):
        effects += effect(name, official, choose_by(candidates, rule))
    retry = candidates[candidates["phase"] == "retry"]
    if len(retry):
        solved_again = choose_by(retry.assign(phase="stream"), two_stage)
        effects += effect("regeneration", official, _replaced(official, solved_again))
        remarks["regeneration"] = f"{len(solved_again)} problems were solved again, in all logs together"
        if golds:
            last = {c: golds[c, max(i for k, i in golds if k == c)] for c in retry["category"].astype(str).unique()}
            keys = solved_again["category"].astype(str).map(last)
            wrong = [
                is_correct(None if pd.isna(a) else a, g) for a, g in zip(solved_again["answer"], keys, strict=True)
            ]
            misgraded = solved_again.assign(correct=pd.array(wrong, dtype="boolean"))
            effects += effect("regeneration grading", _replaced(official, misgraded), _replaced(official, solved_again))
    if golds:
        last = regraded(candidates, golds, lambda answers: answers[-1] if answers else None)
        effects += effect("graded number", official, choose_by(last, two_stage))
    if golds and "output" in candidates:
        again = reread(candidates, golds)
        read = [list(x) for x in again["answers"]]
        old = [[] if x is None else list(x) for x in candidates["answers"]]
        remarks["number parsing"] = (
            f"{sum(a != b for a, b in zip(read, old, strict=True))} of {len(read)} programs read differently"
        )
        effects += effect("number parsing", official, choose_by(again, two_stage))
    if golds and sandbox is not None and "solution" in candidates:
        whole, counts = with_every_block(candidates[candidates["phase"] == "stream"], golds, sandbox)
        effects += effect("first block", official, choose_by(whole, two_stage))
        remarks["first block"] = (
            f"{counts['several']} programs have several blocks; of the {counts['repeatable']} that end as recorded "
            f"when run again without the toolbox, {counts['changed']} end differently when run whole"
        )
    table = pd.DataFrame(effects, columns=Effect._fields)
    return table.assign(p_holm=holm(table["p"].astype(float))), remarks


def rule_findings(effects: pd.DataFrame, remarks: Mapping[str, str]) -> list[Finding]:
    """One finding a switched rule: what it does to TROVE's own logs, and beside it to those of other methods."""
    results = []
    for rule, rows in effects.groupby("rule", sort=False):
        switch, whole = SWITCHES[rule], rows[rows["category"] == "all"].set_index("method")
        method = "trove" if "trove" in whole.index else whole.index[0]
        row = whole.loc[method]
        parts = rows[(rows["method"] == method) & (rows["category"] != "all")]
        by = ", ".join(f"{p.category} {points(p.difference)}" for p in parts.itertuples())
        others = "; ".join(
            f"{r.runs} logs of {name}: {points(r.difference)} [{points(r.low)}, {points(r.high)}]"
            for name, r in whole.drop(index=method).iterrows()
        )
        notes = [
            f"{row.runs} logs of {method} ({by}), {row.problems} problems: another candidate in {row.other_candidate} "
            f"and another verdict in {row.other_verdict} choices" + (f" ({row.which})" if row.which else ""),
            others,
            remarks.get(rule, ""),
        ]
        results.append(
            finding(
                3,
                "TroVE",
                switch.place,
                f"rule: {switch.name}",
                stated=switch.stated,
                computed=f"in the program {switch.program}; switched: {100 * row.before:.1f} → {100 * row.after:.1f} "
                f"%, {points(row.difference)} points [{points(row.low)}, {points(row.high)}], Holm p {row.p_holm:.3f}",
                holds=switch.agrees,
                importance=3 if row.p_holm < 0.05 else 2 if row.other_verdict else 1,
                note="; ".join(note for note in notes if note),
            )
        )
    return results


def trimming_finding(candidates: pd.DataFrame, *, every: int = 500) -> Finding:
    """Where the stated threshold ½·log10 n and the program's log_20 n remove different functions."""
    sizes = candidates.groupby("category", observed=True)["problem"].max() + 1
    lines, differ = [], []
    for category, n in sizes.items():
        for at in (*range(every, int(n) + 1, every), int(n)):
            paper, program = (math.ceil(x) for x in (0.5 * math.log10(at), math.log(at, 20)))
            lines.append(f"{category} n={at}: fewer than {paper} and {program}")
            differ += [category] * (paper != program)
    return finding(
        3,
        "TroVE",
        "§3.3",
        "rule: trimming threshold",
        stated="functions used fewer than ½·log10 n times are removed",
        computed=f"in the program log_20 n, each {every} examples and at the end. Uses needed by the two: "
        + "; ".join(lines),
        holds=not differ,
        importance=1,
        note=f"differs in {len(differ)} of {len(lines)} trims of these runs; recorded candidates cannot show what "
        "other tools would have led to",
    )


def _replaced(chosen: pd.DataFrame, again: pd.DataFrame) -> pd.DataFrame:
    """Choices of the stream, with those of problems solved again in their place."""
    table = pd.concat([chosen, again.assign(phase="retry")], ignore_index=True)
    return table.drop_duplicates(PROBLEM, keep="last").sort_values(PROBLEM, kind="stable", ignore_index=True)


def golds_of(problems: Sequence[Problem]) -> dict[tuple[str, int], float]:
    """Gold answers by category and index; none where some are texts: rules read numbers."""
    golds = {(p.category, p.index): p.gold for p in problems}
    return golds if all(isinstance(gold, int | float) for gold in golds.values()) else {}
