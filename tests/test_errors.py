"""Somebody else's text: it can be kept in any file, and a terminal that shows it obeys none of it."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from trove_lite.cli import main
from trove_lite.errors import encodable, shown
from trove_lite.running.progress import Progress

from .scripted import run

ESCAPE = "\x1b]0;owned\x07\x9b2J\u202e"
texts = st.text(st.characters(codec=None))


@settings(deadline=None)
@given(texts)
def test_any_text_can_be_encoded_and_most_is_as_it_was(text):
    kept = encodable(text).encode("utf-8").decode("utf-8")
    assert len(kept) == len(text)
    assert all(a == b or (b == "?" and "\ud800" <= a <= "\udfff") for a, b in zip(text, kept, strict=True))


@settings(deadline=None)
@given(texts)
def test_what_is_shown_is_printable_in_a_line_or_in_the_lines_it_had(text):
    assert shown(text).isprintable()
    lines = shown(text, lines=True).split("\n")
    assert lines == [shown(line) for line in text.split("\n")]


def test_the_command_line_shows_a_tools_name_without_obeying_it(tmp_path, capsys):
    folder = run(tmp_path / "a")
    about = json.loads((folder / "run.json").read_text())
    about["toolboxes"][0]["name"] = ESCAPE
    (folder / "run.json").write_text(json.dumps(about))
    assert main(["summary", str(folder)]) == 0
    said = capsys.readouterr().out
    assert shown(ESCAPE) in said
    assert shown(said, lines=True) == said


def test_a_notice_shows_its_text_without_obeying_it(capsys):
    Progress({}).say(ESCAPE)
    assert capsys.readouterr().err == shown(ESCAPE) + "\n"
