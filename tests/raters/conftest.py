"""A run of two methods on problems of somebody's own, whose every text is hostile."""

import json
from dataclasses import asdict

import pytest

from papers.raters.export import write_study
from trove_lite import load_problems
from trove_lite.candidates import save_run
from trove_lite.running.folder import hash_of
from trove_lite.running.settings import RunSettings

from ..simulated import candidates
from ..view.conftest import HOSTILE


def run_folder(folder, *, text=HOSTILE, problems=7):
    """A complete run folder: each problem has a program of its own, which holds `text`, as its question does."""
    file = folder / "mine.jsonl"
    lines = [json.dumps({"question": f"What is {i} + 1? {text}", "answer": 1}) for i in range(problems)]
    file.write_text("\n".join(lines))
    frame = candidates(problems=problems, runs=2, categories=("problems",)).assign(dataset="mine.jsonl")
    frame["solution"] = [f"```python\nprint({number})\n# {text}\n```" for number in frame["problem"]]
    settings = RunSettings(dataset=str(file), categories=("problems",), methods=("primitive",), seeds=(0,))
    data = {"problems": hash_of(load_problems(str(file), "problems"))}
    save_run(folder / "run", frame, {"settings": asdict(settings), "data": data})
    return folder / "run"


@pytest.fixture(scope="session")
def study(tmp_path_factory):
    """A study of four raters and all problems, hostile throughout."""
    folder = tmp_path_factory.mktemp("study")
    write_study([run_folder(folder)], folder / "study", raters=4, problems=100)
    return folder / "study"
