"""The audit as a whole, its copy, and what it comes to in words."""

from dataclasses import replace

import pandas as pd
import pytest

import audit
from audit.finding import (
    as_table,
    finding,
)
from trove_lite.candidates import load_candidates
from trove_lite.datasets import load_problems
from trove_lite.datasets.math import CATEGORIES
from trove_lite.errors import TroveLiteError
from trove_lite.selection import number_text

from ..scripted import run


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path / "nothing"))


@pytest.fixture(scope="module")
def committed(tmp_path_factory):
    """A committed copy: one finding that cannot be computed here, and one that is no check any more."""
    path = tmp_path_factory.mktemp("committed") / "findings.csv"
    leak = finding(4, "TroVE", "somewhere", "a leak", stated="", computed="11", holds=False, importance=2)
    stale = finding(
        1, "re-evaluation", "Table 8", "not a check any more", stated="", computed="", holds=None, importance=3
    )
    as_table([leak, stale]).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def audited(skip_only, committed):
    """The audit of simulated runs where no data are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TROVE_LITE_DATA", str(committed.parent / "nothing"))
        return audit.run_audit(skip_only, resamples=20, committed=committed)


def test_the_audit_runs_without_any_data(audited):
    assert audited.examples is None
    assert any("fetch math" in line for line in audited.missing)
    for section in range(1, 7):
        assert audit.paragraphs(audited.findings, section)


def test_only_runs_of_the_papers_model_on_their_problems_judge_the_papers(no_data, skip_only, audited):
    theirs = skip_only.assign(model="CodeLlama-7b-Instruct-hf")
    paper = audit.run_audit(theirs, resamples=20)
    assert set(paper.findings["section"]) == {1, 2, 3, 5, 6}
    assert paper.scope == ""
    assert set(audited.findings.loc[audited.findings["source"] == "computed", "section"]) == {1, 2, 5}
    assert len(audited.effects)
    for scope in (audited.scope, audit._scope(theirs.assign(dataset="practice"))):
        assert scope.startswith("no paper is judged by these runs")
        assert "\n" not in scope
    written = paper.findings[["stated", "computed", "note"]].to_numpy().ravel()
    assert not [text for text in written if "nan" in text]


# ---- in words ----


def findings_of(*verdicts):
    rows = [
        finding(6, "a paper", f"§{i}", f"claim {i}", stated="1", computed=f"{i}", holds=holds, importance=i + 1)
        for i, holds in enumerate(verdicts)
    ]
    return as_table(rows).assign(source="computed")


def test_the_ranking_opens_with_what_weighs_most_and_leaves_out_what_holds():
    table = audit.ranking(findings_of(False, True, None, False))
    assert table["what"].tolist() == ["claim 3", "claim 2", "claim 0"]


def test_a_table_is_read_whole_and_its_bars_do_not_split_cells():
    text = audit.as_markdown(pd.DataFrame({"a": ["x|y"], "b": ["long " * 40]}))
    assert text.split("\n")[:2] == ["| a | b |", "| :--- | :--- |"]
    assert "x\\|y" in text
    assert "long " * 40 in text


def test_the_answer_follows_from_the_findings():
    one, other = (audit.answer(findings_of(*verdicts)) for verdicts in ((False, None), (True, True)))
    assert "1 do not fit together, 1 cannot be decided, 0 hold" in one
    assert "by paper: a paper 1" in one
    assert "0 do not fit together, 0 cannot be decided, 2 hold" in other
    assert "by paper" not in other
    assert one.index("claim 0: 0 – **inconsistent**") < one.index("claim 1: 1 – **cannot be decided**")


def test_findings_that_hold_are_a_list_beneath_the_others():
    text = audit.paragraphs(findings_of(True, False), 6)
    assert "**Consistent** –" in audit.paragraphs(findings_of(False, False, False, False, True), 6)  # no detail
    assert text.index("**Inconsistent**") < text.index("**Consistent** (1)")
    assert "- a paper, §0: claim 0 (0)" in text


def test_what_cannot_be_computed_comes_from_the_committed_copy(audited):
    copied = audited.findings[audited.findings["source"] == "committed copy"]
    assert copied["check"].tolist() == ["a leak"]
    assert "(committed copy)" in audit.paragraphs(audited.findings, 4)


def test_runs_on_other_problems_are_not_held_to_maths_answers(public_problems, skip_only, tmp_path):
    """Practice problems have their own golds, and no finding on recorded runs of MATH stands for theirs."""
    right = {(p.category, p.index): p.gold for c in CATEGORIES for p in load_problems("practice", c)}
    where = zip(skip_only["category"].astype(str), skip_only["problem"], strict=True)
    gold = [number_text(right[key]) for key in where]
    answers = [[g] for g in gold]
    frame = skip_only.assign(dataset="practice", answers=answers, answer=gold, correct=True, status="ok", operations=1)
    copied = [
        finding(3, "TroVE", "§3", "rule: silence", stated="", computed="", holds=None, importance=1),
        finding(4, "public runs", "runs", "leaks", stated="", computed="", holds=None, importance=1),
    ]
    as_table(copied).to_csv(tmp_path / "findings.csv", index=False)

    def read(*_, **__):
        raise AssertionError("logs are read for runs that are none of theirs")

    bare = frame.drop(columns=["solution", "tools"])
    found = audit.run_audit(bare, resamples=20, committed=tmp_path / "findings.csv", logs=read)
    assert any("outcomes of other runs than the logs here" in line for line in found.missing)
    graded = found.effects[found.effects["rule"] == "graded number"]
    assert (graded["after"] == 1).all()
    assert "committed copy" not in set(found.findings["source"])
    assert not found.findings["check"].str.startswith("accuracy without the problems").any()


def test_answers_that_are_texts_are_held_to_no_rule_on_numbers(no_data, tmp_path):
    """Some answers of the practice tables are names, some are numbers."""

    def problems(*where):
        return [replace(problem, files={}) for problem in load_problems(*where)]

    folder = run(tmp_path / "run", dataset="practice_tables", categories=("practice_tables",), problems=problems)
    found = audit.run_audit(load_candidates(folder), resamples=20)
    rules = set(found.effects["rule"])
    assert rules
    assert not rules & {"graded number", "number parsing", "first block"}


def test_a_damaged_copy_is_named(tmp_path):
    (tmp_path / "findings.csv").write_text("a,b\n1,2\n")
    with pytest.raises(TroveLiteError, match="lacks the columns"):
        audit.read_findings(tmp_path / "findings.csv")


def test_the_bundled_runs_give_the_committed_findings(no_data):
    """What needs no data is computed the same as it was committed."""
    from ..conftest import ROOT

    bundled, copy = (
        ROOT / "results" / "codellama-7b-instruct" / "outcomes.parquet",
        ROOT / "results" / "audit" / "findings.csv",
    )
    if not bundled.is_file() or not copy.is_file():
        pytest.skip("the clone holds no bundled outcomes or findings")
    found = audit.run_audit(load_candidates(bundled), committed=copy).findings
    committed = audit.read_findings(copy)
    assert (found["source"] == "computed").sum() > 70
    pd.testing.assert_frame_equal(found[committed.columns], committed, check_dtype=False)
