import asyncio
import hashlib
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.datasets import load_problems
from trove_lite.errors import TroveLiteError
from trove_lite.models import load_model
from trove_lite.models.base import Message, ModelError, PromptRefused, SamplingSettings
from trove_lite.models.practice.model import WEIGHTS, PracticeModel, drawable
from trove_lite.models.practice.network import Tokenizer
from trove_lite.prompts.practice import practice_prompt

PROMPTS = [
    practice_prompt("skip", problem.question.text)
    for category in ("algebra", "number")
    for problem in load_problems("practice", category)[:3]
]
TOKENIZER = Tokenizer(WEIGHTS / "tokenizer.json")
SAMPLED = SamplingSettings(max_tokens=96)


def complete(model, prompts, seeds):
    async def all_at_once():
        return await asyncio.gather(*(model.complete(prompt, seeds) for prompt in prompts))

    return [
        [completion._replace(seconds=0.0) for completion in found]
        for found in asyncio.run(all_at_once())
    ]


@pytest.fixture(scope="module")
def model():
    return PracticeModel(SAMPLED)


@pytest.fixture(scope="module")
def sampled(model):
    return complete(model, PROMPTS, range(4))


def test_it_is_known_by_its_weights(model):
    weights = (WEIGHTS / "model.safetensors").read_bytes()
    found = model.identity()
    assert (found["name"], found["sha256"]) == ("practice", hashlib.sha256(weights).hexdigest())


def test_it_refuses_to_chat_and_prompts_beyond_its_context(model):
    with pytest.raises(TroveLiteError, match="cannot chat"):
        complete(model, [[Message("user", "Hello")]], [0])
    with pytest.raises(TroveLiteError, match="cannot chat"):
        load_model("practice", chat="on")
    with pytest.raises(PromptRefused, match="at most 1023 tokens"):
        complete(model, ["word " * 4000], [0])


def test_a_sample_depends_on_its_prompt_and_seed_alone(sampled):
    for at_once in (1, 5):
        small = PracticeModel(SAMPLED, WEIGHTS, requests_at_once=at_once)
        assert complete(small, PROMPTS[:4], range(4)) == sampled[:4]
    backwards = complete(PracticeModel(SAMPLED), PROMPTS[::-1], [3, 1])
    assert [[b, a] for a, b in backwards[::-1]] == [[found[1], found[3]] for found in sampled]


def test_a_log_probability_is_the_model_s_own_before_temperature_and_top_p(model, sampled):
    found = sampled[0][0]
    read = TOKENIZER.encode(PROMPTS[0])
    tokens = [*read, *TOKENIZER.encode(found.text)[1:], model.network.end]
    logits = [model.network.read(tokens[:place])[0][0] for place in range(len(read), len(tokens))]
    each = [
        row[token] - np.log(np.exp(row).sum())
        for row, token in zip(logits, tokens[len(read) :], strict=True)
    ]
    assert (found.log_probability, found.completion_tokens) == (
        pytest.approx(np.mean(each), abs=1e-6),
        len(each),
    )


def test_chances_are_those_of_temperature_and_top_p(model):
    logits = np.random.default_rng(0).normal(size=(20, 1280)) * np.linspace(0.1, 8, 20)[:, None]
    for row, (tokens, sums) in zip(logits, drawable(logits, [model.settings] * 20), strict=True):
        chances = np.exp(row / 0.6) / np.exp(row / 0.6).sum()
        order = np.argsort(-chances)
        before = np.cumsum(chances[order]) - chances[order]
        kept = order[before < 0.95]
        assert tokens.tolist() == kept.tolist()
        np.testing.assert_allclose(
            np.diff(sums, prepend=0), chances[kept] / chances[kept].sum(), atol=1e-12
        )


def test_a_failure_reaches_everybody_who_waits_and_the_next_request_works(model, monkeypatch):
    expected = complete(model, PROMPTS[:2], [0, 1])

    def fail(*_):
        raise MemoryError("no room")

    with monkeypatch.context() as patch:
        patch.setattr(model.network, "step", fail)
        with pytest.raises(ModelError, match="no room"):
            complete(model, PROMPTS[:2], [0, 1])
    assert complete(model, PROMPTS[:2], [0, 1]) == expected


@given(st.text().filter(lambda text: "<s>" not in text and "</s>" not in text))
@settings(max_examples=200, deadline=None)
def test_any_text_survives_the_tokenizer(text):
    assert b"".join(TOKENIZER.bytes[token] for token in TOKENIZER.encode(text)).decode() == text


def test_a_request_may_be_sampled_in_a_way_of_its_own_beside_others_and_a_stop_string_ends_a_text_before_it():
    greedy = SamplingSettings(temperature=0.0, max_tokens=96)
    ways = SAMPLED, greedy, replace(greedy, stop=("int(an",)), replace(greedy, max_tokens=12)
    model = PracticeModel(SAMPLED)

    async def each():
        return await asyncio.gather(
            *(model.complete(PROMPTS[0], [5], sampling=way) for way in ways)
        )

    together = [one._replace(seconds=0.0) for (one,) in asyncio.run(each())]
    assert together == [complete(PracticeModel(way), PROMPTS[:1], [5])[0][0] for way in ways]
    _, whole, stopped, short = together
    assert stopped.text == whole.text[: whole.text.index("int(an")]
    assert (stopped.finish_reason, short.finish_reason, short.completion_tokens) == (
        "stop",
        "length",
        12,
    )
    assert stopped.completion_tokens < whole.completion_tokens
