"""Worked examples in prompts: which are test problems, and do they print their answers? Section 4 of the audit.

Programs run in a sandbox that is given, never here.
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

from .finding import Finding, Look, as_printed, claim, finding, points

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
            rows.append({"status": "no_code", "output": "", "right": None})
            continue
        found = next(results)
        answer = graded(read_numbers(found.output)) if found.status == "ok" else None
        rows.append(
            {
                "status": found.status,
                "output": (found.output.strip() or found.error)[:80],
                "right": None if pd.isna(gold) else is_correct(answer, float(gold)),
            }
        )
    return table.assign(**pd.DataFrame(rows, index=table.index).astype({"right": "boolean"}))


def leaked(table: pd.DataFrame, modes: Sequence[str]) -> pd.DataFrame:
    """The test problems of their own category that are examples in prompts of these modes."""
    rows = table[table["mode"].isin(modes) & (table["category"] == table["data_category"]).fillna(False)]
    return rows.drop_duplicates(["category", "problem"])


def prompt_findings(
    table: pd.DataFrame,
    *,
    problems: Sequence[Problem],
    own: pd.DataFrame,
    sides: Comparison | None = None,
    look: Look | None = None,
) -> list[Finding]:
    """What the tables of worked examples amount to; `table` is the official pack's, `own` that of ours."""
    look = look or as_printed()
    return [
        *_leak_findings(table, problems),
        *_broken(table),
        _number_of_examples(table, look),
        _prompts_differ(table),
        _own_findings(own),
        *([_without_leaks(table, sides)] if sides is not None else []),
    ]


def _leak_findings(table: pd.DataFrame, problems: Sequence[Problem]) -> list[Finding]:
    sizes, results = pd.Series([p.category for p in problems]).value_counts(), []
    for method, modes in METHODS.items():
        found = leaked(table, modes)
        by = found.groupby("category")["problem"].apply(lambda x: " ".join(map(str, sorted(x)))).reindex(CATEGORIES)
        most = (found["category"].value_counts() / sizes).dropna()
        results.append(
            finding(
                4,
                "TroVE",
                "§5.1 and released prompts",
                f"examples in the prompts of {method} are not test problems",
                stated="results are on test examples",
                computed=f"{len(found)} of {len(problems)} test problems are worked examples: "
                + ("; ".join(f"{c} {v}" for c, v in by.dropna().items()) or "none"),
                holds=found.empty,
                importance=2,
                note=f"at most {points(len(found) / len(problems), 2)} points over all problems"
                + (f", {points(most.max(), 2)} in {most.idxmax()}" if len(most) else ""),
            )
        )
    return results


def _broken(table: pd.DataFrame) -> list[Finding]:
    if "status" not in table:
        return []
    bad = table[~table["status"].isin(["ok"])]
    wrong = table[(table["status"] == "ok") & ~table["right"].fillna(True).astype(bool)]
    return [
        finding(
            4,
            "TroVE",
            "released prompts",
            "the programs of worked examples run and print the right answer",
            stated=f"{table['solved'].sum()} worked solutions in {table.groupby(['category', 'mode']).ngroups} prompts",
            computed="; ".join(
                [f"{r.category}/{r.mode} {r.example}: {r.output or 'no solution'}" for r in bad.itertuples()]
                + [f"{r.category}/{r.mode} {r.example} prints {r.output}, gold {r.gold:g}" for r in wrong.itertuples()]
            )
            or "all do",
            holds=bad.empty and wrong.empty,
            importance=2,
            note=f"{table['right'].notna().sum()} of the examples have a known gold answer",
        )
    ]


def _number_of_examples(table: pd.DataFrame, look: Look) -> Finding:
    stated = int(float(claim(look, "trove", "c demonstrations in prompts")))
    count = (
        table[table["solved"]]
        .groupby(["mode", "category"])
        .size()
        .unstack(fill_value=0)
        .reindex(table["mode"].unique())
    )
    spans = {
        m: f"{row.min()}" if row.min() == row.max() else f"{row.min()} to {row.max()}" for m, row in count.iterrows()
    }
    equal = (count == stated).to_numpy()
    return finding(
        4,
        "TroVE",
        "§5.1 and released prompts",
        "number of worked examples in a prompt",
        stated=f"c = {stated}",
        computed=", ".join(f"{mode} {span}" for mode, span in spans.items()),
        holds=bool(equal.all()),
        importance=1,
        note=f"{equal.sum()} of {equal.size} MATH prompts have {stated}",
    )


def _prompts_differ(table: pd.DataFrame) -> Finding:
    """Do PRIMITIVE and SKIP show the same examples, as "the same prompt" would?"""
    shown = {m: table[table["mode"] == m].groupby("category")["question"].apply(tuple) for m in ("primitive", "skip")}
    differ = [c for c in CATEGORIES if shown["primitive"].get(c) != shown["skip"].get(c)]
    return finding(
        4,
        "re-evaluation",
        "§4.2.1 and B.3",
        "PRIMITIVE and SKIP show a model the same worked examples",
        stated="both use the same prompt",
        computed=f"the examples differ in {', '.join(differ)}" if differ else "the same examples in all categories",
        holds=not differ,
        importance=2,
        note="in the released prompts for MATH",
    )


def prompts_equal(pack: object) -> Finding:
    """Are the rendered PRIMITIVE and SKIP prompts the same text?"""
    same = [
        c
        for c in CATEGORIES
        if len({pack.render(Question("", c, 0, OPEN), mode) for mode in ("primitive", "skip")}) == 1
    ]
    return finding(
        4,
        "re-evaluation",
        "§4.2.1 and B.3",
        "PRIMITIVE and SKIP prompts are the same text",
        stated="both use the same prompt",
        computed=f"the same in {len(same)} of {len(CATEGORIES)} categories",
        holds=len(same) == len(CATEGORIES),
        importance=3,
        note="for the released MATH prompts, rendered as the program renders them",
    )


def _own_findings(own: pd.DataFrame) -> Finding:
    found = own[own["problem"].notna()]
    bad = own[own["status"] != "ok"] if "status" in own else own[:0]
    return finding(
        4,
        "trove_lite",
        "our prompts",
        "worked examples of our own pack are no test problems, and run",
        stated="none is",
        computed=f"{len(found)} of {len(own)} examples are" + (f"; {len(bad)} do not run" if "status" in own else ""),
        holds=found.empty and bad.empty,
        importance=2,
    )


def _without_leaks(table: pd.DataFrame, sides: Comparison) -> Finding:
    """Accuracy of recorded TROVE runs with and without the problems that their prompts give away."""
    keys = leaked(table, METHODS["TROVE"])[["category", "problem"]]
    keys = set(zip(keys["category"], keys["problem"].astype(int), strict=True))
    chosen = choose(sides[TROVE], "two_stage")
    chosen = chosen.assign(score=chosen["correct"].fillna(False).astype(float))
    inside = (
        pd.Series(zip(chosen["category"].astype(str), chosen["problem"].astype(int), strict=True)).isin(keys).to_numpy()
    )
    with_all, without = chosen["score"].mean(), chosen["score"][~inside].mean()
    each = chosen[inside].groupby(["category", "problem"], observed=True)["score"].mean()
    return finding(
        4,
        "public runs",
        "recorded TROVE runs",
        "accuracy without the problems that prompts give away",
        stated=f"{100 * with_all:.2f} % over all problems ({', '.join(covered(sides))})",
        computed=f"{100 * without:.2f} % without {inside.sum()} answers to {len(each)} leaked problems",
        holds=abs(with_all - without) < 0.01,
        importance=2,
        note=f"leaked problems are solved in {100 * each.mean():.0f} % of cases: "
        + ", ".join(f"{c} {p} {v:.2f}" for (c, p), v in each.items()),
    )
