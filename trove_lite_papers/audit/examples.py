"""Worked examples in prompts: which are test problems, and do they print their answers? Section 4 of the audit.

`examples` is the table of the official pack's, `own` that of ours. Programs run in a sandbox that is given, never here.
"""

from collections.abc import Sequence

import pandas as pd

from trove_lite.datasets.base import Problem, Question
from trove_lite.datasets.math import CATEGORIES
from trove_lite.judge.answers import graded, is_correct, read_numbers
from trove_lite.selection.tables import choose
from trove_lite_analysis.sides import Comparison
from trove_lite_papers.reeval import TROVE, covered
from trove_lite_papers.trove import OPEN, Demonstration, normalised

from .printed import claimed, points

EXAMPLES = [
    "category",
    "mode",
    "example",
    "solved",
    "data_category",
    "problem",
    "level",
    "gold",
    "question",
]
METHODS = {
    "TROVE": ("import", "create", "skip"),
    "PRIMITIVE": ("primitive",),
    "INSTANCE": ("instance",),
}


def leaks(demos: Sequence[Demonstration], problems: Sequence[Problem]) -> pd.DataFrame:
    """Worked examples that are test problems: a row for each example, `problem` null where it is none."""
    known = {}
    rows = []
    none = (None,) * 4
    for problem in problems:
        known.setdefault(normalised(problem.question.text), []).append(problem)
    for demo in demos:
        options = known.get(normalised(demo.question), [])
        same = max(options, key=lambda p: p.category == demo.category, default=None)
        about = (same.category, same.index, same.level, same.gold) if same else none
        rows.append(
            (demo.category, demo.mode, demo.index, bool(demo.solution), *about, demo.question[:90])
        )
    return pd.DataFrame(rows, columns=EXAMPLES).astype({"problem": "Int64", "gold": "Float64"})


def run_examples(
    demos: Sequence[Demonstration], table: pd.DataFrame, sandbox: object
) -> pd.DataFrame:
    """The table of `leaks` with how each worked example's own program ends, and whether it prints the gold answer."""
    programs = [demo.program for demo in demos]
    ends = iter(sandbox.run_many([*filter(None, programs)], progress=False))
    rows = []
    for program, gold in zip(programs, table["gold"], strict=True):
        if program:
            found = next(ends)
            answer = graded(read_numbers(found.output)) if found.status == "ok" else None
            right = None if pd.isna(gold) else is_correct(answer, float(gold))
            rows.append((found.status, (found.output.strip() or found.error)[:80], right))
        else:
            rows.append(("no_code", "", None))
    columns = pd.DataFrame(rows, columns=["status", "output", "right"], index=table.index)
    return table.join(columns.astype({"right": "boolean"}))


def leaked(table: pd.DataFrame, modes: Sequence[str]) -> pd.DataFrame:
    """The test problems of their own category that are examples in prompts of these modes."""
    rows = table[
        table["mode"].isin(modes) & (table["category"] == table["data_category"]).fillna(False)
    ]
    return rows.drop_duplicates(["category", "problem"])


def examples_are_no_test_problems(examples: pd.DataFrame, problems: Sequence[Problem]):
    sizes = pd.Series([p.category for p in problems]).value_counts()
    for method in METHODS:
        found = leaked(examples, METHODS[method])
        where = {c: sorted(found.loc[found["category"] == c, "problem"]) for c in CATEGORIES}
        by = [f"{c} {' '.join(map(str, which))}" for c, which in where.items() if which]
        shares = (found["category"].value_counts() / sizes).dropna()
        share = len(found) / len(problems)
        most = f", {points(shares.max(), 2)} in {shares.idxmax()}" if by else ""
        yield found.empty, locals()


def examples_run(examples: pd.DataFrame):
    if "status" in examples:
        bad = examples[examples["status"] != "ok"]
        ran = examples[examples["status"] == "ok"]
        other = ran[~ran["right"].fillna(True).astype(bool)]
        wrong = [
            f"{r.category}/{r.mode} {r.example}: {r.output or 'no solution'}"
            for r in bad.itertuples()
        ]
        wrong += [
            f"{r.category}/{r.mode} {r.example} prints {r.output}, gold {r.gold:g}"
            for r in other.itertuples()
        ]
        prompts = examples.groupby(["category", "mode"]).groups
        solved = examples["solved"].sum()
        known = examples["right"].count()
        yield not wrong, locals()


def examples_in_a_prompt(examples: pd.DataFrame):
    stated = int(claimed("trove", "c demonstrations in prompts"))
    counts = examples.groupby(["mode", "category"], sort=False)["solved"].sum()
    ends = counts.groupby("mode", sort=False).agg(["min", "max"])
    spans = [
        f"{mode} {low}" + (f" to {high}" if bool(low != high) else "")
        for mode, low, high in ends.itertuples()
    ]
    equal = counts[counts == stated]
    return len(equal) == len(counts), locals()


def same_examples(examples: pd.DataFrame):
    shown = examples.groupby(["mode", "category"])["question"].apply(tuple)
    other = [c for c in CATEGORIES if shown.get(("primitive", c)) != shown.get(("skip", c))]
    differ = (
        f"the examples differ in {', '.join(other)}"
        if other
        else "the same examples in all categories"
    )
    return not other, locals()


def same_prompts(pack: object):
    questions = [Question("", c, 0, OPEN) for c in CATEGORIES]
    same = [q for q in questions if pack.render(q, "primitive") == pack.render(q, "skip")]
    return same == questions, locals()


def own_examples(own: pd.DataFrame):
    found = own["problem"].dropna()
    bad = own[own["status"] != "ok"] if "status" in own else own[:0]
    not_run = f"; {len(bad)} do not run" if "status" in own else ""
    return found.empty and bad.empty, locals()


def accuracy_without_leaks(examples: pd.DataFrame, sides: Comparison):
    chosen = choose(sides[TROVE], "two_stage").astype({"category": str, "problem": int})
    chosen = chosen.assign(score=chosen["correct"].fillna(False).astype(float))
    keys = leaked(examples, METHODS["TROVE"])[["category", "problem"]].astype({"problem": int})
    inside = pd.MultiIndex.from_frame(chosen[["category", "problem"]]).isin(
        pd.MultiIndex.from_frame(keys)
    )
    every = chosen["score"].mean()
    without = chosen["score"][~inside].mean()
    solved = chosen[inside].groupby(["category", "problem"])["score"].mean()
    answers = chosen[inside]
    share = solved.mean()
    categories = covered(sides)
    each = [f"{c} {p} {v:.2f}" for (c, p), v in solved.items()]
    return abs(every - without) < 0.01, locals()
