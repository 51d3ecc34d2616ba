"""What people met who had not built this: contradictions in data, a moved run, one number for one run."""

import json
import shutil

import pytest

from trove_lite.analysis.summary import summarise
from trove_lite.candidates import load_candidates
from trove_lite.cli import main
from trove_lite.datasets.own import read_dataset
from trove_lite.errors import DamagedFile

from .recorded.test_harness_logs import evalplus, imported

CONTRADICTIONS = {
    "two answers": ['{"question": "a", "answer": 1}', '{"question": "a", "answer": 2}'],
    "a text and a number": ['{"question": "a", "answer": "x"}', '{"question": "a", "answer": 2}'],
    "a list and a number": ['{"question": "a", "answer": [1, 3]}', '{"question": "a", "answer": 1}'],
    "not neighbours": [
        '{"question": "a", "answer": 1}',
        '{"question": "b", "answer": 1}',
        '{"question": "a", "answer": 2}',
    ],
    "a key twice": ['{"question": "a", "answer": 1, "answer": 2}'],
    "a question twice": ['{"question": "a", "question": "b", "answer": 2}'],
    "ids as number and text": ['{"id": 1, "question": "a", "answer": 1}', '{"id": "1", "question": "b", "answer": 2}'],
}


@pytest.mark.parametrize("what", CONTRADICTIONS)
def test_data_that_contradicts_itself_is_refused_by_its_line(tmp_path, what):
    lines = CONTRADICTIONS[what]
    (path := tmp_path / "mine.jsonl").write_text("\n".join(lines))
    with pytest.raises(DamagedFile, match=rf"mine.jsonl, line {len(lines)}: "):
        read_dataset(path)


def test_the_same_question_with_the_same_answer_or_of_another_category_stays(tmp_path):
    lines = [{"question": "a", "answer": 1}, {"question": "a", "answer": 1}]
    lines += [{"question": "a", "answer": 2, "category": "other"}]
    (path := tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)))
    assert read_dataset(path).categories == ("problems", "other")


@pytest.mark.parametrize(("counts", "known"), [((1, 5, 1, 10), None), ((5, 5), 1.0), ((4, 4), None), ((10, 5), 1.0)])
def test_pass_at_5_is_of_all_problems_or_of_none(tmp_path, counts, known):
    results = {"eval": {}}
    for task, count in enumerate(counts):
        results["eval"] |= evalplus(*[("pass", "pass")] * count, task=f"HumanEval/{task}")["eval"]
    (tmp_path / "s_eval_results.json").write_text(json.dumps(results))
    (found,) = summarise(imported(tmp_path, "evalplus", tmp_path / "s_eval_results.json"))["runs"]
    assert found["pass_at_5"] == {"s": known}


def test_a_run_says_its_rule_and_the_number_of_summary_and_goes_on_where_it_was_moved_to(tmp_path, capsys):
    words = ["run", "--methods", "trove", "--categories", "counting", "--seeds", "0", "--limit", "2", "--quiet"]
    assert main([*words, "--out", str(tmp_path / "a")]) == 0
    said = capsys.readouterr().out
    assert "by the rule of the run (" in said
    (found,) = summarise(load_candidates(tmp_path / "a"))["runs"]
    share = 100 * found["one_stage_correct"] / found["problems"]
    assert f"trove: {share:.1f} % by one_stage agreement" in said
    shutil.move(tmp_path / "a", tmp_path / "b")
    assert main([*words, "--out", str(tmp_path / "b")]) == 0
    assert "was complete already" in capsys.readouterr().out


def test_list_alone_says_what_can_be_listed(capsys):
    assert main(["list"]) == 0
    assert capsys.readouterr().out.split() == ["methods", "datasets", "models", "prompts", "logs"]


def test_a_table_is_not_written_under_another_kinds_name(tmp_path, capsys):
    assert main(["export", str(tmp_path), "--out", "x.xlsx"]) == 2
    assert "ends in .csv" in capsys.readouterr().err
