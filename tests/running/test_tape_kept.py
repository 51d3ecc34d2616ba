"""A tape under what befalls it: servers that are down, several processes at once, kills, and files
that are damaged."""

import asyncio
import json
import lzma
import os
import signal
import subprocess
import sys
import time
import zlib
from collections import Counter

import pytest

from trove_lite.errors import TroveLiteError
from trove_lite.journal import Journal, checksum, finished_journal
from trove_lite.models.base import Completion, LanguageModel, ModelError, SamplingSettings
from trove_lite.models.openai import OpenAIServer
from trove_lite.models.tape import Tape, Taped, request_hash
from trove_lite.running.live import in_own_loop, live_run
from trove_lite.running.settings import RunSettings

from ..cases import named
from ..conftest import ROOT
from ..models.misbehaving import Server

NAME = "tape-1-1.jsonl"
MODEL = {"model": "m", "identity": {"name": "m"}}
REPLY = {
    "text": "print(1)",
    "prompt_tokens": 3,
    "completion_tokens": 2,
    "finish_reason": "stop",
    "seconds": 0.5,
}
LINE = {"model": "m", "request": request_hash("a", SamplingSettings()), "seed": 1, "reply": REPLY}


class Known(LanguageModel):
    name = "m"
    asked = 0

    async def sample(self, prompt, seed, settings):
        self.asked += 1
        return Completion("new", 1, 1, "stop", 0.1)


def sealed(line: object, name: str = NAME) -> bytes:
    """A line as a tape has it, with its checksum."""
    return json.dumps(line | {"crc32": checksum(line, name)}).encode() + b"\n"


def put(folder, *lines, name=NAME):
    folder.mkdir(exist_ok=True)
    data = b"".join(line if isinstance(line, bytes) else sealed(line) for line in lines)
    path = folder / name
    path.write_bytes(lzma.compress(data) if name.endswith(".xz") else data)
    return path


def asked_of(folder, model=None):
    """The reply to "a" with seed 1, and how often the model was asked."""
    model = model or Known()

    async def ask():
        async with Taped(model, folder) as taped:
            return (await taped.complete("a", [1]))[0].text

    return in_own_loop(ask()), model.asked


def changed(**parts) -> dict:
    return LINE | {"reply": REPLY | parts}


def without(name: str) -> dict:
    return LINE | {"reply": {key: value for key, value in REPLY.items() if key != name}}


BAD_LINES = {
    "a reply edited": sealed(LINE).replace(b"print(1)", b"print(2)"),
    "no checksum": json.dumps(changed(text="edited")).encode() + b"\n",
    "a checksum that is none": json.dumps(LINE | {"crc32": None}).encode() + b"\n",
    "a checksum of another file": sealed(LINE, "other.jsonl"),
    "no text": without("text"),
    "no finish reason": without("finish_reason"),
    "no request": {name: value for name, value in LINE.items() if name != "request"},
    "no line at all": b"[1, 2]\n" + sealed(LINE),
}
BAD_LINES |= named(
    """
    "a reply that is a text",         LINE | {"reply": "print(1)"}
    "a reply that is null",           LINE | {"reply": None}
    "a text that is a number",        LINE | {"reply": REPLY | {"text": 7}}
    "a part more",                    LINE | {"reply": REPLY | {"colour": "red"}}
    "another finish reason",          LINE | {"reply": REPLY | {"finish_reason": "weird"}}
    "more tokens than tables hold",   LINE | {"reply": REPLY | {"prompt_tokens": 1000000000000000000000000000000}}
    "tokens below none",              LINE | {"reply": REPLY | {"completion_tokens": -1}}
    "tokens that are no number",      LINE | {"reply": REPLY | {"completion_tokens": "2"}}
    "half a token",                   LINE | {"reply": REPLY | {"completion_tokens": 2.5}}
    "time that is none",              LINE | {"reply": REPLY | {"seconds": "fast"}}
    "a seed that is a text",          LINE | {"seed": "1"}
    "a request that is a number",     LINE | {"request": 7}
    "neither a reply nor a refusal",  {"model": "m", "request": "x", "seed": 1}
    "both",                           LINE | {"refused": "too long"}
    "a refusal that is a list",       {"model": "m", "request": "x", "seed": 1, "refused": []}
    "an identity that is a text",     {"model": "m", "identity": "m"}
    "two models of one name",         {"model": "m", "identity": {"name": "m", "file": "other"}}
    """,
    LINE=LINE,
    REPLY=REPLY,
)


@pytest.mark.parametrize("name", [NAME, f"{NAME}.xz"])
@pytest.mark.parametrize("bad", BAD_LINES.values(), ids=BAD_LINES)
def test_a_line_that_no_tape_has_is_refused_in_one_line(tmp_path, bad, name):
    put(tmp_path / "tape", MODEL, bad, name=name)
    with pytest.raises(TroveLiteError) as error:
        asked_of(tmp_path / "tape")
    assert str(error.value).startswith(str(tmp_path / "tape"))
    assert str(error.value).isprintable()
    assert len(str(error.value)) < 600


#: What may lie on a tape and is none of it, or was cut off.
LEFT_BY_A_KILL = {
    "a packed file half written": lambda tape: (tape / f".{NAME}.xz.abc123").write_bytes(b"\xfd7z"),
    "a plain file half written": lambda tape: (tape / f".{NAME}.k2j").write_bytes(b'{"mod'),
    "an empty file": lambda tape: (tape / "tape-2-2.jsonl").write_bytes(b""),
    "a torn last line": lambda tape: (tape / "tape-2-2.jsonl").write_bytes(sealed(MODEL)[:20]),
    "a dangling link": lambda tape: (tape / "tape-2-2.jsonl").symlink_to("/nowhere"),
    "a file beside its pack": lambda tape: put(tape, MODEL, LINE, name=f"{NAME}.xz"),
    "a note": lambda tape: (tape / "README.md").write_text("mine"),
    "a folder of another name": lambda tape: (tape / "old").mkdir(),
}


@pytest.mark.parametrize("left", LEFT_BY_A_KILL.values(), ids=LEFT_BY_A_KILL)
def test_what_a_kill_leaves_and_what_is_no_tape_is_in_nobodys_way(tmp_path, left):
    put(tmp_path / "tape", MODEL, LINE)
    left(tmp_path / "tape")
    assert asked_of(tmp_path / "tape") == ("print(1)", 0)


def bomb(tape):
    """100 MB of blanks in 15 KB."""
    (tape / "tape-0-0.jsonl.xz").write_bytes(lzma.compress(b" " * (100 << 20), preset=0))


def bomb_in_parts(tape):
    part = lzma.compress(b" " * (40 << 20))
    (tape / "tape-0-0.jsonl.xz").write_bytes(part * 8)


def greedy(tape):
    """A header that asks for a dictionary of 2 GB."""
    packed = bytearray(lzma.compress(sealed(LINE)))
    block = slice(12, 20)  # after the stream's own header; its fifth byte is the dictionary's size
    packed[16] = 38
    packed[20:24] = zlib.crc32(packed[block]).to_bytes(4, "little")
    (tape / "tape-0-0.jsonl.xz").write_bytes(packed)


NO_FILES = {
    "a folder": lambda tape: (tape / "x.jsonl").mkdir(),
    "a packed folder": lambda tape: (tape / "x.jsonl.xz").mkdir(),
    "a pipe": lambda tape: os.mkfifo(tape / "x.jsonl"),
    "a device": lambda tape: (tape / "x.jsonl").symlink_to("/dev/zero"),
    "no xz": lambda tape: (tape / "x.jsonl.xz").write_bytes(b"not packed"),
    "a torn pack": lambda tape: (tape / "x.jsonl.xz").write_bytes(lzma.compress(sealed(LINE))[:-9]),
    "a bomb": bomb,
    "a bomb in parts": bomb_in_parts,
    "a header that asks for much memory": greedy,
}


@pytest.mark.parametrize("way", NO_FILES.values(), ids=NO_FILES)
def test_a_file_that_no_tape_has_is_refused_in_one_line_and_is_not_read_whole(tmp_path, way):
    put(tmp_path / "tape", MODEL, LINE)
    way(tmp_path / "tape")
    start = time.process_time()
    with pytest.raises(TroveLiteError) as error:
        asked_of(tmp_path / "tape")
    assert time.process_time() - start < 3
    assert str(error.value).startswith(str(tmp_path / "tape"))
    assert len(str(error.value).splitlines()) == 1


def half_drawn(folder, server):
    """A tape with some of the replies that a run wants."""
    model = OpenAIServer(server.url, "tiny")

    async def ask():
        async with Taped(model, folder) as taped:
            await taped.complete("a", [1])

    in_own_loop(ask())


@pytest.mark.parametrize("guess", [0, 4])
def test_a_half_drawn_tape_whose_server_is_down_ends_a_run_in_one_line(tmp_path, guess):
    with Server() as server:
        half_drawn(tmp_path / "tape", server)
    model = OpenAIServer(server.url, "tiny", first_pause=0.01, retries=1)
    how = {"model": model, "tape": tmp_path / "tape", "guess": guess, "progress": False}
    settings = RunSettings(methods=("trove",), categories=("counting",), seeds=(0,), limit=2)
    with pytest.raises(ModelError, match="no connection"):
        live_run(settings, tmp_path / "run", **how)


def test_many_that_wait_for_a_model_that_cannot_be_entered_see_the_same_failure(tmp_path):
    entered = []

    class Down(Known):
        async def __aenter__(self):
            entered.append(1)
            await asyncio.sleep(0.01)
            raise ModelError("down")

    async def ask():
        async with Taped(Down(), tmp_path / "tape") as taped:
            found = [taped.complete("b", [seed]) for seed in range(20)]
            return await asyncio.gather(*found, return_exceptions=True)

    put(tmp_path / "tape", MODEL, LINE)
    found = in_own_loop(ask())
    assert {str(error) for error in found} == {"down"}
    assert entered == [1]


@pytest.mark.parametrize("dropped", [1, 3])
def test_a_request_dropped_while_the_model_is_entered_leaves_it_entered_for_the_next(
    tmp_path, dropped
):
    events = []

    class Slow(Known):
        async def __aenter__(self):
            await asyncio.sleep(0.05)
            events.append("in")

        async def __aexit__(self, *_):
            events.append("out")

    async def ask():
        async with Taped(Slow(), tmp_path / "tape") as taped:
            tasks = [asyncio.create_task(taped.complete("b", [seed])) for seed in range(4)]
            await asyncio.sleep(0.01)
            for task in tasks[:dropped]:
                task.cancel()
            return await asyncio.gather(*tasks, return_exceptions=True)

    put(tmp_path / "tape", MODEL, LINE)
    found = in_own_loop(ask())
    assert [one[0].text for one in found[dropped:]] == ["new"] * (4 - dropped)
    assert events == ["in", "out"]


def test_one_that_ends_while_the_model_is_entered_leaves_nothing_behind(tmp_path):
    events = []

    class Slow(Known):
        async def __aenter__(self):
            try:
                await asyncio.sleep(5)
            finally:
                events.append("left")

    async def ask():
        async with Taped(Slow(), tmp_path / "tape") as taped:
            task = asyncio.create_task(taped.complete("b", [1]))
            await asyncio.sleep(0.01)
            task.cancel()

    put(tmp_path / "tape", MODEL, LINE)
    in_own_loop(ask())
    assert events == ["left"]


DRAWING = """
import asyncio, json, random, sys
sys.path.insert(0, {root!r})
from trove_lite.models.base import Completion, LanguageModel
from trove_lite.models.tape import Taped

class Chance(LanguageModel):
    name, asked = "chance", []
    async def sample(self, prompt, seed, settings):
        self.asked.append(seed)
        print(seed, flush=True, file=sys.stderr)
        await asyncio.sleep({slow} * random.random())
        return Completion(f"print({{random.random()}})", 1, 1, "stop", 0.1)

async def main():
    seeds = list(range({requests}))
    random.shuffle(seeds)
    model, few = Chance(), asyncio.Semaphore(6)
    async def one(seed):
        async with few:
            return await taped.complete("a", [seed])
    input()
    async with Taped(model, {tape!r}) as taped:
        found = await asyncio.gather(*map(one, seeds))
    texts = {{seed: one[0].text for seed, one in zip(seeds, found)}}
    print(json.dumps([model.asked, texts]))

asyncio.run(main())
"""


def drawing(tape, *, requests=60, slow=0.2):
    code = DRAWING.format(root=str(ROOT), tape=str(tape), requests=requests, slow=slow)
    how = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE) | {"text": True}
    return subprocess.Popen([sys.executable, "-c", code], **how)


def begin(process):
    process.stdin.write("\n")
    process.stdin.flush()


def texts_on(tape) -> dict[str, str]:
    return {str(key[2]): line["reply"]["text"] for key, line in Tape(tape).replies.items()}


@pytest.mark.parametrize("processes", [2, 3, 4])
def test_processes_on_one_tape_ask_for_nothing_twice_and_have_what_it_says(tmp_path, processes):
    """Each reply is another by chance, as a hosted model's are."""
    working = [drawing(tmp_path / "tape") for _ in range(processes)]
    time.sleep(1.5)  # until all have imported what they need
    for one in working:
        begin(one)
    came = [json.loads(one.communicate(timeout=120)[0]) for one in working]
    asked = Counter(seed for own, _ in came for seed in own)
    assert asked == Counter(range(60))
    assert sum(bool(own) for own, _ in came) > 1  # they did share the work
    assert all(texts == texts_on(tmp_path / "tape") for _, texts in came)


def test_what_a_killed_process_had_claimed_is_asked_for_by_the_next(tmp_path):
    first = drawing(tmp_path / "tape", requests=5, slow=1000)
    begin(first)
    for _ in range(5):
        first.stderr.readline()
    second = drawing(tmp_path / "tape", requests=5, slow=0)
    begin(second)
    time.sleep(1)
    assert second.poll() is None  # it waits for what the first has asked for
    first.send_signal(signal.SIGKILL)
    first.communicate()
    asked, texts = json.loads(second.communicate(timeout=60)[0])
    assert sorted(asked) == list(range(5))
    assert texts == texts_on(tmp_path / "tape")


def test_the_same_request_twice_in_one_process_is_asked_once(tmp_path):
    async def ask():
        async with Taped(Known(), tmp_path / "tape") as taped:
            await taped.complete("a", [1, 1, 2, 1])
            return taped.model.asked

    assert in_own_loop(ask()) == 2


def test_what_another_session_packs_meanwhile_is_not_asked_for_again(tmp_path):
    async def ask():
        mine = Known()
        async with Taped(mine, tmp_path / "tape") as taped:
            async with Taped(Known(), tmp_path / "tape") as other:
                await other.complete("a", [1, 2, 3])
            await taped.complete("a", [1, 2, 3])
        return mine.asked

    assert in_own_loop(ask()) == 0


def test_a_reply_that_no_table_holds_is_never_put_on_a_tape(tmp_path):
    class Odd(Known):
        async def sample(self, prompt, seed, settings):
            return Completion("a", 1 << 40, 1, "stop", 0.1)

    with pytest.raises(TroveLiteError, match="no reply"):
        asked_of(tmp_path / "tape", Odd())
    assert Tape(tmp_path / "tape").replies == {}


def test_a_journal_of_a_run_is_unpacked_within_bounds_too(tmp_path):
    bomb(tmp_path)
    with pytest.raises(TroveLiteError, match="unpacks to more than 64 MiB"):
        finished_journal(tmp_path / "tape-0-0.jsonl")
    journal = Journal(tmp_path / "a.jsonl")
    journal.append({"a": "x" * 100_000})
    journal.close()
    (tmp_path / "a.jsonl.xz").write_bytes(lzma.compress((tmp_path / "a.jsonl").read_bytes()))
    (tmp_path / "a.jsonl").unlink()
    assert finished_journal(tmp_path / "a.jsonl") == [{"a": "x" * 100_000}]
