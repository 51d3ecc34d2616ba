"""Specs and what they make; how a server is asked; seeds that never meet; written replies."""

import asyncio
import hashlib
import json

import pytest

from trove_lite.errors import DamagedFile, TroveLiteError
from trove_lite.models import load_model
from trove_lite.models import openai as servers
from trove_lite.models.base import (
    Message,
    ModelError,
    PromptRefused,
    SamplingSettings,
    sha256_of_weights,
)
from trove_lite.models.openai import OpenAIServer
from trove_lite.models.vllm import VLLM, name_of
from trove_lite.running.live import in_own_loop

from ..scripted import run
from .misbehaving import TEXT, Server, ask, changed, error


def test_a_request_is_one_sample_with_the_settings_and_a_seed_of_its_own():
    settings = SamplingSettings(temperature=0.3, top_p=0.9, max_tokens=64, stop=("END",))
    with Server() as server:
        completions, _ = ask(server, seeds=range(40), settings=settings)
    assert [completion.text for completion in completions] == [
        f"print({seed})" for seed in range(40)
    ]
    assert sorted(body["seed"] for body in server.bodies) == list(range(40))
    same = {
        "model": "tiny",
        "prompt": TEXT,
        "temperature": 0.3,
        "top_p": 0.9,
        "max_tokens": 64,
        "stop": ["END"],
    }
    assert all(body == same | {"n": 1, "seed": body["seed"]} for body in server.bodies)


def test_a_server_that_says_how_long_to_wait_is_heard(monkeypatch):
    waited = []
    real = asyncio.sleep

    async def sleep(seconds):
        waited.append(seconds)
        await real(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    with Server(error(429, "slow down", **{"Retry-After": "300"})) as server:
        ask(server, timeout=600)
    assert waited[0] == 300


@pytest.mark.parametrize(
    ("written", "context", "kind", "words"),
    [
        (512, 4096, None, ""),
        (511, 4096, None, ""),  # some servers do not count the last one
        (256, 4096, ModelError, "give --max_tokens 256"),  # the server's own limit
        (256, 300, PromptRefused, "context was full after 256 of 512 tokens"),
    ],
)
def test_what_cut_a_text_short_is_told_apart(written, context, kind, words):
    usage = {"prompt_tokens": 50, "completion_tokens": written}
    cut = [{"text": "print(", "finish_reason": "length"}]
    with Server(
        always=changed(choices=cut, usage=usage), entry={"max_model_len": context}
    ) as server:
        found, _ = ask(server)
    if kind:
        assert type(found) is kind
        assert words in str(found)
    else:
        assert (found.finish_reason, found.completion_tokens) == ("length", written)


#: What is asked for, and what a server lists. The first is BerriAI/litellm#13643; the last: a
#: server lists none.
LISTED = [
    ("openai/gpt-4o", "openai/*"),
    ("tiny", "tiny:latest"),
    ("tiny:free", "tiny"),
    ("tiny", None),
]


@pytest.mark.parametrize(("asked", "listed"), LISTED)
def test_a_variant_of_a_listed_model_is_known(asked, listed):
    with Server(models=(listed,) if listed else ()) as server:
        assert ask(server, model=asked)[0].text == "print(1)"


def test_models_are_found_by_name_or_where_there_is_only_one():
    with Server(models=("a", "b")) as server:
        assert "no model 'c' there; name one of a, b after a #" in str(ask(server, model="c")[0])
        assert ask(server, model=load_model(f"{server.url}?list=off#c"))[0].text == "print(1)"
    with Server(models=("only",)) as server:
        ask(server, model="")
        assert server.bodies[0]["model"] == "only"
    with Server(models=b"<html>Welcome</html>") as server:
        assert "is this the address of the API" in str(ask(server)[0])


OF_VLLM = {"owner": "vllm", "entry": {"root": "/home/somebody/Qwen", "meta": {"ftype": "Q4_K"}}}


@pytest.mark.parametrize(
    ("given", "model", "identity"),
    [
        (
            OF_VLLM,
            "tiny",
            {"name": "tiny", "engine": "vllm", "file": "Qwen", "quantization": "Q4_K"},
        ),
        (
            {"owner": "llamacpp", "models": ("/home/me/Qwen",)},
            "",
            {"name": "Qwen", "engine": "llamacpp"},
        ),
    ],
)
def test_a_server_says_what_it_serves_and_what_it_would_add_is_switched_off(given, model, identity):
    """A path on its disk is asked for, and not recorded."""
    with Server(**given) as server:
        _, asked = ask(server, model=model)
    assert (asked.name, asked.identity(), asked.context_length) == (
        identity["name"],
        identity,
        4096,
    )
    assert server.bodies[0]["model"] == server.models[0]
    assert servers.NEUTRAL[given["owner"]].items() <= server.bodies[0].items()


def test_specs_name_backends():
    settings = SamplingSettings(max_tokens=9)
    local = load_model(
        "vllm:org/name?max_model_len=4096&dtype=float16&enforce_eager=true", settings
    )
    assert isinstance(local, VLLM)
    assert (local.name, local.settings) == ("org/name", settings)
    assert local._engine_args == {"max_model_len": 4096, "dtype": "float16", "enforce_eager": True}
    told = load_model("vllm:org/name?logprobs=on")
    assert (local.logprobs, told.logprobs, told._engine_args) == (None, 0, {})
    server = load_model("http://localhost:8000/v1/?concurrency=8&timeout=2.5#org/name")
    assert isinstance(server, OpenAIServer)
    assert (server.name, server.url) == ("org/name", "http://localhost:8000/v1")
    assert (server.concurrency, server.timeout) == (8, 2.5)
    assert server.settings == SamplingSettings()


def test_the_weights_of_a_folder_are_known_by_one_sum(tmp_path):
    for name, part in (
        ("b.safetensors", b"second"),
        ("a.safetensors", b"first"),
        ("c.gguf", b"other"),
    ):
        (tmp_path / name).write_bytes(part)
    assert sha256_of_weights(tmp_path) == hashlib.sha256(b"firstsecond").hexdigest()
    assert sha256_of_weights(tmp_path / "c.gguf") == hashlib.sha256(b"other").hexdigest()
    assert sha256_of_weights(tmp_path.parent) is None


def test_a_folder_is_known_by_its_name_and_a_snapshot_by_the_hubs(tmp_path, monkeypatch):
    snapshot = tmp_path / "models--org--name" / "snapshots" / "0123abcd"
    snapshot.mkdir(parents=True)
    assert name_of(str(snapshot)) == ("org/name", "0123abcd")
    assert name_of(str(tmp_path / "models--org--name")) == ("models--org--name", None)
    assert name_of("org/name") == ("org/name", None)
    monkeypatch.chdir(snapshot)
    assert name_of(".") == ("org/name", "0123abcd")
    monkeypatch.chdir(tmp_path)
    assert load_model("vllm:models--org--name").name == "models--org--name"


def test_no_error_of_a_run_is_part_of_its_own_context(tmp_path):
    """In such a circle IPython gives up, and a notebook does not say what failed."""
    with Server(200, 404) as server, pytest.raises(ModelError) as error:
        run(tmp_path / "a", model=OpenAIServer(server.url, "tiny"))
    seen = []
    waiting = [error.value]
    while waiting:
        one = waiting.pop()
        assert not any(one is other for other in seen)
        seen.append(one)
        waiting += [e for e in (one.__context__, *getattr(one, "exceptions", ())) if e]


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
    one = {"prompt": r"How many (\w+)", "text": r"\1"}
    more = {"prompt": r"say(?s:.*)How many (\w+)", "text": r"all \1"}
    assert canned(one, prompt="How many dogs?\nHow many cats?") == ["cats"]
    assert canned(one, more, prompt="say\nHow many dogs?\nHow many cats?") == ["all cats"]
    assert canned(
        {"prompt": "dogs", "text": "no"}, one, prompt="How many dogs?\nHow many cats?"
    ) == ["cats"]
    assert canned(one, prompt=[Message("system", "count"), Message("user", "How many dogs?")]) == [
        "dogs"
    ]


def test_a_seed_draws_a_reply_and_a_stop_ends_it(canned):
    drawn = canned({"prompt": "x", "texts": ["a", "b"]}, prompt="x", seeds=range(40))
    assert set(drawn) == {"a", "b"}
    assert drawn == canned({"prompt": "x", "texts": ["a", "b"]}, prompt="x", seeds=range(40))
    assert canned({"prompt": "x", "text": "a END b"}, prompt="x", stop=("END",)) == ["a "]


def test_what_no_line_is_for_is_refused_and_a_line_that_is_none_is_named(canned, tmp_path):
    with pytest.raises(PromptRefused, match="no line is for this prompt"):
        canned({"prompt": "x", "text": "a"}, prompt="y")
    for wrong in (
        {"prompt": "("},
        {"text": "a"},
        {"prompt": "(", "text": "a"},
        {"prompt": "x", "text": r"\1"},
        [],
        1,
    ):
        with pytest.raises(DamagedFile, match="line 2: no reply"):
            canned({"prompt": "x", "text": "a"}, wrong)
    for spec in ("canned:", "canned:/nowhere", f"canned:{tmp_path}"):
        with pytest.raises(TroveLiteError):
            load_model(spec)
