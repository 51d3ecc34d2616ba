"""Real vLLM engines on the CPU: in process and behind `vllm serve`, they answer alike, and say so
when they die."""

import asyncio
import gc
import hashlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psutil
import pytest

from trove_lite.errors import TroveLiteError
from trove_lite.models import load_model
from trove_lite.models.base import Message, ModelError, PromptRefused, SamplingSettings

SETTINGS = SamplingSettings(max_tokens=48)
LENGTH = 4096
#: vLLM's own sampling, which a server uses too; ours is in test_nucleus.
ENGINE = f"max_model_len={LENGTH}&dtype=float32&enforce_eager=true&kv_cache_memory_bytes={1 << 30}&logits_processors=[]"
#: Tildes, a token each: with them alone the context overflows, or with what is to be written; or it
#: does not.
TOO_LONG = (LENGTH + 1, LENGTH - SETTINGS.max_tokens + 1)
LONG = LENGTH - SETTINGS.max_tokens - 9
#: Prompts of more than a block of the prefix cache, with five seeds each.
WISHES = [("def f(x): return x " * 40 + f"print({n})", range(5 * n, 5 * n + 5)) for n in range(10)]


async def together(model) -> list:
    return await asyncio.gather(*(model.complete(prompt, seeds) for prompt, seeds in WISHES))


def texts(answers) -> list:
    return [
        [(c.text, c.prompt_tokens, c.completion_tokens, c.finish_reason) for c in answer]
        for answer in answers
    ]


async def failure(coroutine, kind=ModelError) -> tuple[type, str]:
    """What is raised, less its traceback, which would keep a dead engine from being collected."""
    with pytest.raises(kind) as error:
        await coroutine
    return type(error.value), str(error.value)


def ask(spec, call=together):
    async def asked():
        async with load_model(spec, SETTINGS) as model:
            return await call(model)

    found = asyncio.run(asked())
    gc.collect()  # here, where what a dead engine left open is no error
    return found


async def all_of_it(model) -> dict:
    """All that is asked of one engine in this process, whose core is killed in the end."""
    found = {}
    start = time.perf_counter()
    found["together"] = await together(model)
    found["seconds together"] = time.perf_counter() - start
    start = time.perf_counter()
    found["alone"] = [
        [(await model.complete(prompt, [seed]))[0] for seed in seeds] for prompt, seeds in WISHES
    ]
    found["seconds alone"] = time.perf_counter() - start
    found["too long"] = [await failure(model.complete("~" * length, [1])) for length in TOO_LONG]
    found["long"] = await model.complete("~" * LONG, [1])
    found["after"] = await model.complete(*WISHES[0])
    found["identity"], found["context"] = model.identity(), model.context_length
    found["chat"] = await failure(model.complete([Message("user", "Hello")], [1]), TroveLiteError)
    dying = asyncio.create_task(failure(together(model)))
    await asyncio.sleep(0.2)
    for child in psutil.Process().children(recursive=True):
        child.kill()
    found["killed"] = await dying
    return found


@pytest.fixture(scope="module")
def in_process(tiny_model):
    return ask(f"vllm:{tiny_model}?{ENGINE}", all_of_it)


@pytest.fixture(scope="module")
def server(tiny_model):
    """The address of `vllm serve`, started as anybody does but for what the CPU needs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    options = f"--host 127.0.0.1 --port {port} --served-model-name tiny --max-model-len {LENGTH} --dtype float32"
    options += f" --enforce-eager --no-enable-chunked-prefill --kv-cache-memory-bytes {1 << 30}"
    command = [Path(sys.executable).parent / "vllm", "serve", tiny_model, *options.split()]
    log = tiny_model.parent / "serve.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            stdout=output,
            stderr=output,
            start_new_session=True,
            env=os.environ | {"VLLM_NO_USAGE_STATS": "1"},
        )
    try:
        for _ in range(600):
            assert process.poll() is None, log.read_text()[-3000:]
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1).close()
                break
            except OSError:
                time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def test_a_sample_is_the_same_alone_and_among_fifty(in_process):
    assert texts(in_process["together"]) == texts(in_process["alone"])
    assert all(
        len({completion.text for completion in answer}) == 5 for answer in in_process["together"]
    )
    assert in_process["seconds together"] < in_process["seconds alone"] / 1.5


def test_a_prompt_that_is_too_long_is_refused_alone(in_process):
    assert [kind for kind, _ in in_process["too long"]] == [PromptRefused, PromptRefused]
    assert in_process["long"][0].completion_tokens > 0
    assert texts([in_process["after"]]) == texts(in_process["together"][:1])


def test_tokens_from_the_prefix_cache_and_time_in_the_queue_are_told(in_process):
    again = [completion for answer in in_process["alone"] for completion in answer][1]
    assert 0 < again.cached_tokens < again.prompt_tokens
    for answer in in_process["together"]:
        assert all(
            completion.queue_seconds >= 0 and completion.seconds > 0 for completion in answer
        )


def test_a_model_without_a_chat_template_says_so(in_process):
    kind, said = in_process["chat"]
    assert kind is TroveLiteError
    assert "has no chat template" in said


def test_a_folder_is_known_by_its_name_and_the_sha256_of_its_weights(in_process, tiny_model):
    identity = in_process["identity"]
    assert identity.pop("version")
    weights = hashlib.sha256((tiny_model / "model.safetensors").read_bytes()).hexdigest()
    assert identity == {"name": "llama", "sha256": weights, "dtype": "float32", "engine": "vllm"}
    assert in_process["context"] == LENGTH


def test_an_engine_that_dies_is_an_error_and_no_text(in_process):
    kind, said = in_process["killed"]
    assert kind is ModelError
    assert "run again" in said


def test_a_model_that_is_not_there_is_named():
    with pytest.raises(ModelError, match="cannot start '/nowhere/at/all'"):
        ask(f"vllm:/nowhere/at/all?{ENGINE}")
    with pytest.raises(ModelError, match="no_such_argument"):
        ask("vllm:/nowhere/at/all?no_such_argument=1")


def test_the_same_seeds_give_the_same_text_over_http(in_process, server):
    """Though the model's own generation_config.json, which a server heeds, asks for top_k = 1."""
    assert texts(ask(f"{server}#tiny")) == texts(in_process["together"])
    assert texts(ask(f"{server}?concurrency=3")) == texts(in_process["together"])
