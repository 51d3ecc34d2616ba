"""On runs at hand: are they several, does tool-making help, what do switched rules do, what do prompts give away?"""

import numpy as np
import pandas as pd
import pytest

from trove_lite import TroveLiteError, choose, load_problems
from trove_lite.candidates import SELECTED, SELECTION, load_candidates
from trove_lite.datasets.math import CATEGORIES, MATH
from trove_lite.judge.canonical import number_text
from trove_lite.prompts import load_pack
from trove_lite.prompts.base import PromptPack
from trove_lite.sandbox.worker import Execution
from trove_lite.selection import Vote, one_stage
from trove_lite_papers import audit, reeval, trove
from trove_lite_papers.audit import examples, findings_of, rules
from trove_lite_papers.audit.finding import CONSISTENT, INCONSISTENT, UNDECIDED
from trove_lite_papers.trove import demonstrations

from ...conftest import ROOT
from ...simulated import candidates, problem


class Pretend:
    """A sandbox that runs nothing and prints 4."""

    def __init__(self):
        self.programs = []

    def run_many(self, programs, progress=True):
        self.programs += programs
        return [Execution("ok", "4", False, "", 0.0, 0.0) for _ in programs]


def only(check, evidence):
    (found,) = findings_of(evidence, check)
    return found


HOW = {"k": 3, "seed": 0, "resamples": 2, "longer": None}


def trove_alone(**how):
    frame = candidates(categories=("counting",), problems=20, **how)
    return frame[frame["method"] == "trove"].astype({"run": str})


def test_runs_that_copy_another_and_runs_that_repeat_one_at_first_are_named():
    one = trove_alone()
    more = trove_alone(runs=3)
    copies = [one[one["run"] == "run0"].assign(run=f"run{i}") for i in (7, 8, 9)]
    first = more[(more["run"] == "run0") & (more["problem"] < 12)].assign(run="run2")
    part = pd.concat(
        [
            more[more["run"] != "run2"],
            first,
            more[(more["run"] == "run2") & (more["problem"] >= 12)],
        ]
    )
    evidence = [
        {"candidates": frame, "whose": "public runs"}
        for frame in (one, pd.concat([one, *copies]), part)
    ]
    apart, same, partly = (only("runs_are_several", each) for each in evidence)
    assert [f.verdict for f in (apart, same, partly)] == [CONSISTENT, INCONSISTENT, INCONSISTENT]
    assert same.computed.startswith("2 independent; run0 = run7 = run8 = run9")
    assert partly.computed.startswith("2 independent, 1 in part")
    assert "run2 repeats run0 in" in partly.computed
    assert "create (problems 0-11)" in partly.computed


def answered(frame, right):
    """The same candidates, right where `right` says, one vote each."""
    answers = np.where(right, "1.0", "2.0")
    own = {"status": "ok", "operations": 1}
    correct = pd.array(right, dtype="boolean")
    return frame.assign(answers=[[a] for a in answers], answer=answers, correct=correct, **own)


@pytest.fixture(scope="module")
def larger():
    """Simulated candidates of enough problems to show something, three a problem."""
    return candidates(problems=40, k=3)


def about(frame, right):
    """Of the checks whose verdict depends on what stands on PRIMITIVE's side: (check, verdicts)."""
    sides = reeval.sides(answered(frame, right))
    how = {name: HOW[name] for name in ("k", "seed", "resamples")}
    evidence = {
        "sides": sides,
        "paired": reeval.differences(sides, reeval.by_the_kit(sides, **how), k=how["k"]),
        "spread": reeval.power_table(sides, **how),
    }
    checks = ("no_benefit", "mcnemar", "lead", "power", "matched_tokens")
    return {check: {f.verdict for f in findings_of(evidence | HOW, check)} for check in checks}


def test_tools_that_do_nothing_are_no_benefit_and_those_that_do_everything_are(larger):
    nothing, everything = (
        about(larger, r) for r in (np.ones(len(larger), dtype=bool), larger["method"] == "trove")
    )
    assert nothing["no_benefit"] == nothing["mcnemar"] == {CONSISTENT}
    assert everything["no_benefit"] == everything["mcnemar"] == {INCONSISTENT}


@pytest.mark.parametrize("tools", ["do nothing", "do everything"])
def test_where_the_skip_pool_stands_in_nothing_is_decided_either_way(larger, tools):
    alone = larger[larger["method"] == "trove"]
    assert set().union(
        *about(alone, (alone["mode"] != "skip") | (tools == "do nothing")).values()
    ) == {UNDECIDED}


def test_a_small_p_among_many_tests_is_none_and_no_run_is_compared_twice():
    """Of fourteen pairs of runs one differs with p = 0.03, which Holm's correction does not leave."""
    frame = candidates(problems=8, k=3)
    odd = (
        (frame["method"] == "primitive")
        & (frame["category"] == "algebra")
        & (frame["run"] == "run0")
    )
    found = only(
        "mcnemar", {"sides": reeval.sides(answered(frame, ~(odd & (frame["problem"] < 6))))}
    )
    assert "algebra run0 and run0: 6 against 0, Holm p 0.4375" in found.computed
    assert found.verdict == CONSISTENT
    three = candidates(problems=8, k=3, runs=3, categories=("counting",))
    three = three[(three["method"] == "trove") | (three["run"] != "run1")]
    assert only("mcnemar", {"sides": reeval.sides(three)}).computed.count("counting run") == 2


@pytest.mark.parametrize(
    ("worse", "verdict"),
    [("neither", CONSISTENT), ("trove", CONSISTENT), ("trove_no_import", INCONSISTENT)],
)
def test_runs_without_import_are_judged_by_how_they_end(larger, worse, verdict):
    ours = larger[(larger["method"] == "trove") & (larger["mode"] == "create")].astype({"run": str})
    other = ours.assign(method="trove_no_import", run=ours["run"] + "_without")
    both = pd.concat([ours, other], ignore_index=True).astype({"method": str})
    wrong = (both["method"] == worse) & (both["problem"] % 4 == 0)
    both = answered(both.assign(program=np.arange(len(both))), ~wrong)
    ended = both.assign(phase=SELECTED, provenance=SELECTION, sample=0)
    found = only("without_import", {"runs": pd.concat([both, ended], ignore_index=True)})
    assert found.verdict == verdict
    assert "280 problems" in found.computed


def test_tokens_match_where_they_were_counted(simulated):
    dear = simulated["method"].eq("trove")
    counted = simulated.assign(
        prompt_tokens=np.where(dear, 100, 300), completion_tokens=np.where(dear, 100, 100)
    )
    found = [
        only("matched_tokens", HOW | {"sides": reeval.sides(frame)})
        for frame in (simulated, counted)
    ]
    assert found[0].verdict == UNDECIDED
    assert "against 7" in found[1].computed  # 15 × 200 tokens pay for seven of 400
    assert "p of equivalence within 2 points" in found[1].computed


def counted(solution):
    frame = candidates(categories=("counting", "geometry"), problems=4)
    frame = frame[frame["method"] == "trove"].astype({"phase": object, "provenance": object})
    frame = frame.assign(solution=f"```python\n{solution}\n```", tools="", response="", error=None)
    return trove.counted_otherwise(frame)


@pytest.mark.parametrize(
    ("solution", "calls", "every"),
    [
        ("print(1)", INCONSISTENT, CONSISTENT),  # four levels, one call
        ("k = 3\nprint(k)", INCONSISTENT, INCONSISTENT),  # the constant is left out
        ("k = 3", CONSISTENT, INCONSISTENT),
    ],
)
def test_a_count_that_differs_from_the_words_is_found(solution, calls, every):
    evidence = {"counted": counted(solution)}
    assert only("operations_are_calls", evidence).verdict == calls
    assert only("operations_are_expressions", evidence).verdict == every


def votes(*answers, operations=None):
    rows = zip(answers, operations or [1] * len(answers), strict=True)
    return [Vote("skip", a is not None, tuple(map(number_text, a or ())), cost) for a, cost in rows]


def test_agreement_without_alternatives_is_the_official_one():
    rng = np.random.default_rng(0)
    for _ in range(300):
        sizes = [None if rng.random() < 0.2 else rng.integers(0, 3) for _ in range(6)]
        answers = [None if n is None else tuple(rng.integers(0, 4, n).astype(float)) for n in sizes]
        every = votes(*answers, operations=rng.integers(1, 5, 6).tolist())
        assert rules.agreement(every) == one_stage(every)


@pytest.mark.parametrize(
    ("rule", "cast", "official"),
    [
        ("ties", votes((1.0,), (2.0,), operations=[9, 1]), 0),
        ("votes", votes((3.0, 3.0, 3.0), (1.0,), (1.0,)), 0),
        ("vote key", votes((5.0,), (1.001,), (1.002,)), 0),
        ("silence", votes(None, (), None), 1),
    ],
)
def test_alternatives_differ_where_they_should(rule, cast, official):
    assert (one_stage(cast), rules.ONE_STAGE[rule](cast)) == (official, 1 - official)


def test_literals_are_read_as_literals():
    texts = {
        "1e-05": [1e-5],
        "3/4": [0.75],
        "1,024": [1024],
        "n-3": [3],
        "-3": [-3],
        "1, 2": [1, 2],
        "1/0": [1, 0],
    }
    texts |= {"2.50": [2.5], "(4)-1": [4, 1], "": [], "1,0242": [1, 242]}
    assert {text: [*map(float, rules.read_literals(text))] for text in texts} == texts


def test_a_switch_that_does_nothing_has_no_effect_and_a_planted_one_is_measured(simulated):
    chosen = choose(simulated, "two_stage")
    effects = [
        rules.effect("votes", chosen, after) for after in (chosen, chosen.assign(correct=False))
    ]
    none, whole = (pd.DataFrame(one, columns=rules.COLUMNS.split()) for one in effects)
    whole = whole.query("category == 'all'")
    assert not none[["difference", "other_candidate", "other_verdict"]].any(axis=None)
    right = chosen.groupby("method", observed=True)["correct"].agg(["mean", "sum"])
    assert (-whole["difference"]).tolist() == pytest.approx(right["mean"].tolist())
    assert whole["other_verdict"].tolist() == right["sum"].tolist()


def test_rules_that_need_what_is_not_here_are_left_out_and_the_others_are_corrected_together(
    simulated,
):
    outcomes = simulated.drop(columns=["solution", "tools", "output", "response", "error"])
    effects, _ = rules.rule_effects(outcomes)
    assert set(effects["rule"]) == set(rules.SELECTION)
    assert set(effects["method"]) == {"trove"}  # nothing is selected in two stages from one mode
    assert len(effects) == effects["rule"].nunique() * (len(CATEGORIES) + 1)
    assert effects["p_holm"].min() == pytest.approx(min(1, len(effects) * effects["p"].min()))


def test_programs_with_several_blocks_are_run_whole_and_only_those(simulated):
    table = simulated[(simulated["category"] == "algebra") & (simulated["status"] == "ok")].copy()
    twice = table.index[0]
    table["solution"] = table["solution"].astype(object)
    table.loc[twice, "solution"] = "```python\na = 1\n```\nthen\n```python\nprint(a)\n```"
    table["answers"] = [
        ["4.0"] if index == twice else answers for index, answers in table["answers"].items()
    ]
    sandbox = Pretend()
    whole, counts = rules.with_every_block(table, {("algebra", i): 4.0 for i in range(10)}, sandbox)
    assert ["print(a)" in program for program in sandbox.programs] == [False, True]
    assert counts == {"several": 1, "repeatable": 1, "changed": 0}
    assert whole.loc[twice, "correct"]
    assert whole.drop(index=twice)["correct"].equals(table.drop(index=twice)["correct"])


MODES = ("primitive", "instance", "import", "create", "skip")


def shown(*questions):
    """What a pack shows that has these questions of counting, in every mode."""
    answer = "**Solution**\n```python\nprint(4)\n```\n\n**Tools**\n```python\nimport math\n```\n\n"

    def template(category):
        text = "".join(
            f"**Question**\n{q}\n\n{answer}" for q in questions if category == "counting"
        )
        return lambda question, toolbox: (
            f"Solve.\n\n{text}**Question**\n{question.text}\n\n**Solution**\n"
        )

    return demonstrations(
        PromptPack("planted", CATEGORIES, MODES, lambda category, mode: template(category))
    )


@pytest.mark.parametrize(
    ("asked", "verdict"), [("What  is\n$\\frac{8}{2}$?", INCONSISTENT), ("This?", CONSISTENT)]
)
def test_a_test_problem_in_a_prompt_is_found_whatever_its_spacing(asked, verdict):
    problems = [problem(3, asked), problem(4, "And this?")]
    table = examples.leaks(shown("What is $\\\\frac{8}{2}$?", "Another?"), problems)
    found = findings_of({"examples": table, "problems": problems}, "examples_are_no_test_problems")
    assert {f.verdict for f in found} == {verdict}
    assert ("counting 3" in found[0].computed) == (verdict == INCONSISTENT)
    assert only("own_examples", {"own": table}).verdict == verdict


def test_examples_run_in_the_sandbox_given_and_wrong_ones_are_found():
    demos = shown("What is it?")
    sandbox = Pretend()
    table = examples.run_examples(
        demos, examples.leaks(demos, [problem(3, "What is it?", 5.0)]), sandbox
    )
    assert len(sandbox.programs) == 5
    assert sandbox.programs[0].startswith("import math")
    assert not table["right"].any()
    assert "prints 4, gold 5" in only("examples_run", {"examples": table}).computed


def test_our_own_pack_has_no_test_problem_and_the_released_one_shows_twelve_in_troves_modes(
    public_problems,
):
    problems = [p for part in public_problems.values() for p in part]
    own = demonstrations(load_pack("own", MATH))
    assert len(own) >= len(CATEGORIES) * len(MODES)
    assert examples.leaks(own, problems)["problem"].isna().all()
    try:
        official = load_pack("official", MATH)
    except TroveLiteError as error:
        pytest.skip(str(error))
    table = examples.leaks(demonstrations(official), problems)
    found = {
        method: len(examples.leaked(table, modes)) for method, modes in examples.METHODS.items()
    }
    assert found == {"TROVE": 12, "PRIMITIVE": 8, "INSTANCE": 12}
    assert only("same_prompts", {"pack": official}).verdict == INCONSISTENT


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path / "nothing"))


def test_only_runs_of_the_papers_model_on_their_problems_judge_the_papers(no_data, skip_only):
    other = audit.run_audit(skip_only, resamples=2)
    assert other.examples is None
    assert any("fetch math" in line for line in other.missing)
    assert set(other.findings["section"]) == {1, 2, 5}
    assert len(other.effects)
    theirs = audit.run_audit(skip_only.assign(model="CodeLlama-7b-Instruct-hf"), resamples=2)
    assert (set(theirs.findings["section"]), theirs.scope) == ({1, 2, 3, 5, 6}, "")
    assert not theirs.findings.duplicated(["section", "paper", "place", "check"]).any()
    written = theirs.findings[["stated", "computed", "note"]].to_numpy().ravel()
    assert not [text for text in written if "nan" in text or "{" in text]


def test_runs_on_other_problems_are_not_held_to_maths_answers(public_problems, skip_only):
    """Practice problems have their own golds, and no finding on recorded runs of MATH stands for theirs."""
    right = {
        (p.category, p.index): p.gold for c in CATEGORIES for p in load_problems("practice", c)
    }
    asked = zip(skip_only["category"].astype(str), skip_only["problem"], strict=True)
    gold = [number_text(right[key]) for key in asked]
    frame = answered(skip_only, np.ones(len(skip_only), dtype=bool))
    frame = frame.assign(dataset="practice", answers=[[g] for g in gold], answer=gold)
    found = audit.run_audit(
        frame.drop(columns=["solution", "tools"]), resamples=2, logs=pytest.fail
    )
    assert any("outcomes of other runs than the logs here" in line for line in found.missing)
    assert (found.effects.query("rule == 'graded number'")["after"] == 1).all()
    assert not found.findings["check"].str.startswith("accuracy without the problems").any()


def test_the_bundled_runs_give_the_committed_findings(no_data, monkeypatch):
    """What needs no data is computed the same as it was committed; what rules do is in no such finding."""
    folder = ROOT / "results"
    effects = pd.DataFrame({"rule": list(rules.SELECTION)})
    monkeypatch.setattr(rules, "rule_effects", lambda *_: (effects, {}))
    runs = load_candidates(folder / "codellama-7b-instruct" / "outcomes.parquet")
    found = audit.run_audit(runs)
    committed = pd.read_csv(folder / "audit" / "findings.csv", keep_default_na=False)
    assert len(found.findings) > 70
    assert any(line.startswith("rules: findings not computed here") for line in found.missing)
    same = found.findings[["section", "paper", "place", "check"]].merge(committed)
    pd.testing.assert_frame_equal(found.findings, same[found.findings.columns], check_dtype=False)
