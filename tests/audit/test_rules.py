"""Rules switched one by one, and worked examples that are test problems."""

import numpy as np
import pandas as pd
import pytest

from audit import alternatives as audit_alternatives
from audit import rules as audit_rules
from audit import worked_examples as audit_prompts
from audit.finding import (
    CONSISTENT,
    INCONSISTENT,
)
from papers.trove import demonstrations
from trove_lite.analysis.choose import choose
from trove_lite.datasets.math import CATEGORIES, MATH
from trove_lite.errors import TroveLiteError
from trove_lite.prompts import load_pack
from trove_lite.prompts.base import PromptPack
from trove_lite.selection import RULES, Vote, number_text, one_stage, two_stage

from ..simulated import problem
from .planting import Pretend, only


def votes(*answers, operations=None, modes=None):
    cost = operations or [1] * len(answers)
    return [
        Vote(m, a is not None, tuple(map(number_text, a or ())), c)
        for a, c, m in zip(answers, cost, modes or ["skip"] * len(answers), strict=True)
    ]


def test_agreement_without_alternatives_is_the_official_one():
    rng = np.random.default_rng(0)
    for _ in range(300):
        every = votes(
            *[
                None if rng.random() < 0.2 else tuple(rng.integers(0, 4, rng.integers(0, 3)).astype(float).tolist())
                for _ in range(6)
            ],
            operations=rng.integers(1, 5, 6).tolist(),
        )
        assert audit_alternatives.agreement(every, lambda b: b.answers) == one_stage(every)


@pytest.mark.parametrize("rule", ["one_stage", "two_stage"])
def test_rules_on_tables_agree_with_the_fast_ones(simulated, rule):
    slow, fast = audit_rules.choose_by(simulated, RULES[rule]), choose(simulated, rule)
    pd.testing.assert_frame_equal(
        slow[["run", "problem", "mode", "sample"]], fast[["run", "problem", "mode", "sample"]]
    )


def test_alternatives_differ_where_they_should():
    tied = votes((1.0,), (2.0,), operations=[9, 1])
    assert (one_stage(tied), audit_alternatives.ties_to_simplest(tied)) == (0, 1)
    loud = votes((3.0, 3.0, 3.0), (1.0,), (1.0,))
    assert (one_stage(loud), audit_alternatives.one_vote_a_program(loud)) == (0, 1)
    close = votes((5.0,), (1.001,), (1.002,))
    assert (one_stage(close), audit_alternatives.rounded_votes(close)) == (0, 1)
    silent = votes(None, (), None)
    assert (one_stage(silent), audit_alternatives.silence_is_failure(silent)) == (1, 0)


def test_two_stages_of_the_official_rule_are_the_official_two_stages():
    every = votes((1.0,), (2.0,), (2.0,), (1.0,), modes=["import", "import", "create", "skip"])
    assert audit_alternatives.in_two_stages(one_stage)(every) == two_stage(every)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1e-05", [1e-5]),
        ("3/4", [0.75]),
        ("1,024", [1024]),
        ("n-3", [3]),
        ("-3", [-3]),
        ("1, 2", [1, 2]),
        ("x = 7", [7]),
        ("1/0", [1, 0]),
        ("2.50", [2.5]),
        ("(4)-1", [4, 1]),
        ("", []),
        ("1,0242", [1, 242]),
    ],
)
def test_literals_are_read_as_literals(text, numbers):
    assert audit_alternatives.read_literals(text) == [number_text(number) for number in numbers]


def test_a_rule_switched_to_itself_changes_nothing(simulated):
    chosen = choose(simulated, "two_stage")
    for row in audit_rules.effect("none", chosen, chosen):
        assert (row.difference, row.other_candidate, row.other_verdict, row.which) == (0, 0, 0, "")


def test_a_planted_effect_is_measured(simulated):
    before = choose(simulated, "two_stage")
    wrong = before.assign(correct=False)
    for whole in [e for e in audit_rules.effect("all wrong", before, wrong) if e.category == "all"]:
        right = before["correct"][before["method"] == whole.method]
        assert whole.difference == pytest.approx(-right.mean())
        assert whole.other_verdict == right.sum()


def test_rules_are_judged_by_trove_alone_and_the_ablation_stands_beside_it(simulated):
    trove = simulated[simulated["method"] == "trove"]
    other = trove.assign(method="trove_no_import", run=trove["run"].astype(str) + "_without")
    before = choose(pd.concat([trove.astype({"run": str}), other]).astype({"method": str}), "two_stage")
    after = before.assign(correct=before["correct"] & (before["method"] == "trove"))
    effects = pd.DataFrame(audit_rules.effect("votes", before, after)).assign(p_holm=1.0)
    (row,) = audit_rules.rule_findings(effects, {})
    lost = 100 * before["correct"][before["method"] == "trove_no_import"].mean()
    assert "+0.0 points" in row.computed
    assert "14 logs of trove (" in row.note
    assert f"14 logs of trove_no_import: -{lost:.1f}" in row.note


def test_all_rows_of_the_rules_are_corrected_together(simulated):
    effects, _ = audit_rules.rule_effects(simulated)
    assert set(effects["method"]) == {"trove"}  # nothing is selected in two stages from one mode
    assert len(effects) == effects["rule"].nunique() * (len(CATEGORIES) + 1)
    assert effects["p_holm"].min() == pytest.approx(min(1, len(effects) * effects["p"].min()))


def test_rules_that_need_what_is_not_here_are_left_out(simulated):
    outcomes = simulated.drop(columns=["solution", "tools", "output", "response", "error"])
    effects, _ = audit_rules.rule_effects(outcomes)
    assert set(effects["rule"]) == {"stages", "ties", "votes", "vote key", "silence", "all of selection"}


def test_programs_with_several_blocks_are_run_whole_and_only_those(simulated):
    table = simulated[(simulated["category"] == "algebra") & (simulated["status"] == "ok")].copy()
    twice = table.index[0]
    table["solution"] = table["solution"].astype(object)
    table.loc[twice, "solution"] = "```python\na = 1\n```\nthen\n```python\nprint(a)\n```"
    table["answers"] = [["4.0"] if index == twice else answers for index, answers in table["answers"].items()]
    sandbox = Pretend()
    golds = {("algebra", i): 4.0 for i in range(10)}
    whole, counts = audit_alternatives.with_every_block(table, golds, sandbox)
    assert len(sandbox.programs) == 2
    assert "print(a)" in sandbox.programs[1]
    assert "print(a)" not in sandbox.programs[0]
    assert counts == {"several": 1, "repeatable": 1, "changed": 0}
    assert whole.loc[twice, "correct"]
    assert whole.drop(index=twice)["correct"].equals(table.drop(index=twice)["correct"])


# ---- worked examples ----

MODES = ("primitive", "instance", "import", "create", "skip")


def pack(questions):
    """A pack whose prompts show these questions by category, in every mode."""

    def template(category):
        answer = "**Solution**\n```python\nprint(4)\n```\n\n**Tools**\n```python\nimport math\n```\n\n"
        shown = "".join(f"**Question**\n{q}\n\n{answer}" for q in questions.get(category, []))
        return lambda question, toolbox: f"Solve.\n\n{shown}**Question**\n{question.text}\n\n**Solution**\n"

    return PromptPack("planted", CATEGORIES, MODES, lambda category, mode: template(category))


def test_a_test_problem_in_a_prompt_is_found_whatever_its_spacing():
    problems = [problem(3, "What  is\n$\\frac{8}{2}$?"), problem(4, "And this?")]
    demos = demonstrations(pack({"counting": ["What is $\\\\frac{8}{2}$?", "Another?"]}))
    table = audit_prompts.leaks(demos, problems)
    assert table["problem"].dropna().tolist() == [3] * 5
    found = audit_prompts.prompt_findings(table, problems=problems, own=table.head(0))
    assert only(found, "prompts of TROVE").verdict == INCONSISTENT
    assert "counting 3" in only(found, "prompts of TROVE").computed


def test_prompts_without_test_problems_have_none():
    problems = [problem(3)]
    table = audit_prompts.leaks(demonstrations(pack({"counting": ["Another?"]})), problems)
    found = audit_prompts.prompt_findings(table, problems=problems, own=table)
    assert only(found, "prompts of TROVE").verdict == CONSISTENT
    assert only(found, "our own pack").verdict == CONSISTENT


def test_examples_run_in_the_sandbox_given_and_wrong_ones_are_found():
    problems = [problem(3, "What is it?", 5.0)]
    demos = demonstrations(pack({"counting": ["What is it?"]}))
    sandbox = Pretend("4")
    table = audit_prompts.run_examples(demos, audit_prompts.leaks(demos, problems), sandbox)
    assert len(sandbox.programs) == 5
    assert sandbox.programs[0].startswith("import math")
    assert not table["right"].any()
    found = audit_prompts.prompt_findings(table, problems=problems, own=table)
    assert "prints 4, gold 5" in only(found, "programs of worked").computed


def test_our_own_pack_has_no_test_problem(public_problems):
    problems = [p for part in public_problems.values() for p in part]
    demos = demonstrations(load_pack("own", MATH))
    assert len(demos) >= len(CATEGORIES) * len(MODES)
    assert audit_prompts.leaks(demos, problems)["problem"].isna().all()


def test_the_released_prompts_show_twelve_test_problems_in_troves_modes(public_problems):
    try:
        official = load_pack("official", MATH)
    except TroveLiteError as error:
        pytest.skip(str(error))
    problems = [p for part in public_problems.values() for p in part]
    table = audit_prompts.leaks(demonstrations(official), problems)
    found = {method: len(audit_prompts.leaked(table, modes)) for method, modes in audit_prompts.METHODS.items()}
    assert found == {"TROVE": 12, "PRIMITIVE": 8, "INSTANCE": 12}
    assert audit_prompts.prompts_equal(official).verdict == INCONSISTENT
