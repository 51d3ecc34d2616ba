"""The audit as a whole."""

from dataclasses import replace

import pandas as pd
import pytest

import audit
from trove_lite.candidates import load_candidates
from trove_lite.datasets import load_problems
from trove_lite.datasets.math import CATEGORIES
from trove_lite.selection import number_text

from ..scripted import run


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    monkeypatch.setenv("TROVE_LITE_DATA", str(tmp_path / "nothing"))


@pytest.fixture(scope="module")
def audited(skip_only, tmp_path_factory):
    """The audit of simulated runs where no data are."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TROVE_LITE_DATA", str(tmp_path_factory.mktemp("nothing")))
        return audit.run_audit(skip_only, resamples=20)


def test_the_audit_runs_without_any_data(audited):
    assert audited.examples is None
    assert any("fetch math" in line for line in audited.missing)


def test_only_runs_of_the_papers_model_on_their_problems_judge_the_papers(no_data, skip_only, audited):
    theirs = skip_only.assign(model="CodeLlama-7b-Instruct-hf")
    paper = audit.run_audit(theirs, resamples=20)
    assert set(paper.findings["section"]) == {1, 2, 3, 5, 6}
    assert paper.scope == ""
    assert set(audited.findings["section"]) == {1, 2, 5}
    assert len(audited.effects)
    for scope in (audited.scope, audit._scope(theirs.assign(dataset="practice"))):
        assert scope.startswith("no paper is judged by these runs")
        assert "\n" not in scope
    written = paper.findings[["stated", "computed", "note"]].to_numpy().ravel()
    assert not [text for text in written if "nan" in text]


def test_runs_on_other_problems_are_not_held_to_maths_answers(public_problems, skip_only):
    """Practice problems have their own golds, and no finding on recorded runs of MATH stands for theirs."""
    right = {(p.category, p.index): p.gold for c in CATEGORIES for p in load_problems("practice", c)}
    where = zip(skip_only["category"].astype(str), skip_only["problem"], strict=True)
    gold = [number_text(right[key]) for key in where]
    answers = [[g] for g in gold]
    frame = skip_only.assign(dataset="practice", answers=answers, answer=gold, correct=True, status="ok", operations=1)

    def read(*_, **__):
        raise AssertionError("logs are read for runs that are none of theirs")

    bare = frame.drop(columns=["solution", "tools"])
    found = audit.run_audit(bare, resamples=20, logs=read)
    assert any("outcomes of other runs than the logs here" in line for line in found.missing)
    graded = found.effects[found.effects["rule"] == "graded number"]
    assert (graded["after"] == 1).all()
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


def test_the_bundled_runs_give_the_committed_findings(no_data):
    """What needs no data is computed the same as it was committed."""
    from ..conftest import ROOT

    bundled, copy = (
        ROOT / "results" / "codellama-7b-instruct" / "outcomes.parquet",
        ROOT / "results" / "audit" / "findings.csv",
    )
    if not bundled.is_file() or not copy.is_file():
        pytest.skip("the clone holds no bundled outcomes or findings")
    found = audit.run_audit(load_candidates(bundled))
    committed = pd.read_csv(copy, keep_default_na=False)
    assert len(found.findings) > 70
    assert any(line.startswith("rules: findings not computed here") for line in found.missing)
    key = ["section", "paper", "place", "check"]
    same = found.findings[key].merge(committed, on=key)
    pd.testing.assert_frame_equal(found.findings, same[found.findings.columns], check_dtype=False)
