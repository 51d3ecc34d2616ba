"""Written replies: which line answers, what it says, and whole runs by them."""

import json

import pytest

from trove_lite.errors import DamagedFile, TroveLiteError
from trove_lite.models import load_model
from trove_lite.models.base import Message, PromptRefused, SamplingSettings
from trove_lite.running.live import in_own_loop


@pytest.fixture
def canned(tmp_path):
    """Writes entries, and returns what a model that reads them says to a prompt."""
    file = tmp_path / "replies.jsonl"

    def ask(*entries, prompt="", seeds=(0,), stop=()):
        file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
        model = load_model(f"canned:{file}", SamplingSettings(stop=stop))
        return [completion.text for completion in in_own_loop(model.complete(prompt, seeds))]

    return ask


def test_the_line_whose_match_ends_last_answers_and_of_those_the_longest(canned):
    one, more = {"prompt": r"How many (\w+)", "text": r"\1"}, {"prompt": r"say(?s:.*)How many (\w+)", "text": r"all \1"}
    assert canned(one, prompt="How many dogs?\nHow many cats?") == ["cats"]
    assert canned(one, more, prompt="say\nHow many dogs?\nHow many cats?") == ["all cats"]
    assert canned({"prompt": "dogs", "text": "no"}, one, prompt="How many dogs?\nHow many cats?") == ["cats"]
    assert canned(one, prompt=[Message("system", "count"), Message("user", "How many dogs?")]) == ["dogs"]


def test_a_seed_draws_a_reply_and_a_stop_ends_it(canned):
    drawn = canned({"prompt": "x", "texts": ["a", "b"]}, prompt="x", seeds=range(40))
    assert set(drawn) == {"a", "b"}
    assert drawn == canned({"prompt": "x", "texts": ["a", "b"]}, prompt="x", seeds=range(40))
    assert canned({"prompt": "x", "text": "a END b"}, prompt="x", stop=("END",)) == ["a "]


def test_what_no_line_is_for_is_refused_and_a_line_that_is_none_is_named(canned, tmp_path):
    with pytest.raises(PromptRefused, match="no line is for this prompt"):
        canned({"prompt": "x", "text": "a"}, prompt="y")
    for wrong in ({"prompt": "("}, {"text": "a"}, {"prompt": "(", "text": "a"}, {"prompt": "x", "text": r"\1"}, [], 1):
        with pytest.raises(DamagedFile, match="line 2: no reply"):
            canned({"prompt": "x", "text": "a"}, wrong)
    for spec in ("canned:", "canned:/nowhere", f"canned:{tmp_path}"):
        with pytest.raises(TroveLiteError):
            load_model(spec)
