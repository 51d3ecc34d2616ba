"""Specs and what they make; how a server is asked; keys that nobody sees; seeds that never meet."""

import asyncio
import hashlib
import time

import pytest

from trove_lite.errors import TroveLiteError
from trove_lite.models import load_model
from trove_lite.models import openai as servers
from trove_lite.models.base import ModelError, PromptRefused, SamplingSettings, sha256_of_weights
from trove_lite.models.openai import OpenAIServer
from trove_lite.models.vllm import VLLM, name_of

from ..scripted import run
from .misbehaving import KEY, Server

PROMPT = "**Question**\nWhat is $1+1$?\n\n**Solution**\n"


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("TROVE_LITE_API_KEY", KEY)


def ask(server, seeds=(1,), *, model="tiny", settings=None, sampling=None, **options):
    async def asked():
        options.setdefault("first_pause", 0.01)
        async with OpenAIServer(server.url, model, settings, **options) as entered:
            return await entered.complete(PROMPT, seeds, sampling=sampling)

    return asyncio.run(asked())


def test_a_request_is_one_sample_with_the_settings_and_a_seed_of_its_own():
    settings = SamplingSettings(temperature=0.3, top_p=0.9, max_tokens=64, stop=("END",))
    with Server() as server:
        completions = ask(server, range(40), settings=settings)
    assert [completion.text for completion in completions] == [f"print({seed})" for seed in range(40)]
    assert sorted(body["seed"] for body in server.bodies) == list(range(40))
    same = {"model": "tiny", "prompt": PROMPT, "temperature": 0.3, "top_p": 0.9, "max_tokens": 64, "stop": ["END"]}
    assert all(body == same | {"n": 1, "seed": body["seed"]} for body in server.bodies)


@pytest.fixture
def pauses(monkeypatch):
    """The seconds that were to be waited for before a request was sent again; nobody waits for them."""
    waited, real = [], asyncio.sleep

    async def sleep(seconds):
        waited.append(seconds)
        await real(0)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return waited


def test_a_server_that_says_how_long_to_wait_is_heard(pauses):
    with Server((429, {"Retry-After": "300"})) as server:
        ask(server)
    assert pauses[0] == 300


def test_a_slow_server_is_not_waited_for_longer_than_the_timeout():
    with Server(5.0, 5.0) as server, pytest.raises(ModelError, match=r"no answer within 0.1 s, 2 times"):
        ask(server, timeout=0.1, retries=1)
    with Server(60.0) as server:
        assert ask(server, timeout=1, retries=1)[0].text == "print(1)"


def test_text_that_the_context_cut_short_is_refused_and_what_the_settings_cut_is_not():
    cut = {"choices": [{"text": "print(", "finish_reason": "length"}]}
    with Server(answer=cut, entry={"max_model_len": 12}) as server:
        assert ask(server, settings=SamplingSettings(max_tokens=7))[0].finish_reason == "length"
        with pytest.raises(PromptRefused, match="context was full after 7 of 12 tokens"):
            ask(server, settings=SamplingSettings(max_tokens=12))


def test_one_failure_ends_the_other_requests():
    with Server((401, {"said": "bad"}), *[300.0] * 7) as server:
        start = time.monotonic()
        with pytest.raises(ModelError, match="401"):
            ask(server, range(8))
    assert time.monotonic() - start < 100


def test_models_are_found_by_name_or_where_there_is_only_one():
    with Server(models=("a", "b")) as server, pytest.raises(ModelError, match="name one of a, b after a #"):
        ask(server, model="c")
    with Server(models=("only",)) as server:
        ask(server, model="")
        assert server.bodies[0]["model"] == "only"
    with Server(models=()) as server:
        assert ask(server)[0].text == "print(1)"


def identity(server, model="tiny"):
    async def asked():
        async with OpenAIServer(server.url, model) as entered:
            return entered.name, entered.identity(), entered.context_length

    return asyncio.run(asked())


def test_a_server_says_what_it_serves():
    with Server(owner="vllm", entry={"root": "/home/somebody/models/Qwen", "meta": {"ftype": "Q4_K"}}) as server:
        found = identity(server)
    assert found == ("tiny", {"name": "tiny", "engine": "vllm", "file": "Qwen", "quantization": "Q4_K"}, 4096)


def test_a_path_on_the_servers_disk_is_asked_for_and_not_recorded():
    with Server(models=("/home/somebody/models/Qwen",)) as server:
        assert identity(server, "")[:2] == ("Qwen", {"name": "Qwen", "engine": "somebody"})
        ask(server, model="/home/somebody/models/Qwen")
    assert server.bodies[0]["model"] == "/home/somebody/models/Qwen"


@pytest.mark.parametrize("owner", servers.NEUTRAL)
def test_what_known_servers_would_add_is_switched_off(owner):
    with Server(owner=owner) as server:
        ask(server)
    assert servers.NEUTRAL[owner].items() <= server.bodies[0].items()


def test_specs_name_backends():
    settings = SamplingSettings(max_tokens=9)
    local = load_model("vllm:org/name?max_model_len=4096&dtype=float16&enforce_eager=true", settings)
    assert isinstance(local, VLLM)
    assert (local.name, local.settings) == ("org/name", settings)
    assert local._engine_args == {"max_model_len": 4096, "dtype": "float16", "enforce_eager": True}
    server = load_model("http://localhost:8000/v1/?concurrency=8&timeout=2.5#org/name")
    assert isinstance(server, OpenAIServer)
    assert (server.name, server.url, server.concurrency, server.timeout) == (
        "org/name",
        "http://localhost:8000/v1",
        8,
        2.5,
    )
    assert server.settings == SamplingSettings()


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("", "no such model"),
        ("practice?folder=x", "no such model"),
        ("vllm:", "no such model"),
        ("ftp://host#m", "no such model"),
        ("http://#m", "no server has such an address"),
        ("http://127.0.0.1:99999/v1", "no server has such an address"),
        ("http://h/v1\x00", "no server has such an address"),
        ("http://xn--a/v1", "no server has such an address"),
        ("http://h/v1/chat/completions#m", "ends before /chat/completions, which is added to it"),
        ("http://h/v1?seed=maybe#m", "on or off"),
        ("http://h/v1?retries=x#m", "with a number"),
        ("http://h/v1?concurrency=0#m", "give more"),
    ],
)
def test_specs_that_name_nothing_are_refused_in_one_line(spec, words):
    with pytest.raises(TroveLiteError, match=words) as error:
        load_model(spec)
    assert str(error.value).isprintable()


def test_a_web_site_is_no_server_of_models():
    site = {"/v1/models": b"<html>Welcome</html>"}
    with Server(about=site) as server, pytest.raises(ModelError, match="is this the address of the API"):
        ask(server)


def test_the_weights_of_a_folder_are_known_by_one_sum(tmp_path):
    for name, part in (("b.safetensors", b"second"), ("a.safetensors", b"first"), ("c.gguf", b"other")):
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
    seen, waiting = [], [error.value]
    while waiting:
        one = waiting.pop()
        assert not any(one is other for other in seen)
        seen.append(one)
        waiting += [e for e in (one.__context__, *getattr(one, "exceptions", ())) if e]
