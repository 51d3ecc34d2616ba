"""A server that misbehaves in every way there is, asked for one sample or several: completions, or
one clear line."""

import asyncio
import re
import threading
from functools import partial

import pytest

from trove_lite import TroveLiteError, load_calls
from trove_lite.models.base import Completion, ModelError, SampleUnavailable, SamplingSettings
from trove_lite.models.openai import TRIES, OpenAIServer

from ..scripted import problems, run, table
from .misbehaving import CHAT, FAILING, FINAL, ODD, SILENT, TEXT, Server, ask, choice, error


def is_one_clear_line(problem):
    text = str(problem)
    return text.isprintable() and len(text) < 700 and text.startswith("http://127.0.0.1:")


@pytest.mark.parametrize("way", [*ODD, *FAILING, *SILENT])
def test_what_goes_wrong_once_is_asked_for_again(way):
    with Server(way) as server:
        found, model = ask(server, timeout=1 if way in SILENT else 10)
    assert isinstance(found, Completion), found
    assert found.text == "print(1)"
    assert (model.retried, len(server.bodies)) == (1, 2)
    assert server.bodies[0] == server.bodies[1]
    assert len(model.notices) == 1
    assert "asking again in" in model.notices[0]


@pytest.mark.parametrize("way", ODD)
def test_a_sample_that_never_comes_is_unavailable_and_the_next_one_comes(way):
    with Server(*[way] * TRIES) as server:
        found, model = ask(server)
        assert type(found) is SampleUnavailable
        assert is_one_clear_line(found)
        assert str(found).endswith(f", {TRIES} times")
        assert (model.retried, len(server.bodies)) == (TRIES - 1, TRIES)
        assert ask(server)[0].text == "print(1)"


@pytest.mark.parametrize("way", [*FAILING, *SILENT])
def test_a_server_that_keeps_failing_ends_in_one_clear_line(way):
    with Server(always=way) as server:
        found, model = ask(server, timeout=1 if way in SILENT else 10)
    assert type(found) is ModelError
    assert is_one_clear_line(found)
    assert str(found).endswith(", 3 times; run again to go on from here")
    assert (model.retried, len(server.bodies)) == (2, 3)


@pytest.mark.parametrize("way", FINAL)
def test_what_no_second_request_changes_is_said_at_once(way):
    with Server(always=way) as server:
        found, model = ask(server)
    assert type(found) is ModelError
    assert is_one_clear_line(found)
    assert FINAL[way][1] in str(found)
    assert (model.retried, len(server.bodies)) == (0, 1)


def test_one_prompt_on_which_a_server_fails_while_it_answers_others_is_unavailable_alone():
    def fails_on_13(handler, body):
        (FAILING["500"] if body["seed"] == 13 else choice())(handler, body)

    async def asked(model):
        async with model:
            bad = asyncio.create_task(model.complete(TEXT, [13]))
            while not bad.done():
                await model.complete(TEXT, [1])
            await bad

    with Server(always=fails_on_13) as server:
        model = OpenAIServer(server.url, "tiny", first_pause=0.05, retries=3)
        with pytest.raises(
            SampleUnavailable, match="HTTP 500 oh no, 4 times, while others were answered"
        ):
            asyncio.run(asked(model))
    assert model.retried == 3


def test_the_newer_name_of_a_limit_is_used_where_a_server_insists_on_it():
    said = (
        "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead."
    )
    with Server(error(400, said)) as server:
        found, model = ask(server, CHAT, settings=SamplingSettings(max_tokens=33))
    assert found.text == "print(1)"
    assert model.retried == 1
    assert server.bodies[-1]["max_completion_tokens"] == 33
    assert "max_tokens" not in server.bodies[-1]


def test_a_queue_longer_than_the_timeout_is_no_failure():
    """The server works on one request at a time: the last waits for all, which take longer than the
    timeout."""
    one_at_a_time = threading.Lock()

    def slowly(handler, body):
        with one_at_a_time:
            handler.server.closing.wait(0.15)
        choice()(handler, body)

    with Server(always=slowly) as server:
        found, model = ask(server, seeds=range(20), timeout=2, retries=0)
    assert len(found) == 20
    assert (
        server.busiest > 2 / 0.15
    )  # so many were waiting that the last of them waited for longer than the timeout
    assert model.retried == 0


def test_messages_go_to_chat_and_texts_to_completions_and_chat_off_refuses_messages():
    with Server() as server:
        asked = [ask(server, prompt)[0].text for prompt in (TEXT, CHAT)]
        assert "--chat off sends none" in str(ask(server, CHAT, chat="off")[0])
    assert asked == ["print(1)", "print(1)"]
    assert server.paths == ["/v1/completions", "/v1/chat/completions"]
    assert server.bodies[1]["messages"] == [{"role": "user", "content": "What is $1+1$?"}]
    with Server(always=error(404, "Not Found")) as server:
        assert "for a server that cannot chat: --chat off" in str(ask(server, CHAT)[0])


def several(handler, body, most=99):
    """Answers with as many choices as are asked for, up to `most`: 10 tokens a choice, and 3 in
    all."""
    choices = [
        {"text": f"print({'1' * (i + 1)})", "finish_reason": "stop"}
        for i in range(min(body["n"], most))
    ]
    usage = {"prompt_tokens": 13, "completion_tokens": 10 * len(choices) + 3}
    handler.reply(200, {"choices": choices, "usage": usage})


def refusing(handler, body):
    (error(400, "'n' : number must be at most 1") if body["n"] > 1 else choice())(handler, body)


twelve = partial(ask, seeds=range(12), left_out=("seed",), n=5)


def test_tokens_are_shared_out_and_add_up_to_the_bill():
    with Server(always=several) as server:
        found, model = twelve(server)
    assert sorted(body["n"] for body in server.bodies) == [2, 5, 5]
    assert not any("seed" in body for body in server.bodies)
    assert sum(one.prompt_tokens for one in found) == 3 * 13
    assert sum(one.completion_tokens for one in found) == 12 * 10 + 3 * 3
    assert all(one.completion_tokens > 0 for one in found)
    assert (model.retried, model.notices) == (0, [])


@pytest.mark.parametrize("most", [1, 2])
def test_what_a_server_leaves_out_is_asked_for_again_and_said(most):
    with Server(always=lambda handler, body: several(handler, body, most)) as server:
        found, model = twelve(server)
    assert len(found) == 12
    assert model.n == most
    assert re.search(
        rf"gives {most} of the \d samples", model.notices[0]
    )  # as many as were waiting
    assert sum(one.prompt_tokens for one in found) == 13 * len(server.bodies)


def test_a_server_that_refuses_several_is_asked_one_by_one():
    with Server(always=refusing) as server:
        found, _ = twelve(server)
    assert len(found) == 12
    assert server.bodies[-1]["n"] == 1


def test_a_failure_reaches_all_that_wait():
    with Server(always=401) as server:
        assert "key is missing" in str(twelve(server)[0])


def test_a_run_is_resumed_by_the_samples_that_it_lacks(tmp_path):
    def made(server, k):
        model = OpenAIServer(
            server.url, "tiny", left_out=("seed",), n=5, first_pause=0.01, retries=0
        )
        few = {
            "methods": ("primitive",),
            "seeds": (0,),
            "problems": lambda *where: problems(*where, n=2),
        }
        return run(tmp_path / "run", model=model, k=k, in_flight=10, **few)

    answered = []

    def first(
        handler, body
    ):  # whichever request comes first: of five samples, or of those that are left
        answered.append(body["n"])
        several(handler, body)

    def late(handler, body):  # when the first answer has been kept
        journal = tmp_path / "run" / "journal" / "primitive-counting-0.jsonl"
        while journal.read_text().count("\n") < sum(
            answered or [1]
        ) and not handler.server.closing.wait(0.02):
            pass
        error(401, "no such key")(handler, body)

    with Server(first, always=late) as server, pytest.raises(TroveLiteError):
        made(server, 7)
    with Server(always=several) as server:
        folder = made(server, 7)
        assert sum(body["n"] for body in server.bodies) == 2 * 7 - answered[0]
    assert len(table(folder)) == 14
    assert load_calls(folder)["prompt_tokens"].sum() == 13 * (1 + len(server.bodies))
