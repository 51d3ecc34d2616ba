"""Kinds of servers that people meet: each works, or ends in one clear line; none gets the key
written down.

Most are cases of public reports (the comment names one); those marked `own` were made for this
test.
"""

import gzip
import json
import time
from email.utils import formatdate
from itertools import starmap

import pytest

from tests.newcomer import inputs
from trove_lite.models import load_model
from trove_lite.models.base import PromptRefused, SamplingSettings
from trove_lite.models.openai import OpenAIServer
from trove_lite.models.openai_address import waiting
from trove_lite.models.openai_answers import reply_of, waiting_time

from ..cases import cases
from .misbehaving import CHAT, TEXT, Server, ask, changed, choice, content, error
from .test_misbehaving import is_one_clear_line

CODE = "```python\nprint(42)\n```"


USED = {"prompt_tokens": 50, "completion_tokens": 9}
UNKNOWN = {"prompt_tokens": None, "completion_tokens": None, "cached_tokens": None}
THOUGHT = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "signature": "x"}
HALVES = [{"type": "text", "text": CODE[:9]}, {"type": "output_text", "text": CODE[9:]}]


@pytest.mark.parametrize(
    ("usage", "told"),
    cases(
        """
        None, UNKNOWN
        {"prompt_tokens": -3, "completion_tokens": "7"}, UNKNOWN
        {"prompt_tokens": NAN, "completion_tokens": INF}, UNKNOWN
        {"prompt_tokens": 0, "completion_tokens": 0}, UNKNOWN  # tenstorrent/tt-inference-server#3552
        {"input_tokens": 50, "output_tokens": 9, "cache_read_input_tokens": 8}, USED | {"cached_tokens": 8}  # own
        {"prompt_eval_count": 50, "eval_count": 9}, USED | {"cached_tokens": None}  # own
        USED | {"prompt_cache_hit_tokens": 8}, USED | {"cached_tokens": 8}  # own
        USED | {"prompt_tokens_details": {"cached_tokens": 8}}, USED | {"cached_tokens": 8}
        USED | {"completion_tokens_details": {"reasoning_tokens": 5}}, USED | {"thinking_tokens": 5}
        """,
        NAN=float("nan"),
        INF=float("inf"),
        USED=USED,
        UNKNOWN=UNKNOWN,
    ),
)
def test_tokens_by_other_names_and_those_that_are_not_told(usage, told):
    with Server(always=changed(usage=usage)) as server:
        found, model = ask(server)
    assert (found.text, model.retried) == ("print(1)", 0)
    assert {name: getattr(found, name) for name in told} == told


@pytest.mark.parametrize(
    ("parts", "told"),
    cases(
        """
        {"finish_reason": "eos_token"}, (CODE, "", "stop")  # huggingface/text-generation-inference#2344
        {"finish_reason": "end_turn"}, (CODE, "", "stop")  # aws-samples/bedrock-access-gateway#11
        {"finish_reason": "STOP"}, (CODE, "", "stop")  # own
        {"finish_reason": "MAX_TOKENS"}, (CODE, "", "length")  # own
        {"finish_reason": "model_length"}, (CODE, "", "length")  # own
        {"finish_reason": None}, (CODE, "", "length")  # vllm-project/vllm#27572; it has all tokens that it may
        {"finish_reason": ""}, (CODE, "", "length")  # own
        {"message": {"content": None, "reasoning_content": "42 it is"}}, ("", "42 it is", "stop")
        {"message": {"content": "", "reasoning": "42 it is"}}, ("", "42 it is", "stop")
        {"message": {"content": CODE, "reasoning_content": "hm"}}, (CODE, "hm", "stop")
        {"message": {"content": CODE, "reasoning_content": None}}, (CODE, "", "stop")
        {"message": {"content": HALVES}}, (CODE, "", "stop")
        {"message": {"content": [THOUGHT, {"type": "output", "text": CODE}]}}, (CODE, "hm", "stop")
        {"message": {"content": [{"type": "reasoning", "summary": [{"text": "hm"}]}]}}, ("", "hm", "stop")
        """,
        CODE=CODE,
        HALVES=HALVES,
        THOUGHT=THOUGHT,
    ),
)
def test_text_thinking_and_end_are_told_apart_by_whatever_names(parts, told):
    one = {"text": CODE, "finish_reason": "stop"} | parts
    with Server(always=changed(choices=[one], usage={"completion_tokens": 512})) as server:
        found, model = ask(server, CHAT if "message" in parts else TEXT)
    assert (found.text, found.thinking, found.finish_reason) == told
    assert model.retried == 0


UNTOLD = [
    *(given["choice"] for given in inputs("server").values()),
    {"text": CODE, "finish_reason": None},
]
UNTOLD += [
    text | end
    for text in ({"message": {"content": CODE}}, {"text": CODE})
    for end in ({"finish_reason": ""}, {})
]


@pytest.mark.parametrize("one", UNTOLD)
def test_a_text_that_ends_for_no_told_reason_is_whole_and_that_is_said_once(one):
    chat = "message" in one
    text = one.get("message", {}).get("content") or one.get("text")
    with Server(always=changed(choices=[one], usage={"completion_tokens": 7})) as server:
        found, model = ask(server, CHAT if chat else TEXT, [1, 2])
    assert [(each.text, each.finish_reason) for each in found] == [(text, "stop")] * 2
    (notice,) = model.notices
    assert "does not say why its texts end" in notice


@pytest.mark.parametrize("text", [None, "", "\n", [], [{"type": "text", "text": " "}]])
def test_replies_cut_off_before_their_text_with_the_reasoning_left_out_are_said_once(text):
    one = {"message": {"content": text}, "finish_reason": "length"}
    with Server(always=changed(choices=[one], usage={"completion_tokens": 512})) as server:
        found, model = ask(server, CHAT, [1, 2])
    assert [(each.text.strip(), each.finish_reason) for each in found] == [("", "length")] * 2
    (notice,) = model.notices
    assert "cut off before their text begins, with their reasoning left out" in notice


@pytest.mark.parametrize(
    ("answer", "waited"),
    cases(
        """
        {"metrics": {"queue_time_ms": 40}},                     0.04
        {"timings": {"prompt_ms": 10.0, "predicted_ms": 20.0}}, 0.07
        {"timings": {"prompt_ms": 1e9, "predicted_ms": 20.0}},  0.0
        {"timings": {"prompt_ms": "fast"}, "metrics": [1]},     None
        {"metrics": {"queue_time_ms": -1}},                     None
        """
    ),
)
def test_time_in_the_servers_queue_is_kept_apart_where_it_is_told(answer, waited):
    assert waiting_time(answer, 0.1) == (waited if waited is None else pytest.approx(waited))


def test_log_probabilities_are_asked_for_by_option_and_read_in_either_form():
    chats = {"content": [{"token": "a", "logprob": -0.5}, {"token": "b", "logprob": -1.5}]}
    minus = float("-inf")
    cases = [
        ({"token_logprobs": [-0.5, -1.5]}, -1),
        (chats, -1),
        (None, None),
    ]  # ggml-org/llama.cpp#11346
    cases += [
        ({"token_logprobs": odd}, None) for odd in ([None, -1.5], [minus], ["-1", True], -1, [])
    ]
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
    "refusal",
    [
        *starmap(
            error,
            cases(
                """
                422, "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 2048. Given: 1800 and 512"
                500, "Prompt length (5000) exceeds maximum input length (4096)."
                400, "The input token count (40000) exceeds the maximum number of tokens allowed (32768)."
                400, "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens"
                400, "the request exceeds the available context size, try increasing it"
                500, "the request exceeds the available context size"
                400, "Please reduce the length of the messages or completion"
                400, "prompt is too long: 210000 tokens > 200000 maximum"
                400, "Input is too long for requested model."
                413, "Too many input tokens: 9000"
                400, "The decoder prompt (length 9000) is longer than the maximum model length of 8192"
                400, "prompt tokens exceed context limit"
                """
            ),
        ),
        lambda handler, body: handler.send(
            413, b"<html>\r\n<title>413 Request Entity Too Large</title></html>"
        ),
    ],
)
def test_wordings_of_too_long(refusal):
    with Server(refusal) as server:
        found, model = ask(server)
    assert type(found) is PromptRefused
    assert is_one_clear_line(found)
    assert model.retried == 0


def test_settings_left_to_the_server_are_not_sent_and_texts_end_at_the_stop_all_the_same():
    with Server(always=choice(text="print(1)\n**Question 2")) as server:
        found, model = ask(
            server,
            model=load_model(f"{server.url}?top_p=off&temperature=off&stop=off&seed=off#tiny"),
        )
    assert found.text == "print(1)\n"
    assert not {"top_p", "temperature", "stop", "seed"} & set(server.bodies[0])
    assert model.identity()["left_to_the_server"] == ["seed", "stop", "temperature", "top_p"]


def test_an_address_without_its_last_part_is_told_which():
    with Server(always=404, models=()) as server:
        found, _ = ask(server, model=OpenAIServer(server.url.removesuffix("/v1"), "tiny"))
    assert f"write {server.url}" in str(found)


GOOD = {
    "choices": [{"text": CODE, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 7},
}
LINES = json.dumps(GOOD).encode()


@pytest.mark.parametrize(
    "way",
    [
        content(b"\xef\xbb\xbf" + LINES),  # a byte order mark
        content(b"\n \n" * 99 + LINES),  # what keeps a connection alive
        content(LINES.replace(b'"usage"', b'"score": NaN, "usage"')),
        content(LINES, "text/html"),
        lambda handler, body: handler.send(200, gzip.compress(LINES), {"Content-Encoding": "gzip"}),
        changed(
            choices=[{"message": {"content": CODE}, "finish_reason": "stop"}]
        ),  # as of a chat, though not asked so
        changed(
            choices=[GOOD["choices"][0] | {"logprobs": None, "token_ids": [1]}],
            model="another-name",
            usage=None,
        ),
    ],
)
def test_own_kinds_that_work(way):
    with Server(always=way) as server:
        found, model = ask(server)
    assert (found.text, model.retried) == (CODE, 0)


def streamed(*pieces: object, end=b"data: [DONE]\n\n", between=b"\n\n"):
    """An answer that was not asked for in pieces, and comes in pieces."""
    lines = [b"data: " + json.dumps(piece).encode() + between for piece in pieces]
    return content(b"".join(lines) + end, "text/event-stream")


def said(text=None, *, end=None, index=0, **more) -> dict:
    return {"choices": [{"index": index, "text": text, "finish_reason": end} | more]}


def turn(end=None, **delta) -> dict:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": end}]}


SPENT = {"choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 7}}
IN_CHAT = (turn(role="assistant"), turn(content=CODE[:5]), turn(content=CODE[5:]), turn("stop"))
STREAMS = {
    "completions": streamed(said(CODE[:9]), said(CODE[9:]), said("", end="stop"), SPENT),
    "chat": streamed(*IN_CHAT, SPENT),
    "one piece": streamed(GOOD),
    "a whole message": streamed({"choices": [{"message": {"content": CODE}}]} | GOOD, end=b""),
    "a whole message after its pieces": streamed(
        *IN_CHAT, {"choices": [{"message": {"content": CODE}, "finish_reason": "stop"}]}, SPENT
    ),
    "no end but a reason": streamed(said(CODE[:9]), said(CODE[9:], end="stop"), SPENT, end=b""),
    "an end and no reason": streamed(said(CODE[:9]), said(CODE[9:]), SPENT),
    "other line ends": streamed(said(CODE, end="stop"), SPENT, between=b"\r\n\r\n"),
    "no blank between": streamed(said(CODE), said(end="stop"), SPENT, between=b"\r"),
    "events and comments": lambda handler, body: handler.send(
        200,
        b"\xef\xbb\xbf: ping\n\nevent: message\nid: 1\ndata:%s\n\n: ping\n\ndata: [DONE]\n" % LINES,
    ),
    "in parts": streamed(
        turn(content=[{"type": "text", "text": CODE[:9]}]),
        turn("stop", content=[{"type": "text", "text": CODE[9:]}]),
        SPENT,
    ),
}


@pytest.mark.parametrize("way", STREAMS.values(), ids=STREAMS)
def test_an_answer_that_is_streamed_unasked_is_put_together(way):
    with Server(always=way) as server:
        found, model = ask(server)
    assert (found.text, found.finish_reason, model.retried) == (CODE, "stop", 0)
    assert (found.prompt_tokens, found.completion_tokens) == (5, 7)


def test_all_else_that_a_stream_says_is_read_as_of_one_answer():
    told = [{"logprobs": {"token_logprobs": [-0.5]}}, {"logprobs": {"token_logprobs": [-1.5]}}]
    way = streamed(said("a", **told[0]), said("b", end="length", **told[1]))
    with Server(always=way) as server:
        found, _ = ask(server, settings=SamplingSettings(max_tokens=2))
    assert (found.text, found.finish_reason, found.log_probability) == ("ab", "length", -1)
    thought = streamed(turn(reasoning_content="h"), turn(reasoning_content="m"), turn("stop"))
    with Server(always=thought) as server:
        found, _ = ask(server, CHAT)
    assert (found.text, found.thinking) == ("", "hm")


def test_samples_asked_for_together_are_told_apart_in_a_stream():
    way = streamed(
        *(said(f"{index}", index=index) for index in (1, 0, 1, 0)),
        *(said(end="stop", index=index) for index in (0, 1)),
    )
    with Server(always=way) as server:
        found, _ = ask(server, seeds=range(2), left_out=("seed",), n=2)
    assert [one.text for one in found] == ["00", "11"]


def test_a_stream_is_read_in_time_linear_in_it():
    def seconds(pieces: int) -> float:
        body = b"".join(b'data: {"choices": [{"text": "abcdefgh"}]}\n\n' for _ in range(pieces))
        start = time.process_time()
        found = reply_of(body + b"data: [DONE]\n", str)
        assert len(found["choices"][0]["text"]) == 8 * pieces
        return time.process_time() - start

    seconds(100)
    assert min(seconds(40_000) for _ in range(3)) < 6 * 4 * min(seconds(10_000) for _ in range(3))


@pytest.mark.parametrize(
    ("owner", "given", "at_a_time"),
    cases(
        """
        "vllm",     "",               256
        "llamacpp", "",               8
        "somebody", "",               64
        "vllm",     "?concurrency=3", 3
        """
    ),
)
def test_as_many_requests_at_a_time_as_a_server_takes_unless_one_says_how_many(
    owner, given, at_a_time
):
    with Server(owner=owner) as server:
        found, model = ask(server, model=load_model(f"{server.url}{given}#tiny"))
    assert found.text == "print(1)"
    assert model.concurrency == at_a_time


def test_a_server_for_which_it_is_too_many_gets_fewer_and_that_is_said():
    most = []

    def takes_four(handler, body):
        busy = handler.server.busy
        most.append(busy)
        handler.server.closing.wait(0.05)  # so long that all that were sent at once are in
        (error(429, "too many requests") if busy > 4 else choice())(handler, body)

    with Server(always=takes_four) as server:
        found, model = ask(server, seeds=range(300), concurrency=32, retries=30)
    assert len(found) == 300
    assert max(most[:32]) > 16
    assert max(most[-100:]) <= 16
    assert any("too many at a time" in notice for notice in model.notices)


def test_a_time_to_wait_is_a_number_of_seconds_or_a_date():
    assert [waiting(header) for header in ("7", "-1", "soon", "", "inf", "nan")] == [
        7,
        0,
        0,
        0,
        0,
        0,
    ]
    dates = [formatdate(time.time() + seconds, usegmt=True) for seconds in (90, -90)]
    assert [waiting(date) for date in dates] == [pytest.approx(90, abs=3), 0]
