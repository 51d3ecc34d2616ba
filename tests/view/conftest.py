"""A page about a run whose every text is hostile."""

import json
from dataclasses import asdict

import pandas as pd
import pytest

from trove_lite import load_problems
from trove_lite.candidates import save_run
from trove_lite.running.folder import hash_of
from trove_lite.running.settings import RunSettings
from trove_lite_analysis import view

from ..simulated import candidates

HOSTILE = (
    '</script><img src=x onerror="document.documentElement.dataset.ran=1"><script>alert(1)</script>'
    "&lt;b&gt; \x1b[2J\x00 \u202e tab\there {{program}} ${alert(1)} <!-- "
)


def run_folder(folder, *, text=HOSTILE, problems=7):
    """A complete run of two methods on problems of somebody's own (`mine.jsonl`), which hold
    `text`, as programs do."""
    file = folder / "mine.jsonl"
    lines = [
        json.dumps({"question": f"What is {i} + 1?{text}", "answer": i + 1})
        for i in range(problems)
    ]
    file.write_text("\n".join(lines))
    frame = candidates(problems=problems, runs=2, categories=("problems",)).assign(
        dataset="mine.jsonl"
    )
    frame["solution"] = [
        f"```python\nprint({number})\n# {text}\n```" for number in frame["problem"]
    ]
    settings = RunSettings(
        dataset=str(file), categories=("problems",), methods=("primitive",), seeds=(0,)
    )
    data = {"problems": hash_of(load_problems(str(file), "problems"))}
    save_run(folder / "run", frame, {"settings": asdict(settings), "data": data})
    return folder / "run"


@pytest.fixture(scope="session")
def hostile(tmp_path_factory):
    """A page about a run in which every text is hostile, names and categories too."""
    frame = candidates(problems=2, runs=2, categories=("counting",))
    texts = (
        "model",
        "run",
        "category",
        "level",
        "response",
        "solution",
        "tools",
        "output",
        "error",
        "answer",
    )
    frame = frame.astype(dict.fromkeys([*texts, "status"], object))
    for name in texts:
        frame[name] = frame[name].astype(str) + HOSTILE
    frame.loc[frame["status"] == "ok", "answers"] = pd.Series([[HOSTILE]] * len(frame))
    path = tmp_path_factory.mktemp("hostile")
    save_run(path, frame, {"kind": "simulated"})
    return view.write_page([path])
