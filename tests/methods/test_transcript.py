"""Requests of PoT, Entangled, CREATOR and tool use against a recorded transcript, prompt by prompt.

`python -m tests.methods.test_transcript` records it again, for whoever changes a prompt on purpose.
"""

import json
from pathlib import Path

import pytest

from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Question
from trove_lite.methods import load_method
from trove_lite.methods.base import Run
from trove_lite.prompts import load_pack
from trove_lite.running.driver import prompt_of
from trove_lite.running.settings import RunSettings

from .playing import came_of, play

RECORDED = Path(__file__).with_name("transcript.json")
QUESTION = Question("math", "counting", 0, "In how many ways can 3 of 7 books be chosen?")
WAYS = {"": {}, "_bare": {"demonstrations": False}, "_thoughts": {"thoughts": True}}
#: Name of a conversation → method, preset and choices.
CONVERSATIONS = {
    f"{method}{way}, {preset}": (method, preset, choices)
    for method in ("pot", "entangled", "creator")
    for way, choices in WAYS.items()
    for preset in (("paper", "released") if method == "creator" and not way else ("paper",))
} | {"tool_use, paper": ("tool_use", "paper", {})}


def requests(name):
    """What is asked, in order, where every tool and program fails until the last repair."""
    method, preset, choices = CONVERSATIONS[name]
    pack = load_pack("own", load_dataset("math"))
    usual = {"dataset": "math", "categories": ("counting",), "model": "practice", "prompts": "own", "k": 2}
    settings = RunSettings(**usual, methods=(method,), preset=preset, choices={method: choices}).of(method, 0)

    def reply(request, sample):
        last = request.stage == "rectify" and request.round == 3
        code = f"```python\n{request.stage}({request.round})\n```"
        status = "ok" if last or request.stage == "evaluate" else "error"
        error = "" if last else f"NameError: name '{request.stage}' is not defined (line 1)"
        return came_of(request, sample, f"QUERY: 7*6*5/6\n{code}", status, "35", error, ok=last, solution=code)

    def shown(request):
        about = {"stage": request.stage, "round": request.round}
        if isinstance(request, Run):
            return about | {"program": request.program}
        return about | {"runs": request.runs, "prompt": prompt_of(request, pack)}

    asked, _ = play(load_method(method).steps([QUESTION], settings), reply)
    return [shown(request) for request, sample in asked if sample == request.samples[0]]


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_requests_match_the_recorded_transcript(name):
    assert requests(name) == json.loads(RECORDED.read_text(encoding="utf-8"))[name]


if __name__ == "__main__":
    text = json.dumps({name: requests(name) for name in CONVERSATIONS}, indent=1, ensure_ascii=False)
    RECORDED.write_text(text + "\n", encoding="utf-8")
