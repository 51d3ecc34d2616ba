"""MEMORY: what is shown, in which order, and how texts are looked up."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from trove_lite.datasets import load_dataset
from trove_lite.datasets.base import Question
from trove_lite.errors import TroveLiteError
from trove_lite.methods import load_method
from trove_lite.methods.base import Budget
from trove_lite.prompts import load_pack
from trove_lite_papers.makers.lookup import embedded
from trove_lite_papers.makers.memory import MemorySettings

from ...methods.playing import came_of, play

TEXTS = (
    "How many ways to choose a committee?",
    "What is the area of a circle?",
    "How many ways to choose a team?",
)
QUESTIONS = [Question("practice", "counting", index, text) for index, text in enumerate(TEXTS)]


def reply(request, sample, text="", *, output="", answers=("1.0",), **more):
    return came_of(request, sample, text, "ok", output, answers=answers, **more)


def play_memory(settings, answers=lambda request, sample: ("1.0",)):
    def program(request, sample):
        code = f"print({request.question.index})"
        return reply(
            request,
            sample,
            code,
            solution=f"```python\n{code}\n```",
            answers=answers(request, sample),
        )

    asked, _ = play(load_method("memory").steps(QUESTIONS, settings), program)
    return asked


def test_memory_shows_programs_that_agreed_whole_and_the_likest_last():
    asked = play_memory(MemorySettings(budget=Budget(2)))
    assert [request.stage for request, _ in asked] == [
        "memory"
    ] * 6  # k requests a problem, and nothing besides
    shown = [request.values["memory"] for request, sample in asked if sample == 0]
    assert shown[0] == ""
    pack = load_pack("own", load_dataset("practice"))
    first = QUESTIONS[0]
    assert pack.render(first, "memory", memory="") == pack.render(first, "primitive")
    worked = f"**Question**\n{TEXTS[0]}\n\n**Tools**\n```python\n\n```\n\n**Solution**\n```python\nprint(0)\n```"
    prompt = pack.render(QUESTIONS[1], "memory", memory=shown[1])
    assert prompt.endswith(f"\n\n\n{worked}\n\n\n**Question**\n{TEXTS[1]}\n\n")  # it is asked last
    assert shown[2].index("print(1)") < shown[2].index(
        "print(0)"
    )  # a committee is more like a team
    assert all(request.shown == request.library == () for request, _ in asked)  # never a function


@pytest.mark.parametrize(
    ("choices", "answers"),  # no two agree, there is no answer, none may be shown
    [
        ({}, lambda request, sample: (str(sample),)),
        ({}, lambda *_: ()),
        ({"similar": 0}, lambda *_: ("1.0",)),
    ],
)
def test_memory_shows_nothing_where_nothing_agreed(choices, answers):
    asked = play_memory(MemorySettings(budget=Budget(2), **choices), answers)
    assert {request.values["memory"] for request, _ in asked} == {""}


@pytest.mark.parametrize("likeness", ["embeddings", "embedding:", "embedding", ""])
def test_a_likeness_that_is_none_is_refused(likeness):
    with pytest.raises(TroveLiteError, match="write words or embedding:NAME"):
        MemorySettings(likeness=likeness)


def test_embeddings_look_up_by_the_cosine_of_what_the_model_says(monkeypatch):
    vectors = {"choose": [1, 0], "area": [0.6, 0.8]}

    class SentenceTransformer:
        def __init__(self, name, device):
            assert (name, device) == ("some/model", "cpu")

        def encode(self, text, normalize_embeddings):
            return np.array(next((vectors[word] for word in vectors if word in text), [-1, 0]))

    monkeypatch.setitem(
        sys.modules,
        "sentence_transformers",
        SimpleNamespace(SentenceTransformer=SentenceTransformer),
    )
    embedded.cache_clear()
    alike = MemorySettings(likeness="embedding:some/model").measure
    found = {
        word: alike("Ways to choose?", f"Is it {word}?") for word in ("choose", "area", "volume")
    }
    assert found == pytest.approx({"choose": 1, "area": 0.6, "volume": -1})


def test_embeddings_without_their_package_name_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    embedded.cache_clear()
    with pytest.raises(TroveLiteError, match=r"pip install -e '\.\[embeddings\]'"):
        _ = MemorySettings(likeness="embedding:some/model").measure
