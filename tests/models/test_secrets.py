"""The key in every place where a server may give it back: no byte of a run folder, stdout or stderr
shows it."""

import html
import json
import lzma
import re
from contextlib import nullcontext
from urllib.parse import unquote

import pandas as pd
import pytest

from trove_lite.cli import doctor, main
from trove_lite.errors import TroveLiteError
from trove_lite.models import load_model
from trove_lite.models.openai import OpenAIServer
from trove_lite.models.openai_address import key_for
from trove_lite.running import live

from ..conftest import AWAY
from ..scripted import InlineSandbox
from ..typed import typed
from .misbehaving import KEY, Server, ask, changed, choice, error

HIDDEN = KEY[:9] + "\u200b" + KEY[9:]
FORMS = (KEY, KEY.upper(), KEY.replace("-", "%2d"), HIDDEN, "\u2060".join(KEY))
ECHO = " ".join(FORMS)
ESCAPED = "".join(f"\\u{ord(sign):04x}" for sign in KEY).encode()
REPLY = "**Solution**\n```python\nprint(2)\n```\n"


def raw(line: bytes):
    """A reply that breaks HTTP with this line."""

    def way(handler, body):
        handler.wfile.write(line + b"\r\n\r\n")
        handler.close_connection = True

    return way


#: Ways of a server that give the key back, in every form at once.
WAYS = {
    "error in a success": {"always": changed(error={"message": f"quota of {ECHO} exceeded"})},
    "error that is a text": {"always": changed(error=f"quota of {ECHO}")},
    "finish reason": {"always": choice(finish_reason=ECHO)},
    "text": {"always": choice(text=f"{REPLY}print('{ECHO}')")},
    "thinking": {"always": choice(text=REPLY, reasoning_content=ECHO)},
    "header line": {"always": raw(b"HTTP/1.1 200 OK\r\n" + ECHO.encode())},
    "status line": {"always": raw(b"NOPE " + ECHO.encode())},
    "list of models": {"models": (f"other-{ECHO}",)},
    "owner": {"owner": f"by {ECHO}", "entry": {"root": f"/models/{ECHO}", "meta": {"ftype": ECHO}}},
    "refusal": {"always": error(400, f"prompt too long, see {ECHO}")},
    "failure": {"always": error(500, f"key {ECHO}")},
    "list as an error": {
        "always": lambda handler, _: handler.reply(400, {"error": {"message": ["x", ECHO]}})
    },
    "details": {
        "always": lambda handler, _: handler.reply(
            422, {"detail": [{"loc": ["header"], "msg": ECHO}]}
        )
    },
    "no JSON": {"always": lambda handler, _: handler.send(500, f"<p>{ECHO}</p>".encode())},
    "escaped": {"always": lambda handler, _: handler.send(400, b'{"error": "%s"}' % ESCAPED)},
    "redirect": {"always": error(307, ECHO, Location=f"http://127.0.0.1:1/{KEY}")},
}


@pytest.fixture(autouse=True)
def key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setenv("TROVE_LITE_API_KEY", KEY)


def seen(content: bytes) -> str:
    """What an eye, a clipboard or a decoder takes of these bytes."""
    text = content.decode("utf-8", "replace")
    text = re.sub(
        r"\\+u([0-9a-fA-F]{4})|\\+x([0-9a-fA-F]{2})", lambda m: chr(int(m[1] or m[2], 16)), text
    )
    text = re.sub("\xe2\x80[\x80-\xbf]|\xe2\x81[\x80-\xbf]", "", html.unescape(unquote(text)))
    return "".join(sign for sign in text.lower() if "!" <= sign <= "~")


def everything_in(folder) -> bytes:
    """All bytes of a folder's files and names, packed ones unpacked as well."""
    found = [str(sorted(folder.rglob("*"))).encode()]
    for path in (path for path in folder.rglob("*") if path.is_file()):
        found.append(path.read_bytes())
        if path.suffix == ".parquet":
            found.append(json.dumps(pd.read_parquet(path).to_dict("list"), default=str).encode())
        elif path.suffix == ".xz":
            found.append(lzma.decompress(found[-1]))
    return b"\n".join(found)


@pytest.mark.parametrize("way", WAYS)
def test_no_byte_of_a_run_shows_the_key(way, tmp_path, monkeypatch, capfd):
    begin = OpenAIServer.__init__
    monkeypatch.setattr(begin, "__kwdefaults__", begin.__kwdefaults__ | {"first_pause": 0.01})
    monkeypatch.setattr(live, "Sandbox", lambda *_, **__: nullcontext(InlineSandbox()))
    problems = tmp_path / "own.jsonl"
    out = tmp_path / "run"
    problems.write_text('{"question": "What is $1+1$?", "answer": 2}\n')
    with Server(**WAYS[way]) as server:
        spec = f"{server.url}?timeout=4&retries=1#tiny"
        words = f"run --methods primitive --k 1 --seeds 0 --dataset {problems} --model {spec}"
        status = main(f"{words} --quiet --out {out}".split())
        print(doctor._model(spec))
        assert way == "list of models" or server.headers[0]["Authorization"] == f"Bearer {KEY}"
    if status == 0 and "trove_lite_analysis" not in AWAY:
        assert typed("view", out, "--out", out / "view.html", "--quiet") == 0
        assert typed("summary", out, "--json") == 0
    shown = "".join(capfd.readouterr())
    assert "Traceback" not in shown
    assert "…" in shown + everything_in(tmp_path).decode("utf-8", "replace")  # where the key was
    assert KEY not in seen(shown.encode() + everything_in(tmp_path))


@pytest.mark.parametrize("form", [ESCAPED, *(form.encode() for form in FORMS)])
def test_the_search_itself_finds_every_form(form):
    assert KEY in seen(form)
    assert KEY in seen(repr(bytearray(form)).encode())


def test_no_exception_and_no_variable_of_a_model_shows_the_key():
    with Server(error(401, f"bad key {KEY}")) as server:
        problem, model = ask(server)
    assert "401, the key is missing or refused" in str(problem)
    assert KEY[:9] not in f"{[problem, problem.__cause__, problem.__context__]!r} {vars(model)!r}"


def test_openais_own_key_goes_to_openai_alone(monkeypatch):
    monkeypatch.delenv("TROVE_LITE_API_KEY")
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")
    with Server() as server:
        ask(server)
    assert "Authorization" not in server.headers[0]
    assert key_for("https://api.openai.com/v1") == KEY
    assert key_for("https://api.openai.com.example.org/v1") == ""


@pytest.mark.parametrize("bad", [f"{KEY}\n{KEY}", f"{KEY} ü"])
def test_what_is_no_key_is_not_quoted(bad, monkeypatch):
    monkeypatch.setenv("TROVE_LITE_API_KEY", bad)
    with Server() as server, pytest.raises(TroveLiteError) as problem:
        ask(server)
    assert KEY not in str(problem.value)


HOLD = [
    f"me:{KEY}@localhost/v1",
    f"me:{KEY}/v1",
    f"localhost/v1?api_key={KEY}",
    f"localhost/v1#tiny?api_key={KEY}",
]
HOLD += [f"localhost/{KEY}/v1", f"localhost/{KEY.replace('-', '%2D')}/v1", f"localhost/v1#{KEY}"]


@pytest.mark.parametrize("address", [f"http://{rest}" for rest in HOLD])
def test_addresses_that_hold_a_key_are_refused_without_quoting_them(address, tmp_path, capfd):
    words = ["run", "--model", address, "--out", str(tmp_path / "run"), "--methods", "primitive"]
    assert main(words) in (1, 2)
    assert not (tmp_path / "run").exists()
    assert KEY not in seen("".join(capfd.readouterr()).encode())
    assert KEY not in str(doctor._model(address))


def test_an_engines_options_hold_no_key():
    with pytest.raises(TroveLiteError, match="HF_TOKEN") as problem:
        load_model(f"vllm:org/name?hf_token={KEY}")
    assert KEY not in str(problem.value)


@pytest.mark.parametrize("word", ["EMPTY", "x", "print"])
def test_a_word_given_in_place_of_a_key_stays_in_programs(word, monkeypatch):
    """Servers without a key are often given one of these."""
    monkeypatch.setenv("TROVE_LITE_API_KEY", word)
    with Server(always=choice(text="empty = 'EMPTY'; x = 1; print(x)")) as server:
        found, _ = ask(server)
    assert found.text == "empty = 'EMPTY'; x = 1; print(x)"
