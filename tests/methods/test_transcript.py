"""Requests of PoT, Entangled, CREATOR and tool use against a recorded transcript, prompt by prompt.

`python -m tests.methods.test_transcript` records it again, for whoever changes a prompt on purpose.
"""

import json
from pathlib import Path

import pytest

from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Question
from trove_lite.methods import load_method
from trove_lite.methods.base import Attempt, Candidate
from trove_lite.prompts import load_pack
from trove_lite.running.settings import RunSettings
from trove_lite.selection import Vote

from .playing import played

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
    settings = RunSettings(
        dataset="math",
        methods=(method,),
        categories=("counting",),
        preset=preset,
        k=2,
        choices={method: choices} if choices else {},
        model="practice",
        prompts="own",
    ).of(method, 0)
    asked = []

    def sent_back(wanted):
        sent = []
        for request in wanted:
            if isinstance(request, Attempt):
                prompt = pack.render(QUESTION, request.stage, request.shown, **request.values)
                asked.append({"stage": request.stage, "round": request.round, "runs": request.runs, "prompt": prompt})
            else:
                asked.append({"stage": request.stage, "round": request.round, "program": request.program})
            last = request.stage == "rectify" and request.round == 3
            text = f"QUERY: 7*6*5/6\n```python\n{request.stage}({request.round})\n```"
            vote, status = Vote(request.mode, last, (), 0), "ok" if last or request.stage == "evaluate" else "error"
            error = "" if last else f"NameError: name '{request.stage}' is not defined (line 1)"
            code = f"```python\n{request.stage}({request.round})\n```"
            for sample in request.samples if isinstance(request, Attempt) else (request.sample,):
                sent.append(
                    Candidate(
                        request.mode, sample, text, (), vote, 9, status, "35", error, stage=request.stage, solution=code
                    )
                )
        return sent

    played(load_method(method).steps([QUESTION], settings), sent_back)
    return asked


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_requests_match_the_recorded_transcript(name):
    assert requests(name) == json.loads(RECORDED.read_text(encoding="utf-8"))[name]


@pytest.mark.parametrize(
    ("name", "calls"), [("pot, paper", 4), ("entangled, paper", 4), ("creator, paper", 5), ("creator, released", 8)]
)
def test_the_longest_path_is_as_long_as_the_formulas_say(name, calls):
    """1 + R calls of PoT and Entangled, 2 + R of CREATOR, and 3 more where a tool that fails is made anew."""
    assert len(requests(name)) == calls


def test_a_prompt_without_demonstrations_asks_the_same_and_one_with_thoughts_shows_some():
    asked = {way: requests(f"pot{way}, paper")[0]["prompt"] for way in WAYS}
    assert asked["_bare"].count("**Question**") == 1
    assert asked[""].count("**Question**") == asked["_thoughts"].count("**Question**") == 3
    assert asked[""].startswith(asked["_bare"].partition("\n\n\n")[0])
    assert asked[""].count("# Take the four clowns as one block") == 1  # PoT's thoughts are comments
    assert asked["_thoughts"].count("\nTake the four clowns as one block") == 1


if __name__ == "__main__":
    text = json.dumps({name: requests(name) for name in CONVERSATIONS}, indent=1, ensure_ascii=False)
    RECORDED.write_text(text + "\n", encoding="utf-8")
