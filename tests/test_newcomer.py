"""What people met who had not built this: contradictions in data, a moved run, problems and a
server of one's own."""

import json
import re
import shlex
import shutil
from collections import defaultdict
from glob import glob
from itertools import count
from pathlib import Path

import pytest

import trove_lite as tl
from trove_lite.candidates import load_candidates
from trove_lite.cli import main
from trove_lite.programs import code_of
from trove_lite.running.live import recorded_streams
from trove_lite_analysis.questions import problems_of
from trove_lite_analysis.summary import summarise

from .cases import cases
from .models.misbehaving import Server, choice
from .newcomer import INPUTS, inputs
from .recorded.test_harness_logs import evalplus, imported
from .view.test_beside import two_models

UNEVEN = [
    (given["samples_a_task"], given["right_of_them"], None)
    for given in inputs("import evalplus").values()
]
UNEVEN += cases(
    """
    (5, 5),  (5, 5),  1.0
    (4, 4),  (4, 4),  None
    (10, 5), (10, 5), 1.0
    (5, 5),  (0, 1),  0.5
    """
)
UNEVEN += cases(
    """
    (1,),      (1,),      None
    (10, 6),   (1, 0),    0.25
    (5, 4, 5), (5, 4, 5), None
    """
)


@pytest.mark.parametrize(("counts", "right", "known"), UNEVEN)
def test_pass_at_5_is_of_all_problems_or_of_none(tmp_path, counts, right, known):
    results = {"eval": {}}
    for task, (given, passed) in enumerate(zip(counts, right, strict=True)):
        samples = [("pass", "pass")] * passed + [("pass", "fail")] * (given - passed)
        results["eval"] |= evalplus(*samples, task=f"HumanEval/{task}")["eval"]
    (tmp_path / "s_eval_results.json").write_text(json.dumps(results))
    (found,) = summarise(imported(tmp_path, "evalplus", tmp_path / "s_eval_results.json"))["runs"]
    assert found["pass_at_5"] == {"s": known}


def test_a_run_says_its_rule_and_the_number_of_summary_and_goes_on_where_it_was_moved_to(
    tmp_path, capsys
):
    words = "run --methods trove --categories counting --seeds 0 --limit 2 --quiet"
    assert main(f"{words} --out {tmp_path / 'a'}".split()) == 0
    said = capsys.readouterr().out
    assert re.search(r"trove: [\d.]+ %, \w+_stage\w*$", said, re.MULTILINE)
    (found,) = summarise(load_candidates(tmp_path / "a"))["runs"]
    share = 100 * found["one_stage_correct"] / found["problems"]
    assert f"trove: {share:.1f} % by one_stage agreement" in said
    shutil.move(tmp_path / "a", tmp_path / "b")
    assert main(f"{words} --out {tmp_path / 'b'}".split()) == 0
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
            results["eval"] |= evalplus((status, status), ("pass", "pass"), task=f"HumanEval/{n}")[
                "eval"
            ]
        Path(f"{name}_eval_results.json").write_text(json.dumps(results))


def run_as_told(name):
    """Run the commands of an input, with their patterns of files filled in."""
    for command in INPUTS[name]["input"]["commands"]:
        words = [path for word in shlex.split(command)[1:] for path in sorted(glob(word)) or [word]]
        assert main(words) == 0


@pytest.mark.parametrize("name", REPORTED)
def test_two_logs_of_a_harness_are_reported_by_the_notebooks_that_fit(
    name, harness_logs, told_to_run
):
    run_as_told(name)
    told = {job.notebook.stem[:2] for job in told_to_run}
    assert "02" in told
    assert told.isdisjoint(
        {"15", "16", "18"}
    )  # about how programs end, runs of the papers' methods, and votes among samples


@pytest.mark.slow
@pytest.mark.parametrize("name", REPORTED)
def test_no_notebook_of_such_a_report_fails(name, harness_logs):
    run_as_told(name)


def test_list_alone_says_what_can_be_listed(capsys):
    assert main(["list"]) == 0
    assert capsys.readouterr().out.split() == ["methods", "datasets", "models", "prompts", "logs"]


FILE = Path(__file__).with_name(
    "outsider.jsonl"
)  # programs that a person finds right, and wrong ones, a problem


def test_every_verdict_is_a_persons_and_the_run_is_read_from_anywhere(
    tmp_path, monkeypatch, capsys
):
    problems = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    asked = defaultdict(count)

    def answer(handler, body):
        one = max(problems, key=lambda problem: body["prompt"].rfind(problem["question"]))
        programs = one["right"] + one["wrong"]
        code = programs[next(asked[one["question"]]) % len(programs)]
        choice(text=f"Let me see.\n```python\n{code}\n```\n")(handler, body)

    (tmp_path / "work" / "data").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work")
    shutil.copy(FILE, "data/twenty.jsonl")
    with Server(always=answer) as server:
        words = "run --dataset data/twenty.jsonl --methods primitive --k 5 --seeds 0 --quiet"
        assert main(f"{words} --model {server.url} --out runs/mine".split()) == 0
    monkeypatch.chdir(tmp_path)
    run = "work/runs/mine"
    right = {(number, code) for number, one in enumerate(problems) for code in one["right"]}
    found = tl.load_candidates(run)
    keys = zip(found["problem"], found["solution"].map(code_of), strict=True)
    verdicts = dict(zip(keys, found["correct"], strict=True))
    assert len(verdicts) == sum(len(one["right"] + one["wrong"]) for one in problems)
    assert {key for key, verdict in verdicts.items() if verdict != (key in right)} == set()
    capsys.readouterr()
    assert main(["judge", run]) == 0
    assert f"{len(right)} right, {len(right)} before" in capsys.readouterr().out
    shown, missing = problems_of(found, [Path(run)])
    assert (len(shown), missing) == (len(problems), [])
    assert len(list(recorded_streams([run]))) == 1
