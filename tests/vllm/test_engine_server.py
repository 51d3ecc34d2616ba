"""The bench's own server (studies/engine), its kernel interpreted on the CPU: it writes what transformers writes."""

import json
import os
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch

from studies.engine import __main__ as server_program
from studies.engine.model import draw

NAMES = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.o_proj": "attn_output",
}
NAMES |= {f"self_attn.{x}_proj": f"attn_{x}" for x in "qkv"} | {
    "_proj": "",
    "mlp.": "ffn_",
    "model.layers.": "blk.",
}
NAMES |= {"model.embed_tokens": "token_embd", "model.norm": "output_norm"}
PROMPTS = [
    "def f(x): return x",
    "def f(x): return x + 1 print",
    "**Tools** print(1 + 2)",
    "import math",
    "x" * 90,
]
CHAT = "<|im_start|>system\nHelp.<|im_end|>\n<|im_start|>user\nimport<|im_end|>\n<|im_start|>assistant\n"
CHAT_JSON = {"system": "Help.", "ends": [1], "name": "tiny", "file": "tiny-f32.gguf"}
SIZE = {
    "vocab_size": 384,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
}


@pytest.fixture(scope="module")
def model(tmp_path_factory, tiny_model):
    """A tiny random Qwen2, with its tokenizer and the folder that the server reads."""
    from tokenizers import Tokenizer
    from transformers import Qwen2Config, Qwen2ForCausalLM

    torch.manual_seed(0)
    how = SIZE | {
        "num_key_value_heads": 2,
        "tie_word_embeddings": True,
        "initializer_range": 0.3,
        "eos_token_id": 1,
    }
    made, folder, entries, at = (
        Qwen2ForCausalLM(Qwen2Config(**how)).eval(),
        tmp_path_factory.mktemp("engine"),
        [],
        0,
    )
    with (folder / "weights.bin").open("wb") as out:
        for name, weight in made.named_parameters():
            weight.data += torch.randn_like(weight) / 3 if name.endswith("bias") else 0
            for theirs, ours in NAMES.items():
                name = name.replace(theirs, ours)
            size = {
                "kind": "F32",
                "offset": at,
                "bytes": 4 * weight.numel(),
                "shape": list(weight.shape),
            }
            entries.append({"name": name} | size)
            at += out.write(weight.detach().numpy().tobytes())
    config = {"layers": 2, "heads": 4, "kv_heads": 2, "hidden": 64, "eps": 1e-6, "theta": 10000.0}
    for name, value in {"weights": entries, "config": config, "chat": CHAT_JSON}.items():
        (folder / f"{name}.json").write_text(json.dumps(value))
    (folder / "tokenizer.json").write_bytes((tiny_model / "tokenizer.json").read_bytes())
    return made, Tokenizer.from_file(str(folder / "tokenizer.json")), folder


@pytest.fixture(scope="module")
def ask(model):
    """Asks the running server."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    how = ["--slots", "3", "--length", "512", "--device", "cpu", "--ports", str(port)]
    env = os.environ | {"TRITON_INTERPRET": "1", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "studies.engine", str(model[2]), *how]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as server:
        next((line for line in server.stdout if line.startswith("serving")), None)

        def answer(path="/v1/completions", **body):
            try:
                url, data = (
                    f"http://127.0.0.1:{port}{path}",
                    json.dumps(body).encode() if body else None,
                )
                with urllib.request.urlopen(url, data) as reply:
                    return json.load(reply)
            except urllib.error.HTTPError as error:
                return error.code, json.load(error)["error"]["message"]

        yield answer
        server.kill()


@pytest.mark.parametrize("top_p", [0.3, 0.9])
def test_draws_stay_in_the_nucleus_and_are_as_likely(top_p):
    logits, u = (
        torch.randn(384, generator=torch.manual_seed(1)) * 3,
        (torch.arange(20000) + 0.5) / 20000,
    )
    ranked, order = (logits / 0.7).softmax(0).sort(descending=True)
    kept, ones = torch.where(ranked.cumsum(0) - ranked < top_p, ranked, 0), torch.ones_like(u)
    drawn = torch.bincount(
        draw(logits.expand(len(u), -1), 0.7 * ones, top_p * ones, u), minlength=384
    ) / len(u)
    assert torch.allclose(drawn[order], kept / kept.sum(), atol=1e-4)


def test_a_cpu_does_by_pytorch_what_the_kernels_do():
    code, env = (
        f"import runpy; runpy.run_path({__file__!r})['compare']()",
        os.environ | {"TRITON_INTERPRET": "1"},
    )
    subprocess.run(
        [sys.executable, "-c", code], env=env, check=True
    )  # apart: Triton reads it when it is imported


def compare():
    from studies.engine import kernels, plain

    torch.manual_seed(0)
    x, y, weight, qkv = (
        torch.randn(5, 64),
        torch.randn(5, 64),
        torch.randn(64),
        torch.randn(5, 8, 32),
    )
    angle = torch.randn(40, 16)
    row_slot, pos = torch.tensor([0, 0, 0, 2, 2]), torch.tensor([4, 5, 6, 0, 1])
    of_sequence = torch.tensor(
        [[0, 3], [3, 2], [0, 2], [4, 0]], dtype=torch.int32
    )  # begins, counts, slots, firsts
    each = torch.arange(5, dtype=torch.int32), torch.ones(5, dtype=torch.int32), row_slot, pos

    def done(by):
        added, (keys, values) = (
            x.clone(),
            (torch.randn(3, 40, 2, 32, generator=torch.manual_seed(1)) for _ in "kv"),
        )
        q = by.turned(qkv, pos, row_slot, angle.cos(), angle.sin(), keys, values)
        seen = by.attended(q, keys, values, *of_sequence, 3), by.attended(q, keys, values, *each, 1)
        return (
            by.normed(x, weight, 1e-6),
            by.normed(added, weight, 1e-6, y),
            added,
            keys,
            values,
            q,
            *seen,
            by.gated(x),
        )

    for ours, theirs in zip(done(plain), done(kernels), strict=True):
        assert torch.allclose(ours, theirs, atol=1e-5)


def test_greedy_replies_are_those_of_transformers_however_many_ask(model, ask):
    asked = [
        *({"prompt": prompt} for prompt in PROMPTS),
        {"messages": [{"role": "user", "content": "import"}]},
    ]
    with ThreadPoolExecutor(12) as pool:
        replies = list(pool.map(lambda body: ask(**body, max_tokens=8, temperature=0), asked * 2))
    for prompt, reply in zip([*PROMPTS, CHAT] * 2, replies, strict=True):
        ids = torch.tensor([model[1].encode(prompt, add_special_tokens=False).ids])
        new = (
            model[0]
            .generate(ids, max_new_tokens=8, do_sample=False, pad_token_id=1)[0, ids.shape[1] :]
            .tolist()
        )
        (choice,), words = reply["choices"], server_program.words_of(model[1], 384)
        text = b"".join(words[one] for one in new if one != 1).decode("utf-8", "replace")
        assert (choice["message"]["content"] if prompt == CHAT else choice["text"]) == text
        assert choice["finish_reason"] == ("stop" if new[-1] == 1 else "length")
        assert (reply["usage"]["prompt_tokens"], reply["usage"]["completion_tokens"]) == (
            ids.shape[1],
            len(new),
        )


def test_a_seed_writes_the_same_alone_and_among_others_and_a_stop_cuts_it(ask):
    def say(seed, **how):
        return ask(prompt=PROMPTS[seed % 3], seed=seed, max_tokens=8, temperature=1, **how)[
            "choices"
        ][0]

    alone = [say(seed)["text"] for seed in range(3)]
    with ThreadPoolExecutor(3) as pool:
        assert [one["text"] for one in pool.map(say, range(3))] == alone
    assert len(set(alone)) == 3
    stop = re.search("[ -~]{2}", alone[2])[
        0
    ]  # bytes that are no text are not to be told from others
    expected = {"index": 0, "finish_reason": "stop", "text": alone[2].partition(stop)[0]}
    assert say(2, stop=stop) == say(2, stop=["never written", stop]) == expected


def test_a_wrong_request_is_refused_in_a_line(ask):
    long, hot = ask(prompt="print " * 999), ask(prompt="print", temperature="hot")
    none, listed, two, zero = (
        ask(model="any"),
        ask(prompt=["print"]),
        ask(prompt="a", n=2),
        ask(prompt="a", top_p=0),
    )
    assert long == (
        400,
        f"This model's maximum context length is 498 tokens; the prompt has {long[1].split()[-1]}",
    )
    assert {code for code, _ in (hot, none, listed, two, zero)} == {400}
    assert "could not convert string to float: 'hot'" in hot[1]
    assert not any("\n" in said for _, said in (hot, none, listed, two, zero))
    assert ask("/v1/models")["data"][0]["id"] == "tiny"
