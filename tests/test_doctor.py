"""The doctor asks a model by the path that a run uses, and says what it learned."""

import pytest

from trove_lite import doctor

from .models.misbehaving import CHATS, Server, changed, choice, error


def asked(server, chat="auto"):
    (line,) = [line for line in doctor.examine(f"{server.url}?retries=0#tiny", chat) if line.name == "model"]
    return line


def test_a_good_server_is_described():
    with Server(owner="vllm", about={"/version": {"version": "9.8.7"}}) as server:
        line = asked(server)
    assert line.usable
    assert line.text.startswith("tiny (vllm): continues texts and chats; seeds count; tokens told; context 4096; ")
    assert line.text.endswith("tokens a second, one request at a time")


def test_a_model_that_only_chats_is_told_how_to_be_asked():
    def chats(handler, body):
        (choice() if "messages" in body else error(404, CHATS))(handler, body)

    with Server(always=chats) as server:
        line, told = asked(server), asked(server, "on")
    assert not line.usable
    assert "only chats: use --chat on" in line.text
    assert told.usable
    assert "answers with --chat on" in told.text


def test_a_model_that_cannot_chat_is_usable_for_texts():
    def continues(handler, body):
        (error(404, "Not Found") if "messages" in body else choice())(handler, body)

    with Server(always=continues) as server:
        line = asked(server)
    assert line.usable
    assert ": continues texts; seeds" in line.text


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["a", "b", "c"], "seeds do not count"),
        (["a", "a", "a"], "two seeds gave the same text"),
        (["a", "a", "b"], "seeds count;"),
    ],
)
def test_whether_seeds_count_is_seen_from_the_texts(texts, said):
    with Server(*[choice(text=text) for text in texts]) as server:
        assert said in asked(server, "off").text


def test_a_server_that_does_not_count_tokens_is_told_apart():
    with Server(always=changed(usage=None)) as server:
        assert "tokens not told" in asked(server).text


def test_a_port_where_nobody_is_ends_in_one_line():
    with Server() as server:
        pass
    line = asked(server)
    assert not line.usable
    assert "no connection" in line.text
    assert "\n" not in line.text


def test_each_level_is_said_to_let_something_through_and_answers_are_out_of_reach():
    found = {line.name: line for line in doctor.examine()}
    if not found["full"].usable:
        pytest.skip("this machine does not offer the level full")
    assert "read every file that you can read, gold answers too" in found["seccomp"].text
    assert found["answers"].usable
    assert "cannot read" in found["answers"].text
