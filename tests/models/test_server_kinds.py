"""Kinds of servers that people meet: each works, or ends in one clear line; none gets the key written down.

Most are cases of public reports (the comment names one); those marked `own` were made for this test.
"""

import gzip
import json
import time
from email.utils import formatdate

import pytest

from trove_lite.models import load_model
from trove_lite.models.base import ModelError, PromptRefused, SampleUnavailable
from trove_lite.models.openai import OpenAIServer
from trove_lite.models.openai_address import waiting

from .misbehaving import CHAT, TEXT, Server, ask, changed, choice, content, error
from .test_misbehaving import is_one_clear_line

CODE = "```python\nprint(42)\n```"


@pytest.mark.parametrize(
    ("reason", "end"),
    [
        ("eos_token", "stop"),  # huggingface/text-generation-inference#2344
        ("end_turn", "stop"),  # aws-samples/bedrock-access-gateway#11
        ("STOP", "stop"),  # own
        ("MAX_TOKENS", "length"),  # own
        ("model_length", "length"),  # own
    ],
)
def test_other_names_of_an_end(reason, end):
    usage = {"prompt_tokens": 50, "completion_tokens": 512}
    with Server(always=changed(choices=[{"text": CODE, "finish_reason": reason}], usage=usage)) as server:
        found, model = ask(server)
    assert (found.text, found.finish_reason, model.retried) == (CODE, end, 0)


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        (None, (None, None, None)),
        ({"prompt_tokens": -3, "completion_tokens": "7"}, (None, None, None)),
        ({"prompt_tokens": float("nan"), "completion_tokens": float("inf")}, (None, None, None)),
        ({"prompt_tokens": 0, "completion_tokens": 0}, (None, None, None)),  # tenstorrent/tt-inference-server#3552
        ({"input_tokens": 50, "output_tokens": 9, "cache_read_input_tokens": 8}, (50, 9, 8)),  # own
        ({"prompt_eval_count": 50, "eval_count": 9}, (50, 9, None)),  # own
        ({"prompt_tokens": 50, "completion_tokens": 9, "prompt_cache_hit_tokens": 8}, (50, 9, 8)),  # own
    ],
)
def test_tokens_by_other_names_and_those_that_are_not_told(usage, counts):
    with Server(always=changed(usage=usage)) as server:
        found, model = ask(server)
    assert (found.text, model.retried) == ("print(1)", 0)
    assert (found.prompt_tokens, found.completion_tokens, found.cached_tokens) == counts


def test_log_probabilities_are_asked_for_by_option_and_read_in_either_form():
    chats, minus = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1.5}]}, float("-inf")
    cases = [({"token_logprobs": [-0.5, -1.5]}, -1), (chats, -1), (None, None)]  # ggml-org/llama.cpp#11346
    cases += [({"token_logprobs": odd}, None) for odd in ([None, -1.5], [minus], ["-1", True], -1, [])]
    for prompt, asked in ((TEXT, 1), (CHAT, True)):
        for told, mean in cases:
            with Server(always=choice(logprobs=told)) as server:
                found, _ = ask(server, prompt, model=load_model(f"{server.url}?logprobs=on#tiny"))
            assert (found.log_probability, server.bodies[0]["logprobs"] is asked) == (mean, True)


def test_an_error_in_a_success_is_what_its_code_says():
    """songquanpeng/one-api#2148"""
    busy = changed(error={"message": "Rate limit exceeded", "code": 429})
    with Server(*[busy] * 6) as server:
        found, model = ask(server, retries=8)
    assert (found.text, model.retried) == ("print(1)", 6)


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 1800 and 512"),
        (500, "Prompt length (5000) exceeds maximum input length (4096)."),
        (400, "The input token count (40000) exceeds the maximum number of tokens allowed (32768)."),
        (400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"),
        (400, "the request exceeds the available context size, try increasing it"),
        (500, "the request exceeds the available context size"),
        (400, "Please reduce the length of the messages or completion"),
        (400, "prompt is too long: 210000 tokens > 200000 maximum"),
        (400, "Input is too long for requested model."),
        (413, "Too many input tokens: 9000"),
        (400, "The decoder prompt (length 9000) is longer than the maximum model length of 8192"),
        (400, "prompt tokens exceed context limit"),
    ],
)
def test_wordings_of_too_long(status, said):
    with Server(error(status, said)) as server:
        found, model = ask(server)
    assert type(found) is PromptRefused
    assert is_one_clear_line(found)
    assert model.retried == 0


@pytest.mark.parametrize(("listed", "name"), [("openai/*", "openai/gpt-4o"), ("*", "any/name")])
def test_a_listed_pattern_names_what_fits_it(listed, name):
    """BerriAI/litellm#13643"""
    with Server(models=(listed,)) as server:
        assert ask(server, model=load_model(f"{server.url}#{name}"))[0].text == "print(1)"


def test_a_model_that_no_list_names_is_asked_for_where_the_list_is_off():
    with Server(models=("other",)) as server:
        assert "no model 'mine' there; name one of other" in str(ask(server, model="mine")[0])
        assert ask(server, model=load_model(f"{server.url}?list=off#mine"))[0].text == "print(1)"


def test_settings_left_to_the_server_are_not_sent_and_texts_end_at_the_stop_all_the_same():
    with Server(always=choice(text="print(1)\n**Question 2")) as server:
        found, model = ask(server, model=load_model(f"{server.url}?top_p=off&temperature=off&stop=off&seed=off#tiny"))
    assert found.text == "print(1)\n"
    assert not {"top_p", "temperature", "stop", "seed"} & set(server.bodies[0])
    assert model.identity()["left_to_the_server"] == ["seed", "stop", "temperature", "top_p"]


def test_an_address_without_its_last_part_is_told_which():
    with Server(always=404, models=()) as server:
        found, _ = ask(server, model=OpenAIServer(server.url.removesuffix("/v1"), "tiny"))
    assert f"write {server.url}" in str(found)


def test_a_count_that_is_one_short_was_cut_off_and_a_servers_own_limit_is_no_fault_of_the_prompt():
    found = []
    for written in (511, 256):  # of 512, in a context of 4,096
        usage = {"prompt_tokens": 50, "completion_tokens": written}
        with Server(always=changed(choices=[{"text": CODE, "finish_reason": "length"}], usage=usage)) as server:
            found.append(ask(server)[0])
    assert (found[0].finish_reason, found[0].completion_tokens) == ("length", 511)
    assert type(found[1]) is ModelError
    assert "give --max_tokens 256" in str(found[1])


def test_a_reply_packed_once_is_read_and_one_packed_twice_is_not_unpacked():
    def packed(data, *kinds):
        for _ in kinds:
            data = gzip.compress(data)
        return lambda handler, body: handler.send(200, data, {"Content-Encoding": ", ".join(kinds)})

    with Server(always=packed(LINES, "gzip")) as server:
        assert ask(server)[0].text == CODE
    with Server(always=packed(bytes(64 << 20), "gzip", "gzip")) as server:
        found, _ = ask(server)
    assert type(found) is SampleUnavailable
    assert "compressed more than once" in str(found)


NGINX = b"<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n</html>"
GOOD = {"choices": [{"text": CODE, "finish_reason": "stop"}], "usage": {"prompt_tokens": 5, "completion_tokens": 7}}
LINES = json.dumps(GOOD).encode()


def old(handler, body):
    """HTTP/1.0, and the end of the connection is the end of the reply."""
    handler.wfile.write(b"HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n" + LINES)
    handler.hang_up()


def chunked(handler, body):
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    for part in (LINES[:7], LINES[7:]):
        handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
    handler.wfile.write(b"0\r\n\r\n")


@pytest.mark.parametrize(
    "way",
    [
        old,
        chunked,
        content(b"\xef\xbb\xbf" + LINES),  # a byte order mark
        content(b"\n \n" * 99 + LINES),  # what keeps a connection alive
        content(LINES.replace(b'"usage"', b'"score": NaN, "usage"')),
        content(LINES, "text/html"),
        changed(choices=GOOD["choices"], model="another-name-2026", usage=None),
        changed(choices=[{"message": {"content": CODE}, "finish_reason": "stop"}]),  # as of a chat, though not asked so
        changed(choices=[{"text": CODE, "finish_reason": "stop", "logprobs": None, "token_ids": [1]}]),
    ],
)
def test_own_kinds_that_work(way):
    with Server(always=way) as server:
        found, model = ask(server)
    assert (found.text, model.retried) == (CODE, 0)


def test_a_page_of_html_that_says_too_large_is_a_refusal_in_a_line():
    with Server(lambda handler, body: handler.send(413, NGINX)) as server:
        found, _ = ask(server)
    assert type(found) is PromptRefused
    assert "413 Request Entity Too Large" in str(found)
    assert is_one_clear_line(found)


@pytest.mark.parametrize(("header", "seconds"), [("7", 7), ("-1", 0), ("soon", 0), ("", 0), ("inf", 0), ("nan", 0)])
def test_a_time_to_wait_in_seconds(header, seconds):
    assert waiting(header) == seconds


def test_a_time_to_wait_as_a_date():
    assert waiting(formatdate(time.time() + 90, usegmt=True)) == pytest.approx(90, abs=3)
    assert waiting(formatdate(time.time() - 90, usegmt=True)) == 0
