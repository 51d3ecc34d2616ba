"""Commands under odd environments, and by odd texts: each does its work, or says in one line what
is in its way."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.cli import doctor, main
from trove_lite.errors import encodable, shown
from trove_lite.running.progress import Progress

from .conftest import ROOT
from .models.misbehaving import Server
from .scripted import run
from .typed import typed

SAID = {
    "list models": "vllm:NAME",
    "list methods": "trove   ",
    "list datasets": "math   ",
    "list prompts": "own   ",
}
SAID |= {
    "--help": "  doctor ",
    "--version": "trove-lite ",
    "run --help": "The budget: calls (requests",
}
OF_C = {
    "LC_ALL": "C",
    "PYTHONUTF8": "0",
    "PYTHONCOERCECLOCALE": "0",
    "PYTHONIOENCODING": "",
}  # "": as if not set


@pytest.mark.parametrize("env", [OF_C, {"PYTHONIOENCODING": "ascii"}], ids=str)
def test_help_is_shown_with_any_encoding(tmp_path, env):
    code = f"import sys; from trove_lite.cli import main; sys.exit(any(main(w.split()) for w in {list(SAID)}))"
    env = os.environ | {"PYTHONPATH": str(ROOT)} | env
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert all(words in done.stdout.decode("latin-1") for words in SAID.values())


BAD = {
    "ALL_PROXY": "socks://127.0.0.1:7890",
    "https_proxy": "socks5://127.0.0.1:1",
    "SSL_CERT_FILE": "/nowhere",
}
NONE = ("ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "http_proxy", "https_proxy", "SSL_CERT_DIR")


@pytest.mark.parametrize("name", BAD)
def test_a_bad_proxy_or_certificate_is_named_but_not_in_the_way_to_this_machine(
    tmp_path, monkeypatch, capsys, name
):
    for variable in NONE:
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv(name, BAD[name])
    with Server() as server:
        assert doctor._model(f"{server.url}?retries=0#tiny").usable
    words = "run --limit 1 --categories counting --k 3 --seeds 0 --model https://example.invalid/v1?retries=0#m"
    assert typed(words, "--out", tmp_path / "x") == 1
    said, errors = capsys.readouterr()
    assert (said, errors.count("\n")) == ("", 1)
    assert errors.startswith(f"error: {name}: names no ")


@pytest.mark.parametrize("words", ["doctor", "fetch math"])
def test_who_has_no_home_is_told_what_to_set(monkeypatch, capsys, words):
    for name in ("HOME", "TROVE_LITE_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    assert main(words.split()) == 1
    assert "set TROVE_LITE_DATA to a folder" in capsys.readouterr().err


ESCAPE = "\x1b]0;owned\x07\x9b2J\u202e"


@settings(deadline=None)
@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_encoded_and_is_shown_printable_in_the_lines_it_had(text):
    kept = encodable(text).encode("utf-8").decode("utf-8")
    assert all(
        a == b or (b == "?" and "\ud800" <= a <= "\udfff") for a, b in zip(text, kept, strict=True)
    )
    assert shown(text).isprintable()
    assert shown(text, lines=True).split("\n") == [shown(line) for line in text.split("\n")]


def test_commands_errors_and_notices_show_a_text_without_obeying_it(tmp_path, capsys):
    folder = run(tmp_path / "a", methods=("trove",), seeds=(0,))
    about = json.loads((folder / "run.json").read_text())
    about["toolboxes"][0]["name"] = ESCAPE
    (folder / "run.json").write_text(json.dumps(about))
    assert typed("summary", folder) == 0
    assert typed("summary", tmp_path / ESCAPE) != 0
    Progress(0, enabled=False).say(ESCAPE)
    out, err = capsys.readouterr()
    for said in (out, *err.splitlines(keepends=True)):
        assert shown(ESCAPE) in said
        assert shown(said, lines=True) == said
