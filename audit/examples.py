"""Worked examples in prompts: which are test problems, and do they print their answers? Section 4 of the audit.

`examples` is the table of the official pack's, `own` that of ours. Programs run in a sandbox that is given, never here.
"""

from collections.abc import Sequence

import pandas as pd

from papers.reeval import TROVE, covered
from papers.trove import OPEN, Demonstration, normalised
from trove_lite.analysis.choose import choose
from trove_lite.analysis.sides import Comparison
from trove_lite.datasets.answers import graded, is_correct, read_numbers
from trove_lite.datasets.base import Problem, Question
from trove_lite.datasets.math import CATEGORIES

from .finding import check
from .printed import Look, claim, points

METHODS = {"TROVE": ("import", "create", "skip"), "PRIMITIVE": ("primitive",), "INSTANCE": ("instance",)}


def leaks(demos: Sequence[Demonstration], problems: Sequence[Problem]) -> pd.DataFrame:
    """Worked examples that are test problems: a row for each example, `problem` null where it is none."""
    known = {}
    for problem in problems:
        known.setdefault(normalised(problem.question.text), []).append(problem)
    rows = []
    for demo in demos:
        options = known.get(normalised(demo.question), [])
        same = max(options, key=lambda p: p.category == demo.category, default=None)
        rows.append(
            {
                "category": demo.category,
                "mode": demo.mode,
                "example": demo.index,
                "solved": bool(demo.solution),
                "data_category": same.category if same else None,
                "problem": same.index if same else None,
                "level": same.level if same else None,
                "gold": same.gold if same else None,
                "question": demo.question[:90],
            }
        )
    return pd.DataFrame(rows).astype({"problem": "Int64", "gold": "Float64"})


def run_examples(demos: Sequence[Demonstration], table: pd.DataFrame, sandbox: object) -> pd.DataFrame:
    """The table of `leaks` with how each worked example's own program ends, and whether it prints the gold answer."""
    results = iter(sandbox.run_many([demo.program for demo in demos if demo.program], progress=False))
    rows = []
    for demo, gold in zip(demos, table["gold"], strict=True):
        if not demo.program:
            rows.append(("no_code", "", None))
            continue
        found = next(results)
        answer = graded(read_numbers(found.output)) if found.status == "ok" else None
        right = None if pd.isna(gold) else is_correct(answer, float(gold))
        rows.append((found.status, (found.output.strip() or found.error)[:80], right))
    ends = pd.DataFrame(rows, columns=["status", "output", "right"], index=table.index)
    return table.join(ends.astype({"right": "boolean"}))


def leaked(table: pd.DataFrame, modes: Sequence[str]) -> pd.DataFrame:
    """The test problems of their own category that are examples in prompts of these modes."""
    rows = table[table["mode"].isin(modes) & (table["category"] == table["data_category"]).fillna(False)]
    return rows.drop_duplicates(["category", "problem"])


@check
def examples_are_no_test_problems(examples: pd.DataFrame, problems: Sequence[Problem]):
    sizes = pd.Series([p.category for p in problems]).value_counts()
    for method, modes in METHODS.items():
        found = leaked(examples, modes)
        by = {c: sorted(found.loc[found["category"] == c, "problem"]) for c in CATEGORIES}
        most = (found["category"].value_counts() / sizes).dropna()
        yield (
            found.empty,
            {
                "method": method,
                "found": len(found),
                "problems": len(problems),
                "by": [f"{c} {' '.join(map(str, which))}" for c, which in by.items() if which],
                "share": len(found) / len(problems),
                "most": f", {points(most.max(), 2)} in {most.idxmax()}" if len(most) else "",
            },
        )


@check
def examples_run(examples: pd.DataFrame):
    if "status" in examples:
        bad = examples[examples["status"] != "ok"]
        wrong = examples[(examples["status"] == "ok") & ~examples["right"].fillna(True).astype(bool)]
        words = [f"{r.category}/{r.mode} {r.example}: {r.output or 'no solution'}" for r in bad.itertuples()]
        words += [f"{r.category}/{r.mode} {r.example} prints {r.output}, gold {r.gold:g}" for r in wrong.itertuples()]
        prompts = examples.groupby(["category", "mode"]).ngroups
        fields = {"solved": examples["solved"].sum(), "prompts": prompts, "known": examples["right"].notna().sum()}
        yield not words, fields | {"wrong": words}


@check
def examples_in_a_prompt(examples: pd.DataFrame, look: Look):
    stated = int(float(claim(look, "trove", "c demonstrations in prompts")))
    counts = (
        pd.crosstab(examples["mode"], examples["category"], examples["solved"], aggfunc="sum").fillna(0).astype(int)
    )
    counts = counts.loc[examples["mode"].unique()]
    low, high = counts.min(axis=1), counts.max(axis=1)
    spans = [f"{m} {low[m]}" + f" to {high[m]}" * bool(low[m] != high[m]) for m in counts.index]
    equal = (counts == stated).to_numpy()
    return bool(equal.all()), {"stated": stated, "spans": spans, "equal": equal.sum(), "prompts": equal.size}


@check
def same_examples(examples: pd.DataFrame):
    """Do PRIMITIVE and SKIP show the same examples, as "the same prompt" would?"""
    shown = examples.groupby(["mode", "category"])["question"].apply(tuple)
    differ = [c for c in CATEGORIES if shown.get(("primitive", c)) != shown.get(("skip", c))]
    words = f"the examples differ in {', '.join(differ)}" if differ else "the same examples in all categories"
    return not differ, {"differ": words}


@check
def same_prompts(pack: object):
    """Are the rendered PRIMITIVE and SKIP prompts the same text?"""
    questions = [Question("", c, 0, OPEN) for c in CATEGORIES]
    same = sum(pack.render(question, "primitive") == pack.render(question, "skip") for question in questions)
    return same == len(CATEGORIES), {"same": same}


@check
def own_examples(own: pd.DataFrame):
    found, ran = own["problem"].notna().sum(), "status" in own
    bad = (own["status"] != "ok").sum() if ran else 0
    return not found and not bad, {"found": found, "examples": len(own), "bad": f"; {bad} do not run" if ran else ""}


@check
def accuracy_without_leaks(examples: pd.DataFrame, sides: Comparison):
    """Accuracy of recorded TROVE runs with and without the problems that their prompts give away."""
    if sides[TROVE].empty:
        return
    chosen = choose(sides[TROVE], "two_stage").astype({"category": str, "problem": int})
    chosen = chosen.assign(score=chosen["correct"].fillna(False).astype(float))
    keys = leaked(examples, METHODS["TROVE"])[["category", "problem"]].astype({"problem": int})
    inside = pd.MultiIndex.from_frame(chosen[["category", "problem"]]).isin(pd.MultiIndex.from_frame(keys))
    every, without = chosen["score"].mean(), chosen["score"][~inside].mean()
    each = chosen[inside].groupby(["category", "problem"])["score"].mean()
    yield (
        abs(every - without) < 0.01,
        {
            "all": every,
            "covered": ", ".join(covered(sides)),
            "without": without,
            "answers": inside.sum(),
            "leaked": len(each),
            "solved": each.mean(),
            "each": [f"{c} {p} {v:.2f}" for (c, p), v in each.items()],
        },
    )
