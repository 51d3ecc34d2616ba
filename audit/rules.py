"""What a paper says the program does, against what the program does: section 3 of the audit.

Each switch changes one rule of the official program to what the paper says (or to what a reader would expect), on
recorded candidates, and compares accuracy problem by problem. The official rules are those of `selection` and
`datasets.answers`; their alternatives, one difference each, those of `alternatives`.
"""

import math
from collections.abc import Mapping, Sequence

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
from trove_lite.selection import Rule, Vote, one_stage, one_stage_described, two_stage

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
from .finding import check, finding
from .printed import points

#: Rule → does the program do what the paper says? None where the paper does not say.
AGREES = {
    "stages": False,
    "ties": False,
    "votes": False,
    "all of selection": False,
    "vote key": None,
    "silence": None,
    "graded number": None,
    "number parsing": None,
    "first block": None,
    "regeneration": True,
    "regeneration grading": False,
}
SELECTION = {
    "stages": one_stage,
    "ties": in_two_stages(ties_to_simplest),
    "votes": in_two_stages(one_vote_a_program),
    "vote key": in_two_stages(rounded_votes),
    "silence": in_two_stages(silence_is_failure),
    "all of selection": one_stage_described,
}
COLUMNS = "rule method category before after difference low high p problems runs other_candidate other_verdict which"


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


def effect(rule: str, before: pd.DataFrame, after: pd.DataFrame) -> list[tuple]:
    """Compare two choices of one candidate each for the same problems and runs: COLUMNS by method and category, and in all.

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
    rows = []
    for method, mine in both.groupby("method", observed=True):
        found = variance_of(*(mine[keys].assign(score=mine[x]) for x in "ba"))
        for category in [*[c for c in CATEGORIES if c in found.labels], "all"]:
            part = mine if category == "all" else mine[mine["category"] == category]
            gap = difference_cells(problems_alone(found if category == "all" else found.of([category])))
            each = part.groupby(["category", "problem"], observed=True)[["a", "b"]].mean()
            turned = part[part["a"] != part["b"]]
            names = [f"{r.category} {r.problem}" for r in turned.drop_duplicates(["category", "problem"]).itertuples()]
            runs = part.groupby(["run", "category"], observed=True).ngroups
            which = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
            counts = (len(each), runs, int(part["other"].sum()), len(turned), which)
            cells = (gap[name] for name in ("difference", "low", "high", "p"))
            rows.append((rule, str(method), category, *each.mean(), *cells, *counts))
    return rows


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
        return pd.DataFrame(columns=[*COLUMNS.split(), "p_holm"]), {}
    official = choose_by(candidates, two_stage)
    effects, remarks = [], {}
    for name, rule in SELECTION.items():
        effects += effect(name, official, choose_by(candidates, rule))
    retry = candidates[candidates["phase"] == "retry"]
    if len(retry):
        again = choose_by(retry.assign(phase="stream"), two_stage)
        effects += effect("regeneration", official, _replaced(official, again))
        remarks["regeneration"] = f"{len(again)} problems were solved again, in all logs together"
        if golds:
            last = {c: golds[c, max(i for k, i in golds if k == c)] for c in retry["category"].astype(str).unique()}
            keys = again["category"].astype(str).map(last)
            right = [is_correct(None if pd.isna(a) else a, g) for a, g in zip(again["answer"], keys, strict=True)]
            misgraded = again.assign(correct=pd.array(right, dtype="boolean"))
            effects += effect("regeneration grading", _replaced(official, misgraded), _replaced(official, again))
    if golds:
        last = regraded(candidates, golds, lambda answers: answers[-1] if answers else None)
        effects += effect("graded number", official, choose_by(last, two_stage))
    if golds and "output" in candidates:
        again = reread(candidates, golds)
        pairs = zip(again["answers"], candidates["answers"], strict=True)
        other = sum([*new] != ([] if old is None else [*old]) for new, old in pairs)
        remarks["number parsing"] = f"{other} of {len(again)} programs read differently"
        effects += effect("number parsing", official, choose_by(again, two_stage))
    if golds and sandbox is not None and "solution" in candidates:
        whole, counts = with_every_block(candidates[candidates["phase"] == "stream"], golds, sandbox)
        effects += effect("first block", official, choose_by(whole, two_stage))
        remarks["first block"] = (
            f"{counts['several']} programs have several blocks; of the {counts['repeatable']} that end as recorded "
            f"when run again without the toolbox, {counts['changed']} end differently when run whole"
        )
    table = pd.DataFrame(effects, columns=COLUMNS.split())
    return table.assign(p_holm=holm(table["p"].astype(float))), remarks


def _replaced(chosen: pd.DataFrame, again: pd.DataFrame) -> pd.DataFrame:
    """Choices of the stream, with those of problems solved again in their place."""
    table = pd.concat([chosen, again.assign(phase="retry")], ignore_index=True)
    return table.drop_duplicates(PROBLEM, keep="last").sort_values(PROBLEM, kind="stable", ignore_index=True)


@check
def switched_rules(effects: pd.DataFrame, remarks: Mapping[str, str]):
    """One finding a switched rule: what it does to TROVE's own logs, and beside it to those of other methods."""
    for rule, rows in effects.groupby("rule", sort=False):
        whole = rows[rows["category"] == "all"].set_index("method")
        method = "trove" if "trove" in whole.index else whole.index[0]
        row = whole.loc[method]
        parts = rows[(rows["method"] == method) & (rows["category"] != "all")]
        by = ", ".join(f"{p.category} {points(p.difference)}" for p in parts.itertuples())
        own = (
            f"{row.runs} logs of {method} ({by}), {row.problems} problems: another candidate in {row.other_candidate} "
            f"and another verdict in {row.other_verdict} choices" + (f" ({row.which})" if row.which else "")
        )
        others = [
            f"{r.runs} logs of {name}: {points(r.difference)} [{points(r.low)}, {points(r.high)}]"
            for name, r in whole.drop(index=method).iterrows()
        ]
        notes = [own, *others, *filter(None, [remarks.get(rule)])]
        importance = 3 if row.p_holm < 0.05 else 2 if row.other_verdict else 1
        yield finding(f"rule: {rule}", AGREES[rule], row.to_dict() | {"notes": notes, "importance": importance})


@check
def trimming_threshold(stream: pd.DataFrame):
    """Where the stated threshold ½·log10 n and the program's log_20 n remove different functions."""
    sizes = stream.groupby("category", observed=True)["problem"].max() + 1
    uses, differ = [], 0
    for category, n in sizes.items():
        for at in (*range(500, int(n) + 1, 500), int(n)):
            paper, program = (math.ceil(x) for x in (0.5 * math.log10(at), math.log(at, 20)))
            uses.append(f"{category} n={at}: fewer than {paper} and {program}")
            differ += paper != program
    return not differ, {"uses": uses, "differ": differ}


def golds_of(problems: Sequence[Problem]) -> dict[tuple[str, int], float]:
    """Gold answers by category and index; none where some are texts: rules read numbers."""
    golds = {(p.category, p.index): p.gold for p in problems}
    return golds if all(isinstance(gold, int | float) for gold in golds.values()) else {}
