"""What a run knows survives an export and an import: tokens, modes, questions, right answers, what
problems share."""

import json

import pandas as pd
import pytest

import trove_lite as tl
from tests.shapes import live
from trove_lite.candidates import outcomes, read_description, save_table
from trove_lite.cli import main
from trove_lite_analysis.questions import problems_of
from trove_lite_analysis.view.beside import compare_sources

from ..cases import cases
from ..typed import typed

KEPT = ["mode", "prompt_tokens", "completion_tokens", "correct", "shares_state", "score", "level"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """TROVE by the practice model, which counts tokens: three modes, a toolbox for all problems."""
    folder = tmp_path_factory.mktemp("run")
    words = "run --quiet --methods trove primitive --categories counting --seeds 0 --limit 4 --k 6"
    assert typed(words, "--out", folder / "run") == 0
    return folder / "run"


def again(run, out, form):
    """A run, exported in a form and imported."""
    file = out / f"t.{'csv' if form == 'csv' else 'jsonl'}"
    assert typed("export", run, "--format", form, "--out", file) == 0
    kind = {"csv": "table"}.get(form, form)
    words = ["--force", "--out", str(out / "again")]
    assert typed("import --format", kind, file, *words) == 0
    return out / "again"


def sorted_rows(folder):
    table = tl.load_candidates(folder).astype({"method": str, "mode": str})
    by = ["method", "problem", "place", "sample"]
    return table.sort_values(by, ignore_index=True)


@pytest.mark.parametrize("form", ["csv", "eee"])
def test_a_run_comes_back_as_it_went(run, tmp_path, form):
    before = sorted_rows(run)
    after = sorted_rows(again(run, tmp_path, form))
    assert before["prompt_tokens"].gt(0).all()
    for name in KEPT:
        values = [
            table[name].astype(object).where(table[name].notna(), None) for table in (before, after)
        ]
        assert values[0].tolist() == values[1].tolist(), name
    _, lines = compare_sources([run, tmp_path / "again"], tmp_path / "c.html")
    copied = [line.partition(", 4")[0] for line in lines if "replies are the same" in line]
    assert copied == [f"{name}, live minus {name}, recorded" for name in ("primitive", "trove")]
    (tmp_path / "more").mkdir()
    twice = again(tmp_path / "again", tmp_path / "more", form)
    columns = [*KEPT, "problem", "answer", "response"]
    pd.testing.assert_frame_equal(sorted_rows(twice)[columns], after[columns])


@pytest.mark.parametrize("form", ["csv", "eee"])
def test_questions_and_right_answers_come_back(run, tmp_path, form):
    folder = again(run, tmp_path, form)
    words = []
    for one in (run, folder):
        known, notes = problems_of(tl.load_candidates(one), [one])
        assert notes == []
        asked = {key[2]: (p.question.text, float(p.gold)) for key, p in known.items() if key[2] < 4}
        words.append(asked)
    assert len(words[0]) == 4
    assert words[0] == words[1]


def imported(tmp_path, rows, *words):
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)))
    out = ["--force", "--out", str(tmp_path / "r")]
    assert typed("import", tmp_path / "t.jsonl", *words, *out) == 0
    return tl.load_candidates(tmp_path / "r")


def rows(**more):
    same = [{"problem": f"q{n}", "method": "m", "sample": 0, "correct": n % 2} for n in range(4)]
    return [row | more for row in same]


@pytest.mark.parametrize(
    ("more", "words", "shares"),
    cases(
        """
        {},                      (),                 True  # nobody says: what is seen is seen of these runs
        {},                      ("--independent",), False
        {"shares_state": False}, (),                 False
        {"shares_state": True},  ("--independent",), True
        {"method": "primitive"}, (),                 True  # no name of a method says it
        """
    ),
)
def test_what_problems_share_is_data(tmp_path, more, words, shares):
    assert set(imported(tmp_path, rows(**more), *words)["shares_state"]) == {shares}


def test_columns_that_nothing_reads_are_named(tmp_path, capsys):
    imported(tmp_path, rows(cost=1, Prompt_Tokens=5, prompt_tokens=7))
    assert "not read: cost, Prompt_Tokens" in capsys.readouterr().out
    assert read_description(tmp_path / "r")["unused"] == ["cost", "Prompt_Tokens"]
    assert set(tl.load_candidates(tmp_path / "r")["prompt_tokens"]) == {7}


@pytest.mark.parametrize(
    ("written", "verdict"),
    cases(
        """
        "1.00", True
        "1e0",  True
        -0.0,   False
        "0.00", False
        """
    ),
)
def test_a_whole_number_is_a_verdict_however_it_is_written(tmp_path, written, verdict):
    assert imported(tmp_path, rows(correct=written))["correct"].tolist() == [verdict] * 4


@pytest.mark.parametrize(
    "line",
    [
        '{"problem": "a", "problem": "b", "method": "m", "sample": 0, "correct": 1}',
        '{"problem": "a", "method": "m", "sample": 0, "correct": 1, "correct": 0}',
        '{"problem": "a", "method": "m", "sample": 0, "correct": 1, "prompt_tokens": -3}',
        '{"problem": "a", "method": "m", "sample": 0, "correct": 1, "completion_tokens": 1.5}',
        '{"problem": "a", "method": "m", "sample": 0, "score": 1.5}',
        '{"problem": "a", "method": "m", "sample": 0, "correct": 1, "shares_state": "maybe"}',
    ],
)
def test_a_wrong_line_is_refused_by_its_number(tmp_path, capsys, line):
    (tmp_path / "t.jsonl").write_text(line)
    assert typed("import --format table", tmp_path / "t.jsonl", "--out", "r") == 2
    assert "line 1: " in capsys.readouterr().err


EEE = {"schema_version": "0.3.0", "model_id": "lab/model-a", "evaluation_name": "mathset"}
EEE |= {"sample_id": "0", "interaction_type": "single_turn", "output": {"raw": ["It is 1."]}}
EEE |= {"input": {"raw": "What is 0+1?", "reference": ["1"]}}
EEE |= {"evaluation": {"score": 1.0, "is_correct": True}}
EEE |= {"token_usage": {"input_tokens": 10, "output_tokens": 5, "total_tokens": 15}}


def test_two_models_of_an_every_eval_ever_file_are_two_systems(tmp_path, capsys):
    lines = [
        EEE
        | {"sample_id": str(n), "model_id": model}
        | {"evaluation": {"score": float(right), "is_correct": right}}
        for n in range(12)
        for model, right in (("lab/model-a", True), ("lab/model-b", n % 2 == 0))
    ]
    (tmp_path / "e.jsonl").write_text("\n".join(map(json.dumps, lines)))
    out = str(tmp_path / "c.html")
    assert typed("compare", tmp_path / "e.jsonl", "--out", out) == 0
    assert "model-a minus model-b: +50.0 points" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "said"),
    cases(
        """
        {"evaluation": {}},                       "neither `is_correct` nor `score`"
        {"evaluation": {"score": 7.5}},           "score 7.5 is not from 0 to 1"
        {"evaluation": {"score": "high"}},        "evaluation: field 'score'"
        {"model_id": 3},                          "field 'model_id'"
        {"input": "What?"},                       "field 'input'"
        {"token_usage": {"input_tokens": "ten"}}, "field 'input_tokens'"
        """
    ),
)
def test_a_wrong_record_is_refused_by_its_line(tmp_path, capsys, change, said):
    (tmp_path / "e.jsonl").write_text(f"{json.dumps(EEE)}\n{json.dumps(EEE | change)}")
    words = ["import", "--format", "eee", str(tmp_path / "e.jsonl"), "--out", str(tmp_path / "r")]
    assert main(words) == 2
    error = capsys.readouterr().err
    assert "line 2" in error
    assert said in error
    assert not (tmp_path / "r" / "candidates.parquet").exists()


def test_what_a_record_tells_is_kept_and_samples_are_numbered_as_they_come(tmp_path):
    several = EEE | {"sample_id": "1", "input": {"reference": ["1", "one"]}}
    (tmp_path / "e.jsonl").write_text("\n".join(map(json.dumps, [EEE, EEE, EEE, several])))
    words = ["import", str(tmp_path / "e.jsonl"), "--out", str(tmp_path / "r")]
    assert main(words) == 0
    found = tl.load_candidates(tmp_path / "r")
    assert found["sample"].tolist() == [0, 1, 2, 0]
    assert set(found["prompt_tokens"]) == {10}
    assert not found["shares_state"].any()
    golds = {"0": "1", "1": "either 1 or one"}
    assert read_description(tmp_path / "r")["golds"]["mathset"] == golds


def test_samples_of_all_modes_come_back_from_outcomes(tmp_path, simulated):
    _, part = next(iter(simulated.groupby(["category", "run"], observed=True)))
    save_table(outcomes(part), tmp_path / "o")
    after = tl.load_candidates(again(tmp_path / "o", tmp_path, "csv"))
    stream = part[part["phase"] == "stream"]
    assert len(after) == len(stream) > 0
    assert after["correct"].sum() == stream["correct"].sum()


def test_a_live_run_without_tokens_and_with_several_right_answers_comes_back(tmp_path, capsys):
    source = live(tmp_path, "primitive", "```python\nprint({0} + 1)\n```").sources[0]
    table = tl.load_candidates(again(source, tmp_path, "csv"))
    assert table["prompt_tokens"].isna().all()
    assert table["correct"].all()
    compare_sources([source, tmp_path / "again"], tmp_path / "c.html")
    assert typed("judge", tmp_path / "again") == 0
    assert "36 right, 36 before" in capsys.readouterr().out
