"""Are several runs several, and does tool-making help? On made runs that would turn each verdict."""

import numpy as np
import pandas as pd
import pytest

from audit.benefit import (
    agrees,
    benefit_findings,
    import_findings,
    independence_findings,
    matched_tokens,
    mcnemar_findings,
)
from audit.finding import (
    CONSISTENT,
    INCONSISTENT,
    UNDECIDED,
    Range,
)
from papers import reeval
from trove_lite.candidates import SELECTED, SELECTION

from ..simulated import candidates as simulated_candidates
from .planting import only


def trove_alone(**how):
    frame = simulated_candidates(categories=("counting",), problems=20, **how)
    return frame[frame["method"] == "trove"].astype({"run": str})


def test_runs_that_copy_another_are_all_named():
    one = trove_alone()
    copies = [one[one["run"] == "run0"].assign(run=f"run{i}") for i in (7, 8, 9)]
    assert {f.verdict for f in independence_findings(one)} == {CONSISTENT}
    (row,) = independence_findings(pd.concat([one, *copies]))
    assert row.verdict == INCONSISTENT
    assert row.computed.startswith("2 independent; run0 = run7 = run8 = run9")


def test_a_run_that_repeats_another_at_first_is_named_with_how_far():
    one = trove_alone(runs=3)
    again = one[(one["run"] == "run0") & (one["problem"] < 12)]
    late = one[(one["run"] == "run2") & (one["problem"] >= 12)]
    frame = pd.concat([one[one["run"] != "run2"], again.assign(run="run2"), late])
    (row,) = independence_findings(frame)
    assert row.verdict == INCONSISTENT
    assert row.computed.startswith("2 independent, 1 in part")
    assert "run2 repeats run0 in" in row.computed
    assert "create (problems 0-11)" in row.computed


def answered(frame, right):
    """The same candidates, right where `right` says, one vote each."""
    answers = np.where(right, "1.0", "2.0")
    return frame.assign(
        answers=[[a] for a in answers],
        answer=answers,
        correct=pd.array(right, dtype="boolean"),
        status="ok",
        operations=1,
    )


@pytest.fixture(scope="module")
def larger():
    """Simulated candidates of enough problems to show something, three a problem."""
    return simulated_candidates(problems=40, k=3)


def test_tools_that_do_nothing_are_not_called_a_benefit(larger):
    found = benefit_findings(reeval.sides(answered(larger, np.ones(len(larger), dtype=bool))), k=3, resamples=20)
    assert only(found, "one-stage: less than").verdict == CONSISTENT
    assert only(found, "McNemar").verdict == CONSISTENT
    assert not any("SKIP pool" in f.computed for f in found)


def test_tools_that_do_everything_are(larger):
    found = benefit_findings(reeval.sides(answered(larger, larger["method"] == "trove")), k=3, resamples=20)
    assert only(found, "one-stage: less than").verdict == INCONSISTENT
    assert only(found, "McNemar").verdict == INCONSISTENT


@pytest.mark.parametrize("tools", ["do nothing", "do everything"])
def test_where_the_skip_pool_stands_in_nothing_is_decided_either_way(larger, tools):
    trove = larger[larger["method"] == "trove"]
    right = (trove["mode"] != "skip") | (tools == "do nothing")
    found = benefit_findings(reeval.sides(answered(trove, right)), k=3, resamples=20)
    about = ("runs at hand and print", "no benefit", "power", "McNemar", "matched tokens")
    verdicts = {f.verdict for f in found if any(words in f.check for words in about)}
    assert verdicts == {UNDECIDED}


def test_a_small_p_among_many_tests_is_none():
    """Of fourteen pairs of runs one differs with p = 0.03, which Holm's correction does not leave."""
    frame = simulated_candidates(problems=8, k=3)
    odd = (frame["method"] == "primitive") & (frame["category"] == "algebra") & (frame["run"] == "run0")
    (row,) = mcnemar_findings(reeval.sides(answered(frame, ~(odd & (frame["problem"] < 6)))), k=3)
    assert "algebra run0 and run0: 6 against 0, Holm p 0.4375" in row.computed
    assert row.verdict == CONSISTENT


def test_no_primitive_run_is_compared_twice():
    frame = simulated_candidates(problems=8, k=3, runs=3, categories=("counting",))
    frame = frame[(frame["method"] == "trove") | (frame["run"] != "run1")]
    (row,) = mcnemar_findings(reeval.sides(frame), k=3)
    assert row.computed.count("counting run") == 2


def test_print_agrees_where_more_runs_would_fall_unless_they_might_fall_anywhere():
    assert agrees(Range(0.01, 0.02), Range(0.0, 0.03)) is True
    assert agrees(Range(0.05, 0.06), Range(0.0, 0.03)) is False
    assert agrees(Range(0.01, 0.02), Range(-0.1, 0.1)) is None


def without(frame, right):
    """Runs with IMPORT and runs without, each with the answers that they ended with, right where `right` says."""
    trove = frame[(frame["method"] == "trove") & (frame["mode"] == "create")]
    other = trove.assign(method="trove_no_import", run=trove["run"].astype(str) + "_without")
    both = pd.concat([trove.astype({"run": str}), other], ignore_index=True).astype({"method": str})
    both["program"] = np.arange(len(both))
    both = answered(both, right(both))
    return pd.concat([both, both.assign(phase=SELECTED, provenance=SELECTION, sample=0)], ignore_index=True)


@pytest.mark.parametrize(
    ("worse", "verdict"), [("neither", CONSISTENT), ("trove", CONSISTENT), ("trove_no_import", INCONSISTENT)]
)
def test_runs_without_import_are_judged_by_how_they_end(larger, worse, verdict):
    harmed = lambda both: ~((both["method"] == worse) & (both["problem"] % 4 == 0))  # noqa: E731
    (row,) = import_findings(without(larger, harmed))
    assert row.verdict == verdict
    assert "280 problems" in row.computed


def test_tokens_match_where_they_were_counted(simulated):
    study = reeval.sides(simulated)
    assert matched_tokens(study, k=15).verdict == UNDECIDED
    dear = simulated["method"].eq("trove")
    counted = simulated.assign(prompt_tokens=np.where(dear, 100, 300), completion_tokens=np.where(dear, 100, 100))
    row = matched_tokens(reeval.sides(counted), k=15)
    assert "against 7" in row.computed  # 15 × 200 tokens pay for seven of 400
    assert "p of equivalence within 2 points" in row.computed
