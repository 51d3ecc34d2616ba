"""What a paper says the program does, against what the program does: section 3 of the audit.

Each switch changes one rule of the official program to what the paper says (or to what a reader would expect), on
recorded candidates, and compares accuracy problem by problem. Programs run in a sandbox that is given, or not at all.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd

from trove_lite import selection
from trove_lite.candidates import all_candidates
from trove_lite.datasets.base import Problem
from trove_lite.datasets.math import CATEGORIES
from trove_lite.judge.answers import graded, is_correct, read_numbers
from trove_lite.programs import operations, program_of, recorded_sources
from trove_lite.selection import Rule, Vote, one_stage, two_stage
from trove_lite.selection.tables import PROBLEM, in_order
from trove_lite_analysis.differences import difference_cells
from trove_lite_analysis.scores import variance_of
from trove_lite_analysis.statistics import holm
from trove_lite_analysis.variance import problems_alone
from trove_lite_analysis.worked import votes_of

from .finding import finding
from .printed import points

Golds = Mapping[tuple[str, int], float]

#: Rule → does the program do what the paper says? None where the paper does not say.
AGREES = dict.fromkeys(
    ("stages", "ties", "votes", "all of selection", "regeneration grading"), False
)
AGREES |= dict.fromkeys(("vote key", "silence", "graded number", "number parsing", "first block"))
AGREES["regeneration"] = True
COLUMNS = "rule method category before after difference low high p problems runs other_candidate other_verdict which"
BLOCK = re.compile(r"```python[ \t]*\n(.*?)(?:```|\Z)", re.DOTALL)


def agreement(
    votes: Sequence[Vote],
    reading: Callable[[Vote], Sequence[str]] = lambda vote: vote.answers,
    simplest: bool = False,
) -> int:
    """The official one-stage agreement, but for what a program votes with (`reading`), or, where `simplest`, with the
    program with fewest operations of all that support a tied answer, not the answer met first."""
    cast = [list(reading(vote)) if vote.ok else [] for vote in votes]
    count = Counter(answer for answers in cast for answer in answers)
    if not count:
        return selection.first_successful(votes)
    top = max(count.values())
    leading = [answer for answer, n in count.items() if n == top]
    winners = set(leading if simplest else leading[:1])
    return selection.fewest_operations(
        votes, [i for i, answers in enumerate(cast) if winners.intersection(answers)]
    )


#: Official one-stage agreement, with one difference each.
ONE_STAGE: dict[str, Rule] = {
    "ties": lambda votes: agreement(votes, simplest=True),
    "votes": lambda votes: agreement(votes, lambda vote: vote.answers[:1]),
    "vote key": lambda votes: agreement(
        votes, lambda vote: list(map(selection.round_answer, vote.answers))
    ),
    "silence": lambda votes: one_stage([b._replace(ok=b.ok and len(b.answers) > 0) for b in votes]),
}


#: As the official program applies its own: within each mode, then among the modes' winners.
SELECTION = {"stages": one_stage}
SELECTION |= {name: partial(selection.by_mode_first, rule=rule) for name, rule in ONE_STAGE.items()}
SELECTION["all of selection"] = selection.one_stage_described


def choose_by(candidates: pd.DataFrame, rule: Rule) -> pd.DataFrame:
    """The candidate that any `Rule` selects for each problem and run: `analysis.choose` for the rules it lacks."""
    frame = in_order(candidates)
    votes = votes_of(frame)
    starts = np.flatnonzero(~frame.duplicated(PROBLEM).to_numpy()).tolist()
    rows = [start + rule(votes[start:end]) for start, end in pairwise([*starts, len(frame)])]
    return frame.iloc[rows].reset_index(drop=True)


WHOLE = r"(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)"
EXPONENT = r"(?:[eE][-+]?\d+)?"
BOTTOM = r"(?:\s*/\s*[1-9]\d*(?![\d.,]))?"
LITERAL = re.compile(rf"(?:(?<![\w)\]])-)?{WHOLE}(?:\.\d*)?{EXPONENT}{BOTTOM}")


def read_literals(output: str) -> list[str]:
    """Every number in a program's output, with exponents, fractions and thousands commas read as such.

    A minus right after a letter, digit or bracket is a subtraction. The official reading is `read_numbers`.
    """
    values = []
    for text in LITERAL.findall(output):
        top, _, bottom = text.replace(",", "").partition("/")
        value = float(top)
        if bottom and math.isfinite(value):
            value = float(Fraction(value) / int(bottom))
        values.append(selection.number_text(value))
    return values


def regraded(
    candidates: pd.DataFrame, golds: Golds, pick: Callable[[list[str]], str | None]
) -> pd.DataFrame:
    """Candidates graded anew, by the one of their answers that is picked; shortened records stay as they are."""
    keys = zip(candidates["category"].astype(str), candidates["problem"].astype(int), strict=True)
    rows = zip(
        keys,
        candidates["answers"],
        candidates["shortened"].fillna(False),
        candidates["correct"],
        strict=True,
    )
    picked = ((k, pick([] if a is None else [*a]), short, old) for k, a, short, old in rows)
    correct = [old if short else is_correct(answer, golds[k]) for k, answer, short, old in picked]
    return candidates.assign(correct=pd.array(correct, dtype="boolean"))


def reread(candidates: pd.DataFrame, golds: Golds) -> pd.DataFrame:
    known = candidates["shortened"].fillna(False)
    ok = candidates["status"] == "ok"
    rows = zip(candidates["output"], candidates["answers"], known, ok, strict=True)
    answers = [
        list(a) if short else read_literals(text) if ran else [] for text, a, short, ran in rows
    ]
    return regraded(
        candidates.assign(answers=pd.Series(answers, index=candidates.index)), golds, graded
    )


def with_every_block(
    candidates: pd.DataFrame, golds: Golds, sandbox: object
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Candidates whose solution has several code blocks, run whole instead of the first block alone; and how many.

    Its toolbox was not recorded, so a program counts only if its first block, run again without one, ends as recorded.
    """
    blocks = candidates["solution"].map(BLOCK.findall)
    several = candidates[blocks.map(len) > 1]
    tools = several["tools"].map(recorded_sources)
    whole = several.index.map(lambda i: "```python\n" + "\n".join(blocks[i]) + "\n```")
    programs = [
        program_of(s, t)
        for part in (several["solution"], whole)
        for s, t in zip(part, tools, strict=True)
    ]
    ran = sandbox.run_many(programs, progress=False)
    ends = [(run.status, read_numbers(run.output) if run.status == "ok" else []) for run in ran]
    table = candidates.astype(dict.fromkeys(("status", "answers", "answer"), object))
    counts = {"several": len(several), "repeatable": 0, "changed": 0}
    pairs = zip(ends[: len(several)], ends[len(several) :], strict=True)
    for row, ((first, read), (status, answers)) in zip(several.itertuples(), pairs, strict=True):
        if ((first == "ok"), read) != (
            row.status == "ok",
            [] if row.answers is None else list(row.answers),
        ):
            continue
        counts["repeatable"] += 1
        counts["changed"] += answers != read or (status == "ok") != (first == "ok")
        new = {"status": status, "answers": answers, "answer": graded(answers)}
        new["correct"] = is_correct(new["answer"], golds[str(row.category), int(row.problem)])
        new["operations"] = operations("\n".join(blocks[row.Index])) if answers else pd.NA
        for name, value in new.items():
            table.at[row.Index, name] = value  # noqa: PD008, a list in a cell
    return table, counts


def effect(rule: str, before: pd.DataFrame, after: pd.DataFrame) -> list[tuple]:
    """Compare two choices of one candidate each for the same problems and runs: COLUMNS, by method and category.

    Interval and t test are over problems alone, these runs as they are. `other_verdict` counts the choices, of one
    problem in one run, that turn from right to wrong or back; `which` names some.
    """
    keys = ["method", "run", "category", "problem"]
    fields = [*keys, "mode", "sample", "correct"]
    both = before[fields].merge(
        after[fields], on=keys, suffixes=("_a", "_b"), validate="one_to_one"
    )
    a, b = (both[f"correct_{x}"].fillna(False).astype(float) for x in "ab")
    other = (both["mode_a"].astype(str) != both["mode_b"].astype(str)) | (
        both["sample_a"] != both["sample_b"]
    )
    both = both.assign(a=a, b=b, other=other)
    rows = []
    for method, mine in both.groupby("method", observed=True):
        found = variance_of(*(mine[keys].assign(score=mine[x]) for x in "ba"))
        for category in [*[c for c in CATEGORIES if c in found.labels], "all"]:
            part = mine if category == "all" else mine[mine["category"] == category]
            gap = difference_cells(
                problems_alone(found if category == "all" else found.of([category]))
            )
            each = part.groupby(["category", "problem"], observed=True)[["a", "b"]].mean()
            turned = part[part["a"] != part["b"]]
            names = [
                f"{r.category} {r.problem}"
                for r in turned.drop_duplicates(["category", "problem"]).itertuples()
            ]
            runs = part.groupby(["run", "category"], observed=True).ngroups
            which = ", ".join(names[:6]) + (" …" if len(names) > 6 else "")
            counts = (len(each), runs, int(part["other"].sum()), len(turned), which)
            cells = (gap[name] for name in ("difference", "low", "high", "p"))
            rows.append((rule, str(method), category, *each.mean(), *cells, *counts))
    return rows


def rule_effects(
    candidates: pd.DataFrame, golds: Golds | None = None, sandbox: object = None
) -> tuple:
    """Every switch that these candidates allow, one row a rule, method and category; and a remark on some of them.

    Of methods with several modes: others have nothing to select in two stages. Golds are needed to grade anew, texts to
    read outputs again, a sandbox to run the code that was left out. `p_holm` is corrected over all rows.
    """
    modes = candidates.groupby("method", observed=True)["mode"].nunique()
    candidates = candidates[candidates["method"].isin(modes.index[modes > 1])]
    if candidates.empty:
        return pd.DataFrame(columns=[*COLUMNS.split(), "p_holm"]), {}
    official = choose_by(candidates, two_stage)
    effects = []
    remarks = {}
    for name, rule in SELECTION.items():
        effects += effect(name, official, choose_by(candidates, rule))
    retry = candidates[candidates["phase"] == "retry"]
    if len(retry):
        again = choose_by(retry.assign(phase="stream"), two_stage)
        effects += effect("regeneration", official, _replaced(official, again))
        remarks["regeneration"] = f"{len(again)} problems were solved again, in all logs together"
        if golds:
            last = {
                c: golds[c, max(i for k, i in golds if k == c)]
                for c in retry["category"].astype(str).unique()
            }
            keys = again["category"].astype(str).map(last)
            right = [
                is_correct(None if pd.isna(a) else a, g)
                for a, g in zip(again["answer"], keys, strict=True)
            ]
            misgraded = again.assign(correct=pd.array(right, dtype="boolean"))
            effects += effect(
                "regeneration grading", _replaced(official, misgraded), _replaced(official, again)
            )
    if golds:
        last = regraded(candidates, golds, lambda answers: answers[-1] if answers else None)
        effects += effect("graded number", official, choose_by(last, two_stage))
    if golds and "output" in candidates:
        again = reread(candidates, golds)
        pairs = zip(again["answers"], candidates["answers"], strict=True)
        other = sum([*new] != [*(() if old is None else old)] for new, old in pairs)
        remarks["number parsing"] = f"{other} of {len(again)} programs read differently"
        effects += effect("number parsing", official, choose_by(again, two_stage))
    if golds and sandbox is not None and "solution" in candidates:
        whole, counts = with_every_block(
            candidates[candidates["phase"] == "stream"], golds, sandbox
        )
        effects += effect("first block", official, choose_by(whole, two_stage))
        blocks = "{several} programs have several blocks; of the {repeatable} that end as recorded when run again "
        blocks += "without the toolbox, {changed} end differently when run whole"
        remarks["first block"] = blocks.format(**counts)
    table = pd.DataFrame(effects, columns=COLUMNS.split())
    return table.assign(p_holm=holm(table["p"].astype(float))), remarks


def _replaced(chosen: pd.DataFrame, again: pd.DataFrame) -> pd.DataFrame:
    table = pd.concat([chosen, again.assign(phase="retry")], ignore_index=True)
    return table.drop_duplicates(PROBLEM, keep="last").sort_values(
        PROBLEM, kind="stable", ignore_index=True
    )


def switched_rules(effects: pd.DataFrame, remarks: Mapping[str, str]):
    """One finding a switched rule: what it does to TROVE's own logs, and beside it to those of other methods."""
    for rule, rows in effects.groupby("rule", sort=False):
        whole = rows[rows["category"] == "all"].set_index("method")
        method = "trove" if "trove" in whole.index else whole.index[0]
        row = whole.loc[method]
        parts = rows[(rows["method"] == method) & (rows["category"] != "all")]
        by = ", ".join(f"{p.category} {points(p.difference)}" for p in parts.itertuples())
        turned = f"another candidate in {row.other_candidate} and another verdict in {row.other_verdict} choices"
        which = f" ({row.which})" if row.which else ""
        own = f"{row.runs} logs of {method} ({by}), {row.problems} problems: {turned}{which}"
        rest = whole.drop(index=method).iterrows()
        ends = "{} logs of {}: {} [{}, {}]".format
        others = [
            ends(r.runs, name, *map(points, (r.difference, r.low, r.high))) for name, r in rest
        ]
        notes = [own, *others, *filter(None, [remarks.get(rule)])]
        importance = 3 if row.p_holm < 0.05 else 2 if row.other_verdict else 1
        yield finding(
            f"rule: {rule}",
            AGREES[rule],
            row.to_dict() | {"notes": notes, "importance": importance},
        )


def trimming_threshold(runs: pd.DataFrame):
    sizes = all_candidates(runs).groupby("category", observed=True)["problem"].max() + 1
    uses = []
    differ = 0
    for category, n in sizes.items():
        for at in (*range(500, int(n) + 1, 500), int(n)):
            paper, program = (math.ceil(x) for x in (0.5 * math.log10(at), math.log(at, 20)))
            uses.append(f"{category} n={at}: fewer than {paper} and {program}")
            differ += paper != program
    return not differ, locals()


def golds_of(problems: Sequence[Problem]) -> dict[tuple[str, int], float]:
    """Gold answers by category and index; none where some are texts: rules read numbers."""
    golds = {(p.category, p.index): p.gold for p in problems}
    return golds if all(isinstance(gold, int | float) for gold in golds.values()) else {}
