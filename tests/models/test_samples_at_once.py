"""Several samples in one request: all come, and their tokens add up to what the server counted, to the last one."""

import re
from functools import partial

import pytest

from trove_lite import TroveLiteError, load_calls
from trove_lite.models.openai import OpenAIServer

from ..scripted import problems, run, table
from .misbehaving import Server, ask, choice, error


def several(handler, body, most=99):
    """Answers with as many choices as are asked for, up to `most`: 10 tokens a choice, and 3 in all."""
    choices = [{"text": f"print({'1' * (i + 1)})", "finish_reason": "stop"} for i in range(min(body["n"], most))]
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
    assert re.search(rf"gives {most} of the \d samples", model.notices[0])  # as many as were waiting
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
        model = OpenAIServer(server.url, "tiny", left_out=("seed",), n=5, first_pause=0.01, retries=0)
        few = {"methods": ("primitive",), "seeds": (0,), "problems": lambda *where: problems(*where, n=2)}
        return run(tmp_path / "run", model=model, k=k, in_flight=10, **few)

    answered = []

    def first(handler, body):  # whichever request comes first: of five samples, or of those that are left
        answered.append(body["n"])
        several(handler, body)

    def late(handler, body):  # when the first answer has been kept
        journal = tmp_path / "run" / "journal" / "primitive-counting-0.jsonl"
        while journal.read_text().count("\n") < sum(answered or [1]) and not handler.server.closing.wait(0.02):
            pass
        error(401, "no such key")(handler, body)

    with Server(first, always=late) as server, pytest.raises(TroveLiteError):
        made(server, 7)
    with Server(always=several) as server:
        folder = made(server, 7)
        assert sum(body["n"] for body in server.bodies) == 2 * 7 - answered[0]
    assert len(table(folder)) == 14
    assert load_calls(folder)["prompt_tokens"].sum() == 13 * (1 + len(server.bodies))
