"""What people met who had not built this: contradictions in data, a moved run, one number for one run."""

import json
import re
import shlex
import shutil
from glob import glob
from pathlib import Path

import pytest

from trove_lite.analysis.summary import summarise
from trove_lite.candidates import load_candidates
from trove_lite.cli import main

from .newcomer import INPUTS, inputs
from .recorded.test_harness_logs import evalplus, imported
from .view.test_beside import two_models

UNEVEN = [(given["samples_a_task"], given["right_of_them"], None) for given in inputs("import evalplus").values()]
UNEVEN += [((5, 5), (5, 5), 1.0), ((4, 4), (4, 4), None), ((10, 5), (10, 5), 1.0), ((5, 5), (0, 1), 0.5)]
UNEVEN += [((1,), (1,), None), ((10, 6), (1, 0), 0.25), ((5, 4, 5), (5, 4, 5), None)]


@pytest.mark.parametrize(("counts", "right", "known"), UNEVEN)
def test_pass_at_5_is_of_all_problems_or_of_none(tmp_path, counts, right, known):
    results = {"eval": {}}
    for task, (count, passed) in enumerate(zip(counts, right, strict=True)):
        samples = [("pass", "pass")] * passed + [("pass", "fail")] * (count - passed)
        results["eval"] |= evalplus(*samples, task=f"HumanEval/{task}")["eval"]
    (tmp_path / "s_eval_results.json").write_text(json.dumps(results))
    (found,) = summarise(imported(tmp_path, "evalplus", tmp_path / "s_eval_results.json"))["runs"]
    assert found["pass_at_5"] == {"s": known}


def test_a_run_says_its_rule_and_the_number_of_summary_and_goes_on_where_it_was_moved_to(tmp_path, capsys):
    words = ["run", "--methods", "trove", "--categories", "counting", "--seeds", "0", "--limit", "2", "--quiet"]
    assert main([*words, "--out", str(tmp_path / "a")]) == 0
    said = capsys.readouterr().out
    assert re.search(r"trove: [\d.]+ %, \w+_stage\w*$", said, re.MULTILINE)
    (found,) = summarise(load_candidates(tmp_path / "a"))["runs"]
    share = 100 * found["one_stage_correct"] / found["problems"]
    assert f"trove: {share:.1f} % by one_stage agreement" in said
    shutil.move(tmp_path / "a", tmp_path / "b")
    assert main([*words, "--out", str(tmp_path / "b")]) == 0
    assert "was complete already" in capsys.readouterr().out


REPORTED = [name for name, entry in INPUTS.items() if entry["kind"].endswith(", report")]


@pytest.fixture
def harness_logs(tmp_path, monkeypatch):
    """Two logs of lm-eval and two of evalplus in the folder where one works."""
    monkeypatch.chdir(tmp_path)
    for number, folder in enumerate(two_models(tmp_path, way="strict-match"), start=1):
        folder.rename(f"m{number}")
    for name, status in (("a", "fail"), ("b", "pass")):
        results = {"eval": {}}
        for n in range(9):
            results["eval"] |= evalplus((status, status), ("pass", "pass"), task=f"HumanEval/{n}")["eval"]
        Path(f"{name}_eval_results.json").write_text(json.dumps(results))


def run_as_told(name):
    """Run the commands of an input, with their patterns of files filled in."""
    for command in INPUTS[name]["input"]["commands"]:
        words = [path for word in shlex.split(command)[1:] for path in sorted(glob(word)) or [word]]
        assert main(words) == 0


@pytest.mark.parametrize("name", REPORTED)
def test_two_logs_of_a_harness_are_reported_by_the_notebooks_that_fit(name, harness_logs, told_to_run):
    run_as_told(name)
    told = {job.notebook.stem[:2] for job in told_to_run}
    assert "02" in told
    assert told.isdisjoint({"16", "18"})  # about runs of the papers' methods, and about votes among samples


@pytest.mark.slow
@pytest.mark.parametrize("name", REPORTED)
def test_no_notebook_of_such_a_report_fails(name, harness_logs):
    run_as_told(name)


def test_list_alone_says_what_can_be_listed(capsys):
    assert main(["list"]) == 0
    assert capsys.readouterr().out.split() == ["methods", "datasets", "models", "prompts", "logs"]
