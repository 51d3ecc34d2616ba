"""Twenty problems of one's own by a server of one's own: money, units, lists, percent, fractions, large numbers."""

import json
import shutil
from collections import defaultdict
from itertools import count
from pathlib import Path

import trove_lite as tl
from trove_lite.cli import main
from trove_lite.running.live import recorded_streams
from trove_lite.view.questions import problems_of

from .models.misbehaving import Server, choice

FILE = Path(__file__).with_name("outsider.jsonl")  # programs that a person finds right, and wrong ones, a problem


def test_every_verdict_is_a_persons_and_the_run_is_read_from_anywhere(tmp_path, monkeypatch, capsys):
    problems = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    asked = defaultdict(count)

    def answer(handler, body):
        one = max(problems, key=lambda problem: body["prompt"].rfind(problem["question"]))
        programs = one["right"] + one["wrong"]
        code = programs[next(asked[one["question"]]) % len(programs)]
        choice(text=f"Let me see.\n```python\n{code}\n```\n")(handler, body)

    (tmp_path / "work" / "data").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    shutil.copy(FILE, "data/twenty.jsonl")
    with Server(always=answer) as server:
        words = ["--dataset", "data/twenty.jsonl", "--methods", "primitive", "--k", "5", "--seeds", "0", "--quiet"]
        assert main(["run", "--model", server.url, "--out", "runs/mine", *words]) == 0
    monkeypatch.chdir(tmp_path / "elsewhere")
    run = "../work/runs/mine"
    right = {(number, code) for number, one in enumerate(problems) for code in one["right"]}
    found = tl.load_candidates(run)
    codes = found["solution"].str.removeprefix("```python").str.removesuffix("```").str.strip()
    verdicts = dict(zip(zip(found["problem"], codes, strict=True), found["correct"], strict=True))
    assert len(verdicts) == sum(len(one["right"] + one["wrong"]) for one in problems)
    assert {key for key, verdict in verdicts.items() if verdict != (key in right)} == set()
    capsys.readouterr()
    assert main(["judge", run]) == 0
    assert f"{len(right)} right, {len(right)} before" in capsys.readouterr().out
    shown, missing = problems_of(found, [Path(run)])
    assert (len(shown), missing) == (len(problems), [])
    assert len(list(recorded_streams([run]))) == 1
