"""CREATOR's programs as GPT wrote them: which problem they answer, and what they are worth when
they run here."""

import json

import pandas as pd
import pytest

from trove_lite import TroveLiteError, load_candidates, load_problems
from trove_lite_papers.creator import graders
from trove_lite_papers.creator.programs import ASKED, import_creator_programs

from ...conftest import ROOT


@pytest.fixture
def records(craft):
    return {path.stem.split("_")[1]: path for path in craft if path.suffix == ".jsonl"}


def a_part(file, tmp_path, change=lambda record: record, n=12):
    lines = [json.dumps(change(json.loads(line))) for line in file.read_text().splitlines()[:n]]
    (tmp_path / file.name).write_text("\n".join(lines) + "\n")
    return tmp_path / file.name


RECORDS = ROOT / "results" / "gpt-3.5-creator" / "outcomes.parquet"


def test_what_is_committed_is_right_as_often_as_table_3_of_trove_says(records):
    found = load_candidates(RECORDS)
    golds = {(d, p.index): p.gold for d, c in ASKED for p in load_problems(d, c)}
    right = [
        answers is not None and graders.released(" ".join(answers), golds[dataset, index])
        for dataset, index, answers in zip(
            found["dataset"], found["problem"], found["answers"], strict=True
        )
    ]
    shares = pd.Series(right).groupby(found["dataset"].to_numpy()).mean()
    assert shares["math"] == pytest.approx(0.656, abs=0.002)
    assert shares["tabmwp"] == pytest.approx(0.813, abs=0.002)


@pytest.mark.parametrize("name", ["algebra", "tabmwp"])
def test_programs_run_again_come_out_as_those_that_are_committed(records, name, box, tmp_path):
    found = import_creator_programs([a_part(records[name], tmp_path)], box)
    kept = load_candidates(RECORDS).set_index(["dataset", "problem"])
    kept = kept.loc[list(zip(found["dataset"], found["problem"], strict=True))]
    for column in ("status", "answer", "correct"):
        assert list(found[column].astype(object).fillna("")) == list(
            kept[column].astype(object).fillna("")
        )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda record: record | {"question": "What is asked nowhere?"},
            "line 1: no question of math algebra or",
        ),
        (
            lambda record: record | {"prediction_call": None},
            "line 1: `prediction_call` is null: Expected `str`",
        ),
        (lambda record: [record], "line 1: Expected `object`"),
    ],
)
def test_what_is_no_record_is_refused_by_line(records, tmp_path, change, said):
    with pytest.raises(TroveLiteError, match=said):
        import_creator_programs([a_part(records["tabmwp"], tmp_path, change, 1)], sandbox=None)


def test_a_question_answered_twice_is_refused(records, tmp_path):
    file = a_part(records["algebra"], tmp_path, n=1)
    with pytest.raises(TroveLiteError, match="line 1: its question is answered before"):
        import_creator_programs([file, file], sandbox=None)
