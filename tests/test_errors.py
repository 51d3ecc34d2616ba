"""Somebody else's text: it can be kept in any file, and a terminal that shows it obeys none of it."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.cli import main
from trove_lite.errors import encodable, shown
from trove_lite.running.progress import Progress

from .scripted import run

ESCAPE = "\x1b]0;owned\x07\x9b2J\u202e"


@settings(deadline=None)
@given(st.text(st.characters(codec=None)))
def test_any_text_can_be_encoded_and_is_shown_printable_in_the_lines_it_had(text):
    kept = encodable(text).encode("utf-8").decode("utf-8")
    assert all(a == b or (b == "?" and "\ud800" <= a <= "\udfff") for a, b in zip(text, kept, strict=True))
    assert shown(text).isprintable()
    assert shown(text, lines=True).split("\n") == [shown(line) for line in text.split("\n")]


def test_commands_errors_and_notices_show_a_text_without_obeying_it(tmp_path, capsys):
    folder = run(tmp_path / "a", methods=("trove",), seeds=(0,))
    about = json.loads((folder / "run.json").read_text())
    about["toolboxes"][0]["name"] = ESCAPE
    (folder / "run.json").write_text(json.dumps(about))
    assert main(["summary", str(folder)]) == 0
    assert main(["summary", str(tmp_path / ESCAPE)]) != 0
    Progress(0).say(ESCAPE)
    out, err = capsys.readouterr()
    for said in (out, *err.splitlines(keepends=True)):
        assert shown(ESCAPE) in said
        assert shown(said, lines=True) == said
